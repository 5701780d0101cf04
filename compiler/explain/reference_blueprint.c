/*
 * reference_blueprint.c - describes a framework or an accelerator: the roles and their bounds, the environment of every
 * process, what is locked, and what a device requires of its node.
 */
#include "explain/markdown.h"
#include "explain/reference.h"

/* A table whose head is written before its first row. */
struct table {
	struct reference *r;
	const char *head;               /* the head; empty once it was written */
	struct str role;                /* name of the role that the items belong to; empty if they apply to every role
					 */
};

static void begin_row(struct table *t)
{
	if (*t->head) {
		buf_char(t->r->out, '\n');
		markdown_head(t->r->out, t->head);
	}
	t->head = "";
	buf_char(t->r->out, '|');
}

static void cell_role(struct table *t)
{
	if (t->role.n)
		reference_cell_code(t->r, t->role);
	else
		buf_z(t->r->out, " every role |");
}

/* Writes "`value`, `if x`". */
static void put_under(struct buf *out, struct str text, struct str when)
{
	markdown_code(out, text, true);
	if (!when.n)
		return;
	buf_z(out, ", ");
	markdown_code(out, when, true);
}

/* ---- roles ---- */

/* The cells of a role while its items are read. */
struct documented_role {
	struct reference *r;
	struct str replicas, doc;
	struct buf ports, others;
};

static void put_blueprint_port(void *to, const struct node *item, struct str when)
{
	struct documented_role *role = to;

	if (item->kind != NODE_SET)
		return;
	buf_z(&role->ports, role->ports.n ? "<br>" : "");
	put_under(&role->ports, outline_setting(&role->r->outline, item), when);
}

/* The type and default of a field such as "replicas: int(1..) = 1", without the name, which has its own column. */
static struct str bounds(const struct reference *r, const struct node *field)
{
	struct str type = reference_text(r, field->u.field.type);

	if (!field->u.field.value)
		return type;
	return str_printf(r->arena, "%.*s = %.*s", STR_ARG(type), STR_ARG(reference_text(r, field->u.field.value)));
}

static void put_item(void *to, const struct node *item, struct str when)
{
	struct documented_role *role = to;
	bool setting = item->kind == NODE_SET || item->kind == NODE_EXTEND;

	if (item->kind == NODE_FIELD && str_is(item->u.field.key.text, "replicas")) {
		role->replicas = bounds(role->r, item);
		role->doc = role->doc.n ? role->doc : item->u.field.doc;
	} else if (outline_is_field(item, "ports")) {
		outline_items(&role->r->outline, item->u.item.value, when, put_blueprint_port, role);
	} else if (item->kind == NODE_FIELD || (setting && !outline_is_field(item, "env") &&
	                                        !outline_is_field(item, "reserve") &&
	                                        !outline_is_field(item, "success"))) {
		buf_z(&role->others, role->others.n ? "<br>" : "");
		put_under(&role->others, reference_text(role->r, item), when);
	}
}

static void put_blueprint_role(struct table *t, const struct node *body, struct str doc)
{
	struct documented_role role = { .r = t->r, .doc = doc };
	struct reference *r = t->r;

	outline_items(&r->outline, body, STR(""), put_item, &role);
	if (t->role.n || role.ports.n || role.others.n) {
		begin_row(t);
		cell_role(t);
		reference_cell_code(r, role.replicas);
		buf_printf(r->out, " %.*s%s|", STR_ARG(buf_text(&role.ports)), role.ports.n ? " " : "");
		buf_printf(r->out, " %.*s%s|", STR_ARG(buf_text(&role.others)), role.others.n ? " " : "");
		reference_cell_doc(r, role.doc);
		buf_char(r->out, '\n');
	}
	buf_release(&role.ports);
	buf_release(&role.others);
}

/* ---- environment ---- */

static void put_variable(void *to, const struct node *item, struct str when)
{
	struct table *t = to;
	struct reference *r = t->r;

	if (item->kind != NODE_SET)
		return;
	begin_row(t);
	reference_cell_code(r, flat_text(r->outline.flat, item->u.item.key.span));
	cell_role(t);
	buf_char(r->out, ' ');
	put_under(r->out, reference_text(r, item->u.item.value), when);
	buf_z(r->out, " |");
	reference_cell_doc(r, item->u.item.doc);
	buf_char(r->out, '\n');
}

static void put_environment(void *to, const struct node *item, struct str when)
{
	struct table *t = to;

	if (outline_is_field(item, "env"))
		outline_items(&t->r->outline, item->u.item.value, when, put_variable, t);
}

