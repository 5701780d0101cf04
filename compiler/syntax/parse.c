/*
 * parse.c - drive scanner, feed and parser over one text.
 */
#include "syntax/parse_state.h"

#include "trainc.tab.h"

struct str tokens_text(const struct tokens *ts, uint32_t start, uint32_t end)
{
	return (struct str){ ts->source->text.p + (start - ts->source->base), end - start };
}

struct str tokens_shown(const struct tokens *ts, uint32_t start, uint32_t end)
{
	enum { SHOWN = 32 };
	struct str text = tokens_text(ts, start, end);
	const char *line = memchr(text.p, '\n', text.n);
	size_t n = line ? (size_t)(line - text.p) : text.n;

	if (n <= SHOWN + 3 && !line)
		return text;
	if (n > SHOWN)
		n = SHOWN;
	while (n > 0 && n < text.n && ((unsigned char)text.p[n] & 0xC0) == 0x80)
		n--;
	return str_printf(ts->arena, "%.*s...", (int)n, text.p);
}

unsigned tokens_indent(const struct tokens *ts, uint32_t offset)
{
	const char *text = ts->source->text.p;
	size_t line = offset - ts->source->base, i;

	while (line > 0 && text[line - 1] != '\n')
		line--;
	for (i = line; text[i] == ' ' || text[i] == '\t'; i++)
		;
	return (unsigned)(i - line);
}

/* --- doc comments --- */

