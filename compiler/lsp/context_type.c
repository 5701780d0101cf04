/*
 * context_type.c - types for completion. The checker only computes types that a program mentions. Completion also
 * offers declarations that the program does not mention yet, so their types are read from the source text. An unknown
 * type is NULL, and fits everywhere.
 */
#include "lsp/lsp_context.h"

#include "lsp/describe.h"
#include "trainc.tab.h"

static const struct {
	const char *word;
	const struct type *type;
} plain_types[] = {
	{ "bool", &type_bool }, { "int", &type_int }, { "float", &type_float }, { "string", &type_string },
	{ "cpu", &type_cpu }, { "memory", &type_memory }, { "duration", &type_duration },
	{ "topology", &type_topology }, { "range", &type_range }, { "elastic", &type_elastic },
	{ "image", &type_image }, { "name", &type_name }, { "path", &type_path }, { "port", &type_port },
	{ "accelerator", &type_accelerator }, { "volume", &type_volume }, { "condition", &type_condition },
	{ "role", &type_role }, { "data", &type_data },
};

const struct type *context_plain_type(struct str word)
{
	for (size_t i = 0; i < sizeof plain_types / sizeof *plain_types; i++)
		if (str_is(word, plain_types[i].word))
			return plain_types[i].type;
	return NULL;
}

/* Makes the type enum("a", "b"). */
static const struct type *enum_type(struct context *c, const struct node *ref)
{
	struct type *t = ARENA_NEW(c->arena, struct type);
	struct str *words = ARENA_ARRAY(c->arena, struct str, ref->u.type_ref.refines.n + 1), text;

	t->kind = TYPE_ENUM;
	for (size_t i = 0; i < ref->u.type_ref.refines.n; i++) {
		const struct node *refine = ref->u.type_ref.refines.at[i];
		if (refine->kind == NODE_REFINE && refine->u.refine.lo && node_static_text(refine->u.refine.lo, &text))
			words[t->n++] = text;
	}
	t->words = words;
	return t;
}

static const struct type *named_type(struct context *c, const struct module *m, const struct node *ref)
{
	const struct decl *d = m ? map_get(&m->types, ref->u.type_ref.path[0]) : NULL;
	const struct type *plain = context_plain_type(ref->u.type_ref.path[0]);

	if (plain)
		return plain;
	if (str_is(ref->u.type_ref.path[0], "enum"))
		return enum_type(c, ref);
	return d && d->kind == DECL_TYPE ? d->type : NULL;
}

const struct type *context_type(struct context *c, const struct module *m, const struct node *ref)
{
	if (!ref || ref->kind != NODE_TYPE_REF || ref->u.type_ref.depth != 1)
		return NULL;
	struct str name = ref->u.type_ref.path[0];
	const struct type *elem = ref->u.type_ref.args.n == 1 ? context_type(c, m, ref->u.type_ref.args.at[0]) : NULL,
		*t;

	if (str_is(name, "list") || str_is(name, "map")) {
		if (!elem)
			return NULL;
		t = str_is(name, "list") ? type_list(c->arena, elem) : type_map(c->arena, elem);
	} else if (str_is(name, "pod") || str_is(name, "secret")) {
		t = elem;
	} else {
		t = named_type(c, m, ref);
	}
	return t && ref->u.type_ref.optional ? type_optional(c->arena, t) : t;
}

const struct type *context_type_of(struct context *c, const struct decl *d)
{
	const struct node *n = d->node;
	bool known = d->type && d->type->kind != TYPE_BAD;

	switch (d->kind) {
	case DECL_PARAM: case DECL_LET: case DECL_FORMAL:
		return known ? d->type : n ? context_type(c, d->module, n->u.binding.type) : NULL;
	case DECL_ROLE: return &type_role;
	case DECL_CELL: return d->type;
	case DECL_LOOP: case DECL_BUILTIN: return known ? d->type : NULL;
	default: return NULL;
	}
}

static const struct type any_list = { .kind = TYPE_LIST, .elem = &type_bad };

/*
 * The type of the result of a function. If the function has several signatures, the text after the last arrow
 * decides: "-> int", "-> list[T]".
 */
