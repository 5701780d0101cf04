/*
 * session.c - opens and compiles the programs of a command line, and prints results and messages.
 */
#include "command/session.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sha256.h"
#include "base/words.h"
#include "command/run_name.h"
#include "command/take_code.h"
#include "diag/suggest.h"

/* ---- out ---- */

static bool is_variable_set(const char *variable)
{
	const char *value = getenv(variable);
	return value && *value;
}

/*
 * Should output have colors? --color decides, then NO_COLOR, then CLICOLOR_FORCE and FORCE_COLOR, then whether
 * it goes to a terminal.
 */
bool session_colour(struct str when, int fd)
{
	const char *term = getenv("TERM");

	if (str_is(when, "always"))
		return true;
	if (str_is(when, "never") || is_variable_set("NO_COLOR"))
		return false;
	if (is_variable_set("CLICOLOR_FORCE") || is_variable_set("FORCE_COLOR"))
		return true;
	return isatty(fd) && term && strcmp(term, "dumb") != 0;
}

unsigned session_width(int fd)
{
	struct winsize size = { 0 };
	return isatty(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void session_say(const struct session *s, const char *fmt, ...)
{
	struct buf line = { 0 }, text = { 0 };
	va_list args;

	(void)s;
	va_start(args, fmt);
	buf_vprintf(&text, fmt, args);
	va_end(args);
	buf_z(&line, "trainc: ");
	put_escaped(&line, buf_text(&text));    /* names of files and options may contain any characters */
	buf_char(&line, '\n');
	file_write_all(STDERR_FILENO, line.p, line.n);
	buf_release(&line);
	buf_release(&text);
}

void session_say_without_cluster(const struct session *s)
{
	if (command_group(s->options->command) == GROUP_RUNS && s->options->command != COMMAND_FIT &&
		s->options->command != COMMAND_DIFF)
		session_say(s, "--local uses this machine in place of a cluster");
	if (s->options->command == COMMAND_APPLY || s->options->command == COMMAND_RUN)
		session_say(s, "'trainc compile FILE' needs no cluster; 'trainc compile FILE | kubectl apply -f -' "
			"starts the program with kubectl");
}

bool session_offline(const struct session *s)
{
	static const enum option of_cluster[] = { OPTION_ALL, OPTION_NAMESPACE, OPTION_ALL_NAMESPACES,
		OPTION_KUBECONFIG,
		OPTION_CONTEXT, OPTION_AS, OPTION_RETRY_TIMEOUT };

	for (size_t i = 0; i < sizeof of_cluster / sizeof *of_cluster; i++)
		if (option_given(s->options, of_cluster[i])) {
			session_say(s, "--%s is about a cluster; add --from-cluster", option_row(of_cluster[i])->word);
			return false;
		}
	return true;
}

bool session_index(struct session *s, long long *ret)
{
	struct str index = option_value(s->options, OPTION_INDEX);
	char *end;

	*ret = -1;
	if (!index.p)
		return true;
	*ret = strtoll(index.p, &end, 10);
	if (index.n && index.n < 10 && !*end && *ret >= 0)
		return true;
	session_say(s, "--index is the number of a replica, from 0; found '%.*s'", STR_ARG(index));
	return false;
}

void session_ask(const char *question) { file_write_all(STDERR_FILENO, question, strlen(question)); }

static bool write_out(void *context, const char *bytes, size_t n)
{
	struct session *s = context;

	if (s->gone || s->error)
		return false;
	if (file_write_all(STDOUT_FILENO, bytes, n))
		return true;
	if (errno == EPIPE)
		s->gone = true;
	else
		s->error = errno;
	return false;
}

void session_write(struct session *s, struct str text) { write_out(s, text.p, text.n); }

void session_print(struct session *s, struct str text)
{
	struct buf out = { 0 };

	put_escaped_lines(&out, text);
	write_out(s, out.p, out.n);
	buf_release(&out);
}

/* Shows complete lines. The last line may end within a character, so it is kept until its line end arrives. */
static bool show_lines(void *context, const char *bytes, size_t n)
{
	struct session *s = context;
	const char *newline = n == 0 ? NULL : memrchr(bytes, '\n', n);
	size_t whole = newline ? (size_t)(newline + 1 - bytes) : 0, at = 0;
	struct buf out = { 0 };

	buf_put(&s->line, bytes, whole);
	while (whole && at < s->line.n) {
		const char *end = memchr(s->line.p + at, '\n', s->line.n - at);
		put_escaped(&out, (struct str){ s->line.p + at, (size_t)(end - s->line.p) - at });
		buf_char(&out, '\n');
		at = (size_t)(end - s->line.p) + 1;
	}
	if (whole)
		s->line.n = 0;
	buf_put(&s->line, bytes + whole, n - whole);
	bool ok = write_out(s, out.p, out.n);
	buf_release(&out);
	return ok;
}

struct trainc_output session_output(struct session *s)
{
	return (struct trainc_output){ s, isatty(STDOUT_FILENO) ? show_lines : write_out };
}

void session_show(struct session *s, struct str text)
{
	struct trainc_output out = session_output(s);

	out.write(out.context, text.p, text.n);
}

/* Shows the rest of session_output()'s text, which has no line end. */
static void show_rest(struct session *s)
{
	struct buf out = { 0 };

	put_escaped(&out, buf_text(&s->line));
	if (out.n)
		write_out(s, out.p, out.n);
	buf_release(&out);
	buf_release(&s->line);
}

int session_end(struct session *s, int status)
{
	show_rest(s);
	if (s->gone)                    /* the exit status still depends on errors in the input */
		return status == STATUS_OUTPUT ? STATUS_DONE : status;
	/* some file systems only report a full disk when the file is closed */
	if (!s->error && close(STDOUT_FILENO) != 0 && errno != EBADF && errno != EINTR)
		s->error = errno;
	if (!s->error)
		return status;
	session_say(s, "cannot write standard output: %s",
	            s->error == EBADF ? "it is closed" :
	            s->error == ENOSPC ? "no space left on the device" : strerror(s->error));
	return STATUS_OUTPUT;
}

void session_hold_signals(bool hold)
{
	sigset_t ending;

	sigemptyset(&ending);
	sigaddset(&ending, SIGHUP);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGTERM);
	sigprocmask(hold ? SIG_BLOCK : SIG_UNBLOCK, &ending, NULL);
}

static bool session_write_file(struct session *s, struct str path, struct str bytes,
	bool (*write)(struct arena *, struct str, struct str, struct str *))
{
	struct str why;

	session_hold_signals(true);
	bool ok = write(s->arena, path, bytes, &why);
	session_hold_signals(false);
	if (!ok)
		session_say(s, "cannot write '%.*s': %.*s", STR_ARG(path), STR_ARG(why));
	return ok;
}

bool session_replace(struct session *s, struct str path, struct str bytes)
{
	return session_write_file(s, path, bytes, file_replace);
}

bool session_pour(struct session *s, struct str path, struct str bytes)
{
	return session_write_file(s, path, bytes, file_pour);
}

/* ---- programs ---- */

/* The files and directories that the command writes. */
static struct str *command_outputs(const struct session *s, size_t *ret_n)
{
	static const enum option each[] = { OPTION_OUTPUT, OPTION_OUTPUT_DIR, OPTION_DEPFILE };
	struct str *list = NULL;

	*ret_n = 0;
	for (size_t i = 0; s->options->command == COMMAND_COMPILE && i < sizeof each / sizeof *each; i++) {
		struct str value = option_value(s->options, each[i]);
		if (value.p && !str_is(value, "yaml") && !str_is(value, "json"))
			ARENA_PUSH(s->arena, list, *ret_n, value);
	}
	return list;
}

struct trainc *session_open(struct session *s)
{
	const struct options *o = s->options;
	struct trainc *t = trainc_open_reader(s->reader);

	if (s->reader->list == file_reader.list) {      /* otherwise there are no files beside the program */
		t->options.take_code = take_code;
		t->options.brief = s->options->command == COMMAND_CHECK;
		t->options.shows_code = s->options->command == COMMAND_CODE;
		t->options.live_code = str_is(option_value(o, OPTION_CODE), "live");
		t->options.outputs = command_outputs(s, &t->options.noutputs);
	}
	/* the library refuses options of the command line that do not concern the program */
	for (size_t i = 0; i < o->ngiven; i++) {
		const char *word = option_row(o->given[i].option)->word;
		if (o->given[i].option == OPTION_NAME)          /* run_name.h replaces what is in braces */
			continue;
		if (trainc_option(t, word, o->given[i].value.p) || o->given[i].option != OPTION_SET)
			continue;
		session_say(s, "--set needs NAME=VALUE, found '%.*s'", STR_ARG(o->given[i].value));
		trainc_close(t);
		return NULL;
	}
	if (s->name.n)
		trainc_option(t, "name", run_name_numbered(s->arena, s->name, s->number ? s->number : 1).p);
	return t;
}

/* Does the command show source positions only in messages? Then jobs with the same text can share a plan. */
static bool lends_places(const struct session *s)
{
	enum command c = s->options->command;

	return c == COMMAND_CHECK || (c == COMMAND_COMPILE && !option_given(s->options, OPTION_ANNOTATE));
}

/* Is the operand a parameter and its value, such as name=a, and not a file? */
static bool is_setting(const struct session *s, struct str operand)
{
	return program_is_setting(operand) && !s->reader->exists(s->reader->context, operand);
}

/* Compiles the programs. If an operand looks like a value for --set, only that is reported. */
bool session_compile(struct session *s, struct programs *ret)
{
	const struct options *o = s->options;
	bool settings = false;

	for (size_t i = 0; i < o->noperands; i++)
		settings = settings || is_setting(s, o->operands[i]);

	*ret = (struct programs){ .at = ARENA_ARRAY(s->arena, struct trainc *, o->noperands) };
	for (size_t i = 0; i < o->noperands; i++) {
		if (settings && !is_setting(s, o->operands[i]))
			continue;
		struct trainc *t = session_open(s);
		if (!t)
			return false;
		ret->at[ret->n++] = t;
		t->options.lends = lends_places(s);
		trainc_compile(t, o->operands[i].p);
	}
	return true;
}

static bool write_error(void *context, const char *bytes, size_t n)
{
	(void)context;
	return file_write_all(STDERR_FILENO, bytes, n);
}

static enum trainc_form report_form(struct str format)
{
	static const struct {
		const char *name;
		enum trainc_form form;
	} forms[] = { { "json", TRAINC_JSON }, { "sarif", TRAINC_SARIF }, { "github", TRAINC_GITHUB },
		{ "gitlab", TRAINC_GITLAB }, { "junit", TRAINC_JUNIT } };

	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (str_is(format, forms[i].name))
			return forms[i].form;
	return TRAINC_TEXT;
}

void session_report(struct session *s, struct programs *all, bool machine_to_stdout)
{
	enum trainc_form form = report_form(option_value(s->options, OPTION_FORMAT));
	struct trainc_look look = { .color = s->render.colour, .width = s->render.width, .limit = s->render.limit };
	struct trainc_output out = { s, form != TRAINC_TEXT && machine_to_stdout ? write_out : write_error };

	trainc_report(all->at, all->n, form, look, out);
	all->ok = true;
	for (size_t i = 0; i < all->n; i++)
		all->ok = all->ok && diags_ok(&all->at[i]->diags);
}

/* Suggests names of jobs, for the report about a job that does not exist. */
static void suggest_jobs(struct session *s, struct suggest *near)
{
	for (size_t i = 0; i < s->options->noperands; i++) {
		struct trainc *t = session_open(s);
		if (t) {
			t->options.job.only = t->options.job.name = (struct str){ 0 };
			trainc_compile(t, s->options->operands[i].p);
			for (size_t k = 0; k < t->plan.njobs; k++)
				suggest_add(near, str_copy(s->arena, t->plan.jobs[k].name));
			trainc_close(t);
		}
	}
}

/* Does one of the programs have the job of --job? If not, this is reported. */
static bool found_job(struct session *s, const struct programs *all)
{
	struct str name = option_value(s->options, OPTION_JOB);
	struct suggest near;

	if (!name.p)
		return true;
	for (size_t i = 0; i < all->n; i++)
		if (all->at[i]->plan.njobs || !diags_ok(&all->at[i]->diags))
			return true;
	suggest_init(&near, s->arena, name);
	suggest_jobs(s, &near);
	struct str help = suggest_or_list(&near, "the jobs are");
	session_say(s, "unknown job '%.*s'%s%.*s", STR_ARG(name), help.n ? "; " : "", STR_ARG(help));
	return false;
}

/* Warns about an empty result: it is not an error, but may be unexpected. */
static void say_empty(const struct session *s, const struct programs *all)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->at[i]->plan.njobs)
			return;
	bool input = s->options->noperands == 1 && str_is(s->options->operands[0], "-");
	bool empty = input && all->at[0]->program.root && !all->at[0]->program.root->source->text.n;
	session_say(s, "%s; a program has at least one job: job \"name\" { ... }, see 'trainc explain job'",
		empty ? "standard input is empty" : input ? "standard input holds no job" : "no job in the input");
}

