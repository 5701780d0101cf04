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

#endif
