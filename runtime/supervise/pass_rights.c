/*
 * pass_rights.c - the Role of a job whose launcher enters its other pods. The names of pods in a Role may be those of
 * somebody else's pods, because a pod's name alone does not show who owns it: a StatefulSet `db-worker` has a pod
 * `db-worker-0`. So the Role and its RoleBinding are created after all pods that the Role names exist and belong to the
 * job, and the launcher after these. Afterwards, the Role names only pods that belong to the job: a pod loses its place
 * in the Role before the controller deletes it, and as soon as the controller learns that it is gone.
 */
#include "runtime/supervise/pass_internal.h"

#include "base/map.h"
#include "data/data_read.h"
#include "runtime/status/look.h"
#include "runtime/supervise/owned.h"

/*
 * What is known about the Role is in `rights` of the job: its rules as rights_print() writes them; "" if the Role does
 * not exist; NULL if it must be read first. The Role is changed only while it has the uid that is kept with them:
 * somebody may have deleted it and made another one of its name.
 */

static bool is_role_tree(const struct data *tree) { return str_is(status_text(tree, "kind"), "Role"); }

static bool is_binding_tree(const struct data *tree) { return str_is(status_text(tree, "kind"), "RoleBinding"); }

bool pass_has_rights(const struct pass *p)
{
	const struct plan_job *plan = p->plan ? p->plan->job : NULL;

	for (size_t i = 0; plan && i < plan->nobjects; i++)
		if (plan->objects[i].framework && is_role_tree(plan->objects[i].data))
			return true;
	return false;
}

static const struct data *find_right(struct pass *p, bool (*is)(const struct data *tree))
{
	if (!p->shared.n)
		p->shared = emit_list_shared(&p->arena, &p->plan->program.plan, p->plan->job);
	for (size_t i = 0; i < p->shared.n; i++)
		if (is(p->shared.at[i].tree))
			return p->shared.at[i].tree;
	return NULL;
}

/* ---- rules ---- */

static void print_names(struct buf *b, const char *key, const struct data *list, const struct map *only)
{
	bool first = true;

	buf_printf(b, "%s\"%s\":[", str_is(str_of(key), "verbs") ? "" : ",", key);
	for (size_t i = 0; i < list->u.list.n; i++) {
		struct str name = list->u.list.at[i]->u.string;
		if (list->u.list.at[i]->kind != DATA_STRING || (only && !map_get(only, name)))
			continue;
		buf_z(b, first ? "" : ",");
		first = false;
		buf_json(b, name);
	}
	buf_char(b, ']');
}

/* Does a rule name at least one object that is in ONLY? A rule that names no object applies to all. */
static bool names_any(const struct data *names, const struct map *only)
{
	for (size_t i = 0; i < names->u.list.n; i++)
		if (names->u.list.at[i]->kind == DATA_STRING && map_get(only, names->u.list.at[i]->u.string))
			return true;
	return false;
}

/*
 * Writes the rules of a Role as JSON, in one form whoever wrote ROLE. With ONLY, a rule that names objects names only
 * those in ONLY, and is left out if none remains: without names it would apply to all objects.
 */
static struct str rights_print(struct pass *p, const struct data *role, const struct map *only)
{
	const struct data *rules = status_list(role, "rules");
	struct buf b = { 0 };

	buf_char(&b, '[');
	for (size_t i = 0; i < rules->u.list.n; i++) {
		const struct data *rule = rules->u.list.at[i], *names = status_list(rule, "resourceNames");
		if (data_get(rule, STR("resourceNames")) && only && !names_any(names, only))
			continue;
		buf_z(&b, b.n > 1 ? ",{" : "{");
		print_names(&b, "verbs", status_list(rule, "verbs"), NULL);
		print_names(&b, "apiGroups", status_list(rule, "apiGroups"), NULL);
		print_names(&b, "resources", status_list(rule, "resources"), NULL);
		if (names->u.list.n)
			print_names(&b, "resourceNames", names, only);
		buf_char(&b, '}');
	}
	buf_char(&b, ']');
	struct str text = buf_take(&b, &p->arena);
	buf_release(&b);
	return text;
}

/* ---- pods ---- */

struct own_pods {
	struct pass *pass;
	const struct decide_job *job;
	struct map names;               /* the names of pods that exist and belong to the job, each with any value */
};

static void note_own(struct own_pods *o, const struct seen *s)
{
	if (s->owner == OWNER_THIS && !s->deleting && str_is(s->kind, "Pod"))
		map_put(&o->names, &o->pass->arena, s->name, o);
}

static void look_for_own(void *to, const struct data *object)
{
	struct own_pods *o = to;
	struct seen_list list = { 0 };

	decide_see_object(&o->pass->arena, o->job, object, &list);
	if (list.n)
		note_own(o, &list.at[0]);
}

