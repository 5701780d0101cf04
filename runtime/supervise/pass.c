/*
 * pass.c - one pass, step by step: compile, decide, store what must be kept, write a verdict, create the objects that
 * all replicas share, act, write the status. Each step ends when all its requests have been answered.
 */
#include "runtime/supervise/pass.h"

#include <stdlib.h>

#include "base/words.h"
#include "data/data_read.h"
#include "data/data_write.h"
#include "emit/listed.h"
#include "runtime/decide/decide.h"
#include "runtime/status/look.h"
#include "runtime/supervise/ancestors.h"
#include "runtime/supervise/event.h"
#include "runtime/supervise/job_status.h"
#include "runtime/supervise/log.h"
#include "runtime/supervise/owned.h"
#include "runtime/supervise/plan_cache.h"
#include "runtime/supervise/supervised.h"

#define CONTROLLER "kubeflow.org/training-operator"
/*
 * How long a status waits when only its counts, or Created, are new: as long as STATUS_REQUESTS requests take, but at
 * least STATUS_WAIT and at most STATUS_WAIT_MOST.
 */
#define STATUS_WAIT NS_PER_SECOND
#define STATUS_WAIT_MOST (5 * NS_PER_SECOND)
#define STATUS_REQUESTS 16
#define GROUP_WAIT NS_PER_SECOND        /* pause between two looks at a gang that cannot start yet */
enum {
	AT_ONCE = 48,                   /* maximum number of requests of one pass under way */
	OBJECT_MEMORY = 4096            /* size of the first block for an object that is created: most objects need no
					 * second block */
};

enum step { STEP_KEEP, STEP_VERDICT, STEP_SCALER, STEP_SHARED, STEP_GROUP, STEP_ACT, STEP_UNGROUP, STEP_STATUS,
	STEP_REMOVE, STEP_END };

struct pass {
	struct pass *later, *earlier;   /* links of the list of all passes under way */
	struct supervised *job;
	struct sent *sent;              /* requests of the pass, the newest first */
	struct arena arena;
	int64_t begun;                  /* by the steady clock: when the pass began */
	const struct data *resource;
	const struct custom_plan *plan;
	struct seen_list seen;
	struct decision d;
	struct job_conditions before;
	bool was_finished;
	struct str durable, status;     /* the annotation and the status that are wanted; an empty status: no change */
	struct emit_listing shared;
	enum step step;
	size_t next, pending;           /* requests of the step: the next to send, and those under way */
	bool held;                      /* the gang of the job cannot start yet: no pod is made */
	bool failed;                    /* a request was refused, or its outcome is unknown */
	/* an answer removed an object; the watch will not report that, so another pass is needed */
	bool changed;
};

static void go_on(struct pass *p);

/* A request that a step has sent. */
struct sent {
	struct pass *pass;
	struct sent *next;
	struct transport_request request;
	const struct decide_action *action;     /* the action that the request carries out; NULL: it belongs to another
						 * step */
	const struct data *tree;        /* the shared object that the request is about; NULL: it is not about one */
	/* memory of the request and its answer: a job of a thousand replicas has thousands of them */
	struct arena own;
	int64_t begun;                  /* by the steady clock: when it was sent */
};

/* ---- texts that outlive a pass ---- */

/* Frees OLD and returns a copy of S that outlives the pass. */
static char *keep_always(char *old, struct str s)
{
	char *p = memory_resize(NULL, s.n + 1);

	memcpy(p, s.p, s.n);
	p[s.n] = '\0';
	free(old);
	return p;
}

/* As keep_always(); NULL when S is empty. */
static char *keep(char *old, struct str s)
{
	if (s.n)
		return keep_always(old, s);
	free(old);
	return NULL;
}

/* Keeps STATUS as the status that J should have. */
static void keep_wanted(struct supervised *j, struct str status)
{
	if (j->wanted && str_eq(status, str_of(j->wanted)))
		return;
	j->wanted = keep(j->wanted, status);
	j->written = false;
}

/* ---- the end of a pass ---- */

static void pass_free(struct pass *p)
{
	struct pass **first = &p->job->control->passes;

	*(p->later ? &p->later->earlier : first) = p->earlier;
	if (p->earlier)
		p->earlier->later = p->later;
	arena_release(&p->arena);
	free(p);
}

void passes_release(struct controller *c)
{
	while (c->passes) {
		struct supervised *j = c->passes->job;
		for (struct sent *s = c->passes->sent; s; s = s->next)
			arena_release(&s->own);
		pass_free(c->passes);
		j->item.busy = false;
		if (j->gone)
			supervised_free(j);
	}
}

static void finish(struct pass *p)
{
	struct supervised *j = p->job;
	struct pass_end e = { .begun = p->begun, .ok = !p->failed, .changed = p->changed, .again = p->d.again };
	int64_t look = controller_now(j->control) + GROUP_WAIT;

	if (p->held && e.again > look)
		e.again = look;
	pass_free(p);
	supervised_done(j, &e);
}

