/*
 * balance.c - repairs broken brackets before anything is parsed. A text whose brackets match is not changed, however it
 * is indented. If they do not match, indentation and words that can only begin a declaration show where a bracket is
 * missing. The repair is reported once, and everything that it affects is marked, so that no second message about it
 * appears.
 */
#include "syntax/token.h"

#include "syntax/feed.h"
#include "syntax/fields.h"
#include "trainc.tab.h"

static bool is_open(int kind)
{
	return kind == TOKEN_LBRACE || kind == TOKEN_LPAREN || kind == TOKEN_LBRACKET || kind == TOKEN_INTERP_OPEN;
}

enum { LOOK = 64 };                     /* maximum number of tokens of a line to look at */

static int closer_of(int kind)
{
	switch (kind) {
	case TOKEN_LBRACE: return TOKEN_RBRACE;
	case TOKEN_LPAREN: return TOKEN_RPAREN;
	case TOKEN_LBRACKET: return TOKEN_RBRACKET;
	default: return TOKEN_INTERP_CLOSE;
	}
}

static bool is_close(int kind)
{
	return kind == TOKEN_RBRACE || kind == TOKEN_RPAREN || kind == TOKEN_RBRACKET || kind == TOKEN_INTERP_CLOSE;
}

/* Does token I begin a declaration? The words alone decide, because an item cannot look like `job "x"`. */
bool tokens_declaration(const struct tokens *ts, size_t i)
{
	const struct token *t = &ts->at[i];
	int next = t->kind == TOKEN_END ? TOKEN_END : t[1].kind;

	switch (t->kind) {
	case TOKEN_JOB: case TOKEN_TEST: case TOKEN_POLICY:
		return next == TOKEN_STRING || next == TOKEN_STR_OPEN;
	case TOKEN_IMPORT:
		return next == TOKEN_IDENT || next == TOKEN_STRING;
	case TOKEN_PARAM: case TOKEN_FN: case TOKEN_FRAMEWORK: case TOKEN_ACCELERATOR: case TOKEN_PROFILE:
	case TOKEN_TYPE:
		return next == TOKEN_IDENT;
	default:
		return false;
	}
}

bool tokens_item(const struct tokens *ts, size_t i)
{
	const struct token *t = &ts->at[i];

	if (t->kind != TOKEN_IDENT)
		return false;
	if (t[1].kind == TOKEN_IDENT && !(t[1].flags & FLAG_LINE))
		t++;
	return t[1].kind == TOKEN_ASSIGN || t[1].kind == TOKEN_ADD_ASSIGN || t[1].kind == TOKEN_LBRACE ||
		(t == &ts->at[i] && t[1].kind == TOKEN_COLON);
}

/* Do all brackets match, so that nothing needs repair? */
static bool balanced(const struct tokens *ts)
{
	unsigned char open[BRACKETS_MAX];
	unsigned depth = 0;

	for (size_t i = 0; i < ts->n; i++) {
		const struct token *t = &ts->at[i];
		if (is_open(t->kind)) {
			if (depth == BRACKETS_MAX)
				return false;
			open[depth++] = (unsigned char)closer_of(t->kind);
		} else if (is_close(t->kind)) {
			if (!depth || open[--depth] != t->kind)
				return false;
		} else if (depth && (t->flags & FLAG_LINE) && tokens_declaration(ts, i) &&
			tokens_indent(ts, t->start) == 0) {
			return false;
		}
	}
	return depth == 0;
}

struct bracket {
	uint32_t token;                 /* index in the array of tokens that is being read */
	unsigned indent;                /* indentation of the bracket's line */
};

struct balance {
	struct tokens *ts;
	struct token *to;               /* the repaired array of tokens */
	size_t n;
	struct bracket open[BRACKETS_MAX];
	unsigned depth;

