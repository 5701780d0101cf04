/*
 * run_shape.c - the types of a state's members (run_state.def): how each is written as JSON, read back and copied.
 */
#include "runtime/run/run_shape.h"

#include <limits.h>

#include "base/system.h"

static const char *const phase_words[] = {
	[RUN_PENDING] = "Pending", [RUN_STARTING] = "Starting", [RUN_RUNNING] = "Running", [RUN_DEGRADED] = "Degraded",
	[RUN_FAILING] = "Failing", [RUN_FAILED] = "Failed", [RUN_COMPLETING] = "Completing",
	[RUN_SUCCEEDED] = "Succeeded", [RUN_SUSPENDED] = "Suspended", [RUN_TERMINATING] = "Terminating",
	[RUN_UNKNOWN] = "Unknown", [RUN_QUEUED] = "Queued", [RUN_STALLED] = "Stalled", [RUN_ABSENT] = "Absent",
};
static const char *const replica_words[] = {
	[REPLICA_WAITING] = "waiting", [REPLICA_STARTED] = "started", [REPLICA_READY] = "ready",
	[REPLICA_SUCCEEDED] = "succeeded", [REPLICA_FAILED] = "failed",
};
static const char *const span_words[] = {
	[SPAN_PENDING] = "pending", [SPAN_STARTING] = "starting", [SPAN_EARLIER] = "earlier",
	[SPAN_RUNNING] = "running", [SPAN_SUCCEEDED] = "succeeded", [SPAN_FAILED] = "failed",
	[SPAN_STOPPED] = "stopped",
};
static const struct shape_words run_phase_words = SHAPE_WORDS(phase_words);
static const struct shape_words replica_state_words = SHAPE_WORDS(replica_words);

const char *span_kind_word(enum span_kind kind) { return span_words[kind]; }
const char *run_phase_word(enum run_phase phase) { return phase_words[phase]; }

/* ---- processes: [pid, start] ---- */

_Static_assert(sizeof(pid_t) == sizeof(int), "a pid is read as an int");

static bool process_zero(const struct shape_row *r, const void *object)
{
	return !((const struct process_id *)shape_at(r, object))->pid;
}
static void process_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	const struct process_id *id = shape_at(r, object);

	json_open(&o->json, '[');
	json_put_int(&o->json, id->pid);
	json_put_raw(&o->json, "%llu", (unsigned long long)id->start);
	json_close(&o->json, ']');
}
static bool process_read(struct shape_reader *in, const struct shape_row *r, const struct data *d, void *object)
{
	(void)in;
	if (d->kind != DATA_LIST || d->u.list.n != 2)
		return false;
	const struct data *pid = d->u.list.at[0], *start = d->u.list.at[1];
	if (pid->kind != DATA_INT || pid->u.integer < 0 || pid->u.integer > INT_MAX || start->kind != DATA_INT ||
		start->u.integer < 0)
		return false;
	*(struct process_id *)shape_member(r, object) = (struct process_id){ (pid_t)pid->u.integer,
		(uint64_t)start->u.integer };
	return true;
}
static const struct shape_type shape_process = { process_zero, process_json, process_read, NULL, NULL };

/* ---- spans: [[word, begin, end], ...] ---- */

static bool spans_zero(const struct shape_row *r, const void *object) { return !shape_count(r, object); }
static void spans_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	const struct run_span *at = shape_pointer_at(r, object);

	json_open(&o->json, '[');
	for (size_t i = 0; i < shape_count(r, object); i++) {
		json_open(&o->json, '[');
		json_put_text(&o->json, str_of(span_words[at[i].kind]));
		json_put_int(&o->json, at[i].begin);
		json_put_int(&o->json, at[i].end);
		json_close(&o->json, ']');
	}
	json_close(&o->json, ']');
}
static bool span_take(const struct data *d, struct run_span *ret)
{
	const struct data *const *at = d->kind == DATA_LIST && d->u.list.n == 3 ? d->u.list.at : NULL;

	if (!at || at[0]->kind != DATA_STRING || at[1]->kind != DATA_INT || at[2]->kind != DATA_INT)
		return false;
	for (unsigned k = 0; k < sizeof span_words / sizeof *span_words; k++)
		if (str_is(at[0]->u.string, span_words[k])) {
			*ret = (struct run_span){ (enum span_kind)k, at[1]->u.integer, at[2]->u.integer };
			return true;
		}
	return false;
}
static bool spans_read(struct shape_reader *in, const struct shape_row *r, const struct data *d, void *object)
{
	size_t n = d->kind == DATA_LIST ? d->u.list.n : 0;
	struct run_span *at = ARENA_ARRAY(in->arena, struct run_span, n);

	for (size_t i = 0; i < n; i++)
		if (!span_take(d->u.list.at[i], &at[i]))
			return false;
	if (d->kind == DATA_LIST)
		shape_set_list(r, object, at, n);
	return d->kind == DATA_LIST;
}
static void spans_copy(struct arena *a, const struct shape_row *r, void *object)
{
	size_t n = shape_count(r, object);
	struct run_span *copy = ARENA_ARRAY(a, struct run_span, n);

	if (!n)
		return;
	memcpy(copy, shape_pointer_at(r, object), n * sizeof *copy);
	shape_set_list(r, object, copy, n);
}
static const struct shape_type shape_spans = { spans_zero, spans_json, spans_read, NULL, spans_copy };

