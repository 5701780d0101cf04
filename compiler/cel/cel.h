/*
 * cel.h - translates the checks of policies to CEL, the expression language in which an API server can check objects.
 *
 * The object is a job of the training operator, or an object of a run: a Job or a Deployment (one role), a pod (one
 * replica), or a JobSet (all roles). An expression reads the namespace of the object, the name of its job and lists of
 * roles:
 *
 *   variables.roles       roles with at least one replica that are not auxiliary
 *   variables.all_roles   the same, and auxiliary roles
 *   variables.pods        the same, and pods of objects that the program adds
 *
 * For jobs of the operator, only the first list exists, because the others would be the same. A role has
 *
 *   .name                 "worker"
 *   .main                 its main container, a list of one
 *   .containers           all containers of its pods, init containers too
 *
 * A check is translated if the expression has the same result for every job as the check has for the program of that
 * job; otherwise it is left out, and the reason is returned.
 */
#ifndef TRAINC_CEL_H
#define TRAINC_CEL_H

#include "check/module.h"

/* The objects that the API server checks. */
enum cel_objects { CEL_OPERATOR_JOBS, CEL_RUN_OBJECTS };

struct cel_check {
	struct str policy;              /* title of the policy */
	bool warn;
	struct str expression;          /* CEL expression that is true when the check holds */
	struct str message;             /* message when the check fails; one line */
	struct str message_expression;  /* CEL expression for the message with the values that were found; empty: CEL
					 * cannot express it */
	bool roles;                     /* the expression reads variables.roles */
};

struct cel_refusal {
	struct str policy;
	struct span at;                 /* span of the part that CEL cannot express */
	struct str why;
};

struct cel_policies {
	struct cel_check *checks;       /* the checks, grouped by policy */
	size_t nchecks;
	struct cel_refusal *refusals;
	size_t nrefusals;
	size_t npolicies;               /* number of policies that the project has */
};

/* Translates the policies of the project of P, which the checker must have accepted. *RET is allocated in A. */
void cel_policies(struct arena *a, struct program *p, enum cel_objects objects, struct cel_policies *ret);

#endif
