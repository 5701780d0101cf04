/*
 * run_state.c - writes a run's state as JSON, and reads it. One table for each struct gives the names and kinds of its
 * fields. The writer and the reader walk over the same tables, so neither can forget a field.
 */
#include "runtime/run/run_state.h"

#include <limits.h>
#include <stddef.h>

#include "data/data_read.h"

static const char *const phase_words[] = {
	[RUN_PENDING] = "Pending", [RUN_STARTING] = "Starting", [RUN_RUNNING] = "Running", [RUN_DEGRADED] = "Degraded",
	[RUN_FAILING] = "Failing", [RUN_FAILED] = "Failed", [RUN_COMPLETING] = "Completing",
		[RUN_SUCCEEDED] = "Succeeded",
	[RUN_SUSPENDED] = "Suspended", [RUN_TERMINATING] = "Terminating", [RUN_UNKNOWN] = "Unknown",
	[RUN_QUEUED] = "Queued", [RUN_STALLED] = "Stalled", [RUN_ABSENT] = "Absent",
};
static const char *const replica_words[] = {
	[REPLICA_WAITING] = "waiting", [REPLICA_STARTED] = "started", [REPLICA_READY] = "ready",
	[REPLICA_SUCCEEDED] = "succeeded", [REPLICA_FAILED] = "failed",
};

static const char *const span_words[] = {
	[SPAN_PENDING] = "pending", [SPAN_STARTING] = "starting", [SPAN_EARLIER] = "earlier",
		[SPAN_RUNNING] = "running",
	[SPAN_SUCCEEDED] = "succeeded", [SPAN_FAILED] = "failed", [SPAN_STOPPED] = "stopped",
};

const char *span_kind_word(enum span_kind kind) { return span_words[kind]; }
const char *run_phase_word(enum run_phase phase) { return phase_words[phase]; }

bool run_phase_final(enum run_phase phase)
{
	return phase == RUN_FAILED || phase == RUN_SUCCEEDED || phase == RUN_UNKNOWN;
}

void run_state_observe(struct run_state *s, int64_t now)
{
	if (s->since && s->phase == s->observed)
		return;
	s->observed = s->phase;
	s->since = now;
}

void run_state_running(struct run_state *s, bool running, bool restarting, int64_t now)
{
	if (running && !s->running)
		s->ran = now;
	if (restarting && !s->restarting)
		s->restarted = now;
	s->running = running;
	s->restarting = restarting;
}

struct run_count run_count(const struct run_role *r)
{
	struct run_count c = { 0 };

	for (int64_t i = 0; i < r->max; i++) {
		const struct run_replica *p = &r->at[i];
		c.ready += p->state == REPLICA_READY;
		c.active += p->state == REPLICA_READY || p->state == REPLICA_STARTED;
		c.succeeded += p->state == REPLICA_SUCCEEDED;
		c.failed += p->state == REPLICA_FAILED;
		c.restarts += p->attempts - 1 > p->resumed ? p->attempts - 1 - p->resumed : 0;
	}
	return c;
}

void run_replica_span_begin(struct arena *a, struct run_replica *r, int64_t now)
{
	if (!r->spans)
		r->spans = ARENA_ARRAY(a, struct run_span, RUN_SPANS_MAX);
	if (r->nspans == RUN_SPANS_MAX)
		memmove(r->spans, r->spans + 1, --r->nspans * sizeof *r->spans);
	r->spans[r->nspans++] = (struct run_span){ SPAN_RUNNING, now, 0 };
}

void run_replica_span_end(struct run_replica *r, enum span_kind kind, int64_t now)
{
	struct run_span *last = r->nspans ? &r->spans[r->nspans - 1] : NULL;

	if (!last || last->end)
		return;
	last->kind = kind;
	last->end = now;
}

const struct run_role *run_find_role(const struct run_state *s, struct str name)
{
	for (size_t i = 0; i < s->nroles; i++)
		if (str_eq(s->roles[i].name, name))
			return &s->roles[i];
	return NULL;
}

/* ---- the tables ---- */

