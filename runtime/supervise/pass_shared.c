/*
 * pass_shared.c - creates the objects that all replicas of a job share: once, in order, before the first pod. The
 * autoscaler and the PodGroup of a gang have their own steps, because they are also deleted while a job is suspended.
 */
#include "runtime/supervise/pass_internal.h"

#include "data/data_write.h"
#include "runtime/status/look.h"
#include "runtime/supervise/event.h"
#include "runtime/supervise/log.h"
#include "runtime/supervise/owned.h"

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

/* Is TREE the autoscaler? The autoscaler has its own step. */
static bool is_scaler(const struct data *tree) { return str_is(status_text(tree, "kind"), "HorizontalPodAutoscaler"); }

static bool is_group(const struct data *tree) { return str_is(status_text(tree, "kind"), "PodGroup"); }

bool pass_is_right(const struct data *tree)
{
	struct str kind = status_text(tree, "kind");

	return str_is(kind, "Role") || str_is(kind, "RoleBinding");
}

static void note_made(struct pass *p, const struct data *tree)
{
	struct str made = str_of(p->job->objects_made ? p->job->objects_made : "");

	if (is_group(tree))
		p->job->group_gone = false;
	p->job->objects_made = supervised_keep_filled(p->job->objects_made,
		str_cat(&p->arena, made, shared_name(p, tree), STR("")));
}

bool pass_is_owned(const struct data *object, struct str uid)
{
	const struct data *owners = status_list(object, "metadata.ownerReferences");

	for (size_t i = 0; i < owners->u.list.n; i++)
		if (str_eq(status_text(owners->u.list.at[i], "uid"), uid))
			return true;
	return false;
}

/* ---- ConfigMaps ---- */

static bool is_config(const struct data *tree) { return str_is(status_text(tree, "kind"), "ConfigMap"); }

/* One line with the name and the contents of a ConfigMap, as `configs` of the job has it. */
static struct str config_line(struct pass *p, const struct data *tree)
{
	struct buf b = { 0 };

	buf_printf(&b, "\n%.*s ", STR_ARG(status_text(tree, "metadata.name")));
	data_write(&b, data_get(tree, STR("data")));
	struct str line = buf_take(&b, &p->arena);
	buf_release(&b);
	return line;
}

static bool is_config_known(struct pass *p, const struct data *tree)
{
	struct str known = str_of(p->job->configs ? p->job->configs : ""), line = config_line(p, tree);

	return known.n && memmem(known.p, known.n, line.p, line.n) != NULL;
}

/* Remembers the contents of a ConfigMap in place of the earlier ones. */
static void note_config(struct pass *p, const struct data *tree)
{
	struct str name = str_printf(&p->arena, "%.*s ", STR_ARG(status_text(tree, "metadata.name")));
	struct str rest = str_of(p->job->configs ? p->job->configs : "");
	struct buf b = { 0 };

	while (rest.n) {
		const char *end = memchr(rest.p + 1, '\n', rest.n - 1);
		struct str line = { rest.p, end ? (size_t)(end - rest.p) : rest.n };
		rest = (struct str){ line.p + line.n, rest.n - line.n };
		if (!str_starts((struct str){ line.p + 1, line.n - 1 }, name))
			buf_str(&b, line);
	}
	buf_str(&b, config_line(p, tree));
	p->job->configs = supervised_keep(p->job->configs, buf_text(&b));
	buf_release(&b);
}

static void config_written(void *to, const struct transport_result *r)
{
	struct pass_request *s = to;

	if (transport_ok(r))
		note_config(s->pass, s->tree);
	else
		pass_give_up(s->pass, r);
	pass_answered(s->pass);
}

/* Does the ConfigMap contain what the plan wants? */
static bool has_contents(const struct data *object, const struct data *tree)
{
	const struct data *wanted = data_get(tree, STR("data")), *there = status_path(object, "data");

	for (size_t i = 0; wanted && i < wanted->u.map.n; i++) {
		const struct data_member *m = &wanted->u.map.at[i];
		const struct data *v = there && there->kind == DATA_MAP ? data_get(there, m->key) : NULL;
		if (!v || v->kind != DATA_STRING || !str_eq(v->u.string, m->value->u.string))
			return false;
	}
	return true;
}

/* Rewrites a ConfigMap that was read, if the job owns it. */
static void config_read(void *to, const struct transport_result *r)
{
	struct pass_request *s = to;
	struct pass *p = s->pass;
	const struct data *object = r->tree;
	struct str uid = object && pass_is_owned(object, p->job->uid) ? status_text(object, "metadata.uid") : STR("");

	if (uid.n && !has_contents(object, s->tree)) {
		struct pass_request *next = pass_request_new(p);
		struct buf data = { 0 };
		data_write(&data, data_get(s->tree, STR("data")));
		next->tree = s->tree;
		next->request = owned_change(&p->arena, p->job, s->tree, uid, "data", buf_text(&data));
		pass_send(p, next, CALL_REPEAT, config_written);
		buf_release(&data);
	} else if (object || r->code == 404) {
		note_config(p, s->tree);        /* one that is created later gets the current contents */
	} else {
		pass_give_up(p, r);
	}
	pass_answered(p);
}

