/*
 * outline.h - lists the items of a body in order, including those within `if` and `for`, for descriptions of a
 * declaration.
 */
#ifndef TRAINC_OUTLINE_H
#define TRAINC_OUTLINE_H

#include "syntax/ast.h"
#include "syntax/flat.h"

struct outline {
	struct arena *arena;
	const struct flat *flat;        /* the source text of the bodies */
};

/* Visits ITEM. WHEN is the condition and the loops around it, such as "if a > 0, for k in keys", or empty. */
typedef void outline_item(void *to, const struct node *item, struct str when);

/* Visits every item of a NODE_BODY; does nothing for other nodes. WHEN is the condition of the body itself. */
void outline_items(const struct outline *o, const struct node *body, struct str when, outline_item *each, void *to);

/* Does the item set or extend the field NAME? */
bool outline_is_field(const struct node *item, const char *name);
/* The text `key = value` of a NODE_SET, on one line. */
struct str outline_setting(const struct outline *o, const struct node *item);
/* Joins two texts as "a, b"; only `b` when `a` is empty. */
struct str outline_both(struct arena *a, struct str left, struct str right);

#endif
