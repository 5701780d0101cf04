/* data_read_test.c - reads trees from JSON and YAML: tests the values, their positions, and which input is rejected. */
#include <time.h>

#include "base/buf.h"
#include "data/data_read.h"
#include "unit.h"

static struct arena arena;

/* ---- formatting a tree as text, with its types ---- */

static void put(struct buf *b, const struct data *d)
{
	switch (d->kind) {
	case DATA_NULL: buf_z(b, "null"); break;
	case DATA_BOOL: buf_z(b, d->u.boolean ? "true" : "false"); break;
	case DATA_INT: buf_printf(b, "%lld", (long long)d->u.integer); break;
	case DATA_FLOAT: buf_printf(b, "%g~", d->u.number); break;
	case DATA_STRING: buf_json(b, d->u.string); break;
	case DATA_LIST:
		buf_char(b, '[');
		for (size_t i = 0; i < d->u.list.n; i++) {
			buf_z(b, i ? " " : "");
			put(b, d->u.list.at[i]);
		}
		buf_char(b, ']');
		break;
	case DATA_MAP:
		buf_char(b, '{');
		for (size_t i = 0; i < d->u.map.n; i++) {
			buf_printf(b, "%s%.*s=", i ? " " : "", STR_ARG(d->u.map.at[i].key));
			put(b, d->u.map.at[i].value);
		}
		buf_char(b, '}');
		break;
	}
}

static struct sources sources = { .arena = &arena };

static struct str say_error(const struct data_error *e)
{
	struct place at = source_place(&sources, e->at.start);
	struct buf b = { 0 };

	buf_printf(&b, "%u:%u: %.*s", at.line, at.column, STR_ARG(e->what));
	if (span_known(e->first))
		buf_printf(&b, " (%u:%u)", source_place(&sources, e->first.start).line,
			source_place(&sources, e->first.start).column);
	struct str s = buf_take(&b, &arena);
	buf_release(&b);
	return s;
}

/* Returns all documents, separated by " | "; or "line:column: error" at the end. */
static struct str read_text(struct str text)
{
	const struct source *source = source_add(&sources, STR("text"), text);
	struct data_reader *r = data_reader_new(&arena, source);
	struct data_error error = { 0 };
	struct data *d;
	struct buf b = { 0 };
	enum data_step step;

	while ((step = data_next(r, &d, &error)) == DATA_DOCUMENT) {
		buf_z(&b, b.n ? " | " : "");
		put(&b, d);
	}
	if (step == DATA_ERROR)
		buf_printf(&b, "%s%.*s", b.n ? " | " : "", STR_ARG(say_error(&error)));
	CHECK(data_next(r, &d, &error) == step);
	data_reader_release(r);
	struct str s = buf_take(&b, &arena);
	buf_release(&b);
	return s;
}
#define READS(text, want) CHECK_TEXT(read_text(STR(text)), want)

static struct str read_strictly(const char *text)
{
	const struct source *source = source_add(&sources, STR("text"), str_of(text));
	struct data_error error = { 0 };
	struct data *d;
	struct buf b = { 0 };

	if (!data_read_json(&arena, source, &d, &error))
		return say_error(&error);
	put(&b, d);
	struct str s = buf_take(&b, &arena);
	buf_release(&b);
	return s;
}
#define JSON(text, want) CHECK_TEXT(read_strictly(text), want)

