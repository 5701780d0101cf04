/* cmd_sync.c - gives running replicas of a run the code as it is now: once, or after each change. */
#include "runtime/command/sync_watch.h"

#include "runtime/command/sync_once.h"

int cmd_sync(struct session *s)
{
	struct attend a;
	int status;

	if (option_given(s->options, OPTION_RESTART) && option_given(s->options, OPTION_NO_RESTART)) {
		session_say(s, "--restart and --no-restart exclude each other");
		return STATUS_USAGE;
	}
	if (option_given(s->options, OPTION_WATCH))
		return sync_watch(s);
	const struct backend *b = backend_begin(s, &a, &status);
	if (!b)
		return status;
	if (runs_watch_one(s, b, &a, &status))
		status = sync_once(s, b, &a.runs[0], false);
	return backend_end(s, &a, status);
}
