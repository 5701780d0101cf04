/*
 * yaml_scalar_test.c - every text that we write is read back as that text.
 *
 * libyaml reads the bytes, and the patterns of both YAML versions decide what a plain scalar means. The patterns come
 * from the type repositories, and not from the emitter.
 */
#include <cjson/cJSON.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <yaml.h>

#include "objects/objects_render.h"

static int passed, failed;

static void verdict(bool good, const char *what, struct str text)
{
	if (good) {
		passed++;
		return;
	}
	failed++;
	printf("FAIL %s: ", what);
	for (size_t i = 0; i < text.n; i++)
		printf(text.p[i] >= 0x20 && text.p[i] < 0x7F ? "%c" : "\\x%02x", (unsigned char)text.p[i]);
	printf("\n");
}

/* Scalars that a YAML 1.1 or 1.2 parser does not read as strings. */
static const char *const patterns[] = {
	"^(~|null|Null|NULL)?$",
	"^(y|Y|yes|Yes|YES|n|N|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$",
	"^[-+]?0b[0-1_]+$", "^[-+]?0[0-7_]+$", "^[-+]?(0|[1-9][0-9_]*)$", "^[-+]?0x[0-9a-fA-F_]+$",
	"^[-+]?[1-9][0-9_]*(:[0-5]?[0-9])+$", "^[-+]?0o[0-7]+$", "^[-+]?[0-9]+$",
	"^[-+]?([0-9][0-9_]*)?\\.[0-9.]*([eE][-+][0-9]+)?$", "^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+\\.[0-9_]*$",
	"^[-+]?\\.(inf|Inf|INF)$", "^\\.(nan|NaN|NAN)$", "^[-+]?(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]+)?$",
	"^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
	"^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}([Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(\\.[0-9]*)?([ \t]*(Z|[-+][0-9]{1,2}(:[0-9]{2})?))?$",
	/* Ruby groups digits with commas */
	"^[-+]?(0|[1-9]([0-9]|,[0-9]|_[0-9])*)$", "^[-+]?[0-9][0-9_,]*(\\.[0-9_]*)?$",
	"^<<$", "^=$", "^[-+]?[0-9.][0-9_.eE+:-]*$",
};
static regex_t compiled[sizeof(patterns) / sizeof(*patterns)];

static bool means_a_string(const char *text)
{
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
		if (regexec(&compiled[i], text, 0, NULL, 0) == 0)
			return false;
	return true;
}

