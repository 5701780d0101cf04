/* cmd_env.c - the finished environment of every replica. */
#include <stdlib.h>

#include "plan/print.h"
#include "command/session.h"

static bool read_selection(struct session *s, struct env_selection *ret)
{
	struct str index = option_value(s->options, OPTION_INDEX);
	char *end;

	*ret = (struct env_selection){ option_value(s->options, OPTION_ROLE), -1 };
	if (!index.p)
		return true;
	ret->index = strtoll(index.p, &end, 10);
	if (index.n && index.n < 10 && !*end && ret->index >= 0)
		return true;
	session_say(s, "--index is the number of a replica, from 0; found '%.*s'", STR_ARG(index));
	return false;
}

static enum env_form form(struct str word)
{
	return str_is(word, "json") ? ENV_JSON : str_is(word, "shell") ? ENV_SHELL : str_is(word, "dotenv") ? ENV_DOTENV : ENV_TABLE;
}

int cmd_env(struct session *s)
{
	struct env_selection which;
	struct programs all;
	int status;

	if (!read_selection(s, &which))
		return STATUS_USAGE;
	if (session_plan(s, false, &all, &status)) {
		struct buf out = { 0 };
		struct str why;

		if (env_print(s->arena, &all.at[0]->plan, which, form(option_value(s->options, OPTION_OUTPUT)), &out, &why)) {
			session_write(s, buf_text(&out));
		} else {
			session_say(s, "%.*s", STR_ARG(why));
			status = STATUS_USAGE;
		}
		buf_release(&out);
	}
	session_release(&all);
	return status;
}
