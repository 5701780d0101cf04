/*
 * report_json.c - writes `status -o json` and the conditions in it. The conditions follow the rules of the operators:
 * Created comes first, Running and Restarting replace each other, and Running stays with status False when the run is
 * over.
 */
#include <signal.h>

#include "runtime/run/report.h"
#include "base/system.h"
#include "base/words.h"

struct conditions run_conditions(const struct run_state *s)
{
	struct conditions c = { .n = 1, .at = { { "Created", true, s->begin } } };
	bool succeeded = s->phase == RUN_SUCCEEDED || s->phase == RUN_COMPLETING,
		failed = s->phase == RUN_FAILED || s->phase == RUN_FAILING;
	bool suspended = s->phase == RUN_SUSPENDED || s->phase == RUN_QUEUED;

	if (s->phase == RUN_ABSENT)
		return (struct conditions){ 0 };
	if (suspended)
		c.at[c.n++] = (struct condition){ "Suspended", true, s->since };
	if (suspended || succeeded || failed || s->phase == RUN_UNKNOWN || s->phase == RUN_TERMINATING) {
		if (s->ran)
			c.at[c.n++] = (struct condition){ "Running", false, s->since };
	} else if (s->restarting) {
		c.at[c.n++] = (struct condition){ "Restarting", true, s->restarted ? s->restarted : s->since };
	} else if (s->running) {
		c.at[c.n++] = (struct condition){ "Running", true, s->ran ? s->ran : s->since };
	}
	if (succeeded || failed)
		c.at[c.n++] = (struct condition){ succeeded ? "Succeeded" : "Failed", true,
			s->end ? s->end : s->since };
	return c;
}

/* ---- one document, or one line ---- */

struct json {
	struct buf *out;
	bool lines;                     /* the output is indented, one member per line */
	bool replicas;                  /* each replica is listed */
};

/* Ends the line in the indented form; INDENT is the indentation of the next line. */
static void line(const struct json *j, int indent)
{
	if (j->lines)
		buf_printf(j->out, "\n%*s", indent, "");
	else
		buf_z(j->out, " ");
}

static void text(const struct json *j, const char *name, struct str value, const char *after)
{
	buf_printf(j->out, "\"%s\": ", name);
	buf_json(j->out, value);
	buf_z(j->out, after);
}

static void put_conditions(const struct json *j, const struct run_state *s)
{
	struct conditions c = run_conditions(s);

	buf_z(j->out, "\"conditions\": [");
	for (size_t i = 0; i < c.n; i++) {
		line(j, 8);
		buf_printf(j->out, "{ \"type\": \"%s\", \"status\": \"%s\", \"reason\": \"Run%s\"", c.at[i].type,
		           c.at[i].holds ? "True" : "False", c.at[i].type);
		if (c.at[i].since) {            /* objects do not always contain the time */
			buf_z(j->out, ", \"since\": \"");
			put_time(j->out, c.at[i].since, 0);
			buf_char(j->out, '"');
		}
		buf_z(j->out, i + 1 < c.n ? " }," : " }");
	}
	line(j, 6);
	buf_z(j->out, "],");
}

static void put_roles(const struct json *j, const struct run_state *s)
{
	struct arena a = { 0 };

	buf_z(j->out, "\"roles\": [");
	for (size_t i = 0; i < s->nroles; i++) {
		const struct run_role *r = &s->roles[i];
		struct run_count c = run_count(r);
		line(j, 8);
		buf_z(j->out, "{ ");
		text(j, "role", r->name, ", ");
		buf_printf(j->out, "\"desired\": %lld, \"active\": %lld, \"ready\": %lld, \"succeeded\": %lld, "
			"\"failed\": %lld, \"restarts\": %lld, ",
		           (long long)r->desired, (long long)c.active, (long long)c.ready, (long long)c.succeeded,
			(long long)c.failed, (long long)c.restarts);
		if (s->isolate.n)
			buf_printf(j->out, "\"stopped\": %lld, ", (long long)report_stopped(s, r));
		text(j, "cause", report_role_cause(&a, s, r), i + 1 < s->nroles ? " }," : " }");
	}
	if (s->nroles)
		line(j, 6);
	buf_z(j->out, "],");
	arena_release(&a);
}

