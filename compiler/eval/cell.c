/*
 * cell.c - values of cells and of their copies, and the conditions that wait for copies. Waiting for a copy is waiting
 * for its roles; the condition keeps the text that names the cell.
 */
#include "eval/builtin.h"
#include "eval/internal.h"
#include "eval/job.h"

/* ---- values ---- */

static struct cell *cell_of_decl(const struct job *j, const struct decl *d)
{
	for (size_t i = 0; i < j->ncells; i++)
		if (j->cells[i]->decl == d)
			return j->cells[i];
	return NULL;
}

static const struct value *copies_of(struct eval *ev, const struct cell *cell, struct span from)
{
	struct value *list = value_new(ev->arena, VALUE_LIST, from);

	for (int64_t i = 0; i < cell->max; i++) {
		struct value *copy = value_new(ev->arena, VALUE_COPY, from);
		copy->u.copy = cell->copies[i];
		ARENA_PUSH(ev->arena, list->u.list.at, list->u.list.n, copy);
	}
	return list_finish(ev, list);
}

const struct value *cell_by_decl(struct eval *ev, const struct decl *d, struct span at)
{
	struct job *j = ev->job ? job_root(ev->job) : NULL;
	struct cell *cell = j ? cell_of_decl(j, d) : NULL;

	if (j && !j->ready) {
		struct diag *g = eval_report(ev, TJ0529, at, "'%.*s' cannot decide which items a job has",
			STR_ARG(d->name));
		diag_help(ev->diags, g, "give the number a name above the job, 'let n = ...', and write n here and "
			"'copies = n' in '%.*s'", STR_ARG(d->name));
	}
	if (!cell || !j->ready)
		return &value_bad;
	if (!cell->value)
		cell->value = copies_of(ev, cell, at);
	return cell->value;
}

static const struct value *role_of_copy(struct eval *ev, const struct job *copy, struct str name, struct span at)
{
	for (size_t i = 0; i < copy->nroles; i++)
		if (str_eq(copy->roles[i]->name, name))
			return role_value(ev, copy->roles[i], at);
	return &value_bad;
}

const struct value *copy_member(struct eval *ev, struct job *copy, struct str name, struct node *at)
{
	if (str_is(name, "copy"))
		return value_int(ev->arena, copy->copy, at->span);
	return role_of_copy(ev, copy, name, at->span);
}

const struct value *cell_member(struct eval *ev, const struct value *list, struct str name, struct node *at)
{
	const struct job *first = list->u.list.at[0]->u.copy;
	const struct cell *cell = first->cell;

	if (str_is(name, "copies") || str_is(name, "least"))
		return value_int(ev->arena, str_is(name, "least") ? cell->min : cell->max, at->span);
	return role_of_copy(ev, first, name, at->span);
}

/* ---- conditions ---- */

static struct plan_condition *join(struct eval *ev, enum condition_kind kind, const struct plan_condition *left,
	const struct plan_condition *right, struct span at)
{
	struct plan_condition *c = ARENA_NEW(ev->arena, struct plan_condition);

	*c = (struct plan_condition){ .kind = kind, .index = CONDITION_ALL, .left = left, .right = right,
		.more = left->more + right->more + 1, .from = at };
	return c;
}

/* Joins N conditions by KIND, in a tree as low as possible; NULL if N is 0. */
static const struct plan_condition *join_all(struct eval *ev, enum condition_kind kind,
	const struct plan_condition **of, size_t n, struct span at)
{
	if (n < 2)
		return n ? of[0] : NULL;
	return join(ev, kind, join_all(ev, kind, of, n / 2, at), join_all(ev, kind, of + n / 2, n - n / 2, at), at);
}

const struct plan_condition *condition_all(struct eval *ev, const struct plan_condition **of, size_t n, struct span at)
{
	return join_all(ev, CONDITION_AND, of, n, at);
}

/* The condition that holds when at least LEAST of the N do; LEAST is 1 to N. */
static const struct plan_condition *condition_least(struct eval *ev, const struct plan_condition **of, size_t n,
	int64_t least, struct span at)
{
	if (least == (int64_t)n || least == 1)
		return join_all(ev, least == 1 ? CONDITION_OR : CONDITION_AND, of, n, at);
	struct plan_condition *c = join(ev, CONDITION_LEAST, join_all(ev, CONDITION_LIST, of, n / 2, at),
		join_all(ev, CONDITION_LIST, of + n / 2, n - n / 2, at), at);
	c->index = least;
	return c;
}

