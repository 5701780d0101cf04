/*
 * job.h - one job of the program while its plan is built. lower/job.c fills it in, roles first. Every field is a slot
 * that is evaluated on first use, so expressions can read fields of the job and of its roles.
 */
#ifndef TRAINC_EVAL_JOB_H
#define TRAINC_EVAL_JOB_H

#include "eval/role.h"

/* Settings of the command line that override the program. */
struct job_options {
	struct str ns, domain, gang, run_id;    /* options for the job; p == NULL: not given */
	bool unroll, no_raw;
	bool here;                      /* the processes run on this machine: images are not used and need not be set */
	enum workload_id workload;      /* the kind of object that a role becomes in the target */
	bool controller, in_set;        /* see the members with these names in plan.h */
};

/* A framework of the job: the one that the job names, or one that another framework wraps. */
struct job_layer {
	struct decl *framework;
	struct frame *formals;
	struct entries *body;
};

/* The name of a variable, or PREFIX_*, that framework LAYER locks: layers that are nearer to the job may not set it. */
struct reserved {
	struct str name;
	unsigned layer;
};

struct job {
	struct eval *ev;
	const struct job_options *options;
	struct node *node;              /* the job's node, a NODE_JOB */
	struct frame *frame;            /* the frame, with the loop variables of a fleet */
	struct entries *body;           /* the entries of the job's body */
	struct entries *defaults;       /* the entries of the project's defaults; NULL if the project has no defaults */
	struct decl *framework;         /* the framework that the job names, or NULL */
	struct job_layer layers[MOST_FRAMEWORKS];
	unsigned nlayers;
	struct role **roles;            /* all roles: those of the framework, the job's own, and aux roles */
	size_t nroles;
	struct str name;                /* the job's name as written */
	struct reserved *reserved;
	size_t nreserved;
	struct slot *slots[FIELDS];     /* slots of job-only fields; made on first use */
	bool env_all;                   /* sidecars get the framework's variables, too */
	bool ready;                     /* the fields of roles can be read */
	/*
	 * it has a role that the framework lacks (TJ0501), which may be a misspelling of any role that it does not
	 * mention
	 */
	bool role_lost;
	bool checks_failed;             /* a check of the framework failed: the values that it guards are not
					 * evaluated */
	struct plan_job *plan;
	struct job *before;             /* the previous job that was kept, see eval.built */
};

/*
 * A field of the job itself (set by the job's block, otherwise by the project's defaults, by frameworks, or by the
 * built-in default).
 */
const struct value *job_field(struct job *j, enum field_id id);
/* Does the job or one of its frameworks mention the field? */
bool job_says(const struct job *j, enum field_id id);
struct span job_field_at(struct job *j, enum field_id id);
/* Is the variable NAME, which LEVEL sets, locked by a framework whose level comes after LEVEL? */
bool job_reserves(const struct job *j, struct str name, unsigned level);

#endif
