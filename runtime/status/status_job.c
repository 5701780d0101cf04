/* status_job.c - judges one Job. See docs/status.md. */
#include "runtime/status/status_job.h"

#include "base/words.h"

static const int64_t TAKEN_UP = 10 * NS_PER_SECOND, SILENT = 30 * NS_PER_SECOND, FRESH = 60 * NS_PER_SECOND;

int phase_rank(enum run_phase phase)
{
	static const int ranks[] = {
		[RUN_FAILED] = 0, [RUN_FAILING] = 1, [RUN_STALLED] = 2, [RUN_UNKNOWN] = 3, [RUN_DEGRADED] = 4,
			[RUN_TERMINATING] = 4,
		[RUN_SUSPENDED] = 5, [RUN_QUEUED] = 5, [RUN_PENDING] = 6, [RUN_STARTING] = 7, [RUN_RUNNING] = 8,
			[RUN_COMPLETING] = 9,
		[RUN_SUCCEEDED] = 10, [RUN_ABSENT] = 11,
	};

	return ranks[phase];
}

void job_indexes(struct str text, int64_t n, void (*mark)(void *context, int64_t index), void *context)
{
	for (size_t i = 0; i < text.n;) {
		int64_t bounds[2] = { 0, -1 };
		for (int k = 0; k < 2; k++) {
			int64_t value = 0;
			for (; i < text.n && text.p[i] >= '0' && text.p[i] <= '9'; i++)
				value = value < n ? 10 * value + (text.p[i] - '0') : n;
			bounds[k] = value;
			if (i >= text.n || text.p[i] != '-' || k == 1) {
				bounds[1] = value;
				break;
			}
			i++;
		}
		for (int64_t k = bounds[0]; k <= bounds[1] && k < n; k++)
			mark(context, k);
		i++;
	}
}

static struct job_view view(enum run_phase phase, struct str cause, int64_t since)
{
	return (struct job_view){ .phase = phase, .cause = cause, .since = since };
}

static struct job_view by_condition(struct arena *a, const struct data *c, enum run_phase phase)
{
	return view(phase, text_cause(a, status_text(c, "reason"), status_text(c, "message")),
		status_time(c, "lastTransitionTime"));
}

/* The Job failed. Names the indexes that failed. */
static struct job_view failed_view(struct arena *a, const struct data *job, const struct data *c, enum run_phase phase)
{
	struct job_view v = by_condition(a, c, phase);
	struct str indexes = text_line(a, status_text(job, "status.failedIndexes"));

	if (indexes.n)
		v.cause = str_printf(a, "%.*s; failed indexes %.*s", STR_ARG(v.cause), STR_ARG(indexes));
	return v;
}

bool job_is_held(const struct data *job)
{
	return status_true(job, "spec.suspend") && (status_annotation(job, SUSPENDED_ANNOTATION).n ||
		status_annotation(job, STARTED_ANNOTATION).n);
}

/* The Job is suspended. Names the client that set the field last. */
static struct job_view suspended(struct arena *a, const struct data *job)
{
	const struct data *c = status_condition_true(job, "Suspended"),
		*list = status_list(job, "metadata.managedFields");
	struct str who = STR("");

	for (size_t i = 0; i < list->u.list.n; i++)
		if (status_path(status_path(list->u.list.at[i], "fieldsV1"), "f:spec.f:suspend"))
			who = status_text(list->u.list.at[i], "manager");
	struct job_view v = view(RUN_SUSPENDED, who.n ? str_printf(a, "by %.*s", STR_ARG(text_line(a, who))) : STR(""),
		status_time(c, "lastTransitionTime"));
	v.suspended = true;
	if (status_label(job, "kueue.x-k8s.io/queue-name").n)
		/* a queue holds the Job back */
		v = (struct job_view){ .phase = RUN_QUEUED, .suspended = true, .since = v.since,
			.cause = str_printf(a, "waits in the queue '%.*s'",
			STR_ARG(text_line(a, status_label(job, "kueue.x-k8s.io/queue-name")))) };
	return v;
}

/* Decides by the Job's conditions; false when they decide nothing. */
static bool decided(struct arena *a, const struct data *job, struct job_view *ret)
{
	static const struct {
		const char *type;
		enum run_phase phase;
	} finals[] = { { "Failed", RUN_FAILED }, { "FailureTarget", RUN_FAILING }, { "Complete", RUN_SUCCEEDED },
		{ "SuccessCriteriaMet", RUN_COMPLETING } };
	const struct data *c;

	for (size_t i = 0; i < sizeof finals / sizeof *finals; i++)
		if ((c = status_condition_true(job, finals[i].type))) {
			*ret = i < 2 ? failed_view(a, job, c, finals[i].phase) : by_condition(a, c, finals[i].phase);
			return true;
		}
	if (status_text(job, "metadata.deletionTimestamp").n) {
		*ret = view(RUN_TERMINATING, status_deletion(a, job), status_time(job, "metadata.deletionTimestamp"));
		return true;
	}
	if (status_true(job, "spec.suspend")) {
		*ret = suspended(a, job);
		return true;
	}
	return false;
}

