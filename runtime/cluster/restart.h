/*
 * restart.h - restarts a whole run of plain Jobs, or one copy of a cell: deletes the Jobs, and creates them again when
 * all of them and their pods are gone.
 *
 * The record of the run says which step is next, and live Jobs vouch for the record (vouch.h). A restart starts when
 * the live Jobs were found to have the form of the stored ones. First its voucher is created, a suspended Job for no
 * pods. Then a write into the record lists the Jobs to replace. When the new Jobs exist, the voucher is deleted, and
 * another write lists the new Jobs. Each write contains the version that was read, so only one of two attendants starts
 * a restart. Both may carry it out: a deletion names the uid, and server-side apply creates a Job once. If an attendant
 * dies, the next one continues from the record. Without the voucher, nothing is deleted or created.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_RESTART_H
#define TRAINC_RUNTIME_CLUSTER_RESTART_H

#include "plan/plan.h"
#include "runtime/cluster/applyset.h"
#include "runtime/cluster/retry.h"
#include "runtime/run/run_state.h"

/* Jobs of a run that take more bytes than this are not recorded, so that the record stays below the server's limit. */
enum { RESTART_JOBS_MOST = 512 << 10 };

enum restart_end {
	RESTART_NOTHING,                /* the record does not request a restart, or has changed: judge again */
	RESTART_WAITS,                  /* old Jobs are still being deleted */
	RESTART_DONE,                   /* all Jobs are created and recorded */
	RESTART_FAILED                  /* a request was refused; `error` says why. The pass must be repeated later */
};

/* The highest attempt number in each role, by the label of the role. */
struct restart_attempts {
	struct str role;
	int64_t n;
};

struct restart {
	struct calls *calls;
	struct call_share *share;       /* whose share of the requests in flight these use; NULL: nobody's */
	struct arena *arena;            /* memory for everything that the requests need; lives until `done` */
	struct parent judged;           /* the record with which the run was judged */
	struct str ns;                  /* its namespace */
	const char *manager;            /* field manager of the record */
	/* the restart to start: what the record will say of it; NULL: only continue a restart that is in progress */
	const struct status_restart *next;
	struct restart_attempts *attempts;
	size_t nattempts;
	void (*done)(struct restart *r);        /* called once, unless the requests are cancelled */
	void *to;

	enum restart_end end;
	bool begun;                     /* this call has started the restart */
	struct str error;
	bool unvouched;                 /* with `error`: no live object vouches for what the record says */
	/* private to restart.c */
	struct parent parent;
	struct restart_job *jobs;
	size_t njobs, pending;
	bool abandoned;                 /* the run has a verdict: the restart of a copy ends without new Jobs */
	size_t seen;                    /* number of live Jobs that were looked at before the restart */
	struct str voucher, made;       /* uid of the voucher; uid of the voucher that this pass has created */
	unsigned tries;
};

/* Notes the number of attempts of each role so far, from the state and the Jobs of the run. */
void restart_note_attempts(struct restart *r, const struct plan_job *j, const struct run_state *s,
	const struct status_objects *objects);
/*
 * How long a due restart must wait for the pods that show which rank has failed. The restart deletes these pods, and
 * the watch of Jobs may be ahead of the watch of pods. 0: no wait. NOW: the time by the clock of the API server.
 */
int64_t restart_patience(const struct run_state *s, int64_t now);
/* Takes the next steps of a restart. The caller sets the members of R that come before `end`. */
void restart_start(struct restart *r);

#endif
