/*
 * eval_report.c - decides where the evaluator reports errors, and enforces its budgets. An error inside the library is
 * caused by the text that called it: the report is about that text, and the library's line is a note.
 */
#include "eval/internal.h"
#include "eval/job.h"

#include <stdarg.h>
#include <stdio.h>

bool in_user_text(struct eval *ev, struct span at)
{
	if (!span_known(at))
		return false;
	const struct source *s = source_at(ev->program->sources, at.start);
	return s && !s->library;
}

void report_policy_subject(struct eval *ev, struct diag *d, bool role)
{
	if (!ev->in_policy || !ev->job)
		return;
	struct span job = ev->job->plan->name_at;
	if (d->at.start != job.start)
		diag_note(ev->diags, d, job, "in job '%.*s'", STR_ARG(ev->job->name));
	if (role && ev->policy_role && d->at.start != ev->policy_role->at.start &&
	    ev->policy_role->at.start != job.start)
		diag_note(ev->diags, d, ev->policy_role->at, "of role '%.*s'", STR_ARG(ev->policy_role->name));
}

struct diag *eval_report(struct eval *ev, enum diag_code code, struct span at, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	int n = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	char *text = arena_alloc(ev->arena, (size_t)n + 1);
	va_start(args, fmt);
	vsnprintf(text, (size_t)n + 1, fmt, args);
	va_end(args);
	bool inside = !in_user_text(ev, at) && span_known(ev->call_site);
	struct diag *d = diag_report(ev->diags, code, inside ? ev->call_site : at, "%s", text);
	if (inside && span_known(at))
		diag_note(ev->diags, d, at, "evaluated here");
	report_policy_subject(ev, d, true);
	return d;
}

struct str node_text(struct eval *ev, const struct node *n)
{
	enum { WIDTH = 60 };
	struct str s = source_text(ev->program->sources, n->span);

	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == '\n' || i == WIDTH) {
			while (i > 0 && ((unsigned char)s.p[i] & 0xC0) == 0x80)
				i--;
			return str_printf(ev->arena, "%.*s...", (int)i, s.p);
		}
	return s;
}

/* ---- budgets ---- */

static struct str frame_values(struct eval *ev, const struct frame *f)
{
	struct buf b = { 0 };

	for (size_t i = 0; f && i < f->n && i < 4; i++) {
		const struct binding *known = f->at[i];
		if (known->slot.state != SLOT_DONE || !value_ok(known->slot.value))
			continue;
		struct str s = value_spell(ev->arena, known->slot.value);
		buf_printf(&b, "%s%.*s = %.*s", b.n ? ", " : "", STR_ARG(known->decl->name), STR_ARG(s));
	}
	struct str s = buf_take(&b, ev->arena);
	buf_release(&b);
	return s;
}

static void report_budget(struct eval *ev, struct span at, const char *what, const char *help)
{
	enum { MOST_FRAMES = 3 };
	unsigned shown = 0;

	if (ev->exhausted)
		return;
	ev->exhausted = true;
	struct str in = ev->calls ? str_printf(ev->arena, " in '%.*s'", STR_ARG(ev->calls->function->name)) : STR("");
	struct diag *d = eval_report(ev, TJ0407, at, "evaluation stopped after %s%.*s", what, STR_ARG(in));
	for (const struct eval_call *c = ev->calls; c && shown < MOST_FRAMES; c = c->outer, shown++) {
		struct str with = frame_values(ev, c->frame);
		diag_note(ev->diags, d, c->at, with.n ? "called from here, with %.*s" : "called from here%.*s",
			STR_ARG(with));
	}
	diag_help(ev->diags, d, "%s", help);
}

bool eval_spent(struct eval *ev, struct span at)
{
	report_budget(ev, at, eval_memory_fits(ev) ? "10000000 steps" : "256 MiB of values",
		"loop over smaller lists, or compute it in the program that the job runs");
	return false;
}

bool eval_spend_text(struct eval *ev, size_t bytes, struct span at)
{
	ev->text_bytes += bytes;
	if (ev->text_bytes <= EVAL_TEXT)
		return !ev->exhausted;
	report_budget(ev, at, "64 MiB of text", "produce less text, or produce it in the program that the job runs");
	return false;
}

