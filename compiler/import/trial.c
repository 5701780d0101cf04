/*
 * trial.c - compiles programs that are in memory.
 */
#include "import/trial.h"

#include <stdlib.h>

static bool read_nothing(void *context, struct arena *a, struct str path, struct str *ret, struct str *why)
{
	const struct str *text = context;

	if (!text || !str_is(path, "program.tj")) {
		*why = STR("no such file");
		return false;
	}
	*ret = str_copy(a, *text);
	return true;
}

static void run_trial(struct trainc *c, const struct reader *reader, struct str target, bool parts)
{
	compile_init(c, reader);
	c->options.target = target;
	c->options.parts = parts;
	compile_plan(c, STR("program.tj"));
}

struct trainc *trial_run(struct str text, struct str target)
{
	struct trainc *c = memory_hold(NULL, sizeof *c);
	struct reader reader = { .context = &text, .read = read_nothing };

	memset(c, 0, sizeof *c);
	run_trial(c, &reader, target, true);
	if (c->diags.n) {               /* messages may list everything in a module, so modules are read whole */
		compile_release(c);
		run_trial(c, &reader, target, false);
	}
	c->program.reader = NULL;
	return c;
}

void trial_release(struct trainc *c)
{
	compile_release(c);
	memory_drop(c);
}
