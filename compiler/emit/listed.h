/*
 * listed.h - the objects of one job as trees, for those who send them instead of
 * writing them.
 */
#ifndef TRAINC_EMIT_LISTED_H
#define TRAINC_EMIT_LISTED_H

#include "emit/emit.h"

struct emit_listed {
	struct str api_version, kind, name;
	const struct plan_role *role;   /* that it belongs to, or NULL */
	bool scoped;                    /* to the cluster: no namespace */
	bool whole;                     /* it stands for the whole run */
	bool extra;                     /* an object of the user's own, or of the framework */
	struct str generated;           /* the kind of thing that must be made before it is sent; empty: none */
	struct span from;
	struct data *tree;              /* each value with the place that decided it, where that is known */
};

struct emit_listing {
	struct emit_listed *at;
	size_t n;
};

/* Lists the objects of J, a job of PLAN, in output order.  Everything lives in A. */
struct emit_listing emit_list(struct arena *a, const struct plan *plan, const struct plan_job *j);
/* Lists those that belong to no single replica: neither what runs one nor its Service. */
struct emit_listing emit_list_shared(struct arena *a, const struct plan *plan, const struct plan_job *j);

#endif
