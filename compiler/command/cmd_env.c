/*
 * cmd_env.c - prints the environment of replicas.
 */
#include "command/session.h"

static enum trainc_form form(struct str word)
{
	return str_is(word, "json") ? TRAINC_JSON : str_is(word, "shell") ? TRAINC_SHELL :
		str_is(word, "fish") ? TRAINC_FISH :
		str_is(word, "dotenv") ? TRAINC_DOTENV : TRAINC_TEXT;
}

int cmd_env(struct session *s)
{
	struct programs all;
	long long index;
	const char *why;
	int status;

	if (option_given(s->options, OPTION_LOCAL))
		return cmd_env_local(s);
	if (!session_index(s, &index))
		return STATUS_USAGE;
	if (session_plan(s, false, &all, &status) &&
	    !trainc_env(all.at[0], option_value(s->options, OPTION_ROLE).p, index,
	                form(option_value(s->options, OPTION_OUTPUT)), session_output(s), &why) && *why) {
		session_say(s, "%s", why);
		status = STATUS_USAGE;
	}
	session_release(&all);
	return status;
}
