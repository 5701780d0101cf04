/* cmd_port_forward.c - forwards a port of this machine to a port of a replica, as long as the command runs. */
#include "runtime/command/runs.h"

int cmd_port_forward(struct session *s)
{
	const struct backend *b = backend_of(s);
	struct chosen chosen;
	struct attend a;
	int status = STATUS_USAGE;

	if (b && !b->forward) {
		session_say(s,
			"port-forward works on local runs (--local); in a cluster, 'kubectl port-forward POD "
			"HOSTPORT:PORT' does it");
		return STATUS_USAGE;
	}
	if (!b || !backend_begin(s, &a, &status))
		return status;
	if (runs_choose(s, b, 1, &chosen, &status) && runs_watch(s, &chosen, &a, &status)) {
		status = STATUS_USAGE;
		if (a.n != 1)
			session_say(s, "the program has %zu jobs; choose one with --job", a.n);
		else
			status = b->forward(s, &a.runs[0], s->options->operands[1]);
	}
	return backend_end(s, &a, status);
}
