/* outline.c - walks over the items of a body, also within `if` and `for`. */
#include "explain/outline.h"

struct str outline_both(struct arena *a, struct str left, struct str right)
{
	return left.n ? str_printf(a, "%.*s, %.*s", STR_ARG(left), STR_ARG(right)) : right;
}

bool outline_is_field(const struct node *item, const char *name)
{
	return (item->kind == NODE_SET || item->kind == NODE_EXTEND) && str_is(item->u.item.key.text, name);
}

struct str outline_setting(const struct outline *o, const struct node *item)
{
	struct str key = flat_text(o->flat, item->u.item.key.span),
		value = flat_text(o->flat, item->u.item.value->span);

	return str_printf(o->arena, "%.*s = %.*s", STR_ARG(key), STR_ARG(value));
}

static void branches(const struct outline *o, const struct node *item, struct str when, outline_item *each, void *to)
{
	for (; item && item->kind == NODE_IF_ITEM; item = item->u.if_item.otherwise) {
		struct str condition = flat_text(o->flat, item->u.if_item.condition->span);
		struct str yes = str_printf(o->arena, "if %.*s", STR_ARG(condition));
		outline_items(o, item->u.if_item.then, outline_both(o->arena, when, yes), each, to);
		when = outline_both(o->arena, when, str_printf(o->arena, "unless %.*s", STR_ARG(condition)));
	}
	outline_items(o, item, when, each, to);
}

static void passes(const struct outline *o, const struct node *item, struct str when, outline_item *each, void *to)
{
	const struct binder *b = item->u.for_item.binders;
	struct str list = flat_text(o->flat, item->u.for_item.list->span);
	struct str names = item->u.for_item.nbinders > 1 ? outline_both(o->arena, b[0].name, b[1].name) : b[0].name;
	struct str pass = str_printf(o->arena, "for %.*s in %.*s", STR_ARG(names), STR_ARG(list));

	outline_items(o, item->u.for_item.body, outline_both(o->arena, when, pass), each, to);
}

void outline_items(const struct outline *o, const struct node *body, struct str when, outline_item *each, void *to)
{
	for (size_t i = 0; body && body->kind == NODE_BODY && i < body->u.body.items.n; i++) {
		const struct node *item = body->u.body.items.at[i];
		if (item->kind == NODE_IF_ITEM)
			branches(o, item, when, each, to);
		else if (item->kind == NODE_FOR_ITEM)
			passes(o, item, when, each, to);
		else
			each(to, item, when);
	}
}
