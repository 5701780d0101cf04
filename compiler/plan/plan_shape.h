/*
 * plan_shape.h - what the rows of plan.def need: the types of a plan's members, and the words of its enums.
 */
#ifndef TRAINC_PLAN_PLAN_SHAPE_H
#define TRAINC_PLAN_PLAN_SHAPE_H

#include "data/shape.h"
#include "plan/plan.h"

/* The context of struct shape_out and struct shape_reader for a plan. */
struct plan_shape {
	const struct plan_job *job;     /* the job that is written or read, whose roles conditions name */
	int64_t replicas;               /* number of replicas of the role that is written */
};

extern const struct shape_words plan_host_words;        /* "subdomain" */

/* A member that is a field of the language with one value. */
struct plan_field {
	const char *name;
	struct str value;               /* as the language writes it, without quotes */
	bool quoted;                    /* the value is a text */
	struct span from;               /* what decided the value */
};
/* Reads the member of ROW in OBJECT; false if it is another kind of member, or is not set. */
bool plan_field_of(struct arena *a, const struct shape_row *row, const void *object, struct plan_field *ret);

#endif
