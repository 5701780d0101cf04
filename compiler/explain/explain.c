/* explain.c - passes a topic to every function that may be able to explain it. */
#include "explain/explain.h"

#include <stdlib.h>

/* Writes the index of the diagnostics, if that is the topic. */
static bool explain_codes(struct explain *e)
{
	if (!str_is(e->topic, "codes") && !str_is(e->topic, "diagnostics") && !str_is(e->topic, "errors") &&
	    !str_is(e->topic, "warnings"))
		return false;
	explain_next(e);
	buf_z(e->out, "codes: every diagnostic; 'trainc explain CODE' has a wrong and a right program\n\n");
	for (int i = 0; i < DIAG_CODES; i++)
		buf_printf(e->out, "  %s  %-8s %s\n", diag_code_name((enum diag_code)i),
			diag_severity((enum diag_code)i) == SEVERITY_ERROR ? "error" : "warning",
			diag_meaning((enum diag_code)i));
	return true;
}

bool explain_ask(struct explain *e)
{
	suggest_init(&e->near, e->arena, e->topic);
	if (explain_codes(e))
		return true;
	suggest_add(&e->near, STR("codes"));
	if (explain_kind_spelling(e, true))
		return explain_schema(e);
	bool code = explain_code(e), grammar = explain_grammar(e), word = explain_words(e);
	bool package = explain_packages(e), library = explain_library(e);
	bool schema = explain_schema(e);
	bool variable = explain_variable(e);
	bool command = explain_command(e);
	bool foreign = explain_foreign(e);

	if (code || grammar || word || package || library || schema || variable || command || foreign)
		return true;
	return explain_kind_spelling(e, false) && explain_schema(e);
}

static int by_word_bytes(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

const struct str *explain_topics(struct arena *a, size_t *ret_n)
{
	struct buf out = { 0 };
	struct explain e = { .arena = a, .topic = STR("?"), .out = &out };
	size_t n = 0;

	explain_ask(&e);
	buf_release(&out);
	qsort(e.near.all, e.near.count, sizeof *e.near.all, by_word_bytes);
	for (size_t i = 0; i < e.near.count; i++)
		if (!n || !str_eq(e.near.all[n - 1], e.near.all[i]))
			e.near.all[n++] = e.near.all[i];
	*ret_n = n;
	return e.near.all;
}
