/*
 * advice.c - the next steps for a run that has a problem. They are looked up by phrases of the scheduler, the kubelet,
 * runtimes of containers and controllers, each of which has only one meaning.
 */
#include "runtime/command/advice.h"
#include "runtime/command/why_nodes.h"

#include "base/words.h"
#include "runtime/command/runs.h"

#define MISSING_CLAIM "persistentvolumeclaim \""
/* what the scheduler says of nodes without the labels that a pod asks for */
#define NO_SUCH_NODE "didn't match Pod's node affinity/selector"
#define LABELS_NAMED "\nthe labels are named\n"
#define NOT_READY " is not ready"
#define LIVENESS "Liveness probe failed"
#define SCHEDULING_GATED "SchedulingGated"
#define TAINTED "untolerated taint"

struct advice {
	const char *words, *what;
	const char *unless;             /* phrases, separated by '|', that explain the problem better; or NULL */
};

static const struct advice advice[] = {
#define ADVICE(words, what) { words, what, NULL },
#define UNLESS(words, others, what) { words, what, others },
#define QUEUE(words, what)
#include "runtime/command/advice.def"
};
static const struct advice queue_advice[] = {
#define ADVICE(words, what)
#define UNLESS(words, others, what)
#define QUEUE(words, what) { words, what, NULL },
#include "runtime/command/advice.def"
};

static bool holds_words(struct str text, const char *words)
{
	return text.n && memmem(text.p, text.n, words, strlen(words)) != NULL;
}

static bool is_start_error(struct str reason)
{
	return holds_words(reason, "StartError") || holds_words(reason, "ContainerCannotRun");
}

/*
 * A cause without the words of the program, which may mean something else: they follow the exit code. With the codes
 * 126 to 128 they are those of a shell or of the container's runtime, which could not start the program.
 */
static struct str told_by_cluster(struct str cause)
{
	static const char *const ends[] = { "exit code ", "killed by " };

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		size_t n = strlen(ends[i]);
		const char *at = cause.n ? memmem(cause.p, cause.n, ends[i], n) : NULL, *end = cause.p + cause.n;
		const char *words = at ? memmem(at, (size_t)(end - at), ": ", 2) : NULL;
		struct str code = { at ? at + n : "", at ? (size_t)(end - at) - n : 0 };
		bool started = !str_starts(code, STR("126")) && !str_starts(code, STR("127")) &&
			!str_starts(code, STR("128"));
		if (words && started)
			return (struct str){ cause.p, (size_t)(words - cause.p) };
	}
	return cause;
}

static void add_evidence(struct buf *b, struct str cause)
{
	buf_str(b, told_by_cluster(cause));
	buf_char(b, '\n');
}

/* Is it what the runtime of containers writes into the log of a program that the kernel cannot start? */
static bool is_of_runtime(struct str line)
{
	return str_starts(line, STR("exec ")) && str_ends(line, STR(": exec format error"));
}

/* Everything that is known to be wrong, in one text. A recorded error is the program's, whatever it says. */
static struct str evidence_of(struct arena *a, const struct run_state *s)
{
	struct buf b = { 0 };

	add_evidence(&b, s->cause);
	add_evidence(&b, s->failure.reason);
	/* the runtime says there why a program could not start; lines of a program that ran are its own business */
	for (size_t i = 0; i < s->failure.nlog; i++)
		if (is_start_error(s->failure.reason) || (s->failure.nlog == 1 && is_of_runtime(s->failure.log[i])))
			buf_printf(&b, "%.*s\n", STR_ARG(s->failure.log[i]));
	for (size_t i = 0; i < s->nroles; i++) {
		add_evidence(&b, s->roles[i].cause);
		for (int64_t k = 0; k < s->roles[i].max; k++)
			add_evidence(&b, s->roles[i].at[k].cause);
	}
	for (size_t i = 0; i < s->nobjects; i++)
		buf_printf(&b, "%.*s\n", STR_ARG(s->objects[i].cause));
	for (size_t i = 0; i < s->nevents; i++)
		buf_printf(&b, "%.*s %.*s\n", STR_ARG(s->events[i].reason), STR_ARG(s->events[i].message));
	struct str text = buf_take(&b, a);
	buf_release(&b);
	return text;
}

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

/* Does the evidence name only taints that Kubernetes sets by itself? No program should tolerate those. */
static bool are_own_taints(struct str evidence)
{
	static const char *const own[] = { " {node.kubernetes.io/", " {node.cloudprovider.kubernetes.io/" };
	const char *end = evidence.p + evidence.n, *p = evidence.p;

	while ((p = memmem(p, (size_t)(end - p), TAINTED, sizeof TAINTED - 1))) {
		p += sizeof TAINTED - 1;
		struct str rest = { p, (size_t)(end - p) };
		if (!str_starts(rest, str_of(own[0])) && !str_starts(rest, str_of(own[1])))
			return false;
	}
	return true;
}

/*
 * Should no next step be given for the phrase WORDS? True if nothing is wrong (a claim is about to be created), if the
 * phrase means something else here (a program, not a node, is not ready), or if another step says more.
 */
