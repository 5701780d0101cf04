/* pod.c - judges one pod. See docs/status.md. */
#include "runtime/status/pod.h"

#include "base/words.h"

/* exit codes after KILL and TERM */
enum { KILLED = 128 + 9, TERMINATED = 128 + 15 };
/* how long before the end of a container its failed probe was reported; clocks of nodes differ a little */
static const int64_t GRACE = 120 * NS_PER_SECOND, SKEW = 2 * NS_PER_SECOND;
static const int64_t SYNC_PATIENCE = 30 * NS_PER_SECOND, PATIENCE = 60 * NS_PER_SECOND,
	NO_PROGRESS = 300 * NS_PER_SECOND;

struct judging {
	struct arena *arena;
	const struct data *pod;
	struct str name, main;          /* name of the pod, and of the main container, whose state decides */
	const struct events *events;
	int64_t now, since;             /* current time, and start of the waiting time: when a node accepted the pod,
					 * else when the pod was created */
	struct pod_view *view;
};

static void say_pod(struct judging *j, enum run_phase phase, struct str reason, struct str message)
{
	j->view->phase = phase;
	j->view->reason = reason;
	j->view->cause = text_cause(j->arena, reason, message);
}

/* Is the container a sidecar, which starts before the others and does not end? */
static bool is_sidecar(const struct data *pod, struct str name)
{
	const struct data *list = status_list(pod, "spec.initContainers");

	for (size_t i = 0; i < list->u.list.n; i++)
		if (str_eq(status_text(list->u.list.at[i], "name"), name))
			return str_is(status_text(list->u.list.at[i], "restartPolicy"), "Always");
	return false;
}

/* WHAT about a container. Only the main container, which people mean by the replica, is not named. */
static struct str about(struct judging *j, const struct data *container, bool init, struct str what)
{
	struct str name = status_text(container, "name");

	if (!init && (str_eq(name, j->main) || !name.n))
		return what;
	return str_printf(j->arena, "%s '%.*s': %.*s", !init ? "container" : is_sidecar(j->pod, name) ? "sidecar" :
		"init container", STR_ARG(name), STR_ARG(what));
}

/* ---- a container that waits ---- */

static bool gone_for_good(struct str message)
{
	static const char *const final[] = { "not found", "denied", "unauthorized", "401 Unauthorized",
		"403 Forbidden", "manifest unknown", "name unknown" };

	for (size_t i = 0; i < sizeof final / sizeof *final; i++)
		if (text_holds(message, final[i]))
			return true;
	return false;
}

/*
 * Removes a step from the beginning of MESSAGE: the text BEGIN, and everything up to and including the text END.
 * Returns false if MESSAGE does not begin with such a step.
 */
static bool drop_step(struct str *message, const char *begin, const char *end)
{
	size_t n = strlen(begin), m = strlen(end);
	const char *at = str_starts(*message, str_of(begin)) ? memmem(message->p + n, message->n - n, end, m) : NULL;

	if (!at)
		return false;
	message->n -= (size_t)(at + m - message->p);
	message->p = at + m;
	return true;
}

/*
 * Removes one step from the beginning of MESSAGE. Steps of the kubelet come first, then steps of containerd, CRI-O and
 * Docker.
 */
static bool drop_any_step(struct str *message)
{
	static const struct {
		const char *begin, *end;
	} steps[] = { { "(combined from similar events): ", "" }, { "Back-off pulling image \"", "\": " },
		{ "Failed to pull image \"", "\": " }, { "ErrImagePull: ", "" },
		{ "rpc error: code = ", " desc = " },
		{ "failed to pull and unpack image \"", "\": " }, { "failed to resolve reference \"", "\": " },
		{ "failed to do request: Head \"", "\": " },
		{ "unable to pull image or OCI artifact: pull image err: ", "" },
		{ "initializing source docker://", ": " }, { "pinging container registry ", ": " },
		{ "reading manifest ", ": " }, { "Error reading manifest ", ": " },
		{ "Error response from daemon: ", "" } };

	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
		if (drop_step(message, steps[i].begin, steps[i].end))
			return true;
	return false;
}

/*
 * The message of a container runtime without the steps that lead to the failure. Each step repeats the image, as in
 * 'failed to pull and unpack image "a:1": failed to resolve reference "a:1": a:1: not found'. CRI-O then also tries to
 * pull the image as an OCI artifact, and repeats the message for that attempt.
 */
static struct str image_words(struct str message)
{
	const char *again = memmem(message.p, message.n, "; artifact err: ", 16);

