/*
 * timeline_words.c - escapes and writes the texts in a drawing or a page.
 */
#include "runtime/run/timeline_internal.h"

#include "base/words.h"
#include "runtime/run/report.h"

void timeline_text(struct buf *out, struct str s)
{
	struct buf shown = { 0 };

	put_escaped(&shown, s);
	buf_markup(out, buf_text(&shown));
	buf_release(&shown);
}

void timeline_headline(const struct run_state *s, struct buf *out)
{
	struct buf words = { 0 };

	if (s->cause.n || s->phase == RUN_SUCCEEDED)
		report_headline(s, &words);
	else
		buf_z(&words, run_phase_word(s->phase));
	timeline_text(out, buf_text(&words));
	buf_release(&words);
}
