/*
 * look.h - members of Kubernetes objects, by path.
 *
 * Nothing here fails: what is missing, or of another kind than it should be, is empty.  Texts from
 * a cluster are made fit for one line before they are kept.
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
/* A label or annotation, whose key may have dots; an empty text without it. */
struct str status_label(const struct data *object, const char *key);
struct str status_annotation(const struct data *object, const char *key);

/* The element of status.conditions with that type, or NULL. */
const struct data *status_condition(const struct data *object, const char *type);
/* The same if its status is the given one; below, if it is True. */
const struct data *status_condition_is(const struct data *object, const char *type, const char *status);
const struct data *status_condition_true(const struct data *object, const char *type);

/* The index of the replica of a pod, by its labels or annotations, ours first; an empty text without one. */
struct str status_pod_index(const struct data *pod);

bool text_holds(struct str text, const char *part);
bool text_among(struct str text, const char *const *words);
/* Control characters and line ends become spaces; what a scheduler appends about preemption is cut off. */
struct str text_line(struct arena *a, struct str text);
/* "reason: message", one of the two, or nothing. */
struct str text_cause(struct arena *a, struct str reason, struct str message);

#endif
