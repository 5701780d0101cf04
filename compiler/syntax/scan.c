/*
 * scan.c - the actions of the scanner's rules. The scanner reads a cleaned copy of the text in which every byte that no
 * program may contain (NUL, control characters, malformed UTF-8, a CR alone) is replaced by MARK. That keeps flex
 * linear (it rescans a token for every NUL in it) and lets comments and strings continue after such a byte.
 *
 * An unclosed string must not extend over the rest of the file, so it ends with its line. With interpolation there are
 * two possible causes: in "rank-${i" the quote that should close the string opens another one inside `${`. Therefore a
 * string that is unclosed inside an interpolation is reported at the `${`.
 */
#include "syntax/scan.h"

#include "syntax/bar.h"
#include "syntax/number.h"
#include "syntax/python.h"
#include "syntax/reserved.h"
#include "base/buf.h"
#include "trainc.tab.h"

enum { NORMAL = 0 };                    /* flex's INITIAL */
/* bytes of a line that are examined for a message; the rest of a longer line is ignored */
enum { MOST_GUESSED = 4096 };

static struct token *push_token(struct scan *s, int kind, uint32_t start, uint32_t end, unsigned flags)
{
	struct tokens *ts = s->ts;
	if (ts->n + TOKENS_AHEAD == ts->size) {
		size_t size = ts->size * 2;
		struct token *bigger = ARENA_ARRAY(ts->arena, struct token, size);
		memcpy(bigger, ts->at, ts->n * sizeof(*bigger));
		ts->at = bigger;
		ts->size = size;
	}
	if (s->newlines)
		flags |= s->newlines > 1 ? FLAG_LINE | FLAG_BLANK : FLAG_LINE;
	s->newlines = 0;
	while (s->attached < ts->ncomments)
		ts->comments[s->attached++].next = start;
	struct token *t = &ts->at[ts->n++];
	*t = (struct token){ start, end, (unsigned char)kind, (unsigned char)(flags | s->flags) };
	s->flags = 0;
	return t;
}

/*
 * The length of the character at P, of N bytes, if it is invisible and changes how the line is shown: C1 controls and
 * overrides of the direction of writing.
 */
static bool hides(const unsigned char *p, size_t n)
{
	if (n == 2)
		return p[0] == 0xC2 && p[1] < 0xA0;
	return n == 3 && p[0] == 0xE2 && ((p[1] == 0x80 && p[2] >= 0xAA && p[2] <= 0xAE) ||
		(p[1] == 0x81 && p[2] >= 0xA6 && p[2] <= 0xA9));
}

/* Warns once about invisible characters that make a comment or string look different from what it is (TJ1011). */
static void report_hidden(struct scan *s, uint32_t start, uint32_t end, const char *where)
{
	struct str text = s->hidden ? tokens_text(s->ts, start, end) : STR("");
	struct diags *ds = s->ts->diags;

	for (size_t i = 0, n; i < text.n; i += n) {
		n = (unsigned char)text.p[i] < 0x80 ? 1 : str_utf8(text.p + i, text.n - i);
		n += n == 0;
		if (!hides((const unsigned char *)text.p + i, n))
			continue;
		const unsigned char *p = (const unsigned char *)text.p + i;
		unsigned code = n == 2 ? p[1] : 0x2000u + (unsigned)(p[1] - 0x80) * 64 + (p[2] & 0x3F);
		uint32_t at = start + (uint32_t)i;
		struct diag *d = diag_report(ds, TJ1011, (struct span){ at, at + (uint32_t)n },
			"this %s contains the invisible character U+%04X", where, code);
		if (*where == 's')
			diag_help(ds, d, "remove it, or write '\\u{%x}' so that it can be seen", code);
		else
			diag_help(ds, d, "remove it");
		return;
	}
}

void scan_token(struct scan *s, int kind)
{
	if (kind == TOKEN_STRING)
		report_hidden(s, s->start, s->end, "string");
	push_token(s, kind, s->start, s->end, 0);
	if (kind == TOKEN_LBRACE && s->nmodes)
		s->modes[s->nmodes - 1].braces++;
}

/* Adds a token that is missing in the text. */
static void supply(struct scan *s, int kind, unsigned flags)
{
	uint32_t at = s->ts->n ? s->ts->at[s->ts->n - 1].end : s->start;
	push_token(s, kind, at, at, FLAG_VIRTUAL | flags);
}

void scan_newline(struct scan *s)
{
	s->newlines++;
}

/* Reports bad characters, with one message for a line. */
static struct diag *report_bad(struct scan *s, struct span at, const char *what, struct str text)
{
	struct str source = s->ts->source->text;
	if (at.start < s->bad_line)
		return NULL;
	uint32_t i = at.start - s->ts->source->base;
	const char *end = memchr(source.p + i, '\n', source.n - i);
	s->bad_line = s->ts->source->base + (uint32_t)(end ? (size_t)(end - source.p) : source.n) + 1;
	return diag_report(s->ts->diags, TJ0101, at, "unexpected %s%.*s", what, STR_ARG(text));
}

