/* contexts.c - see contexts.h. */
#include "runtime/command/contexts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json_write.h"
#include "base/words.h"
#include "runtime/command/runs.h"
#include "runtime/run/table.h"

enum { CONTEXTS_MOST = 64, ANSWER_SECONDS = 30, ANSWER_MOST = 64 << 20 };

/* One context: its process, and what that has written. */
struct member_context {
	struct str name;
	pid_t pid;
	int out, err;                   /* pipes; -1: closed */
	struct buf text, messages;
	bool cut;                       /* it has written more than is read */
	int status;
	struct str failure;             /* why nothing of the context is shown; empty: it is shown */
	bool broken;                    /* the process has not ended by itself, or its output was cut off */
};

struct contexts {
	struct session *session;
	struct member_context *at;
	size_t n;
};

/* ---- which contexts ---- */

static bool names_context(const struct contexts *c, struct str name)
{
	for (size_t i = 0; i < c->n; i++)
		if (str_eq(c->at[i].name, name))
			return true;
	return false;
}

/* Adds the names in TEXT, which are divided by the character BY, each once. */
static void add_contexts(struct contexts *c, struct str text, char by)
{
	while (text.n) {
		struct str name = str_take(&text, by);
		struct member_context m = { .name = name, .out = -1, .err = -1 };
		if (name.n && !names_context(c, name))
			ARENA_PUSH(c->session->arena, c->at, c->n, m);
	}
}

/* Finds the contexts that --context names; false if it is the name of one. */
static bool find_contexts(struct contexts *c)
{
	struct session *s = c->session;
	struct str text = option_value(s->options, OPTION_CONTEXT);
	struct contexts known = { .session = s };
	struct buf names = { 0 };

	if (!text.n || option_given(s->options, OPTION_LOCAL) || !s->cluster)
		return false;
	s->cluster->contexts(s, &names);
	add_contexts(&known, str_copy(s->arena, buf_text(&names)), '\n');
	buf_release(&names);
	if (names_context(&known, text))
		return false;
	if (str_is(text, "all"))
		*c = known;
	else if (memchr(text.p, ',', text.n))
		add_contexts(c, text, ',');
	return c->n > 0;
}

/* ---- one process each ---- */

static struct str option_form(const struct session *s) { return option_value(s->options, OPTION_OUTPUT); }

/* The options of the command with this context alone. */
static struct options options_with(struct session *s, struct str context)
{
	struct options o = *s->options;

	o.given = ARENA_ARRAY(s->arena, struct given, o.ngiven);
	memcpy(o.given, s->options->given, o.ngiven * sizeof *o.given);
	for (size_t i = 0; i < o.ngiven; i++)
		if (o.given[i].option == OPTION_CONTEXT)
			o.given[i].value = str_copy(s->arena, context);
	return o;
}

static _Noreturn void be_member(struct contexts *c, struct member_context *m, int (*command)(struct session *s),
	const int pipes[4], pid_t parent)
{
	struct session one = *c->session;
	struct options o = options_with(&one, m->name);

	if (prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || getppid() != parent)
		_exit(STATUS_INTERNAL);         /* the command has ended meanwhile */
	dup2(pipes[1], STDOUT_FILENO);
	dup2(pipes[3], STDERR_FILENO);
	for (int i = 0; i < 4; i++)
		close(pipes[i]);
	int nothing = open("/dev/null", O_RDONLY);
	if (nothing >= 0)
		dup2(nothing, STDIN_FILENO);    /* a plugin must not ask questions for several clusters at once */
	one.options = &o;
	one.context = m->name;
	one.quiet = true;
	_exit(session_end(&one, command(&one)));
}

static void start_member(struct contexts *c, struct member_context *m, int (*command)(struct session *s))
{
	int pipes[4] = { -1, -1, -1, -1 };
	pid_t parent = getpid();

	if (pipe2(pipes, O_CLOEXEC) != 0 || pipe2(pipes + 2, O_CLOEXEC) != 0 || (m->pid = fork()) < 0) {
		m->failure = str_printf(c->session->arena, "no process for it: %s", strerror(errno));
		m->status = STATUS_OUTPUT;
		m->pid = 0;
		for (int i = 0; i < 4; i++)
			if (pipes[i] >= 0)
				close(pipes[i]);
		return;
	}
	if (!m->pid)
		be_member(c, m, command, pipes, parent);
	close(pipes[1]);
	close(pipes[3]);
	m->out = pipes[0];
	m->err = pipes[2];
}

