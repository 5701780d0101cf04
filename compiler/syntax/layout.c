/* layout.c - matches brackets, and decides about blanks and which bodies are on one line. */
#include "syntax/layout.h"

#include "syntax/feed.h"
#include "trainc.tab.h"

static bool is_open(int kind)
{
	return kind == TOKEN_LBRACE || kind == TOKEN_LPAREN || kind == TOKEN_LBRACKET || kind == TOKEN_STR_OPEN ||
	       kind == TOKEN_INTERP_OPEN;
}

static bool is_close(int kind)
{
	return kind == TOKEN_RBRACE || kind == TOKEN_RPAREN || kind == TOKEN_RBRACKET || kind == TOKEN_STR_CLOSE ||
	       kind == TOKEN_INTERP_CLOSE;
}

static bool is_line_end(int kind)
{
	return kind == TOKEN_NL || kind == TOKEN_EOL;
}

bool layout_separates(const struct layout *l, size_t i)
{
	if (l->at[i].kind != TOKEN_COMMA)
		return is_line_end(l->at[i].kind);
	return !l->local[i] && (i < 2 || l->at[i - 1].kind != TOKEN_IDENT || l->at[i - 2].kind != TOKEN_FOR);
}

/* Collects the tokens as the parser gets them, without those that only the parser needs. */
static void collect_tokens(struct layout *l, struct arena *a)
{
	struct feed f;
	struct token t;

	l->at = ARENA_ARRAY(a, struct token, 2 * l->tokens.n + 4);
	feed_init(&f, &l->tokens, false);
	feed_next(&f);
	do {
		t = feed_next(&f);
		l->at[l->n++] = t;
	} while (t.kind != TOKEN_END);
}

/* Marks the commas between `let` and `in`; a `let` that begins an item has no `in`. */
static void mark_locals(struct layout *l, struct arena *a)
{
	uint32_t *waiting = ARENA_ARRAY(a, uint32_t, l->n + 1);         /* for each bracket, the number of lets that
									 * still need their `in` */
	size_t depth = 0;
	bool begins = true;

	l->local = ARENA_ARRAY(a, bool, l->n);
	for (size_t i = 0; i < l->n; i++) {
		int kind = l->at[i].kind;
		l->local[i] = kind == TOKEN_COMMA && waiting[depth];
		if (kind == TOKEN_LET)
			waiting[depth] += !begins;
		else if (kind == TOKEN_IN && waiting[depth])
			waiting[depth]--;
		else if (is_open(kind))
			waiting[++depth] = 0;
		else if (is_close(kind) && depth)
			depth--;
		else if (is_line_end(kind))
			waiting[depth] = 0;
		begins = is_line_end(kind) || kind == TOKEN_LBRACE || (kind == TOKEN_COMMA && !l->local[i]);
	}
}

static void number_lines(struct layout *l, struct arena *a)
{
	struct str text = l->tokens.source->text;
	size_t offset = 0;
	uint32_t line = 0;

	l->line = ARENA_ARRAY(a, uint32_t, l->n);
	for (size_t i = 0; i < l->n; i++) {
		for (size_t to = l->at[i].start - l->tokens.source->base; offset < to; offset++)
			line += text.p[offset] == '\n';
		l->line[i] = line;
	}
}

/* Does token I continue the operand before it, as in `f(`, `x[` and `T[`? */
static bool is_operand(const struct layout *l, size_t i)
{
	switch (l->at[i].kind) {
	case TOKEN_IDENT: case TOKEN_RPAREN: case TOKEN_RBRACKET: case TOKEN_STRING: case TOKEN_STR_CLOSE:
	case TOKEN_RBRACE:
	case TOKEN_INT: case TOKEN_FLOAT: case TOKEN_QUANTITY: case TOKEN_TOPOLOGY: case TOKEN_TRUE: case TOKEN_FALSE:
	case TOKEN_NONE: case TOKEN_QUESTION:
		return true;
	default:
		return i > 0 && l->at[i - 1].kind == TOKEN_DOT;
	}
}

