/*
 * cmd_why.c - one screen that says why a run is not running or why it failed, with the evidence and the next step. The
 * cause and the evidence come from the state of the run. The next step is looked up by phrases of the scheduler, the
 * kubelet and controllers, each of which has only one meaning.
 */
#include <unistd.h>

#include "base/words.h"
#include "runtime/command/runs.h"

#define MISSING_CLAIM "persistentvolumeclaim \""
#define NOT_READY " is not ready"

/* Phrases that occur in a cause or in the evidence, each with the next step. */
static const struct advice {
	const char *words, *what;
} advice[] = {
	{ RUN_REMOVED,
		"its pods are gone, and their logs with them: 'trainc apply --rerun' runs it again" },
	{ "Insufficient ", "the nodes have too little of it free: ask for less, wait until others end, or add nodes; "
		"'kubectl describe nodes' shows what is taken" },
	{ "didn't match Pod's node affinity/selector",
		"no node has the labels that the role selects with 'node' or through its accelerator; 'kubectl get "
		"nodes --show-labels' lists them" },
	{ "untolerated taint", "the nodes that fit are tainted: add the taint to 'tolerate', or ask for other nodes" },
	{ "didn't match pod anti-affinity",
		"'spread' wants each replica on a node of its own, and there are too few nodes" },
	{ "unbound immediate PersistentVolumeClaims",
		"a claim has no volume: 'kubectl get pvc' shows which, and its storage class" },
	{ MISSING_CLAIM,
		"the claim does not exist in this namespace: create it, or correct its name in 'mounts'" },
	{ "storageclass.storage.k8s.io \"",
		"the storage class of a claim does not exist: 'kubectl get storageclass' lists those that do" },
	{ "pull access denied", "the registry has no such image, or shows it only after a login: check the name in "
		"'image', and name the Secret with the login in 'pull_secrets'" },
	{ "insufficient_scope", "the registry has no such image, or shows it only after a login: check the name in "
		"'image', and name the Secret with the login in 'pull_secrets'" },
	{ "401 Unauthorized", "the registry requires a login: name the Secret that has it in 'pull_secrets'" },
	{ "403 Forbidden", "the registry requires a login that may read the image: name the Secret that has it in "
		"'pull_secrets'" },
	{ "toomanyrequests", "the registry limits pulls, and the kubelet tries again by itself: log in with "
		"'pull_secrets', or use a mirror" },
	{ "no match for platform", "the image is not built for the processor of the node: build it for that, or choose "
		"nodes with 'node'" },
	{ "no such host", "a node cannot resolve the name of the registry: correct it in 'image'" },
	{ "signed by unknown authority", "the node does not trust the registry's certificate: whoever runs the nodes "
		"must add its authority there" },
	{ "ErrImageNeverPull", "the node does not have the image, and 'pull = \"never\"' forbids pulling it: load the "
		"image on the nodes, or leave 'pull' out" },
	{ "ImagePullBackOff", "the image cannot be pulled: check its name and tag in 'image', and 'pull_secrets' for a "
		"private registry" },
	{ "ErrImagePull", "the image cannot be pulled: check its name and tag in 'image', and 'pull_secrets' for a "
		"private registry" },
	{ "InvalidImageName", "'image' is not the name of an image" },
	{ "exceeded quota", "the quota of the namespace is used up: ask for less, end other runs, or have it raised; "
		"'kubectl describe quota' shows it" },
	{ "violates PodSecurity", "the namespace forbids what the pods ask for, such as host paths or root: use "
		"another namespace, or change the pods with 'raw pod'" },
	{ "usage per Container", "a LimitRange of the namespace bounds what a container may ask for; 'kubectl describe "
		"limitrange' shows it" },
	{ "usage per Pod",
		"a LimitRange of the namespace bounds what a pod may ask for; 'kubectl describe limitrange' shows it" },
	{ "must be less than or equal to", "a LimitRange of the namespace sets a limit below what the pod asks for; "
		"'kubectl describe limitrange' shows it" },
	{ "serviceaccount \"", "the service account does not exist: create it, or correct 'service_account'" },
	{ "no PriorityClass with name",
		"the priority class does not exist: correct 'priority'; 'kubectl get priorityclass' lists those that "
		"do" },
	{ "secret \"", "a Secret does not exist in this namespace: create it, or correct its name" },
	{ "configmap \"", "a ConfigMap does not exist in this namespace: create it, or correct its name" },
	{ "OOMKilled", "the replica used more memory than 'memory' gives it: ask for more, or use less" },
	{ "command not found", "the image has no such program: check 'command' and PATH in the image" },
	{ "executable file not found", "the image has no such program: check 'command' and PATH in the image" },
	{ "no such file or directory",
		"a path does not exist in the container: check 'command', 'workdir' and 'mounts'" },
	{ "CrashLoopBackOff",
		"the program keeps exiting by itself: its output before the last end is in 'logs --previous'" },
	{ "DeadlineExceeded", "the run took longer than its 'timeout'" },
	{ "Evicted", "the node needed the room: ask for as much memory and disk as the replica uses" },
	{ "Preempted by", "a pod of higher priority took the place: set 'priority', or wait" },
	{ NOT_READY, "a node does not answer; its pods restart elsewhere when the node is given up" },
	{ "FailedMount", "a volume cannot be mounted: check its name, and the node's view of the storage" },
};

