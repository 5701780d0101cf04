/*
 * model.h - jobs that differ in nothing but their name. Two passes of a fleet are such jobs when the first, the model,
 * has read nothing that differs between passes, which the evaluator counts. Then the plan of the second is that of the
 * model with another name, so nothing of it is evaluated again. One model is kept, the last job that was evaluated.
 * What a copy would report is what the model has reported, with the same code at the same place, and of that only the
 * first report of a fleet is kept; a fleet with errors has no model. A copy costs as much of the budgets as the pass
 * that it replaces.
 *
 * Two jobs that are written out are copies as well when their texts are the same but for the title, and nothing was
 * reported. The plan of the second has the places of the first then, so the caller says whether it can do with that.
 */
#ifndef TRAINC_LOWER_MODEL_H
#define TRAINC_LOWER_MODEL_H

#include "eval/job.h"

struct model {
	bool lends;                     /* may a job that is written out be a copy, which has the places of another? */
	bool lent;                      /* there is such a copy */
	const struct node *node;        /* the fleet or job that was evaluated; NULL: no model */
	const struct plan_job *plan;
	/* what the model took of the budgets; before it is complete: the counters when it began */
	unsigned pass_reads;
	uint64_t steps;
	size_t text_bytes;
};

/* Makes the plan of J, whose name is known, from the model. False: the pass must be evaluated. */
bool model_copy(struct model *m, struct job *j);
/* Call model_begin() when the name of J is known, and model_end() when its plan is complete. */
void model_begin(struct model *m, const struct job *j);
void model_end(struct model *m, const struct job *j);

#endif
