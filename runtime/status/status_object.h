/*
 * status_object.h - judges an object other than a pod or Job.
 */
#ifndef TRAINC_RUNTIME_STATUS_STATUS_OBJECT_H
#define TRAINC_RUNTIME_STATUS_STATUS_OBJECT_H

#include "runtime/status/status_job.h"

/* The restarts of the whole run according to its record. Kubernetes does not count restarts of plain Jobs. */
struct status_restart {
	int64_t most, number;           /* the maximum number of restarts (0: the run is not restarted), and the
					 * number so far */
	bool going;                     /* a restart is under way: its Jobs are deleted and created again */
	struct str cause;               /* why the last restart started */
	bool copies;                    /* the record holds what is needed to restart single copies of cells */
	bool damaged;                   /* somebody has changed the record, so that it does not count the restarts */
	struct str refused;             /* the copy whose restart was refused last: another one restarts before it */
	/*
	 * if the last restart was that of a single copy: its address, "CELL/COPY", how often it has been restarted, and
	 * how often in a row without being ready for long. Empty: everything was restarted
	 */
	struct str copy;
	int64_t count, series;
};

/* The objects of one or several Lists or documents, as one flat list. */
struct status_objects {
	const struct data **at;
	size_t n;
	/*
	 * For runs with too many Pods and Events to keep them all as trees: calls EACH for every object of KIND that is
	 * not in AT. The tree is freed after each call. NULL: all objects are in AT.
	 */
	void (*many)(const void *from, const char *kind, void (*each)(void *to, const struct data *object), void *to);
	const void *from;
	struct status_restart restart;
	bool attended;                  /* a command or a controller does the work that Jobs cannot do for each other */
};

struct object_view {
	enum run_phase phase;
	struct str cause;
	bool holds;                     /* pods wait for this object, so it may be the reason why nothing runs */
};

/* Objects that are needed to judge other objects. */
struct looked_up {
	struct map endpoints;           /* "NAMESPACE/NAME" of a Service -> struct endpoints */
	struct map classes;             /* storage classes by name */
};

void looked_up_slice(struct looked_up *l, struct arena *a, const struct data *slice);

/* Judges an object. PODS: the run has pods. */
struct object_view object_judge(struct arena *a, const struct data *o, const struct looked_up *looked_up, bool pods,
	const struct events *events);

/* Is OBJECT of a kind that does not represent a whole run? */
bool object_is_part(const struct data *o);

/*
 * The state of an object that represents the whole run and whose controller reports conditions. All such kinds use the
 * same few types of conditions.
 */
struct whole_view {
	enum run_phase phase;           /* the phase; PENDING unless a condition says more */
	bool decided;                   /* the object says that the run succeeded, failed or is suspended */
	bool running, restarting;       /* the object's own conditions say that the run is running, or restarting */
	struct str cause;
	int64_t since;
};
struct whole_view whole_judge(struct arena *a, const struct data *o);

#endif
