/* base_test.c - arena, strings, names, map, buffer, source. */
#include <stdlib.h>

#include "base/buf.h"
#include "base/map.h"
#include "base/source.h"
#include "unit.h"

static struct arena arena;

static void arenas(void)
{
	struct arena a = { 0 };
	char *p = arena_alloc(&a, 100), *q = arena_alloc(&a, 100), *none = arena_alloc(&a, 0);
	bool zero = true;

	for (size_t i = 0; i < 100; i++)
		zero = zero && !p[i] && !q[i];
	CHECK(zero && p != q && none);
	CHECK(((uintptr_t)p | (uintptr_t)q) % 16 == 0);
	memset(p, 1, 100);
	memset(q, 2, 100);
	CHECK(p[99] == 1 && q[0] == 2);
	char *large = arena_alloc(&a, 5 << 20), *after = arena_alloc(&a, 8);
	large[(5 << 20) - 1] = 3;
	CHECK(after && a.total >= (5u << 20));
	CHECK(strcmp(arena_copy(&a, "abc", 2), "ab") == 0);
	arena_release(&a);
	CHECK(!a.blocks && !a.total && arena_alloc(&a, 1));
	arena_release(&a);
}

/*
 * An arena that is set up for little data starts with a small block, even when it is reused, and then grows like any
 * other.
 */
static void small_arena(void)
{
	struct arena a = { .first = 512 };

	for (int round = 0; round < 2; round++) {
		char *p = arena_alloc(&a, 16), *q = arena_alloc(&a, 16);
		CHECK(p && q && a.total <= 512);
		for (int i = 0; i < 1000; i++)
			memset(arena_alloc(&a, 100), 1, 100);
		CHECK(a.total >= 100000);
		arena_release(&a);
	}
	memset(arena_alloc(&a, 64), 1, 64);
	arena_reset(&a);
	char *again = arena_alloc(&a, 64);
	CHECK(!again[0] && !again[63] && a.total <= 512);
	arena_release(&a);
}

/* An arena that starts with many pages returns zeroed memory, even when it is reused. */
static void large_arena(void)
{
	struct arena a = { .first = 128 * 1024 };

	for (int round = 0; round < 3; round++) {
		char *p = arena_alloc(&a, 20000), *q = arena_alloc(&a, 200000);
		bool clear = true;
		for (size_t i = 0; i < 200000; i++)
			clear = clear && !q[i] && (i >= 20000 || !p[i]);
		CHECK(clear);
		memset(p, 1, 20000);
		memset(q, 1, 200000);
		if (round == 1)
			arena_release(&a);
		else
			arena_reset(&a);
	}
	arena_release(&a);
}

/* All bytes of a text affect the result, whatever its length, and no byte after its end is read. */
static void hashes(void)
{
	for (size_t n = 1; n <= 40; n++) {
		char *bytes = calloc(n, 1);
		uint32_t plain = str_hash((struct str){ bytes, n });
		bool differs = plain != str_hash((struct str){ bytes, n - 1 });
		for (size_t i = 0; i < n; i++) {
			bytes[i] = 1;
			differs = differs && str_hash((struct str){ bytes, n }) != plain;
			bytes[i] = 0;
		}
		CHECK(differs && str_hash((struct str){ bytes, n }) == plain);
		free(bytes);
	}
}

static void growth(void)
{
	int *numbers = NULL;
	size_t n = 0;
	bool right = true;

	for (int i = 0; i < 1000; i++)
		ARENA_PUSH(&arena, numbers, n, i);
	for (int i = 0; i < 1000; i++)
		right = right && numbers[i] == i;
	CHECK(n == 1000 && right);
}

static void strings(void)
{
	CHECK(str_eq(STR("a"), STR("a")) && !str_eq(STR("a"), STR("ab")) && str_eq(STR(""), (struct str){ NULL, 0 }));
	CHECK(str_starts(STR("abc"), STR("ab")) && !str_starts(STR("a"), STR("ab")) && str_starts(STR("a"), STR("")));
	CHECK(str_ends(STR("abc"), STR("bc")) && !str_ends(STR("c"), STR("bc")));
	CHECK(str_cmp(STR("a"), STR("b")) < 0 && str_cmp(STR("ab"), STR("a")) > 0 && str_cmp(STR("a"), STR("a")) == 0);
	CHECK(str_cmp(STR("\xff"), STR("a")) > 0);
	CHECK(str_chars(STR("größe")) == 5 && str_chars(STR("日本")) == 2 && str_chars(STR("")) == 0);
	CHECK_TEXT(str_printf(&arena, "%d-%s", 7, "x"), "7-x");
	struct str long_one = str_printf(&arena, "%0300d", 0);
	CHECK(long_one.n == 300 && long_one.p[300] == 0);
}

