/* cmd_plan.c - what would run. */
#include "plan/print.h"
#include "command/session.h"

int cmd_plan(struct session *s)
{
	struct programs all;
	int status;

	if (session_plan(s, false, &all, &status)) {
		const struct compile *c = all.at[0];
		const size_t *objects = emit_counts(s->arena, &c->plan);
		struct buf out = { 0 };

		if (str_is(option_value(s->options, OPTION_OUTPUT), "json"))
			plan_print_json(&c->plan, &c->sources, objects, &out);
		else
			plan_print_table(&c->plan, &c->sources, objects, &out);
		session_write(s, buf_text(&out));
		buf_release(&out);
	}
	session_release(&all);
	return status;
}