/* Appends { "http": 20017 } for "http=20017". */
void report_json_ports(struct str ports, struct buf *out)
{
	buf_z(out, "\"ports\": {");
	for (size_t at = 0, n = 0; at < ports.n; at += n + 1) {
		const char *comma = memchr(ports.p + at, ',', ports.n - at),
			*equals = memchr(ports.p + at, '=', ports.n - at);
		n = comma ? (size_t)(comma - ports.p) - at : ports.n - at;
		buf_z(out, at ? ", " : " ");
		buf_json(out, (struct str){ ports.p + at, (size_t)(equals - ports.p) - at });
		buf_printf(out, ": %.*s", (int)(ports.p + at + n - equals - 1), equals + 1);
	}
	buf_z(out, ports.n ? " }, " : "}, ");
}

bool report_published(struct str *rest, struct str *ret_port, struct str *ret_host)
{
	const char *equals = rest->n ? memchr(rest->p, '=', rest->n) : NULL;
	const char *comma = rest->n ? memchr(rest->p, ',', rest->n) : NULL;
	const char *end = comma ? comma : rest->p + rest->n;

	if (!equals || equals > end)
		return false;
	*ret_port = (struct str){ rest->p, (size_t)(equals - rest->p) };
	*ret_host = (struct str){ equals + 1, (size_t)(end - equals) - 1 };
	*rest = (struct str){ end + (comma != NULL), rest->n - (size_t)(end - rest->p) - (comma != NULL) };
	return true;
}

/* Appends [{ "port": "http", "address": "127.0.0.1:6006" }]. */
static void put_published(const struct json *j, struct str rest)
{
	struct str port, host;
	bool first = true;

	buf_z(j->out, "\"published\": [");
	while (report_published(&rest, &port, &host)) {
		buf_z(j->out, first ? "{ " : ", { ");
		text(j, "port", port, ", ");
		buf_printf(j->out, "\"address\": \"127.0.0.1:%.*s\" }", STR_ARG(host));
		first = false;
	}
	buf_z(j->out, "], ");
}

static void put_number_or_null(const struct json *j, const char *name, int64_t n, bool known)
{
	if (known)
		buf_printf(j->out, "\"%s\": %lld, ", name, (long long)n);
	else
		buf_printf(j->out, "\"%s\": null, ", name);
}

/* Appends the resources that the processes of a local replica use. */
static void put_process(const struct json *j, const struct run_replica *r)
{
	if (r->usage.known)
		buf_printf(j->out, "\"cpu_seconds\": %.2f, ", (double)r->usage.cpu / 1e9);
	else
		buf_z(j->out, "\"cpu_seconds\": null, ");
	put_number_or_null(j, "memory_bytes", r->usage.memory, r->usage.known);
}

/* Appends the ports, published addresses and log of a local replica. */
static void put_places(const struct json *j, const struct run_replica *r)
{
	report_json_ports(r->ports, j->out);
	put_published(j, r->published);
	text(j, "log", r->log, ", ");
}

/* Appends a replica. In a cluster, the members about processes are left out: the pods show more. */
static void put_replica(const struct json *j, const struct run_state *s, const struct run_role *role,
	const struct run_replica *r)
{
	buf_z(j->out, "{ ");
	text(j, "role", role->name, ", ");
	buf_printf(j->out, "\"index\": %lld, \"state\": \"%s\", ", (long long)r->index, report_replica_word(s, r));
	if (s->isolate.n)
		put_number_or_null(j, "pid", r->process.pid, r->process.pid > 0);
	buf_printf(j->out, "\"attempts\": %lld, ", (long long)r->attempts);
	put_number_or_null(j, "exit_code", r->exit_code, r->exit_code >= 0);
	put_number_or_null(j, "signal", r->signal, r->signal > 0);
	if (s->isolate.n)
		put_process(j, r);
	text(j, "host", r->host, ", ");
	if (s->isolate.n) {
		put_places(j, r);
	} else {
		text(j, "pod", r->pod, ", ");
		text(j, "ip", r->ip, ", ");
		text(j, "node", r->node, ", ");
	}
	text(j, "cause", r->cause, " }");
}

static void put_replicas(const struct json *j, const struct run_state *s)
{
	bool first = true;

	buf_z(j->out, "\"replicas\": [");
	for (size_t k = 0; k < s->nroles; k++)
		for (int64_t i = 0; i < s->roles[k].max; i++) {
			buf_z(j->out, first ? "" : ",");
			line(j, 8);
			put_replica(j, s, &s->roles[k], &s->roles[k].at[i]);
			first = false;
		}
	line(j, 6);
	buf_z(j->out, "],");
	line(j, 6);
}

