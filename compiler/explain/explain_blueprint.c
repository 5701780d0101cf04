/*
 * explain_blueprint.c - shows the parts of a framework or an accelerator of the library: its arguments, roles and
 * environment, what it locks, and when it succeeds. Everything is shown as its author wrote it, on one line; items
 * within an `if` or `for` are followed by its condition.
 */
#include "explain/explain_blueprint.h"

#include "explain/outline.h"

enum { LONGEST = 100, WHERE = 12 };

struct telling {
	struct outline outline;
	struct arena *arena;
	struct buf *out;
	const char *heading;            /* title of the section, until its first line is written */
	struct str where;               /* name of the role, until its first line is written */
};

static struct str source_on_one_line(const struct telling *t, struct span span)
{
	return flat_text(t->outline.flat, span);
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

/* Writes a line " worker TEXT (WHEN) # DOC", with headings if they are due. */
static void put_blueprint_line(struct telling *t, struct str text, struct str when, struct str doc)
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

/* ---- variables ---- */

static void tell_variable(void *to, const struct node *item, struct str when)
{
	struct telling *t = to;

	if (item->kind == NODE_SET)
		put_blueprint_line(t, outline_setting(&t->outline, item), when, item->u.item.doc);
}

static void tell_environment(void *to, const struct node *item, struct str when)
{
	struct telling *t = to;

	if (outline_is_field(item, "env"))
		outline_items(&t->outline, item->u.item.value, when, tell_variable, t);
}

/* ---- fields without a section of their own ---- */

static void tell_field(void *to, const struct node *item, struct str when)
{
	struct telling *t = to;

	if (outline_is_field(item, "env") || outline_is_field(item, "reserve") || outline_is_field(item, "success"))
		return;
	if (item->kind == NODE_FIELD)
		put_blueprint_line(t, source_on_one_line(t, item->span), when, item->u.field.doc);
	else if (item->kind == NODE_EXTEND)
		put_blueprint_line(t, shortened(t, source_on_one_line(t, item->span)), when, item->u.item.doc);
	else if (item->kind == NODE_SET)
		put_blueprint_line(t, shortened(t, outline_setting(&t->outline, item)), when, item->u.item.doc);
}

/* Writes a `let`, whose name other parts refer to. */
static void tell_let(void *to, const struct node *item, struct str when)
{
	struct telling *t = to;

	if (item->kind != NODE_LET)
		return;
	t->where = item->u.binding.name;
	put_blueprint_line(t, source_on_one_line(t, item->u.binding.value->span), when, item->u.binding.doc);
}

/* ---- sections ---- */

static bool is_role(const struct node *item)
{
	return item->kind == NODE_BLOCK && str_is(item->u.block.word, "role");
}

/*
 * Writes a section: calls TELL with the items of the framework itself, which apply to all roles, and with those of each
 * role.
 */
static void section(struct telling *t, const struct node *body, const char *heading, outline_item *tell)
{
	t->heading = heading;
	t->where = STR("every role");
	outline_items(&t->outline, body, STR(""), tell, t);
	for (size_t i = 0; i < body->u.body.items.n; i++) {
		const struct node *item = body->u.body.items.at[i];
		if (!is_role(item))
			continue;
		t->where = item->u.block.name;
		outline_items(&t->outline, item->u.block.body, STR(""), tell, t);
		if (tell == tell_field && t->where.n)
			put_blueprint_line(t, STR(""), STR(""), STR(""));
	}
}

/* Writes the value of a field of the framework; for a list of texts, the texts. */
static void tell_field_of(struct telling *t, const struct node *body, const char *field, const char *heading)
{
	for (size_t i = 0; i < body->u.body.items.n; i++) {
		const struct node *item = body->u.body.items.at[i],
			*value = item->kind == NODE_SET ? item->u.item.value : NULL;
		if (!value || !outline_is_field(item, field))
			continue;
		struct str text = value->kind == NODE_LIST ? STR("") : source_on_one_line(t, value->span), word;
		for (size_t k = 0; value->kind == NODE_LIST && k < value->u.list.n; k++)
			text = outline_both(t->arena, text, node_static_text(value->u.list.at[k], &word) ? word
				: source_on_one_line(t, value->u.list.at[k]->span));
		buf_printf(t->out, "\n%s\n  %.*s\n", heading, STR_ARG(text));
	}
}

static void tell_accelerator_field(void *to, const struct node *item, struct str when)
{
	struct telling *t = to;

	if (item->kind == NODE_EXTEND || item->kind == NODE_SET) {
		t->where = item->u.item.key.text;
		put_blueprint_line(t, source_on_one_line(t, item->u.item.value->span), when, STR(""));
	}
}

void explain_blueprint(struct arena *a, const struct flat *flat, const struct node *decl, struct buf *out)
{
	struct telling t = { .outline = { a, flat }, .arena = a, .out = out, .heading = "" };
	const struct node *body = decl->u.blueprint_decl.body;

	if (!body || body->kind != NODE_BODY)
		return;
	if (decl->kind == NODE_ACCELERATOR) {
		t.heading = "Gives";
		outline_items(&t.outline, body, STR(""), tell_accelerator_field, &t);
		return;
	}
	section(&t, body, "Roles", tell_field);
	section(&t, body, "Environment", tell_environment);
	t.heading = "Where";
	t.where = STR("");
	outline_items(&t.outline, body, STR(""), tell_let, &t);
	tell_field_of(&t, body, "reserve", "Locked");
	tell_field_of(&t, body, "success", "Success");
}
