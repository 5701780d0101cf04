/*
 * reference.c - writes a section for each kind of declaration, in the order in which readers ask: what can be set, what
 * runs, and what else the module offers.
 */
#include "explain/reference.h"

#include "explain/markdown.h"

enum { LONGEST = 100 };

/* ---- pieces ---- */

struct str reference_text(const struct reference *r, const struct node *n)
{
	struct str text = flat_text(r->outline.flat, n->span);
	const char *newline = memchr(text.p, '\n', text.n);
	size_t most = newline && newline - text.p < LONGEST ? (size_t)(newline - text.p) : LONGEST;

	if (text.n <= most)
		return text;
	while (most && ((unsigned char)text.p[most] & 0xC0) == 0x80)
		most--;
	return str_printf(r->arena, "%.*s...", (int)most, text.p);
}

void reference_cell_code(struct reference *r, struct str text)
{
	buf_char(r->out, ' ');
	markdown_code(r->out, text, true);
	buf_z(r->out, text.n ? " |" : "|");
}

void reference_cell_doc(struct reference *r, struct str doc)
{
	buf_char(r->out, ' ');
	markdown_line(r->out, doc);
	buf_z(r->out, doc.n ? " |" : "|");
}

/* Writes a row "| `name` | `type` | `value` | documentation |". */
static void put_row(struct reference *r, struct str name, struct str type, const struct node *value, struct str doc)
{
	buf_char(r->out, '|');
	reference_cell_code(r, name);
	reference_cell_code(r, type);
	if (value)
		reference_cell_code(r, reference_text(r, value));
	else
		buf_z(r->out, " required |");
	reference_cell_doc(r, doc);
	buf_char(r->out, '\n');
}

static struct str type_of(struct reference *r, const struct node *n)
{
	const struct type *found = n->u.binding.value ? n->u.binding.value->type : NULL;

	if (n->u.binding.type)
		return reference_text(r, n->u.binding.type);
	return found && found->kind != TYPE_BAD ? type_spell(r->arena, found) : STR("");
}

/* Writes the row of a parameter, an argument or a `let`. */
static void put_binding(struct reference *r, const struct node *n)
{
	put_row(r, n->u.binding.name, type_of(r, n), n->u.binding.value, n->u.binding.doc);
}

void reference_doc(struct reference *r, struct str doc)
{
	if (!doc.n)
		return;
	buf_char(r->out, '\n');
	markdown_prose(r->out, doc);
}

void reference_arguments(struct reference *r, const struct nodes *formals)
{
	if (!formals->n)
		return;
	buf_char(r->out, '\n');
	markdown_head(r->out, "| argument | type | default | |");
	for (size_t i = 0; i < formals->n; i++)
		put_binding(r, formals->at[i]);
}

/* A list whose introduction is written before its first item. */
struct told {
	struct reference *r;
	const char *intro;              /* the introduction; empty once it was written */
	const char *indent;             /* before each item; NULL for none */
};

/* ---- checks ---- */

/* Writes the headline of a message as its author wrote it; further lines are the help. */
static void put_message(struct reference *r, const struct node *message)
{
	struct buf text = { 0 };

	for (size_t i = 0; message->kind == NODE_STRING && i < message->u.string.n; i++) {
		const struct string_part *part = &message->u.string.parts[i];
		if (part->expr)
			buf_printf(&text, "${%.*s}", STR_ARG(reference_text(r, part->expr)));
		else
			buf_str(&text, part->text);
	}
	const char *newline = memchr(text.p ? text.p : "", '\n', text.n);
	if (text.n)
		markdown_line(r->out, (struct str){ text.p, newline ? (size_t)(newline - text.p) : text.n });
	else
		markdown_code(r->out, reference_text(r, message), false);
	buf_release(&text);
}

/* Writes an item "- `condition`, if x: message". */
static void put_check(void *to, const struct node *n, struct str when)
{
	struct told *c = to;
	struct reference *r = c->r;

	if (n->kind != NODE_CHECK)
		return;
	buf_printf(r->out, "%s- ", c->intro);
	c->intro = "";
	markdown_code(r->out, reference_text(r, n->u.check.condition), false);
	if (when.n) {
		buf_z(r->out, ", ");
		markdown_code(r->out, when, false);
	}
	buf_z(r->out, n->u.check.warn ? "; else a warning: " : "; else: ");
	put_message(r, n->u.check.message);
	buf_char(r->out, '\n');
}

void reference_checks(struct reference *r, const struct node *body, const char *intro)
{
	struct told c = { r, intro, NULL };

	outline_items(&r->outline, body, STR(""), put_check, &c);
}

/* ---- declarations: the text below the heading of each, or in its row of the table ---- */

static void put_profile(struct reference *r, const struct node *n)
{
	const struct nodes *items = &n->u.titled.body->u.body.items;

	reference_doc(r, n->u.titled.doc);
	for (size_t i = 0; i < items->n; i++) {
		buf_z(r->out, i ? "- " : "\n- ");
		markdown_code(r->out, reference_text(r, items->at[i]), false);
		buf_char(r->out, '\n');
	}
}

