/*
 * decide_internal.h - one pass over a job, shared by decide.c (the state of the job) and
 * reconcile.c (objects that are missing or too many).
 */
#ifndef TRAINC_RUNTIME_DECIDE_INTERNAL_H
#define TRAINC_RUNTIME_DECIDE_INTERNAL_H

#include "runtime/decide/decide.h"

struct decide_part {                    /* a role */
	const struct plan_role *plan;
	const struct seen **at, **services;     /* by index, `slots` of them; NULL: there is none, or it is not ours */
	int64_t slots, wanted;
	struct decide_replica *replicas;        /* plan->max */
	enum replica_state *states;             /* plan->max, as conditions see them */
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
	 * the first replica that failed for good, that makes the job restart, and that is replaced
	 * while the job goes on
	 */
	const struct seen *lost, *retried, *replaced;
};

/* What is seen, by role and index. */
void pass_index(struct decide_pass *p);
/* Updates the record with every attempt: which ended, which begins again. */
void pass_judge(struct decide_pass *p);
/*
 * Deletes everything that was begun before the next beginning, which comes at `again` at the
 * earliest. `all`: replicas that have ended for good begin again, too.
 */
void pass_begin_anew(struct decide_pass *p, bool all, int64_t again);

/* The objects that are needed: false, with the decision's conflict, when a name is taken. */
bool pass_claim(struct decide_pass *p);
/* Makes what is missing, and deletes what is too much or must begin again. */
void pass_reconcile(struct decide_pass *p);
/* Deletes replicas and their Services: all, or those that `clean` removes from an ended job. */
void pass_clear(struct decide_pass *p, bool all);

/* The pass has to be repeated then. */
static inline void pass_wake(struct decide_pass *p, int64_t at)
{
	if (at < p->out->again)
		p->out->again = at;
}

static inline bool is_ours(const struct seen *s) { return s && s->owner == OWNER_THIS; }

/* Is it the present attempt, and not one that must go? */
static inline bool is_current(const struct decide_replica *r, const struct seen *s)
{
	return s && !(r->doomed.n && str_eq(r->doomed, s->uid));
}

#endif