	if (again && text_holds(message, "pull image err: "))
		message.n = (size_t)(again - message.p);
	while (drop_any_step(&message))
		;
	return message;
}

/* The end of a long text, from a word on: the error is at the end of a traceback, so the beginning is cut. */
static struct str text_end(struct arena *a, struct str text)
{
	enum { SHOWN = 160 };

	if (text.n <= SHOWN)
		return text;
	struct str end = { text.p + text.n - SHOWN, SHOWN };
	const char *blank = memchr(end.p, ' ', end.n);
	if (blank)
		return str_cat(a, STR("..."), (struct str){ blank + 1, end.n - (size_t)(blank - end.p) - 1 }, STR(""));
	while (end.n && ((unsigned char)*end.p & 0xC0) == 0x80)         /* do not begin within a character */
		end = (struct str){ end.p + 1, end.n - 1 };
	return str_cat(a, STR("..."), end, STR(""));
}

/*
 * The probe for which the kubelet has killed a container, whose end is END: it says so shortly before. Empty: the
 * container ended by itself, or for another reason.
 */
static struct str probe_that_killed(struct judging *j, const struct data *end)
{
	static const char *const unhealthy[] = { "Unhealthy", NULL };
	static const char *const words[] = { "Liveness probe failed", "Startup probe failed" };
	const struct event *e = events_newest(j->events, STR("Pod"), j->name, unhealthy);
	int64_t code = status_number(end, "exitCode", 0), finished = status_time(end, "finishedAt");

	if (!e || (code != KILLED && code != TERMINATED) || e->time > finished + SKEW || finished - e->time > GRACE)
		return STR("");
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_starts(e->message, str_of(words[i])))
			return str_of(words[i]);
	return STR("");
}

/* Says how the previous run of a container in a restart loop ended. */
static struct str last_end(struct judging *j, const struct data *container)
{
	const struct data *end = status_path(container, "lastState.terminated");
	struct str reason = status_text(end, "reason");
	int64_t code = status_number(end, "exitCode", -1);

	if (!end)
		return status_text(container, "state.waiting.message");
	struct str probe = probe_that_killed(j, end);
	if (probe.n || str_is(reason, "Error")) /* the code says as much */
		reason = probe;
	struct str why = str_printf(j->arena, "exit code %lld%s%.*s", (long long)code, reason.n ? ", " : "",
		STR_ARG(reason));
	struct last_words words = { 0 };
	struct str told = text_line(j->arena, status_text(end, "message"));
	if (last_words_read(j->arena, status_text(end, "message"), status_time(end, "finishedAt"), &words))
		return text_cause(j->arena, why, words.text);
	return text_cause(j->arena, why, text_end(j->arena, told));
}

/* A container that waits for an image. */
static void waiting_image(struct judging *j, const struct data *container, struct str reason, struct str message)
{
	static const char *const failed[] = { "Failed", NULL };
	const struct event *e = events_newest(j->events, STR("Pod"), j->name, failed);

	/* a back-off does not say why the pull failed; the preceding event does */
	if (e && !gone_for_good(message))
		message = e->message;
	message = image_words(message);
	struct str image = status_text(container, "image");
	if (image.n && !(message.n && memmem(message.p, message.n, image.p, image.n)))
		message = text_cause(j->arena, image, message);
	say_pod(j, gone_for_good(message) || j->now - j->since >= PATIENCE ? RUN_STALLED : RUN_PENDING, reason,
		message);
}

/*
 * Judges a container that waits. It may wait for another one, or for its start, without a problem; any other reason is
 * shown, and stalls the pod when it has lasted for a minute.
 */
static void waiting(struct judging *j, const struct data *container, bool init)
{
	static const char *const images[] = { "ErrImagePull", "ImagePullBackOff", "RegistryUnavailable", NULL };
	static const char *const starts[] = { "ContainerCreating", "PodInitializing", NULL };
	static const char *const broken[] = { "InvalidImageName", "ErrImageNeverPull", "ImageInspectError",
		"SignatureValidationFailed", "CreateContainerConfigError", "CreateContainerError",
		"RunContainerError", NULL };
	struct str reason = status_text(container, "state.waiting.reason"),
		message = status_text(container, "state.waiting.message");
	int64_t age = j->now - j->since;

	if (text_among(reason, images)) {
		waiting_image(j, container, reason, message);
	} else if (text_among(reason, broken)) {
		say_pod(j, text_holds(message, "failed to sync") && age < SYNC_PATIENCE ? RUN_PENDING : RUN_STALLED,
			reason, message);
	} else if (str_is(reason, "CrashLoopBackOff")) {
		say_pod(j, status_number(container, "restartCount", 0) >= 3 ? RUN_STALLED : RUN_DEGRADED, reason,
			last_end(j, container));
	} else if (reason.n && !text_among(reason, starts)) {
		say_pod(j, age >= PATIENCE ? RUN_STALLED : RUN_PENDING, reason, message);
	} else {
		return;
	}
	j->view->cause = about(j, container, init, j->view->cause);
}

