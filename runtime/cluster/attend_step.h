/*
 * attend_step.h - one step of attending a run whose roles are Jobs: what the run is, what its record must say, and what
 * is done next. It is the same for a command that waits and for `trainc supervise`: they only send the requests.
 *
 * attend_step() is pure, like decide_jobs(): the same record, objects and time give the same step, so a request that
 * was lost is ordered again. The order is: first the record, then a restart, then the actions stage by stage.
 *
 * Anybody who may write ConfigMaps may have written the record. So a step only orders something if the Jobs and
 * Deployments of the run vouch for the record (vouch.h), and it only deletes because of a verdict that they show.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_ATTEND_STEP_H
#define TRAINC_RUNTIME_CLUSTER_ATTEND_STEP_H

#include "runtime/cluster/vouch.h"
#include "runtime/decide/jobs.h"

struct attend_look {
	const struct plan_job *plan;
	const struct parent *record;
	const struct status_objects *objects;   /* with the facts about restarts, and whether the run is attended */
	bool acts;                      /* the caller attends the run; else it only wants the state and the verdict */
	int64_t now;                    /* by the clock of the API server, in ns */
};

struct attend_step {
	struct run_state live;          /* the state that the objects show */
	struct run_state state;         /* the same with the verdict that the record has */
	/* ---- the record ---- */
	bool news;                      /* `verdict` and `outcome` must be written into the record */
	bool judged;                    /* the verdict was not known before this step */
	struct str verdict, outcome;    /* as in struct parent */
	/* ---- what is done; nothing if the caller does not act ---- */
	enum vouch_verdict vouched;
	struct str doubt;               /* what the record says and no live object shows; empty: nothing */
	bool restart;                   /* a restart, of the run or of a copy, is due or in progress: start or continue
					 * it */
	const struct status_restart *next;      /* the restart that is due; NULL: none is, or one is in progress */
	int64_t patience;               /* with `restart`: how many ns it must wait */
	struct jobs_decision actions;
	bool expired;                   /* `ttl` has passed, and the actions delete the Jobs because of this */
	int64_t again;                  /* the latest time for the next step; RULES_NEVER: no time is known */
};

struct attend_step attend_step(struct arena *a, const struct attend_look *l);

/* How long a doubt may last before it is reported, in ns: watches report changes in any order. */
int64_t attend_doubt_patience(const struct parent *record);

#endif
