/*
 * complain_loop.c - loops over jobs as other languages write them: after the head of the job, or with a colon.
 */
#include "syntax/help/complain.h"

#include "trainc.tab.h"

enum { LOOK = 256 };                    /* maximum number of tokens to look at */

/*
 * Finds the end of the loop that begins at the error: the '{' of the body, which may begin the next line, or the ':'
 * before the framework. False if there is neither.
 */
static bool find_end(const struct fault *f, bool framework, size_t *ret_loop, size_t *ret_body)
{
	int depth = 0;

	*ret_loop = 0;
	for (size_t i = f->i + 1; i - f->i < LOOK; i++) {
		int kind = f->at[i].kind;
		bool brace = kind == TOKEN_LBRACE && !depth;
		if (kind == TOKEN_END || (f->at[i].flags & FLAG_LINE && !brace))
			return false;
		if (brace) {
			*ret_body = i;
			*ret_loop = *ret_loop ? *ret_loop : i;
			return true;
		}
		depth += kind == TOKEN_LBRACKET || kind == TOKEN_LPAREN;
		depth -= kind == TOKEN_RBRACKET || kind == TOKEN_RPAREN;
		if (kind == TOKEN_COLON && !depth && !framework && f->at[i + 1].kind == TOKEN_IDENT)
			*ret_loop = i;
	}
	return false;
}

/* Reports `job "a-${x}" for x in xs: framework {` and `job "a-${x}": framework for x in xs {`. */
static bool report_after(struct fault *f)
{
	const struct token *at = f->at;
	struct tokens *ts = &f->p->tokens;
	bool framework = false;
	size_t loop, body;

	size_t end = f->i - (f->previous == TOKEN_COLON);       /* `job "a-${x}": for x in xs {` has no framework */
	for (size_t i = f->item; i < end; i++)
		framework = framework || at[i].kind == TOKEN_COLON;
	if (!find_end(f, framework, &loop, &body))
		return false;
	struct str clause = tokens_text(ts, at[f->i].start, at[loop - 1].end),
		head = tokens_text(ts, at[f->item].start, at[end - 1].end),
		rest = tokens_text(ts, at[loop].start, loop < body ? at[body - 1].end : at[loop].start);
	struct str right = str_printf(f->p->arena, "%.*s %.*s%.*s", STR_ARG(clause), STR_ARG(head), STR_ARG(rest));
	struct diag *d = diag_report(f->p->diags, TJ0102, fault_span(f), "the loop comes before the job");

	diag_help(f->p->diags, d, "write '%.*s { ... }'", STR_ARG(right));
	diag_fix(f->p->diags, d, (struct span){ at[f->item].start, at[body - 1].end }, right, "put the loop first");
	fault_skip_block(f);
	return true;
}

/* Reports `for x in xs:` with the job on the next line. */
static bool report_colon(struct fault *f)
{
	const struct token *colon = &f->at[f->i - 1];
	struct str clause = tokens_text(&f->p->tokens, f->at[f->item].start, colon[-1].end);
	struct diag *d = diag_report(f->p->diags, TJ0102, (struct span){ colon->start, colon->end },
		"a loop of jobs has no ':'");

	diag_help(f->p->diags, d, "write '%.*s job ... { ... }'", STR_ARG(clause));
	diag_fix(f->p->diags, d, (struct span){ colon->start, colon->end }, STR(""), "remove ':'");
	fault_skip_block(f);
	return true;
}

bool complain_loop(struct fault *f)
{
	int head = f->at[f->item].kind;

	if (f->line_end || f->p->feed.depth || f->i < f->item + 2)
		return false;
	if (head == TOKEN_JOB && f->found.kind == TOKEN_FOR)
		return report_after(f);
	return head == TOKEN_FOR && f->found.kind == TOKEN_JOB && f->previous == TOKEN_COLON && report_colon(f);
}
