/* pod.h - judges one pod by its conditions and containers, and determines why its container stopped. */
#ifndef TRAINC_RUNTIME_STATUS_POD_H
#define TRAINC_RUNTIME_STATUS_POD_H

#include "runtime/run/run_state.h"
#include "runtime/status/events.h"

struct pod_view {
	enum run_phase phase;
	struct str reason;              /* the problem of the pod in one word, by which pods are grouped; empty: the pod
					 * has no problem */
	struct str cause;               /* the problem as a complete sentence */
	bool running, ready, succeeded, failed, deleting, disrupted;
	bool over;                      /* the main container has ended, which the pod's phase may not say yet */
	int64_t restarts;               /* number of restarts in place, of all containers */
	int64_t own_restarts;           /* number of restarts in place of the main container */
	int64_t begin, restarted;       /* start of the pod; the last time at which a container ended and was started
					 * again */
	int exit_code, signal;          /* exit code of the container that failed; -1: no container failed */
	int64_t finished;
	struct str why;                 /* why the container failed: "OOMKilled", "exit code 3" */
	struct str log;                 /* the container's termination message; empty if the message is a record of last
					 * words */
	struct last_words words;        /* the first record in the termination message */
	struct str node, ip;
	struct str code;                /* the first digits of the id of its code; empty: the pod has none */
	bool again;                     /* the failure ended an earlier run of the container, which was or will be
					 * restarted */
};

/*
 * Judges a pod, and keeps no reference to the pod's tree. CONTAINER names the main container; NOW is the time for rules
 * about how long something may take.
 */
struct pod_view pod_judge(struct arena *a, const struct data *pod, struct str container, const struct events *events,
	int64_t now);

/*
 * Appends the spans of the pod's life whose times are in its conditions and in the states of its container. The kubelet
 * keeps the last two attempts; earlier attempts become one span of the kind EARLIER.
 */
void pod_spans(struct arena *a, const struct data *pod, struct str container, struct run_span **at, size_t *n);

#endif
