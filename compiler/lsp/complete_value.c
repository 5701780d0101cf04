/*
 * complete_value.c - completes values: offers operands whose type fits at the cursor.
 */
#include <inttypes.h>

#include "base/path.h"
#include "explain/library.h"
#include "lsp/complete.h"
#include "lsp/describe.h"

static const struct type *inner(const struct type *t) { return t ? type_strip_pod(type_strip_optional(t)) : NULL; }

static bool wants(const struct completing *k, enum type_kind kind)
{
	const struct type *t = inner(k->c->want);

	return t && t->kind == kind;
}

/* ---- literals ---- */

static void add_literals(struct completing *k)
{
	const struct type *t = inner(k->c->want);

	for (size_t i = 0; t && t->kind == TYPE_ENUM && i < t->n; i++)
		complete_add(k, &(struct item){ .kind = ITEM_ENUM_MEMBER,
			.label = str_printf(k->r->arena, "\"%.*s\"", STR_ARG(t->words[i])), .rank = 5 });
	if (t && t->kind == TYPE_BOOL) {
		complete_word(k, ITEM_KEYWORD, "true", "bool", 5);
		complete_word(k, ITEM_KEYWORD, "false", "bool", 5);
	}
	if (k->c->want && k->c->want->kind == TYPE_OPTIONAL)
		complete_word(k, ITEM_KEYWORD, "none", "", 55);
}

static void add_form(struct completing *k, const char *label, struct str insert)
{
	complete_add(k, &(struct item){ .kind = ITEM_VALUE, .label = str_of(label), .insert = insert, .snippet = true,
		.detail = type_spell(k->r->arena, k->c->want), .rank = 14 });
}

/* Adds the smallest number that the type allows and, for an elastic number of replicas, a range that starts with it. */
static void add_numbers(struct completing *k, const struct type *t)
{
	const struct refinement *r = t->refine;
	bool whole = t->kind == TYPE_INT || t->kind == TYPE_ELASTIC;
	int64_t low = whole && r && r->has_lo && r->lo > 1 ? r->lo : 1;
	int64_t high = whole && r && r->has_hi ? r->hi : low > INT64_MAX / 4 ? low : low * 4;
	struct arena *a = k->r->arena;

	if (low > high)
		return;
	add_form(k, str_printf(a, "%" PRId64, low).p, str_printf(a, "${1:%" PRId64 "}", low));
	if (t->kind == TYPE_ELASTIC && low < high)
		add_form(k, str_printf(a, "%" PRId64 ":%" PRId64, low, high).p,
			str_printf(a, "${1:%" PRId64 "}:${2:%" PRId64 "}", low, high));
}

/* Adds the forms in which a value of the type can be written. */
static void add_forms(struct completing *k)
{
	const struct type *t = inner(k->c->want);

	switch (t && !k->c->prefix.n ? t->kind : TYPE_BAD) {
	case TYPE_INT: case TYPE_ELASTIC: case TYPE_CPU: add_numbers(k, t); break;
	case TYPE_FLOAT: add_form(k, "1.0", STR("${1:1.0}")); break;
	case TYPE_MEMORY: add_form(k, "1Gi", STR("${1:1}Gi")); break;
	case TYPE_DURATION: add_form(k, "1h", STR("${1:1}h")); break;
	case TYPE_RANGE: add_form(k, "0..3", STR("${1:0}..${2:3}")); break;
	case TYPE_TOPOLOGY: add_form(k, "4x4", STR("${1:4x4}")); break;
	case TYPE_STRING: case TYPE_IMAGE: case TYPE_NAME: case TYPE_PATH: case TYPE_ENV_VALUE:
		add_form(k, "\"\"", STR("\"$1\""));
		break;
	case TYPE_LIST: add_form(k, "[]", STR("[$1]")); break;
	case TYPE_MAP: case TYPE_RECORD: case TYPE_ANON: add_form(k, "{}", STR("{ $1 }")); break;
	default: break;
	}
}

/* Adds a number such as `64` with each unit where a quantity is expected. */
static void add_units(struct completing *k)
{
	static const char *const memory[] = { "Gi", "Mi", "Ti", "Ki", NULL }, *const cpu[] = { "m", NULL },
		*const duration[] =
		{ "s", "min", "h", "d", "ms", NULL };
	const char *const *units = wants(k, TYPE_MEMORY) ? memory : wants(k, TYPE_CPU) ? cpu : wants(k, TYPE_DURATION)
		? duration : NULL;
	struct str digits = k->c->prefix;

	while (digits.n && (digits.p[digits.n - 1] < '0' || digits.p[digits.n - 1] > '9'))
		digits.n--;
	for (; units && *units; units++)
		complete_add(k, &(struct item){ .kind = ITEM_UNIT,
			.label = str_printf(k->r->arena, "%.*s%s", STR_ARG(digits), *units), .rank = 5 });
}

