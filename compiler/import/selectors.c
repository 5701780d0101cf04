/*
 * selectors.c - translates selectors of pods: labels of another system's controller become labels that every target
 * writes. A selector for a label that no pod has matches nothing: then an anti-affinity has no effect, and a pod that
 * needs the affinity never starts.
 */
#include "import/hosts.h"
#include "import/import_role.h"
#include "import/import_tree.h"

#include "plan/plan.h"

#define OUR_JOB "trainc.dev/job"
#define OUR_ROLE "trainc.dev/role"
#define OUR_CELL "trainc.dev/cell"

struct selecting {
	struct role_reading *role;
	struct str field;               /* "affinity" or the like, for messages */
};

void selector_missing(struct import *im, const struct imported *job, struct span at, struct str key)
{
	struct diag *d = diag_report(im->diags, TJ1122, at, "no pod of the program has the label '%.*s'", STR_ARG(key));

	diag_help(im->diags, d,
		"select by \"" OUR_JOB "\" = \"%.*s\" and \"" OUR_ROLE "\", or by labels that the roles set",
		STR_ARG(job->name));
}

static const struct pod_label *find_label(const struct imported *job, struct str key)
{
	for (const struct pod_label *l = job->labels_of; l && l->key; l++)
		if (str_is(key, l->key))
			return l;
	return NULL;
}

bool selector_keeps(const struct imported *job, struct str key)
{
	const struct pod_label *l = find_label(job, key);

	return l && l->meaning == LABEL_KEPT;
}

/*
 * Returns the value of trainc's label that corresponds to VALUE of the controller's label; an empty text if no label
 * corresponds.
 */
static struct str our_value(struct selecting *s, const struct pod_label *l, struct str value)
{
	const struct imported *job = s->role->job;
	const struct str *word = l->meaning == LABEL_OF_ROLE ? map_get(&job->role_words, value) : NULL;

	if (word)
		return plan_label(s->role->im->arena, *word);
	return l->meaning == LABEL_OF_JOB && str_eq(value, job->name) ? job->name : (struct str){ 0 };
}

/* The key of trainc's label whose value is VALUE: roles that are cells have another label than roles. */
static const char *our_key(const struct selecting *s, const struct pod_label *l, struct str value)
{
	if (l->meaning == LABEL_OF_JOB)
		return OUR_JOB;
	for (size_t i = 0; i < s->role->job->cells.n; i++)
		if (str_eq(plan_label(s->role->im->arena, s->role->job->cells.entries[i].key), value))
			return OUR_CELL;
	return OUR_ROLE;
}

/* Reports that the label KEY of the controller was replaced, or that no label corresponds to it. */
static void report_selector(struct selecting *s, const char *ours, struct span at, struct str key)
{
	struct import *im = s->role->im;

	if (ours)
		diag_report(im->diags, TJ1111, at,
			"the controller writes the label '%.*s'; a selector in '%.*s' of the program asks for '%s'",
			STR_ARG(key), STR_ARG(s->field), ours);
	else
		selector_missing(im, s->role->job, at, key);
}

static const struct data *match_labels(struct selecting *s, const struct data *labels)
{
	struct arena *a = s->role->im->arena;
	const struct data *ret = NULL;

	for (size_t i = 0; i < data_count(labels); i++) {
		const struct data_member *m = &labels->u.map.at[i];
		const struct pod_label *l = find_label(s->role->job, m->key);
		bool kept = (l && l->meaning == LABEL_KEPT) || !host_is_foreign(m->key) ||
			m->value->kind != DATA_STRING;
		struct str value = l && !kept ? our_value(s, l, m->value->u.string) : (struct str){ 0 };

		if (!kept)
			report_selector(s, value.n ? our_key(s, l, value) : NULL, m->key_at, m->key);
		if (value.n)
			ret = tree_with(a, ret, our_key(s, l, value), tree_text(a, value, m->value->from), m->key_at);
		else
			ret = tree_with(a, ret, str_copy(a, m->key).p, m->value, m->key_at);
	}
	return ret ? ret : labels;
}

