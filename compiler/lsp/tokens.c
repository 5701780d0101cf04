/*
 * tokens.c - semantic tokens, from the scanner and the checker. Words, texts, numbers and comments come from the
 * scanner, so a file with syntax errors has them too. Names come from the occurrences and replace what the scanner
 * found there. Types and modifiers are those of the protocol.
 */
#include "lsp/tokens.h"

#include <stdlib.h>

#include "lsp/occurrence.h"
#include "syntax/token.h"
#include "trainc.tab.h"

enum token_type {
	TYPE_OF_NAMESPACE, TYPE_OF_TYPE, TYPE_OF_CLASS, TYPE_OF_PARAMETER, TYPE_OF_VARIABLE, TYPE_OF_PROPERTY,
		TYPE_OF_ENUM_MEMBER,
	TYPE_OF_FUNCTION, TYPE_OF_METHOD, TYPE_OF_KEYWORD, TYPE_OF_COMMENT, TYPE_OF_STRING, TYPE_OF_NUMBER,
	TYPE_OF_OPERATOR
};
enum { MODIFIER_DECLARATION = 1, MODIFIER_READONLY = 2, MODIFIER_DEFAULT_LIBRARY = 4, MODIFIER_DEPRECATED = 8,
	MODIFIER_DOCUMENTATION = 16 };

const char tokens_legend[] = "{\"tokenTypes\":[\"namespace\",\"type\",\"class\",\"parameter\",\"variable\","
	"\"property\",\"enumMember\","
	"\"function\",\"method\",\"keyword\",\"comment\",\"string\",\"number\",\"operator\"],"
	"\"tokenModifiers\":[\"declaration\",\"readonly\",\"defaultLibrary\",\"deprecated\",\"documentation\"]}";

struct piece_of {
	uint32_t start, end;            /* start and end offset in the text */
	unsigned char type, modifiers;
};

struct coloring {
	struct request *r;
	const struct source *source;
	struct piece_of *at;
	size_t n;
};

static void add_token(struct coloring *c, uint32_t start, uint32_t end, enum token_type type, unsigned modifiers)
{
	struct piece_of p = { start - c->source->base, end - c->source->base, (unsigned char)type,
		(unsigned char)modifiers };

	if (end > start)
		ARENA_PUSH(c->r->arena, c->at, c->n, p);
}

/* ---- names ---- */

static enum token_type type_of_decl(const struct decl *d)
{
	switch (d->kind) {
	case DECL_IMPORT: return TYPE_OF_NAMESPACE;
	case DECL_FN: case DECL_BUILTIN_FN: return TYPE_OF_FUNCTION;
	case DECL_TYPE: return TYPE_OF_TYPE;
	case DECL_FRAMEWORK: case DECL_ACCELERATOR: return TYPE_OF_CLASS;
	case DECL_FORMAL: return TYPE_OF_PARAMETER;
	default: return TYPE_OF_VARIABLE;
	}
}

static void add_name(void *to, const struct occurrence *o)
{
	struct coloring *c = to;
	unsigned modifiers = o->declares ? MODIFIER_DECLARATION : 0;
	enum token_type type;

	switch (o->kind) {
	case OCCURRENCE_DECL:
		type = type_of_decl(o->decl);
		if (o->decl->kind == DECL_PARAM || o->decl->kind == DECL_LET || o->decl->kind == DECL_LOOP)
			modifiers |= MODIFIER_READONLY;
		if (!o->decl->module || o->decl->module->library)
			modifiers |= MODIFIER_DEFAULT_LIBRARY;
		if (str_starts(o->decl->doc, STR("Deprecated:")))
			modifiers |= MODIFIER_DEPRECATED;
		break;
	case OCCURRENCE_BLOCK: type = TYPE_OF_KEYWORD; break;
	case OCCURRENCE_TYPE: type = TYPE_OF_TYPE; modifiers |= MODIFIER_DEFAULT_LIBRARY; break;
	case OCCURRENCE_FIELD: case OCCURRENCE_RECORD_FIELD: case OCCURRENCE_KEY: case OCCURRENCE_VARIABLE:
	case OCCURRENCE_PORT:
	case OCCURRENCE_MEMBER: type = TYPE_OF_PROPERTY; break;
	case OCCURRENCE_BLOCK_NAME: type = TYPE_OF_VARIABLE; break;
	case OCCURRENCE_ARGUMENT: type = TYPE_OF_PARAMETER; break;
	case OCCURRENCE_TITLE:
		if (!o->word.n)
			return;
		type = TYPE_OF_VARIABLE;
		break;
	/* other names, such as strings and import paths, keep the type that the scanner gave them */
	default: return;
	}
	if (!o->quoted && o->at.start >= c->source->base && o->at.end <= c->source->base + c->source->text.n)
		add_token(c, o->at.start, o->at.end, type, modifiers);
}

