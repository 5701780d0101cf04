/*
 * report_json.c - writes `status -o json` and the conditions in it. The conditions follow the rules of the operators:
 * Created comes first, Running and Restarting replace each other, and Running stays with status False when the run is
 * over.
 */
#include "runtime/run/cells.h"
#include "runtime/run/report.h"
#include "runtime/run/run_shape.h"

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

struct report_json {
	struct shape_out o;
	bool lines;                     /* the output is indented, one member per line */
	bool replicas;                  /* each replica is listed */
};

/* Begins a new line in the indented form; INDENT is its indentation. */
static void next_line(struct report_json *j, unsigned indent)
{
	if (j->lines)
		json_line(&j->o.json, indent);
	else
		json_blank(&j->o.json);
}

static void put_conditions(struct report_json *j, const struct run_state *s)
{
	struct json_writer *w = &j->o.json;
	struct conditions c = run_conditions(s);

	next_line(j, 6);
	json_add_open(w, "conditions", '[');
	for (size_t i = 0; i < c.n; i++) {
		next_line(j, 8);
		json_open(w, '{');
		json_add_text(w, "type", str_of(c.at[i].type));
		json_add_text(w, "status", c.at[i].holds ? STR("True") : STR("False"));
		json_key(w, "reason");
		json_put_raw(w, "\"Run%s\"", c.at[i].type);
		if (c.at[i].since) {            /* objects do not always contain the time */
			json_key(w, "since");
			json_put_time(w, c.at[i].since, 0);
		}
		json_close(w, '}');
	}
	next_line(j, 6);
	json_close(w, ']');
}

static void put_counts(struct json_writer *w, const struct run_role *r)
{
	struct run_count c = run_count(r);

	json_add_int(w, "desired", r->desired);
	json_add_int(w, "active", c.active);
	json_add_int(w, "ready", c.ready);
	json_add_int(w, "succeeded", c.succeeded);
	json_add_int(w, "failed", c.failed);
	json_add_int(w, "restarts", c.restarts);
}

/* Writes the cells, if the run has any. */
static void put_run_cells(struct report_json *j, const struct run_state *s)
{
	struct json_writer *w = &j->o.json;

	if (!s->ncells)
		return;
	next_line(j, 6);
	json_add_open(w, "cells", '[');
	for (size_t i = 0; i < s->ncells; i++) {
		const struct run_cell *c = &s->cells[i];
		struct cell_sum sum = run_cell_sum(s, c->name);
		next_line(j, 8);
		json_open(w, '{');
		json_add_text(w, "cell", c->name);
		json_add_open(w, "copies", '{');
		json_add_int(w, "min", c->min);
		json_add_int(w, "max", c->max);
		json_add_int(w, "desired", c->desired);
		json_add_int(w, "ready", sum.ready);
		json_add_int(w, "done", sum.done);
		json_add_int(w, "lost", sum.lost);
		shape_write(&j->o, &shape_run_cell, c);
		json_close(w, '}');
		json_close(w, '}');
	}
	next_line(j, 6);
	json_close(w, ']');
}

static void put_run_roles(struct report_json *j, const struct run_state *s)
{
	struct json_writer *w = &j->o.json;
	struct arena a = { 0 };

	next_line(j, 6);
	json_add_open(w, "roles", '[');
	for (size_t i = 0; i < s->nroles; i++) {
		const struct run_role *r = &s->roles[i];
		next_line(j, 8);
		json_open(w, '{');
		json_add_text(w, "role", r->name);
		if (r->cell.n) {
			json_add_text(w, "cell", r->cell);
			json_add_int(w, "copy", r->copy);
		}
		put_counts(w, r);
		if (s->isolate.n)
			json_add_int(w, "stopped", report_stopped(s, r));
		shape_write(&j->o, &shape_run_role, r);
		json_add_text(w, "cause", report_role_cause(&a, s, r));
		json_close(w, '}');
	}
	if (s->nroles)
		next_line(j, 6);
	json_close(w, ']');
	arena_release(&a);
}

