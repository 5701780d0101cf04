/*
 * record.c - writes and reads the record of a job as JSON. The text is short, because it must fit where a controller
 * may store it.
 */
#include "runtime/decide/decide.h"

#include <stdio.h>

#include "base/words.h"

enum { RECORD_VERSION = 1 };

/* ---- writing ---- */

struct record_writing {
	struct buf *out;
	bool first;                     /* no member has been written yet to the map or list */
};

static void key(struct record_writing *w, struct str name)
{
	buf_z(w->out, w->first ? "" : ",");
	buf_json(w->out, name);
	buf_char(w->out, ':');
	w->first = false;
}

static void put_record_text(struct record_writing *w, const char *name, struct str s)
{
	if (!s.n)
		return;
	key(w, str_of(name));
	buf_json(w->out, s);
}

static void put_record_number(struct record_writing *w, const char *name, int64_t n)
{
	if (!n)
		return;
	key(w, str_of(name));
	buf_int(w->out, n);
}

static void put_yes(struct record_writing *w, const char *name, bool yes)
{
	if (!yes)
		return;
	key(w, str_of(name));
	buf_z(w->out, "true");
}

static void put_record_moment(struct record_writing *w, const char *name, int64_t ns)
{
	if (!ns)
		return;
	key(w, str_of(name));
	buf_char(w->out, '"');
	put_time(w->out, ns, 9);
	buf_char(w->out, '"');
}

static void open_map(struct record_writing *w, struct str name)
{
	key(w, name);
	buf_char(w->out, '{');
	w->first = true;
}

static void close_map(struct record_writing *w)
{
	buf_char(w->out, '}');
	w->first = false;
}

static void put_record_conditions(struct record_writing *w, const struct job_conditions *c)
{
	key(w, STR("conditions"));
	buf_char(w->out, '[');
	for (size_t i = 0; i < c->n; i++) {
		buf_z(w->out, i ? ",{" : "{");
		w->first = true;
		put_record_text(w, "type", str_of(condition_word(c->at[i].type)));
		put_record_text(w, "status", c->at[i].holds ? STR("True") : STR("False"));
		put_record_text(w, "reason", c->at[i].reason);
		put_record_text(w, "message", c->at[i].message);
		put_record_moment(w, "lastUpdateTime", c->at[i].updated);
		put_record_moment(w, "lastTransitionTime", c->at[i].changed);
		close_map(w);
	}
	buf_char(w->out, ']');
}

/* Writes the indexes for which something holds, such as "0-3,7". */
static void put_indexes(struct record_writing *w, const char *name, const struct decide_role *r,
	bool (*is)(const struct decide_replica *))
{
	bool any = false;

	for (int64_t i = 0; i < r->n; i++) {
		int64_t last = i;
		if (!is(&r->at[i]))
			continue;
		while (last + 1 < r->n && is(&r->at[last + 1]))
			last++;
		if (!any) {
			key(w, str_of(name));
			buf_char(w->out, '"');
		}
		buf_printf(w->out, any ? ",%lld" : "%lld", (long long)i);
		if (last > i)
			buf_printf(w->out, "-%lld", (long long)last);
		any = true;
		i = last;
	}
	if (any)
		buf_char(w->out, '"');
}

static bool has_succeeded(const struct decide_replica *r) { return r->succeeded; }
static bool is_failed_replica(const struct decide_replica *r) { return r->failed; }

/* Must the replica be recorded? Not if the record only says that it has an attempt: the next pass sees that again. */
static bool is_told(const struct decide_replica *r)
{
	return r->restarts || r->failures || r->series || r->again || r->doomed.n;
}

static void put_attempts(struct record_writing *w, const struct decide_role *r)
{
	char index[24];
	bool any = false;

	for (int64_t i = 0; i < r->n; i++) {
		const struct decide_replica *replica = &r->at[i];
		if (!is_told(replica))
			continue;
		if (!any)
			open_map(w, STR("attempts"));
		any = true;
		snprintf(index, sizeof(index), "%lld", (long long)i);
		open_map(w, str_of(index));
		put_record_text(w, "uid", replica->uid);
		put_record_text(w, "doomed", replica->doomed);
		put_record_number(w, "restarts", replica->restarts);
		put_record_number(w, "failures", replica->failures);
		put_record_number(w, "series", replica->series);
		put_record_moment(w, "again", replica->again);
		close_map(w);
	}
	if (any)
		close_map(w);
}

