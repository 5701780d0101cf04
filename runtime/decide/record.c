/*
 * record.c - writes and reads the record of a job as JSON: decide.def has a row for each member. The text is short,
 * because it must fit where a controller may store it.
 */
#include "runtime/decide/decide.h"

#include <stdio.h>

#include "data/shape.h"

enum { RECORD_VERSION = 1 };

/* ---- counts, of which a reader believes at most INT32_MAX ---- */

static bool count_zero(const struct shape_row *r, const void *object) { return shape_int64.zero(r, object); }
static void count_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	shape_int64.json(o, r, object);
}
static bool count_read(struct shape_reader *in, const struct shape_row *r, const struct data *d, void *object)
{
	int64_t *n = shape_member(r, object);

	if (!shape_int64.read(in, r, d, object))
		return false;
	*n = *n < 0 ? 0 : *n > INT32_MAX ? INT32_MAX : *n;
	return true;
}
static const struct shape_type shape_decide_count = { count_zero, count_json, count_read, NULL, NULL };

/* ---- conditions ---- */

static bool conditions_zero(const struct shape_row *r, const void *object)
{
	return !((const struct job_conditions *)shape_at(r, object))->n;
}
static void condition_json(struct json_writer *w, const struct job_condition *c)
{
	json_open(w, '{');
	json_add_text(w, "type", str_of(condition_word(c->type)));
	json_add_text(w, "status", c->holds ? STR("True") : STR("False"));
	if (c->reason.n)
		json_add_text(w, "reason", c->reason);
	if (c->message.n)
		json_add_text(w, "message", c->message);
	if (c->updated) {
		json_key(w, "lastUpdateTime");
		json_put_time(w, c->updated, 9);
	}
	if (c->changed) {
		json_key(w, "lastTransitionTime");
		json_put_time(w, c->changed, 9);
	}
	json_close(w, '}');
}
static void conditions_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	const struct job_conditions *c = shape_at(r, object);

	json_open(&o->json, '[');
	for (size_t i = 0; i < c->n; i++)
		condition_json(&o->json, &c->at[i]);
	json_close(&o->json, ']');
}
static bool conditions_read(struct shape_reader *in, const struct shape_row *r, const struct data *d, void *object)
{
	struct job_conditions *ret = shape_member(r, object);

	for (size_t i = 0; d->kind == DATA_LIST && i < d->u.list.n; i++) {
		struct job_condition c;
		if (!condition_read(d->u.list.at[i], &c))
			return shape_bad(in, r->key, "has a condition of another program");
		ARENA_PUSH(in->arena, ret->at, ret->n, c);
	}
	return d->kind == DATA_LIST;
}
static const struct shape_type shape_conditions = { conditions_zero, conditions_json, conditions_read, NULL, NULL };

/* ---- the indexes for which a member of the replicas holds: "0-3,7" ---- */

static bool index_holds(const struct shape_row *r, const struct decide_role *role, int64_t i)
{
	return *(const bool *)shape_second(r, &role->at[i]);
}
static bool indexes_zero(const struct shape_row *r, const void *object)
{
	const struct decide_role *role = object;

	for (int64_t i = 0; i < role->n; i++)
		if (index_holds(r, role, i))
			return false;
	return true;
}
static void indexes_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	const struct decide_role *role = object;
	struct buf b = { 0 };

	for (int64_t i = 0; i < role->n; i++) {
		int64_t last = i;
		if (!index_holds(r, role, i))
			continue;
		while (last + 1 < role->n && index_holds(r, role, last + 1))
			last++;
		buf_printf(&b, b.n ? ",%lld" : "%lld", (long long)i);
		if (last > i)
			buf_printf(&b, "-%lld", (long long)last);
		i = last;
	}
	json_put_text(&o->json, buf_text(&b));
	buf_release(&b);
}

/* A number below `most` at the beginning of `s`; -1 if `s` does not begin with such a number. */
static int64_t leading(struct str *s, int64_t most)
{
	int64_t n = -1;

	for (; s->n && s->p[0] >= '0' && s->p[0] <= '9'; s->p++, s->n--) {
		n = (n < 0 ? 0 : n * 10) + (s->p[0] - '0');
		if (n >= most)
			return -1;
	}
	return n;
}

static bool skip(struct str *s, char c)
{
	if (!s->n || s->p[0] != c)
		return false;
	s->p++;
	s->n--;
	return true;
}

/* Reads a list such as "0-3,7". Indexes that the plan no longer has are skipped. */
static bool indexes_read(struct shape_reader *in, const struct shape_row *r, const struct data *d, void *object)
{
	struct decide_role *role = object;
	struct str s = d->kind == DATA_STRING ? d->u.string : STR("");

	while (s.n) {
		int64_t first = leading(&s, DECIDE_INDEXES), last = skip(&s, '-') ? leading(&s, DECIDE_INDEXES) : first;
		if (first < 0 || last < first || (s.n && !skip(&s, ',')))
			return shape_bad(in, r->key, "is not a list of indexes");
		for (int64_t i = first; i <= last && i < role->n; i++)
			*(bool *)((char *)&role->at[i] + r->second) = true;
	}
	return d->kind == DATA_STRING;
}
static const struct shape_type shape_indexes = { indexes_zero, indexes_json, indexes_read, NULL, NULL };