/* Returns the scalars of a stream in order, and whether each one means a string. */
static size_t scalars(struct arena *a, struct str yaml, struct str *ret, size_t max, bool *ret_strings)
{
	yaml_parser_t parser;
	yaml_event_t event;
	size_t n = 0;
	bool end = false;

	yaml_parser_initialize(&parser);
	yaml_parser_set_input_string(&parser, (const unsigned char *)yaml.p, yaml.n);
	while (!end && yaml_parser_parse(&parser, &event)) {
		end = event.type == YAML_STREAM_END_EVENT;
		if (event.type == YAML_SCALAR_EVENT && n < max) {
			if (event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
				!means_a_string((char *)event.data.scalar.value))
				*ret_strings = false;
			size_t length = event.data.scalar.length;
			ret[n++] = str_copy(a, (struct str){ (const char *)event.data.scalar.value, length });
		}
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	return end ? n : 0;
}

static void sample(struct arena *a, struct object **ret, struct object *value, struct str key)
{
	struct object *root = object_map(a, (struct span){ 0 });
	struct object *list, *inner;

	object_put(a, root, STR("first"), value);
	list = PUT_LIST(a, root, "list", ((struct span){ 0 }));
	object_add(a, list, value);
	inner = object_list(a, (struct span){ 0 });
	object_add(a, inner, value);
	object_add(a, list, inner);
	struct object *map = object_add_map(a, list, (struct span){ 0 });
	object_put(a, map, key, value);
	*ret = root;
}

static bool to_buf(void *context, const char *bytes, size_t n)
{
	buf_put(context, bytes, n);
	return true;
}

static struct str form(const struct object *root, bool json, int64_t index, struct buf *keep)
{
	struct rendered r = { .json = json };
	struct emit_sink sink = { keep, to_buf };
	struct outlet out = { .sink = &sink };

	keep->n = 0;
	render_object(&r, root);
	render_write(&r, index, &out);
	outlet_flush(&out);
	outlet_release(&out);
	render_release(&r);
	return buf_text(keep);
}

static void yaml_gives_back(const struct object *root, struct str text, struct str key, int64_t index)
{
	struct arena a = { 0 };
	struct buf keep = { 0 };
	struct str yaml = form(root, false, index, &keep), got[10];
	bool strings = true;
	size_t n = scalars(&a, yaml, got, 10, &strings);
	bool same = n == 7 && str_eq(got[1], text) && str_eq(got[3], text) && str_eq(got[4], text) &&
		str_eq(got[5], key) && str_eq(got[6], text);

	verdict(same, "YAML reads back", text);
	verdict(strings, "is a string to every reader", text);
	if (!same || !strings)
		printf("%.*s", STR_ARG(yaml));
	arena_release(&a);
	buf_release(&keep);
}

static void json_gives_back(const struct object *root, struct str text, int64_t index)
{
	struct buf keep = { 0 };
	struct str json = form(root, true, index, &keep);
	cJSON *read = cJSON_ParseWithLength(json.p, json.n);
	const cJSON *first = cJSON_GetObjectItem(read, "first");

	verdict(first && cJSON_IsString(first) && str_eq(str_of(first->valuestring), text), "JSON reads back", text);
	cJSON_Delete(read);
	buf_release(&keep);
}

static void check_text(struct str text)
{
	struct arena a = { 0 };
	struct object *root;
	struct str key = text.n ? text : STR("empty");

	sample(&a, &root, object_string(&a, text, (struct span){ 0 }), key);
	yaml_gives_back(root, text, key, 0);
	json_gives_back(root, text, 0);
	arena_release(&a);
}

/* A text with holes, and the same text without, give the same bytes. */
static void check_holes(const struct str *segments, size_t n)
{
	static const int64_t indexes[] = { 0, 1, 7, 10, 31, 1999 };

	for (size_t i = 0; i < sizeof(indexes) / sizeof(*indexes); i++) {
		struct arena a = { 0 };
		struct buf whole = { 0 };
		struct object *o = object_string(&a, STR(""), (struct span){ 0 }), *root;
		o->kind = OBJECT_TEXT;
		o->u.text.at = segments;
		o->u.text.n = n;
		object_text(o, indexes[i], &whole);
		sample(&a, &root, o, STR("key"));
		yaml_gives_back(root, buf_text(&whole), STR("key"), indexes[i]);
		json_gives_back(root, buf_text(&whole), indexes[i]);
		buf_release(&whole);
		arena_release(&a);
	}
}

static const char *const fixed[] = {
	"", " ", "a", "yes", "No", "ON", "off", "y", "N", "true", "FALSE", "null", "Null", "~", "~/x", "=", "<<", "<",
	"0", "-0", "+1", "0o7", "0O7", "017", "1e3", "1E-3", "12e6", "1_000", "1:30", "12:30:45", "190:20:30.15",
	"0x1F", "0b101", "-0x1f", ".5", "5.", ".", "..", "...", "---", "--- a", "-", "- a", "-a", "-1", "-1a",
	"--epochs=10", "-De", ".inf", "-.Inf", ".NaN", "2001-01-01", "2001-01-01T00:00:00Z", "2001-1-1 1:00:00 +1",
	"1:8", "256Gi", "500m", "a: b", "a:", ":a", "a:b", "a #b", "a#b", "#a", "# ", "? a", "?a", "[a]", "{a}", "a,b",
	"&a", "*a", "!a", "!!str a", "|", ">", "'a'", "\"a\"", "a'b", "a\"b", "%a", "@a", "`a`", " a", "a ", "\ta",
	"a\t", "a\tb", "\n", "a\n", "a\nb", "a\nb\n", "a\n\n", "a\n\nb\n", "\na", " a\nb", "a\n b\n", "a\n \nb",
	"a\n\tb", "a\n ", "a \nb \n", "a\r\nb", "\r", "\x01", "\x7f", "\x1b[0m", "a\\b", "\\", "C:\\x", "{\"a\":1}",
	"{\"a\":\"it's\"}", "caf\xc3\xa9", "\xc2\x85", "a\xc2\x85\x62", "\xe2\x80\xa8", "a\xe2\x80\xa9" "b",
	"\xef\xbb\xbf" "a", "\xf0\x9f\x98\x80", "\xef\xbf\xbe", "\xef\xbf\xbd", "\xc2\xa0", "a\n#b\n", "a\n---\nb\n",
	"a\n...\n", "key: |\n  x\n", "$(TRAINC_INDEX)", "$$(x)", "rank-$(A)", "/bin/sh", "10.0.0.1:5000/x", "1.33",
	"1.2.3", "nan", "inf", "metadata.annotations['batch.kubernetes.io/job-completion-index']",
	"nvidia.com/gpu.product", "*", "**", "&", "!", "a\xc3\xa9\nb\n",
};

static void check_random(unsigned count)
{
	static const char *const parts[] = { "a", "B", "0", "1", "9", "-", "+", ".", ",", ":", " ", "#", "'", "\"",
		"\\", "\n", "\t", "e", "x", "o", "_",
		"yes", "null", "~", "=", "<", "{", "}", "[", "]", ",", "&", "*", "!", "|", ">", "%", "@", "`", "?",
		"\r", "\x7f", "\x02", "$(", "\xc3\xa9", "\xc2\x85", "\xe2\x80\xa8", "\xef\xbb\xbf", "\xf0\x9f\x98\x80",
		"T", "Z", "i", "n", "f" };
	uint32_t seed = 20260117;

	for (unsigned i = 0; i < count; i++) {
		char text[64] = "";
		seed = seed * 1664525u + 1013904223u;
		unsigned length = 1 + (seed >> 16) % 7;
		for (unsigned k = 0; k < length; k++) {
			seed = seed * 1664525u + 1013904223u;
			strcat(text, parts[(seed >> 16) % (sizeof(parts) / sizeof(*parts))]);
		}
		check_text(str_of(text));
		struct str segments[] = { { text, strlen(text) / 2 }, { NULL, 0 },
			{ text + strlen(text) / 2, strlen(text) - strlen(text) / 2 } };
		bool inside = strlen(text) / 2 < strlen(text) && ((unsigned char)text[strlen(text) / 2] & 0xC0) == 0x80;
		if (!inside && i % 8 == 0)
			check_holes(segments, 3);
	}
}

static void style_is(const char *text, enum yaml_style wanted)
{
	struct str s = str_of(text);

	verdict(yaml_style_of(&s, 1, false) == wanted, "style", s);
}

int main(void)
{
	static const struct str rank[] = { { "rank-", 5 }, { NULL, 0 } }, alone[] = { { NULL, 0 } },
		date[] = { { "2001-01-", 8 }, { NULL, 0 } },
		hex[] = { { "0x", 2 }, { NULL, 0 } }, sixty[] = { { "1:", 2 }, { NULL, 0 } },
		lines[] = { { "a\n", 2 }, { NULL, 0 }, { "\nb\n", 3 } },
		task[] = { { "{\"task\":{\"index\":", 17 }, { NULL, 0 }, { "}}", 2 } };

	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
		if (regcomp(&compiled[i], patterns[i], REG_EXTENDED | REG_NOSUB))
			return 1;
	for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
		check_text(str_of(fixed[i]));
	check_holes(rank, 2);
	check_holes(alone, 1);
	check_holes(date, 2);
	check_holes(hex, 2);
	check_holes(sixty, 2);
	check_holes(lines, 3);
	check_holes(task, 3);
	check_random(20000);
	style_is("--epochs=10", YAML_PLAIN);
	style_is("registry.example.com/ml/mnist:1.4.2", YAML_PLAIN);
	style_is("256Gi", YAML_PLAIN);
	style_is("-De", YAML_PLAIN);
	style_is("1Ti", YAML_PLAIN);
	style_is("{\"a\":1}", YAML_SINGLE);
	style_is("set -e\nrun\n", YAML_LITERAL);
	style_is("1e3", YAML_DOUBLE);
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
		regfree(&compiled[i]);
	if (!failed)
		printf("ok every text is read back\n");
	printf("%d passed, %d failed\n", passed, failed);
	return failed != 0;
}