/* ---- a container that ended ---- */

static void ended(struct judging *j, const struct data *container, const char *state, bool init)
{
	/* reasons that say more than the exit code */
	static const char *const tell[] = { "OOMKilled", "ContainerCannotRun", "StartError", "ContainerStatusUnknown",
		NULL };
	const struct data *end = status_path(container, state);
	struct pod_view *v = j->view;
	int64_t code = status_number(end, "exitCode", -1);

	if (!end || code <= 0 || v->exit_code > 0)
		return;
	code = code > 255 ? 255 : code;         /* some systems have exit codes above 255 */
	struct str reason = status_text(end, "reason");
	bool told = text_among(reason, tell);
	v->exit_code = (int)code;
	v->signal = code > 128 && code < 128 + 65 ? (int)code - 128 : 0;
	v->log = status_text(end, "message");
	v->finished = status_time(end, "finishedAt");
	if (last_words_read(j->arena, v->log, v->finished, &v->words))
		v->log = STR("");
	v->again = state[0] == 'l';
	struct str probe = probe_that_killed(j, end);
	reason = told ? reason : probe.n ? probe : end_words(j->arena, (int)code, v->signal);
	v->why = about(j, container, init, reason);
	if (v->cause.n || v->again)
		return;
	v->reason = reason;
	v->cause = v->why;
}

/* ---- all containers ---- */

static void restarts(struct judging *j, const struct data *container)
{
	int64_t last = status_time(container, "lastState.terminated.finishedAt");

	int64_t n = status_number(container, "restartCount", 0);

	j->view->restarts += n;
	if (str_eq(status_text(container, "name"), j->main))
		j->view->own_restarts = n;
	if (last > j->view->restarted)
		j->view->restarted = last;
}

/* Judges the sidecars of a pod whose containers have started; false if one of them waits. */
static bool sidecars(struct judging *j)
{
	const struct data *list = status_list(j->pod, "status.initContainerStatuses");
	bool ready = true;

	for (size_t i = 0; i < list->u.list.n && j->view->running; i++) {
		const struct data *c = list->u.list.at[i];
		if (!is_sidecar(j->pod, status_text(c, "name")))
			continue;
		ready = ready && !status_path(c, "state.waiting");
		if (!j->view->cause.n)
			waiting(j, c, true);
	}
	return ready;
}

/*
 * Judges the containers: the main container decides, and another container only if the main container has no problem.
 */
static void containers(struct judging *j)
{
	const struct data *list = status_list(j->pod, "status.containerStatuses");
	bool ready = list->u.list.n > 0;

	for (size_t i = 0; i < list->u.list.n; i++)
		restarts(j, list->u.list.at[i]);
	for (int others = 0; others < 2; others++)
		for (size_t i = 0; i < list->u.list.n; i++) {
			const struct data *c = list->u.list.at[i];
			if (str_eq(status_text(c, "name"), j->main) == (others != 0))
				continue;
			ready = ready && status_true(c, "ready");
			if (!j->view->cause.n)
				waiting(j, c, false);
			ended(j, c, "state.terminated", false);
		}
	ready = sidecars(j) && ready;
	for (size_t i = 0; i < list->u.list.n && j->view->exit_code < 0; i++)
		ended(j, list->u.list.at[i], "lastState.terminated", false);
	/* with a failed readiness gate or a silent node, the containers may be ready although the pod is not */
	j->view->ready = ready && !status_condition_is(j->pod, "Ready", "False");
}

