/*
 * typed.c - checks fields that a framework declares with a type and whose values are evaluated in parts: lists of
 * words, and maps whose entries come from several levels. Other fields are converted as a whole when they are evaluated
 * (eval/role.c). Here the job's entries are checked one by one; those of the framework are not checked. A value that
 * only the pod knows cannot be checked.
 */
#include "lower/lower.h"

#include <stdio.h>

#include "eval/eval_params.h"

static bool is_static(const struct value *v)
{
	if (v->kind == VALUE_LIST)
		for (size_t i = 0; i < v->u.list.n; i++)
			if (!is_static(v->u.list.at[i]))
				return false;
	return value_ok(v) && v->kind != VALUE_TEXT;
}

static void judge_typed(struct lowering *l, const struct value *v, const struct type *t, struct span at,
	struct span rule, struct str name)
{
	struct str outer = l->ev->name;

	if (!is_static(v) || v->kind == VALUE_NONE)
		return;
	l->ev->name = name;
	/* the value of a variable has become a text, which may be that of a number */
	const struct value *number = v->kind == VALUE_STRING && !type_is_text(type_strip_optional(t)) ?
		param_text(l->ev, v->u.string, at, t) : NULL;
	value_convert(l->ev, number ? number : v, t, at, rule);
	l->ev->name = outer;
}

/* Checks the number of elements: words of a list, or entries of a map. */
static void judge_count(struct lowering *l, size_t n, const char *one, const char *many, const struct type *t,
	struct span at, const struct node *typed)
{
	const struct refinement *r = t->refine;
	char bounds[64];

	if (!r || (!r->has_lo && !r->has_hi) || ((!r->has_lo || (int64_t)n >= r->lo) && (!r->has_hi ||
		(int64_t)n <= r->hi)))
		return;
	int end = r->has_lo ? snprintf(bounds, sizeof bounds, "%lld..", (long long)r->lo) : snprintf(bounds,
		sizeof bounds, "..");
	if (r->has_hi)
		snprintf(bounds + end, sizeof bounds - (size_t)end, "%lld", (long long)r->hi);
	struct diag *d = diag_report(l->ev->diags, TJ0311, at, "'%.*s' has %zu %s, outside %s",
		STR_ARG(typed->u.field.key.text), n, n == 1 ? one : many, bounds);
	diag_note(l->ev->diags, d, typed->span, "declared here");
}

/* Checks those words of a list that are known at compile time. */
static void judge_words(struct lowering *l, const struct value *v, const struct type *t, struct span at,
	const struct node *typed)
{
	const struct type *list = type_strip_optional(t);

	if (v->kind != VALUE_LIST || is_static(v) || list->kind != TYPE_LIST) {
		judge_typed(l, v, t, at, typed->span, typed->u.field.key.text);
		return;
	}
	judge_count(l, v->u.list.n, "element", "elements", list, at, typed);
	for (size_t i = 0; i < v->u.list.n; i++)
		judge_typed(l, v->u.list.at[i], list->elem, v->u.list.at[i]->from, typed->span, (struct str){ 0 });
}

/* Checks `command` or `args`: only the list of the nearest level is used. */
static void typed_list(struct lowering *l, enum field_id id, const struct node *typed)
{
	const struct type *t = typed->u.field.declared;
	struct contribution first;

	if (!role_first(l->role, id, &first))
		role_report_required(l->ev, l->role, id, typed);
	else if (first.level <= LEVEL_JOB)
		judge_words(l, entry_value(l->ev, first.entry), t, entry_at(first.entry), typed);
}

static void typed_map(struct lowering *l, enum field_id id, const struct node *typed)
{
	const struct type *t = type_strip_optional(typed->u.field.declared);
	struct source_entries entries = { 0 };
	struct contribution first;

	gather_role(l, id, &entries);
	if (!role_first(l->role, id, &first))
		role_report_required(l->ev, l->role, id, typed);
	size_t own = 0;
	for (size_t i = 0; t->kind == TYPE_MAP && i < entries.n; i++)
		own += entries.at[i].level <= LEVEL_JOB;
	if (t->kind == TYPE_MAP && role_first(l->role, id, &first) && first.level <= LEVEL_JOB)
		judge_count(l, own, "entry", "entries", t, l->role->block ?
			l->role->block->span : l->role->job->plan->name_at, typed);
	for (size_t i = 0; t->kind == TYPE_MAP && i < entries.n; i++)
		if (entries.at[i].level <= LEVEL_JOB)
			judge_typed(l, entries.at[i].value, t->elem, entries.at[i].from, typed->span,
				entries.at[i].key);
}

void lower_typed(struct lowering *l)
{
	static const enum field_id lists[] = { FIELD_COMMAND, FIELD_ARGS };
	static const enum field_id maps[] = { FIELD_ENV, FIELD_LABELS, FIELD_ANNOTATIONS, FIELD_PORTS, FIELD_FILES,
		FIELD_MOUNTS };

	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
		const struct node *typed = role_typed(l->role, lists[i]);
		if (typed && typed->u.field.declared && !l->role->torn)
			typed_list(l, lists[i], typed);
	}
	for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
		const struct node *typed = role_typed(l->role, maps[i]);
		if (typed && typed->u.field.declared && !l->role->torn)
			typed_map(l, maps[i], typed);
	}
}
