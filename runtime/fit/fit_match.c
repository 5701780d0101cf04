/*
 * fit_match.c - labels, selectors, affinity and taints, as the scheduler compares them.
 */
#include <stdlib.h>

#include "runtime/fit/fit.h"
#include "runtime/status/look.h"

static const struct data *label_of(const struct data *labels, struct str key)
{
	const struct data *d = labels && labels->kind == DATA_MAP ? data_get(labels, key) : NULL;

	return d && d->kind == DATA_STRING ? d : NULL;
}

/* Do LABELS contain each pair of MAP? */
static bool has_all(const struct data *map, const struct data *labels)
{
	for (size_t i = 0; map && map->kind == DATA_MAP && i < map->u.map.n; i++) {
		const struct data *have = label_of(labels, map->u.map.at[i].key), *want = map->u.map.at[i].value;
		if (!have || want->kind != DATA_STRING || !str_eq(have->u.string, want->u.string))
			return false;
	}
	return true;
}

static bool holds_value(const struct data *values, struct str value)
{
	for (size_t i = 0; i < values->u.list.n; i++)
		if (values->u.list.at[i]->kind == DATA_STRING && str_eq(values->u.list.at[i]->u.string, value))
			return true;
	return false;
}

bool fit_expression(const struct data *e, const struct data *labels)
{
	const struct data *have = label_of(labels, status_text(e, "key")), *values = status_list(e, "values");
	struct str op = status_text(e, "operator");

	if (str_is(op, "Exists"))
		return have != NULL;
	if (str_is(op, "DoesNotExist"))
		return !have;
	if (str_is(op, "NotIn"))
		return !have || !holds_value(values, have->u.string);
	if (str_is(op, "In"))
		return have && holds_value(values, have->u.string);
	if (!have || !values->u.list.n || values->u.list.at[0]->kind != DATA_STRING)
		return false;
	long long a = strtoll(have->u.string.p, NULL, 10), b = strtoll(values->u.list.at[0]->u.string.p, NULL, 10);
	return str_is(op, "Gt") ? a > b : a < b;
}

static bool expressions_hold(const struct data *list, const struct data *labels)
{
	for (size_t i = 0; i < list->u.list.n; i++)
		if (!fit_expression(list->u.list.at[i], labels))
			return false;
	return true;
}

bool fit_selects(const struct data *selector, const struct data *labels)
{
	return selector && has_all(status_path(selector, "matchLabels"), labels) &&
		expressions_hold(status_list(selector, "matchExpressions"), labels);
}

/* Do the field expressions hold? The only field of a node that can be matched is its name. */
static bool fields_hold(const struct data *list, struct str name)
{
	for (size_t i = 0; i < list->u.list.n; i++) {
		bool in = holds_value(status_list(list->u.list.at[i], "values"), name);
		if (in == str_is(status_text(list->u.list.at[i], "operator"), "NotIn"))
			return false;
	}
	return true;
}

/* Does the node match the affinity? One of the terms has to match; an empty term matches no node. */
static bool affinity_holds(const struct data *spec, const struct fit_node *n)
{
	const struct data *required = status_path(spec,
		"affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution");
	const struct data *terms = required ? status_list(required, "nodeSelectorTerms") : NULL;

	for (size_t i = 0; terms && i < terms->u.list.n; i++) {
		const struct data *labels = status_list(terms->u.list.at[i], "matchExpressions"),
			*fields = status_list(terms->u.list.at[i], "matchFields");
		if ((labels->u.list.n || fields->u.list.n) && expressions_hold(labels, n->labels) &&
		    fields_hold(fields, n->name))
			return true;
	}
	return !terms;
}

static bool tolerates_one(const struct data *t, const struct data *taint)
{
	struct str key = status_text(t, "key"), effect = status_text(t, "effect"), op = status_text(t, "operator");

	if ((effect.n && !str_eq(effect, status_text(taint, "effect"))) ||
	    (key.n && !str_eq(key, status_text(taint, "key"))))
		return false;
	if (str_is(op, "Exists"))
		return true;
	return key.n && str_eq(status_text(t, "value"), status_text(taint, "value"));
}

static bool any_tolerates(const struct data *list, const struct data *taint)
{
	for (size_t i = 0; i < list->u.list.n; i++)
		if (tolerates_one(list->u.list.at[i], taint))
			return true;
	return false;
}

bool fit_tolerates(const struct data *spec, const struct data *flavor, const struct data *taints)
{
	const struct data *own = status_list(spec, "tolerations"), *more = status_list(flavor, "spec.tolerations");

	for (size_t i = 0; i < taints->u.list.n; i++) {
		const struct data *taint = taints->u.list.at[i];
		if (!str_is(status_text(taint, "effect"), "PreferNoSchedule") && !any_tolerates(own, taint) &&
		    !any_tolerates(more, taint))
			return false;
	}
	return true;
}

/*
 * Does the pod tolerate a cordoned node? Such a node soon gets the taint node.kubernetes.io/unschedulable; until then
 * its field `unschedulable` counts.
 */
static bool tolerates_cordon(const struct data *spec)
{
	const struct data *list = status_list(spec, "tolerations");

	for (size_t i = 0; i < list->u.list.n; i++) {
		struct str key = status_text(list->u.list.at[i], "key");
		if (str_is(status_text(list->u.list.at[i], "operator"), "Exists") &&
		    (!key.n || str_is(key, "node.kubernetes.io/unschedulable")))
			return true;
	}
	return false;
}

enum fit_obstacle fit_obstacle(const struct fit_node *n, const struct data *spec, const struct data *flavor)
{
	if (n->cordoned && !tolerates_cordon(spec))
		return FIT_CORDONED;
	if (!has_all(status_path(spec, "nodeSelector"), n->labels) ||
	    !has_all(status_path(flavor, "spec.nodeLabels"), n->labels))
		return FIT_LABELS;
	if (!affinity_holds(spec, n))
		return FIT_AFFINITY;
	return fit_tolerates(spec, flavor, n->taints) ? FIT_TAKES : FIT_TAINT;
}

const struct data *fit_anti_terms(const struct data *spec)
{
	return status_list(spec, "affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution");
}

const struct data *fit_own_term(const struct data *spec, const struct data *labels)
{
	const struct data *terms = status_list(spec,
		"affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution");

	for (size_t i = 0; i < terms->u.list.n; i++)
		if (fit_selects(status_path(terms->u.list.at[i], "labelSelector"), labels))
			return terms->u.list.at[i];
	return NULL;
}

bool fit_together(const struct fit_shape *s, const struct fit_shape *other)
{
	if (s == other)
		return true;
	if (!s->topology.n || !str_eq(s->topology, other->topology))
		return false;
	return s->with ? fit_selects(s->with, other->labels) : s->group.n && str_eq(s->group, other->group);
}
