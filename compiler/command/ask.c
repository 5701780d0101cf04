/*
 * ask.c - computes the value of an expression. A question is a program of its own: the file, further declarations, and
 * one expression.
 */
#include "command/ask.h"

#include "check/check.h"
#include "command/facts.h"
#include "data/data_read.h"
#include "eval/internal.h"
#include "objects/objects_render.h"
#include "syntax/parse.h"

/* ---- the value ---- */

static struct node *parse_question(struct trainc *t, const struct question *q)
{
	const struct source *whole = t->program.added.source;
	struct str text = { whole->text.p + q->expression, whole->text.n - q->expression };
	/* the expression, which is read as a source of its own; spans still refer to the whole text */
	struct source part = { .name = whole->name, .text = str_copy(&t->arena, text),
		.base = whole->base + (uint32_t)q->expression };

	return parse_expression(&t->arena, &t->names, &t->diags, &part);
}

static const struct value *evaluate(struct trainc *t, struct node *expr)
{
	struct facts facts = { t, &t->diags, t->diags.n };
	struct test_facts answers = facts_of(&facts);
	struct eval *ev = &t->eval;

	ev->test = &answers;
	ev->job = ev->built;
	const struct value *v = eval_expr(ev, frame_new(ev, NULL), expr);
	ev->test = NULL;
	return v;
}

/* ---- the answer ---- */

/*
 * Returns the value as JSON; p == NULL after a report. A fact that only the pod knows is written as in a program:
 * ${pod.name}.
 */
static struct str json_of(struct trainc *t, const struct value *v, struct node *expr)
{
	const struct value *json = value_json(&t->eval, v, false, expr);
	struct str text;

	if (!diags_ok(&t->diags) || !value_ok(json))
		return (struct str){ 0 };
	if (json->kind == VALUE_STRING)
		return json->u.string;
	return text_flatten(&t->eval, &json->u.text, &text) ? text : text_spell(&t->arena, &json->u.text);
}

static struct str yaml_of(struct trainc *t, struct arena *a, struct str json)
{
	struct source *source = source_add(&t->sources, STR("value"), json);
	struct rendered r = { 0 };
	struct data_error why;
	struct data *data;

	if (!source || !data_read_json(&t->arena, source, &data, &why))
		return str_cat(a, json, STR("\n"), STR(""));
	render_object(&r, object_from_data(&t->arena, data));
	struct str text = str_copy(a, buf_text(&r.bytes));
	render_release(&r);
	return text;
}

/* Returns a string without its quotes, and any other value as a program writes it. */
static struct str answer_text(struct trainc *t, const struct value *v)
{
	struct str text;

	if (v->kind == VALUE_STRING)
		return v->u.string;
	if (v->kind == VALUE_TEXT && !v->number && text_flatten(&t->eval, &v->u.text, &text))
		return text;
	return value_spell_whole(&t->arena, v);
}

static struct str judge_answer(struct session *s, struct trainc *t, struct arena *a, const struct value *v,
	struct node *expr)
{
	struct str form = option_value(s->options, OPTION_OUTPUT);

	if (!str_is(form, "json") && !str_is(form, "yaml"))
		return str_cat(a, answer_text(t, v), STR("\n"), STR(""));
	struct str json = json_of(t, v, expr);
	if (!json.p)
		return json;
	return str_is(form, "json") ? str_cat(a, json, STR("\n"), STR("")) : yaml_of(t, a, json);
}

static struct str compute(struct session *s, struct trainc *t, struct arena *a, const struct question *q)
{
	struct node *expr = parse_question(t, q);

	if (!expr || !check_question(&t->program, expr))
		return STR("");
	const struct value *v = evaluate(t, expr);
	return diags_ok(&t->diags) && value_ok(v) ? judge_answer(s, t, a, v, expr) : STR("");
}

bool ask(struct session *s, struct arena *a, const struct question *q, struct str *ret)
{
	struct trainc *t = session_open(s);
	struct programs all = { .at = &t, .n = 1 };

	*ret = STR("");
	if (!t)
		return false;
	/* reads whole modules: it is not known beforehand which names the expression mentions */
	t->options.parts = false;
	t->options.keep_jobs = true;
	t->diags.hold_warnings = true;  /* only `check` reports warnings: here every line would repeat them */
	t->program.added = (struct added){ .name = q->place, .text = q->text, .declarations = q->expression };
	if (trainc_compile(t, q->program.p) && t->program.root && q->expression < q->text.n)
		*ret = compute(s, t, a, q);
	session_report(s, &all, false);
	bool ok = all.ok;
	session_release(&all);
	return ok;
}
