/*
 * complete_key.c - completes the beginning of an item or a declaration.
 */
#include "emit/emit.h"
#include "explain/library.h"
#include "lsp/complete.h"

/* ---- completing the fields of a block ---- */

/* Returns the text to insert for a field: `name = `, or `name { }` for a map. */
static struct str field_insert(struct completing *k, const char *name, const char *type)
{
	bool map = strncmp(type, "map[", 4) == 0 || strcmp(type, "env") == 0 || strcmp(type, "limits") == 0 ||
		strcmp(type, "replica") == 0 || strcmp(type, "addons") == 0;
	bool list = strncmp(type, "list[", 5) == 0;

	if (strcmp(name, "command") == 0 || strcmp(name, "args") == 0)
		return str_printf(k->r->arena, "%s = [\"$1\"]", name);
	return str_printf(k->r->arena, map ? "%s {\n  $1\n}" : list ? "%s = [$1]" : "%s = ", name);
}

static void add_field(struct completing *k, const struct field *f, const struct place_at *p)
{
	bool required = strcmp(f->fallback, "*") == 0 && !(p->block & BLOCK_JOB);

	if (context_has_item(k->c, p, str_of(f->name)))
		return;
	complete_add(k, &(struct item){ .kind = ITEM_FIELD, .label = str_of(f->name), .detail = str_of(f->type),
		.doc = str_of(f->doc),
		.insert = field_insert(k, f->name, f->type), .snippet = true,
		.rank = required || f->id == FIELD_IMAGE ? 10 : 20 });
}

static void add_blocks(struct completing *k, const struct place_at *p)
{
	for (const struct block_row *b = schema_block_next(NULL); b; b = schema_block_next(b)) {
		if (!(b->parents & (unsigned)p->block))
			continue;
		const char *first = schema_raw_next(NULL, p->block);
		struct str name = strcmp(b->word, "raw") == 0 && first ? str_of(first) : STR("name");
		complete_add(k, &(struct item){ .kind = ITEM_KEYWORD, .label = str_of(b->word), .doc = str_of(b->doc),
			.detail = STR("block"),
			.insert = str_printf(k->r->arena, "%s ${1:%.*s} {\n  $2\n}", b->word, STR_ARG(name)),
			.snippet = true, .rank = 15 });
	}
}

static void add_keywords(struct completing *k)
{
	static const struct {
		const char *word, *text;
	} words[] = {
		{ "check", "check ${1:condition} else \"${2:message}\"" },
		{ "warn", "warn ${1:condition} else \"${2:message}\"" }, { "if", "if ${1:condition} {\n  $2\n}" },
		{ "for", "for ${1:x} in ${2:list} {\n  $3\n}" }, { "let", "let ${1:name} = $2" },
	};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		complete_add(k, &(struct item){ .kind = ITEM_KEYWORD, .label = str_of(words[i].word),
			.insert = str_of(words[i].text), .snippet = true, .rank = 60 });
}

static void add_members(struct completing *k, const struct place_at *p)
{
	const struct type *t = p->type ? type_strip_pod(type_strip_optional(p->type)) : NULL;

	for (size_t i = 0; t && t->kind == TYPE_RECORD && i < t->record->nfields; i++) {
		const struct record_field *f = &t->record->fields[i];
		if (context_has_item(k->c, p, f->name))
			continue;
		complete_add(k, &(struct item){ .kind = ITEM_PROPERTY, .label = f->name,
			.detail = type_spell(k->r->arena, f->type), .doc = f->doc,
			.insert = str_printf(k->r->arena, "%.*s = ", STR_ARG(f->name)), .rank = f->value ? 20 : 10 });
	}
	for (size_t i = 0; t && t->kind == TYPE_ANON && i < t->n; i++)
		if (!context_has_item(k->c, p, t->members[i].name))
			complete_add(k, &(struct item){ .kind = ITEM_PROPERTY, .label = t->members[i].name, .rank = 20,
				.detail = type_spell(k->r->arena, t->members[i].type),
				.insert = str_printf(k->r->arena, "%.*s = ", STR_ARG(t->members[i].name)) });
}

