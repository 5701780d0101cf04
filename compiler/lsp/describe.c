/*
 * describe.c - describes declarations, fields and built-in names. Signatures are taken from the text that declares
 * them, so they read as their author wrote them, even if the program does not mention the declaration.
 */
#include "lsp/describe.h"

#include "lsp/describe_role.h"

/* ---- texts ---- */

struct str describe_text(struct arena *a, const struct sources *sources, struct span at)
{
	struct str text = source_text(sources, at);
	char *p = arena_alloc(a, text.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];
		bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
		/* skips a comment between formal parameters */
		if (c == '#' && (i == 0 || text.p[i - 1] == ' ' || text.p[i - 1] == '\n')) {
			while (i < text.n && text.p[i] != '\n')
				i++;
			blank = true;
		}
		if (!blank)
			p[n++] = c;
		else if (n && p[n - 1] != ' ' && p[n - 1] != '(')
			p[n++] = ' ';
	}
	while (n && p[n - 1] == ' ')
		n--;
	return (struct str){ p, n };
}

static void put_formals(struct arena *a, const struct sources *sources, struct nodes formals, struct buf *out)
{
	buf_char(out, '(');
	for (size_t i = 0; i < formals.n; i++) {
		buf_z(out, i ? ", " : "");
		buf_str(out, describe_text(a, sources, formals.at[i]->span));
	}
	buf_char(out, ')');
}

/* Returns the word for the kind of a declaration: "param", "framework", "role". */
static const char *describe_kind(const struct decl *d)
{
	switch (d->kind) {
	case DECL_IMPORT: return "import";
	case DECL_PARAM: return "param";
	case DECL_LET: return "let";
	case DECL_FN: return "fn";
	case DECL_TYPE: return "type";
	case DECL_FRAMEWORK: return "framework";
	case DECL_ACCELERATOR: return "accelerator";
	case DECL_FORMAL: return "argument";
	case DECL_LOOP: return "loop variable";
	case DECL_ROLE: return d->aux ? "aux" : "role";
	case DECL_CELL: return "cell";
	case DECL_BUILTIN: return "built-in value";
	case DECL_BUILTIN_FN: return "built-in function";
	default: return "name";
	}
}

static void put_declared_signature(struct arena *a, const struct sources *sources, const struct decl *d,
	struct buf *out)
{
	const struct node *n = d->node;
	struct span at = n ? n->span : (struct span){ 0, 0 };

	switch (d->kind) {
	case DECL_IMPORT: case DECL_PARAM: buf_str(out, describe_text(a, sources, at)); break;
	case DECL_FORMAL: buf_str(out, describe_text(a, sources, at)); break;
	case DECL_FN:
		at.end = n->u.fn.result ? n->u.fn.result->span.end : at.end;
		buf_str(out, describe_text(a, sources, at));
		break;
	case DECL_TYPE:
		if (n->u.type_decl.alias)
			buf_str(out, describe_text(a, sources, at));
		else
			buf_printf(out, "type %.*s { ... }", STR_ARG(d->name));
		break;
	case DECL_FRAMEWORK: case DECL_ACCELERATOR:
		buf_printf(out, "%s %.*s", describe_kind(d), STR_ARG(d->name));
		put_formals(a, sources, n->u.blueprint_decl.formals, out);
		if (n->u.blueprint_decl.base)
			buf_printf(out, ": %.*s", STR_ARG(describe_text(a, sources, n->u.blueprint_decl.base->span)));
		break;
	case DECL_BUILTIN_FN:
		buf_printf(out, "%.*s%s", STR_ARG(d->name), schema_function((enum function)d->function)->signature);
		break;
	case DECL_ROLE: case DECL_CELL: buf_printf(out, "%s %.*s", describe_kind(d), STR_ARG(d->name)); break;
	case DECL_LET: buf_printf(out, "let %.*s", STR_ARG(d->name)); break;
	default: buf_str(out, d->name); break;
	}
	bool typed = d->kind == DECL_LET || d->kind == DECL_LOOP || d->kind == DECL_BUILTIN;
	if (typed && d->type && d->type->kind != TYPE_BAD)
		buf_printf(out, ": %.*s", STR_ARG(type_spell(a, d->type)));
}

struct str describe_signature(struct arena *a, const struct sources *sources, const struct decl *d)
{
	struct buf b = { 0 };

	put_declared_signature(a, sources, d, &b);
	struct str text = buf_take(&b, a);
	buf_release(&b);
	return text;
}