void decide_record_print(const struct decide_record *r, const struct plan_job *j, struct buf *out)
{
	struct record_writing w = { out, true };

	buf_char(out, '{');
	put_record_number(&w, "schemaVersion", RECORD_VERSION);
	put_record_conditions(&w, &r->conditions);
	put_record_moment(&w, "startTime", r->begin);
	put_record_moment(&w, "completionTime", r->end);
	put_record_number(&w, "spent", r->spent);
	put_record_number(&w, "begunAnew", r->begun_anew);
	put_yes(&w, "cutShort", r->cut_short);
	open_map(&w, STR("roles"));
	for (size_t k = 0; k < r->nroles && k < j->nroles; k++) {
		open_map(&w, j->roles[k].name);
		put_yes(&w, "released", r->roles[k].released);
		put_indexes(&w, "succeeded", &r->roles[k], has_succeeded);
		put_indexes(&w, "failed", &r->roles[k], is_failed_replica);
		put_attempts(&w, &r->roles[k]);
		close_map(&w);
	}
	close_map(&w);
	close_map(&w);
}

/* ---- reading ---- */

static int64_t number_in_record(const struct data *d, const char *name)
{
	int64_t n = status_number(d, name, 0);

	return n < 0 ? 0 : n > INT32_MAX ? INT32_MAX : n;
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
static bool read_indexes(struct str s, struct decide_role *r, bool succeeded)
{
	while (s.n) {
		int64_t first = leading(&s, DECIDE_INDEXES), last = skip(&s, '-') ? leading(&s, DECIDE_INDEXES) : first;
		if (first < 0 || last < first || (s.n && !skip(&s, ',')))
			return false;
		for (int64_t i = first; i <= last && i < r->n; i++)
			*(succeeded ? &r->at[i].succeeded : &r->at[i].failed) = true;
	}
	return true;
}

static bool read_attempts(const struct data *attempts, struct decide_role *r)
{
	for (size_t i = 0; attempts && attempts->kind == DATA_MAP && i < attempts->u.map.n; i++) {
		struct str text = attempts->u.map.at[i].key;
		const struct data *d = attempts->u.map.at[i].value;
		int64_t index = leading(&text, DECIDE_INDEXES);
		if (index < 0 || text.n)
			return false;
		if (index >= r->n)
			continue;
		struct decide_replica *replica = &r->at[index];
		replica->uid = status_text(d, "uid");
		replica->doomed = status_text(d, "doomed");
		replica->restarts = number_in_record(d, "restarts");
		replica->failures = number_in_record(d, "failures");
		replica->series = number_in_record(d, "series");
		replica->again = status_time(d, "again");
	}
	return true;
}

static bool read_record_role(struct arena *a, const struct data *d, const struct plan_role *plan, struct decide_role *r)
{
	*r = (struct decide_role){ .at = ARENA_ARRAY(a, struct decide_replica, (size_t)plan->max), .n = plan->max,
		.released = status_true(d, "released") };
	return read_indexes(status_text(d, "succeeded"), r, true) && read_indexes(status_text(d, "failed"), r, false) &&
		read_attempts(status_path(d, "attempts"), r);
}

bool decide_record_read(struct arena *a, const struct data *d, const struct plan_job *j, struct decide_record *ret)
{
	const struct data *conditions = status_list(d, "conditions"), *roles = status_path(d, "roles");
	struct decide_record r = { .nroles = j->nroles, .roles = ARENA_ARRAY(a, struct decide_role, j->nroles) };

	if (status_number(d, "schemaVersion", 0) != RECORD_VERSION)
		return false;
	for (size_t i = 0; i < conditions->u.list.n; i++) {
		struct job_condition c;
		if (!condition_read(conditions->u.list.at[i], &c))
			return false;
		ARENA_PUSH(a, r.conditions.at, r.conditions.n, c);
	}
	r.begin = status_time(d, "startTime");
	r.end = status_time(d, "completionTime");
	r.spent = number_in_record(d, "spent");
	r.begun_anew = number_in_record(d, "begunAnew");
	r.cut_short = status_true(d, "cutShort");
	for (size_t k = 0; k < j->nroles; k++) {
		const struct data *role = data_get(roles, j->roles[k].name);
		if (!read_record_role(a, role, &j->roles[k], &r.roles[k]))
			return false;
	}
	*ret = r;
	return true;
}
