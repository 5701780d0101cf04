/*
 * object_table.h - what a watch remembers of each object: uid, name, version, the last snapshot that contained it, and
 * whether its last form could be used.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_OBJECT_TABLE_H
#define TRAINC_RUNTIME_CLUSTER_OBJECT_TABLE_H

#include "base/str.h"

enum { OBJECT_SNAPSHOTS = (1 << 30) - 1 };      /* the bits of a snapshot's number that rows keep */

struct object_row {
	struct object_row *next_uid, *next_name;        /* the next row in the same slot of each table */
	char *version;
	uint32_t snapshot : 30;
	uint32_t useless : 1;           /* the last form of the object could not be used */
	uint32_t reported : 1;          /* a form of the object has been reported */
	uint32_t nuid, nnamespace, nname;
	char text[];                    /* uid, namespace and name, a NUL after each */
};

static inline struct str object_row_uid(const struct object_row *r) { return (struct str){ r->text, r->nuid }; }
static inline struct str object_row_namespace(const struct object_row *r)
{
	return (struct str){ r->text + r->nuid + 1, r->nnamespace };
}
static inline struct str object_row_name(const struct object_row *r)
{
	return (struct str){ r->text + r->nuid + 1 + r->nnamespace + 1, r->nname };
}

struct object_table {
	struct object_row **by_uid, **by_name;
	size_t n, slots;
};

struct object_row *object_table_uid(const struct object_table *t, struct str uid);
struct object_row *object_table_name(const struct object_table *t, struct str ns, struct str name);
/* Adds a row; the table must not contain the uid. */
struct object_row *object_table_add(struct object_table *t, struct str uid, struct str ns, struct str name,
	struct str version);
void object_table_remove(struct object_table *t, struct object_row *r);
void object_row_version(struct object_row *r, struct str version);
/* Any row whose object was not seen in SNAPSHOT; NULL: all objects were seen in it. */
struct object_row *object_table_unseen(const struct object_table *t, uint32_t snapshot, size_t *slot);
void object_table_release(struct object_table *t);

/*
 * Is version A later than version B? Versions are decimal integers of any length. Other texts have no order: then A
 * counts as later if it differs from B.
 */
bool object_version_later(struct str a, struct str b);

#endif