static void put_failure(const struct json *j, const struct run_failure *f)
{
	const char *name = f->signal ? system_signal_name(f->signal) : NULL;

	buf_z(j->out, "\"first_failure\": ");
	if (!f->known) {
		buf_z(j->out, "null");
		return;
	}
	buf_z(j->out, "{ ");
	text(j, "role", f->role, ", ");
	buf_printf(j->out, "\"index\": %lld, \"exit_code\": ", (long long)f->index);
	if (f->exit_code >= 0)
		buf_int(j->out, f->exit_code);
	else
		buf_z(j->out, "null");
	buf_z(j->out, ", \"signal\": ");
	if (name)
		buf_printf(j->out, "\"%s\", ", name);
	else if (f->signal)
		buf_printf(j->out, "\"%d\", ", f->signal);
	else
		buf_z(j->out, "null, ");
	text(j, "reason", f->reason, ", \"log\": [");
	for (size_t i = 0; i < f->nlog; i++) {
		buf_z(j->out, i ? ", " : " ");
		buf_json(j->out, f->log[i]);
	}
	buf_z(j->out, f->nlog ? " ] }" : "] }");
}

static void put_objects(const struct json *j, const struct run_state *s)
{
	buf_z(j->out, "\"objects\": [");
	for (size_t i = 0; i < s->nobjects; i++) {
		const struct run_object *o = &s->objects[i];
		line(j, 8);
		buf_z(j->out, "{ ");
		text(j, "kind", o->kind, ", ");
		text(j, "name", o->name, ", ");
		text(j, "state", str_of(run_phase_word(o->phase)), ", ");
		text(j, "cause", o->cause, i + 1 < s->nobjects ? " }," : " }");
	}
	line(j, 6);
	buf_z(j->out, "],");
	line(j, 6);
}

static void put_events(const struct json *j, const struct run_state *s)
{
	buf_z(j->out, "\"events\": [");
	for (size_t i = 0; i < s->nevents; i++) {
		const struct run_event *e = &s->events[i];
		line(j, 8);
		buf_z(j->out, "{ ");
		if (e->time) {
			buf_z(j->out, "\"time\": \"");
			put_time(j->out, e->time, 0);
			buf_z(j->out, "\", ");
		}
		text(j, "kind", e->kind, ", ");
		text(j, "name", e->name, ", ");
		buf_printf(j->out, "\"count\": %lld, ", (long long)e->count);
		text(j, "reason", e->reason, ", ");
		text(j, "message", e->message, i + 1 < s->nevents ? " }," : " }");
	}
	line(j, 6);
	buf_z(j->out, "],");
	line(j, 6);
}

static void put_run(const struct json *j, const struct run_state *s)
{
	text(j, "name", s->name, ", ");
	text(j, "namespace", s->ns, ", ");
	text(j, "state", str_of(run_phase_word(s->phase)), ", ");
	text(j, "cause", s->cause, ",");
	if (s->job_restarts)
		buf_printf(j->out, " \"restarts\": %lld,", (long long)s->job_restarts);
	line(j, 6);
	put_conditions(j, s);
	line(j, 6);
	put_roles(j, s);
	line(j, 6);
	if (s->nobjects)
		put_objects(j, s);
	if (s->nevents)
		put_events(j, s);
	if (s->isolate.n) {
		buf_printf(j->out, "\"lost_bytes\": %llu, \"removed_bytes\": %lld,", (unsigned long long)s->lost_bytes,
			(long long)s->removed_bytes);
		line(j, 6);
	}
	if (j->replicas && (s->isolate.n || s->phase != RUN_ABSENT))
		put_replicas(j, s);
	put_failure(j, &s->failure);
}

void report_json_run(const struct run_state *s, struct buf *out)
{
	struct json j = { out, false, false };

	put_run(&j, s);
}

void report_json(const struct report *r, struct buf *out)
{
	struct json j = { out, r->form == REPORT_JSON, true };

	buf_z(out, "{");
	line(&j, 2);
	buf_z(out, "\"schemaVersion\": 1,");
	line(&j, 2);
	buf_z(out, "\"runs\": [");
	for (size_t i = 0; i < r->n; i++) {
		line(&j, 4);
		buf_z(out, "{");
		line(&j, 6);
		put_run(&j, r->runs[i]);
		line(&j, 4);
		buf_z(out, i + 1 < r->n ? "}," : "}");
	}
	if (r->n)
		line(&j, 2);
	buf_z(out, "]");
	line(&j, 0);
	buf_z(out, "}\n");
}
