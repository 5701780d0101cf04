/*
 * quantity.c - exact amounts and durations. A literal consists of digits, a fraction and a unit. All three are combined
 * with integer arithmetic: the digits without the decimal point are the mantissa, a fraction lowers the decimal
 * exponent, a decimal unit raises it, and a binary unit is a shift. So nothing is ever rounded. An amount that is too
 * large, or that is not a whole number of nano-units (Kubernetes would round it up), is refused. The canonical text
 * follows resource.Quantity. Trailing zeros of decimal amounts are replaced by an exponent that is a multiple of three.
 * Factors of 1024 of binary amounts are replaced by a binary unit; binary amounts below 1024 or with a fraction are
 * written as decimal ones.
 */
#include "base/quantity.h"

__extension__ typedef unsigned __int128 uint128;

enum { NANO_DIGITS = 9, BASE_TEN = 10 };

/* The parts of a number with a suffix. */
struct word {
	uint128 mantissa;
	bool too_large;                 /* the digits alone are too large */
	bool too_fine;                  /* the fraction alone is finer than a nano-unit */
	int fraction;                   /* number of digits after the point, without trailing zeros */
	struct str suffix;
};

struct quantity_unit {
	const char *suffix;
	enum quantity_form form;
	int shift;                      /* the unit as an exponent of two */
	int exponent;                   /* the unit as an exponent of ten */
};

static const struct quantity_unit units[] = {
	{ "", QUANTITY_DECIMAL, 0, 0 },
	{ "n", QUANTITY_DECIMAL, 0, -9 }, { "u", QUANTITY_DECIMAL, 0, -6 }, { "m", QUANTITY_DECIMAL, 0, -3 },
	{ "k", QUANTITY_DECIMAL, 0, 3 }, { "M", QUANTITY_DECIMAL, 0, 6 }, { "G", QUANTITY_DECIMAL, 0, 9 },
	{ "T", QUANTITY_DECIMAL, 0, 12 }, { "P", QUANTITY_DECIMAL, 0, 15 }, { "E", QUANTITY_DECIMAL, 0, 18 },
	{ "Ki", QUANTITY_BINARY, 10, 0 }, { "Mi", QUANTITY_BINARY, 20, 0 }, { "Gi", QUANTITY_BINARY, 30, 0 },
	{ "Ti", QUANTITY_BINARY, 40, 0 }, { "Pi", QUANTITY_BINARY, 50, 0 }, { "Ei", QUANTITY_BINARY, 60, 0 },
};

static const struct duration_unit {
	const char *suffix;
	int64_t millis;
} duration_units[] = {          /* largest first: duration_text() takes the first one that divides the duration */
	{ "d", 86400000 }, { "h", 3600000 }, { "min", 60000 }, { "s", 1000 }, { "ms", 1 },
};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static int128 quantity_limit(void) { return (int128)INT64_MAX * QUANTITY_UNIT; }

static bool is_quantity_digit(char c) { return c >= '0' && c <= '9'; }

static bool append_digit(uint128 *mantissa, char digit)
{
	const uint128 limit = ((uint128)1 << 126) / BASE_TEN;

	if (*mantissa > limit)
		return false;
	*mantissa = *mantissa * BASE_TEN + (uint128)(digit - '0');
	return true;
}

/* Reads the digits before the point; returns the number of bytes. */
static size_t take_whole(struct str s, bool underscores, struct word *w)
{
	size_t i = 0;

	for (; i < s.n; i++) {
		if (underscores && s.p[i] == '_' && i > 0 && i + 1 < s.n && is_quantity_digit(s.p[i + 1]))
			continue;
		if (!is_quantity_digit(s.p[i]))
			break;
		if (!append_digit(&w->mantissa, s.p[i]))
			w->too_large = true;
	}
	return i;
}