	/* the declaration being read: its first token, from which it may be read again, and where its output starts */
	size_t decl, decl_out;
	/*
	 * the token before which a bracket seems to be missing, and the open bracket that it should close; 0: no
	 * bracket is missing
	 */
	size_t sign, sign_open;
	size_t close_before;            /* when a declaration is read again: close the innermost brace before this
					 * token; 0: nowhere */
	/*
	 * the region: the lines from the last declaration in column 1 on; its first token, and where its output starts
	 */
	size_t region, region_out;
	size_t surplus;                 /* the first brace of the region that seems to close too much; 0: no region
					 * closes too much */
	bool torn;                      /* something in the region is broken and has been reported */
	size_t line;                    /* first token of the line being read */
	size_t blamed;                  /* first token of the line whose brackets were reported last, plus 1 */
	size_t reported;                /* an error was reported in the declarations before this token */
	unsigned indent;                /* indentation of the line being read */
	size_t reread;                  /* tokens read again so far: bounded, so that repairing stays linear */
};

static void put_balanced(struct balance *b, struct token t)
{
	b->torn = b->torn || t.flags & FLAG_TORN || t.kind == TOKEN_JUNK;
	b->to[b->n++] = t;
}

static int top_kind(const struct balance *b)
{
	return b->depth ? b->ts->at[b->open[b->depth - 1].token].kind : TOKEN_END;
}

/* Closes the innermost bracket, which the text does not close. */
static void supply(struct balance *b, unsigned flags)
{
	uint32_t at = b->n ? b->to[b->n - 1].end : b->ts->source->base;
	int kind = top_kind(b);

	if (kind == TOKEN_LBRACE)
		flags |= FLAG_END_DECL;
	put_balanced(b,
		(struct token){ at, at, (unsigned char)closer_of(kind), (unsigned char)(FLAG_VIRTUAL | flags) });
	b->depth--;
}

static const char *bracket_text(int kind)
{
	switch (kind) {
	case TOKEN_LBRACE: return "{";
	case TOKEN_LPAREN: return "(";
	case TOKEN_LBRACKET: return "[";
	case TOKEN_RBRACE: return "}";
	case TOKEN_RPAREN: return ")";
	case TOKEN_RBRACKET: return "]";
	default: return "${";
	}
}

/* The end of the line that contains an offset. */
static uint32_t offset_line_end(const struct source *source, uint32_t offset)
{
	const char *from = source->text.p + (offset - source->base), *end = source->text.p + source->text.n;
	const char *line = memchr(from, '\n', (size_t)(end - from));
	return source->base + (uint32_t)((line ? line : end) - source->text.p);
}

/*
 * Adds the edit that closes the brace of token OPEN: on a separate line before token SIGN, or at the end of OPEN's line
 * if that line holds everything in the brace.
 */
static void fix_brace(struct balance *b, struct diag *d, size_t open, size_t sign)
{
	const struct tokens *ts = b->ts;
	/* the end of the line, after any comment */
	uint32_t end = ts->at[sign - 1].end, line = offset_line_end(ts->source, end);
	bool one_line = true;

	for (size_t i = open + 1; i < sign; i++)
		one_line = one_line && !(ts->at[i].flags & FLAG_LINE);
	if (one_line) {
		diag_fix(ts->diags, d, (struct span){ end, end }, STR(" }"), "insert '}'");
		return;
	}
	struct str text = str_printf(ts->arena, "\n%*s}", (int)tokens_indent(ts, ts->at[open].start), "");
	diag_fix(ts->diags, d, (struct span){ line, line }, text, "insert '}'");
}

/* Reports "'[' opened here is never closed"; token SIGN shows that it should have been closed before. */
static void report_open(struct balance *b, size_t open, size_t sign)
{
	const struct token *t = &b->ts->at[open], *s = &b->ts->at[sign];
	struct diags *ds = b->ts->diags;
	const char *closer = bracket_text(closer_of(t->kind));

	struct diag *d = diag_report(ds, TJ0109, (struct span){ t->start, t->end }, "'%s' opened here is never closed",
	                             bracket_text(t->kind));
	if (sign && s->kind == TOKEN_END && t->kind == TOKEN_LBRACE) {
		diag_note(ds, d, (struct span){ s[-1].end, s[-1].end }, "the text ends here");
		diag_help(ds, d, "add '%s' at the end", closer);
	} else {
		if (sign && s->kind != TOKEN_END)
			diag_note(ds, d, (struct span){ s->start, s->end },
				"its indentation says that it ends before this line");
		diag_help(ds, d, "add '%s'", closer);
	}
	if (sign && t->kind == TOKEN_LBRACE)
		fix_brace(b, d, open, sign);
}

