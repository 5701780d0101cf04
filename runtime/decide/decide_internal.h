/*
 * decide_internal.h - one pass over a job, as decide.c (what became of the job)
 * and reconcile.c (what is missing, what is too much) share it.
 */
#ifndef TRAINC_RUNTIME_DECIDE_INTERNAL_H
#define TRAINC_RUNTIME_DECIDE_INTERNAL_H

#include "runtime/decide/decide.h"

struct decide_part {                    /* a role */
	const struct plan_role *plan;
	const struct seen **at, **services;     /* by index, `slots` of them; NULL: nothing is there, or not ours */
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
	 * whom to blame: the first that failed for good, that has the job
	 * restart, and that is replaced while the job goes on
	 */
	const struct seen *lost, *retried, *replaced;
};

/* What is seen, by role and index. */
void pass_index(struct decide_pass *p);
/* Every attempt into the record: what ended, what begins again. */
void pass_judge(struct decide_pass *p);
/*
 * All that was begun goes before the next beginning, which is not before `again`.
 * `all`: what has ended for good begins again, too.
 */
void pass_begin_anew(struct decide_pass *p, bool all, int64_t again);

/* The objects that are needed: false, with the decision's conflict, when one of their names is taken. */
bool pass_claim(struct decide_pass *p);
/* Make what is missing, delete what is too much or has to begin again. */
void pass_reconcile(struct decide_pass *p);
/* Delete replicas and their Services: all, or what `clean` takes of an ended job. */
void pass_clear(struct decide_pass *p, bool all);

/* The pass has to be repeated then. */
static inline void pass_wake(struct decide_pass *p, int64_t at)
{
	if (at < p->out->again)
		p->out->again = at;
}

static inline bool is_ours(const struct seen *s) { return s && s->owner == OWNER_THIS; }

/* Is it the attempt that goes on, not one that has to go? */
static inline bool is_current(const struct decide_replica *r, const struct seen *s)
{
	return s && !(r->doomed.n && str_eq(r->doomed, s->uid));
}

#endif
