/* cmd_exec.c - runs a command in the environment of a replica, next to its program. */
#include <stdlib.h>

#include "runtime/command/runs.h"

/* The operands that follow ROLE/N, as an argument vector for execve(). */
static char *const *words_of(struct session *s)
{
	char **words = NULL;
	size_t n = 0;

	for (size_t i = 2; i < s->options->noperands; i++)
		ARENA_PUSH(s->arena, words, n, arena_copy(s->arena, s->options->operands[i].p,
			s->options->operands[i].n));
	ARENA_PUSH(s->arena, words, n, (char *)NULL);
	return words;
}

static int execute(struct session *s, const struct backend *b, struct attend *a)
{
	struct str role, number;

	if (a->n != 1) {
		session_say(s, "the program has %zu jobs; choose one with --job", a->n);
		return STATUS_USAGE;
	}
	if (!runs_replica(s, s->options->operands[1], &role, &number))
		return STATUS_USAGE;
	return b->exec(s, &a->runs[0], role, strtoll(number.p, NULL, 10), words_of(s));
}

int cmd_exec(struct session *s)
{
	struct chosen chosen;
	struct attend a;
	int status;
	const struct backend *b = backend_begin(s, &a, &status);

	if (!b)
		return status;
	if (runs_choose(s, b, 1, &chosen, &status) && runs_watch(s, &chosen, &a, &status))
		status = execute(s, b, &a);
	return backend_end(s, &a, status);
}
