/* cmd_port_forward.c - forwards ports of this machine to ports of replicas, as long as the command runs. */
#include "runtime/command/open_port.h"
#include "runtime/command/runs.h"

static int forward_ports(struct session *s, const char *command, bool open)
{
	struct attend a;
	int status;
	const struct backend *b = backend_begin(s, &a, &status);

	if (!b)
		return status;
	if (runs_watch_one(s, b, &a, &status))
		status = b->forward(s, &a.runs[0], &(struct forward_order){ .command = command,
			.texts = s->options->operands + 1, .n = s->options->noperands - 1, .open = open });
	return backend_end(s, &a, status);
}

int cmd_port_forward(struct session *s) { return forward_ports(s, "port-forward", false); }
int cmd_open(struct session *s) { return forward_ports(s, "open", true); }
