/*
 * cmd_test.c - runs the `test` declarations of programs. A test that sets a profile or parameters compiles its file
 * again with these, so that no test sees another one's values; its checks are evaluated afterwards and can use the
 * finished plan. The time for n tests must not grow to n times that of compiling the file. So such a test reads the
 * file without the other tests, and all tests that set nothing share one compilation, as long as no test changes it.
 */
#include "base/path.h"
#include "base/words.h"
#include "command/facts.h"
#include "command/session.h"
#include "eval/job.h"

/* A test that is running: its compilation, and its diagnostics. */
struct test_run {
	struct trainc *compile;
	struct diags said;              /* diagnostics of the test's own checks */
	size_t before;                  /* number of diagnostics of the compilation itself */
};

struct count {
	unsigned passed, failed;
};

/* The tests of one file, and what they share. */
struct suite {
	struct session session;         /* the caller's session, whose reader returns `text` for the file */
	struct reader reader;
	const struct reader *files;
	const struct trainc *front;     /* the compilation of the whole file */
	struct str path, text;
	struct nodes tests;             /* the tests in the tree of `front` */
	/* the compilation that tests without settings share; NULL until such a test has run */
	struct trainc *shared;
	struct nodes shared_tests;
	uint64_t steps;                 /* the evaluation steps that the compilation itself used */
	size_t text_bytes, memory;
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

/* Makes a second source with the file's text, for values that point into it. */
static struct source *shadow(struct trainc *c, const struct source *file)
{
	struct source *s = source_add(&c->sources, file->name, file->text);

