/*
 * cmd_test.c - run the `test` declarations of programs (language brief, section 13).
 *
 * A test compiles its whole file again under its own profile and parameters, so
 * that no test sees another one's values.  Its checks are evaluated afterwards,
 * with the finished plan as what they can ask about.
 */
#include "command/facts.h"
#include "command/session.h"
#include "eval/job.h"

/* One test while it runs: the compilation, and what it said. */
struct test_run {
	struct trainc *compile;
	struct diags said;              /* by the checks of the test */
	size_t before;                  /* diagnostics of the compilation itself */
};

struct count {
	unsigned passed, failed;
};

/* ---- one test ---- */

static struct node *item_named(const struct node *test, const char *key)
{
	const struct node *body = test->u.titled.body;

	for (size_t i = 0; body && body->kind == NODE_BODY && i < body->u.body.items.n; i++) {
		struct node *item = body->u.body.items.at[i];
		if ((item->kind == NODE_SET || item->kind == NODE_EXTEND) && str_is(item->u.item.key.text, key))
			return item;
	}
	return NULL;
}

/* A file once more as a text to point into, for values that stand in it. */
static struct source *shadow(struct trainc *c, const struct source *file)
{
	struct source *s = source_add(&c->sources, file->name, file->text);

	if (s)
		s->library = true;      /* its comments are those of the file itself */
	return s;
}

/* `set { nodes = 4 }` as if it had been said on the command line; a string is taken without its quotes. */
static void apply_set(struct trainc *c, const struct source *file, const struct node *body)
{
	struct source *source = shadow(c, file);

	for (size_t i = 0; source && body->kind == NODE_BODY && i < body->u.body.items.n; i++) {
		const struct node *item = body->u.body.items.at[i];
		if (item->kind != NODE_SET || !item->u.item.key.text.p)
			continue;
		const struct node *value = item->u.item.value;
		struct setting setting = { .source = source, .offset = value->span.start - file->base };
		setting.name = intern(&c->names, item->u.item.key.text);
		setting.text = (struct str){ source->text.p + setting.offset, value->span.end - value->span.start };
		if (value->kind == NODE_STRING && node_static_text(value, &setting.text))
			setting.text = str_copy(&c->arena, setting.text);
		ARENA_PUSH(&c->arena, c->settings.set, c->settings.nset, setting);
	}
}

static void apply_settings(struct trainc *c, const struct trainc *front, const struct node *test)
{
	const struct node *profile = item_named(test, "profile"), *body = test->u.titled.body;
	struct str name;

	if (profile && profile->u.item.value->kind == NODE_STRING && node_static_text(profile->u.item.value, &name))
		c->options.profile = str_copy(&c->arena, name);
	for (size_t i = 0; body && body->kind == NODE_BODY && i < body->u.body.items.n; i++) {
		const struct node *item = body->u.body.items.at[i];
		if ((item->kind == NODE_SET || item->kind == NODE_EXTEND) && str_is(item->u.item.key.text, "set"))
			apply_set(c, front->program.root->source, item->u.item.value);
	}
}

static struct node *nth_test(const struct trainc *c, size_t n)
{
	struct nodes decls = c->program.root->file->u.file.decls;

	for (size_t i = 0; i < decls.n; i++)
		if (decls.at[i]->kind == NODE_TEST && n-- == 0)
			return decls.at[i];
	return NULL;
}

/* Holds `refuses = CODE` against what the compilation reported; true without one. */
static bool is_refused(struct test_run *run, const struct node *test)
{
	const struct node *item = item_named(test, "refuses");
	struct str word;
	enum diag_code code;

	if (!item || !node_static_text(item->u.item.value, &word) || !diag_code_find(word, &code))
		return true;
	for (size_t i = 0; i < run->before; i++)
		if (run->compile->diags.at[i]->code == code && run->compile->diags.at[i]->severity == SEVERITY_ERROR)
			return true;
	struct diag *d = diag_report(&run->said, TJ0408, item->u.item.value->span, "the program is not refused with %.*s", STR_ARG(word));
	for (size_t i = 0; i < run->before; i++)
		if (run->compile->diags.at[i]->severity == SEVERITY_ERROR) {
			diag_help(&run->said, d, "it is refused with %s: %.*s", diag_code_name(run->compile->diags.at[i]->code),
				STR_ARG(run->compile->diags.at[i]->message));
			return false;
		}
	diag_help(&run->said, d, "it compiles");
	return false;
}

