/* known_resource.c - the kinds that never change, and the paths of all. */
#include "runtime/cluster/known_resource.h"

#define TEXT(literal) { literal, sizeof(literal) - 1 }
static const struct resource known[] = {
	{ TEXT(""), TEXT("v1"), TEXT("Namespace"), TEXT("namespaces"), false },
	{ TEXT(""), TEXT("v1"), TEXT("Node"), TEXT("nodes"), false },
	{ TEXT(""), TEXT("v1"), TEXT("Pod"), TEXT("pods"), true },
	{ TEXT(""), TEXT("v1"), TEXT("Service"), TEXT("services"), true },
	{ TEXT(""), TEXT("v1"), TEXT("ConfigMap"), TEXT("configmaps"), true },
	{ TEXT(""), TEXT("v1"), TEXT("Secret"), TEXT("secrets"), true },
	{ TEXT(""), TEXT("v1"), TEXT("ServiceAccount"), TEXT("serviceaccounts"), true },
	{ TEXT(""), TEXT("v1"), TEXT("PersistentVolumeClaim"), TEXT("persistentvolumeclaims"), true },
	{ TEXT(""), TEXT("v1"), TEXT("Event"), TEXT("events"), true },
	{ TEXT("apps"), TEXT("v1"), TEXT("Deployment"), TEXT("deployments"), true },
	{ TEXT("batch"), TEXT("v1"), TEXT("Job"), TEXT("jobs"), true },
};
#undef TEXT

void resource_split(struct str api_version, struct str *ret_group, struct str *ret_version)
{
	const char *slash = api_version.n ? memchr(api_version.p, '/', api_version.n) : NULL;
	size_t group = slash ? (size_t)(slash - api_version.p) : 0;

	*ret_group = (struct str){ api_version.p, group };
	*ret_version = slash ? (struct str){ slash + 1, api_version.n - group - 1 } : api_version;
}

const struct resource *resource_known(struct str group, struct str kind)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (str_eq(known[i].group, group) && str_eq(known[i].kind, kind))
			return &known[i];
	return NULL;
}

const struct resource *resource_of_plural(struct str group, struct str plural)
{
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (str_eq(known[i].group, group) && str_eq(known[i].plural, plural))
			return &known[i];
	return NULL;
}

struct str resource_path(struct arena *a, const struct resource *r, struct str ns, struct str name)
{
	struct transport_place p = { .group = r->group, .version = r->version, .plural = r->plural, .name = name };

	if (r->namespaced)
		p.namespace = ns;
	return transport_path(a, &p);
}

struct str resource_group_kind(struct arena *a, const struct resource *r)
{
	return r->group.n ? str_cat(a, r->kind, STR("."), r->group) : r->kind;
}