const struct type *context_builtin(enum function f)
{
	const struct type *known = check_builtin_result(f);
	const char *arrow = NULL, *next = schema_function(f)->signature;

	while ((next = strstr(next, "-> ")))
		arrow = next += 3;
	if (known || !arrow)
		return known;
	if (strncmp(arrow, "list", 4) == 0)
		return &any_list;
	for (size_t i = 0; i < sizeof plain_types / sizeof *plain_types; i++)
		if (strcmp(arrow, plain_types[i].word) == 0)
			return plain_types[i].type;
	return NULL;
}

const struct type *context_result(struct context *c, const struct decl *d)
{
	switch (d->kind) {
	case DECL_ACCELERATOR: return &type_accelerator;
	case DECL_BUILTIN_FN: return context_builtin((enum function)d->function);
	case DECL_FN:
		return d->type && d->type->kind != TYPE_BAD ? d->type
			: context_type(c, d->module, d->node->u.fn.result);
	default: return NULL;
	}
}

static const struct nodes *formals_of(const struct decl *d)
{
	if (!d->node)
		return NULL;
	return d->kind == DECL_FN ? &d->node->u.fn.formals :
		d->kind == DECL_FRAMEWORK || d->kind == DECL_ACCELERATOR ? &d->node->u.blueprint_decl.formals : NULL;
}

bool context_formal(struct context *c, const struct decl *d, size_t i, struct context_formal *ret)
{
	const struct nodes *formals = formals_of(d);
	struct check_argument a;

	if (d->kind == DECL_BUILTIN_FN) {
		if (!check_builtin_argument((enum function)d->function, i, &a))
			return false;
		struct str type = type_spell(c->arena, a.type);
		*ret = (struct context_formal){ str_of(a.name), a.type,
			str_printf(c->arena, "%s: %.*s", a.name, STR_ARG(type)), a.optional, a.named };
		return true;
	}
	if (!formals || i >= formals->n || formals->at[i]->kind != NODE_FORMAL)
		return false;
	const struct node *f = formals->at[i];
	const struct type *known = i < d->nformals && d->formals[i]->type && d->formals[i]->type->kind != TYPE_BAD
		? d->formals[i]->type : NULL;
	*ret = (struct context_formal){ f->u.binding.name,
		known ? known : context_type(c, d->module, f->u.binding.type),
		describe_text(c->arena, c->program->sources, f->span), f->u.binding.value != NULL,
		f->u.binding.value != NULL };
	return true;
}

/* ---- fitting ---- */

static bool is_scalar(const struct type *t)
{
	return type_is_text(t) || type_is_quantity(t) || t->kind == TYPE_BOOL || t->kind == TYPE_INT ||
		t->kind == TYPE_FLOAT || t->kind == TYPE_ELASTIC || t->kind == TYPE_CONFIG || t->kind == TYPE_SECRET;
}

bool context_fits(const struct type *want, const struct type *t)
{
	if (!want || !t)
		return true;
	bool secret = t->kind == TYPE_SECRET;
	want = type_strip_pod(type_strip_optional(want));
	t = type_strip_pod(type_strip_optional(t));
	if (want->kind == TYPE_BAD || t->kind == TYPE_BAD || want->kind == TYPE_DATA)
		return !secret;
	if (want->kind == TYPE_ENV_VALUE)
		return is_scalar(t);
	if (want->kind == TYPE_ENUM && t->kind == TYPE_ENUM)
		return type_same(want, t);
	if (type_is_text(want) && type_is_text(t))
		return want->kind == TYPE_STRING || t->kind == TYPE_STRING || want->kind == t->kind;
	if (t->kind == TYPE_INT && (want->kind == TYPE_FLOAT || want->kind == TYPE_ELASTIC || want->kind == TYPE_CPU))
		return true;
	if ((want->kind == TYPE_LIST || want->kind == TYPE_MAP) && want->kind == t->kind)
		return context_fits(want->elem, t->elem);
	if (want->kind == TYPE_RECORD && t->kind == TYPE_RECORD)
		return want->record == t->record;
	return want->kind == t->kind || (want->kind == TYPE_RECORD && t->kind == TYPE_ANON);
}

/* ---- roles ---- */

struct role_giver {
	void (*each)(void *to, struct str name, const struct decl *d);
	void *to;
	struct context *context;
};

