/*
 * attempts.h - the numbers of a replica's attempts in a cluster, where pods come and go and no
 * object counts them: 1, 2, ... in the order in which its pods were made and the container in each
 * was started.
 *
 * Suspending a Job deletes its pods, so `trainc suspend` leaves the highest number of its replicas
 * at the Job, and the pods of the next life go on from there.
 */
#ifndef TRAINC_RUNTIME_STATUS_ATTEMPTS_H
#define TRAINC_RUNTIME_STATUS_ATTEMPTS_H

#include "runtime/status/look.h"

#define ATTEMPTS_ANNOTATION "trainc.dev/attempts"

/* What the Jobs of a role tell: pods that were made at SINCE or later begin after attempt N. */
struct attempts_before {
	int64_t n, since;               /* n 0: nothing is known, or no pod can be there yet */
};

/* The number that was left at a Job; 0: none. */
int64_t attempts_noted(const struct data *job);
/* Adds what one Job tells. */
void attempts_before_add(struct attempts_before *b, const struct data *job);

/* A pod of the replica, and how often its container was started. */
struct attempts_pod {
	int64_t made, starts;
	struct str name;                /* of two that were made in one second, the first by name comes first */
};

bool attempts_made_before(const struct attempts_pod *a, const struct attempts_pod *b);
/* The number of the first attempt of POD, one of N of its replica. */
int64_t attempts_first(const struct attempts_before *b, const struct attempts_pod *at, size_t n,
	const struct attempts_pod *pod);
/* The number of the last one of all; 0 without a pod. */
int64_t attempts_last(const struct attempts_before *b, const struct attempts_pod *at, size_t n);

#endif
