/*
 * websocket.c - see websocket.h. libcurl makes the connection and then only sends and receives its bytes. TLS may keep
 * bytes that have arrived, so a read ends when libcurl has none, and not when the socket has none.
 */
#include "runtime/cluster/websocket.h"

#include <openssl/rand.h>
#include <stdlib.h>
#include <sys/epoll.h>

#include "command/session.h"
#include "runtime/cluster/retry.h"
#include "runtime/cluster/websocket_internal.h"

/*
 * BLOCK: bytes that are given to libcurl at once. READS: blocks that are read before other work has its turn.
 * LOW: `drained` is called when fewer bytes are queued. PONGS_MOST: while more bytes are queued, pings of a server that
 * does not read are not answered.
 */
enum { BLOCK = 16 << 10, READS = 16, LOW = 64 << 10, PONGS_MOST = 1 << 20 };
#define HANDSHAKE_LIMIT (30 * NS_PER_SECOND)
/* Time for the rest of a refusal without a length. */
#define REFUSAL_LIMIT (2 * NS_PER_SECOND)

enum websocket_state { WEBSOCKET_CONNECTING, WEBSOCKET_SHAKING, WEBSOCKET_OPEN, WEBSOCKET_OVER };

struct websocket {
	struct websocket_options o;
	struct loop *loop;
	struct arena arena;
	struct transport_exchange *line;        /* the connection */
	enum websocket_state state;
	unsigned credential;            /* generation of the credential that was sent */
	bool renewed;                   /* the credential has been renewed after a 401 */
	bool paused, closing;
	bool answering;                 /* the server has closed, so nothing is lost if the answer cannot be sent */
	bool released;                  /* to be freed when no callback is running */
	unsigned inside;                /* number of callbacks that are running */
	struct loop_fd fd;
	struct loop_timer limit, pulse, again;
	int64_t heard;                  /* when bytes last arrived, by loop_now() */
	struct handshake shake;
	struct frame_reader reader;
	int channel;                    /* channel of the current message; -1: its first byte has not arrived */
	bool first;                     /* the next bytes are the first ones of the message, after the channel */
	struct buf out;                 /* what is to be sent; the first `sent` bytes have been taken */
	size_t sent;
	/* the part of `out` that libcurl has: TLS demands the same bytes at the same place again */
	char block[BLOCK];
	size_t nblock, block_sent;
	char in[BLOCK];                 /* what has arrived; the first `in_read` bytes have been read */
	size_t nin, in_read;
};

static void begin_connecting(struct websocket *s);
static void read_more(struct websocket *s);

/* ---- the end ---- */

static void websocket_free(struct websocket *s)
{
	buf_release(&s->out);
	handshake_release(&s->shake);
	arena_release(&s->arena);
	free(s);
}

static void hang_up(struct websocket *s)
{
	loop_fd_drop(s->loop, &s->fd);
	loop_timer_drop(s->loop, &s->limit);
	loop_timer_drop(s->loop, &s->pulse);
	loop_timer_drop(s->loop, &s->again);
	if (s->line)
		transport_cancel(s->line);
	s->line = NULL;
	s->state = WEBSOCKET_OVER;
}

static void leave_callback(struct websocket *s)
{
	if (--s->inside == 0 && s->released)
		websocket_free(s);
}

static void end_stream(struct websocket *s, struct websocket_end end)
{
	if (s->state == WEBSOCKET_OVER)
		return;
	end.opened = s->state == WEBSOCKET_OPEN;
	end.error = str_copy(&s->arena, end.error);     /* the texts of the connection end with it */
	s->reader.stop = true;
	hang_up(s);
	s->o.ended(s->o.to, &end);
}

static void lose_connection(struct websocket *s, const char *why)
{
	struct buf b = { 0 };

	buf_printf(&b, "the connection to %.*s broke: ", STR_ARG(transport_host(s->o.transport)));
	put_escaped(&b, str_of(why));
	struct str error = buf_take(&b, &s->arena);
	buf_release(&b);
	end_stream(s, (struct websocket_end){ .status = STATUS_UNREACHABLE, .error = error });
}

