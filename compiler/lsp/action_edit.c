/*
 * action_edit.c - code actions that write code: required fields, a `let`, imports.
 */
#include "explain/library.h"
#include "lsp/actions.h"
#include "lsp/complete.h"
#include "lsp/describe.h"
#include "lsp/edits.h"
#include "lsp/lsp_publish.h"
#include "syntax/walk.h"

/* ---- required fields ---- */

static bool body_has(const struct node *body, struct str key)
{
	for (size_t i = 0; i < body->u.body.items.n; i++) {
		const struct node *item = body->u.body.items.at[i];
		if ((item->kind == NODE_SET || item->kind == NODE_EXTEND) && str_eq(item->u.item.key.text, key))
			return true;
	}
	return false;
}

static size_t indent_of(const struct acting *a, size_t offset)
{
	struct str line = lines_line(a->lines, lines_number(a->lines, offset));
	size_t n = 0;

	while (n < line.n && line.p[n] == ' ')
		n++;
	return n;
}

/* Returns a placeholder for a value of the type, which the user replaces. */
static const char *sample(const struct type *t)
{
	t = t ? type_strip_pod(type_strip_optional(t)) : NULL;
	switch (t ? t->kind : TYPE_BAD) {
	case TYPE_INT: case TYPE_CPU: case TYPE_ELASTIC: return "1";
	case TYPE_FLOAT: return "1.0";
	case TYPE_BOOL: return "false";
	case TYPE_MEMORY: return "1Gi";
	case TYPE_DURATION: return "1min";
	case TYPE_LIST: return "[]";
	case TYPE_MAP: case TYPE_RECORD: return "{}";
	default: return "\"\"";
	}
}

struct missing {
	struct acting *a;
	struct buf lines;
	size_t indent;
	bool one_line;
};

static void miss(struct missing *m, struct str name, const char *value)
{
	if (m->one_line)
		buf_printf(&m->lines, "%.*s = %s, ", STR_ARG(name), value);
	else
		buf_printf(&m->lines, "\n%*s%.*s = %s", (int)m->indent, "", STR_ARG(name), value);
}

static void miss_record(struct missing *m, const struct node *body, const struct decl *record)
{
	for (size_t i = 0; i < record->nfields; i++)
		if (!record->fields[i].value && record->fields[i].type->kind != TYPE_OPTIONAL &&
		    !body_has(body, record->fields[i].name))
			miss(m, record->fields[i].name, sample(record->fields[i].type));
}

/* Is there an `image` in the framework, or in any block of the job? */
static bool has_image(const struct node *job)
{
	const struct node *body = job->u.job.body;
	bool roles = false, all = true;

	for (size_t i = 0; i < body->u.body.items.n; i++) {
		const struct node *item = body->u.body.items.at[i];
		if (item->kind != NODE_BLOCK || !item->u.block.decl)
			continue;
		roles = true;
		all = all && body_has(item->u.block.body, STR("image"));
	}
	return body_has(body, STR("image")) || (roles && all);
}

/* Adds the fields that the framework's role declares without a value: the job has to set them. */
static void miss_role(struct missing *m, const struct node *body, const struct decl *role)
{
	const struct node *declared = role && role->origin && role->origin->node ? role->origin->node->u.block.body
		: NULL;

	for (size_t i = 0; declared && declared->kind == NODE_BODY && i < declared->u.body.items.n; i++) {
		const struct node *field = declared->u.body.items.at[i];
		if (field->kind == NODE_FIELD && !field->u.field.value && !body_has(body, field->u.field.key.text))
			miss(m, field->u.field.key.text, sample(field->u.field.declared));
	}
}

static void miss_accelerator(struct missing *m, const struct node *body)
{
	for (const struct field *f = schema_next(BLOCK_ACCELERATOR, NULL); f; f = schema_next(BLOCK_ACCELERATOR, f))
		if (strcmp(f->fallback, "*") == 0 && !body_has(body, str_of(f->name)))
			miss(m, str_of(f->name), f->id == FIELD_PER_POD ? "1" : "\"example.com/device\"");
}

/*
 * Returns the type of a record literal: the checker's type, or the type of the declaration around it if the checker
 * found no type.
 */
static const struct decl *record_of(const struct acting *a, const struct node *body, const struct node *around)
{
	const struct type *t = body->convert_to ? body->convert_to : body->type;
	const struct node *ref = around && (around->kind == NODE_LET || around->kind == NODE_PARAM)
		? around->u.binding.type : NULL;

	t = t ? type_strip_pod(type_strip_optional(t)) : NULL;
	if (t && t->kind == TYPE_RECORD)
		return t->record;
	const struct decl *d = ref && ref->u.type_ref.depth == 1 ? map_get(&a->root->types, ref->u.type_ref.path[0])
		: NULL;
	return d && d->kind == DECL_TYPE && d->nfields ? d : NULL;
}

