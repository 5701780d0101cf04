/*
 * trainc.c - implements trainc.h with the phases of the compiler. A program is compiled at most twice. The first time,
 * library modules are read declaration by declaration, which is enough for a program without errors; if anything is
 * reported, the program is compiled again with whole modules. For that the options and the texts of files are kept,
 * since a pipe can be read only once.
 */
#include "trainc.h"

#include "account.h"
#include "base/version.h"
#include "compile.h"
#include "diag/render.h"
#include "emit/emit.h"
#include "plan/print.h"
#include "syntax/format.h"

/* An option that is read as a source of its own (`set`, `params`); all others are in `struct compile_options`. */
struct assigned {
	bool params;
	struct str value;
};

/*
 * A file that was read, or could not be read. Failures are kept too: opening a pipe that has no writer takes time,
 * and must not be repeated.
 */
struct kept_text {
	struct str text, why;
	bool there;
};

struct door {
	struct account *account;        /* NULL for programs of a command, whose process ends when memory runs out */
	/* arena for options, texts of files and everything else that outlives a compilation */
	struct arena arena;
	struct trainc_files files;
	struct reader own;              /* reads through `files` */
	const struct reader *from;      /* the reader of the caller, or `own` */
	struct reader reader;           /* the reader that keeps what `from` has read */
	struct map texts;               /* path -> struct kept_text */
	struct assigned *assigned;
	size_t nassigned;
	/* path of the compiled program; p == NULL: the program consists only of options */
	struct str compiled;
	bool finished;
};

const char *trainc_version(void) { return TRAINC_VERSION; }

/* ---- reading ---- */

static bool read_kept(void *context, struct arena *a, struct str path, struct str *ret, struct str *why)
{
	struct door *d = context;
	const struct kept_text *kept = map_get(&d->texts, path);

	(void)a;
	if (!kept) {
		struct kept_text *text = ARENA_NEW(&d->arena, struct kept_text);
		text->there = d->from->read(d->from->context, &d->arena, path, &text->text, &text->why);
		map_put(&d->texts, &d->arena, str_copy(&d->arena, path), text);
		kept = text;
	}
	*(kept->there ? ret : why) = kept->there ? kept->text : kept->why;
	return kept->there;
}

static bool exists_from(void *context, struct str path)
{
	const struct door *d = context;

	return d->from->exists(d->from->context, path);
}

static bool leaves_from(void *context, struct arena *a, struct str directory, struct str path)
{
	const struct door *d = context;

	return d->from->leaves(d->from->context, a, directory, path);
}

static void list_from(void *context, struct arena *a, struct str directory, void (*each)(void *to, struct str name),
	void *to)
{
	const struct door *d = context;

	d->from->list(d->from->context, a, directory, each, to);
}

static bool real_from(void *context, struct arena *a, struct str path, struct str *ret)
{
	const struct door *d = context;

	return d->from->real(d->from->context, a, path, ret);
}

/* ---- reading through the callbacks of the caller ---- */

/*
 * What a callback passes to the library. When memory runs out in a function that the callback calls, the library must
 * not jump over the caller's own frames. So this is only recorded, and handled after the callback has returned.
 */
struct handed {
	const struct door *door;
	struct arena *arena;
	struct str text;
	void (*each)(void *to, struct str name);
	void *to;
	const char *bytes;
	size_t n;
	bool lost;                      /* memory ran out in a callback */
};

static void copy_given(void *with)
{
	struct handed *g = with;

	g->text = str_copy(g->arena, (struct str){ g->bytes, g->n });
}

static void pass_given(void *with)
{
	const struct handed *g = with;

	g->each(g->to, (struct str){ g->bytes, g->n });
}

static void take_text(void *to, const char *text, size_t n)
{
	struct handed *g = to;

	g->bytes = text;
	g->n = n;
	g->lost = g->lost || !account_run(g->door->account, copy_given, g);
}

