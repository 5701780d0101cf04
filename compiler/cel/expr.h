/*
 * expr.h - translates single expressions to the text of CEL.
 */
#ifndef TRAINC_CEL_EXPR_H
#define TRAINC_CEL_EXPR_H

#include "cel/cel.h"

/* The list of roles that are not auxiliary (cel.h). */
#define CEL_ROLES STR("variables.roles")

enum cel_subject { CEL_VALUE, CEL_ROLE, CEL_CONTAINER };

/* The present meaning of a name: a loop variable, or an argument of a function. */
struct cel_bound {
	const struct decl *decl;
	enum cel_subject subject;
	struct str text;
	bool of_cluster;                /* it goes over roles or containers of the whole job */
	const struct cel_bound *outer;
};

struct cel {
	struct arena *arena;
	const struct program *program;
	enum cel_objects objects;
	const struct cel_bound *bound;
	bool message;                   /* the text that is translated is a message for people */
	struct str why;                 /* why CEL cannot express it: the first reason; empty: CEL can */
	struct span at;
};

/* The list that a loop goes over. */
struct cel_list {
	struct str outer, inner;        /* paths of lists: `inner` is in each element of `outer`; empty: the elements
					 * themselves */
	enum cel_subject subject;
	bool of_cluster;                /* as in struct cel_bound */
};

/* Translates N; after a failure `why` and `at` are set. */
struct str cel_expr(struct cel *c, const struct node *n);
struct cel_list cel_list(struct cel *c, const struct node *n);
/* A name for a variable that is not used otherwise there. */
struct str cel_name(const struct cel *c, struct str name);

#endif
