/* pod_spans.c - the life of one pod as spans of time: waiting for a node, starting, running, ending. */
#include "runtime/status/pod.h"

struct spans {
	struct arena *arena;
	struct run_span **at;
	size_t *n;
};

/*
 * Adds a span; spans without a length are left out, except ends, since a container may fail within the second in which
 * it started.
 */
static void add_span(struct spans *s, enum span_kind kind, int64_t begin, int64_t end)
{
	struct run_span new = { kind, begin, end };

	if (begin && (!end || end > begin || kind >= SPAN_SUCCEEDED))
		ARENA_PUSH(s->arena, *s->at, *s->n, new);
}

static const struct data *container_status(const struct data *pod, struct str name)
{
	const struct data *list = status_list(pod, "status.containerStatuses");

	for (size_t i = 0; i < list->u.list.n; i++)
		if (str_eq(status_text(list->u.list.at[i], "name"), name))
			return list->u.list.at[i];
	return NULL;
}

static enum span_kind span_of_end(const struct data *pod, int64_t code)
{
	bool asked = status_text(pod, "metadata.deletionTimestamp").n && (code == 143 || code == 137);

	return code == 0 ? SPAN_SUCCEEDED : asked ? SPAN_STOPPED : SPAN_FAILED;
}

static int64_t later_of(int64_t a, int64_t b) { return a > b ? a : b; }

/*
 * Adds the spans of the container since FROM. An attempt without an end time ends at OVER; OVER is 0 if that time is
 * unknown.
 */
static void add_attempts(struct spans *s, const struct data *pod, const struct data *c, int64_t from, int64_t over)
{
	const struct data *last = status_path(c, "lastState.terminated"), *end = status_path(c, "state.terminated");
	int64_t begun = status_time(c, end ? "state.terminated.startedAt" : "state.running.startedAt");

	if (last) {
		int64_t first = status_time(last, "startedAt");
		add_span(s, status_number(c, "restartCount", 1) > 1 ? SPAN_EARLIER : SPAN_STARTING, from, first);
		add_span(s, span_of_end(pod, status_number(last, "exitCode", -1)), first,
			later_of(first, status_time(last, "finishedAt")));
		from = status_time(last, "finishedAt");
	}
	if (!end && !begun) {
		add_span(s, last ? SPAN_PENDING : SPAN_STARTING, from, over);
		return;
	}
	add_span(s, last ? SPAN_PENDING : SPAN_STARTING, from, begun);
	if (end)
		add_span(s, span_of_end(pod, status_number(end, "exitCode", -1)), begun ? begun : from,
			later_of(begun, status_time(end, "finishedAt")));
	else
		add_span(s, over ? SPAN_STOPPED : SPAN_RUNNING, begun, over);
}

/* The end of a pod whose container has no end time: the last time in the pod's conditions. */
static int64_t over_since(const struct data *pod)
{
	struct str phase = status_text(pod, "status.phase");
	const struct data *ready = status_condition(pod, "Ready");

	if (!str_is(phase, "Failed") && !str_is(phase, "Succeeded"))
		return 0;
	return later_of(status_time(ready, "lastTransitionTime"), status_time(pod, "metadata.creationTimestamp"));
}

void pod_spans(struct arena *a, const struct data *pod, struct str container, struct run_span **at, size_t *n)
{
	struct spans s = { a, at, n };
	const struct data *scheduled = status_condition_true(pod, "PodScheduled"),
		*c = container_status(pod, container);
	int64_t made = status_time(pod, "metadata.creationTimestamp"), over = over_since(pod);
	int64_t placed = scheduled ? status_time(scheduled, "lastTransitionTime") :
		status_time(pod, "status.startTime");

	if (!placed) {
		add_span(&s, SPAN_PENDING, made, over);
		return;
	}
	add_span(&s, SPAN_PENDING, made, placed);
	add_attempts(&s, pod, c, placed, over);
}