/* ---- names ---- */

/*
 * Adds a role. Where a role is expected, it comes first; elsewhere it comes after the values, because one of its
 * members may fit.
 */
static void add_role_label(void *to, struct str name, const struct decl *d)
{
	struct completing *k = to;

	complete_add(k, &(struct item){ .kind = ITEM_VARIABLE, .label = name, .detail = STR("role"),
		.rank = wants(k, TYPE_ROLE) ? 10 : 13,
		.doc = d && d->node && d->node->kind == NODE_BLOCK ? d->node->u.block.doc : STR("") });
}

static void add_cell_label(void *to, struct str name, const struct decl *d)
{
	struct completing *k = to;

	complete_add(k, &(struct item){ .kind = ITEM_VARIABLE, .label = name, .detail = STR("cell"),
		.rank = wants(k, TYPE_ROLE) ? 11 : 14, .doc = d->node->u.block.doc });
}

static void add_locals(struct completing *k)
{
	for (size_t i = k->c->nlocals; i-- > 0;)
		if (context_fits(k->c->want, k->c->locals[i].type))
			complete_add(k, &(struct item){ .kind = ITEM_VARIABLE, .label = k->c->locals[i].name,
				.rank = 8 });
}

static bool is_value(const struct decl *d) { return d->kind == DECL_PARAM || d->kind == DECL_LET; }
static bool is_callable(const struct decl *d) { return d->kind == DECL_FN || d->kind == DECL_ACCELERATOR; }

static bool fits_type(struct completing *k, const struct decl *d)
{
	const struct type *t = is_value(d) ? context_type_of(k->c, d) : context_result(k->c, d);

	if (d->kind == DECL_ACCELERATOR)
		return wants(k, TYPE_ACCELERATOR);
	if (wants(k, TYPE_ENUM) && t && t->kind == TYPE_STRING)
		return false;                   /* an enum takes only its own words */
	if (wants(k, TYPE_ACCELERATOR) || wants(k, TYPE_ROLE) || wants(k, TYPE_CONDITION) || wants(k, TYPE_VOLUME))
		return t && context_fits(k->c->want, t);
	return context_fits(k->c->want, t);
}

/* Adds a module, and those of its members that fit, such as `acme.a1`. */
static void add_module(struct completing *k, const struct decl *import)
{
	const struct module *m = import->node->u.import.module;
	bool useful = !m;

	for (size_t i = 0; m && i < m->values.n; i++) {
		const struct decl *d = m->values.entries[i].value;
		if (!(is_callable(d) || d->kind == DECL_LET) || d->name.p[0] == '_' || !fits_type(k, d))
			continue;
		useful = true;
		if (k->c->want)
			complete_decl(k, d, str_printf(k->r->arena, "%.*s.%.*s", STR_ARG(import->name),
				STR_ARG(d->name)), 15);
	}
	if (useful && !wants(k, TYPE_ACCELERATOR))
		complete_decl(k, import, import->name, 45);
}

static void add_file_names(struct completing *k)
{
	const struct map *values = &k->c->module->values;

	for (size_t i = 0; i < values->n; i++) {
		const struct decl *d = values->entries[i].value;
		if (d->kind == DECL_IMPORT)
			add_module(k, d);
		else if ((is_value(d) || is_callable(d)) && fits_type(k, d))
			complete_decl(k, d, d->name, 12);
	}
}