static const struct decl *role_decl(const struct decl *framework, struct str name)
{
	for (size_t i = 0; i < framework->nroles; i++)
		if (str_eq(framework->roles[i]->name, name))
			return framework->roles[i];
	return NULL;
}

static void framework_roles_of(const struct role_giver *g, const struct decl *framework)
{
	const struct node *body = framework->node->u.blueprint_decl.body;

	for (size_t i = 0; body && body->kind == NODE_BODY && i < body->u.body.items.n; i++) {
		const struct node *item = body->u.body.items.at[i];
		if (item->kind == NODE_BLOCK && str_is(item->u.block.word, "role"))
			g->each(g->to, item->u.block.name, role_decl(framework, item->u.block.name));
	}
}

static const struct node *job_named(const struct module *m, struct str title)
{
	struct str text;

	for (size_t i = 0; m && i < m->file->u.file.decls.n; i++) {
		const struct node *n = m->file->u.file.decls.at[i];
		if (n->kind == NODE_JOB && node_static_text(n->u.job.title, &text) && str_eq(text, title))
			return n;
	}
	return NULL;
}

/* The cell NAME of job N; NULL if it has none. */
static const struct decl *cell_named(const struct node *n, struct str name)
{
	for (size_t i = 0; n && i < n->u.job.ncells; i++)
		if (str_eq(n->u.job.cells[i]->name, name))
			return n->u.job.cells[i];
	return NULL;
}

/* The token after the body of the cell that begins at token I, or the last token. */
static size_t after_cell(struct context *c, size_t i)
{
	size_t depth = 0;

	for (; i + 1 < c->tokens.n; i++) {
		depth += c->tokens.at[i].kind == TOKEN_LBRACE;
		if (c->tokens.at[i].kind == TOKEN_RBRACE && !--depth)
			break;
	}
	return i;
}

/* Adds the roles of a job or cell that are written in the text before the cursor, or that are in its tree. */
static void written_roles(const struct role_giver *g, const struct place_at *p)
{
	struct context *c = g->context;
	const struct node *n = job_named(c->module, p->job);

	for (size_t i = p->open + 1; i + 1 < c->tokens.n; i++) {
		struct str word = context_token(c, i);
		bool first = c->tokens.at[i].flags & FLAG_LINE || c->tokens.at[i - 1].kind == TOKEN_LBRACE ||
			c->tokens.at[i - 1].kind == TOKEN_COMMA;
		if (first && p->block == BLOCK_JOB && str_is(word, "cell"))
			i = after_cell(c, i);
		else if (first && (str_is(word, "role") || str_is(word, "aux")))
			g->each(g->to, context_token(c, i + 1), NULL);
	}
	const struct decl *cell = p->block == BLOCK_CELL ? cell_named(n, p->cell) : NULL;
	for (size_t i = 0; cell && i < cell->nroles; i++)
		g->each(g->to, cell->roles[i]->name, cell->roles[i]);
	for (size_t i = 0; n && p->block != BLOCK_CELL && i < n->u.job.nroles; i++)
		g->each(g->to, n->u.job.roles[i]->name, n->u.job.roles[i]);
}

void context_roles(struct context *c, void (*each)(void *to, struct str name, const struct decl *d), void *to)
{
	struct role_giver g = { each, to, c };

	for (size_t i = c->depth; i-- > 0;) {
		const struct place_at *p = &c->places[i];
		if (p->kind != PLACE_BLOCK || !(p->block & (BLOCK_JOB | BLOCK_FRAMEWORK | BLOCK_CELL)))
			continue;
		if (p->framework)
			framework_roles_of(&g, p->framework);
		written_roles(&g, p);
		if (p->block != BLOCK_CELL)
			return;                 /* a cell sees the roles of its job, too */
	}
}

void context_cells(struct context *c, void (*each)(void *to, struct str name, const struct decl *d), void *to)
{
	const struct node *n = NULL;

	for (size_t i = 0; i < c->depth && !n; i++)
		if (c->places[i].kind == PLACE_BLOCK && c->places[i].block == BLOCK_JOB)
			n = job_named(c->module, c->places[i].job);
	for (size_t i = 0; n && i < n->u.job.ncells; i++)
		each(to, n->u.job.cells[i]->name, n->u.job.cells[i]);
}