/* Do the brackets belong to a type, because they follow `key:`, `->` or `type X =`? */
static bool in_type(const struct layout *l, size_t open)
{
	size_t i = open;

	while (i > 0 && (l->at[i - 1].kind == TOKEN_IDENT || l->at[i - 1].kind == TOKEN_DOT ||
		token_is_word(l->at[i - 1].kind)))
		i--;
	if (i > 0 && l->at[i - 1].kind == TOKEN_RBRACKET)
		return in_type(l, l->match[i - 1]);
	if (i == 0)
		return false;
	switch (l->at[i - 1].kind) {
	case TOKEN_ARROW:
		return true;
	case TOKEN_COLON:
		return true;            /* a type follows, or a range, whose ends are never calls */
	case TOKEN_LBRACKET:
		return in_type(l, i - 1);
	case TOKEN_COMMA:
		return l->inside[i - 1] != NOWHERE && l->at[l->inside[i - 1]].kind == TOKEN_LBRACKET &&
			in_type(l, l->inside[i - 1]);
	case TOKEN_ASSIGN:
		return i >= 3 && l->at[i - 3].kind == TOKEN_TYPE;
	default:
		return false;
	}
}

static bool has_comprehension(const struct layout *l, size_t open)
{
	for (size_t i = open + 1; i < l->match[open]; i++) {
		if (l->at[i].kind == TOKEN_FOR && l->at[i - 1].kind != TOKEN_DOT)
			return true;
		if (is_open(l->at[i].kind))
			i = l->match[i];
	}
	return false;
}

/* Do the brackets follow the framework of a job or a cell? */
static bool behind_job(const struct layout *l, size_t open)
{
	size_t i = open;
	while (i > 0 && (l->at[i - 1].kind == TOKEN_IDENT || l->at[i - 1].kind == TOKEN_DOT ||
		token_is_word(l->at[i - 1].kind)))
		i--;
	if (i > 2 && l->at[i - 1].kind == TOKEN_COLON && l->at[i - 2].kind == TOKEN_IDENT &&
		l->at[i - 3].kind == TOKEN_IDENT)
		return true;                    /* as in cell server: module.base( */
	return i > 1 && l->at[i - 1].kind == TOKEN_COLON &&
		(l->at[i - 2].kind == TOKEN_STRING || l->at[i - 2].kind == TOKEN_STR_CLOSE);
}

static enum bracket_role bracket_role_of(const struct layout *l, size_t open)
{
	const struct token *t = &l->at[open];
	bool operand = open > 0 && is_operand(l, open - 1);

	if (t->kind == TOKEN_LBRACKET)
		return operand || has_comprehension(l, open) ? BRACKET_OTHER : BRACKET_LIST;
	if (!operand)
		return BRACKET_OTHER;
	if (open >= 2 && t[-1].kind == TOKEN_IDENT &&
	    (t[-2].kind == TOKEN_FN || t[-2].kind == TOKEN_FRAMEWORK || t[-2].kind == TOKEN_ACCELERATOR))
		return BRACKET_FORMALS;
	if (!behind_job(l, open) && in_type(l, open))
		return BRACKET_OTHER;
	return BRACKET_LIST;
}

/*
 * May a body stay on one line, as it was written? It must have few items and no comment. An empty one is always `{}`.
 */
static bool fits_one_line(const struct layout *l, size_t open, unsigned items)
{
	size_t from, to, close = l->match[open];

	if (items > FORMAT_ITEMS || (close != open + 1 && l->line[open] != l->line[close]))
		return false;
	layout_comments(l, l->at[open].end, l->at[close].start, &from, &to);
	return from == to;
}

static bool is_broken(const struct layout *l, size_t open)
{
	size_t from, to, close = l->match[open];

	if (close == open + 1 || l->role[open] == BRACKET_OTHER)
		return false;
	if (l->at[open + 1].flags & FLAG_LINE)
		return true;
	/* look for comments between the body's own tokens; comments in inner bodies have lines of their own */
	for (size_t i = open + 1; i <= close; i++) {
		layout_comments(l, l->at[i - 1].end, l->at[i].start, &from, &to);
		if (from != to)
			return true;
		if (l->at[i].kind == TOKEN_LBRACE)
			i = l->match[i];
	}
	return false;
}