/* Causes of a run that waits in a queue: phrases of Kueue. */
static const struct advice queue_advice[] = {
	{ "> maximum capacity", "the whole quota of the queue is smaller: ask for less, or have the quota of its "
		"ClusterQueue raised" },
	{ "insufficient unused quota for", "other runs use the quota: it starts when they end; a higher 'priority' "
		"or a smaller request starts it sooner" },
	{ "unavailable in ClusterQueue", "the queue has no quota for that resource: leave it out, or name another "
		"queue; 'kubectl get clusterqueue -o yaml' lists what it has" },
	{ "Preempted to accommodate", "a run with a better claim took its quota: it starts over by itself when there "
		"is room; set 'priority' to keep its place next time" },
	{ "allows to fit only", "no single place of that level has room for all: use fewer or smaller replicas, a "
		"wider level in 'place', or prefer(...), which takes what there is" },
	{ "doesn't allow to fit any", "no place of that level has room for one of them: ask for less, or wait until "
		"others end" },
	{ "does not support TopologyAwareScheduling", "the flavor of the queue has no topology, which 'place' needs: "
		"name another queue, or leave 'place' out" },
	{ "does not contain the requested level", "the topology of the queue has no such level: correct 'place', or "
		"'topology' in project.tj; 'kubectl get topology -o yaml' lists the levels" },
	{ "supports only TopologyAwareScheduling", "the queue is for jobs that say where they run: write 'place = "
		"pack', or a level" },
	{ "doesn't match node affinity", "the nodes of the queue have other labels than the role selects with 'node' "
		"or through its accelerator; 'kubectl get resourceflavor -o yaml' lists them" },
	{ "untolerated taint", "the nodes of the queue are tainted: add the taint to 'tolerate', or name another "
		"queue" },
	{ "doesn't match ClusterQueue selector", "the ClusterQueue is not for this namespace: use another namespace "
		"or queue; its 'namespaceSelector' says which may use it" },
	{ "doesn't exist", "create it, or correct 'queue'; 'kubectl get localqueue' lists those of the namespace" },
	{ "is inactive", "the queue is stopped, or something that it names does not exist: 'kubectl describe "
		"clusterqueue' says which" },
	{ "LimitRange constraints", "a LimitRange of the namespace bounds what a pod may ask for; 'kubectl describe "
		"limitrange' shows it" },
	{ "admission checks", "an admission check must pass too, such as one for new nodes: 'kubectl describe "
		"workload' "
		"says what each check waits for" },
};

static bool holds_words(struct str text, const char *words) { return text.n && memmem(text.p, text.n, words,
	strlen(words)) != NULL; }

/* Everything that is known to be wrong, in one text. */
static struct str evidence_of(struct arena *a, const struct run_state *s)
{
	struct buf b = { 0 };

