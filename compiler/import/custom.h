/*
 * custom.h - custom resources as a controller reads them: the kinds, and the plan of one resource, in memory.
 */
#ifndef TRAINC_IMPORT_CUSTOM_H
#define TRAINC_IMPORT_CUSTOM_H

#include "compile.h"
#include "data/data.h"

struct custom_kind {
	const char *group, *version, *kind, *plural;
	const char *schema;             /* the resource's type in the tables of schemas */
	const char *roles_key;          /* key of the map of roles in the spec */
	/* role statuses name their pods by a selector, and Worker can be scaled */
	bool selects;
};

/* The kinds of the training operator, one by one; NULL after the last. */
const struct custom_kind *custom_kind(size_t i);
/* The name that the kind has for a role of its plan: "Worker" for "worker"; ROLE itself if it has none. */
struct str custom_role(const struct custom_kind *k, struct str role);
/* The name of the main container of its pods; empty: the first is the main one. */
struct str custom_container(const struct custom_kind *k);

struct custom_plan {
	struct trainc program;
	struct reader reader;           /* reader of the program, which is `text` */
	struct str text;
	const struct plan_job *job;     /* plan of the job; NULL: the resource is refused */
	struct str fault;               /* why it is refused, in one line: the first message, its code, and what to
					 * do */
};

/*
 * Reads OBJECT as a manifest, makes its program, and compiles that for pods. MINOR is the version 1.N of the operator
 * whose rules apply; 0: the last version that has the kind. GANG is the scheduler that starts all replicas together, or
 * empty. RET borrows only GANG. It must not be moved before custom_release(), which must be called in any case.
 */
void custom_compile(struct custom_plan *ret, const struct data *object, unsigned minor, struct str gang);
void custom_release(struct custom_plan *p);

#endif
