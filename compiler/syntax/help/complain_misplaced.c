/*
 * complain_misplaced.c - reports declarations of a file inside a body, and assertions as other languages write them,
 * which are a 'check' here. Such words can also be keys (`import = 1` in a map), so the parser expects '=' after them;
 * a help that adds '=' would set a field that the author did not mean.
 */
#include "syntax/help/complain.h"

#include "trainc.tab.h"

/* Adds help for `param n: int = 3` in a framework, which should declare it as an argument. */
static void help_argument(struct fault *f, struct diag *d)
{
	size_t outer = f->p->feed.open[0].item;
	struct str rest = fault_rest(f, f->i);

	if (f->at[outer].kind == TOKEN_FRAMEWORK && f->at[f->item].kind == TOKEN_PARAM && rest.n)
		diag_help(f->p->diags, d, "an argument of the framework is written 'framework %.*s(%.*s) { ... }'",
			STR_ARG(fault_text(f, outer + 1)),
		          STR_ARG(rest));
}

/* The first token after the line or item of token I. */
static size_t behind_item(const struct fault *f, size_t i)
{
	while (f->at[i].kind != TOKEN_END && f->at[i].kind != TOKEN_RBRACE && !(f->at[i].flags & FLAG_LINE))
		i++;
	return i;
}

static bool report_declaration(struct fault *f)
{
	struct diags *ds = f->p->diags;
	const struct token *word = &f->at[f->item];
	struct str text = fault_text(f, f->item);

	if ((word->kind != TOKEN_IMPORT && word->kind != TOKEN_PARAM) || !f->p->feed.depth || f->i != f->item + 1)
		return false;
	if (f->found.kind != TOKEN_IDENT && f->found.kind != TOKEN_STRING)
		return false;
	struct diag *d = diag_report(ds, TJ0112, (struct span){ word->start, word->end },
		"'%.*s' is a declaration of the file, not an item of a body",
		STR_ARG(text));
	diag_help(ds, d, word->kind == TOKEN_IMPORT ? "move the import to the top of the file" :
		"move the parameter to the top of the file, and use its name here");
	help_argument(f, d);
	f->p->resume = behind_item(f, f->i);
	return true;
}

static struct str between(const struct fault *f, size_t from, size_t end)
{
	return end <= from ? STR("") : tokens_text(&f->p->tokens, f->at[from].start, f->at[end - 1].end);
}

/* Does WORD introduce a condition that must not hold, like `deny`? */
static bool refuses(struct str word)
{
	return str_is(word, "deny") || str_is(word, "forbid") || str_is(word, "refuse") || str_is(word, "violation");
}

/* `assert C, "message"` or `assert(C, "message")` rewritten as a check; empty when it has no condition. */
static struct str check_of(struct fault *f, size_t word)
{
	size_t end = behind_item(f, word + 1), from = word + 1, comma = 0, depth = 0;
	bool call = f->at[from].kind == TOKEN_LPAREN && f->at[end - 1].kind == TOKEN_RPAREN &&
		f->at[from].start == f->at[word].end;
	struct str message = STR("\"message\"");
	/* a comparison after 'not' needs parentheses */
	const char *negated = !refuses(fault_text(f, word)) ? "" : f->at[from].kind == TOKEN_IDENT &&
		f->at[from + 1].kind == TOKEN_LPAREN && f->at[end - 1].kind == TOKEN_RPAREN ? "not " : "not (";
	const char *paren = strcmp(negated, "not (") == 0 ? ")" : "";

	from += call;
	end -= call;
	for (size_t i = from; i < end; i++) {
		int kind = f->at[i].kind;
		depth += kind == TOKEN_LPAREN || kind == TOKEN_LBRACKET || kind == TOKEN_LBRACE;
		bool close = kind == TOKEN_RPAREN || kind == TOKEN_RBRACKET || kind == TOKEN_RBRACE;
		if (close && !depth) {
			end = i;
			break;
		}
		depth -= close;
		if (kind == TOKEN_ELSE && !depth)       /* with an `else`, only the first word is wrong */
			return str_printf(f->p->arena, "check %s%.*s%s %.*s", negated, STR_ARG(between(f, from, i)),
				paren, STR_ARG(between(f, i, end)));
		if (kind == TOKEN_COMMA && !depth)
			comma = i;
	}
	if (comma && comma + 1 < end && (f->at[comma + 1].kind == TOKEN_STRING ||
		f->at[comma + 1].kind == TOKEN_STR_OPEN)) {
		message = between(f, comma + 1, end);
		end = comma;
	}
	struct str condition = between(f, from, end);
	return condition.n && condition.n <= 100 ?
		str_printf(f->p->arena, "check %s%.*s%s else %.*s", negated, STR_ARG(condition), paren,
			STR_ARG(message)) : STR("");
}