/* Why libcurl could not send or receive. */
static const char *curl_reason(const struct websocket *s, CURLcode code)
{
	return s->line->curl_error[0] ? s->line->curl_error : curl_easy_strerror(code);
}

void websocket_release(struct websocket *s)
{
	if (!s)
		return;
	hang_up(s);
	s->reader.stop = true;
	s->released = true;
	if (!s->inside)
		websocket_free(s);
}

/* ---- writing ---- */

/* Fills the block for libcurl; false if nothing is left to send. */
static bool fill_block(struct websocket *s)
{
	size_t left = s->out.n - s->sent, n = left < BLOCK ? left : BLOCK;

	if (s->block_sent < s->nblock)
		return true;
	memcpy(s->block, n ? s->out.p + s->sent : "", n);
	s->sent += n;
	s->nblock = n;
	s->block_sent = 0;
	if (s->sent == s->out.n || s->sent > WEBSOCKET_FULL) {
		memmove(s->out.p, s->out.p + s->sent, s->out.n - s->sent);
		s->out.n -= s->sent;
		s->sent = 0;
	}
	return n > 0;
}

static void write_queued(struct websocket *s)
{
	bool some = false;

	while (s->line && fill_block(s)) {
		size_t n = 0;
		CURLcode code = curl_easy_send(s->line->easy, s->block + s->block_sent, s->nblock - s->block_sent, &n);
		if (code && code != CURLE_AGAIN) {
			if (!s->answering)
				lose_connection(s, curl_reason(s, code));
			return;
		}
		if (!n)
			break;
		s->block_sent += n;
		some = true;
	}
	bool waits = s->block_sent < s->nblock;
	if (s->line)
		loop_fd_set(s->loop, &s->fd, s->fd.fd, (s->paused ? 0 : EPOLLIN) | (waits ? EPOLLOUT : 0));
	if (some && s->o.drained && s->state == WEBSOCKET_OPEN && websocket_queued(s) < LOW)
		s->o.drained(s->o.to);
}

static void put_frame(struct websocket *s, enum frame_kind kind, struct str a, struct str b)
{
	uint32_t mask;

	RAND_bytes((unsigned char *)&mask, sizeof mask);
	frame_put(&s->out, kind, a, b, mask);
}

/* Lets output be written from the loop, since the caller may be inside a callback. */
static void write_soon(struct websocket *s)
{
	if (s->block_sent == s->nblock || !(s->fd.events & EPOLLOUT))
		loop_timer_set(s->loop, &s->again, 0);
}

size_t websocket_queued(const struct websocket *s) { return s->out.n - s->sent + s->nblock - s->block_sent; }

void websocket_send(struct websocket *s, unsigned channel, struct str bytes)
{
	char first = (char)channel;

	if (s->state != WEBSOCKET_OPEN || s->closing)
		return;
	put_frame(s, FRAME_BINARY, (struct str){ &first, 1 }, bytes);
	write_soon(s);
}

void websocket_close(struct websocket *s)
{
	static const char normal[] = { 1000 >> 8, (char)(1000 & 0xff) };

	if (s->state != WEBSOCKET_OPEN || s->closing)
		return;
	put_frame(s, FRAME_CLOSE, (struct str){ normal, sizeof normal }, STR(""));
	s->closing = true;
	write_soon(s);
}

/* ---- reading ---- */

static void message_data(void *to, struct str bytes, bool first)
{
	struct websocket *s = to;

	if (first)
		s->channel = -1;
	if (s->channel < 0 && bytes.n) {
		s->channel = (unsigned char)*bytes.p;
		bytes = (struct str){ bytes.p + 1, bytes.n - 1 };
		s->first = true;
	} else if (!bytes.n) {
		return;
	}
	first = s->first;
	s->first = false;
	s->o.take(s->o.to, (unsigned)s->channel, bytes, first);
}

