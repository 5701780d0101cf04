/*
 * events.h - Events: what controllers, the scheduler and nodes have reported about objects. Two forms of Events are
 * read: the form of the core group, and the form of events.k8s.io, which has other names for the same fields.
 */
#ifndef TRAINC_RUNTIME_STATUS_EVENTS_H
#define TRAINC_RUNTIME_STATUS_EVENTS_H

#include "base/map.h"
#include "runtime/status/look.h"

struct event {
	struct str kind, name;          /* kind and name of the object that the event is about */
	struct str reason, message;
	bool warning;
	int64_t time;                   /* time when the event last occurred; 0: unknown */
	int64_t count;
	size_t added;                   /* number of events that were added before this one */
	struct event *next;             /* the next event of the same object, from old to new */
};

struct events {
	struct arena *arena;
	struct event **all;
	size_t n;
	struct map of;                  /* "Kind/name" -> the first struct event of the object; valid after
					 * events_sort() */
};

/* The time when an Event last occurred (0: unknown), and how often it has occurred. */
int64_t event_time(const struct data *event);
int64_t event_count(const struct data *event);

/*
 * May the Event explain the state of a run? A namespace is full of Events about pods that run well; of these, only
 * Events about the pull of an image may.
 */
bool event_explains(const struct data *event);
extern const char *const events_of_pulls[];
/* Adds an event, and keeps no reference to the event's tree. */
void events_add(struct events *e, const struct data *object);
/* Must be called once, after the last event was added and before the first search. */
void events_sort(struct events *e);
/*
 * The newest event about an object that has one of the given reasons; if REASONS is NULL, the newest warning. Returns
 * NULL if no event matches.
 */
const struct event *events_newest(const struct events *e, struct str kind, struct str name, const char *const *reasons);

#endif