bool eval_text_fits(struct eval *ev, bool too_many, struct span at)
{
	if (too_many)
		report_budget(ev, at, "1000000 parts of a text",
			"produce less text, or produce it in the program that the job runs");
	return !ev->exhausted;
}

bool eval_list_fits(struct eval *ev, size_t n, struct span at)
{
	if (n <= EVAL_LIST)
		return !ev->exhausted;
	report_budget(ev, at, "100000 elements of a list",
		"use a smaller list, or compute it in the program that the job runs");
	return false;
}

void eval_walk(struct eval *ev, const struct value *v)
{
	enum { BYTES_OF_A_STEP = 64 };

	if (v->kind == VALUE_LIST || v->kind == VALUE_MAP)
		ev->steps += value_weight(v);
	else if (v->kind == VALUE_STRING)
		ev->steps += v->u.string.n / BYTES_OF_A_STEP;
	else if (v->kind == VALUE_TEXT)
		ev->steps += v->u.text.n;
}

/*
 * Does the weight of a value fit into the budget? A chain of lists that each contain the one before twice grows
 * exponentially when it is written out.
 */
static bool weight_fits(struct eval *ev, uint64_t weight, struct span at)
{
	if (weight <= EVAL_WEIGHT)
		return !ev->exhausted;
	report_budget(ev, at, "1000000 values inside of one",
		"use smaller lists, or compute it in the program that the job runs");
	return false;
}

bool eval_condition_fits(struct eval *ev, unsigned parts, struct span at)
{
	if (parts <= EVAL_CONDITION)
		return !ev->exhausted;
	report_budget(ev, at, "10000 parts of a condition", "name each role once");
	return false;
}

const struct value *eval_too_deep(struct eval *ev, struct span at)
{
	report_budget(ev, at, "2000 values that need each other", "a list and a loop say the same without a chain");
	return &value_bad;
}

/* ---- operands ---- */

const struct value *not_ok(const struct value *a, const struct value *b)
{
	if (a->kind == VALUE_BAD || b->kind == VALUE_BAD)
		return &value_bad;
	if (a->kind == VALUE_COMPUTED)
		return a;
	return b->kind == VALUE_COMPUTED ? b : NULL;
}

static const struct value *value_computed(struct eval *ev, struct span at)
{
	struct value *v = value_new(ev->arena, VALUE_COMPUTED, at);

	v->u.computed = at;
	return v;
}

static const char *fact_reason(const struct text *t)
{
	static const char *const reasons[] = {
		[POD_NAME] = "the pod's name is known when the pod is created",
		[POD_UID] = "the pod's uid is known when the pod is created",
		[POD_IP] = "the address is assigned when the pod starts",
		[POD_NODE] = "the node is chosen when the pod starts",
		[POD_SLICE] = "the slices of a role are numbered when their Jobs are created",
		[POD_COPY] = "the copies of a cell are numbered when their pods are created",
	};
	for (size_t i = 0; i < t->n; i++)
		if (t->at[i].kind == PIECE_FIELD)
			return reasons[t->at[i].u.field];
	return "the variable is read when the container starts";
}

/* Reports an operation on a text of class TEXT_FACT (TJ0716). */
static const struct value *report_fact(struct eval *ev, const struct text *t, const struct node *op)
{
	struct str text = node_text(ev, op);
	struct diag *d = eval_report(ev, TJ0716, op->span, "'%.*s' cannot be computed: %s", STR_ARG(text),
		fact_reason(t));

	diag_help(ev->diags, d, "insert it unchanged, or compute it in the program");
	return &value_bad;
}

/*
 * The known text TEXT of V as a value: an int if V represents a number, as a port such as "29500" does, otherwise a
 * string.
 */
static const struct value *known_text(struct eval *ev, const struct value *v, struct str text)
{
	int64_t number = 0;

	if (!v->number)
		return value_string(ev->arena, text, v->from);
	for (size_t i = 0; i < text.n; i++)
		number = number * 10 + (text.p[i] - '0');
	return value_int(ev->arena, number, v->from);
}