static void control_frame(void *to, enum frame_kind kind, struct str payload)
{
	struct websocket *s = to;

	if (kind == FRAME_PING && websocket_queued(s) < PONGS_MOST) {
		put_frame(s, FRAME_PONG, payload, STR(""));
		write_soon(s);
	} else if (kind == FRAME_CLOSE) {
		const unsigned char *p = (const unsigned char *)payload.p;
		s->answering = true;
		websocket_close(s);
		write_queued(s);                   /* the answer to the server, as far as it can be sent at once */
		end_stream(s, (struct websocket_end){ .closed = true,
			.reason = payload.n > 1 ? (unsigned)p[0] << 8 | p[1] : 0 });
	}
}

static void read_frames(struct websocket *s)
{
	s->reader.stop = false;
	s->in_read += frame_read(&s->reader, (struct str){ s->in + s->in_read, s->nin - s->in_read });
	if (s->reader.error && s->state == WEBSOCKET_OPEN) {
		struct str why = str_printf(&s->arena, "the server violates the protocol of WebSockets: %s",
			s->reader.error);
		lose_connection(s, why.p);
	}
}

static void send_pulse(struct loop_timer *t)
{
	struct websocket *s = t->to;

	if (!s->paused && loop_now(s->loop) - s->heard >= s->o.dead) {
		struct str why = str_printf(&s->arena, "nothing has arrived for %lld s",
			(long long)((s->o.dead + NS_PER_SECOND - 1) / NS_PER_SECOND));
		s->inside++;
		lose_connection(s, why.p);
		leave_callback(s);
		return;
	}
	if (websocket_queued(s) < WEBSOCKET_FULL && !s->closing) {
		put_frame(s, FRAME_PING, STR(""), STR(""));
		write_soon(s);
	}
	loop_timer_set(s->loop, &s->pulse, s->o.ping);
}

static void begin_open(struct websocket *s)
{
	loop_timer_drop(s->loop, &s->limit);
	s->state = WEBSOCKET_OPEN;
	loop_timer_set(s->loop, &s->pulse, s->o.ping);
	if (s->o.opened)
		s->o.opened(s->o.to, s->shake.protocol);
}

/* Handles an answer that is not 101: another attempt with a new credential, or the end. */
static void answer_refused(struct websocket *s)
{
	struct websocket_end end = { 0 };
	struct credential *credential = transport_credential(s->o.transport);

	handshake_explain(&s->shake, &end);
	if (end.code != 401 || s->renewed || !credential_refused(credential, s->line->credential)) {
		end_stream(s, end);
		return;
	}
	s->renewed = true;
	hang_up(s);
	begin_connecting(s);
}

static void read_answer(struct websocket *s, struct str bytes)
{
	size_t used;
	enum handshake_step step = handshake_read(&s->shake, bytes, &used);

	s->in_read += used;
	if (step == HANDSHAKE_OPEN)
		begin_open(s);
	else if (step == HANDSHAKE_REFUSED)
		answer_refused(s);
	else if (s->shake.head && s->shake.length < 0)
		loop_timer_set(s->loop, &s->limit, REFUSAL_LIMIT);
}

/* Reads what is in the block. */
static void read_block(struct websocket *s)
{
	if (s->state == WEBSOCKET_SHAKING)
		read_answer(s, (struct str){ s->in + s->in_read, s->nin - s->in_read });
	if (s->state == WEBSOCKET_OPEN && !s->paused)
		read_frames(s);
}

/* Receives one block; false if nothing has arrived, or the connection has ended. */
static bool receive(struct websocket *s)
{
	CURLcode code = curl_easy_recv(s->line->easy, s->in, sizeof s->in, &s->nin);

	s->in_read = 0;
	if (code) {
		s->nin = 0;
		if (code == CURLE_AGAIN)
			return false;
	}
	if (s->nin) {
		s->heard = loop_now(s->loop);
		return true;
	}
	if (s->state == WEBSOCKET_SHAKING)
		read_answer(s, STR(""));
	else
		lose_connection(s, code ? curl_reason(s, code) : "the server closed it");
	return false;
}

static void read_more(struct websocket *s)
{
	for (int i = 0; i < READS; i++) {
		if (s->in_read == s->nin && (!s->line || s->paused || !receive(s)))
			return;
		read_block(s);
		if (!s->line || s->paused || s->state == WEBSOCKET_CONNECTING)
			return;
	}
	loop_timer_set(s->loop, &s->again, 0);  /* libcurl may have more, although the socket has not */
}