static void put_code(struct buf *out, struct str code)
{
	buf_printf(out, "```tj\n%.*s\n```\n", STR_ARG(code));
}

static void put_doc(struct buf *out, struct str doc)
{
	if (doc.n)
		buf_printf(out, "\n%.*s\n", STR_ARG(doc));
}

/* ---- declarations ---- */

static struct str declared_doc(const struct decl *d)
{
	const struct node *n = d->node;

	if (d->doc.n || !n)
		return d->doc;
	switch (d->kind) {
	case DECL_FN: return n->u.fn.doc;
	case DECL_TYPE: return n->u.type_decl.doc;
	case DECL_FRAMEWORK: case DECL_ACCELERATOR: return n->u.blueprint_decl.doc;
	case DECL_FORMAL: case DECL_LET: case DECL_PARAM: return n->u.binding.doc;
	case DECL_ROLE: case DECL_CELL: return n->kind == NODE_BLOCK ? n->u.block.doc : STR("");
	case DECL_IMPORT: return n->u.import.module ? n->u.import.module->file->u.file.doc : STR("");
	default: return STR("");
	}
}

/* Appends the value of a file's parameter or let, for the current parameters. */
static void put_declared_value(struct arena *a, const struct analysis *an, const struct decl *d, struct buf *out)
{
	const struct slot *slot = eval_known_slot(&an->compile->eval, d);
	const struct value *v = slot && slot->state == SLOT_DONE ? slot->value : NULL;
	if (v && value_ok(v))
		buf_printf(out, "\nValue: `%.*s`\n", STR_ARG(value_spell(a, v)));
}

static void put_roles(const struct decl *d, struct buf *out)
{
	const struct node *body = d->node->u.blueprint_decl.body;
	const char *head = "\nRoles: ";

	for (size_t i = 0; body && body->kind == NODE_BODY && i < body->u.body.items.n; i++) {
		const struct node *item = body->u.body.items.at[i];
		if (item->kind != NODE_BLOCK || !str_is(item->u.block.word, "role"))
			continue;
		buf_printf(out, "%s`%.*s`", head, STR_ARG(item->u.block.name));
		head = ", ";
	}
	if (*head == ',')
		buf_char(out, '\n');
}

static void put_record(struct arena *a, const struct decl *d, struct buf *out)
{
	for (size_t i = 0; i < d->nfields; i++)
		buf_printf(out, "%s- `%.*s: %.*s`%s\n", i ? "" : "\n", STR_ARG(d->fields[i].name),
			STR_ARG(type_spell(a, d->fields[i].type)), d->fields[i].value ? "" : ", required");
}

static const char *builtin_doc(const struct decl *d)
{
	if (d->kind == DECL_BUILTIN_FN)
		return schema_function((enum function)d->function)->doc;
	return str_is(d->name, "self") ? "The role whose fields are computed." :
		str_is(d->name, "pod") ? "What is known only when a pod starts." :
		str_is(d->name, "cluster") ? "The job: its name, namespace, domain and roles." :
		"The roles of the job that the test is about.";
}

static void describe_decl(struct arena *a, struct analysis *an, const struct occurrence *o, struct buf *out)
{
	const struct decl *d = o->decl;

	put_code(out, describe_signature(a, &an->compile->sources, d));
	if (d->kind == DECL_BUILTIN || d->kind == DECL_BUILTIN_FN) {
		put_doc(out, str_of(builtin_doc(d)));
		return;
	}
	put_doc(out, declared_doc(d));
	if (d->kind == DECL_ROLE && d->origin)
		put_doc(out, declared_doc(d->origin));
	if (d->kind == DECL_FRAMEWORK)
		put_roles(d, out);
	if (d->kind == DECL_TYPE)
		put_record(a, d, out);
	put_declared_value(a, an, d, out);
	if (d->kind == DECL_ROLE)
		describe_role(a, an, o->declares ? o->at.start : d->span.start, out);
}

/* ---- descriptions of fields and other names ---- */

/* Appends the description of a field of a block: type, default, meaning. */
static void describe_field(const struct field *f, struct buf *out)
{
	buf_printf(out, "```tj\n%s: %s\n```\n\n%s\n", f->name, f->type, f->doc);
	if (strcmp(f->fallback, "*") == 0)
		buf_z(out, "\nRequired.\n");
	else if (f->fallback[0])
		buf_printf(out, "\nDefault: `%s`\n", f->fallback);
}

