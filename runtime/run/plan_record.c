/*
 * plan_record.c - writes a plan's names, sizes and rules as JSON, and reads them. A member with its zero value is left
 * out. Readers ignore members that they do not know, so that a later version may add members. `schemaVersion` changes
 * when the meaning of an old member changes.
 */
#include "runtime/run/plan_record.h"

#include "data/data_write.h"

enum { RECORD_VERSION = 1, RECORD_DEEPEST = 200, RECORD_REPLICAS = 1000000 };

static const char *const host_words[] = { "subdomain", "service", "name" };
static const char *const condition_words[] = { "done", "ready", "started", "and", "or" };

/* ---- writing ---- */

struct record_writer {
	const struct plan_job *job;
	struct buf *out;
	bool any;                       /* the object that is being written already has a member */
};

static void put_key(struct record_writer *w, const char *key)
{
	buf_printf(w->out, "%s\"%s\":", w->any ? "," : "", key);
	w->any = true;
}

static void put_plan_text(struct record_writer *w, const char *key, struct str value)
{
	if (!value.n)
		return;
	put_key(w, key);
	data_write_text(w->out, value);
}

static void put_plan_number(struct record_writer *w, const char *key, int64_t n)
{
	if (!n)
		return;
	put_key(w, key);
	buf_int(w->out, n);
}

static void put_true(struct record_writer *w, const char *key, bool yes)
{
	if (!yes)
		return;
	put_key(w, key);
	buf_z(w->out, "true");
}

/* Appends a duration in nanoseconds; a duration of 0 is written too when it is set. */
static void put_duration(struct record_writer *w, const char *key, const struct plan_quantity *q)
{
	if (!q->set)
		return;
	put_key(w, key);
	buf_int(w->out, (int64_t)q->value.nano);
}

static void put_condition(struct record_writer *w, const struct plan_condition *c)
{
	buf_printf(w->out, "{\"%s\":", condition_words[c->kind]);
	if (c->kind == CONDITION_AND || c->kind == CONDITION_OR) {
		buf_char(w->out, '[');
		put_condition(w, c->left);
		buf_char(w->out, ',');
		put_condition(w, c->right);
		buf_z(w->out, "]}");
		return;
	}
	data_write_text(w->out, w->job->roles[c->role].name);
	if (c->kind == CONDITION_DONE)
		buf_printf(w->out, ",\"index\":%lld", (long long)c->index);
	buf_char(w->out, '}');
}

static void put_rule(struct record_writer *w, const char *key, const struct plan_condition *c)
{
	if (!c)
		return;
	put_key(w, key);
	put_condition(w, c);
}

/* Appends the claims that the main container of R mounts: objects that the run waits for. */
static void put_claims(struct record_writer *w, const struct plan_role *r)
{
	bool any = false;

	for (size_t i = 0; i < r->main.nmounts; i++) {
		if (r->main.mounts[i].volume->kind != VOLUME_PVC)
			continue;
		if (!any)
			put_key(w, "claims");
		buf_char(w->out, any ? ',' : '[');
		data_write_text(w->out, r->main.mounts[i].volume->name);
		any = true;
	}
	if (any)
		buf_char(w->out, ']');
}

/* Appends the first and last code of each range: [128,255], [17,17,128,255]. */
static void put_codes(struct record_writer *w, const char *key, const struct plan_codes *c)
{
	bool any = false;

	put_key(w, key);
	buf_char(w->out, '[');
	for (int64_t lo, hi = -1; plan_codes_next(c, &lo, &hi); any = true)
		buf_printf(w->out, "%s%lld,%lld", any ? "," : "", (long long)lo, (long long)hi);
	buf_char(w->out, ']');
}

static void put_plan_role(struct record_writer *w, const struct plan_role *r)
{
	buf_char(w->out, '{');
	w->any = false;
	put_plan_text(w, "name", r->name);
	put_plan_text(w, "object", r->object);
	put_plan_text(w, "label", r->label);
	put_plan_text(w, "container", r->main.name);
	put_true(w, "one_name", r->one_name);
	put_true(w, "in_set", r->in_set);
	put_true(w, "aux", r->aux);
	put_true(w, "endless", r->endless);
	put_true(w, "elastic", r->elastic);
	put_true(w, "unrolled", r->unrolled);
	put_plan_number(w, "min", r->min);
	put_plan_number(w, "max", r->max);
	if (plan_is_sliced(r))
		put_plan_number(w, "slices", r->slices);
	put_plan_text(w, "restart", r->restart.value);
	put_plan_text(w, "on_failed_pod", r->on_failed_pod.value);
	if (r->retries.set) {
		put_key(w, "retries");
		buf_int(w->out, r->retries.value);
	}
	if (r->retry_on.set)
		put_codes(w, "retry_on", &r->retry_on);
	put_duration(w, "grace", &r->grace);
	put_rule(w, "start_after", r->start_after);
	put_claims(w, r);
	buf_char(w->out, '}');
}