/* C with the text that the language has for it, at AT; NULL for NULL. */
static const struct plan_condition *saying(struct eval *ev, const struct plan_condition *c, struct str text,
	struct span at)
{
	if (!c)
		return NULL;
	struct plan_condition *said = ARENA_NEW(ev->arena, struct plan_condition);
	*said = *c;
	said->says = text;
	said->from = at;
	return said;
}

static const struct plan_condition *of_role(struct eval *ev, enum condition_kind kind, const struct role *r,
	struct span at)
{
	struct plan_condition *c = ARENA_NEW(ev->arena, struct plan_condition);

	*c = (struct plan_condition){ .kind = kind, .role = r->number, .index = CONDITION_ALL, .from = at };
	return c;
}

/* All roles of the copy that have replicas; those that end, if the condition is that they are done. */
static const struct plan_condition *of_roles(struct job *copy, enum condition_kind kind, struct span at)
{
	struct eval *ev = copy->ev;
	const struct plan_condition **all = ARENA_ARRAY(eval_work(ev), const struct plan_condition *, copy->nroles);
	size_t n = 0;

	for (size_t i = 0; i < copy->nroles; i++) {
		struct role *r = copy->roles[i];
		const struct value *endless = role_field(ev, r, FIELD_ENDLESS);
		int64_t lo, hi;
		if (!role_replicas(ev, r, &lo, &hi) || !hi ||
		    (kind == CONDITION_DONE && endless->kind == VALUE_BOOL && endless->u.boolean))
			continue;
		all[n++] = of_role(ev, kind, r, at);
	}
	return condition_all(ev, all, n, at);
}

const struct plan_condition *copy_success(struct job *copy, bool *ret_bad)
{
	struct eval *ev = copy->ev;
	struct self_of before = { ev->self, ev->job };

	*ret_bad = copy->checks_failed;
	if (copy->success_known || copy->checks_failed)
		return copy->success;
	ev->self = NULL;
	ev->job = copy;
	const struct value *v = job_field(copy, FIELD_SUCCESS);
	self_end(ev, before);
	*ret_bad = v->kind == VALUE_BAD;
	copy->success_known = v->kind != VALUE_BAD;
	if (v->kind == VALUE_CONDITION)
		copy->success = v->u.condition;
	else if (v->kind == VALUE_NONE && !job_says(copy, FIELD_SUCCESS))
		copy->success = of_roles(copy, CONDITION_DONE, copy->plan->name_at);
	return copy->success;
}

static const struct plan_condition *of_copy(struct arguments *a, enum condition_kind kind, struct job *copy)
{
	bool bad;
	const struct plan_condition *c = kind == CONDITION_DONE ? copy_success(copy, &bad) :
		of_roles(copy, kind, a->call->span);

	if (c || kind != CONDITION_DONE || bad)
		return c;
	struct diag *d = eval_report(a->ev, TJ0518, a->call->span, "'%.*s' never ends",
		STR_ARG(copy->cell->decl->name));
	diag_note(a->ev->diags, d, copy->plan->name_at, "its copies have 'success = none', or only roles without end");
	diag_help(a->ev->diags, d, "wait until it serves: 'ready(%.*s)'", STR_ARG(copy->cell->decl->name));
	return NULL;
}

/*
 * Returns when an elastic cell is done, if OF says when each copy is: at least `min` copies are done, and each other
 * copy is lost or no longer wanted.
 */
static const struct plan_condition *enough_done(struct eval *ev, const struct cell *cell,
	const struct plan_condition **of, struct span at)
{
	const struct plan_condition **over = ARENA_ARRAY(eval_work(ev), const struct plan_condition *,
		(size_t)cell->max);

	for (int64_t i = 0; i < cell->max; i++)
		over[i] = join(ev, CONDITION_OR, of[i], of_role(ev, CONDITION_GONE, cell->copies[i]->roles[0], at), at);
	return join(ev, CONDITION_AND, condition_least(ev, of, (size_t)cell->max, cell->min, at),
		condition_all(ev, over, (size_t)cell->max, at), at);
}

