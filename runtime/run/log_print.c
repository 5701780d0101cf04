/* log_print.c - writes lines of logs with their source, as text, in color or as JSON. */
#include "runtime/run/log_print.h"

#include <signal.h>

#include "plan/plan.h"
#include "base/words.h"

static void put_stamp(const struct log_print *p, int64_t time, struct buf *out)
{
	if (!p->timestamps)
		return;
	put_time(out, time, 9);
	buf_char(out, ' ');
}

/* Appends the source of a line: "worker/0", "bert:worker/0", "worker/0.logger". */
static void put_source(const struct log_print *p, const struct log_stream *s, struct buf *out)
{
	static const char *const colours[] = { "36", "32", "35", "33", "34", "31" };

	/* colors differ between neighbors: ranks of a role, roles of a run, runs of a command */
	if (p->colour)
		buf_printf(out, "\x1b[%sm", colours[(s->role_number + s->run +
			(uint64_t)s->index) % (sizeof colours / sizeof *colours)]);
	if (p->runs)
		put_escaped(out, s->run_name);
	buf_z(out, p->runs ? ":" : "");
	put_escaped(out, s->role);
	buf_printf(out, "/%lld", (long long)s->index);
	if (!s->main)
		buf_char(out, '.');
	if (!s->main)
		put_escaped(out, s->container);
	if (p->colour)
		buf_z(out, "\x1b[0m");
}

/*
 * The last state of a line. A terminal would show only the text after the last carriage return, because progress bars
 * overwrite their line.
 */
static struct str last_state(struct str text)
{
	while (text.n && text.p[text.n - 1] == '\r')
		text.n--;
	const char *last = text.n ? memrchr(text.p, '\r', text.n) : NULL;
	return last ? (struct str){ last + 1, text.n - (size_t)(last + 1 - text.p) } : text;
}

/*
 * The length of an escape sequence that selects colors and styles ("ESC [ 1;32 m") at the beginning of S; 0: S begins
 * with something else.
 */
static size_t color_length(struct str s)
{
	size_t n = 2;

	if (s.n < 3 || s.p[0] != '\x1b' || s.p[1] != '[')
		return 0;
	while (n < s.n && n < 64 && ((s.p[n] >= '0' && s.p[n] <= '9') || s.p[n] == ';' || s.p[n] == ':'))
		n++;
	return n < s.n && s.p[n] == 'm' ? n + 1 : 0;
}

static void put_colored(struct str s, struct buf *out)
{
	size_t plain = 0;
	bool any = false;

	for (size_t i = 0; i < s.n;) {
		size_t n = color_length((struct str){ s.p + i, s.n - i });
		if (!n) {
			i++;
			continue;
		}
		put_escaped(out, (struct str){ s.p + plain, i - plain });
		buf_put(out, s.p + i, n);
		any = true;
		plain = i += n;
	}
	put_escaped(out, (struct str){ s.p + plain, s.n - plain });
	buf_z(out, any ? "\x1b[0m" : "");
}

/* Does the line overwrite itself, as a progress bar does with carriage returns? */
static bool overwrites(struct str text) { return memchr(text.p, '\r', text.n) != NULL; }

static void put_log_text(const struct log_print *p, const struct log_line *l, const struct log_printed *s,
	struct buf *out)
{
	bool bar = overwrites(l->text), begins_again = s->paused && l->text.n && l->text.p[0] == '\r';
	struct str shown = p->escape || l->pause || begins_again ? last_state(l->text) : l->text;

	if (s->paused && !l->text.n && !l->more)        /* the end of a line whose text has been shown already */
		return;
	put_stamp(p, l->time, out);
	if (p->prefix) {
		put_source(p, l->from, out);
		buf_z(out, " \xE2\x94\x82 ");
	}
	buf_z(out, s->goes_on && !begins_again ? "\xE2\x80\xA6" : "");
	if (p->escape && p->colors)
		put_colored(shown, out);
	else if (p->escape)
		put_escaped(out, shown);
	else
		buf_str(out, shown);
	buf_z(out, l->more && !(l->pause && bar) ? "\xE2\x80\xA6\n" : "\n");
}

