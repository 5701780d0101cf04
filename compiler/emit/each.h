/*
 * each.h - visits manifests; shared by the targets. A target is a row of the table in target/target.c: a name,
 * whether it has an object for each replica (which then contains the index as a literal), and the function that
 * visits the manifests of one job in output order.
 */
#ifndef TRAINC_EMIT_EACH_H
#define TRAINC_EMIT_EACH_H

#include "emit/emit_build.h"

struct visiting {
	struct emit *e;
	bool (*visit)(struct emit *e, const struct manifest *m, void *context);
	void *context;
};

/* Visits one manifest and empties the arena of objects. Returns false to stop, as the functions below do. */
bool each_one(struct visiting *v, const struct manifest *m);
struct manifest each_manifest(const struct plan_role *r, const char *api_version, const char *kind, struct str name,
	struct object *(*make)(struct emit *e, const struct manifest *m));
/* Visits the objects NAME-0 to NAME-(n-1) of a role; replicas with the same entries share a manifest. */
bool each_replica(struct visiting *v, struct manifest m);

/* Visits the objects of the auxiliary roles (AUX), or of all others, as each role's kind of workload requires. */
bool each_workloads(struct visiting *v, const struct plan_job *j, bool aux);

/* Visits the Services by which replicas and users find the roles; returns false to stop. */
bool each_services(struct visiting *v, const struct plan_job *j);
/* Visits the Services by which users find the roles. */
bool each_user_services(struct visiting *v, const struct plan_job *j);
/* Visits the headless Service of the job. */
bool each_job_service(struct visiting *v, const struct plan_job *j);
bool each_config_maps(struct visiting *v, const struct plan_job *j);
/* Visits the ConfigMaps with the files of one role. */
bool each_config_maps_of(struct visiting *v, const struct plan_role *r);
/* Visits the ConfigMaps with the code of roles that no earlier job has. */
bool each_code(struct visiting *v, const struct plan_job *j);
bool each_secrets(struct visiting *v, const struct plan_job *j);
/* Visits the claims of replicas that are kept when the pods end. */
bool each_claims(struct visiting *v, const struct plan_job *j);
/* The claims that the containers of a role mount and keep, each once. */
struct plan_volumes emit_kept_claims(struct arena *a, const struct plan_role *r);
/* Visits the objects that say how many pods start together: gang_group.c. */
bool each_gang(struct visiting *v, const struct plan_job *j);
/*
 * The first function visits the extra objects that pods need before they start, with the framework's objects if
 * FRAMEWORK is set; the second one visits all other extra objects.
 */
bool each_needed(struct visiting *v, const struct plan_job *j, bool framework);
bool each_last(struct visiting *v, const struct plan_job *j);
/* Visits the Namespaces among the extra objects, which must exist before the objects in them. */
bool each_namespaces(struct visiting *v, const struct plan_job *j);

/* ---- sets of Jobs: jobset.c ---- */

/* maximum number of dependencies of a replicated Job (jobset.x-k8s.io/v1alpha2, version 0.10) */
enum { SET_DEPENDENCIES = 5 };

/* Writes the fields that a set has both as an object of its own and as the template in another object. */
void emit_set(struct emit *e, struct object *spec);
/* Returns the name of a replicated Job: that of the role, or of one replica of an unrolled role. */
struct str emit_set_name(struct arena *a, const struct plan_job *j, struct plan_set_job job);
/* A dependency on another replicated Job, which must be complete or ready before this one starts. */
struct set_dependency {
	struct plan_set_job on;
	bool complete;
};
struct set_dependencies {
	struct set_dependency *at;
	size_t n;
	const struct plan_condition *because;   /* the part of the condition that a JobSet cannot wait for, or NULL */
};
struct set_dependencies emit_set_dependencies(struct arena *a, const struct plan_job *j, const struct plan_role *r);
/* Returns the controller that the framework's argument `managed_by` names; empty if the argument is not set. */
struct str emit_managed_by(const struct plan_job *j);
/* If the project's JobSet restarts, does it wait until nothing of the last attempt is left? */
bool emit_set_blocks(const struct plan *plan);

/* ---- sets of groups: lws.c ---- */

/* What differs between copies of a cell, or between pods of a copy, and no template can express; NULL if nothing. */
struct group_conflict {
	const char *what;
	struct span at;
	bool computed;                  /* a text may differ, but only in the two numbers themselves */
};
/*
 * Makes the role that stands for FIRST, a role of copy 0 of a cell, in all copies. Its texts have no hosts and ports:
 * what is left of them are the number of the pod in its copy (PIECE_INDEX), and fields of the pod. False after a
 * conflict.
 */
bool emit_group_role(struct arena *a, const struct plan_job *j, const struct plan_role *first, struct plan_role *ret,
	struct group_conflict *why);
/* The roles of copy 0 of a cell that have pods: at most N are stored; returns how many there are. */
size_t emit_group_roles(const struct plan_job *j, const struct plan_cell *c, const struct plan_role **roles, size_t n);
/* Names of the variables that the controller of a set of groups sets in all containers; NULL after the last. */
const char *emit_group_variable(size_t i);
/*
 * Does the controller keep the copies of the cell of R in domains of their own, one for each? Then the pods need no
 * affinity.
 */
bool emit_group_exclusive(const struct plan_job *j, const struct plan_role *r);

/* ---- Jobs of Volcano: volcano_job.c ---- */

/* The name of the task of a role, or of replica I of an unrolled role. */
struct str emit_task_name(struct arena *a, const struct plan_role *r, int64_t i);
/* What a failed pod of a role does. */
enum task_failure { TASK_ENDS_JOB, TASK_RESTARTS_JOB, TASK_RESTARTS_POD, TASK_FAILS_ALONE };
enum task_failure emit_task_failure(const struct plan_job *j, const struct plan_role *r);
/* How often the Job may start anything again after a failure. */
int64_t emit_task_restarts(const struct plan_job *j);
/*
 * Can the Job express its success? *RET_DECIDES gets, for each role, whether the Job succeeds as soon as all pods of
 * the role have; none does if all pods must succeed.
 */
bool emit_task_success(struct arena *a, const struct plan_job *j, bool **ret_decides);
/*
 * Can the Job express what R waits for? *RET_ON gets, for each role, whether R waits until its pods are ready;
 * *RET_ANY: one of these roles is enough.
 */
bool emit_task_waits(struct arena *a, const struct plan_job *j, const struct plan_role *r, bool **ret_on,
	bool *ret_any);

/* ---- the targets ---- */

bool each_of_jobs(struct visiting *v, const struct plan_job *j);        /* defined in target_jobs.c */
bool each_of_pods(struct visiting *v, const struct plan_job *j);        /* defined in pods.c */
bool each_of_kubeflow(struct visiting *v, const struct plan_job *j);    /* defined in kubeflow.c */
bool each_of_jobset(struct visiting *v, const struct plan_job *j);      /* defined in jobset.c */
bool each_of_trainer(struct visiting *v, const struct plan_job *j);     /* defined in trainer.c */
bool each_of_lws(struct visiting *v, const struct plan_job *j);         /* defined in lws.c */
bool each_of_volcano(struct visiting *v, const struct plan_job *j);     /* defined in volcano_job.c */

#endif
