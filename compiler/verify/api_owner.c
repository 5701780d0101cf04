/*
 * api_owner.c - rules of the API server about the owners of an object.
 */
#include "verify/api_rules.h"

/* Does S have the form `v1` or `group/v1`? */
static bool is_version(struct str s)
{
	const char *slash = s.n ? memchr(s.p, '/', s.n) : NULL;
	size_t group = slash ? (size_t)(slash - s.p) : 0;

	return s.n && (!slash || (group && group + 1 < s.n && !memchr(slash + 1, '/', s.n - group - 1)));
}

void api_owners(struct api_check *k, const struct data *d)
{
	const struct data *list = data_get(d, STR("ownerReferences")), *controller = NULL;

	for (size_t i = 0; list && list->kind == DATA_LIST && i < list->u.list.n; i++) {
		const struct data *owner = list->u.list.at[i];
		const struct data *controls = owner->kind == DATA_MAP ? data_get(owner, STR("controller")) : NULL;
		struct str version = owner->kind == DATA_MAP ? api_text(owner, "apiVersion") : STR("");
		if (owner->kind == DATA_MAP && api_has(owner, "apiVersion") && !is_version(version))
			api_refuse(k, data_get(owner, STR("apiVersion")),
				"write \"v1\", or group and version: \"batch/v1\"",
				"'apiVersion' of an owner cannot be '%.*s'",
				STR_ARG(check_short(k->c->arena, version)));
		if (!controls || controls->kind != DATA_BOOL || !controls->u.boolean)
			continue;
		if (controller)
			api_refuse(k, controls, "leave 'controller' to one of them",
				"an object has one controlling owner");
		controller = owner;
	}
}