static bool add_bytes(void *context, const char *bytes, size_t n)
{
	sha256_add(context, bytes, n);
	return true;
}

/*
 * The first digits of the digest of the objects that the programs have under S->name. A program with errors has none;
 * they are reported when it is compiled with its name.
 */
static struct str digest_of_objects(struct session *s)
{
	enum { DIGITS = 6 };
	struct programs all = { 0 };
	struct sha256 sha;
	char hex[65] = "";

	if (!session_compile(s, &all))
		return STR("");
	sha256_init(&sha);
	if (trainc_check(all.at, all.n, false) &&
		trainc_emit(all.at, all.n, TRAINC_JSON, (struct trainc_output){ &sha, add_bytes }))
		sha256_end(&sha, hex);
	session_release(&all);
	return str_copy(s->arena, (struct str){ hex, hex[0] ? DIGITS : 0 });
}

bool session_name(struct session *s, int *ret_status)
{
	struct str name = option_value(s->options, OPTION_NAME), why;

	*ret_status = STATUS_USAGE;
	if (!name.p || s->options->command == COMMAND_SUPERVISE)
		return true;
	if (!run_name_accepted(s->arena, s->options->command, name, &why)) {
		session_say(s, "--name '%.*s': %.*s", STR_ARG(name), STR_ARG(why));
		return false;
	}
	struct session plain = *s;
	plain.name = run_name_plain(s->arena, name);
	s->name = run_name_has_hash(name) ? run_name_hashed(s->arena, name, digest_of_objects(&plain)) : name;
	return true;
}