static struct diag *report_mark(struct scan *s, uint32_t at)
{
	unsigned char c = (unsigned char)s->ts->source->text.p[at - s->ts->source->base];
	struct span span = { at, at + 1 };
	struct diags *ds = s->ts->diags;
	struct diag *d;

	if (at < s->bad_line)
		return NULL;
	if (c >= 0x80) {
		d = report_bad(s, span, "byte ", str_printf(s->ts->arena, "0x%02X", c));
		if (d)
			diag_help(ds, d, "the text is not valid UTF-8 here: save the file as UTF-8");
	} else if (c == 0) {
		d = report_bad(s, span, "NUL byte", STR(""));
	} else if (c == '\r') {
		d = report_bad(s, span, "carriage return without a line feed", STR(""));
		if (d)
			diag_help(ds, d, "lines end in LF");
	} else {
		d = report_bad(s, span, "control character ", str_printf(s->ts->arena, "0x%02X", c));
	}
	return d;
}

static void report_marks(struct scan *s, uint32_t start, uint32_t end)
{
	const char *p = s->clean + (start - s->ts->source->base);
	const char *mark = s->marks ? memchr(p, MARK, end - start) : NULL;
	if (mark)
		report_mark(s, start + (uint32_t)(mark - p));
}

void scan_comment(struct scan *s)
{
	struct tokens *ts = s->ts;
	const char *p = ts->source->text.p + (s->start - ts->source->base);
	uint32_t end = s->end;

	report_marks(s, s->start, end);
	report_hidden(s, s->start, end, "comment");
	while (end > s->start + 1 && strchr(" \t\r", p[end - 1 - s->start]) && p[end - 1 - s->start])
		end--;
	struct comment c = {
		.start = s->start, .end = end,
		.doc = end - s->start >= 2 && p[1] == '#',
		.own_line = s->newlines > 0 || (ts->n == 0 && ts->ncomments == 0),
		.blank = s->newlines > 1,
	};
	ARENA_PUSH(ts->arena, ts->comments, ts->ncomments, c);
	if (s->newlines)
		s->flags |= FLAG_LINE;
	s->newlines = 0;
}

static const struct word {
	const char *text;
	unsigned char kind;
} words[] = {
	{ "as", TOKEN_AS }, { "fn", TOKEN_FN }, { "if", TOKEN_IF }, { "in", TOKEN_IN }, { "or", TOKEN_OR },
	{ "let", TOKEN_LET }, { "job", TOKEN_JOB }, { "for", TOKEN_FOR }, { "and", TOKEN_AND }, { "not", TOKEN_NOT },
	{ "type", TOKEN_TYPE }, { "test", TOKEN_TEST }, { "warn", TOKEN_WARN }, { "then", TOKEN_THEN },
	{ "else", TOKEN_ELSE }, { "true", TOKEN_TRUE }, { "none", TOKEN_NONE },
	{ "param", TOKEN_PARAM }, { "check", TOKEN_CHECK }, { "false", TOKEN_FALSE },
	{ "import", TOKEN_IMPORT }, { "policy", TOKEN_POLICY },
	{ "project", TOKEN_PROJECT }, { "profile", TOKEN_PROFILE },
	{ "framework", TOKEN_FRAMEWORK }, { "accelerator", TOKEN_ACCELERATOR },
};
/* For each length, the index of the first word of that length in the table. */
static const unsigned char words_of_length[] = { 0, 0, 0, 5, 10, 17, 20, 22, 24, 24, 25, 25, 26 };

static int word_kind(struct str w)
{
	if (w.n + 1 >= sizeof(words_of_length))
		return TOKEN_IDENT;
	for (unsigned i = words_of_length[w.n]; i < words_of_length[w.n + 1]; i++)
		if (words[i].text[0] == w.p[0] && memcmp(words[i].text, w.p, w.n) == 0)
			return words[i].kind;
	return TOKEN_IDENT;
}

bool word_is_reserved(struct str word) { return word_kind(word) != TOKEN_IDENT; }

bool token_is_word(int kind)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i].kind == kind)
			return true;
	return false;
}

void scan_word(struct scan *s)
{
	push_token(s, word_kind(tokens_text(s->ts, s->start, s->end)), s->start, s->end, 0);
}

void scan_number(struct scan *s)
{
	push_token(s, number_kind(s->ts, s->start, s->end), s->start, s->end, 0);
}

