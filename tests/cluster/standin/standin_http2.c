/*
 * standin_http2.c - serves many requests at once on one connection, with nghttp2: each stream sends the pieces of its
 * own answer.
 */
#include <errno.h>
#include <nghttp2/nghttp2.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "standin.h"

struct stream {
	struct stream *next;
	int32_t id;
	struct request request;
	const struct rule *rule;        /* the rule for the request; set once the request is complete */
	bool sent;                      /* the header */
	size_t piece, at;               /* number of the next piece of the answer, and offset in it */
	long due;                       /* time in milliseconds before which nothing is sent */
	bool deferred;
};

struct h2 {
	struct conn *conn;
	nghttp2_session *session;
	struct stream *streams;
	bool over;
};

static struct stream *stream_of(struct h2 *h, int32_t id)
{
	for (struct stream *s = h->streams; s; s = s->next)
		if (s->id == id)
			return s;
	return NULL;
}

static ssize_t send_bytes(nghttp2_session *session, const uint8_t *bytes, size_t n, int flags, void *to)
{
	struct h2 *h = to;

	(void)session;
	(void)flags;
	return conn_write(h->conn, bytes, n) ? (ssize_t)n : NGHTTP2_ERR_CALLBACK_FAILURE;
}

static int begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *to)
{
	struct h2 *h = to;
	struct stream *s = calloc(1, sizeof *s);

	(void)session;
	s->id = frame->hd.stream_id;
	s->next = h->streams;
	h->streams = s;
	return 0;
}

static int one_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_n, const uint8_t *value,
	size_t value_n, uint8_t flags, void *to)
{
	struct stream *s = stream_of(to, frame->hd.stream_id);
	struct request *r = s ? &s->request : NULL;

	(void)session;
	(void)flags;
	if (!r)
		return 0;
	if (name_n == 7 && memcmp(name, ":method", 7) == 0) {
		snprintf(r->method, sizeof r->method, "%.*s", (int)value_n, (const char *)value);
	} else if (name_n == 5 && memcmp(name, ":path", 5) == 0) {
		snprintf(r->path, sizeof r->path, "%.*s", (int)value_n, (const char *)value);
	} else if (r->nheaders < sizeof r->headers / sizeof *r->headers) {
		struct header *e = &r->headers[r->nheaders++];
		snprintf(e->name, sizeof e->name, "%.*s", (int)name_n, (const char *)name);
		snprintf(e->value, sizeof e->value, "%.*s", (int)value_n, (const char *)value);
	}
	return 0;
}

static int body_bytes(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *bytes, size_t n, void *to)
{
	struct stream *s = stream_of(to, id);

	(void)session;
	(void)flags;
	if (s) {
		s->request.body = realloc(s->request.body, s->request.nbody + n + 1);
		memcpy(s->request.body + s->request.nbody, bytes, n);
		s->request.nbody += n;
	}
	return 0;
}

static int request_complete(nghttp2_session *session, const nghttp2_frame *frame, void *to)
{
	struct h2 *h = to;
	struct stream *s = stream_of(h, frame->hd.stream_id);

	(void)session;
	if (!s || s->rule || !(frame->hd.flags & NGHTTP2_FLAG_END_STREAM) ||
	    (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA))
		return 0;
	s->rule = answer_for(h->conn, &s->request);
	s->due = now_ms() + s->rule->delay;
	return 0;
}

static int stream_closed(nghttp2_session *session, int32_t id, uint32_t error, void *to)
{
	struct h2 *h = to;

	(void)session;
	(void)error;
	for (struct stream **at = &h->streams; *at; at = &(*at)->next)
		if ((*at)->id == id) {
			struct stream *s = *at;
			*at = s->next;
			free(s->request.body);
			free(s);
			break;
		}
	return 0;
}

/* Provides the next bytes of an answer, up to the next wait. */
static ssize_t answer_bytes(nghttp2_session *session, int32_t id, uint8_t *room, size_t n, uint32_t *flags, nghttp2_data_source *source, void *to)
{
	struct stream *s = source->ptr;
	struct h2 *h = to;

	(void)session;
	(void)id;
	for (; s->piece < s->rule->npieces; s->piece++, s->at = 0) {
		const struct piece *p = &s->rule->pieces[s->piece];
		if (p->kind == PIECE_BYTES && s->at < p->n) {
			size_t part = p->n - s->at < n ? p->n - s->at : n;
			memcpy(room, p->bytes + s->at, part);
			s->at += part;
			return (ssize_t)part;
		}
		if (p->kind == PIECE_BYTES)
			continue;
		s->deferred = true;             /* the loop decides when the stream continues */
		if (p->kind == PIECE_WAIT && !s->at) {
			s->due = now_ms() + p->ms;
			s->at = 1;
		}
		return NGHTTP2_ERR_DEFERRED;
	}
	(void)h;
	*flags |= NGHTTP2_DATA_FLAG_EOF;
	return 0;
}