/* Another controller runs the Job, and has not reported anything yet. */
static bool unmanaged(struct arena *a, const struct data *job, int64_t age, struct job_view *ret)
{
	struct str by = status_text(job, "spec.managedBy");
	const struct data *status = status_path(job, "status");
	bool silent = !status || status->kind != DATA_MAP || !status->u.map.n;

	if (!by.n || str_is(by, "kubernetes.io/job-controller") || !silent || age < SILENT)
		return false;
	*ret = view(RUN_UNKNOWN, str_printf(a, "the controller '%.*s', which should run it, has reported nothing",
		STR_ARG(text_line(a, by))), 0);
	return true;
}

/*
 * The newest event that says that pods cannot be created, if it is newer than the last pod; else NULL. Events of an
 * earlier Job of that name, and events from before the Job was suspended or resumed, no longer count.
 */
static const struct event *refused(const struct events *events, const struct data *job)
{
	static const char *const no[] = { "FailedCreate", NULL }, *const yes[] = { "SuccessfulCreate", NULL };
	struct str name = status_text(job, "metadata.name");
	const struct event *failure = events_newest(events, STR("Job"), name, no),
		*success = events_newest(events, STR("Job"), name, yes);
	int64_t begins[] = { status_time(job, "metadata.creationTimestamp"), status_time(job, "status.startTime"),
		status_time(status_condition(job, "Suspended"), "lastTransitionTime"),
		success ? success->time + 1 : 0 };

	for (size_t i = 0; failure && i < sizeof begins / sizeof *begins; i++)
		if (failure->time < begins[i])
			return NULL;
	return failure;
}

/*
 * Why pods are refused, from a message such as `Error creating: pods "bert-worker-1-5kpb4" is forbidden: exceeded
 * quota: ...`. The pod's name is left out, because it differs in each attempt and the cause would change all the time.
 */
static struct str why_refused(struct str message)
{
	struct str s = message, creating = STR("Error creating: "), forbidden = STR("\" is forbidden: ");

	if (str_starts(s, creating))
		s = (struct str){ s.p + creating.n, s.n - creating.n };
	const char *at = str_starts(s, STR("pods \"")) ? memmem(s.p, s.n, forbidden.p, forbidden.n) : NULL;

	return at ? (struct str){ at + forbidden.n, (size_t)(s.p + s.n - at) - forbidden.n } : s;
}

struct job_view job_judge(struct arena *a, const struct data *job, const struct crowd *pods,
	const struct events *events, int64_t now)
{
	int64_t made = status_time(job, "metadata.creationTimestamp"), age = made ? now - made : 0;
	int64_t parallelism = status_number(job, "spec.parallelism", 1);
	int64_t succeeded = status_number(job, "status.succeeded", pods->succeeded);
	int64_t left = status_number(job, "spec.completions", parallelism) - succeeded;
	int64_t expected = parallelism < left ? parallelism : left,
		ready = status_number(job, "status.ready", pods->ready);
	bool started = status_text(job, "status.startTime").n,
		any = pods->seen || status_number(job, "status.active", 0);
	struct job_view v;

	if (decided(a, job, &v) || unmanaged(a, job, age, &v))
		return v;
	if (!started && !any && age < TAKEN_UP)
		/* no controller has reported about the Job yet */
		return view(RUN_PENDING, STR("was just created"), made);
	const struct event *e = pods->active + pods->succeeded < parallelism ?
		refused(events, job) : NULL;
	if (e)
		/* the Job's pods cannot be created */
		return view(RUN_STALLED, text_cause(a, e->reason, why_refused(e->message)), e->time);
	if (phase_rank(pods->phase) < phase_rank(RUN_STARTING))
		/* the phase of the pods decides */
		return view(pods->phase, pods->cause, 0);
	ready += pods->over;            /* they no longer count as ready, and do not count as succeeded yet */
	bool fresh = pods->restarted && now - pods->restarted < FRESH;
	/* fewer pods are ready than expected */
	if (ready < expected && !fresh)
		return view(RUN_STARTING, pods->cause.n ? pods->cause : !any ? STR("no pods yet") :
			str_printf(a, "%lld/%lld ready", (long long)ready, (long long)expected), 0);
	if (fresh)
		return view(RUN_DEGRADED, str_printf(a, "restarted less than a minute ago: %.*s",
			STR_ARG(pods->restarting)), pods->restarted);
	/* everything is as expected */
	return view(RUN_RUNNING, STR(""), 0);
}