static void put_log_json(const struct log_line *l, struct str context, struct buf *out)
{
	const struct log_stream *s = l->from;
	struct arena a = { 0 };

	buf_char(out, '{');
	if (context.n) {
		buf_z(out, "\"context\":");
		buf_json(out, context);
		buf_char(out, ',');
	}
	buf_z(out, "\"time\":\"");
	put_time(out, l->time, 9);
	buf_z(out, "\",\"role\":");
	buf_json(out, s->role);
	buf_printf(out, ",\"rank\":%lld,\"pod\":", (long long)s->index);
	buf_json(out, s->pod.n ? s->pod : str_printf(&a, "%.*s-%.*s-%lld", STR_ARG(s->run_name),
		STR_ARG(plan_label(&a, s->role)), (long long)s->index));
	buf_z(out, ",\"container\":");
	buf_json(out, s->container);
	if (l->attempt)
		buf_printf(out, ",\"attempt\":%lld", (long long)l->attempt);
	buf_z(out, ",\"text\":");
	buf_json(out, l->text);
	if (l->missing)
		buf_printf(out, ",\"missing\":%lld%s", (long long)l->missing, l->removed ? ",\"removed\":true" : "");
	buf_z(out, l->more ? ",\"more\":true}\n" : "}\n");
	arena_release(&a);
}

static void put_mark(const struct log_print *p, const struct log_stream *s, struct log_printed *state,
	struct buf *marks)
{
	put_stamp(p, state->time, marks);
	put_source(p, s, marks);
	bool ours = state->stopped && (state->exit_code == 128 + SIGTERM || state->exit_code == 128 + SIGKILL);
	buf_printf(marks, " \xE2\x94\x80 attempt %lld ", (long long)state->attempt);
	if (ours)
		buf_printf(marks, state->exit_code == 128 + SIGTERM ? "was stopped\n" : "was stopped, by SIGKILL\n");
	else
		buf_printf(marks, "%sexited with code %d\n", state->stopped ? "was asked to stop and " : "",
			state->exit_code);
	state->ended = false;
}

/* Reports output that is missing because the disk or the log was full. */
static void put_gap(const struct log_print *p, const struct log_line *l, struct buf *marks)
{
	put_stamp(p, l->time, marks);
	put_source(p, l->from, marks);
	if (l->removed) {
		buf_printf(marks,
			" \xE2\x94\x80 %lld bytes before this were removed: the log has a limit (--log-limit)\n",
			(long long)l->missing);
		return;
	}
	buf_printf(marks, " \xE2\x94\x80 %s%lld bytes are missing here: the disk was full\n",
		l->missing == INT32_MAX ? "at least " : "",
		(long long)l->missing);
}

static bool matches(const struct log_print *p, struct str text)
{
#ifdef REG_STARTEND
	regmatch_t span = { .rm_so = 0, .rm_eo = (regoff_t)text.n };
	int e = regexec(p->grep, text.p, 1, &span, REG_STARTEND);
#else
	/* the C library can only search text that ends with a null byte */
	struct arena scratch = { 0 };
	int e = regexec(p->grep, str_copy(&scratch, text).p, 0, NULL, 0);
	arena_release(&scratch);
#endif
	if (e == REG_ESPACE)
		memory_out();
	return e == 0;
}

void log_print(struct log_print *p, const struct log_line *l, struct buf *out, struct buf *marks)
{
	struct log_printed *s = &l->from->printed;

	if (l->kind == LOG_ENDED) {
		s->ended = true;
		s->goes_on = s->paused = false;
		s->attempt = l->attempt;
		s->exit_code = l->exit_code;
		s->stopped = l->stopped;
		s->time = l->time;
		/* a success is reported only when another attempt follows */
		if (l->exit_code && !p->json)
			put_mark(p, l->from, s, marks);
		return;
	}
	if (l->kind == LOG_MISSING && !p->json) {
		put_gap(p, l, marks);
		s->goes_on = s->paused = false;
		return;
	}
	p->any = true;
	if (p->grep && !matches(p, l->text))
		return;
	if (p->json) {
		put_log_json(l, p->context, out);
		return;
	}
	if (s->ended)
		put_mark(p, l->from, s, marks);
	put_log_text(p, l, s, out);
	s->goes_on = l->more;
	s->paused = l->pause;
}
