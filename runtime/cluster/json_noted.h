/*
 * json_noted.h - notes the identity of an object while its text is read, whether the object is kept or not: which
 * object was it that could not be used? Texts of more than JSON_NOTED_LONGEST bytes are not noted, because no name in a
 * cluster is longer.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_JSON_NOTED_H
#define TRAINC_RUNTIME_CLUSTER_JSON_NOTED_H

#include "base/str.h"

enum { JSON_NOTED_LONGEST = 253 };

enum json_note {
	JSON_NOTE_NONE,
	JSON_NOTE_TYPE,                 /* the type of an event, beside its object */
	JSON_NOTE_KIND, JSON_NOTE_NAME, JSON_NOTE_NAMESPACE, JSON_NOTE_UID, JSON_NOTE_VERSION, JSON_NOTE_LABEL,
	JSON_NOTES,
};

struct json_noted {
	const char *object;             /* the member of the unit that is the object; NULL: the unit itself */
	const char *label;              /* the label to note; NULL: none */
	unsigned unit;                  /* number of lists and maps that are open around the unit */
	/* number of open lists and maps within these maps; 0: the map is not open */
	unsigned object_at, metadata_at, labels_at;
	unsigned *opens;                /* where the next map is noted; NULL: it is of no interest */
	enum json_note next;            /* what the next value is */
	struct json_noted_text {
		unsigned char n;
		char text[JSON_NOTED_LONGEST];
	} texts[JSON_NOTES];
};

/* Begins a unit within UNIT open lists and maps; forgets the notes about the unit before. */
void json_noted_begin(struct json_noted *n, unsigned unit);
/* Is anything noted where OPEN lists and maps are open? */
static inline bool json_noted_here(const struct json_noted *n, unsigned open) { return open <= n->unit + 4; }
/* Notes that KEY was read in a map; OPEN is the number of open lists and maps. */
void json_noted_key(struct json_noted *n, struct str key, unsigned open);
/* Notes that a list or map begins, which is the OPENth that is open. */
void json_noted_open(struct json_noted *n, bool map, unsigned open);
/* Notes that the OPENth list or map ends. */
void json_noted_close(struct json_noted *n, unsigned open);
/* Notes the text of the value after the last key. */
void json_noted_value(struct json_noted *n, struct str text);
/* The noted text; empty if there was none. It is valid until the next unit begins. */
struct str json_noted_text(const struct json_noted *n, enum json_note note);

#endif
