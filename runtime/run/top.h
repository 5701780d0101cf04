/*
 * top.h - what the running replicas of a run use: processors, memory, devices and the memory of devices.
 */
#ifndef TRAINC_RUNTIME_RUN_TOP_H
#define TRAINC_RUNTIME_RUN_TOP_H

#include "base/buf.h"
#include "runtime/run/run_state.h"

/* One replica. A number is -1 where nothing serves it. */
struct top_row {
	const struct run_role *role;
	const struct run_replica *replica;
	int64_t index;
	int64_t cpu, memory;            /* thousandths of a processor; bytes */
	int64_t devices;                /* number of devices that were measured */
	int64_t device_use;             /* mean use of the devices in percent */
	int64_t device_memory;          /* bytes that are used on all its devices */
};

/* What a backend has found out for a table, and does not look for again for the next ones. */
struct top_known {
	struct arena memory;            /* of `own` */
	void *own;                      /* the backend's; NULL: nothing is known */
	char rows[65];                  /* the digest of the pods and nodes that it is about */
	int64_t until;                  /* when it has to be looked for again, by clock_steady() */
};

struct top {
	struct arena *arena;
	struct top_known *known;
	struct top_row *at;
	size_t n;
	/* why columns have no values, as sentences without a period; empty: all values are served */
	struct str *unserved;
	size_t nunserved;
};

/* Adds a row without values for each replica of S that runs. KNOWN is that of the table before, or empty. */
void top_begin(struct top *t, struct arena *a, const struct run_state *s, struct top_known *known);
/* Adds a reason why values are not served, each once. */
void top_unserved(struct top *t, struct str why);
/* Appends the table, with lines of at most WIDTH columns (0: any). */
void top_table(const struct top *t, unsigned width, struct buf *out);
/* Appends the rows as one JSON document about the run S. */
void top_json(const struct top *t, const struct run_state *s, struct buf *out);

#endif
