/*
 * runs.c - which runs a command means, and how it stands by them.
 */
#include "command/runs.h"

#include <signal.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sha256.h"
#include "plan/print.h"
#include "runtime/local/run_dir.h"
#include "runtime/words.h"

/* ---- which ---- */

static bool is_file(struct str operand)
{
	return str_is(operand, "-") || str_ends(operand, STR(".tj")) || memchr(operand.p, '/', operand.n);
}

/* A run of that name is on this machine: then that is what was meant. */
static bool has_local_run(struct session *s)
{
	struct str dir, why;
	struct run_names all;

	if (!state_dir(s->arena, &dir, &why))
		return false;
	all = run_list(s->arena, dir);
	for (size_t i = 0; i < s->options->noperands; i++)
		for (size_t k = 0; k < all.n; k++)
			if (str_eq(all.at[k], s->options->operands[i]))
				return true;
	return false;
}

bool runs_local(struct session *s)
{
	const char *command = command_word(s->options->command);

	if (option_given(s->options, OPTION_LOCAL))
		return true;
	if (has_local_run(s))
		session_say(s, "'%.*s' runs on this machine; add --local: trainc %s --local %.*s", STR_ARG(s->options->operands[0]), command,
		            STR_ARG(s->options->operands[0]));
	else
		session_say(s, "this version has no runtime for clusters; trainc %s --local is about runs on this machine", command);
	return false;
}

static void add_name(struct session *s, struct chosen *c, struct str name)
{
	for (size_t i = 0; i < c->n; i++)
		if (str_eq(c->names[i], name))
			return;
	ARENA_PUSH(s->arena, c->names, c->n, str_copy(s->arena, name));
}

static bool run_exists(struct arena *a, struct str state_dir, struct str name)
{
	struct run_names all = run_list(a, state_dir);

	for (size_t i = 0; i < all.n; i++)
		if (str_eq(all.at[i], name))
			return true;
	return false;
}

/* `train/worker/3`, as lines of logs begin: true after saying how that is written. */
static bool is_part_of_run(struct session *s, struct str state_dir, struct str operand)
{
	const char *slash = memchr(operand.p, '/', operand.n);
	struct str run = { operand.p, slash ? (size_t)(slash - operand.p) : 0 };

	if (!run.n || str_ends(operand, STR(".tj")) || access(operand.p, F_OK) == 0 || !run_exists(s->arena, state_dir, run))
		return false;
	struct str role = { slash + 1, operand.n - run.n - 1 };
	const char *second = memchr(role.p, '/', role.n);
	struct str rank = second ? (struct str){ second + 1, role.n - (size_t)(second + 1 - role.p) } : STR("");
	if (second)
		role.n = (size_t)(second - role.p);
	if (s->options->command == COMMAND_LOGS)
		session_say(s, "a role and a rank are options: trainc logs --local %.*s --role %.*s%s%.*s", STR_ARG(run), STR_ARG(role),
			rank.n ? " --rank " : "", STR_ARG(rank));
	else
		session_say(s, "'%.*s' is no run; the run is '%.*s'", STR_ARG(operand), STR_ARG(run));
	return true;
}

/* The jobs of one program; errors in it are told as always. */
static bool add_jobs(struct session *s, struct chosen *c, struct str file, int *ret_status)
{
	struct options one = *s->options;
	struct session sub = *s;
	struct programs all = { 0 };

	one.operands = &file;
	one.noperands = 1;
	sub.options = &one;
	bool ok = session_plan(&sub, false, &all, ret_status);
	for (size_t i = 0; ok && i < all.at[0]->plan.njobs; i++)
		add_name(s, c, all.at[0]->plan.jobs[i].name);
	session_release(&all);
	return ok;
}

bool runs_choose(struct session *s, size_t n, struct chosen *ret, int *ret_status)
{
	struct str why;

	*ret = (struct chosen){ 0 };
	*ret_status = STATUS_USAGE;
	if (!runs_local(s))
		return false;
	if (!state_dir(s->arena, &ret->state_dir, &why)) {
		session_say(s, "%.*s", STR_ARG(why));
		*ret_status = STATUS_OUTPUT;
		return false;
	}
	if (!n) {
		struct run_names all = run_list(s->arena, ret->state_dir);
		ret->names = all.at;
		ret->n = all.n;
	}
	for (size_t i = 0; i < n; i++) {
		struct str operand = s->options->operands[i];
		if (str_starts(operand, STR("run/")) && run_exists(s->arena, ret->state_dir, (struct str){ operand.p + 4, operand.n - 4 }))
			operand = (struct str){ operand.p + 4, operand.n - 4 };         /* as it is shown: run/train */
		if (is_part_of_run(s, ret->state_dir, operand))
			return false;
		if (!is_file(operand))
			add_name(s, ret, operand);
		else if (!add_jobs(s, ret, operand, ret_status))
			return false;
	}
	*ret_status = STATUS_DONE;
	return true;
}

