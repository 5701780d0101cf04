/*
 * api_schedule.c - checks the schedule of a CronJob, which has five fields, or is a word that starts with '@'.
 */
#include "verify/api_rules.h"

#include <stdlib.h>
#include <strings.h>

static const char *const months[] = { "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov",
	"dec", NULL };
static const char *const days[] = { "sun", "mon", "tue", "wed", "thu", "fri", "sat", NULL };

/* The fields of a schedule in their order, with the numbers and words that each permits. */
static const struct {
	const char *name;
	int lo, hi;
	const char *const *words;
} parts[] = {
	{ "minute", 0, 59, NULL }, { "hour", 0, 23, NULL }, { "day of the month", 1, 31, NULL }, { "month", 1, 12,
		months },
	{ "day of the week", 0, 6, days }
};
enum { PARTS = sizeof parts / sizeof *parts };

/*
 * Removes the text up to the first END from S, and stores it in RET without END. Without END, takes all of S and
 * returns false.
 */
static bool cut(struct str *s, char end, struct str *ret)
{
	const char *at = s->n ? memchr(s->p, end, s->n) : NULL;
	size_t n = at ? (size_t)(at - s->p) : s->n;

	*ret = (struct str){ s->p, n };
	*s = (struct str){ s->p + n + (at != NULL), s->n - n - (at != NULL) };
	return at != NULL;
}

/* Reads a number of at most four digits, or a word of the field; returns -1 for anything else. */
static int cron_number(struct str s, const char *const *words)
{
	int n = 0;

	for (int i = 0; words && words[i]; i++)
		if (s.n == 3 && !strncasecmp(s.p, words[i], 3))
			return words == months ? i + 1 : i;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9' || i == 4)
			return -1;
		n = n * 10 + (s.p[i] - '0');
	}
	return s.n ? n : -1;
}

/* Is the value of a field valid? Commas separate values; each is `*`, `5` or `1-5`, and may have a step. */
static bool value_fits(struct str s, int part)
{
	struct str range, low, high;
	bool stepped = cut(&s, '/', &range);
	int step = stepped ? cron_number(s, NULL) : 1;

	if (step <= 0)
		return false;
	if (str_is(range, "*") || str_is(range, "?"))
		return true;
	bool ends = cut(&range, '-', &low);
	high = ends ? range : low;
	int lo = cron_number(low, parts[part].words), hi = cron_number(high, parts[part].words);
	return lo >= parts[part].lo && hi <= parts[part].hi && lo <= hi;
}

/* Splits a text into words. Returns their number; RET gets the first five. */
static size_t cron_fields(struct str s, struct str ret[PARTS])
{
	size_t n = 0;

	for (size_t i = 0; i < s.n;) {
		size_t start = i;
		while (i < s.n && s.p[i] != ' ' && s.p[i] != '\t')
			i++;
		if (i > start && n++ < PARTS)
			ret[n - 1] = (struct str){ s.p + start, i - start };
		while (i < s.n && (s.p[i] == ' ' || s.p[i] == '\t'))
			i++;
	}
	return n;
}

static bool is_named(struct str s)
{
	static const char *const names[] = { "@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight",
		"@hourly", NULL };

	for (size_t i = 0; names[i]; i++)
		if (str_is(s, names[i]))
			return true;
	return str_starts(s, STR("@every "));
}

/* Names in the time zone database: the zones without an area, and the areas. */
static const char *const zones[] = { "CET", "CST6CDT", "Cuba", "EET", "EST", "EST5EDT", "Egypt", "Eire", "Factory",
	"GB", "GB-Eire", "GMT", "GMT+0", "GMT-0", "GMT0", "Greenwich", "HST", "Hongkong", "Iceland", "Iran", "Israel",
	"Jamaica", "Japan", "Kwajalein", "Libya", "MET", "MST", "MST7MDT", "NZ", "NZ-CHAT", "Navajo", "PRC", "PST8PDT",
	"Poland", "Portugal", "ROC", "ROK", "Singapore", "Turkey", "UCT", "UTC", "Universal", "W-SU", "WET", "Zulu",
	"posixrules", "localtime", NULL };
static const char *const areas[] = { "Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia",
	"Brazil", "Canada", "Chile", "Etc", "Europe", "Indian", "Mexico", "Pacific", "SystemV", "US", "posix", "right",
	NULL };

/*
 * Could a server know a zone of that name? Which cities an area has depends on the server's database, so only the
 * area is checked.
 */
static bool may_be_zone(struct str s)
{
	struct str area;
	bool inside = cut(&s, '/', &area);
	const char *const *words = inside ? areas : zones;

	for (size_t i = 0; words[i]; i++)
		if (str_is(area, words[i]))
			return !inside || (s.n && s.p[0] >= 'A' && s.p[0] <= 'Z' && s.p[s.n - 1] != '/' &&
				!memmem(s.p, s.n, "..", 2) && !memchr(s.p, ' ', s.n));
	return false;
}

static void time_zone(struct api_check *k, const struct data *d)
{
	const struct data *zone = data_get(d, STR("timeZone"));

	if (zone && zone->kind == DATA_STRING && !may_be_zone(zone->u.string))
		api_refuse(k, zone, "write \"Etc/UTC\", or an area and a city: \"Europe/Berlin\"",
			"'timeZone' cannot be '%.*s'", STR_ARG(check_short(k->c->arena, zone->u.string)));
}

void api_cron_spec(struct api_check *k, const struct data *d)
{
	struct str schedule = api_text(d, "schedule"), fields[PARTS], value;
	const struct data *at = data_get(d, STR("schedule"));

	time_zone(k, d);
	if (!schedule.n || is_named(schedule))
		return;
	if (cron_fields(schedule, fields) != PARTS) {
		api_refuse(k, at,
			"write minute, hour, day of the month, month and day of the week: \"0 3 * * 1-5\", or "
			"\"@daily\"", "a schedule has five fields");
		return;
	}
	for (int i = 0; i < PARTS; i++)
		for (bool more = true; more;) {
			more = cut(&fields[i], ',', &value);
			if (value_fits(value, i))
				continue;
			struct str help = str_printf(k->c->arena,
				"write numbers from %d to %d, '*' for all, '1-5', '*/2', or several with commas",
					parts[i].lo, parts[i].hi);
			api_refuse(k, at, help.p, "the %s of a schedule cannot be '%.*s'", parts[i].name,
				STR_ARG(check_short(k->c->arena, value)));
		}
}
