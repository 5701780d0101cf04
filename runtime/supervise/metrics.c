/* metrics.c - one table of all counters, in the order in which the page lists them. */
#include "runtime/supervise/metrics.h"

#include <stddef.h>

#include "base/words.h"

static const double bounds[METRICS_BUCKETS - 1] = { 0.001, 0.005, 0.02, 0.1, 0.5, 2, 10 };

static const struct row {
	const char *name, *help;
	size_t at;
	bool gauge;
} rows[] = {
	{ "trainc_passes_failed", "passes that ended with an error and are repeated",
		offsetof(struct metrics, passes_failed), false },
	{ "trainc_objects_created", "pods, Services and other objects created", offsetof(struct metrics, created),
		false },
	{ "trainc_objects_deleted", "pods, Services, Jobs and Deployments deleted", offsetof(struct metrics, deleted),
		false },
	{ "trainc_jobs_released", "Jobs of runs resumed because their turn had come",
		offsetof(struct metrics, released), false },
	{ "trainc_jobs_refused", "custom resources that do not compile", offsetof(struct metrics, refused), false },
	{ "trainc_records_not_vouched", "records of runs that say what no live Job vouches for",
		offsetof(struct metrics, doubted), false },
	{ "trainc_jobs_succeeded", "jobs and runs that have succeeded", offsetof(struct metrics, succeeded), false },
	{ "trainc_jobs_failed", "jobs and runs that have failed", offsetof(struct metrics, failed), false },
	{ "trainc_jobs_restarted", "times that a job began to restart", offsetof(struct metrics, restarted), false },
	{ "trainc_events", "Events written", offsetof(struct metrics, events), false },
	{ "trainc_events_dropped", "Events left out because their object had too many",
		offsetof(struct metrics, events_dropped), false },
	{ "trainc_queue_added", "items added to the queue", offsetof(struct metrics, queue_added), false },
	{ "trainc_queue_retried", "items added again after a failure", offsetof(struct metrics, queue_retried),
		false },
	{ "trainc_requests", "requests to the API server", offsetof(struct metrics, requests), false },
	{ "trainc_request_failures", "requests without an answer", offsetof(struct metrics, request_failures), false },
	{ "trainc_request_retries", "requests that were repeated", offsetof(struct metrics, request_retries), false },
	{ "trainc_connections", "connections opened to the API server", offsetof(struct metrics, connections), false },
	{ "trainc_queue_depth", "items that wait for a pass", offsetof(struct metrics, queue_depth), true },
	{ "trainc_jobs", "jobs and runs under supervision", offsetof(struct metrics, jobs), true },
	{ "trainc_objects", "objects of jobs and runs that are known", offsetof(struct metrics, objects), true },
};

void metrics_pass(struct metrics *m, int64_t ns, bool ok)
{
	double seconds = (double)ns / 1e9;
	size_t i = 0;

	while (i < METRICS_BUCKETS - 1 && seconds > bounds[i])
		i++;
	m->buckets[i]++;
	m->seconds += seconds;
	m->passes++;
	m->passes_failed += !ok;
}

static void put_passes(const struct metrics *m, struct buf *out)
{
	uint64_t sum = 0;

	buf_z(out,
		"# TYPE trainc_pass_seconds histogram\n# HELP trainc_pass_seconds how long a pass over one job took\n");
	for (size_t i = 0; i < METRICS_BUCKETS; i++) {
		sum += m->buckets[i];
		if (i < METRICS_BUCKETS - 1)
			buf_printf(out, "trainc_pass_seconds_bucket{le=\"%g\"} %llu\n", bounds[i],
				(unsigned long long)sum);
	}
	buf_printf(out, "trainc_pass_seconds_bucket{le=\"+Inf\"} %llu\ntrainc_pass_seconds_count %llu\n"
		"trainc_pass_seconds_sum %.6f\n",
		(unsigned long long)m->passes, (unsigned long long)m->passes, m->seconds);
}

enum kind_value { KIND_SKIPPED, KIND_USELESS, KIND_LIVE };

static void put_kinds(const struct metrics *m, enum kind_value which, struct buf *out)
{
	static const char *const names[] = { "trainc_objects_skipped", "trainc_objects_useless", "trainc_watch_live" };
	static const char *const help[] = { "objects that could not be used, each version once",
		"objects that cannot be used now", "1 while the watch is live" };

	buf_printf(out, "# TYPE %s %s\n# HELP %s %s\n", names[which], which ? "gauge" : "counter", names[which],
		help[which]);
	for (size_t i = 0; i < m->nkinds; i++) {
		const struct metrics_kind *k = &m->kinds[i];
		uint64_t value = which == KIND_SKIPPED ? k->skipped : which == KIND_USELESS ? k->useless : k->live;
		buf_printf(out, "%s%s{kind=\"%.*s\",of=\"%s\"} %llu\n", names[which], which ? "" : "_total",
			STR_ARG(k->kind), k->of, (unsigned long long)value);
	}
}

void metrics_page(const struct metrics *m, struct buf *out)
{
	put_passes(m, out);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct row *r = &rows[i];
		uint64_t value = *(const uint64_t *)(const void *)((const char *)m + r->at);
		buf_printf(out, "# TYPE %s %s\n# HELP %s %s\n%s%s %llu\n", r->name, r->gauge ? "gauge" : "counter",
			r->name, r->help, r->name, r->gauge ? "" : "_total", (unsigned long long)value);
	}
	put_kinds(m, KIND_SKIPPED, out);
	put_kinds(m, KIND_USELESS, out);
	put_kinds(m, KIND_LIVE, out);
	buf_printf(out, "# TYPE trainc_leader gauge\n# HELP trainc_leader 1 while this process may write\n"
		"trainc_leader %d\n# EOF\n", m->leader);
}