static void read_pipe(struct member_context *m, int *fd, struct buf *b)
{
	char bytes[65536];
	ssize_t n = read(*fd, bytes, sizeof bytes);

	if (n > 0 && b->n < ANSWER_MOST) {
		buf_put(b, bytes, (size_t)n);
	} else if (n >= 0 || errno != EINTR) {
		m->cut = m->cut || n > 0;
		close(*fd);
		*fd = -1;
	}
}

/* How long a context may take: twice the time for which a request is repeated, if the user gave that; at most a day. */
static int64_t time_limit(struct session *s)
{
	int64_t retry, most = 24 * 3600 * NS_PER_SECOND;

	if (!runs_duration(s, OPTION_RETRY_TIMEOUT, &retry) || !retry)
		return ANSWER_SECONDS * NS_PER_SECOND;
	return retry > most / 2 ? most : 2 * retry + 10 * NS_PER_SECOND;
}

static void await_members(struct contexts *c)
{
	struct pollfd *p = ARENA_ARRAY(c->session->arena, struct pollfd, 2 * c->n);
	int64_t until = clock_steady() + time_limit(c->session);

	for (;;) {
		int64_t left = until - clock_steady();
		nfds_t open = 0;
		for (size_t i = 0; i < c->n; i++) {
			p[2 * i] = (struct pollfd){ .fd = c->at[i].out, .events = POLLIN };
			p[2 * i + 1] = (struct pollfd){ .fd = c->at[i].err, .events = POLLIN };
			open += (c->at[i].out >= 0) + (c->at[i].err >= 0);
		}
		if (!open || left <= 0)
			break;
		if (poll(p, 2 * c->n, (int)(left / 1000000) + 1) <= 0)
			continue;
		for (size_t i = 0; i < c->n; i++) {
			if (p[2 * i].fd >= 0 && p[2 * i].revents)
				read_pipe(&c->at[i], &c->at[i].out, &c->at[i].text);
			if (p[2 * i + 1].fd >= 0 && p[2 * i + 1].revents)
				read_pipe(&c->at[i], &c->at[i].err, &c->at[i].messages);
		}
	}
}

/* Takes the next line of the messages of a process; removes the name of the program if the line begins a message. */
static struct str take_message(struct str *rest, bool *ret_begins)
{
	const struct str name = STR("trainc: ");
	struct str line = str_take(rest, '\n');

	*ret_begins = str_starts(line, name);
	return *ret_begins ? (struct str){ line.p + name.n, line.n - name.n } : line;
}

/* The first message of the process, without the name of the program; if it has none, its first line. */
static struct str first_message(struct contexts *c, const struct member_context *m)
{
	struct str rest = buf_text(&m->messages), first = STR("");
	bool begins;

	while (rest.n) {
		struct str line = take_message(&rest, &begins);
		if (begins)
			return str_copy(c->session->arena, line);
		first = first.n ? first : line;
	}
	return first.n ? str_copy(c->session->arena, first) : str_printf(c->session->arena,
		"it has ended with status %d", m->status);
}

/* Ends the process, and finds out how it went. */
static void end_member(struct contexts *c, struct member_context *m)
{
	bool late = m->out >= 0;
	int how = 0;

	if (!m->pid)
		return;
	if (late)
		kill(m->pid, SIGKILL);
	while (waitpid(m->pid, &how, 0) < 0 && errno == EINTR)
		;
	if (m->out >= 0)
		close(m->out);
	if (m->err >= 0)
		close(m->err);
	m->broken = late || m->cut || !WIFEXITED(how);
	while (m->broken && m->text.n && m->text.p[m->text.n - 1] != '\n')
		m->text.n--;                    /* its last line may be a part of one */
	m->status = WIFEXITED(how) ? WEXITSTATUS(how) : late ? STATUS_UNREACHABLE : STATUS_INTERNAL;
	if (late)
		m->failure = STR("it has not answered in time");
	else if (m->cut)
		m->failure = str_printf(c->session->arena, "its output is larger than %d MiB; show this context alone",
			ANSWER_MOST >> 20);
	else if (!WIFEXITED(how))
		m->failure = str_printf(c->session->arena, "its process was ended by signal %d", WTERMSIG(how));
	else if (!m->text.n && m->status != STATUS_DONE)
		m->failure = first_message(c, m);
	if (m->cut)
		m->status = runs_worse(m->status, STATUS_OUTPUT);
}

