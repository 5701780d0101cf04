/* mcp_run.c - runs this program as another process, and reads what it prints. */
#include "command/mcp_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"

struct mcp_child {
	pid_t pid;
	int in, out;                    /* our ends; `in` is -1 once all input has been written */
	struct str input;               /* the rest of it */
};

/* The group of the command that runs now; 0: none. A signal that ends the server ends it, too. */
static volatile sig_atomic_t running;

static void end_both(int signal_number)
{
	if (running)
		kill(-(pid_t)running, SIGKILL);
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

void mcp_run_begin(void)
{
	static const int ends[] = { SIGHUP, SIGINT, SIGTERM };

	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		signal(ends[i], end_both);
}

static int64_t seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

static int start_with(struct mcp_child *c, char **argv, const int in[2], const int out[2])
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t usual;

	sigemptyset(&usual);
	sigaddset(&usual, SIGPIPE);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigdefault(&attributes, &usual);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
	posix_spawn_file_actions_adddup2(&actions, out[1], STDERR_FILENO);
	int error = posix_spawn(&c->pid, "/proc/self/exe", &actions, &attributes, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	return error;
}

/* Starts the command; 0, or an errno. */
static int start_child(struct mcp_child *c, char **argv)
{
	int in[2], out[2];

	if (pipe2(in, O_CLOEXEC) != 0)
		return errno;
	if (pipe2(out, O_CLOEXEC) != 0) {
		int error = errno;
		close(in[0]);
		close(in[1]);
		return error;
	}
	int error = start_with(c, argv, in, out);
	close(in[0]);
	close(out[1]);
	c->in = in[1];
	c->out = out[0];
	fcntl(c->in, F_SETFL, O_NONBLOCK);
	return error;
}

static void end_input(struct mcp_child *c)
{
	if (c->in >= 0)
		close(c->in);
	c->in = -1;
}

/* Writes what the command takes of its input; a command that does not read all of it is no error. */
static void feed_child(struct mcp_child *c)
{
	ssize_t n = c->input.n ? write(c->in, c->input.p, c->input.n) : 0;

	if (n > 0)
		c->input = (struct str){ c->input.p + n, c->input.n - (size_t)n };
	if (!c->input.n || (n < 0 && errno != EAGAIN && errno != EINTR))
		end_input(c);
}

/* Reads until the command has closed its output; NULL, or why it was not read to its end. */
static const char *talk_to_child(struct mcp_child *c, struct buf *out)
{
	int64_t end = seconds_now() + MCP_SECONDS;

	for (;;) {
		struct pollfd at[] = { { .fd = c->out, .events = POLLIN }, { .fd = c->in, .events = POLLOUT } };
		if (seconds_now() >= end)
			return "it took longer than a minute, and was stopped";
		if (poll(at, 2, 1000) <= 0)
			continue;
		if (at[1].revents)
			feed_child(c);
		if (!at[0].revents)
			continue;
		ssize_t n = buf_reserve(out, 1 << 16) ? read(c->out, out->p + out->n, 1 << 16) : 0;
		if (n == 0)
			return NULL;
		if (n > 0)
			out->n += (size_t)n;
		if (out->n > MCP_OUTPUT) {
			out->n = MCP_OUTPUT;
			return "it printed more than a MiB; the rest is left out";
		}
	}
}

int mcp_run(char **argv, struct str input, struct buf *out)
{
	struct mcp_child c = { .input = input };
	int error = start_child(&c, argv), status = 0;

	if (error) {
		buf_printf(out, "the command cannot be started: %s\n", strerror(error));
		end_input(&c);
		close(c.out);
		return -1;
	}
	running = c.pid;
	const char *why = talk_to_child(&c, out);
	end_input(&c);
	close(c.out);
	if (why) {
		kill(-c.pid, SIGKILL);
		buf_printf(out, "\n(%s)\n", why);
	}
	while (waitpid(c.pid, &status, 0) < 0 && errno == EINTR)
		continue;
	running = 0;
	return !why && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
