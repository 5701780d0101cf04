/*
 * lower_replica.c - lowers a framework's settings for the objects that represent one replica each: replica { name,
 * labels, service, kind }. The block in the framework itself applies to all its roles; the block in a role adds to it.
 * Names are evaluated first, since every host name begins with one. A Service selects its pod by the labels of the
 * framework's own block.
 */
#include "eval/internal.h"
#include "lower/lower.h"

/* The entries that set member NAME in the `replica` blocks of one level, in order. */
static struct said member_said(struct role *r, unsigned level, const char *name)
{
	struct eval *ev = r->job->ev;
	struct said blocks = role_said(ev, r, FIELD_REPLICA), said = { 0 };

	for (size_t i = blocks.n; i-- > 0;) {
		struct entries *members = blocks.at[i].level == level ? entry_body(ev, blocks.at[i].entry) : NULL;
		for (size_t k = 0; members && k < members->n; k++)
			if (str_is(members->at[k].key, name)) {
				struct contribution c = { &members->at[k], level };
				ARENA_PUSH(eval_work(ev), said.at, said.n, c);
			}
	}
	return said;
}

/* The value of a member: that of the block nearest to the job, and in that block, of the last entry. */
static const struct value *replica_member(struct role *r, const char *name, struct span *ret_at)
{
	struct said said = { 0 };

	for (unsigned l = LEVEL_FRAMEWORK; l < r->nlevels && !said.n; l++)
		said = member_said(r, l, name);
	if (!said.n)
		return &value_none;
	*ret_at = entry_at(said.at[said.n - 1].entry);
	return entry_value(r->job->ev, said.at[said.n - 1].entry);
}

/* ---- names ---- */

static void report_name(struct role *r, struct span at)
{
	struct diag *d = eval_report(r->job->ev, TJ0708, at,
		"the name of a replica is known text, or such text and '-${pod.index}' at its end");

	diag_help(r->job->ev->diags, d, "write name = \"${cluster.name}-${self.name}-${pod.index}\", for example");
}

/* Sets the name of a replica: BASE, or BASE-INDEX. */
static void replica_name(struct role *r)
{
	struct eval *ev = r->job->ev;
	struct span at = { 0 };
	const struct value *v = replica_member(r, "name", &at);
	struct text t;
	bool indexed;

	if (!value_ok(v) || v->kind == VALUE_NONE) {
		if (v->kind == VALUE_COMPUTED)
			report_name(r, at);
		return;
	}
	if (!value_text(ev->arena, v, &t))
		return;
	indexed = t.n && t.at[t.n - 1].kind == PIECE_INDEX;
	t.n -= indexed;
	if (!text_flatten(ev, &t, &r->plan->object) || !r->plan->object.n ||
		(indexed && !str_ends(r->plan->object, STR("-")))) {
		report_name(r, at);
		return;
	}
	r->plan->object.n -= indexed;
	r->plan->one_name = !indexed;
	r->name_at = at;
}

void replica_names(struct job *j)
{
	for (size_t i = 0; i < j->nroles; i++) {
		if (j->roles[i]->aux || j->roles[i]->job != j)  /* refuse_in_cell() reports those of a cell */
			continue;
		j->ev->self = j->roles[i];
		replica_name(j->roles[i]);
	}
	j->ev->self = NULL;
}

/* ---- labels ---- */

static bool lower_label(struct lowering *l, const struct source_entry *s, struct text *t)
{
	struct eval *ev = l->ev;
	struct str flat;

	if (!value_text(ev->arena, s->value, t))
		return false;
	for (size_t i = 0; i < t->n; i++)
		if (t->at[i].kind != PIECE_TEXT && t->at[i].kind != PIECE_INDEX) {
			if (text_flatten(ev, t, &flat)) {
				struct piece *p = ARENA_NEW(ev->arena, struct piece);
				*p = (struct piece){ .kind = PIECE_TEXT, .u.text = flat };
				*t = (struct text){ .at = p, .n = 1 };
				return true;
			}
			struct diag *d = eval_report(ev, TJ0708, s->from,
				"a label must be known when the pod is made, but this depends on the pod");
			diag_help(ev->diags, d, "the only fact about the pod that a label may contain is 'pod.index'");
			return false;
		}
	return true;
}

static void label(struct lowering *l, const struct source_entry *s, bool selects)
{
	struct plan_replica *p = &l->plan->replica;
	struct plan_replica_label made = { .key = s->key, .key_at = s->key_at, .selects = selects, .from = s->from };

	if (s->value->kind == VALUE_BAD || s->value->kind == VALUE_NONE)
		return;
	if (s->value->kind == VALUE_COMPUTED)
		pend_field(l, (struct pending){ .kind = PENDING_LABEL, .expr = s->expr, .frame = s->frame,
			.key = s->member,
			.computed = s->value->u.computed, .index = p->nlabels });
	else if (!lower_label(l, s, &made.text))
		return;
	ARENA_PUSH(l->ev->arena, p->labels, p->nlabels, made);
}

/*
 * Lowers the labels of one level. SELECT: they are those by which a Service selects its pod, from the block of the
 * framework itself.
 */
static void labels(struct lowering *l, unsigned level, bool select)
{
	struct source_entries s = { 0 };
	struct said said = member_said(l->role, level, "labels");

	for (size_t i = 0; i < said.n; i++)
		gather_entry(l, said.at[i].entry, level, &s);
	for (size_t i = 0; i < s.n; i++)
		label(l, &s.at[i], select);
}

void lower_replica(struct lowering *l)
{
	struct plan_replica *p = &l->plan->replica;
	struct contribution first;

	if (l->job->checks_failed || !role_first(l->role, FIELD_REPLICA, &first))
		return;
	const struct value *kind = replica_member(l->role, "kind", &p->service_from);
	const struct value *service = replica_member(l->role, "service", &p->service_from);
	p->set = true;
	p->job = kind->kind == VALUE_STRING && str_is(kind->u.string, "job");
	if (service->kind == VALUE_STRING)
		p->service = str_is(service->u.string, "cluster") ? REPLICA_CLUSTER :
			str_is(service->u.string, "none") ? REPLICA_UNSERVED : REPLICA_HEADLESS;
	for (unsigned i = l->job->nlayers; i-- > 0;)
		labels(l, level_own(i), true);
	for (unsigned i = l->job->nlayers; i-- > 0;)
		labels(l, level_block(i), false);
	if (l->plan->one_name && l->plan->max > 1) {
		struct diag *d = eval_report(l->ev, TJ0811, l->role->name_at,
			"the %lld replicas of role '%.*s' would have one name",
			(long long)l->plan->max, STR_ARG(l->role->name));
		diag_help(l->ev->diags, d, "end the name with '-${pod.index}', or let the role have one replica");
	}
}