enum field_kind {
	FIELD_TEXT,                     /* struct str */
	FIELD_LATER,                    /* struct str that earlier versions did not write */
	FIELD_LATER_INT64,              /* int64_t that earlier versions did not write; it is 0 then */
	FIELD_BOOL, FIELD_INT64, FIELD_INT, FIELD_UINT64,
	FIELD_PHASE, FIELD_REPLICA,     /* an enum, written as its word */
	FIELD_PROCESS,                  /* struct process_id as [pid, start] */
	FIELD_LINES,                    /* struct str *, whose count is in the size_t after it */
	/* struct run_span * and its count, as [[word, begin, end], ...]; earlier versions did not write it */
	FIELD_SPANS
};

struct state_field {
	const char *name;
	enum field_kind kind;
	size_t offset;
};
#define FIELD(type, name, kind) { #name, FIELD_##kind, offsetof(struct type, name) }

static const struct state_field run_fields[] = {
	FIELD(run_state, name, TEXT), { "namespace", FIELD_TEXT, offsetof(struct run_state, ns) },
		FIELD(run_state, framework, TEXT),
	FIELD(run_state, file, TEXT), FIELD(run_state, isolate, TEXT), FIELD(run_state, boot_id, TEXT),
	FIELD(run_state, keeper, PROCESS), FIELD(run_state, phase, PHASE), FIELD(run_state, cause, TEXT),
	FIELD(run_state, begin, INT64), FIELD(run_state, end, INT64), FIELD(run_state, digest, TEXT),
	FIELD(run_state, observed, PHASE), FIELD(run_state, since, INT64),
	FIELD(run_state, running, BOOL), FIELD(run_state, restarting, BOOL), FIELD(run_state, ran, INT64),
	FIELD(run_state, restarted, INT64),
	FIELD(run_state, job_restarts, INT64), FIELD(run_state, lost_bytes, UINT64),
	FIELD(run_state, removed_bytes, LATER_INT64), FIELD(run_state, restarts_at, LATER_INT64),
};
static const struct state_field role_fields[] = {
	FIELD(run_role, name, TEXT), FIELD(run_role, aux, BOOL), FIELD(run_role, elastic, BOOL),
		FIELD(run_role, endless, BOOL),
	FIELD(run_role, min, INT64), FIELD(run_role, max, INT64), FIELD(run_role, desired, INT64),
};
static const struct state_field replica_fields[] = {
	FIELD(run_replica, state, REPLICA), FIELD(run_replica, process, PROCESS), FIELD(run_replica, pid, INT),
	FIELD(run_replica, attempts, INT64), FIELD(run_replica, resumed, LATER_INT64),
	FIELD(run_replica, begin, INT64), FIELD(run_replica, end, INT64), FIELD(run_replica, exit_code, INT),
	FIELD(run_replica, signal, INT), FIELD(run_replica, again, INT64), FIELD(run_replica, cause, TEXT),
	FIELD(run_replica, host, TEXT),
	FIELD(run_replica, ports, LATER), FIELD(run_replica, published, LATER),
	FIELD(run_replica, log, LATER), FIELD(run_replica, spans, SPANS),
};
static const struct state_field failure_fields[] = {
	FIELD(run_failure, role, TEXT), FIELD(run_failure, index, INT64), FIELD(run_failure, exit_code, INT),
	FIELD(run_failure, signal, INT), FIELD(run_failure, reason, TEXT), FIELD(run_failure, log, LINES),
};
_Static_assert(sizeof(pid_t) == sizeof(int), "a pid is read as an int");
_Static_assert(offsetof(struct run_replica, nspans) == offsetof(struct run_replica, spans) + sizeof(struct run_span *),
	"the count follows the spans");
_Static_assert(offsetof(struct run_failure, nlog) == offsetof(struct run_failure, log) + sizeof(struct str *),
	"the count follows the lines");

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* ---- writing ---- */

static void write_lines(const struct str *at, size_t n, struct buf *out)
{
	buf_char(out, '[');
	for (size_t i = 0; i < n; i++) {
		buf_z(out, i ? "," : "");
		buf_json(out, at[i]);
	}
	buf_char(out, ']');
}

