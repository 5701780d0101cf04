/*
 * allow.c - finds `# allow` comments and removes the warnings that they cover. The tree keeps no comments, and after a
 * syntax error there may be no tree. So this file scans the texts, but only those that contain "# allow". The scanner
 * knows just enough of the language to distinguish a comment from a `#` within a string. A comment after code covers
 * its own line. A comment alone on its line covers the next line that is not such a comment, so several can be stacked.
 */
#include "diag/allow.h"

#include <ctype.h>

struct allow_comment {
	const struct source *source;
	struct span at;                 /* span of the comment: from '#' to the end of the line */
	struct str code;                /* the word after "allow" */
	bool reason, alone, used;
	struct span covers;             /* the line that the comment covers, as global offsets */
};

struct allow_comments {
	struct arena *arena;
	struct allow_comment *at;
	size_t n;
};

static size_t line_start(struct str text, size_t i)
{
	while (i > 0 && text.p[i - 1] != '\n')
		i--;
	return i;
}

static size_t comment_line_end(struct str text, size_t i)
{
	const char *newline = i < text.n ? memchr(text.p + i, '\n', text.n - i) : NULL;
	return newline ? (size_t)(newline - text.p) : text.n;
}

static struct str trim(struct str s)
{
	while (s.n && isspace((unsigned char)s.p[s.n - 1]))
		s.n--;
	while (s.n && isspace((unsigned char)*s.p))
		s.p++, s.n--;
	return s;
}

/* Finds the text after "# allow" in a comment; false for other comments. */
static bool allow_words(struct str comment, struct str *ret)
{
	struct str s = trim((struct str){ comment.p + 1, comment.n - 1 });

	if (!str_starts(s, STR("allow")) || (s.n > 5 && !isspace((unsigned char)s.p[5])))
		return false;
	*ret = trim((struct str){ s.p + 5, s.n - 5 });
	return true;
}

/* Is the word TJ and four digits? */
static bool is_code(struct str word)
{
	if (word.n != 6 || toupper((unsigned char)word.p[0]) != 'T' || toupper((unsigned char)word.p[1]) != 'J')
		return false;
	for (size_t i = 2; i < word.n; i++)
		if (!isdigit((unsigned char)word.p[i]))
			return false;
	return true;
}

static void comment_found(struct allow_comments *cs, const struct source *s, size_t start, size_t end)
{
	struct str words;
	struct allow_comment c = { .source = s };

	if (!allow_words((struct str){ s->text.p + start, end - start }, &words))
		return;
	size_t n = 0;
	while (n < words.n && (isalnum((unsigned char)words.p[n]) || words.p[n] == '-'))
		n++;
	c.code = (struct str){ words.p, n };
	struct str rest = trim((struct str){ words.p + n, words.n - n });
	if (!is_code(c.code) && !(n && rest.n && rest.p[0] == ':'))
		return;                 /* an ordinary sentence, such as "# allow shadowing of disks" */
	c.reason = rest.n > 1 && rest.p[0] == ':' && trim((struct str){ rest.p + 1, rest.n - 1 }).n > 0;
	size_t first = line_start(s->text, start);
	c.alone = trim((struct str){ s->text.p + first, start - first }).n == 0;
	while (end > start && isspace((unsigned char)s->text.p[end - 1]))
		end--;
	c.at = (struct span){ s->base + (uint32_t)start, s->base + (uint32_t)end };
	c.covers = (struct span){ s->base + (uint32_t)first, s->base + (uint32_t)comment_line_end(s->text, start) };
	ARENA_PUSH(cs->arena, cs->at, cs->n, c);
}

/* The offset after the string that begins at I with a quote. */
static size_t skip_string(struct str text, size_t i)
{
	bool raw = i > 0 && text.p[i - 1] == 'r';
	bool block = text.n - i >= 3 && memcmp(text.p + i, "\"\"\"", 3) == 0;

	for (i += block ? 3 : 1; i < text.n; i++) {
		if (text.p[i] == '\\' && !raw)
			i++;
		else if (text.p[i] == '\n' && !block)
			return i;       /* an unclosed string is reported elsewhere */
		else if (text.p[i] == '"' && !block)
			return i + 1;
		else if (block && text.n - i >= 3 && memcmp(text.p + i, "\"\"\"", 3) == 0)
			return i + 3;
	}
	return text.n;
}