/* Judges the init containers; true if one of them decides the state of the pod. */
static bool init_containers(struct judging *j)
{
	const struct data *list = status_list(j->pod, "status.initContainerStatuses");
	size_t n = list->u.list.n;

	for (size_t i = 0; i < n; i++) {
		const struct data *c = list->u.list.at[i];
		struct str name = status_text(c, "name");
		bool sidecar = is_sidecar(j->pod, name);
		waiting(j, c, true);
		ended(j, c, "state.terminated", true);
		if (j->view->cause.n)
			return true;
		if (status_path(c, "state.running") && !(sidecar && status_true(c, "started"))) {
			j->view->phase = RUN_STARTING;
			j->view->reason = STR("init container");
			j->view->cause = str_printf(j->arena, "init container '%.*s' runs, %zu of %zu", STR_ARG(name),
				i + 1, n);
			return true;
		}
	}
	return false;
}

/* ---- before its containers start ---- */

/* The scheduler's message without its end, which says that no pods to preempt were found. */
static struct str no_node_text(struct str message)
{
	struct str rest = STR(". not found");

	return str_ends(message, rest) ? (struct str){ message.p, message.n - rest.n } : message;
}

/* Appends "KEY = A or B" for each label that a list of expressions asks for. */
static void put_expressions(struct arena *a, const struct data *list, struct buf *out)
{
	for (size_t i = 0; i < list->u.list.n; i++) {
		const struct data *e = list->u.list.at[i], *values = status_list(e, "values");
		if (!str_is(status_text(e, "operator"), "In"))
			continue;
		buf_printf(out, "%s%.*s = ", out->n ? ", " : "", STR_ARG(text_line(a, status_text(e, "key"))));
		for (size_t k = 0; k < values->u.list.n; k++)
			if (values->u.list.at[k]->kind == DATA_STRING)
				buf_printf(out, "%s%.*s", k ? " or " : "",
					STR_ARG(text_line(a, values->u.list.at[k]->u.string)));
	}
}

/* The labels that the pod asks for, with a semicolon before them, if the scheduler says that no node has them. */
static struct str labels_asked(struct judging *j, struct str message)
{
	const struct data *selector = status_path(j->pod, "spec.nodeSelector"), *terms = status_list(j->pod,
		"spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms");
	struct buf out = { 0 };

	if (!text_holds(message, "node affinity/selector"))
		return STR("");
	for (size_t i = 0; selector && selector->kind == DATA_MAP && i < selector->u.map.n; i++)
		if (selector->u.map.at[i].value->kind == DATA_STRING)
			buf_printf(&out, "%s%.*s = %.*s", out.n ? ", " : "",
				STR_ARG(text_line(j->arena, selector->u.map.at[i].key)),
				STR_ARG(text_line(j->arena, selector->u.map.at[i].value->u.string)));
	for (size_t i = 0; i < terms->u.list.n; i++)
		put_expressions(j->arena, status_list(terms->u.list.at[i], "matchExpressions"), &out);
	struct str text = out.n ? str_cat(j->arena, STR("; it asks for "), buf_text(&out), STR("")) : STR("");
	buf_release(&out);
	return text;
}

/* Judges a pod that no scheduler has looked at; returns false if there may still be time for that. */
static bool never_scheduled(struct judging *j)
{
	struct str name = status_text(j->pod, "spec.schedulerName");

	if (!name.n || j->now - j->since < PATIENCE)
		return false;
	say_pod(j, RUN_STALLED, STR("not scheduled"), str_printf(j->arena, "no scheduler '%.*s' has looked at it",
		STR_ARG(text_line(j->arena, name))));
	return true;
}

/* Judges a pod that has no node; returns false if the pod has a node. */
static bool unscheduled(struct judging *j)
{
	static const char *const told[] = { "FailedScheduling", NULL };
	const struct data *c = status_condition_is(j->pod, "PodScheduled", "False");
	const struct event *e = events_newest(j->events, STR("Pod"), j->name, told);
	int64_t since = status_time(c, "lastTransitionTime");

	if (status_text(j->pod, "spec.nodeName").n || status_condition_true(j->pod, "PodScheduled"))
		return false;
	if (!c && !e)
		return never_scheduled(j);
	struct str reason = c ? status_text(c, "reason") : STR("Unschedulable"),
		message = c ? status_text(c, "message") : STR("");
	if (str_is(reason, "SchedulingGated")) {
		const struct data *gates = status_list(j->pod, "spec.schedulingGates");
		struct str gate = gates->u.list.n ? status_text(gates->u.list.at[0], "name") : message;
		if (str_is(gate, "trainc.dev/suspend"))
			say_pod(j, RUN_SUSPENDED, STR("suspended"), STR(""));
		else
			say_pod(j, RUN_QUEUED, reason, gate);
		return true;
	}
	since = since ? since : j->since;
	struct str why = no_node_text(message.n || !e ? message : e->message);
	say_pod(j, j->now - since >= PATIENCE ? RUN_STALLED : RUN_PENDING, reason,
		str_cat(j->arena, why, labels_asked(j, why), STR("")));
	return true;
}

