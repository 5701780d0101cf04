/*
 * sources.c - reads `envFrom`: objects of which every key becomes a variable.
 */
#include "import/import_role.h"

#include "kube/limits.h"

/* The reference to the object of an entry; NULL if `env_from` cannot say the entry. */
static const struct data *source_ref(const struct data *entry, bool *ret_secret)
{
	const struct data *secret = member(entry, "secretRef"), *config = member(entry, "configMapRef");
	const struct data *ref = secret ? secret : config;
	struct str prefix = member_text(entry, "prefix");

	*ret_secret = secret != NULL;
	if (!secret == !config || ref->kind != DATA_MAP || entry->u.map.n > (member(entry, "prefix") ? 2 : 1))
		return NULL;
	for (size_t i = 0; i < ref->u.map.n; i++)
		if (!str_is(ref->u.map.at[i].key, "name") && !str_is(ref->u.map.at[i].key, "optional"))
			return NULL;
	for (size_t i = 0; i < prefix.n; i++)
		if (prefix.p[i] == '=' || (unsigned char)prefix.p[i] <= 0x20 || (unsigned char)prefix.p[i] >= 0x7F)
			return NULL;
	return kube_object_name(member_text(ref, "name")) ? ref : NULL;
}

bool sources_known(const struct data *list, bool *ret_secrets)
{
	bool secret;

	*ret_secrets = true;
	for (size_t i = 0; i < data_count(list); i++) {
		if (list->kind != DATA_LIST || list->u.list.at[i]->kind != DATA_MAP ||
		    !source_ref(list->u.list.at[i], &secret))
			return false;
		*ret_secrets = *ret_secrets && secret;
	}
	return list && list->kind == DATA_LIST && list->u.list.n;
}

struct expr *sources_expr(struct import *im, const struct data *list)
{
	struct arena *a = im->arena;
	struct expr *all = expr_new(a, EXPR_LIST);

	for (size_t i = 0; i < list->u.list.n; i++) {
		const struct data *entry = list->u.list.at[i];
		bool secret;
		const struct data *ref = source_ref(entry, &secret);
		struct expr *e = expr_call(a, secret ? STR("secret_env") : STR("config_env"));
		if (!ref)
			continue;
		lines_add(a, &e->items, expr_string(a, member_text(ref, "name")), ref->from);
		if (member_text(entry, "prefix").n)
			lines_set(a, &e->items, STR("prefix"), expr_string(a, member_text(entry, "prefix")),
				entry->from);
		if (member_bool(ref, "optional", false))
			lines_set(a, &e->items, STR("optional"), expr_text(a, STR("true")), entry->from);
		import_comments(im, lines_add(a, &all->items, e, entry->from), entry->from);
	}
	return all;
}
