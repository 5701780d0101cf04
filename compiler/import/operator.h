/*
 * operator.h - shared by the readers of job kinds of the training operator, API version kubeflow.org/v1, and of the
 * operators before it.
 */
#ifndef TRAINC_IMPORT_OPERATOR_H
#define TRAINC_IMPORT_OPERATOR_H

#include "import/import_role.h"

enum { OPERATOR_ROLES = 7 };

struct operator_role {
	const char *key, *word;         /* name of the role in the resource, and in the program: "Worker", "worker" */
	int64_t usual;                  /* number of replicas that the framework declares; -1: no number is declared */
};

enum operator_trait {
	OPERATOR_OPEN = 1,              /* the resource accepts any other role too */
	OPERATOR_CASES = 2,             /* the case of a role's key does not matter */
	OPERATOR_NO_NAME_RULE = 4
};

struct operator_kind {
	const char *kind, *type;
	const char *framework;          /* name of the framework in std.kubeflow */
	const char *roles_key;
	const char *restart;            /* the restart policy by default */
	unsigned traits;
	unsigned from, to;              /* minor versions of the oldest and newest operator that has the kind */
	struct operator_role roles[OPERATOR_ROLES];     /* the roles, in the order of the framework */
	struct role_kind role;
};

const struct operator_kind *operator_find(struct str kind);

/* A job of the operator that is being read. */
struct operator_job {
	struct import_manifest m;
	const struct operator_kind *kind;
	const struct data *roles;       /* the map of roles in the resource, or NULL */
	const struct data *policy;      /* runPolicy; the spec, if it has the policies itself; NULL if the object has no
					 * policies */
	/* version of an operator for this kind alone: "v1" or "v1beta1"; NULL: the training operator */
	const char *alone;
	unsigned version;               /* minor version of the operator: 7 or 9 */
};

/*
 * Returns the table's row of a role in the map, or NULL for a role that the operator does not know. The case of the
 * name matters only where it does for the operator.
 */
const struct operator_role *operator_role_of(const struct operator_kind *k, struct str key);
/* Returns the member of the map for a role of the table; NULL if the map has no such member. */
const struct data_member *operator_member(const struct operator_job *j, const char *key);

/* Reports everything that the operator, or the API server before it, refuses; returns false if it reported anything. */
bool operator_check(const struct operator_job *j);

#endif