static void give_up(struct pass *p, const struct transport_result *r)
{
	p->failed = true;
	log_line("warning", p->job->label, "%.*s", STR_ARG(r->error));
}

static void one_less(struct pass *p)
{
	p->pending--;
	go_on(p);
}

static void send(struct pass *p, struct sent *s, enum call_repeat repeat,
	void (*done)(void *to, const struct transport_result *r))
{
	s->pass = p;
	s->next = p->sent;
	s->begun = clock_steady();
	p->sent = s;
	s->request.done = done;
	s->request.to = s;
	p->pending++;
	call_start(p->job->control->client.calls, &s->request, repeat, NULL);
}

/* Updates the running mean: the latest request counts for a sixteenth. */
static void note_time(const struct sent *s)
{
	struct controller *c = s->pass->job->control;

	c->request_time += (clock_steady() - s->begun - c->request_time) / 16;
}

/* The body of an answer as a tree in A. */
static const struct data *answer_tree(struct arena *a, const struct transport_result *r)
{
	struct source source = { .text = str_copy(a, r->body), .base = 1 };
	struct data_error error;
	struct data *d;

	return data_read_json(a, &source, &d, &error) ? d : NULL;
}

/* ---- storing the record ---- */

static void kept(void *to, const struct transport_result *r)
{
	struct sent *s = to;
	struct pass *p = s->pass;

	if (transport_ok(r))
		p->job->durable = keep(p->job->durable, p->durable);
	else
		give_up(p, r);
	one_less(p);
}

static void send_durable(struct pass *p)
{
	struct sent *s = ARENA_NEW(&p->arena, struct sent);
	struct buf b = { 0 };

	buf_z(&b, "{\"metadata\":{\"uid\":");
	buf_json(&b, p->job->uid);
	buf_z(&b, ",\"annotations\":{\"" RECORD_ANNOTATION "\":");
	if (p->durable.n)
		buf_json(&b, p->durable);
	else
		buf_z(&b, "null");
	buf_z(&b, "}}}");
	s->request = resource_patch(&p->arena, p->job, "", buf_take(&b, &p->arena));
	buf_release(&b);
	send(p, s, CALL_REPEAT, kept);
}

static void identified(void *to, const struct transport_result *r)
{
	struct sent *s = to;

	if (!transport_ok(r))
		give_up(s->pass, r);
	one_less(s->pass);
}

/* Writes the runtime id of an ancestor's job into its spec, where its users look for it. */
static bool send_runtime_id(struct pass *p)
{
	struct str id = custom_runtime_id(&p->arena, p->resource);
	struct sent *s;

	if (!id.n || p->was_finished)
		return false;
	s = ARENA_NEW(&p->arena, struct sent);
	s->request = resource_patch(&p->arena, p->job, "", str_printf(&p->arena,
		"{\"metadata\":{\"uid\":\"%.*s\"},\"spec\":{\"RuntimeId\":\"%.*s\"}}", STR_ARG(p->job->uid),
		STR_ARG(id)));
	send(p, s, CALL_REPEAT, identified);
	return true;
}

static bool step_keep(struct pass *p)
{
	if (p->next == 0) {
		p->next = 1;
		if (send_runtime_id(p))
			return true;
	}
	if (p->next++ > 1 || str_eq(p->durable, str_of(p->job->durable ? p->job->durable : "")))
		return false;
	send_durable(p);
	return true;
}

/* ---- objects that all replicas share ---- */

static struct str shared_name(struct pass *p, const struct data *tree)
{
	return str_printf(&p->arena, "%.*s/%.*s\n", STR_ARG(status_text(tree, "kind")),
		STR_ARG(status_text(tree, "metadata.name")));
}

static bool is_made(struct pass *p, const struct data *tree)
{
	const char *made = p->job->objects_made;

	return made && strstr(made, shared_name(p, tree).p);
}

/* Is TREE the autoscaler? It has a step of its own. */
static bool is_scaler(const struct data *tree) { return str_is(status_text(tree, "kind"), "HorizontalPodAutoscaler"); }

static bool is_group(const struct data *tree) { return str_is(status_text(tree, "kind"), "PodGroup"); }

static void note_made(struct pass *p, const struct data *tree)
{
	if (is_group(tree))
		p->job->group_gone = false;
	struct str made = str_of(p->job->objects_made ? p->job->objects_made : "");

	p->job->objects_made = keep(p->job->objects_made, str_cat(&p->arena, made, shared_name(p, tree), STR("")));
}

static bool is_owned(const struct data *object, struct str uid)
{
	const struct data *owners = status_list(object, "metadata.ownerReferences");

	for (size_t i = 0; i < owners->u.list.n; i++)
		if (str_eq(status_text(owners->u.list.at[i], "uid"), uid))
			return true;
	return false;
}

