/*
 * replicas.c - joins the pod templates of replicas that were written out one by one.
 */
#include "import/compiled.h"
#include "import/import_tree.h"

struct joining {
	struct arena *arena;
	size_t n;
	const struct data *lost;
};

/* May texts under this key differ between replicas: those of a list, and the value of a variable? */
static bool key_may_differ(struct str key)
{
	return str_is(key, "command") || str_is(key, "args") || str_is(key, "value");
}

static bool all_same(const struct joining *j, const struct data *const *of)
{
	for (size_t i = 1; i < j->n; i++)
		if (!tree_same(of[0], of[i]))
			return false;
	return true;
}

static bool all_alike(const struct joining *j, const struct data *const *of, enum data_kind kind)
{
	for (size_t i = 0; i < j->n; i++)
		if (of[i]->kind != kind || data_count(of[i]) != data_count(of[0]))
			return false;
	return true;
}

static const struct data *join(struct joining *j, const struct data *const *of, bool texts);

static const struct data *join_maps(struct joining *j, const struct data *const *of)
{
	struct data *ret = ARENA_NEW(j->arena, struct data);
	size_t n = data_count(of[0]);
	struct data_member *at = ARENA_ARRAY(j->arena, struct data_member, n);
	const struct data **values = ARENA_ARRAY(j->arena, const struct data *, j->n);

	for (size_t i = 0; i < n; i++) {
		at[i] = of[0]->u.map.at[i];
		for (size_t k = 0; k < j->n; k++)
			if (!(values[k] = data_get(of[k], at[i].key))) {
				j->lost = of[k];
				return of[0];
			}
		at[i].value = join(j, values, key_may_differ(at[i].key));
	}
	*ret = (struct data){ .kind = DATA_MAP, .from = of[0]->from, .u.map = { at, n } };
	return ret;
}

static const struct data *join_lists(struct joining *j, const struct data *const *of, bool texts)
{
	struct data *ret = tree_copy(j->arena, of[0]);
	const struct data **values = ARENA_ARRAY(j->arena, const struct data *, j->n);

	for (size_t i = 0; i < ret->u.list.n; i++) {
		for (size_t k = 0; k < j->n; k++)
			values[k] = of[k]->u.list.at[i];
		ret->u.list.at[i] = join(j, values, texts);
	}
	return ret;
}

static const struct data *join(struct joining *j, const struct data *const *of, bool texts)
{
	const struct data *list = NULL;

	if (all_same(j, of))
		return of[0];
	if (all_alike(j, of, DATA_MAP))
		return join_maps(j, of);
	if (all_alike(j, of, DATA_LIST))
		return join_lists(j, of, texts);
	if (!texts || !all_alike(j, of, DATA_STRING)) {
		j->lost = of[j->n - 1];
		return of[0];
	}
	for (size_t i = 0; i < j->n; i++)
		list = tree_append(j->arena, list, tree_one(j->arena, of[i]));
	return list;
}

const struct data *replicas_join(struct arena *a, const struct data *const *templates, size_t n,
	const struct data **ret_lost)
{
	struct joining j = { .arena = a, .n = n };
	const struct data *ret = join(&j, templates, false);

	*ret_lost = j.lost;
	return ret;
}

void replicas_differ(struct import *im, const struct data *lost, struct str role)
{
	struct diag *d = diag_report(im->diags, TJ1111, lost->from,
		"the replicas of role '%.*s' differ here; the program has what replica 0 has", STR_ARG(role));

	diag_help(im->diags, d, "write what differs with pod.index");
}
