/*
 * runs.c - finds the runs that a command line names, and waits for them.
 */
#include "runtime/command/runs.h"

#include <unistd.h>

#include "base/file.h"
#include "runtime/run/identity.h"
#include "runtime/run/plan_record.h"
#include "runtime/run/run_history.h"
#include "runtime/run/table.h"
#include "base/words.h"

/* ---- which runs ---- */

bool runs_is_file(struct str operand)
{
	return str_is(operand, "-") || str_ends(operand, STR(".tj")) || memchr(operand.p, '/', operand.n);
}

/*
 * The name in an operand such as `run/train`, the form in which lists show runs; empty for other operands. If there are
 * both a file with that path and a run with that name, the run is meant.
 */
static struct str name_in_operand(struct session *s, const struct backend *b, struct str operand)
{
	struct str name = { operand.p + 4, operand.n - 4 };

	if (!str_starts(operand, STR("run/")) || !name.n || memchr(name.p, '/', name.n))
		return STR("");
	bool file = str_ends(name, STR(".tj")) || access(operand.p, F_OK) == 0;
	return !file || b->exists(s, name) ? name : STR("");
}

static void add_run(struct session *s, struct chosen *c, struct chosen_run r)
{
	for (size_t i = 0; i < c->n; i++)
		if (str_eq(c->at[i].name, r.name) && str_eq(c->at[i].ns, r.ns))
			return;
	r.name = str_copy(s->arena, r.name);
	r.ns = str_copy(s->arena, r.ns);
	ARENA_PUSH(s->arena, c->at, c->n, r);
}

/*
 * Is the operand a part of a run, such as `train/worker/3` at the beginning of log lines? If so, reports the correct
 * way to name replicas for this command, and returns true.
 */
static bool is_part_of_run(struct session *s, const struct backend *b, struct str operand)
{
	const char *slash = memchr(operand.p, '/', operand.n);
	struct str run = { operand.p, slash ? (size_t)(slash - operand.p) : 0 };

	if (!run.n || str_ends(operand, STR(".tj")) || access(operand.p, F_OK) == 0 || !b->exists(s, run))
		return false;
	struct str role = { slash + 1, operand.n - run.n - 1 };
	const char *second = memchr(role.p, '/', role.n);
	struct str rank = second ? (struct str){ second + 1, role.n - (size_t)(second + 1 - role.p) } : STR("");
	if (second)
		role.n = (size_t)(second - role.p);
	if (s->options->command == COMMAND_LOGS)
		session_say(s, "a role and a rank are options: trainc logs%s %.*s --role %.*s%s%.*s", b->option,
			STR_ARG(run), STR_ARG(role),
			rank.n ? " --rank " : "", STR_ARG(rank));
	else
		session_say(s, "'%.*s' is not a run; the run is '%.*s'", STR_ARG(operand), STR_ARG(run));
	return true;
}

/* What a launch of the job would note; NULL: the command does not ask. */
static const struct run_launch *launch_now(struct session *s, const struct plan_job *j)
{
	struct run_launch x = { .state = STR("") };
	struct run_launches l = { 0 };

	if (!option_given(s->options, OPTION_AGAINST))
		return NULL;
	launches_note(s->arena, j, &x);
	launches_add(s->arena, &l, &x);
	return l.at;
}

/* Adds the jobs of one program; its errors are reported as usual. */
static bool add_jobs(struct session *s, struct chosen *c, struct str file, int *ret_status)
{
	struct options one = *s->options;
	struct session sub = *s;
	struct programs all = { 0 };
	struct buf record = { 0 };

	one.operands = &file;
	one.noperands = 1;
	sub.options = &one;
	bool ok = session_plan(&sub, false, &all, ret_status);
	for (size_t i = 0; ok && i < all.at[0]->plan.njobs; i++) {
		const struct plan_job *j = &all.at[0]->plan.jobs[i];
		record.n = 0;
		plan_record_write(j, &record);
		add_run(s, c, (struct chosen_run){ .name = j->name, .ns = j->ns.set ? j->ns.value : STR(""),
			.record = str_copy(s->arena, buf_text(&record)), .now = launch_now(s, j) });
	}
	buf_release(&record);
	session_release(&all);
	return ok;
}

