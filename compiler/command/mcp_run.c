/* mcp_run.c - runs this program as another process, and reads what it prints. */
#include "command/mcp_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/system.h"

struct mcp_child {
	pid_t pid;
	int in, out;                    /* our ends; `in` is -1 once all input has been written */
	struct str input;               /* the rest of it */
};

static int64_t seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec;
}

/*
 * Becomes the command. It has a group of its own, so that what it starts can be ended with it, and the kernel ends it
 * when the server ends, however that happens.
 */
static _Noreturn void become(char **argv, const int in[2], const int out[2], pid_t server)
{
	signal(SIGPIPE, SIG_DFL);
	setpgid(0, 0);
	system_end_with_parent();
	if (getppid() == server && dup2(in[0], STDIN_FILENO) >= 0 && dup2(out[1], STDOUT_FILENO) >= 0 &&
	    dup2(out[1], STDERR_FILENO) >= 0)
		system_exec_self(argv);
	_exit(127);
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
	pid_t server = getpid();
	c->pid = fork();
	if (c->pid == 0)
		become(argv, in, out, server);
	int error = c->pid < 0 ? errno : 0;
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

/* Writes what the command takes of its input; a command may leave some of it unread. */
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
	const char *why = talk_to_child(&c, out);
	end_input(&c);
	close(c.out);
	if (why) {
		kill(-c.pid, SIGKILL);
		buf_printf(out, "\n(%s)\n", why);
	}
	while (waitpid(c.pid, &status, 0) < 0 && errno == EINTR)
		continue;
	return !why && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