/* Is the innermost bracket a parenthesis or square bracket, within which no body can end? */
static bool in_parentheses(const struct balance *b)
{
	int kind = top_kind(b);
	return kind == TOKEN_LPAREN || kind == TOKEN_LBRACKET;
}

static bool was_torn(const struct balance *b)
{
	return b->n && (b->to[b->n - 1].flags & FLAG_TORN);
}

/* Closes, with one message, the parentheses inside the innermost brace that were opened at INDENT or further right. */
static void close_parentheses(struct balance *b, unsigned indent, size_t before)
{
	bool silent = was_torn(b);

	if (in_parentheses(b) && !silent)
		report_open(b, b->open[b->depth - 1].token, before);
	while (in_parentheses(b) && b->open[b->depth - 1].indent >= indent)
		supply(b, FLAG_TORN);
}

/* The number of closing braces that became part of the unclosed string on the line before token I. */
static unsigned swallowed_braces(const struct balance *b, size_t i)
{
	const struct token *end = &b->ts->at[i - 1], *open = end;
	unsigned n = 0;

	if (end->kind != TOKEN_STR_CLOSE || !(end->flags & FLAG_VIRTUAL))
		return 0;
	while (open > b->ts->at && open->kind != TOKEN_STR_OPEN)
		open--;
	struct str text = tokens_text(b->ts, open->start, end->start);
	for (size_t k = 0; k < text.n; k++)
		n += text.p[k] == '}';
	return n;
}

/* Closes the brackets that were opened on this line: after a repair their meaning is unknown. */
static void close_torn_line(struct balance *b, size_t i)
{
	size_t line = i - 1;
	bool top_is_brace = false;

	while (line > 0 && !(b->ts->at[line].flags & FLAG_LINE))
		line--;
	for (unsigned braces = swallowed_braces(b, i); b->depth &&
		b->open[b->depth - 1].token >= line; braces -= top_is_brace) {
		top_is_brace = top_kind(b) == TOKEN_LBRACE;
		if (top_is_brace && !braces)
			break;
		supply(b, FLAG_TORN);
	}
}

/* Ends the declaration although braces are open; one of them is reported. */
static bool close_declaration(struct balance *b, size_t i, size_t *ret_i)
{
	size_t open = b->open[b->depth - 1].token, sign = i;
	bool silent = b->reported > b->decl || (b->ts->cut && b->ts->at[i].kind == TOKEN_END);

	if (silent)
		b->reported = b->decl + 1;
	/* read the declaration again, and close the brace before the line that is indented too little */
	if (!silent && b->sign && !b->close_before && b->reread <= 4 * b->ts->n) {
		report_open(b, b->sign_open, b->sign);
		b->reported = b->decl + 1;
		b->close_before = b->sign;
		b->reread += i - b->decl;
		*ret_i = b->decl;
		b->n = b->decl_out;
		b->depth = 0;
		return true;
	}
	if (!silent)
		report_open(b, open, sign);
	while (b->depth)
		supply(b, 0);
	return false;
}

/* Notes a line that is indented no deeper than the line of the innermost brace. */
static void look_for_sign(struct balance *b, size_t i)
{
	if (b->sign || top_kind(b) != TOKEN_LBRACE || b->ts->at[i].kind == TOKEN_END)
		return;
	const struct bracket *open = &b->open[b->depth - 1];
	bool closes = b->ts->at[i].kind == TOKEN_RBRACE;
	if (closes ? b->indent < open->indent : b->indent <= open->indent) {
		b->sign = i;
		b->sign_open = open->token;
	}
}

static struct diag *report_stray(struct diags *ds, struct span at, int kind, bool open)
{
	struct diag *d = diag_report(ds, TJ0102, at,
		open ? "'%s' closes nothing" : "'%s' closes nothing: nothing is open here",
	                             bracket_text(kind));
	diag_help(ds, d, "remove it");
	return d;
}

static void report_no_bracket(struct balance *b, const struct token *t)
{
	const struct token *line = &b->ts->at[b->line];
	struct str key = tokens_text(b->ts, line->start, line->end);
	struct diags *ds = b->ts->diags;
	struct diag *d = diag_report(ds, TJ0102, (struct span){ t->start, t->end }, "']' closes nothing");

	diag_help(ds, d, "a list begins with '[': write '%.*s = [...]'", STR_ARG(key));
	diag_fix(ds, d, (struct span){ line[2].start, line[2].start }, STR("["), "insert '['");
}

