/* cmd_restart.c - stops replicas of a run and starts them again. */
#include "runtime/command/runs.h"

struct restarting {
	struct session *session;
	const struct backend *backend;
	struct run_watch *run;
	int status;
};

static void restart(struct restarting *r, struct str text)
{
	struct session *s = r->session;
	struct str role, number;
	int status;

	if (!runs_replica(s, text, &role, &number)) {
		r->status = STATUS_USAGE;
		return;
	}
	if (r->backend->restart(s, r->run, runs_role_name(r->run, role), number, &status))
		session_print(s, str_printf(s->arena, "run/%.*s restarts %.*s\n", STR_ARG(r->run->name),
			STR_ARG(text)));
	else
		r->status = runs_worse(r->status, status);
}

int cmd_restart(struct session *s)
{
	struct attend a;
	int status;
	const struct backend *b = backend_begin(s, &a, &status);

	if (!b)
		return status;
	if (runs_watch_one(s, b, &a, &status)) {
		struct restarting r = { .session = s, .backend = b, .run = a.runs };
		for (size_t i = 1; i < s->options->noperands; i++)
			restart(&r, s->options->operands[i]);
		status = r.status;
	}
	return backend_end(s, &a, status);
}