/* Reports that an object with the name of TREE belongs to somebody else. The job waits until that object is gone. */
static void report_foreign(struct pass *p, const struct data *tree)
{
	struct str text = str_printf(&p->arena, "Resource \"%.*s\" of %.*s already exists and is not managed by %s",
		STR_ARG(status_text(tree, "metadata.name")), STR_ARG(status_text(tree, "kind")), p->job->kind->kind);

	event_write(p->job, EVENT_MANY, "Warning", STR("ErrResourceExists"), text);
	log_line("warning", p->job->label, "%.*s", STR_ARG(text));
	p->failed = true;
}

/* Checks whether an object that already existed belongs to the job. */
static void shared_read(void *to, const struct transport_result *r)
{
	struct sent *s = to;
	struct pass *p = s->pass;
	const struct data *object = transport_ok(r) ? answer_tree(&p->arena, r) : NULL;

	if (object && is_owned(object, p->job->uid)) {
		note_made(p, s->tree);
	} else if (object) {
		report_foreign(p, s->tree);
	} else {
		give_up(p, r);
	}
	one_less(p);
}

static void shared_made(void *to, const struct transport_result *r)
{
	struct sent *s = to;
	struct pass *p = s->pass;

	if (transport_ok(r)) {
		p->job->control->metrics.created++;
		note_made(p, s->tree);
	} else if (r->code == 409) {
		struct sent *get = ARENA_NEW(&p->arena, struct sent);
		get->tree = s->tree;
		get->request = owned_get(&p->arena, p->job, s->tree);
		send(p, get, CALL_BY_METHOD, shared_read);
	} else {
		give_up(p, r);
	}
	one_less(p);
}

static bool makes_replicas(const struct pass *p)
{
	for (size_t i = 0; i < p->d.nactions; i++)
		if (p->d.actions[i].what == DECIDE_CREATE)
			return true;
	return false;
}

static bool step_shared(struct pass *p)
{
	if (p->pending)                 /* one after the other, since a RoleBinding needs its Role */
		return false;
	if (!p->next && makes_replicas(p))
		p->shared = emit_list_shared(&p->arena, &p->plan->program.plan, p->plan->job);
	while (p->next < p->shared.n) {
		const struct data *tree = p->shared.at[p->next++].tree;
		if (is_made(p, tree) || is_scaler(tree))
			continue;
		struct sent *s = ARENA_NEW(&p->arena, struct sent);
		s->tree = tree;
		s->request = owned_create(&p->arena, p->job, tree);
		send(p, s, CALL_BY_METHOD, shared_made);
		return true;
	}
	return false;
}

/* ---- the autoscaler ---- */

/*
 * The controller remembers the spec with which it last wrote the autoscaler; "" after it deleted it. After a start
 * nothing is remembered, and an existing autoscaler gets the present spec.
 */

static struct str scaler_spec(struct pass *p, const struct data *tree)
{
	struct buf b = { 0 };

	data_write(&b, data_get(tree, STR("spec")));
	struct str text = buf_take(&b, &p->arena);
	buf_release(&b);
	return text;
}

static void scaler_done(void *to, const struct transport_result *r)
{
	struct sent *s = to;

	if (transport_ok(r))
		s->pass->job->scaler = keep_always(s->pass->job->scaler, scaler_spec(s->pass, s->tree));
	else
		give_up(s->pass, r);
	one_less(s->pass);
}

static void scaler_gone(void *to, const struct transport_result *r)
{
	struct sent *s = to;

	if (transport_ok(r) || r->code == 404)
		s->pass->job->scaler = keep_always(s->pass->job->scaler, STR(""));
	else
		give_up(s->pass, r);
	one_less(s->pass);
}

/*
 * Handles the autoscaler that was read, if the job owns it: changes it, or deletes it while the job is suspended.
 */
static void scaler_read(void *to, const struct transport_result *r)
{
	struct sent *s = to, *next = ARENA_NEW(&s->pass->arena, struct sent);
	struct pass *p = s->pass;
	const struct data *object = transport_ok(r) ? answer_tree(&p->arena, r) : NULL;
	bool ours = object && is_owned(object, p->job->uid);

	next->tree = s->tree;
	if (conditions_hold(&p->d.record.conditions, JOB_SUSPENDED)) {
		if (ours) {
			next->request = owned_drop(&p->arena, p->job, s->tree);
			send(p, next, CALL_REPEAT, scaler_gone);
		} else if (object || r->code == 404) {
			p->job->scaler = keep_always(p->job->scaler, STR(""));
		} else {
			give_up(p, r);
		}
	} else if (ours) {
		next->request = owned_respec(&p->arena, p->job, s->tree, scaler_spec(p, s->tree));
		send(p, next, CALL_REPEAT, scaler_done);
	} else if (object) {
		report_foreign(p, s->tree);
	} else if (r->code == 404) {            /* somebody deleted the autoscaler: the next pass creates it again */
		p->job->scaler = keep_always(p->job->scaler, STR(""));
		p->changed = true;
	} else {
		give_up(p, r);
	}
	one_less(p);
}

