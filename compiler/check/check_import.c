/*
 * check_import.c - checks `import "base.tj" as base { registry = "..." }`: values for parameters of a module. A file is
 * one module however many imports lead to it, so each of its parameters has one value. The program sets it, in its own
 * file or in project.tj. Other modules may not: a value that they pass would silently affect every program that imports
 * them.
 */
#include "check/context.h"
#include "diag/suggest.h"

/* The name of an imported module in messages. */
static struct str called(const struct node *import)
{
	return import->u.import.path ? import->u.import.module->dotted : import->u.import.file;
}

static void report_no_parameter(struct check *c, const struct node *import, const struct key *key)
{
	const struct module *m = import->u.import.module;
	struct str name = key->text.p ? key->text : STR("(...)"), module = called(import);
	const struct decl *other = key->text.p ? map_get(&m->values, name) : NULL;
	struct suggest near;
	struct diag *d;

	if (other && other->kind == DECL_BAD)
		return;
	if (other && other->kind != DECL_IMPORT) {
		d = diag_report(c->diags, TJ0402, key->span,
			"'%.*s' of '%.*s' is not a parameter, so an import cannot set it",
			STR_ARG(name), STR_ARG(module));
		diag_note(c->diags, d, other->span, "declared here");
		if (other->kind == DECL_LET)
			diag_help(c->diags, d, "to make it settable, declare it as a 'param' with a type");
		return;
	}
	if (m->broken)                          /* the declaration of the name may have failed to parse */
		return;
	d = diag_report(c->diags, TJ0402, key->span, "'%.*s' has no parameter '%.*s'", STR_ARG(module), STR_ARG(name));
	suggest_init(&near, c->arena, name);
	for (size_t i = 0; i < m->values.n; i++) {
		const struct decl *param = m->values.entries[i].value;
		if (param->kind == DECL_PARAM)
			suggest_add(&near, param->name);
	}
	if (near.count)
		help_suggest(c, d, &near, "its parameters are", key->span);
	else
		diag_help(c->diags, d, "it declares no parameters; 'param %.*s: TYPE' in it would add "
			"one", STR_ARG(name));
}

/* Reports that the program, or project.tj, passes the parameter D once more. */
static void report_passed(struct check *c, const struct decl *d, struct span at)
{
	/* project.tj is checked last, so the other import passed the value first */
	bool project = c->at.module == c->program->project.module && !c->at.module->root;
	struct diag *g = diag_report(c->diags, TJ0206, project ? d->argument_at : at,
		"the parameter '%.*s' has a value already",
		STR_ARG(d->name));

	diag_note(c->diags, g, project ? at : d->argument_at, "passed here first");
	diag_help(c->diags, g, "a file is one module however often it is imported: pass the value in one place");
}

/* Checks one `name = value` of an import. */
static void pass_value(struct check *c, const struct node *import, struct node *item)
{
	struct key *key = &item->u.item.key;
	struct node *value = item->u.item.value;
	struct decl *d = key->text.p ? map_get(&import->u.import.module->values, key->text) : NULL;

	if (!d || d->kind != DECL_PARAM) {
		report_no_parameter(c, import, key);
		type_loose(c, value);
		return;
	}
	if (d->argument) {
		report_passed(c, d, key->span);
		type_loose(c, value);
		return;
	}
	const struct type *t = decl_type(c, d);
	struct site site = { .name = d->name, .declared = d->node->u.binding.type ? d->node->u.binding.type->span :
		d->span };
	check_expr(c, value, t, &site);
	check_bounds(c, value, t, d);
	d->argument = value;
	d->argument_at = key->span;
	decl_use(c, d);
}

static void pass_item(struct check *c, const struct node *import, struct node *item)
{
	if (item->kind == NODE_SET && !item->u.item.adds) {
		pass_value(c, import, item);
	} else if (item->kind == NODE_BAD) {
		c->at.module->broken = true;
	} else {
		struct diag *d = diag_report(c->diags, TJ0203, item->span,
			"this is not allowed in the parameters of an import");
		diag_help(c->diags, d, "an import sets whole values: write NAME = VALUE for each parameter");
	}
}

