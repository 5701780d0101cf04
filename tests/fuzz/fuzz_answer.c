/*
 * fuzz_answer.c - reads an answer of the API server: lines of a header up to an empty line, then the body. A first line
 * "curl CODE TEXT" is how libcurl says that the transfer has failed.
 *
 * What must hold: the result is the same wherever the body is cut, a failure has a message and a sentence that says
 * it, a pause that the server requests is at most a minute, and no text of the answer brings control characters to a
 * terminal.
 */
#include "fuzz.h"
#include "runtime/cluster/transport_internal.h"

struct failure {
	CURLcode code;
	struct str text;
};

static void note_warning(void *to, struct str text)
{
	fuzz_require(text.n);
	buf_str(to, text);
}

/* Can a terminal show S as it is? Tabs are kept. */
static bool is_shown(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < ' ' && s.p[i] != '\t')
			return false;
	return str_malformed(s) == s.n;
}

static void put_status(struct buf *out, const struct transport_status *s)
{
	fuzz_require(s->message.n);
	buf_printf(out, "%.*s|%.*s|%.*s|%.*s|%.*s", STR_ARG(s->reason), STR_ARG(s->message), STR_ARG(s->kind),
		STR_ARG(s->name), STR_ARG(s->continue_token));
	for (size_t i = 0; i < s->ncauses; i++)
		buf_printf(out, "|%.*s", STR_ARG(s->causes[i].message));
}

/* Appends what the answer means, and the sentence about it. */
static void put_meaning(struct transport_exchange *x, const struct failure *f, struct buf *out)
{
	static CURL *easy;
	struct str error = STR("");
	size_t n = f->text.n < sizeof x->curl_error - 1 ? f->text.n : sizeof x->curl_error - 1;

	easy = easy ? easy : curl_easy_init();
	x->easy = easy;
	memcpy(x->curl_error, f->text.p, n);
	enum transport_outcome outcome = exchange_outcome(x, f->code, &error);
	buf_printf(out, "%d %d %d ", x->code, (int)x->stopped, (int)outcome);
	if (outcome != TRANSPORT_ANSWERED) {
		fuzz_require(error.n && is_shown(error));
		buf_str(out, error);
	} else if (x->code >= 300) {
		const struct transport_status *s = exchange_status(x);
		put_status(out, s);
		struct str why = exchange_refusal(x, s);
		fuzz_require(why.n && is_shown(why));
		buf_str(out, why);
	} else {
		buf_str(out, buf_text(&x->body));
	}
	x->easy = NULL;
}

/* Reads an answer whose body arrives in pieces of sizes that depend on SEED; appends what was understood. */
static void read_answer(const struct failure *f, struct str header, struct str body, uint32_t seed, struct buf *out)
{
	struct arena a = { 0 };
	struct loop *loop = loop_new();
	static const struct kubeconfig_access access = { .origin = { "context 'dev'", 13 }, .host = { "h", 1 } };
	/* a server that has answered before, so that no resolver is asked whether its name exists */
	struct transport t = { .arena = &a, .host = STR("h:6443"), .counts.answers = 1,
		.o = { .loop = loop, .access = &access, .warning = note_warning, .to = out } };
	struct transport_exchange x = { .transport = &t, .state = EXCHANGE_SENT, .retry_after = -1, .retry_at = -1,
		.started = loop_now(loop), .request = { .path = STR("/api/v1/nodes") }, .url = STR("/api/v1/nodes"),
		.content_type = STR(""), .location = STR("") };

	while (header.n) {
		struct str line = fuzz_line(&header);
		char *text = arena_copy(&x.arena, line.p, line.n);
		fuzz_require(exchange_header(text, 1, line.n, &x) == line.n);
	}
	for (bool more = true; more && body.n;) {
		size_t n = seed ? 1 + (seed >> 16) % 50 : body.n;
		seed = seed ? seed * 1664525 + 1013904223 : 0;
		n = n < body.n ? n : body.n;
		char *text = arena_copy(&x.arena, body.p, n);
		more = exchange_body(text, 1, n, &x) == n;
		body = (struct str){ body.p + n, body.n - n };
	}
	fuzz_require(x.code >= 0 && x.code < 10000);
	put_meaning(&x, f, out);
	fuzz_require(x.retry_after >= -1 && x.retry_after <= 60 * NS_PER_SECOND);
	loop_timer_drop(loop, &x.limit);
	buf_release(&x.body);
	arena_release(&x.arena);
	arena_release(&a);
	loop_release(loop);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct arena a = { 0 };
	struct str text = fuzz_input(&a, bytes, n);
	struct failure f = { .text = STR("") };
	struct buf whole = { 0 }, parts = { 0 };

	if (str_starts(text, STR("curl "))) {
		struct str line = fuzz_line(&text);
		fuzz_word(&line);
		f.code = (CURLcode)((uint64_t)fuzz_number(&line) % CURL_LAST);
		f.text = line;
	}
	struct str body = text;
	while (body.n && fuzz_line(&body).n)
		continue;
	struct str header = { text.p, text.n - body.n };
	read_answer(&f, header, body, 0, &whole);
	read_answer(&f, header, body, 7919, &parts);
	fuzz_require(str_eq(buf_text(&whole), buf_text(&parts)));
	buf_release(&whole);
	buf_release(&parts);
	arena_release(&a);
	return 0;
}