static void run_checks(struct test_run *run, struct node *test)
{
	struct eval *ev = &run->compile->eval;
	struct facts facts = { run->compile, &run->said, run->before };
	struct test_facts answers = facts_of(&facts);

	ev->test = &answers;
	ev->job = ev->built;
	ev->diags = run->compile->program.diags = &run->said;
	struct entries *entries = eval_entries(ev, frame_new(ev, NULL), test->u.titled.body);
	for (size_t i = 0; i < entries->n; i++)
		if (entries->at[i].item && entries->at[i].item->kind == NODE_CHECK)
			eval_check(ev, entries->at[i].frame, entries->at[i].item, entries->at[i].item->span, (struct str){ 0 });
	ev->test = NULL;
}

static void print_diags(struct session *s, struct diags *ds)
{
	struct programs one = { .at = &(struct trainc *){ &(struct trainc){ .diags = *ds } }, .n = 1 };

	session_report(s, &one, false);
}

static bool run_test(struct session *s, const struct trainc *front, struct str path, size_t n)
{
	struct trainc *c = session_open(s);
	bool ok;

	if (!c)
		return false;
	struct test_run run = { .compile = c, .said = { .arena = &c->arena, .sources = &c->sources } };
	apply_settings(c, front, nth_test(front, n));
	c->options.deny_warnings = false;
	c->options.keep_jobs = true;
	c->program.testing = true;
	c->options.parts = false;               /* the places of its checks are those of the file that was read first */
	trainc_compile(c, path.p);
	trainc_check(&c, 1, false);
	run.before = c->diags.n;
	struct node *test = c->program.root ? nth_test(c, n) : NULL;
	if (!test || (!diags_ok(&c->diags) && !test_wants_refusal(test, source_text(&c->sources, test->span)))) {
		print_diags(s, &c->diags);
		ok = false;
	} else {
		if (is_refused(&run, test))
			run_checks(&run, test);
		ok = diags_ok(&run.said);
		print_diags(s, &run.said);
	}
	trainc_close(c);
	return ok;
}

/* ---- all of them ---- */

static void test_file(struct session *s, struct str path, struct count *count, bool *ret_ok)
{
	struct trainc *front = session_open(s);
	struct node *test;

	if (!front) {
		*ret_ok = false;
		return;
	}
	front->program.testing = true;
	front->options.parts = false;
	compile_front(front, path);
	if (!diags_ok(&front->diags) || !front->program.root) {
		print_diags(s, &front->diags);
		*ret_ok = false;
	} else {
		for (size_t i = 0; (test = nth_test(front, i)); i++) {
			struct str title = STR("");
			node_static_text(test->u.titled.title, &title);
			bool ok = run_test(s, front, path, i);
			count->passed += ok;
			count->failed += !ok;
			session_write(s, str_printf(s->arena, "%s %.*s: %.*s\n", ok ? "ok" : "FAIL", STR_ARG(path), STR_ARG(title)));
		}
	}
	trainc_close(front);
}

int cmd_test(struct session *s)
{
	struct count count = { 0 };
	bool ok = true;

	for (size_t i = 0; i < s->options->noperands; i++)
		test_file(s, s->options->operands[i], &count, &ok);
	session_write(s, str_printf(s->arena, "%u passed, %u failed\n", count.passed, count.failed));
	return ok && !count.failed ? STATUS_DONE : STATUS_PROGRAM;
}