static void scaler_made(void *to, const struct transport_result *r)
{
	struct sent *s = to;
	struct pass *p = s->pass;

	if (r->code != 409) {
		p->job->control->metrics.created += transport_ok(r);
		scaler_done(to, r);
		return;
	}
	struct sent *get = ARENA_NEW(&p->arena, struct sent);
	get->tree = s->tree;
	get->request = owned_get(&p->arena, p->job, s->tree);
	send(p, get, CALL_BY_METHOD, scaler_read);
	one_less(p);
}

/* The autoscaler of the plan, complete while the job is not suspended; NULL when the plan has none. */
static const struct data *scaler_of(struct pass *p)
{
	const struct plan_job *plan = p->plan->job;
	struct emit_listing all = { 0 };

	for (size_t i = 0; i < plan->nobjects; i++) {
		const struct data *tree = plan->objects[i].data;
		if (!plan->objects[i].framework || !is_scaler(tree))
			continue;
		all = emit_list_shared(&p->arena, &p->plan->program.plan, plan);
		for (size_t k = 0; k < all.n; k++)
			if (is_scaler(all.at[k].tree))
				return all.at[k].tree;
		return tree;
	}
	return NULL;
}

/*
 * Keeps the autoscaler in existence from the first pods on, except while the job is suspended. It is deleted with the
 * job, which owns it.
 */
static bool step_scaler(struct pass *p)
{
	const char *known = p->job->scaler;
	const struct data *tree = p->next++ || p->was_finished ? NULL : scaler_of(p);
	bool suspended = conditions_hold(&p->d.record.conditions, JOB_SUSPENDED);

	if (!tree || (known && str_eq(str_of(known), suspended ? STR("") : scaler_spec(p, tree))))
		return false;
	struct sent *s = ARENA_NEW(&p->arena, struct sent);
	s->tree = tree;
	bool make = !suspended && (!known || !*known);
	s->request = make ? owned_create(&p->arena, p->job, tree) : owned_get(&p->arena, p->job, tree);
	send(p, s, CALL_BY_METHOD, make ? scaler_made : scaler_read);
	return true;
}

/* ---- the gang ---- */

/* The PodGroup of the job; NULL when it has none. */
static const struct data *group_of(struct pass *p)
{
	struct emit_listing all = p->shared.n ? p->shared
		: emit_list_shared(&p->arena, &p->plan->program.plan, p->plan->job);

	for (size_t i = 0; i < all.n; i++)
		if (is_group(all.at[i].tree))
			return all.at[i].tree;
	return NULL;
}

/*
 * Handles the PodGroup that was read. Volcano first reserves room, and pods must not be created while the phase is
 * Pending.
 */
static void group_read(void *to, const struct transport_result *r)
{
	struct sent *s = to;
	struct pass *p = s->pass;
	const struct data *group = transport_ok(r) ? answer_tree(&p->arena, r) : NULL;
	struct str phase = group ? status_text(group, "status.phase") : STR("");

	if (!group)
		give_up(p, r);
	p->held = !phase.n || str_is(phase, "Pending");
	one_less(p);
}

static bool step_group(struct pass *p)
{
	struct sent *s;
	const struct data *group;

	if (p->next++ || !str_is(p->job->control->custom.gang, "volcano") || !makes_replicas(p) ||
	    !(group = group_of(p)))
		return false;
	s = ARENA_NEW(&p->arena, struct sent);
	s->request = owned_get(&p->arena, p->job, group);
	send(p, s, CALL_BY_METHOD, group_read);
	return true;
}

static void group_deleted(void *to, const struct transport_result *r)
{
	struct sent *s = to;
	struct pass *p = s->pass;

	if (transport_ok(r) || r->code == 404) {
		if (transport_ok(r))
			event_write(p->job, EVENT_ONE, "Normal", STR("SuccessfulDeletePodGroup"),
				str_cat(&p->arena, STR("Deleted PodGroup: "), p->job->name, STR("")));
		p->job->group_gone = true;
		/* a job that is resumed creates it again */
		p->job->objects_made = keep(p->job->objects_made, STR(""));
	} else {
		give_up(p, r);
	}
	one_less(p);
}

/* Deletes the PodGroup of a job that has ended or is suspended, so that it reserves no room. */
static bool step_ungroup(struct pass *p)
{
	const struct job_conditions *c = &p->d.record.conditions;
	struct sent *s;
	const struct data *group;

	if (p->next++ || !p->job->control->custom.gang.n || p->job->group_gone ||
	    !(conditions_finished(c) || conditions_hold(c, JOB_SUSPENDED)) || !(group = group_of(p)))
		return false;
	s = ARENA_NEW(&p->arena, struct sent);
	s->request = owned_drop(&p->arena, p->job, group);
	send(p, s, CALL_REPEAT, group_deleted);
	return true;
}