/* Writes { "http": 20017 } for "http=20017". */
static void put_ports(struct json_writer *w, struct str ports)
{
	json_add_open(w, "ports", '{');
	for (size_t at = 0, n = 0; at < ports.n; at += n + 1) {
		const char *comma = memchr(ports.p + at, ',', ports.n - at),
			*equals = memchr(ports.p + at, '=', ports.n - at);
		n = comma ? (size_t)(comma - ports.p) - at : ports.n - at;
		json_key_text(w, (struct str){ ports.p + at, (size_t)(equals - ports.p) - at });
		json_put_raw(w, "%.*s", (int)(ports.p + at + n - equals - 1), equals + 1);
	}
	json_close(w, '}');
}

void report_json_ports(struct str ports, struct buf *out)
{
	struct json_writer w = { .out = out, .spaced = true };

	put_ports(&w, ports);
	buf_z(out, ", ");
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

/* Writes [{ "port": "http", "address": "127.0.0.1:6006" }]. */
static void put_published(struct json_writer *w, struct str rest)
{
	struct str port, host;

	json_add_open(w, "published", '[');
	json_tight(w);
	while (report_published(&rest, &port, &host)) {
		json_open(w, '{');
		json_add_text(w, "port", port);
		json_key(w, "address");
		json_put_raw(w, "\"127.0.0.1:%.*s\"", STR_ARG(host));
		json_close(w, '}');
	}
	json_tight(w);
	json_close(w, ']');
}

static void put_number_or_null(struct json_writer *w, const char *name, int64_t n, bool known)
{
	if (known)
		json_add_int(w, name, n);
	else
		json_add_null(w, name);
}

/* Writes the resources that the processes of a local replica use. */
static void put_process(struct json_writer *w, const struct run_replica *r)
{
	json_key(w, "cpu_seconds");
	if (r->usage.known)
		json_put_raw(w, "%.2f", (double)r->usage.cpu / 1e9);
	else
		json_put_null(w);
	put_number_or_null(w, "memory_bytes", r->usage.memory, r->usage.known);
}

/* Writes a replica. In a cluster, the members about processes are left out: the pods show more. */
static void put_replica(struct report_json *j, const struct run_state *s, const struct run_role *role,
	const struct run_replica *r)
{
	struct json_writer *w = &j->o.json;
	bool local = s->isolate.n > 0;

	json_open(w, '{');
	json_add_text(w, "role", role->name);
	json_add_int(w, "index", r->index);
	json_add_text(w, "state", str_of(report_replica_word(s, r)));
	if (local)
		put_number_or_null(w, "pid", r->process.pid, r->process.pid > 0);
	json_add_int(w, "attempts", r->attempts);
	put_number_or_null(w, "exit_code", r->exit_code, r->exit_code >= 0);
	put_number_or_null(w, "signal", r->signal, r->signal > 0);
	if (local)
		put_process(w, r);
	json_add_text(w, "host", r->host);
	if (local) {
		put_ports(w, r->ports);
		put_published(w, r->published);
		if (r->code.n)
			json_add_text(w, "code", r->code);
		json_add_text(w, "log", r->log);
	} else {
		json_add_text(w, "pod", r->pod);
		json_add_text(w, "ip", r->ip);
		json_add_text(w, "node", r->node);
		if (s->ncode)
			json_add_text(w, "code", r->code);
	}
	shape_write(&j->o, &shape_run_replica, r);
	json_add_text(w, "cause", r->cause);
	json_close(w, '}');
}

static void put_replicas(struct report_json *j, const struct run_state *s)
{
	next_line(j, 6);
	json_add_open(&j->o.json, "replicas", '[');
	for (size_t k = 0; k < s->nroles; k++)
		for (int64_t i = 0; i < s->roles[k].max; i++) {
			next_line(j, 8);
			put_replica(j, s, &s->roles[k], &s->roles[k].at[i]);
		}
	next_line(j, 6);
	json_close(&j->o.json, ']');
}

static void put_failure(struct report_json *j, const struct run_failure *f)
{
	next_line(j, 6);
	if (!f->known) {
		json_add_null(&j->o.json, "first_failure");
		return;
	}
	json_add_open(&j->o.json, "first_failure", '{');
	shape_write(&j->o, &shape_run_failure, f);
	json_close(&j->o.json, '}');
}

/* Writes a list of N structs of SIZE bytes, one on each line, unless it is empty. */
static void put_list(struct report_json *j, const char *key, const struct shape *s, const void *at, size_t n)
{
	struct json_writer *w = &j->o.json;

	if (!n)
		return;
	next_line(j, 6);
	json_add_open(w, key, '[');
	for (size_t i = 0; i < n; i++) {
		next_line(j, 8);
		json_open(w, '{');
		shape_write(&j->o, s, (const char *)at + i * s->size);
		json_close(w, '}');
	}
	next_line(j, 6);
	json_close(w, ']');
}

static void put_run(struct report_json *j, const struct run_state *s)
{
	struct json_writer *w = &j->o.json;

	json_add_text(w, "name", s->name);
	json_add_text(w, "namespace", s->ns);
	json_add_text(w, "state", str_of(run_phase_word(s->phase)));
	json_add_text(w, "cause", s->cause);
	if (s->job_restarts)
		json_add_int(w, "restarts", s->job_restarts);
	shape_write(&j->o, &shape_run_state, s);
	put_conditions(j, s);
	put_run_roles(j, s);
	put_run_cells(j, s);
	put_list(j, "code", &shape_run_code, s->code, s->ncode);
	put_list(j, "objects", &shape_run_object, s->objects, s->nobjects);
	put_list(j, "events", &shape_run_event, s->events, s->nevents);
	if (s->isolate.n) {
		next_line(j, 6);
		json_add_int(w, "lost_bytes", (int64_t)s->lost_bytes);
		json_add_int(w, "removed_bytes", s->removed_bytes);
	}
	if (j->replicas && (s->isolate.n || s->phase != RUN_ABSENT))
		put_replicas(j, s);
	put_failure(j, &s->failure);
}

void report_json_run(const struct run_state *s, struct buf *out)
{
	struct report_json j = { .o = { .json = { .out = out, .spaced = true }, .use = IN_JSON } };

	put_run(&j, s);
}

/* Writes each run on a line, with its context, for a process that prints those of all contexts. */
static void put_context_lines(const struct report *r, struct buf *out)
{
	for (size_t i = 0; i < r->n; i++) {
		struct report_json j = { .o = { .json = { .out = out, .spaced = true }, .use = IN_JSON },
			.replicas = true };
		json_open(&j.o.json, '{');
		json_add_text(&j.o.json, "context", r->context);
		put_run(&j, r->runs[i]);
		json_close(&j.o.json, '}');
		buf_char(out, '\n');
	}
}

void report_json(const struct report *r, struct buf *out)
{
	if (r->context.n) {
		put_context_lines(r, out);
		return;
	}
	struct report_json j = { .o = { .json = { .out = out, .spaced = true }, .use = IN_JSON },
		.lines = r->form == REPORT_JSON, .replicas = true };
	struct json_writer *w = &j.o.json;

	json_open(w, '{');
	next_line(&j, 2);
	json_add_int(w, "schemaVersion", 1);
	next_line(&j, 2);
	json_add_open(w, "runs", '[');
	for (size_t i = 0; i < r->n; i++) {
		next_line(&j, 4);
		json_open(w, '{');
		next_line(&j, 6);
		put_run(&j, r->runs[i]);
		next_line(&j, 4);
		json_close(w, '}');
	}
	if (r->n)
		next_line(&j, 2);
	json_close(w, ']');
	next_line(&j, 0);
	json_close(w, '}');
	buf_char(out, '\n');
}