/* Reads the digits after the point; a zero only counts if a nonzero digit follows it. */
static size_t take_fraction(struct str s, struct word *w)
{
	size_t i = 0;
	int zeros = 0;

	for (; i < s.n && is_quantity_digit(s.p[i]); i++) {
		if (s.p[i] == '0') {
			zeros += zeros < 1000;
			continue;
		}
		for (; zeros > 0 && !w->too_fine; zeros--, w->fraction++)
			w->too_fine = !append_digit(&w->mantissa, '0');
		w->too_fine = w->too_fine || !append_digit(&w->mantissa, s.p[i]);
		w->fraction++;
		zeros = 0;
	}
	return i;
}

/* Splits an unsigned literal of the language. False when it does not begin with a number. */
static bool cut_literal(struct str s, struct word *w)
{
	size_t at = take_whole(s, true, w);

	if (at == 0)
		return false;
	if (at + 1 < s.n && s.p[at] == '.' && is_quantity_digit(s.p[at + 1])) {
		struct str rest = { s.p + at + 1, s.n - at - 1 };
		at += 1 + take_fraction(rest, w);
	}
	w->suffix = (struct str){ s.p + at, s.n - at };
	return true;
}

/* Splits a number in the syntax of Kubernetes, where ".5" and "5." are numbers and underscores are not allowed. */
static bool cut_full(struct str s, struct word *w)
{
	size_t whole = take_whole(s, false, w), at = whole;
	bool point = at < s.n && s.p[at] == '.';

	if (point) {
		struct str rest = { s.p + at + 1, s.n - at - 1 };
		at += 1 + take_fraction(rest, w);
	}
	w->suffix = (struct str){ s.p + at, s.n - at };
	return whole > 0 || at > 1;
}

/* Reads "e6", "E+3" or "e-9". A huge exponent is clamped: beyond that every amount is too large or too small anyway. */
static bool exponent_suffix(struct str s, int *ret_exponent)
{
	size_t i = 1;
	int exponent = 0;

	if (s.n < 2 || (s.p[0] != 'e' && s.p[0] != 'E'))
		return false;
	if (s.p[1] == '+' || s.p[1] == '-')
		i++;
	if (i == s.n)
		return false;
	for (; i < s.n; i++) {
		if (!is_quantity_digit(s.p[i]))
			return false;
		if (exponent < 10000)
			exponent = exponent * 10 + (s.p[i] - '0');
	}
	*ret_exponent = s.p[1] == '-' ? -exponent : exponent;
	return true;
}

static bool find_unit(struct str suffix, struct quantity_unit *ret)
{
	int exponent;

	for (size_t i = 0; i < LENGTH(units); i++)
		if (str_is(suffix, units[i].suffix)) {
			*ret = units[i];
			return true;
		}
	if (!exponent_suffix(suffix, &exponent))
		return false;
	*ret = (struct quantity_unit){ "", QUANTITY_EXPONENT, 0, exponent };
	return true;
}

/*
 * Computes MANTISSA times 10^EXPONENT times 2^SHIFT exactly. A division by 10 is one by 5 and one by 2, of which the
 * latter may be canceled against SHIFT.
 */
static enum quantity_error scale(uint128 mantissa, int exponent, int shift, uint128 limit, uint128 *ret)
{
	for (; exponent < 0; exponent++) {
		if (mantissa % 5)
			return QUANTITY_TOO_FINE;
		mantissa /= 5;
		if (shift > 0)
			shift--;
		else if (mantissa % 2)
			return QUANTITY_TOO_FINE;
		else
			mantissa /= 2;
	}
	for (; exponent > 0; exponent--) {
		if (mantissa > limit / BASE_TEN)
			return QUANTITY_TOO_LARGE;
		mantissa *= BASE_TEN;
	}
	if (mantissa > limit >> shift)
		return QUANTITY_TOO_LARGE;
	*ret = mantissa << shift;
	return QUANTITY_OK;
}

static enum quantity_error word_value(const struct word *w, const struct quantity_unit *unit, struct quantity *ret)
{
	uint128 nano = 0;

