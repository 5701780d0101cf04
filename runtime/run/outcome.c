/* outcome.c - writes and reads the outcome of a run: the members that are IN_OUTCOME in run_state.def. */
#include "runtime/run/outcome.h"

#include "data/data_read.h"
#include "data/data_write.h"
#include "runtime/run/run_shape.h"
#include "runtime/status/look.h"

void outcome_write(const struct run_state *s, int64_t generation, int64_t end, struct buf *out)
{
	struct run_state ended = *s;
	struct shape_out o = { .json = { .out = out, .text = data_write_text }, .use = IN_OUTCOME };

	ended.end = end;
	json_open(&o.json, '{');
	json_add_int(&o.json, "generation", generation);
	shape_write(&o, &shape_run_state, &ended);
	json_close(&o.json, '}');
}

bool outcome_read(struct arena *a, struct str text, int64_t generation, struct run_state *s)
{
	struct shape_reader in = { .arena = a, .use = IN_OUTCOME, .missing = true };
	struct source source = { .text = text, .base = 1 };
	struct data_error error;
	struct data *d;

	if (!text.n || !data_read_json(a, &source, &d, &error) || d->kind != DATA_MAP ||
	    status_number(d, "generation", 0) != generation)
		return false;
	shape_read(&in, &shape_run_state, d, 0, s);
	s->since = s->end ? s->end : s->since;
	return true;
}
