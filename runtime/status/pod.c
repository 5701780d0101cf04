/* pod.c - what one pod says: rows S-30 to S-41, and why its container stopped. */
#include "runtime/status/status.h"
#include "runtime/words.h"

#include <signal.h>

static const int64_t PATIENCE = 60 * NS_PER_SECOND;

/* ---- paths ---- */

const struct data *status_path(const struct data *d, const char *path)
{
	while (d && *path) {
		const char *dot = strchr(path, '.');
		struct str key = { path, dot ? (size_t)(dot - path) : strlen(path) };
		d = d->kind == DATA_MAP ? data_get(d, key) : NULL;
		path += key.n + (dot != NULL);
	}
	return d;
}

struct str status_text(const struct data *d, const char *path)
{
	const struct data *v = status_path(d, path);

	return v && v->kind == DATA_STRING ? v->u.string : STR("");
}

int64_t status_number(const struct data *d, const char *path, int64_t otherwise)
{
	const struct data *v = status_path(d, path);

	return v && v->kind == DATA_INT ? v->u.integer : otherwise;
}

static const struct data *list_at(const struct data *d, const char *path)
{
	static const struct data empty = { .kind = DATA_LIST };
	const struct data *v = status_path(d, path);

	return v && v->kind == DATA_LIST ? v : &empty;
}

const struct data *status_condition_true(const struct data *object, const char *type)
{
	const struct data *list = list_at(object, "status.conditions");

	for (size_t i = 0; i < list->u.list.n; i++) {
		const struct data *c = list->u.list.at[i];
		if (str_is(status_text(c, "type"), type) && str_is(status_text(c, "status"), "True"))
			return c;
	}
	return NULL;
}

static const struct data *condition_false(const struct data *object, const char *type)
{
	const struct data *list = list_at(object, "status.conditions");

	for (size_t i = 0; i < list->u.list.n; i++)
		if (str_is(status_text(list->u.list.at[i], "type"), type) && str_is(status_text(list->u.list.at[i], "status"), "False"))
			return list->u.list.at[i];
	return NULL;
}

/* ---- a container that waits ---- */

static bool one_of(struct str s, const char *const *words)
{
	for (; *words; words++)
		if (str_is(s, *words))
			return true;
	return false;
}

static bool holds(struct str text, const char *part) { return memmem(text.p, text.n, part, strlen(part)) != NULL; }

static bool patient(const struct data *pod, int64_t now)
{
	int64_t begin;

	return time_parse(status_text(pod, "metadata.creationTimestamp"), &begin) && now - begin < PATIENCE;
}

/* S-32, S-33, S-34 */
static void waiting(struct pod_view *v, struct arena *a, const struct data *pod, const struct data *container, int64_t now)
{
	static const char *const images[] = { "ErrImagePull", "ImagePullBackOff", NULL };
	static const char *const broken[] = { "InvalidImageName", "ErrImageNeverPull", "CreateContainerConfigError", "CreateContainerError",
		"RunContainerError", NULL };
	struct str reason = status_text(container, "state.waiting.reason"), message = status_text(container, "state.waiting.message");

	if (one_of(reason, images)) {
		bool final = holds(message, "not found") || holds(message, "denied") || holds(message, "unauthorized");
		v->state = final || !patient(pod, now) ? CLUSTER_STALLED : CLUSTER_PENDING;
	} else if (one_of(reason, broken)) {
		v->state = holds(message, "failed to sync") && patient(pod, now) ? CLUSTER_PENDING : CLUSTER_STALLED;
	} else if (str_is(reason, "CrashLoopBackOff")) {
		v->state = v->restarts >= 3 ? CLUSTER_STALLED : CLUSTER_DEGRADED;
	} else {
		return;
	}
	v->cause = str_printf(a, "%.*s%s%.*s", STR_ARG(reason), message.n ? ": " : "", STR_ARG(message));
}

/* ---- a container that ended ---- */

static struct str signal_word(struct arena *a, int code)
{
	const char *name = code > 128 && code < 128 + 65 ? sigabbrev_np(code - 128) : NULL;

	return name ? str_printf(a, "killed by %s", name) : str_printf(a, "exit code %d", code);
}

