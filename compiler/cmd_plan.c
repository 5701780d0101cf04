/* cmd_plan.c - what would run. */
#include "plan/print.h"
#include "session.h"

int cmd_plan(struct session *s)
{
	struct programs all;
	int status;

	if (session_plan(s, false, &all, &status)) {
		struct buf out = { 0 };

		if (str_is(option_value(s->options, OPTION_OUTPUT), "json"))
			plan_print_json(&all.at[0]->plan, &out);
		else
			plan_print_table(&all.at[0]->plan, &out);
		session_write(s, buf_text(&out));
		buf_release(&out);
	}
	session_release(&all);
	return status;
}
