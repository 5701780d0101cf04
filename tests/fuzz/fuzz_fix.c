/*
 * fuzz_fix.c - runs check --fix on any text.
 *
 * What must hold: nothing crashes, only the program itself is rewritten, and a text
 * that could be read can still be read.
 */
#include <stdio.h>
#include <stdlib.h>

#include "command/mend.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

struct program_text {
	struct str at;                  /* text of job.tj */
	struct arena *arena;
	bool changed;
};

static void require(bool holds, const char *what, struct str before, struct str after)
{
	if (holds)
		return;
	fprintf(stderr, "%s\n--- before\n%.*s\n--- after\n%.*s\n", what, STR_ARG(before), STR_ARG(after));
	abort();
}

static bool read_text(void *context, struct arena *arena, struct str path, struct str *ret, struct str *why)
{
	const struct program_text *t = context;

	if (!str_is(path, "job.tj")) {
		*why = STR("no such file");
		return false;
	}
	*ret = str_copy(arena, t->at);
	return true;
}

static bool exists(void *context, struct str path)
{
	(void)context;
	return str_is(path, "job.tj");
}

static void replace(void *to, struct str name, struct str text)
{
	struct program_text *t = to;

	require(str_is(name, "job.tj"), "another file", name, text);
	t->at = str_copy(t->arena, text);
	t->changed = true;
}

/* Returns the number of syntax errors, which hide all other errors. */
static size_t unreadable(const struct reader *reader)
{
	struct trainc *t = trainc_open_reader(reader);
	struct trainc_diagnostic d;
	size_t ret = 0;

	trainc_compile(t, "job.tj");
	for (size_t i = 0; trainc_diagnostic(t, i, &d); i++)
		ret += d.error && strcmp(d.code, "TJ02") < 0;
	trainc_close(t);
	return ret;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct arena a = { 0 };
	struct program_text t = { .at = { (const char *)bytes, n }, .arena = &a };
	struct reader reader = { .context = &t, .read = read_text, .exists = exists };
	struct options options = { .command = COMMAND_CHECK };
	struct session s = { .arena = &a, .options = &options, .reader = &reader };
	struct str before = t.at;
	bool readable = !unreadable(&reader);

	mend_texts(&s, STR("job.tj"), replace, &t);
	if (t.changed)
		require(!readable || !unreadable(&reader), "it cannot be read any more", before, t.at);
	arena_release(&a);
	return 0;
}
