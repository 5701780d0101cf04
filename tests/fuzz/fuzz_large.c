/*
 * fuzz_large.c - expands short inputs to long texts, which reach the limits of sizes, depths and counts.
 *
 * The byte 1, a byte K, a piece of text and the byte 2 stand for the piece repeated 2^(K % 17) times; every other
 * byte stands for itself. The first byte chooses a program or a manifest.
 *
 * What must hold: nothing crashes, little memory and time are enough, and a refusal has at most as many diagnostics as
 * are kept.
 */
#include <stdlib.h>

#include "compile.h"
#include "import/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { LONGEST = 1 << 18, PIECE = 1, PIECE_END = 2, DOUBLINGS = 17 };

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void put_piece(struct buf *out, struct str piece, size_t times)
{
	for (; times && out->n + piece.n <= LONGEST; times--)
		buf_str(out, piece);
}

static void expand(struct str text, struct buf *out)
{
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] != PIECE || i + 2 >= text.n) {
			put_piece(out, (struct str){ text.p + i, 1 }, 1);
			continue;
		}
		size_t times = (size_t)1 << (unsigned char)text.p[i + 1] % DOUBLINGS;
		const char *start = text.p + i + 2, *end = memchr(start, PIECE_END, text.n - i - 2);
		size_t n = end ? (size_t)(end - start) : text.n - i - 2;
		put_piece(out, (struct str){ start, n }, times);
		i += 2 + n;
	}
}

static bool read_text(void *context, struct arena *arena, struct str path, struct str *ret, struct str *why)
{
	if (!str_is(path, "job.tj")) {
		*why = STR("no such file");
		return false;
	}
	*ret = str_copy(arena, *(const struct str *)context);
	return true;
}

static bool exists(void *context, struct str path)
{
	(void)context;
	return str_is(path, "job.tj");
}

static bool count(void *context, const char *bytes, size_t n)
{
	size_t *room = context;

	(void)bytes;
	if (n > *room)
		return false;
	*room -= n;
	return true;
}

static void program(struct str text)
{
	struct reader reader = { .context = &text, .read = read_text, .exists = exists };
	struct trainc *t = trainc_open_reader(&reader);
	size_t room = 4 << 20;

	trainc_compile(t, "job.tj");
	bool ok = trainc_check(&t, 1, true);
	require(t->diags.n <= 2 * DIAGS_KEPT && (ok || t->diags.n));
	trainc_report(&t, 1, TRAINC_TEXT, (struct trainc_look){ .width = 60 }, (struct trainc_output){ &room, count });
	if (ok)
		trainc_emit(&t, 1, TRAINC_JSON, (struct trainc_output){ &room, count });
	trainc_close(t);
}

static void manifest(struct str text)
{
	struct arena arena = { 0 };
	struct sources sources = { .arena = &arena };
	struct diags diags = { .arena = &arena, .sources = &sources };
	struct import *im = import_new(&arena, &sources, &diags, (struct import_options){ 0 });
	struct source *source = source_add(&sources, STR("job.yaml"), text);
	struct buf out = { .limit = 64 << 20 };

	if (source)
		import_read(im, source);
	import_finish(im);
	if (diags_ok(&diags) && import_count(im))
		import_program(im, IMPORT_ALL, &out);
	require(diags.n <= 2 * DIAGS_KEPT);
	buf_release(&out);
	arena_release(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct buf text = { 0 };

	if (!n)
		return 0;
	expand((struct str){ (const char *)bytes + 1, n - 1 }, &text);
	if (bytes[0] & 1)
		manifest(buf_text(&text));
	else
		program(buf_text(&text));
	buf_release(&text);
	return 0;
}
