/*
 * cluster_attend_test.c - one attendant: a command that waits and a controller get the same 10,000 histories of a run,
 * and end with the same record and the same Jobs. They differ as the real ones do: a command sends one stage of actions
 * and looks again, a controller sends all stages; requests of either may be lost; pods may be removed before a look.
 */
#include "unit.h"

#include "base/words.h"
#include "data/data_read.h"
#include "runtime/cluster/attend_step.h"
#include "runtime/cluster/cluster_watch.h"
#include "runtime/status/look.h"

#define EARLY "'2026-01-01T00:00:00Z'"
#define LATER "'2026-01-01T00:00:01Z'"

enum { HISTORIES = 10000, EVENTS = 14, ROLES = 3, SETTLE = 24 };

/* ---- random numbers ---- */

static uint64_t random_state;

static unsigned chance(unsigned n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (unsigned)((random_state >> 11) % n);
}

/* ---- the run ---- */

static const struct plan_condition first_ready = { .kind = CONDITION_READY, .role = 0, .index = CONDITION_ALL };
static const struct plan_condition second_done = { .kind = CONDITION_DONE, .role = 1, .index = CONDITION_ALL };
static const char *const names[ROLES] = { "ps", "worker", "eval" };

enum pod_state { POD_NONE, POD_PENDING, POD_READY, POD_DONE, POD_FAILED };

struct world_job {                      /* a Job of one pod */
	bool there, suspended, marked, over;
	bool released;                  /* an attendant has resumed it */
	enum pod_state pod;
	int code;
	unsigned uid;
};

struct attended {                       /* the run as one attendant has left it */
	struct arena arena, memory;     /* memory of one step; memory of the record */
	struct plan_role roles[ROLES];
	struct plan_job plan;
	struct parent record;
	struct applied applied[ROLES];
	struct world_job jobs[ROLES];
	unsigned uids, restarts, verdicts;
	bool all_stages;                /* a controller */
	bool forbidden;                 /* an order that breaks a rule */
	const char *broken;
	int64_t now;
};

static struct str uid_text(struct arena *a, unsigned uid) { return str_cat(a, STR("u"), str_int(a, uid), STR("")); }

static void list_jobs(struct attended *w)
{
	w->record.applied = w->applied;
	w->record.napplied = 0;
	for (size_t i = 0; i < w->plan.nroles; i++)
		w->applied[w->record.napplied++] = (struct applied){ .name = str_of(names[i]),
			.uid = uid_text(&w->memory, w->jobs[i].uid) };
}

static void create_jobs(struct attended *w)
{
	for (size_t i = 0; i < w->plan.nroles; i++)
		w->jobs[i] = (struct world_job){ .there = true, .uid = ++w->uids,
			.pod = w->roles[i].start_after ? POD_NONE : POD_PENDING,
			.suspended = w->roles[i].start_after != NULL };
	list_jobs(w);
}

static void world_begin(struct attended *w, unsigned shape, bool all_stages)
{
	static const char *const cleans[] = { "", "running", "none" };
	struct str clean = str_of(cleans[shape % 3]);

	*w = (struct attended){ .all_stages = all_stages, .now = INT64_C(1767225600000000000) };
	w->plan = (struct plan_job){ .name = STR("a"), .roles = w->roles, .nroles = 2 + shape / 3 % 2,
		.success = shape / 6 % 2 ? &second_done : NULL, .clean = { .value = clean, .set = clean.n > 0 },
		.restarts = { .value = shape / 12 % 3, .set = shape / 12 % 3 > 0 } };
	for (size_t i = 0; i < w->plan.nroles; i++)
		w->roles[i] = (struct plan_role){ .name = str_of(names[i]), .label = str_of(names[i]),
			.object = str_of(names[i]), .main.name = STR("main"), .min = 1, .max = 1,
			.start_after = i == 1 && shape / 36 % 2 ? &first_ready : i == 2 ? &second_done : NULL };
	w->record = (struct parent){ .there = true, .run = STR("a"), .ns = STR("x"), .uid = STR("r"),
		.version = STR("1"), .generation = 1, .plan = STR("{}"), .hash = STR("h"),
		.restart.most = w->plan.restarts.value };
	create_jobs(w);
}

static void world_end(struct attended *w)
{
	arena_release(&w->arena);
	arena_release(&w->memory);
}

/* ---- what a server would print, with ' for " ---- */

