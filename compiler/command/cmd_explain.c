/* cmd_explain.c - prints the offline manual: diagnostics, words of the language, the standard library. */
#include "explain/explain.h"
#include "command/session.h"

int cmd_explain(struct session *s)
{
	struct buf out = { 0 };
	struct explain e = { .arena = s->arena, .render = s->render, .reader = s->reader, .out = &out };
	int status = STATUS_DONE;

	if (!s->options->noperands) {
		explain_overview(&e);
	} else {
		e.topic = s->options->operands[0];
		for (size_t i = 1; i < s->options->noperands; i++)
			e.topic = str_cat(s->arena, e.topic, STR(" "), s->options->operands[i]);
		if (!explain_ask(&e)) {
			/* suggestions are for single words, because no page has a name of several words */
			bool words = memchr(e.topic.p, ' ', e.topic.n) != NULL;
			struct str near = words ? STR("") : suggest_sentence(&e.near);
			if (!near.n && explain_search(&e)) {
				session_write(s, buf_text(&out));
				buf_release(&out);
				return STATUS_DONE;
			}
			session_say(s, "no topic named '%.*s'; %.*s", STR_ARG(e.topic),
			            STR_ARG(near.n ? near : STR("'trainc explain' shows what can be asked")));
			status = STATUS_USAGE;
		}
	}
	session_write(s, buf_text(&out));
	buf_release(&out);
	return status;
}
