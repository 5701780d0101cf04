/*
 * job.h - one job of the program while its plan is built.
 *
 * job_build() instantiates the framework (formals bound to the job's
 * arguments), makes the roles, runs the checks, evaluates every field and fills
 * a struct plan_job.  blueprint.c binds formals, role.c answers what roles know,
 * lower*.c copies finished values into the plan.
 */
#ifndef TRAINC_EVAL_JOB_H
#define TRAINC_EVAL_JOB_H

#include "eval/role.h"

/* What the command line says over the program's head. */
struct job_options {
	struct str ns, domain, gang, run_id;    /* p == NULL without */
	bool unroll, no_raw;
	bool here;                      /* processes of this machine: images are not used, and need not be there */
	bool each_replica;              /* the target has an object for each replica anyway */
	bool controller, in_set;        /* and see plan.h */
};

struct job {
	struct eval *ev;
	const struct job_options *options;
	struct node *node;              /* NODE_JOB */
	struct frame *frame;            /* loop variables of a fleet */
	struct entries *body;           /* of the job */
	struct decl *framework;         /* or NULL */
	struct node *framework_node;    /* NODE_FRAMEWORK, or NULL */
	struct frame *formals;          /* the framework's */
	struct entries *framework_body;
	struct role **roles;            /* framework roles, the job's own roles, aux roles */
	size_t nroles;
	struct str name;                /* as written */
	struct str *reserved;           /* environment names that the framework locks */
	size_t nreserved;
	struct slot *slots[FIELDS];     /* of job-only fields; made on first use */
	bool env_all;                   /* sidecars get the framework's variables too */
	bool ready;                     /* roles may be asked for their fields */
	bool role_lost;                 /* it has a role that its framework has not (TJ0501), and that may be any that it does not mention */
	bool checks_failed;             /* a framework check failed: what it guards is not evaluated */
	struct plan_job *plan;
	struct job *before;             /* the job that was built before this one, see eval.built */
};

/*
 * Build the plan of one job; `frame` has the loop variables of a fleet.  What
 * could not be evaluated is reported and absent.
 */
void job_build(struct eval *ev, struct node *node, struct frame *frame, const struct job_options *options, struct plan_job *ret);

/* A field of the job itself (job block, else framework, else default). */
const struct value *job_field(struct job *j, enum field_id id);
/* Does the job or its framework say anything about the field? */
bool job_says(const struct job *j, enum field_id id);
struct span job_field_at(struct job *j, enum field_id id);
/* Is an environment name locked by the framework? */
bool job_reserves(const struct job *j, struct str name);

#endif
