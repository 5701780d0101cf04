/*
 * node_affinity.c - reads the node affinity that pods require: lists of values of a label become `node_in`, `avoid` or
 * `zone`. An affinity with several terms, preferences or comparisons stays raw.
 */
#include "import/import_role.h"
#include "import/import_tree.h"

#include "kube/limits.h"

#define REQUIRED "requiredDuringSchedulingIgnoredDuringExecution"

/* Which field says an expression; NULL: none does. */
static const char *field_of(const struct data *e)
{
	struct str op = member_text(e, "operator");
	const struct data *values = member(e, "values");
	bool listed = str_is(op, "In") || str_is(op, "NotIn");
	const char *why;

	if (!kube_label_key(member_text(e, "key"), &why) || (listed ? !data_count(values) : data_count(values) > 0))
		return NULL;
	for (size_t i = 0; i < data_count(values); i++)
		if (values->kind != DATA_LIST || values->u.list.at[i]->kind != DATA_STRING ||
		    !kube_label_value(values->u.list.at[i]->u.string, &why))
			return NULL;
	return str_is(op, "In") || str_is(op, "Exists") ? "node_in" :
		str_is(op, "NotIn") || str_is(op, "DoesNotExist") ? "avoid" : NULL;
}

/* Does a later expression of the list say the same field of the same label? */
static bool said_again(const struct data *list, size_t i)
{
	const char *field = field_of(list->u.list.at[i]);

	for (size_t k = i + 1; field && k < list->u.list.n; k++) {
		const char *other = field_of(list->u.list.at[k]);
		if (other && strcmp(field, other) == 0 &&
		    str_eq(member_text(list->u.list.at[k], "key"), member_text(list->u.list.at[i], "key")))
			return true;
	}
	return false;
}

/* The expressions of AFFINITY if fields say all of them, and nothing else is in it; otherwise NULL. */
static const struct data *known_expressions(const struct data *affinity)
{
	const struct data *required = member(affinity, REQUIRED), *terms = member(required, "nodeSelectorTerms");

	if (affinity->kind != DATA_MAP || affinity->u.map.n != 1 || data_count(required) != 1 ||
		data_count(terms) != 1 || terms->kind != DATA_LIST)
		return NULL;
	const struct data *term = terms->u.list.at[0], *list = member(term, "matchExpressions");
	if (data_count(term) != 1 || !data_count(list) || list->kind != DATA_LIST)
		return NULL;
	for (size_t i = 0; i < list->u.list.n; i++)
		if (!field_of(list->u.list.at[i]) || said_again(list, i))
			return NULL;
	return list;
}

static struct expr *values_expr(struct import *im, const struct data *values)
{
	struct expr *all = expr_new(im->arena, EXPR_LIST);

	if (!data_count(values))
		return expr_string(im->arena, STR("*"));
	if (values->u.list.n == 1)
		return expr_string(im->arena, values->u.list.at[0]->u.string);
	for (size_t i = 0; i < values->u.list.n; i++)
		import_comments(im, lines_add(im->arena, &all->items, expr_string(im->arena,
			values->u.list.at[i]->u.string), values->u.list.at[i]->from), values->u.list.at[i]->from);
	return all;
}

static bool is_node_affinity(const struct data_member *m, const struct data *of)
{
	(void)of;
	return str_is(m->key, "nodeAffinity");
}

const struct data *node_affinity_read(struct role_reading *r, const struct data *affinity)
{
	struct import *im = r->im;
	const struct data *node = affinity->kind == DATA_MAP ? member(affinity, "nodeAffinity") : NULL;
	const struct data *list = node ? known_expressions(node) : NULL;

	if (!list)
		return affinity;
	for (size_t i = 0; i < list->u.list.n; i++) {
		const struct data *e = list->u.list.at[i], *values = member(e, "values");
		struct str key = member_text(e, "key");
		bool zone = str_is(usual_level(key), "zone") && str_is(member_text(e, "operator"), "In") &&
			!data_get(member(r->spec, "nodeSelector"), key);
		struct lines *to = zone ? r->role : lines_block(im->arena, r->role, str_of(field_of(e)), e->from);
		import_comments(im, lines_set(im->arena, to, zone ? STR("zone") : key_text(im->arena, key),
			values_expr(im, values), e->from), e->from);
	}
	const struct data *rest = tree_without(im->arena, affinity, is_node_affinity, NULL);
	return data_count(rest) ? rest : NULL;
}