static void add_builtins(struct completing *k)
{
	static const struct {
		const char *name;
		enum type_kind kinds[4];        /* the types for which members of this object are offered */
	} values[] = { { "self", { TYPE_INT, TYPE_STRING, TYPE_MEMORY, TYPE_ENV_VALUE } },
		{ "cluster", { TYPE_STRING, TYPE_NAME, TYPE_ENV_VALUE } },
		{ "pod", { TYPE_ENV_VALUE, TYPE_STRING, TYPE_INT } } };
	bool test = k->c->places[1].block == BLOCK_TEST && k->c->depth > 1;
	const struct type *t = inner(k->c->want);

	for (size_t i = 0; i < FUNCTIONS; i++) {
		struct decl d = { .kind = DECL_BUILTIN_FN, .name = str_of(schema_function((enum function)i)->name),
			.function = (unsigned)i };
		const struct type *result = context_builtin((enum function)i);
		bool only_tests = i == FUNCTION_ENV || i == FUNCTION_OBJECT || i == FUNCTION_FAILS;
		bool strict = wants(k, TYPE_ACCELERATOR) || wants(k, TYPE_ROLE) || wants(k, TYPE_CONDITION) ||
			wants(k, TYPE_VOLUME) || wants(k, TYPE_ENUM);
		if ((!only_tests || test) && (result ? context_fits(k->c->want, result) : !strict))
			complete_decl(k, &d, d.name, t && result && result->kind == t->kind ? 20 : 40);
	}
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		for (size_t n = 0; n < 4; n++)
			if (!t || (values[i].kinds[n] && values[i].kinds[n] == t->kind))
				complete_word(k, ITEM_VARIABLE, values[i].name, "built-in value", 35);
}

/*
 * Adds the accelerator NAME of a module that is not imported yet, with LABEL, which is the module's name, a dot and
 * NAME.
 */
static void add_device(struct completing *k, const struct library_module *m, const struct library_item *item,
	struct str label)
{
	complete_add(k, &(struct item){ .kind = ITEM_CLASS, .label = label, .doc = item->doc, .rank = 30,
		.import = m->name, .detail = str_printf(k->r->arena, "import std.%.*s", STR_ARG(m->name)),
		.snippet = true, .insert = str_printf(k->r->arena, item->formals->n ? "%.*s(${1:1})" : "%.*s()",
		STR_ARG(label)) });
}

/* Adds accelerators of modules that are not imported yet. */
static void add_more_devices(struct completing *k)
{
	size_t n;
	const char *const *names = stdlib_names(&n);

	for (size_t i = 0; i < n; i++) {
		const struct library_module *m = catalog_module(k->r->lsp, str_of(names[i]));
		struct str bound;
		for (size_t d = 0; d < m->file->u.file.decls.n && !catalog_imported(k->c->module, m->name, &bound);
		    d++) {
			struct library_item item;
			if (m->file->u.file.decls.at[d]->kind != NODE_ACCELERATOR ||
			    !library_item(m->file->u.file.decls.at[d], &item))
				continue;
			add_device(k, m, &item,
				str_printf(k->r->arena, "%.*s.%.*s", STR_ARG(m->name), STR_ARG(item.name)));
		}
	}
}

/* Adds the names of arguments, inside a call. */
static void add_argument_names(struct completing *k)
{
	const struct place_at *p = &k->c->places[k->c->depth - 1];
	struct context_formal f;

	if (p->kind != PLACE_CALL || !p->callee || p->item != k->c->tokens.n)
		return;
	for (size_t i = 0; context_formal(k->c, p->callee, i, &f); i++)
		if (f.named)
			complete_add(k, &(struct item){ .kind = ITEM_PROPERTY,
				.label = str_printf(k->r->arena, "%.*s = ", STR_ARG(f.name)),
				.detail = f.text, .rank = 18 });
}

static void add_port(struct completing *k, struct str name, bool quotes)
{
	complete_add(k, &(struct item){ .kind = ITEM_CONSTANT, .detail = STR("port"), .rank = 5,
		.label = quotes ? str_printf(k->r->arena, "\"%.*s\"", STR_ARG(name)) : name });
}

static void ports_of_body(struct completing *k, const struct node *body, bool quotes)
{
	for (size_t i = 0; body && body->kind == NODE_BODY && i < body->u.body.items.n; i++) {
		const struct node *item = body->u.body.items.at[i];
		if ((item->kind != NODE_SET && item->kind != NODE_EXTEND) || !str_is(item->u.item.key.text, "ports"))
			continue;
		const struct node *ports = item->u.item.value;
		for (size_t p = 0; ports && ports->kind == NODE_BODY && p < ports->u.body.items.n; p++) {
			const struct node *port = ports->u.body.items.at[p];
			if ((port->kind == NODE_SET || port->kind == NODE_EXTEND) && port->u.item.key.text.p)
				add_port(k, port->u.item.key.text, quotes);
		}
	}
}