/* The index behind the last comment before the token that starts at `start`. */
static size_t comments_before(const struct tokens *ts, uint32_t start)
{
	size_t lo = 0, hi = ts->ncomments;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (ts->comments[mid].start < start)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool is_doc(const struct comment *c)
{
	return c->doc && c->own_line;
}

/* The text of comments [from, to): without ## and one space, lines joined. */
static struct str doc_text(struct parse *p, size_t from, size_t to)
{
	size_t n = 0;
	for (size_t i = from; i < to; i++)
		n += p->tokens.comments[i].end - p->tokens.comments[i].start;
	char *text = arena_alloc(p->arena, n + 1);
	n = 0;
	for (size_t i = from; i < to; i++) {
		const struct comment *c = &p->tokens.comments[i];
		struct str line = tokens_text(&p->tokens, c->start + 2, c->end);
		size_t skip = line.n && line.p[0] == ' ';
		if (i > from)
			text[n++] = '\n';
		memcpy(text + n, line.p + skip, line.n - skip);
		n += line.n - skip;
	}
	return (struct str){ text, n };
}

/* Comments [0, end) are the head of the file: ## lines with a blank line behind them. */
static size_t file_doc_end(const struct parse *p)
{
	const struct tokens *ts = &p->tokens;
	size_t n = 0;

	while (n < ts->ncomments && is_doc(&ts->comments[n]) && ts->comments[n].next == ts->comments[0].next &&
	       (n == 0 || !ts->comments[n].blank))
		n++;
	if (!n || ts->comments[0].next != (ts->n ? ts->at[0].start : 0))
		return 0;
	bool blank = n < ts->ncomments && ts->comments[n].next == ts->comments[0].next ? ts->comments[n].blank :
	             (ts->at[0].flags & FLAG_BLANK) != 0 || ts->at[0].kind == TOKEN_END;
	return blank ? n : 0;
}

struct str doc_of_file(struct parse *p)
{
	return p->head ? doc_text(p, 0, p->head) : (struct str){ 0 };
}

struct str doc_of(struct parse *p, uint32_t start)
{
	const struct tokens *ts = &p->tokens;
	size_t to = ts->ncomments ? comments_before(ts, start) : 0;

	while (to > 0 && ts->comments[to - 1].next == start && !is_doc(&ts->comments[to - 1]))
		to--;
	size_t from = to;
	while (from > 0 && ts->comments[from - 1].next == start && is_doc(&ts->comments[from - 1])) {
		from--;
		if (ts->comments[from].blank)
			break;
	}
	if (from == to || from < p->head)
		return (struct str){ 0 };
	return doc_text(p, from, to);
}

/* --- the parser --- */

static bool stands_for_operand(int kind)
{
	switch (kind) {
	case TOKEN_IDENT: case TOKEN_INT: case TOKEN_FLOAT: case TOKEN_QUANTITY: case TOKEN_TOPOLOGY: case TOKEN_STRING: case TOKEN_STR_CLOSE:
	case TOKEN_RPAREN: case TOKEN_RBRACKET: case TOKEN_RBRACE: case TOKEN_BAD:
		return true;
	default:
		return false;
	}
}

/* -9223372036854775808 is one number although its digits alone are none. */
static bool follows_unary_minus(const struct parse *p)
{
	const struct token *at = p->tokens.at;
	size_t i = p->feed.i;                   /* behind the number */
	return i >= 2 && at[i - 2].kind == TOKEN_MINUS && (i < 3 || !stands_for_operand(at[i - 3].kind));
}

static void note_token(struct parse *p, struct token t)
{
	if (t.flags & (FLAG_TORN | FLAG_VIRTUAL) && t.kind != TOKEN_SYNC)
		p->torn = t.end;
	if (t.flags & FLAG_END_DECL)
		p->torn_decl = t.end;
	switch (t.kind) {
	case TOKEN_INT:
		if (follows_unary_minus(p))
			p->negated = t.start;
		break;
	case TOKEN_RBRACE:
		p->one_line = feed_one_line(&p->feed);
		break;
	case TOKEN_STR_CLOSE:
		if (t.flags & FLAG_BROKEN)
			p->broken_string = t.end;
		break;
	default:
		break;
	}
}

static struct node *mk_literal(struct parse *p, struct span at, int kind)
{
	switch (kind) {
	case TOKEN_INT: return mk_integer(p, at);
	case TOKEN_FLOAT: return mk_floating(p, at);
	case TOKEN_QUANTITY: return mk_quantity(p, at);
	case TOKEN_TOPOLOGY: return mk_topology(p, at);
	case TOKEN_STRING: return mk_plain_string(p, at);
	case TOKEN_NONE: return mk_none(p, at);
	default: return mk_boolean(p, at, kind == TOKEN_TRUE);
	}
}

/* The value of a token; those that are whole expressions become ATOM. */
static int token_value(struct parse *p, struct token t, TJ_STYPE *ret)
{
	struct span at = { t.start, t.end };

	switch (t.kind) {
	case TOKEN_IDENT:
		ret->str = word(p, at);
		if (!feed_is_atom(&p->feed))
			return t.kind;
		ret->node = mk_name(p, at, ret->str);
		return TOKEN_ATOM;
	case TOKEN_INT: case TOKEN_FLOAT: case TOKEN_QUANTITY: case TOKEN_TOPOLOGY: case TOKEN_STRING:
	case TOKEN_TRUE: case TOKEN_FALSE: case TOKEN_NONE:
		if (!feed_is_atom(&p->feed))
			return t.kind;
		ret->node = mk_literal(p, at, t.kind);
		return TOKEN_ATOM;
	default:
		return t.kind;
	}
}

static bool run(struct parse *p)
{
	tj_pstate *parser = tj_pstate_new();
	int status;

	do {
		struct token t = feed_next(&p->feed);
		struct span at = { t.start, t.end };
		TJ_STYPE value = { .node = NULL };

		note_token(p, t);
		int kind = token_value(p, t, &value);
		status = tj_push_parse(parser, kind, &value, &at, p);
		if (!p->failed)
			continue;
		p->failed = false;
		if (p->resume)
			feed_resume(&p->feed, p->resume);
		else
			feed_recover(&p->feed, p->indent);
	} while (status == YYPUSH_MORE);
	tj_pstate_delete(parser);
	return status == 0;
}

static void prepare(struct parse *p, bool expression)
{
	p->tokens = (struct tokens){ .arena = p->arena, .diags = p->diags, .source = p->source };
	tokens_scan(&p->tokens);
	tokens_balance(&p->tokens);
	p->head = file_doc_end(p);
	feed_init(&p->feed, &p->tokens, expression);
}

struct node *parse_source(struct arena *a, struct names *names, struct diags *ds, const struct source *source)
{
	struct parse p = { .arena = a, .names = names, .diags = ds, .source = source };
	struct span all = { source->base, source->base + (uint32_t)source->text.n };

	p.file = node_new(a, NODE_FILE, all);
	prepare(&p, false);
	run(&p);
	p.file->u.file.doc = doc_of_file(&p);
	return p.file;
}

struct node *parse_expression(struct arena *a, struct names *names, struct diags *ds, const struct source *source)
{
	struct parse p = { .arena = a, .names = names, .diags = ds, .source = source };
	size_t errors = ds->errors + ds->muted_errors;

	prepare(&p, true);
	if (!run(&p) || ds->errors + ds->muted_errors != errors)
		return NULL;
	return p.result;
}
