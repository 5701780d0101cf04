/*
 * explain_blueprint.c - what a framework or an accelerator of the library is
 * made of: arguments, roles, environment, what it locks, when it succeeds.
 *
 * Everything is shown as its author spelt it, on one line; what stands under an
 * `if` or `for` says so behind it.
 */
#include "explain_blueprint.h"

enum { LONGEST = 100, WHERE = 12 };

struct telling {
	const struct sources *sources;
	struct arena *arena;
	struct buf *out;
	const char *heading;            /* of the section, until its first line is there */
	struct str where;               /* the role, until its first line is there */
};

/* ---- source text on one line ---- */

struct flat {
	char *text;
	size_t n;
	char open[64];                  /* the brackets around this place */
	unsigned depth;
	bool quoted;
};

static void flat_char(struct flat *f, char c)
{
	f->text[f->n++] = c;
	if (c == '"' && (f->n < 2 || f->text[f->n - 2] != '\\'))
		f->quoted = !f->quoted;
	else if (!f->quoted && strchr("{[(", c) && f->depth < sizeof(f->open))
		f->open[f->depth++] = c;
	else if (!f->quoted && strchr("}])", c) && f->depth)
		f->depth--;
}

/* A blank for white space; with a comma where a line end separated two items of a body. */
static void flat_space(struct flat *f, bool line_end, char next)
{
	char last = f->n ? f->text[f->n - 1] : '{';

	if (line_end && f->depth && f->open[f->depth - 1] == '{' && !strchr("{,", last) && next != '}')
		f->text[f->n++] = ',';
	f->text[f->n++] = ' ';
}

static struct str one_line(struct telling *t, struct span span)
{
	struct str s = source_text(t->sources, span);
	struct flat f = { .text = arena_alloc(t->arena, 2 * s.n + 1) };

	for (size_t i = 0; i < s.n; i++) {
		bool line_end = false;
		size_t blank = i;
		while (!f.quoted && i < s.n && (s.p[i] == ' ' || s.p[i] == '\n'))
			line_end |= s.p[i++] == '\n';
		if (i > blank && i < s.n)
			flat_space(&f, line_end, s.p[i]);
		if (i < s.n)
			flat_char(&f, s.p[i]);
	}
	return (struct str){ f.text, f.n };
}

static struct str setting(struct telling *t, const struct node *item)
{
	return str_printf(t->arena, "%.*s = %.*s", STR_ARG(one_line(t, item->u.item.key.span)), STR_ARG(one_line(t, item->u.item.value->span)));
}

static struct str shortened(struct telling *t, struct str s)
{
	size_t n = LONGEST;

	if (s.n <= LONGEST)
		return s;
	while (n && (s.p[n] & 0xc0) == 0x80)
		n--;
	return str_printf(t->arena, "%.*s...", (int)n, s.p);
}

/* "  worker       TEXT  (WHEN)  # DOC", with headings where they are due. */
static void line(struct telling *t, struct str text, struct str when, struct str doc)
{
	if (*t->heading)
		buf_printf(t->out, "\n%s\n", t->heading);
	buf_printf(t->out, "  %-*.*s %.*s", WHERE, STR_ARG(t->where), STR_ARG(text));
	if (when.n)
		buf_printf(t->out, "  (%.*s)", STR_ARG(when));
	const char *newline = memchr(doc.p ? doc.p : "", '\n', doc.n);
	if (doc.n)
		buf_printf(t->out, "  # %.*s", newline ? (int)(newline - doc.p) : (int)doc.n, doc.p);
	buf_char(t->out, '\n');
	t->heading = "";
	t->where = STR("");
}

static struct str both(struct telling *t, struct str outer, struct str inner)
{
	return outer.n ? str_printf(t->arena, "%.*s, %.*s", STR_ARG(outer), STR_ARG(inner)) : inner;
}

/* ---- items under `if` and `for` ---- */

typedef void tell_item(struct telling *t, const struct node *item, struct str when);

static void each_item(struct telling *t, const struct node *body, struct str when, tell_item *tell);

static void each_branch(struct telling *t, const struct node *item, struct str when, tell_item *tell)
{
	while (item && item->kind == NODE_IF_ITEM) {
		struct str condition = one_line(t, item->u.if_item.condition->span);
		each_item(t, item->u.if_item.then, both(t, when, str_printf(t->arena, "if %.*s", STR_ARG(condition))), tell);
		when = both(t, when, str_printf(t->arena, "unless %.*s", STR_ARG(condition)));
		item = item->u.if_item.otherwise;
	}
	each_item(t, item, when, tell);
}

static void each_pass(struct telling *t, const struct node *item, struct str when, tell_item *tell)
{
	const struct binder *b = item->u.for_item.binders;
	struct str list = one_line(t, item->u.for_item.list->span);
	struct str names = item->u.for_item.nbinders > 1 ? str_printf(t->arena, "%.*s, %.*s", STR_ARG(b[0].name), STR_ARG(b[1].name)) : b[0].name;

	each_item(t, item->u.for_item.body, both(t, when, str_printf(t->arena, "for %.*s in %.*s", STR_ARG(names), STR_ARG(list))), tell);
}

