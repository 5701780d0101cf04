/*
 * parse.c - runs scanner, feed and parser over one text.
 */
#include "syntax/parse_state.h"

#include "syntax/help/help_manifest.h"
#include "syntax/help/variables.h"
#include "trainc.tab.h"

static bool stands_for_operand(int kind)
{
	switch (kind) {
	case TOKEN_IDENT: case TOKEN_INT: case TOKEN_FLOAT: case TOKEN_QUANTITY: case TOKEN_TOPOLOGY: case TOKEN_STRING:
	case TOKEN_STR_CLOSE:
	case TOKEN_RPAREN: case TOKEN_RBRACKET: case TOKEN_RBRACE: case TOKEN_BAD:
		return true;
	default:
		return false;
	}
}

/* Does the number follow a unary minus? -9223372036854775808 is valid, although its digits alone are too large. */
static bool follows_unary_minus(const struct parse *p)
{
	const struct token *at = p->tokens.at;
	size_t i = p->feed.i;                   /* the token after the number */
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

/*
 * Sets the semantic value of a token and returns its kind for the parser, which is ATOM for a token that is a whole
 * expression.
 */
static int token_value(struct parse *p, struct token t, TJ_STYPE *ret)
{
	struct span at = { t.start, t.end };

	switch (t.kind) {
	case TOKEN_IDENT:
		if (feed_is_atom(&p->feed)) {
			ret->node = mk_name(p, at, build_word(p, at));
			return TOKEN_ATOM;
		}
		ret->str = build_word(p, at);
		return t.kind;
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

static bool run_parser(struct parse *p)
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

static void prepare_parse(struct parse *p, bool expression)
{
	p->tokens = (struct tokens){ .arena = p->arena, .diags = p->diags, .source = p->source };
	tokens_scan(&p->tokens);
	tokens_balance(&p->tokens);
	variables_in_tokens(&p->tokens);
	p->head = doc_head(p);
	feed_init(&p->feed, &p->tokens, expression);
}

struct node *parse_source(struct arena *a, struct names *names, struct diags *ds, const struct source *source)
{
	struct parse p = { .arena = a, .names = names, .diags = ds, .source = source };
	struct span all = { source->base, source->base + (uint32_t)source->text.n };

	p.file = node_new(a, NODE_FILE, all);
	if (manifest_in_text(a, ds, source))
		return p.file;
	prepare_parse(&p, false);
	run_parser(&p);
	tokens_explain(&p.tokens);
	p.file->u.file.doc = doc_of_file(&p);
	return p.file;
}

struct node *parse_expression(struct arena *a, struct names *names, struct diags *ds, const struct source *source)
{
	struct parse p = { .arena = a, .names = names, .diags = ds, .source = source };
	size_t errors = ds->errors + ds->muted_errors;

	prepare_parse(&p, true);
	bool ok = run_parser(&p);
	tokens_explain(&p.tokens);
	if (!ok || ds->errors + ds->muted_errors != errors)
		return NULL;
	return p.result;
}