/* Is anything on this line before token I, or in this region, known to be broken? */
static bool line_is_torn(const struct balance *b, size_t i)
{
	size_t from = i > b->line + 256 ? i - 256 : b->line;

	for (; from < i; from++)
		if (b->ts->at[from].kind == TOKEN_JUNK || b->ts->at[from].flags & FLAG_TORN)
			return true;
	return was_torn(b);
}

/*
 * Handles a brace that closes nothing. If an earlier one seems to have closed too much, an opening brace is missing
 * there: the declaration is read again without it.
 */
static bool drop_surplus(struct balance *b, size_t i, size_t *ret_i)
{
	struct tokens *ts = b->ts;

	if (!b->surplus || b->reread > 4 * ts->n || ts->ndropped == DROPPED_MAX)
		return false;
	struct dropped d = { ts->at[b->region].start, ts->at[b->surplus].start, false };
	ARENA_PUSH(ts->arena, ts->dropped, ts->ndropped, d);
	ts->at[b->surplus].flags |= FLAG_DROPPED;
	b->reread += i - b->region;
	b->surplus = 0;
	b->n = b->region_out;
	*ret_i = b->region;
	return true;
}

/* Marks the items of the line being read as broken, because their meaning is unknown. */
static void tear_line(struct balance *b)
{
	uint32_t line = b->ts->at[b->line].start;

	for (size_t i = b->n; i > 0 && b->to[i - 1].start >= line; i--)
		b->to[i - 1].flags |= FLAG_TORN;
	b->blamed = b->line + 1;
}

/* Does the list that the bracket T closes lack its opening bracket, as in `args = "a", "b"]`? */
static bool lacks_bracket(const struct balance *b, const struct token *t)
{
	const struct token *line = &b->ts->at[b->line];
	const char *type = field_type(tokens_text(b->ts, line->start, line->end));

	if (t->kind != TOKEN_RBRACKET || line->kind != TOKEN_IDENT || line[1].kind != TOKEN_ASSIGN || line + 2 >= t ||
	    line[2].kind == TOKEN_LBRACKET || (b->depth && b->open[b->depth - 1].token > b->line))
		return false;
	/* several values, or a field whose type is a list or unknown */
	return line + 3 < t || !type || strncmp(type, "list[", 5) == 0;
}

/*
 * The bracket that closes a list too early, such as the first ']' in `args = ["a"], "b"]`, where T is the last one.
 * Only values come between the two. NULL if no bracket closes a list too early.
 */
static const struct token *early_close(const struct balance *b, const struct token *t)
{
	const struct token *line = &b->ts->at[b->line], *early = NULL;
	int depth = 0;

	if (t->kind != TOKEN_RBRACKET || line->kind != TOKEN_IDENT || line[1].kind != TOKEN_ASSIGN ||
	    line[2].kind != TOKEN_LBRACKET)
		return NULL;
	for (const struct token *at = line + 2; at < t; at++) {
		if (early && at->kind == TOKEN_ASSIGN)
			return NULL;
		depth += (at->kind == TOKEN_LBRACKET) - (at->kind == TOKEN_RBRACKET);
		if (!depth && !early)
			early = at;
	}
	return early && early[1].kind == TOKEN_COMMA && early + 2 < t ? early : NULL;
}

/* Handles a bracket that closes nothing: the bracket is replaced by a token at which the parser reports an error. */
static void take_stray(struct balance *b, const struct token *t, size_t i)
{
	bool silent = line_is_torn(b, i) || b->reported > b->decl || (!b->depth && b->torn) || b->blamed == b->line + 1;

	b->torn = true;
	if (!silent && !b->depth && t->kind == TOKEN_RBRACE && t->flags & FLAG_LINE && b->ts->ndropped < DROPPED_MAX) {
		/* the declaration above may lack its opening brace: the parser reports that */
		struct dropped d = { b->ts->at[b->region].start, t->start, true };
		ARENA_PUSH(b->ts->arena, b->ts->dropped, b->ts->ndropped, d);
		return;
	}
	const struct token *early = silent ? NULL : early_close(b, t);
	if (early) {
		struct span at = { early->start, early->end };
		struct diag *d = diag_report(b->ts->diags, TJ0102, at,
			"this ']' closes the list before its last value");
		diag_help(b->ts->diags, d, "remove it");
		diag_fix(b->ts->diags, d, at, STR(""), "remove ']'");
	} else if (!silent && lacks_bracket(b, t))
		report_no_bracket(b, t);
	else if (!silent) {
		struct diag *d = report_stray(b->ts->diags, (struct span){ t->start, t->end }, t->kind, b->depth != 0);
		if (t->kind == TOKEN_RBRACKET && !(t->flags & FLAG_LINE))
			diag_fix(b->ts->diags, d, (struct span){ t[-1].end, t->end }, STR(""), "remove ']'");
	}
	if (b->depth)
		tear_line(b);
	if (b->depth || !(t->flags & FLAG_LINE))
		put_balanced(b, (struct token){ t->start, t->end, TOKEN_JUNK, FLAG_TORN | (t->flags & FLAG_LINE) });
}

