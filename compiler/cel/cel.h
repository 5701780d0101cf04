/*
 * cel.h - checks of policies as expressions of CEL, the language in which an API server can be
 * asked to check an object.
 *
 * The object is a job of the training operator, or one object of a run: a Job or a Deployment, which is one role, a
 * pod, which is one replica, or a JobSet, which is all roles.  An expression reads its namespace, the name of its job
 * and lists of roles:
 *
 *   variables.roles       roles with at least one replica that are not auxiliary
 *   variables.all_roles   the same, and auxiliary roles
 *   variables.pods        the same, and pods of objects that the program adds
 *
 * Jobs of the operator have only the first list, since it is the same as the others. A role has
 *
 *   .name                 "worker"
 *   .main                 its main container, a list of one
 *   .containers           all containers of its pods, init containers too
 *
 * A check is translated when the expression gives the same answer about every job that the policy
 * gives about its program; otherwise it is left out, with the reason.
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
	struct span at;                 /* place of the part that CEL cannot express */
	struct str why;
};

struct cel_policies {
	struct cel_check *checks;       /* the checks; those of one policy follow each other */
	size_t nchecks;
	struct cel_refusal *refusals;
	size_t nrefusals;
	size_t npolicies;               /* number of policies that the project has */
};

/* Translates the policies of the project of P, which has been checked without an error. RET lives in A. */
void cel_policies(struct arena *a, const struct program *p, enum cel_objects objects, struct cel_policies *ret);

#endif