static void add_parameters(struct completing *k, const struct place_at *p)
{
	const struct module *m = p->module ? p->module : k->c->module;

	for (size_t i = 0; m && i < m->values.n; i++) {
		const struct decl *d = m->values.entries[i].value;
		if (d->kind != DECL_PARAM || context_has_item(k->c, p, d->name))
			continue;
		const struct type *t = context_type_of(k->c, d);
		complete_add(k, &(struct item){ .kind = ITEM_PROPERTY, .label = d->name, .doc = d->doc,
			.detail = t ? type_spell(k->r->arena, t) : STR(""),
			.insert = str_printf(k->r->arena, "%.*s = ", STR_ARG(d->name)), .rank = 10 });
	}
}

/* ---- fields of Kubernetes ---- */

/* The snippet for a field of Kubernetes. */
static struct str raw_insert(struct arena *a, struct str name, const struct schema_ref *r)
{
	switch (r->word) {
	case SCHEMA_OBJECT: case SCHEMA_MAP: return str_cat(a, name, STR(" {\n  $1\n}"), STR(""));
	case SCHEMA_LIST: return str_cat(a, name, STR(" = [$1]"), STR(""));
	case SCHEMA_BOOL: return str_cat(a, name, STR(" = ${1:true}"), STR(""));
	case SCHEMA_STRING: case SCHEMA_QUANTITY: return str_cat(a, name, STR(" = \"$1\""), STR(""));
	default: return str_cat(a, name, STR(" = $1"), STR(""));
	}
}

/* Adds the fields that a raw block may set: those that the version of Kubernetes has and that no typed field writes. */
static void add_raw(struct completing *k, const struct place_at *p)
{
	const struct schema *s = &schema_builtin;
	const struct schema_type *t = p->raw;
	unsigned minor = k->c->analysis->compile->plan.kubernetes;
	bool top = k->c->depth > 1 && k->c->places[k->c->depth - 2].kind != PLACE_RAW;

	for (size_t i = 0; t && i < t->n; i++) {
		const struct schema_field *f = &s->fields[t->first + i];
		struct str name = schema_text(s, f->name);
		struct buf detail = { 0 };
		if ((minor && !schema_in(f->versions, minor)) || (top && raw_is_typed(name)))
			continue;
		schema_ref_text(s, &s->refs[f->ref], &detail);
		complete_add(k, &(struct item){ .kind = ITEM_FIELD, .label = name, .rank = 10, .snippet = true,
			.detail = str_copy(k->r->arena, buf_text(&detail)),
			.insert = raw_insert(k->r->arena, name, &s->refs[f->ref]) });
		buf_release(&detail);
	}
}

void complete_keys(struct completing *k)
{
	const struct place_at *p = &k->c->places[k->c->depth - 1];

	switch (p->kind) {
	case PLACE_BLOCK:
		for (const struct field *f = schema_next(p->block, NULL); f; f = schema_next(p->block, f))
			add_field(k, f, p);
		if (p->block == BLOCK_ROLE && k->c->places[1].block == BLOCK_FRAMEWORK)
			for (const struct field *f = schema_next(BLOCK_FRAMEWORK_ROLE, NULL); f;
			    f = schema_next(BLOCK_FRAMEWORK_ROLE, f))
				add_field(k, f, p);
		add_blocks(k, p);
		if (p->block != BLOCK_PROJECT)
			add_keywords(k);
		break;
	case PLACE_TYPED: add_members(k, p); break;
	case PLACE_POLICY: add_keywords(k); break;
	case PLACE_RAW: add_raw(k, p); break;
	case PLACE_PARAMETERS: add_parameters(k, p); break;
	default: break;
	}
}

/* ---- completing the names of blocks ---- */

static void add_role_name(void *to, struct str name, const struct decl *d)
{
	struct completing *k = to;

	(void)d;
	complete_add(k, &(struct item){ .kind = ITEM_VARIABLE, .label = name, .detail = STR("role of the framework"),
		.insert = str_printf(k->r->arena, "%.*s {\n  $1\n}", STR_ARG(name)), .snippet = true, .rank = 10 });
}

/* Is there a block `role NAME` in the text before the cursor? */
static bool has_role_block(const struct context *c, const struct place_at *p, struct str name)
{
	for (size_t i = p->open + 1; i + 2 < c->tokens.n; i++)
		if (str_is(context_token(c, i), "role") && str_eq(context_token(c, i + 1), name))
			return true;
	return false;
}

