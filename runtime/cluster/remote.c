/*
 * remote.c - see remote.h. Nothing here waits: output that nobody takes pauses the stream, and a stream that takes
 * nothing pauses the input, so memory is bounded in both directions. What a remote process prints belongs to the
 * terminal, as with ssh, and is passed on as it is.
 */
#include "runtime/cluster/remote.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/file.h"
#include "base/words.h"
#include "runtime/cluster/exec_request.h"
#include "runtime/cluster/process_end.h"
#include "runtime/run/raw_terminal.h"
#include "runtime/run/drain.h"
#include "runtime/run/shell_word.h"

/*
 * STATUS_LARGEST: bytes of a Status that are read. INPUT: bytes that are read at once. DETACH: the keys that end
 * `attach`, control-P and control-Q.
 */
enum { STATUS_LARGEST = 64 << 10, INPUT = 16 << 10, DETACH_FIRST = 0x10, DETACH_SECOND = 0x11 };
/* After the status of a process, its last output may still arrive for this time. */
#define LINGER (5 * NS_PER_SECOND)
/* Changes of the size of the terminal within this time are sent as one. */
#define RESIZE_PAUSE (50 * NS_PER_SECOND / 1000)

/* Standard output or standard error. */
struct remote_outlet {
	struct drain drain;
	struct loop_fd fd;
};

struct remote_session {
	struct cluster *cluster;
	const struct remote *remote;
	struct loop *loop;
	struct websocket *stream;
	bool opened;                    /* the server has accepted the stream */
	bool v5;                        /* the protocol can say that the input has ended */
	bool raw;
	struct remote_outlet out, err;
	struct loop_fd in;
	bool in_file;                   /* standard input is a file, which is always ready */
	bool in_over;
	bool detaching;                 /* the first key of the pair has been typed */
	struct loop_timer feed, linger, resize;
	struct buf text;                /* what has arrived of the Status */
	bool over;                      /* the stream has ended */
	bool detached;
	int signal;                     /* the signal that ended the command; 0: none */
	struct websocket_end end;
};

/* ---- output ---- */

static void pump_outlet(struct remote_session *x, struct remote_outlet *o)
{
	drain_pump(&o->drain);
	if (drain_empty(&o->drain))
		loop_fd_drop(x->loop, &o->fd);
	else if (o->fd.fd < 0 && !loop_fd_set(x->loop, &o->fd, o->drain.fd, EPOLLOUT))
		drain_finish(&o->drain, 1000);  /* a file, which takes everything */
}

static bool outlets_have_room(const struct remote_session *x)
{
	return drain_room(&x->out.drain) && drain_room(&x->err.drain);
}

static void finish_if_over(struct remote_session *x)
{
	if (x->over && drain_empty(&x->out.drain) && drain_empty(&x->err.drain))
		loop_stop(x->loop);
}

static void outlet_ready(struct loop_fd *f, unsigned events)
{
	struct remote_session *x = f->to;

	(void)events;
	pump_outlet(x, f == &x->out.fd ? &x->out : &x->err);
	if (!x->over && outlets_have_room(x))
		websocket_pause(x->stream, false);
	finish_if_over(x);
}

static void put_output(struct remote_session *x, struct remote_outlet *o, struct str bytes)
{
	drain_put(&o->drain, bytes);
	pump_outlet(x, o);
	if (o->drain.gone && !x->over) {
		x->signal = SIGPIPE;
		x->over = true;
		loop_stop(x->loop);
	} else if (!outlets_have_room(x)) {
		websocket_pause(x->stream, true);
	}
}

/* ---- the stream ---- */

static void take_message(void *to, unsigned channel, struct str bytes, bool first)
{
	struct remote_session *x = to;

	(void)first;
	if (channel == WEBSOCKET_STDOUT)
		put_output(x, &x->out, bytes);
	else if (channel == WEBSOCKET_STDERR)
		put_output(x, &x->err, bytes);
	else if (channel == WEBSOCKET_STATUS && x->text.n + bytes.n <= STATUS_LARGEST)
		buf_str(&x->text, bytes);
	if (x->text.n && !x->over)
		loop_timer_set(x->loop, &x->linger, LINGER);
}

static void stop_reading(struct remote_session *x)
{
	loop_fd_drop(x->loop, &x->in);
	loop_timer_drop(x->loop, &x->feed);
}

static void session_over(struct remote_session *x)
{
	x->over = true;
	stop_reading(x);
	loop_timer_drop(x->loop, &x->linger);
	loop_timer_drop(x->loop, &x->resize);
	finish_if_over(x);
}

static void stream_ended(void *to, const struct websocket_end *end)
{
	struct remote_session *x = to;

	x->end = *end;
	x->end.error = str_copy(x->cluster->arena, end->error);
	session_over(x);
}