static void write_spans(const struct run_span *at, size_t n, struct buf *out)
{
	buf_char(out, '[');
	for (size_t i = 0; i < n; i++)
		buf_printf(out, "%s[\"%s\",%lld,%lld]", i ? "," : "", span_words[at[i].kind], (long long)at[i].begin,
			(long long)at[i].end);
	buf_char(out, ']');
}

static void write_value(const struct state_field *f, const char *p, struct buf *out)
{
	const struct process_id *id = (const void *)p;
	size_t n;

	switch (f->kind) {
	case FIELD_TEXT:
	case FIELD_LATER: buf_json(out, *(const struct str *)(const void *)p); break;
	case FIELD_BOOL: buf_z(out, *(const bool *)p ? "true" : "false"); break;
	case FIELD_LATER_INT64:
	case FIELD_INT64: buf_int(out, *(const int64_t *)(const void *)p); break;
	case FIELD_INT: buf_int(out, *(const int *)(const void *)p); break;
	case FIELD_UINT64: buf_int(out, (int64_t)*(const uint64_t *)(const void *)p); break;
	case FIELD_PHASE: buf_printf(out, "\"%s\"", phase_words[*(const enum run_phase *)(const void *)p]); break;
	case FIELD_REPLICA: buf_printf(out, "\"%s\"",
		replica_words[*(const enum replica_state *)(const void *)p]); break;
	case FIELD_PROCESS: buf_printf(out, "[%ld,%llu]", (long)id->pid, (unsigned long long)id->start); break;
	case FIELD_LINES:
		memcpy(&n, p + sizeof(struct str *), sizeof n);
		write_lines(*(struct str *const *)(const void *)p, n, out);
		break;
	case FIELD_SPANS:
		memcpy(&n, p + sizeof(struct run_span *), sizeof n);
		write_spans(*(struct run_span *const *)(const void *)p, n, out);
		break;
	}
}

static void write_fields(const struct state_field *at, size_t n, const void *object, struct buf *out)
{
	for (size_t i = 0; i < n; i++) {
		buf_printf(out, "%s\"%s\":", i ? "," : "", at[i].name);
		write_value(&at[i], (const char *)object + at[i].offset, out);
	}
}

static void write_role(const struct run_role *r, struct buf *out)
{
	buf_char(out, '{');
	write_fields(role_fields, COUNT(role_fields), r, out);
	buf_z(out, ",\"replicas\":[");
	for (int64_t i = 0; i < r->max; i++) {
		buf_z(out, i ? ",{" : "{");
		write_fields(replica_fields, COUNT(replica_fields), &r->at[i], out);
		buf_char(out, '}');
	}
	buf_z(out, "]}");
}

void run_state_write(const struct run_state *s, struct buf *out)
{
	buf_z(out, "{\"schemaVersion\":1,");
	write_fields(run_fields, COUNT(run_fields), s, out);
	buf_z(out, ",\"roles\":[");
	for (size_t i = 0; i < s->nroles; i++) {
		buf_z(out, i ? "," : "");
		write_role(&s->roles[i], out);
	}
	buf_z(out, "],\"failure\":");
	if (s->failure.known) {
		buf_char(out, '{');
		write_fields(failure_fields, COUNT(failure_fields), &s->failure, out);
		buf_char(out, '}');
	} else {
		buf_z(out, "null");
	}
	buf_char(out, '}');
}

/* Adds the text in B to a digest, and empties B. */
static uint64_t digest_more(uint64_t digest, struct buf *b)
{
	for (size_t i = 0; i < b->n; i++)
		digest = (digest ^ (unsigned char)b->p[i]) * UINT64_C(0x100000001B3);
	b->n = 0;
	return digest;
}