static void each_item(struct telling *t, const struct node *body, struct str when, tell_item *tell)
{
	for (size_t i = 0; body && body->kind == NODE_BODY && i < body->u.body.items.n; i++) {
		const struct node *item = body->u.body.items.at[i];
		if (item->kind == NODE_IF_ITEM)
			each_branch(t, item, when, tell);
		else if (item->kind == NODE_FOR_ITEM)
			each_pass(t, item, when, tell);
		else
			tell(t, item, when);
	}
}

static bool is_field(const struct node *item, const char *name)
{
	return (item->kind == NODE_SET || item->kind == NODE_EXTEND) && str_is(item->u.item.key.text, name);
}

/* ---- variables ---- */

static void tell_variable(struct telling *t, const struct node *item, struct str when)
{
	if (item->kind == NODE_SET)
		line(t, setting(t, item), when, item->u.item.doc);
}

static void tell_environment(struct telling *t, const struct node *item, struct str when)
{
	if (is_field(item, "env"))
		each_item(t, item->u.item.value, when, tell_variable);
}

/* ---- the other fields ---- */

static void tell_field(struct telling *t, const struct node *item, struct str when)
{
	if (is_field(item, "env") || is_field(item, "reserve") || is_field(item, "success"))
		return;
	if (item->kind == NODE_FIELD)
		line(t, one_line(t, item->span), when, item->u.field.doc);
	else if (item->kind == NODE_EXTEND)
		line(t, shortened(t, one_line(t, item->span)), when, item->u.item.doc);
	else if (item->kind == NODE_SET)
		line(t, shortened(t, setting(t, item)), when, item->u.item.doc);
}

/* Names that the rest mentions. */
static void tell_let(struct telling *t, const struct node *item, struct str when)
{
	if (item->kind != NODE_LET)
		return;
	t->where = item->u.binding.name;
	line(t, one_line(t, item->u.binding.value->span), when, item->u.binding.doc);
}

/* ---- sections ---- */

static bool is_role(const struct node *item)
{
	return item->kind == NODE_BLOCK && str_is(item->u.block.word, "role");
}

/* Of every role and of all together, as `tell` tells it. */
static void section(struct telling *t, const struct node *body, const char *heading, tell_item *tell)
{
	t->heading = heading;
	t->where = STR("every role");
	each_item(t, body, STR(""), tell);
	for (size_t i = 0; i < body->u.body.items.n; i++) {
		const struct node *item = body->u.body.items.at[i];
		if (!is_role(item))
			continue;
		t->where = item->u.block.name;
		each_item(t, item->u.block.body, STR(""), tell);
		if (tell == tell_field && t->where.n)
			line(t, STR(""), STR(""), STR(""));
	}
}

/* The value of a field of the framework; of a list of texts the texts. */
static void tell_field_of(struct telling *t, const struct node *body, const char *field, const char *heading)
{
	for (size_t i = 0; i < body->u.body.items.n; i++) {
		const struct node *item = body->u.body.items.at[i], *value = item->kind == NODE_SET ? item->u.item.value : NULL;
		if (!value || !is_field(item, field))
			continue;
		struct str text = value->kind == NODE_LIST ? STR("") : one_line(t, value->span), word;
		for (size_t k = 0; value->kind == NODE_LIST && k < value->u.list.n; k++)
			text = both(t, text, node_static_text(value->u.list.at[k], &word) ? word : one_line(t, value->u.list.at[k]->span));
		buf_printf(t->out, "\n%s\n  %.*s\n", heading, STR_ARG(text));
	}
}

static void tell_accelerator_field(struct telling *t, const struct node *item, struct str when)
{
	if (item->kind == NODE_EXTEND || item->kind == NODE_SET) {
		t->where = item->u.item.key.text;
		line(t, one_line(t, item->u.item.value->span), when, STR(""));
	}
}

void explain_blueprint(struct arena *a, const struct sources *sources, const struct node *decl, struct buf *out)
{
	struct telling t = { .sources = sources, .arena = a, .out = out, .heading = "" };
	const struct node *body = decl->u.blueprint_decl.body;

	if (!body || body->kind != NODE_BODY)
		return;
	if (decl->kind == NODE_ACCELERATOR) {
		t.heading = "Gives";
		each_item(&t, body, STR(""), tell_accelerator_field);
		return;
	}
	section(&t, body, "Roles", tell_field);
	section(&t, body, "Environment", tell_environment);
	t.heading = "Where";
	t.where = STR("");
	each_item(&t, body, STR(""), tell_let);
	tell_field_of(&t, body, "reserve", "Locked");
	tell_field_of(&t, body, "success", "Success");
}