/* The process has ended, but the server does not end the stream. */
static void lingered(struct loop_timer *t)
{
	struct remote_session *x = t->to;

	if (!outlets_have_room(x)) {
		loop_timer_set(x->loop, &x->linger, LINGER);
		return;
	}
	session_over(x);
}

/* ---- input ---- */

static void input_over(struct remote_session *x)
{
	static const char channel = WEBSOCKET_STDIN;

	x->in_over = true;
	stop_reading(x);
	if (x->v5)
		websocket_send(x->stream, WEBSOCKET_CLOSE, (struct str){ &channel, 1 });
}

/* Looks for the keys that detach. Returns the number of bytes to pass on. */
static size_t find_detach(struct remote_session *x, const char *bytes, size_t n)
{
	if (x->remote->words || !x->raw)
		return n;
	for (size_t i = 0; i < n; i++) {
		x->detached = x->detaching && bytes[i] == DETACH_SECOND;
		x->detaching = bytes[i] == DETACH_FIRST;
		if (x->detached)
			return i;
	}
	return n;
}

static void read_input(struct remote_session *x)
{
	char bytes[INPUT];
	ssize_t n = read(STDIN_FILENO, bytes, sizeof bytes);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	if (n <= 0) {
		input_over(x);
		return;
	}
	websocket_send(x->stream, WEBSOCKET_STDIN, (struct str){ bytes, find_detach(x, bytes, (size_t)n) });
	if (x->detached) {
		websocket_close(x->stream);
		session_over(x);
	}
}

/* Waits for input if there is room for it. */
static void want_input(struct remote_session *x)
{
	if (x->over || x->in_over || !x->remote->input)
		return;
	if (websocket_queued(x->stream) >= WEBSOCKET_FULL) {
		stop_reading(x);
		return;
	}
	if (!x->in_file && x->in.fd < 0 && !loop_fd_set(x->loop, &x->in, STDIN_FILENO, EPOLLIN))
		x->in_file = true;
	if (x->in_file)
		loop_timer_set(x->loop, &x->feed, 0);
}

static void input_ready(struct loop_fd *f, unsigned events)
{
	struct remote_session *x = f->to;

	(void)events;
	read_input(x);
	want_input(x);
}

static void feed_file(struct loop_timer *t) { input_ready(&((struct remote_session *)t->to)->in, 0); }

static void stream_drained(void *to) { want_input(to); }

/* ---- the terminal, and signals ---- */

static void send_size(struct loop_timer *t)
{
	struct remote_session *x = t->to;
	struct winsize size;
	char text[64];

	if (!x->stream || x->over || ioctl(STDIN_FILENO, TIOCGWINSZ, &size) != 0 || !size.ws_col)
		return;
	int n = snprintf(text, sizeof text, "{\"Width\":%u,\"Height\":%u}", size.ws_col, size.ws_row);
	websocket_send(x->stream, WEBSOCKET_RESIZE, (struct str){ text, (size_t)n });
}

static void stream_opened(void *to, const char *protocol)
{
	struct remote_session *x = to;

	x->opened = true;
	x->v5 = str_starts(str_of(protocol), STR("v5."));
	if (x->remote->tty && x->remote->input) {
		x->raw = raw_terminal_begin(STDIN_FILENO);
		send_size(&x->resize);
	}
	want_input(x);
}

static void signal_heard(void *to, int number)
{
	struct remote_session *x = to;

	if (number == SIGWINCH) {
		if (x->remote->tty && !loop_timer_armed(&x->resize))
			loop_timer_set(x->loop, &x->resize, RESIZE_PAUSE);
	} else if (number == SIGTSTP) {
		if (x->raw)
			raw_terminal_stop();
		else
			kill(getpid(), SIGSTOP);
		if (x->remote->tty)
			loop_timer_set(x->loop, &x->resize, 0);
	} else {
		x->signal = number;
		x->over = true;
		loop_stop(x->loop);
	}
}

static void listen_to_signals(struct remote_session *x)
{
	static const int heard[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH, SIGTSTP };
	sigset_t set;

	cluster_listen(x->cluster, false);
	sigemptyset(&set);
	for (size_t i = 0; i < sizeof heard / sizeof *heard; i++)
		sigaddset(&set, heard[i]);
	loop_signals(x->loop, &set, signal_heard, x);
}

/* ---- the beginning ---- */

static struct websocket *open_stream(struct remote_session *x)
{
	const struct remote *m = x->remote;
	struct exec_request r = { .ns = m->pod->ns, .pod = m->pod->name, .container = m->container, .words = m->words,
		.input = m->input, .tty = m->tty };

	return exec_request_open(x->cluster, &r, (struct websocket_options){ .opened = stream_opened,
		.take = take_message, .drained = stream_drained, .ended = stream_ended, .to = x });
}

/* ---- the end ---- */

