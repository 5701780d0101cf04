/* replica_names.c - see replica_names.h. */
#include "runtime/status/replica_names.h"

static void names_make(struct replica_names *n)
{
	n->made = true;
	for (size_t i = 0; i < n->job->nroles; i++) {
		const struct plan_role *r = &n->job->roles[i];
		for (int64_t k = 0; k < r->max; k++) {
			struct buf name = { 0 };
			struct replica_place *place = ARENA_NEW(n->arena, struct replica_place);
			*place = (struct replica_place){ i, k };
			plan_replica_name(r, k, &name);
			map_put(&n->at, n->arena, buf_take(&name, n->arena), place);
			buf_release(&name);
		}
	}
}

const struct replica_place *replica_names_find(struct replica_names *n, struct str name)
{
	if (!n->made)
		names_make(n);
	return map_get(&n->at, name);
}

const struct replica_place *replica_names_of_pod(struct replica_names *n, struct str name)
{
	const struct replica_place *place = replica_names_find(n, name);
	const char *dash = place || !name.n ? NULL : memrchr(name.p, '-', name.n);

	return dash ? replica_names_find(n, (struct str){ name.p, (size_t)(dash - name.p) }) : place;
}
