/*
 * credential_plugin.c - runs a credential plugin as a process with three descriptors. A plugin that may ask the user
 * questions gets the terminal itself. The standard error of other plugins passes through a pipe, so that its last line
 * can be part of the message when the plugin fails.
 */
#include "runtime/cluster/credential_plugin.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/words.h"
#include "runtime/cluster/plugin_path.h"

#define PLUGIN_LIMIT (60 * NS_PER_SECOND)
enum { ANSWER_LARGEST = 1 << 20, ERROR_KEPT = 4096 };

extern char **environ;

struct credential_run {
	struct loop *loop;
	struct arena *arena;
	const struct kubeconfig_access *access;
	struct loop_child child;
	struct loop_fd out, err;        /* ends of the pipes in this process */
	struct loop_timer limit;
	struct buf answer;
	struct buf errors;              /* the last part of the plugin's standard error */
	bool direct;                    /* the plugin writes to the user's own standard error */
	void (*done)(void *to, const struct credential_answer *answer, struct str why);
	void *to;
};

static void pipe_close(struct loop *l, struct loop_fd *f)
{
	int fd = f->fd;

	loop_fd_drop(l, f);
	if (fd >= 0)
		close(fd);
}

void credential_run_cancel(struct credential_run *r)
{
	loop_child_kill(r->loop, &r->child);
	loop_timer_drop(r->loop, &r->limit);
	pipe_close(r->loop, &r->out);
	pipe_close(r->loop, &r->err);
	buf_release(&r->answer);
	buf_release(&r->errors);
	free(r);
}

/* Frees the run, then calls DONE with its outcome. */
static void finish_plugin(struct credential_run *r, const struct credential_answer *answer, struct str why)
{
	void (*done)(void *, const struct credential_answer *, struct str) = r->done;
	void *to = r->to;

	credential_run_cancel(r);
	done(to, answer, why);
}

/* ---- output ---- */

/* Moves the contents of a pipe into B, which keeps at most MOST bytes; false at the end of the pipe. */
static bool pipe_read(struct loop_fd *f, struct buf *b, size_t most)
{
	char bytes[4096];
	ssize_t n;

	while ((n = read(f->fd, bytes, sizeof bytes)) > 0)
		if (b->n + (size_t)n <= most)
			buf_put(b, bytes, (size_t)n);
		else
			b->overflow = true;
	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

static void out_ready(struct loop_fd *f, unsigned events)
{
	struct credential_run *r = f->to;

	(void)events;
	if (!pipe_read(f, &r->answer, ANSWER_LARGEST))
		pipe_close(r->loop, f);
}

/* Copies the plugin's messages to standard error, without control characters: logs are read on terminals, too. */
static void pass_on(struct str text)
{
	struct buf shown = { 0 };

	put_escaped_lines(&shown, text);
	file_write_all(STDERR_FILENO, shown.p, shown.n);
	buf_release(&shown);
}

static void err_ready(struct loop_fd *f, unsigned events)
{
	struct credential_run *r = f->to;
	struct buf fresh = { 0 };
	bool more = pipe_read(f, &fresh, 1 << 20);

	(void)events;
	pass_on(buf_text(&fresh));
	if (r->errors.n + fresh.n > ERROR_KEPT)
		r->errors.n = 0;
	buf_put(&r->errors, fresh.p + (fresh.n > ERROR_KEPT ? fresh.n - ERROR_KEPT : 0),
		fresh.n > ERROR_KEPT ? ERROR_KEPT : fresh.n);
	buf_release(&fresh);
	if (!more)
		pipe_close(r->loop, f);
}

/* The last line of standard error that is not blank, as ": LINE". */
static struct str last_words(const struct credential_run *r)
{
	struct str text = buf_text(&r->errors);
	struct buf b = { 0 };

	while (text.n && strchr("\r\n \t", text.p[text.n - 1]))
		text.n--;
	if (!text.n)
		return STR("");
	const char *newline = memrchr(text.p, '\n', text.n);
	if (newline)
		text = (struct str){ newline + 1, (size_t)(text.p + text.n - newline - 1) };
	buf_z(&b, ": ");
	put_clipped(&b, text, 300);
	struct str words = buf_take(&b, r->arena);
	buf_release(&b);
	return words;
}

/* ---- the end ---- */

static void child_ended(struct loop_child *c, int status)
{
	struct credential_run *r = c->to;
	struct str command = r->access->exec.command, why = STR("");
	struct credential_answer answer = { 0 };

	if (r->out.fd >= 0)
		out_ready(&r->out, EPOLLIN);
	if (r->err.fd >= 0)
		err_ready(&r->err, EPOLLIN);
	if (WIFSIGNALED(status) || WEXITSTATUS(status)) {
		struct str end = end_words(r->arena, WEXITSTATUS(status), WIFSIGNALED(status) ? WTERMSIG(status) : 0);
		why = str_printf(r->arena, "the credential plugin '%.*s' failed (%.*s)%.*s", STR_ARG(command),
		                 STR_ARG(end), STR_ARG(last_words(r)));
		finish_plugin(r, NULL, why);
		return;
	}
	if (r->answer.overflow) {
		finish_plugin(r, NULL, str_printf(r->arena, "the credential plugin '%.*s' printed more than 1 MiB",
			STR_ARG(command)));
		return;
	}
	bool ok = credential_read_answer(r->arena, &r->access->exec, str_copy(r->arena, buf_text(&r->answer)), &answer,
		&why);
	finish_plugin(r, ok ? &answer : NULL, why);
}

static void limit_reached(struct loop_timer *t)
{
	struct credential_run *r = t->to;

	finish_plugin(r, NULL, str_printf(r->arena, "the credential plugin '%.*s' did not answer within 60 s%.*s",
	                           STR_ARG(r->access->exec.command), STR_ARG(last_words(r))));
}

/* ---- the beginning ---- */

/* A copy of this process' environment, in which the variables of the kubeconfig replace variables of the same name. */
static char **plugin_environment(struct arena *a, const struct kubeconfig_access *access, bool interactive)
{
	const struct kubeconfig_exec *e = &access->exec;
	char **all = NULL;
	size_t n = 0;

	for (char **v = environ; *v; v++) {
		bool replaced = strncmp(*v, "KUBERNETES_EXEC_INFO=", 21) == 0;
		for (size_t i = 0; i < e->nenv && !replaced; i++)
			replaced = strncmp(*v, e->env[i].name.p, e->env[i].name.n) == 0 &&
				(*v)[e->env[i].name.n] == '=';
		if (!replaced)
			ARENA_PUSH(a, all, n, *v);
	}
	for (size_t i = 0; i < e->nenv; i++)
		ARENA_PUSH(a, all, n, str_cat_chars(a, e->env[i].name, STR("="), e->env[i].value));
	struct str info = credential_exec_info(a, access, interactive);
	ARENA_PUSH(a, all, n, str_cat_chars(a, STR("KUBERNETES_EXEC_INFO="), info, STR("")));
	ARENA_PUSH(a, all, n, NULL);
	return all;
}

static char **plugin_command(struct arena *a, const struct kubeconfig_exec *e, struct str path)
{
	char **all = NULL;
	size_t n = 0;

	ARENA_PUSH(a, all, n, arena_copy(a, path.p, path.n));
	for (size_t i = 0; i < e->nargs; i++)
		ARENA_PUSH(a, all, n, arena_copy(a, e->args[i].p, e->args[i].n));
	ARENA_PUSH(a, all, n, NULL);
	return all;
}

/* Starts the process of PATH with OUT and ERR as the ends of its pipes; returns 0 or an errno. */
static int spawn(struct credential_run *r, struct str path, bool interactive, int out, int err)
{
	int null = interactive ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC);
	int fds[3] = { interactive ? STDIN_FILENO : null, out, r->direct ? STDERR_FILENO : err };
	int error = loop_child_start(r->loop, &r->child, plugin_command(r->arena, &r->access->exec, path),
	                             plugin_environment(r->arena, r->access, interactive), fds);

	if (null >= 0)
		close(null);
	return error;
}

