/* outcome.c - writes and reads the outcome of a run. */
#include "runtime/run/outcome.h"

#include "base/words.h"
#include "data/data_read.h"
#include "data/data_write.h"
#include "runtime/status/look.h"

static void put_instant(struct buf *out, const char *key, int64_t time)
{
	if (!time)
		return;
	buf_printf(out, ",\"%s\":\"", key);
	put_time(out, time, 0);
	buf_char(out, '"');
}

void outcome_write(const struct run_state *s, int64_t generation, int64_t end, struct buf *out)
{
	const struct run_failure *f = &s->failure;

	buf_printf(out, "{\"generation\":%lld", (long long)generation);
	put_instant(out, "begin", s->begin);
	put_instant(out, "end", end);
	if (s->cause.n) {
		buf_z(out, ",\"cause\":");
		data_write_text(out, s->cause);
	}
	if (f->known) {
		buf_z(out, ",\"first_failure\":{\"role\":");
		data_write_text(out, f->role);
		buf_printf(out, ",\"index\":%lld,\"exit_code\":%d,\"signal\":%d,\"reason\":", (long long)f->index,
			f->exit_code, f->signal);
		data_write_text(out, f->reason);
		put_instant(out, "time", f->time);
		buf_char(out, '}');
	}
	buf_char(out, '}');
}

bool outcome_read(struct arena *a, struct str text, int64_t generation, struct run_state *s)
{
	struct source source = { .text = text, .base = 1 };
	struct data_error error;
	struct data *d;

	if (!text.n || !data_read_json(a, &source, &d, &error) || d->kind != DATA_MAP ||
	    status_number(d, "generation", 0) != generation)
		return false;
	const struct data *f = data_get(d, STR("first_failure"));
	s->cause = s->cause.n ? s->cause : status_text(d, "cause");
	s->begin = s->begin ? s->begin : status_time(d, "begin");
	s->end = s->end ? s->end : status_time(d, "end");
	s->since = s->end ? s->end : s->since;
	if (f && !s->failure.known)
		s->failure = (struct run_failure){ .known = true, .role = status_text(f, "role"),
			.index = status_number(f, "index", 0), .exit_code = (int)status_number(f, "exit_code", -1),
			.signal = (int)status_number(f, "signal", 0), .reason = status_text(f, "reason"),
			.time = status_time(f, "time") };
	return true;
}
