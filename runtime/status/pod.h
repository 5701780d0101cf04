/*
 * pod.h - what one pod tells: rows S-30 to S-41 of docs/testing.md, and why its container stopped.
 */
#ifndef TRAINC_RUNTIME_STATUS_POD_H
#define TRAINC_RUNTIME_STATUS_POD_H

#include "runtime/run/run_state.h"
#include "runtime/status/events.h"

struct pod_view {
	enum run_phase phase;
	struct str reason;              /* its trouble in a word, by which pods with the same trouble are grouped;
					 * empty: none */
	struct str cause;               /* the trouble as a whole sentence */
	bool running, ready, succeeded, failed, deleting, disrupted;
	int64_t restarts;               /* of its containers, in place */
	int64_t own_restarts;           /* of the main one */
	int64_t begin, restarted;       /* when it began; when a container last ended and was started again */
	int exit_code, signal;          /* exit code of the container that failed; -1: none */
	int64_t finished;
	struct str why;                 /* why it failed: "OOMKilled", "exit code 3" */
	struct str log;                 /* its termination message, unless that has a record */
	struct last_words words;        /* the first one in the records of that message */
	struct str node;
	bool again;                     /* the failure is an earlier one: the container was restarted, or will be */
};

/* `container` is the main one; `now` decides what has taken too long. */
struct pod_view pod_judge(struct arena *a, const struct data *pod, struct str container, const struct events *events,
	int64_t now);

/*
 * Appends the stretches of the pod's life whose times its conditions and the states of its container tell: the
 * kubelet keeps the last two attempts, earlier ones become one EARLIER span.
 */
void pod_spans(struct arena *a, const struct data *pod, struct str container, struct run_span **at, size_t *n);

#endif