bool runs_watch(struct session *s, const struct chosen *c, struct attend *a, int *ret_status)
{
	bool ok = true;

	a->runs = ARENA_ARRAY(s->arena, struct watch, c->n);
	for (size_t i = 0; i < c->n; i++) {
		struct str why;
		if (watch_open(s->arena, &a->runs[a->n], c->state_dir, c->names[i], &why)) {
			a->n++;
			continue;
		}
		session_say(s, "%.*s", STR_ARG(why));
		ok = false;
	}
	*ret_status = ok ? STATUS_DONE : STATUS_USAGE;
	return ok;
}

/* ---- standing by ---- */

bool runs_duration(struct session *s, enum option option, int64_t *ret)
{
	struct str text = option_value(s->options, option), word = text;
	struct quantity q;

	*ret = 0;
	if (!text.p)
		return true;
	if (text.n > 1 && text.p[text.n - 1] == 'm')    /* as others write minutes */
		word = str_cat(s->arena, text, STR("in"), STR(""));
	if (duration_parse(word, &q) == QUANTITY_OK && q.nano > 0) {
		*ret = (int64_t)q.nano;
		return true;
	}
	for (const struct option_row *o = option_next(s->options->command, NULL); o; o = option_next(s->options->command, o))
		if (o->option == option)
			session_say(s, "--%s needs a time such as 500ms, 30s or 2min, found '%.*s'", o->word, STR_ARG(text));
	return false;
}

bool runs_attend_init(struct session *s, struct attend *a)
{
	int64_t timeout;

	*a = (struct attend){ .arena = s->arena, .out = { .fd = STDOUT_FILENO }, .err = { .fd = STDERR_FILENO }, .signals = -1 };
	if (!runs_duration(s, OPTION_TIMEOUT, &timeout))
		return false;
	if (timeout)
		a->deadline = clock_steady() + timeout;
	return true;
}

void runs_attend_open(struct session *s, struct attend *a)
{
	enum progress_mode mode = progress_choose(option_value(s->options, OPTION_PROGRESS), STDERR_FILENO);

	progress_init(&a->progress, s->arena, mode, &a->err, s->render.colour);
	attend_open(a);
}

enum run_goal runs_goal(const struct session *s, enum run_goal usual)
{
	static const char *const words[] = { "created", "scheduled", "running", "complete" };
	struct str word = option_value(s->options, OPTION_FOR);

	for (unsigned i = 0; i < 4; i++)
		if (str_is(word, words[i]))
			return (enum run_goal)i;
	return usual;
}

/* Everything that should run now has a process. */
static bool scheduled(const struct run_state *s)
{
	int64_t begun = 0, desired = 0;

	for (size_t i = 0; i < s->nroles; i++) {
		struct run_count c = run_count(&s->roles[i]);
		begun += c.active + c.succeeded + c.failed;
		desired += s->roles[i].desired;
	}
	return desired > 0 && begun >= desired;
}

bool goal_reached(const struct watch *w, enum run_goal goal, bool *ret_failed)
{
	const struct run_state *s = &w->state;
	bool succeeded = s->phase == RUN_SUCCEEDED || s->phase == RUN_COMPLETING;
	bool runs = s->phase == RUN_RUNNING || s->phase == RUN_DEGRADED || succeeded;

	*ret_failed = w->gone || s->phase == RUN_FAILED || s->phase == RUN_FAILING || s->phase == RUN_UNKNOWN || s->phase == RUN_TERMINATING;
	switch (goal) {
	case GOAL_CREATED: return !w->gone;
	case GOAL_SCHEDULED: return runs || scheduled(s);
	case GOAL_RUNNING: return runs;
	case GOAL_COMPLETE: return s->phase == RUN_SUCCEEDED;
	}
	return false;
}

/* ---- how it ended ---- */