static void print_job(struct attended *w, size_t i, struct str digest, struct buf *b)
{
	const struct world_job *j = &w->jobs[i];
	bool good = j->pod == POD_DONE || (j->over && !j->code);

	buf_printf(b, ",{'kind':'Job','metadata':{'name':'%s','uid':'u%u','labels':{", names[i], j->uid);
	buf_printf(b, "'trainc.dev/job':'a','trainc.dev/role':'%s'},", names[i]);
	buf_printf(b, "'annotations':{'" VOUCH_ANNOTATION "':'%.*s','" VOUCH_RESTARTED "':'%u'%s}},", STR_ARG(digest),
		w->restarts, j->marked ? ",'trainc.dev/ended':'true'" : "");
	buf_printf(b, "'spec':{'completions':1,'parallelism':1,'suspend':%s},'status':{",
		j->suspended ? "true" : "false");
	if (j->over)
		buf_printf(b, "'%s':1,'conditions':[{'type':'%s','status':'True',"
			"'lastTransitionTime':" LATER "}]", good ? "succeeded" : "failed",
			good ? "Complete" : "Failed");
	else if (!j->suspended)
		buf_z(b, "'active':1,'startTime':" EARLY);
	buf_z(b, "}}");
}

static void print_pod(const struct attended *w, size_t i, struct buf *b)
{
	const struct world_job *j = &w->jobs[i];
	static const char *const phases[] = { "", "Pending", "Running", "Succeeded", "Failed" };

	if (j->pod == POD_NONE)
		return;
	buf_printf(b, ",{'kind':'Pod','metadata':{'name':'%s-0-x','labels':{'trainc.dev/job':'a',", names[i]);
	buf_printf(b, "'trainc.dev/role':'%s','trainc.dev/index':'0'},'ownerReferences':[{'uid':'u%u',", names[i],
		j->uid);
	buf_printf(b, "'controller':true,'kind':'Job'}]},'status':{'phase':'%s','startTime':" EARLY ",",
		phases[j->pod]);
	buf_printf(b, "'conditions':[{'type':'Ready','status':'%s'}],'containerStatuses':[{'name':'main',",
		j->pod == POD_READY ? "True" : "False");
	if (j->pod == POD_READY)
		buf_z(b, "'ready':true,'started':true,'state':{'running':{'startedAt':" EARLY "}}");
	else if (j->pod >= POD_DONE)
		buf_printf(b, "'state':{'terminated':{'exitCode':%d,'finishedAt':" LATER "}}", j->code);
	else
		buf_z(b, "'state':{'waiting':{}}");
	buf_z(b, "}]}}");
}

static struct status_objects look(struct attended *w)
{
	struct arena *a = &w->arena;
	struct status_objects objects = { 0 };
	struct str digest = vouch_digest(a, &w->record);
	struct buf b = { 0 };
	struct data_error error;
	struct data *d;

	buf_z(&b, "{'kind':'List','items':[{'kind':'ConfigMap'}");
	for (size_t i = 0; i < w->plan.nroles; i++)
		if (w->jobs[i].there) {
			print_job(w, i, digest, &b);
			print_pod(w, i, &b);
		}
	buf_z(&b, "]}");
	for (size_t i = 0; i < b.n; i++)
		b.p[i] = b.p[i] == '\'' ? '"' : b.p[i];
	struct source source = { .text = buf_take(&b, a), .base = 1 };
	buf_release(&b);
	if (!data_read_json(a, &source, &d, &error))
		w->broken = "the test's objects are not JSON";
	else
		status_add(a, &objects, d);
	objects.restart = w->record.restart;
	objects.attended = true;
	return objects;
}

/* ---- an attendant ---- */

static struct world_job *job_named(struct attended *w, struct str name)
{
	for (size_t i = 0; i < w->plan.nroles; i++)
		if (str_is(name, names[i]))
			return &w->jobs[i];
	return NULL;
}

static void act(struct attended *w, const struct jobs_action *x)
{
	struct world_job *j = job_named(w, x->name);

	if (!j || !j->there || !str_eq(x->uid, uid_text(&w->arena, j->uid))) {
		w->broken = "an action names a Job that does not exist";
	} else if (x->what == JOBS_MARK) {
		j->marked = true;
	} else if (x->what == JOBS_END) {
		j->there = false;
	} else {
		if (w->record.verdict.n)
			w->broken = "a role was started after the verdict";
		j->suspended = false;
		j->released = true;
		j->pod = POD_PENDING;
	}
}