/* ---- act ---- */

static void note_event(struct pass *p, struct arena *own, const struct decide_action *a, const char *verb,
	const char *word)
{
	bool service = str_is(a->kind, "Service");

	event_write(p->job, EVENT_MANY, "Normal", str_printf(own, "Successful%s%s", verb, service ? "Service" : "Pod"),
		str_printf(own, "%s %s: %.*s", word, service ? "service" : "pod", STR_ARG(a->name)));
}

static void refused(struct pass *p, const struct decide_action *a, const struct transport_result *r)
{
	bool service = str_is(a->kind, "Service"), create = a->what == DECIDE_CREATE;

	give_up(p, r);
	event_write(p->job, EVENT_MANY, "Warning",
		str_printf(&p->arena, "Failed%s%s", create ? "Create" : "Delete", service ? "Service" : "Pod"),
		str_printf(&p->arena, "Error %s: %.*s", create ? "creating" : "deleting", STR_ARG(r->error)));
}

/* Has the watch passed the version in the answer? Then it has already reported the object, or its deletion. */
static bool is_past(const struct controller *c, struct str kind, const struct data *object)
{
	const struct object_watch *w = str_is(kind, "Service") ? c->services : str_is(kind, "Job") ? c->jobs : c->pods;

	return w && object_watch_past(w, status_text(object, "metadata.resourceVersion"));
}

static void created(struct pass *p, struct arena *own, const struct decide_action *a, const struct transport_result *r)
{
	struct controller *c = p->job->control;
	const struct data *object;

	if (!transport_ok(r)) {
		refused(p, a, r);
		return;
	}
	object = answer_tree(own, r);
	if (object && !is_past(c, a->kind, object))
		store_put(&c->store, a->kind, object);
	c->metrics.created++;
	note_event(p, own, a, "Create", "Created");
}

static void deleted(struct pass *p, struct arena *own, const struct decide_action *a, const struct transport_result *r)
{
	struct controller *c = p->job->control;

	if (transport_ok(r)) {
		const struct data *object = answer_tree(own, r);
		c->metrics.deleted++;
		if (object && status_text(object, "metadata.deletionTimestamp").n &&
		    status_text(object, "metadata.uid").n) {
			/* if the watch has passed it, the object may be gone, and no event would report that again */
			if (!is_past(c, a->kind, object))
				store_put(&c->store, a->kind, object);
		} else {
			p->changed = store_remove(&c->store, a->uid) || p->changed;
		}
		note_event(p, own, a, "Delete", "Deleted");
	} else if (r->code == 404 || r->code == 409) {
		p->changed = store_remove(&c->store, a->uid) || p->changed;     /* another object that has taken the
										 * name stays in the store */
	} else {
		refused(p, a, r);
	}
}

static void acted(void *to, const struct transport_result *r)
{
	struct sent *s = to;
	struct pass *p = s->pass;

	note_time(s);
	if (s->action->what == DECIDE_CREATE)
		created(p, &s->own, s->action, r);
	else if (s->action->what == DECIDE_DELETE)
		deleted(p, &s->own, s->action, r);
	else if (!transport_ok(r))
		give_up(p, r);
	arena_release(&s->own);
	one_less(p);
}

static bool make_request(struct pass *p, struct arena *own, const struct decide_action *a,
	struct transport_request *ret)
{
	if (a->what == DECIDE_ADOPT) {
		*ret = owned_adopt(own, p->job, a->kind, a->name, a->uid);
	} else if (a->what == DECIDE_DELETE) {
		*ret = owned_delete(own, p->job, a->kind, a->name, a->uid);
	} else {
		struct arena scratch = { .first = OBJECT_MEMORY };      /* the tree is larger than its text */
		const struct data *tree = emit_find(&scratch, &p->plan->program.plan, a->kind, a->name);
		if (tree)
			*ret = owned_create(own, p->job, tree);
		arena_release(&scratch);
		return tree != NULL;
	}
	return true;
}

static bool step_act(struct pass *p)
{
	while (p->next < p->d.nactions) {
		const struct decide_action *a = &p->d.actions[p->next++];
		struct sent *s = ARENA_NEW(&p->arena, struct sent);
		s->action = a;
		s->own.first = OBJECT_MEMORY;
		bool waits = p->held && a->what == DECIDE_CREATE && !str_is(a->kind, "Service");
		if (a->role == NO_ROLE || waits || !make_request(p, &s->own, a, &s->request))
			continue;
		send(p, s, a->what == DECIDE_CREATE ? CALL_BY_METHOD : CALL_REPEAT, acted);
		return true;
	}
	return false;
}

/* ---- status ---- */

static void told(void *to, const struct transport_result *r)
{
	struct sent *s = to;
	struct pass *p = s->pass;

	note_time(s);
	if (transport_ok(r)) {
		p->job->write_by = 0;
		p->job->written = true;
	} else if (r->code != 404) {
		give_up(p, r);
	}
	one_less(p);
}