/* Prints the messages of a process, each with the context before it. */
static void say_messages(struct contexts *c, const struct member_context *m)
{
	struct str rest = buf_text(&m->messages);
	bool begins;

	while (rest.n) {
		struct str line = take_message(&rest, &begins);
		session_say(c->session, "%.*s: %.*s", STR_ARG(m->name), STR_ARG(line));
	}
	if (m->failure.n && (!m->messages.n || m->broken))
		session_say(c->session, "%.*s: %.*s", STR_ARG(m->name), STR_ARG(m->failure));
}

/* ---- what is printed ---- */

/* Takes the next whole line; false at the end. A process that was killed may have written a part of its last line. */
static bool take_line(struct str *rest, struct str *ret)
{
	bool whole = rest->n && memchr(rest->p, '\n', rest->n);

	*ret = whole ? str_take(rest, '\n') : STR("");
	return whole;
}

static void put_cells(struct report_table *t, struct str context, struct str line)
{
	struct str *row = table_row(t);
	size_t i = 1;
	bool last;

	row[0] = context;
	do {
		last = !memchr(line.p, TABLE_CELL, line.n);
		struct str cell = str_take(&line, TABLE_CELL);
		if (i < TABLE_COLUMNS)
			row[i++] = str_copy(&t->arena, cell);
	} while (!last);
	t->columns = i > t->columns ? i : t->columns;
}

/* One table of all contexts. A context that failed has a row with the reason, in the last column. */
static void print_contexts_table(struct contexts *c)
{
	struct report_table t = { .ready = true };
	struct buf out = { 0 };

	for (size_t i = 0; i < c->n; i++) {
		struct str rest = buf_text(&c->at[i].text), line;
		if (take_line(&rest, &line))      /* which columns are numbers */
			t.numbers = (unsigned)strtoul(str_copy(c->session->arena, line).p, NULL, 10) << 1;
		bool head = take_line(&rest, &line);
		if (head && !t.n)
			put_cells(&t, STR("CONTEXT"), line);
		while (head && take_line(&rest, &line))
			put_cells(&t, c->at[i].name, line);
	}
	if (!t.n)
		put_cells(&t, STR("CONTEXT"), STR("CAUSE"));
	for (size_t i = 0; i < c->n; i++)
		if (c->at[i].failure.n) {
			put_cells(&t, c->at[i].name, STR(""));
			t.rows[t.n - 1][t.columns - 1] = name_escaped(&t.arena, c->at[i].failure);
		}
	table_put(&t, session_width(STDOUT_FILENO), &out);
	session_print(c->session, buf_text(&out));
	buf_release(&out);
}

/* One line for each line of a context, and one for each context that failed. */
static void print_contexts_lines(struct contexts *c)
{
	struct report_table t = { .ready = true };
	struct buf out = { 0 };

	for (size_t i = 0; i < c->n; i++) {
		struct str rest = buf_text(&c->at[i].text), line;
		while (take_line(&rest, &line))
			put_cells(&t, c->at[i].name, line);
		if (c->at[i].failure.n)
			put_cells(&t, c->at[i].name, name_escaped(&t.arena, c->at[i].failure));
	}
	if (t.n)
		table_put(&t, session_width(STDOUT_FILENO), &out);
	session_print(c->session, buf_text(&out));
	buf_release(&out);
}

/*
 * The text of each context, with the context before each line, and a line for each context that failed. Long lines stay
 * whole.
 */
static void print_contexts_text(struct contexts *c)
{
	bool terminal = isatty(STDOUT_FILENO);
	struct buf out = { 0 };
	size_t widest = 0;

	for (size_t i = 0; i < c->n; i++) {
		size_t width = name_escaped(c->session->arena, c->at[i].name).n;
		widest = width > widest ? width : widest;
	}
	for (size_t i = 0; i < c->n; i++) {
		struct str name = name_escaped(c->session->arena, c->at[i].name), rest = buf_text(&c->at[i].text);
		while (rest.n) {
			struct str line = str_take(&rest, '\n');
			buf_printf(&out, "%-*.*s  ", (int)widest, STR_ARG(name));
			if (terminal)
				put_escaped(&out, line);
			else
				buf_str(&out, line);
			buf_char(&out, '\n');
		}
		if (c->at[i].failure.n)
			buf_printf(&out, "%-*.*s  %.*s\n", (int)widest, STR_ARG(name),
				STR_ARG(name_escaped(c->session->arena, c->at[i].failure)));
	}
	session_write(c->session, buf_text(&out));
	buf_release(&out);
}

