/*
 * number.c - classifies number words. The scanner takes one long word, such as `64GB`, `0x10` or `1.2.3`, and this file
 * decides what it is. A number followed by letters is a quantity even when no such unit exists: the checker knows what
 * the field needs and can say more about `64GB` than "not a number".
 */
#include "syntax/number.h"

#include "base/quantity.h"
#include "trainc.tab.h"

#include <math.h>
#include <stdlib.h>

static bool is_number_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static size_t digit_run(struct str w, size_t i)
{
	while (i < w.n && (is_number_digit(w.p[i]) || w.p[i] == '_'))
		i++;
	return i;
}

static struct str shown(const struct tokens *ts, struct span at) { return tokens_shown(ts, at.start, at.end); }

static bool is_hex_digit(char c)
{
	return is_number_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == '_';
}

static int report_hex(struct tokens *ts, struct span at, struct str w)
{
	struct diag *d = diag_report(ts->diags, TJ0110, at, "hexadecimal numbers are not supported");
	uint64_t value = 0;

	for (size_t i = 2; i < w.n; i++) {
		if (w.p[i] == '_')
			continue;
		if (!is_hex_digit(w.p[i]) || value >> 60)
			return TOKEN_BAD;
		value = value * 16 + (uint64_t)(is_number_digit(w.p[i]) ? w.p[i] - '0' : (w.p[i] | 32) - 'a' + 10);
	}
	if (w.n > 2) {
		diag_help(ts->diags, d, "write %llu instead of %.*s", (unsigned long long)value,
			STR_ARG(shown(ts, at)));
		diag_fix(ts->diags, d, at, str_printf(ts->arena, "%llu", (unsigned long long)value),
			"write it in decimal");
	}
	return TOKEN_BAD;
}

static int report_underscore(struct tokens *ts, struct span at)
{
	struct diag *d = diag_report(ts->diags, TJ0102, at, "'%.*s' is not a number", STR_ARG(shown(ts, at)));
	diag_label(ts->diags, d, "'_' is allowed only between two digits");
	return TOKEN_BAD;
}

/* Is a typographic quote before AT on its line? Then the number is part of a text, and the quote was reported. */
static bool in_typographic_quotes(const struct tokens *ts, struct span at)
{
	struct str all = ts->source->text;
	size_t i = at.start - ts->source->base;

	for (; i >= 3 && all.p[i - 1] != '\n'; i--)
		if (memcmp(all.p + i - 3, "\xe2\x80", 2) == 0 && (unsigned char)all.p[i - 1] >= 0x98 &&
		    (unsigned char)all.p[i - 1] <= 0x9f)
			return true;
	return false;
}

static int report_fractions(struct tokens *ts, struct span at)
{
	if (in_typographic_quotes(ts, at))
		return TOKEN_BAD;
	struct diag *d = diag_report(ts->diags, TJ0102, at, "'%.*s' is not a number", STR_ARG(shown(ts, at)));
	diag_label(ts->diags, d, "a number has one fraction");
	diag_help(ts->diags, d, "a version is text: write \"%.*s\"", STR_ARG(shown(ts, at)));
	return TOKEN_BAD;
}

static int octal_kind(struct tokens *ts, struct span at, struct str w)
{
	for (size_t i = 2; i < w.n; i++) {
		if ((w.p[i] >= '0' && w.p[i] <= '7') || w.p[i] == '_')
			continue;
		struct diag *d = diag_report(ts->diags, TJ0102, at, "'%.*s' is not a number", STR_ARG(shown(ts, at)));
		diag_label(ts->diags, d, "octal digits are 0 to 7");
		return TOKEN_BAD;
	}
	return w.n > 2 ? TOKEN_INT : report_underscore(ts, at);
}

/* Are all `_` between two digits? */
static bool underscores_ok(struct str w)
{
	const char *p = memchr(w.p, '_', w.n);
	for (size_t i = p ? (size_t)(p - w.p) : w.n; i < w.n; i++)
		if (w.p[i] == '_' &&
		    (i == 0 || i + 1 == w.n || !is_number_digit(w.p[i - 1]) || !is_number_digit(w.p[i + 1])))
			return false;
	return true;
}

static int topology_kind(struct tokens *ts, struct span at, struct str w)
{
	unsigned dimensions = 1;
	int64_t size[3];

	for (size_t i = 0; i < w.n; i++)
		dimensions += w.p[i] == 'x';
	if (dimensions > 3) {
		struct diag *d = diag_report(ts->diags, TJ0102, at, "'%.*s' is not a topology", STR_ARG(shown(ts, at)));
		diag_label(ts->diags, d, "a topology has two or three dimensions");
		return TOKEN_BAD;
	}
	if (!number_topology(w, size)) {
		diag_report(ts->diags, TJ0301, at, "%.*s does not fit in 64 bits", STR_ARG(shown(ts, at)));
		return TOKEN_BAD;
	}
	return TOKEN_TOPOLOGY;
}

