/* filter.c - see filter.h. */
#include "runtime/command/filter.h"

#include <strings.h>

#include "base/words.h"
#include "runtime/command/runs.h"

/* Adds the phase that WORD names, in any case; false after reporting that no phase has that name. */
static bool add_phase(struct session *s, struct str word, uint32_t *phases)
{
	struct buf all = { 0 };

	for (unsigned i = 0; i <= RUN_ABSENT; i++) {
		struct str name = str_of(run_phase_word((enum run_phase)i));
		if (word.n == name.n && strncasecmp(word.p, name.p, name.n) == 0) {
			*phases |= UINT32_C(1) << i;
			buf_release(&all);
			return true;
		}
		buf_printf(&all, "%s%.*s", i ? ", " : "", STR_ARG(name));
	}
	session_say(s, "--state: '%.*s' is not a state; the states are %.*s", STR_ARG(word),
		STR_ARG(buf_text(&all)));
	buf_release(&all);
	return false;
}

bool filter_read(struct session *s, struct run_filter *ret)
{
	*ret = (struct run_filter){ .given = option_given(s->options, OPTION_STATE) ||
		option_given(s->options, OPTION_OLDER) };
	for (size_t i = 0; i < s->options->ngiven; i++) {
		struct str rest = s->options->given[i].value;
		if (s->options->given[i].option != OPTION_STATE)
			continue;
		do {
			const char *comma = rest.n ? memchr(rest.p, ',', rest.n) : NULL;
			struct str word = { rest.p, comma ? (size_t)(comma - rest.p) : rest.n };
			if (!add_phase(s, word, &ret->phases))
				return false;
			rest = comma ? (struct str){ comma + 1, rest.n - word.n - 1 } : STR("");
		} while (rest.n);
	}
	return runs_duration(s, OPTION_OLDER, &ret->older);
}

int64_t filter_now(struct session *s, struct run_filter *f)
{
	bool known = true;
	int64_t now = s->backend->now ? s->backend->now(s, &known) : clock_real();

	if (f->older && !known && !f->said) {
		f->said = true;
		session_say(s, "the server does not say what time it is, so --older uses the clock of this machine");
	}
	return now;
}

bool filter_takes(const struct run_filter *f, const struct run_state *run, int64_t now)
{
	int64_t end = run->end ? run->end : run->since;

	if (f->phases && !(f->phases & UINT32_C(1) << run->phase))
		return false;
	return !f->older || (run_phase_final(run->phase) && end && now - end > f->older);
}
