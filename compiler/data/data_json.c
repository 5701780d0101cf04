/*
 * data_json.c - a strict JSON reader. Most of a large input is strings without an escape: such strings are not copied,
 * and each of their bytes is read only once.
 */
#include <ctype.h>

#include "data/data_parts.h"

struct json {
	struct data_text *t;
	struct str text;
	size_t at;
	unsigned depth;
};

size_t json_skip(const struct data_text *t, size_t at)
{
	struct str text = t->source->text;

	if (at == 0 && str_starts(text, STR("\xEF\xBB\xBF")))
		at = 3;
	while (at < text.n && (text.p[at] == ' ' || text.p[at] == '\n' || text.p[at] == '\r' || text.p[at] == '\t'))
		at++;
	return at;
}

static int peek(struct json *j)
{
	j->at = json_skip(j->t, j->at);
	return j->at < j->text.n ? (unsigned char)j->text.p[j->at] : -1;
}

/* Reports an error at the character at AT, or at the end of the text. */
static struct data *fail_at(struct json *j, size_t at, const char *what)
{
	size_t end = at < j->text.n ? at + 1 : at;

	while (end < j->text.n && ((unsigned char)j->text.p[end] & 0xC0) == 0x80)
		end++;
	data_fail(j->t, at, end, "%s", at < j->text.n ? what : "the text ends here, before it is complete");
	return NULL;
}

/* ---- strings ---- */

static bool hex4(struct json *j, size_t at, uint32_t *ret)
{
	int64_t value;

	if (at + 4 > j->text.n)
		return false;
	for (size_t i = 0; i < 4; i++)
		if (!isxdigit((unsigned char)j->text.p[at + i]))
			return false;
	data_digits((struct str){ j->text.p + at, 4 }, 16, &value);
	*ret = (uint32_t)value;
	return true;
}

static void put_utf8(struct buf *b, uint32_t c)
{
	if (c < 0x80) {
		buf_char(b, (char)c);
	} else if (c < 0x800) {
		buf_char(b, (char)(0xC0 | c >> 6));
		buf_char(b, (char)(0x80 | (c & 0x3F)));
	} else {
		if (c < 0x10000) {
			buf_char(b, (char)(0xE0 | c >> 12));
		} else {
			buf_char(b, (char)(0xF0 | c >> 18));
			buf_char(b, (char)(0x80 | (c >> 12 & 0x3F)));
		}
		buf_char(b, (char)(0x80 | (c >> 6 & 0x3F)));
		buf_char(b, (char)(0x80 | (c & 0x3F)));
	}
}

/*
 * Reads \uXXXX, or two of them for one character beyond U+FFFF. Half of such a pair becomes U+FFFD, as in other
 * readers.
 */
static bool escape_unicode(struct json *j, struct buf *b)
{
	uint32_t c, low;

	if (!hex4(j, j->at + 2, &c))
		return fail_at(j, j->at, "four hexadecimal digits must follow '\\u'") != NULL;
	j->at += 6;
	if (c >= 0xD800 && c < 0xDC00 && j->at + 1 < j->text.n && j->text.p[j->at] == '\\' &&
	    j->text.p[j->at + 1] == 'u' && hex4(j, j->at + 2, &low) && low >= 0xDC00 && low < 0xE000) {
		c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
		j->at += 6;
	}
	put_utf8(b, c >= 0xD800 && c < 0xE000 ? 0xFFFD : c);
	return true;
}

static bool read_escape(struct json *j, struct buf *b)
{
	static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	int c = j->at + 1 < j->text.n ? (unsigned char)j->text.p[j->at + 1] : 0;
	const char *name = c ? strchr(names, c) : NULL;

	if (c == 'u')
		return escape_unicode(j, b);
	if (!name)
		return fail_at(j, j->at + (j->at + 1 == j->text.n), "JSON has no such escape") != NULL;
	buf_char(b, values[name - names]);
	j->at += 2;
	return true;
}

/* Moves past bytes that need no decoding. False, with the error set, at an invalid byte or at the end of the text. */
static bool plain_bytes(struct json *j)
{
	const char *p = j->text.p;

	while (j->at < j->text.n) {
		unsigned char c = (unsigned char)p[j->at];
		size_t n = 1;

		if (c == '"' || c == '\\')
			return true;
		if (c < 0x20)
			return fail_at(j, j->at, "a control character in a string: write it as an escape") != NULL;
		if (c >= 0x80 && !(n = str_utf8(p + j->at, j->text.n - j->at)))
			return fail_at(j, j->at, "this is not UTF-8") != NULL;
		j->at += n;
	}
	return fail_at(j, j->at, "") != NULL;
}

/* Reads a string whose opening quote is at `*at`. */
static bool read_json_string(struct json *j, struct str *ret)
{
	struct buf b = { 0 };
	size_t start = ++j->at;
	bool ok = plain_bytes(j);

	if (ok && j->text.p[j->at] == '"') {
		*ret = (struct str){ j->text.p + start, j->at++ - start };
		return true;
	}
	while (ok) {
		buf_put(&b, j->text.p + start, j->at - start);
		if (j->text.p[j->at] == '"')
			break;
		ok = read_escape(j, &b);
		start = j->at;
		ok = ok && plain_bytes(j);
	}
	if (ok) {
		j->at++;
		*ret = buf_take(&b, j->t->arena);
	}
	buf_release(&b);
	return ok;
}

