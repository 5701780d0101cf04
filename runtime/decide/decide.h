/*
 * decide.h - what a controller does next about a job whose replicas are objects of their own (a
 * target with an object for each replica).
 *
 * Pure: the plan, the objects of the cluster, what was known before and the time go in; objects to
 * make and to delete, what is known now and when to look again come out.  The caller first stores
 * what is known (struct decide_record) and then acts: whatever is lost between the two is asked
 * for again by the next pass, and nothing is counted twice.
 *
 * Times are nanoseconds of the real-time clock.  Memory comes from the arena that is passed in;
 * texts of the plan, of the objects and of the previous record are borrowed.
 *
 * Rules: runtime/run/rules.h; docs/differences.md says where they differ from those of the
 * operators.
 */
#ifndef TRAINC_RUNTIME_DECIDE_H
#define TRAINC_RUNTIME_DECIDE_H

#include "runtime/decide/conditions.h"
#include "runtime/run/rules.h"
#include "runtime/status/status.h"

/* The job as the controller has it. */
struct decide_job {
	const struct plan_job *plan;
	struct str kind;                /* the kind of the job's object: begins reasons and messages */
	/* uid of the object that owns everything; empty: labels alone tell what is ours */
	struct str uid;
	struct str controller;          /* our own name as a controller, which `managed_by` may give */
	/* replicas wanted of each elastic role, kept within its limits; NULL: the plan's maximum */
	const int64_t *sizes;
};

/* ---- what is seen (see.c) ---- */

enum seen_phase { SEEN_PENDING, SEEN_RUNNING, SEEN_SUCCEEDED, SEEN_FAILED };
enum seen_owner {
	OWNER_THIS,
	OWNER_NONE,                     /* without an owner, but with the labels by which the job finds its objects */
	OWNER_OTHER
};
enum { DECIDE_INDEXES = 1000000, NO_ROLE = -1 };        /* indexes of replicas are below */

struct seen {
	struct str kind, name, uid;
	enum seen_owner owner;
	bool deleting;
	/* the replica that the object is by its name, or whose Service it is; NO_ROLE: another object */
	int role;
	int64_t index;                  /* may be an index that is not wanted */
	/* the members below are about workloads */
	enum seen_phase phase;
	int64_t ready;                  /* pods: at most one, except of a Deployment */
	bool disrupted;
	int exit_code;                  /* exit code of the main container; -1: unknown */
	int64_t restarts;               /* restarts of all containers in place */
	int64_t begin, end;             /* 0: unknown */
};
struct seen_list {
	struct seen *at;
	size_t n;
};
/*
 * Selects from a list of objects those with a name of the job's.  Those of another namespace than
 * the plan's are skipped; when the plan names none, the caller lists one namespace only.
 */
struct seen_list decide_see(struct arena *a, const struct decide_job *job, const struct status_objects *objects);

/* The name of an object that stands for replica i, and its kind: "Pod", "Job", or "Deployment". */
struct str decide_name(struct arena *a, const struct plan_job *j, const struct plan_role *r, int64_t i);
struct str decide_kind(const struct plan_job *j, const struct plan_role *r);
/*
 * Labels by which the pods of the whole job are found: those that select and are the same for
 * every replica.
 */
struct plan_pairs decide_selector(struct arena *a, const struct plan_job *j);

/* ---- what is known from pass to pass ---- */

struct decide_replica {
	struct str uid;                 /* uid of the object that is its present attempt */
	struct str doomed;              /* uid of the object that must go before the next attempt */
	int64_t restarts;               /* restarts in place during the present attempt */
	int64_t failures;               /* failed attempts that counted against `retries` */
	int64_t series;                 /* number of bad ends in a row */
	int64_t again;                  /* no new attempt before this time; 0: none is due */
	bool succeeded, failed;         /* for good */
};

struct decide_role {
	struct decide_replica *at;
	int64_t n;
	bool released;                  /* its `start_after` has been fulfilled */
};

struct decide_record {
	struct job_conditions conditions;
	int64_t begin, end;             /* 0: not yet; a resumed job begins when it is resumed */
	int64_t spent;                  /* restarts in attempts that are over, and failed attempts */
	int64_t begun_anew;             /* number of times the whole job began again */
	bool cut_short;                 /* its deadline or back-off limit ended it */
	struct decide_role *roles;      /* in the order of the plan's roles, whose numbers of replicas may have
					 * changed */
	size_t nroles;
};

/*
 * As JSON, and back.  What the next pass would see again anyway is left out.  Reading borrows the
 * tree's texts, finds roles by their names, and skips replicas that the plan does not have; false,
 * with `ret` untouched, when the tree is no record.
 */
void decide_record_print(const struct decide_record *r, const struct plan_job *j, struct buf *out);
bool decide_record_read(struct arena *a, const struct data *d, const struct plan_job *j, struct decide_record *ret);

/* ---- what to do ---- */

enum decide_what { DECIDE_CREATE, DECIDE_ADOPT, DECIDE_DELETE };

struct decide_action {
	enum decide_what what;
	struct str kind, name, uid;     /* uid: that of the existing object */
	int role;                       /* or NO_ROLE */
	int64_t index;
};

struct decide_count {
	int64_t active, succeeded, failed;
};

struct decision {
	struct decide_action *actions;  /* the actions, in this order */
	size_t nactions;
	/* an object of somebody else has a name that is needed: wait, and look again */
	const struct seen *conflict;
	bool elsewhere;                 /* another controller looks after the job: do nothing */
	bool remove;                    /* the job's time after its end is over */
	int64_t again;                  /* look again at this time at the latest; RULES_NEVER */
	struct decide_record record;
	struct decide_count *roles;     /* in the order of the plan's roles */
};

/* One pass. */
struct decision decide(struct arena *a, const struct decide_job *job, const struct decide_record *before,
	const struct seen_list *seen, int64_t now);

/* ---- single rules (limits.c, reconcile.c) ---- */

/* Does another controller look after the job, because `managed_by` names it? */
bool decide_elsewhere(const struct decide_job *job);
bool decide_suspended(const struct plan_job *j);

/*
 * How many restarts there were so far, in place or as a new object, in roles that may restart.
 * The number never falls while the job is not resumed.
 */
int64_t decide_spent(const struct plan_job *j, const struct decide_record *r);
/* When a job that ended then is removed; RULES_NEVER without `ttl`. */
int64_t decide_removal(const struct plan_job *j, int64_t end);

/* The number of indexes to look at: those that are wanted, and those that exist. */
int64_t decide_slots(const int64_t *indexes, size_t n, int64_t wanted);

#endif
