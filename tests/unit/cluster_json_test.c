/*
 * cluster_json_test.c - the incremental JSON reader: it builds the same tree wherever the input is split; tests what
 * filters keep, which input is rejected, and that one useless object among good ones is skipped and named.
 */
#include <stdio.h>
#include <stdlib.h>

#include "data/data_write.h"
#include "runtime/cluster/json_stream.h"
#include "unit.h"

struct seen {
	struct buf text;                /* the lines "item ..." and "document ..." for what was reported */
	size_t items, stop_after;
};

static void put(struct buf *b, const struct data *d)
{
	if (d)
		data_write(b, d);
	else
		buf_z(b, "nothing");
}

static bool item(void *to, const struct data *d)
{
	struct seen *s = to;

	buf_z(&s->text, "item ");
	put(&s->text, d);
	buf_char(&s->text, '\n');
	return ++s->items != s->stop_after;
}

static bool document(void *to, const struct data *d)
{
	struct seen *s = to;

	buf_z(&s->text, "document ");
	put(&s->text, d);
	buf_char(&s->text, '\n');
	return true;
}

static bool skipped(void *to, const struct json_skipped *k)
{
	static const char *const faults[] = { "sound", "deep", "large", "text", "number", "twice", "object" };
	struct seen *s = to;

	buf_printf(&s->text, "skipped %s %.*s %.*s %.*s/%.*s %.*s %.*s %.*s\n", faults[k->fault], STR_ARG(k->type),
		STR_ARG(k->kind), STR_ARG(k->ns), STR_ARG(k->name), STR_ARG(k->uid), STR_ARG(k->version),
		STR_ARG(k->label));
	return ++s->items != s->stop_after;
}

/* Returns the result of streaming TEXT in pieces of PIECE bytes; an error comes last. */
static struct str reading(struct arena *a, struct json_stream_options o, struct str text, size_t piece)
{
	struct seen s = { .stop_after = o.to ? *(size_t *)o.to : 0 };

	o.item = item;
	o.document = document;
	o.to = &s;
	if (o.label)
		o.skipped = skipped;
	struct json_stream *j = json_stream_new(&o);
	bool ok = true;
	for (size_t at = 0; ok && at < text.n; at += piece)
		ok = json_stream_take(j, (struct str){ text.p + at, text.n - at < piece ? text.n - at : piece });
	if (ok)
		json_stream_end(j);
	if (json_stream_error(j).n)
		buf_printf(&s.text, "error %.*s", STR_ARG(json_stream_error(j)));
	json_stream_release(j);
	struct str all = buf_take(&s.text, a);
	buf_release(&s.text);
	return all;
}

/* Checks that the result is the same for the whole input and for pieces of every size up to 7. */
static void same_at_every_cut(int line, struct json_stream_options o, const char *text, const char *want)
{
	struct arena a = { 0 };

	check_text_at(line, reading(&a, o, str_of(text), 1 << 20), want);
	for (size_t piece = 1; piece < 8; piece++) {
		struct str got = reading(&a, o, str_of(text), piece);
		if (!str_is(got, want))
			check_text_at(line, got, want);
	}
	arena_release(&a);
}
#define READS(o, text, want) same_at_every_cut(__LINE__, o, text, want)

static void documents(void)
{
	struct json_stream_options one = { 0 }, several = { .several = true };

	READS(one, "{\"a\":1,\"b\":[true,false,null,-2.5e3,\"x\"],\"c\":{}}",
		"document {\"a\":1,\"b\":[true,false,null,-2500,\"x\"],\"c\":{}}\n");
	READS(one, "  17 ", "document 17\n");
	READS(one, "[]", "document []\n");
	READS(one, "\"a\\u00e4\\ud83d\\ude00\\n\\\"\xc3\xa4\"",
		"document \"a\xc3\xa4\xf0\x9f\x98\x80\\n\\\"\xc3\xa4\"\n");
	READS(several, "{\"a\":1}\n{\"a\":2}\n", "document {\"a\":1}\ndocument {\"a\":2}\n");
	READS(one, "9223372036854775807", "document 9223372036854775807\n");
	READS(one, "-9223372036854775808", "document -9223372036854775808\n");
}

