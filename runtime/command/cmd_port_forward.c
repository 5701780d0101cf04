/* cmd_port_forward.c - forwards ports of this machine to ports of replicas, as long as the command runs. */
#include "runtime/command/runs.h"

int cmd_port_forward(struct session *s)
{
	struct attend a;
	int status;
	const struct backend *b = backend_begin(s, &a, &status);

	if (!b)
		return status;
	if (runs_watch_one(s, b, &a, &status))
		status = b->forward(s, &a.runs[0], s->options->operands + 1, s->options->noperands - 1);
	return backend_end(s, &a, status);
}
