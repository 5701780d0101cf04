/*
 * devices.h - which of the machine's devices each replica gets.
 *
 * An accelerator says how its devices look on a machine (`devices`, a pattern of files) and which
 * variable tells a program what it may use (`visible`).  Replicas get numbers of their own, in the
 * order of the plan, and more than there are is refused.  Devices are shared only when the caller's
 * own variable lists them several times; it may also list parts of devices by their names.
 */
#ifndef TRAINC_RUNTIME_LOCAL_DEVICES_H
#define TRAINC_RUNTIME_LOCAL_DEVICES_H

#include "plan/plan.h"

struct devices;

/*
 * Count the machine's devices of every kind that the job asks for.  `none`:
 * --no-devices, programs see none.  `caller` gives a variable of the command's
 * environment (p == NULL: not set): devices that it hides stay hidden.
 * Complaints are appended to `why`, one line each.
 */
struct devices *devices_new(struct arena *a, const struct plan_job *j, bool none,
	struct str (*caller)(const void *context, struct str name), const void *context, struct buf *why);

/* Give a replica its devices, or take them back.  False with a sentence when there are not enough left. */
bool devices_take(struct devices *d, unsigned role, int64_t i, struct str *why);
void devices_return(struct devices *d, unsigned role, int64_t i);

/* The variables that tell a replica which devices it may use: for every kind in the job, "" for none. */
struct device_variable {
	struct str name, value;
};
size_t devices_variables(const struct devices *d, struct arena *a, unsigned role, int64_t i,
	struct device_variable **ret);

#endif
