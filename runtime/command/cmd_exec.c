/* cmd_exec.c - runs a command in the environment of a replica, next to its program, or joins that program. */
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

static int execute(struct session *s, const struct backend *b, struct run_watch *w, struct str role, int64_t index)
{
	return b->exec(s, w, role, index, words_of(s));
}

static int join_replica(struct session *s, const struct backend *b, struct run_watch *w, struct str role, int64_t index)
{
	if (b->join)
		return b->join(s, w, role, index);
	session_say(s, "programs %s cannot be joined; 'trainc logs --local -f %.*s --role %.*s --rank %lld' follows "
		"what this one prints", b->place, STR_ARG(w->name), STR_ARG(role), (long long)index);
	return STATUS_USAGE;
}

typedef int in_replica_action(struct session *s, const struct backend *b, struct run_watch *w, struct str role,
	int64_t index);

/* Opens the run that the first operand names, and acts in its replica. */
static int in_replica(struct session *s, in_replica_action *act)
{
	struct attend a;
	struct str role, number;
	int status;
	const struct backend *b = backend_begin(s, &a, &status);

	if (!b)
		return status;
	if (runs_watch_one(s, b, &a, &status)) {
		status = STATUS_USAGE;
		if (runs_replica(s, s->options->operands[1], &role, &number))
			status = act(s, b, &a.runs[0], runs_role_name(&a.runs[0], role), strtoll(number.p, NULL, 10));
	}
	return backend_end(s, &a, status);
}

int cmd_attach(struct session *s) { return in_replica(s, join_replica); }
int cmd_exec(struct session *s) { return in_replica(s, execute); }
