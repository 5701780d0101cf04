/*
 * fuzz_decide.c - decides about objects of a cluster and a controller's record of a job, both of any shape: nothing
 * crashes, no object of another owner is deleted, and the record is read back as it was written. `status --from`
 * judges the same objects: none of their control characters reaches a terminal.
 *
 * The first byte chooses the job; the first document is the record, and the others are objects.
 */
#include <stdlib.h>

#include "data/data_read.h"
#include "runtime/decide/decide.h"
#include "runtime/run/report.h"
#include "runtime/status/status.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static const int64_t NOW = INT64_C(1700000000) * 1000000000;

static struct plan_role role(const char *name, const char *object, int64_t n)
{
	return (struct plan_role){ .name = str_of(name), .label = str_of(name), .object = str_of(object), .min = n,
		.max = n,
		.main.name = STR("main"), .retries = { .value = 2, .set = true } };
}

static void shape(struct plan_role roles[3], struct plan_job *j, unsigned choice)
{
	static const char *const cleans[] = { "none", "running", "all", "" };

	roles[0] = role("a", "j-a", 3);
	roles[0].elastic = choice & 1;
	roles[0].min = choice & 1 ? 1 : 3;
	roles[1] = role("b", "j-b", 1);
	roles[1].one_name = choice & 2;
	roles[1].replica.job = choice & 4;
	roles[2] = role("c", "j-c", 1);
	roles[2].aux = true;
	roles[2].restart = (struct plan_str){ .value = STR("always"), .set = choice & 8 };
	j->hosts = choice & 16 ? HOSTS_NAME : HOSTS_SUBDOMAIN;
	j->suspend = (struct plan_bool){ .value = true, .set = choice & 32 };
	j->clean.value = str_of(cleans[choice >> 6 & 3]);
	j->timeout = j->ttl = (struct plan_quantity){ .value = { .nano = (int128)60 * 1000000000 }, .set = true };
	j->restarts = (struct plan_int){ .value = 1, .set = true };
}

static struct decide_record again(struct arena *a, struct sources *sources, const struct plan_job *j,
	const struct decide_record *r)
{
	struct decide_record read;
	struct data_error error;
	struct data *d;
	struct buf out = { 0 };

	decide_record_print(r, j, &out);
	struct str text = buf_take(&out, a);
	buf_release(&out);
	if (!data_read_json(a, source_add(sources, STR("record"), text), &d, &error) ||
		!decide_record_read(a, d, j, &read))
		abort();
	return read;
}

static bool is_own(const struct seen_list *seen, const struct decide_action *a)
{
	for (size_t k = 0; k < seen->n; k++)
		if (seen->at[k].owner == OWNER_THIS && str_eq(seen->at[k].uid, a->uid) &&
			str_eq(seen->at[k].name, a->name) && str_eq(seen->at[k].kind, a->kind))
			return true;
	return false;
}

static void one(struct arena *a, struct sources *sources, const struct decide_job *job,
	const struct decide_record *before, const struct seen_list *seen)
{
	struct decision first = decide(a, job, before, seen, NOW);

	for (size_t i = 0; i < first.nactions; i++)
		if (first.actions[i].what == DECIDE_DELETE && !is_own(seen, &first.actions[i]))
			abort();
	struct decide_record kept = again(a, sources, job->plan, &first.record);
	struct decision second = decide(a, job, &first.record, seen, NOW), third = decide(a, job, &kept, seen, NOW);
	if (second.nactions != third.nactions || second.again != third.again ||
		decide_spent(job->plan, &second.record) != decide_spent(job->plan, &third.record))
		abort();
}

/* Writes the verdict in every output format. */
static void report(const struct run_state *s)
{
	static const enum report_form forms[] = { REPORT_TABLE, REPORT_LIST, REPORT_WIDE, REPORT_NAME, REPORT_JSON,
		REPORT_JSON_LINE };
	struct buf out = { .limit = 16 << 20 };

	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		struct report r = { .runs = &s, .n = 1, .form = forms[i], .now = NOW, .width = 100 };
		report_runs(&r, &out);
		report_details(&r, s, &out);
	}
	for (size_t i = 0; i < out.n; i++)
		if (((unsigned char)out.p[i] < ' ' && out.p[i] != '\n') || out.p[i] == 127)
			abort();
	buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct arena a = { 0 };
	struct sources sources = { .arena = &a };
	struct plan_role roles[3];
	struct plan_condition success = { .kind = CONDITION_DONE, .role = 0, .index = CONDITION_ALL };
	struct plan_job j = { .name = STR("j"), .roles = roles, .nroles = 3, .success = &success,
		.workload = WORKLOAD_POD };
	struct decide_job job = { .plan = &j, .kind = STR("Job"), .uid = STR("u"), .controller = STR("us") };
	struct decide_record before = { 0 };
	struct status_objects objects = { 0 };
	struct data_error error;
	struct data *d;
	bool first = true;

	shape(roles, &j, n ? bytes[0] : 0);
	struct source *source = source_add(&sources, STR("objects"),
		(struct str){ (const char *)bytes + (n > 0), n - (n > 0) });
	struct data_reader *r = source ? data_reader_new(&a, source) : NULL;
	while (r && data_next(r, &d, &error) == DATA_DOCUMENT) {
		if (first)
			decide_record_read(&a, d, &j, &before);
		else
			status_add(&a, &objects, d);
		first = false;
	}
	if (r)
		data_reader_release(r);
	struct seen_list seen = decide_see(&a, &job, &objects);
	one(&a, &sources, &job, &before, &seen);
	struct run_state state = status_of(&a, &j, &objects, NOW);
	report(&state);
	arena_release(&a);
	return 0;
}