static void take_name(void *to, const char *name)
{
	struct handed *g = to;

	g->bytes = name;
	g->n = strlen(name);
	g->lost = g->lost || !account_run(g->door->account, pass_given, g);
}

static bool read_from_disk(void *context, struct arena *a, struct str path, struct str *ret, struct str *why)
{
	const struct door *d = context;
	struct handed given = { .door = d, .arena = a };
	const char *reason = NULL;
	bool ok = d->files.read && d->files.read(d->files.context, str_copy(a, path).p, take_text, &given, &reason);

	if (given.lost)
		memory_out();
	if (!ok)
		*why = str_copy(a, str_of(reason ? reason : "no such file"));
	else
		*ret = given.text.p ? given.text : STR("");
	return ok;
}

static bool file_exists(void *context, struct str path)
{
	const struct door *d = context;
	struct arena scratch = { 0 };
	bool exists = d->files.exists && d->files.exists(d->files.context, str_copy(&scratch, path).p);

	arena_release(&scratch);
	return exists;
}

static void list_files(void *context, struct arena *a, struct str directory, void (*each)(void *to, struct str name),
	void *to)
{
	const struct door *d = context;
	struct handed given = { .door = d, .each = each, .to = to };

	if (d->files.list)
		d->files.list(d->files.context, str_copy(a, directory).p, take_name, &given);
	if (given.lost)
		memory_out();
}

/* ---- calls ---- */

/* The arguments and the result of a library function that runs under an account; each function uses some of them. */
struct call {
	struct trainc *const *programs;
	size_t n;
	bool (*act)(struct call *c);
	const char *name, *value;
	size_t length;
	long long index;
	bool by_kubectl;
	enum trainc_form form;
	struct trainc_look look;
	struct trainc_output out;
	const char **why;
	void *ret;
	bool ok;
};

static void act_call(void *with)
{
	struct call *c = with;

	c->ok = c->act(c);
}

/* Returns the account of T; NULL for a program that the commands compile themselves. */
static struct account *account_of(const struct trainc *t) { return t->door ? t->door->account : NULL; }

/* Runs a call; returns false if the function does, or if memory runs out. */
static bool run_call(struct call c)
{
	struct account *account = c.n ? account_of(c.programs[0]) : NULL;

	for (size_t i = 1; i < c.n; i++)
		account_join(account, account_of(c.programs[i]));
	return account_run(account, act_call, &c) && c.ok;
}

bool trainc_out_of_memory(const struct trainc *t) { return account_is_spent(t->door->account); }

/* ---- opening ---- */

static struct trainc *open_door(struct door *d, const struct reader *from)
{
	struct trainc *t = memory_hold(NULL, sizeof *t);

	d->from = from;
	d->reader = (struct reader){ d, read_kept, from->exists ? exists_from : NULL, from->list ? list_from : NULL,
		from->leaves ? leaves_from : NULL, from->real ? real_from : NULL };
	compile_init(t, &d->reader);
	t->door = d;
	t->options.parts = true;
	return t;
}

static struct door *new_door(struct account *account)
{
	struct door *d = memory_hold(NULL, sizeof *d);

	*d = (struct door){ .account = account };
	return d;
}

struct trainc *trainc_open_reader(const struct reader *reader) { return open_door(new_door(NULL), reader); }

struct opening {
	struct account *account;
	const struct trainc_files *files;
	struct trainc *ret;
};

static void open_files(void *with)
{
	struct opening *o = with;
	struct door *d = new_door(o->account);

	if (o->files)
		d->files = *o->files;
	d->own = (struct reader){ d, read_from_disk, d->files.exists ? file_exists : NULL,
		d->files.list ? list_files : NULL, NULL, NULL };
	o->ret = open_door(d, &d->own);
}

struct trainc *trainc_open(const struct trainc_files *files)
{
	struct opening o = { account_new(), files, NULL };