static const struct lookalike {
	const char *text, *plain;
} lookalikes[] = {
	{ "\u201C", "\"" }, { "\u201D", "\"" }, { "\u201E", "\"" }, { "\u00AB", "\"" }, { "\u00BB", "\"" },
	{ "\u2018", "\"" }, { "\u2019", "\"" }, { "\u2013", "-" }, { "\u2014", "-" }, { "\u2212", "-" },
	{ "\u00D7", "x" }, { "\u2026", "..." }, { "\u2264", "<=" }, { "\u2265", ">=" }, { "\u2260", "!=" },
	{ "\u2192", "->" }, { "\uFF1D", "=" }, { "\uFF1A", ":" }, { "\uFF0C", "," }, { "\uFF08", "(" },
	{ "\uFF09", ")" }, { "\uFF5B", "{" }, { "\uFF5D", "}" },
	{ "\u00A0", " " }, { "\u2003", " " }, { "\u3000", " " }, { "\u200B", "" }, { "\uFEFF", "" },
	{ "&&", "and" }, { "||", "or" }, { "!", "not " },
	/* letters of Cyrillic and Greek that look exactly like Latin ones */
	{ "\u0430", "a" }, { "\u0435", "e" }, { "\u043E", "o" }, { "\u0440", "p" }, { "\u0441", "c" },
	{ "\u0443", "y" }, { "\u0445", "x" }, { "\u0456", "i" }, { "\u0458", "j" }, { "\u0455", "s" },
	{ "\u0410", "A" }, { "\u0412", "B" }, { "\u0415", "E" }, { "\u041A", "K" }, { "\u041C", "M" },
	{ "\u041D", "H" }, { "\u041E", "O" }, { "\u0420", "P" }, { "\u0421", "C" }, { "\u0422", "T" },
	{ "\u0425", "X" }, { "\u0406", "I" }, { "\u0408", "J" }, { "\u0405", "S" },
	{ "\u03BF", "o" }, { "\u03BD", "v" }, { "\u0391", "A" }, { "\u0392", "B" }, { "\u0395", "E" },
	{ "\u0397", "H" }, { "\u0399", "I" }, { "\u039A", "K" }, { "\u039C", "M" }, { "\u039D", "N" },
	{ "\u039F", "O" }, { "\u03A1", "P" }, { "\u03A4", "T" }, { "\u03A7", "X" }, { "\u0396", "Z" },
};

static const struct lookalike *lookalike(struct str text)
{
	for (size_t i = 0; i < sizeof(lookalikes) / sizeof(lookalikes[0]); i++)
		if (str_starts(text, str_of(lookalikes[i].text)))
			return &lookalikes[i];
	return NULL;
}

static bool is_word_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The code point at P if it is a letter of another alphabet that looks like a Latin one; otherwise 0. */
static unsigned letter_code(const struct lookalike *l)
{
	enum { GREEK = 0x370 };
	const unsigned char *p = (const unsigned char *)l->text;
	unsigned code = p[0] >= 0xC0 && p[0] < 0xE0 ? (p[0] & 0x1Fu) << 6 | (p[1] & 0x3Fu) : 0;

	return code >= GREEK && is_word_byte(l->plain[0]) ? code : 0;
}

/*
 * Extends the edit of one stray character to all others like it on the line. LETTER: it is a letter of another
 * alphabet; then only letters of the same word are replaced, since texts and comments may be in that alphabet.
 */
static void fix_lookalikes(struct scan *s, struct diag *d, bool letter)
{
	struct tokens *ts = s->ts;
	struct str all = ts->source->text;
	struct diag_fix *fix = d->fixes;
	if (!fix)
		return;                         /* there are too many diagnostics, so this one was not kept */
	size_t i = d->at.end - ts->source->base;

	for (struct diag_edit **to = &fix->edits->next; i < all.n && all.p[i] != '\n'; i++) {
		struct str rest = { all.p + i, all.n - i };
		const struct lookalike *l = (unsigned char)all.p[i] >= 0x80 ? lookalike(rest) : NULL;
		if (letter && !is_word_byte(all.p[i]) && !(l && letter_code(l)))
			break;
		if (!l || (letter_code(l) != 0) != letter)
			continue;
		uint32_t at = ts->source->base + (uint32_t)i;
		*to = ARENA_NEW(ts->arena, struct diag_edit);
		(*to)->at = (struct span){ at, at + (uint32_t)strlen(l->text) };
		(*to)->text = str_of(l->plain);
		to = &(*to)->next;
		i += strlen(l->text) - 1;
	}
}

static void help_lookalike(struct scan *s, struct diag *d, const struct lookalike *l)
{
	struct diags *ds = s->ts->diags;
	const char *plain = l->plain;

	if (plain[0] == '"') {
		diag_help(ds, d, "use the plain quote '\"'");
		diag_fix(ds, d, d->at, str_of(plain), "use plain quotes");
	} else if (plain[0] == ' ' || !plain[0]) {
		diag_help(ds, d, "%s", plain[0] ? "use a plain space" : "this character is invisible: remove it");
		diag_fix(ds, d, d->at, str_of(plain), plain[0] ? "use plain spaces" : "remove invisible characters");
	} else if (letter_code(l)) {
		diag_help(ds, d, "this is U+%04X of another alphabet, which looks like '%s': write the Latin letter",
			letter_code(l), plain);
		diag_fix(ds, d, d->at, str_of(plain), "write the Latin '%s'", plain);
	} else {
		int n = (int)strcspn(plain, " ");
		diag_help(ds, d, "write '%.*s'", n, plain);
		diag_fix(ds, d, d->at, str_of(plain), "write '%.*s'", n, plain);
	}
	fix_lookalikes(s, d, letter_code(l) != 0);
}

/*
 * Rewrites 'text' with double quotes, including the interpolations of f'...'; empty when the meaning is uncertain.
 * Stores the span to replace in RET_AT.
 */