static void numbers(void)
{
	static const struct { double number; const char *text; } cases[] = {
		{ 0.1, "0.1" }, { 1000.0, "1000" }, { 123456789012.0, "123456789012" },
		{ 1234567.8912, "1234567.8912" }, { 1e21, "1e+21" }, { 0.1 + 0.2, "0.30000000000000004" },
		{ -2.5, "-2.5" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		CHECK(str_is(str_double(&arena, cases[i].number), cases[i].text));
}

static void interning(void)
{
	struct names names = { .arena = &arena };
	struct str first = names_intern(&names, STR("worker"));
	char text[16];
	bool same = true;

	CHECK(name_eq(first, names_intern(&names, STR("worker"))) &&
		!name_eq(first, names_intern(&names, STR("Worker"))));
	for (int i = 0; i < 2000; i++) {
		snprintf(text, sizeof text, "name%d", i);
		names_intern(&names, str_of(text));
	}
	for (int i = 0; i < 2000; i++) {
		snprintf(text, sizeof text, "name%d", i);
		struct str a = names_intern(&names, str_of(text));
		same = same && str_is(a, text) && name_eq(a, names_intern(&names, a));
	}
	CHECK(same && name_eq(first, names_intern(&names, STR("worker"))));
	CHECK(names.used == 2002);
}

static void maps(void)
{
	struct map m = { 0 };
	int values[500];
	bool found = true, order = true;

	CHECK(map_get(&m, STR("absent")) == NULL);
	for (int i = 0; i < 500; i++)
		map_put(&m, &arena, str_printf(&arena, "key%d", i), &values[i]);
	for (int i = 0; i < 500; i++) {
		found = found && map_get(&m, str_printf(&arena, "key%d", i)) == &values[i];
		order = order && m.entries[i].value == &values[i];
	}
	CHECK(found && order && m.n == 500);
	CHECK(map_put(&m, &arena, STR("key3"), &values[0]) == &values[3]);
	CHECK(m.n == 500 && m.entries[3].value == &values[0] && map_get(&m, STR("key3")) == &values[0]);
	CHECK(map_get(&m, STR("key500")) == NULL && map_get(&m, STR("")) == NULL);
}

static void buffers(void)
{
	struct buf b = { .limit = 10 };

	buf_z(&b, "12345");
	buf_char(&b, '6');
	buf_printf(&b, "%d", 78);
	CHECK_TEXT(buf_text(&b), "12345678");
	buf_z(&b, "abc");
	CHECK(b.overflow);
	CHECK_TEXT(buf_text(&b), "12345678");
	struct str taken = buf_take(&b, &arena);
	CHECK_TEXT(taken, "12345678");
	CHECK(!b.n && !b.overflow);
	buf_release(&b);
	CHECK_TEXT(buf_text(&(struct buf){ 0 }), "");
}

static void json(void)
{
	struct buf b = { 0 };

	buf_json(&b, STR("a\"b\\c\n\t\x01/é"));
	CHECK_TEXT(buf_text(&b), "\"a\\\"b\\\\c\\n\\t\\u0001/é\"");
	b.n = 0;
	buf_json(&b, STR("x\xC0\x80\xED\xA0\x80\xF4\x90\x80\x80y\xE6"));
	const char *bad = "\xEF\xBF\xBD";
	struct str want = str_printf(&arena, "\"x%s%s%s%s%s%s%s%s%sy%s\"", bad, bad, bad, bad, bad, bad, bad, bad, bad,
		bad);
	CHECK_TEXT(buf_text(&b), want.p);
	buf_release(&b);
}

/*
 * In texts that are longer than one step of the scan, the position of every byte is the same as with simple counting.
 */
static void places(void)
{
	struct sources ss = { .arena = &arena };
	struct buf text = { 0 };
	unsigned line = 1, column = 1;

	for (unsigned i = 0; i < 400; i++)
		buf_z(&text, i % 7 ? "é" : i % 3 ? "\r\n" : "last 😀\n\n");
	const struct source *s = source_add(&ss, STR("a.tj"), buf_text(&text));
	for (uint32_t i = 0; i <= s->text.n; i++) {
		struct place at = source_place(&ss, s->base + i);
		CHECK(at.source == s && at.offset == i && at.line == line && at.column == column);
		if (s->text.p[i] == '\n')
			line++, column = 1;
		else
			column += ((unsigned char)s->text.p[i] & 0xC0) != 0x80;
	}
	buf_release(&text);
}

static void sources(void)
{
	struct sources ss = { .arena = &arena };
	struct source *a = source_add(&ss, STR("a.tj"), STR("one\ntwö 3\r\n\nlast")),
		*b = source_add(&ss, STR("b.tj"), STR(""));
	struct place at = source_place(&ss, a->base + 9);

	CHECK(a->base >= 1 && b->base > a->base + a->text.n);
	CHECK(at.source == a && at.line == 2 && at.column == 5 && at.offset == 9);
	CHECK_TEXT(source_line(&ss, a->base + 9), "twö 3");
	CHECK_TEXT(source_line(&ss, a->base + 3), "one");
	at = source_place(&ss, a->base + (uint32_t)a->text.n);
	CHECK(at.line == 4 && at.column == 5);
	CHECK_TEXT(source_line(&ss, a->base + (uint32_t)a->text.n), "last");
	at = source_place(&ss, b->base);
	CHECK(at.source == b && at.line == 1 && at.column == 1);
	CHECK(!source_at(&ss, 0) && !source_at(&ss, b->base + 1) && !source_place(&ss, 0).source);
	CHECK_TEXT(source_text(&ss, (struct span){ a->base + 4, a->base + 8 }), "twö");
	CHECK_TEXT(source_text(&ss, (struct span){ a->base + 4, b->base + 9 }), "");
	CHECK_TEXT(source_line(&ss, 0), "");
	struct span joined = span_join((struct span){ 5, 9 }, (struct span){ 3, 4 });
	CHECK(joined.start == 3 && joined.end == 9);
}

static void words_and_patterns(void)
{
	CHECK(str_is_word(STR("a_1")) && str_is_word(STR("_")) && str_is_word(STR("Z9")));
	CHECK(!str_is_word(STR("")) && !str_is_word(STR("1a")) && !str_is_word(STR("a-b")) && !str_is_word(STR("a{")) &&
		!str_is_word(STR("\xC3\xA9")));
	CHECK(str_covered(STR("PET_RANK"), STR("PET_*")) && str_covered(STR("PET_"), STR("PET_*")) &&
		str_covered(STR("RANK"), STR("RANK")));
	CHECK(!str_covered(STR("PET"), STR("PET_*")) && !str_covered(STR("RANKS"), STR("RANK")) &&
		str_covered(STR(""), STR("*")));
}

static void parts(void)
{
	struct str rest = STR("a,,b"), none = { 0 };
	int64_t n = 7;

	CHECK(str_eq(str_take(&rest, ','), STR("a")) && str_eq(str_take(&rest, ','), STR("")));
	CHECK(str_eq(str_take(&rest, ','), STR("b")) && !rest.n && !str_take(&rest, ',').n && !str_take(&none, ',').n);
	CHECK(str_number(STR("0"), 1, &n) && n == 0 && str_number(STR("007"), 3, &n) && n == 7);
	CHECK(str_number(STR("999999999999999999"), 18, &n) && n == INT64_C(999999999999999999));
	n = 7;
	CHECK(!str_number(STR(""), 9, &n) && !str_number(STR("10"), 1, &n) && !str_number(STR("-1"), 9, &n));
	CHECK(!str_number(STR("1 "), 9, &n) && !str_number(STR("1/"), 9, &n) && !str_number(STR(":"), 9, &n));
	CHECK(n == 7);
	CHECK(str_is_hex(STR("09af"), 4) && str_is_hex(STR(""), 0));
	CHECK(!str_is_hex(STR("09af"), 3) && !str_is_hex(STR("09af"), 5) && !str_is_hex(STR("09aF"), 4) &&
		!str_is_hex(STR("09ag"), 4));
}

int main(void)
{
	words_and_patterns();
	parts();
	arenas();
	small_arena();
	large_arena();
	hashes();
	growth();
	strings();
	numbers();
	interning();
	maps();
	buffers();
	json();
	sources();
	places();
	arena_release(&arena);
	return unit_end();
}
