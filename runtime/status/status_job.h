/* status_job.h - judges one Job by its conditions and counts, and by the state of its pods. */
#ifndef TRAINC_RUNTIME_STATUS_STATUS_JOB_H
#define TRAINC_RUNTIME_STATUS_STATUS_JOB_H

#include "runtime/run/run_state.h"
#include "runtime/status/events.h"

/* The pods of a role, or of one Job, taken together. */
struct crowd {
	int64_t seen, active, ready, succeeded;
	int64_t over;                   /* pods whose main container has ended while the pod is still called running */
	int64_t restarted;              /* time of the latest restart of a pod; 0: no pod has restarted */
	enum run_phase phase;           /* the worst phase of pods that have not ended; RUNNING if no pod has a
					 * problem */
	struct str cause;               /* why the pods do not run: "3 of 64 pods: ImagePullBackOff: ..." */
	struct str restarting;          /* the pods that restarted, and how often: "worker 3 (2 restarts)" */
};

struct job_view {
	enum run_phase phase;
	struct str cause;
	int64_t since;                  /* time of the condition that decides the phase; 0: unknown */
	bool suspended;
};

/*
 * `trainc suspend` sets the first annotation on a Job, and `trainc resume` removes it. Whoever resumes a Job because
 * its turn has come sets the second annotation in the same request. `trainc resume` removes both annotations from a Job
 * that has to wait again.
 */
#define SUSPENDED_ANNOTATION "trainc.dev/suspended"
#define STARTED_ANNOTATION "trainc.dev/started"
/*
 * The annotation of a Job that ends because the run has a verdict. All Jobs that end get it before the first of them is
 * deleted, because the deletion may remove the pods that show the verdict.
 */
#define ENDED_ANNOTATION "trainc.dev/ended"

/*
 * When `trainc scale` reduces the number of copies of a cell, it suspends the Jobs of the copies that go and sets this
 * annotation. The Jobs stay, with their sizes and with what has ended in them, so that they can be resumed.
 */
#define SCALED_ANNOTATION "trainc.dev/scaled-away"

/*
 * Is the Job suspended because somebody requested that, and not because its turn has not come? A Job that was started
 * before is only suspended again by a person or another program, such as `kubectl`.
 */
bool job_is_held(const struct data *job);

struct job_view job_judge(struct arena *a, const struct data *job, const struct crowd *pods,
	const struct events *events, int64_t now);

/* Reads a list of indexes as the Job controller writes it, "0,3-5"; calls MARK for each index below N. */
void job_indexes(struct str text, int64_t n, void (*mark)(void *context, int64_t index), void *context);

/* Ranks phases from worst to best: a lower rank is worse, and the worst phase decides. */
int phase_rank(enum run_phase phase);

#endif
