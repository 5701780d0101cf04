/*
 * import_kinds.h - lists the kinds of objects that become programs, for code that looks for such objects in a cluster.
 */
#ifndef TRAINC_IMPORT_IMPORT_KINDS_H
#define TRAINC_IMPORT_IMPORT_KINDS_H

#include "data/data.h"

enum import_use {
	IMPORT_JOB,
	IMPORT_NAMED,                   /* imported only when the user names it, because most pods are not jobs */
	IMPORT_BESIDE                   /* not a job, but an object that jobs refer to */
};

struct import_row {
	const char *kind, *api_version;
	enum import_use use;
};

/* Returns row I of the table; false after the last. */
bool import_row(size_t i, struct import_row *ret);

/*
 * Finds the objects to which OBJECT refers and that its program is made from; false if OBJECT refers to no such object.
 * In the result, an empty API version stands for any version of the object's group, and an empty namespace for the
 * object's namespace.
 */
struct import_need {
	struct str kind, api_version, name;
};
bool import_need(const struct data *object, struct import_need *ret);

#endif