static void ended(struct pod_view *v, struct arena *a, const struct data *container)
{
	const struct data *end = status_path(container, "state.terminated");
	int code = (int)status_number(end, "exitCode", -1);

	if (!end || code <= 0 || v->exit_code > 0)
		return;
	struct str reason = status_text(end, "reason");
	v->exit_code = code;
	v->signal = code > 128 ? code - 128 : 0;
	v->log = status_text(end, "message");
	time_parse(status_text(end, "finishedAt"), &v->finished);
	bool told = str_is(reason, "OOMKilled") || str_is(reason, "ContainerCannotRun") || str_is(reason, "StartError");
	v->cause = told ? reason : signal_word(a, code);
}

/* The container named like the main one decides; any other one only where that has not failed. */
static void containers(struct pod_view *v, struct arena *a, const struct data *pod, struct str main, int64_t now)
{
	const struct data *list = list_at(pod, "status.containerStatuses");
	bool ready = list->u.list.n > 0;

	v->exit_code = -1;
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < list->u.list.n; i++) {
			const struct data *c = list->u.list.at[i], *is_ready = status_path(c, "ready");
			if (str_eq(status_text(c, "name"), main) == (pass != 0))
				continue;
			v->restarts += status_number(c, "restartCount", 0);
			ready = ready && is_ready && is_ready->kind == DATA_BOOL && is_ready->u.boolean;
			waiting(v, a, pod, c, now);
			ended(v, a, c);
		}
	v->ready = ready;
}

/* Before its containers: the pod's own reason, then a disruption (the order of section 4). */
static void own_reason(struct pod_view *v, struct arena *a, const struct data *pod)
{
	struct str reason = status_text(pod, "status.reason"), message = status_text(pod, "status.message");
	const struct data *disruption = status_condition_true(pod, "DisruptionTarget");

	if (reason.n)
		v->cause = str_printf(a, "%.*s%s%.*s", STR_ARG(reason), message.n ? ": " : "", STR_ARG(message));
	else if (disruption)
		v->cause = str_printf(a, "disrupted: %.*s", STR_ARG(status_text(disruption, "reason")));
}

/* S-30, S-31 */
static bool unscheduled(struct pod_view *v, struct arena *a, const struct data *pod, int64_t now)
{
	const struct data *c = condition_false(pod, "PodScheduled");

	if (!c)
		return false;
	struct str reason = status_text(c, "reason"), message = status_text(c, "message");
	v->state = str_is(reason, "SchedulingGated") ? CLUSTER_QUEUED : patient(pod, now) ? CLUSTER_PENDING : CLUSTER_STALLED;
	v->cause = str_printf(a, "%.*s%s%.*s", STR_ARG(reason), message.n ? ": " : "", STR_ARG(message));
	return true;
}

struct pod_view pod_judge(struct arena *a, const struct data *pod, struct str container, int64_t now)
{
	struct pod_view v = { .name = status_text(pod, "metadata.name"), .state = CLUSTER_PENDING };
	struct str phase = status_text(pod, "status.phase");

	v.deleting = status_text(pod, "metadata.deletionTimestamp").n > 0;
	containers(&v, a, pod, container, now);
	v.running = str_is(phase, "Running");
	v.succeeded = str_is(phase, "Succeeded");
	v.failed = str_is(phase, "Failed") || (v.running && v.deleting);        /* operator-semantics.md, section 8 */
	if (v.deleting && v.running)
		v.running = false;
	if (v.succeeded)
		v.state = CLUSTER_SUCCEEDED;                                    /* S-39 */
	else if (str_is(phase, "Failed"))
		v.state = CLUSTER_FAILED;                                       /* S-40 */
	else if (str_is(phase, "Unknown"))
		v.state = CLUSTER_UNKNOWN;                                      /* S-41 */
	else if (v.running && v.state == CLUSTER_PENDING)
		v.state = v.ready ? CLUSTER_RUNNING : CLUSTER_STARTING;         /* S-37, S-38 */
	else if (!v.running && !v.cause.n)
		unscheduled(&v, a, pod, now);
	if (v.failed)
		own_reason(&v, a, pod);
	return v;
}
