/*
 * event.h - Events about a job: what `kubectl describe` shows.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_EVENT_H
#define TRAINC_RUNTIME_SUPERVISE_EVENT_H

#include "runtime/supervise/control.h"

enum event_weight {
	EVENT_MANY,                     /* one for each replica: dropped when the job has had 25, which come back one in 5 minutes */
	EVENT_ONE                       /* says what became of the job: never dropped */
};

/* Writes an Event about J; nothing waits for it.  TYPE is "Normal" or "Warning". */
void event_write(struct supervised *j, enum event_weight weight, const char *type, struct str reason,
	struct str message);

#endif