static bool has_configs(const struct plan_job *plan)
{
	for (size_t i = 0; i < plan->nobjects; i++)
		if (plan->objects[i].framework && is_config(plan->objects[i].data))
			return true;
	return false;
}

bool pass_config(struct pass *p)
{
	if (p->pending || p->was_finished || !has_configs(p->plan->job))
		return false;
	if (!p->shared.n)
		p->shared = emit_list_shared(&p->arena, &p->plan->program.plan, p->plan->job);
	while (p->next < p->shared.n) {
		const struct data *tree = p->shared.at[p->next++].tree;
		if (!is_config(tree) || is_config_known(p, tree))
			continue;
		struct pass_request *s = pass_request_new(p);
		s->tree = tree;
		s->request = owned_get(&p->arena, p->job, tree);
		pass_send(p, s, CALL_BY_METHOD, config_read);
		return true;
	}
	return false;
}

void pass_report_foreign(struct pass *p, const struct data *tree)
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
	struct pass_request *s = to;
	struct pass *p = s->pass;
	const struct data *object = r->tree;

	if (object && pass_is_owned(object, p->job->uid)) {
		note_made(p, s->tree);
	} else if (object) {
		pass_report_foreign(p, s->tree);
	} else {
		pass_give_up(p, r);
	}
	pass_answered(p);
}

static void shared_made(void *to, const struct transport_result *r)
{
	struct pass_request *s = to;
	struct pass *p = s->pass;

	if (transport_ok(r)) {
		p->job->control->metrics.created++;
		note_made(p, s->tree);
		if (is_config(s->tree))
			note_config(p, s->tree);
	} else if (r->code == 409) {
		struct pass_request *get = pass_request_new(p);
		get->tree = s->tree;
		get->request = owned_get(&p->arena, p->job, s->tree);
		pass_send(p, get, CALL_BY_METHOD, shared_read);
	} else {
		pass_give_up(p, r);
	}
	pass_answered(p);
}

static bool makes_replicas(const struct pass *p)
{
	for (size_t i = 0; i < p->d.nactions; i++)
		if (p->d.actions[i].what == DECIDE_CREATE)
			return true;
	return false;
}

bool pass_make_shared(struct pass *p, const struct data *tree)
{
	struct pass_request *s;

	if (is_made(p, tree))
		return false;
	s = pass_request_new(p);
	s->tree = tree;
	s->request = owned_create(&p->arena, p->job, tree);
	pass_send(p, s, CALL_BY_METHOD, shared_made);
	return true;
}

bool pass_shared(struct pass *p)
{
	if (p->pending)                 /* objects are created one after the other */
		return false;
	if (!p->next && makes_replicas(p))
		p->shared = emit_list_shared(&p->arena, &p->plan->program.plan, p->plan->job);
	while (p->next < p->shared.n) {
		const struct data *tree = p->shared.at[p->next++].tree;
		if (!is_scaler(tree) && !pass_is_right(tree) && pass_make_shared(p, tree))
			return true;
	}
	return false;
}

/* ---- the autoscaler ---- */

/*
 * The controller remembers the spec with which it last wrote the autoscaler, or "" after it deleted the autoscaler.
 * After the controller starts, nothing is remembered, and an existing autoscaler gets the current spec.
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
	struct pass_request *s = to;

	if (transport_ok(r))
		s->pass->job->scaler = supervised_keep(s->pass->job->scaler, scaler_spec(s->pass, s->tree));
	else
		pass_give_up(s->pass, r);
	pass_answered(s->pass);
}

static void scaler_gone(void *to, const struct transport_result *r)
{
	struct pass_request *s = to;

	if (transport_ok(r) || r->code == 404)
		s->pass->job->scaler = supervised_keep(s->pass->job->scaler, STR(""));
	else
		pass_give_up(s->pass, r);
	pass_answered(s->pass);
}

/*
 * Handles the autoscaler that was read, if the job owns it: changes it, or deletes it while the job is suspended.
 */
static void scaler_read(void *to, const struct transport_result *r)
{
	struct pass_request *s = to, *next = pass_request_new(s->pass);
	struct pass *p = s->pass;
	const struct data *object = r->tree;
	bool ours = object && pass_is_owned(object, p->job->uid);
	struct str uid = ours ? status_text(object, "metadata.uid") : STR("");

	next->tree = s->tree;
	if (conditions_hold(&p->d.record.conditions, JOB_SUSPENDED)) {
		if (ours) {
			next->request = owned_drop(&p->arena, p->job, s->tree, uid);
			pass_send(p, next, CALL_REPEAT, scaler_gone);
		} else if (object || r->code == 404) {
			p->job->scaler = supervised_keep(p->job->scaler, STR(""));
		} else {
			pass_give_up(p, r);
		}
	} else if (ours) {
		next->request = owned_change(&p->arena, p->job, s->tree, uid, "spec", scaler_spec(p, s->tree));
		pass_send(p, next, CALL_REPEAT, scaler_done);
	} else if (object) {
		pass_report_foreign(p, s->tree);
	} else if (r->code == 404) {            /* somebody deleted the autoscaler: the next pass creates it again */
		p->job->scaler = supervised_keep(p->job->scaler, STR(""));
		p->changed = true;
	} else {
		pass_give_up(p, r);
	}
	pass_answered(p);
}

