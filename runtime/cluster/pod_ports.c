/* pod_ports.c - see pod_ports.h. */
#include "runtime/cluster/pod_ports.h"

#include "kube/limits.h"
#include "runtime/status/look.h"

enum { LAST_POD_PORT = 65535 };

static const char *const port_keep[] = { "metadata.name", "metadata.namespace", "metadata.uid",
	"metadata.resourceVersion", "metadata.labels.[trainc.dev/role]", "spec.containers.name",
	"spec.containers.ports", "spec.initContainers.name", "spec.initContainers.ports", NULL };

static bool is_port_listed(const struct declared_ports *all, struct str role, struct str name)
{
	for (size_t i = 0; i < all->n; i++)
		if (str_eq(all->at[i].role, role) && str_eq(all->at[i].name, name))
			return true;
	return false;
}

/* Adds the named ports of a container of a pod of ROLE. */
static void add_container(struct arena *a, const struct data *container, struct str role, struct declared_ports *ret)
{
	const struct data *ports = status_list(container, "ports");

	for (size_t i = 0; ports && i < ports->u.list.n && ret->n < POD_PORTS_MOST; i++) {
		const struct data *port = ports->u.list.at[i];
		struct declared_port p = { role, status_text(port, "name"), status_number(port, "containerPort", 0) };
		const char *why;
		struct str protocol = status_text(port, "protocol");
		if (kube_port_name(p.name, &why) && p.number > 0 && p.number <= LAST_POD_PORT &&
			(!protocol.n || str_is(protocol, "TCP")) && !is_port_listed(ret, role, p.name))
			ARENA_PUSH(a, ret->at, ret->n, p);
	}
}

bool pod_ports_list(struct session *s, struct run_watch *w, struct declared_ports *ret, int *ret_status)
{
	static const char *const lists[] = { "spec.containers", "spec.initContainers" };
	const struct cluster_watch *c = cluster_watch_of(w);
	struct member_query q = { .resource = *resource_known(STR(""), STR("Pod")), .ns = c->ns, .keep = port_keep,
		.selector = str_cat(s->arena, STR("trainc.dev/job="), w->name, STR("")) };
	struct members all = members_list(&c->cluster->client, s->arena, &q, 1);

	*ret = (struct declared_ports){ 0 };
	for (size_t k = 0; k < 2 * c->plan.nroles; k++) {
		const struct plan_role *r = &c->plan.roles[k / 2];
		for (size_t i = 0; i < all.n; i++) {
			const struct data *pod = all.at[i].object;
			const struct data *list = str_eq(status_label(pod, "trainc.dev/role"), r->label)
				? status_list(pod, lists[k % 2]) : NULL;
			for (size_t n = 0; list && n < list->u.list.n; n++)
				add_container(s->arena, list->u.list.at[n], r->name, ret);
		}
	}
	if (all.failed)
		*ret_status = cluster_say(c->cluster, all.failed);
	return !all.failed;
}
