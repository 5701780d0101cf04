/*
 * check_names.c - declares what a file contains, and computes types when they are first needed. Declarations may be
 * used before they are written and need each other's types, so decl_type() computes a type on demand. Only lets without
 * a written type can depend on themselves; the error shows the chain of declarations whose types are being computed.
 */
#include "check/context.h"

enum { UNSEEN, RUNNING, DONE };
enum { LONGEST_CHAIN = 12 };            /* maximum number of names in a message */

struct decl *decl_new(struct check *c, enum decl_kind kind, struct str name, struct span span, struct node *node)
{
	struct decl *d = ARENA_NEW(c->arena, struct decl);
	d->kind = kind;
	d->name = name;
	d->span = span;
	d->node = node;
	d->module = c->at.module;
	return d;
}

/* ---- declaring the contents of a file ---- */

static const struct {
	enum node_kind kind;
	const char *message, *help;
} elsewhere[] = {
	{ NODE_PARAM, "parameters belong to programs and to the modules that they import",
	  "write its value here, or in a module that is imported" },
	{ NODE_PROFILE, "profiles belong to the root file", "move it to the file that is compiled" },
	{ NODE_JOB, "jobs belong to the root file", "move it to the file that is compiled" },
	{ NODE_TEST, "tests belong to the root file", "move it to the file that is compiled" },
	{ NODE_POLICY, "policies belong to files that the project names",
		"name this file in 'policies' of project.tj" },
	{ NODE_PROJECT, "'project' belongs in project.tj", "move it to project.tj at the project's root" }
};

static struct span head_of(const struct node *n)
{
	switch (n->kind) {
	case NODE_PARAM: return n->u.binding.name_span;
	case NODE_PROFILE: return n->u.titled.name_span;
	case NODE_JOB: return n->u.job.title->span;
	case NODE_TEST: case NODE_POLICY: return n->u.titled.title->span;
	default: return n->span;
	}
}

/* May the declaration be in this kind of file? Reports a declaration that may not (TJ0213). */
static bool belongs_here(struct check *c, const struct node *n)
{
	const struct module *m = c->at.module;
	bool project = m == c->program->project.module;
	bool here = n->kind == NODE_POLICY ? m->policy : n->kind == NODE_PROJECT ? project :
		m->root || (n->kind == NODE_PARAM && !m->policy && !project);
	for (size_t i = 0; !here && i < sizeof elsewhere / sizeof *elsewhere; i++) {
		if (elsewhere[i].kind != n->kind)
			continue;
		struct diag *d = diag_report(c->diags, TJ0213, head_of(n), "%s", elsewhere[i].message);
		if (span_known(m->imported_at))
			diag_note(c->diags, d, m->imported_at, "imported here");
		diag_help(c->diags, d, "%s", elsewhere[i].help);
		return false;
	}
	return true;
}

static struct decl *declare_binding(struct check *c, struct node *n, enum decl_kind kind)
{
	struct decl *d = decl_new(c, kind, n->u.binding.name, n->u.binding.name_span, n);
	d->doc = n->u.binding.doc;
	d->global = true;
	d->slot = c->program->nslots++;
	n->u.binding.decl = d;
	return d;
}

static void declare_type(struct check *c, struct node *n)
{
	struct decl *d = decl_new(c, DECL_TYPE, n->u.type_decl.name, n->u.type_decl.name_span, n);
	struct decl *first = map_get(&c->at.module->types, d->name);
	d->doc = n->u.type_decl.doc;
	n->u.type_decl.decl = d;
	if (!first) {
		map_put(&c->at.module->types, c->arena, d->name, d);
		return;
	}
	if (first->kind == DECL_BAD)
		return;
	struct diag *g = diag_report(c->diags, TJ0204, d->span, "type '%.*s' is already declared in this file",
		STR_ARG(d->name));
	diag_note(c->diags, g, first->span, "first declared here");
}

static void declare_bad(struct check *c, struct node *n)
{
	c->at.module->broken = true;
	/*
	 * if a declaration failed before its name, as `improt std.x` does, the parser's name for it is its first word
	 */
	if (!n->u.bad.name.n || n->u.bad.name_span.start == n->span.start)
		c->at.module->lost = true;
	if (!n->u.bad.name.n)
		return;
	struct decl *d = decl_new(c, DECL_BAD, n->u.bad.name, n->u.bad.name_span, n);
	d->silent = true;
	scope_declare(c, d);
	if (!map_get(&c->at.module->types, d->name))
		map_put(&c->at.module->types, c->arena, d->name, d);
}

static void declare_profile(struct check *c, struct node *n)
{
	struct node *first = map_get(&c->profiles, n->u.titled.name);
	if (!first) {
		map_put(&c->profiles, c->arena, n->u.titled.name, n);
		return;
	}
	struct diag *d = diag_report(c->diags, TJ0204, n->u.titled.name_span,
		"profile '%.*s' is already declared in this file", STR_ARG(n->u.titled.name));
	diag_note(c->diags, d, first->u.titled.name_span, "first declared here");
}

