/*
 * events.h - what controllers, the scheduler and nodes have reported about objects.
 *
 * Both forms of an Event are read: that of the core group, and that of events.k8s.io, which has
 * other names for the same fields.
 */
#ifndef TRAINC_RUNTIME_STATUS_EVENTS_H
#define TRAINC_RUNTIME_STATUS_EVENTS_H

#include "base/map.h"
#include "runtime/status/look.h"

struct event {
	struct str kind, name;          /* of the object that it is about */
	struct str reason, message;
	bool warning;
	int64_t time;                   /* time of its last occurrence; 0: unknown */
	int64_t count;
	size_t added;                   /* how many there were before it */
	struct event *next;             /* of the same object, older first */
};

struct events {
	struct arena *arena;
	struct event **all;
	size_t n;
	struct map of;                  /* "Kind/name" -> the first struct event of the object, once they are sorted */
};

void events_add(struct events *e, const struct data *object);
/* To be called once, after the last one was added and before the first question. */
void events_sort(struct events *e);
/* The newest one about an object with one of those reasons (NULL: any warning), or NULL. */
const struct event *events_newest(const struct events *e, struct str kind, struct str name, const char *const *reasons);

#endif