/* ---- values ---- */

static struct data *value(struct json *j);

static size_t skip_json_digits(struct json *j, size_t i)
{
	while (i < j->text.n && isdigit((unsigned char)j->text.p[i]))
		i++;
	return i;
}

static struct data *read_json_number(struct json *j)
{
	const char *p = j->text.p;
	size_t start = j->at, whole = start + (p[start] == '-'), i = skip_json_digits(j, whole);
	bool integer = true, ok = i > whole && (p[whole] != '0' || i == whole + 1);

	if (ok && i < j->text.n && p[i] == '.') {
		size_t end = skip_json_digits(j, i + 1);
		integer = false;
		ok = end > i + 1;
		i = end;
	}
	if (ok && i < j->text.n && (p[i] | 0x20) == 'e') {
		i += 1 + (i + 1 < j->text.n && (p[i + 1] == '+' || p[i + 1] == '-'));
		size_t end = skip_json_digits(j, i);
		integer = false;
		ok = end > i;
		i = end;
	}
	struct str text = { p + start, i - start };
	struct data *d = data_new(j->t, DATA_INT, data_span(j->t, start, i));
	if (!ok)
		return fail_at(j, i, "this is not a JSON number");
	j->at = i;
	if (integer && data_digits(text, 10, &d->u.integer))
		return d;
	d->kind = DATA_FLOAT;
	if (data_fraction(j->t->arena, text, &d->u.number))
		return d;
	data_fail(j->t, start, i, "this number is too large");
	return NULL;
}

static struct data *read_json_word(struct json *j)
{
	static const struct {
		const char *text;
		enum data_kind kind;
	} words[] = { { "null", DATA_NULL }, { "true", DATA_BOOL }, { "false", DATA_BOOL } };
	struct str rest = { j->text.p + j->at, j->text.n - j->at };

	for (size_t i = 0; i < 3; i++) {
		if (!str_starts(rest, str_of(words[i].text)))
			continue;
		size_t n = strlen(words[i].text);
		struct data *d = data_new(j->t, words[i].kind, data_span(j->t, j->at, j->at + n));
		if (d->kind == DATA_BOOL)
			d->u.boolean = i == 1;
		j->at += n;
		return d;
	}
	return fail_at(j, j->at, "expected a value");
}

/* Does another element follow in the list or map that END closes? Returns 1 or 0, or -1 with the error set. */
static int another(struct json *j, char end, const char *what)
{
	int c = peek(j);

	if (c == end)
		return 0;
	if (c == ',')
		return j->at++, 1;
	fail_at(j, j->at, what);
	return -1;
}

static struct data *read_json_list(struct json *j, struct data *d)
{
	size_t base = j->t->stack.n;
	int more = peek(j) != ']';

	while (more > 0) {
		struct data *element = value(j);
		if (!element)
			return NULL;
		data_push(&j->t->stack, (struct data_member){ .value = element });
		more = another(j, ']', "expected ',' or ']'");
	}
	if (more < 0)
		return NULL;
	data_close_list(j->t, base, d);
	return d;
}

static bool read_json_member(struct json *j, struct data_member *ret)
{
	if (peek(j) != '"')
		return fail_at(j, j->at, "expected a key in double quotes") != NULL;
	size_t start = j->at;
	if (!data_spend(j->t, start, 1) || !read_json_string(j, &ret->key))
		return false;
	ret->key_at = data_span(j->t, start, j->at);
	if (peek(j) != ':')
		return fail_at(j, j->at, "expected ':'") != NULL;
	j->at++;
	ret->value = value(j);
	return ret->value;
}

static struct data *read_json_map(struct json *j, struct data *d)
{
	size_t base = j->t->stack.n;
	int more = peek(j) != '}';

	while (more > 0) {
		struct data_member m;
		if (!read_json_member(j, &m))
			return NULL;
		data_push(&j->t->stack, m);
		more = another(j, '}', "expected ',' or '}'");
	}
	return more == 0 && data_close_map(j->t, base, d) ? d : NULL;
}

static struct data *collection(struct json *j, bool is_map)
{
	struct data *d = data_new(j->t, is_map ? DATA_MAP : DATA_LIST, data_span(j->t, j->at, j->at + 1));

	if (++j->depth > DATA_DEEPEST)
		return fail_at(j, j->at, "this is nested too deeply");
	j->at++;
	if (!(is_map ? read_json_map(j, d) : read_json_list(j, d)))
		return NULL;
	j->depth--;
	j->at++;
	d->from.end = data_span(j->t, j->at, j->at).end;
	return d;
}

static struct data *value(struct json *j)
{
	int c = peek(j);
	size_t start = j->at;
	struct str s;

	if (!data_spend(j->t, start, 1))
		return NULL;
	if (c == '{' || c == '[')
		return collection(j, c == '{');
	if (c == '-' || (c >= '0' && c <= '9'))
		return read_json_number(j);
	if (c != '"')
		return read_json_word(j);
	if (!read_json_string(j, &s))
		return NULL;
	struct data *d = data_new(j->t, DATA_STRING, data_span(j->t, start, j->at));
	d->u.string = s;
	return d;
}

struct data *json_read(struct data_text *t, size_t *at)
{
	struct json j = { .t = t, .text = t->source->text, .at = *at };
	size_t base = t->stack.n;
	struct data *d = value(&j);

	t->stack.n = base;
	if (d)
		*at = j.at;
	return d;
}