static bool pipe_open(struct loop *l, struct loop_fd *f, int *ret_write)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		return false;
	fcntl(fds[0], F_SETFL, O_NONBLOCK);
	*ret_write = fds[1];
	return loop_fd_set(l, f, fds[0], EPOLLIN);
}

static struct str cannot_start(const struct credential_run *r, struct str reason, bool missing)
{
	const struct kubeconfig_exec *e = &r->access->exec;
	struct buf hint = { 0 };

	if (e->install_hint.n && missing) {
		buf_z(&hint, "\n");
		put_escaped(&hint, e->install_hint);
	}
	struct str why = str_printf(r->arena, "cannot start the credential plugin '%.*s': %.*s%.*s",
	                            STR_ARG(e->command), STR_ARG(reason), STR_ARG(buf_text(&hint)));
	buf_release(&hint);
	return why;
}

struct credential_run *credential_run_start(struct loop *l, struct arena *a, const struct kubeconfig_access *access,
	bool stdin_free,
	void (*done)(void *to, const struct credential_answer *answer, struct str why), void *to, struct str *why)
{
	bool terminal = stdin_free && isatty(STDIN_FILENO);
	bool interactive = terminal && access->exec.stdin_mode != KUBECONFIG_STDIN_NEVER;
	int out = -1, err = -1, error = 0;
	struct str reason = STR("");

	if (access->exec.stdin_mode == KUBECONFIG_STDIN_ALWAYS && !terminal) {
		*why = str_printf(a, "the credential plugin '%.*s' needs a terminal (interactiveMode is Always), but "
			"standard input is not one",
		                  STR_ARG(access->exec.command));
		return NULL;
	}
	struct credential_run *r = memory_resize(NULL, sizeof *r);
	*r = (struct credential_run){ .loop = l, .arena = a, .access = access, .direct = interactive, .done = done,
		.to = to,
		.child = { .ended = child_ended, .pidfd = { .fd = -1 } }, .out = { .fd = -1, .ready = out_ready },
		.err = { .fd = -1, .ready = err_ready }, .limit = { .fire = limit_reached } };
	r->child.to = r->out.to = r->err.to = r->limit.to = r;
	if (!pipe_open(l, &r->out, &out) || (!r->direct && !pipe_open(l, &r->err, &err)))
		error = errno;
	struct str path = plugin_path(a, access->exec.command, getenv("PATH"), &reason);
	if (!error && path.n)
		error = spawn(r, path, interactive, out, err);
	if (out >= 0)
		close(out);
	if (err >= 0)
		close(err);
	if (error || !path.n) {
		*why = cannot_start(r, error ? file_reason(a, error) : reason, error == ENOENT || !path.n);
		credential_run_cancel(r);
		return NULL;
	}
	loop_timer_set(l, &r->limit, PLUGIN_LIMIT);
	return r;
}