/* Writes "One job for each `i in range(3)`." */
static void put_fleet(struct reference *r, const struct node *n)
{
	const struct binder *b = n->u.job.binders;
	struct str names = n->u.job.nbinders > 1 ? outline_both(r->arena, b[0].name, b[1].name) : b[0].name;

	if (!n->u.job.list)
		return;
	buf_z(r->out, "\nOne job for each ");
	struct str text = str_printf(r->arena, "%.*s in %.*s", STR_ARG(names),
		STR_ARG(reference_text(r, n->u.job.list)));
	for (size_t i = 0; i < n->u.job.nmore; i++) {
		const struct clause *c = &n->u.job.more[i];
		names = c->nbinders > 1 ? outline_both(r->arena, c->binders[0].name, c->binders[1].name)
			: c->binders[0].name;
		text = str_printf(r->arena, "%.*s, %.*s in %.*s", STR_ARG(text), STR_ARG(names),
			STR_ARG(reference_text(r, c->list)));
	}
	if (n->u.job.filter)
		text = str_printf(r->arena, "%.*s if %.*s", STR_ARG(text), STR_ARG(reference_text(r, n->u.job.filter)));
	markdown_code(r->out, text, false);
	buf_z(r->out, ".\n");
}

static void put_framework_of(struct reference *r, const struct node *n)
{
	if (!n->u.job.blueprint)
		return;
	struct span at = n->u.job.blueprint->span;
	buf_z(r->out, "\nRuns on ");
	markdown_code(r->out, flat_text(r->outline.flat, n->u.job.has_args ? span_join(at, n->u.job.args_span) : at),
		false);
	buf_z(r->out, ".\n");
}

/* The head of a block: "role worker", or "cell server: vllm.serve(tp = 2)". */
static struct str block_head(struct reference *r, const struct node *n)
{
	struct str head = str_printf(r->arena, "%.*s %.*s", STR_ARG(n->u.block.word), STR_ARG(n->u.block.name));

	if (!n->u.block.framework)
		return head;
	struct span at = n->u.block.framework->span;
	return str_printf(r->arena, "%.*s: %.*s", STR_ARG(head), STR_ARG(flat_text(r->outline.flat,
		span_known(n->u.block.args_span) ? span_join(at, n->u.block.args_span) : at)));
}

/* Writes an item "- `role worker`, `replicas = 4`: documentation"; below that of a cell, those of its roles. */
static void put_role_item(void *to, const struct node *n, struct str when)
{
	struct told *roles = to;
	struct reference *r = roles->r;
	bool cell = n->kind == NODE_BLOCK && str_is(n->u.block.word, "cell");

	if (n->kind != NODE_BLOCK || !(cell || str_is(n->u.block.word, "role") || str_is(n->u.block.word, "aux")))
		return;
	buf_printf(r->out, "%s%s- ", roles->intro, roles->indent ? roles->indent : "");
	roles->intro = "";
	markdown_code(r->out, block_head(r, n), false);
	const struct nodes *items = &n->u.block.body->u.body.items;
	for (size_t i = 0; i < items->n; i++) {
		if (items->at[i]->kind != NODE_SET || !(outline_is_field(items->at[i], "replicas") ||
			outline_is_field(items->at[i], "copies") || outline_is_field(items->at[i], "accelerator")))
			continue;
		buf_z(r->out, ", ");
		markdown_code(r->out, outline_setting(&r->outline, items->at[i]), false);
	}
	if (when.n) {
		buf_z(r->out, ", ");
		markdown_code(r->out, when, false);
	}
	buf_z(r->out, n->u.block.doc.n ? ": " : "");
	markdown_line(r->out, n->u.block.doc);
	buf_char(r->out, '\n');
	struct told inner = { r, "", "  " };
	if (cell)
		outline_items(&r->outline, n->u.block.body, STR(""), put_role_item, &inner);
}

static void put_job_section(struct reference *r, const struct node *n)
{
	struct told roles = { r, "\n", NULL };

	reference_doc(r, n->u.job.doc);
	put_framework_of(r, n);
	put_fleet(r, n);
	outline_items(&r->outline, n->u.job.body, STR(""), put_role_item, &roles);
}

static void put_type(struct reference *r, const struct node *n)
{
	reference_doc(r, n->u.type_decl.doc);
	if (n->u.type_decl.alias)
		return;
	const struct nodes *items = &n->u.type_decl.body->u.body.items;
	buf_char(r->out, '\n');
	markdown_head(r->out, "| field | type | default | |");
	for (size_t i = 0; i < items->n; i++) {
		const struct node *f = items->at[i];
		if (f->kind == NODE_FIELD)
			put_row(r, f->u.field.key.text, reference_text(r, f->u.field.type), f->u.field.value,
				f->u.field.doc);
	}
}

