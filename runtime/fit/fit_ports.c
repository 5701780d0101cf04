/*
 * fit_ports.c - ports of nodes that pods take for themselves. A pod that uses the network of its node takes every port
 * that its containers name: the API server copies these to `hostPort`.
 */
#include "runtime/fit/fit.h"

#include "runtime/status/look.h"

#define ANY_ADDRESS STR("0.0.0.0")

/* Calls EACH for every port of a node that the pod takes, until one call returns true. */
static bool any_port(const struct data *spec, bool (*each)(const struct data *port, int64_t number, const void *to),
	const void *to)
{
	static const char *const lists[] = { "containers", "initContainers" };
	bool host = status_true(spec, "hostNetwork");

	for (size_t l = 0; l < 2; l++) {
		const struct data *all = status_list(spec, lists[l]);
		for (size_t i = 0; i < all->u.list.n; i++) {
			const struct data *c = all->u.list.at[i], *ports = status_list(c, "ports");
			/* init containers end before the others, except for sidecars */
			if (l && !str_is(status_text(c, "restartPolicy"), "Always"))
				continue;
			for (size_t k = 0; k < ports->u.list.n; k++) {
				const struct data *p = ports->u.list.at[k];
				int64_t inside = host ? status_number(p, "containerPort", 0) : 0;
				int64_t n = status_number(p, "hostPort", inside);
				if (n > 0 && each(p, n, to))
					return true;
			}
		}
	}
	return false;
}

static bool is_port(const struct data *port, int64_t number, const void *to)
{
	(void)port;
	(void)number;
	(void)to;
	return true;
}

bool fit_has_ports(const struct data *spec) { return any_port(spec, is_port, NULL); }

struct port_taken {
	const struct data *port, *theirs;
	int64_t number;
};

static struct str port_member(const struct data *port, const char *key, struct str otherwise)
{
	struct str text = status_text(port, key);

	return text.n ? text : otherwise;
}

/* Do two ports of one node exclude each other? An address that is not given means all addresses of the node. */
static bool is_taken(const struct data *port, int64_t number, const void *to)
{
	const struct port_taken *x = to;
	struct str ours = port_member(x->port, "hostIP", ANY_ADDRESS);
	struct str theirs = port_member(port, "hostIP", ANY_ADDRESS);
	struct str protocol = port_member(x->port, "protocol", STR("TCP"));

	return number == x->number && str_eq(protocol, port_member(port, "protocol", STR("TCP"))) &&
		(str_eq(ours, theirs) || str_eq(ours, ANY_ADDRESS) || str_eq(theirs, ANY_ADDRESS));
}

static bool clashes(const struct data *port, int64_t number, const void *to)
{
	struct port_taken x = { .port = port, .number = number };

	return any_port(to, is_taken, &x);
}

bool fit_ports_clash(const struct data *spec, const struct data *other) { return any_port(spec, clashes, other); }