uint64_t run_state_digest(const struct run_state *s)
{
	uint64_t digest = UINT64_C(0xCBF29CE484222325);
	struct buf b = { 0 };

	write_fields(run_fields, COUNT(run_fields), s, &b);
	for (size_t i = 0; i < s->nroles; i++) {
		const struct run_role *r = &s->roles[i];
		write_fields(role_fields, COUNT(role_fields), r, &b);
		for (int64_t k = 0; k < r->max; k++) {
			write_fields(replica_fields, COUNT(replica_fields), &r->at[k], &b);
			digest = digest_more(digest, &b);
		}
	}
	if (s->failure.known)
		write_fields(failure_fields, COUNT(failure_fields), &s->failure, &b);
	digest = digest_more(digest, &b);
	buf_release(&b);
	return digest;
}

/* ---- reading ---- */

struct reading {
	struct arena *arena;
	struct str why;
};

static bool bad(struct reading *r, const char *field, const char *what)
{
	if (!r->why.n)
		r->why = str_printf(r->arena, "'%s' %s", field, what);
	return false;
}

static bool read_word(const char *const *words, size_t n, const struct data *d, unsigned *ret)
{
	for (size_t i = 0; d->kind == DATA_STRING && i < n; i++) {
		if (str_is(d->u.string, words[i])) {
			*ret = (unsigned)i;
			return true;
		}
	}
	return false;
}

static bool read_process(const struct data *d, struct process_id *ret)
{
	if (d->kind != DATA_LIST || d->u.list.n != 2)
		return false;
	const struct data *pid = d->u.list.at[0], *start = d->u.list.at[1];
	if (pid->kind != DATA_INT || pid->u.integer < 0 || pid->u.integer > INT_MAX || start->kind != DATA_INT ||
		start->u.integer < 0)
		return false;
	*ret = (struct process_id){ (pid_t)pid->u.integer, (uint64_t)start->u.integer };
	return true;
}

static bool read_lines(struct reading *r, const struct data *d, char *p)
{
	size_t n = d->kind == DATA_LIST ? d->u.list.n : 0;
	struct str *at = ARENA_ARRAY(r->arena, struct str, n);

	if (d->kind != DATA_LIST)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (d->u.list.at[i]->kind != DATA_STRING)
			return false;
		at[i] = d->u.list.at[i]->u.string;
	}
	memcpy(p, &at, sizeof at);
	memcpy(p + sizeof at, &n, sizeof n);
	return true;
}

static bool read_span(const struct data *d, struct run_span *ret)
{
	unsigned kind;

	if (d->kind != DATA_LIST || d->u.list.n != 3 ||
		!read_word(span_words, COUNT(span_words), d->u.list.at[0], &kind) ||
	    d->u.list.at[1]->kind != DATA_INT || d->u.list.at[2]->kind != DATA_INT)
		return false;
	*ret = (struct run_span){ (enum span_kind)kind, d->u.list.at[1]->u.integer, d->u.list.at[2]->u.integer };
	return true;
}

static bool read_spans(struct reading *r, const struct data *d, char *p)
{
	size_t n = d->kind == DATA_LIST ? d->u.list.n : 0;
	struct run_span *at = ARENA_ARRAY(r->arena, struct run_span, n);

	if (d->kind != DATA_LIST)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!read_span(d->u.list.at[i], &at[i]))
			return false;
	memcpy(p, &at, sizeof at);
	memcpy(p + sizeof at, &n, sizeof n);
	return true;
}

static bool read_int(const struct data *d, int64_t lo, int64_t hi, int64_t *ret)
{
	if (d->kind != DATA_INT || d->u.integer < lo || d->u.integer > hi)
		return false;
	*ret = d->u.integer;
	return true;
}