const struct value *value_static(struct eval *ev, const struct value *v, const struct node *op)
{
	struct str text;

	if (v->kind != VALUE_TEXT)
		return v;
	switch (text_classify(&v->u.text)) {
	case TEXT_INDEXED: return value_computed(ev, op->span);
	case TEXT_FACT: return report_fact(ev, &v->u.text, op);
	default: return text_flatten(ev, &v->u.text, &text) ? known_text(ev, v, text) : &value_bad;
	}
}

static const struct value *static_list(struct eval *ev, const struct value *v, const struct node *op)
{
	struct value *copy = NULL;

	for (size_t i = 0; i < v->u.list.n; i++) {
		const struct value *e = v->u.list.at[i], *s = value_static_deep(ev, e, op);
		if (!value_ok(s))
			return s;
		if (s != e && !copy)
			copy = value_list_copy(ev->arena, v, v->from);
		if (copy)
			copy->u.list.at[i] = s;
	}
	return copy ? copy : v;
}

static const struct value *static_map(struct eval *ev, const struct value *v, const struct node *op)
{
	struct value *copy = NULL;
	const struct map *m = &v->u.map.index;

	for (size_t i = 0; i < m->n; i++) {
		const struct value_entry *e = m->entries[i].value;
		const struct value *s = value_static_deep(ev, e->value, op);
		if (!value_ok(s))
			return s;
		if (s != e->value && !copy) {
			copy = value_new(ev->arena, VALUE_MAP, v->from);
			copy->depth = v->depth;
			copy->u.map.weight = v->u.map.weight;
			for (size_t k = 0; k < m->n; k++) {
				const struct value_entry *x = m->entries[k].value;
				value_put(ev->arena, copy, x->key, x->key_at, x->value);
			}
		}
		if (copy)
			value_put(ev->arena, copy, e->key, e->key_at, s);
	}
	return copy ? copy : v;
}

const struct value *value_static_deep(struct eval *ev, const struct value *v, const struct node *op)
{
	if (v->kind == VALUE_LIST)
		return static_list(ev, v, op);
	return v->kind == VALUE_MAP ? static_map(ev, v, op) : value_static(ev, v, op);
}

/* ---- containers ---- */

enum { DEEPEST_VALUE = 500 };

static const struct value *finish_report(struct eval *ev, struct value *v, unsigned deepest, uint64_t weight)
{
	if (!weight_fits(ev, weight, v->from))
		return &value_bad;
	if (deepest + 1 > DEEPEST_VALUE)
		return eval_too_deep(ev, v->from);
	v->depth = (unsigned short)(deepest + 1);
	return v;
}

const struct value *list_finish(struct eval *ev, struct value *v)
{
	unsigned deepest = 0;
	uint64_t weight = 1;

	for (size_t i = 0; i < v->u.list.n; i++) {
		if (v->u.list.at[i]->depth > deepest)
			deepest = v->u.list.at[i]->depth;
		weight += value_weight(v->u.list.at[i]);
	}
	v->u.list.weight = (uint32_t)weight;
	return finish_report(ev, v, deepest, weight);
}

const struct value *map_finish(struct eval *ev, struct value *v)
{
	const struct map *m = &v->u.map.index;
	unsigned deepest = v->u.map.pod_value ? v->u.map.pod_value->depth : 0;
	uint64_t weight = 1 + (v->u.map.pod_value ? value_weight(v->u.map.pod_value) : 0);

	for (size_t i = 0; i < m->n; i++) {
		const struct value_entry *e = m->entries[i].value;
		if (e->value->depth > deepest)
			deepest = e->value->depth;
		weight += value_weight(e->value);
	}
	v->u.map.weight = (uint32_t)weight;
	return finish_report(ev, v, deepest, weight);
}

bool list_add(struct eval *ev, struct value *list, const struct value *element)
{
	if (!eval_list_fits(ev, list->u.list.n + 1, list->from))
		return false;
	ARENA_PUSH(ev->arena, list->u.list.at, list->u.list.n, element);
	return true;
}
