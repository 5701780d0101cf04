/*
 * saved.h - reads objects of a cluster from a file, in the form in which kubectl prints them.
 */
#ifndef TRAINC_RUNTIME_COMMAND_SAVED_H
#define TRAINC_RUNTIME_COMMAND_SAVED_H

#include "command/session.h"
#include "runtime/status/status.h"

/*
 * Adds the objects of a file, JSON or YAML, to RET; the PATH "-" is standard input. Returns false after reporting an
 * error in the file.
 */
bool saved_read(struct session *s, struct str path, struct sources *sources, struct status_objects *ret);

/*
 * Says what the objects of the file PATH are when none of them belongs to a job of the program; false if one does.
 */
bool saved_are_foreign(struct session *s, struct str path, const struct status_objects *objects,
	const struct plan *plan);

#endif