/* Is there one job for the name of --name? If there are several, that is reported. */
static bool is_one_job(struct session *s, const struct programs *all)
{
	size_t n = 0;

	for (size_t i = 0; i < all->n && s->name.n; i++)
		n += all->at[i]->plan.njobs;
	if (n > 1)
		session_say(s, "--name is the name of one run, and these are %zu jobs; choose one with --job", n);
	return n <= 1;
}

bool session_plan(struct session *s, bool runtime_warning, struct programs *ret, int *ret_status)
{
	*ret = (struct programs){ 0 };
	if (!session_name(s, ret_status))
		return false;
	if (!session_compile(s, ret)) {
		*ret_status = STATUS_USAGE;
		return false;
	}
	trainc_check(ret->at, ret->n, runtime_warning);
	if (!found_job(s, ret) || !is_one_job(s, ret)) {
		*ret_status = STATUS_USAGE;
		return false;
	}
	session_report(s, ret, s->options->command == COMMAND_CHECK);
	*ret_status = ret->ok ? STATUS_DONE : STATUS_PROGRAM;
	if (ret->ok && s->options->command != COMMAND_CHECK)
		say_empty(s, ret);
	return ret->ok;
}

void session_release(struct programs *all)
{
	for (size_t i = 0; i < all->n; i++)
		trainc_close(all->at[i]);
}
