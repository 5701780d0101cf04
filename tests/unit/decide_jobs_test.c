/* decide_jobs_test.c - the order in which roles that are Jobs start and end, as a table. */
#include "unit.h"

#include "data/data_read.h"
#include "runtime/decide/jobs.h"

static const struct plan_condition ps_ready = { .kind = CONDITION_READY, .role = 0, .index = CONDITION_ALL };
static const struct plan_condition workers_done = { .kind = CONDITION_DONE, .role = 1, .index = CONDITION_ALL };

static struct plan_role roles[] = {
	{ .name = { "ps", 2 }, .label = { "ps", 2 }, .object = { "a-ps", 4 }, .main.name = { "main", 4 }, .min = 1,
		.max = 1 },
	{ .name = { "worker", 6 }, .label = { "worker", 6 }, .object = { "a-worker", 8 }, .main.name = { "main", 4 },
		.min = 1, .max = 1, .start_after = &ps_ready },
};
static struct plan_job job = { .name = { "a", 1 }, .roles = roles, .nroles = 2, .success = &workers_done };

/* Decides about two Jobs and their pods, each given as one text: the Jobs by their fields, the pods by their phases. */
static struct str decided(const char *ps, const char *worker, const char *ps_pod, const char *worker_pod)
{
	static struct arena a;
	struct status_objects objects = { 0 };
	struct buf b = { 0 };
	const char *const names[] = { "ps", "worker" }, *const jobs[] = { ps, worker },
		*const pods[] = { ps_pod, worker_pod };

	arena_release(&a);
	buf_z(&b, "{\"kind\":\"List\",\"items\":[{\"kind\":\"ConfigMap\"}");
	for (size_t i = 0; i < 2; i++) {
		bool marked = *jobs[i] == '!' || *jobs[i] == '+' || *jobs[i] == '-';
		const char *mark = !marked ? ""
			: *jobs[i] == '-' ? ",\"annotations\":{\"trainc.dev/ended\":\"true\"}"
			: *jobs[i] == '!' ? ",\"annotations\":{\"trainc.dev/suspended\":\"true\"}"
			: ",\"annotations\":{\"trainc.dev/started\":\"true\"}";
		if (*jobs[i])
			buf_printf(&b, ",{\"kind\":\"Job\",\"apiVersion\":\"batch/v1\",\"metadata\":{\"name\":\"a-%s\",\"uid\":\"u-%s\",\"labels\":{\"trainc.dev/job\":\"a\","
				"\"trainc.dev/role\":\"%s\"}%s},%s}", names[i], names[i], names[i], mark,
				jobs[i] + marked);
		if (*pods[i])
			buf_printf(&b, ",{\"kind\":\"Pod\",\"metadata\":{\"name\":\"a-%s-0-x\",\"labels\":{\"trainc.dev/job\":\"a\",\"trainc.dev/role\":\"%s\","
				"\"trainc.dev/index\":\"0\"}},\"status\":{%s}}", names[i], names[i], pods[i]);
	}
	buf_z(&b, "]}");
	struct source source = { .text = str_copy(&a, buf_text(&b)), .base = 1 };
	struct data_error error;
	struct data *d;
	if (!data_read_json(&a, &source, &d, &error))
		return STR("not JSON");
	status_add(&a, &objects, d);
	struct run_state s = status_of(&a, &job, &objects, INT64_C(1767225600000000000));
	struct jobs_decision all = decide_jobs(&a, &job, &s, &objects);
	b.n = 0;
	for (size_t i = 0; i < all.n; i++)
		buf_printf(&b, "%s %.*s;", all.at[i].what == JOBS_END ? "end" : all.at[i].what == JOBS_MARK ? "mark"
			: "release", STR_ARG(all.at[i].name));
	struct str text = buf_take(&b, &a);
	buf_release(&b);
	return text;
}