static struct str double_quotes(struct scan *s, struct str text, struct span *ret_at)
{
	struct str all = s->ts->source->text;
	size_t start = s->start - s->ts->source->base;
	char prefix = start ? all.p[start - 1] : ' ';
	bool alone = start < 2 || !is_word_byte(all.p[start - 2]);
	bool inserts = (prefix | 32) == 'f' && alone;
	size_t end = s->end - s->ts->source->base;
	char behind = end < all.n ? all.p[end] : ' ';
	struct buf out = { 0 };

	*ret_at = (struct span){ s->start - inserts, s->end };
	/* a doubled or missing quote, as in 'it''s' and don't, makes the end of the text uncertain */
	if (prefix == '\'' || behind == '\'' || is_word_byte(behind) || (is_word_byte(prefix) && !alone))
		return STR("");
	if (text.n < 2 || text.p[text.n - 1] != '\'' || memchr(text.p, '\\', text.n) || memmem(text.p, text.n, "${", 2))
		return STR("");
	struct str inside = { text.p + 1, text.n - 2 };
	if (inserts)
		inside = text_of_format(s->ts->arena, inside);
	if (!inside.p)
		return STR("");
	for (size_t i = 0; i < inside.n; i++) {
		if (inside.p[i] == '"')
			buf_char(&out, '\\');
		buf_char(&out, inside.p[i]);
	}
	struct str quoted = str_printf(s->ts->arena, "\"%.*s\"", STR_ARG(buf_text(&out)));
	buf_release(&out);
	return quoted;
}

/* Adds the edit for one text in single quotes to the fix of the first one. */
static void fix_single_quotes(struct scan *s, struct span at, struct str text)
{
	struct diag_edit *e = ARENA_NEW(s->ts->arena, struct diag_edit);

	e->at = at;
	e->text = text;
	*s->single = e;
	s->single = &e->next;
}

/* Reports 'text' in single quotes, once in a file. */
static void report_single_quotes(struct scan *s, struct str text)
{
	struct diags *ds = s->ts->diags;
	struct span at;
	struct str plain = double_quotes(s, text, &at);

	if (s->single && plain.n) {
		fix_single_quotes(s, at, plain);
		return;
	}
	struct diag *d = report_bad(s, (struct span){ s->start, s->start + 1 }, "character ", STR("'"));
	if (!d)
		return;
	diag_help(ds, d, "strings are written in double quotes");
	if (!plain.n)
		return;
	diag_fix(ds, d, at, plain, "use double quotes");
	if (d->fixes)
		s->single = &d->fixes->edits->next;
}

static struct str first_character(struct str text)
{
	size_t n = 1;
	while (n < text.n && ((unsigned char)text.p[n] & 0xC0) == 0x80)
		n++;
	return (struct str){ text.p, n };
}

/* Adds help for a semicolon: remove it at the end of a line, or write ',' between two items. */
static void help_semicolon(struct scan *s, struct diag *d)
{
	struct str text = s->ts->source->text;
	size_t i = s->start - s->ts->source->base + 1;
	struct span at = { s->start, s->start + 1 };

	while (i < text.n && (text.p[i] == ' ' || text.p[i] == '\t' || text.p[i] == '\r'))
		i++;
	bool last = i == text.n || text.p[i] == '\n' || text.p[i] == '#' || text.p[i] == '}';
	diag_help(s->ts->diags, d, last ? "a new line separates two items: remove it" :
		"a new line or ',' separates two items");
	diag_fix(s->ts->diags, d, at, last ? STR("") : STR(","), last ? "remove ';'" : "write ','");
}

/* Handles characters that begin no token: they become a token at which the parser reports an error. */
void scan_junk(struct scan *s)
{
	struct str text = tokens_text(s->ts, s->start, s->end);
	const struct lookalike *l = lookalike(text);
	struct str c = l ? (struct str){ text.p, strlen(l->text) } : first_character(text);
	struct diag *d;


	if (s->clean[s->start - s->ts->source->base] == MARK) {
		report_mark(s, s->start);
	} else if (text.p[0] == '\'') {
		report_single_quotes(s, text);
	} else if (s->start < s->bad_line) {
		/* reported already */
	} else if ((d = report_bad(s, (struct span){ s->start, s->start + (uint32_t)c.n }, "character ",
	                           str_printf(s->ts->arena, "'%.*s'", STR_ARG(c))))) {
		if (l)
			help_lookalike(s, d, l);
		else if (text.p[0] == ';')
			help_semicolon(s, d);
		else if (text.p[0] == '`')
			diag_help(s->ts->diags, d, "strings are written in double quotes");
		else if (text.p[0] == '$') {
			diag_help(s->ts->diags, d,
				"'${...}' inserts a value into a string; elsewhere a name is written as it is");
			s->dollar_line = s->bad_line;
		}
		else if (text.p[0] == '|')
			help_bar(s->ts, s->start, d);
		else if (text.p[0] == '~')
			diag_help(s->ts->diags, d,
				"text, including paths, must be quoted; '~' means nothing without a shell");
		else if (text.p[0] == '@')
			diag_help(s->ts->diags, d, "text with '@' in it, such as an image with its digest, must be "
				"quoted");
		else if (c.n > 1)
			diag_help(s->ts->diags, d, "names consist of the letters a to z and A to Z, digits and '_'; "
				"other text must be quoted");
	}
	struct token *last = s->ts->n ? &s->ts->at[s->ts->n - 1] : NULL;
	if (last && last->kind == TOKEN_JUNK && last->end == s->start)
		last->end = s->end;
	else
		push_token(s, TOKEN_JUNK, s->start, s->end, 0);
}

