/*
 * lower_amounts.c - lowers what a container requests: cpu, memory, disk, their limits, and resources. No reference can
 * express an amount, so replicas with different amounts need an object each. If an amount differs, all amounts of the
 * container are evaluated again for each replica.
 */
#include "eval/internal.h"
#include "lower/lower.h"

/*
 * The amounts of one container that are being lowered: those of replica `index`, or if that is -1, those that are the
 * same for all.
 */
struct asking {
	struct lowering *l;
	struct entries *body;
	int64_t index;
	struct span computed;           /* an expression that makes an amount differ between replicas; unknown if no
					 * expression does */
};

/* Reports an amount that is unknown even with an index: it depends on a name, a node or the like. */
static void report_open(struct asking *k, struct span at)
{
	struct diag *d = diag_report(k->l->ev->diags, TJ0716, at,
		"the amounts of a container must be known before the pod starts");

	diag_help(k->l->ev->diags, d, "only 'pod.index' may be used here, and no other fact about the pod");
}

/* The value of a field; VALUE_NONE if it differs between replicas and no replica is chosen. */
static const struct value *asked(struct asking *k, enum field_id id, struct span *ret_at)
{
	struct lowering *l = k->l;
	const struct value *v;
	struct entry *first;

	if (k->body) {
		l->ev->pod_index = k->index;
		v = gather_own(l->ev, k->body, id, &first);
		l->ev->pod_index = -1;
		*ret_at = first ? entry_at(first) : l->plan->at;
	} else if (k->index >= 0) {
		v = role_field_of(l->ev, l->role, id, k->index, ret_at);
	} else {
		v = role_field(l->ev, l->role, id);
		*ret_at = role_field_at(l->ev, l->role, id);
	}
	struct span computed = { 0 };
	if (!value_differs(v, &computed))
		return v;
	if (k->index >= 0)
		report_open(k, span_known(computed) ? computed : *ret_at);
	if (!span_known(k->computed))
		k->computed = span_known(computed) ? computed : *ret_at;
	return &value_none;
}

/*
 * The span that decided the amount of a replica: the branch that it takes if the field has branches, otherwise the
 * whole field.
 */
static struct span decided(const struct asking *k, const struct value *v, struct span at)
{
	bool inside = span_known(v->from) && v->from.start >= at.start && v->from.end <= at.end;

	return k->index >= 0 && inside ? v->from : at;
}

static struct plan_quantity quantity(struct asking *k, enum field_id id)
{
	struct span at;
	const struct value *v = asked(k, id, &at);

	return v->kind == VALUE_QUANTITY ? (struct plan_quantity){ v->u.quantity, decided(k, v, at), true } :
		(struct plan_quantity){ 0 };
}

static struct plan_quantity limit(const struct value *limits, const char *name)
{
	const struct value *v = limits->kind == VALUE_MAP ? value_get(limits, str_of(name)) : NULL;

	if (!v || v->kind != VALUE_QUANTITY)
		return (struct plan_quantity){ 0 };
	return (struct plan_quantity){ v->u.quantity, v->from, true };
}

static struct plan_bool flag(const struct value *limits, const char *name)
{
	const struct value *v = limits->kind == VALUE_MAP ? value_get(limits, str_of(name)) : NULL;

	return v && v->kind == VALUE_BOOL && v->u.boolean ? (struct plan_bool){ true, v->from, true } :
		(struct plan_bool){ 0 };
}

static struct plan_amounts all_amounts(struct asking *k, const struct plan_container *c)
{
	struct plan_amounts ret = { .cpu = quantity(k, FIELD_CPU), .memory = quantity(k, FIELD_MEMORY) };
	struct span at;

	if (!k->body)                   /* only roles have the field */
		ret.disk = quantity(k, FIELD_DISK);
	const struct value *limits = asked(k, FIELD_LIMITS, &at);
	ret.limits = (struct plan_limits){ limit(limits, "cpu"), limit(limits, "memory"), limit(limits, "disk"),
		flag(limits, "unbounded") };
	const struct value *resources = asked(k, FIELD_RESOURCES, &at);
	if (k->index >= 0 || !span_known(k->computed))
		lower_resources(k->l, resources, c, &ret);
	return ret;
}

void lower_amounts(struct lowering *l, struct entries *body, struct plan_container *c)
{
	struct asking k = { .l = l, .body = body, .index = -1 };

	c->asks = all_amounts(&k, c);
	if (span_known(k.computed))
		pend_field(l, (struct pending){ .kind = PENDING_AMOUNTS, .container = c, .body = body,
			.computed = k.computed });
}

void lower_amounts_of_replicas(struct lowering *l, struct entries *body, struct plan_container *c, int64_t n)
{
	struct plan_amounts *each = ARENA_ARRAY(l->ev->arena, struct plan_amounts, (size_t)n);

	for (int64_t i = 0; i < n && !l->ev->exhausted; i++) {
		struct asking k = { .l = l, .body = body, .index = i };
		each[i] = all_amounts(&k, c);
	}
	if (n)
		c->asks = each[0];
	if (n > 1)
		c->per_replica = each;
}
