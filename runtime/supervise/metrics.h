/*
 * metrics.h - the counters of the controller, and the page that shows them in the text format of OpenMetrics.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_METRICS_H
#define TRAINC_RUNTIME_SUPERVISE_METRICS_H

#include "base/buf.h"

enum { METRICS_BUCKETS = 8, METRICS_KINDS = 24 };

/* The counters of one watch. */
struct metrics_kind {
	struct str kind;                /* the kind of the objects, and whose they are: "jobs", or "runs" */
	const char *of;
	uint64_t skipped;               /* number of objects that could not be used, each version counted once */
	/* values at the time when the page is generated: objects that cannot be used now; is the watch live? */
	uint64_t useless;
	bool live;
};

struct metrics {
	uint64_t passes, passes_failed;
	uint64_t buckets[METRICS_BUCKETS];      /* number of passes by duration */
	double seconds;                 /* total duration of all passes */
	uint64_t created, deleted;      /* number of pods and Services created and deleted */
	uint64_t released;              /* number of Jobs of runs that were resumed because their turn had come */
	uint64_t refused;               /* number of resources that did not compile */
	uint64_t doubted;               /* number of times that the record of a run began to say what no live object
					 * vouches for */
	uint64_t succeeded, failed, restarted;  /* number of jobs that succeeded, failed and were restarted */
	uint64_t events, events_dropped;
	/* values at the time when the page is generated */
	uint64_t queue_depth, queue_added, queue_retried, jobs, objects;
	uint64_t requests, request_failures, request_retries, connections;
	bool leader;
	struct metrics_kind kinds[METRICS_KINDS];
	size_t nkinds;
};

/* Counts a pass that took NS nanoseconds. */
void metrics_pass(struct metrics *m, int64_t ns, bool ok);
void metrics_page(const struct metrics *m, struct buf *out);

#endif
