/*
 * custom.h - reads custom resources for a controller: lists their kinds, and makes the plan of one resource in
 * memory.
 */
#ifndef TRAINC_IMPORT_CUSTOM_H
#define TRAINC_IMPORT_CUSTOM_H

#include "compile.h"
#include "data/data.h"

struct custom_kind {
	const char *group, *version, *kind, *plural;
	const char *schema;             /* the resource's type in the tables of schemas */
	const char *roles_key;          /* key of the map of roles in the spec */
	/* the status of each role has a selector for its pods, and the role Worker can be scaled */
	bool selects;
	/*
	 * key of the role's name in an element of the status's list `replicaStatuses`. Only the ancestors of the
	 * training operator have it; their status also has a phase and a state. NULL for other kinds
	 */
	const char *status_key;
	bool says_empty;                /* its status has `reason` and `conditions` even if they are empty */
	/*
	 * its operator judges each role by exit codes: 1 to 127 of the main container are permanent failures; otherwise
	 * only OOMKilled is one
	 */
	bool codes_decide;
};

/* Returns the kinds of the training operator, one by one; NULL after the last. */
const struct custom_kind *custom_kind(size_t i);
/*
 * Returns the kind at index I, as custom_kind() does, but among the requested kinds: those of the training operator,
 * and those of its two ancestors.
 */
const struct custom_kind *custom_kind_among(size_t i, bool operators, bool ancestors);
/*
 * Returns the kind's own name for a role of its plan, such as "Worker" for "worker"; returns ROLE itself if the kind
 * has no name for it.
 */
struct str custom_role(struct arena *a, const struct custom_kind *k, struct str role);
/*
 * Returns the runtime id for a resource of an ancestor's kind that has no such id: four characters computed from its
 * uid. Returns an empty text if the resource has an id, or is of another kind.
 */
struct str custom_runtime_id(struct arena *a, const struct data *object);

/* How to read resources. The texts are borrowed and must live as long as a plan of them. */
struct custom_options {
	/* minor version 1.N of the training operator whose rules apply; 0: the last version that has the kind */
	unsigned minor;
	struct str gang;                /* the scheduler that starts all replicas of a job together; empty: no such
					 * scheduler */
	/* images of init containers that the training operator adds; empty: its own */
	struct str init_image, delivery_image;
	struct str domain;              /* DNS domain of the cluster; empty: addresses end with ".svc" */
	const char *job_label;          /* label whose value is the job's name, on all objects of an ancestor's job */
};

struct custom_plan {
	struct trainc program;
	struct reader reader;           /* reader of the program's text, `text` */
	struct str text;
	struct str *warnings;           /* what the import leaves out or changes, each in one line as `fault` */
	size_t nwarnings;
	const struct plan_job *job;     /* plan of the job; NULL: the resource is refused */
	struct str fault;               /* why it is refused, in one line: the first message, its code, and what to
					 * do */
};

/*
 * Reads OBJECT as a manifest, makes its program, and compiles that for pods. RET must not be moved before
 * custom_release(), which must be called in any case.
 */
void custom_compile(struct custom_plan *ret, const struct data *object, const struct custom_options *o);

/*
 * The same for the manifests of one job, of any kind that `import` reads. Only the plan is made: its objects are not
 * checked again.
 */
void custom_compile_text(struct custom_plan *ret, struct str manifests);
void custom_release(struct custom_plan *p);

#endif