/* Is the pod's node pulling an image? Large images take long, and no other Event comes meanwhile. */
static bool pulling(struct judging *j)
{
	const struct event *e = events_newest(j->events, STR("Pod"), j->name, events_of_pulls);

	if (!e || !str_is(e->reason, "Pulling"))
		return false;
	struct str image = e->message, begin = STR("Pulling image ");
	if (str_starts(image, begin))
		image = (struct str){ image.p + begin.n, image.n - begin.n };
	struct buf b = { 0 };
	buf_z(&b, "pulling ");
	buf_str(&b, text_line(j->arena, image));
	if (j->now - e->time >= PATIENCE) {
		buf_z(&b, " for ");
		put_age(&b, j->now - e->time);
	}
	say_pod(j, RUN_STARTING, STR("pulling"), STR(""));
	j->view->cause = buf_take(&b, j->arena);
	buf_release(&b);
	return true;
}

/* Judges a pod that has a node, but whose containers have no state yet. */
static void not_created(struct judging *j)
{
	static const char *const troubles[] = { "FailedMount", "FailedAttachVolume", "FailedCreatePodSandBox",
		"NetworkNotReady", NULL };
	struct str node = status_text(j->pod, "spec.nodeName");
	const struct event *e = events_newest(j->events, STR("Pod"), j->name, troubles);
	int64_t age = j->now - j->since;

	if (!node.n && !status_condition_true(j->pod, "PodScheduled"))
		return;
	if (e)
		say_pod(j, age >= PATIENCE ? RUN_STALLED : RUN_PENDING, e->reason, e->message);
	else if (pulling(j))
		return;
	else if (age >= NO_PROGRESS)
		say_pod(j, RUN_STALLED, STR("no progress"),
			str_printf(j->arena, "on node %.*s for %lld min", STR_ARG(node),
			(long long)(age / (60 * NS_PER_SECOND))));
}

/* Has the main container ended? The kubelet says so a few seconds before it reports the end of the pod. */
static bool main_ended(const struct judging *j)
{
	const struct data *list = status_list(j->pod, "status.containerStatuses");

	for (size_t i = 0; i < list->u.list.n; i++)
		if (str_eq(status_text(list->u.list.at[i], "name"), j->main))
			return status_path(list->u.list.at[i], "state.terminated") != NULL;
	return false;
}

/* Judges a pod that runs, but is not ready. */
static void not_ready(struct judging *j)
{
	static const char *const probes[] = { "Unhealthy", "NodeNotReady", NULL };
	const struct event *e = events_newest(j->events, STR("Pod"), j->name, probes);
	const struct data *c = status_condition_is(j->pod, "ContainersReady", "False");
	struct str message = e ? e->message : STR("");

	c = c ? c : status_condition_is(j->pod, "Ready", "False");
	if (e && str_is(e->reason, "NodeNotReady"))     /* the node controller has marked the pod */
		message = str_printf(j->arena, "node %.*s is not ready", STR_ARG(status_text(j->pod, "spec.nodeName")));
	say_pod(j, RUN_STARTING, STR("not ready"), message.n ? message : status_text(c, "message"));
}

/*
 * A container that runs and is ready may still not answer its liveness probe, and is killed when that lasts. Says so
 * while the kubelet reports it; this changes nothing about the state.
 */
static void not_alive(struct judging *j)
{
	static const char *const probes[] = { "Unhealthy", NULL };
	const struct event *e = events_newest(j->events, STR("Pod"), j->name, probes);

	if (e && str_starts(e->message, STR("Liveness probe failed")) && j->now - e->time < PATIENCE)
		j->view->cause = text_line(j->arena, e->message);
}

/* Judges the pod's own reason, then a disruption. Both take precedence over the states of its containers. */
static void own_reason(struct judging *j)
{
	static const char *const taken[] = { "Evicted", "NodeLost", "Preempted", "Preempting", "Shutdown", "Terminated",
		NULL };
	struct pod_view *v = j->view;
	struct str reason = status_text(j->pod, "status.reason");
	const struct data *disruption = status_condition_true(j->pod, "DisruptionTarget");

	v->disrupted = disruption || text_among(reason, taken);
	if (reason.n) {
		say_pod(j, v->phase, reason, status_text(j->pod, "status.message"));
	} else if (disruption) {
		v->reason = STR("disrupted");
		v->cause = str_printf(j->arena, "disrupted: %.*s", STR_ARG(status_text(disruption, "reason")));
	}
}