static void socket_is_ready(struct loop_fd *f, unsigned events)
{
	struct websocket *s = f->to;

	(void)events;
	s->inside++;
	if (!s->paused)
		read_more(s);
	if (s->line && s->state != WEBSOCKET_CONNECTING)
		write_queued(s);
	leave_callback(s);
}

static void turn_again(struct loop_timer *t)
{
	struct websocket *s = t->to;

	socket_is_ready(&s->fd, 0);
}

void websocket_pause(struct websocket *s, bool pause)
{
	if (s->paused == pause || s->state == WEBSOCKET_OVER)
		return;
	s->paused = pause;
	s->reader.stop = s->reader.stop || pause;
	s->heard = loop_now(s->loop);
	loop_timer_set(s->loop, &s->again, 0);
}

/* ---- the beginning ---- */

static void handshake_late(struct loop_timer *t)
{
	struct websocket *s = t->to;
	struct str host = transport_host(s->o.transport), why;

	s->inside++;
	if (s->shake.head) {
		answer_refused(s);
	} else {
		why = str_printf(&s->arena, "no answer came from %.*s within %lld s", STR_ARG(host),
			(long long)(HANDSHAKE_LIMIT / NS_PER_SECOND));
		end_stream(s, (struct websocket_end){ .status = STATUS_UNREACHABLE, .error = why });
	}
	leave_callback(s);
}

static void is_connected(void *to, struct transport_exchange *x)
{
	struct websocket *s = to;
	curl_socket_t fd = CURL_SOCKET_BAD;

	s->inside++;
	curl_easy_getinfo(x->easy, CURLINFO_ACTIVESOCKET, &fd);
	s->state = WEBSOCKET_SHAKING;
	s->shake = (struct handshake){ .line = x, .protocols = s->o.protocols, .length = -1, .text = s->shake.text,
		.target = s->shake.target };
	s->shake.text.n = s->out.n = s->sent = s->nblock = s->block_sent = s->nin = s->in_read = 0;
	handshake_put(&s->shake, &s->out);
	s->heard = loop_now(s->loop);
	loop_timer_set(s->loop, &s->limit, HANDSHAKE_LIMIT);
	if (fd == CURL_SOCKET_BAD || !loop_fd_set(s->loop, &s->fd, fd, EPOLLIN))
		lose_connection(s, "its socket cannot be watched");
	else
		write_queued(s);
	leave_callback(s);
}

static void is_not_connected(void *to, const struct transport_result *r)
{
	struct websocket *s = to;

	s->line = NULL;                         /* the transport frees it */
	s->inside++;
	end_stream(s, (struct websocket_end){ .status = call_exit_status(r), .error = r->error });
	leave_callback(s);
}

static void begin_connecting(struct websocket *s)
{
	struct transport_request r = { .kind = TRANSPORT_STREAM, .path = s->o.path, .connected = is_connected,
		.done = is_not_connected, .to = s };

	s->state = WEBSOCKET_CONNECTING;
	s->line = transport_start(s->o.transport, &r);
}

struct websocket *websocket_open(const struct websocket_options *o)
{
	struct websocket *s = memory_resize(NULL, sizeof *s);
	struct transport_request r = { .path = o->path, .query = o->query, .nquery = o->nquery };

	*s = (struct websocket){ .o = *o, .loop = transport_loop(o->transport), .channel = -1,
		.fd = { .fd = -1, .ready = socket_is_ready, .to = s }, .limit = { .fire = handshake_late, .to = s },
		.pulse = { .fire = send_pulse, .to = s }, .again = { .fire = turn_again, .to = s },
		.reader = { .data = message_data, .control = control_frame, .to = s } };
	s->o.path = str_copy(&s->arena, o->path);
	s->o.query = NULL;
	s->o.nquery = 0;
	s->o.ping = o->ping ? o->ping : 5 * NS_PER_SECOND;
	s->o.dead = o->dead ? o->dead : 60 * NS_PER_SECOND;
	s->shake.target = transport_url(&s->arena, o->transport->o.access->prefix, &r);
	begin_connecting(s);
	return s;
}