static void report_mismatch(struct balance *b, const struct token *t)
{
	if (b->blamed == b->line + 1)
		return;

	const struct token *open = &b->ts->at[b->open[b->depth - 1].token];
	struct diags *ds = b->ts->diags;
	const char *right = bracket_text(closer_of(open->kind));
	struct span at = { t->start, t->end };
	struct diag *d = diag_report(ds, TJ0109, at, "'%s' is closed by '%s'", bracket_text(open->kind),
		bracket_text(t->kind));
	diag_note(ds, d, (struct span){ open->start, open->end }, "opened here");
	diag_help(ds, d, "write '%s'", right);
	diag_fix(ds, d, at, str_of(right), "write '%s'", right);
	b->blamed = b->line + 1;
}

/* Is a bracket of this kind open? A parenthesis or square bracket only counts inside the innermost brace. */
static bool is_open_inside(const struct balance *b, int opener)
{
	for (unsigned i = b->depth; i > 0; i--) {
		int kind = b->ts->at[b->open[i - 1].token].kind;
		if (kind == opener)
			return true;
		if (kind == TOKEN_LBRACE && opener != TOKEN_INTERP_OPEN)
			return false;
		if (kind == TOKEN_INTERP_OPEN)
			return false;
	}
	return false;
}

static int opener_of(int kind)
{
	switch (kind) {
	case TOKEN_RBRACE: return TOKEN_LBRACE;
	case TOKEN_RPAREN: return TOKEN_LPAREN;
	case TOKEN_RBRACKET: return TOKEN_LBRACKET;
	default: return TOKEN_INTERP_OPEN;
	}
}

/* Closes, with one message, all brackets inside the innermost open bracket of this kind. */
static void close_to(struct balance *b, int opener)
{
	if (top_kind(b) != opener && !was_torn(b) && b->blamed != b->line + 1) {
		report_open(b, b->open[b->depth - 1].token, 0);
		b->blamed = b->line + 1;
	}
	while (top_kind(b) != opener)
		supply(b, FLAG_TORN);
}

/*
 * Notes a brace that may close too much: it closes one that an earlier line opened, but is indented differently from
 * that line or is not the first token of its own.
 */
static void look_for_surplus(struct balance *b, const struct token *t, size_t i)
{
	const struct bracket *open = &b->open[b->depth - 1];

	if (!b->surplus && t->kind == TOKEN_RBRACE && open->token < b->line &&
		(!(t->flags & FLAG_LINE) || b->indent != open->indent))
		b->surplus = i;
}

/*
 * Was the brace T written instead of the closer of the innermost bracket, as in `{ a = [80 }, b = 90 }`? Then the
 * braces of this line match without T; if the missing closer were added before T, the last brace would match nothing on
 * this line.
 */
static bool replaces_closer(const struct balance *b, const struct token *t)
{
	long open = 0;

	if (!in_parentheses(b) || b->open[b->depth - 1].token < b->line)
		return false;
	for (unsigned i = b->depth; i > 0 && b->open[i - 1].token >= b->line; i--)
		open += b->ts->at[b->open[i - 1].token].kind == TOKEN_LBRACE;
	if (!open)
		return false;
	for (const struct token *at = t; at->kind != TOKEN_END && at < t + LOOK &&
		(at == t || !(at->flags & FLAG_LINE)); at++)
		open += (at->kind == TOKEN_LBRACE) - (at->kind == TOKEN_RBRACE);
	return open == -1;
}