void complete_block_names(struct completing *k)
{
	const struct place_at *p = &k->c->places[k->c->depth - 1];
	const struct node *body = p->framework ? p->framework->node->u.blueprint_decl.body : NULL;

	bool role = str_is(k->c->word, "role") && p->block & (BLOCK_JOB | BLOCK_CELL);
	for (size_t i = 0; role && body && i < body->u.body.items.n; i++) {
		const struct node *item = body->u.body.items.at[i];
		if (item->kind == NODE_BLOCK && str_is(item->u.block.word, "role") &&
		    !has_role_block(k->c, p, item->u.block.name))
			add_role_name(k, item->u.block.name, NULL);
	}
	for (const char *raw = schema_raw_next(NULL, p->block); raw && str_is(k->c->word, "raw");
	    raw = schema_raw_next(raw, p->block))
		complete_word(k, ITEM_KEYWORD, raw, "Kubernetes fields", 10);
}

/* ---- declarations ---- */

struct skeletons {
	struct completing *k;
	const struct library_module *module;
};

/* The comment at the beginning of the module. */
static struct str comment_above(const struct library_module *m)
{
	struct str text = m->sources.n ? m->sources.at[0]->text : STR("");
	const char *end = text.n && *text.p == '#' ? memmem(text.p, text.n, "\n\n", 2) : NULL;

	return (struct str){ text.p, end ? (size_t)(end - text.p) : 0 };
}

/* Is it a framework for jobs that exist? The library says so in the comment of the module or of the framework. */
static bool is_for_existing(const struct library_module *m, const struct library_item *item)
{
	static const char words[] = "were written for";
	struct str head = comment_above(m);

	return (head.n && memmem(head.p, head.n, words, sizeof words - 1)) ||
		(item->doc.n && memmem(item->doc.p, item->doc.n, words, sizeof words - 1));
}

/* Adds a whole job for a framework: the example in the framework's documentation. */
static void add_skeleton(struct completing *k, const struct library_module *m, const struct library_item *item)
{
	struct str example = library_example(k->r->arena, item->doc), bound = m->name;
	struct buf b = { 0 };
	bool imported = catalog_imported(k->c->module, m->name, &bound);

	if (!example.n)
		return;
	for (size_t i = 0; i < example.n; i++) {
		if (example.p[i] == '$' || example.p[i] == '}' || example.p[i] == '\\')
			buf_char(&b, '\\');
		buf_char(&b, example.p[i]);
	}
	struct str label = str_printf(k->r->arena, "job %.*s.%.*s", STR_ARG(bound), STR_ARG(item->name));
	complete_add(k, &(struct item){ .kind = ITEM_SNIPPET, .label = label, .detail = STR("a job of this framework"),
		.doc = item->doc,
		.insert = buf_take(&b, k->r->arena), .snippet = true, .rank = imported ? 30 : 40,
		.import = imported ? (struct str){ 0 } : m->name, .late = is_for_existing(m, item) });
	buf_release(&b);
}

static void each_framework(struct completing *k,
	void (*each)(struct completing *k, const struct library_module *m, const struct library_item *item))
{
	size_t n;
	const char *const *names = stdlib_names(&n);

	for (size_t i = 0; i < n; i++) {
		const struct library_module *m = catalog_module(k->r->lsp, str_of(names[i]));
		for (size_t d = 0; d < m->file->u.file.decls.n; d++) {
			struct library_item item;
			if (m->file->u.file.decls.at[d]->kind == NODE_FRAMEWORK &&
			    library_item(m->file->u.file.decls.at[d], &item))
				each(k, m, &item);
		}
	}
}