/* --- strings --- */

int scan_string_open(struct scan *s, int condition)
{
	push_token(s, TOKEN_STR_OPEN, s->start, s->end, 0);
	s->condition = condition;
	s->open = s->start;
	s->broken = false;
	return condition;
}

int scan_string_begin(struct scan *s, int condition)
{
	uint32_t end = s->end;

	s->end = s->start + 1;
	scan_string_open(s, condition);
	s->start = s->end;
	s->end = end;
	if (s->end > s->start)
		scan_string_text(s);
	return condition;
}

void scan_string_text(struct scan *s)
{
	struct token *last = &s->ts->at[s->ts->n - 1];
	report_hidden(s, s->start, s->end, "string");
	if (last->kind == TOKEN_STR_TEXT && last->end == s->start)
		last->end = s->end;
	else
		push_token(s, TOKEN_STR_TEXT, s->start, s->end, 0);
}

void scan_string_bad(struct scan *s)
{
	if (s->clean[s->start - s->ts->source->base] == MARK) {
		report_mark(s, s->start);
	} else {
		struct diag *d = report_bad(s, (struct span){ s->start, s->end }, "tab in a string", STR(""));
		if (d)
			diag_help(s->ts->diags, d, "write '\\t', or use spaces");
	}
	s->broken = true;
	scan_string_text(s);
}

int scan_string_close(struct scan *s)
{
	push_token(s, TOKEN_STR_CLOSE, s->start, s->end, s->broken ? FLAG_BROKEN : 0);
	return NORMAL;
}

static bool is_block_open(const struct scan *s, uint32_t open)
{
	const char *p = s->ts->source->text.p + (open - s->ts->source->base);
	if (*p == 'r')
		p++;
	return p[1] == '"' && p[2] == '"';
}

/*
 * Closes open interpolations and the strings around them, up to the innermost string of several lines, or all of them.
 */
static int unwind(struct scan *s)
{
	while (s->nmodes) {
		struct string_mode m = s->modes[--s->nmodes];
		supply(s, TOKEN_INTERP_CLOSE, FLAG_TORN);
		if (is_block_open(s, m.open)) {
			s->condition = m.condition;
			s->open = m.open;
			s->broken = true;
			return m.condition;
		}
		supply(s, TOKEN_STR_CLOSE, FLAG_BROKEN | FLAG_TORN);
	}
	return NORMAL;
}

static void report_interpolation(struct scan *s)
{
	uint32_t at = s->modes[s->nmodes - 1].interpolation;
	if (at < s->dollar_line)
		return;
	struct diag *d = diag_report(s->ts->diags, TJ0109, (struct span){ at, at + 2 },
		"'${' opened here is never closed");
	diag_help(s->ts->diags, d, "write '}' after the expression, or '\\${' for the text");
}

static size_t skip_blanks(const char *p, size_t n, size_t i)
{
	while (i < n && (p[i] == ' ' || p[i] == '\t'))
		i++;
	return i;
}

/* Does QUOTE look like the end of a string, because a separator or the end of the line follows it? */
static bool parts_strings(struct str line, size_t quote)
{
	size_t i = skip_blanks(line.p, line.n, quote + 1);

	return i >= line.n || strchr(",)]}:=+#\r", line.p[i]);
}

/*
 * Finds the cause of "train.py, "--lr", "3": the string at OPEN is never closed, because an earlier string of the line
 * lacks its closing quote. Returns where that first string should have ended, and its opening quote in RET_OPEN; 0 if
 * no such string is found.
 */
static size_t end_missed(struct str line, size_t open, size_t *ret_open)
{
	if (memmem(line.p, open, "${", 2))      /* interpolations may contain quotes */
		return 0;
	for (size_t i = 0; i < open; i++) {
		if (line.p[i] != '"')
			continue;
		size_t end = i + 1;
		while (end < line.n && line.p[end] != '"')
			end += 1 + (line.p[end] == '\\');
		if (end >= line.n)
			return 0;
		size_t comma = end;
		while (comma > i && (line.p[comma - 1] == ' ' || line.p[comma - 1] == ','))
			comma--;
		if (!parts_strings(line, end)) {
			*ret_open = i;
			return memchr(line.p + comma, ',', end - comma) && comma > i + 1 ? comma : 0;
		}
		i = end;
	}
	return 0;
}

/* Adds help, with a fix, to close the string at END. */
static void help_end(struct scan *s, struct diag *d, uint32_t open, uint32_t end)
{
	struct diags *ds = s->ts->diags;

	diag_help(ds, d, "write %.*s\"", STR_ARG(tokens_text(s->ts, open, end)));
	diag_fix(ds, d, (struct span){ end, end }, STR("\""), "insert '\"'");
}

