/*
 * fuzz_fit.c - reads the objects of `fit --nodes`: nodes, pods, quotas and queues of a cluster, as documents of JSON or
 * YAML. Objects of the same input are also the objects of a job whose pods are placed.
 *
 * What must hold: a job that does not fit has a reason on one line, a job that fits has none, and the answer is the
 * same for the same objects written as JSON and given in a list.
 */
#include "fuzz.h"
#include "runtime/fit/capacity.h"
#include "runtime/status/look.h"
#include "runtime/status/status.h"

enum { OBJECTS = 64 };

static const char job_text[] =
	"{\"kind\":\"Job\",\"apiVersion\":\"batch/v1\",\"metadata\":{\"name\":\"j\"},\"spec\":{\"parallelism\":3,"
	"\"completions\":3,\"template\":{\"metadata\":{\"labels\":{\"trainc.dev/role\":\"worker\"}},\"spec\":{"
	"\"containers\":[{\"name\":\"main\",\"resources\":{\"requests\":{\"cpu\":\"2\",\"memory\":\"4Gi\","
	"\"example.com/gpu\":\"1\"}}}]}}}}";

/* What `fit --all` counts: no amount is negative, and nobody has a place behind the last one. */
static void check_capacity(struct arena *a, const struct status_objects *objects)
{
	static const char *const kinds[] = { [CAPACITY_NODES] = "Node", [CAPACITY_PODS] = "Pod",
		[CAPACITY_QUOTAS] = "ResourceQuota", [CAPACITY_LOCAL_QUEUES] = "LocalQueue",
		[CAPACITY_QUEUES] = "ClusterQueue", [CAPACITY_WORKLOADS] = "Workload" };
	struct capacity c = capacity_new(a, NULL);

	for (size_t i = 0; i < objects->n; i++)
		for (enum capacity_kind k = 0; k < CAPACITY_KINDS; k++)
			if (str_is(status_text(objects->at[i], "kind"), kinds[k]))
				capacity_add(&c, k, objects->at[i]);
	capacity_finish(&c);
	struct capacity_rows rows = capacity_rows(&c);
	for (size_t i = 0; i < rows.n; i++)
		fuzz_require(rows.at[i].all >= 0 && rows.at[i].used >= 0 && rows.at[i].free >= 0 &&
			rows.at[i].most <= rows.at[i].free);
	for (size_t i = 0; i < c.nwaiting; i++)
		fuzz_require(c.waiting[i].place <= c.waiting[i].of);
}

/* The answer about a job that consists of the object JOB (NULL: of the objects of the input) and waits in QUEUE. */
static struct str judged(struct arena *a, const struct status_objects *objects, const struct data *job,
	const char *queue)
{
	struct fit_cluster c = fit_cluster_of(a, objects);
	struct fit_job fit = { .name = STR("j"), .ns = STR("default"), .queue = str_of(queue) };

	if (job)
		fit_add_object(a, &c.resources, job, &fit);
	for (size_t i = 0; !job && i < objects->n; i++)
		fit_add_object(a, &c.resources, objects->at[i], &fit);
	struct fit_answer x = fit_judge(&c, &fit);
	fuzz_require((x.when == FIT_NOW) == !x.why.n && fuzz_is_line(x.why));
	return str_printf(a, "%s %.*s", fit_word(x.when), STR_ARG(x.why));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct arena a = { 0 };
	struct source source = { .text = fuzz_input(&a, bytes, n), .base = 1 };
	struct status_objects objects = { 0 }, again = { 0 };
	struct data_reader *r = data_reader_new(&a, &source);
	struct data_error error;
	struct data *d;
	struct buf list = { 0 };

	while (data_next(r, &d, &error) == DATA_DOCUMENT && objects.n < OBJECTS)
		status_add(&a, &objects, d);
	data_reader_release(r);
	buf_z(&list, "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[");
	for (size_t i = 0; i < objects.n; i++) {
		buf_z(&list, i ? "," : "");
		data_write(&list, objects.at[i]);
	}
	buf_z(&list, "]}");
	d = fuzz_json(&a, fuzz_taken(&a, &list));
	if (d)
		status_add(&a, &again, d);
	check_capacity(&a, &objects);
	const struct data *job = fuzz_json(&a, str_of(job_text));
	for (const char *queue = "q"; queue; queue = *queue ? "" : NULL) {
		struct str first = judged(&a, &objects, job, queue);
		fuzz_require(!d || again.n != objects.n || str_eq(first, judged(&a, &again, job, queue)));
		judged(&a, &objects, NULL, queue);
	}
	arena_release(&a);
	return 0;
}
