/* print.c - a status as cli.md section 3 has it, and as a table. */
#include "runtime/status/status.h"

static void pair(struct buf *out, const char *before, const char *key, struct str value)
{
	buf_printf(out, "%s\"%s\": ", before, key);
	buf_json(out, value);
}

static void conditions(const struct status *s, struct buf *out)
{
	buf_z(out, ",\n      \"conditions\": [");
	for (size_t i = 0; i < s->nconditions; i++)
		buf_printf(out, "%s\n        { \"type\": \"%s\", \"status\": \"True\", \"reason\": \"%s\" }", i ? "," : "", s->conditions[i],
			s->conditions[i]);
	buf_z(out, "\n      ]");
}

static void roles(const struct status *s, struct buf *out)
{
	buf_z(out, ",\n      \"roles\": [");
	for (size_t i = 0; i < s->job->nroles; i++) {
		const struct status_role *r = &s->roles[i];
		buf_printf(out, "%s\n        { ", i ? "," : "");
		pair(out, "", "role", r->role->name);
		buf_printf(out, ", \"desired\": %lld, \"active\": %lld, \"ready\": %lld, \"succeeded\": %lld, \"failed\": %lld, \"restarts\": %lld, ",
			(long long)r->desired, (long long)r->active, (long long)r->ready, (long long)r->succeeded, (long long)r->failed,
			(long long)r->restarts);
		pair(out, "", "cause", r->cause);
		buf_z(out, " }");
	}
	buf_z(out, s->job->nroles ? "\n      ]" : "]");
}

static void failure(const struct status_failure *f, struct buf *out)
{
	size_t lines = 0;

	buf_z(out, ",\n      \"first_failure\": { ");
	pair(out, "", "role", f->role->name);
	buf_printf(out, ", \"index\": %lld, \"exit_code\": %d, ", (long long)f->index, f->exit_code);
	if (f->signal)
		buf_printf(out, "\"signal\": \"%s\", ", sigabbrev_np(f->signal) ? sigabbrev_np(f->signal) : "");
	pair(out, "", "reason", f->reason);
	buf_z(out, ", \"log\": [");
	for (size_t at = 0; at < f->log.n; lines++) {
		const char *end = memchr(f->log.p + at, '\n', f->log.n - at);
		struct str line = { f->log.p + at, end ? (size_t)(end - f->log.p) - at : f->log.n - at };
		buf_z(out, lines ? ", " : "");
		buf_json(out, line);
		at += line.n + 1;
	}
	buf_z(out, "] }");
}

void status_json(const struct status *s, struct buf *out)
{
	pair(out, "      ", "name", s->job->name);
	pair(out, ",\n      ", "namespace", plan_namespace(s->job));
	pair(out, ",\n      ", "state", str_of(cluster_state_word(s->state)));
	pair(out, ",\n      ", "cause", s->cause);
	conditions(s, out);
	roles(s, out);
	if (s->failure.known)
		failure(&s->failure, out);
	buf_char(out, '\n');
}

void status_table(struct arena *a, const struct status *s, struct buf *out)
{
	buf_printf(out, "%.*s  %s%s%.*s\n", STR_ARG(s->job->name), cluster_state_word(s->state), s->cause.n ? ": " : "", STR_ARG(s->cause));
	for (size_t i = 0; i < s->job->nroles; i++) {
		const struct status_role *r = &s->roles[i];
		if (!r->desired)
			continue;
		struct str counts = str_printf(a, "%lld/%lld ready, %lld succeeded, %lld failed, %lld restarts", (long long)r->ready,
			(long long)r->desired, (long long)r->succeeded, (long long)r->failed, (long long)r->restarts);
		buf_printf(out, "  %-12.*s %.*s%s%.*s\n", STR_ARG(r->role->name), STR_ARG(counts), r->cause.n ? "; " : "", STR_ARG(r->cause));
	}
	if (s->failure.known)
		buf_printf(out, "  first failure: %.*s %lld, %.*s\n", STR_ARG(s->failure.role->name), (long long)s->failure.index,
			STR_ARG(s->failure.reason));
}
