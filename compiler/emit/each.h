/*
 * each.h - how a target lists its manifests: the parts that targets share.
 *
 * A target is a row of the table in emit_each.c: a name, whether it has an
 * object for each replica (then the index is a literal in it), and the function
 * that visits the manifests of one job in output order.
 */
#ifndef TRAINC_EMIT_EACH_H
#define TRAINC_EMIT_EACH_H

#include "emit/build.h"

struct visiting {
	struct emit *e;
	bool (*visit)(struct emit *e, const struct manifest *m, void *context);
	void *context;
};

/* Visit one; the arena of objects is empty afterwards.  False: stop. */
bool each_one(struct visiting *v, const struct manifest *m);
struct manifest each_manifest(const struct plan_role *r, const char *api_version, const char *kind, struct str name,
	struct object *(*make)(struct emit *e, const struct manifest *m));
/* Visit the objects NAME-0 to NAME-(n-1) of a role, in as many manifests as they have different entries. */
bool each_replica(struct visiting *v, struct manifest m);

/* Services by which people find a role; false: stop.  The others likewise. */
bool each_user_services(struct visiting *v, const struct plan_job *j);
/* The headless Service of the job. */
bool each_job_service(struct visiting *v, const struct plan_job *j);
bool each_config_maps(struct visiting *v, const struct plan_job *j);
bool each_secrets(struct visiting *v, const struct plan_job *j);
/* The objects that say how many pods start together: gang.c. */
bool each_gang(struct visiting *v, const struct plan_job *j);
/* Objects that a framework adds, or those of the user's own. */
bool each_objects(struct visiting *v, const struct plan_job *j, bool framework);

/* ---- the targets ---- */

bool each_of_jobs(struct visiting *v, const struct plan_job *j);        /* emit_each.c */
bool each_of_pods(struct visiting *v, const struct plan_job *j);        /* pods.c */
bool each_of_kubeflow(struct visiting *v, const struct plan_job *j);    /* kubeflow.c */

#endif
