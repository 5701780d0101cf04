/* time_text.c - writes and reads times in the form of RFC 3339. */
#include "base/words.h"

#include <ctype.h>
#include <time.h>

void put_time(struct buf *b, int64_t ns, int digits)
{
	time_t seconds = (time_t)(ns / NS_PER_SECOND);
	int64_t fraction = ns % NS_PER_SECOND;
	struct tm t;

	if (fraction < 0) {
		fraction += NS_PER_SECOND;
		seconds--;
	}
	gmtime_r(&seconds, &t);
	buf_printf(b, "%04d-%02d-%02dT%02d:%02d:%02d", t.tm_year + 1900, t.tm_mon + 1, t.tm_mday, t.tm_hour, t.tm_min,
		t.tm_sec);
	if (digits) {
		char all[16];
		for (int i = 8; i >= 0; i--, fraction /= 10)
			all[i] = (char)('0' + fraction % 10);
		buf_char(b, '.');
		buf_put(b, all, (size_t)digits);
	}
	buf_char(b, 'Z');
}

static bool time_digits(struct str *s, size_t n, int lo, int hi, int *ret)
{
	int value = 0;

	if (s->n < n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!isdigit((unsigned char)s->p[i]))
			return false;
		value = 10 * value + (s->p[i] - '0');
	}
	*s = (struct str){ s->p + n, s->n - n };
	*ret = value;
	return value >= lo && value <= hi;
}

static bool sign(struct str *s, const char *any)
{
	if (!s->n || !strchr(any, s->p[0]))
		return false;
	*s = (struct str){ s->p + 1, s->n - 1 };
	return true;
}

static bool fraction(struct str *s, int64_t *ret)
{
	int64_t unit = NS_PER_SECOND;

	*ret = 0;
	if (!sign(s, "."))
		return true;
	if (!s->n || !isdigit((unsigned char)s->p[0]))
		return false;
	for (; s->n && isdigit((unsigned char)s->p[0]); *s = (struct str){ s->p + 1, s->n - 1 })
		*ret += (unit /= 10) * (s->p[0] - '0');
	return true;
}

static bool offset(struct str *s, int64_t *ret)
{
	int hours, minutes;
	bool minus = s->n && s->p[0] == '-';

	*ret = 0;
	if (sign(s, "Zz"))
		return true;
	if (!sign(s, "+-") || !time_digits(s, 2, 0, 23, &hours) || !sign(s, ":") || !time_digits(s, 2, 0, 59, &minutes))
		return false;
	*ret = (minus ? -1 : 1) * (int64_t)(60 * hours + minutes) * 60 * NS_PER_SECOND;
	return true;
}

bool time_parse(struct str s, int64_t *ret)
{
	struct tm t = { 0 };
	int64_t ns, east;

	if (!time_digits(&s, 4, 1970, 2200, &t.tm_year) || !sign(&s, "-") || !time_digits(&s, 2, 1, 12, &t.tm_mon) ||
	    !sign(&s, "-") ||
	    !time_digits(&s, 2, 1, 31, &t.tm_mday) || !sign(&s, "Tt ") || !time_digits(&s, 2, 0, 23, &t.tm_hour) ||
	    !sign(&s, ":") ||
	    !time_digits(&s, 2, 0, 59, &t.tm_min) || !sign(&s, ":") || !time_digits(&s, 2, 0, 60, &t.tm_sec) ||
	    !fraction(&s, &ns) || !offset(&s, &east) || s.n)
		return false;
	t.tm_year -= 1900;
	t.tm_mon--;
	*ret = (int64_t)timegm(&t) * NS_PER_SECOND + ns - east;
	return true;
}