	buf_printf(&b, "%.*s\n%.*s\n", STR_ARG(s->cause), STR_ARG(s->failure.reason));
	for (size_t i = 0; i < s->nroles; i++) {
		buf_printf(&b, "%.*s\n", STR_ARG(s->roles[i].cause));
		for (int64_t k = 0; k < s->roles[i].max; k++)
			buf_printf(&b, "%.*s\n", STR_ARG(s->roles[i].at[k].cause));
	}
	for (size_t i = 0; i < s->nobjects; i++)
		buf_printf(&b, "%.*s\n", STR_ARG(s->objects[i].cause));
	for (size_t i = 0; i < s->nevents; i++)
		buf_printf(&b, "%.*s %.*s\n", STR_ARG(s->events[i].reason), STR_ARG(s->events[i].message));
	struct str text = buf_take(&b, a);
	buf_release(&b);
	return text;
}

struct answers {
	const char **at;
	size_t n;
};

static void add_answer(struct arena *a, struct answers *all, const char *what)
{
	for (size_t i = 0; i < all->n; i++)
		if (!strcmp(all->at[i], what))
			return;
	ARENA_PUSH(a, all->at, all->n, what);
}

/* Is the cluster about to create every missing claim that the evidence mentions? */
static bool is_being_created(struct str evidence)
{
	static const struct str before = { "to create the ", 14 };
	const char *end = evidence.p + evidence.n, *p = evidence.p;

	while ((p = memmem(p, (size_t)(end - p), MISSING_CLAIM, sizeof MISSING_CLAIM - 1))) {
		if (!str_ends((struct str){ evidence.p, (size_t)(p - evidence.p) }, before))
			return false;
		p++;
	}
	return true;
}

/*
 * Does the evidence say that a node is not ready, as in "node n1 is not ready"? Readiness probes and Volcano's
 * scheduler use the words "is not ready", too, but not about nodes.
 */
static bool is_node_down(struct str evidence)
{
	static const struct str before = { "node ", 5 };
	const char *end = evidence.p + evidence.n, *p = evidence.p;

	while ((p = memmem(p, (size_t)(end - p), NOT_READY, sizeof NOT_READY - 1))) {
		struct str line = { evidence.p, (size_t)(p - evidence.p) };
		while (line.n && line.p[line.n - 1] != ' ' && line.p[line.n - 1] != '\n')
			line.n--;
		if (str_ends(line, before))
			return true;
		p++;
	}
	return false;
}

/*
 * Should no next step be given for the phrase WORDS? True if the evidence has a better explanation (a claim has no
 * volume because its class is missing), if nothing is wrong (a claim is about to be created), or if the phrase means
 * something else here (a program, not a node, is not ready).
 */
static bool says_less(struct str evidence, const char *words)
{
	if (!strcmp(words, MISSING_CLAIM))
		return is_being_created(evidence);
	if (!strcmp(words, NOT_READY))
		return !is_node_down(evidence);
	return !strcmp(words, "unbound immediate PersistentVolumeClaims") &&
		holds_words(evidence, "storageclass.storage.k8s.io \"");
}

static void add_known(struct arena *a, const struct advice *from, size_t n, struct str evidence, struct answers *all)
{
	for (size_t i = 0; i < n; i++)
		if (holds_words(evidence, from[i].words) && !says_less(evidence, from[i].words))
			add_answer(a, all, from[i].what);
}

/* The next steps for a run that a queue holds. */
static void add_queued(struct arena *a, struct str evidence, struct answers *all)
{
	add_known(a, queue_advice, sizeof queue_advice / sizeof *queue_advice, evidence, all);
	if (!all->n)
		add_answer(a, all, "the queue starts it when its turn comes; request less or name another queue to "
			"start sooner");
}

/* A command about the run that the user can paste: 'trainc resume --local bert'. */
static const char *command_about(struct session *session, const char *command, const struct run_state *s)
{
	struct str namespace = option_value(session->options, OPTION_NAMESPACE);
	struct str where = namespace.n ? str_printf(session->arena, " -n %.*s", STR_ARG(namespace)) : STR("");

	return str_printf(session->arena, "'trainc %s%s%.*s %.*s'", command, session->backend->option, STR_ARG(where),
		STR_ARG(s->name)).p;
}