static void lists(void)
{
	size_t two = 2;
	struct json_stream_options o = { .items = "items" }, stop = { .items = "items", .to = &two };

	READS(o, "{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[{\"a\":1},{\"a\":[{}]},3]}",
	      "item {\"a\":1}\nitem {\"a\":[{}]}\nitem 3\ndocument {\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"7\"}}\n");
	READS(o, "{\"items\":[],\"x\":2}", "document {\"x\":2}\n");
	READS(o, "{\"items\":null}", "document {\"items\":null}\n");
	READS(o, "{\"other\":[{\"items\":[1]}]}", "document {\"other\":[{\"items\":[1]}]}\n");
	READS(stop, "{\"items\":[1,2,3,4]}", "item 1\nitem 2\n");
}

static void filters(void)
{
	struct arena a = { 0 };
	const char *const some[] = { "metadata.name", "status.conditions.type",
		"metadata.annotations.[trainc.dev/role]", NULL };
	const char *const all_but[] = { "-metadata.managedFields", "-spec", NULL };
	const char *const any[] = { "*.name", NULL };
	struct json_stream_options o = { .items = "items", .filter = json_filter_new(&a, some) };
	struct json_stream_options b = { .filter = json_filter_new(&a, all_but) };
	struct json_stream_options c = { .filter = json_filter_new(&a, any) };

	READS(o, "{\"items\":[{\"metadata\":{\"name\":\"x\",\"uid\":\"u\",\"annotations\":{\"trainc.dev/role\":\"r\",\"b\":1}},\"status\":{\"conditions\":"
	      "[{\"type\":\"A\",\"status\":\"True\"},{\"type\":\"B\"}],\"phase\":\"Running\"},\"spec\":{\"a\":[1,{\"b\":2}]}}]}",
	      "item {\"metadata\":{\"name\":\"x\",\"annotations\":{\"trainc.dev/role\":\"r\"}},\"status\":{\"conditions\":[{\"type\":\"A\"},{\"type\":\"B\"}]}}\n"
	      "document {}\n");
	READS(b, "{\"metadata\":{\"managedFields\":[{\"a\":\"\\ud800\"}],\"name\":\"n\"},\"spec\":{},\"x\":[]}",
	      "document {\"metadata\":{\"name\":\"n\"},\"x\":[]}\n");
	READS(c, "{\"a\":{\"name\":1,\"b\":2},\"c\":{\"name\":3}}",
		"document {\"a\":{\"name\":1},\"c\":{\"name\":3}}\n");
	arena_release(&a);
}

static void refusals(void)
{
	struct json_stream_options one = { 0 };

	READS(one, "{\"a\":1", "error at byte 6: the text ends here, before it is complete (near '{\"a\":1')");
	READS(one, "{\"a\" 1}", "error at byte 5: expected ':' (near '{\"a\" 1')");
	READS(one, "[1 2]", "error at byte 3: expected ',' or ']' (near '[1 2')");
	READS(one, "{a:1}", "error at byte 1: expected a key in quotes (near '{a')");
	READS(one, "{\"a\":1,}", "error at byte 7: expected a key in quotes (near '{\"a\":1,}')");
	READS(one, "\"\xff\"", "error at byte 1: this is not UTF-8 (near '\"\\xff')");
	READS(one, "\"\xed\xa0\x80\"", "error at byte 2: this is not UTF-8 (near '\"\\xed\\xa0')");
	READS(one, "\"a\nb\"", "error at byte 2: a control character in a string must be escaped (near '\"a\\x0a')");
	READS(one, "\"\\x\"", "error at byte 2: JSON has no such escape (near '\"\\x')");
	READS(one, "[01]", "error at byte 3: this is not a number (near '[01]')");
	READS(one, "[tru]", "error at byte 4: expected a value (near '[tru]')");
	READS(one, "1 2", "document 1\nerror at byte 2: something follows the document (near '1 2')");
	READS(one, "<html>", "error at byte 0: expected a value (near '<')");
}

