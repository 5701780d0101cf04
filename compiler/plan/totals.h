/* totals.h - sums up the resources that a job requests when all roles have their maximum size. */
#ifndef TRAINC_PLAN_TOTALS_H
#define TRAINC_PLAN_TOTALS_H

#include "plan/plan.h"

/* The total of an accelerator's devices, or of a resource in `resources`. */
struct plan_device_total {
	struct str resource;
	bool bytes;                     /* huge pages: `count` is an amount of memory */
	int64_t count;                  /* the sum; INT64_MAX when it would be larger */
};
struct plan_totals {
	int64_t pods;
	struct plan_quantity cpu, memory;       /* sums of cpu and memory; set if a role requests them */
	struct plan_device_total *devices;
	size_t ndevices;
};
/* Formats an amount of devices: "16 example.com/npu", "4Gi hugepages-2Mi". */
struct str plan_device_text(struct arena *a, const struct plan_device_total *t);
/* Sums up the roles of a job. */
struct plan_totals plan_totals(struct arena *a, const struct plan_job *j);
/* Sums up all jobs of the plan. */
struct plan_totals plan_sum(struct arena *a, const struct plan *plan);

/*
 * Returns what one pod of the role requests, in its main container and its sidecars. The replicas of the role must
 * not differ.
 */
struct plan_quantity plan_pod_cpu(const struct plan_role *r);
struct plan_quantity plan_pod_memory(const struct plan_role *r);
/* Returns the devices of one pod, those of the accelerator first. */
struct plan_device_total *plan_pod_devices(struct arena *a, const struct plan_role *r, size_t *ret_n);

/*
 * Returns the results of TEXT for all kinds of replicas of the role: "8Gi", "8Gi or 4Gi", or "8Gi ... 1Gi" for more
 * than three.
 */
typedef struct str plan_pod_text(struct arena *a, const struct plan_role *r);
struct str plan_kinds_text(struct arena *a, const struct plan_role *r, plan_pod_text *text);

#endif