/* Has the pass changed nothing but counts? A job that is being deleted has no plan, and its phase changes. */
static bool is_about_counts(const struct pass *p)
{
	const struct job_conditions *now = &p->d.record.conditions, *was = &p->before;
	bool same = p->plan && now->n == was->n;

	for (size_t i = 0; i < now->n && same; i++)
		same = now->at[i].type == was->at[i].type && now->at[i].holds == was->at[i].holds &&
			str_eq(now->at[i].reason, was->at[i].reason);
	return same;
}

/*
 * For how many nanoseconds may the status wait for a later pass? Counts change with every pod, and a job that was just
 * created runs a moment later: all that happens meanwhile is one write. On a server that takes long to answer, statuses
 * wait longer, for the requests that make pods, and so does the first Running.
 */
static int64_t status_wait(const struct pass *p)
{
	const struct job_conditions *c = &p->d.record.conditions;
	int64_t wait = STATUS_REQUESTS * p->job->control->request_time;
	bool young = !p->job->kind->status_key && p->plan;

	if (conditions_finished(c))             /* a verdict whose write has failed is not new in this pass */
		return 0;
	wait = wait < STATUS_WAIT ? STATUS_WAIT : wait < STATUS_WAIT_MOST ? wait : STATUS_WAIT_MOST;
	if (is_about_counts(p) || (young && c->n == 1 && c->at[0].type == JOB_CREATED))
		return wait;
	return young && c->n == 2 && c->at[1].type == JOB_RUNNING && p->before.n <= 1 ? wait - STATUS_WAIT : 0;
}

/* May the status be written by a later pass? */
static bool status_can_wait(struct pass *p)
{
	struct supervised *j = p->job;
	int64_t now = loop_now(j->control->client.loop), wait = status_wait(p);

	if (p->step != STEP_STATUS || p->d.remove || j->refused || !wait)
		return false;
	if (!j->write_by)
		j->write_by = now + wait;
	if (j->write_by <= now)
		return false;
	int64_t at = controller_now(j->control) + j->write_by - now;
	p->d.again = p->d.again < at ? p->d.again : at;
	return true;
}

static bool step_status(struct pass *p)
{
	struct sent *s;

	if (p->next++ || !p->status.n || p->job->written || status_can_wait(p))
		return false;
	s = ARENA_NEW(&p->arena, struct sent);
	s->request = resource_patch(&p->arena, p->job, "status",
		str_printf(&p->arena, "{\"metadata\":{\"uid\":\"%.*s\"},\"status\":%.*s}",
		STR_ARG(p->job->uid), STR_ARG(p->status)));
	send(p, s, CALL_REPEAT, told);
	return true;
}

/* Writes a verdict before pods are deleted: what it was derived from is lost with them. */
static bool step_verdict(struct pass *p)
{
	for (size_t i = 0; i < p->d.nactions; i++)
		if (p->d.actions[i].what == DECIDE_DELETE)
			return step_status(p);
	return false;
}

static void removed(void *to, const struct transport_result *r)
{
	struct sent *s = to;
	struct pass *p = s->pass;

	if (transport_ok(r))
		event_write(p->job, EVENT_ONE, "Normal", STR("SuccessfulDeleteJob"),
			str_cat(&p->arena, STR("Deleted job: "), p->job->name, STR("")));
	else if (r->code != 404 && r->code != 409)
		give_up(p, r);
	one_less(p);
}

static bool step_remove(struct pass *p)
{
	struct sent *s;

	if (p->next++ || !p->d.remove)
		return false;
	s = ARENA_NEW(&p->arena, struct sent);
	s->request = resource_delete(&p->arena, p->job);
	send(p, s, CALL_REPEAT, removed);
	return true;
}

/* ---- the order of the steps ---- */

static bool send_next(struct pass *p)
{
	switch (p->step) {
	case STEP_KEEP: return step_keep(p);
	case STEP_VERDICT: return step_verdict(p);
	case STEP_SCALER: return step_scaler(p);
	case STEP_SHARED: return step_shared(p);
	case STEP_GROUP: return step_group(p);
	case STEP_ACT: return step_act(p);
	case STEP_UNGROUP: return step_ungroup(p);
	case STEP_STATUS: return step_status(p);
	case STEP_REMOVE: return step_remove(p);
	case STEP_END: break;
	}
	return false;
}

/*
 * The step that follows. When the record cannot be stored, no action is taken; when a pod is refused, the status is
 * written all the same.
 */
static enum step step_after(const struct pass *p)
{
	if (p->failed && p->step < STEP_ACT)
		return STEP_END;
	return p->step == STEP_STATUS && p->failed ? STEP_END : p->step + 1;
}

static void go_on(struct pass *p)
{
	while (p->step != STEP_END) {
		while (p->pending < AT_ONCE && send_next(p))
			continue;
		if (p->pending)
			return;
		p->step = step_after(p);
		p->next = 0;
	}
	finish(p);
}

