/*
 * wanted.h - the wanted objects of a run: what is sent, in which order, and from which place of
 * the program it came.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_WANTED_H
#define TRAINC_RUNTIME_CLUSTER_WANTED_H

#include "emit/listed.h"
#include "runtime/cluster/applyset.h"

/* Objects of a stage are sent side by side; a stage begins when the previous one is complete. */
enum wanted_stage { STAGE_NAMESPACE, STAGE_CONFIGURATION, STAGE_SERVICE, STAGE_GANG, STAGE_WORKLOAD, STAGES };

enum wanted_outcome {
	WANTED_UNCHANGED, WANTED_CREATED, WANTED_CONFIGURED, WANTED_ADOPTED, WANTED_RECREATED,
	WANTED_FAILED,                  /* the server refused it */
	WANTED_SKIPPED                  /* an earlier stage failed */
};
const char *wanted_outcome_word(enum wanted_outcome o);         /* "created" */

struct wanted {
	const struct emit_listed *from;
	struct data *tree;              /* what is sent, with the places */
	struct resource resource;       /* `plural` is empty until discovery has found it */
	struct str ns;                  /* empty for a kind without namespaces */
	enum wanted_stage stage;
	struct str hash;                /* digest of the tree that the program wants */
	struct str uid;                 /* uid of the existing object; empty if there is none, or it is unknown */
	bool stale;                     /* the object must be sent: it is new, changed, or was deleted */
	bool exists;                    /* an object of that name is there */
	bool outdated;                  /* unchanged itself, but controllers make it from another object of the run
					 * that changes */
	enum wanted_outcome outcome;
	struct answer *answer;
};

struct wanted_list {
	struct wanted *at;
	size_t n;
	struct str ns;                  /* of the run */
	struct str hash;                /* digest of all objects */
};

/*
 * The objects of J in namespace NS (where the program names none), members of the set ID.
 * Everything lives in A.
 */
struct wanted_list wanted_of(struct arena *a, const struct plan *plan, const struct plan_job *j, struct str ns,
	struct str id);

/* The body of one: its tree on one line. */
struct str wanted_body(struct arena *a, const struct wanted *w);
/* "Job ml/bert-worker" without the namespace where it is the run's: "Job/bert-worker". */
struct str wanted_name(struct arena *a, const struct wanted_list *all, const struct wanted *w);
/* The value at a path of keys with dots between them, to be replaced; NULL when it is not there. */
struct data *wanted_value(const struct wanted *w, const char *path);

#endif
