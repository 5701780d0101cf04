/*
 * kinds.h - which kinds of objects become programs: for those who look for such objects.
 */
#ifndef TRAINC_IMPORT_KINDS_H
#define TRAINC_IMPORT_KINDS_H

#include "data/data.h"

enum import_use {
	IMPORT_JOB,
	IMPORT_NAMED,                   /* imported by its name alone: most pods are not jobs */
	IMPORT_BESIDE                   /* a part of jobs that refer to it */
};

struct import_row {
	const char *kind, *api_version;
	enum import_use use;
};

/* Row I of the table; false behind the last. */
bool import_row(size_t i, struct import_row *ret);

/*
 * What the program of OBJECT is made of besides; false without.  An empty API version is one of the object's group,
 * an empty namespace the object's own.
 */
struct import_need {
	struct str kind, api_version, name;
};
bool import_need(const struct data *object, struct import_need *ret);

#endif
