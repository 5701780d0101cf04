/* cmd_plan.c - prints what would run, as a table, as JSON or as a drawing. */
#include "command/session.h"

int cmd_plan(struct session *s)
{
	struct str form = option_value(s->options, OPTION_OUTPUT);
	struct programs all;
	int status;

	if (session_plan(s, false, &all, &status))
		trainc_plan(all.at[0], str_is(form, "svg") ? TRAINC_SVG : str_is(form, "json") ? TRAINC_JSON :
			TRAINC_TEXT, session_output(s));
	session_release(&all);
	return status;
}