static void limits(void)
{
	struct arena a = { 0 };
	struct buf b = { 0 };
	struct json_stream_options small = { .items = "items", .largest = 64 };

	for (int i = 0; i < 200; i++)
		buf_char(&b, '[');
	buf_char(&b, '[');
	struct str got = reading(&a, (struct json_stream_options){ 0 }, buf_text(&b), 7);
	CHECK(memmem(got.p, got.n, "more than 200 deep", 18) != NULL);
	b.n = 0;
	buf_z(&b, "{\"items\":[\"short\",\"");
	for (int i = 0; i < 100; i++)
		buf_char(&b, 'x');
	buf_z(&b, "\"]}");
	got = reading(&a, small, buf_text(&b), 3);
	CHECK(str_starts(got, STR("item \"short\"\nerror ")) && memmem(got.p, got.n, "too large", 9) != NULL);
	/* The limit for one item does not apply to the sum of many small ones. */
	b.n = 0;
	buf_z(&b, "{\"items\":[0");
	for (int i = 1; i < 100; i++)
		buf_printf(&b, ",%d", i);
	buf_z(&b, "]}");
	got = reading(&a, small, buf_text(&b), 5);
	CHECK(str_ends(got, STR("item 99\ndocument {}\n")));
	buf_release(&b);
	arena_release(&a);
}

/* ---- one useless object among good ones ---- */

static void put_nested(struct buf *b, unsigned levels, bool maps)
{
	for (unsigned i = 0; i < levels; i++)
		buf_z(b, maps ? "{\"a\":" : "[");
	buf_z(b, "1");
	for (unsigned i = 0; i < levels; i++)
		buf_char(b, maps ? '}' : ']');
}

static void put_long(struct buf *b, size_t n)
{
	while (n--)
		buf_char(b, 'x');
}

static void put_map(struct buf *b, size_t n)
{
	buf_char(b, '{');
	for (size_t i = 0; i < n; i++)
		buf_printf(b, "\"k%zu\":1,", i);
	buf_z(b, "\"k1\":2}");
}

enum { KEPT = 40000 };

/* The value of a member that makes an object useless, or only looks as if it did. */
static const struct useless {
	const char *fault;              /* as skipped() writes it; NULL: the object is used */
	const char *text;               /* the value; NULL: it is made from the other fields */
	unsigned levels;
	bool maps, twice;
	size_t length, key;
} useless[] = {
	{ .fault = "deep", .levels = 250 }, { .fault = "deep", .levels = 250, .maps = true },
	{ .fault = "deep", .levels = 1000, .maps = true }, { .fault = "deep", .levels = 9000, .maps = true },
	{ .fault = "deep", .levels = 10000 }, { .fault = "deep", .levels = 100000 },
	{ .levels = 190, .maps = true }, { .levels = 190 },
	{ .fault = "large", .length = 50000 }, { .fault = "large", .length = 500000 }, { .length = 30000 },
	{ .fault = "large", .key = 50000 }, { .key = 30000 },
	{ .fault = "text", .text = "\"a\xff\"" }, { .fault = "text", .text = "\"\xc3\"" },
	{ .fault = "text", .text = "\"\xed\xa0\x80\"" }, { .fault = "text", .text = "\"\xf4\x90\x80\x80\"" },
	{ .fault = "text", .text = "{\"\xff\":1}" },
	{ .fault = "text", .text = "[\"\\x\"]" }, { .fault = "text", .text = "\"\\u12\"" },
	{ .fault = "text", .text = "\"\\ud8\"" },
	{ .fault = "text", .text = "\"\xc3\\\"\"" },
	{ .text = "\"\\ud800\"" }, { .text = "\"\\ud800\\ud800\\udc00\\udc00\"" }, { .text = "\"\\u0000\"" },
	{ .fault = "number", .text = "1e400" }, { .fault = "number", .text = "-1e999" },
	{ .fault = "number", .text = "[01]" },
	{ .fault = "number", .text = "1." }, { .fault = "number", .text = "-" },
	{ .fault = "number", .text = "tru" }, { .fault = "number", .text = "nulll" },
	{ .fault = "number", .text = "NaN" },
	{ .fault = "number", .text = "1e" },
	{ .text = "123456789012345678901234567890" }, { .text = "1e-400" }, { .text = "1E+2" }, { .text = "-0.0" },
	{ .fault = "twice", .text = "{\"a\":1,\"a\":2}" },
	{ .fault = "twice", .text = "[[{\"\\u0061\":[],\"a\":{}}]]" },
	{ .fault = "twice", .twice = true },
};

