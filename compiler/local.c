#include "local.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/path.h"
#include "base/quantity.h"

extern char **environ;

/* NAME=VALUE, neither of them empty. */
static bool split(struct str text, struct str *name, struct str *value)
{
	const char *equals = memchr(text.p, '=', text.n);

	if (!equals)
		return false;
	*name = (struct str){ text.p, (size_t)(equals - text.p) };
	*value = (struct str){ equals + 1, text.n - name->n - 1 };
	return name->n && value->n;
}

static bool add_mapping(struct session *s, struct engine_options *o, struct engine_mapping **at, struct str text)
{
	struct engine_mapping m;

	if (!split(text, &m.name, &m.dir)) {
		session_say(s, "--mount needs NAME=DIR, found '%.*s'", STR_ARG(text));
		return false;
	}
	ARENA_PUSH(s->arena, *at, o->nmappings, m);
	return true;
}

static bool add_start(struct session *s, struct engine_options *o, struct engine_start **at, struct str text)
{
	struct engine_start start;
	struct str number;
	char *end = NULL;

	if (split(text, &start.role, &number) && number.n < 10 && number.p[0] >= '0' && number.p[0] <= '9') {
		start.n = strtoll(number.p, &end, 10);
		if (!*end) {
			ARENA_PUSH(s->arena, *at, o->nstarts, start);
			return true;
		}
	}
	session_say(s, "--replicas needs ROLE=N, found '%.*s'", STR_ARG(text));
	return false;
}

static bool read_backoff(struct session *s, struct engine_options *o)
{
	struct str text = option_value(s->options, OPTION_BACKOFF);
	struct quantity q;

	if (!text.p)
		return true;
	if (duration_parse(text, &q) == QUANTITY_OK && q.nano > 0) {
		o->backoff = (int64_t)q.nano;
		return true;
	}
	session_say(s, "--backoff needs a time such as 500ms, 30s or 2min, found '%.*s'", STR_ARG(text));
	return false;
}

static bool read_lists(struct session *s, struct engine_options *o)
{
	struct engine_mapping *mappings = NULL;
	struct engine_start *starts = NULL;

	for (size_t i = 0; i < s->options->ngiven; i++) {
		const struct given *g = &s->options->given[i];
		if (g->option == OPTION_MOUNT && !add_mapping(s, o, &mappings, g->value))
			return false;
		if (g->option == OPTION_REPLICAS && !add_start(s, o, &starts, g->value))
			return false;
	}
	o->mappings = mappings;
	o->starts = starts;
	return true;
}

bool local_options(struct session *s, struct engine_options *ret)
{
	struct str isolate = option_value(s->options, OPTION_ISOLATE), root = option_value(s->options, OPTION_IMAGE_ROOT);
	char directory[4096];

	*ret = (struct engine_options){ .isolate = ISOLATE_NONE, .caller_env = environ };
	if (!option_given(s->options, OPTION_LOCAL)) {
		session_say(s, "this version has no runtime for clusters; --local runs the program on this machine");
		return false;
	}
	if (!getcwd(directory, sizeof directory)) {
		session_say(s, "the working directory is gone; change to another one");
		return false;
	}
	ret->directory = str_copy(s->arena, str_of(directory));
	if (str_is(isolate, "job"))
		ret->isolate = ISOLATE_JOB;
	else if (str_is(isolate, "replica"))
		ret->isolate = ISOLATE_REPLICA;
	if (root.n)
		ret->image_root = path_join(s->arena, ret->directory, root);
	ret->inherit_env = option_given(s->options, OPTION_INHERIT_ENV);
	ret->no_devices = option_given(s->options, OPTION_NO_DEVICES);
	return read_backoff(s, ret) && read_lists(s, ret);
}

/* "'a', 'b'" */
static struct str job_names(struct session *s, const struct plan *plan)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < plan->njobs; i++)
		buf_printf(&b, "%s'%.*s'", i ? ", " : "", STR_ARG(plan->jobs[i].name));
	struct str names = buf_take(&b, s->arena);
	buf_release(&b);
	return names;
}

bool local_job(struct session *s, struct programs *all, const struct plan_job **ret, int *ret_status)
{
	if (!session_plan(s, false, all, ret_status))
		return false;
	const struct plan *plan = &all->at[0]->plan;
	*ret_status = STATUS_USAGE;
	if (plan->njobs == 0)
		session_say(s, "'%.*s' has no job to run", STR_ARG(s->options->operands[0]));
	else if (plan->njobs > 1)
		session_say(s, "'%.*s' has %zu jobs: choose one with --job; they are %.*s", STR_ARG(s->options->operands[0]), plan->njobs,
			STR_ARG(job_names(s, plan)));
	else {
		*ret = &plan->jobs[0];
		return true;
	}
	return false;
}
