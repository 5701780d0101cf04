/*
 * check_run.c - runs check, warn and policies. A check that fails is reported where the user wrote the value that most
 * likely decided it. This is one of the values that its condition read: in order of preference, the command of a role,
 * an argument of a framework, a value from the command line, the field that comes last in the text, or a `let`. A note
 * shows the check itself.
 */
#include "eval/internal.h"

/* ---- where to report ---- */

static bool from_module(struct eval *ev, struct span at)
{
	const struct source *s = source_at(ev->program->sources, at.start);

	for (size_t i = 0; i < ev->program->n; i++)
		if (ev->program->modules[i]->source == s)
			return true;
	return false;
}

static int rank(struct eval *ev, const struct read *r)
{
	enum { NOBODY, LET, FIELD, COMMAND_LINE, ARGUMENT, WORDS };

	if (!in_user_text(ev, r->at))
		return NOBODY;
	return r->words ? WORDS : r->argument ? ARGUMENT : r->let ? LET : from_module(ev, r->at) ? FIELD : COMMAND_LINE;
}

static const struct read *deciding(struct eval *ev, const struct reads *reads)
{
	const struct read *best = NULL;
	int best_rank = 0;

	for (size_t i = 0; i < reads->n; i++) {
		const struct read *r = &reads->at[i];
		int mine = rank(ev, r);
		if (mine > best_rank || (mine && mine == best_rank && r->at.start > best->at.start)) {
			best = r;
			best_rank = mine;
		}
	}
	return best;
}

/* Is the value worth showing? It is not if it is `none`, as for a field that nothing sets. */
static bool tells(const struct read *r)
{
	return r->what.p && r->value && value_ok(r->value) && r->value->kind != VALUE_NONE;
}

static void label_read(struct eval *ev, struct diag *d, const struct read *r)
{
	struct str text = tells(r) ? value_spell(ev->arena, r->value) : STR("");

	if (text.n)
		diag_label(ev->diags, d, "%.*s is %.*s", STR_ARG(r->what), STR_ARG(text));
}

static void note_reads(struct eval *ev, struct diag *d, const struct reads *reads, const struct read *primary)
{
	enum { MOST = 3 };
	unsigned noted = 0;

	for (size_t i = 0; i < reads->n && noted < MOST; i++) {
		const struct read *r = &reads->at[i];
		if (r == primary || !in_user_text(ev, r->at) || !tells(r))
			continue;
		struct str text = value_spell(ev->arena, r->value);
		diag_note(ev->diags, d, r->at, "%.*s is %.*s", STR_ARG(r->what), STR_ARG(text));
		noted++;
	}
}

/* ---- what to report ---- */

static struct str message_text(struct eval *ev, struct frame *f, struct node *message)
{
	struct reads *outer = ev->reads;
	struct text pieces;
	struct str text;

	ev->reads = NULL;
	const struct value *v = eval_expr(ev, f, message);
	ev->reads = outer;
	if (!value_ok(v) || !value_text(ev->arena, v, &pieces))
		return STR("this check does not hold");
	return text_flatten(ev, &pieces, &text) ? text : value_spell(ev->arena, v);
}

static enum diag_code check_code(const struct node *check, struct str policy)
{
	enum diag_code code = check->u.check.warn ? TJ0409 : TJ0408;

	if (policy.p && !check->u.check.warn)
		return TJ0901;
	if (check->u.check.code.p)
		diag_code_find(check->u.check.code, &code);
	return code;
}

static void report_failed(struct eval *ev, struct frame *f, struct node *check, const struct reads *reads,
	struct span fallback, struct str policy)
{
	const struct read *decided = deciding(ev, reads);
	struct span at = decided ? decided->at : fallback;
	struct str text = message_text(ev, f, check->u.check.message);
	const char *end = text.n ? memchr(text.p, '\n', text.n) : NULL;
	struct str headline = { text.p, end ? (size_t)(end - text.p) : text.n };
	struct diag *d = policy.p
		? diag_report(ev->diags, check_code(check, policy), at, "policy \"%.*s\": %.*s", STR_ARG(policy),
		STR_ARG(headline))
		: diag_report(ev->diags, check_code(check, policy), at, "%.*s", STR_ARG(headline));

	if (decided)
		label_read(ev, d, decided);
	note_reads(ev, d, reads, decided);
	if (policy.p)
		report_policy_subject(ev, d, false);
	if (at.start < check->span.start || at.end > check->span.end)
		diag_note(ev->diags, d, check->span, policy.p ? "the policy is here" : in_user_text(ev, check->span)
			? "the check is here" : "the rule is here");
	if (end && headline.n + 1 < text.n)
		diag_help(ev->diags, d, "%.*s", (int)(text.n - headline.n - 1), end + 1);
}

static void report_pod_time(struct eval *ev, struct node *condition, const struct value *v)
{
	struct diag *d = eval_report(ev, TJ0708, condition->span,
		"a check must be known at compile time, but this depends on the replica");

	diag_note(ev->diags, d, v->u.computed, "it depends on the replica here");
	diag_help(ev->diags, d, "check a value that is the same for all replicas, such as 'replicas'");
}

bool eval_check(struct eval *ev, struct frame *f, struct node *check, struct span fallback, struct str policy)
{
	struct reads reads = { 0 }, *outer = ev->reads;
	struct node *condition = check->u.check.condition;
	const struct reads *asking = ev->asking;

	ev->asking = ev->reads = &reads;
	const struct value *v = value_static(ev, eval_expr(ev, f, condition), condition);
	ev->reads = outer;
	ev->asking = asking;
	if (v->kind == VALUE_BOOL && v->u.boolean)
		return true;
	if (v->kind == VALUE_BOOL)
		report_failed(ev, f, check, &reads, fallback, policy);
	else if (v->kind == VALUE_COMPUTED)
		report_pod_time(ev, condition, v);
	return false;
}