static void put_useless(struct buf *b, const struct useless *u)
{
	if (u->text) {
		buf_z(b, u->text);
	} else if (u->levels) {
		put_nested(b, u->levels, u->maps);
	} else if (u->twice) {
		put_map(b, 1000);
	} else {
		buf_z(b, u->key ? "{\"" : "\"");
		put_long(b, u->key + u->length);
		buf_z(b, u->key ? "\":1}" : "\"");
	}
}

static const char good[] = "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"good\"},\"n\":[]}";
static const char head[] = "\"kind\":\"Pod\"",
	metadata[] = "\"metadata\":{\"labels\":{\"job\":\"j\",\"other\":\"o\"},\"name\":\"bad\",\"namespace\":\"n\","
		"\"resourceVersion\":\"7\",\"uid\":\"u\",\"x\":[{}]}";

/* Appends the useless object with the member BEFORE or AFTER its metadata, or within them. */
static void put_bad(struct buf *b, const struct useless *u, unsigned place)
{
	buf_printf(b, "{%s,", head);
	if (place == 1) {
		buf_printf(b, "%s,\"z\":", metadata);
		put_useless(b, u);
		buf_z(b, ",\"metadataa\":{\"name\":\"no\"},\"z2\":{\"metadata\":{\"name\":\"no\"}}}");
	} else if (place == 2) {
		buf_z(b, "\"metadata\":{\"a\":");
		put_useless(b, u);
		buf_printf(b, ",%s}", metadata + sizeof "\"metadata\":{" - 1);
	} else {
		buf_z(b, "\"a\":");
		put_useless(b, u);
		buf_printf(b, ",%s}", metadata);
	}
}

/* Reads TEXT, as it is and in small pieces, and compares what remains of it. DROP is a part that the filter drops. */
static void check_skips(const char *what, struct json_stream_options o, struct str text, struct str want)
{
	struct arena a = { 0 };
	static const size_t pieces[] = { 1 << 20, 1, 7, 4096 };

	o.label = "job";
	o.kept = KEPT;
	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
		struct str got = reading(&a, o, text, pieces[i]);
		if (!str_eq(got, want))
			printf("%s, pieces of %zu: %.*s\n", what, pieces[i], (int)(got.n > 900 ? 900 : got.n), got.p);
		CHECK(str_eq(got, want));
	}
	arena_release(&a);
}

/* The lines that reading() makes of one good object after, and one before a useless one. */
static void want_around(struct buf *want, const char *word, const struct useless *u, const char *type)
{
	static const char event[] = "{\"type\":\"ADDED\",\"object\":%s}\n";

	for (int i = 0; i < 2; i++) {
		buf_printf(want, "%s ", word);
		buf_printf(want, *type ? event : "%s\n", good);
		if (!i)
			buf_printf(want, "skipped %s %s Pod n/bad u 7 j\n", u->fault, type);
	}
}

static void check_useless(const struct useless *u, unsigned place)
{
	static const char *const types[] = { "ADDED", "MODIFIED", "DELETED" };
	struct buf text = { 0 }, want = { 0 };
	const char *what = u->text ? u->text : u->fault;

	buf_printf(&text, "{\"items\":[%s,", good);
	put_bad(&text, u, place);
	buf_printf(&text, ",%s],\"metadata\":{}}", good);
	want_around(&want, "item", u, "");
	buf_z(&want, "document {\"metadata\":{}}\n");
	check_skips(what, (struct json_stream_options){ .items = "items" }, buf_text(&text), buf_text(&want));
	for (size_t i = 0; i < 3; i++) {
		text.n = want.n = 0;
		buf_printf(&text, "{\"type\":\"ADDED\",\"object\":%s}\n{\"type\":\"%s\",\"object\":", good, types[i]);
		put_bad(&text, u, place);
		buf_printf(&text, "}\n{\"type\":\"ADDED\",\"object\":%s}\n", good);
		want_around(&want, "document", u, types[i]);
		check_skips(what, (struct json_stream_options){ .several = true, .object = "object" }, buf_text(&text),
			buf_text(&want));
	}
	buf_release(&text);
	buf_release(&want);
}