static void describe_record_field(struct arena *a, const struct analysis *an, const struct occurrence *o,
	struct buf *out)
{
	const struct record_field *f = o->record;
	struct str type = f->type ? type_spell(a, f->type) : STR("?");

	buf_printf(out, "```tj\n%.*s.%.*s: %.*s", STR_ARG(o->decl->name), STR_ARG(f->name), STR_ARG(type));
	if (f->value)
		buf_printf(out, " = %.*s", STR_ARG(describe_text(a, &an->compile->sources, f->value->span)));
	buf_z(out, "\n```\n");
	put_doc(out, f->doc);
}

static void describe_member(struct arena *a, const struct occurrence *o, struct buf *out)
{
	const struct field *f = o->base && o->base->kind == TYPE_ROLE ? schema_find(BLOCK_ROLE, o->word) : NULL;
	struct str doc = o->base ? str_of(check_member_doc(o->base->kind, o->word)) : STR("");

	buf_printf(out, "```tj\n%.*s", STR_ARG(o->word));
	if (o->type && o->type->kind != TYPE_BAD)
		buf_printf(out, ": %.*s", STR_ARG(type_spell(a, o->type)));
	buf_z(out, "\n```\n");
	put_doc(out, f ? str_of(f->doc) : doc);
}

static void describe_choice(struct arena *a, const struct occurrence *o, struct buf *out)
{
	buf_printf(out, "`\"%.*s\"`: one of `%.*s`\n", STR_ARG(o->word), STR_ARG(type_spell(a, o->type)));
}

static void describe_module(const struct occurrence *o, struct buf *out)
{
	const struct module *m = o->module;

	if (!m)
		return;
	buf_printf(out, "```tj\nmodule %.*s\n```\n", STR_ARG(m->dotted.n ? m->dotted : m->path));
	put_doc(out, m->file->u.file.doc);
}

/* Appends everything that is known about a name; false when nothing is. */
static bool describe_occurrence(struct arena *a, struct analysis *an, const struct occurrence *o, struct buf *out)
{
	const struct plan_job *job;
	const struct plan_role *role;
	const struct block_row *block;
	size_t before = out->n;

	switch (o->kind) {
	case OCCURRENCE_DECL: describe_decl(a, an, o, out); break;
	case OCCURRENCE_FIELD:
		describe_field(o->field, out);
		describe_place(an, o->at.start, &job, &role);
		struct str value = role ? describe_resolved(a, role, o->field->id) : STR("");
		if (value.n)
			buf_printf(out, "\nHere: `%.*s`\n", STR_ARG(value));
		break;
	case OCCURRENCE_RECORD_FIELD: describe_record_field(a, an, o, out); break;
	case OCCURRENCE_BLOCK:
		block = schema_block(o->word);
		if (block)
			buf_printf(out, "```tj\n%s NAME { ... }\n```\n\n%s\n", block->word, block->doc);
		break;
	case OCCURRENCE_MEMBER: describe_member(a, o, out); break;
	case OCCURRENCE_CHOICE: describe_choice(a, o, out); break;
	case OCCURRENCE_MODULE: describe_module(o, out); break;
	case OCCURRENCE_JOB: describe_job(a, an, o->at.start, out); break;
	case OCCURRENCE_VARIABLE: describe_variable(a, an, o, out); break;
	default: break;
	}
	return out->n > before;
}

bool hover_answer(struct request *r)
{
	struct analysis *an = analysis_of(r->lsp, r->document);
	const struct source *s = an->compile->program.root ? an->compile->program.root->source : NULL;
	struct occurrence o;
	struct buf text = { 0 };

	msg_put_raw(r->out, "null");
	if (!s)
		return true;
	const struct lsp_lines *lines = analysis_lines(an, s);
	uint32_t offset = s->base + (uint32_t)lines_offset(lines, msg_position(r->params, "position"));
	if (occurrence_at(&an->compile->program, an->compile->program.root, offset, &o) &&
	    describe_occurrence(r->arena, an, &o, &text)) {
		r->out->n = 0;
		msg_open(r->out, '{');
		msg_add_markup(r->out, "contents", r->lsp->client.markdown, buf_text(&text));
		msg_add_range(r->out, "range", lines, o.at.start - s->base, o.at.end - s->base);
		msg_close(r->out, '}');
	}
	buf_release(&text);
	return true;
}