static const struct node *miss_in(struct missing *m, const struct node *n, const struct node *around)
{
	const struct node *body = n->kind == NODE_JOB ? n->u.job.body : n->kind == NODE_BLOCK ? n->u.block.body :
		n->kind == NODE_ACCELERATOR ? n->u.blueprint_decl.body : n->kind == NODE_BODY ? n : NULL;

	if (!body || body->kind != NODE_BODY)
		return NULL;
	m->lines.n = 0;
	m->one_line = body->u.body.one_line;
	m->indent = indent_of(m->a, body->span.start - m->a->source->base) + 2;
	if (n->kind == NODE_JOB && !has_image(n))
		miss(m, STR("image"), "\"registry.example.com/image:1.0\"");
	if (n->kind == NODE_BLOCK)
		miss_role(m, body, n->u.block.decl);
	if (n->kind == NODE_ACCELERATOR)
		miss_accelerator(m, body);
	const struct decl *record = n->kind == NODE_BODY ? record_of(m->a, n, around) : NULL;
	if (record)
		miss_record(m, body, record);
	return m->lines.n ? body : NULL;
}

void action_required(struct acting *a)
{
	struct missing m = { .a = a };
	struct node_path path;

	node_path_at(a->root->file, a->source->base + (uint32_t)a->from, &path);
	for (size_t i = path.n; i-- > 0;) {
		const struct node *body = miss_in(&m, path.at[i], i ? path.at[i - 1] : NULL);
		if (!body)
			continue;
		size_t at = body->span.start - a->source->base + 1;
		struct str text = buf_text(&m.lines);
		bool empty = !body->u.body.items.n &&
			lines_number(a->lines, at) == lines_number(a->lines, body->span.end - a->source->base);
		if (m.one_line || empty)
			text = m.one_line && !empty ? str_printf(a->r->arena, " %.*s", (int)text.n - 1, text.p) :
				str_printf(a->r->arena, m.one_line ? " %.*s " : "%.*s\n%*s",
					m.one_line ? (int)text.n - 2 : (int)text.n, text.p, (int)m.indent - 2, "");
		action_begin(a, "quickfix", STR("insert required fields"));
		action_edit(a, at, at, text);
		action_end(a);
		break;
	}
	buf_release(&m.lines);
}

/* ---- a let ---- */

static void find_local(void *to, struct node *n)
{
	bool *local = to;
	const struct decl *d = n->kind == NODE_NAME ? n->u.name.decl : NULL;

	if (n->kind == NODE_NAME && (!d || d->kind == DECL_FORMAL || d->kind == DECL_LOOP || d->kind == DECL_ROLE ||
	    d->kind == DECL_BUILTIN || (d->kind == DECL_LET && !d->global)))
		*local = true;
	node_children(n, find_local, to);
}

static struct str free_name(struct acting *a)
{
	struct str name = STR("extracted");

	for (unsigned i = 2; map_get(&a->root->values, name); i++)
		name = str_printf(a->r->arena, "extracted%u", i);
	return name;
}

void action_extract(struct acting *a)
{
	struct node_path path;
	struct node *n = NULL;
	bool local = false;
	uint32_t base = a->source->base;

	if (a->to <= a->from)
		return;
	node_path_at(a->root->file, base + (uint32_t)a->from + 1, &path);
	for (size_t i = 0; i < path.n; i++)
		if (path.at[i]->kind >= NODE_NAME && path.at[i]->kind != NODE_ARG && path.at[i]->kind != NODE_BODY &&
		    path.at[i]->span.start - base == a->from && path.at[i]->span.end - base == a->to)
			n = path.at[i];
	if (!n || path.n < 2 || !n->type || n->type->kind == TYPE_BAD)
		return;
	find_local(&local, n);
	if (local)
		return;
	const struct type *t = n->convert_to ? n->convert_to : n->type;
	struct str name = free_name(a), text = source_text(&a->an->compile->sources, n->span), type = STR("");
	if (type_is_quantity(type_strip_optional(t)))
		type = str_printf(a->r->arena, ": %.*s", STR_ARG(type_spell(a->r->arena, type_strip_optional(t))));
	size_t line = a->lines->start[lines_number(a->lines, path.at[1]->span.start - base)];
	while (line > 0) {              /* inserts above the comments that document the declaration */
		size_t above = a->lines->start[lines_number(a->lines, line - 1)];
		if (a->lines->text.p[above] != '#')
			break;
		line = above;
	}
	action_begin(a, "refactor.extract", STR("extract to 'let'"));
	action_edit(a, line, line, str_printf(a->r->arena, "let %.*s%.*s = %.*s\n\n", STR_ARG(name), STR_ARG(type),
		STR_ARG(text)));
	action_edit(a, a->from, a->to, name);
	action_end(a);
}

/* ---- imports ---- */

struct importing {
	struct acting *a;
	struct str *missing;            /* missing modules of the library */
	size_t n;
	bool touched;                   /* looks only for names that the selection touches */
	struct span at;                 /* the last name that was found */
};

/*
 * Notes the module to import for a name such as `acme.a1`, if nothing is called acme, but the library has such a
 * module.
 */
