/*
 * metrics.h - counters of the controller, and their page in the text format of OpenMetrics.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_METRICS_H
#define TRAINC_RUNTIME_SUPERVISE_METRICS_H

#include "base/buf.h"

enum { METRICS_BUCKETS = 8 };

struct metrics {
	uint64_t passes, passes_failed;
	uint64_t buckets[METRICS_BUCKETS];      /* passes by how long they took */
	double seconds;                 /* all of them together */
	uint64_t created, deleted;      /* pods and Services */
	uint64_t refused;               /* resources that do not compile */
	uint64_t succeeded, failed, restarted;  /* jobs */
	uint64_t events, events_dropped;
	/* as they are when the page is made */
	uint64_t queue_depth, queue_added, queue_retried, jobs, objects;
	uint64_t requests, request_failures, request_retries, connections;
	bool leader;
};

/* A pass took NS. */
void metrics_pass(struct metrics *m, int64_t ns, bool ok);
void metrics_page(const struct metrics *m, struct buf *out);

#endif
