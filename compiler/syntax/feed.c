/*
 * feed.c - decides which newlines end an item, and where a broken item ends. The effect of a token on the stack of
 * brackets is applied when the next token is requested, so that after an error the stack is still as it was before the
 * token that failed.
 */
#include "syntax/feed.h"

#include "trainc.tab.h"

static const unsigned char ends[256] = {
	[TOKEN_IDENT] = 1, [TOKEN_INT] = 1, [TOKEN_FLOAT] = 1, [TOKEN_QUANTITY] = 1, [TOKEN_TOPOLOGY] = 1,
		[TOKEN_BAD] = 1,
	[TOKEN_JUNK] = 1, [TOKEN_STRING] = 1, [TOKEN_STR_CLOSE] = 1, [TOKEN_RPAREN] = 1, [TOKEN_RBRACKET] = 1,
		[TOKEN_RBRACE] = 1,
	[TOKEN_QUESTION] = 1, [TOKEN_TRUE] = 1, [TOKEN_FALSE] = 1, [TOKEN_NONE] = 1, [TOKEN_ASSIGN] = 1,
		[TOKEN_ADD_ASSIGN] = 1,
	[TOKEN_ACCELERATOR] = 1,                /* `accelerator` also names a type, so it may end a line */
};

static const unsigned char continues[256] = {
	[TOKEN_ELSE] = 1, [TOKEN_THEN] = 1, [TOKEN_AND] = 1, [TOKEN_OR] = 1, [TOKEN_IN] = 1, [TOKEN_DOT] = 1,
		[TOKEN_PLUS] = 1,
	[TOKEN_MINUS] = 1, [TOKEN_STAR] = 1, [TOKEN_SLASH] = 1, [TOKEN_FLOOR] = 1, [TOKEN_PERCENT] = 1, [TOKEN_EQ] = 1,
	[TOKEN_NE] = 1, [TOKEN_LT] = 1, [TOKEN_LE] = 1, [TOKEN_GT] = 1, [TOKEN_GE] = 1, [TOKEN_COALESCE] = 1,
	[TOKEN_RANGE] = 1, [TOKEN_RPAREN] = 1, [TOKEN_RBRACKET] = 1,
};

static bool is_opening_token(int kind)
{
	return kind == TOKEN_LBRACE || kind == TOKEN_LPAREN || kind == TOKEN_LBRACKET || kind == TOKEN_INTERP_OPEN;
}

static bool is_closing_token(int kind)
{
	return kind == TOKEN_RBRACE || kind == TOKEN_RPAREN || kind == TOKEN_RBRACKET || kind == TOKEN_INTERP_CLOSE;
}

static bool in_body(const struct feed *f)
{
	return f->depth && f->open[f->depth - 1].kind == TOKEN_LBRACE;
}

bool feed_lines_matter(const struct feed *f)
{
	return !f->expression && (!f->depth || in_body(f));
}

void feed_init(struct feed *f, const struct tokens *tokens, bool expression)
{
	*f = (struct feed){ .tokens = tokens, .ended = true, .expression = expression, .committed = true,
		.previous = TOKEN_EOL };
	f->queue[f->queued++] = (struct token){
		tokens->source->base, tokens->source->base, expression ? TOKEN_START_EXPR : TOKEN_START_FILE, 0
	};
}

/* Applies the effect of the last token, which was accepted: it may open or close a bracket, or separate items. */
static void commit(struct feed *f)
{
	int kind = f->last.kind;

	f->committed = true;
	if (is_opening_token(kind)) {
		f->open[f->depth++] = (struct feed_bracket){ (unsigned char)kind, f->line, f->item };
		if (kind == TOKEN_LBRACE)
			f->item = (uint32_t)f->i;
	} else if (is_closing_token(kind)) {
		f->item = f->open[--f->depth].item;
	} else if (kind == TOKEN_NL || kind == TOKEN_EOL || (kind == TOKEN_COMMA && in_body(f))) {
		f->item = (uint32_t)f->i;
	}
}

static struct token give_token(struct feed *f, struct token t)
{
	f->last = t;
	f->committed = false;
	return t;
}

static struct token line_end_token(const struct feed *f)
{
	uint32_t at = f->i ? f->tokens->at[f->i - 1].end : f->tokens->source->base;
	return (struct token){ at, at, in_body(f) ? TOKEN_NL : TOKEN_EOL, 0 };
}

/* Must another token of the same item follow a token of this kind, as after `1 +`, `std.` or `then`? */
static bool wants_more(int kind)
{
	return (kind >= TOKEN_EQ && kind <= TOKEN_PERCENT) || kind == TOKEN_DOT || kind == TOKEN_THEN ||
		kind == TOKEN_ELSE ||
	       kind == TOKEN_AND || kind == TOKEN_OR || kind == TOKEN_NOT || kind == TOKEN_IN || kind == TOKEN_COALESCE;
}

