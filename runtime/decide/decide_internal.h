/*
 * decide_internal.h - one pass over a job, shared by decide.c (the state of the job) and
 * reconcile.c (objects that are missing or too many).
 */
#ifndef TRAINC_RUNTIME_DECIDE_INTERNAL_H
#define TRAINC_RUNTIME_DECIDE_INTERNAL_H

#include "runtime/decide/decide.h"

struct decide_part {                    /* a role */
	const struct plan_role *plan;
	const struct seen **at, **services;     /* the seen objects and Services by index, `slots` of them; NULL: no
						 * object of ours has that index */
	int64_t slots, wanted;
	bool spared;                    /* its copy is lost, and the job goes on without it */
	struct decide_replica *replicas;        /* the record of each replica, plan->max of them */
	enum replica_state *states;             /* the state of each replica for conditions such as `start_after`,
						 * plan->max of them */
};

struct decide_pass {
	struct arena *arena;
	const struct decide_job *job;
	const struct plan_job *plan;
	const struct seen_list *seen;
	struct decision *out;
	struct decide_part *parts;
	struct role_states *states;
	int64_t now;
	/*
	 * the first replica that failed for good, the first whose failure restarts the job, and the first that is
	 * replaced while the job continues
	 */
	const struct seen *lost, *retried, *replaced;
};

/* Sorts the seen objects by role and index. */
void pass_index(struct decide_pass *p);
/* Updates the record of every attempt: which have ended, and which restart. */
void pass_judge(struct decide_pass *p);
/* Finds the replica that first failed for good, except in copies that are lost and that the job does not need. */
void pass_blame(struct decide_pass *p);
/*
 * Deletes all replicas before the job restarts, which happens at AGAIN at the earliest. ALL: replicas that have already
 * ended for good are also restarted.
 */
void pass_begin_anew(struct decide_pass *p, bool all, int64_t again);

/*
 * Checks the names of the objects that the job needs. If another owner's object has one of the names, sets the
 * decision's `conflict` and returns false.
 */
bool pass_claim(struct decide_pass *p);
/* Creates missing replicas, and deletes replicas that are surplus or must restart. */
void pass_reconcile(struct decide_pass *p);
/* Deletes replicas and their Services: all of them, or the replicas that `clean` removes from an ended job. */
void pass_clear(struct decide_pass *p, bool all);

/* Makes sure that the next pass is at AT at the latest. */
static inline void pass_wake(struct decide_pass *p, int64_t at)
{
	if (at < p->out->again)
		p->out->again = at;
}

static inline bool is_ours(const struct seen *s) { return s && s->owner == OWNER_THIS; }

/* Is S the object of the current attempt, and not one that must be deleted? */
static inline bool is_current(const struct decide_replica *r, const struct seen *s)
{
	return s && !(r->doomed.n && str_eq(r->doomed, s->uid));
}

#endif