/* The names of the pods that belong to the job now, after all answers so far. */
static struct map own_pods(struct pass *p)
{
	struct supervised *j = p->job;
	struct decide_job job = { .plan = p->plan->job, .kind = str_of(j->kind->kind), .uid = j->uid };
	struct own_pods o = { .pass = p, .job = &job };

	store_each(&j->control->store, j->ns, j->name, look_for_own, &o);
	return o.names;
}

/* The names of the pods that belonged to the job when the pass began and that the pass does not delete. */
static struct map staying_pods(struct pass *p)
{
	struct own_pods o = { .pass = p };

	for (size_t i = 0; i < p->seen.n; i++) {
		bool goes = false;
		for (size_t k = 0; k < p->d.nactions && !goes; k++)
			goes = p->d.actions[k].what == DECIDE_DELETE && str_eq(p->d.actions[k].uid, p->seen.at[i].uid);
		if (!goes)
			note_own(&o, &p->seen.at[i]);
	}
	return o.names;
}

/* Adds the names of the replicas that have ended for good, which need no pod any more. */
static void add_ended(struct pass *p, struct map *names)
{
	const struct plan_job *plan = p->plan->job;

	for (size_t k = 0; k < plan->nroles; k++)
		for (int64_t i = 0; i < p->d.record.roles[k].n && i < plan->roles[k].max; i++) {
			const struct decide_replica *r = &p->d.record.roles[k].at[i];
			if (r->succeeded || r->failed)
				map_put(names, &p->arena, decide_name(&p->arena, plan, &plan->roles[k], i), names);
		}
}

/* Are all pods that RULES name in NAMES? */
static bool has_all(const struct data *rules, const struct map *names)
{
	for (size_t i = 0; i < rules->u.list.n; i++) {
		const struct data *list = status_list(rules->u.list.at[i], "resourceNames");
		for (size_t k = 0; k < list->u.list.n; k++)
			if (!map_get(names, list->u.list.at[k]->u.string))
				return false;
	}
	return true;
}

static const struct data *read_rules(struct pass *p, struct str rules)
{
	struct source source = { .text = str_copy(&p->arena, rules), .base = 1 };
	struct data_error error;
	struct data *list;

	return data_read_json(&p->arena, &source, &list, &error) ? list : NULL;
}

/* A copy of ROLE with other rules, which are given as JSON. */
static const struct data *role_with(struct pass *p, const struct data *role, struct str rules)
{
	struct data *copy = ARENA_NEW(&p->arena, struct data);
	const struct data *list = read_rules(p, rules);

	*copy = *role;
	copy->u.map.at = ARENA_ARRAY(&p->arena, struct data_member, role->u.map.n);
	for (size_t i = 0; i < role->u.map.n; i++) {
		copy->u.map.at[i] = role->u.map.at[i];
		if (list && str_is(copy->u.map.at[i].key, "rules"))
			copy->u.map.at[i].value = list;
	}
	return copy;
}

/* ---- requests ---- */

static void rights_changed(void *to, const struct transport_result *r)
{
	struct pass_request *s = to;
	struct supervised *j = s->pass->job;

	if (transport_ok(r))
		j->rights = supervised_keep(j->rights, s->text);
	else
		j->rights = supervised_keep_filled(j->rights, STR(""));    /* the next pass reads the Role */
	if (!transport_ok(r))
		pass_give_up(s->pass, r);
	pass_answered(s->pass);
}

static void change_rights(struct pass *p, const struct data *role, struct str rules)
{
	struct pass_request *s = pass_request_new(p);

	s->text = rules;
	s->request = owned_change(&p->arena, p->job, role, str_of(p->job->rights_uid), "rules", rules);
	pass_send(p, s, CALL_REPEAT, rights_changed);
}

/* Keeps what is known about ROLE, an object of the API server that belongs to the job. */
static void keep_rights(struct pass *p, const struct data *role, struct str rules)
{
	p->job->rights = supervised_keep(p->job->rights, rules);
	p->job->rights_uid = supervised_keep(p->job->rights_uid, status_text(role, "metadata.uid"));
}

/* Handles the Role that was read: it must belong to the job. */
static void rights_read(void *to, const struct transport_result *r)
{
	struct pass_request *s = to;
	struct pass *p = s->pass;
	const struct data *role = r->tree;

	if (role && pass_is_owned(role, p->job->uid))
		keep_rights(p, role, rights_print(p, role, NULL));
	else if (role)
		pass_report_foreign(p, s->tree);
	else if (r->code == 404)
		p->job->rights = supervised_keep(p->job->rights, STR(""));
	else
		pass_give_up(p, r);
	pass_answered(p);
}

