/*
 * cmd_lsp.c - the language server on standard input and output.
 *
 * All messages that have arrived are received before any work is done, so that a request that was canceled meanwhile is
 * never started. If the input ends without `exit`, the status is 1.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/system.h"
#include "command/lsp_frame.h"
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

/* Receives one message, if all of it has arrived. */
static bool receive(struct wire *w, struct lsp *server)
{
	struct str in = { w->in.p + w->taken, w->in.n - w->taken }, body;
	size_t used;
	enum lsp_frame frame = in.n ? lsp_frame_next(in, &body, &used) : LSP_FRAME_CUT;

	if (frame == LSP_FRAME_CUT)
		return false;
	if (frame == LSP_FRAME_MALFORMED)
		session_say(w->session, "a message without Content-Length is skipped");
	else
		lsp_receive(server, body.p, body.n);
	w->taken += used;
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
	system_tune_heap(256 << 20, true);
	int status = serve(&wire, server);
	lsp_release(server);
	buf_release(&wire.in);
	return session_end(s, status);
}
