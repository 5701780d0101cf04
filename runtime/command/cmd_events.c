/* cmd_events.c - shows what a cluster has reported about a run. */
#include "runtime/command/contexts.h"
#include "runtime/command/runs.h"

/* Does the backend have Events? If not, says what else tells about a run there. */
static bool has_events(struct session *s, const struct backend *b)
{
	if (b->events)
		return true;
	session_say(s, "runs %s have no events; 'trainc status --local RUN -o html' draws what each replica did, "
		"'trainc why --local RUN' explains a failure", b->place);
	return false;
}

int cmd_events(struct session *s)
{
	struct attend a;
	int status;

	if (contexts_run(s, cmd_events, &status))
		return status;
	const struct backend *b = backend_begin(s, &a, &status);
	if (!b)
		return status;
	if (!has_events(s, b))
		return backend_end(s, &a, STATUS_USAGE);
	if (runs_watch_one(s, b, &a, &status))
		status = b->events(s, &a.runs[0], option_given(s->options, OPTION_FOLLOW));
	return backend_end(s, &a, status);
}
