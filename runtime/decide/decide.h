/*
 * decide.h - decides what a controller does next about a job, for targets that create one object for each replica.
 *
 * The functions are pure. Their input is the plan, the objects of the cluster, the record of the previous pass and the
 * time. Their result is the objects to create and to delete, the new record and the time of the next pass. The caller
 * first stores the record (struct decide_record) and then acts: if an action is lost, the next pass requests it again,
 * and nothing is counted twice.
 *
 * Times are nanoseconds of the real-time clock. Memory comes from the arena that is passed in; texts of the plan and of
 * the previous record are borrowed.
 *
 * Rules: runtime/run/rules.h; docs/differences.md says where they differ from the rules of the operators.
 */
#ifndef TRAINC_RUNTIME_DECIDE_H
#define TRAINC_RUNTIME_DECIDE_H

#include "runtime/decide/conditions.h"
#include "runtime/run/rules.h"
#include "runtime/status/status.h"

/* The job to decide about, and its settings. */
struct decide_job {
	const struct plan_job *plan;
	struct str kind;                /* kind of the job's object: the first word of reasons and messages */
	/*
	 * uid of the object that owns all objects of the job; empty: the labels alone decide which objects belong to it
	 */
	struct str uid;
	struct str controller;          /* name of this controller; a job whose `managed_by` gives another name is left
					 * alone */
	/* wanted number of replicas of each elastic role, within the limits of the role; NULL: the plan's maximum */
	const int64_t *sizes;
};

/* ---- the objects that exist (see.c) ---- */

enum seen_phase { SEEN_PENDING, SEEN_RUNNING, SEEN_SUCCEEDED, SEEN_FAILED };
enum seen_owner {
	OWNER_THIS,
	OWNER_NONE,                     /* the object has no owner, but has the labels by which the job finds its
					 * objects */
	OWNER_OTHER
};
enum { DECIDE_INDEXES = 1000000, NO_ROLE = -1 };        /* upper limit of the indexes of replicas; the value of
							 * `role` for an object that belongs to no role */

struct seen {
	struct str kind, name, uid;
	enum seen_owner owner;
	bool deleting;
	/* role of the replica that the object's name or, for a Service, its purpose denotes; NO_ROLE: another object */
	int role;
	int64_t index;                  /* index of the replica, possibly one that the job does not want */
	/* phase; this and all members below are only set for workloads */
	enum seen_phase phase;
	int64_t ready;                  /* number of ready pods: at most one, except for a Deployment */
	bool disrupted;
	int exit_code;                  /* exit code of the main container; -1: unknown */
	int64_t restarts;               /* restarts of all containers in place */
	int64_t begin, end;             /* when the attempt started and ended; 0: unknown */
};
struct seen_list {
	struct seen *at;
	size_t n;
};
/*
 * Selects from a list the objects whose names belong to the job. Objects of a namespace other than the plan's are
 * skipped. If the plan names no namespace, the caller must list the objects of only one namespace. Texts in the result
 * are copies.
 */
struct seen_list decide_see(struct arena *a, const struct decide_job *job, const struct status_objects *objects);
/* Does the work of decide_see() for one object: adds the object to LIST if its name belongs to the job. */
void decide_see_object(struct arena *a, const struct decide_job *job, const struct data *object,
	struct seen_list *list);

/* The name of the object that represents replica i, and its kind: "Pod", "Job" or "Deployment". */
struct str decide_name(struct arena *a, const struct plan_job *j, const struct plan_role *r, int64_t i);
struct str decide_kind(const struct plan_job *j, const struct plan_role *r);
/* Labels that select the pods of the whole job: the labels that are the same for every replica. */
struct plan_pairs decide_selector(struct arena *a, const struct plan_job *j);

/* ---- the record from pass to pass ---- */

#include "data/shape_structs.h"
#include "runtime/decide/decide.def"
#include "data/shape_end.h"

/*
 * Writes the record as JSON, and reads it. The JSON leaves out facts that the next pass sees in the objects anyway. The
 * reader borrows the texts of the tree, finds roles by their names, and skips replicas that the plan does not have. It
 * returns false and leaves RET unchanged when the tree is not a record.
 */
void decide_record_print(const struct decide_record *r, const struct plan_job *j, struct buf *out);
bool decide_record_read(struct arena *a, const struct data *d, const struct plan_job *j, struct decide_record *ret);

/* ---- the actions ---- */

enum decide_what { DECIDE_CREATE, DECIDE_ADOPT, DECIDE_DELETE };

struct decide_action {
	enum decide_what what;
	struct str kind, name, uid;     /* kind, name and uid of the object; empty uid: the object does not exist yet */
	int role;                       /* the role that the object belongs to, or NO_ROLE */
	int64_t index;
};

struct decide_count {
	int64_t active, succeeded, failed;
};

struct decision {
	struct decide_action *actions;  /* the actions, in the order in which they must be carried out */
	size_t nactions;
	/* another owner's object has a name which the job needs; the caller waits and looks again */
	const struct seen *conflict;
	bool elsewhere;                 /* another controller looks after the job: do nothing */
	bool remove;                    /* the job has ended and its `ttl` has passed: delete it */
	int64_t again;                  /* the latest time for the next pass; RULES_NEVER: no pass is needed */
	struct decide_record record;
	struct decide_count *roles;     /* the counts of each role, in the plan's order */
};

/* Makes one pass over JOB. */
struct decision decide(struct arena *a, const struct decide_job *job, const struct decide_record *before,
	const struct seen_list *seen, int64_t now);

/* ---- single rules (decide_limits.c, reconcile.c) ---- */

/* Does another controller look after the job, because `managed_by` names it? */
bool decide_elsewhere(const struct decide_job *job);
bool decide_suspended(const struct plan_job *j);

/*
 * The number of restarts so far, in place or as a new object, in roles that may restart. The number does not fall until
 * the job is resumed.
 */
int64_t decide_spent(const struct plan_job *j, const struct decide_record *r);
/* The time at which a job that ended at END is removed; RULES_NEVER without `ttl`. */
int64_t decide_removal(const struct plan_job *j, int64_t end);

/* The number of indexes to examine: enough for all replicas that are wanted and all that exist. */
int64_t decide_slots(const int64_t *indexes, size_t n, int64_t wanted);

#endif