/* ---- tokens of the scanner ---- */

static void add_scanned(struct coloring *c, const struct tokens *ts)
{
	for (size_t i = 0; i < ts->n; i++) {
		const struct token *t = &ts->at[i];
		if (t->flags & FLAG_VIRTUAL)
			continue;
		bool key = i + 1 < ts->n && (ts->at[i + 1].kind == TOKEN_ASSIGN ||
			ts->at[i + 1].kind == TOKEN_LBRACE) && (t->flags & FLAG_LINE);
		if (token_is_word(t->kind))
			add_token(c, t->start, t->end,
				key && t->kind != TOKEN_PROJECT ? TYPE_OF_PROPERTY : TYPE_OF_KEYWORD, 0);
		else if (t->kind == TOKEN_INT || t->kind == TOKEN_FLOAT || t->kind == TOKEN_QUANTITY ||
			t->kind == TOKEN_TOPOLOGY)
			add_token(c, t->start, t->end, TYPE_OF_NUMBER, 0);
		else if (t->kind == TOKEN_STRING || t->kind == TOKEN_STR_OPEN || t->kind == TOKEN_STR_TEXT ||
			t->kind == TOKEN_STR_CLOSE)
			add_token(c, t->start, t->end, TYPE_OF_STRING, 0);
		else if (t->kind >= TOKEN_EQ && t->kind <= TOKEN_PERCENT)
			add_token(c, t->start, t->end, TYPE_OF_OPERATOR, 0);
	}
	for (size_t i = 0; i < ts->ncomments; i++)
		add_token(c, ts->comments[i].start, ts->comments[i].end, TYPE_OF_COMMENT,
			ts->comments[i].doc ? MODIFIER_DOCUMENTATION : 0);
}

/*
 * Orders tokens by position. Of two tokens at one position the longer comes first, because tokens inside of a longer
 * one are dropped; tokens of the same range are sorted by type.
 */
static int by_start(const void *a, const void *b)
{
	const struct piece_of *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end != y->end ? (x->end > y->end ? -1 : 1) : (x->type > y->type) - (x->type < y->type);
}

/* ---- the answer ---- */

struct encoding_of {
	struct request *r;
	const struct lsp_lines *lines;
	struct position last;
	uint32_t *numbers;
	size_t n;
};

static void encode(struct encoding_of *e, size_t start, size_t end, const struct piece_of *p)
{
	struct position at = lines_position(e->lines, start), to = lines_position(e->lines, end);
	uint32_t five[5] = { at.line - e->last.line,
		at.line == e->last.line ? at.character - e->last.character : at.character,
		to.character - at.character, p->type, p->modifiers };

	if (to.line != at.line || to.character <= at.character)
		return;
	for (size_t i = 0; i < 5; i++)
		ARENA_PUSH(e->r->arena, e->numbers, e->n, five[i]);
	e->last = at;
}

/* Writes the tokens. Text over several lines becomes one token for each line, because a token cannot span lines. */
static void encode_lines(struct encoding_of *e, const struct piece_of *p)
{
	size_t start = p->start;

	for (size_t line = lines_number(e->lines, start); start < p->end; line++) {
		size_t next = line + 1 < e->lines->n ? e->lines->start[line + 1] : e->lines->text.n,
			end = next < p->end ? next : p->end;
		struct str text = lines_line(e->lines, line);
		size_t line_end = (size_t)(text.p - e->lines->text.p) + text.n;
		encode(e, start, end < line_end ? end : line_end, p);
		if (next <= start)
			break;
		start = next;
	}
}

