/*
 * pass_act.c - carries out the decision about single replicas: creates, adopts and deletes pods and Services.
 */
#include "runtime/supervise/pass_internal.h"

#include "runtime/status/look.h"
#include "runtime/supervise/event.h"
#include "runtime/supervise/owned.h"

enum { OBJECT_MEMORY = 4096 };          /* size of the first block for an object: most objects need no second block */

static void note_event(struct pass *p, struct arena *own, const struct decide_action *a, const char *verb,
	const char *word)
{
	bool service = str_is(a->kind, "Service");

	event_write(p->job, EVENT_MANY, "Normal", str_printf(own, "Successful%s%s", verb, service ? "Service" : "Pod"),
		str_printf(own, "%s %s: %.*s", word, service ? "service" : "pod", STR_ARG(a->name)));
}

/* Handles the pod that has the name of a pod that could not be created. */
static void taken_read(void *to, const struct transport_result *r)
{
	struct pass_request *s = to;
	struct pass *p = s->pass;
	const struct data *pod = r->tree;

	if (pod && !pass_is_owned(pod, p->job->uid))
		pass_report_foreign(p, pod);
	pass_answered(p);
}

/* Reports whose pod has the name of a pod of a job with a Role: the job waits for it. */
static void look_who_took(struct pass *p, const struct decide_action *a)
{
	struct pass_request *s = pass_request_new(p);

	s->request = owned_get_pod(&p->arena, p->job, a->name);
	pass_send(p, s, CALL_BY_METHOD, taken_read);
}

static void refused(struct pass *p, const struct decide_action *a, const struct transport_result *r)
{
	bool service = str_is(a->kind, "Service"), create = a->what == DECIDE_CREATE;

	pass_give_up(p, r);
	event_write(p->job, EVENT_MANY, "Warning",
		str_printf(&p->arena, "Failed%s%s", create ? "Create" : "Delete", service ? "Service" : "Pod"),
		str_printf(&p->arena, "Error %s: %.*s", create ? "creating" : "deleting", STR_ARG(r->error)));
	if (create && !service && r->code == 409 && pass_has_rights(p))
		look_who_took(p, a);
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
	object = r->tree;
	if (object && !is_past(c, a->kind, object))
		store_put(&c->store, a->kind, object);
	c->created_at = loop_now(c->client.loop);
	c->metrics.created++;
	note_event(p, own, a, "Create", "Created");
}

static void deleted(struct pass *p, struct arena *own, const struct decide_action *a, const struct transport_result *r)
{
	struct controller *c = p->job->control;

	if (transport_ok(r)) {
		const struct data *object = r->tree;
		c->metrics.deleted++;
		if (object && status_text(object, "metadata.deletionTimestamp").n &&
		    status_text(object, "metadata.uid").n) {
			/*
			 * if the watch has passed this version, it may already have reported the deletion, and will not
			 * report it again
			 */
			if (!is_past(c, a->kind, object))
				store_put(&c->store, a->kind, object);
		} else {
			p->changed = store_remove(&c->store, a->uid) || p->changed;
		}
		note_event(p, own, a, "Delete", "Deleted");
	} else if (r->code == 404 || r->code == 409) {
		p->changed = store_remove(&c->store, a->uid) || p->changed;     /* if another object has taken the name,
										 * that object stays in the store */
	} else {
		refused(p, a, r);
	}
}

static void acted(void *to, const struct transport_result *r)
{
	struct pass_request *s = to;
	struct pass *p = s->pass;

	pass_note_time(s);
	if (s->action->what == DECIDE_CREATE)
		created(p, &s->own, s->action, r);
	else if (s->action->what == DECIDE_DELETE)
		deleted(p, &s->own, s->action, r);
	else if (!transport_ok(r))
		pass_give_up(p, r);
	pass_request_over(s);
	pass_answered(p);
}

static bool make_request(struct pass *p, struct arena *own, const struct decide_action *a,
	struct transport_request *ret)
{
	if (a->what == DECIDE_ADOPT) {
		*ret = owned_adopt(own, p->job, a->kind, a->name, a->uid);
	} else if (a->what == DECIDE_DELETE) {
		*ret = owned_delete(own, p->job, a->kind, a->name, a->uid);
	} else {
		struct arena scratch = { .first = OBJECT_MEMORY };      /* the tree needs more memory than its text */
		const struct data *tree = emit_find(&scratch, &p->plan->program.plan, a->kind, a->name);
		if (tree)
			*ret = owned_create(own, p->job, tree);
		arena_release(&scratch);
		return tree != NULL;
	}
	return true;
}

/* Is the action carried out in the current step? */
static bool is_of_this_step(struct pass *p, const struct decide_action *a)
{
	bool creates = a->what == DECIDE_CREATE && !str_is(a->kind, "Service");

	if (creates && p->held)
		return false;
	return (creates && pass_waits_for_rights(p, a->role)) == (p->step == STEP_LEAD);
}

bool pass_act(struct pass *p)
{
	while (p->next < p->d.nactions) {
		const struct decide_action *a = &p->d.actions[p->next++];
		if (a->role == NO_ROLE || !is_of_this_step(p, a))
			continue;
		struct pass_request *s = pass_request_new(p);
		s->action = a;
		s->own.first = OBJECT_MEMORY;
		if (!make_request(p, &s->own, a, &s->request)) {
			pass_request_over(s);
			continue;
		}
		pass_send(p, s, a->what == DECIDE_CREATE ? CALL_BY_METHOD : CALL_REPEAT, acted);
		return true;
	}
	return false;
}