static void put_fn(struct reference *r, const struct node *n)
{
	bool documented = false;

	reference_doc(r, n->u.fn.doc);
	for (size_t i = 0; i < n->u.fn.formals.n; i++)
		documented = documented || n->u.fn.formals.at[i]->u.binding.doc.n;
	if (documented)                 /* otherwise the heading already shows everything */
		reference_arguments(r, &n->u.fn.formals);
}

static void put_policy(struct reference *r, const struct node *n)
{
	reference_doc(r, n->u.titled.doc);
	reference_checks(r, n->u.titled.body, "\n");
}

/* ---- sections ---- */

static const struct section {
	enum node_kind kind;
	/*
	 * title of the section, and head of its table; if `head` is NULL, each declaration has its own heading instead
	 */
	const char *title, *head;
	void (*put)(struct reference *r, const struct node *n);
} sections[] = {
	{ NODE_PARAM, "Parameters", "| parameter | type | default | |", put_binding },
	{ NODE_PROFILE, "Profiles", NULL, put_profile },
	{ NODE_JOB, "Jobs", NULL, put_job_section },
	{ NODE_FRAMEWORK, "Frameworks", NULL, reference_blueprint },
	{ NODE_ACCELERATOR, "Accelerators", NULL, reference_blueprint },
	{ NODE_TYPE, "Types", NULL, put_type },
	{ NODE_FN, "Functions", NULL, put_fn },
	{ NODE_LET, "Values", "| name | type | value | |", put_binding },
	{ NODE_POLICY, "Policies", NULL, put_policy },
};

/* The signature of a function: "twice(n: int) -> int". */
static struct str signature(struct reference *r, const struct node *n)
{
	struct span to = n->u.fn.result->span;

	return flat_text(r->outline.flat, (struct span){ n->u.fn.name_span.start, to.end });
}

/* The name in the heading of a declaration; empty if the declaration is private. */
static struct str shown_name(struct reference *r, const struct node *n)
{
	struct str name, alias;

	switch (n->kind) {
	case NODE_PARAM: case NODE_LET:
		name = n->u.binding.name;
		break;
	case NODE_PROFILE:
		name = n->u.titled.name;
		break;
	case NODE_JOB:
		return flat_text(r->outline.flat, n->u.job.title->span);
	case NODE_FRAMEWORK: case NODE_ACCELERATOR:
		name = n->u.blueprint_decl.name;
		break;
	case NODE_TYPE:
		alias = n->u.type_decl.alias ? reference_text(r, n->u.type_decl.alias) : STR("");
		name = alias.n ? str_printf(r->arena, "%.*s = %.*s", STR_ARG(n->u.type_decl.name), STR_ARG(alias))
			: n->u.type_decl.name;
		break;
	case NODE_FN:
		name = n->u.fn.name;
		break;
	default:
		return flat_text(r->outline.flat, n->u.titled.title->span);
	}
	if (!name.n || name.p[0] == '_')
		return STR("");
	if (n->kind == NODE_FN)
		return signature(r, n);
	if (n->kind == NODE_FRAMEWORK || n->kind == NODE_ACCELERATOR)
		return str_cat(r->arena, r->prefix, name, STR(""));
	return name;
}

static void put_section(struct reference *r, const struct nodes *decls, const struct section *s)
{
	bool begun = false;

	for (size_t i = 0; i < decls->n; i++) {
		const struct node *n = decls->at[i];
		struct str name = n->kind == s->kind ? shown_name(r, n) : STR("");
		if (!name.n)
			continue;
		if (!begun)
			buf_printf(r->out, "\n## %s\n", s->title);
		if (!begun && s->head) {
			buf_char(r->out, '\n');
			markdown_head(r->out, s->head);
		}
		begun = true;
		if (!s->head) {
			buf_z(r->out, "\n### ");
			markdown_code(r->out, name, false);
			buf_char(r->out, '\n');
		}
		s->put(r, n);
	}
}

void reference_module(struct arena *a, const struct module *m, struct str title, struct buf *out)
{
	struct reference r = { .arena = a, .outline = { a, flat_new(a, m->source) }, .out = out };
	const struct nodes *decls = &m->file->u.file.decls;
	const char *dot = memrchr(m->dotted.p ? m->dotted.p : "", '.', m->dotted.n);
	struct told checks = { &r, "\nThese must hold:\n\n", NULL };

	if (dot)
		r.prefix = str_printf(a, "%.*s.", (int)(m->dotted.p + m->dotted.n - dot - 1), dot + 1);
	buf_printf(out, "# %.*s\n", STR_ARG(title));
	reference_doc(&r, m->file->u.file.doc);
	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
		put_section(&r, decls, &sections[i]);
		for (size_t k = 0; sections[i].kind == NODE_PARAM && k < decls->n; k++)
			put_check(&checks, decls->at[k], STR(""));
	}
}