/* Adds ports that the text before the cursor declares: `ports { ring = port }`. */
static void ports_of_text(struct completing *k, bool quotes)
{
	const struct context *c = k->c;

	for (size_t i = 0; i + 2 < c->tokens.n; i++) {
		if (!str_is(context_token(c, i), "ports"))
			continue;
		size_t at = i + 1;
		at += str_is(context_token(c, at), "=");
		if (!str_is(context_token(c, at), "{"))
			continue;
		for (at++; at + 1 < c->tokens.n && !str_is(context_token(c, at), "}"); at++)
			if (str_is(context_token(c, at + 1), "="))
				add_port(k, context_token(c, at), quotes);
	}
}

/* Adds the ports of the role whose method is called: ports that the framework declares, and ports of the job. */
static void add_ports(struct completing *k, const struct decl *role, bool quotes)
{
	const struct decl *origin = role ? role->origin : NULL;

	if (role && role->node && role->node->kind == NODE_BLOCK)
		ports_of_body(k, role->node->u.block.body, quotes);
	if (origin && origin->node && origin->node->kind == NODE_BLOCK)
		ports_of_body(k, origin->node->u.block.body, quotes);
	if (!k->n)
		ports_of_text(k, quotes);
}

/* Is the cursor between the parentheses of near or prefer? */
static bool names_level(const struct context *c)
{
	for (size_t i = c->depth; i > 0 && i + 2 > c->depth; i--) {
		size_t open = c->places[i - 1].open;
		struct str word = open && open < c->tokens.n ? context_token(c, open - 1) : STR("");
		if (str_is(word, "near") || str_is(word, "prefer"))
			return !c->places[i - 1].index;
	}
	return false;
}

/* Does the text at the cursor name a dimension: in `hosts` and `ranks` of a layout, and as `each` of a place? */
static bool names_dimension(const struct context *c)
{
	for (size_t i = c->depth; i > 0 && i + 2 > c->depth; i--) {
		size_t open = c->places[i - 1].open;
		struct str word = open && open < c->tokens.n ? context_token(c, open - 1) : STR("");
		if (str_is(word, "hosts") || str_is(word, "ranks"))
			return true;
		if (str_is(word, "near"))
			return c->places[i - 1].index > 0;
	}
	return false;
}

static void add_dimensions(struct completing *k)
{
	for (enum plan_dimension d = DIMENSION_TP; d < DIMENSIONS; d++)
		complete_add(k, &(struct item){ .kind = ITEM_ENUM_MEMBER, .label = str_of(plan_dimension_name(d)),
			.rank = 4 + d });
}

/* Adds the names of levels: those of the project's topology, innermost first, then those that every cluster has. */
static void add_levels(struct completing *k, bool quotes)
{
	const struct project *p = &k->c->program->project;

	for (size_t i = p->nlevels; i-- > 0;) {
		struct str name = path_base(p->levels[i].key);
		complete_add(k, &(struct item){ .kind = ITEM_ENUM_MEMBER, .detail = p->levels[i].key, .rank = 4,
			.label = quotes ? str_printf(k->r->arena, "\"%.*s\"", STR_ARG(name)) : name });
	}
	complete_add(k, &(struct item){ .kind = ITEM_ENUM_MEMBER, .rank = 5,
		.label = quotes ? STR("\"host\"") : STR("host") });
	complete_add(k, &(struct item){ .kind = ITEM_ENUM_MEMBER, .rank = 5,
		.label = quotes ? STR("\"zone\"") : STR("zone") });
}

/* Is the cursor in the value of the project's field `nodes`? */
static bool names_site(const struct context *c)
{
	for (size_t i = 0; i < c->depth; i++) {
		const struct place_at *p = &c->places[i];
		if (p->kind == PLACE_BLOCK && p->block == BLOCK_PROJECT && p->item < c->tokens.n &&
			str_is(context_token(c, p->item), "nodes"))
			return true;
	}
	return false;
}

/* Adds the providers whose node labels the library knows. */
static void add_sites(struct completing *k, bool quotes)
{
	for (const struct stdlib_site *s = stdlib_sites(); s->name; s++)
		complete_add(k, &(struct item){ .kind = ITEM_ENUM_MEMBER, .detail = str_of(s->labels[0]), .rank = 4,
			.label = quotes ? str_printf(k->r->arena, "\"%s\"", s->name) : str_of(s->name) });
}

