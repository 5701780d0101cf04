/* cmd_explain.c - the manual, offline: diagnostics, words of the language, the standard library. */
#include <stdlib.h>

#include "explain/explain.h"
#include "command/session.h"

void explain_next(struct explain *e)
{
	if (e->told++)
		buf_char(e->out, '\n');
}

/* False when nobody knows anything about the topic; `near` then has all that they know. */
static bool ask_all(struct explain *e)
{
	suggest_init(&e->near, e->arena, e->topic);
	bool code = explain_code(e), grammar = explain_grammar(e), word = explain_words(e);
	bool package = explain_packages(e), library = explain_library(e);
	bool schema = explain_schema(e);
	bool command = explain_command(e);

	return code || grammar || word || package || library || schema || command;
}

static int by_bytes(const void *a, const void *b) { return str_cmp(*(const struct str *)a, *(const struct str *)b); }

const struct str *explain_topics(struct arena *a, size_t *ret_n)
{
	struct buf out = { 0 };
	struct explain e = { .arena = a, .topic = STR("?"), .out = &out };
	size_t n = 0;

	ask_all(&e);
	buf_release(&out);
	qsort(e.near.all, e.near.count, sizeof *e.near.all, by_bytes);
	for (size_t i = 0; i < e.near.count; i++)
		if (!n || !str_eq(e.near.all[n - 1], e.near.all[i]))
			e.near.all[n++] = e.near.all[i];
	*ret_n = n;
	return e.near.all;
}

int cmd_explain(struct session *s)
{
	struct buf out = { 0 };
	struct explain e = { .arena = s->arena, .render = s->render, .reader = s->reader, .out = &out };
	int status = STATUS_DONE;

	if (!s->options->noperands) {
		explain_overview(&e);
	} else {
		e.topic = s->options->operands[0];
		if (!ask_all(&e)) {
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
