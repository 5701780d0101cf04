/*
 * why_nodes.c - compares the labels that waiting pods ask for with those of the nodes. The scheduler's message only
 * says that no node matched.
 */
#include "runtime/command/why_nodes.h"

#include "runtime/fit/fit.h"
#include "runtime/status/look.h"

const struct fit_hint *hints_of(struct session *s)
{
	struct fit_hint *hints = NULL;
	size_t n = 0;

	for (const struct stdlib_site *site = stdlib_sites(); ; site++) {
		ARENA_PUSH(s->arena, hints, n, ((struct fit_hint){ site->name, site->labels }));
		if (!site->name)
			return hints;
	}
}

static bool is_waiting_pod(const struct data *o, const struct run_state *run)
{
	return str_is(status_text(o, "kind"), "Pod") && !status_text(o, "spec.nodeName").n &&
		str_eq(status_text(o, "metadata.namespace"), run->ns) &&
		str_eq(status_label(o, "trainc.dev/job"), run->name);
}

struct str why_no_node(struct session *s, const struct run_state *run)
{
	struct status_objects objects = { 0 };
	struct str namespace = run->ns, text = STR("");
	struct buf out = { 0 };

	if (!s->backend || !s->backend->nodes || !s->backend->nodes(s, &namespace, 1, &objects, NULL))
		return text;
	struct fit_cluster c = fit_cluster_of(s->arena, &objects);
	c.hints = hints_of(s);
	for (size_t i = 0; i < objects.n && !out.n; i++) {
		struct fit_shape shape = { .spec = status_path(objects.at[i], "spec") };
		if (!shape.spec || !is_waiting_pod(objects.at[i], run))
			continue;
		fit_pod_needs(&c.resources, shape.spec, shape.need, shape.limit);
		fit_put_labels(&c, &shape, &out);
	}
	if (out.n > 2)                          /* without "; " at the beginning */
		text = str_copy(s->arena, (struct str){ out.p + 2, out.n - 2 });
	buf_release(&out);
	return text;
}