	if (!o.account || account_run(o.account, open_files, &o))
		return o.ret;
	account_close(o.account);
	return NULL;
}

void trainc_close(struct trainc *t)
{
	if (!t)
		return;
	struct door *d = t->door;
	struct account *account = d->account;

	if (!account_is_spent(account)) {
		compile_release(t);
		arena_release(&d->arena);
		memory_drop(d);
		memory_drop(t);
	}
	account_close(account);
}

/* ---- options ---- */

/*
 * Returns the option that has a value and is called NAME on the command line; the next function does the same for
 * switches.
 */
static struct str *text_option(struct compile_options *o, const char *name)
{
	const struct { const char *name; struct str *value; } all[] = {
		{ "target", &o->target }, { "kubernetes", &o->kubernetes }, { "job", &o->job.only },
		{ "namespace", &o->job.ns }, { "domain", &o->job.domain }, { "gang", &o->job.gang },
		{ "run-id", &o->job.run_id }, { "name", &o->job.name },
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!strcmp(name, all[i].name))
			return all[i].value;
	return NULL;
}

static bool *switch_option(struct compile_options *o, const char *name)
{
	const struct { const char *name; bool *value; } all[] = {
		{ "unroll", &o->job.unroll }, { "no-raw", &o->job.no_raw }, { "local", &o->job.here },
		{ "deny-warnings", &o->deny_warnings }, { "brief", &o->brief },
	};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!strcmp(name, all[i].name))
			return all[i].value;
	return NULL;
}

/* Records an assignment or a file of parameters; returns false when an assignment has no `=` or no name. */
static bool assign(struct trainc *t, bool params, struct str value)
{
	struct assigned a = { params, value };

	if (params)
		compile_params(t, value);
	else if (!compile_set(t, value))
		return false;
	ARENA_PUSH(&t->door->arena, t->door->assigned, t->door->nassigned, a);
	return true;
}

static bool set_option(struct call *c)
{
	struct trainc *t = c->programs[0];
	const char *name = c->name, *value = c->value;
	struct arena *arena = &t->door->arena;
	struct str *text = text_option(&t->options, name);
	bool *flag = switch_option(&t->options, name), params = !strcmp(name, "params");
	struct str copy = str_copy(arena, str_of(value ? value : ""));

	if (text)
		*text = copy;
	else if (flag)
		*flag = true;
	else if (!strcmp(name, "profile"))
		t->options.profile = t->options.profile.p ? str_cat(arena, t->options.profile, STR(","), copy) : copy;
	else if (params || !strcmp(name, "set"))
		return assign(t, params, copy);
	else
		return false;
	return true;
}

bool trainc_option(struct trainc *t, const char *name, const char *value)
{
	return run_call((struct call){ .programs = &t, .n = 1, .act = set_option, .name = name, .value = value });
}

/* ---- compiling ---- */

static bool is_label_byte(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; }

/* Is TEXT a DNS label, or, with DOTS, several labels with dots between them? */
static bool is_dns(struct str text, bool dots)
{
	size_t label = 0;

	for (size_t i = 0; i < text.n; i++) {
		bool dot = dots && text.p[i] == '.';
		bool edge = label == 0 || i + 1 == text.n || (dots && text.p[i + 1] == '.');
		if ((dot && label == 0) || (!dot && (!is_label_byte(text.p[i]) || (edge && text.p[i] == '-'))))
			return false;
		label = dot ? 0 : label + 1;
		if (label > 63)
			return false;
	}
	return label > 0 && text.n <= 253;
}

/* Checks a name that an option sets; names in a program are checked by the type checker. */
static void check_name(struct trainc *t, const char *what, struct str name, bool dots)
{
	if (!name.p || is_dns(name, dots))
		return;
	struct source *source = source_add(&t->sources, STR("command line"), name);
	struct span at = { source->base, source->base + (uint32_t)name.n };
	diag_report(&t->diags, TJ0802, at,
		"%s '%.*s' must be lower case letters, digits%s and '-', beginning and ending with a letter or digit",
	            what, STR_ARG(name), dots ? ", '.'" : "");
}

