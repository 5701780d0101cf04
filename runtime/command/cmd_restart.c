/* cmd_restart.c - replicas of a run on this machine stop and start again. */
#include "runtime/command/runs.h"

struct restarting {
	struct session *session;
	const struct backend *backend;
	struct run_watch *run;
	int status;
};

/* "ROLE/N" */
static bool split(struct restarting *r, struct str text, struct str *role, struct str *number)
{
	const char *slash = memrchr(text.p, '/', text.n);
	bool digits = slash && slash > text.p && slash + 1 < text.p + text.n;

	*role = slash ? (struct str){ text.p, (size_t)(slash - text.p) } : STR("");
	*number = slash ? (struct str){ slash + 1, text.n - role->n - 1 } : STR("");
	for (size_t i = 0; i < number->n; i++)
		digits = digits && number->p[i] >= '0' && number->p[i] <= '9' && i < 9;
	if (digits)
		return true;
	session_say(r->session, "restart needs ROLE/N, such as worker/3, found '%.*s'", STR_ARG(text));
	r->status = STATUS_USAGE;
	return false;
}

static void restart(struct restarting *r, struct str text)
{
	struct session *s = r->session;
	struct str role, number;
	int status;

	if (!split(r, text, &role, &number))
		return;
	if (r->backend->restart(s, r->run, role, number, &status))
		session_write(s, str_printf(s->arena, "run/%.*s restarts %.*s\n", STR_ARG(r->run->name), STR_ARG(text)));
	else
		r->status = runs_worse(r->status, status);
}

int cmd_restart(struct session *s)
{
	const struct backend *b = backend_of(s);
	struct chosen chosen;
	struct attend a;
	int status = STATUS_USAGE;

	if (b && !b->restart) {
		session_say(s, "restart works on local runs (--local); in a cluster, delete the pod: its controller makes another one");
		return STATUS_USAGE;
	}
	if (!b || !backend_begin(s, &a, &status))
		return status;
	if (runs_choose(s, b, 1, &chosen, &status) && runs_watch(s, &chosen, &a, &status)) {
		struct restarting r = { .session = s, .backend = b, .run = a.runs };
		if (a.n != 1) {
			session_say(s, "the program has %zu jobs; choose one with --job", a.n);
			r.status = STATUS_USAGE;
		}
		for (size_t i = 1; a.n == 1 && i < s->options->noperands; i++)
			restart(&r, s->options->operands[i]);
		status = r.status;
	}
	return backend_end(s, &a, status);
}