/* ---- replicas of a role, of which there are `max` ---- */

static bool replicas_zero(const struct shape_row *r, const void *object)
{
	(void)r;
	return !((const struct run_role *)object)->max;
}
static void replicas_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	const struct run_role *role = object;

	(void)r;
	json_open(&o->json, '[');
	for (int64_t i = 0; i < role->max; i++) {
		json_open(&o->json, '{');
		shape_write(o, &shape_run_replica, &role->at[i]);
		json_close(&o->json, '}');
	}
	json_close(&o->json, ']');
}
static bool replicas_read(struct shape_reader *in, const struct shape_row *r, const struct data *d, void *object)
{
	struct run_role *role = object;

	if (d->kind != DATA_LIST || role->max < 0 || (uint64_t)role->max != d->u.list.n)
		return shape_bad(in, r->key, "is not a list of the right length");
	role->at = ARENA_ARRAY(in->arena, struct run_replica, d->u.list.n);
	for (size_t i = 0; i < d->u.list.n; i++) {
		role->at[i].index = (int64_t)i;
		if (!shape_read(in, &shape_run_replica, d->u.list.at[i], 0, &role->at[i]))
			return false;
	}
	return true;
}
static void replicas_copy(struct arena *a, const struct shape_row *r, void *object)
{
	struct run_role *role = object;
	struct run_replica *copy = ARENA_ARRAY(a, struct run_replica, (size_t)role->max);

	(void)r;
	for (int64_t i = 0; i < role->max; i++) {
		copy[i] = role->at[i];
		shape_copy(a, &shape_run_replica, &copy[i]);
	}
	role->at = copy;
}
static const struct shape_type shape_replicas = { replicas_zero, replicas_json, replicas_read, NULL, replicas_copy };

/* ---- the first failing rank, or null ---- */

static bool failure_zero(const struct shape_row *r, const void *object)
{
	return !((const struct run_failure *)shape_at(r, object))->known;
}
static void failure_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	if (failure_zero(r, object))
		json_put_null(&o->json);
	else
		shape_part.json(o, r, object);
}
static bool failure_read(struct shape_reader *in, const struct shape_row *r, const struct data *d, void *object)
{
	struct run_failure *f = shape_member(r, object);
	struct shape_reader inner = *in;

	if (d->kind == DATA_NULL)
		return true;
	*f = (struct run_failure){ .known = true, .exit_code = -1 };
	inner.missing = false;
	bool ok = shape_read(&inner, &shape_run_failure, d, 0, f);
	in->why = inner.why;
	return ok;
}
static void failure_copy(struct arena *a, const struct shape_row *r, void *object) { shape_part.copy(a, r, object); }
static const struct shape_type shape_failure = { failure_zero, failure_json, failure_read, NULL, failure_copy };

static bool exit_code_zero(const struct shape_row *r, const void *object)
{
	return *(const int *)shape_at(r, object) < 0;
}
/* An exit code, or null. */
static void exit_code_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	if (exit_code_zero(r, object))
		json_put_null(&o->json);
	else
		json_put_int(&o->json, *(const int *)shape_at(r, object));
}
static const struct shape_type shape_exit_code = { exit_code_zero, exit_code_json, NULL, NULL, NULL };

static bool signal_name_zero(const struct shape_row *r, const void *object)
{
	return !*(const int *)shape_at(r, object);
}
/* The name of a signal, its number as a text, or null. */
static void signal_name_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	int n = *(const int *)shape_at(r, object);
	const char *name = n ? system_signal_name(n) : NULL;

	if (name)
		json_put_text(&o->json, str_of(name));
	else if (n)
		json_put_raw(&o->json, "\"%d\"", n);
	else
		json_put_null(&o->json);
}
static const struct shape_type shape_signal_name = { signal_name_zero, signal_name_json, NULL, NULL, NULL };

/* ---- members that no document has ---- */

static void last_words_copy(struct arena *a, const struct shape_row *r, void *object)
{
	struct last_words *w = shape_member(r, object);

	if (w->text.n)
		w->text = str_copy(a, w->text);
}
static const struct shape_type shape_last_words = { NULL, NULL, NULL, NULL, last_words_copy };
/* A struct without pointers, or a number. */
static const struct shape_type shape_opaque = { NULL, NULL, NULL, NULL, NULL };

#include "data/shape_rows.h"
#include "runtime/run/run_state.def"
#include "data/shape_end.h"
