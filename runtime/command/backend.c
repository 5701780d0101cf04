/*
 * backend.c - selects the backend for a command line, and contains the common start and end of the commands about runs.
 */
#include "runtime/command/backend.h"

#include "runtime/command/contexts.h"
#include "runtime/command/runs.h"

/* Is one of the operands the name of a run on this machine? */
static bool has_local_run(struct session *s)
{
	int status;

	if (!s->options->noperands || !backend_local.begin(s, &status))
		return false;
	bool any = false;
	for (size_t i = 0; i < s->options->noperands && !any; i++)
		any = backend_local.exists(s, s->options->operands[i]);
	backend_local.end(s);
	return any;
}

/* The backend that the options select; NULL after reporting why no backend can be used. */
static const struct backend *find_backend(struct session *s)
{
	const char *command = command_word(s->options->command);

	if (option_given(s->options, OPTION_LOCAL))
		return &backend_local;
	if (s->cluster)
		return s->cluster;
	if (has_local_run(s))
		session_say(s, "'%.*s' runs on this machine; add --local: trainc %s --local %.*s",
			STR_ARG(s->options->operands[0]), command,
		            STR_ARG(s->options->operands[0]));
	else
		session_say(s,
			"this version has no runtime for clusters; trainc %s --local is about runs on this machine",
			command);
	return NULL;
}

const struct backend *backend_of(struct session *s)
{
	s->backend = find_backend(s);
	if (s->backend && s->backend != &backend_local && str_is(option_value(s->options, OPTION_CODE), "live")) {
		session_say(s, "--code=live is for local runs (--local): pods cannot see a directory of this machine; "
			"'trainc sync' gives them new code");
		return NULL;
	}
	if (!s->backend || s->backend == &backend_local || !contexts_several(s))
		return s->backend;
	session_say(s, "%s takes one context; 'list', 'status', 'why', 'logs', 'events' and 'fit' "
		"show several",
		command_word(s->options->command));
	return NULL;
}

const struct backend *backend_begin(struct session *s, struct attend *a, int *ret_status)
{
	const struct backend *b = backend_of(s);

	*ret_status = STATUS_USAGE;
	return b && runs_attend_init(s, a) && b->begin(s, ret_status) ? b : NULL;
}

int backend_end(struct session *s, struct attend *a, int status)
{
	attend_release(a);
	s->backend->end(s);
	return status;
}