static void check_file_names(struct trainc *t)
{
	check_name(t, "namespace", t->options.job.ns, false);
	if (t->options.job.domain.n)            /* an empty domain means no domain */
		check_name(t, "cluster domain", t->options.job.domain, true);
}

/* Resets the program, but keeps its options. */
static void begin_again(struct trainc *t)
{
	struct door *d = t->door;
	struct compile_options options = t->options;
	bool testing = t->program.testing, in_part = t->program.in_part, lone = t->program.lone_modules;

	compile_release(t);
	compile_init(t, &d->reader);
	t->door = d;
	t->options = options;
	t->program.testing = testing;
	t->program.in_part = in_part;
	t->program.lone_modules = lone;
	for (size_t i = 0; i < d->nassigned; i++) {
		if (d->assigned[i].params)
			compile_params(t, d->assigned[i].value);
		else
			compile_set(t, d->assigned[i].value);
	}
}

/* Compiles the program again: with whole modules, and with source positions of its own for every job. */
static void compile_again(struct trainc *t)
{
	t->options.parts = false;
	begin_again(t);
	check_file_names(t);
	compile_plan(t, t->door->compiled);
}

static bool compile_program(struct call *c)
{
	struct trainc *t = c->programs[0];

	t->door->compiled = c->name ? str_copy(&t->door->arena, str_of(c->name)) : (struct str){ 0 };
	check_file_names(t);
	t->options.parts = t->options.parts && !t->diags.n;
	compile_plan(t, t->door->compiled);
	if (t->options.parts && t->diags.n)
		compile_again(t);
	return diags_ok(&t->diags);
}

bool trainc_compile(struct trainc *t, const char *path)
{
	return run_call((struct call){ .programs = &t, .n = 1, .act = compile_program, .name = path });
}

/* ---- checking ---- */

/*
 * Does the diagnostic report that a program does not declare the parameter of a `set`? Such a diagnostic has a
 * position on the command line.
 */
static bool is_unknown_set(const struct trainc *t, const struct diag *d)
{
	const struct source *source = source_at(&t->sources, d->at.start);

	return d->code == TJ0402 && source && str_is(source->name, "command line");
}

static bool is_reported_by(const struct trainc *t, struct str message)
{
	for (size_t i = 0; i < t->diags.n; i++)
		if (is_unknown_set(t, t->diags.at[i]) && str_eq(t->diags.at[i]->message, message))
			return true;
	return false;
}

static bool is_reported_by_all(struct trainc *const *programs, size_t n, struct str message)
{
	for (size_t i = 0; i < n; i++)
		if (!is_reported_by(programs[i], message))
			return false;
	return true;
}

/*
 * Decides about a `set` whose parameter only some of several programs declare. It is an error only if no program
 * declares it; then the last program reports it.
 */
static void settle_sets(struct trainc *const *programs, size_t n)
{
	/* starts with the last program, which keeps errors that all programs reported */
	for (size_t i = n; i-- > 0;) {
		struct trainc *t = programs[i];
		size_t kept = 0;

		for (size_t k = 0; k < t->diags.n; k++) {
			struct diag *d = t->diags.at[k];
			if (!is_unknown_set(t, d) || (i == n - 1 && is_reported_by_all(programs, n, d->message)))
				t->diags.at[kept++] = d;
			else
				t->diags.errors--;
		}
		t->diags.n = kept;
	}
}

/* Reports code in a program of a caller of the library, which has no way to read directories: see trainc.h. */
static void refuse_code(struct trainc *t)
{
	for (size_t i = 0; i < t->plan.njobs; i++)
		for (size_t k = 0; k < t->plan.jobs[i].nroles; k++) {
			const struct plan_role *r = &t->plan.jobs[i].roles[k];
			if (!r->code || !r->max)
				continue;
			struct diag *d = diag_report(&t->diags, TJ1301, r->code->from,
				"the directory of 'code' cannot be read by the library");
			diag_help(&t->diags, d, "compile the program with the command 'trainc'");
			return;
		}
}