	if (w->too_large)
		return QUANTITY_TOO_LARGE;
	if (w->too_fine)
		return QUANTITY_TOO_FINE;
	if (w->mantissa) {              /* 0e999 is zero, so no exponent is too large */
		enum quantity_error e = scale(w->mantissa, NANO_DIGITS + unit->exponent - w->fraction, unit->shift,
		                              (uint128)quantity_limit(), &nano);
		if (e)
			return e;
	}
	/* as in Kubernetes, an amount below 1 is never written in binary units */
	enum quantity_form form = unit->form;
	if (form == QUANTITY_BINARY && nano > 0 && nano < (uint128)QUANTITY_UNIT)
		form = QUANTITY_DECIMAL;
	*ret = (struct quantity){ (int128)nano, form };
	return QUANTITY_OK;
}

static bool find_duration_unit(struct str suffix, int64_t *ret_millis)
{
	for (size_t i = 0; i < LENGTH(duration_units); i++)
		if (str_is(suffix, duration_units[i].suffix)) {
			*ret_millis = duration_units[i].millis;
			return true;
		}
	return false;
}

enum unit_kind quantity_unit(struct str word)
{
	struct word w = { 0 };
	struct quantity_unit unit;
	int64_t millis;

	if (!cut_literal(word, &w))
		return UNIT_UNKNOWN;
	if (w.suffix.n == 0)
		return UNIT_NONE;
	if (find_unit(w.suffix, &unit))
		return UNIT_AMOUNT;
	return find_duration_unit(w.suffix, &millis) ? UNIT_DURATION : UNIT_UNKNOWN;
}

const char *quantity_unit_meant(struct str word)
{
	static const struct { const char *wrong, *right; } pairs[] = {
		{ "GB", "G" }, { "GiB", "Gi" }, { "gb", "G" }, { "gib", "Gi" }, { "g", "G" }, { "gi", "Gi" },
		{ "MB", "M" }, { "MiB", "Mi" }, { "mb", "M" }, { "mib", "Mi" }, { "mi", "Mi" }, { "KB", "k" },
		{ "kB", "k" }, { "KiB", "Ki" }, { "kb", "k" }, { "K", "k" }, { "ki", "Ki" }, { "TB", "T" },
		{ "TiB", "Ti" }, { "tb", "T" }, { "t", "T" }, { "ti", "Ti" }, { "PB", "P" }, { "PiB", "Pi" },
		{ "EB", "E" }, { "EiB", "Ei" }, { "Gib", "Gi" }, { "Gb", "G" }, { "Mib", "Mi" }, { "Mb", "M" },
		{ "Tib", "Ti" }, { "Tb", "T" }, { "GI", "Gi" }, { "MI", "Mi" }, { "gB", "G" }, { "gigabytes", "G" },
		{ "gigabyte", "G" }, { "gigs", "G" }, { "megabytes", "M" }, { "terabytes", "T" }, { "sec", "s" },
		{ "secs", "s" }, { "second", "s" }, { "seconds", "s" }, { "S", "s" }, { "mins", "min" },
		{ "minutes", "min" }, { "minute", "min" }, { "hr", "h" }, { "hrs", "h" }, { "hours", "h" },
		{ "hour", "h" }, { "H", "h" }, { "days", "d" }, { "day", "d" }, { "D", "d" }, { "cores", "" },
		{ "c", "" },
		{ "core", "" }, { "cpus", "" }, { "cpu", "" }, { "vcpus", "" }, { "vcpu", "" }, { "vCPU", "" },
		{ "vCPUs", "" }, { "CPU", "" }, { "CPUs", "" },
	};
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		if (str_is(word, pairs[i].wrong))
			return pairs[i].right;
	return NULL;
}

bool quantity_decimal_bytes(struct str unit)
{
	return unit.n == 1 && strchr("kMGTPE", unit.p[0]);
}

