/*
 * websocket_frame.c - see websocket_frame.h. Reserved bits, masks of a server, unknown kinds, lengths that are not in
 * their shortest form, split or long control frames, and text are violations: no server of Kubernetes sends them.
 */
#include "runtime/cluster/websocket_frame.h"

enum { BIT_LAST = 0x80, BITS_RESERVED = 0x70, BITS_KIND = 0x0f, BIT_MASK = 0x80, LENGTH_16 = 126, LENGTH_64 = 127 };

static bool is_control(enum frame_kind kind) { return kind >= FRAME_CLOSE; }

/* The number of bytes of a head, of which two are known. */
static size_t head_size(const struct frame_reader *r)
{
	unsigned length = r->head[1] & ~(unsigned)BIT_MASK;

	return length == LENGTH_64 ? 10 : length == LENGTH_16 ? 4 : 2;
}

static uint64_t head_length(const struct frame_reader *r)
{
	uint64_t n = 0;

	if (r->nhead == 2)
		return r->head[1];
	for (size_t i = 2; i < r->nhead; i++)
		n = n << 8 | r->head[i];
	return n;
}

static const char *kind_error(const struct frame_reader *r, enum frame_kind kind, bool last)
{
	if (r->head[0] & BITS_RESERVED)
		return "a frame has reserved bits";
	if (r->head[1] & BIT_MASK)
		return "a frame of the server has a mask";
	switch (kind) {
	case FRAME_TEXT: return "a message is text";
	case FRAME_REST: return r->open ? NULL : "a message has no beginning";
	case FRAME_BINARY: return r->open ? "a message begins inside another one" : NULL;
	case FRAME_CLOSE: case FRAME_PING: case FRAME_PONG: break;
	default: return "a frame has an unknown kind";
	}
	if (!last)
		return "a control frame is split";
	return (r->head[1] & ~BIT_MASK) > FRAME_CONTROL_MOST ? "a control frame is too long" : NULL;
}

/* Begins the payload of a frame whose head is complete. */
static void begin_payload(struct frame_reader *r)
{
	bool last = r->head[0] & BIT_LAST;

	r->left = head_length(r);
	if ((r->nhead == 4 && r->left < LENGTH_16) || (r->nhead == FRAME_HEAD && r->left <= UINT16_MAX))
		r->error = "the length of a frame is not in its shortest form";
	else if (r->left > INT64_MAX)
		r->error = "a frame is too long";
	if (r->error)
		return;
	r->inside = true;
	r->npayload = 0;
	if (is_control(r->kind))
		return;
	r->first = r->kind == FRAME_BINARY;
	r->open = !last;
	if (r->first && !r->left)
		r->data(r->to, STR(""), true);
}

static void add_head(struct frame_reader *r, unsigned char byte)
{
	r->head[r->nhead++] = byte;
	if (r->nhead == 2) {
		r->kind = r->head[0] & BITS_KIND;
		r->error = kind_error(r, r->kind, r->head[0] & BIT_LAST);
	}
	if (!r->error && r->nhead >= 2 && r->nhead == head_size(r))
		begin_payload(r);
}

/* Reads bytes of a payload; returns their number. */
static size_t read_payload(struct frame_reader *r, struct str bytes)
{
	size_t n = bytes.n < r->left ? bytes.n : (size_t)r->left;

	r->left -= n;
	if (is_control(r->kind)) {
		memcpy(r->payload + r->npayload, bytes.p, n);
		r->npayload += n;
	} else if (n) {
		bool first = r->first;
		r->first = false;
		r->data(r->to, (struct str){ bytes.p, n }, first);
	}
	return n;
}

/* Ends a frame whose payload is complete. */
static void end_frame(struct frame_reader *r)
{
	r->inside = false;
	r->nhead = 0;
	if (is_control(r->kind))
		r->control(r->to, r->kind, (struct str){ r->payload, r->npayload });
}

size_t frame_read(struct frame_reader *r, struct str bytes)
{
	size_t at = 0;

	while (at < bytes.n && !r->error && !r->stop) {
		if (!r->inside)
			add_head(r, (unsigned char)bytes.p[at++]);
		if (r->inside && !r->stop)
			at += read_payload(r, (struct str){ bytes.p + at, bytes.n - at });
		if (r->inside && !r->left)
			end_frame(r);
	}
	return at;
}

static void put_masked(struct buf *out, struct str s, const unsigned char mask[4], size_t at)
{
	for (size_t i = 0; i < s.n; i++)
		out->p[out->n++] = (char)((unsigned char)s.p[i] ^ mask[(at + i) & 3]);
}

void frame_put(struct buf *out, enum frame_kind kind, struct str a, struct str b, uint32_t mask)
{
	unsigned char key[4];
	size_t n = a.n + b.n;
	unsigned bytes = n < LENGTH_16 ? 0 : n <= UINT16_MAX ? 2 : 8;

	if (!buf_room(out, FRAME_HEAD + sizeof key + n))
		return;
	memcpy(key, &mask, sizeof key);
	buf_char(out, (char)(BIT_LAST | kind));
	buf_char(out, (char)(BIT_MASK | (bytes == 8 ? LENGTH_64 : bytes ? LENGTH_16 : n)));
	while (bytes--)
		buf_char(out, (char)(n >> (8 * bytes) & 0xff));
	buf_put(out, (const char *)key, sizeof key);
	put_masked(out, a, key, 0);
	put_masked(out, b, key, a.n);
}
