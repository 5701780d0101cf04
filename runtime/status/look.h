/*
 * look.h - reads members of Kubernetes objects by path. Nothing here fails: a member that is missing or has the wrong
 * type counts as empty. Texts from a cluster are cleaned so that they fit on one line before they are kept.
 */
#ifndef TRAINC_RUNTIME_STATUS_LOOK_H
#define TRAINC_RUNTIME_STATUS_LOOK_H

#include "data/data.h"

/* The value at the end of a path of keys with dots between them, or NULL. */
const struct data *status_path(const struct data *d, const char *path);
struct str status_text(const struct data *d, const char *path);
int64_t status_number(const struct data *d, const char *path, int64_t otherwise);
bool status_true(const struct data *d, const char *path);
/* The list at a path; an empty list if the path leads to no list. */
const struct data *status_list(const struct data *d, const char *path);
/* The time at a path, in nanoseconds of the real-time clock; 0 if the path leads to no time. */
int64_t status_time(const struct data *d, const char *path);
/* The value of a label or annotation, whose key may contain dots; empty if the object lacks the key. */
struct str status_label(const struct data *object, const char *key);
struct str status_annotation(const struct data *object, const char *key);
/* Is the object with this uid an owner of the object? */
bool status_owned_by(const struct data *object, struct str uid);
/* The owner reference of the controller of the object, or NULL. */
const struct data *status_controller(const struct data *object);

/* The element of status.conditions with that type, or NULL. */
const struct data *status_condition(const struct data *object, const char *type);
/* The condition with that type if its status is STATUS or, for the second function, True; else NULL. */
const struct data *status_condition_is(const struct data *object, const char *type, const char *status);
const struct data *status_condition_true(const struct data *object, const char *type);

/*
 * The index of a pod's replica, from the pod's labels or annotations; trainc's own labels come first. Empty if the pod
 * has no index.
 */
struct str status_pod_index(const struct data *pod);

/*
 * The text "is being deleted; finalizer 'x' holds it: ...", which also says who must act, for an object with a
 * deletionTimestamp. Empty for other objects.
 */
struct str status_deletion(struct arena *a, const struct data *object);
/* Why a finalizer still holds an object. */
const char *status_holder_words(struct str finalizer);

bool text_holds(struct str text, const char *part);
bool text_among(struct str text, const char *const *words);
/*
 * TEXT as one line: control characters and line ends become spaces, and the part that the scheduler adds about
 * preemption is cut off.
 */
struct str text_line(struct arena *a, struct str text);
/* "reason: message", or only one of them if the other is empty. */
struct str text_cause(struct arena *a, struct str reason, struct str message);

#endif
