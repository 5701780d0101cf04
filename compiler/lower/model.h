/*
 * model.h - the passes of a fleet that differ in nothing but the name of their job. The first pass is the model: while
 * it is built, the evaluator counts reads of what differs between passes. When there were none, the plan of another
 * pass is that of the model with another name, so nothing of it is evaluated again. One model is kept, that of the
 * fleet whose passes are being built. What a copy would report is what the model has reported, with the same code at
 * the same place, and of that only the first report of a fleet is kept; a fleet with errors has no model. A copy costs
 * as much of the budgets as the pass that it replaces.
 */
#ifndef TRAINC_LOWER_MODEL_H
#define TRAINC_LOWER_MODEL_H

#include "eval/job.h"

struct model {
	const struct node *node;        /* the fleet; NULL: there is no model */
	const struct plan_job *plan;
	/* what the model took of the budgets; before it is complete: the counters when it began */
	unsigned pass_reads;
	uint64_t steps;
	size_t text_bytes;
};

/* Makes the plan of J, whose name is known, from the model. False: the pass must be evaluated. */
bool model_copy(const struct model *m, struct job *j);
/* Call model_begin() when the name of J is known, and model_end() when its plan is complete. */
void model_begin(struct model *m, const struct job *j);
void model_end(struct model *m, const struct job *j);

#endif
