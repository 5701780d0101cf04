/*
 * events.h - what controllers, the scheduler and the nodes have told about objects.
 *
 * Both forms of an Event are read: that of the core group, and that of
 * events.k8s.io, which calls the same things by other names.
 */
#ifndef TRAINC_RUNTIME_STATUS_EVENTS_H
#define TRAINC_RUNTIME_STATUS_EVENTS_H

#include "base/map.h"
#include "runtime/status/look.h"

struct event {
	struct str kind, name;          /* of the object that it is about */
	struct str reason, message;
	bool warning;
	int64_t time;                   /* of its last occurrence; 0: unknown */
	int64_t count;
	size_t added;                   /* how many there were before it */
	struct event *next;             /* of the same object, older first */
};

struct events {
	struct arena *arena;
	struct event **all;
	size_t n;
	struct map of;                  /* "Kind/name" -> struct event, the first of them; once they are sorted */
};

void events_add(struct events *e, const struct data *object);
/* Once, after the last has been added and before any is asked for. */
void events_sort(struct events *e);
/* The newest one about an object with one of those reasons (NULL: any warning), or NULL. */
const struct event *events_newest(const struct events *e, struct str kind, struct str name, const char *const *reasons);

#endif