const char *quantity_unit_of(struct str number, struct str word)
{
	const char *meant = quantity_unit_meant(word);
	long long n = 0;

	if (!meant || (strcmp(meant, "G") != 0 && strcmp(meant, "T") != 0) || number.n > 9)
		return meant;
	for (size_t i = 0; i < number.n; i++) {
		if (number.p[i] < '0' || number.p[i] > '9')
			return meant;
		n = 10 * n + (number.p[i] - '0');
	}
	return !n || !quantity_binary(n) ? meant : *meant == 'G' ? "Gi" : "Ti";
}

/*
 * Takes a number of at most nine digits from the beginning of *REST. False if *REST does not begin with such a number.
 */
static bool cut_number(struct str *rest, int64_t *ret)
{
	size_t n = 0;

	for (*ret = 0; n < rest->n && rest->p[n] >= '0' && rest->p[n] <= '9' && n < 9; n++)
		*ret = *ret * 10 + (rest->p[n] - '0');
	*rest = (struct str){ rest->p + n, rest->n - n };
	return n != 0;
}

static int64_t seconds_of(struct str unit)
{
	static const struct { const char *unit; int64_t seconds; } scales[] = {
		{ "d", 86400 }, { "h", 3600 }, { "hr", 3600 }, { "m", 60 }, { "min", 60 }, { "s", 1 }, { "sec", 1 },
	};
	for (size_t i = 0; i < sizeof scales / sizeof *scales; i++)
		if (str_is(unit, scales[i].unit))
			return scales[i].seconds;
	return 0;
}

bool duration_compound(struct str word, struct quantity *ret)
{
	bool clock = word.n && memchr(word.p, ':', word.n);
	int64_t total = 0, last = INT64_MAX, number, scale = 3600;
	unsigned parts = 0;

	for (; word.n; parts++) {
		size_t n = 0;
		if (!cut_number(&word, &number))
			return false;
		while (n < word.n && (clock ? word.p[n] == ':' && !n : word.p[n] >= 'a' && word.p[n] <= 'z'))
			n++;
		scale = clock ? (parts ? scale / 60 : 3600) : seconds_of((struct str){ word.p, n });
		if (!scale || (!clock && scale >= last) || (clock && (n != 0) != (parts < 2)))
			return false;
		last = scale;
		total += number * scale;
		word = (struct str){ word.p + n, word.n - n };
	}
	*ret = (struct quantity){ .nano = (int128)total * QUANTITY_UNIT };
	return clock ? parts == 3 : parts > 1;
}

bool duration_iso(struct str word, struct quantity *ret)
{
	static const struct { char unit; bool time; int64_t seconds; } parts[] = {
		{ 'W', false, 7 * 86400 }, { 'D', false, 86400 }, { 'H', true, 3600 }, { 'M', true, 60 },
		{ 'S', true, 1 },
	};
	enum { PARTS = sizeof parts / sizeof *parts };
	int64_t total = 0, number;
	size_t next = 0;
	bool time = false;

	if (word.n < 3 || word.p[0] != 'P')
		return false;
	for (word.p++, word.n--; word.n; word.p++, word.n--) {
		if (word.p[0] == 'T' && !time) {
			time = true;
			word = (struct str){ word.p + 1, word.n - 1 };
		}
		if (!cut_number(&word, &number) || !word.n)
			return false;
		while (next < PARTS && (parts[next].unit != word.p[0] || parts[next].time != time))
			next++;
		if (next == PARTS)
			return false;
		total += number * parts[next++].seconds;
	}
	*ret = (struct quantity){ .nano = (int128)total * QUANTITY_UNIT };
	return true;
}

enum quantity_error quantity_parse(struct str word, struct quantity *ret)
{
	struct word w = { 0 };
	struct quantity_unit unit;

	if (!cut_literal(word, &w))
		return QUANTITY_MALFORMED;
	if (!find_unit(w.suffix, &unit))
		return QUANTITY_UNKNOWN_UNIT;
	return word_value(&w, &unit, ret);
}

