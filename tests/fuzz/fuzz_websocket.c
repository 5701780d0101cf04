/*
 * fuzz_websocket.c - what a server sends over a WebSocket: the first byte of the input says into how many bytes each
 * packet is cut, the rest is frames, or, if the second byte is not a head of a frame but 'H', the answer to the request
 * for a WebSocket. The messages of channel 3 are read as the status of a process.
 *
 * What must hold: messages, control frames and errors are the same wherever the bytes are cut, and so is an answer; no
 * more bytes are passed on than arrived; a frame that we write is read back as it was; a refusal has an explanation.
 */
#include "fuzz.h"
#include "runtime/cluster/process_end.h"
#include "runtime/cluster/websocket_internal.h"

enum { STATUS = 3, FIRST_MARK = '>', CONTROL_MARK = '!' };

struct reading {
	struct frame_reader reader;
	struct buf got;                 /* all callbacks as text */
	struct buf status;              /* bytes of messages on channel 3 */
	int channel;
	size_t passed;
};

static void take_data(void *to, struct str bytes, bool first)
{
	struct reading *r = to;

	if (first) {
		r->channel = bytes.n ? (unsigned char)*bytes.p : -1;
		buf_char(&r->got, FIRST_MARK);
	}
	r->passed += bytes.n;
	buf_str(&r->got, bytes);
	if (r->channel == STATUS)
		buf_str(&r->status, bytes);
}

static void take_control(void *to, enum frame_kind kind, struct str payload)
{
	struct reading *r = to;

	fuzz_require(payload.n <= FRAME_CONTROL_MOST);
	r->passed += payload.n;
	buf_printf(&r->got, "%c%u", CONTROL_MARK, (unsigned)kind);
	buf_str(&r->got, payload);
}

/* Reads INPUT in pieces of SIZE bytes. */
static void read_all(struct reading *r, struct str input, size_t size)
{
	*r = (struct reading){ .reader = { .data = take_data, .control = take_control, .to = r }, .channel = -1 };
	while (input.n && !r->reader.error) {
		size_t n = input.n < size ? input.n : size, used = frame_read(&r->reader, (struct str){ input.p, n });
		fuzz_require(used == n || r->reader.error);
		input = (struct str){ input.p + n, input.n - n };
	}
}

static void release_reading(struct reading *r)
{
	buf_release(&r->got);
	buf_release(&r->status);
}

/* Writes a frame as a client, removes its mask as a server, and reads it as a client. */
static void check_writing(struct str text)
{
	struct buf out = { 0 };
	struct reading r;
	struct str a = { text.p, text.n / 3 }, b = { text.p + a.n, text.n - a.n };

	frame_put(&out, FRAME_BINARY, a, b, 0);         /* a mask of zeros changes nothing */
	size_t mask = out.n - text.n - 4;
	fuzz_require(out.p[1] & 0x80);
	memmove(out.p + mask, out.p + mask + 4, text.n);
	out.p[1] &= 0x7f;
	read_all(&r, (struct str){ out.p, out.n - 4 }, out.n);
	fuzz_require(!r.reader.error && r.got.n == text.n + 1 && r.passed == text.n);
	fuzz_require(!text.n || memcmp(r.got.p + 1, text.p, text.n) == 0);
	release_reading(&r);
	buf_release(&out);
}

/* ---- the answer to the request ---- */

struct shaking {
	struct arena arena;
	struct transport transport;
	struct transport_exchange line;
	struct handshake handshake;
	enum handshake_step step;
	size_t used;                    /* number of bytes that belong to the answer */
	struct websocket_end end;
};

static void shake(struct shaking *k, const struct kubeconfig_access *access, struct str input, size_t size)
{
	static const char *const protocols[] = { "v5.channel.k8s.io", "v4.channel.k8s.io", NULL };
	struct buf request = { 0 };

	*k = (struct shaking){ .transport = { .arena = &k->arena, .o = { .access = access, .user_agent = STR("fuzz") },
		.host = STR("127.0.0.1:6443"), .proxy = STR("") } };
	k->line = (struct transport_exchange){ .transport = &k->transport, .url = STR("/exec"), .counted = true,
		.content_type = STR(""), .location = STR("") };
	k->handshake = (struct handshake){ .line = &k->line, .target = STR("/exec"), .protocols = protocols,
		.length = -1 };
	handshake_put(&k->handshake, &request);
	fuzz_require(str_starts(buf_text(&request), STR("GET /exec HTTP/1.1\r\n")));
	buf_release(&request);
	while (k->step == HANDSHAKE_MORE) {
		size_t n = input.n < size ? input.n : size, used;
		k->step = handshake_read(&k->handshake, (struct str){ input.p, n }, &used);
		fuzz_require(used <= n && (used == n || k->step == HANDSHAKE_OPEN));
		k->used += used;
		input = (struct str){ input.p + n, input.n - n };
	}
	if (k->step == HANDSHAKE_REFUSED) {
		handshake_explain(&k->handshake, &k->end);
		fuzz_require(k->end.error.n && k->end.status);
	}
}

static void release_shaking(struct shaking *k)
{
	handshake_release(&k->handshake);
	buf_release(&k->line.body);
	arena_release(&k->line.arena);
	arena_release(&k->arena);
}

/* Every cut of the bytes gives the same answer, unless a refusal without a length ends with the piece that has it. */
static void check_answer(struct str input, size_t size)
{
	static const struct kubeconfig_access access = { .host = { "127.0.0.1", 9 }, .port = 6443,
		.origin = { "c", 1 }, .prefix = { "", 0 } };
	struct shaking whole, cut;

	shake(&whole, &access, input, input.n);
	shake(&cut, &access, input, size);
	fuzz_require(whole.step == cut.step && whole.end.code == cut.end.code && whole.end.barred == cut.end.barred);
	release_shaking(&whole);
	release_shaking(&cut);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct arena arena = { 0 };
	struct reading whole, cut;
	struct process_end end;

	if (!n)
		return 0;
	struct str input = fuzz_input(&arena, bytes + 1, n - 1);
	if (input.n && *input.p == 'H') {
		check_answer(input, bytes[0] + (size_t)1);
		arena_release(&arena);
		return 0;
	}
	read_all(&whole, input, input.n);
	read_all(&cut, input, bytes[0] + (size_t)1);
	fuzz_require(str_eq(buf_text(&whole.got), buf_text(&cut.got)) && whole.passed <= input.n);
	fuzz_require(!whole.reader.error == !cut.reader.error);
	if (whole.status.n && process_end_read(&arena, (struct str){ whole.status.p + 1, whole.status.n - 1 }, &end))
		fuzz_require(end.code >= 0 && end.code <= 255 && (!end.started || !end.message.n));
	check_writing(input);
	release_reading(&whole);
	release_reading(&cut);
	arena_release(&arena);
	return 0;
}