/* Reports that the missing quote belongs to an earlier string of the line; true if it did. */
static bool report_end_missed(struct scan *s)
{
	const struct source *source = s->ts->source;
	struct diags *ds = s->ts->diags;
	size_t at = s->open - source->base, start = at, end = at, open = 0;

	while (start && source->text.p[start - 1] != '\n')
		start--;
	while (end < source->text.n && source->text.p[end] != '\n')
		end++;
	size_t missed = end_missed((struct str){ source->text.p + start, end - start }, at - start, &open);
	if (!missed)
		return false;
	uint32_t quote = source->base + (uint32_t)(start + open), gap = source->base + (uint32_t)(start + missed);
	struct diag *d = diag_report(ds, TJ0106, (struct span){ quote, gap }, "this string has no closing quote");
	help_end(s, d, quote, gap);
	return true;
}

/* Does the bracket at the end of the text match one inside the text? */
static bool closes_inside(const char *p, size_t n)
{
	char close = p[n - 1], open = close == ')' ? '(' : close == ']' ? '[' : '{';
	size_t depth = 0;

	if (!strchr(")]}", close))
		return false;
	for (size_t i = n; i-- > 0;) {
		depth += p[i] == close;
		if (p[i] == open && --depth == 0)
			return true;
	}
	return false;
}

/*
 * Guesses the end of a string such as "train.py] }, which runs to the end of its line: that end, less trailing brackets
 * and commas; 0 when that is uncertain.
 */
static uint32_t end_guessed(struct scan *s)
{
	const struct source *source = s->ts->source;
	const char *open = source->text.p + (s->open - source->base), *newline = strchr(open, '\n');
	size_t n = newline ? (size_t)(newline - open) : strlen(open);

	if (n > MOST_GUESSED)
		return 0;
	while (n && strchr(" \t\r,)]}", open[n - 1]) && !closes_inside(open, n))
		n--;
	if (*open != '"' || n < 2 || memchr(open, '#', n) || memmem(open, n, "${", 2) || memchr(open, '\\', n))
		return 0;
	return s->open + (uint32_t)n;
}

/* Reports an unclosed string. If HELP is NULL, the help says that a string ends with its line. */
static void report_unclosed(struct scan *s, unsigned quotes, const char *help)
{
	if (quotes == 1 && !s->nmodes && report_end_missed(s))
		return;
	bool raw = s->ts->source->text.p[s->open - s->ts->source->base] == 'r';
	if (quotes == 1 && s->open < s->dollar_line)
		return;
	struct diag *d = diag_report(s->ts->diags, TJ0106, (struct span){ s->open, s->open + quotes + raw },
		"this string has no closing quote");
	uint32_t end = help ? 0 : end_guessed(s);
	if (end)
		help_end(s, d, s->open, end);
	diag_help(s->ts->diags, d, "%s", help ? help : "text over several lines begins and ends with \"\"\"");
}

int scan_string_unclosed(struct scan *s)
{
	bool block = is_block_open(s, s->open);

	if (s->nmodes && !block) {
		report_interpolation(s);
		supply(s, TOKEN_STR_CLOSE, FLAG_BROKEN | FLAG_TORN);
		return unwind(s);
	}
	if (block) {
		report_unclosed(s, 3, "close it with '\"\"\"' on a separate line");
		s->ts->cut = true;
	} else {
		report_unclosed(s, 1, NULL);
	}
	supply(s, TOKEN_STR_CLOSE, FLAG_BROKEN | FLAG_TORN);
	return unwind(s);
}

/* Does this line end a string that began above? Then only closing brackets and commas follow its first quote. */
static bool line_ends_string(struct str line, size_t quote)
{
	size_t before = quote;
	while (before && (line.p[before - 1] == ' ' || line.p[before - 1] == '\t'))
		before--;
	if (before && strchr("=([{,:", line.p[before - 1]))
		return false;                   /* the quote begins a string */
	for (size_t i = quote + 1; i < line.n; i++)
		if (!strchr(" \t\r,)]}", line.p[i]))
			return false;
	return true;
}

bool scan_string_line(struct scan *s)
{
	enum { LINES = 100 };
	struct str rest = s->ts->source->text;
	size_t at = s->end - s->ts->source->base;

	if (s->nmodes || s->told == s->open)
		return !s->nmodes;
	for (int lines = 0; lines < LINES && at < rest.n; lines++) {
		const char *start = rest.p + at, *newline = memchr(start, '\n', rest.n - at);
		struct str line = { start, newline ? (size_t)(newline - start) : rest.n - at };
		const char *quote = memchr(line.p, '"', line.n);
		if (quote) {
			if (!line_ends_string(line, (size_t)(quote - line.p)))
				return false;
			report_unclosed(s, 1, "text over several lines begins and ends with \"\"\"");
			s->told = s->open;
			s->broken = true;
			return true;
		}
		at += line.n + 1;
	}
	return false;
}

int scan_interpolation(struct scan *s)
{
	struct string_mode m = { s->condition, s->open, s->start, 0, s->broken, 0 };
	push_token(s, TOKEN_INTERP_OPEN, s->start, s->end, 0);
	ARENA_PUSH(s->ts->arena, s->modes, s->nmodes, m);
	return NORMAL;
}