/* Also declares the correct name of the module for a misspelt import such as `import std.pytroch`. */
static void declare_meant(struct check *c, const struct node *n, struct decl *d)
{
	const struct module *m = n->u.import.module;
	if (!m || !m->library || n->u.import.depth != 2 || !str_eq(n->u.import.alias, n->u.import.path[1]))
		return;
	struct str name = { m->dotted.p + 4, m->dotted.n - 4 };
	if (!str_eq(name, n->u.import.alias))
		map_put(&c->at.module->values, c->arena, names_intern(c->names, name), d);
}

static void declare_one(struct check *c, struct node *n)
{
	struct decl *d = NULL;
	bool here = belongs_here(c, n);
	switch (n->kind) {
	case NODE_IMPORT:
		d = decl_new(c, n->u.import.module ? DECL_IMPORT : DECL_BAD, n->u.import.alias, n->u.import.alias_span,
			n);
		n->u.import.decl = d;
		declare_meant(c, n, d);
		break;
	case NODE_PARAM: d = declare_binding(c, n, here ? DECL_PARAM : DECL_BAD); break;
	case NODE_LET: d = declare_binding(c, n, DECL_LET); break;
	case NODE_FN:
		d = decl_new(c, DECL_FN, n->u.fn.name, n->u.fn.name_span, n);
		d->doc = n->u.fn.doc;
		n->u.fn.decl = d;
		break;
	case NODE_FRAMEWORK: case NODE_ACCELERATOR:
		d = decl_new(c, n->kind == NODE_FRAMEWORK ? DECL_FRAMEWORK : DECL_ACCELERATOR, n->u.blueprint_decl.name,
			n->u.blueprint_decl.name_span, n);
		d->doc = n->u.blueprint_decl.doc;
		n->u.blueprint_decl.decl = d;
		break;
	case NODE_TYPE: declare_type(c, n); return;
	case NODE_PROFILE:
		if (here)
			declare_profile(c, n);
		return;
	case NODE_BAD: declare_bad(c, n); return;
	default: return;
	}
	scope_declare(c, d);
}

void names_declare(struct check *c, struct module *m, size_t first)
{
	c->at = (struct where){ .module = m };
	struct nodes decls = m->file->u.file.decls;
	for (size_t i = first; i < decls.n; i++)
		declare_one(c, decls.at[i]);
}

/* ---- computing types on demand ---- */

static const struct type *report_cycle(struct check *c, struct decl *d)
{
	struct str chain = d->name;
	bool inside = false;
	size_t shown = 0;
	for (size_t i = 0; i < c->nrunning; i++) {
		inside = inside || c->running[i] == d;
		if (inside && c->running[i] != d && ++shown <= LONGEST_CHAIN)
			chain = str_printf(c->arena, "%.*s → %.*s", STR_ARG(chain),
				STR_ARG((shown == LONGEST_CHAIN ? STR("...") : c->running[i]->name)));
	}
	chain = str_printf(c->arena, "%.*s → %.*s", STR_ARG(chain), STR_ARG(d->name));
	struct diag *g = diag_report(c->diags, TJ0405, d->span, "'%.*s' depends on itself: %.*s", STR_ARG(d->name),
		STR_ARG(chain));
	inside = false;
	for (size_t i = 0; i < c->nrunning && shown <= LONGEST_CHAIN; i++) {
		if (inside)
			diag_note(c->diags, g, c->running[i]->span, "'%.*s'", STR_ARG(c->running[i]->name));
		inside = inside || c->running[i] == d;
	}
	return &type_bad;
}

static const struct type *report_untyped(struct check *c, struct decl *d, const struct type *t)
{
	struct node *value = d->node->u.binding.value;
	struct str words = node_words(c, value);
	struct diag *g = diag_report(c->diags, TJ0310, value->span, "%.*s could be of many types", STR_ARG(words));
	if (t->kind == TYPE_NONE)
		diag_help(c->diags, g, "write its type: 'let %.*s: string? = none'", STR_ARG(d->name));
	else if (value->kind == NODE_BODY)
		diag_help(c->diags, g, "write its type: 'let %.*s: map[string] = {}'", STR_ARG(d->name));
	else
		diag_help(c->diags, g, "write its type: 'let %.*s: list[string] = []'", STR_ARG(d->name));
	return mark_bad(value);
}

static const struct type *let_type(struct check *c, struct decl *d)
{
	struct node *n = d->node;
	struct site site = { .name = d->name };
	if (!n->u.binding.value)
		return &type_bad;
	if (n->u.binding.type) {
		const struct type *t = resolve_type(c, n->u.binding.type);
		site.declared = n->u.binding.type->span;
		d->type = t;
		/* only a cycle can make the value mention the name itself; the evaluator reports it */
		d->state = DONE;
		check_expr(c, n->u.binding.value, t, &site);
		return t;
	}
	const struct type *t = type_expr(c, n->u.binding.value, NULL);
	if (t->kind == TYPE_UNIT) {
		struct str words = node_words(c, n->u.binding.value);
		return report_let_unit(c, d, words);
	}
	if (t->kind == TYPE_NONE || t->kind == TYPE_EMPTY)
		return report_untyped(c, d, t);
	return t;
}

