/*
 * replica.c - what a framework says of the objects that stand for one replica
 * each: replica { name, labels, service, kind }.
 *
 * The framework's own block is for all roles, a role's block adds to it.  Names
 * are worked out first, since every host name begins with one.  Labels of the
 * framework's block are those by which a Service selects its pod.
 */
#include "eval/internal.h"
#include "eval/lower.h"

static struct node *item_value(const struct entry *e)
{
	return e->item ? e->item->kind == NODE_FIELD ? e->item->u.field.value : e->item->u.item.value : NULL;
}

/* The entry of a member in the block of one level; false when it says nothing about it. */
static bool member_entry(struct role *r, enum level level, const char *name, struct entry *ret)
{
	struct contribution c[8];
	size_t n = role_contributions(r, FIELD_REPLICA, c, 8);
	bool found = false;

	for (size_t i = n; i-- > 0;) {
		struct node *body = item_value(c[i].entry);
		if (c[i].level != level || !body || body->kind != NODE_BODY)
			continue;
		struct entries *entries = eval_entries(r->job->ev, c[i].entry->frame, body);
		for (size_t k = 0; k < entries->n; k++)
			if (entries->at[k].item && str_is(entries->at[k].key, name)) {
				*ret = entries->at[k];
				found = true;
			}
	}
	return found;
}

/* The nearer block wins. */
static const struct value *member(struct role *r, const char *name, struct span *ret_at)
{
	struct entry e;

	if (!member_entry(r, LEVEL_FRAMEWORK_ROLE, name, &e) && !member_entry(r, LEVEL_FRAMEWORK, name, &e))
		return &value_none;
	*ret_at = item_value(&e)->span;
	return eval_expr(r->job->ev, e.frame, item_value(&e));
}

/* ---- names ---- */

static void report_name(struct role *r, struct span at)
{
	struct diag *d = eval_report(r->job->ev, TJ0708, at, "the name of a replica is known text, or such text and '-${pod.index}' at its end");

	diag_help(r->job->ev->diags, d, "write name = \"${cluster.name}-${self.name}-${pod.index}\", for example");
}

/* BASE, or BASE-INDEX. */
static void replica_name(struct role *r)
{
	struct eval *ev = r->job->ev;
	struct span at = { 0 };
	const struct value *v = member(r, "name", &at);
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
	if (!text_flatten(ev, &t, &r->plan->object) || !r->plan->object.n || (indexed && !str_ends(r->plan->object, STR("-")))) {
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
		if (j->roles[i]->aux)
			continue;
		j->ev->self = j->roles[i];
		replica_name(j->roles[i]);
	}
	j->ev->self = NULL;
}

/* ---- labels ---- */

static bool label_text(struct lowering *l, const struct source_entry *s, struct text *t)
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
			struct diag *d = eval_report(ev, TJ0708, s->from, "a label must be known when the pod is made, but this depends on the pod");
			diag_help(ev->diags, d, "of the pod only 'pod.index' may be used in a label");
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
		pend(l, (struct pending){ .kind = PENDING_LABEL, .expr = s->expr, .frame = s->frame, .key = s->member,
			.computed = s->value->u.computed, .index = p->nlabels });
	else if (!label_text(l, s, &made.text))
		return;
	ARENA_PUSH(l->ev->arena, p->labels, p->nlabels, made);
}

static void labels(struct lowering *l, enum level level)
{
	struct source_entries s = { 0 };
	struct entry e;

	if (member_entry(l->role, level, "labels", &e))
		gather_entry(l, &e, true, &s);
	for (size_t i = 0; i < s.n; i++)
		label(l, &s.at[i], level == LEVEL_FRAMEWORK);
}

void lower_replica(struct lowering *l)
{
	struct plan_replica *p = &l->plan->replica;
	struct contribution first;

	if (l->job->checks_failed || !role_contributions(l->role, FIELD_REPLICA, &first, 1))
		return;
	const struct value *kind = member(l->role, "kind", &p->service_from);
	const struct value *service = member(l->role, "service", &p->service_from);
	p->set = true;
	p->job = kind->kind == VALUE_STRING && str_is(kind->u.string, "job");
	if (service->kind == VALUE_STRING)
		p->service = str_is(service->u.string, "cluster") ? REPLICA_CLUSTER : str_is(service->u.string, "none") ? REPLICA_UNSERVED : REPLICA_HEADLESS;
	labels(l, LEVEL_FRAMEWORK);
	labels(l, LEVEL_FRAMEWORK_ROLE);
	if (l->plan->one_name && l->plan->max > 1) {
		struct diag *d = eval_report(l->ev, TJ0811, l->role->name_at, "the %lld replicas of role '%.*s' would have one name",
			(long long)l->plan->max, STR_ARG(l->role->name));
		diag_help(l->ev->diags, d, "end the name with '-${pod.index}', or let the role have one replica");
	}
}
