/*
 * fuzz_json_stream.c - runs the incremental JSON reader: the result is the same wherever the input is split, and
 * agrees with the reader of whole files. A stream that skips useless objects hands out what a strict one does, as far
 * as the strict one comes.
 */
#include <stdlib.h>

#include "data/data_read.h"
#include "data/data_write.h"
#include "runtime/cluster/json_stream.h"

static bool note(void *to, const struct data *d)
{
	struct buf *b = to;

	if (d)
		data_write(b, d);
	buf_char(b, '\n');
	return true;
}

static bool note_skipped(void *to, const struct json_skipped *k)
{
	buf_printf(to, "skipped %d %s %.*s %.*s %.*s %.*s %.*s %.*s\n", k->fault, k->why, STR_ARG(k->type),
		STR_ARG(k->kind), STR_ARG(k->ns), STR_ARG(k->name), STR_ARG(k->uid), STR_ARG(k->label));
	return true;
}

/* Reads TEXT in pieces whose sizes depend on SEED; appends the result, with the error at its end. */
static void read_in_pieces(struct json_stream_options o, struct str text, uint32_t seed, struct buf *out)
{
	o.item = o.document = note;
	o.to = out;
	struct json_stream *s = json_stream_new(&o);
	bool more = true;

	for (size_t at = 0; more && at < text.n;) {
		size_t n = seed ? 1 + (seed >> 16) % 7 : text.n;
		seed = seed * 1664525 + 1013904223;
		n = n < text.n - at ? n : text.n - at;
		more = json_stream_take(s, (struct str){ text.p + at, n });
		at += n;
	}
	if (more)
		json_stream_end(s);
	buf_str(out, json_stream_error(s));
	json_stream_release(s);
}

static void same_in_pieces(struct json_stream_options o, struct str text)
{
	struct buf whole = { 0 }, parts = { 0 };

	read_in_pieces(o, text, 0, &whole);
	for (uint32_t seed = 1; seed < 4; seed++) {
		parts.n = 0;
		read_in_pieces(o, text, seed * 7919, &parts);
		if (!str_eq(buf_text(&whole), buf_text(&parts)))
			abort();
	}
	buf_release(&whole);
	buf_release(&parts);
}

/* Compares a stream that skips useless objects with a strict one, which ends with an error at the first of them. */
static void same_as_strict(struct json_stream_options o, struct str text)
{
	struct buf strict = { 0 }, skipping = { 0 };

	read_in_pieces(o, text, 0, &strict);
	o.skipped = note_skipped;
	read_in_pieces(o, text, 0, &skipping);
	struct str sure = buf_text(&strict);
	while (sure.n && sure.p[sure.n - 1] != '\n')
		sure.n--;                       /* without the error */
	if (!str_starts(buf_text(&skipping), sure))
		abort();
	buf_release(&strict);
	buf_release(&skipping);
}

/* Checks that a document that both readers accept has the same result in both. */
static void same_as_whole(struct str text)
{
	struct arena arena = { 0 };
	struct source source = { .text = str_copy(&arena, text), .base = 1 };
	struct data *d;
	struct data_error error;
	struct buf ours = { 0 }, theirs = { 0 };

	read_in_pieces((struct json_stream_options){ 0 }, text, 0, &ours);
	if (data_read_json(&arena, &source, &d, &error)) {
		note(&theirs, d);
		if (str_ends(buf_text(&ours), STR("\n")) && !str_eq(buf_text(&ours), buf_text(&theirs)))
			abort();
	}
	buf_release(&ours);
	buf_release(&theirs);
	arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static const char *const some[] = { "metadata.name", "status", "*.a.[b.c]", "-status.b", NULL };
	struct arena arena = { 0 };
	struct str text = { (const char *)bytes, n };

	same_in_pieces((struct json_stream_options){ 0 }, text);
	same_in_pieces((struct json_stream_options){ .several = true, .filter = json_filter_new(&arena, some) }, text);
	same_in_pieces((struct json_stream_options){ .items = "items" }, text);
	same_as_whole(text);
	same_in_pieces((struct json_stream_options){ .several = true, .object = "object", .label = "a",
		.skipped = note_skipped, .kept = 0, .filter = json_filter_new(&arena, some) }, text);
	same_in_pieces((struct json_stream_options){ .items = "items", .skipped = note_skipped }, text);
	same_as_strict((struct json_stream_options){ .items = "items" }, text);
	same_as_strict((struct json_stream_options){ .several = true, .object = "object" }, text);
	arena_release(&arena);
	return 0;
}