static void match_brackets(struct layout *l, struct arena *a)
{
	uint32_t *stack = ARENA_ARRAY(a, uint32_t, 2 * BRACKETS_MAX + 4);      /* twice as many as brackets, since each
									        * may be inside a string */
	unsigned *items = ARENA_ARRAY(a, unsigned, 2 * BRACKETS_MAX + 4);
	bool *several_lines = ARENA_ARRAY(a, bool, 2 * BRACKETS_MAX + 4);
	unsigned depth = 0;

	l->match = ARENA_ARRAY(a, uint32_t, l->n);
	l->one_line = ARENA_ARRAY(a, bool, l->n);
	l->broken = ARENA_ARRAY(a, bool, l->n);
	l->inside = ARENA_ARRAY(a, uint32_t, l->n);
	l->role = ARENA_ARRAY(a, unsigned char, l->n);
	for (size_t i = 0; i < l->n; i++) {
		int kind = l->at[i].kind;
		if (depth && layout_separates(l, i))
			items[depth - 1] += l->at[i + 1].kind != TOKEN_RBRACE;
		l->inside[i] = depth ? stack[depth - 1] : NOWHERE;
		if (is_open(kind)) {
			stack[depth] = (uint32_t)i;
			several_lines[depth] = false;
			items[depth++] = 1;
		} else if (is_close(kind)) {
			uint32_t open = stack[--depth];
			l->match[open] = (uint32_t)i;
			l->match[i] = open;
			l->one_line[open] = l->at[open].kind == TOKEN_LBRACE && !several_lines[depth] &&
			                    fits_one_line(l, open, items[depth]);
			bool several = several_lines[depth] || (l->at[open].kind == TOKEN_LBRACE && !l->one_line[open]);
			if (depth)                      /* then the enclosing bracket takes several lines as well */
				several_lines[depth - 1] = several_lines[depth - 1] || several;
		}
	}
	for (size_t i = 0; i < l->n; i++) {
		if (l->at[i].kind != TOKEN_LPAREN && l->at[i].kind != TOKEN_LBRACKET)
			continue;
		l->role[i] = (unsigned char)bracket_role_of(l, i);
		l->broken[i] = is_broken(l, i);
	}
}

struct layout layout_new(struct arena *a, struct diags *ds, const struct source *source)
{
	struct layout l = { .tokens = { .arena = a, .diags = ds, .source = source } };

	tokens_scan(&l.tokens);
	collect_tokens(&l, a);
	mark_locals(&l, a);
	number_lines(&l, a);
	match_brackets(&l, a);
	return l;
}

void layout_comments(const struct layout *l, uint32_t start, uint32_t end, size_t *ret_from, size_t *ret_to)
{
	*ret_from = OFFSET_SEARCH(l->tokens.comments, l->tokens.ncomments, start, start);
	*ret_to = *ret_from;
	while (*ret_to < l->tokens.ncomments && l->tokens.comments[*ret_to].start < end)
		++*ret_to;
}

/*
 * Is token I the ':' of a type or a base (`key:`, the formal `x: T`, `param x: T`, `job "a": f`, `framework a: f`,
 * `profile a: b`) and not that of an elastic range such as 1:8?
 */
static bool is_type_colon(const struct layout *l, size_t i)
{
	size_t key = i - 1;

	if (i == 0)
		return false;
	if (l->at[key].kind == TOKEN_STR_CLOSE || l->at[key].kind == TOKEN_RPAREN)
		key = l->match[key];
	if (key == 0)
		return false;
	if (key >= 2 && l->at[key].kind == TOKEN_LPAREN && l->at[key - 2].kind == TOKEN_FRAMEWORK)
		return true;                    /* as in framework ours(port: port): base */
	switch (l->at[key - 1].kind) {
	case TOKEN_IDENT:                       /* as in cell server: module.base */
		return l->at[key].kind == TOKEN_IDENT;
	case TOKEN_FRAMEWORK: case TOKEN_PROFILE:
	case TOKEN_NL: case TOKEN_EOL: case TOKEN_LBRACE: case TOKEN_PARAM: case TOKEN_LET: case TOKEN_JOB:
		return true;
	case TOKEN_LPAREN:
		return bracket_role_of(l, key - 1) == BRACKET_FORMALS;
	case TOKEN_COMMA: {
		uint32_t open = l->inside[key];
		return open != NOWHERE && (l->at[open].kind == TOKEN_LBRACE ||
		                           (l->at[open].kind == TOKEN_LPAREN && l->role[open] == BRACKET_FORMALS));
	}
	default:
		return false;
	}
}

static bool is_unary(const struct layout *l, size_t i)
{
	return l->at[i].kind == TOKEN_MINUS && (i == 0 || !is_operand(l, i - 1));
}