int runs_interrupted(struct session *s, const struct attend *a)
{
	struct str name = a->n ? a->runs[0].name : STR("");

	if (a->n == 1 && !watch_over(&a->runs[0]))
		session_say(s, "run '%.*s' goes on; 'trainc wait --local %.*s' waits for it, 'trainc delete --local %.*s' ends it", STR_ARG(name),
		            STR_ARG(name), STR_ARG(name));
	else if (a->n > 1)
		session_say(s, "the runs go on; 'trainc list --local' shows them, 'trainc delete --local' ends one");
	return 128 + a->signal;
}

int runs_verdict(struct session *s, const struct attend *a, bool tell_success)
{
	int status = STATUS_DONE;
	bool terminal = isatty(STDERR_FILENO);

	for (size_t i = 0; i < a->n; i++) {
		const struct run_state *run = &a->runs[i].state;
		struct buf b = { 0 };

		if (!watch_over(&a->runs[i]) || (run->phase == RUN_SUCCEEDED && !tell_success))
			continue;
		if (a->n > 1)
			buf_printf(&b, "%.*s: ", STR_ARG(run->name));
		if (a->runs[i].gone)
			buf_z(&b, "it was deleted");
		else
			report_headline(run, &b);
		buf_char(&b, '\n');
		if (run->phase != RUN_SUCCEEDED) {
			status = STATUS_FAILED;
			report_last_lines(run, terminal, &b);
		}
		if (run->lost_bytes)
			buf_printf(&b, "trainc: %llu bytes of output were lost: the disk refused them\n", (unsigned long long)run->lost_bytes);
		file_write_all(STDERR_FILENO, b.p, b.n);
		buf_release(&b);
	}
	(void)s;
	return status;
}

enum report_form runs_form(const struct session *s, enum report_form usual)
{
	static const struct {
		const char *word;
		enum report_form form;
	} forms[] = { { "table", REPORT_TABLE }, { "json", REPORT_JSON }, { "wide", REPORT_WIDE }, { "name", REPORT_NAME } };
	struct str word = option_value(s->options, OPTION_OUTPUT);

	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (str_is(word, forms[i].word))
			return i ? forms[i].form : usual;
	return usual;
}

void runs_report(struct session *s, const struct attend *a, enum report_form form)
{
	const struct run_state **runs = ARENA_ARRAY(s->arena, const struct run_state *, a->n);
	struct report r = { .runs = runs, .form = form, .now = clock_real(), .width = session_width(STDOUT_FILENO) };
	struct buf out = { 0 };

	for (size_t i = 0; i < a->n; i++)
		if (!a->runs[i].gone)
			runs[r.n++] = &a->runs[i].state;
	report_runs(&r, &out);
	session_write(s, buf_text(&out));
	buf_release(&out);
}

/* ---- asking ---- */

bool runs_ask(struct session *s, const struct watch *w, struct str request, int *ret_status)
{
	struct str why;
	int fd;

	*ret_status = STATUS_CONFLICT;
	if (run_phase_final(w->state.phase)) {
		session_say(s, "run '%.*s' has ended: %s", STR_ARG(w->name), run_phase_word(w->state.phase));
		return false;
	}
	fd = control_connect(s->arena, w->dir, &why);
	bool ok = fd >= 0 && control_ask(s->arena, fd, request, &why);
	if (fd >= 0)
		close(fd);
	if (ok)
		return true;
	session_say(s, "run '%.*s': %.*s", STR_ARG(w->name), STR_ARG(why));
	*ret_status = fd < 0 ? STATUS_CONFLICT : STATUS_REFUSED;
	return false;
}

/* ---- what runs ---- */

struct str runs_digest(struct session *s, const struct plan *plan, const struct plan_job *j)
{
	struct plan one = *plan;
	struct plan_job job = *j;
	struct sources nowhere = { 0 };         /* where things were written makes no difference */
	struct buf b = { 0 };
	char hex[65];

	one.jobs = &job;
	one.njobs = 1;
	plan_dump(&one, &nowhere, &b);
	for (size_t i = 0; i < s->options->ngiven; i++) {
		const struct given *g = &s->options->given[i];
		switch (g->option) {
		case OPTION_ISOLATE: case OPTION_MOUNT: case OPTION_IMAGE_ROOT: case OPTION_INHERIT_ENV: case OPTION_NO_DEVICES:
			buf_printf(&b, "%d %.*s\n", (int)g->option, STR_ARG(g->value));
			break;
		default: break;
		}
	}
	sha256_hex(buf_text(&b), hex);
	buf_release(&b);
	return str_copy(s->arena, str_of(hex));
}
