/*
 * look.h - what stands in an object of Kubernetes, by path.
 *
 * Nothing here fails: what is not there, or is of another kind than it should be,
 * is empty.  Texts from a cluster are made fit for one line before they are kept.
 */
#ifndef TRAINC_RUNTIME_STATUS_LOOK_H
#define TRAINC_RUNTIME_STATUS_LOOK_H

#include "data/data.h"

/* The value at the end of a path of keys with dots between them, or NULL. */
const struct data *status_path(const struct data *d, const char *path);
struct str status_text(const struct data *d, const char *path);
int64_t status_number(const struct data *d, const char *path, int64_t otherwise);
bool status_true(const struct data *d, const char *path);
/* A list without elements when there is none. */
const struct data *status_list(const struct data *d, const char *path);
/* Nanoseconds of the real-time clock, or 0. */
int64_t status_time(const struct data *d, const char *path);
/* Labels and annotations have dots in their keys; an empty text when there is no such one. */
struct str status_label(const struct data *object, const char *key);
struct str status_annotation(const struct data *object, const char *key);

/* The element of status.conditions of that type, or NULL. */
const struct data *status_condition(const struct data *object, const char *type);
/* The same when its status is that; when it is True. */
const struct data *status_condition_is(const struct data *object, const char *type, const char *status);
const struct data *status_condition_true(const struct data *object, const char *type);

/* The index of the replica that a pod stands for, as its labels or annotations say, ours first; an empty text when none does. */
struct str status_pod_index(const struct data *pod);

bool text_holds(struct str text, const char *part);
bool text_among(struct str text, const char *const *words);
/* Control characters and line ends become spaces, and what a scheduler says about preemption after its reasons goes. */
struct str text_line(struct arena *a, struct str text);
/* "reason: message", either alone, or nothing. */
struct str text_cause(struct arena *a, struct str reason, struct str message);

#endif