/* Handles a closing bracket; true if the declaration must be read again, from *RET_I on. */
static bool take_close(struct balance *b, const struct token *t, size_t i, size_t *ret_i)
{
	int opener = opener_of(t->kind);

	if (t->flags & FLAG_DROPPED)
		return false;
	if (opener == TOKEN_LBRACE && replaces_closer(b, t)) {
		report_mismatch(b, t);
		supply(b, FLAG_TORN);
		return false;
	}
	if (is_open_inside(b, opener) || (opener == TOKEN_LBRACE && in_parentheses(b) && b->depth > 1)) {
		if (opener == TOKEN_LBRACE)
			close_parentheses(b, 0, 0);
		if (top_kind(b) == opener || is_open_inside(b, opener)) {
			close_to(b, opener);
			look_for_surplus(b, t, i);
			put_balanced(b, *t);
			b->depth--;
			return false;
		}
	} else if (in_parentheses(b) && t->kind != TOKEN_RBRACE) {
		report_mismatch(b, t);
		supply(b, FLAG_TORN);
		return false;
	}
	if (!b->depth && t->kind == TOKEN_RBRACE && drop_surplus(b, i, ret_i))
		return true;
	take_stray(b, t, i);
	return false;
}

/* Does the token begin a `let`, a check or a fleet, which cannot be part of an expression? */
static bool begins_statement(const struct token *t)
{
	if (t->kind == TOKEN_FOR)
		for (const struct token *word = t + 1; word->kind != TOKEN_END && !(word->flags & FLAG_LINE) &&
			word < t + LOOK; word++)
			if (word->kind == TOKEN_JOB)
				return true;
	return t->kind == TOKEN_CHECK || t->kind == TOKEN_WARN || (t->kind == TOKEN_LET && t[1].kind == TOKEN_IDENT);
}

/* Handles the first token of a line, which may show that something before it was not closed. */
static bool take_line(struct balance *b, size_t i, size_t *ret_i)
{
	const struct token *t = &b->ts->at[i];

	b->indent = tokens_indent(b->ts, t->start);
	b->line = i;
	if (i && (b->ts->at[i - 1].flags & FLAG_TORN))
		close_torn_line(b, i);
	if (in_parentheses(b) && (t->kind == TOKEN_RBRACE || tokens_item(b->ts, i) || begins_statement(t)) &&
	    b->indent <= b->open[b->depth - 1].indent)
		close_parentheses(b, b->indent, i);
	if (!b->depth)
		return false;
	look_for_sign(b, i);
	if (b->close_before == i && top_kind(b) == TOKEN_LBRACE)
		supply(b, 0);
	if (b->depth && tokens_declaration(b->ts, i) && b->indent == 0)
		return close_declaration(b, i, ret_i);
	return false;
}

/* Reports brackets that are nested too deeply, once, and skips their content. */
static size_t skip_deep(struct balance *b, size_t i)
{
	const struct token *t = &b->ts->at[i];
	struct diag *d = diag_report(b->ts->diags, TJ0114, (struct span){ t->start, t->end },
	                             "brackets are nested more than %d deep", BRACKETS_MAX);
	unsigned depth = 0;

	b->reported = b->decl + 1;              /* unclosed brackets around it are not worth another message */
	diag_help(b->ts->diags, d, "split the expression with 'let'");
	for (; b->ts->at[i].kind != TOKEN_END; i++) {
		t = &b->ts->at[i];
		if (depth && (t->flags & FLAG_LINE) && tokens_declaration(b->ts, i) &&
			tokens_indent(b->ts, t->start) == 0)
			break;
		if (is_open(t->kind))
			depth++;
		else if (is_close(t->kind) && --depth == 0)
			return i + 1;
	}
	return i;
}

/* Notes where a declaration begins. */
static void begin_declaration(struct balance *b, size_t i)
{
	const struct token *t = &b->ts->at[i];
	bool word = tokens_declaration(b->ts, i) || t->kind == TOKEN_LET || t->kind == TOKEN_CHECK ||
		t->kind == TOKEN_WARN ||
	            t->kind == TOKEN_FOR || t->kind == TOKEN_PROJECT;

	if (b->decl != i)
		b->sign = b->close_before = 0;
	b->decl = i;
	b->decl_out = b->n;
	if (word && (t->flags & FLAG_LINE) && tokens_indent(b->ts, t->start) == 0) {
		b->region = i;
		b->region_out = b->n;
		b->surplus = 0;
		b->torn = false;
	}
}

