/*
 * object.h - what an object other than pods and Jobs tells: rows S-01 to S-03 and S-50 to S-61 of
 * docs/testing.md.
 */
#ifndef TRAINC_RUNTIME_STATUS_OBJECT_H
#define TRAINC_RUNTIME_STATUS_OBJECT_H

#include "runtime/status/job.h"

/* The objects of one or several Lists or documents, without nesting. */
struct status_objects {
	const struct data **at;
	size_t n;
};

struct object_view {
	enum run_phase phase;
	struct str cause;
	bool holds;                     /* pods wait for such an object: it may be the reason why nothing runs */
};

/* Objects that are needed to judge others. */
struct looked_up {
	struct map endpoints;           /* "NAMESPACE/NAME" of a Service -> struct endpoints */
	struct map classes;             /* storage classes by name */
};

void looked_up_slice(struct looked_up *l, struct arena *a, const struct data *slice);

/* `pods`: does the run have pods? */
struct object_view object_judge(struct arena *a, const struct data *o, const struct looked_up *looked_up, bool pods,
	const struct events *events);

/* Objects that do not stand for a run: rows S-50 to S-60. */
bool object_is_part(const struct data *o);

/*
 * An object that stands for the whole run and whose controller reports on it (S-61): conditions of
 * all such kinds have the same few types.
 */
struct whole_view {
	enum run_phase phase;           /* PENDING when no condition tells more */
	bool decided;                   /* succeeded, failed or suspended */
	bool running, restarting;       /* its own conditions say so */
	struct str cause;
	int64_t since;
};
struct whole_view whole_judge(struct arena *a, const struct data *o);

#endif