int scan_brace_close(struct scan *s, int condition)
{
	struct string_mode *m = s->nmodes ? &s->modes[s->nmodes - 1] : NULL;
	if (!m || m->braces) {
		if (m)
			m->braces--;
		push_token(s, TOKEN_RBRACE, s->start, s->end, 0);
		return condition;
	}
	push_token(s, TOKEN_INTERP_CLOSE, s->start, s->end, 0);
	s->nmodes--;
	s->condition = m->condition;
	s->open = m->open;
	s->broken = m->broken;
	return m->condition;
}

/* Does a line of the text begin, after its blanks, like a new item or the end of a body? */
static bool line_is_item(const char *p, size_t n, size_t i)
{
	if (i < n && p[i] == '}')
		return true;
	for (int words_seen = 0; words_seen < 2; words_seen++) {
		size_t word = i;
		while (i < n && is_word_byte(p[i]))
			i++;
		if (i == word)
			return false;
		i = skip_blanks(p, n, i);
		if (i < n && (p[i] == '{' || p[i] == ':' || (p[i] == '=' && p[i + 1] != '=')))
			return true;
	}
	return i < n && p[i] == '"';    /* such as job "x" */
}

int scan_interpolation_line(struct scan *s, int condition)
{
	if (!s->nmodes)
		return condition;
	struct str text = s->ts->source->text;
	uint32_t base = s->ts->source->base;
	size_t line = s->end - base;
	size_t i = skip_blanks(text.p, text.n, line);
	struct string_mode *m = &s->modes[s->nmodes - 1];
	if (!m->indent)
		m->indent = tokens_indent(s->ts, m->interpolation) + 1;
	if (i - line >= m->indent || !line_is_item(text.p, text.n, i))
		return condition;
	report_interpolation(s);
	unsigned newlines = s->newlines;
	s->newlines = 0;
	condition = unwind(s);
	s->newlines = newlines;
	return condition;
}

/* --- the text --- */

/* Does the word contain a byte below 0x20, or one of 0x7F or above? A false positive only costs time. */
static bool word_is_plain(uint64_t w)
{
	const uint64_t ones = 0x0101010101010101u, high = 0x8080808080808080u;
	return !((w | (w - 0x20 * ones) | (w + ones)) & high);
}

static bool byte_is_plain(const unsigned char *p, size_t n)
{
	return (*p >= 0x20 && *p < 0x7F) || *p == '\n' || *p == '\t' || (*p == '\r' && n > 1 && p[1] == '\n');
}

/*
 * Copies the text for the scanner. True if some bytes had to be marked; RET_HIDDEN if some characters are invisible.
 */
static bool clean_text(struct str text, char *to, bool *ret_hidden)
{
	const unsigned char *p = (const unsigned char *)text.p;
	bool marks = false;

	memcpy(to, text.p, text.n);
	for (size_t i = 0; i < text.n;) {
		uint64_t w;
		if (text.n - i >= sizeof(w) && (memcpy(&w, p + i, sizeof(w)), word_is_plain(w))) {
			i += sizeof(w);
			continue;
		}
		size_t len = p[i] >= 0x80 ? str_utf8((const char *)p + i, text.n - i) :
			byte_is_plain(p + i, text.n - i);
		if (!len) {
			to[i] = MARK;
			marks = true;
			len = 1;
		}
		*ret_hidden = *ret_hidden || hides(p + i, len);
		i += len;
	}
	return marks;
}

/* The number of bytes at the beginning that are byte-order marks. */
static size_t marks_of_order(struct str text)
{
	size_t n = 0;

	while (str_starts((struct str){ text.p + n, text.n - n }, STR("\xEF\xBB\xBF")))
		n += 3;
	return n;
}

/*
 * Does the file have lines that end with CR alone, as on an old Mac? Reports it once: the whole file would be one line,
 * and nothing after its first comment would be read.
 */
static bool has_old_line_ends(struct scan *s)
{
	struct str text = s->ts->source->text;
	const char *first = s->marks ? memchr(s->clean, MARK, text.n) : NULL;
	char *right;

	if (!first || text.p[first - s->clean] != '\r' || memchr(text.p, '\n', text.n))
		return false;
	uint32_t at = s->start + (uint32_t)(first - s->clean);
	struct diag *d = diag_report(s->ts->diags, TJ0101, (struct span){ at, at + 1 },
		"the lines of this text end with CR, as on an old Mac");
	diag_help(s->ts->diags, d, "lines end with LF: convert them with tr '\\r' '\\n' <OLD >NEW");
	struct str left = { text.p + marks_of_order(text), text.n - marks_of_order(text) };
	right = arena_alloc(s->ts->arena, left.n);
	for (size_t i = 0; i < left.n; i++)
		right[i] = left.p[i] == '\r' ? '\n' : left.p[i];
	diag_fix(s->ts->diags, d, (struct span){ s->start, s->start + (uint32_t)text.n },
		(struct str){ right, left.n }, "end the lines with LF");
	return true;
}

/*
 * Is the file binary (a picture, an archive) or in another encoding? Reports it once; then nothing of the file is read.
 * A few invalid bytes do not count, since a text may contain them by mistake.
 */
