/*
 * cluster_json_test.c - the incremental JSON reader: it builds the same tree wherever the input is split; tests what
 * filters keep and which input is rejected.
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

/* Returns the result of streaming TEXT in pieces of PIECE bytes; an error comes last. */
static struct str reading(struct arena *a, struct json_stream_options o, struct str text, size_t piece)
{
	struct seen s = { .stop_after = o.to ? *(size_t *)o.to : 0 };

	o.item = item;
	o.document = document;
	o.to = &s;
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

int main(void)
{
	documents();
	lists();
	filters();
	refusals();
	limits();
	return unit_end();
}
