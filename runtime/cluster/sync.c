/*
 * sync.c - `sync` in a cluster: replaces the code of running replicas, and notes it in the labels of their pods and in
 * the record of the run. The Jobs stay as they are: a pod that is created later has the code of its template.
 */
#include "runtime/command/sync.h"

#include "base/words.h"
#include "data/data_write.h"
#include "plan/code.h"
#include "runtime/cluster/cluster_watch.h"
#include "runtime/cluster/code_record.h"
#include "runtime/cluster/replica_pod.h"
#include "runtime/cluster/sync_stream.h"
#include "runtime/command/runs.h"
#include "runtime/status/look.h"

enum { RECORD_AGAIN = 5, SYNC_SAID = 5 };

struct syncing {
	struct session *session;
	struct cluster *cluster;
	struct cluster_watch *watch;
	struct code_sync *what;
	struct sync_part *parts;
	struct replica_pod *pods;
	size_t n;
};

/* ---- which replicas ---- */

/* Reports a role of the run whose code cannot be replaced; false if it can. */
static bool is_role_refused(struct syncing *c, const struct plan_role *old, const struct plan_role *new,
	int *ret_status)
{
	struct str run = c->watch->watch->name;
	const char *what = !old || !old->code || !old->code->sync
		? "was started without 'code { sync = true }'; set it, then apply the run again"
		: str_eq(old->code->at, new->code->at) ? NULL
		: "has its code at another place ('at'); apply the run again";

	if (!what)
		return false;
	session_say(c->session, "role '%.*s' of run '%.*s' %s", STR_ARG(new->name), STR_ARG(run), what);
	*ret_status = STATUS_CONFLICT;
	return true;
}

static struct sync_part part_of_pod(struct arena *a, const struct replica_pod *pod)
{
	return (struct sync_part){ .ns = pod->ns, .pod = pod->name, .dir = pod->plan->code->at,
		.container = plan_label(a, pod->plan->main.name),
		.grace = (int64_t)(pod->plan->grace.value.nano / QUANTITY_UNIT) };
}

static void add_replica_part(struct syncing *c, const struct plan_role *new, const struct replica_pod *pod)
{
	struct arena *a = c->session->arena;
	struct sync_part p = part_of_pod(a, pod);
	size_t n = c->n;

	p.id = new->code->id;
	p.packed = new->code->packed;
	p.restart = c->what->restart;
	ARENA_PUSH(a, c->pods, n, *pod);
	ARENA_PUSH(a, c->parts, c->n, p);
}

/* Adds the replicas of a role that run. One that is about to start would have other code than its peers. */
static bool add_role(struct syncing *c, const struct plan_role *new, int *ret_status)
{
	const struct plan_role *old = plan_find_role(&c->watch->plan, new->name);
	struct replica_pods pods;

	if (is_role_refused(c, old, new, ret_status) ||
		!replica_pods_list(c->session, c->watch->watch, old, &pods, ret_status))
		return false;
	for (int64_t i = 0; i < old->max; i++) {
		struct replica_pod pod;
		if (replica_pods_pick(c->session->arena, &pods, i, false, &pod))
			add_replica_part(c, new, &pod);
		else if (!old->elastic && replica_pods_pick(c->session->arena, &pods, i, true, &pod)) {
			session_say(c->session, "%.*s/%lld has not started yet; nothing was changed",
				STR_ARG(new->name), (long long)i);
			*ret_status = STATUS_CONFLICT;
			return false;
		}
	}
	return true;
}

static bool choose_replicas(struct syncing *c, int *ret_status)
{
	const struct code_sync *w = c->what;

	for (size_t i = 0; i < w->job->nroles; i++) {
		const struct plan_role *r = &w->job->roles[i];
		bool meant = w->only.n ? str_eq(w->only, r->name) : r->code && r->code->sync;
		if (meant && r->max && !add_role(c, r, ret_status))
			return false;
	}
	if (c->n)
		return true;
	if (cluster_watch_start(c->cluster, ret_status)) {
		const struct run_state *s = &c->watch->watch->state;
		session_say(c->session, "no replica of run '%.*s' runs now%s%.*s", STR_ARG(s->name),
			s->cause.n ? ": " : "", STR_ARG(s->cause));
		*ret_status = STATUS_CONFLICT;
	}
	return false;
}

/* ---- results ---- */