static bool is_no_text(struct scan *s)
{
	enum { LOOK = 8192, FEW = 4, SHARE = 20 };
	struct str text = s->ts->source->text;
	size_t n = text.n < LOOK ? text.n : LOOK, bad = 0;
	bool wide = str_starts(text, STR("\xFF\xFE")) || str_starts(text, STR("\xFE\xFF"));

	for (size_t i = 0; s->marks && i < n; i++)
		bad += s->clean[i] == MARK;
	if (!wide && (bad < FEW || bad < n / SHARE))
		return false;
	const char *first = memchr(s->clean, MARK, text.n);
	uint32_t at = s->start + (uint32_t)(first - s->clean);
	struct diag *d = diag_report(s->ts->diags, TJ0101, (struct span){ at, at + 1 },
		wide ? "this text is UTF-16, and programs are UTF-8" :
	                             "this is not a text");
	diag_help(s->ts->diags, d, wide ? "save the file as UTF-8" :
		"is it the right file? A program is UTF-8 text, and its name ends with .tj");
	return true;
}

static void skip_mark_of_order(struct scan *s)
{
	struct str text = s->ts->source->text;
	size_t n = marks_of_order(text);
	if (!n)
		return;
	struct span at = { s->start, s->start + (uint32_t)n };
	struct diag *d = report_bad(s, at, "byte-order mark", STR(""));
	diag_help(s->ts->diags, d, "save the file as UTF-8 without a byte-order mark");
	diag_fix(s->ts->diags, d, at, STR(""), "remove the byte-order mark");
	memset(s->clean, ' ', n);
}

/* The first line at FROM or after it that starts with seven times the character C; -1 if no line starts so. */
static long marker_line(struct str text, size_t from, char c)
{
	enum { WIDTH = 7 };
	char marker[WIDTH + 1] = { '\n' };

	memset(marker + 1, c, WIDTH);
	if (from == 0 && text.n >= WIDTH && memcmp(text.p, marker + 1, WIDTH) == 0)
		return 0;
	from -= from > 0;               /* includes the line feed before it */
	const char *p = memmem(text.p + from, text.n - from, marker, sizeof marker);
	return p ? p + 1 - text.p : -1;
}

/* Overwrites the text from FROM to TO, and the rest of the line of TO, with blanks, but keeps the line ends. */
static void blank_lines(struct scan *s, size_t from, size_t to)
{
	size_t n = s->ts->source->text.n;

	for (size_t i = from; i < n && (i < to || s->clean[i] != '\n'); i++)
		if (s->clean[i] != '\n')
			s->clean[i] = ' ';
}

/*
 * Reports the markers that an unfinished merge has left. The first side of each conflict is compiled, the second is
 * skipped.
 */
static void skip_conflicts(struct scan *s)
{
	struct str text = s->ts->source->text;
	struct diags *ds = s->ts->diags;

	for (long start = marker_line(text, 0, '<'); start >= 0;) {
		long middle = marker_line(text, (size_t)start, '=');
		long end = middle < 0 ? -1 : marker_line(text, (size_t)middle, '>');
		if (end < 0)
			return;
		uint32_t at = s->ts->source->base + (uint32_t)start;
		struct diag *d = diag_report(ds, TJ0102, (struct span){ at, at + 7 },
			"this is an unresolved merge conflict");
		diag_help(ds, d, "keep one of the two sides, and remove the lines that begin with '<<<<<<<', '=======' "
			"and '>>>>>>>'");
		blank_lines(s, (size_t)start, (size_t)start);
		blank_lines(s, (size_t)middle, (size_t)end);
		start = marker_line(text, (size_t)end, '<');
	}
}

void tokens_pad(struct tokens *ts)
{
	for (size_t i = 0; i < TOKENS_AHEAD; i++)
		ts->at[ts->n + i] = ts->at[ts->n - 1];
}

void tokens_scan(struct tokens *ts)
{
	size_t n = ts->source->text.n;
	struct scan s = { .ts = ts, .start = ts->source->base, .end = ts->source->base, .newlines = 1 };

	ts->size = n / 5 + 64;
	ts->at = ARENA_ARRAY(ts->arena, struct token, ts->size);
	s.clean = arena_alloc(ts->arena, n + 2);
	s.marks = clean_text(ts->source->text, s.clean, &s.hidden);
	if (!has_old_line_ends(&s) && !is_no_text(&s)) {
		skip_mark_of_order(&s);
		skip_conflicts(&s);
		scan_run(&s, s.clean, n);
	}
	s.start = s.end = ts->source->base + (uint32_t)n;
	if (s.nmodes) {
		report_interpolation(&s);
		unwind(&s);
		while (s.nmodes || (ts->n && ts->at[ts->n - 1].kind == TOKEN_INTERP_CLOSE)) {
			supply(&s, TOKEN_STR_CLOSE, FLAG_BROKEN | FLAG_TORN);
			unwind(&s);
		}
		ts->cut = true;
	}
	s.newlines += s.newlines == 0;
	push_token(&s, TOKEN_END, s.start, s.start, 0);
	tokens_pad(ts);
	ts->comments = ts->ncomments ? ts->comments : NULL;
}
