/* cmd_why.c - `trainc why`: runs of a cluster or of this machine, or saved objects with --from. */
#include "base/words.h"
#include "runtime/command/contexts.h"
#include "runtime/command/runs.h"
#include "runtime/command/status_from.h"
#include "runtime/command/why.h"

static void explain(struct session *s, const struct attend *a)
{
	struct buf out = { 0 };

	for (size_t i = 0; i < a->n; i++)
		why_explain(s, s->backend->option, &a->runs[i].state, clock_real(), &out);
	why_print(s, buf_text(&out));
	buf_release(&out);
}

/* Returns 0 after an answer, and 8 if the run does not exist. */
int cmd_why(struct session *s)
{
	const struct backend *b;
	struct chosen chosen;
	struct attend a;
	int status = STATUS_USAGE;

	if (option_given(s->options, OPTION_FROM))
		return status_from(s);
	if (option_given(s->options, OPTION_NOW)) {
		session_say(s, "'--now' is for saved objects; add --from FILE");
		return STATUS_USAGE;
	}
	if (contexts_run(s, cmd_why, &status) || !(b = backend_begin(s, &a, &status)))
		return status;
	if (runs_choose(s, b, s->options->noperands, &chosen, &status)) {
		runs_watch(s, &chosen, &a, &status);
		if (!runs_unknown(&a))
			explain(s, &a);
		status = status == STATUS_USAGE ? STATUS_FAILED : status;
	}
	return backend_end(s, &a, status);
}