/* Does the word consist of digits joined by `x`? */
static bool is_topology(struct str w)
{
	size_t i = digit_run(w, 0);
	if (i == w.n)
		return false;
	while (i < w.n && w.p[i] == 'x') {
		size_t next = digit_run(w, i + 1);
		if (next == i + 1)
			return false;
		i = next;
	}
	return i == w.n;
}

static bool is_exponent(struct str w, size_t i)
{
	if (i >= w.n || (w.p[i] != 'e' && w.p[i] != 'E'))
		return false;
	i++;
	if (i < w.n && (w.p[i] == '+' || w.p[i] == '-'))
		i++;
	return i < w.n && digit_run(w, i) == w.n;
}

/* Reports a duration such as 2h30m; true if it did. */
static bool report_compound(struct tokens *ts, struct span at, struct str w)
{
	struct quantity q;

	if (!duration_compound(w, &q))
		return false;
	struct str text = duration_text(ts->arena, q);
	struct diag *d = diag_report(ts->diags, TJ0304, at, "a duration is one number and one unit");
	diag_help(ts->diags, d, "write %.*s", STR_ARG(text));
	diag_fix(ts->diags, d, at, text, "write %.*s", STR_ARG(text));
	return true;
}

/* The kind of a number followed by letters, which is a quantity whatever the letters are. */
static int quantity_kind(struct tokens *ts, struct span at, struct str w, size_t unit)
{
	for (size_t i = unit; i < w.n; i++) {
		if (is_letter(w.p[i]))
			continue;
		if (w.p[i] == '.')
			return report_fractions(ts, at);
		if (report_compound(ts, at, w))
			return TOKEN_BAD;
		struct diag *d = diag_report(ts->diags, TJ0304, at, "'%.*s' is not a unit",
		                             STR_ARG(tokens_shown(ts, at.start + (uint32_t)unit, at.end)));
		diag_help(ts->diags, d, "a quantity is one number and one unit; text is written in quotes");
		return TOKEN_BAD;
	}
	return TOKEN_QUANTITY;
}

int number_kind(struct tokens *ts, uint32_t start, uint32_t end)
{
	struct span at = { start, end };
	struct str w = tokens_text(ts, start, end);
	size_t i = digit_run(w, 0);

	if (i == w.n)
		return underscores_ok(w) ? TOKEN_INT : report_underscore(ts, at);
	if (w.p[0] == '0' && (w.p[1] == 'x' || w.p[1] == 'X'))
		return report_hex(ts, at, w);
	if (!underscores_ok(w))
		return report_underscore(ts, at);
	if (w.p[0] == '0' && w.p[1] == 'o')
		return octal_kind(ts, at, w);
	if (is_topology(w))
		return topology_kind(ts, at, w);
	if (w.p[i] == '.' && (i = digit_run(w, i + 1)) == w.n)
		return TOKEN_FLOAT;
	if (w.p[i] == '.')
		return report_fractions(ts, at);
	if (is_exponent(w, i))
		return TOKEN_FLOAT;
	return quantity_kind(ts, at, w, i);
}

bool number_integer(struct str w, uint64_t *ret)
{
	unsigned base = 10;
	uint64_t value = 0;
	size_t i = 0;

	if (w.n > 2 && w.p[0] == '0' && w.p[1] == 'o') {
		base = 8;
		i = 2;
	}
	for (; i < w.n; i++) {
		if (w.p[i] == '_')
			continue;
		if (__builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(w.p[i] - '0'), &value))
			return false;
	}
	*ret = value;
	return true;
}

bool number_floating(struct str w, double *ret)
{
	char small[64], *clean = w.n < sizeof(small) ? small : memory_hold(NULL, w.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < w.n; i++)
		if (w.p[i] != '_')
			clean[n++] = w.p[i];
	clean[n] = 0;
	*ret = strtod(clean, NULL);
	if (clean != small)
		memory_drop(clean);
	return isfinite(*ret);
}

unsigned number_topology(struct str w, int64_t size[3])
{
	unsigned n = 0;
	for (size_t i = 0; i < w.n && n < 3; i++) {
		size_t end = digit_run(w, i);
		uint64_t value;
		if (!number_integer((struct str){ w.p + i, end - i }, &value) || value > INT64_MAX)
			return 0;
		size[n++] = (int64_t)value;
		i = end;
	}
	return n;
}
