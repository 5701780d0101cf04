/*
 * cluster_budget_test.c - held jobs of a namespace: the oldest goes on first, in whatever order they were held and
 * let go, and what a pass asks about them costs about the same whether 1,000 or 10,000 jobs are held.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/supervise/budget.h"
#include "unit.h"

enum { FEW = 1000, MANY = 10000, MOST_GROWTH = 40 };

static struct controller control;

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static struct supervised *jobs_new(size_t n)
{
	struct supervised *jobs = memory_resize(NULL, n * sizeof *jobs);

	control = (struct controller){ .budget = 1 << 20, .client.loop = loop_new() };
	struct tenant *t = tenant_of(&control, STR("team"));
	for (size_t i = 0; i < n; i++) {
		memset(&jobs[i], 0, sizeof jobs[i]);
		jobs[i].control = &control;
		jobs[i].tenant = t;
		jobs[i].created = (int64_t)((i * 7919) % n);    /* each time once, in no order */
	}
	return jobs;
}

static void jobs_free(struct supervised *jobs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		budget_unhold(&jobs[i]);
	budget_stop(&control);
	tenants_release(&control);
	loop_release(control.client.loop);
	free(jobs);
}

/* Only the oldest of those that are still held may begin. */
static void oldest_first(void)
{
	size_t n = 211, wrong = 0;
	struct supervised *jobs = jobs_new(n);

	for (size_t i = 0; i < n; i++)
		budget_hold(&jobs[i], 1);
	for (size_t i = 0; i < n; i += 3)       /* some go before their turn, as when they are deleted */
		budget_unhold(&jobs[i]);
	for (size_t left = n - (n + 2) / 3; left; left--) {
		struct supervised *first = NULL;
		for (size_t i = 0; i < n; i++) {
			if (!jobs[i].held_at)
				continue;
			if (!first || jobs[i].created < first->created)
				first = &jobs[i];
		}
		for (size_t i = 0; i < n; i++)
			wrong += jobs[i].held_at && budget_may_begin(&jobs[i], 1) != (&jobs[i] == first);
		budget_unhold(first);
	}
	CHECK(wrong == 0);
	CHECK(control.nheld == 0);
	jobs_free(jobs, n);
}

/* The time in ms in which N jobs are held, asked about, and let go. */
static double time_of(size_t n)
{
	struct supervised *jobs = jobs_new(n);
	double began = cpu_ms();

	for (size_t i = 0; i < n; i++) {
		budget_may_begin(&jobs[i], 1);
		budget_hold(&jobs[i], 1);
	}
	for (size_t i = 0; i < n; i++)
		budget_may_begin(&jobs[i], 1);
	for (size_t i = 0; i < n; i++)
		budget_unhold(&jobs[n - 1 - i]);
	double took = cpu_ms() - began;
	jobs_free(jobs, n);
	return took;
}

static void cost(void)
{
	double few = 0, many = 0;

	for (int i = 0; i < 5; i++) {           /* the least of five: others use the machine, too */
		double a = time_of(FEW), b = time_of(MANY);
		few = !i || a < few ? a : few;
		many = !i || b < many ? b : many;
	}
	CHECK(many < MOST_GROWTH * few);
	if (many >= MOST_GROWTH * few)
		printf("%d: %.2f ms, %d: %.2f ms\n", FEW, few, MANY, many);
}

int main(void)
{
	oldest_first();
	cost();
	return unit_end();
}
