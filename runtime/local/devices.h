/*
 * devices.h - distributes the machine's devices among the replicas. An accelerator declares how its devices look on a
 * machine (`devices`, a pattern of files) and which variable lists the devices that a program may use (`visible`). Each
 * replica gets devices of its own, in the order of the plan. A job is refused if it needs more devices than the machine
 * has. Devices are shared only when the caller's own variable lists them several times. The variable may also list
 * parts of devices by their names.
 */
#ifndef TRAINC_RUNTIME_LOCAL_DEVICES_H
#define TRAINC_RUNTIME_LOCAL_DEVICES_H

#include "plan/plan.h"

struct devices;

/*
 * Counts the machine's devices of every kind that the job requests. NONE (--no-devices): programs see no devices.
 * CALLER returns a variable of the command's environment (p == NULL: not set); devices that this variable hides stay
 * hidden. Errors are appended to WHY, one per line.
 */
struct devices *devices_new(struct arena *a, const struct plan_job *j, bool none,
	struct str (*caller)(const void *context, struct str name), const void *context, struct buf *why);

/* Gives a replica its devices, or takes them back. Returns false with an explanation if not enough devices are left. */
bool devices_take(struct devices *d, unsigned role, int64_t i, struct str *why);
void devices_return(struct devices *d, unsigned role, int64_t i);

/*
 * A variable that tells a replica which devices of a kind it may use. Each kind of device in the job has such a
 * variable; "" means no device.
 */
struct device_variable {
	struct str name, value;
};
size_t devices_variables(const struct devices *d, struct arena *a, unsigned role, int64_t i,
	struct device_variable **ret);

#endif