/* Nothing in a part that the filter drops makes an object useless. */
static void check_dropped(const struct useless *u)
{
	struct arena a = { 0 };
	struct buf text = { 0 };
	const char *const paths[] = { "-a", NULL };
	struct json_stream_options o = { .items = "items", .filter = json_filter_new(&a, paths) };
	char want[600];

	buf_z(&text, "{\"items\":[");
	put_bad(&text, u, 0);
	buf_z(&text, "]}");
	snprintf(want, sizeof want, "item {%s,%s}\ndocument {}\n", head, metadata);
	check_skips("dropped", o, buf_text(&text), str_of(want));
	buf_release(&text);
	arena_release(&a);
}

static void useless_objects(void)
{
	for (size_t i = 0; i < sizeof useless / sizeof *useless; i++) {
		const struct useless *u = &useless[i];
		for (unsigned place = 0; place < 3 && u->fault; place++)
			check_useless(u, place);
		check_dropped(u);
	}
}

/* What is near the limits, and only looks useless, is used. */
static void used_objects(void)
{
	for (size_t i = 0; i < sizeof useless / sizeof *useless; i++) {
		struct arena a = { 0 };
		struct buf text = { 0 };
		if (useless[i].fault)
			continue;
		put_bad(&text, &useless[i], 0);
		struct json_stream_options o = { .label = "job", .kept = KEPT, .several = true };
		struct str got = reading(&a, o, buf_text(&text), 7);
		CHECK(str_starts(got, STR("document {\"kind\":\"Pod\",\"a\":")) && str_ends(got, STR("}\n")));
		buf_release(&text);
		arena_release(&a);
	}
}

/* What a stream cannot skip, since it no longer knows where an item ends, and what ends it at last. */
static void lost(void)
{
	struct json_stream_options events = { .several = true, .object = "object", .label = "job" },
		list = { .items = "items", .label = "job" };
	struct arena a = { 0 };
	struct buf b = { 0 };

	READS(events, "{\"a\" 1}", "error at byte 5: expected ':' (near '{\"a\" 1')");
	READS(events, "{\"a\":1e400]", "error at byte 10: expected ',' or '}' (near '{\"a\":1e400]')");
	READS(events, "{\"a\":\"\n\"}",
		"error at byte 6: a control character in a string must be escaped (near '{\"a\":\"\\x0a')");
	READS(events, "upstream error", "error at byte 8: expected a value (near 'upstream ')");
	READS(events, "{\"a\":1e400",
		"error at byte 10: the text ends here, before it is complete (near '{\"a\":1e400')");
	READS(list, "{\"x\":1e400,\"items\":[]}", "error at byte 10: this number is too large (near '{\"x\":1e400,')");
	READS(list, "{\"items\":[1e400,{}],\"x\":01}",
		"skipped number   /   \nitem {}\n"
		"error at byte 26: this is not a number (near '{\"items\":[1e400,{}],\"x\":01}')");
	put_long(&b, 0);
	for (int i = 0; i <= JSON_STREAM_LEVELS; i++)
		buf_char(&b, '[');
	struct str got = reading(&a, events, buf_text(&b), 65536);
	CHECK(memmem(got.p, got.n, "more than a million deep", 24) != NULL);
	b.n = 0;
	buf_z(&b, "{\"a\":\"");
	put_long(&b, 1000);
	events.largest = 100;
	got = reading(&a, events, buf_text(&b), 64);
	CHECK(memmem(got.p, got.n, "this object has no end", 22) != NULL);
	buf_release(&b);
	arena_release(&a);
}

/* A stream may be stopped by a skipped object, too. */
static void stops(void)
{
	size_t one = 1;
	struct json_stream_options o = { .items = "items", .label = "job", .to = &one };

	READS(o, "{\"items\":[{\"a\":1e400},{}]}", "skipped number   /   \n");
}

int main(void)
{
	documents();
	lists();
	filters();
	refusals();
	limits();
	useless_objects();
	used_objects();
	lost();
	stops();
	return unit_end();
}
