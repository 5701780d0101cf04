/* exec_stream.c - see exec_stream.h. */
#include "runtime/cluster/exec_stream.h"

#include "base/words.h"
#include "runtime/cluster/process_end.h"

/* STREAM_STATUS: bytes of a Status that are read. STREAM_SAID: bytes of standard error that are kept. */
enum { STREAM_STATUS = 64 << 10, STREAM_SAID = 4 << 10 };
/* After the status of a process, its last output may still arrive for this time. */
#define STREAM_LINGER (5 * NS_PER_SECOND)

static void stream_is_over(struct exec_stream *s)
{
	s->over = true;
	loop_timer_drop(s->cluster->client.loop, &s->linger);
	loop_stop(s->cluster->client.loop);
}

static void keep_said(struct exec_stream *s, struct str bytes)
{
	buf_str(&s->said, bytes);
	if (s->said.n > 2 * STREAM_SAID) {
		memmove(s->said.p, s->said.p + s->said.n - STREAM_SAID, STREAM_SAID);
		s->said.n = STREAM_SAID;
	}
}

static void exec_takes(void *to, unsigned channel, struct str bytes, bool first)
{
	struct exec_stream *s = to;

	(void)first;
	if (s->over)
		return;
	if (channel == WEBSOCKET_STDOUT && bytes.n && !s->take(s->to, bytes)) {
		s->refused = true;
		stream_is_over(s);
		return;
	}
	if (channel == WEBSOCKET_STDERR)
		keep_said(s, bytes);
	else if (channel == WEBSOCKET_STATUS && s->text.n + bytes.n <= STREAM_STATUS)
		buf_str(&s->text, bytes);
	if (s->text.n)
		loop_timer_set(s->cluster->client.loop, &s->linger, STREAM_LINGER);
}

void exec_stream_feed(struct exec_stream *s)
{
	static const char channel = WEBSOCKET_STDIN;
	struct buf b = { 0 };

	while (s->opened && !s->over && !s->input_over && s->give && websocket_queued(s->stream) < WEBSOCKET_FULL) {
		s->input_over = !s->give(s->to, &b);
		if (!b.n && !s->input_over)
			break;                  /* nothing for now */
		if (b.n)
			websocket_send(s->stream, WEBSOCKET_STDIN, buf_text(&b));
		if (s->input_over)
			websocket_send(s->stream, WEBSOCKET_CLOSE, (struct str){ &channel, 1 });
		b.n = 0;
	}
	buf_release(&b);
}

static void exec_opened(void *to, const char *protocol)
{
	struct exec_stream *s = to;

	(void)protocol;
	s->opened = true;
	exec_stream_feed(s);
}

static void exec_drained(void *to) { exec_stream_feed(to); }

static void exec_ended(void *to, const struct websocket_end *end)
{
	struct exec_stream *s = to;

	s->end = *end;
	s->end.error = str_copy(s->cluster->arena, end->error);
	stream_is_over(s);
}

static void exec_lingered(struct loop_timer *t) { stream_is_over(t->to); }

void exec_stream_start(struct cluster *k, struct exec_stream *s)
{
	s->cluster = k;
	s->linger = (struct loop_timer){ .fire = exec_lingered, .to = s };
	s->request.input = s->give != NULL;
	s->stream = exec_request_open(k, &s->request, (struct websocket_options){ .opened = exec_opened,
		.take = exec_takes, .drained = exec_drained, .ended = exec_ended, .to = s });
}

void exec_stream_wait(struct cluster *k, struct exec_stream *const *all, size_t n)
{
	size_t over = 0;

	while (over < n && !k->interrupted) {
		loop_run(k->client.loop);
		for (over = 0; over < n && all[over]->over;)
			over++;
	}
}

struct exec_end exec_stream_end(struct exec_stream *s)
{
	struct arena *a = s->cluster->arena;
	struct exec_end e = { .status = STATUS_UNREACHABLE };
	struct process_end p;

	websocket_release(s->stream);
	loop_timer_drop(s->cluster->client.loop, &s->linger);
	while (s->said.n && (s->said.p[s->said.n - 1] == '\n' || s->said.p[s->said.n - 1] == ' '))
		s->said.n--;
	e.said = buf_take(&s->said, a);
	if (s->text.n && process_end_read(a, buf_text(&s->text), &p)) {
		e.ended = p.started;
		e.code = p.code;
		e.missing = !p.started && p.code == 127;
		e.error = p.message;
		e.status = STATUS_REFUSED;
	} else if (s->end.closed || !s->over || s->refused) {
		e.error = STR("the connection ended before the command did");
	} else {
		e.error = s->end.error;
		e.status = s->end.status;
		e.barred = s->end.barred;
		e.old = s->end.barred && s->request.input;
		e.forbidden = s->end.code == 403;
	}
	buf_release(&s->said);
	buf_release(&s->text);
	return e;
}