static bool check_plans(const struct call *c)
{
	struct trainc *const *programs = c->programs;
	size_t n = c->n;
	struct arena arena = { 0 };
	struct map seen = { 0 };
	bool ok = true;

	for (size_t i = 0; i < n; i++) {
		struct trainc *t = programs[i];
		struct emit_options options = { .kinds = compile_kinds(t), .sources = &t->sources,
			.runtime_warning = c->by_kubectl, .brief = t->options.brief,
			.named = t->options.job.name.p != NULL, .seen = &seen, .seen_arena = &arena };

		t->diags.unasked[TJ0817] = !c->by_kubectl;
		if (t->options.take_code && diags_ok(&t->diags) && t->program.root)
			t->options.take_code(t);
		else if (account_of(t))
			refuse_code(t);
		if (diags_ok(&t->diags) && t->program.root)
			emit_check(&options, &t->plan, &t->diags);
		ok = ok && diags_ok(&t->diags);
	}
	arena_release(&arena);
	return ok;
}

/* Are there diagnostics, and a program in which a job has the source positions of another job? */
static bool places_matter(const struct call *c)
{
	bool lent = false, reported = false;

	for (size_t i = 0; i < c->n; i++) {
		lent = lent || c->programs[i]->lent;
		reported = reported || c->programs[i]->diags.n;
	}
	return lent && reported;
}

static bool check_programs(struct call *c)
{
	if (c->n > 1)
		settle_sets(c->programs, c->n);
	bool ok = check_plans(c);
	if (!places_matter(c))
		return ok;
	for (size_t i = 0; i < c->n; i++)
		compile_again(c->programs[i]);
	if (c->n > 1)
		settle_sets(c->programs, c->n);
	return check_plans(c);
}

bool trainc_check(struct trainc *const *programs, size_t n, bool by_kubectl)
{
	return run_call((struct call){ .programs = programs, .n = n, .act = check_programs, .by_kubectl = by_kubectl });
}

/* ---- diagnostics ---- */

void trainc_finish(struct trainc *t)
{
	if (t->door && t->door->finished)
		return;
	diags_finish(&t->diags);
	if (t->door)
		t->door->finished = true;
}

static bool finish_call(struct call *c)
{
	trainc_finish(c->programs[0]);
	return true;
}

size_t trainc_diagnostics(struct trainc *t)
{
	return run_call((struct call){ .programs = &t, .n = 1, .act = finish_call }) ? t->diags.n : 0;
}

static bool get_diagnostic(struct call *c)
{
	struct trainc *t = c->programs[0];
	struct trainc_diagnostic *ret = c->ret;
	size_t i = (size_t)c->index;

	trainc_finish(t);
	if (i >= t->diags.n)
		return false;
	const struct diag *d = t->diags.at[i];
	*ret = (struct trainc_diagnostic){ .code = diag_code_name(d->code), .error = d->severity == SEVERITY_ERROR,
		.message = str_copy(&t->arena, d->message).p, .help = str_copy(&t->arena, d->help).p, .file = "" };
	if (source_at(&t->sources, d->at.start)) {
		struct place start = source_place(&t->sources, d->at.start), end = source_place(&t->sources, d->at.end);
		ret->file = start.source->name.p;
		ret->line = start.line;
		ret->column = start.column;
		ret->end_line = end.line;
		ret->end_column = end.column;
	}
	return true;
}

bool trainc_diagnostic(struct trainc *t, size_t i, struct trainc_diagnostic *ret)
{
	return run_call((struct call){ .programs = &t, .n = 1, .act = get_diagnostic, .index = (long long)i,
		.ret = ret });
}