static void color(struct request *r, size_t from, size_t to, struct encoding_of *e)
{
	struct analysis *an = analysis_of(r->lsp, r->document);
	struct module *root = an->compile->program.root;
	struct diags diags = { .arena = r->arena, .sources = &an->compile->sources, .muted = 1 };

	if (!root || !root->source)
		return;
	struct coloring c = { .r = r, .source = root->source };
	struct tokens ts = { .arena = r->arena, .diags = &diags, .source = root->source };
	tokens_scan(&ts);
	add_scanned(&c, &ts);
	occurrences_visit(&an->compile->program, root, add_name, &c);
	if (c.n)
		qsort(c.at, c.n, sizeof *c.at, by_start);
	e->lines = analysis_lines(an, root->source);
	for (size_t i = 0; i < c.n; i++) {
		bool name = i + 1 < c.n && c.at[i + 1].start == c.at[i].start && c.at[i + 1].end == c.at[i].end;
		struct piece_of p = name && c.at[i].type >= TYPE_OF_KEYWORD ? c.at[i + 1] : c.at[i];
		while (i + 1 < c.n && c.at[i + 1].start < c.at[i].end)
			i++;                    /* the token is inside of a token that was written */
		if (p.end > from && p.start < to)
			encode_lines(e, &p);
	}
}

static void put_numbers(struct buf *out, const char *key, const uint32_t *numbers, size_t from, size_t to)
{
	msg_add_list(out, key);
	for (size_t i = from; i < to; i++) {
		if (i > from)
			buf_char(out, ',');
		buf_int(out, numbers[i]);
	}
	msg_close(out, ']');
}

/* Keeps the tokens that were sent, so that the next answer can be a difference. */
static void keep_tokens(struct document *d, const struct encoding_of *e)
{
	d->tokens = memory_resize(d->tokens, (e->n + 1) * sizeof *d->tokens);
	if (e->n)
		memcpy(d->tokens, e->numbers, e->n * sizeof *d->tokens);
	d->ntokens = e->n;
	d->token_version++;
}

bool tokens_full(struct request *r)
{
	struct encoding_of e = { .r = r };

	color(r, 0, SIZE_MAX, &e);
	keep_tokens(r->document, &e);
	msg_open(r->out, '{');
	msg_add_text(r->out, "resultId", str_int(r->arena, r->document->token_version));
	put_numbers(r->out, "data", e.numbers, 0, e.n);
	msg_close(r->out, '}');
	return true;
}

bool tokens_delta(struct request *r)
{
	struct document *d = r->document;
	struct encoding_of e = { .r = r };
	size_t same = 0, tail = 0;

	if (!str_eq(msg_text(r->params, "previousResultId"), str_int(r->arena, d->token_version)))
		return tokens_full(r);
	color(r, 0, SIZE_MAX, &e);
	while (same < e.n && same < d->ntokens && e.numbers[same] == d->tokens[same])
		same++;
	while (tail < e.n - same && tail < d->ntokens - same &&
	    e.numbers[e.n - 1 - tail] == d->tokens[d->ntokens - 1 - tail])
		tail++;
	size_t removed = d->ntokens - same - tail;
	keep_tokens(d, &e);
	msg_open(r->out, '{');
	msg_add_text(r->out, "resultId", str_int(r->arena, d->token_version));
	msg_add_list(r->out, "edits");
	if (removed || e.n - same - tail) {
		msg_open(r->out, '{');
		msg_add_int(r->out, "start", (int64_t)same);
		msg_add_int(r->out, "deleteCount", (int64_t)removed);
		put_numbers(r->out, "data", e.numbers, same, e.n - tail);
		msg_close(r->out, '}');
	}
	msg_close(r->out, ']');
	msg_close(r->out, '}');
	return true;
}

bool tokens_range(struct request *r)
{
	struct encoding_of e = { .r = r };
	struct lsp_lines lines = lines_of(r->arena, document_text(r->document), r->lsp->client.encoding);

	color(r, lines_offset(&lines, msg_position(r->params, "range.start")),
		lines_offset(&lines, msg_position(r->params, "range.end")), &e);
	msg_open(r->out, '{');
	put_numbers(r->out, "data", e.numbers, 0, e.n);
	msg_close(r->out, '}');
	return true;
}
