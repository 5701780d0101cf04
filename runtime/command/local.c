/*
 * local.c - turns options of the command line into settings of the engine.
 */
#include "runtime/command/local.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/path.h"
#include "base/quantity.h"
#include "runtime/command/runs.h"
#include "runtime/local/run_dir.h"

extern char **environ;

/* Splits "NAME=VALUE"; false if either part is empty. */
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

bool local_published(struct session *s, const char *who, struct str text, struct published_port *ret)
{
	if (publish_parse(text, ret))
		return true;
	session_say(s, "%s needs [HOSTPORT:]ROLE/N:PORT, such as 6006:worker/0:http or worker/0:8080, found '%.*s'",
		who, STR_ARG(text));
	return false;
}

/* Adds the variable "NAME=VALUE"; the value may be empty. */
static bool add_env(struct session *s, struct engine_options *o, struct str **at, struct str text)
{
	const char *equals = memchr(text.p, '=', text.n);

	if (!equals || equals == text.p) {
		session_say(s, "--env needs NAME=VALUE, found '%.*s'", STR_ARG(text));
		return false;
	}
	ARENA_PUSH(s->arena, *at, o->nenv, text);
	return true;
}

static bool add_published(struct session *s, struct engine_options *o, struct published_port **at, struct str text)
{
	struct published_port p;

	if (!local_published(s, "--publish", text, &p))
		return false;
	ARENA_PUSH(s->arena, *at, o->npublished, p);
	return true;
}

static bool read_lists(struct session *s, struct engine_options *o)
{
	struct engine_mapping *mappings = NULL;
	struct engine_start *starts = NULL;
	struct published_port *published = NULL;
	struct str *env = NULL;

	for (size_t i = 0; i < s->options->ngiven; i++) {
		const struct given *g = &s->options->given[i];
		if (g->option == OPTION_MOUNT && !add_mapping(s, o, &mappings, g->value))
			return false;
		if (g->option == OPTION_ENV && !add_env(s, o, &env, g->value))
			return false;
		if (g->option == OPTION_PUBLISH && !add_published(s, o, &published, g->value))
			return false;
		if (g->option == OPTION_REPLICAS && !add_start(s, o, &starts, g->value))
			return false;
	}
	o->mappings = mappings;
	o->starts = starts;
	o->env = env;
	o->published = published;
	return true;
}

/*
 * Reads --log-limit. The default is larger than any reader's lag, so `run` misses no line, but it keeps a program from
 * filling the disk. It is larger than the kubelet's 50Mi because in a cluster a collector often stores the log as well,
 * while here the file is the only copy.
 */
static bool read_log_limit(struct session *s, struct engine_options *o)
{
	const int64_t usual = INT64_C(1) << 30, least = 64 << 10;
	struct str text = option_value(s->options, OPTION_LOG_LIMIT);
	struct quantity q;

	o->log_limit = (uint64_t)usual;
	if (!text.p)
		return true;
	if (quantity_parse(text, &q) != QUANTITY_OK || q.nano % QUANTITY_UNIT) {
		session_say(s, "--log-limit needs a size such as 200Mi or 1Gi, or 0 for no limit, found '%.*s'",
			STR_ARG(text));
		return false;
	}
	int64_t bytes = (int64_t)(q.nano / QUANTITY_UNIT);
	if (bytes && bytes < least) {
		session_say(s, "--log-limit %.*s is too little: at least 64Ki of each log are kept", STR_ARG(text));
		return false;
	}
	o->log_limit = (uint64_t)bytes;
	return true;
}

bool local_options(struct session *s, struct engine_options *ret)
{
	struct str isolate = option_value(s->options, OPTION_ISOLATE),
		root = option_value(s->options, OPTION_IMAGE_ROOT);
	char directory[4096];

	*ret = (struct engine_options){ .isolate = ISOLATE_NONE, .caller_env = environ };
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
	ret->pin = option_given(s->options, OPTION_PIN);
	ret->no_devices = option_given(s->options, OPTION_NO_DEVICES);
	return runs_duration(s, OPTION_BACKOFF, &ret->backoff) && read_log_limit(s, ret) && read_lists(s, ret);
}

/* Prints each sentence of TEXT on a separate line, as a message of trainc. */
void local_say_lines(struct session *s, struct str text)
{
	while (text.n) {
		const char *newline = memchr(text.p, '\n', text.n);
		size_t n = newline ? (size_t)(newline - text.p) : text.n;

		if (n)
			session_say(s, "%.*s", (int)n, text.p);
		text = (struct str){ text.p + n + (newline != NULL), text.n - n - (newline != NULL) };
	}
}

bool local_start(struct session *s, const struct keeper_start *start, struct keeper *ret, int *ret_status)
{
	struct str why, name = start->name;

	if (keeper_start(s->arena, start, ret, &why, ret_status)) {
		local_say_lines(s, ret->notes);
		return true;
	}
	s->taken = *ret_status == STATUS_CONFLICT && s->number;
	if (s->taken)
		return false;
	local_say_lines(s, why);
	if (*ret_status == STATUS_CONFLICT)
		session_say(s,
			"'trainc status --local %.*s' shows it, 'trainc delete --local %.*s' ends and removes it",
			STR_ARG(name), STR_ARG(name));
	return false;
}

struct str local_state_dir(const struct session *s) { return *(const struct str *)s->backend_own; }