static bool put_out(struct buf *text, struct trainc_output out)
{
	bool ok = !text->n || out.write(out.context, text->p, text->n);

	buf_release(text);
	return ok;
}

static void put_messages(struct trainc *const *programs, size_t n, struct trainc_look look, struct buf *out)
{
	struct render_options options = { .colour = look.color, .width = look.width, .limit = look.limit };

	for (size_t i = 0; i < n; i++) {
		if (out->n && programs[i]->diags.n)
			buf_char(out, '\n');
		diags_text(&programs[i]->diags, options, out);
	}
}

/* Writes the diagnostics of all programs as one document; returns false if FORM is not such a form. */
static bool put_document(struct trainc *const *programs, size_t n, enum trainc_form form, struct buf *out)
{
	void (*write)(const struct diags *const *all, size_t n, struct buf *out) = form == TRAINC_SARIF ? diags_sarif :
		form == TRAINC_GITHUB ? diags_github : form == TRAINC_GITLAB ? diags_gitlab :
		form == TRAINC_JUNIT ? diags_junit : NULL;
	struct arena arena = { 0 };

	if (!write)
		return false;
	const struct diags **all = ARENA_ARRAY(&arena, const struct diags *, n);
	for (size_t i = 0; i < n; i++)
		all[i] = &programs[i]->diags;
	write(all, n, out);
	arena_release(&arena);
	return true;
}

static bool report_programs(struct call *c)
{
	struct trainc *const *programs = c->programs;
	size_t n = c->n;
	enum trainc_form form = c->form;
	struct buf text = { 0 };

	for (size_t i = 0; i < n; i++)
		trainc_finish(programs[i]);
	if (form == TRAINC_TEXT)
		put_messages(programs, n, c->look, &text);
	else if (form != TRAINC_JSON && !put_document(programs, n, form, &text))
		return false;
	for (size_t i = 0; form == TRAINC_JSON && i < n; i++)
		diags_json(&programs[i]->diags, &text);
	return put_out(&text, c->out);
}

bool trainc_report(struct trainc *const *programs, size_t n, enum trainc_form form, struct trainc_look look,
	struct trainc_output out)
{
	return run_call((struct call){ .programs = programs, .n = n, .act = report_programs, .form = form, .look = look,
		.out = out });
}

/* ---- results ---- */

static bool get_job(struct call *c)
{
	struct trainc *t = c->programs[0];
	struct trainc_job *ret = c->ret;
	size_t i = (size_t)c->index;

	if (i >= t->plan.njobs)
		return false;
	const struct plan_job *j = &t->plan.jobs[i];
	*ret = (struct trainc_job){ .name = str_copy(&t->arena, j->name).p,
		.ns = j->ns.set ? str_copy(&t->arena, j->ns.value).p : "",
		.roles = j->nroles, .objects = emit_counts(&t->arena, &t->plan)[i] };
	return true;
}

bool trainc_job(struct trainc *t, size_t i, struct trainc_job *ret)
{
	return run_call((struct call){ .programs = &t, .n = 1, .act = get_job, .index = (long long)i, .ret = ret });
}

const char *trainc_file(struct trainc *t, size_t i)
{
	if (trainc_out_of_memory(t))
		return NULL;
	/* files are usually requested in order, so the search continues where the last one ended */
	if (i < t->next_file)
		t->next_file = t->next_source = 0;
	while (t->next_source < t->sources.n) {
		const struct source *s = t->sources.at[t->next_source++];
		if (!s->library && !str_is(s->name, "command line") && !str_is(s->name, "<stdin>") &&
			t->next_file++ == i)
			return s->name.p;
	}
	t->next_file = SIZE_MAX;
	return NULL;
}

