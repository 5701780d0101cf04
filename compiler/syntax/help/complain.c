/*
 * complain.c - reports a token that is not allowed where it is. The parser only knows which tokens could follow, but
 * most errors are typical mistakes. Each function here recognizes one kind of mistake and says what to write instead;
 * the most specific comes first. A mistake that was already reported (by the scanner, or as a broken bracket) is
 * silently skipped.
 */
#include "syntax/help/complain.h"

#include "trainc.tab.h"

void parse_too_deep(struct parse *p, struct span at)
{
	struct diag *d = diag_report(p->diags, TJ0114, at, "this expression is nested too deep");
	diag_help(p->diags, d, "split it with 'let'");
}

enum { LOOK = 256 };                    /* maximum number of tokens to look at, because a line may be the whole text */

static bool is_repair(const struct token *t)
{
	return t->flags & (FLAG_TORN | FLAG_VIRTUAL) || t->kind == TOKEN_JUNK;
}

/* Was an error in this item, or on the current line of it, already reported? */
static bool is_reported(const struct fault *f)
{
	size_t i = f->i > f->item + LOOK ? f->i - LOOK : f->item;

	for (; i < f->i; i++)
		if (is_repair(&f->at[i]))
			return true;
	if (f->line_end)
		return false;
	for (size_t end = i + LOOK; i < end && f->at[i].kind != TOKEN_END; i++)
		if (is_repair(&f->at[i]))
			return true;
		else if (f->at[i + 1].flags & FLAG_LINE)
			break;
	return false;
}

/* Keeps the name of the broken item, so that it is not reported as missing. */
static void keep_name(struct fault *f)
{
	const struct token *t = &f->at[f->item];
	struct parse *p = f->p;

	switch (t->kind) {
	case TOKEN_LET: case TOKEN_PARAM: case TOKEN_FN: case TOKEN_TYPE: case TOKEN_FRAMEWORK: case TOKEN_ACCELERATOR:
	case TOKEN_PROFILE:
		t += t[1].kind == TOKEN_IDENT;
		break;
	/* the last word of the line is the name: an alias or the module; a word after a '.' is not the name */
	case TOKEN_IMPORT:
		for (size_t i = f->item + 1; i < f->item + 64 && f->at[i].kind != TOKEN_END &&
			!(f->at[i].flags & FLAG_LINE); i++)
			if (f->at[i].kind == TOKEN_IDENT || f->at[i].kind == TOKEN_DOT)
				t = &f->at[f->at[i].kind == TOKEN_IDENT ? i : f->item];
		break;
	default:
		break;
	}
	if (t->kind != TOKEN_IDENT && !token_is_word(t->kind) && t->kind != TOKEN_STRING)
		return;
	p->bad_name_at = (struct span){ t->start, t->end };
	if (f->at[f->item].kind == TOKEN_IMPORT)        /* the import may have another name, given by `as` */
		p->bad_name_at = (struct span){ f->at[f->item].start, f->at[f->item].end };
	p->bad_name = t->kind == TOKEN_STRING ? build_word(p, (struct span){ t->start + 1, t->end - 1 }) :
		build_word(p, (struct span){ t->start, t->end });
}

/*
 * Reports that the line before is incomplete: `import x as`, `let a = 1 +`. That line is wrong, not the one after it.
 */
static void blame_line_before(struct fault *f)
{
	struct tokens *ts = &f->p->tokens;
	const struct token *t = &f->at[f->i];

	if (f->line_end || f->i <= f->item || !(t->flags & FLAG_LINE) || !feed_lines_matter(&f->p->feed) ||
	    !feed_begins(&f->p->feed, f->i) || tokens_indent(ts, t->start) > tokens_indent(ts, f->at[f->item].start))
		return;
	f->line_end = true;
	f->found.kind = TOKEN_EOL;
	f->found.start = f->found.end = t[-1].end;
	f->p->resume = f->i;
}

/*
 * Reports `replicas = 1:` when the parser has taken the key of the next line for the missing value, and failed at the
 * token after that key.
 */
static bool blame_operator(struct fault *f)
{
	struct parse *p = f->p;
	size_t key = f->i - (f->i && f->found.kind == TOKEN_ASSIGN);
	const struct token *t = &f->at[key];

	if (f->line_end || !p->feed.depth || key <= f->item + 2 || !(t->flags & FLAG_LINE) ||
	    t[1].kind != TOKEN_ASSIGN ||
	    !(t->kind == TOKEN_IDENT || token_is_word(t->kind)) || !feed_lines_matter(&p->feed))
		return false;
	switch (t[-1].kind) {
	case TOKEN_COLON: case TOKEN_PLUS: case TOKEN_MINUS: case TOKEN_STAR: case TOKEN_SLASH: case TOKEN_FLOOR:
	case TOKEN_PERCENT: case TOKEN_COALESCE: case TOKEN_AND: case TOKEN_OR: case TOKEN_EQ: case TOKEN_NE:
	case TOKEN_LT: case TOKEN_GT: case TOKEN_LE: case TOKEN_GE:
		break;
	default:
		return false;
	}
	uint32_t at = t[-1].end;
	struct str sign = fault_text(f, key - 1);
	struct diag *d = diag_report(p->diags, TJ0102, (struct span){ at, at },
		"expected a value after '%.*s', found the end of the line", STR_ARG(sign));
	diag_help(p->diags, d, "write the value, or remove '%.*s'", STR_ARG(sign));
	if (key == f->i)
		p->resume = key;
	return true;
}

void parse_complain(struct parse *p, int kind, const bool expected[PARSE_KINDS])
{
	struct fault f = {
		.p = p, .at = p->tokens.at, .found = p->feed.last, .item = p->feed.item, .expected = expected,
		.line_end = feed_last_is_made(&p->feed),
	};

	(void)kind;
	f.i = f.line_end ? p->feed.i : p->feed.i - 1;
	f.previous = f.i ? f.at[f.i - 1].kind : TOKEN_EOL;
	p->failed = true;
	p->indent = ANY_INDENT;
	p->resume = 0;
	keep_name(&f);
	blame_line_before(&f);
	bool said = p->foretold && f.i == p->foretold;
	p->foretold = 0;
	if (is_reported(&f) || said)
		return;
	if (complain_head_colon(&f) || blame_operator(&f) || complain_misplaced(&f) || complain_exchange(&f) ||
		complain_loop(&f) || complain_local(&f) ||
		complain_value(&f) || complain_set(&f) || complain_colon(&f) ||
		complain_words(&f) || complain_word(&f) || complain_body(&f) || complain_separator(&f))
		return;
	complain_plain(&f);
}
