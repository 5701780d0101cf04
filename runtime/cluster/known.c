/*
 * known.c - lists the names of contexts and namespaces, for completion.
 */
#include "runtime/cluster/cluster.h"

void cluster_contexts(struct session *s, struct buf *out)
{
	struct kubeconfig_options o = { .file = option_value(s->options, OPTION_KUBECONFIG) };
	struct kubeconfig_names names;
	struct str why;

	kubeconfig_environment(&o);
	if (!kubeconfig_contexts(s->arena, &o, &names, &why))
		return;
	for (size_t i = 0; i < names.n; i++)
		buf_printf(out, "%.*s\n", STR_ARG(names.at[i]));
}

void cluster_namespaces(struct session *s, struct buf *out)
{
	static const char *const keep[] = { "metadata.name", NULL };
	struct member_query q = { .resource = *resource_known(STR(""), STR("Namespace")), .keep = keep };
	struct members all = members_list(&cluster_of(s)->client, s->arena, &q, 1);

	for (size_t i = 0; i < all.n; i++)
		buf_printf(out, "%.*s\n", STR_ARG(all.at[i].name));
}
