/*
 * api_report.c - helpers of the rules of the API server: reports, members of maps, addresses.
 */
#include "verify/api_rules.h"

#include <stdarg.h>
#include <stdio.h>

/* ---- reports ---- */

struct span api_place(const struct api_check *k, const struct data *d)
{
	return check_place(k->c, d ? d->from : k->at, k->at, k->at);
}

static void report_api(struct api_check *k, enum diag_code code, const struct data *d, const char *help,
	const char *format, va_list list)
{
	char text[256];

	vsnprintf(text, sizeof text, format, list);
	struct diag *g = diag_report(k->c->diags, code, api_place(k, d), "%s", text);
	if (help)
		diag_help(k->c->diags, g, "%s", help);
}

void api_refuse(struct api_check *k, const struct data *d, const char *help, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	report_api(k, TJ0904, d, help, format, list);
	va_end(list);
}

void api_missing(struct api_check *k, const struct data *d, const char *help, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	report_api(k, TJ0907, d, help, format, list);
	va_end(list);
}

struct str api_text(const struct data *map, const char *key)
{
	const struct data *d = data_get(map, str_of(key));
	return d && d->kind == DATA_STRING ? d->u.string : STR("");
}

bool api_has(const struct data *map, const char *key)
{
	const struct data *d = data_get(map, str_of(key));
	return d && d->kind != DATA_NULL;
}

const struct data *api_member(const struct data *d, const char *key)
{
	const struct data *m = d && d->kind == DATA_MAP ? data_get(d, str_of(key)) : NULL;
	return m && m->kind == DATA_MAP ? m : NULL;
}

/* Counts the members of a map that have a value, except those whose names are in NOT. */
size_t api_chosen(const struct data *d, const char *const *not)
{
	size_t n = 0;

	for (size_t i = 0; i < d->u.map.n; i++) {
		bool counts = d->u.map.at[i].value->kind != DATA_NULL;
		for (size_t k = 0; not[k]; k++)
			counts = counts && !str_is(d->u.map.at[i].key, not[k]);
		n += counts;
	}
	return n;
}

/* Is it an IPv4 address: four numbers of at most 255? Servers accept leading zeros. */
static bool is_address_4(struct str s)
{
	int numbers = 0, value = 0, digits = 0;

	for (size_t i = 0; i <= s.n; i++) {
		if (i < s.n && s.p[i] >= '0' && s.p[i] <= '9') {
			if (++digits > 3)
				return false;
			value = value * 10 + (s.p[i] - '0');
			if (value > 255)
				return false;
			continue;
		}
		if (!digits || (i < s.n && s.p[i] != '.'))
			return false;
		numbers++;
		value = digits = 0;
	}
	return numbers == 4;
}

/*
 * Is it an IPv6 address: eight groups of hexadecimal digits, or fewer with one '::'? An IPv4 address may replace the
 * last two groups.
 */
static bool is_address_6(struct str s)
{
	int groups = 0, digits = 0, gaps = 0;
	const char *last = (const char *)memrchr(s.p, ':', s.n) + 1;
	struct str tail = { last, s.n - (size_t)(last - s.p) };

	if (tail.n && memchr(tail.p, '.', tail.n)) {
		if (!is_address_4(tail))
			return false;
		groups = 2;
		s.n -= tail.n + (s.n > tail.n + 1 && last[-2] != ':');
	}

	for (size_t i = 0; i < s.n; i++) {
		char c = (char)(s.p[i] | 32);
		if ((s.p[i] >= '0' && s.p[i] <= '9') || (c >= 'a' && c <= 'f')) {
			groups += !digits++;
			if (digits > 4)
				return false;
		} else if (s.p[i] == ':') {
			bool gap = i + 1 < s.n && s.p[i + 1] == ':';
			if ((!digits && !gap && !(i && s.p[i - 1] == ':')) || (i + 1 == s.n && s.p[i - 1] != ':'))
				return false;
			gaps += gap;
			digits = 0;
		} else {
			return false;
		}
	}
	return gaps == 1 ? groups < 8 : !gaps && groups == 8;
}

bool api_is_address(struct str s)
{
	return s.n && (memchr(s.p, ':', s.n) ? is_address_6(s) : is_address_4(s));
}
