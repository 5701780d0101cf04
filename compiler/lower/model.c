/*
 * model.c - the plan of a pass of a fleet from that of another pass. What the plans of two passes have in common is
 * shared, because a plan does not change once it is complete.
 */
#include "lower/model.h"

/* J-R; a role to which its framework gives a name has no model. */
static struct str object_name(struct eval *ev, const struct plan_job *p, const struct plan_role *r)
{
	return str_cat(ev->arena, p->name, STR("-"), r->label);
}

bool model_copy(const struct model *m, struct job *j)
{
	struct eval *ev = j->ev;
	struct plan_job *p = j->plan;
	const struct plan_job named = *p;

	if (m->node != j->node || ev->diags->errors || ev->exhausted || ev->steps + m->steps > EVAL_STEPS ||
	    ev->text_bytes + m->text_bytes > EVAL_TEXT)
		return false;
	*p = *m->plan;
	p->name = named.name;
	p->name_at = named.name_at;
	p->roles = ARENA_ARRAY(ev->arena, struct plan_role, p->nroles);
	for (size_t i = 0; i < p->nroles; i++) {
		p->roles[i] = m->plan->roles[i];
		p->roles[i].object = object_name(ev, p, &p->roles[i]);
	}
	ev->steps += m->steps;
	ev->text_bytes += m->text_bytes;
	return true;
}

void model_begin(struct model *m, const struct job *j)
{
	*m = (struct model){ .pass_reads = j->ev->pass_reads, .steps = j->ev->steps, .text_bytes = j->ev->text_bytes };
}

void model_end(struct model *m, const struct job *j)
{
	struct eval *ev = j->ev;
	bool good = j->node->u.job.list && ev->pass_reads == m->pass_reads && !ev->diags->errors && !ev->exhausted &&
		!ev->keep_jobs;

	for (size_t i = 0; i < j->nroles; i++)
		good = good && !span_known(j->roles[i]->name_at);
	m->node = good ? j->node : NULL;
	m->plan = j->plan;
	m->steps = ev->steps - m->steps;
	m->text_bytes = ev->text_bytes - m->text_bytes;
}