/* The two ways to start the roles that may start and that nobody starts. */
static void add_attendants(struct session *session, const struct run_state *s, struct answers *all)
{
	struct str file = s->file.n ? s->file : STR("FILE");

	add_answer(session->arena, all, str_printf(session->arena, "%s starts it, and attends the run until its end",
		command_about(session, "wait", s)).p);
	add_answer(session->arena, all, str_printf(session->arena,
		"'trainc apply --controller %.*s' leaves that to the controller of the cluster",
		STR_ARG(name_escaped(session->arena, file))).p);
}

/* Finds the next steps: by the phase of the run if the phase is enough, otherwise by phrases in the evidence. */
static struct answers answers_of(struct session *session, const struct run_state *s)
{
	struct arena *a = session->arena;
	struct str evidence = evidence_of(a, s);
	struct answers all = { 0 };

	if (holds_words(evidence, RUN_STRAYED))
		add_answer(a, &all, str_printf(a, "'trainc diff %.*s' shows what differs from the program, and "
			"'trainc apply' writes it again",
			STR_ARG(name_escaped(a, s->file.n ? s->file : STR("FILE")))).p);
	switch (s->phase) {
	case RUN_RUNNING: case RUN_SUCCEEDED: case RUN_COMPLETING: return all;
	case RUN_SUSPENDED:
		add_answer(a, &all, str_printf(a, "%s starts its replicas", command_about(session, "resume", s)).p);
		break;
	case RUN_QUEUED: add_queued(a, evidence, &all); return all;
	case RUN_ABSENT: add_answer(a, &all, "'trainc apply' creates its objects"); break;
	default: break;
	}
	if (holds_words(evidence, RUN_UNATTENDED " role"))
		add_attendants(session, s, &all);
	add_known(a, advice, sizeof advice / sizeof *advice, evidence, &all);
	if (s->failure.known && !all.n)
		add_answer(a, &all, str_printf(a, "the program ended with an error of its own: %s shows the output of "
			"its replicas", command_about(session, "logs", s)).p);
	return all;
}

static void explain_text(const struct run_state *run, const struct answers *all, struct buf *out)
{
	const struct run_state *runs[] = { run };
	struct report r = { .runs = runs, .n = 1, .now = clock_real(), .width = session_width(STDOUT_FILENO) };

	size_t before = out->n;
	report_details(&r, run, out);
	if (out->n == before) {
		buf_printf(out, "%.*s: %s%s", STR_ARG(run->name), run_phase_word(run->phase), run->cause.n ? ": " : "");
		put_escaped(out, run->cause);
		buf_char(out, '\n');
	}
	for (size_t i = 0; i < all->n; i++)
		buf_printf(out, "%s%s\n", i ? "            " : "what to do: ", all->at[i]);
	if (run->phase == RUN_RUNNING && !run->cause.n)
		buf_z(out, "nothing holds it back: all expected replicas are ready\n");
}

static void explain_json(const struct run_state *run, const struct answers *all, struct buf *out)
{
	buf_z(out, "{\"schemaVersion\":1,\"run\":{");
	report_json_run(run, out);
	buf_z(out, "},\"advice\":[");
	for (size_t i = 0; i < all->n; i++) {
		buf_z(out, i ? "," : "");
		buf_json(out, str_of(all->at[i]));
	}
	buf_z(out, "]}\n");
}

static void explain(struct session *s, const struct attend *a)
{
	bool json = str_is(option_value(s->options, OPTION_OUTPUT), "json");
	struct buf out = { 0 };

	for (size_t i = 0; i < a->n; i++) {
		const struct run_state *run = &a->runs[i].state;
		struct answers all = answers_of(s, run);
		if (json)
			explain_json(run, &all, &out);
		else
			explain_text(run, &all, &out);
	}
	(json ? session_write : session_print)(s, buf_text(&out));
	buf_release(&out);
}

/* Returns 0 after an answer, and 8 if the run does not exist. */
int cmd_why(struct session *s)
{
	const struct backend *b;
	struct chosen chosen;
	struct attend a;
	int status = STATUS_USAGE;

	if (!(b = backend_begin(s, &a, &status)))
		return status;
	if (runs_choose(s, b, s->options->noperands, &chosen, &status)) {
		runs_watch(s, &chosen, &a, &status);
		if (!runs_unknown(&a))
			explain(s, &a);
		status = status == STATUS_USAGE ? STATUS_FAILED : status;
	}
	return backend_end(s, &a, status);
}
