/* last_words.c - reads the records of failed processes. */
#include "runtime/run/last_words.h"

#include "base/words.h"
#include "data/data_read.h"

enum { TEXT_MOST = 400 };               /* maximum number of bytes of an error that are shown */

bool last_words_before(const struct last_words *a, const struct last_words *b)
{
	return a->follows != b->follows ? b->follows : a->time < b->time;
}

/* The text of a member, cleaned so that it fits on one line. */
static struct str record_text(struct arena *a, const struct data *d, struct str key)
{
	const struct data *v = data_get(d, key);
	struct str s = v && v->kind == DATA_STRING ? v->u.string : STR("");

	size_t n = s.n < TEXT_MOST ? s.n : TEXT_MOST;
	while (n && n < s.n && ((unsigned char)s.p[n] & 0xC0) == 0x80)
		n--;                            /* do not cut within a character */
	s = str_copy(a, (struct str){ s.p, n });
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < ' ' || s.p[i] == 0x7F)
			((char *)(uintptr_t)s.p)[i] = ' ';
	return s;
}

static int64_t record_number(const struct data *d, struct str key, int64_t otherwise)
{
	const struct data *v = data_get(d, key);

	return v && v->kind == DATA_INT ? v->u.integer : otherwise;
}

static bool read_record(struct arena *a, struct str line, struct last_words *ret)
{
	struct source source = { .text = str_copy(a, line), .base = 1 };
	struct data_error error;
	struct data *d;

	if (!line.n || line.p[0] != '{' || !data_read_json(a, &source, &d, &error) || d->kind != DATA_MAP)
		return false;
	const struct data *follows = data_get(d, STR("follows"));
	struct str what = record_text(a, d, STR("error")), at = record_text(a, d, STR("at"));
	int64_t rank = record_number(d, STR("rank"), -1), time = record_number(d, STR("time"), 0);
	if (record_number(d, STR("last_words"), 0) != 1 || !what.n || time <= 0)
		return false;
	*ret = (struct last_words){ .time = time, .text = what,
		.follows = follows && follows->kind == DATA_BOOL && follows->u.boolean };
	if (at.n && rank >= 0)
		ret->text = str_printf(a, "%.*s (%.*s, rank %lld)", STR_ARG(what), STR_ARG(at), (long long)rank);
	else if (at.n)
		ret->text = str_printf(a, "%.*s (%.*s)", STR_ARG(what), STR_ARG(at));
	else if (rank >= 0)
		ret->text = str_printf(a, "%.*s (rank %lld)", STR_ARG(what), (long long)rank);
	return true;
}

bool last_words_read(struct arena *a, struct str message, int64_t ended, struct last_words *ret)
{
	int64_t since = ended - LAST_WORDS_SECONDS * NS_PER_SECOND;
	bool any = false;

	for (size_t at = 0; at < message.n;) {
		const char *p = message.p + at, *end = memchr(p, '\n', message.n - at);
		struct str line = { p, end ? (size_t)(end - p) : message.n - at };
		struct last_words w;
		if (read_record(a, line, &w) && w.time >= since && (!any || last_words_before(&w, ret))) {
			*ret = w;
			any = true;
		}
		at += line.n + 1;
	}
	return any;
}
