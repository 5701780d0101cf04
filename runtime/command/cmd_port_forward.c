/* cmd_port_forward.c - forwards ports of this machine to ports of replicas, as long as the command runs. */
#include "runtime/command/runs.h"

int cmd_port_forward(struct session *s)
{
	struct chosen chosen;
	struct attend a;
	int status;
	const struct backend *b = backend_begin(s, &a, &status);

	if (!b)
		return status;
	if (runs_choose(s, b, 1, &chosen, &status) && runs_watch(s, &chosen, &a, &status)) {
		status = STATUS_USAGE;
		if (a.n != 1)
			session_say(s, "the program has %zu jobs; choose one with --job", a.n);
		else
			status = b->forward(s, &a.runs[0], s->options->operands + 1, s->options->noperands - 1);
	}
	return backend_end(s, &a, status);
}
