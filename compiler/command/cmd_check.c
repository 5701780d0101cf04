/*
 * cmd_check.c - say what is wrong with programs; write no objects.
 *
 * With --fix the edits that diagnostics are certain of are made first, and what
 * is left is told.  Imported files of the project are fixed too, the standard
 * library and packages never.
 */
#include "command/fix.h"
#include "command/session.h"

static bool may_be_fixed(const struct compile *c, const struct source *source)
{
	if (source->library || str_is(source->name, "command line") || str_is(source->name, "<stdin>"))
		return false;
	for (size_t i = 0; i < c->program.n; i++)
		if (c->program.modules[i]->source == source)
			return !c->program.modules[i]->library && !c->program.modules[i]->dotted.n;
	return c->program.project.module && c->program.project.module->source == source;
}

static bool fix_program(struct session *s, struct compile *c)
{
	bool ok = true;

	for (size_t i = 0; i < c->sources.n && ok; i++) {
		const struct source *source = c->sources.at[i];
		struct buf text = { 0 };
		size_t n = may_be_fixed(c, source) ? fix_apply(&c->diags, source, &text) : 0;

		if (n) {
			ok = session_replace(s, source->name, buf_text(&text));
			if (ok)
				session_say(s, "fixed %zu in %.*s", n, STR_ARG(source->name));
		}
		buf_release(&text);
	}
	return ok;
}

/* One program after the other: what two of them share is then fixed once. */
static bool fix_all(struct session *s)
{
	bool ok = true;

	for (size_t i = 0; i < s->options->noperands && ok; i++) {
		struct compile *c = ARENA_NEW(s->arena, struct compile);
		if (!session_open(s, c))
			return false;
		compile_plan(c, s->options->operands[i]);
		diags_finish(&c->diags);
		ok = fix_program(s, c);
		compile_release(c);
	}
	return ok;
}

int cmd_check(struct session *s)
{
	struct programs all;
	int status;

	if (option_given(s->options, OPTION_FIX) && !fix_all(s))
		return STATUS_OUTPUT;
	session_plan(s, false, &all, &status);
	session_release(&all);
	return status;
}