void plan_record_write(const struct plan_job *j, struct buf *out)
{
	struct record_writer w = { .job = j, .out = out, .any = true };

	buf_printf(out, "{\"schemaVersion\":%d", RECORD_VERSION);
	put_plan_text(&w, "name", j->name);
	put_plan_text(&w, "framework", j->framework);
	put_plan_text(&w, "hosts", str_of(host_words[j->hosts]));
	put_plan_text(&w, "domain", j->domain);
	put_true(&w, "each_replica", plan_each_replica(j));        /* older versions read this member instead of
								    * "workload" */
	put_plan_text(&w, "workload", str_of(workload_row(j->workload)->kind));
	put_true(&w, "controller", j->controller);
	put_plan_text(&w, "clean", j->clean.value);
	put_plan_text(&w, "queue", j->queue.value);
	put_plan_text(&w, "gang", j->gang.value);
	put_duration(&w, "timeout", &j->timeout);
	put_duration(&w, "ttl", &j->ttl);
	if (j->restarts.set)
		put_plan_number(&w, "restarts", j->restarts.value);
	put_true(&w, "suspend", j->suspend.set && j->suspend.value);
	put_rule(&w, "success", j->success);
	put_rule(&w, "running", j->running);
	put_key(&w, "roles");
	buf_char(out, '[');
	for (size_t i = 0; i < j->nroles; i++) {
		if (i)
			buf_char(out, ',');
		put_plan_role(&w, &j->roles[i]);
	}
	buf_z(out, "]}");
}

/* ---- reading ---- */

struct record_reader {
	struct arena *arena;
	struct plan_job *job;
	struct str why;                 /* the first error; empty: no error has occurred so far */
};

static bool refuse_member(struct record_reader *r, const char *member)
{
	if (!r->why.n)
		r->why = str_printf(r->arena, "'%s' of the run's record is missing or malformed", member);
	return false;
}

static struct str get_text(const struct data *d, const char *key)
{
	const struct data *v = data_get(d, str_of(key));

	return v && v->kind == DATA_STRING ? v->u.string : STR("");
}

static bool get_true(const struct data *d, const char *key)
{
	const struct data *v = data_get(d, str_of(key));

	return v && v->kind == DATA_BOOL && v->u.boolean;
}

static bool get_number(const struct data *d, const char *key, int64_t *ret)
{
	const struct data *v = data_get(d, str_of(key));

	if (v && v->kind == DATA_INT)
		*ret = v->u.integer;
	return v && v->kind == DATA_INT;
}

static struct plan_str get_word(const struct data *d, const char *key)
{
	struct str s = get_text(d, key);

	return (struct plan_str){ .value = s, .set = s.n > 0 };
}

static struct plan_quantity get_duration(const struct data *d, const char *key)
{
	struct plan_quantity q = { 0 };
	int64_t n;

	if (get_number(d, key, &n) && n >= 0) {
		q.value.nano = n;
		q.set = true;
	}
	return q;
}

static bool find_role(const struct plan_job *j, struct str name, unsigned *ret)
{
	for (size_t i = 0; i < j->nroles; i++)
		if (str_eq(j->roles[i].name, name)) {
			*ret = (unsigned)i;
			return true;
		}
	return false;
}

static bool read_condition(struct record_reader *r, const struct data *d, unsigned depth,
	const struct plan_condition **ret)
{
	struct plan_condition *c = ARENA_NEW(r->arena, struct plan_condition);

	*ret = c;
	if (d->kind != DATA_MAP || !d->u.map.n || depth > RECORD_DEEPEST)
		return false;
	const struct data *value = d->u.map.at[0].value;
	for (unsigned k = 0; k < sizeof condition_words / sizeof *condition_words; k++) {
		if (!str_is(d->u.map.at[0].key, condition_words[k]))
			continue;
		c->kind = (enum condition_kind)k;
		if (k < CONDITION_AND) {
			c->index = CONDITION_ALL;
			get_number(d, "index", &c->index);
			return value->kind == DATA_STRING && c->index >= CONDITION_ANY && find_role(r->job,
				value->u.string, &c->role) &&
				c->index < r->job->roles[c->role].max + (r->job->roles[c->role].max == 0);
		}
		return value->kind == DATA_LIST && value->u.list.n == 2 && read_condition(r, value->u.list.at[0],
			depth + 1, &c->left) &&
			read_condition(r, value->u.list.at[1], depth + 1, &c->right);
	}
	return false;
}

static bool read_rule(struct record_reader *r, const struct data *d, const char *key, const struct plan_condition **ret)
{
	const struct data *v = data_get(d, str_of(key));

	*ret = NULL;
	return !v || read_condition(r, v, 0, ret) || refuse_member(r, key);
}

static void read_claims(struct record_reader *r, const struct data *d, struct plan_role *role)
{
	const struct data *list = data_get(d, STR("claims"));

	for (size_t i = 0; list && list->kind == DATA_LIST && i < list->u.list.n; i++) {
		struct plan_volume *v = ARENA_NEW(r->arena, struct plan_volume);
		struct plan_mount m = { .volume = v };
		if (list->u.list.at[i]->kind != DATA_STRING)
			continue;
		*v = (struct plan_volume){ .kind = VOLUME_PVC, .name = list->u.list.at[i]->u.string };
		ARENA_PUSH(r->arena, role->main.mounts, role->main.nmounts, m);
	}
}

