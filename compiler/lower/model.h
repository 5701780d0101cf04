/*
 * model.h - jobs that differ in nothing but their name. Two passes of a fleet are such jobs if the first, the model,
 * has read nothing that differs between passes; the evaluator counts such reads. Then the plan of the second is that of
 * the model with another name, and nothing in it is evaluated again. Only the last job that was evaluated is kept as a
 * model. A copy reports nothing: its diagnostics would have the same codes and positions as those of the model, and of
 * these only the first in a fleet is kept anyway. A fleet with errors has no model. A copy costs as much of the budgets
 * as the pass that it replaces.
 *
 * Two jobs outside fleets are copies as well if their texts differ only in the title and nothing was reported. Then the
 * spans in the second plan are those of the first job, so the caller decides with `lends` whether this is acceptable.
 */
#ifndef TRAINC_LOWER_MODEL_H
#define TRAINC_LOWER_MODEL_H

#include "eval/job.h"

struct model {
	bool lends;                     /* a job outside a fleet may be a copy, with the spans of another job */
	bool lent;                      /* such a copy was made */
	const struct node *node;        /* the node of the model; NULL if no model is given */
	const struct plan_job *plan;
	/* what the model used of the budgets; until it is complete, the counters when it was started */
	unsigned pass_reads;
	uint64_t steps;
	size_t text_bytes;
};

/* Makes the plan of J, whose name is known, from the model. False if J must be evaluated. */
bool model_copy(struct model *m, struct job *j);
/* Call model_begin() when the name of J is known, and model_end() when its plan is complete. */
void model_begin(struct model *m, const struct job *j);
void model_end(struct model *m, const struct job *j);

#endif
