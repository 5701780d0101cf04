/*
 * attempts.h - numbers the attempts of a replica in a cluster, where pods come and go and no object counts them. The
 * numbers 1, 2, ... follow the order in which the pods were created and in which the container of each pod was started.
 * Suspending a Job deletes its pods. Therefore `trainc suspend` stores the highest number of the Job's replicas in the
 * Job, and the pods that are created after resuming continue from that number.
 */
#ifndef TRAINC_RUNTIME_STATUS_ATTEMPTS_H
#define TRAINC_RUNTIME_STATUS_ATTEMPTS_H

#include "runtime/status/look.h"

#define ATTEMPTS_ANNOTATION "trainc.dev/attempts"

/*
 * The record of attempts in the Jobs of a role: pods of the life that started at SINCE continue after attempt N. The
 * Job controller writes the start time after it has created the pods, so the pods are a little older. With many pods,
 * the first pods are much older.
 */
struct attempts_before {
	int64_t n, since;               /* the attempt and the time; n 0: nothing is recorded, or no pod can exist
					 * yet */
};

/* The number that `trainc suspend` stored in a Job; 0: the Job contains no number. */
int64_t attempts_noted(const struct data *job);
/* Adds the record of one Job. */
void attempts_before_add(struct attempts_before *b, const struct data *job);

/* A pod of the replica, and the number of times its container was started. */
struct attempts_pod {
	int64_t made, starts;
	struct str name;                /* name of the pod: it orders pods that were created in the same second */
	int64_t lives;                  /* attempts_lives() of the pod */
	bool present;                   /* the pod has not ended and is not being deleted, so it belongs to the current
					 * life */
};

/*
 * How often the controller of a JobSet had created all its Jobs again before it created this pod, according to the
 * pod's label; 0 without the label.
 */
int64_t attempts_lives(const struct data *pod);

/* Do both pods belong to one life of their Job, so that attempts of the earlier pod count for the later pod? */
bool attempts_of_one_life(const struct attempts_before *b, const struct attempts_pod *x, const struct attempts_pod *y);
/* Was A created before B? */
bool attempts_made_before(const struct attempts_pod *a, const struct attempts_pod *b);
/* The number of the first attempt of POD, which is one of the N pods of its replica. */
int64_t attempts_first(const struct attempts_before *b, const struct attempts_pod *at, size_t n,
	const struct attempts_pod *pod);
/* The number of the replica's last attempt; 0 if the replica has no pod. */
int64_t attempts_last(const struct attempts_before *b, const struct attempts_pod *at, size_t n);

#endif
