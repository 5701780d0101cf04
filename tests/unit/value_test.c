/*
 * value_test.c - floats as text, equality, spelling, and the text of environment values.
 */
#include "eval/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned passed, failed;
static struct arena arena;
static const struct span nowhere;

static void check(bool ok, const char *what, struct str got)
{
	if (ok)
		passed++;
	else
		failed++;
	printf("%s %s: %.*s\n", ok ? "ok" : "FAIL", what, STR_ARG(got));
}

/* The texts are those that Python's repr prints. */
static void test_floats(void)
{
	static const struct { double d; const char *text; } rows[] = {
		{ 0.0, "0.0" }, { -0.0, "-0.0" }, { 1.0, "1.0" }, { -1.5, "-1.5" }, { 0.1, "0.1" },
		{ 0.1 + 0.2, "0.30000000000000004" }, { 3e-4, "0.0003" }, { 1e-4, "0.0001" }, { 1e-5, "1e-05" },
		{ 1.5e-7, "1.5e-07" }, { 1e15, "1000000000000000.0" }, { 1e16, "1e+16" },
		{ 123456789012345680.0, "1.2345678901234568e+17" }, { 1e100, "1e+100" }, { 1e22, "1e+22" },
		{ 5e-324, "5e-324" }, { 2.2250738585072014e-308, "2.2250738585072014e-308" },
		{ 1.7976931348623157e308, "1.7976931348623157e+308" }, { 2.5, "2.5" }, { 100.0, "100.0" },
		{ 1234.5678, "1234.5678" }, { 9007199254740993.0, "9007199254740992.0" }, { 0.001, "0.001" },
		{ 1.0 / 3, "0.3333333333333333" }, { 2.0 / 3, "0.6666666666666666" }, { 4.35, "4.35" },
		{ 1e-310, "1e-310" },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct str got = float_text(&arena, rows[i].d);
		check(str_is(got, rows[i].text), rows[i].text, got);
	}
	/* Checks that reading the text of a double gives the same double. */
	uint64_t bits = 88172645463325252u;
	unsigned wrong = 0;
	for (int i = 0; i < 100000; i++) {
		double d;
		bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
		memcpy(&d, &bits, sizeof(d));
		if (!isfinite(d))
			continue;
		wrong += strtod(float_text(&arena, d).p, NULL) != d;
	}
	check(wrong == 0, "100000 doubles read back", STR(""));
}

static const struct value *quantity(const char *text, enum type_kind unit)
{
	struct quantity q = { 0 };
	if (unit == TYPE_DURATION)
		duration_parse(str_of(text), &q);
	else
		quantity_parse(str_of(text), &q);
	return value_quantity(&arena, q, unit, nowhere);
}

static const struct value *elastic(int64_t lo, int64_t hi)
{
	struct value *v = value_new(&arena, VALUE_ELASTIC, nowhere);
	v->u.range.lo = lo;
	v->u.range.hi = hi;
	return v;
}

static const struct value *string(const char *s) { return value_string(&arena, str_of(s), nowhere); }

static void test_text(const struct value *v, const char *want)
{
	struct text t;
	bool ok = value_text(&arena, v, &t);
	struct str got = ok && t.n ? t.at[0].u.text : STR("");
	check(want ? ok && str_is(got, want) : !ok, want ? want : "(no text)", got);
}

static void test_texts(void)
{
	struct value *topology = value_new(&arena, VALUE_TOPOLOGY, nowhere);
	topology->u.topology.n = 3;
	for (int i = 0; i < 3; i++)
		topology->u.topology.size[i] = 2 << i;
	test_text(value_bool(&arena, true, nowhere), "true");
	test_text(value_int(&arena, -5, nowhere), "-5");
	test_text(value_int(&arena, INT64_MIN, nowhere), "-9223372036854775808");
	test_text(value_float(&arena, 3e-4, nowhere), "0.0003");
	test_text(string("a b"), "a b");
	test_text(string(""), "");
	test_text(quantity("1.5Gi", TYPE_MEMORY), "1536Mi");
	test_text(quantity("0.5", TYPE_CPU), "500m");
	test_text(quantity("60min", TYPE_DURATION), "1h");
	test_text(elastic(1, 8), "1:8");
	test_text(elastic(4, 4), "4");
	test_text(topology, "2x4x8");
	test_text(&value_none, NULL);
	test_text(value_list(&arena, NULL, 0, nowhere), NULL);
}

static const struct value *map_of(const char *k1, const struct value *v1, const char *k2, const struct value *v2)
{
	struct value *m = value_new(&arena, VALUE_MAP, nowhere);
	value_put(&arena, m, str_of(k1), nowhere, v1);
	if (k2)
		value_put(&arena, m, str_of(k2), nowhere, v2);
	return m;
}

static const struct value *list_of(const struct value *a, const struct value *b)
{
	const struct value **at = ARENA_ARRAY(&arena, const struct value *, 2);
	at[0] = a;
	at[1] = b;
	return value_list(&arena, at, b ? 2 : 1, nowhere);
}

static void test_equality(void)
{
	const struct value *one = value_int(&arena, 1, nowhere), *two = value_int(&arena, 2, nowhere);
	check(value_equal(quantity("1Gi", TYPE_MEMORY), quantity("1024Mi", TYPE_MEMORY)), "1Gi is 1024Mi", STR(""));
	check(!value_equal(quantity("1", TYPE_CPU), quantity("1", TYPE_MEMORY)), "a cpu is no memory", STR(""));
	check(value_equal(map_of("a", one, "b", two), map_of("b", two, "a", one)), "the order of keys does not matter",
		STR(""));
	check(!value_equal(map_of("a", one, "b", two), map_of("a", one, NULL, NULL)), "a missing key does", STR(""));
	check(value_equal(list_of(one, two), list_of(one, two)), "equal lists", STR(""));
	check(!value_equal(list_of(one, two), list_of(two, one)), "the order of elements matters", STR(""));
	check(!value_equal(string("1"), one), "a string is no int", STR(""));
	check(value_equal(&value_none, value_new(&arena, VALUE_NONE, nowhere)), "none is none", STR(""));
}

static void test_spelling(const struct value *v, const char *want)
{
	struct str got = value_spell(&arena, v);
	check(str_is(got, want), want, got);
}

static void test_spellings(void)
{
	const struct value *one = value_int(&arena, 1, nowhere);
	struct piece index = { .kind = PIECE_INDEX };
	struct value *own = value_new(&arena, VALUE_TEXT, nowhere);
	own->u.text = (struct text){ &index, 1, nowhere };
	own->number = true;
	test_spelling(string("say \"hi\"\n"), "\"say \\\"hi\\\"\\n\"");
	test_spelling(list_of(one, string("b")), "[1, \"b\"]");
	test_spelling(map_of("a", one, "b", &value_none), "{ a = 1, b = none }");
	test_spelling(value_new(&arena, VALUE_MAP, nowhere), "{}");
	test_spelling(own, "pod.index");
	test_spelling(elastic(1, 8), "1:8");
	struct str longest = value_spell(&arena,
		string("0123456789012345678901234567890123456789012345678901234567890123456789"));
	check(longest.n < 70 && str_ends(longest, STR("...\"")), "long texts are cut", longest);
	struct str phrase = value_phrase(&arena, string("4"));
	check(str_is(phrase, "the string \"4\""), "phrase", phrase);
}

int main(void)
{
	test_floats();
	test_texts();
	test_equality();
	test_spellings();
	arena_release(&arena);
	printf("%u passed, %u failed\n", passed, failed);
	return failed != 0;
}