static bool read_value(struct reading *r, const struct state_field *f, const struct data *d, char *p)
{
	unsigned word;
	int64_t n;

	switch (f->kind) {
	case FIELD_TEXT:
	case FIELD_LATER:
		if (d->kind == DATA_STRING)
			*(struct str *)(void *)p = d->u.string;
		return d->kind == DATA_STRING;
	case FIELD_BOOL:
		if (d->kind == DATA_BOOL)
			*(bool *)p = d->u.boolean;
		return d->kind == DATA_BOOL;
	case FIELD_LATER_INT64:
	case FIELD_INT64: return read_int(d, INT64_MIN, INT64_MAX, (int64_t *)(void *)p);
	case FIELD_UINT64: return read_int(d, 0, INT64_MAX, (int64_t *)(void *)p);
	case FIELD_INT:
		if (!read_int(d, INT_MIN, INT_MAX, &n))
			return false;
		*(int *)(void *)p = (int)n;
		return true;
	case FIELD_PHASE:
		if (!read_word(phase_words, COUNT(phase_words), d, &word))
			return false;
		*(enum run_phase *)(void *)p = (enum run_phase)word;
		return true;
	case FIELD_REPLICA:
		if (!read_word(replica_words, COUNT(replica_words), d, &word))
			return false;
		*(enum replica_state *)(void *)p = (enum replica_state)word;
		return true;
	case FIELD_PROCESS: return read_process(d, (struct process_id *)(void *)p);
	case FIELD_LINES: return read_lines(r, d, p);
	case FIELD_SPANS: return read_spans(r, d, p);
	}
	return false;
}

static bool read_fields(struct reading *r, const struct state_field *at, size_t n, const struct data *from,
	void *object)
{
	for (size_t i = 0; i < n; i++) {
		const struct data *d = data_get(from, str_of(at[i].name));
		if (!d && (at[i].kind == FIELD_LATER || at[i].kind == FIELD_LATER_INT64 || at[i].kind == FIELD_SPANS))
			continue;
		if (!d)
			return bad(r, at[i].name, "is missing");
		if (!read_value(r, &at[i], d, (char *)object + at[i].offset))
			return bad(r, at[i].name, "is not what it should be");
	}
	return true;
}

static bool read_role(struct reading *r, const struct data *from, struct run_role *ret)
{
	const struct data *replicas = data_get(from, STR("replicas"));

	if (!read_fields(r, role_fields, COUNT(role_fields), from, ret))
		return false;
	if (!replicas || replicas->kind != DATA_LIST || ret->max < 0 || (uint64_t)ret->max != replicas->u.list.n)
		return bad(r, "replicas", "is not a list of the right length");
	ret->at = ARENA_ARRAY(r->arena, struct run_replica, replicas->u.list.n);
	for (size_t i = 0; i < replicas->u.list.n; i++) {
		ret->at[i].index = (int64_t)i;
		if (!read_fields(r, replica_fields, COUNT(replica_fields), replicas->u.list.at[i], &ret->at[i]))
			return false;
	}
	return true;
}

static bool read_run(struct reading *r, const struct data *d, struct run_state *ret)
{
	const struct data *version = data_get(d, STR("schemaVersion"));

	if (!version || version->kind != DATA_INT || version->u.integer != 1)
		return bad(r, "schemaVersion", "is not 1: another version of trainc wrote it");
	if (!read_fields(r, run_fields, COUNT(run_fields), d, ret))
		return false;
	const struct data *roles = data_get(d, STR("roles")), *failure = data_get(d, STR("failure"));
	if (!roles || roles->kind != DATA_LIST)
		return bad(r, "roles", "is not a list");
	ret->nroles = roles->u.list.n;
	ret->roles = ARENA_ARRAY(r->arena, struct run_role, ret->nroles);
	for (size_t i = 0; i < ret->nroles; i++)
		if (!read_role(r, roles->u.list.at[i], &ret->roles[i]))
			return false;
	if (!failure)
		return bad(r, "failure", "is missing");
	ret->failure.known = failure->kind != DATA_NULL;
	return !ret->failure.known || read_fields(r, failure_fields, COUNT(failure_fields), failure, &ret->failure);
}

bool run_state_read(struct arena *a, struct str text, struct run_state *ret, struct str *why)
{
	struct reading r = { .arena = a };
	/* the state borrows from the text, so the text is copied into the arena */
	struct source source = { .text = str_copy(a, text), .base = 1 };
	struct run_state s = { 0 };
	struct data_error error;
	struct data *d;

	if (!data_read_json(a, &source, &d, &error)) {
		*why = str_printf(a, "byte %u: %.*s", error.at.start - 1, STR_ARG(error.what));
		return false;
	}
	if (!read_run(&r, d, &s)) {
		*why = r.why;
		return false;
	}
	*ret = s;
	return true;
}
