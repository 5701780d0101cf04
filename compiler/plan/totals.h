/*
 * totals.h - what a job asks for at its maximum.
 */
#ifndef TRAINC_PLAN_TOTALS_H
#define TRAINC_PLAN_TOTALS_H

#include "plan/plan.h"

struct plan_device_total {
	struct str resource;
	int64_t count;
};
struct plan_totals {
	int64_t pods;
	struct plan_quantity cpu, memory;       /* set when some role asks for it */
	struct plan_device_total *devices;
	size_t ndevices;
};
struct plan_totals plan_totals(struct arena *a, const struct plan_job *j);

/* What one pod of the role requests: its main container and its sidecars. */
struct plan_quantity plan_pod_cpu(const struct plan_role *r);
struct plan_quantity plan_pod_memory(const struct plan_role *r);

#endif