static const char *part_result(const struct sync_part *p)
{
	if (p->stage == SYNC_FAILED || (p->told && p->stage != SYNC_DONE))
		return "failed";
	return p->stage == SYNC_DONE ? "synced" : p->stage == SYNC_SAME ? "unchanged" : "left";
}

static struct sync_role *role_result(struct syncing *c, const struct replica_pod *pod)
{
	struct code_sync *w = c->what;

	for (size_t i = 0; i < w->nroles; i++)
		if (str_eq(w->roles[i].name, pod->plan->name))
			return &w->roles[i];
	struct sync_role new = { .name = pod->plan->name, .to = plan_find_role(w->job, pod->plan->name)->code->id,
		.unchanged = true };
	ARENA_PUSH(c->session->arena, w->roles, w->nroles, new);
	return &w->roles[w->nroles - 1];
}

static void note_results(struct syncing *c)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct sync_part *p = &c->parts[i];
		struct sync_role *r = role_result(c, &c->pods[i]);
		struct sync_result x = { c->pods[i].plan->name, c->pods[i].index, part_result(p) };
		ARENA_PUSH(c->session->arena, c->what->at, c->what->n, x);
		r->n++;
		r->running += p->stage == SYNC_DONE || p->stage == SYNC_SAME;
		r->unchanged = r->unchanged && p->stage == SYNC_SAME;
		r->restarted = r->restarted || (p->stage == SYNC_DONE && p->restart != SYNC_NEVER);
		r->changed = p->changed > r->changed ? p->changed : r->changed;
		if (!r->from.n && p->have.n == CODE_ID && p->stage != SYNC_SAME)
			r->from = p->have;
	}
}

/* Reports the replicas that have failed; returns the exit status. */
static int say_failed(struct syncing *c)
{
	int status = STATUS_DONE;
	size_t failed = 0, told = 0;
	bool old = false, denied = false;

	for (size_t i = 0; i < c->n; i++) {
		const struct sync_part *p = &c->parts[i];
		told += p->told;
		if (p->stage != SYNC_FAILED)
			continue;
		if (failed++ < SYNC_SAID)
			session_say(c->session, "%.*s/%lld: %.*s", STR_ARG(c->pods[i].role),
				(long long)c->pods[i].index, STR_ARG(p->why));
		denied = denied || p->end.forbidden;
		if (p->end.old && !old)
			old = exec_server_is_old(c->cluster);
		status = runs_worse(status, p->status);
	}
	if (denied)
		session_say(c->session, "docs/runtime.md has the Role 'trainc-interactive', which permits this");
	if (failed > SYNC_SAID)
		session_say(c->session, "and %zu more", failed - SYNC_SAID);
	session_say(c->session, told ? "replicas may have different code now; the same command completes what was begun"
		: "nothing was changed in any replica");
	return c->cluster->interrupted ? cluster_interrupted(c->cluster) :
		!told && status == STATUS_DENIED ? status : STATUS_FAILED;
}

/* ---- what is noted ---- */

static struct answer *add_label(struct syncing *c, struct batch *b, size_t i)
{
	static const struct transport_pair query = { { "fieldManager", 12 }, { APPLYSET_MANAGER,
		sizeof APPLYSET_MANAGER - 1 } };
	const struct replica_pod *p = &c->pods[i];
	struct transport_place place = { .version = STR("v1"), .plural = STR("pods"), .namespace = p->ns,
		.name = p->name };

	return batch_add(b, &(struct transport_request){ .method = TRANSPORT_PATCH, .kind = TRANSPORT_WRITE,
		.query = &query, .nquery = 1, .path = transport_path(c->session->arena, &place),
		.content_type = STR("application/merge-patch+json"), .body = str_printf(c->session->arena,
		"{\"metadata\":{\"uid\":\"%.*s\",\"labels\":{\"trainc.dev/code\":\"%.*s\"}}}", STR_ARG(p->uid),
		CODE_SHORT, c->parts[i].id.p) }, CALL_REPEAT);
}

/* Sets the label of pods that have the code now; `status` reads it. */
static void label_pods(struct syncing *c)
{
	struct batch b = batch_new(&c->cluster->client, c->session->arena);
	const struct answer *refused = NULL;

	for (size_t i = 0; i < c->n; i++) {
		const struct sync_part *p = &c->parts[i];
		struct str now = { p->id.p, CODE_SHORT };
		if ((p->stage == SYNC_DONE || p->stage == SYNC_SAME) &&
			!str_eq(status_label(c->pods[i].object, "trainc.dev/code"), now))
			add_label(c, &b, i);
	}
	if (!b.n)
		return;
	batch_wait(&b);
	for (size_t i = 0; i < b.n; i++)
		if (b.answers[i]->class != CALL_DONE && !cluster_is_gone(b.answers[i]))
			refused = b.answers[i];
	if (refused) {
		cluster_say(c->cluster, refused);
		session_say(c->session, "so 'status' will show other code than these pods have");
	}
}