static bool may_pass(const struct check *c)
{
	return c->at.module->root || c->at.module == c->program->project.module;
}

void check_import(struct check *c, struct node *n)
{
	struct node *body = n->u.import.body;

	if (!body || !n->u.import.module || body->kind != NODE_BODY)
		return;
	decl_use(c, n->u.import.decl);
	if (!may_pass(c)) {
		struct diag *d = diag_report(c->diags, TJ0213, body->span,
			"only a program sets parameters of a module");
		if (span_known(c->at.module->imported_at))
			diag_note(c->diags, d, c->at.module->imported_at, "imported here");
		diag_help(c->diags, d, "import '%.*s' in the program too and set them there, or in project.tj",
			STR_ARG(called(n)));
		return;
	}
	for (size_t i = 0; i < body->u.body.items.n; i++)
		pass_item(c, n, body->u.body.items.at[i]);
	body->type = &type_data;
}

/* ---- parameters without a value ---- */

/* The program's import of a module; NULL when only other modules import it. */
static const struct node *import_of(const struct check *c, const struct module *m)
{
	const struct module *from[] = { c->program->root, c->program->project.module };

	for (size_t k = 0; k < sizeof from / sizeof *from; k++)
		for (size_t i = 0; from[k] && i < from[k]->file->u.file.decls.n; i++) {
			const struct node *n = from[k]->file->u.file.decls.at[i];
			if (n->kind == NODE_IMPORT && n->u.import.module == m)
				return n;
		}
	return NULL;
}

static void report_no_value(struct check *c, const struct module *m, const struct decl *param)
{
	const struct node *import = import_of(c, m);
	struct span at = import ? import->span : m->imported_at;
	struct str module = m->dotted.n ? m->dotted : m->path, name = param->name;

	if (import && import->u.import.body)
		at = import->u.import.alias_span;
	struct diag *d = diag_report(c->diags, TJ0401, at, "parameter '%.*s' of '%.*s' has no value", STR_ARG(name),
		STR_ARG(module));
	diag_note(c->diags, d, param->span, "declared here");
	if (import && !import->u.import.body)
		diag_help(c->diags, d, "pass it: import ... as %.*s { %.*s = ... }", STR_ARG(import->u.import.alias),
			STR_ARG(name));
	else if (import)
		diag_help(c->diags, d, "pass it here: %.*s = ...", STR_ARG(name));
	else
		diag_help(c->diags, d, "import '%.*s' in the program and pass it there: import ... { %.*s = ... }",
			STR_ARG(module),
			STR_ARG(name));
	if (param->doc.n)
		diag_help(c->diags, d, "it is documented as: %.*s", STR_ARG(param->doc));
}

/*
 * Does the import pass PARAM under a misspelt name? Then the misspelling was reported, and the missing value is not a
 * second error.
 */
static bool is_misspelt(struct check *c, const struct module *m, const struct decl *param)
{
	const struct node *import = import_of(c, m), *body = import ? import->u.import.body : NULL;

	for (size_t i = 0; body && body->kind == NODE_BODY && i < body->u.body.items.n; i++) {
		const struct node *item = body->u.body.items.at[i];
		struct suggest near;
		if (item->kind != NODE_SET || !item->u.item.key.text.p || map_get(&m->values, item->u.item.key.text))
			continue;
		suggest_init(&near, c->arena, item->u.item.key.text);
		suggest_add(&near, param->name);
		if (suggest_only(&near).n)
			return true;
	}
	return false;
}

void check_module_params(struct check *c)
{
	const struct program *p = c->program;

	for (size_t i = 0; i < p->n; i++) {
		const struct module *m = p->modules[i];
		for (size_t k = 0; !m->root && !m->library && k < m->values.n; k++) {
			const struct decl *d = m->values.entries[k].value;
			if (d->kind == DECL_PARAM && !d->argument && !d->node->u.binding.value && !is_misspelt(c, m, d))
				report_no_value(c, m, d);
		}
	}
}
