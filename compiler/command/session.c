/*
 * session.c - from options to programs, and from programs to what is printed.
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
#include "diag/suggest.h"

/* ---- out ---- */

static bool set(const char *variable)
{
	const char *value = getenv(variable);
	return value && *value;
}

/* Runtime requirements, section 6: --color, then NO_COLOR, then the forcing variables, then the terminal. */
bool session_colour(struct str when, int fd)
{
	const char *term = getenv("TERM");

	if (str_is(when, "always"))
		return true;
	if (str_is(when, "never") || set("NO_COLOR"))
		return false;
	if (set("CLICOLOR_FORCE") || set("FORCE_COLOR"))
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
	struct buf line = { 0 };
	char text[1024];
	va_list args;

	(void)s;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	buf_printf(&line, "trainc: %s\n", text);
	file_write_all(STDERR_FILENO, line.p, line.n);
	buf_release(&line);
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

struct emit_sink session_sink(struct session *s) { return (struct emit_sink){ s, write_out }; }

int session_end(struct session *s, int status)
{
	if (s->gone)
		return STATUS_DONE;
	/* Some file systems tell only at the end that there was no room. */
	if (!s->error && close(STDOUT_FILENO) != 0 && errno != EBADF && errno != EINTR)
		s->error = errno;
	if (!s->error)
		return status;
	session_say(s, "cannot write standard output: %s",
	            s->error == EBADF ? "it is closed" : s->error == ENOSPC ? "no space left on the device" : strerror(s->error));
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

bool session_replace(struct session *s, struct str path, struct str bytes)
{
	struct str why;

	session_hold_signals(true);
	bool ok = file_replace(s->arena, path, bytes, &why);
	session_hold_signals(false);
	if (!ok)
		session_say(s, "cannot write '%.*s': %.*s", STR_ARG(path), STR_ARG(why));
	return ok;
}

/* ---- programs ---- */

static bool add_set(struct session *s, struct compile *c, struct str assignment)
{
	if (compile_set(c, assignment))
		return true;
	session_say(s, "--set needs NAME=VALUE, found '%.*s'", STR_ARG(assignment));
	return false;
}

static bool is_label_byte(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; }

/* One DNS label, or several with dots between them. */
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

/* What a program says is checked by its type; this is what the command line says in its place. */
static void check_name(struct compile *c, const char *what, struct str name, bool dots)
{
	if (!name.p || is_dns(name, dots))
		return;
	struct source *source = source_add(&c->sources, STR("command line"), name);
	struct span at = { source->base, source->base + (uint32_t)name.n };
	diag_report(&c->diags, TJ0802, at, "%s '%.*s' must be lower case letters, digits%s and '-', beginning and ending with a letter or digit",
	            what, STR_ARG(name), dots ? ", '.'" : "");
}

bool session_open(struct session *s, struct compile *c)
{
	const struct options *o = s->options;

	compile_init(c, s->reader);
	c->options.target = option_value(o, OPTION_TARGET);
	c->options.kubernetes = option_value(o, OPTION_KUBERNETES);
	c->options.profile = option_value(o, OPTION_PROFILE);
	c->options.job_name = option_value(o, OPTION_JOB);
	c->options.deny_warnings = option_given(o, OPTION_DENY_WARNINGS);
	c->options.job.ns = option_value(o, OPTION_NAMESPACE);
	c->options.job.domain = option_value(o, OPTION_DOMAIN);
	c->options.job.gang = option_value(o, OPTION_GANG);
	c->options.job.run_id = option_value(o, OPTION_RUN_ID);
	c->options.job.unroll = option_given(o, OPTION_UNROLL);
	c->options.job.no_raw = option_given(o, OPTION_NO_RAW);
	c->options.job.here = option_given(o, OPTION_LOCAL);
	check_name(c, "namespace", c->options.job.ns, false);
	if (c->options.job.domain.n)            /* an empty one is none */
		check_name(c, "cluster domain", c->options.job.domain, true);
	for (size_t i = 0; i < o->ngiven; i++) {
		if (o->given[i].option == OPTION_SET && !add_set(s, c, o->given[i].value))
			return false;
		if (o->given[i].option == OPTION_PARAMS)
			compile_params(c, o->given[i].value);
	}
	return true;
}

/* The report that a program knows nothing of a --set: it stands on the command line. */
static bool is_unknown_set(const struct compile *c, const struct diag *d)
{
	const struct source *source = source_at(&c->sources, d->at.start);

	return d->code == TJ0402 && source && str_is(source->name, "command line");
}

static bool reported_by(const struct compile *c, struct str message)
{
	for (size_t i = 0; i < c->diags.n; i++)
		if (is_unknown_set(c, c->diags.at[i]) && str_eq(c->diags.at[i]->message, message))
			return true;
	return false;
}

static bool reported_by_all(const struct programs *all, struct str message)
{
	for (size_t i = 0; i < all->n; i++)
		if (!reported_by(all->at[i], message))
			return false;
	return true;
}

/*
 * Of several programs, --set goes to those that declare the parameter; it is a
 * mistake only when none does, and then it is told once (cli.md, section 1).
 */
static void settle_sets(struct programs *all)
{
	for (size_t i = all->n; i-- > 0;) {     /* the last one first: it keeps what all of them said */
		struct compile *c = all->at[i];
		size_t kept = 0;

		for (size_t k = 0; k < c->diags.n; k++) {
			struct diag *d = c->diags.at[k];
			if (!is_unknown_set(c, d) || (i == all->n - 1 && reported_by_all(all, d->message)))
				c->diags.at[kept++] = d;
			else
				c->diags.errors--;
		}
		c->diags.n = kept;
	}
}

bool session_compile(struct session *s, struct programs *ret)
{
	const struct options *o = s->options;

	*ret = (struct programs){ .at = ARENA_ARRAY(s->arena, struct compile *, o->noperands) };
	for (size_t i = 0; i < o->noperands; i++) {
		struct compile *c = ret->at[ret->n++] = ARENA_NEW(s->arena, struct compile);

		if (!session_open(s, c))
			return false;
		compile_plan(c, o->operands[i]);
	}
	if (ret->n > 1)
		settle_sets(ret);
	return true;
}

static void render_text(struct session *s, const struct programs *all, struct buf *out)
{
	for (size_t i = 0; i < all->n; i++) {
		if (out->n && all->at[i]->diags.n)
			buf_char(out, '\n');
		diags_text(&all->at[i]->diags, s->render, out);
	}
}

static void render_sarif(struct session *s, const struct programs *all, struct buf *out)
{
	const struct diags **collections = ARENA_ARRAY(s->arena, const struct diags *, all->n);

	for (size_t i = 0; i < all->n; i++)
		collections[i] = &all->at[i]->diags;
	diags_sarif(collections, all->n, out);
}

void session_report(struct session *s, struct programs *all, bool machine_to_stdout)
{
	struct str format = option_value(s->options, OPTION_FORMAT);
	struct buf out = { 0 };
	bool machine = false;

	all->ok = true;
	for (size_t i = 0; i < all->n; i++) {
		diags_finish(&all->at[i]->diags);
		all->ok = all->ok && diags_ok(&all->at[i]->diags);
	}
	if (str_is(format, "json")) {
		machine = true;
		for (size_t i = 0; i < all->n; i++)
			diags_json(&all->at[i]->diags, &out);
	} else if (str_is(format, "sarif")) {
		machine = true;
		render_sarif(s, all, &out);
	} else {
		render_text(s, all, &out);
	}
	if (machine && machine_to_stdout)
		session_write(s, buf_text(&out));
	else if (out.n)
		file_write_all(STDERR_FILENO, out.p, out.n);
	buf_release(&out);
}

/* The names of all jobs, for the answer to one that does not exist. */
static void suggest_jobs(struct session *s, struct suggest *near)
{
	for (size_t i = 0; i < s->options->noperands; i++) {
		struct compile *c = ARENA_NEW(s->arena, struct compile);
		if (session_open(s, c)) {
			c->options.job_name = (struct str){ 0 };
			compile_plan(c, s->options->operands[i]);
			for (size_t k = 0; k < c->plan.njobs; k++)
				suggest_add(near, str_copy(s->arena, c->plan.jobs[k].name));
		}
		compile_release(c);
	}
}

/* --job names a job of one of the programs; false after saying that it does not. */
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
	session_say(s, "there is no job '%.*s'%s%.*s", STR_ARG(name), help.n ? "; " : "", STR_ARG(help));
	return false;
}

void session_check_objects(struct session *s, struct programs *all, bool runtime_warning)
{
	struct map *seen = ARENA_NEW(s->arena, struct map);

	for (size_t i = 0; i < all->n; i++) {
		struct compile *c = all->at[i];
		struct emit_options options = { .kinds = compile_kinds(c), .sources = &c->sources, .runtime_warning = runtime_warning, .seen = seen,
			.seen_arena = s->arena };

		c->diags.unasked[TJ0817] = !runtime_warning;
		if (diags_ok(&c->diags))
			emit_check(&options, &c->plan, &c->diags);
	}
}

/* Nothing to show is no mistake, and yet not what was expected. */
static void say_empty(const struct session *s, const struct programs *all)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->at[i]->plan.njobs)
			return;
	bool input = s->options->noperands == 1 && str_is(s->options->operands[0], "-");
	bool empty = input && all->at[0]->program.root && !all->at[0]->program.root->source->text.n;
	session_say(s, "%s; a program has at least one job: job \"name\" { ... }, see 'trainc explain job'",
		empty ? "standard input is empty" : input ? "standard input holds no job" : "there is no job in what was given");
}

bool session_plan(struct session *s, bool runtime_warning, struct programs *ret, int *ret_status)
{
	if (!session_compile(s, ret) || !found_job(s, ret)) {
		*ret_status = STATUS_USAGE;
		return false;
	}
	session_check_objects(s, ret, runtime_warning);
	session_report(s, ret, s->options->command == COMMAND_CHECK);
	*ret_status = ret->ok ? STATUS_DONE : STATUS_PROGRAM;
	if (ret->ok && s->options->command != COMMAND_CHECK)
		say_empty(s, ret);
	return ret->ok;
}

void session_release(struct programs *all)
{
	for (size_t i = 0; i < all->n; i++)
		compile_release(all->at[i]);
}