	if (s)
		s->library = true;      /* `# allow` comments are checked in the file itself, not in this copy */
	return s;
}

/* Applies `set { nodes = 4 }` as if it were on the command line; a string is passed without its quotes. */
static void apply_set(struct trainc *c, const struct source *file, const struct node *body)
{
	struct source *source = shadow(c, file);

	for (size_t i = 0; source && body->kind == NODE_BODY && i < body->u.body.items.n; i++) {
		const struct node *item = body->u.body.items.at[i];
		if (item->kind != NODE_SET || !item->u.item.key.text.p)
			continue;
		const struct node *value = item->u.item.value;
		struct setting setting = { .source = source, .offset = value->span.start - file->base };
		setting.name = names_intern(&c->names, item->u.item.key.text);
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

static struct nodes tests_of(struct trainc *c)
{
	struct nodes decls = c->program.root ? c->program.root->file->u.file.decls : (struct nodes){ 0 }, tests = { 0 };

	for (size_t i = 0; i < decls.n; i++)
		if (decls.at[i]->kind == NODE_TEST)
			ARENA_PUSH(&c->arena, tests.at, tests.n, decls.at[i]);
	return tests;
}

/* Compares `refuses = CODE` with the errors of the compilation; returns true if the test has no `refuses`. */
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
	struct diag *d = diag_report(&run->said, TJ0408, item->u.item.value->span,
		"the program is not refused with %.*s", STR_ARG(word));
	for (size_t i = 0; i < run->before; i++)
		if (run->compile->diags.at[i]->severity == SEVERITY_ERROR) {
			diag_help(&run->said, d, "it is refused with %s: %.*s",
				diag_code_name(run->compile->diags.at[i]->code),
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
			eval_check(ev, entries->at[i].frame, entries->at[i].item, entries->at[i].item->span,
				(struct str){ 0 });
	ev->test = NULL;
}

/* Prints diagnostics with the options of compilation C; its memory holds them. */
static void print_diags(struct session *s, const struct trainc *c, const struct diags *ds)
{
	struct programs one = { .at = &(struct trainc *){ &(struct trainc){ .diags = *ds, .door = c->door } }, .n = 1 };

	session_report(s, &one, false);
}

/* ---- reading the file of a test ---- */

static bool case_read(void *context, struct arena *arena, struct str path, struct str *ret, struct str *why)
{
	const struct suite *t = context;

	if (!str_eq(path_join(arena, STR("."), path), path_join(arena, STR("."), t->path)))
		return t->files->read(t->files->context, arena, path, ret, why);
	*ret = str_copy(arena, t->text);
	return true;
}

static bool case_exists(void *context, struct str path)
{
	const struct suite *t = context;

	return t->files->exists(t->files->context, path);
}

static void case_list(void *context, struct arena *arena, struct str directory, void (*each)(void *to, struct str name),
	void *to)
{
	const struct suite *t = context;

	t->files->list(t->files->context, arena, directory, each, to);
}

static bool case_leaves(void *context, struct arena *arena, struct str directory, struct str path)
{
	const struct suite *t = context;

	return t->files->leaves(t->files->context, arena, directory, path);
}

static bool real_path(void *context, struct arena *arena, struct str path, struct str *ret)
{
	const struct suite *t = context;

	return t->files->real(t->files->context, arena, path, ret);
}

static void suite_init(struct suite *t, struct session *s, struct trainc *front, struct str path)
{
	const struct reader *files = s->reader;

	*t = (struct suite){ .session = *s, .files = files, .front = front, .path = path, .tests = tests_of(front) };
	t->reader = (struct reader){ t, case_read, files->exists ? case_exists : NULL, files->list ? case_list : NULL,
		files->leaves ? case_leaves : NULL,
		files->real ? real_path : NULL };
	t->session.reader = &t->reader;
	t->text = front->program.root->source->text;
}

/* Replaces a test and the comments above it by blanks, so that positions stay the same. */
static void blank(char *text, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (text[i] != '\n')
			text[i] = ' ';
}

/* Returns the text of the file without any test but one. */
static struct str text_of_one(const struct suite *t, struct arena *a, const struct node *wanted)
{
	const struct source *file = t->front->program.root->source;
	struct nodes decls = t->front->program.root->file->u.file.decls;
	char *text = arena_copy(a, file->text.p, file->text.n);

	for (size_t i = 0; i < decls.n; i++) {
		const struct node *n = decls.at[i];
		size_t start = n->span.start - file->base, above = i ? decls.at[i - 1]->span.end - file->base : start;
		if (n->kind != NODE_TEST || n == wanted)
			continue;
		/* a comment at the end of the previous line belongs to that line, so it is kept */
		while (above < start && file->text.p[above] != '\n')
			above++;
		blank(text, above, n->span.end - file->base);
	}
	return (struct str){ text, file->text.n };
}

static bool changes_values(const struct node *test)
{
	return item_named(test, "profile") || item_named(test, "set");
}

/*
 * May the test read the file without the other tests? Not if it calls fails(), which includes warnings: a name that
 * only the other tests use would be reported as never used.
 */
static bool may_be_alone(const struct suite *t, const struct node *test)
{
	struct str text = source_text(&t->front->sources, test->span);

	return !memmem(text.p, text.n, "fails", 5);
}

static struct trainc *compile_for(struct suite *t, const struct node *test)
{
	struct trainc *c = session_open(&t->session);

	if (!c)
		return NULL;
	if (test)
		apply_settings(c, t->front, test);
	c->options.deny_warnings = false;
	c->options.keep_jobs = true;
	c->program.testing = true;
	c->program.in_part = test && may_be_alone(t, test);
	/* modules are read whole, as in the first compilation, so that the positions of the checks are the same */
	c->options.parts = false;
	if (c->program.in_part)
		t->text = text_of_one(t, &c->arena, test);
	trainc_compile(c, t->path.p);
	trainc_check(&c, 1, false);
	t->text = t->front->program.root->source->text;
	return c;
}

/* ---- the compilation that tests share ---- */

static struct trainc *take_shared(struct suite *t)
{
	if (!t->shared && (t->shared = compile_for(t, NULL))) {
		t->shared_tests = tests_of(t->shared);
		t->steps = t->shared->eval.steps;
		t->text_bytes = t->shared->eval.text_bytes;
		t->memory = t->shared->arena.total;
	}
	return t->shared;
}

/*
 * Gives the shared compilation back after a test. A failed check leaves nothing behind in it. It is closed if a
 * constant may remember a value that could not be computed: this would not be reported again. The budgets are reset,
 * so that each test has all of them.
 */
static void give_back(struct suite *t, const struct diags *said)
{
	enum { ROOM = 16 << 20 };
	struct eval *ev = &t->shared->eval;
	bool traces = ev->exhausted || t->shared->arena.total > t->memory + ROOM;

	for (size_t i = 0; i < said->n; i++)
		traces = traces || (said->at[i]->code != TJ0408 && said->at[i]->code != TJ0409);
	ev->steps = t->steps;
	ev->text_bytes = t->text_bytes;
	if (traces) {
		trainc_close(t->shared);
		t->shared = NULL;
	}
}

static bool judge_test(struct suite *t, struct trainc *c, struct node *test, struct test_run *run)
{
	run->before = c->diags.n;
	if (!test || (!diags_ok(&c->diags) && !test_wants_refusal(test, source_text(&c->sources, test->span)))) {
		print_diags(&t->session, c, &c->diags);
		return false;
	}
	if (is_refused(run, test))
		run_checks(run, test);
	if (run->said.n)
		print_diags(&t->session, c, &run->said);
	return diags_ok(&run->said);
}

static bool run_test(struct suite *t, size_t n)
{
	bool alone = changes_values(t->tests.at[n]);
	struct trainc *c = alone ? compile_for(t, t->tests.at[n]) : take_shared(t);

	if (!c)
		return false;
	struct test_run run = { .compile = c, .said = { .arena = &c->arena, .sources = &c->sources } };
	struct nodes tests = alone ? tests_of(c) : t->shared_tests;
	size_t at = c->program.in_part ? 0 : n;
	bool ok = judge_test(t, c, at < tests.n ? tests.at[at] : NULL, &run);
	if (alone)
		trainc_close(c);
	else
		give_back(t, &run.said);
	return ok;
}

/* ---- running all tests ---- */

/*
 * Limits the tests of a file: each test that changes values reads the file again, so both their number and the text
 * that they read are limited.
 */
static bool tests_fit(const struct suite *t, struct trainc *front)
{
	enum { TESTS = 10000, READ = 128 << 20 };
	size_t alone = 0;

	if (t->tests.n > TESTS) {
		struct diag *d = diag_report(&front->diags, TJ0407, t->tests.at[TESTS]->u.titled.title->span,
			"a file of more than 10,000 tests");
		diag_help(&front->diags, d, "put them into several files");
		return false;
	}
	for (size_t i = 0; i < t->tests.n; i++)
		alone += changes_values(t->tests.at[i]);
	if (!alone || t->text.n <= READ / alone)
		return true;
	struct diag *d = diag_report(&front->diags, TJ0407, t->tests.at[0]->u.titled.title->span,
		"%zu tests with a profile or 'set' of their own would read %zu MiB of this file; at most %d", alone,
		t->text.n / 1024 * alone / 1024, READ >> 20);
	diag_help(&front->diags, d, "put them into several files");
	return false;
}

static void test_all(struct session *s, struct trainc *front, struct str path, struct count *count)
{
	struct suite t;

	suite_init(&t, s, front, path);
	if (!tests_fit(&t, front)) {
		print_diags(s, front, &front->diags);
		count->failed++;
		return;
	}
	for (size_t i = 0; i < t.tests.n; i++) {
		struct str title = STR("");
		node_static_text(t.tests.at[i]->u.titled.title, &title);
		bool ok = run_test(&t, i);
		count->passed += ok;
		count->failed += !ok;
		session_write(s, str_printf(s->arena, "%s %.*s: %.*s\n", ok ? "ok" : "FAIL",
			STR_ARG(name_escaped(s->arena, path)),
			STR_ARG(name_escaped(s->arena, title))));
	}
	if (t.shared)
		trainc_close(t.shared);
}

static void test_file(struct session *s, struct str path, struct count *count, bool *ret_ok)
{
	struct trainc *front = session_open(s);

	if (!front) {
		*ret_ok = false;
		return;
	}
	front->program.testing = true;
	front->options.parts = false;
	compile_front(front, path);
	if (!diags_ok(&front->diags) || !front->program.root) {
		print_diags(s, front, &front->diags);
		*ret_ok = false;
	} else {
		test_all(s, front, path, count);
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