/* The plan of the run, with the new code of the roles that were meant. */
static struct str new_record(struct syncing *c)
{
	struct arena *a = c->session->arena;
	struct plan_job *j = &c->watch->plan;

	code_record_note(a, c->what->project, c->what->job);
	for (size_t i = 0; i < c->what->nroles; i++) {
		const struct plan_role *new = plan_find_role(c->what->job, c->what->roles[i].name);
		struct plan_code *old = plan_find_role(j, new->name)->code;
		old->synced = str_copy(a, new->code->id);
		old->files = new->code->files;
		old->bytes = new->code->bytes;
		old->commit = str_copy(a, new->code->commit);
		old->dirty = new->code->dirty;
	}
	return code_record_text(a, j);
}

/* Reads the record again, after somebody else has written it; false if it is that of another run by now. */
static bool read_record_again(struct syncing *c, struct str path)
{
	struct parent *p = &c->watch->parent;
	const struct answer *x = request_get(&c->cluster->client, c->session->arena, path);
	struct str uid = p->uid, why;
	int64_t generation = p->generation;

	if (x->class == CALL_DONE && x->data && parent_read(c->session->arena, x->data, p, &why) &&
		str_eq(p->uid, uid) && p->generation == generation) {
		code_record_read(c->session->arena, p->code, &c->watch->plan);
		return true;
	}
	session_say(c->session, "run '%.*s' was applied again meanwhile", STR_ARG(c->watch->watch->name));
	return false;
}

/* Writes the code into the record, unless that is the record of another run by now. */
static int write_record(struct syncing *c)
{
	struct parent *p = &c->watch->parent;
	struct str text = new_record(c);
	const struct answer *x = NULL;

	for (unsigned try = 0; try < RECORD_AGAIN && !str_eq(text, p->code); try++) {
		struct transport_pair data = { STR("code"), text };
		struct transport_request r = parent_patch(c->session->arena, p, APPLYSET_PARENT_MANAGER, &data, 1);
		x = request_send(&c->cluster->client, c->session->arena, &r, CALL_REPEAT);
		if (x->class != CALL_CONFLICT)
			return x->class != CALL_DONE ? cluster_say(c->cluster, x) : STATUS_DONE;
		if (!read_record_again(c, r.path))
			return STATUS_CONFLICT;
		text = new_record(c);
	}
	return x && !str_eq(text, p->code) ? cluster_say(c->cluster, x) : STATUS_DONE;
}

int cluster_sync(struct session *s, struct run_watch *w, struct code_sync *what)
{
	struct syncing c = { .session = s, .cluster = cluster_of(s), .watch = cluster_watch_of(w), .what = what };
	int status;

	if (!choose_replicas(&c, &status))
		return status;
	bool good = sync_parts(c.cluster, c.parts, c.n);
	bool any = good;
	for (size_t i = 0; i < c.n; i++)
		any = any || c.parts[i].told;
	note_results(&c);
	status = good ? STATUS_DONE : say_failed(&c);
	if (!any)
		return status;
	bool stopped = c.cluster->interrupted;
	if (stopped)
		cluster_last_requests(c.cluster, true);
	label_pods(&c);
	int noted = write_record(&c);
	if (stopped)
		cluster_last_requests(c.cluster, false);
	return status ? status : noted;
}

bool sync_restart_program(struct session *s, const struct replica_pod *pod, int *ret_status)
{
	struct sync_part p = part_of_pod(s->arena, pod);

	p.restart = SYNC_ALWAYS;
	if (sync_parts(cluster_of(s), &p, 1))
		return true;
	*ret_status = cluster_of(s)->interrupted ? cluster_interrupted(cluster_of(s)) :
		p.status == STATUS_DENIED ? p.status : STATUS_FAILED;
	if (!cluster_of(s)->interrupted)
		session_say(s, "%.*s/%lld: %.*s", STR_ARG(pod->role), (long long)pod->index, STR_ARG(p.why));
	return false;
}