enum quantity_error quantity_parse_full(struct str text, struct quantity *ret)
{
	struct word w = { 0 };
	struct quantity_unit unit;
	bool negative = text.n > 0 && text.p[0] == '-';

	if (negative || (text.n > 0 && text.p[0] == '+'))
		text = (struct str){ text.p + 1, text.n - 1 };
	if (!cut_full(text, &w))
		return QUANTITY_MALFORMED;
	if (!find_unit(w.suffix, &unit))
		return QUANTITY_UNKNOWN_UNIT;
	enum quantity_error e = word_value(&w, &unit, ret);
	if (!e && negative)
		ret->nano = -ret->nano;
	return e;
}

enum quantity_error duration_parse(struct str word, struct quantity *ret)
{
	struct word w = { 0 };
	int64_t unit;
	uint128 millis = 0;

	if (!cut_literal(word, &w) || w.suffix.n == 0)
		return QUANTITY_MALFORMED;
	if (!find_duration_unit(w.suffix, &unit))
		return QUANTITY_UNKNOWN_UNIT;
	if (w.too_large)
		return QUANTITY_TOO_LARGE;
	if (w.too_fine)
		return QUANTITY_TOO_FINE;
	if (w.mantissa > ((uint128)1 << 126) / (uint128)unit)
		return w.fraction ? QUANTITY_TOO_FINE : QUANTITY_TOO_LARGE;
	enum quantity_error e = scale(w.mantissa * (uint128)unit, -w.fraction, 0, (uint128)1 << 126, &millis);
	if (e)
		return e;
	if (millis > (uint128)INT64_MAX)
		return QUANTITY_TOO_LARGE;
	*ret = (struct quantity){ (int128)millis * 1000000, QUANTITY_DECIMAL };
	return QUANTITY_OK;
}

/* ---- text ---- */

/* Writes the digits of a number to the end of the 40 bytes at DIGITS. */
static struct str unsigned_text(uint128 u, char digits[40])
{
	char *p = digits + 40;

	do
		*--p = (char)('0' + (int)(u % BASE_TEN));
	while (u /= BASE_TEN);
	return (struct str){ p, (size_t)(digits + 40 - p) };
}

static struct str number_text(struct arena *a, bool negative, uint128 u, const char *suffix)
{
	char digits[40];
	struct str s = unsigned_text(u, digits);

	return str_cat(a, negative ? STR("-") : STR(""), s, str_of(suffix));
}

static struct str decimal_text(struct arena *a, bool negative, uint128 nano, enum quantity_form form)
{
	int exponent = -NANO_DIGITS;

	while (nano % 1000 == 0) {
		nano /= 1000;
		exponent += 3;
	}
	if (form == QUANTITY_EXPONENT && exponent != 0) {
		char suffix[16] = { 'e' };
		char digits[40];
		struct str s = unsigned_text((uint128)(exponent < 0 ? -exponent : exponent), digits);
		size_t at = 1;
		if (exponent < 0)
			suffix[at++] = '-';
		memcpy(suffix + at, s.p, s.n);
		return number_text(a, negative, nano, suffix);
	}
	for (size_t i = 0; i < LENGTH(units); i++)
		if (units[i].form == QUANTITY_DECIMAL && units[i].exponent == exponent)
			return number_text(a, negative, nano, units[i].suffix);
	return number_text(a, negative, nano, "");      /* not reached: the limit is below 10^19 */
}

static struct str binary_text(struct arena *a, bool negative, uint128 whole)
{
	int shift = 0;

	while (whole % 1024 == 0 && shift < 60) {
		whole /= 1024;
		shift += 10;
	}
	for (size_t i = 0; i < LENGTH(units); i++)
		if (units[i].form == QUANTITY_BINARY && units[i].shift == shift)
			return number_text(a, negative, whole, units[i].suffix);
	return number_text(a, negative, whole, "");
}

