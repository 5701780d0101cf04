/* cmd_diff.c - shows what apply would change, or what differs from an earlier launch. */
#include <unistd.h>

#include "runtime/command/diff_against.h"
#include "runtime/command/runs.h"

/* Is each operand a program? Only --against compares runs that are named. */
static bool all_programs(struct session *s)
{
	for (size_t i = 0; i < s->options->noperands; i++) {
		struct str operand = s->options->operands[i];
		if (runs_is_file(operand) || access(operand.p, F_OK) == 0)
			continue;
		session_say(s, "'diff' compares a program, and '%.*s' is not a file; 'trainc diff %.*s --against N' "
			"compares a run with an earlier launch of it", STR_ARG(operand), STR_ARG(operand));
		return false;
	}
	return true;
}

int cmd_diff(struct session *s)
{
	const struct backend *b = backend_of(s);
	bool against = option_given(s->options, OPTION_AGAINST);
	struct programs all = { 0 };
	int status = STATUS_USAGE;

	if (!b)
		return status;
	if (!b->diff && !against) {
		session_say(s, "'diff' compares a program with the objects of a cluster; a run on this machine has "
			"none; --against N compares it with an earlier launch");
		return STATUS_USAGE;
	}
	if ((!against && !all_programs(s)) || !b->begin(s, &status))
		return status;
	if (against)
		status = diff_against(s, b);
	else if (session_plan(s, false, &all, &status))
		status = b->diff(s, &all);
	else if (status == STATUS_PROGRAM)
		status = STATUS_USAGE;          /* not 1, since 1 means differences */
	session_release(&all);
	b->end(s);
	return status;
}