static void send_header(struct h2 *h, struct stream *s)
{
	char status[] = ":status", code[8];
	struct header copies[16];               /* copies, because nghttp2 requires pointers that are not const */
	nghttp2_nv nv[20];
	size_t n = 0;
	nghttp2_data_provider body = { .source.ptr = s, .read_callback = answer_bytes };

	snprintf(code, sizeof code, "%d", s->rule->code);
	nv[n++] = (nghttp2_nv){ (uint8_t *)status, (uint8_t *)code, 7, strlen(code), 0 };
	for (size_t i = 0; i < s->rule->nheaders; i++) {
		struct header *e = &copies[i];
		size_t k = 0;
		*e = s->rule->headers[i];
		for (; e->name[k]; k++)
			e->name[k] = e->name[k] >= 'A' && e->name[k] <= 'Z' ? (char)(e->name[k] + 32) : e->name[k];
		if (strncmp(e->name, "connection", 10) != 0)
			nv[n++] = (nghttp2_nv){ (uint8_t *)e->name, (uint8_t *)e->value, k, strlen(e->value), 0 };
	}
	nghttp2_submit_response(h->session, s->id, nv, n, &body);
	s->sent = true;
}

/* Continues a stream whose wait is over. */
static void advance(struct h2 *h, struct stream *s)
{
	const struct piece *p = s->piece < s->rule->npieces ? &s->rule->pieces[s->piece] : NULL;
	enum piece_kind kind = p ? p->kind : PIECE_BYTES;

	if (now_ms() < s->due)
		return;
	if (kind == PIECE_CUT && (s->deferred || !s->sent)) {
		sleep_ms(20);
		conn_cut(h->conn);
		h->over = true;
	} else if (kind == PIECE_RESET && (s->deferred || !s->sent)) {
		nghttp2_submit_rst_stream(h->session, NGHTTP2_FLAG_NONE, s->id, NGHTTP2_INTERNAL_ERROR);
		s->deferred = false;
		s->sent = true;
		s->due = now_ms() + 1000000;
	} else if (!s->sent && kind != PIECE_HANG) {
		send_header(h, s);
	} else if (s->deferred && kind == PIECE_WAIT) {
		s->piece++;
		s->at = 0;
		s->deferred = false;
		nghttp2_session_resume_data(h->session, s->id);
	}
}

static int wait_ms(const struct h2 *h)
{
	long now = now_ms(), best = 1000;

	for (const struct stream *s = h->streams; s; s = s->next)
		if (s->rule && s->due > now && s->due - now < best)
			best = s->due - now;
	return (int)best;
}

static bool receive(struct h2 *h)
{
	uint8_t bytes[16384];

	do {
		long n = conn_read(h->conn, bytes, sizeof bytes);
		if (n <= 0 || nghttp2_session_mem_recv(h->session, bytes, (size_t)n) < 0)
			return false;
	} while (h->conn->ssl && SSL_pending(h->conn->ssl));
	return true;
}

void serve_http2(struct conn *c)
{
	struct h2 h = { .conn = c };
	nghttp2_session_callbacks *callbacks;
	nghttp2_settings_entry settings[] = { { NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, 100 } };

	nghttp2_session_callbacks_new(&callbacks);
	nghttp2_session_callbacks_set_send_callback(callbacks, send_bytes);
	nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, begin_headers);
	nghttp2_session_callbacks_set_on_header_callback(callbacks, one_header);
	nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, body_bytes);
	nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, request_complete);
	nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, stream_closed);
	nghttp2_session_server_new(&h.session, callbacks, &h);
	nghttp2_session_callbacks_del(callbacks);
	nghttp2_submit_settings(h.session, NGHTTP2_FLAG_NONE, settings, 1);
	while (!h.over && nghttp2_session_send(h.session) == 0) {
		struct pollfd p = { c->fd, POLLIN, 0 };
		struct stream *next;
		if (poll(&p, 1, wait_ms(&h)) > 0 && !receive(&h))
			break;
		for (struct stream *s = h.streams; s && !h.over; s = next) {
			next = s->next;
			if (s->rule)
				advance(&h, s);
		}
		/* A piece that ends a stream is only reached while sending. */
		if (nghttp2_session_send(h.session) != 0)
			break;
		for (struct stream *s = h.streams; s && !h.over; s = next) {
			next = s->next;
			if (s->rule && s->deferred)
				advance(&h, s);
		}
	}
	while (h.streams)
		stream_closed(h.session, h.streams->id, 0, &h);
	nghttp2_session_del(h.session);
}