void complete_values(struct completing *k)
{
	const struct place_at *p = &k->c->places[k->c->depth - 1];

	if (p->kind == PLACE_CALL && names_level(k->c))
		add_levels(k, true);
	if (names_site(k->c))
		add_sites(k, true);

	if (p->kind == PLACE_CALL && p->method.p && wants(k, TYPE_PORTS)) {
		add_ports(k, p->role, true);
		return;
	}
	if (k->c->prefix.n && k->c->prefix.p[0] >= '0' && k->c->prefix.p[0] <= '9') {
		add_units(k);
		return;
	}
	add_literals(k);
	if (wants(k, TYPE_ENUM) && p->kind != PLACE_CALL) {
		add_locals(k);
		add_file_names(k);
		return;
	}
	if (wants(k, TYPE_ROLE) || !k->c->want || inner(k->c->want)->kind == TYPE_BOOL ||
	    inner(k->c->want)->kind == TYPE_ENV_VALUE ||
	    inner(k->c->want)->kind == TYPE_INT || inner(k->c->want)->kind == TYPE_STRING) {
		context_roles(k->c, add_role_label, k);
		context_cells(k->c, add_cell_label, k);
	}
	add_argument_names(k);
	add_locals(k);
	add_file_names(k);
	add_forms(k);
	if (!wants(k, TYPE_ACCELERATOR) && !wants(k, TYPE_ROLE))
		add_builtins(k);
	if (wants(k, TYPE_ACCELERATOR))
		add_more_devices(k);
	if (!wants(k, TYPE_ACCELERATOR) && !wants(k, TYPE_ROLE))
		complete_word(k, ITEM_KEYWORD, "if", "if c then a else b", 50);
}

/* ---- members ---- */

static void add_member(struct completing *k, const struct check_member *m)
{
	struct str label = str_of(m->name), insert = label;
	bool pair = str_is(label, "address") || str_is(label, "port");

	if (m->method)
		insert = str_printf(k->r->arena, pair ? "%s(${1:0}, \"$2\")" : str_is(label, "addresses") ? "%s(\"$1\")"
			: "%s(${1:0})", m->name);
	complete_add(k, &(struct item){ .kind = m->method ? ITEM_METHOD : ITEM_PROPERTY, .label = label,
		.doc = str_of(m->doc),
		.detail = type_spell(k->r->arena, m->type), .insert = insert, .snippet = m->method,
		.rank = context_fits(k->c->want, m->type) ? 10 : 30 });
}

static void add_module_members(struct completing *k, const struct module *m)
{
	bool framework = str_is(k->c->word, "framework");

	for (size_t i = 0; i < m->values.n; i++) {
		const struct decl *d = m->values.entries[i].value;
		if (d->name.p[0] == '_' || (!is_callable(d) && d->kind != DECL_LET && d->kind != DECL_FRAMEWORK))
			continue;
		bool fits = (d->kind == DECL_ACCELERATOR && !k->c->want) || fits_type(k, d);
		if (framework ? d->kind == DECL_FRAMEWORK : d->kind != DECL_FRAMEWORK && fits)
			complete_decl(k, d, d->name, 10);
	}
}

/* Adds the frameworks or accelerators of a library module that the text names but does not import. */
static void add_library_members(struct completing *k)
{
	size_t n = k->c->tokens.n, names;
	bool framework = str_is(k->c->word, "framework");
	const char *const *name = stdlib_names(&names);

	if (n < 2 || (n > 2 && str_is(context_token(k->c, n - 3), ".")))
		return;
	for (size_t i = 0; i < names; i++) {
		if (!str_is(context_token(k->c, n - 2), name[i]))
			continue;
		const struct library_module *m = catalog_module(k->r->lsp, str_of(name[i]));
		for (size_t d = 0; d < m->file->u.file.decls.n; d++) {
			struct library_item item;
			enum node_kind kind = m->file->u.file.decls.at[d]->kind;
			if (!library_item(m->file->u.file.decls.at[d], &item))
				continue;
			if (framework && kind == NODE_FRAMEWORK)
				complete_add(k, &(struct item){ .kind = ITEM_CLASS, .label = item.name,
					.detail = str_printf(k->r->arena, "import std.%s", name[i]),
					.doc = item.doc, .rank = 30, .import = m->name });
			if (!framework && kind == NODE_ACCELERATOR && (!k->c->want || wants(k, TYPE_ACCELERATOR)))
				add_device(k, m, &item, item.name);
		}
	}
}