/* The lines of logs are JSON objects that have the context already; lines of several contexts follow each other. */
static void print_contexts_json_lines(struct contexts *c)
{
	for (size_t i = 0; i < c->n; i++)
		session_write(c->session, buf_text(&c->at[i].text));
}

/* The lines of each context are JSON objects that have the context already. */
static void print_contexts_json(struct contexts *c, const char *key)
{
	struct buf out = { 0 };
	struct json_writer w = { .out = &out, .spaced = true };

	json_begin_document(&w);
	json_add_open(&w, key, '[');
	for (size_t i = 0; i < c->n; i++) {
		struct str rest = buf_text(&c->at[i].text), line;
		while (take_line(&rest, &line)) {
			json_line(&w, 4);
			json_put_raw(&w, "%.*s", STR_ARG(line));
		}
	}
	json_close(&w, ']');
	json_line(&w, 2);
	json_add_open(&w, "contexts", '[');
	for (size_t i = 0; i < c->n; i++) {
		json_line(&w, 4);
		json_open(&w, '{');
		json_add_text(&w, "context", c->at[i].name);
		json_add_int(&w, "status", c->at[i].status);
		json_add_text(&w, "reason", c->at[i].failure);
		json_close(&w, '}');
	}
	json_close(&w, ']');
	json_end_document(&w);
	session_write(c->session, buf_text(&out));
	buf_release(&out);
}

/* Can the command show several contexts in this form? If not, that is reported. */
static bool is_shown_together(struct contexts *c)
{
	struct session *s = c->session;
	struct str form = option_form(s);
	bool piped = false;

	for (size_t i = 0; i < s->options->noperands; i++)
		piped = piped || str_is(s->options->operands[i], "-");
	if (piped)
		session_say(s, "a program on standard input is read once, for one context; write it into a file");
	else if (c->n > CONTEXTS_MOST)
		session_say(s, "--context names %zu contexts; at most %d", c->n, CONTEXTS_MOST);
	else if (option_given(s->options, OPTION_WATCH) || option_given(s->options, OPTION_FOLLOW))
		session_say(s, "--%s shows one context; name one with --context",
			option_row(option_given(s->options, OPTION_WATCH) ? OPTION_WATCH : OPTION_FOLLOW)->word);
	else if (form.n && !str_is(form, "json") && !str_is(form, "table") && !str_is(form, "wide") &&
		!str_is(form, "text"))
		session_say(s, "-o %.*s shows one context; several are shown as a table, wide, or as JSON",
			STR_ARG(form));
	else
		return true;
	return false;
}

/* Prints what the contexts have found, in the form of the command. */
static void print_contexts(struct contexts *c)
{
	enum command command = c->session->options->command;
	bool all = command == COMMAND_FIT && option_given(c->session->options, OPTION_ALL);
	bool json = str_is(option_form(c->session), "json");

	if (json && command == COMMAND_LOGS)
		print_contexts_json_lines(c);
	else if (json)
		print_contexts_json(c, all ? "clusters" : command == COMMAND_FIT ? "jobs"
			: command == COMMAND_EVENTS ? "events" : "runs");
	else if (command == COMMAND_FIT && !all)
		print_contexts_lines(c);
	else if (all || command == COMMAND_WHY || command == COMMAND_LOGS)
		print_contexts_text(c);
	else
		print_contexts_table(c);
}

bool contexts_several(struct session *s)
{
	struct contexts c = { .session = s };

	return !s->context.n && find_contexts(&c);
}

bool contexts_run(struct session *s, int (*command)(struct session *s), int *ret_status)
{
	struct contexts c = { .session = s };

	if (s->context.n || !find_contexts(&c))
		return false;
	*ret_status = STATUS_USAGE;
	if (!is_shown_together(&c))
		return true;
	*ret_status = STATUS_DONE;
	for (size_t i = 0; i < c.n; i++)
		start_member(&c, &c.at[i], command);
	await_members(&c);
	for (size_t i = 0; i < c.n; i++) {
		end_member(&c, &c.at[i]);
		say_messages(&c, &c.at[i]);
		*ret_status = runs_worse(*ret_status, c.at[i].status);
	}
	print_contexts(&c);
	for (size_t i = 0; i < c.n; i++) {
		buf_release(&c.at[i].text);
		buf_release(&c.at[i].messages);
	}
	return true;
}