static void scan_allows(struct allow_comments *cs, const struct source *s)
{
	struct str text = s->text;

	for (size_t i = 0; i < text.n;) {
		if (text.p[i] == '"') {
			i = skip_string(text, i);
		} else if (text.p[i] == '#') {
			size_t end = comment_line_end(text, i);
			comment_found(cs, s, i, end);
			i = end;
		} else {
			i++;
		}
	}
}

/*
 * Finds the lines that comments cover. A comment alone on its line covers the next line, and all comments in a stack of
 * them cover the line below the last one.
 */
static void settle_lines(struct allow_comments *cs)
{
	for (size_t i = cs->n; i-- > 0;) {
		struct allow_comment *c = &cs->at[i], *below = i + 1 < cs->n ? &cs->at[i + 1] : NULL;
		struct str text = c->source->text;
		size_t next = c->covers.end - c->source->base;

		if (!c->alone)
			continue;
		if (next < text.n)
			next++;         /* past the newline */
		size_t end = comment_line_end(text, next);
		bool stacked = below && below->source == c->source && below->alone &&
		               below->at.start - c->source->base >= next && below->at.start - c->source->base <= end;
		if (stacked)
			c->covers = below->covers;
		else
			c->covers = (struct span){ c->source->base + (uint32_t)next, c->source->base + (uint32_t)end };
	}
}

static bool silence(struct allow_comments *cs, const struct diag *d)
{
	if (diag_severity(d->code) != SEVERITY_WARNING || !span_known(d->at))
		return false;
	bool silenced = false;
	for (size_t i = 0; i < cs->n; i++) {
		struct allow_comment *c = &cs->at[i];
		enum diag_code code;

		if (d->at.start < c->covers.start || d->at.start > c->covers.end)
			continue;
		if (diag_code_find(c->code, &code) && code == d->code)
			silenced = c->used = true;
	}
	return silenced;
}

static void report_allow(struct diags *ds, const struct allow_comment *c)
{
	enum diag_code code;
	bool known = diag_code_find(c->code, &code);

	if (!known) {
		struct diag *d = diag_report(ds, TJ1009, c->at, "unknown diagnostic '%.*s'", STR_ARG(c->code));
		diag_help(ds, d, "'trainc explain codes' lists them");
	} else if (!c->reason) {
		struct diag *d = diag_report(ds, TJ1009, c->at, "this '# allow %.*s' gives no reason",
			STR_ARG(c->code));
		diag_help(ds, d, "write '# allow %.*s: why it is fine here'", STR_ARG(c->code));
	} else if (diag_severity(code) == SEVERITY_ERROR) {
		struct diag *d = diag_report(ds, TJ1009, c->at, "'%.*s' is an error, and errors cannot be silenced",
			STR_ARG(c->code));
		diag_help(ds, d, "remove the comment");
	} else if (!c->used && ds->errors == 0 && !ds->unasked[code]) {
		struct diag *d = diag_report(ds, TJ1009, c->at, "this '# allow %.*s' silences nothing",
			STR_ARG(c->code));
		diag_help(ds, d, "remove it, or put it on the line of the warning or alone on the line above");
	}
}

/*
 * May the text have an `# allow` comment? A `#` is rare and found quickly, so for most texts this answer saves a full
 * scan.
 */
static bool may_allow(struct str text)
{
	const char *end = text.p + text.n, *p = text.p;

	while (p < end && (p = memchr(p, '#', (size_t)(end - p)))) {
		while (++p < end && isspace((unsigned char)*p))
			;
		if (str_starts((struct str){ p, (size_t)(end - p) }, STR("allow")))
			return true;
	}
	return false;
}

void allow_apply(struct diags *ds)
{
	struct allow_comments cs = { .arena = ds->arena };
	size_t kept = 0;

	for (size_t i = 0; ds->sources && i < ds->sources->n; i++) {
		struct source *s = ds->sources->at[i];
		/* a binary file has no comments */
		s->silent = s->silent || s->library || !may_allow(s->text) || memchr(s->text.p, 0, s->text.n);
		if (!s->silent)
			scan_allows(&cs, s);
	}
	if (!cs.n)
		return;
	settle_lines(&cs);
	for (size_t i = 0; i < ds->n; i++)
		if (!silence(&cs, ds->at[i]))
			ds->at[kept++] = ds->at[i];
	ds->n = kept;
	for (size_t i = 0; i < cs.n; i++)
		report_allow(ds, &cs.at[i]);
}
