/*
 * cel_expr.h - translates single expressions to the text of CEL.
 */
#ifndef TRAINC_CEL_CEL_EXPR_H
#define TRAINC_CEL_CEL_EXPR_H

#include "cel/cel.h"

/* The CEL variable with the roles that are not auxiliary (see cel.h). */
#define CEL_ROLES STR("variables.roles")

enum cel_subject { CEL_VALUE, CEL_ROLE, CEL_CONTAINER };

/* The current meaning of a name: a loop variable, or a parameter of a function. */
struct cel_bound {
	const struct decl *decl;
	enum cel_subject subject;
	struct str text;
	bool of_cluster;                /* its loop goes over all roles or containers of the job */
	const struct cel_bound *outer;
};

struct cel {
	struct arena *arena;
	struct program *program;
	enum cel_objects objects;
	const struct cel_bound *bound;
	bool message;                   /* the expression that is translated is a message */
	struct str why;                 /* the first reason why CEL cannot express it; empty if CEL can */
	struct span at;
};

/* The list that a loop goes over. */
struct cel_list {
	struct str outer, inner;        /* `outer` is the path of a list; if `inner` is set, the loop goes over the list
					 * `inner` of each element */
	enum cel_subject subject;
	bool of_cluster;                /* as in struct cel_bound */
};

/* Translates N; sets c->why and c->at if that fails. */
struct str cel_expr(struct cel *c, const struct node *n);
struct cel_list cel_list(struct cel *c, const struct node *n);
/* A name for a variable, based on NAME, that nothing else uses there. */
struct str cel_name(const struct cel *c, struct str name);

#endif