/* ---- what exists ---- */

/* Notes whether the shared objects have all been created, or none have to be requested. */
static void see_shared(struct pass *p, const struct plan_job *plan)
{
	for (size_t i = 0; i < plan->nobjects; i++) {
		const struct data *o = plan->objects[i].data;
		struct seen s = { .kind = status_text(o, "kind"), .name = status_text(o, "metadata.name"),
			.owner = OWNER_THIS, .role = NO_ROLE };
		if (plan->objects[i].framework)
			ARENA_PUSH(&p->arena, p->seen.at, p->seen.n, s);
	}
}

/* The sizes of elastic roles, which the resource contains as `replicas`; NULL without any. */
static int64_t *sizes_of(struct pass *p, const struct plan_job *plan)
{
	const struct data *roles = data_get(data_get(p->resource, STR("spec")), str_of(p->job->kind->roles_key));
	int64_t *sizes = ARENA_ARRAY(&p->arena, int64_t, plan->nroles);

	for (size_t k = 0; k < plan->nroles; k++) {
		sizes[k] = plan->roles[k].max;
		const struct data *role = data_get(roles, custom_role(&p->arena, p->job->kind, plan->roles[k].label));
		if (role)
			sizes[k] = status_number(role, "replicas", 1);
	}
	return sizes;
}

static struct decide_record record_before(struct pass *p, const struct plan_job *plan)
{
	struct supervised *j = p->job;
	struct source source = { .base = 1 };
	struct data_error error;
	struct decide_record r = { 0 };
	struct data *d;

	if (j->record) {
		source.text = str_copy(&p->arena, str_of(j->record));
		if (data_read_json(&p->arena, &source, &d, &error) && decide_record_read(&p->arena, d, plan, &r))
			return r;
	}
	if (job_was_refused(j->kind, p->resource))      /* the job was refused earlier, and has been corrected */
		return (struct decide_record){ 0 };
	r = job_record(&p->arena, j->kind, p->resource, plan);
	keep_wanted(j, job_status(&p->arena, j->kind, plan, &r, job_counts(&p->arena, j->kind, p->resource, plan)));
	j->written = true;
	j->durable = keep(j->durable, status_annotation(p->resource, RECORD_ANNOTATION));
	return r;
}

static void remember(struct pass *p, const struct plan_job *plan)
{
	struct buf b = { 0 };

	decide_record_print(&p->d.record, plan, &b);
	p->job->record = keep(p->job->record, buf_text(&b));
	buf_release(&b);
}

static bool read_resource(struct pass *p)
{
	struct source source = { .text = str_copy(&p->arena, (struct str){ p->job->text, p->job->ntext }), .base = 1 };
	struct data_error error;
	struct data *d;

	if (!data_read_json(&p->arena, &source, &d, &error))
		return false;
	p->resource = d;
	return true;
}

/* Ends a pass over a job that another controller looks after. */
static bool is_elsewhere(const struct pass *p)
{
	const struct data *by = status_path(p->resource, "spec.runPolicy.managedBy");

	return by && by->kind == DATA_STRING && !str_is(by->u.string, CONTROLLER);
}

/* ---- decide ---- */

/* Reports a new condition: writes an Event and a log line, and counts it. */
static void tell(struct pass *p, const struct job_condition *now)
{
	struct metrics *m = &p->job->control->metrics;
	const struct job_condition *was = conditions_find(&p->before, now->type);
	bool same = was && was->holds == now->holds && str_eq(was->reason, now->reason);

	if (same || now->type == JOB_CREATED || (now->type == JOB_RUNNING && !now->holds))
		return;
	m->succeeded += now->type == JOB_SUCCEEDED;
	m->failed += now->type == JOB_FAILED;
	m->restarted += now->type == JOB_RESTARTING;
	log_line("info", p->job->label, "%.*s", STR_ARG(now->message));
	if (now->type != JOB_RUNNING)
		event_write(p->job, EVENT_ONE, now->type == JOB_RESTARTING || p->job->refused ? "Warning" : "Normal",
			now->reason, now->message);
}

static void tell_all(struct pass *p)
{
	for (size_t i = 0; i < p->d.record.conditions.n; i++)
		tell(p, &p->d.record.conditions.at[i]);
}

/* Did the earlier record already contain the end of that pod? */
static bool end_is_known(const struct decide_record *before, const struct seen *s)
{
	const struct decide_role *role = before->nroles > (size_t)s->role ? &before->roles[s->role] : NULL;

	if (!role || s->index >= role->n)
		return false;
	const struct decide_replica *r = &role->at[s->index];
	return r->succeeded || r->failed || str_eq(r->doomed, s->uid);
}

/*
 * Logs how pods failed, because that is lost when the pods are deleted. An exit code of 0 is not logged: the counts
 * show it.
 */
