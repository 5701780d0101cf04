/*
 * api_docker.c - checks whether a text is one JSON object. The API server checks this for a Secret with credentials
 * of a registry. Like the server, this code takes the last of two values with the same key, and accepts null as an
 * object without members.
 */
#include "verify/api_rules.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

enum { DEEPEST = 1000 };                /* texts that are nested more deeply are not checked here */

struct json_text {
	const char *p, *end;
	unsigned depth;
	bool deep;
};

static void skip_blanks(struct json_text *t)
{
	while (t->p < t->end && *t->p && strchr(" \t\r\n", *t->p))
		t->p++;
}

static bool skip_sign(struct json_text *t, char sign)
{
	skip_blanks(t);
	if (t->p == t->end || *t->p != sign)
		return false;
	t->p++;
	return true;
}

static bool skip_word(struct json_text *t, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(t->end - t->p) < n || memcmp(t->p, word, n) != 0)
		return false;
	t->p += n;
	return true;
}

static bool skip_escape(struct json_text *t)
{
	if (t->p == t->end || !*t->p)
		return false;
	if (*t->p != 'u')
		return strchr("\"\\/bfnrt", *t->p++) != NULL;
	t->p++;
	for (int i = 0; i < 4; i++)
		if (t->p == t->end || !isxdigit((unsigned char)*t->p++))
			return false;
	return true;
}

static bool skip_string(struct json_text *t)
{
	if (!skip_sign(t, '"'))
		return false;
	while (t->p < t->end && *t->p != '"') {
		if ((unsigned char)*t->p < 0x20)
			return false;
		if (*t->p++ == '\\' && !skip_escape(t))
			return false;
	}
	return skip_sign(t, '"');
}

static bool skip_digits(struct json_text *t)
{
	const char *start = t->p;

	while (t->p < t->end && isdigit((unsigned char)*t->p))
		t->p++;
	return t->p > start;
}

/* Skips a number that fits in a double. */
static bool skip_number(struct json_text *t)
{
	const char *start = t->p;
	char room[64];

	t->p += t->p < t->end && *t->p == '-';
	bool zero = t->p < t->end && *t->p == '0';
	const char *whole = t->p;
	if (!skip_digits(t) || (zero && t->p > whole + 1))
		return false;
	if (t->p < t->end && *t->p == '.' && (t->p++, !skip_digits(t)))
		return false;
	if (t->p < t->end && (*t->p == 'e' || *t->p == 'E')) {
		t->p++;
		t->p += t->p < t->end && (*t->p == '+' || *t->p == '-');
		if (!skip_digits(t))
			return false;
	}
	size_t n = (size_t)(t->p - start);
	if (n >= sizeof room)
		return true;
	memcpy(room, start, n);
	room[n] = 0;
	return !isinf(strtod(room, NULL));
}

static bool skip_value(struct json_text *t);

/* Skips the rest of a list or an object, after its opening bracket. */
static bool skip_members(struct json_text *t, char close, bool keys)
{
	if (skip_sign(t, close))
		return true;
	do {
		if ((keys && (!skip_string(t) || !skip_sign(t, ':'))) || !skip_value(t))
			return false;
	} while (skip_sign(t, ','));
	return skip_sign(t, close);
}

static bool skip_value(struct json_text *t)
{
	bool fine;

	skip_blanks(t);
	if (t->p == t->end)
		return false;
	if (*t->p == '"')
		return skip_string(t);
	if (*t->p != '{' && *t->p != '[')
		return skip_word(t, "true") || skip_word(t, "false") || skip_word(t, "null") || skip_number(t);
	bool keys = *t->p++ == '{';
	if (++t->depth > DEEPEST) {
		t->deep = true;
		return false;
	}
	fine = skip_members(t, keys ? '}' : ']', keys);
	t->depth--;
	return fine;
}

bool api_is_json_object(struct str text)
{
	struct json_text t = { .p = text.p, .end = text.p + text.n };

	skip_blanks(&t);
	if (t.p == t.end || (*t.p != '{' && *t.p != 'n'))
		return false;
	bool fine = skip_value(&t);
	skip_blanks(&t);
	return t.deep || (fine && t.p == t.end);
}
