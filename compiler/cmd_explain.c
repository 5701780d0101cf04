/* cmd_explain.c - the manual, offline: diagnostics, words of the language, the standard library. */
#include "explain.h"
#include "session.h"

void explain_next(struct explain *e)
{
	if (e->told++)
		buf_char(e->out, '\n');
}

int cmd_explain(struct session *s)
{
	struct buf out = { 0 };
	struct explain e = { .arena = s->arena, .render = s->render, .out = &out };
	int status = STATUS_DONE;

	if (!s->options->noperands) {
		explain_overview(&e);
	} else {
		e.topic = s->options->operands[0];
		suggest_init(&e.near, s->arena, e.topic);
		bool code = explain_code(&e), grammar = explain_grammar(&e), word = explain_words(&e), library = explain_library(&e), schema = explain_schema(&e);
		if (!code && !grammar && !word && !library && !schema) {
			struct str near = suggest_sentence(&e.near);
			session_say(s, "there is nothing to explain about '%.*s'; %.*s", STR_ARG(e.topic),
			            STR_ARG(near.n ? near : STR("'trainc explain' shows what can be asked")));
			status = STATUS_USAGE;
		}
	}
	session_write(s, buf_text(&out));
	buf_release(&out);
	return status;
}