bool runs_choose(struct session *s, const struct backend *b, size_t n, struct chosen *ret, int *ret_status)
{
	*ret = (struct chosen){ 0 };
	*ret_status = STATUS_USAGE;
	if (!n && !b->names(s, STR(""), ret, ret_status))
		return false;
	for (size_t i = 0; i < n; i++) {
		struct str operand = s->options->operands[i], name = name_in_operand(s, b, operand);
		operand = name.n ? name : operand;
		if (is_part_of_run(s, b, operand))
			return false;
		if (!runs_is_file(operand))
			add_run(s, ret, (struct chosen_run){ .name = operand });
		else if (!add_jobs(s, ret, operand, ret_status))
			return false;
	}
	*ret_status = STATUS_DONE;
	return true;
}

void runs_say_none(struct session *s, const struct backend *b, struct str ns)
{
	if (ns.n)
		session_say(s, "no runs in namespace '%.*s'; 'trainc list -A' looks in all namespaces", STR_ARG(ns));
	else
		session_say(s, "no runs %s", b->place);
}

/* Does the command need no states of runs, or fetches them itself? Then it need not wait for them first. */
static bool fetches_states_itself(enum command c)
{
	return c == COMMAND_EXEC || c == COMMAND_RESTART || c == COMMAND_PORT_FORWARD || c == COMMAND_OPEN ||
		c == COMMAND_CP || c == COMMAND_ATTACH || c == COMMAND_SYNC;
}

bool runs_watch(struct session *s, const struct chosen *c, struct attend *a, int *ret_status)
{
	const struct backend *b = s->backend;
	int worst = STATUS_DONE, status;

	a->runs = ARENA_ARRAY(s->arena, struct run_watch, c->n);
	for (size_t i = 0; i < c->n; i++) {
		if (b->open(s, &c->at[i], &a->runs[a->n], &status))
			a->n++;
		else
			worst = runs_worse(worst, status);
	}
	if (a->n && b->opened && !fetches_states_itself(s->options->command) && !b->opened(s, &status))
		worst = runs_worse(worst, status);
	*ret_status = worst;
	return worst == STATUS_DONE;
}

bool runs_watch_one(struct session *s, const struct backend *b, struct attend *a, int *ret_status)
{
	struct chosen chosen;

	if (!runs_choose(s, b, 1, &chosen, ret_status) || !runs_watch(s, &chosen, a, ret_status))
		return false;
	if (a->n == 1)
		return true;
	session_say(s, "the program has %zu jobs; choose one with --job", a->n);
	*ret_status = STATUS_USAGE;
	return false;
}

int runs_worse(int a, int b)
{
	static const int order[] = { STATUS_INTERNAL, STATUS_OUTPUT, STATUS_DENIED, STATUS_UNREACHABLE, STATUS_CONFLICT,
		STATUS_REFUSED, STATUS_FAILED, STATUS_TIMEOUT, STATUS_PROGRAM, STATUS_USAGE };

	if (a > 128 || b > 128)
		return a > 128 ? a : b;
	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return a ? a : b;
}

bool runs_agreed(struct session *s, const char *verb, const char *done, int *ret_status)
{
	char answer[16] = "";

	if (option_given(s->options, OPTION_YES))
		return true;
	*ret_status = STATUS_USAGE;
	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) {
		session_say(s, "not a terminal: use --yes to %s without confirmation", verb);
		return false;
	}
	session_ask("Go on? [y/N] ");
	ssize_t n = read(STDIN_FILENO, answer, sizeof answer - 1);
	if (n > 0 && (answer[0] == 'y' || answer[0] == 'Y'))
		return true;
	session_say(s, "nothing was %s", done);
	*ret_status = STATUS_DONE;
	return false;
}

/* ---- waiting for runs ---- */

/* A hundred years in ns: added to any clock, it is a time that an int64_t holds. */
#define LONGEST (INT64_C(100) * 365 * 24 * 3600 * NS_PER_SECOND)