void complete_members(struct completing *k)
{
	const struct type *t = inner(k->c->base);
	struct check_member m;

	if (k->c->base_module) {
		add_module_members(k, k->c->base_module);
		return;
	}
	if (!t) {
		if (!k->c->base_decl)
			add_library_members(k);
		return;
	}
	bool planned = k->c->places[1].block == BLOCK_TEST || k->c->places[1].kind == PLACE_POLICY;
	for (size_t i = 0; (t->kind != TYPE_LIST || t->record) && check_member(t->kind, i, &m); i++)
		if (!m.planned || (k->c->depth > 1 && planned))
			add_member(k, &m);
	for (size_t i = 0; t->kind == TYPE_RECORD && i < t->record->nfields; i++)
		complete_add(k, &(struct item){ .kind = ITEM_PROPERTY, .label = t->record->fields[i].name,
			.doc = t->record->fields[i].doc,
			.detail = type_spell(k->r->arena, t->record->fields[i].type), .rank = 10 });
	const struct decl *cell = t->kind == TYPE_COPY || t->kind == TYPE_LIST ? t->record : NULL;
	for (size_t i = 0; cell && i < cell->nroles; i++)
		add_role_label(k, cell->roles[i]->name, cell->roles[i]);
	for (size_t i = 0; t->kind == TYPE_ANON && i < t->n; i++)
		complete_add(k, &(struct item){ .kind = ITEM_PROPERTY, .label = t->members[i].name, .rank = 10,
			.detail = type_spell(k->r->arena, t->members[i].type) });
	if (t->kind == TYPE_PORTS)
		add_ports(k, NULL, false);
	if (t->kind == TYPE_POD_FACTS)
		complete_add(k, &(struct item){ .kind = ITEM_METHOD, .label = STR("env"), .rank = 30,
			.detail = STR("env(name: string) -> pod[string]"), .insert = STR("env(\"$1\")"),
			.snippet = true,
			.doc = STR("A variable that is defined earlier in the same container.") });
	for (const struct field *f = t->kind == TYPE_ROLE ? schema_next(BLOCK_ROLE, NULL) : NULL; f;
	    f = schema_next(BLOCK_ROLE, f))
		complete_add(k, &(struct item){ .kind = ITEM_FIELD, .label = str_of(f->name), .detail = str_of(f->type),
			.doc = str_of(f->doc),
			.rank = context_fits(k->c->want, schema_type(&k->c->types, f->id)) ? 20 : 40 });
}

/* ---- types ---- */

void complete_types(struct completing *k)
{
	static const char *const words[] = { "int", "string", "bool", "float", "cpu", "memory", "duration", "elastic",
		"range", "topology", "image", "name", "path", "port", "accelerator", "volume", "data" };
	const struct map *types = &k->c->module->types;

	for (size_t i = 0; i < types->n; i++)
		if (((const struct decl *)types->entries[i].value)->kind == DECL_TYPE)
			complete_decl(k, types->entries[i].value, types->entries[i].key, 10);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		complete_word(k, ITEM_KEYWORD, words[i], "type", 20);
	complete_add(k, &(struct item){ .kind = ITEM_KEYWORD, .label = STR("enum"), .insert = STR("enum(\"$1\")"),
		.snippet = true, .rank = 25 });
	complete_add(k, &(struct item){ .kind = ITEM_KEYWORD, .label = STR("list"), .insert = STR("list[${1:string}]"),
		.snippet = true, .rank = 25 });
	complete_add(k, &(struct item){ .kind = ITEM_KEYWORD, .label = STR("map"), .insert = STR("map[${1:string}]"),
		.snippet = true, .rank = 25 });
}

/* ---- inside quotes ---- */

static void add_file_label(void *to, struct str name)
{
	struct completing *k = to;

	if (str_ends(name, STR(".tj")) && !str_eq(name, path_base(k->r->document->path)) && !str_is(name, "project.tj"))
		complete_add(k, &(struct item){ .kind = ITEM_FILE, .label = name, .rank = 10 });
}

void complete_texts(struct completing *k)
{
	const struct type *t = inner(k->c->want);
	const struct place_at *call = k->c->depth > 1 ? &k->c->places[k->c->depth - 2] : NULL;
	const struct reader *reader = k->r->lsp->host.reader;

	for (size_t i = 0; t && t->kind == TYPE_ENUM && i < t->n; i++)
		complete_add(k, &(struct item){ .kind = ITEM_ENUM_MEMBER, .label = t->words[i], .rank = 5 });
	if (t && t->kind == TYPE_PORTS && call)
		add_ports(k, call->role, false);
	if (names_level(k->c))
		add_levels(k, false);
	if (names_dimension(k->c))
		add_dimensions(k);
	if (names_site(k->c))
		add_sites(k, false);
	if (str_is(k->c->word, "import") && reader->list)
		reader->list(reader->context, k->r->arena, path_directory(k->r->document->path), add_file_label, k);
}