static void tell_ends(struct pass *p, const struct decide_record *before)
{
	for (size_t i = 0; i < p->seen.n; i++) {
		const struct seen *s = &p->seen.at[i];
		bool over = s->phase == SEEN_SUCCEEDED || s->phase == SEEN_FAILED;
		if (s->role != NO_ROLE && s->owner == OWNER_THIS && over && s->exit_code > 0 &&
		    str_is(s->kind, "Pod") && !end_is_known(before, s))
			event_write(p->job, EVENT_MANY, "Normal", STR("ExitedWithCode"),
				str_printf(&p->arena, "Pod: %.*s.%.*s exited with code %d", STR_ARG(p->job->ns),
				STR_ARG(s->name), s->exit_code));
	}
}

static void refuse(struct pass *p)
{
	struct supervised *j = p->job;
	struct status_objects objects = { 0 };
	struct str fault = p->plan->fault;

	p->step = STEP_STATUS;
	p->d.again = RULES_NEVER;
	if (!j->refused)
		j->control->metrics.refused++;
	store_objects(&j->control->store, &p->arena, j->ns, j->name, &objects);
	if (objects.n) {                /* the job continues with the plan of the earlier generation */
		if (!j->refused)
			event_write(j, EVENT_ONE, "Warning",
				str_cat(&p->arena, str_of(j->kind->kind), STR("FailedValidation"), STR("")), fault);
		j->refused = true;
		log_line("warning", j->label, "changed to what is not valid: %.*s", STR_ARG(fault));
		return;
	}
	struct decide_record before = job_record(&p->arena, j->kind, p->resource, &(struct plan_job){ 0 });
	if (!j->refused && !conditions_finished(&before.conditions)) {
		j->refused = true;
		p->before = before.conditions;
		p->d.record = job_refused(&p->arena, j->kind, j->name, fault, controller_now(j->control));
		keep_wanted(j, job_status(&p->arena, j->kind, NULL, &p->d.record, NULL));
		tell_all(p);
	}
	p->status = str_of(j->refused && j->wanted ? j->wanted : "");
	j->refused = true;
}

static void decide_now(struct pass *p)
{
	struct supervised *j = p->job;
	const struct plan_job *plan = p->plan->job;
	struct decide_job job = { .plan = plan, .kind = str_of(j->kind->kind), .uid = j->uid,
		.controller = STR(CONTROLLER), .sizes = sizes_of(p, plan) };
	struct status_objects objects = { 0 };

	j->refused = false;
	store_objects(&j->control->store, &p->arena, j->ns, j->name, &objects);
	p->seen = decide_see(&p->arena, &job, &objects);
	see_shared(p, plan);
	struct decide_record before = record_before(p, plan);
	p->before = before.conditions;
	p->was_finished = conditions_finished(&before.conditions);
	if (!p->was_finished)
		tell_ends(p, &before);
	int64_t *others = j->kind->status_key
		? ancestor_ends(&p->arena, j->kind, plan, &objects, &p->seen, &before) : NULL;
	p->d = decide(&p->arena, &job, &before, &p->seen, controller_now(j->control));
	for (size_t k = 0; others && k < plan->nroles; k++)
		p->d.roles[k].failed += others[k];
	if (p->d.elsewhere) {
		p->step = STEP_END;
		return;
	}
	if (p->d.conflict)
		log_line("warning", j->label, "%.*s '%.*s' belongs to something else; nothing is made until it is gone",
			STR_ARG(p->d.conflict->kind), STR_ARG(p->d.conflict->name));
	remember(p, plan);
	p->durable = p->was_finished ? str_of(j->durable ? j->durable : "")
		: job_durable(&p->arena, &p->d, plan, &p->seen);
	tell_all(p);
	if (!p->was_finished)           /* the status of a job that has finished does not change */
		keep_wanted(j, job_status(&p->arena, j->kind, plan, &p->d.record, p->d.roles));
	p->status = str_of(j->wanted ? j->wanted : "");
}

void pass_begin(struct queue_item *i)
{
	struct supervised *j = i->to;
	struct pass *p = memory_resize(NULL, sizeof *p);

	*p = (struct pass){ .earlier = j->control->passes, .job = j, .begun = clock_steady(), .d.again = RULES_NEVER,
		.arena.frugal = true };
	if (p->earlier)
		p->earlier->later = p;
	j->control->passes = p;
	if (j->gone || !read_resource(p) || is_elsewhere(p)) {
		p->step = STEP_END;
	} else if (status_text(p->resource, "metadata.deletionTimestamp").n) {
		p->step = j->kind->status_key ? STEP_STATUS : STEP_END;
		p->status = STR("{\"phase\":\"CleanUp\"}");
		keep_wanted(j, p->status);
	} else {
		p->plan = plan_get(j, p->resource);
		if (p->plan->job)
			decide_now(p);
		else
			refuse(p);
	}
	go_on(p);
}
