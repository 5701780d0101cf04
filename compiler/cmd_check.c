/* cmd_check.c - say what is wrong with programs; write no objects. */
#include "session.h"

int cmd_check(struct session *s)
{
	struct programs all;
	int status;

	session_plan(s, false, &all, &status);
	session_release(&all);
	return status;
}