static bool says_less(struct str evidence, const char *words)
{
	if (!strcmp(words, NO_SUCH_NODE))
		return holds_words(evidence, LABELS_NAMED);
	if (!strcmp(words, MISSING_CLAIM))
		return is_being_created(evidence);
	if (!strcmp(words, TAINTED))
		return are_own_taints(evidence);
	return !strcmp(words, NOT_READY) && !is_node_down(evidence);
}

/* Does the evidence hold one of the phrases of LIST, which '|' separates? */
static bool holds_any(struct str evidence, const char *list)
{
	while (list) {
		const char *end = strchr(list, '|');
		size_t n = end ? (size_t)(end - list) : strlen(list);
		if (evidence.n && memmem(evidence.p, evidence.n, list, n))
			return true;
		list = end ? end + 1 : NULL;
	}
	return false;
}

static void add_known(struct arena *a, const struct advice *from, size_t n, struct str evidence, struct answers *all)
{
	for (size_t i = 0; i < n; i++)
		if (holds_words(evidence, from[i].words) && !holds_any(evidence, from[i].unless) &&
			!says_less(evidence, from[i].words))
			add_answer(a, all, from[i].what);
}

/* The next steps for a run that a queue holds. */
static void add_queued(struct arena *a, struct str evidence, struct answers *all)
{
	add_known(a, queue_advice, sizeof queue_advice / sizeof *queue_advice, evidence, all);
	if (!all->n && holds_words(evidence, SCHEDULING_GATED) && !holds_words(evidence, "kueue.x-k8s.io/"))
		add_known(a, advice, sizeof advice / sizeof *advice, evidence, all);
	if (!all->n)
		add_answer(a, all, "the queue starts it when its turn comes; request less or name another queue to "
			"start sooner");
}

/* A command about the run that the user can paste: 'trainc resume --local bert'. */
static const char *command_about(struct session *session, const char *where, const char *command,
	const struct run_state *s)
{
	struct str namespace = option_value(session->options, OPTION_NAMESPACE);
	struct str in = namespace.n ? str_printf(session->arena, " -n %.*s", STR_ARG(namespace)) : STR("");

	return str_printf(session->arena, "'trainc %s%s%.*s %.*s'", command, where, STR_ARG(in),
		STR_ARG(s->name)).p;
}

/* The two ways to start the roles that may start and that nobody starts. */
static void add_attendants(struct session *session, const char *where, const struct run_state *s,
	struct answers *all)
{
	struct str file = s->file.n ? s->file : STR("FILE");

	add_answer(session->arena, all, str_printf(session->arena, "%s starts it, and attends the run until its end",
		command_about(session, where, "wait", s)).p);
	add_answer(session->arena, all, str_printf(session->arena,
		"'trainc apply --controller %.*s' leaves that to the controller of the cluster",
		STR_ARG(name_escaped(session->arena, file))).p);
}

struct answers advice_find(struct session *session, const char *where, const struct run_state *s)
{
	struct arena *a = session->arena;
	struct str evidence = evidence_of(a, s);
	struct answers all = { 0 };

	if (holds_words(evidence, RUN_STRAYED))
		add_answer(a, &all, str_printf(a, "'trainc diff %.*s' shows what differs from the program, and "
			"'trainc apply' writes it again",
			STR_ARG(name_escaped(a, s->file.n ? s->file : STR("FILE")))).p);
	if (holds_words(evidence, RUN_ENDED_WITH_0))
		add_answer(a, &all, "if its work was not done, let the program exit with another code than 0 after "
			"TERM: Kubernetes starts no replica again that ends with 0");
	switch (s->phase) {
	case RUN_RUNNING:
		if (report_copies_wait(s))
			add_queued(a, evidence, &all);
		else if (holds_words(s->cause, LIVENESS))
			add_known(a, advice, sizeof advice / sizeof *advice, STR(LIVENESS), &all);
		return all;
	case RUN_SUCCEEDED: case RUN_COMPLETING: return all;
	case RUN_SUSPENDED:
		add_answer(a, &all, str_printf(a, "%s starts its replicas", holds_words(evidence, RUN_KEPT) ?
			"'vcctl job resume' with the name and namespace of its Job" :
			command_about(session, where, "resume", s)).p);
		break;
	case RUN_QUEUED: add_queued(a, evidence, &all); return all;
	case RUN_ABSENT: add_answer(a, &all, "'trainc apply' creates its objects"); break;
	default: break;
	}
	if (holds_words(evidence, RUN_UNATTENDED))
		add_attendants(session, where, s, &all);
	struct str labels = holds_words(evidence, NO_SUCH_NODE) ? why_no_node(session, s) : STR("");
	if (labels.n) {
		add_answer(a, &all, str_printf(a, "%.*s", STR_ARG(labels)).p);
		evidence = str_cat(a, evidence, STR(LABELS_NAMED), STR(""));
	}
	add_known(a, advice, sizeof advice / sizeof *advice, evidence, &all);
	/* a pod that was taken, or that never ran, has neither an exit code nor a log */
	if (s->failure.known && (s->failure.exit_code > 0 || s->failure.nlog) && !all.n)
		add_answer(a, &all, str_printf(a, "the program ended with an error of its own: %s shows the output of "
			"its replicas", command_about(session, where, "logs", s)).p);
	return all;
}