void complete_declarations(struct completing *k)
{
	static const struct {
		const char *word, *text;
	} words[] = {
		{ "job", "job \"${1:name}\": ${2:framework} {\n  image = \"$3\"\n\n  $0\n}" }, { "import", "import " },
		{ "param", "## ${1:What it is.}\nparam ${2:name}: ${3:int} = $4" }, { "let", "let ${1:name} = $2" },
		{ "fn", "fn ${1:name}(${2:x: int}) -> ${3:int} = $4" },
		{ "type", "type ${1:Name} {\n  ${2:field}: ${3:string}\n}" },
		{ "framework",
			"framework ${1:name} {\n  role ${2:worker} {\n    $3\n  }\n\n  success = done(${2:worker})\n"
			"}" }, { "accelerator",
			"accelerator ${1:name}(count: int(1..8)) {\n  resource = \"$2\"\n  per_pod  = count\n}" },
		{ "profile", "profile ${1:name} {\n  $2\n}" }, { "test", "test \"${1:title}\" {\n  $2\n}" },
		{ "policy", "policy \"${1:title}\" {\n  $2\n}" }, { "project", "project {\n  $1\n}" },
		{ "check", "check ${1:condition} else \"${2:message}\"" },
		{ "warn", "warn ${1:condition} else \"${2:message}\"" },
		{ "for", "for ${1:x} in ${2:list} job \"${3:name}-\\${${1:x}\\}\" {\n  $0\n}" },
	};
	bool project = k->c->module == k->c->program->project.module;

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (project || strcmp(words[i].word, "project") != 0)
			complete_add(k, &(struct item){ .kind = ITEM_KEYWORD, .label = str_of(words[i].word),
				.insert = str_of(words[i].text), .snippet = true, .rank = 10 });
	each_framework(k, add_skeleton);
}

/* ---- frameworks after the colon of a job ---- */

static void add_framework(struct completing *k, const struct library_module *m, const struct library_item *item)
{
	struct str bound = m->name;
	bool imported = catalog_imported(k->c->module, m->name, &bound);

	complete_add(k, &(struct item){ .kind = ITEM_CLASS,
		.label = str_printf(k->r->arena, "%.*s.%.*s", STR_ARG(bound), STR_ARG(item->name)),
		.detail = imported ? STR("framework") : str_printf(k->r->arena, "import std.%.*s", STR_ARG(m->name)),
		.doc = item->doc, .rank = imported ? 10 : 30, .import = imported ? (struct str){ 0 } : m->name,
		.late = is_for_existing(m, item) });
}

void complete_frameworks(struct completing *k)
{
	const struct map *values = &k->c->module->values;
	size_t item = k->c->places[0].item;
	/* a framework can wrap any framework but itself */
	struct str own = item + 1 < k->c->tokens.n ? context_token(k->c, item + 1) : STR("");

	for (size_t i = 0; i < values->n; i++) {
		const struct decl *d = values->entries[i].value;
		const struct module *m = d->kind == DECL_IMPORT ? d->node->u.import.module : NULL;
		if (d->kind == DECL_FRAMEWORK && !str_eq(d->name, own))
			complete_decl(k, d, d->name, 5);
		for (size_t e = 0; m && !m->library && e < m->values.n; e++) {
			const struct decl *member = m->values.entries[e].value;
			if (member->kind == DECL_FRAMEWORK && member->name.p[0] != '_')
				complete_decl(k, member, str_printf(k->r->arena, "%.*s.%.*s", STR_ARG(d->name),
					STR_ARG(member->name)), 8);
		}
	}
	each_framework(k, add_framework);
}

/* ---- imports ---- */

void complete_imports(struct completing *k)
{
	const struct map *packages = &k->c->program->project.packages;
	size_t n;
	const char *const *names = stdlib_names(&n);

	if (k->c->npath == 0) {
		complete_add(k, &(struct item){ .kind = ITEM_MODULE, .label = STR("std"),
			.detail = STR("the standard library"), .insert = STR("std."), .rank = 10 });
		for (size_t i = 0; i < packages->n; i++)
			complete_add(k, &(struct item){ .kind = ITEM_MODULE, .label = packages->entries[i].key,
				.detail = STR("a package"), .rank = 20 });
	}
	if (k->c->npath != 1 || !str_is(k->c->path[0], "std"))
		return;
	for (size_t i = 0; i < n; i++) {
		const struct library_module *m = catalog_module(k->r->lsp, str_of(names[i]));
		struct str bound;
		if (!catalog_imported(k->c->module, str_of(names[i]), &bound))
			complete_add(k, &(struct item){ .kind = ITEM_MODULE, .label = str_of(names[i]),
				.doc = m->file->u.file.doc, .rank = 10 });
	}
}