static void find_missing(void *to, struct node *n)
{
	struct importing *i = to;
	const struct node *base = n->kind == NODE_MEMBER ? n->u.member.base : NULL;

	if (base && base->kind == NODE_NAME && (!base->u.name.decl || base->u.name.decl->kind == DECL_BAD) &&
	    stdlib_text(base->u.name.text).p && !map_get(&i->a->root->values, base->u.name.text) &&
	    (!i->touched || action_touches(i->a, base->span))) {
		bool known = false;

		i->at = base->span;
		for (size_t k = 0; k < i->n; k++)
			known = known || str_eq(i->missing[k], base->u.name.text);
		if (!known)
			ARENA_PUSH(i->a->r->arena, i->missing, i->n, base->u.name.text);
	}
	node_children(n, find_missing, to);
}

struct use_of {
	const struct decl *import;
	bool found;
};

static void note_use(void *to, const struct occurrence *o)
{
	struct use_of *u = to;

	u->found = u->found || (o->kind == OCCURRENCE_DECL && !o->declares && o->decl == u->import);
}

/* Is the import unused? The answer is no when a part of the file failed to parse, since that part may use the name. */
static bool is_unused(const struct acting *a, const struct node *import)
{
	struct use_of u = { .import = import->u.import.decl };

	if (a->root->broken || !u.import || !import->u.import.module)
		return false;
	occurrences_visit(&a->an->compile->program, a->root, note_use, &u);
	return !u.found;
}

static int by_text(const struct str *x, const struct str *y)
{
	bool a = x->p[7] == '"', b = y->p[7] == '"';    /* modules come first, then files, as in `trainc fmt` */

	return a != b ? a - b : str_cmp(*x, *y);
}

static void sort_lines(struct str *lines, size_t n)
{
	for (size_t i = 1; i < n; i++)
		for (size_t k = i; k > 0 && by_text(&lines[k], &lines[k - 1]) < 0; k--) {
			struct str swap = lines[k];
			lines[k] = lines[k - 1];
			lines[k - 1] = swap;
		}
}

void action_import(struct acting *a)
{
	struct importing i = { .a = a, .touched = true };
	const struct diags *ds = &a->an->compile->diags;
	size_t place = catalog_import_place(a->source->text);

	node_children(a->root->file, find_missing, &i);
	for (size_t k = 0; k < i.n; k++) {
		action_head(a, "quickfix", str_cat(a->r->arena, STR("import std."), i.missing[k], STR("")));
		msg_add_list(a->r->out, "diagnostics");
		for (size_t d = 0; d < ds->n && i.n == 1; d++)
			if (ds->at[d]->at.start == i.at.start)
				publish_diag(a->r->arena, a->r->out, a->an, ds->at[d]);
		msg_close(a->r->out, ']');
		msg_add_bool(a->r->out, "isPreferred", i.n == 1);
		action_begin_edit(a);
		edits_begin_document(a->r, a->r->document->uri);
		action_edit(a, place, place, catalog_import_text(a->r->arena, a->source->text, place, i.missing[k]));
		action_end(a);
	}
}

/*
 * Offers to clean up imports. Imports without comments between them are one block, which is rewritten as a whole; other
 * imports are only added and removed one by one.
 */
void action_imports(struct acting *a)
{
	struct importing i = { .a = a };
	struct nodes decls = a->root->file->u.file.decls;
	struct str *lines = NULL, *kept = NULL, text = STR("");
	size_t n = 0, nkept = 0, start = SIZE_MAX, end = 0;

	node_children(a->root->file, find_missing, &i);
	for (size_t k = 0; k < decls.n; k++) {
		if (decls.at[k]->kind != NODE_IMPORT)
			continue;
		size_t from = decls.at[k]->span.start - a->source->base, to = decls.at[k]->span.end - a->source->base;
		if (start != SIZE_MAX && memchr(a->source->text.p + end, '#', from - end))
			return;
		start = start == SIZE_MAX ? from : start;
		end = to;
		ARENA_PUSH(a->r->arena, lines, n, ((struct str){ a->source->text.p + from, to - from }));
		if (!is_unused(a, decls.at[k]))
			ARENA_PUSH(a->r->arena, kept, nkept, lines[n - 1]);
	}
	for (size_t k = 0; k < i.n; k++)
		ARENA_PUSH(a->r->arena, kept, nkept, str_printf(a->r->arena, "import std.%.*s", STR_ARG(i.missing[k])));
	sort_lines(kept, nkept);
	for (size_t k = 0; k < nkept; k++)
		text = str_printf(a->r->arena, "%.*s%s%.*s", STR_ARG(text), k ? "\n" : "", STR_ARG(kept[k]));
	if (start == SIZE_MAX) {
		start = end = catalog_import_place(a->source->text);
		text = nkept ? str_printf(a->r->arena, "%.*s\n\n", STR_ARG(text)) : text;
	}
	if (str_eq(text, (struct str){ a->source->text.p + start, end - start }))
		return;
	action_begin(a, "source.organizeImports", STR("organize imports"));
	action_edit(a, start, end, text);
	action_end(a);
}