#define RUNS "\"spec\":{\"completions\":1,\"parallelism\":1},\"status\":{\"active\":1,\"startTime\":\"2026-01-01T00:00:00Z\"}"
#define HELD "\"spec\":{\"completions\":1,\"parallelism\":1,\"suspend\":true},\"status\":{}"
#define MARKED "!" HELD            /* suspended by `trainc suspend` */
#define STARTED "+" HELD           /* a command that attends the run had started it, then a person suspended it */
#define ENDED "-" RUNS             /* the run has a verdict, perhaps one that no object shows any more */
#define COMPLETE "\"spec\":{\"completions\":1},\"status\":{\"succeeded\":1,\"conditions\":[{\"type\":\"Complete\",\"status\":\"True\"}]}"
#define FAILED "\"spec\":{\"completions\":1},\"status\":{\"failed\":1,\"conditions\":[{\"type\":\"Failed\",\"status\":\"True\"}]}"
#define NEARLY "\"spec\":{\"completions\":1},\"status\":{\"succeeded\":1,\"completedIndexes\":\"0\"}"
#define READY "\"phase\":\"Running\",\"startTime\":\"2026-01-01T00:00:00Z\",\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]," \
	"\"containerStatuses\":[{\"name\":\"main\",\"ready\":true,\"started\":true,\"state\":{\"running\":{\"startedAt\":\"2026-01-01T00:00:00Z\"}}}]"
#define PENDING "\"phase\":\"Pending\""
#define DONE "\"phase\":\"Succeeded\""

int main(void)
{
	CHECK_TEXT(decided(RUNS, HELD, PENDING, ""), "");
	CHECK_TEXT(decided(RUNS, HELD, READY, ""), "release a-worker;");
	CHECK_TEXT(decided(RUNS, RUNS, READY, READY), "");
	CHECK_TEXT(decided(ENDED, RUNS, READY, READY), "end a-ps;");
	CHECK_TEXT(decided(ENDED, ENDED, READY, ""), "end a-ps;end a-worker;");
	CHECK_TEXT(decided(ENDED, HELD, READY, ""), "end a-ps;");       /* no role starts any more */
	CHECK_TEXT(decided(HELD, HELD, READY, ""), "");         /* a person has suspended the whole run */
	/* a person is suspending the whole run; this Job was the first */
	CHECK_TEXT(decided(RUNS, MARKED, READY, ""), "");
	CHECK_TEXT(decided(COMPLETE, MARKED, DONE, ""), "");
	CHECK_TEXT(decided(RUNS, STARTED, READY, ""), "");
	CHECK_TEXT(decided(RUNS, "+" RUNS, READY, READY), "");
	CHECK_TEXT(decided(RUNS, "+" COMPLETE, READY, DONE), "end a-ps;");
	CHECK_TEXT(decided(RUNS, COMPLETE, READY, DONE), "end a-ps;");
	CHECK_TEXT(decided(RUNS, NEARLY, READY, DONE), "end a-ps;");    /* the worker's Job will end by itself */
	/* the worker's pods have ended, but the Job does not say so yet */
	CHECK_TEXT(decided(RUNS, RUNS, READY, DONE), "end a-ps;");
	CHECK_TEXT(decided("", RUNS, "", DONE), "");
	CHECK_TEXT(decided(RUNS, FAILED, READY, ""), "end a-ps;");
	CHECK_TEXT(decided("", COMPLETE, "", DONE), "");
	/* the program or --parallel had suspended the run, and somebody has resumed it */
	job.suspend = (struct plan_bool){ .value = true, .set = true };
	CHECK_TEXT(decided(HELD, HELD, READY, ""), "");
	CHECK_TEXT(decided("", HELD, READY, ""), "");
	CHECK_TEXT(decided(RUNS, HELD, READY, ""), "release a-worker;");
	CHECK_TEXT(decided(RUNS, MARKED, READY, ""), "");
	job.suspend.set = false;
	job.clean = (struct plan_str){ .value = STR("none"), .set = true };
	CHECK_TEXT(decided(RUNS, COMPLETE, READY, DONE), "");
	job.clean.set = false;
	job.clean.value = STR("");
	job.controller = true;
	CHECK_TEXT(decided(RUNS, HELD, READY, ""), "");
	return unit_end();
}
