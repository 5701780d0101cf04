/*
 * cmd_lsp.c - the language server on standard input and output.
 *
 * A message is a header, an empty line and as many bytes as the header says. All messages that have arrived are
 * received before any work is done, so that a request that was canceled meanwhile is never started. If the input ends
 * without `exit`, the status is 1.
 */
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <unistd.h>

#include "base/file.h"
#include "command/session.h"
#include "command/workspace.h"
#include "lsp/lsp.h"

struct wire {
	struct session *session;
	struct buf in;
	size_t taken;                   /* bytes of the input that have been received */
	bool closed;
};

/* ---- out ---- */

static void send_message(void *context, const char *message, size_t n)
{
	struct wire *w = context;
	char header[64];
	int size = snprintf(header, sizeof header, "Content-Length: %zu\r\n\r\n", n);

	session_write(w->session, (struct str){ header, (size_t)size });
	session_write(w->session, (struct str){ message, n });
}

/* ---- in ---- */

/* Returns the end of the header at P, which is after its empty line; NULL when the empty line has not arrived. */
static const char *header_end(const char *p, const char *end)
{
	for (const char *line = p; line < end;) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		if (!newline)
			return NULL;
		if (newline == line || (newline == line + 1 && *line == '\r'))
			return newline + 1;
		line = newline + 1;
	}
	return NULL;
}

/* Returns the length that a header states; -1 when it has no valid one. */
static long content_length(const char *p, const char *end)
{
	static const char name[] = "content-length:";

	for (const char *line = p; line < end;) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		if ((size_t)(newline - line) > sizeof name && strncasecmp(line, name, sizeof name - 1) == 0) {
			char *rest;
			long n = strtol(line + sizeof name - 1, &rest, 10);
			return n >= 0 && n <= INT_MAX && (*rest == '\r' || *rest == '\n') ? n : -1;
		}
		line = newline + 1;
	}
	return -1;
}

/* Receives one message, if all of it has arrived. */
static bool receive(struct wire *w, struct lsp *server)
{
	if (w->taken == w->in.n)
		return false;
	const char *p = w->in.p + w->taken, *end = w->in.p + w->in.n, *body = header_end(p, end);
	if (!body)
		return false;
	long length = content_length(p, body);
	if (length > end - body)
		return false;
	if (length < 0)
		session_say(w->session, "a message without Content-Length is skipped");
	else
		lsp_receive(server, body, (size_t)length);
	w->taken += (size_t)(body - p) + (length < 0 ? 0 : (size_t)length);
	if (w->taken == w->in.n)
		w->taken = w->in.n = 0;
	return true;
}

/* Reads the input that has arrived; with WAIT, waits until there is some. */
static void read_input(struct wire *w, bool wait)
{
	struct pollfd poll_in = { .fd = STDIN_FILENO, .events = POLLIN };

	while (!w->closed && poll(&poll_in, 1, wait ? -1 : 0) > 0) {
		if (w->taken) {
			memmove(w->in.p, w->in.p + w->taken, w->in.n - w->taken);
			w->in.n -= w->taken;
			w->taken = 0;
		}
		ssize_t n = buf_reserve(&w->in, 1 << 16) ? read(STDIN_FILENO, w->in.p + w->in.n, 1 << 16) : 0;
		if (n > 0) {
			w->in.n += (size_t)n;
		} else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
			if (n < 0)
				session_say(w->session, "cannot read standard input: %s", strerror(errno));
			w->closed = true;
		}
		wait = false;
	}
}

/* Serves until `exit`, or until the input has ended and all requests in it are answered. */
static int serve(struct wire *w, struct lsp *server)
{
	int status = STATUS_PROGRAM;
	bool busy = false;

	while (!lsp_ended(server, &status) && !w->session->gone && !w->session->error) {
		read_input(w, !busy);
		while (receive(w, server))
			continue;
		busy = lsp_work(server);
		if (!busy && w->closed)
			break;
	}
	return lsp_ended(server, &status) ? status : STATUS_PROGRAM;
}

int cmd_lsp(struct session *s)
{
	struct wire wire = { .session = s };
	struct lsp_host host = { &wire, s->reader, send_message, workspace_files, workspace_keep };
	struct lsp *server = lsp_new(&host);

	/* An analysis is released as a whole, and the next one reuses the memory without asking the system for it. */
	mallopt(M_MMAP_THRESHOLD, 256 << 20);
	mallopt(M_TRIM_THRESHOLD, 256 << 20);
	int status = serve(&wire, server);
	lsp_release(server);
	buf_release(&wire.in);
	return session_end(s, status);
}
