/*
 * event.h - Events about a job, which `kubectl describe` shows.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_EVENT_H
#define TRAINC_RUNTIME_SUPERVISE_EVENT_H

#include "runtime/supervise/supervise_control.h"

enum event_weight {
	/* an Event that may occur once for each replica: at most 25 at once, then one every 5 minutes */
	EVENT_MANY,
	EVENT_ONE                       /* an Event about the job as a whole: never dropped */
};

/* Writes an Event about J without waiting for the answer. TYPE is "Normal" or "Warning". */
void event_write(struct supervised *j, enum event_weight weight, const char *type, struct str reason,
	struct str message);
/*
 * Writes an Event about J that exists only once for each REASON and KEY, however often it is written: its name is
 * computed from REASON and KEY.
 */
void event_write_once(struct supervised *j, enum event_weight weight, const char *type, struct str reason,
	struct str message, struct str key);

/* An object that is not under supervision. */
struct event_about {
	struct str group, version, kind, ns, name, uid;
};

/* Writes a warning about an object. It exists only once for each REASON, object and KEY. */
void event_write_about(struct controller *c, const struct event_about *about, struct str reason, struct str message,
	struct str key);

#endif