/* ---- the replicas that have more than an attempt, which the next pass sees again ---- */

static bool is_told(const struct decide_replica *replica)
{
	for (size_t i = 0; i < shape_decide_replica.n; i++) {
		const struct shape_row *r = &shape_decide_replica.rows[i];
		if (strcmp(r->key, "uid") != 0 && shape_is_written(r, IN_RECORD, replica))
			return true;
	}
	return false;
}
static bool attempts_zero(const struct shape_row *r, const void *object)
{
	const struct decide_role *role = object;

	(void)r;
	for (int64_t i = 0; i < role->n; i++)
		if (is_told(&role->at[i]))
			return false;
	return true;
}
static void attempts_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	const struct decide_role *role = object;
	char index[24];

	(void)r;
	json_open(&o->json, '{');
	for (int64_t i = 0; i < role->n; i++) {
		if (!is_told(&role->at[i]))
			continue;
		snprintf(index, sizeof(index), "%lld", (long long)i);
		json_add_open(&o->json, index, '{');
		shape_write(o, &shape_decide_replica, &role->at[i]);
		json_close(&o->json, '}');
	}
	json_close(&o->json, '}');
}
static bool attempts_read(struct shape_reader *in, const struct shape_row *r, const struct data *d, void *object)
{
	struct decide_role *role = object;

	for (size_t i = 0; d->kind == DATA_MAP && i < d->u.map.n; i++) {
		struct str text = d->u.map.at[i].key;
		int64_t index = leading(&text, DECIDE_INDEXES);
		if (index < 0 || text.n)
			return shape_bad(in, r->key, "has a key that is not an index");
		if (index < role->n)
			shape_read(in, &shape_decide_replica, d->u.map.at[i].value, 0, &role->at[index]);
	}
	return d->kind == DATA_MAP;
}
static const struct shape_type shape_attempts = { attempts_zero, attempts_json, attempts_read, NULL, NULL };

/* ---- roles, by their names in the plan, which is the context ---- */

static bool roles_by_name_zero(const struct shape_row *r, const void *object)
{
	(void)r;
	return !((const struct decide_record *)object)->nroles;
}
static void roles_by_name_json(struct shape_out *o, const struct shape_row *r, const void *object)
{
	const struct decide_record *record = object;
	const struct plan_job *j = o->context;

	(void)r;
	json_open(&o->json, '{');
	for (size_t k = 0; k < record->nroles && k < j->nroles; k++) {
		json_key_text(&o->json, j->roles[k].name);
		json_open(&o->json, '{');
		shape_write(o, &shape_decide_role, &record->roles[k]);
		json_close(&o->json, '}');
	}
	json_close(&o->json, '}');
}
static bool roles_by_name_read(struct shape_reader *in, const struct shape_row *r, const struct data *d, void *object)
{
	struct decide_record *record = object;
	const struct plan_job *j = in->context;

	(void)r;
	for (size_t k = 0; k < j->nroles; k++)
		if (!shape_read(in, &shape_decide_role, data_get(d, j->roles[k].name), 0, &record->roles[k]))
			return false;
	return true;
}
static const struct shape_type shape_roles_by_name = { roles_by_name_zero, roles_by_name_json, roles_by_name_read, NULL,
	NULL };

#include "data/shape_rows.h"
#include "runtime/decide/decide.def"
#include "data/shape_end.h"

/* ---- the record ---- */

void decide_record_print(const struct decide_record *r, const struct plan_job *j, struct buf *out)
{
	struct shape_out o = { .json = { .out = out }, .context = j, .use = IN_RECORD };

	json_open(&o.json, '{');
	json_add_int(&o.json, "schemaVersion", RECORD_VERSION);
	shape_write(&o, &shape_decide_record, r);
	json_close(&o.json, '}');
}

bool decide_record_read(struct arena *a, const struct data *d, const struct plan_job *j, struct decide_record *ret)
{
	struct decide_record r = { .nroles = j->nroles, .roles = ARENA_ARRAY(a, struct decide_role, j->nroles) };
	struct shape_reader in = { .arena = a, .context = j, .use = IN_RECORD };

	for (size_t k = 0; k < j->nroles; k++)
		r.roles[k] = (struct decide_role){ .n = j->roles[k].max,
			.at = ARENA_ARRAY(a, struct decide_replica, (size_t)j->roles[k].max) };
	if (status_number(d, "schemaVersion", 0) != RECORD_VERSION || !shape_read(&in, &shape_decide_record, d, 0, &r))
		return false;
	*ret = r;
	return true;
}
