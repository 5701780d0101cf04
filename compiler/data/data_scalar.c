/*
 * data_scalar.c - the value of a plain scalar, by the rules of the YAML reader that Kubernetes' tools use: YAML 1.1
 * without base 60 and without dates.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "data/data_parts.h"

static const struct word {
	const char *spellings[6];
	enum data_kind kind;
	bool value;
} words[] = {
	{ { "true", "True", "TRUE" }, DATA_BOOL, true },
	{ { "false", "False", "FALSE" }, DATA_BOOL, false },
	{ { "yes", "Yes", "YES", "y", "Y" }, DATA_BOOL, true },
	{ { "no", "No", "NO", "n", "N" }, DATA_BOOL, false },
	{ { "on", "On", "ON" }, DATA_BOOL, true },
	{ { "off", "Off", "OFF" }, DATA_BOOL, false },
	{ { "", "~", "null", "Null", "NULL" }, DATA_NULL, false },
};

static bool read_word(struct str text, struct data *ret)
{
	if (text.n > 5 || (text.n && !strchr("tTfFyYnNoO~", text.p[0])))
		return false;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		for (const char *const *spelling = words[i].spellings; *spelling; spelling++) {
			if (!str_is(text, *spelling))
				continue;
			ret->kind = words[i].kind;
			if (ret->kind == DATA_BOOL)
				ret->u.boolean = words[i].value;
			return true;
		}
	}
	return false;
}

bool data_digits(struct str text, int base, int64_t *ret)
{
	bool minus = text.n && text.p[0] == '-';
	uint64_t value = 0, most = minus ? (uint64_t)INT64_MAX + 1 : INT64_MAX;
	size_t i = text.n && (minus || text.p[0] == '+');

	if (i == text.n)
		return false;
	for (; i < text.n; i++) {
		unsigned char c = (unsigned char)text.p[i];
		uint64_t digit = isdigit(c) ? c - (uint64_t)'0' : isxdigit(c) ? (c | 0x20u) - (uint64_t)'a' + 10 : 99;

		if (digit >= (unsigned)base || value > (most - digit) / (unsigned)base)
			return false;
		value = value * (unsigned)base + digit;
	}
	*ret = minus ? (int64_t)(0 - value) : (int64_t)value;
	return true;
}

bool data_fraction(struct arena *a, struct str text, double *ret)
{
	char small[64];
	const char *p = small;

	if (text.n < sizeof small) {
		memcpy(small, text.p, text.n);
		small[text.n] = 0;
	} else {
		p = str_copy(a, text).p;
	}
	*ret = strtod(p, NULL);
	return isfinite(*ret);
}

/* Reads an integer such as "0x1f", "0b11", "0o17", "017" or "-5", whose prefix gives the base. */
static bool read_yaml_int(struct str text, int64_t *ret)
{
	char digits[80];
	size_t sign = text.n && (text.p[0] == '-' || text.p[0] == '+'), skip = 0;
	int base = 10;

	if (text.n > sign + 1 && text.p[sign] == '0') {
		char mark = (char)(text.p[sign + 1] | 0x20);
		base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
		skip = mark == 'x' || mark == 'b' || mark == 'o' ? 2 : 1;
	}
	if (text.n - skip >= sizeof digits)
		return false;
	memcpy(digits, text.p, sign);
	memcpy(digits + sign, text.p + sign + skip, text.n - sign - skip);
	/* no second sign may follow "0x" */
	if (skip && text.n > sign + skip && !isxdigit((unsigned char)text.p[sign + skip]))
		return false;
	return data_digits((struct str){ digits, text.n - skip }, base, ret);
}

static size_t run_of_digits(struct str text, size_t i)
{
	while (i < text.n && isdigit((unsigned char)text.p[i]))
		i++;
	return i;
}

/* Does the text match [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)? */
static bool is_fraction(struct str text)
{
	size_t start = text.n && (text.p[0] == '-' || text.p[0] == '+'), i = run_of_digits(text, start);
	bool whole = i > start;

	if (i < text.n && text.p[i] == '.') {
		size_t end = run_of_digits(text, i + 1);
		if (!whole && end == i + 1)
			return false;
		whole = true;
		i = end;
	}
	if (whole && i < text.n && (text.p[i] | 0x20) == 'e') {
		i += 1 + (i + 1 < text.n && (text.p[i + 1] == '-' || text.p[i + 1] == '+'));
		size_t end = run_of_digits(text, i);
		if (end == i)
			return false;
		i = end;
	}
	return whole && i == text.n;
}

static bool is_infinite(struct str text)
{
	static const char *const spellings[] = { ".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN" };

	for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++)
		if (str_is(text, spellings[i]))
			return true;
	if (text.n == 5 && (text.p[0] == '-' || text.p[0] == '+'))
		return is_infinite((struct str){ text.p + 1, 4 }) && (text.p[2] | 0x20) == 'i';
	return false;
}

/* Removes the underscores between digits, which have no meaning. */
static struct str without_underscores(struct arena *a, struct str text)
{
	if (!memchr(text.p, '_', text.n))
		return text;
	char *p = arena_copy(a, text.p, text.n);
	size_t n = 0;
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] != '_')
			p[n++] = text.p[i];
	return (struct str){ p, n };
}

bool data_plain(struct arena *a, struct str text, struct data *ret)
{
	char first = text.n ? text.p[0] : 0;

	ret->kind = DATA_STRING;
	ret->u.string = text;
	if (read_word(text, ret))
		return true;
	if (!isdigit((unsigned char)first) && first != '-' && first != '+' && first != '.')
		return true;
	if (is_infinite(text))
		return false;
	struct str number = without_underscores(a, text);
	int64_t integer;
	if (first != '.' && read_yaml_int(number, &integer)) {
		ret->kind = DATA_INT;
		ret->u.integer = integer;
	} else if (is_fraction(number)) {
		ret->kind = DATA_FLOAT;
		return data_fraction(a, number, &ret->u.number);
	}
	return true;
}
