/*
 * codes.c - sets of exit codes, for the field `retry_on`.
 */
#include "plan/plan.h"

enum { CODES = 256 };

void plan_codes_add(struct plan_codes *c, int64_t lo, int64_t hi)
{
	c->set = true;
	for (int64_t code = lo; code <= hi; code++)
		c->bits[code / 64] |= UINT64_C(1) << (code % 64);
}

bool plan_codes_has(const struct plan_codes *c, int64_t code)
{
	return code >= 0 && code < CODES && (c->bits[code / 64] >> (code % 64) & 1);
}

bool plan_codes_next(const struct plan_codes *c, int64_t *lo, int64_t *hi)
{
	int64_t code = *hi + 1;

	while (code < CODES && !plan_codes_has(c, code))
		code++;
	if (code >= CODES)
		return false;
	*lo = code;
	while (code + 1 < CODES && plan_codes_has(c, code + 1))
		code++;
	*hi = code;
	return true;
}

struct str plan_codes_text(struct arena *a, const struct plan_codes *c, const char *separator)
{
	struct buf out = { 0 };

	for (int64_t lo, hi = -1; plan_codes_next(c, &lo, &hi);) {
		if (out.n)
			buf_str(&out, str_of(separator));
		buf_int(&out, lo);
		if (hi > lo)
			buf_printf(&out, "..%lld", (long long)hi);
	}
	struct str s = buf_take(&out, a);
	buf_release(&out);
	return s;
}