/*
 * Notes the cause if a pod that was being taken from its node ended with 0: Kubernetes counts its program as finished,
 * although it may only have saved its state.
 */
static void stopped_early(struct judging *j)
{
	struct pod_view *v = j->view;

	own_reason(j);
	if (v->disrupted)
		v->cause = str_printf(j->arena, RUN_ENDED_WITH_0 " (%.*s)", STR_ARG(v->cause));
	else
		v->cause = v->reason = STR("");
}

/* Judges a pod that is being deleted, whoever requested the deletion. */
static void deleting(struct judging *j)
{
	j->view->phase = RUN_TERMINATING;
	if (j->view->disrupted)
		return;
	j->view->reason = STR("is being deleted");
	j->view->cause = j->view->running ? j->view->reason : status_deletion(j->arena, j->pod);
}

/* When a pod failed whose containers do not say it, because they never ran or their node is gone. */
static int64_t failed_at(const struct data *pod)
{
	int64_t taken = status_time(status_condition_true(pod, "DisruptionTarget"), "lastTransitionTime");

	return taken ? taken : status_time(status_condition_is(pod, "Ready", "False"), "lastTransitionTime");
}

static void judge_pod(struct judging *j, struct str phase)
{
	struct pod_view *v = j->view;

	if (v->succeeded) {
		stopped_early(j);
		v->phase = RUN_SUCCEEDED;                               /* the pod has succeeded */
	} else if (str_is(phase, "Failed")) {
		v->phase = RUN_FAILED;                                  /* the pod has failed */
		if (!v->cause.n)
			init_containers(j);
		v->phase = RUN_FAILED;
		own_reason(j);
		if (!v->cause.n)
			say_pod(j, RUN_FAILED, STR("Failed"), STR("none of its containers left a status"));
		if (!v->finished)
			v->finished = failed_at(j->pod);
	} else if (v->deleting) {
		own_reason(j);
		deleting(j);
	} else if (str_is(phase, "Unknown")) {
		say_pod(j, RUN_UNKNOWN, STR("Unknown"), STR("its node does not answer"));
		own_reason(j);
	} else if (v->cause.n && v->phase != RUN_PENDING) {
		return;
	} else if (v->running) {
		v->phase = RUN_RUNNING;                                 /* the pod runs and is ready */
		if (v->cause.n)                                         /* a container has failed; the pod ends soon */
			v->phase = RUN_DEGRADED;
		else if (!v->ready && !v->over)
			not_ready(j);
		else if (v->ready)
			not_alive(j);
	} else if (!v->cause.n && !unscheduled(j) && !init_containers(j)) {
		not_created(j);
	}
}

/* Copies the texts that may point into the pod's tree. */
static void keep_texts(struct arena *a, struct pod_view *v)
{
	struct str *const texts[] = { &v->reason, &v->cause, &v->why, &v->log, &v->words.text, &v->node,
		&v->ip, &v->code };

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		if (texts[i]->n)
			*texts[i] = str_copy(a, *texts[i]);
}

struct pod_view pod_judge(struct arena *a, const struct data *pod, struct str container, const struct events *events,
	int64_t now)
{
	struct pod_view v = { .phase = RUN_PENDING, .exit_code = -1, .node = status_text(pod, "spec.nodeName"),
		.ip = status_text(pod, "status.podIP"), .code = status_label(pod, "trainc.dev/code") };
	struct judging j = { .arena = a, .pod = pod, .name = status_text(pod, "metadata.name"), .main = container,
		.events = events,
		.now = now, .view = &v };
	struct str phase = status_text(pod, "status.phase");
	int64_t made = status_time(pod, "metadata.creationTimestamp");

	v.begin = status_time(pod, "status.startTime") ? status_time(pod, "status.startTime") : made;
	j.since = v.begin ? v.begin : now;
	v.deleting = status_text(pod, "metadata.deletionTimestamp").n > 0;
	v.running = str_is(phase, "Running");
	v.succeeded = str_is(phase, "Succeeded");
	v.failed = str_is(phase, "Failed");
	v.over = main_ended(&j);
	containers(&j);
	judge_pod(&j, phase);
	v.running = v.running && !v.deleting;
	keep_texts(a, &v);
	return v;
}
