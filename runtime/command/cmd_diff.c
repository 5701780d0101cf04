/* cmd_diff.c - shows what apply would change. */
#include "runtime/command/runs.h"

int cmd_diff(struct session *s)
{
	const struct backend *b = backend_of(s);
	struct programs all = { 0 };
	int status = STATUS_USAGE;

	if (!b)
		return status;
	if (!b->diff) {
		session_say(s, "'diff' compares a program with the objects of a cluster; "
			"a run on this machine has none");
		return STATUS_USAGE;
	}
	if (!b->begin(s, &status))
		return status;
	if (session_plan(s, false, &all, &status))
		status = b->diff(s, &all);
	else if (status == STATUS_PROGRAM)
		status = STATUS_USAGE;          /* not 1, since 1 means that there are differences */
	session_release(&all);
	b->end(s);
	return status;
}