/*
 * Does the next token begin something new, so that the line before is incomplete: `y = `, `let y`, `role y {`, `import
 * y`?
 */
static bool begins_anew(const struct feed *f)
{
	const struct token *t = &f->tokens->at[f->i];
	int head = f->tokens->at[f->item].kind;

	if (tokens_declaration(f->tokens, f->i))
		return true;
	/* a line that is indented deeper than the item belongs to it: `let a = 1 in`, `let b = a in` */
	if (t->kind == TOKEN_LET && t[1].kind == TOKEN_IDENT)
		return tokens_indent(f->tokens, t->start) <= tokens_indent(f->tokens, f->tokens->at[f->item].start);
	if (head == TOKEN_IMPORT && !f->depth)
		return t->kind == TOKEN_IMPORT;
	if (t->kind != TOKEN_IDENT || !f->depth)
		return false;
	if (t[1].kind == TOKEN_IDENT)
		return t[2].kind == TOKEN_LBRACE;
	return t[1].kind == TOKEN_ASSIGN || t[1].kind == TOKEN_ADD_ASSIGN ||
		(t[1].kind == TOKEN_LBRACE && head != TOKEN_IF && head != TOKEN_FOR);
}

/* Does the newline before T end an item or declaration? */
static bool newline_ends(const struct feed *f, struct token t)
{
	if (f->ended || (f->depth && !in_body(f)))
		return false;
	if (t.kind == TOKEN_END)
		return true;
	if (t.flags & FLAG_LINE && wants_more(f->previous) && begins_anew(f))
		return true;
	if (!(t.flags & FLAG_LINE) || !(ends[f->previous] || f->member))
		return false;
	return f->previous == TOKEN_ASSIGN || f->previous == TOKEN_ADD_ASSIGN || !continues[t.kind];
}

struct token feed_next(struct feed *f)
{
	if (!f->committed)
		commit(f);
	if (f->queued) {
		struct token t = f->queue[0];
		f->queued--;
		memmove(f->queue, f->queue + 1, f->queued * sizeof(t));
		if (t.kind == TOKEN_EOL || t.kind == TOKEN_NL)
			f->ended = true;
		return give_token(f, t);
	}
	struct token t = f->tokens->at[f->i];
	if (!f->expression && newline_ends(f, t)) {
		f->ended = true;
		return give_token(f, line_end_token(f));
	}
	if (t.kind != TOKEN_END)
		f->i++;
	if (t.flags & FLAG_LINE)
		f->line++;
	f->member = f->previous == TOKEN_DOT;
	f->previous = t.kind;
	f->ended = false;
	return give_token(f, t);
}

/* Can an expression end before token T, whatever T belongs to? */
static bool closes(const struct feed *f, struct token t)
{
	switch (t.kind) {
	case TOKEN_COMMA: case TOKEN_RPAREN: case TOKEN_RBRACKET: case TOKEN_RBRACE: case TOKEN_END:
		return true;
	default:
		return (t.flags & FLAG_LINE) && !continues[t.kind] && (!f->depth || in_body(f));
	}
}

bool feed_is_atom(const struct feed *f)
{
	if (f->last.flags & FLAG_VIRTUAL || f->i < 2)
		return false;
	switch (f->tokens->at[f->i - 2].kind) {
	case TOKEN_ASSIGN:                      /* a name after `=` is a value, except in `type X = Y` */
		return (f->depth || f->last.kind != TOKEN_IDENT) && closes(f, f->tokens->at[f->i]);
	case TOKEN_COMMA:
		if (in_body(f))
			return false;           /* the word after the comma may be a key */
		/* fall through */
	case TOKEN_LPAREN: case TOKEN_LBRACKET:
		return f->last.kind != TOKEN_IDENT && closes(f, f->tokens->at[f->i]);   /* the word may be a type */
	default:
		return false;
	}
}

bool feed_last_is_made(const struct feed *f)
{
	return f->last.kind == TOKEN_EOL || f->last.kind == TOKEN_NL || f->last.kind == TOKEN_END;
}

bool feed_one_line(const struct feed *f)
{
	return f->depth && f->open[f->depth - 1].line == f->line;
}