/* Reads ranges of codes. Anything but a list of ranges within 0..255 selects no code. */
static void get_codes(const struct data *d, const char *key, struct plan_codes *codes)
{
	const struct data *list = data_get(d, str_of(key));

	for (size_t i = 0; list && list->kind == DATA_LIST && i + 1 < list->u.list.n; i += 2) {
		const struct data *lo = list->u.list.at[i], *hi = list->u.list.at[i + 1];
		if (lo->kind == DATA_INT && hi->kind == DATA_INT && lo->u.integer >= 0 &&
			lo->u.integer <= hi->u.integer && hi->u.integer <= 255)
			plan_codes_add(codes, lo->u.integer, hi->u.integer);
	}
}

/* Reads one role, except `start_after`, which may name roles that come later. */
static bool read_plan_role(struct record_reader *r, const struct data *d, struct plan_role *role)
{
	if (d->kind != DATA_MAP)
		return refuse_member(r, "roles");
	role->name = get_text(d, "name");
	role->object = get_text(d, "object");
	role->label = get_text(d, "label");
	role->main.name = get_text(d, "container");
	role->one_name = get_true(d, "one_name");
	role->in_set = get_true(d, "in_set");
	role->aux = get_true(d, "aux");
	role->endless = get_true(d, "endless");
	role->elastic = get_true(d, "elastic");
	role->unrolled = get_true(d, "unrolled");
	get_number(d, "min", &role->min);
	get_number(d, "max", &role->max);
	get_number(d, "slices", &role->slices);
	role->restart = get_word(d, "restart");
	role->on_failed_pod = get_word(d, "on_failed_pod");
	role->retries.set = get_number(d, "retries", &role->retries.value);
	role->grace = get_duration(d, "grace");
	get_codes(d, "retry_on", &role->retry_on);
	read_claims(r, d, role);
	return (role->name.n && role->object.n && role->min >= 0 && role->max >= role->min &&
		role->max <= RECORD_REPLICAS) || refuse_member(r, "roles");
}

static bool read_roles(struct record_reader *r, const struct data *d)
{
	const struct data *list = data_get(d, STR("roles"));
	struct plan_job *j = r->job;

	if (!list || list->kind != DATA_LIST)
		return refuse_member(r, "roles");
	j->nroles = list->u.list.n;
	j->roles = ARENA_ARRAY(r->arena, struct plan_role, j->nroles);
	for (size_t i = 0; i < j->nroles; i++)
		if (!read_plan_role(r, list->u.list.at[i], &j->roles[i]))
			return false;
	for (size_t i = 0; i < j->nroles; i++)
		if (!read_rule(r, list->u.list.at[i], "start_after", &j->roles[i].start_after))
			return false;
	return true;
}

/* Reads "workload", which older records do not have. */
static enum workload_id get_workload(const struct data *d)
{
	const struct workload *w = workload_named(get_text(d, "workload"));

	if (w && w->id < WORKLOADS)
		return w->id;
	return get_true(d, "each_replica") ? WORKLOAD_POD : WORKLOAD_JOB;
}

static bool read_job(struct record_reader *r, const struct data *d)
{
	struct plan_job *j = r->job;
	struct str hosts = get_text(d, "hosts");

	j->name = get_text(d, "name");
	j->framework = get_text(d, "framework");
	j->domain = get_text(d, "domain");
	for (unsigned i = 0; i < sizeof host_words / sizeof *host_words; i++)
		if (str_is(hosts, host_words[i]))
			j->hosts = (enum host_form)i;
	j->workload = get_workload(d);
	j->controller = get_true(d, "controller");
	j->clean = get_word(d, "clean");
	j->queue = get_word(d, "queue");
	j->gang = get_word(d, "gang");
	j->timeout = get_duration(d, "timeout");
	j->ttl = get_duration(d, "ttl");
	j->restarts.set = get_number(d, "restarts", &j->restarts.value);
	j->suspend.set = j->suspend.value = get_true(d, "suspend");
	if (!j->name.n)
		return refuse_member(r, "name");
	return read_roles(r, d) && read_rule(r, d, "success", &j->success) && read_rule(r, d, "running", &j->running);
}

bool plan_record_read(struct arena *a, const struct data *d, struct plan_job *ret, struct str *why)
{
	struct plan_job job = { 0 };
	struct record_reader r = { .arena = a, .job = &job };
	int64_t version = 0;

	if (d->kind != DATA_MAP || !get_number(d, "schemaVersion", &version) || version != RECORD_VERSION) {
		*why = version > RECORD_VERSION ? STR("a later version of trainc wrote the run's record; use that "
			"version")
		                                : STR("the run's record was not written by trainc");
		return false;
	}
	if (!read_job(&r, d)) {
		*why = r.why;
		return false;
	}
	*ret = job;
	return true;
}