static bool print_plan(struct call *c)
{
	struct trainc *t = c->programs[0];
	enum trainc_form form = c->form;
	const size_t *objects = emit_counts(&t->arena, &t->plan);
	struct buf text = { 0 };

	if (form == TRAINC_JSON)
		plan_print_json(&t->plan, &t->sources, objects, &text);
	else if (form == TRAINC_TEXT)
		plan_print_table(&t->plan, &t->sources, objects, &text);
	else if (form == TRAINC_SVG)
		plan_print_svg(&t->plan, &text);
	else
		return false;
	return put_out(&text, c->out);
}

bool trainc_plan(struct trainc *t, enum trainc_form form, struct trainc_output out)
{
	return run_call((struct call){ .programs = &t, .n = 1, .act = print_plan, .form = form, .out = out });
}

static bool print_env(struct call *c)
{
	static const enum env_form forms[] = { [TRAINC_JSON] = ENV_JSON, [TRAINC_SHELL] = ENV_SHELL,
		[TRAINC_FISH] = ENV_FISH, [TRAINC_DOTENV] = ENV_DOTENV };
	struct trainc *t = c->programs[0];
	enum trainc_form form = c->form;
	struct env_selection which = { str_of(c->name), c->index };
	struct buf text = { 0 };
	struct str reason = STR("");

	if (!env_print(&t->arena, &t->plan, which,
	    (size_t)form < sizeof forms / sizeof *forms ? forms[form] : ENV_TABLE, &text, &reason)) {
		*c->why = str_copy(&t->arena, reason).p;
		buf_release(&text);
		return false;
	}
	*c->why = "";
	return put_out(&text, c->out);
}

bool trainc_env(struct trainc *t, const char *role, long long index, enum trainc_form form, struct trainc_output out,
	const char **why)
{
	*why = "out of memory";
	return run_call((struct call){ .programs = &t, .n = 1, .act = print_env, .name = role, .index = index,
		.form = form, .out = out, .why = why });
}

static bool emit_programs(struct call *c)
{
	struct trainc *const *programs = c->programs;
	size_t n = c->n;
	enum trainc_form form = c->form;
	struct emit_sink sink = { c->out.context, c->out.write };
	struct arena arena = { 0 };
	const struct plan **plans = ARENA_ARRAY(&arena, const struct plan *, n);
	struct emit_options *options = ARENA_ARRAY(&arena, struct emit_options, n);

	for (size_t i = 0; i < n; i++) {
		plans[i] = &programs[i]->plan;
		options[i] = (struct emit_options){ .json = form == TRAINC_JSON, .annotate = form == TRAINC_YAML_PLACES,
			.sources = &programs[i]->sources };
	}
	bool known = form == TRAINC_JSON || form == TRAINC_YAML || form == TRAINC_YAML_PLACES;
	bool ok = known && emit_write(options, plans, n, &sink);
	arena_release(&arena);
	return ok;
}

bool trainc_emit(struct trainc *const *programs, size_t n, enum trainc_form form, struct trainc_output out)
{
	return run_call((struct call){ .programs = programs, .n = n, .act = emit_programs, .form = form, .out = out });
}

static bool format_text(struct call *c)
{
	struct trainc *t = c->programs[0];
	struct source *source = source_add(&t->sources, str_of(c->name), (struct str){ c->value, c->length });
	struct buf formatted = { 0 };

	if (!source) {
		diag_report(&t->diags, TJ0001, (struct span){ 0, 0 }, "cannot read '%s': too much text", c->name);
		return false;
	}
	/* all files have the same canonical style, so syntax that is reserved for the library is accepted here */
	source->library = true;
	if (!format_source(&t->arena, &t->names, &t->diags, source, &formatted)) {
		buf_release(&formatted);
		return false;
	}
	return put_out(&formatted, c->out);
}

bool trainc_format(struct trainc *t, const char *name, const char *text, size_t n, struct trainc_output out)
{
	return run_call((struct call){ .programs = &t, .n = 1, .act = format_text, .name = name, .value = text,
		.length = n, .out = out });
}