bool feed_begins(const struct feed *f, size_t i)
{
	const struct token *at = f->tokens->at;

	switch (at[i].kind) {
	case TOKEN_RBRACE: case TOKEN_SPREAD: case TOKEN_LET: case TOKEN_CHECK: case TOKEN_WARN: case TOKEN_FOR:
	case TOKEN_STR_OPEN:
		return true;
	case TOKEN_IF:
		return f->depth != 0;
	case TOKEN_IDENT:
		if (at[i + 1].kind == TOKEN_IDENT && f->depth)          /* as in `role worker`, with or without a brace
									 */
			return at[i + 2].kind == TOKEN_COLON || at[i + 2].kind == TOKEN_LBRACE ||
				(at[i + 2].flags & FLAG_LINE);
		return tokens_item(f->tokens, i);
	case TOKEN_PROJECT: case TOKEN_STRING:
		return at[i + 1].kind == TOKEN_LBRACE || at[i + 1].kind == TOKEN_ASSIGN ||
			at[i + 1].kind == TOKEN_COLON;
	default:
		return tokens_declaration(f->tokens, i);
	}
}

/*
 * Is the line that begins with token I outside the broken item? In a file, lines that are indented deeper than the
 * broken declaration (at column OWN) are part of it.
 */
static bool leaves_item(const struct feed *f, size_t i, unsigned indent, unsigned own)
{
	const struct token *at = f->tokens->at;

	if (continues[at[i].kind] || at[i].kind == TOKEN_LBRACE)
		return false;
	if (f->depth == 0 && !f->expression)
		return tokens_declaration(f->tokens, i) ||
			(tokens_indent(f->tokens, at[i].start) <= own && !is_closing_token(at[i].kind));
	return indent == ANY_INDENT || (tokens_indent(f->tokens, at[i].start) <= indent && feed_begins(f, i));
}

/* The token from I on at which the broken item ends. OPEN brackets of the item are still open. */
static size_t find_end(const struct feed *f, size_t i, unsigned open, unsigned indent, bool *ret_newline)
{
	const struct token *at = f->tokens->at;
	unsigned own = f->depth ? 0 : tokens_indent(f->tokens, at[f->item].start);

	for (*ret_newline = false; at[i].kind != TOKEN_END; i++) {
		if (!open && (at[i].flags & FLAG_LINE) && i > f->item && leaves_item(f, i, indent, own)) {
			*ret_newline = true;
			return i;
		}
		if (is_opening_token(at[i].kind)) {
			open++;
		} else if (is_closing_token(at[i].kind)) {
			if (!open)
				return i;
			open--;
		} else if (at[i].kind == TOKEN_COMMA && !open && f->depth && indent == ANY_INDENT) {
			return i;
		}
	}
	*ret_newline = true;
	return i;
}

static void give_sync(struct feed *f)
{
	uint32_t at = f->i ? f->tokens->at[f->i - 1].end : f->tokens->source->base;
	f->queue[f->queued++] = (struct token){ at, at, TOKEN_SYNC, FLAG_VIRTUAL };
}

/*
 * Ignores the effect of the last token and closes the brackets that are open inside the innermost body; returns their
 * number.
 */
static unsigned leave_item(struct feed *f)
{
	unsigned open = 0;

	f->committed = true;
	f->queued = 0;
	while (f->depth && !in_body(f)) {
		f->item = f->open[--f->depth].item;
		open++;
	}
	return open;
}

void feed_recover(struct feed *f, unsigned indent)
{
	bool newline;
	size_t from = feed_last_is_made(f) ? f->i : f->i - 1;
	unsigned open = leave_item(f);
	size_t end = find_end(f, from, open, indent, &newline);

	f->i = end;
	give_sync(f);
	f->previous = TOKEN_SYNC;
	f->member = false;
	f->ended = true;
	if (newline)
		f->queue[f->queued++] = line_end_token(f);
}

/*
 * The first token at or after both FROM and WANTED before which the OPEN pending brackets have been closed and no
 * others are open. The parser's stack does not contain brackets that were opened later.
 */
static size_t level_from(const struct feed *f, size_t from, size_t wanted, unsigned open)
{
	const struct token *at = f->tokens->at;
	size_t i;

	if (at[wanted].kind == TOKEN_END)
		return wanted;
	for (i = from; at[i].kind != TOKEN_END && (i < wanted || open); i++) {
		if (is_opening_token(at[i].kind))
			open++;
		else if (is_closing_token(at[i].kind) && !open--)
			break;
	}
	return i;
}

void feed_resume(struct feed *f, size_t i)
{
	size_t from = feed_last_is_made(f) ? f->i : f->i - 1;
	unsigned open = leave_item(f);

	f->i = level_from(f, from, i, open);
	give_sync(f);
	f->previous = TOKEN_SYNC;
	f->member = false;
	f->ended = true;
	f->queue[f->queued++] = line_end_token(f);
}