/* Translates the values of a selector's expression; NULL if one of them has no counterpart. */
static const struct data *our_values(struct selecting *s, const struct pod_label *l, const struct data *values)
{
	struct arena *a = s->role->im->arena;
	struct data *ret = values ? tree_copy(a, values) : NULL;

	for (size_t i = 0; i < data_count(ret); i++) {
		struct str value = ret->u.list.at[i]->kind == DATA_STRING ? our_value(s, l, ret->u.list.at[i]->u.string)
			: (struct str){ 0 };
		if (!value.n)
			return NULL;
		ret->u.list.at[i] = tree_text(a, value, ret->u.list.at[i]->from);
	}
	return ret;
}

static const struct data *match_expression(struct selecting *s, const struct data *e)
{
	struct arena *a = s->role->im->arena;
	struct str key = member_text(e, "key");
	const struct pod_label *l = find_label(s->role->job, key);
	const struct data *values = member(e, "values"), *ours;

	if (e->kind != DATA_MAP || (l && l->meaning == LABEL_KEPT) || !host_is_foreign(key))
		return e;
	ours = l ? our_values(s, l, values) : NULL;
	bool known = l && (!data_count(values) || ours);
	struct str value = data_count(ours) ? ours->u.list.at[0]->u.string : STR("");
	const char *mine = known ? our_key(s, l, value) : NULL;
	report_selector(s, mine, member(e, "key")->from, key);
	if (!known)
		return e;
	e = tree_with(a, e, "key", tree_text(a, str_of(mine), member(e, "key")->from), member_at(e, "key"));
	return ours ? tree_with(a, e, "values", ours, member_at(e, "values")) : e;
}

static const struct data *selector(struct selecting *s, const struct data *d)
{
	struct arena *a = s->role->im->arena;
	const struct data *labels = member(d, "matchLabels"), *list = member(d, "matchExpressions");
	struct data *expressions = data_count(list) ? tree_copy(a, list) : NULL;

	if (data_count(labels))
		d = tree_with(a, d, "matchLabels", match_labels(s, labels), member_at(d, "matchLabels"));
	for (size_t i = 0; i < data_count(expressions); i++)
		expressions->u.list.at[i] = match_expression(s, expressions->u.list.at[i]);
	return expressions ? tree_with(a, d, "matchExpressions", expressions, member_at(d, "matchExpressions")) : d;
}

/* Returns the tree of D with all its selectors translated. */
static const struct data *translate_selectors(struct selecting *s, const struct data *d)
{
	struct arena *a = s->role->im->arena;

	if (d->kind == DATA_LIST) {
		struct data *ret = tree_copy(a, d);
		for (size_t i = 0; i < d->u.list.n; i++)
			ret->u.list.at[i] = translate_selectors(s, d->u.list.at[i]);
		return ret;
	}
	if (d->kind != DATA_MAP)
		return d;
	const struct data *ret = d;
	for (size_t i = 0; i < d->u.map.n; i++) {
		const struct data_member *m = &d->u.map.at[i];
		bool here = str_is(m->key, "labelSelector") && m->value->kind == DATA_MAP;
		ret = tree_with(a, ret, str_copy(a, m->key).p,
			here ? selector(s, m->value) : translate_selectors(s, m->value), m->key_at);
	}
	return ret;
}

bool selector_ours(struct import *im, struct imported *job, const struct data_member *label, struct str *ret_key,
	struct str *ret_value)
{
	struct role_reading role = { .im = im, .job = job };
	struct selecting s = { &role, STR("object") };
	const struct pod_label *l = find_label(job, label->key);
	bool kept = !host_is_foreign(label->key) || (l && l->meaning == LABEL_KEPT) ||
		label->value->kind != DATA_STRING;

	if (kept)
		return false;
	*ret_value = l ? our_value(&s, l, label->value->u.string) : (struct str){ 0 };
	*ret_key = ret_value->n ? str_of(our_key(&s, l, *ret_value)) : (struct str){ 0 };
	report_selector(&s, ret_value->n ? ret_key->p : NULL, label->key_at, label->key);
	return ret_value->n > 0;
}

const struct data *selectors_read(struct role_reading *r, const struct data_member *m)
{
	struct selecting s = { r, m->key };

	return translate_selectors(&s, m->value);
}