/* ---- sentences ---- */

static void put_let(void *to, const struct node *item, struct str when)
{
	struct table *t = to;           /* the text before the first part serves as the head */
	struct reference *r = t->r;

	(void)when;
	if (item->kind != NODE_LET)
		return;
	buf_z(r->out, t->head);
	t->head = ", ";
	markdown_code(r->out, item->u.binding.name, false);
	buf_z(r->out, " is ");
	markdown_code(r->out, reference_text(r, item->u.binding.value), false);
}

/* Writes "Locked: `A`, `B_*`." */
static void put_reserved(struct reference *r, const struct node *value)
{
	struct str word;

	buf_z(r->out, "\nLocked: ");
	if (value->kind != NODE_LIST)
		markdown_code(r->out, reference_text(r, value), false);
	for (size_t i = 0; value->kind == NODE_LIST && i < value->u.list.n; i++) {
		const struct node *one = value->u.list.at[i];
		buf_z(r->out, i ? ", " : "");
		markdown_code(r->out, node_static_text(one, &word) ? word : reference_text(r, one), false);
	}
	buf_z(r->out, ".\n");
}

static void put_sentences(struct reference *r, const struct node *body)
{
	struct table lets = { .r = r, .head = "\nHere " };

	outline_items(&r->outline, body, STR(""), put_let, &lets);
	buf_z(r->out, *lets.head == ',' ? ".\n" : "");
	for (size_t i = 0; i < body->u.body.items.n; i++) {
		const struct node *item = body->u.body.items.at[i];
		if (item->kind != NODE_SET)
			continue;
		if (outline_is_field(item, "reserve"))
			put_reserved(r, item->u.item.value);
		if (!outline_is_field(item, "success"))
			continue;
		buf_z(r->out, "\nSucceeds when ");
		markdown_code(r->out, reference_text(r, item->u.item.value), false);
		buf_z(r->out, ".\n");
	}
}

/* ---- entry points ---- */

static bool is_role(const struct node *item) { return item->kind == NODE_BLOCK && str_is(item->u.block.word, "role"); }

static void put_framework(struct reference *r, const struct node *body)
{
	struct table roles = { .r = r, .head = "| role | replicas | ports | sets | |" };
	struct table environment = { .r = r, .head = "| variable | in | value | |" };
	const struct nodes *items = &body->u.body.items;

	put_blueprint_role(&roles, body, STR(""));
	for (size_t i = 0; i < items->n; i++) {
		if (!is_role(items->at[i]))
			continue;
		roles.role = items->at[i]->u.block.name;
		put_blueprint_role(&roles, items->at[i]->u.block.body, items->at[i]->u.block.doc);
	}
	outline_items(&r->outline, body, STR(""), put_environment, &environment);
	for (size_t i = 0; i < items->n; i++) {
		if (!is_role(items->at[i]))
			continue;
		environment.role = items->at[i]->u.block.name;
		outline_items(&r->outline, items->at[i]->u.block.body, STR(""), put_environment, &environment);
	}
	put_sentences(r, body);
}

static void put_device_field(void *to, const struct node *item, struct str when)
{
	struct table *t = to;
	struct reference *r = t->r;

	if (item->kind != NODE_SET && item->kind != NODE_EXTEND)
		return;
	begin_row(t);
	reference_cell_code(r, item->u.item.key.text);
	buf_char(r->out, ' ');
	put_under(r->out, reference_text(r, item->u.item.value), when);
	buf_z(r->out, " |\n");
}

static void put_accelerator(struct reference *r, const struct node *body)
{
	struct table fields = { .r = r, .head = "| field | value |" };

	outline_items(&r->outline, body, STR(""), put_device_field, &fields);
	put_sentences(r, body);
}

void reference_blueprint(struct reference *r, const struct node *decl)
{
	const struct node *body = decl->u.blueprint_decl.body;

	reference_doc(r, decl->u.blueprint_decl.doc);
	if (decl->u.blueprint_decl.base) {
		struct span at = decl->u.blueprint_decl.base->span;
		buf_z(r->out, "\nWraps ");
		markdown_code(r->out, flat_text(r->outline.flat, decl->u.blueprint_decl.has_args ?
			span_join(at, decl->u.blueprint_decl.args_span) : at), false);
		buf_z(r->out, ".\n");
	}
	reference_arguments(r, &decl->u.blueprint_decl.formals);
	if (decl->kind == NODE_FRAMEWORK)
		put_framework(r, body);
	else
		put_accelerator(r, body);
	reference_checks(r, body, "\nThese must hold:\n\n");
}