bool runs_duration(struct session *s, enum option option, int64_t *ret)
{
	struct str text = option_value(s->options, option), word = text;
	struct quantity q;

	*ret = 0;
	if (!text.p)
		return true;
	if (text.n > 1 && text.p[text.n - 1] == 'm')    /* kubectl accepts durations such as 2m and 1h30m, so these are
							 * accepted, too */
		word = str_cat(s->arena, text, STR("in"), STR(""));
	if ((duration_parse(word, &q) == QUANTITY_OK || duration_compound(text, &q)) && q.nano > 0) {
		*ret = q.nano < LONGEST ? (int64_t)q.nano : LONGEST;
		return true;
	}
	for (const struct option_row *o = option_next(s->options->command,
		NULL); o; o = option_next(s->options->command, o))
		if (o->option == option)
			session_say(s, "--%s needs a time such as 500ms, 30s or 2min, found '%.*s'", o->word,
				STR_ARG(text));
	return false;
}

struct str runs_role_name(const struct run_watch *w, struct str role)
{
	const struct run_role *r = run_find_role(&w->state, role);

	return r ? r->name : role;
}

bool runs_replica(struct session *s, struct str text, struct str *role, struct str *number)
{
	const char *slash = memrchr(text.p, '/', text.n);

	if (!slash)                             /* the name of a replica, as 'status -o wide' shows it: worker-3 */
		slash = memrchr(text.p, '-', text.n);
	bool digits = slash && slash > text.p && slash + 1 < text.p + text.n;

	*role = slash ? (struct str){ text.p, (size_t)(slash - text.p) } : STR("");
	*number = slash ? (struct str){ slash + 1, text.n - role->n - 1 } : STR("");
	for (size_t i = 0; i < number->n; i++)
		digits = digits && number->p[i] >= '0' && number->p[i] <= '9' && i < 9;
	if (!digits)
		session_say(s, "%s needs ROLE/N, such as worker/3, found '%.*s'", command_word(s->options->command),
			STR_ARG(text));
	return digits;
}

