/* why.c - one screen that says why a run is not running or why it failed, with the evidence and the next step. */
#include "runtime/command/why.h"

#include <unistd.h>

#include "base/words.h"
#include "runtime/command/advice.h"
#include "runtime/command/runs.h"

static void explain_text(const struct run_state *run, const struct answers *all, int64_t now, struct buf *out)
{
	const struct run_state *runs[] = { run };
	struct report r = { .runs = runs, .n = 1, .now = now, .width = session_width(STDOUT_FILENO) };

	size_t before = out->n;
	report_details(&r, run, out);
	if (out->n == before) {
		buf_printf(out, "%.*s: %s%s", STR_ARG(run->name), run_phase_word(run->phase), run->cause.n ? ": " : "");
		put_escaped(out, run->cause);
		buf_char(out, '\n');
	}
	for (size_t i = 0; i < all->n; i++)
		buf_printf(out, "%s%s\n", i ? "            " : "what to do: ", all->at[i]);
	if (run->phase == RUN_RUNNING && !run->cause.n && !report_copies_wait(run))
		buf_z(out, "nothing holds it back: all expected replicas are ready\n");
}

/* With a CONTEXT, the document is a line for the process that prints those of all contexts. */
static void explain_json(const struct run_state *run, const struct answers *all, struct str context, struct buf *out)
{
	buf_z(out, context.n ? "{\"context\":" : "{\"schemaVersion\":1");
	if (context.n)
		buf_json(out, context);
	buf_z(out, ",\"run\":{");
	report_json_run(run, out);
	buf_z(out, "},\"advice\":[");
	for (size_t i = 0; i < all->n; i++) {
		buf_z(out, i ? "," : "");
		buf_json(out, str_of(all->at[i]));
	}
	buf_z(out, "]}\n");
}

void why_explain(struct session *s, const char *where, const struct run_state *run, int64_t now, struct buf *out)
{
	struct answers all = advice_find(s, where, run);

	if (str_is(option_value(s->options, OPTION_OUTPUT), "json"))
		explain_json(run, &all, s->context, out);
	else
		explain_text(run, &all, now, out);
}

void why_print(struct session *s, struct str text)
{
	(str_is(option_value(s->options, OPTION_OUTPUT), "json") ? session_write : session_print)(s, text);
}
