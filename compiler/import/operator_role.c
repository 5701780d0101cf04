/*
 * operator_role.c - finds roles of an operator's resource by the keys that its API accepts.
 */
#include "import/operator.h"

#include <strings.h>

const struct operator_role *operator_role_of(const struct operator_kind *k, struct str key)
{
	for (size_t i = 0; i < OPERATOR_ROLES && k->roles[i].key; i++) {
		const char *name = k->roles[i].key;
		bool same = str_is(key, name) ||
			((k->traits & OPERATOR_CASES) && key.n == strlen(name) && !strncasecmp(key.p, name, key.n));
		if (same)
			return &k->roles[i];
	}
	return NULL;
}

const struct data_member *operator_member(const struct operator_job *j, const char *key)
{
	for (size_t i = 0; j->roles && i < j->roles->u.map.n; i++) {
		const struct operator_role *role = operator_role_of(j->kind, j->roles->u.map.at[i].key);
		if (role && str_is(str_of(role->key), key))
			return &j->roles->u.map.at[i];
	}
	return NULL;
}
