/*
 * on_end.c - see on_end.h. What the cluster says reaches the shell in variables and on standard input, and never as a
 * part of the command.
 */
#include "runtime/command/on_end.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/words.h"

extern char **environ;

/* Time for the command. */
#define ON_END_TIME (60 * NS_PER_SECOND)

bool on_end_valid(struct session *s)
{
	struct str value = option_value(s->options, OPTION_ON_END);

	if (!str_starts(value, STR("https://")) && !str_starts(value, STR("http://")))
		return true;
	session_say(s, "--on-end is a command, not an address; a program can send what it reads: --on-end "
		"'curl --json @- %.*s'", STR_ARG(value));
	return false;
}

static char *end_fact(struct arena *a, const char *name, struct str value)
{
	const char *nul = value.n ? memchr(value.p, '\0', value.n) : NULL;

	value.n = nul ? (size_t)(nul - value.p) : value.n;
	return str_cat_chars(a, str_of(name), STR("="), value);
}

/* The environment of this process with the facts about the run. */
static char **facts(struct arena *a, const struct run_state *r)
{
	static const char own[] = "TRAINC_";
	char **env = NULL;
	size_t n = 0;
	int64_t seconds = r->end > r->begin && r->begin ? (r->end - r->begin) / NS_PER_SECOND : 0;

	for (size_t i = 0; environ[i]; i++)
		if (strncmp(environ[i], own, sizeof own - 1) != 0)
			ARENA_PUSH(a, env, n, environ[i]);
	char *all[] = { end_fact(a, "TRAINC_RUN", r->name), end_fact(a, "TRAINC_NAMESPACE", r->ns),
		end_fact(a, "TRAINC_STATE", str_of(run_phase_word(r->phase))), end_fact(a, "TRAINC_CAUSE", r->cause),
		end_fact(a, "TRAINC_STATUS", r->phase == RUN_SUCCEEDED ? STR("0") : str_int(a, STATUS_FAILED)),
		end_fact(a, "TRAINC_SECONDS", str_int(a, seconds)), NULL };
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		ARENA_PUSH(a, env, n, all[i]);
	return env;
}

/* A file without a name that holds the state of the run as JSON; -1 on failure. */
static int state_file(const struct run_state *r)
{
	struct report report = { .runs = &r, .n = 1, .form = REPORT_JSON, .now = clock_real() };
	struct buf out = { 0 };
	int fd = memfd_create("state", MFD_CLOEXEC);

	report_runs(&report, &out);
	if (fd >= 0 && (!file_write_all(fd, out.p, out.n) || lseek(fd, 0, SEEK_SET) != 0)) {
		close(fd);
		fd = -1;
	}
	buf_release(&out);
	return fd;
}

/* Starts the command in a process group of its own; what it prints goes to standard error. Returns an errno. */
static int start_command(struct session *s, const struct run_state *r, struct str command, pid_t *ret)
{
	char *const words[] = { str_cat_chars(s->arena, STR("sh"), STR(""), STR("")),
		str_cat_chars(s->arena, STR("-c"), STR(""), STR("")),
		str_cat_chars(s->arena, command, STR(""), STR("")), NULL };
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, usual;
	int state = state_file(r);

	if (state < 0)
		return errno;
	sigemptyset(&none);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, state, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
	posix_spawnattr_init(&attributes);
	sigemptyset(&usual);
	sigaddset(&usual, SIGPIPE);
	sigaddset(&usual, SIGCHLD);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
		POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigdefault(&attributes, &usual);
	posix_spawnattr_setsigmask(&attributes, &none);
	int error = posix_spawn(ret, "/bin/sh", &actions, &attributes, words, facts(s->arena, r));
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	close(state);
	return error;
}

/*
 * Waits for the command, and kills it when its time is over. Returns what waitpid() says; -1: it was killed; 0 if
 * nobody can know, because whoever started us ignores the end of children.
 */
static int await_command(pid_t pid)
{
	const struct timespec pause = { 0, 10 * 1000000 };
	int64_t end = clock_steady() + ON_END_TIME;
	int status = 0;
	pid_t ended;

	while ((ended = waitpid(pid, &status, WNOHANG)) == 0) {
		if (clock_steady() >= end) {
			kill(-pid, SIGKILL);
			waitpid(pid, &status, 0);
			return -1;
		}
		nanosleep(&pause, NULL);
	}
	return ended < 0 ? 0 : status;
}

static void run_one(struct session *s, const struct run_state *r, struct str command)
{
	pid_t pid;
	int error = start_command(s, r, command, &pid), status = error ? 0 : await_command(pid);

	if (error)
		session_say(s, "run '%.*s': the command of --on-end cannot be started: %.*s", STR_ARG(r->name),
			STR_ARG(file_reason(s->arena, error)));
	else if (status == -1)
		session_say(s, "run '%.*s': the command of --on-end took more than a minute and was killed",
			STR_ARG(r->name));
	else if (WIFSIGNALED(status))
		session_say(s, "run '%.*s': the command of --on-end was killed by signal %d", STR_ARG(r->name),
			WTERMSIG(status));
	else if (WEXITSTATUS(status))
		session_say(s, "run '%.*s': the command of --on-end ended with status %d", STR_ARG(r->name),
			WEXITSTATUS(status));
}

void on_end_run(struct session *s, struct attend *a)
{
	struct str command = option_value(s->options, OPTION_ON_END);

	for (size_t i = 0; i < a->n && command.n; i++) {
		struct run_watch *w = &a->runs[i];
		if (w->gone || w->lost || !run_phase_final(w->state.phase) || w->state.phase == RUN_UNKNOWN ||
			w->state.phase == RUN_ABSENT)
			continue;
		run_watch_measure(w);
		run_one(s, &w->state, command);
	}
}