struct str quantity_text(struct arena *a, struct quantity q)
{
	bool negative = q.nano < 0;
	uint128 nano = negative ? (uint128)-q.nano : (uint128)q.nano;
	const uint128 unit = (uint128)QUANTITY_UNIT;

	if (nano == 0)
		return STR("0");
	if (q.form == QUANTITY_BINARY && nano % unit == 0 && nano >= 1024 * unit)
		return binary_text(a, negative, nano / unit);
	return decimal_text(a, negative, nano, q.form);
}

struct str duration_text(struct arena *a, struct quantity q)
{
	bool negative = q.nano < 0;
	uint128 millis = (uint128)(negative ? -q.nano : q.nano) / 1000000;

	if (millis == 0)
		return STR("0s");
	for (size_t i = 0; i < LENGTH(duration_units); i++)
		if (millis % (uint128)duration_units[i].millis == 0)
			return number_text(a, negative, millis / (uint128)duration_units[i].millis,
				duration_units[i].suffix);
	return number_text(a, negative, millis, "ms");
}

struct str duration_go_text(struct arena *a, struct quantity q)
{
	const char *sign = q.nano < 0 ? "-" : "";
	uint64_t millis = (uint64_t)((q.nano < 0 ? -q.nano : q.nano) / 1000000);
	uint64_t hours = millis / 3600000, minutes = millis / 60000 % 60, seconds = millis / 1000 % 60;
	char fraction[8] = "";

	if (millis == 0)
		return STR("0s");
	if (millis < 1000)
		return str_printf(a, "%s%llums", sign, (unsigned long long)millis);
	if (millis % 1000) {
		unsigned rest = (unsigned)(millis % 1000);
		char digits[4] = { (char)('0' + rest / 100), (char)('0' + rest / 10 % 10), (char)('0' + rest % 10), 0 };
		size_t n = rest % 10 ? 3 : rest % 100 ? 2 : 1;
		fraction[0] = '.';
		memcpy(fraction + 1, digits, n);
	}
	if (hours)
		return str_printf(a, "%s%lluh%llum%llu%ss", sign, (unsigned long long)hours,
		                  (unsigned long long)minutes, (unsigned long long)seconds, fraction);
	if (minutes)
		return str_printf(a, "%s%llum%llu%ss", sign, (unsigned long long)minutes, (unsigned long long)seconds,
			fraction);
	return str_printf(a, "%s%llu%ss", sign, (unsigned long long)seconds, fraction);
}

/* ---- arithmetic ---- */

static bool finish_quantity(int128 nano, enum quantity_form form, struct quantity *ret)
{
	if (nano > quantity_limit() || nano < -quantity_limit())
		return false;
	*ret = (struct quantity){ nano, form };
	return true;
}

/*
 * The form in which the result of an operation is written: that of the first operand, or of the second when the first
 * is zero.
 */
static enum quantity_form joint_form(struct quantity a, struct quantity b)
{
	return a.nano == 0 ? b.form : a.form;
}

bool quantity_add(struct quantity a, struct quantity b, struct quantity *ret)
{
	return finish_quantity(a.nano + b.nano, joint_form(a, b), ret);
}

bool quantity_sub(struct quantity a, struct quantity b, struct quantity *ret)
{
	return finish_quantity(a.nano - b.nano, joint_form(a, b), ret);
}

bool quantity_mul(struct quantity a, int64_t n, struct quantity *ret)
{
	int128 product;

	return !__builtin_mul_overflow(a.nano, (int128)n, &product) && finish_quantity(product, a.form, ret);
}

struct str quantity_size(struct arena *a, uint64_t bytes)
{
	static const char *const words[] = { "KiB", "MiB", "GiB", "TiB" };
	double size = (double)bytes / 1024;
	size_t unit = 0;

	if (bytes < 1024)
		return str_printf(a, "%llu B", (unsigned long long)bytes);
	for (; size >= 1023.95 && unit < 3; unit++)
		size /= 1024;
	return str_printf(a, size < 10 ? "%.1f %s" : "%.0f %s", size, words[unit]);
}