void decl_type_here(struct check *c, struct decl *d)
{
	const struct site *site = c->site;
	c->site = NO_SITE;
	d->type = let_type(c, d);
	d->state = DONE;
	c->site = site;
}

static void record_type(struct check *c, struct decl *d)
{
	struct nodes items = d->node->u.type_decl.body->u.body.items;
	struct type *t = ARENA_NEW(c->arena, struct type);
	struct map known = { 0 };               /* name -> its number + 1 */
	*t = (struct type){ .kind = TYPE_RECORD, .record = d };
	d->type = t;
	d->state = DONE;                        /* a record may contain optional records of its own type */
	for (size_t i = 0; i < items.n; i++) {
		struct node *item = items.at[i];
		d->lost = d->lost || item->kind == NODE_BAD;
		if (item->kind != NODE_FIELD || !item->u.field.key.text.p)
			continue;
		struct record_field f = { .name = item->u.field.key.text, .value = item->u.field.value,
			.span = item->u.field.key.span,
			.doc = item->u.field.doc };
		item->u.field.declared = f.type = resolve_type(c, item->u.field.type);
		size_t k = (size_t)(uintptr_t)map_get(&known, f.name);
		if (k) {
			struct diag *g = diag_report(c->diags, TJ0206, f.span, "'%.*s' is declared twice",
				STR_ARG(f.name));
			diag_note(c->diags, g, d->fields[k - 1].span, "first here");
			continue;
		}
		ARENA_PUSH(c->arena, d->fields, d->nfields, f);
		map_put(&known, c->arena, f.name, (void *)(uintptr_t)d->nfields);
	}
}

static void resolve_formals(struct check *c, struct decl *d, struct nodes formals)
{
	d->formals = ARENA_ARRAY(c->arena, struct decl *, formals.n);
	for (size_t i = 0; i < formals.n; i++) {
		struct node *n = formals.at[i];
		if (n->kind != NODE_FORMAL)
			continue;
		struct decl *f = decl_new(c, DECL_FORMAL, n->u.binding.name, n->u.binding.name_span, n);
		n->u.binding.decl = f;
		f->type = n->u.binding.type ? resolve_type(c, n->u.binding.type) : &type_bad;
		f->state = DONE;
		f->doc = n->u.binding.doc;
		d->formals[d->nformals++] = f;
	}
}

static const struct type *work_out(struct check *c, struct decl *d)
{
	struct node *n = d->node;
	switch (d->kind) {
	case DECL_PARAM: return resolve_type(c, n->u.binding.type);
	case DECL_LET: return let_type(c, d);
	case DECL_FN:
		resolve_formals(c, d, n->u.fn.formals);
		return resolve_type(c, n->u.fn.result);
	case DECL_TYPE:
		if (n->u.type_decl.alias)
			return resolve_type(c, n->u.type_decl.alias);
		record_type(c, d);
		return d->type;
	case DECL_FRAMEWORK:
		resolve_formals(c, d, n->u.blueprint_decl.formals);
		framework_roles(c, d);
		return &type_module;
	case DECL_ACCELERATOR:
		resolve_formals(c, d, n->u.blueprint_decl.formals);
		return &type_accelerator;
	default: return d->type ? d->type : &type_bad;
	}
}

/* The maximum length of a chain of lets, each needing the next, because the chain is followed by recursion. */
enum { MOST_NESTED = 1000 };

static const struct type *report_too_deep(struct check *c, struct decl *d)
{
	struct diag *g = diag_report(c->diags, TJ0407, d->span,
		"a chain of more than %d declarations, each of which needs the next, ends at '%.*s'", MOST_NESTED,
		STR_ARG(d->name));
	diag_help(c->diags, g, "declare it before what needs it, or give it a type");
	d->type = &type_bad;
	d->state = DONE;
	return &type_bad;
}

const struct type *decl_type(struct check *c, struct decl *d)
{
	if (d->state == DONE)
		return d->type;
	if (d->state == RUNNING)
		return report_cycle(c, d);
	if (c->nrunning >= MOST_NESTED)
		return report_too_deep(c, d);
	struct where saved = c->at;
	const struct site *site = c->site;
	c->site = NO_SITE;
	c->at = (struct where){ .module = d->module, .scope = d->scope, .facts = d->scope ? d->scope->facts : NULL,
		.owner = d->global && d->kind == DECL_LET ? d : NULL };
	d->state = RUNNING;
	ARENA_PUSH(c->arena, c->running, c->nrunning, d);
	const struct type *t = work_out(c, d);
	c->nrunning--;
	d->type = t;
	d->state = DONE;
	c->at = saved;
	c->site = site;
	return t;
}

void decl_use(struct check *c, struct decl *d)
{
	bool queue = d->module && d->module->library && !d->queued;
	d->used = true;
	if (!queue || (d->kind != DECL_LET && d->kind != DECL_FN && d->kind != DECL_FRAMEWORK &&
		d->kind != DECL_ACCELERATOR) || (d->kind == DECL_FN && d->node->u.fn.later))
		return;
	d->queued = true;
	ARENA_PUSH(c->arena, c->queue, c->nqueue, d);
}