static void write_record(struct attended *w, const struct attend_step *s)
{
	if (w->record.verdict.n && !str_eq(w->record.verdict, s->verdict))
		w->broken = "a recorded verdict was changed";
	w->verdicts += s->judged;
	w->record.verdict = str_copy(&w->memory, s->verdict);
	w->record.outcome = str_copy(&w->memory, s->outcome);
}

/* Takes one step; false if it ordered nothing, so that the attendant rests. LOSES: a request in three gets lost. */
static bool take_step(struct attended *w, bool loses)
{
	arena_reset(&w->arena);
	struct status_objects objects = look(w);
	struct attend_look l = { .plan = &w->plan, .record = &w->record, .objects = &objects, .acts = true,
		.now = w->now };
	struct attend_step s = attend_step(&w->arena, &l);
	enum jobs_stage first = JOBS_STAGE_JOB;

	w->now += NS_PER_SECOND;
	if (s.doubt.n)
		w->broken = "an honest record is doubted";
	if (s.news) {
		if (loses && !chance(3))
			return true;
		write_record(w, &s);
		if (!w->all_stages)
			return true;
	}
	if (s.restart && !s.patience) {
		w->record.restart.number++;
		w->restarts++;
		create_jobs(w);
		return true;
	}
	for (size_t i = 0; i < s.actions.n; i++)
		first = jobs_stage_of(&s.actions.at[i]) < first ? jobs_stage_of(&s.actions.at[i]) : first;
	for (int stage = (int)first; stage <= JOBS_STAGE_JOB; stage++) {
		for (size_t i = 0; i < s.actions.n; i++) {
			if ((int)jobs_stage_of(&s.actions.at[i]) != stage)
				continue;
			if (loses && !chance(3))
				return true;
			act(w, &s.actions.at[i]);
		}
		if (!w->all_stages)
			break;
	}
	if (s.live.restart_due && !s.restart)
		w->broken = "a restart is due and not ordered";
	return s.actions.n || s.news || s.restart;
}

static void settle(struct attended *w, bool loses)
{
	for (unsigned i = 0; i < SETTLE; i++)
		if (!take_step(w, loses && i < SETTLE / 2))
			return;
	w->broken = "the attendant never rests";
}

/* ---- events ---- */

/* What happens to the pod of a role; the Job controller follows. Nothing, if it does not fit the state of the pod. */
static void happen(struct attended *w, size_t role, unsigned what, int code)
{
	struct world_job *j = &w->jobs[role];
	bool alive = j->pod == POD_PENDING || j->pod == POD_READY;

	if (role >= w->plan.nroles || !j->there || j->suspended)
		return;
	if (what == 0 && j->pod == POD_PENDING)
		j->pod = POD_READY;
	else if (what == 1 && j->pod == POD_READY)
		j->pod = POD_DONE;              /* the pod shows its success before the Job does */
	else if (what == 2 && alive)
		j->pod = POD_FAILED, j->code = code, j->over = true;
	else if (what == 3 && j->pod == POD_DONE)
		j->over = true;
	else if (what == 4 && j->over)
		j->pod = POD_NONE;              /* somebody removes the pod, and with it the exit code */
	else if (what == 5 && j->over && w->record.verdict.n)
		j->there = false;               /* `ttl`, or somebody, removes the Job */
}

/* The same facts in both records and the same Jobs? */
static const char *difference(const struct attended *a, const struct attended *b)
{
	if (!str_eq(a->record.verdict, b->record.verdict))
		return "verdicts differ";
	if (a->restarts != b->restarts)
		return "restarts differ";
	for (size_t i = 0; i < a->plan.nroles; i++)
		if (a->jobs[i].there != b->jobs[i].there || a->jobs[i].released != b->jobs[i].released ||
			a->jobs[i].marked != b->jobs[i].marked)
			return "Jobs differ";
	return NULL;
}

/* After all objects are gone, the record still says which rank failed first, and with which code. */
static const char *recalled(struct attended *w, int code)
{
	struct run_state s = { .phase = RUN_ABSENT };

	if (!str_is(w->record.verdict, "Failed"))
		return NULL;
	if (w->record.restart.number < w->record.restart.most)
		return "a run failed that had restarts left";
	cluster_watch_recall(&w->arena, &w->record, &s);
	return s.phase != RUN_FAILED ? "a failed run is not remembered as failed"
		: !s.failure.known || s.failure.exit_code != code ? "the first failing rank is forgotten" : NULL;
}