bool layout_space(const struct layout *l, size_t i)
{
	int left = l->at[i - 1].kind, right = l->at[i].kind;

	switch (left) {
	case TOKEN_LPAREN: case TOKEN_LBRACKET: case TOKEN_DOT: case TOKEN_RANGE: case TOKEN_SPREAD:
		return false;
	case TOKEN_COLON:
		return is_type_colon(l, i - 1);
	case TOKEN_MINUS:
		if (is_unary(l, i - 1))
			return false;
		break;
	default:
		break;
	}
	switch (right) {
	case TOKEN_RPAREN: case TOKEN_RBRACKET: case TOKEN_COMMA: case TOKEN_DOT: case TOKEN_RANGE: case TOKEN_QUESTION:
	case TOKEN_COLON:
		return false;
	case TOKEN_LPAREN: case TOKEN_LBRACKET:
		return !is_operand(l, i - 1);
	default:
		return true;
	}
}

bool layout_keeps_newline(const struct layout *l, size_t i)
{
	int left = l->at[i - 1].kind, right = l->at[i].kind;

	if (!(l->at[i].flags & FLAG_LINE) || (left == TOKEN_RBRACE && right == TOKEN_ELSE))
		return false;
	switch (right) {
	case TOKEN_ELSE: case TOKEN_THEN: case TOKEN_AND: case TOKEN_OR: case TOKEN_IN: case TOKEN_PLUS:
	case TOKEN_STAR:
	case TOKEN_SLASH: case TOKEN_FLOOR: case TOKEN_PERCENT: case TOKEN_EQ: case TOKEN_NE: case TOKEN_LT:
	case TOKEN_LE:
	case TOKEN_GT: case TOKEN_GE: case TOKEN_COALESCE: case TOKEN_MINUS: case TOKEN_FOR: case TOKEN_IF:
	case TOKEN_DOT:
		return true;
	default:
		break;
	}
	switch (left) {
	case TOKEN_ELSE: case TOKEN_THEN: case TOKEN_AND: case TOKEN_OR: case TOKEN_IN: case TOKEN_PLUS:
	case TOKEN_STAR:
	case TOKEN_SLASH: case TOKEN_FLOOR: case TOKEN_PERCENT: case TOKEN_EQ: case TOKEN_NE: case TOKEN_LT:
	case TOKEN_LE:
	case TOKEN_GT: case TOKEN_GE: case TOKEN_COALESCE:
		return true;
	case TOKEN_MINUS:
		return !is_unary(l, i - 1);
	default:
		return false;
	}
}

static struct str token_text(const struct layout *l, size_t i)
{
	return tokens_text(&l->tokens, l->at[i].start, l->at[i].end);
}

/* The columns of a string up to its end or its first line break; *RET_BROKEN if it has a line break. */
static size_t string_width(const struct layout *l, size_t open, bool *ret_broken)
{
	size_t close = l->at[open].kind == TOKEN_STR_OPEN ? l->match[open] : open;
	struct str text = tokens_text(&l->tokens, l->at[open].start, l->at[close].end);
	const char *line = memchr(text.p, '\n', text.n);

	*ret_broken = line != NULL;
	if (line)
		text.n = (size_t)(line - text.p);
	return str_chars(text);
}

size_t layout_width(const struct layout *l, size_t from, size_t to, size_t most)
{
	size_t width = 0;

	for (size_t i = from; i < to && width <= most; i++) {
		int kind = l->at[i].kind;
		bool last_comma = kind == TOKEN_COMMA && i + 1 < l->n &&
		                  (l->at[i + 1].kind == TOKEN_RBRACKET || l->at[i + 1].kind == TOKEN_RPAREN);
		if (is_line_end(kind)) {                /* in a one-line body, items are separated by ", "; nothing
							 * follows the last item */
			width += l->at[i + 1].kind != TOKEN_RBRACE;
			continue;
		}
		if (last_comma)
			continue;
		width += i > from && layout_space(l, i);
		if (i > from && layout_keeps_newline(l, i))
			return width;
		if (kind == TOKEN_STRING || kind == TOKEN_STR_OPEN) {
			bool broken;
			width += string_width(l, i, &broken);
			if (broken)
				return width;
			if (kind == TOKEN_STR_OPEN)
				i = l->match[i];
			continue;
		}
		width += str_chars(token_text(l, i));
		if (kind == TOKEN_LBRACE && l->match[i] != i + 1 && !l->one_line[i])
			return width;
		if ((kind == TOKEN_LPAREN || kind == TOKEN_LBRACKET) && l->broken[i])
			return width;
	}
	return width;
}