static void scaler_made(void *to, const struct transport_result *r)
{
	struct pass_request *s = to;
	struct pass *p = s->pass;

	if (r->code != 409) {
		p->job->control->metrics.created += transport_ok(r);
		scaler_done(to, r);
		return;
	}
	struct pass_request *get = pass_request_new(p);
	get->tree = s->tree;
	get->request = owned_get(&p->arena, p->job, s->tree);
	pass_send(p, get, CALL_BY_METHOD, scaler_read);
	pass_answered(p);
}

/*
 * The autoscaler of the plan, complete as the compiler writes it unless the job is suspended; NULL if the plan has no
 * autoscaler.
 */
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

bool pass_scaler(struct pass *p)
{
	const char *known = p->job->scaler;
	const struct data *tree = p->next++ || p->was_finished ? NULL : scaler_of(p);
	bool suspended = conditions_hold(&p->d.record.conditions, JOB_SUSPENDED);

	if (!tree || (known && str_eq(str_of(known), suspended ? STR("") : scaler_spec(p, tree))))
		return false;
	struct pass_request *s = pass_request_new(p);
	s->tree = tree;
	bool make = !suspended && (!known || !*known);
	s->request = make ? owned_create(&p->arena, p->job, tree) : owned_get(&p->arena, p->job, tree);
	pass_send(p, s, CALL_BY_METHOD, make ? scaler_made : scaler_read);
	return true;
}

/* ---- the gang ---- */

/* The PodGroup of the job; NULL if the job has no PodGroup. */
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
	struct pass_request *s = to;
	struct pass *p = s->pass;
	const struct data *group = r->tree;
	struct str phase = group ? status_text(group, "status.phase") : STR("");

	if (!group)
		pass_give_up(p, r);
	p->held = !phase.n || str_is(phase, "Pending");
	pass_answered(p);
}

bool pass_group(struct pass *p)
{
	struct pass_request *s;
	const struct data *group;

	if (p->next++ || !str_is(p->job->control->custom.gang, "volcano") || !makes_replicas(p) ||
	    !(group = group_of(p)))
		return false;
	s = pass_request_new(p);
	s->request = owned_get(&p->arena, p->job, group);
	pass_send(p, s, CALL_BY_METHOD, group_read);
	return true;
}

/* Notes that the job has no PodGroup. If the job is resumed, a later pass creates the PodGroup again. */
static void note_group_gone(struct pass *p)
{
	p->job->group_gone = true;
	p->job->objects_made = supervised_keep_filled(p->job->objects_made, STR(""));
}

static void group_deleted(void *to, const struct transport_result *r)
{
	struct pass_request *s = to;
	struct pass *p = s->pass;

	if (transport_ok(r))
		event_write(p->job, EVENT_ONE, "Normal", STR("SuccessfulDeletePodGroup"),
			str_cat(&p->arena, STR("Deleted PodGroup: "), p->job->name, STR("")));
	if (transport_ok(r) || r->code == 404 || r->code == 409)        /* 409: another object has taken the name */
		note_group_gone(p);
	else
		pass_give_up(p, r);
	pass_answered(p);
}

/* Deletes the PodGroup that was read, unless it belongs to somebody else. */
static void group_found(void *to, const struct transport_result *r)
{
	struct pass_request *s = to, *next;
	struct pass *p = s->pass;
	const struct data *group = r->tree;

	if (group && pass_is_owned(group, p->job->uid)) {
		next = pass_request_new(p);
		next->request = owned_drop(&p->arena, p->job, s->tree, status_text(group, "metadata.uid"));
		pass_send(p, next, CALL_REPEAT, group_deleted);
	} else if (group || r->code == 404) {
		note_group_gone(p);
	} else {
		pass_give_up(p, r);
	}
	pass_answered(p);
}

bool pass_ungroup(struct pass *p)
{
	const struct job_conditions *c = &p->d.record.conditions;
	struct pass_request *s;
	const struct data *group;

	if (p->next++ || !p->job->control->custom.gang.n || p->job->group_gone ||
	    !(conditions_finished(c) || conditions_hold(c, JOB_SUSPENDED)) || !(group = group_of(p)))
		return false;
	s = pass_request_new(p);
	s->tree = group;
	s->request = owned_get(&p->arena, p->job, group);
	pass_send(p, s, CALL_BY_METHOD, group_found);
	return true;
}