static const char *history(unsigned number, unsigned verdicts[3])
{
	struct attended command, controller;
	const char *wrong = NULL;
	unsigned shape = chance(72);

	world_begin(&command, shape, false);
	world_begin(&controller, shape, true);
	for (unsigned i = 0; i < EVENTS && !wrong; i++) {
		static const unsigned often[] = { 0, 0, 0, 1, 1, 1, 3, 3, 3, 2, 4, 5 };
		unsigned what = often[chance(12)];
		size_t role = chance(ROLES);
		happen(&command, role, what, 3);
		happen(&controller, role, what, 3);
		settle(&command, number % 2);
		settle(&controller, number % 2);
		wrong = command.broken ? command.broken : controller.broken ? controller.broken
			: difference(&command, &controller);
	}
	wrong = wrong ? wrong : recalled(&command, 3);
	wrong = wrong ? wrong : recalled(&controller, 3);
	if (!wrong && (command.verdicts > 1 || controller.verdicts > 1))
		wrong = "a verdict was given twice";
	verdicts[!command.record.verdict.n ? 0 : str_is(command.record.verdict, "Failed") ? 1 : 2]++;
	world_end(&command);
	world_end(&controller);
	return wrong;
}

/* ---- records that lie ---- */

static void test_lies(void)
{
	struct attended w;
	struct attend_look l = { .plan = &w.plan, .record = &w.record, .acts = true };

	world_begin(&w, 36, true);              /* `worker` waits for `ps`, */
	happen(&w, 0, 0, 0);                    /* which is ready now */
	struct status_objects objects = look(&w);
	l.objects = &objects;
	l.now = w.now;
	w.record.verdict = STR("Failed");
	w.record.outcome = STR("{\"generation\":1,\"cause\":\"a lie\"}");
	struct attend_step s = attend_step(&w.arena, &l);
	CHECK_TEXT(s.doubt, "no object shows the verdict 'Failed'");
	CHECK(!s.actions.n && !s.news && !s.restart && str_is(s.verdict, "Failed"));

	w.record.verdict = w.record.outcome = STR("");
	/* restarts that no Job shows, or that somebody has made unreadable, would let the next failure end the run */
	w.record.restart.number = 1;
	s = attend_step(&w.arena, &l);
	CHECK_TEXT(s.doubt, "no Job shows its restart 1");
	CHECK(!s.actions.n && !s.news && !s.restart);
	w.record.restart = (struct status_restart){ .damaged = true };
	s = attend_step(&w.arena, &l);
	CHECK_TEXT(s.doubt, "what it says about restarts is damaged");
	CHECK(!s.actions.n && !s.news && !s.restart);

	w.record.restart = (struct status_restart){ 0 };
	w.record.plan = STR("{\"other\":true}");        /* the Jobs have the digest of the plan before */
	s = attend_step(&w.arena, &l);
	CHECK_TEXT(s.doubt, "Job 'ps' does not vouch for it");
	CHECK(s.vouched == VOUCH_MISSING && !s.actions.n && !s.news && !s.restart);
	world_end(&w);
}

/* A command that does not act gets the state and the verdict, and no orders. */
static void test_only_looks(void)
{
	struct attended w;

	world_begin(&w, 36, true);
	happen(&w, 0, 0, 0);
	struct status_objects objects = look(&w);
	struct attend_look l = { .plan = &w.plan, .record = &w.record, .objects = &objects, .now = w.now };
	CHECK(attend_step(&w.arena, &l).actions.n == 0);
	l.acts = true;
	CHECK(attend_step(&w.arena, &l).actions.n == 1);
	happen(&w, 0, 2, 3);
	objects = look(&w);
	l.acts = false;
	struct attend_step s = attend_step(&w.arena, &l);
	CHECK(s.news && s.judged && str_is(s.verdict, "Failed"));
	world_end(&w);
}

int main(void)
{
	unsigned verdicts[3] = { 0 }, wrong = 0;

	for (unsigned i = 0; i < HISTORIES; i++) {
		random_state = UINT64_C(0x9e3779b97f4a7c15) * (i + 1);
		const char *why = history(i, verdicts);
		if (why && wrong++ < 5)
			printf("history %u: %s\n", i, why);
	}
	printf("%u histories go on, %u failed, %u succeeded\n", verdicts[0], verdicts[1], verdicts[2]);
	CHECK(!wrong);
	CHECK(verdicts[0] > HISTORIES / 20 && verdicts[1] > HISTORIES / 20 && verdicts[2] > HISTORIES / 20);
	test_lies();
	test_only_looks();
	return unit_end();
}