static const struct value *report_least(struct arguments *a, const struct cell *cell, int64_t least, struct span at)
{
	struct diag *d = eval_report(a->ev, least < 1 ? TJ0311 : TJ0515, at, least < 1 ?
		"least = %lld of '%.*s' is not a number of copies" : "least = %lld, but '%.*s' has fewer copies",
		(long long)least, STR_ARG(cell->decl->name));

	diag_note(a->ev->diags, d, cell->decl->span, "copies = %lld", (long long)cell->max);
	diag_help(a->ev->diags, d, "write a number from 1 to %lld", (long long)cell->max);
	return &value_bad;
}

static const struct value *condition_value(struct eval *ev, const struct plan_condition *c, struct span at)
{
	if (!c || !eval_condition_fits(ev, c->more + 1, at))
		return &value_bad;
	struct value *v = value_new(ev->arena, VALUE_CONDITION, at);
	v->u.condition = c;
	return v;
}

static const char *const condition_names[] = { "done", "ready", "started" };

/* The condition that N copies of CELL are done, ready or started, or, if N is 0, the cell. NULL after a report. */
static const struct plan_condition *of_copies(struct arguments *a, struct cell *cell, enum condition_kind kind,
	int64_t n)
{
	struct eval *ev = a->ev;

	for (const struct cell_condition *k = cell->known; k; k = k->next)
		if (k->kind == kind && k->least == n)
			return k->c;
	const struct plan_condition **of = ARENA_ARRAY(eval_work(ev), const struct plan_condition *,
		(size_t)cell->max);
	for (int64_t i = 0; i < cell->max; i++) {
		of[i] = of_copy(a, kind, cell->copies[i]);
		if (!of[i])
			return NULL;
	}
	struct cell_condition *made = ARENA_NEW(eval_work(ev), struct cell_condition);
	*made = (struct cell_condition){ .kind = kind, .least = n, .next = cell->known };
	made->c = !n && kind == CONDITION_DONE && cell->min < cell->max ?
		enough_done(ev, cell, of, a->call->span) :
		condition_least(ev, of, (size_t)cell->max, n ? n : cell->min, a->call->span);
	cell->known = made;
	return made->c;
}

const struct value *cell_condition(struct arguments *a, enum condition_kind kind, bool any, const struct value *least)
{
	const struct value *what = a->at[0];
	struct span at = a->call->span;
	struct eval *ev = a->ev;

	if (what->kind == VALUE_COPY) {
		struct job *copy = what->u.copy;
		return condition_value(ev, saying(ev, of_copy(a, kind, copy), str_printf(ev->arena, "%s(%.*s[%lld])",
			condition_names[kind], STR_ARG(copy->cell->decl->name), (long long)copy->copy), at), at);
	}
	if (what->kind != VALUE_LIST || !what->u.list.n || what->u.list.at[0]->kind != VALUE_COPY)
		return &value_bad;
	struct cell *cell = what->u.list.at[0]->u.copy->cell;
	bool counts = least && least->kind == VALUE_INT;
	int64_t n = any ? 1 : counts ? least->u.integer : 0;
	if ((counts && n < 1) || n > cell->max)
		return report_least(a, cell, n, least ? least->from : at);
	struct str more = any ? STR(", any = true") : counts ? str_printf(ev->arena, ", least = %lld", (long long)n) :
		STR("");
	return condition_value(ev, saying(ev, of_copies(a, cell, kind, n), str_printf(ev->arena, "%s(%.*s%.*s)",
		condition_names[kind], STR_ARG(cell->decl->name), STR_ARG(more)), at), at);
}

const struct plan_condition *cell_success(struct cell *cell)
{
	struct eval *ev = cell->copies[0]->ev;
	const struct plan_condition **all = ARENA_ARRAY(eval_work(ev), const struct plan_condition *,
		(size_t)cell->max);
	size_t n = 0;
	bool bad;

	for (int64_t c = 0; c < cell->max; c++) {
		all[n] = copy_success(cell->copies[c], &bad);
		n += all[n] != NULL;
	}
	const struct plan_condition *done = cell->min < cell->max && n == (size_t)cell->max ?
		enough_done(ev, cell, all, cell->decl->span) : condition_all(ev, all, n, cell->decl->span);
	return saying(ev, done, str_printf(ev->arena, "done(%.*s)",
		STR_ARG(cell->decl->name)), cell->decl->span);
}
