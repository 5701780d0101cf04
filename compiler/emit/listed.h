/*
 * listed.h - lists the objects of one job as trees, for code that sends them instead of writing them.
 */
#ifndef TRAINC_EMIT_LISTED_H
#define TRAINC_EMIT_LISTED_H

#include "emit/emit.h"

struct emit_listed {
	struct str api_version, kind, name;
	const struct plan_role *role;   /* the role to which the object belongs, or NULL */
	bool cluster_wide;              /* the object has no namespace */
	bool whole;                     /* the object represents the whole run */
	bool extra;                     /* an extra object of the user or of the framework */
	struct str generated;           /* the kind of content that must be generated before the object is sent;
					 * empty: nothing */
	struct span from;
	/* the tree; values have the source position that decided them, if it is known */
	struct data *tree;
};

struct emit_listing {
	struct emit_listed *at;
	size_t n;
};

/* Lists the objects of J, a job of PLAN, in output order.  Everything lives in A. */
struct emit_listing emit_list(struct arena *a, const struct plan *plan, const struct plan_job *j);
/* Lists the objects that belong to no single replica: neither workloads nor the Services of replicas. */
struct emit_listing emit_list_shared(struct arena *a, const struct plan *plan, const struct plan_job *j);

/*
 * Lists the ConfigMaps with the code of J, which emit_list() leaves out: they belong to every run that has the same
 * code.
 */
struct emit_listing emit_list_code(struct arena *a, const struct plan *plan, const struct plan_job *j);

#endif