static void read_rights(struct pass *p, const struct data *role)
{
	struct pass_request *s = pass_request_new(p);

	s->tree = role;
	s->request = owned_get(&p->arena, p->job, role);
	pass_send(p, s, CALL_BY_METHOD, rights_read);
}

static void rights_made(void *to, const struct transport_result *r)
{
	struct pass_request *s = to;
	struct pass *p = s->pass;

	const struct data *made = r->tree;

	if (made) {
		p->job->control->metrics.created++;
		keep_rights(p, made, rights_print(p, s->tree, NULL));
	} else if (r->code == 409) {
		read_rights(p, s->tree);
	} else {
		pass_give_up(p, r);
	}
	pass_answered(p);
}

/* ---- steps ---- */

/* The steps of pass_withdraw() and pass_grant(), as values of `next`. */
enum { WITHDRAW_READ, WITHDRAW_CHANGE, WITHDRAW_END };
enum { GRANT_FIRST, GRANT_LAST = 2, GRANT_BIND, GRANT_CHECK, GRANT_END };

bool pass_withdraw(struct pass *p)
{
	struct supervised *j = p->job;
	const struct data *role;

	if (p->pending || p->next == WITHDRAW_END || !pass_has_rights(p) || !(role = find_right(p, is_role_tree)))
		return false;
	if (p->next++ == WITHDRAW_READ && !j->rights) {
		if (p->before.n || store_has(&j->control->store, j->ns, j->name)) {
			read_rights(p, role);
			return true;
		}
		j->rights = supervised_keep(j->rights, STR(""));        /* the job is new */
	}
	p->next = WITHDRAW_END;
	struct map names = staying_pods(p);
	const struct data *rules = j->rights && *j->rights ? read_rules(p, str_of(j->rights)) : NULL;
	if (!rules || has_all(rules, &names))
		return false;
	change_rights(p, role, rights_print(p, role, &names));
	return true;
}

/* Creates the Role, or adds the names of new pods to it. Returns true if a request was sent. */
static bool extend_rights(struct pass *p, const struct data *role)
{
	struct map names = own_pods(p);
	struct str rules = rights_print(p, role, &names), known = str_of(p->job->rights ? p->job->rights : "");

	if (known.n && str_eq(rules, known))
		return false;
	if (known.n) {
		change_rights(p, role, rules);
		return true;
	}
	add_ended(p, &names);
	if (!has_all(status_list(role, "rules"), &names))
		return false;
	struct pass_request *s = pass_request_new(p);
	s->tree = role_with(p, role, rules);
	s->request = owned_create(&p->arena, p->job, s->tree);
	pass_send(p, s, CALL_BY_METHOD, rights_made);
	return true;
}

bool pass_grant(struct pass *p)
{
	const struct job_conditions *c = &p->d.record.conditions;
	const struct data *role, *binding;

	if (p->pending || p->failed || p->d.conflict || p->next == GRANT_END || conditions_finished(c) ||
	    conditions_hold(c, JOB_SUSPENDED) || !pass_has_rights(p) || !(role = find_right(p, is_role_tree)))
		return false;
	while (p->next <= GRANT_LAST) {
		p->next++;
		if (extend_rights(p, role))
			return true;
		p->next = GRANT_BIND;
	}
	if (!p->job->rights || !*p->job->rights)
		return false;
	if (p->next == GRANT_BIND) {
		p->next = GRANT_CHECK;
		if ((binding = find_right(p, is_binding_tree)) && pass_make_shared(p, binding))
			return true;
	}
	p->next = GRANT_END;
	struct map names = own_pods(p);
	add_ended(p, &names);
	p->granted = has_all(status_list(role, "rules"), &names);
	return false;
}

/* Does ROLE name the pods of a plan's role? */
static bool names_pods_of(struct pass *p, const struct data *role, const struct plan_role *of)
{
	const struct data *rules = status_list(role, "rules");
	struct str first = decide_name(&p->arena, p->plan->job, of, 0);

	for (size_t i = 0; i < rules->u.list.n; i++) {
		const struct data *list = status_list(rules->u.list.at[i], "resourceNames");
		for (size_t k = 0; k < list->u.list.n; k++)
			if (str_eq(list->u.list.at[k]->u.string, first))
				return true;
	}
	return false;
}

bool pass_waits_for_rights(struct pass *p, int role)
{
	const struct plan_role *r = &p->plan->job->roles[role];
	const struct data *rights, *binding;

	if (!r->service_account.set || !pass_has_rights(p) || !(rights = find_right(p, is_role_tree)) ||
	    !(binding = find_right(p, is_binding_tree)) || names_pods_of(p, rights, r))
		return false;
	const struct data *subjects = status_list(binding, "subjects");
	for (size_t i = 0; i < subjects->u.list.n; i++)
		if (str_eq(status_text(subjects->u.list.at[i], "name"), r->service_account.value))
			return true;
	return false;
}