static void json(void)
{
	JSON("{\"a\": 1, \"b\":[true,false,null], \"c\": {}}", "{a=1 b=[true false null] c={}}");
	JSON(" \t\r\n[ ] ", "[]");
	JSON("\xEF\xBB\xBF{}", "{}");
	JSON("\"x\"", "\"x\"");
	JSON("[0,-1,-0.5,1e3,1E-2,9223372036854775807,-9223372036854775808,9223372036854775808]",
	     "[0 -1 -0.5~ 1000~ 0.01~ 9223372036854775807 -9223372036854775808 9.22337e+18~]");
	JSON("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\\u00e9\\u20ac\\ud83d\\ude00\"",
		"\"\\\"\\\\/\\u0008\\u000c\\n\\r\\tA\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"");
	JSON("\"\\ud83d\\u0041\\ude00\"", "\"\xEF\xBF\xBD" "A\xEF\xBF\xBD\"");
	JSON("\"a\\u0000b\"", "\"a\\u0000b\"");
	JSON("{\"\": 1, \" \": 2}", "{=1  =2}");

	JSON("", "1:1: the text ends here, before it is complete");
	JSON("{\"a\": 1", "1:8: the text ends here, before it is complete");
	JSON("{\"a\": 1 \"b\": 2}", "1:9: expected ',' or '}'");
	JSON("{\"a\" 1}", "1:6: expected ':'");
	JSON("{a: 1}", "1:2: expected a key in double quotes");
	JSON("{\"a\": 1,}", "1:9: expected a key in double quotes");
	JSON("[1,]", "1:4: expected a value");
	JSON("[1 2]", "1:4: expected ',' or ']'");
	JSON("[tru]", "1:2: expected a value");
	JSON("{} x", "1:4: nothing may follow the document");
	JSON("[01]", "1:4: this is not a JSON number");
	JSON("[1.]", "1:4: this is not a JSON number");
	JSON("[1e]", "1:4: this is not a JSON number");
	JSON("[-]", "1:3: this is not a JSON number");
	JSON("[.5]", "1:2: expected a value");
	JSON("[1e400]", "1:2: this number is too large");
	JSON("\"a\nb\"", "1:3: a control character in a string: write it as an escape");
	JSON("\"\\x\"", "1:2: JSON has no such escape");
	JSON("\"\\u12g4\"", "1:2: four hexadecimal digits must follow '\\u'");
	JSON("\"a\xFFz\"", "1:3: this is not UTF-8");
	JSON("\"\xED\xA0\x80\"", "1:2: this is not UTF-8");
	JSON("\"abc", "1:5: the text ends here, before it is complete");
	JSON("\"abc\\", "1:6: the text ends here, before it is complete");
	JSON("{\"a\": 1,\n \"b\": 2, \"a\": 3}", "2:10: the key 'a' appears twice (1:2)");
}

/* Scalars are read by the rules of sigs.k8s.io/yaml. */
static void scalars(void)
{
	READS("[true, True, TRUE, yes, Yes, YES, y, Y, on, On, ON]",
		"[true true true true true true true true true true true]");
	READS("[false, No, n, N, off, OFF, tRue, yEs, oN, t, f]",
		"[false false false false false false \"tRue\" \"yEs\" \"oN\" \"t\" \"f\"]");
	READS("[~, null, Null, NULL, nULL, '', \"\"]", "[null null null null \"nULL\" \"\" \"\"]");
	READS("[0, 7, -7, +7, 1_000, 0x1F, 0X1f, -0x10, 0b101, 0o17, 017, 00, -017]",
	      "[0 7 -7 7 1000 31 31 -16 5 15 15 0 -15]");
	READS("[08, 0o8, 0x, 0xg, 0b2, -, +, 1-, 1_, _1, 12a, 1:30, 0x-5]",
	      "[8~ \"0o8\" \"0x\" \"0xg\" \"0b2\" \"-\" \"+\" \"1-\" 1 \"_1\" \"12a\" \"1:30\" \"0x-5\"]");
	READS("[1.5, .5, -.5, 1., 1e3, 1E+3, 1.e2, ., ., 1.2.3, .e1, 1e, 9223372036854775808]",
	      "[1.5~ 0.5~ -0.5~ 1~ 1000~ 1000~ 100~ \".\" \".\" \"1.2.3\" \".e1\" \"1e\" 9.22337e+18~]");
	READS("[2024-01-02, 10:00:00, 1.2Gi, 64Gi, v1, a b]",
		"[\"2024-01-02\" \"10:00:00\" \"1.2Gi\" \"64Gi\" \"v1\" \"a b\"]");
	READS("['1', \"true\", !!str 5, !!str yes, ! 7, !!int 5, !!float 5, !!bool yes, !!null ~]",
	      "[\"1\" \"true\" \"5\" \"yes\" \"7\" 5 5~ true null]");
	READS("a: .inf\n", "1:4: this number is not finite");
	READS("a: -.INF\n", "1:4: this number is not finite");
	READS("a: .nan\n", "1:4: this number is not finite");
	READS("a: 1e999\n", "1:4: this number is not finite");
	READS("a: !!int x\n", "1:4: this tag is not known, or does not fit what follows it");
	READS("a: !!binary eA==\n", "1:4: this tag is not known, or does not fit what follows it");
	READS("a: !mine {}\n", "1:4: this tag is not known, or does not fit what follows it");
	READS("a: !!map {}\nb: !!seq []\n", "{a={} b=[]}");
	READS("1: a\ntrue: b\n1.5: c\n'2': d\n? e\n: f\n", "{1=\"a\" true=\"b\" 1.5=\"c\" 2=\"d\" e=\"f\"}");
	READS("~: a\n", "1:1: a key cannot be null");
	READS("? [a]\n: b\n", "1:3: a key is a word, not a list or a map");
	READS("1: a\n'1': b\n", "2:1: the key '1' appears twice (1:1)");
}

static void documents(void)
{
	READS("", "");
	READS("\n# nothing\n", "");
	READS("---\n---\n...\n---\na: 1\n", "{a=1}");
	READS("a: 1\n---\n- b\n---\n# c\n--- d\n", "{a=1} | [\"b\"] | \"d\"");
	READS("a:\nb: |\n  x\n  y\nc: >-\n  x\n  y\nd: \"x\\ty\"\ne: 'it''s'\nf: x\n  y\n",
	      "{a=null b=\"x\\ny\\n\" c=\"x y\" d=\"x\\ty\" e=\"it's\" f=\"x y\"}");
	READS("{\"a\":1}{\"b\":2}\n[3]\n", "{a=1} | {b=2} | [3]");
	READS("{\"a\":1}\n---\n{\"b\":\"\\/\\ud83d\\ude00\"}\n---\nc: 3\n--- {d: 4}\n",
		"{a=1} | {b=\"/\xF0\x9F\x98\x80\"} | {c=3} | {d=4}");
	READS("{a: 1, b: [x, z]}\n", "{a=1 b=[\"x\" \"z\"]}");
	READS("{\"a\":\t1,\n\t\"b\": 2}\n", "{a=1 b=2}");           /* tabs are valid in JSON */
	READS("\xEF\xBB\xBF" "a: 1\n", "{a=1}");
	READS("a: 1\r\nb: 2\r\n", "{a=1 b=2}");
	READS("a: 1\n---\nb: [1\n---\nc: 2\n",
		"{a=1} | 4:1: a list in [ ] lacks a ',' or its ']'");
	READS("a:\n\tb: 1\n", "2:1: YAML cannot be indented with a tab");
	READS("\xC3\xA9: \xC3\xA9\nb: [\n", "3:1: a value is missing in [ ] or { }");
	READS("a: \xFF\n", "1:4: this is not UTF-8 text");
	READS("{\"a\": 1, \"b\": tru, \"c\": @}",
		"1:25: a value cannot begin with this character");
	READS("a: 1\n  b: 2\n", "2:4: this key follows a line that already has a value");
	READS("a: b: 2\n", "1:5: a value cannot contain ': '");
	READS("a:\n  - b\n - c\n", "3:2: a key is expected here");
	/* the JSON reader's error is reported, because it is more precise */
	READS("{\"a\": \"\\ud83d\\ude00\", \"b\": 1 2: 3}", "1:30: expected ',' or '}'");
	READS("a: 1\nb: 2\na: 3\n", "3:1: the key 'a' appears twice (1:1)");
	READS("a: {x: 1, y: 2, x: 3}\n", "1:17: the key 'x' appears twice (1:5)");
}

static void aliases(void)
{
	READS("a: &x [1, 2]\nb: *x\n", "{a=[1 2] b=[1 2]}");
	READS("&k key: 1\nother: *k\n", "{key=1 other=\"key\"}");
	READS("a: &x 1\n---\nb: *x\n", "{a=1} | 3:4: no anchor before this alias has its name");
	READS("%TAG !a! tag:x,1:\n---\na: 1\n", "{a=1}");
	READS("a: &x [1, *x]\n", "1:11: this alias refers to a value that contains it");
	READS("base: &b {x: 1, w: 2}\nmore: &m {w: 3, z: 4}\nall:\n  <<: [*b, *m]\n  x: 9\n",
	      "{base={x=1 w=2} more={w=3 z=4} all={x=9 w=2 z=4}}");
	READS("a: {<<: {x: 1}, w: 2}\nb: {'<<': 5}\n", "{a={w=2 x=1} b={<<=5}}");
	READS("a: {<<: 5}\n", "1:9: '<<' takes a map, or a list of maps");
	READS("a: {<<: {x: 1}, <<: {y: 1}}\n", "1:17: '<<' appears twice; it takes a list of maps too");
	READS("a: {x: 1, <<: {x: 1}, x: 2}\n", "1:23: the key 'x' appears twice (1:5)");

	struct buf b = { 0 };
	buf_z(&b, "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
	for (int i = 1; i < 12; i++) {
		buf_printf(&b, "a%d: &a%d [", i, i);
		for (int k = 0; k < 10; k++)
			buf_printf(&b, "%s*a%d", k ? ", " : "", i - 1);
		buf_z(&b, "]\n");
	}
	struct str bomb = read_text(buf_text(&b));
	CHECK(str_ends(bomb, STR("written out, the aliases of this document would be too large")));
	buf_release(&b);
}

static void deep(void)
{
	struct buf b = { 0 };

	for (int i = 0; i < 100000; i++)
		buf_char(&b, '[');
	CHECK(str_ends(read_text(buf_text(&b)), STR("this is nested too deeply")));
	b.n = 0;
	for (int i = 0; i < DATA_DEEPEST; i++)
		buf_char(&b, '[');
	for (int i = 0; i < DATA_DEEPEST; i++)
		buf_char(&b, ']');
	CHECK(read_text(buf_text(&b)).n == 2 * DATA_DEEPEST);
	b.n = 0;
	/* each value contains the previous one at its deepest point, so their depths add up */
	for (int i = 0; i < 3; i++) {
		buf_printf(&b, "a%d: &a%d ", i, i);
		for (int k = 0; k < 80; k++)
			buf_char(&b, '[');
		if (i)
			buf_printf(&b, "*a%d", i - 1);
		for (int k = 0; k < 80; k++)
			buf_char(&b, ']');
		buf_char(&b, '\n');
	}
	CHECK_TEXT(read_text(buf_text(&b)), "3:89: this is nested too deeply");
	b.n = 0;
	for (int i = 0; i < 1000; i++)
		buf_printf(&b, "%*sk:\n", i, "");
	CHECK(str_ends(read_text(buf_text(&b)), STR("this is nested too deeply")));
	buf_release(&b);
}

/* Returns the value of a key in a map of a document. */
static const struct data *at(const struct data *d, const char *key) { return data_get(d, str_of(key)); }

static void places(void)
{
	const char *texts[] = {
		"{\"\xC3\xA9\": 1, \"list\": [1, {\"x\": \"a\\nb\"}], \"map\": {\"w\": -2.5}}",
		"\xC3\xA9: 1\nlist:\n  - 1\n  - x: \"a\\nb\"   # why\nmap:\n  w: -2.5\n\n\n",
	};
	for (int i = 0; i < 2; i++) {
		const struct source *source = source_add(&sources, STR("text"), str_of(texts[i]));
		struct data_reader *r = data_reader_new(&arena, source);
		struct data_error error;
		struct data *d;

		CHECK(data_next(r, &d, &error) == DATA_DOCUMENT && d->u.map.n == 3);
		CHECK_TEXT(source_text(&sources, at(d, "\xC3\xA9")->from), "1");
		CHECK_TEXT(source_text(&sources, d->u.map.at[0].key_at), i ? "\xC3\xA9" : "\"\xC3\xA9\"");
		CHECK_TEXT(source_text(&sources, at(at(d, "list")->u.list.at[1], "x")->from), "\"a\\nb\"");
		CHECK_TEXT(source_text(&sources, at(d, "map")->from), i ? "w: -2.5" : "{\"w\": -2.5}");
		CHECK_TEXT(source_text(&sources, at(at(d, "map"), "w")->from), "-2.5");
		data_reader_release(r);
	}
}

static double seconds_to_read(struct str text, struct str *ret)
{
	struct arena own = { 0 };
	struct source source = { .text = text, .base = 1 };
	struct data_reader *r = data_reader_new(&own, &source);
	struct data_error error = { 0 };
	struct data *d;
	struct timespec begin, end;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	*ret = data_next(r, &d, &error) == DATA_DOCUMENT ? STR("") : str_copy(&arena, error.what);
	clock_gettime(CLOCK_MONOTONIC, &end);
	data_reader_release(r);
	arena_release(&own);
	return (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9;
}

/* A map may have a hundred thousand keys: they are not compared pairwise. */
static void large(void)
{
	struct buf b = { 0 };
	struct str why;

	buf_z(&b, "{\"k\": 0");
	for (int i = 0; i < 100000; i++)
		buf_printf(&b, ", \"key%d\": \"value %d\"", i, i);
	buf_char(&b, '}');
	CHECK(seconds_to_read(buf_text(&b), &why) < 20);
	CHECK_TEXT(why, "");
	b.n = 0;
	for (int i = 0; i < 50000; i++)
		buf_printf(&b, "key\xC3\xA9%d: value %d\n", i, i);
	CHECK(seconds_to_read(buf_text(&b), &why) < 20);
	CHECK_TEXT(why, "");
	buf_release(&b);
}

/* Reading a text that consists only of values stops when the budget is used up, in both formats. */
static void dense(void)
{
	static const struct { const char *begin, *each, *end; size_t n; const char *want; } rows[] = {
		{ "[", "1,", "1]", DATA_UNITS + 10, "too many values" },
		{ "", "- a\n", "", DATA_UNITS / DATA_YAML_UNITS + 10, "too many values" },
		{ "", "---\n", "", DATA_UNITS / DATA_YAML_UNITS + 10, "too many values" },
		/* indented as by kubectl, so there are few values per byte */
		{ "[", "        \"x\",\n", "1]", 500000, "" },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct buf b = { 0 };
		struct str why = STR("");
		buf_z(&b, rows[i].begin);
		for (size_t k = 0; k < rows[i].n; k++)
			buf_z(&b, rows[i].each);
		buf_z(&b, rows[i].end);
		seconds_to_read(buf_text(&b), &why);
		CHECK(*rows[i].want ? memmem(why.p, why.n, rows[i].want, strlen(rows[i].want)) != NULL : why.n == 0);
		buf_release(&b);
	}
}

int main(void)
{
	json();
	scalars();
	documents();
	aliases();
	deep();
	places();
	large();
	dense();
	arena_release(&arena);
	return unit_end();
}