bool runs_attend_init(struct session *s, struct attend *a)
{
	int64_t timeout;

	*a = (struct attend){ .arena = s->arena, .out = { .fd = STDOUT_FILENO }, .err = { .fd = STDERR_FILENO },
		.signals = -1 };
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

/* Does every replica that should run have a process or a node? */
static bool scheduled(const struct run_state *s)
{
	int64_t begun = 0, desired = 0;

	for (size_t i = 0; i < s->nroles; i++) {
		struct run_count c = run_count(&s->roles[i]);
		begun += c.active + c.succeeded + c.failed;
		for (int64_t k = 0; k < s->roles[i].max; k++)
			begun += s->roles[i].at[k].state == REPLICA_WAITING && s->roles[i].at[k].node.n;
		desired += s->roles[i].desired;
	}
	return desired > 0 && begun >= desired;
}

bool goal_reached(const struct run_watch *w, enum run_goal goal, bool *ret_failed)
{
	const struct run_state *s = &w->state;
	bool succeeded = s->phase == RUN_SUCCEEDED || s->phase == RUN_COMPLETING;
	bool runs = s->phase == RUN_RUNNING || s->phase == RUN_DEGRADED || succeeded;

	*ret_failed = w->gone || w->replaced || s->phase == RUN_FAILED || s->phase == RUN_FAILING ||
		s->phase == RUN_UNKNOWN || s->phase == RUN_TERMINATING;
	switch (goal) {
	case GOAL_CREATED: return !w->gone;
	case GOAL_SCHEDULED: return runs || scheduled(s);
	case GOAL_RUNNING: return runs;
	case GOAL_COMPLETE: return s->phase == RUN_SUCCEEDED;
	}
	return false;
}

/* ---- the end of a wait ---- */

int runs_interrupted(struct session *s, const struct attend *a)
{
	const char *option = s->backend->option;
	struct str name = a->n ? a->runs[0].name : STR("");

	if (a->n == 1 && !run_watch_over(&a->runs[0]))
		session_say(s, "run '%.*s' goes on; 'trainc wait%s %.*s' waits for it, 'trainc delete%s %.*s' ends it",
			STR_ARG(name), option,
		            STR_ARG(name), option, STR_ARG(name));
	else if (a->n > 1)
		session_say(s, "the runs go on; 'trainc list%s' shows them, 'trainc delete%s' ends one", option,
			option);
	return 128 + a->signal;
}

int runs_lost(struct session *s, const struct attend *a)
{
	int status = STATUS_DONE;

	for (size_t i = 0; i < a->n; i++) {
		const struct run_watch *w = &a->runs[i];
		if (!w->lost)
			continue;
		session_say(s, "run '%.*s' cannot be followed any more, and goes on: %.*s", STR_ARG(w->name),
			STR_ARG(w->lost_why));
		status = runs_worse(status, w->lost);
	}
	return status;
}

int runs_verdict(const struct attend *a, bool tell_success)
{
	int status = STATUS_DONE;
	bool terminal = isatty(STDERR_FILENO);

	for (size_t i = 0; i < a->n; i++) {
		const struct run_state *run = &a->runs[i].state;
		struct buf b = { 0 }, line = { 0 };

		if (!run_watch_over(&a->runs[i]) || (run->phase == RUN_SUCCEEDED && !tell_success))
			continue;
		if (a->n > 1)
			buf_printf(&line, "%.*s: ", STR_ARG(run->name));
		if (a->runs[i].replaced)
			buf_z(&line, "somebody else has replaced it by another run of this name");
		else if (a->runs[i].gone)
			buf_z(&line, "it was deleted");
		else
			report_headline(run, &line);
		put_escaped(&b, buf_text(&line));
		buf_char(&b, '\n');
		buf_release(&line);
		if (a->runs[i].replaced) {
			status = runs_worse(status, STATUS_CONFLICT);
		} else if (run->phase != RUN_SUCCEEDED) {
			status = runs_worse(status, STATUS_FAILED);
			report_last_lines(run, terminal, &b);
		}
		if (run->lost_bytes)
			buf_printf(&b, "trainc: %llu bytes of output were lost: the disk refused them\n",
				(unsigned long long)run->lost_bytes);
		if (run->removed_bytes)
			buf_printf(&b, "trainc: the first %lld bytes of output are no longer in any log: --log-limit "
				"sets how much each log keeps\n",
				(long long)run->removed_bytes);
		file_write_all(STDERR_FILENO, b.p, b.n);
		buf_release(&b);
	}
	return status;
}

void runs_results(const struct attend *a)
{
	static const char *const words[] = { "RUN", "STATE", "TIME", "CAUSE" };
	struct report_table t = { 0 };
	struct buf out = { 0 };
	size_t n = a->n + a->nover;

	if (!n)
		return;
	table_head(&t, words, 4, 0);
	for (size_t i = 0; i < n; i++) {
		const struct run_state *s = &a->runs[i].state;
		int64_t end = s->end ? s->end : s->since;
		struct str *row = table_row(&t);
		struct buf time = { 0 };
		int64_t begin = s->ran ? s->ran : s->begin;     /* without the time in which it waited */
		if (run_phase_final(s->phase) && begin && end >= begin)
			put_duration(&time, end - begin);
		row[0] = s->name;
		row[1] = a->runs[i].gone ? STR("deleted") : str_of(run_phase_word(s->phase));
		row[2] = str_copy(&t.arena, buf_text(&time));
		row[3] = s->cause;
		buf_release(&time);
	}
	table_put(&t, session_width(STDERR_FILENO), &out);
	file_write_all(STDERR_FILENO, out.p, out.n);
	buf_release(&out);
	arena_release(&t.arena);
}

enum report_form runs_form(const struct session *s, enum report_form usual)
{
	static const struct {
		const char *word;
		enum report_form form;
	} forms[] = { { "table", REPORT_TABLE }, { "json", REPORT_JSON }, { "wide", REPORT_WIDE },
		{ "name", REPORT_NAME },
		{ "svg", REPORT_SVG }, { "html", REPORT_HTML } };
	struct str word = option_value(s->options, OPTION_OUTPUT);

	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (str_is(word, forms[i].word))
			return i ? forms[i].form : usual;
	return usual;
}

void runs_write_report(struct session *s, enum report_form form, struct str text)
{
	bool people = form == REPORT_TABLE || form == REPORT_LIST || form == REPORT_WIDE || form == REPORT_NAME;

	(people && !s->context.n ? session_print : session_write)(s, text);
}

void runs_report(struct session *s, struct attend *a, enum report_form form)
{
	size_t n = a->n + a->nover;
	const struct run_state **runs = ARENA_ARRAY(s->arena, const struct run_state *, n);
	struct report r = { .runs = runs, .form = form, .now = clock_real(), .width = session_width(STDOUT_FILENO),
		.everywhere = option_given(s->options, OPTION_ALL_NAMESPACES), .context = s->context };
	struct buf out = { 0 };

	for (size_t i = 0; i < n; i++) {
		if (form == REPORT_WIDE || form == REPORT_JSON)
			run_watch_measure(&a->runs[i]);
		if (!a->runs[i].gone && !a->runs[i].left_out)
			runs[r.n++] = &a->runs[i].state;
	}
	report_runs(&r, &out);
	runs_write_report(s, form, buf_text(&out));
	buf_release(&out);
}

/* ---- the identity of a run ---- */

/*
 * Options that affect the processes of a run, and options that do not. Every option of `run` and `apply` is in one of
 * the two lists.
 */
static const enum option counting[] = { OPTION_ISOLATE, OPTION_MOUNT, OPTION_IMAGE_ROOT, OPTION_INHERIT_ENV,
	OPTION_NO_DEVICES, OPTION_ENV, OPTION_PUBLISH, OPTION_PIN, OPTION_CODE };
static const enum option ignored[] = {
	/* their effect is already in the plan */
	OPTION_PARAMS, OPTION_SET, OPTION_PROFILE, OPTION_JOB, OPTION_TARGET, OPTION_KUBERNETES, OPTION_NAMESPACE,
		OPTION_DOMAIN, OPTION_GANG,
	OPTION_RUN_ID, OPTION_NO_RAW, OPTION_UNROLL,
	/* options that only affect how the run is started and shown */
	OPTION_NAME, OPTION_DETACH, OPTION_LOCAL, OPTION_REPLICAS, OPTION_BACKOFF, OPTION_LOG_LIMIT, OPTION_TIMEOUT,
		OPTION_PROGRESS, OPTION_OUTPUT, OPTION_NO_PREFIX, OPTION_TIMESTAMPS, OPTION_RAW,
	OPTION_ROLE, OPTION_RANK, OPTION_COLOR, OPTION_HELP, OPTION_RERUN, OPTION_NO_WAIT, OPTION_FOR, OPTION_FORMAT,
	OPTION_DENY_WARNINGS,
	OPTION_KUBECONFIG, OPTION_CONTEXT, OPTION_AS, OPTION_RETRY_TIMEOUT, OPTION_VERBOSE, OPTION_DRY_RUN,
	OPTION_CREATE_NAMESPACE, OPTION_ADOPT, OPTION_CONTROLLER,
	OPTION_FORCE_CONFLICTS, OPTION_RECREATE, OPTION_REFRESH, OPTION_YES, OPTION_FORCE, OPTION_FAIL_ON_STALL,
	OPTION_MAX_STREAMS, OPTION_ON_END, OPTION_PARALLEL,
};

static bool is_in(const enum option *list, size_t n, enum option option)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == option)
			return true;
	return false;
}

#define IS_IN(list, option) is_in(list, sizeof(list) / sizeof *(list), option)

const char *runs_undecided(enum command command)
{
	for (const struct option_row *o = option_next(command, NULL); o; o = option_next(command, o))
		if (!IS_IN(counting, o->option) && !IS_IN(ignored, o->option))
			return o->word;
	return NULL;
}

struct str runs_digest(struct session *s, const struct plan *plan, const struct plan_job *j)
{
	struct plan_job own = *j;
	struct buf b = { 0 };

	if (option_given(s->options, OPTION_PARALLEL))  /* a run that waits for its turn is the same run later */
		own.suspend = (struct plan_bool){ 0 };
	identity_put(plan, &own, &b);
	for (size_t i = 0; i < s->options->ngiven; i++)
		if (IS_IN(counting, s->options->given[i].option))
			identity_fact(&b, option_row(s->options->given[i].option)->word, s->options->given[i].value);
	struct str digest = identity_digest(s->arena, buf_text(&b));
	buf_release(&b);
	return digest;
}