static struct str replica_name(const struct remote_session *x)
{
	const struct replica_pod *p = x->remote->pod;

	return str_printf(x->cluster->arena, "%.*s/%lld", STR_ARG(p->role), (long long)p->index);
}

/* The command line of kubectl that does the same, for a connection that does not pass WebSockets. */
static struct str with_kubectl(const struct remote_session *x)
{
	const struct remote *m = x->remote;
	struct buf b = { 0 };

	buf_printf(&b, "kubectl %s%s%s -n %.*s %.*s -c %.*s", m->words ? "exec" : "attach", m->input ? " -i" : "",
		m->tty ? " -t" : "", STR_ARG(m->pod->ns), STR_ARG(m->pod->name), STR_ARG(m->container));
	buf_z(&b, m->words ? " --" : "");
	for (size_t i = 0; m->words && m->words[i]; i++) {
		buf_char(&b, ' ');
		put_shell_word(&b, str_of(m->words[i]));
	}
	struct str text = buf_take(&b, x->cluster->arena);
	buf_release(&b);
	return text;
}

static int say_failure(struct remote_session *x)
{
	struct session *s = x->cluster->session;

	if (x->end.barred && x->remote->input && !x->remote->tty && exec_server_is_old(x->cluster))
		return STATUS_REFUSED;
	session_say(s, "%.*s", STR_ARG(x->end.error));
	if (x->opened && x->remote->words)
		session_say(s, "the command may still run in %.*s", STR_ARG(replica_name(x)));
	else if (x->end.barred)
		session_say(s, "over another connection, kubectl may succeed: %.*s", STR_ARG(with_kubectl(x)));
	else if (x->end.code == 403)
		session_say(s, "docs/runtime.md has the Role 'trainc-interactive', which permits this");
	return x->end.status;
}

static int say_signal(struct remote_session *x)
{
	if (x->signal != SIGPIPE && x->remote->words && x->opened)
		session_say(x->cluster->session, "the command may still run in %.*s: Kubernetes does not stop it",
			STR_ARG(replica_name(x)));
	return 128 + x->signal;
}

/* Reports a process that has not started, in the words of local runs; returns the exit status. */
static int say_not_started(struct remote_session *x, const struct process_end *e)
{
	struct session *s = x->cluster->session;
	struct buf b = { 0 };

	put_escaped(&b, e->message);
	if (e->code && x->remote->words)
		session_say(s, "%s: '%s' in container '%.*s' of %.*s", e->code == 127 ? "command not found"
			: "not executable", x->remote->words[0], STR_ARG(x->remote->container),
			STR_ARG(replica_name(x)));
	else
		session_say(s, "%.*s: %.*s", STR_ARG(replica_name(x)), STR_ARG(buf_text(&b)));
	buf_release(&b);
	return e->code ? e->code : STATUS_REFUSED;
}

static int session_verdict(struct remote_session *x)
{
	struct process_end e;

	if (x->signal)
		return say_signal(x);
	if (x->text.n && process_end_read(x->cluster->arena, buf_text(&x->text), &e))
		return e.started ? e.code : say_not_started(x, &e);
	if (x->detached || (x->end.closed && x->end.reason == 1000 && !x->remote->words))
		return STATUS_DONE;
	if (x->end.closed)
		x->end = (struct websocket_end){ .status = STATUS_UNREACHABLE, .error = str_printf(
			x->cluster->arena, "the server ended the connection without a status of the %s",
			x->remote->words ? "command" : "container") };
	return say_failure(x);
}

int remote_run(struct cluster *k, const struct remote *r)
{
	struct remote_session x = { .cluster = k, .remote = r, .loop = k->client.loop,
		.out = { .drain = { .fd = STDOUT_FILENO }, .fd = { .fd = -1, .ready = outlet_ready, .to = &x } },
		.err = { .drain = { .fd = STDERR_FILENO }, .fd = { .fd = -1, .ready = outlet_ready, .to = &x } },
		.in = { .fd = -1, .ready = input_ready, .to = &x }, .feed = { .fire = feed_file, .to = &x },
		.linger = { .fire = lingered, .to = &x }, .resize = { .fire = send_size, .to = &x } };

	listen_to_signals(&x);
	x.stream = open_stream(&x);
	do
		loop_run(x.loop);
	while (!x.over || (!x.signal && !(drain_empty(&x.out.drain) && drain_empty(&x.err.drain))));
	websocket_release(x.stream);
	session_over(&x);
	loop_fd_drop(x.loop, &x.out.fd);
	loop_fd_drop(x.loop, &x.err.fd);
	loop_signals_drop(x.loop);
	raw_terminal_end();
	int status = session_verdict(&x);
	drain_release(&x.out.drain);
	drain_release(&x.err.drain);
	buf_release(&x.text);
	return status;
}