static bool report_assert(struct fault *f)
{
	struct diags *ds = f->p->diags;
	const struct token *word = &f->at[f->item];
	struct str text = fault_text(f, f->item);

	if (word->kind != TOKEN_IDENT || f->i <= f->item || word[1].kind == TOKEN_ASSIGN ||
		word[1].kind == TOKEN_COLON || word[1].kind == TOKEN_LBRACE ||
	    word[1].flags & FLAG_LINE || !(str_is(text, "assert") || str_is(text, "require") || refuses(text)))
		return false;
	struct str check = check_of(f, f->item);
	struct diag *d = diag_report(ds, TJ0102, (struct span){ word->start, word->end },
		"'%.*s' is not a statement of trainc", STR_ARG(text));
	if (check.n)
		diag_help(ds, d, "write '%.*s'", STR_ARG(check));
	else
		diag_help(ds, d, "write 'check CONDITION else \"message\"'");
	f->p->resume = behind_item(f, f->item + 1);
	return true;
}

/* Reports `fail("message")` in a policy or a job. */
static bool report_fail(struct fault *f)
{
	static const char *const words[] = { "fail", "error", "panic", "abort", "die", "raise", "throw" };
	const struct token *word = &f->at[f->item];
	struct str text = fault_text(f, f->item);
	bool known = false, inside = f->p->feed.depth &&
		f->at[f->p->feed.open[f->p->feed.depth - 1].item].kind == TOKEN_IF;

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		known = known || str_is(text, words[i]);
	if (!known || !f->p->feed.depth || f->line_end || f->i != f->item + 1 || word->kind != TOKEN_IDENT ||
		(word[1].kind != TOKEN_LPAREN && word[1].kind != TOKEN_STRING) || word[1].flags & FLAG_LINE)
		return false;
	const struct token *first = word + 1 + (word[1].kind == TOKEN_LPAREN);
	struct str message = first->kind == TOKEN_STRING ? tokens_text(&f->p->tokens, first->start, first->end) :
		STR("\"message\"");
	struct diag *d = diag_report(f->p->diags, TJ0102, (struct span){ word->start, word->end },
		"'%.*s' is not a statement of trainc", STR_ARG(text));
	if (inside)
		diag_help(f->p->diags, d, "write 'check false else %.*s'", STR_ARG(message));
	else
		diag_help(f->p->diags, d, "write the condition that must hold: 'check CONDITION else %.*s'",
			STR_ARG(message));
	f->p->resume = behind_item(f, f->item + 1);
	return true;
}

/* Reports `job "x" for y in ys: ...`. */
static bool report_loop(struct fault *f)
{
	size_t end = f->i;

	if (f->at[f->item].kind != TOKEN_JOB || f->line_end || f->found.kind != TOKEN_FOR || f->i != f->item + 2)
		return false;
	while (f->at[end].kind != TOKEN_END && f->at[end].kind != TOKEN_COLON && f->at[end].kind != TOKEN_LBRACE &&
		(end == f->i || !(f->at[end].flags & FLAG_LINE)))
		end++;
	struct str loop = between(f, f->i, end), title = fault_text(f, f->item + 1);
	struct diag *d = diag_report(f->p->diags, TJ0102, fault_span(f), "a loop comes before its job");
	diag_help(f->p->diags, d, "write '%.*s job %.*s: ...'", STR_ARG(loop), STR_ARG(title));
	fault_skip_block(f);
	return true;
}

bool complain_misplaced(struct fault *f)
{
	return report_loop(f) || report_declaration(f) || report_assert(f) || report_fail(f);
}
