/*
 * job.h - one job of the program while its plan is built, as expressions see it.
 *
 * lower/job.c fills it: roles first, then the fields, each of which is a slot
 * that is evaluated on first use.  Expressions ask for fields of the job and of
 * its roles through it.
 */
#ifndef TRAINC_EVAL_JOB_H
#define TRAINC_EVAL_JOB_H

#include "eval/role.h"

/* What the command line says over the program's head. */
struct job_options {
	struct str ns, domain, gang, run_id;    /* p == NULL without */
	bool unroll, no_raw;
	bool here;                      /* processes of this machine: images are not used, and need not be there */
	enum workload_id workload;      /* what the target makes of roles */
	bool controller, in_set;        /* and see plan.h */
};

/* A framework of the job: the one that it names, or one that is wrapped by the layer before it. */
struct job_layer {
	struct decl *framework;
	struct frame *formals;
	struct entries *body;
};

/* An environment name or PREFIX_* that framework LAYER locks, for what is nearer to the job. */
struct reserved {
	struct str name;
	unsigned layer;
};

struct job {
	struct eval *ev;
	const struct job_options *options;
	struct node *node;              /* NODE_JOB */
	struct frame *frame;            /* loop variables of a fleet */
	struct entries *body;           /* of the job */
	struct entries *defaults;       /* of the project; NULL without */
	struct decl *framework;         /* that it names, or NULL */
	struct job_layer layers[MOST_FRAMEWORKS];
	unsigned nlayers;
	struct role **roles;            /* framework roles, the job's own roles, aux roles */
	size_t nroles;
	struct str name;                /* as written */
	struct reserved *reserved;
	size_t nreserved;
	struct slot *slots[FIELDS];     /* of job-only fields; made on first use */
	bool env_all;                   /* sidecars get the framework's variables too */
	bool ready;                     /* roles may be asked for their fields */
	/* it has a role that its framework has not (TJ0501), and that may be any that it does not mention */
	bool role_lost;
	bool checks_failed;             /* a framework check failed: what it guards is not evaluated */
	struct plan_job *plan;
	struct job *before;             /* the job that was built before this one, see eval.built */
};

/* A field of the job itself (job block, else the project's defaults, else frameworks, else the built-in default). */
const struct value *job_field(struct job *j, enum field_id id);
/* Does the job or its framework say anything about the field? */
bool job_says(const struct job *j, enum field_id id);
struct span job_field_at(struct job *j, enum field_id id);
/* Is an environment name that LEVEL sets locked by a framework behind it? */
bool job_reserves(const struct job *j, struct str name, unsigned level);

#endif