static bool ends_value(int kind)
{
	return is_close(kind) || kind == TOKEN_IDENT || kind == TOKEN_INT || kind == TOKEN_FLOAT ||
		kind == TOKEN_QUANTITY ||
	       kind == TOKEN_TOPOLOGY || kind == TOKEN_STRING || kind == TOKEN_STR_CLOSE;
}

/*
 * Handles an opening brace. True if it repeats the brace before it and is left out. A brace after a value, at the end
 * of its line, begins the body of an item whose parentheses were not closed.
 */
static bool take_brace(struct balance *b, size_t i)
{
	const struct token *t = &b->ts->at[i];
	struct diags *ds = b->ts->diags;

	if (i && t[-1].kind == TOKEN_LBRACE && b->n && b->to[b->n - 1].kind == TOKEN_LBRACE) {
		struct span at = { t->start, t->end };
		struct diag *d = diag_report(ds, TJ0102, at, "expected a field or '}' after '{', found '{'");
		diag_help(ds, d, "remove it");
		diag_fix(ds, d, (struct span){ t[-1].end, t->end }, STR(""), "remove the second '{'");
		return true;
	}
	if (i && in_parentheses(b) && ends_value(t[-1].kind) && !(t->flags & FLAG_LINE) && t[1].flags & FLAG_LINE &&
	    b->open[b->depth - 1].token >= b->line)
		close_parentheses(b, b->indent, 0);
	return false;
}

static void repair(struct balance *b)
{
	const struct tokens *ts = b->ts;

	for (size_t i = 0; i < ts->n;) {
		const struct token *t = &ts->at[i];
		if (!b->depth)
			begin_declaration(b, i);
		if ((t->flags & FLAG_LINE) && take_line(b, i, &i))
			continue;
		if (t->kind == TOKEN_END && b->depth) {
			if (close_declaration(b, i, &i))
				continue;
		}
		if (is_open(t->kind) && b->depth == BRACKETS_MAX) {
			put_balanced(b, (struct token){ t->start, t->end, TOKEN_JUNK, FLAG_TORN });
			i = skip_deep(b, i);
			continue;
		}
		if (t->kind == TOKEN_ARROW && in_parentheses(b))        /* the parenthesis is missing in `fn f(a: int ->
									 * int` */
			close_parentheses(b, 0, 0);
		if (t->kind == TOKEN_LBRACE && take_brace(b, i)) {
			i++;
			continue;
		}
		if (is_open(t->kind)) {
			b->open[b->depth++] = (struct bracket){ (uint32_t)i, b->indent };
			put_balanced(b, *t);
		} else if (is_close(t->kind)) {
			if (take_close(b, t, i, &i))
				continue;
		} else {
			put_balanced(b, *t);
		}
		i++;
	}
}

/* Is the message about the structure of the text? An unknown unit, for example, does not explain a missing brace. */
static bool is_of_syntax(const struct diag *d)
{
	return strncmp(diag_code_name(d->code), "TJ01", 4) == 0;
}

void tokens_explain(const struct tokens *ts)
{
	struct diags *ds = ts->diags;

	for (size_t i = 0; i < ts->ndropped; i++) {
		const struct dropped *d = &ts->dropped[i];
		uint32_t to = d->top ? offset_line_end(ts->source, d->from) : d->start;
		bool known = false;
		for (size_t k = 0; k < ds->n && !known; k++)
			known = is_of_syntax(ds->at[k]) && ds->at[k]->at.start >= d->from && ds->at[k]->at.start <= to;
		if (!known)
			report_stray(ds, (struct span){ d->start, d->start + 1 }, TOKEN_RBRACE, !d->top);
	}
}

void tokens_balance(struct tokens *ts)
{
	if (balanced(ts))
		return;
	struct balance b = { .ts = ts };
	b.to = ARENA_ARRAY(ts->arena, struct token, 2 * ts->n + 2 * BRACKETS_MAX + TOKENS_AHEAD);
	repair(&b);
	ts->at = b.to;
	ts->n = b.n;
	tokens_pad(ts);
}
