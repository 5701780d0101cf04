/*
 * job.h - what one Job tells: rows S-01 and S-10 to S-22 of docs/testing.md, together with what
 * its pods tell.
 */
#ifndef TRAINC_RUNTIME_STATUS_JOB_H
#define TRAINC_RUNTIME_STATUS_JOB_H

#include "runtime/run/run_state.h"
#include "runtime/status/events.h"

/* The pods of a role, or of one Job, together. */
struct crowd {
	int64_t seen, active, ready, succeeded;
	int64_t restarted;              /* when a pod last began again; 0: never */
	enum run_phase phase;           /* the worst phase of pods that have not ended; RUNNING when all is well */
	struct str cause;               /* "3 of 64 pods: ImagePullBackOff: ..." */
	struct str restarting;          /* which pods began again, and how often: "worker 3 (2 restarts)" */
};

struct job_view {
	enum run_phase phase;
	struct str cause;
	int64_t since;                  /* time of the condition that decides; 0: unknown */
	bool suspended;
};

struct job_view job_judge(struct arena *a, const struct data *job, const struct crowd *pods,
	const struct events *events, int64_t now);

/* "0,3-5" as the Job controller writes indexes: calls `mark` for each below `n`. */
void job_indexes(struct str text, int64_t n, void (*mark)(void *context, int64_t index), void *context);

/* Ranks phases so that the worst decides: lower is worse. */
int phase_rank(enum run_phase phase);

#endif
