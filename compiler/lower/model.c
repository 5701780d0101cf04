/*
 * model.c - makes the plan of a job from that of another job. The two plans share what they have in common, because a
 * plan does not change once it is complete.
 */
#include "lower/model.h"

/* The name JOB-ROLE of the object of a role. A role whose framework names its objects is never copied. */
static struct str object_name(struct eval *ev, const struct plan_job *p, const struct plan_role *r)
{
	return str_cat(ev->arena, p->name, STR("-"), r->label);
}

/* The text of a job after its title. */
static struct str rest_of(const struct eval *ev, const struct node *job)
{
	return source_text(ev->program->sources, (struct span){ job->u.job.title->span.end, job->span.end });
}

/* Do two jobs outside fleets have the same text except for their titles? */
static bool reads_alike(const struct eval *ev, const struct node *a, const struct node *b)
{
	return !a->u.job.list && !b->u.job.list && str_eq(rest_of(ev, a), rest_of(ev, b));
}

bool model_copy(struct model *m, struct job *j)
{
	struct eval *ev = j->ev;
	struct plan_job *p = j->plan;
	const struct plan_job named = *p;

	if (!m->node || (m->node != j->node && !reads_alike(ev, m->node, j->node)) || ev->diags->errors ||
	    ev->exhausted || ev->steps + m->steps > EVAL_STEPS || ev->text_bytes + m->text_bytes > EVAL_TEXT)
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
	m->lent = m->lent || m->node != j->node;
	return true;
}

void model_begin(struct model *m, const struct job *j)
{
	m->node = NULL;
	m->pass_reads = j->ev->pass_reads;
	m->steps = j->ev->steps;
	m->text_bytes = j->ev->text_bytes;
}

void model_end(struct model *m, const struct job *j)
{
	struct eval *ev = j->ev;
	bool good = j->node->u.job.list ? !ev->diags->errors : m->lends && !ev->diags->n;

	good = good && ev->pass_reads == m->pass_reads && !ev->exhausted && !ev->keep_jobs;

	for (size_t i = 0; i < j->nroles; i++)
		good = good && !span_known(j->roles[i]->name_at);
	m->node = good ? j->node : NULL;
	m->plan = j->plan;
	m->steps = ev->steps - m->steps;
	m->text_bytes = ev->text_bytes - m->text_bytes;
}
