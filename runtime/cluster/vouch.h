/*
 * vouch.h - which live objects vouch for the record of a run.
 *
 * The record is a ConfigMap. Whoever may write ConfigMaps may write anything into it, perhaps without the right to
 * create or delete Jobs. So a record is only believed as far as live objects vouch for it: `apply` writes a digest of
 * the record into every Job and Deployment of the run. Only those who may write Jobs can do so, and they could do
 * themselves what an attendant does because of the record. The digest covers the uid of the record, its plan, its limit
 * of restarts and its Jobs. It does not cover what changes during a run: the verdict, which must be shown by live
 * objects, and the progress of a restart, for which a Job without pods vouches, the voucher.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_VOUCH_H
#define TRAINC_RUNTIME_CLUSTER_VOUCH_H

#include "runtime/cluster/applyset.h"

/* The annotation with the digest. */
#define VOUCH_ANNOTATION "trainc.dev/record-digest"
/* The annotation of a Job that a restart has created: the number of the last restart of the whole run. */
#define VOUCH_RESTARTED "trainc.dev/restarted"

/*
 * VOUCH_LATE_MS: how long objects may fail to vouch before it is reported, because watches report changes in any order.
 * VOUCH_APPLY_MS: the same while an apply is under way or was interrupted.
 */
enum { VOUCH_LATE_MS = 5000, VOUCH_APPLY_MS = 60000 };

enum vouch_verdict {
	VOUCH_ABSENT,                   /* no Job or Deployment of the run exists */
	VOUCH_MISSING,                  /* an object that the record lists does not vouch for it */
	VOUCH_GIVEN                     /* all existing Jobs and Deployments that the record lists vouch for it */
};

/* The digest of the Jobs that a record holds (`jobs_digest` of struct parent). */
struct str vouch_jobs_digest(struct arena *a, struct str jobs);
/* The digest of the record P; empty if the record does not exist yet. */
struct str vouch_digest(struct arena *a, const struct parent *p);
/* Does an object vouch for the record with the DIGEST? An empty digest has no voucher. */
bool vouch_by(const struct data *object, struct str digest);
/* Do the objects of a run vouch for its record P? RET_WHO: the first object that does not, as "Job 'a-worker'". */
enum vouch_verdict vouch_judge(struct arena *a, const struct parent *p, const struct status_objects *objects,
	struct str *ret_who);
/* The number of the restart that has created a Job; 0: `apply` has created it. */
int64_t vouch_number(const struct data *job);
/*
 * Does a stored Job have the form of the live one? The size and `suspend` may differ. If not, WHY says which field
 * differs.
 */
bool vouch_same_job(struct arena *a, const struct data *stored, const struct data *live, struct str *why);
/* Has the object no owner, or only the record P? */
bool vouch_owner_fits(const struct data *object, const struct parent *p);

/* ---- the voucher of a restart ---- */

/* The name of the voucher for RUN. */
struct str voucher_name(struct arena *a, struct str run);
/*
 * The request body that creates the voucher of the last restart in P: a suspended Job for no pods, with the pod
 * template of JOB, so that the cluster admits it like a Job of the run. The digest and the restart are part of the
 * template, which cannot be changed.
 */
struct str voucher_body(struct arena *a, const struct parent *p, const struct data *job);
/* Is the Job a voucher of the record P: EXACT of its last restart, else of any restart and any content of P? */
bool voucher_fits(struct arena *a, const struct data *job, const struct parent *p, bool exact);

/* Who has written the data of a record last, according to its managed fields: "'kubectl' at TIME"; or "somebody". */
struct str vouch_writer(struct arena *a, const struct data *record);

#endif
