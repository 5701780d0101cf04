/*
 * facts.c - reads facts from the finished plan and its objects.
 */
#include "command/facts.h"

#include "diag/suggest.h"
#include "emit/emit.h"
#include "eval/job.h"

static struct job *job_with_role(const struct eval *ev, struct str name, struct role **ret)
{
	for (struct job *j = ev->built; j; j = j->before) {
		for (size_t i = 0; i < j->nroles; i++) {
			if (plan_role_named(j->roles[i]->plan, name)) {
				*ret = j->roles[i];
				return j;
			}
		}
	}
	return NULL;
}

static void map_add(struct arena *a, struct value_map *map, struct str key, const struct value *v)
{
	struct value_entry *entry = ARENA_NEW(a, struct value_entry);

	*entry = (struct value_entry){ key, v->from, v };
	map_put(&map->index, a, key, entry);
}

static const struct value *fact_roles(void *context, struct eval *ev, struct span at)
{
	struct value *all = value_new(ev->arena, VALUE_MAP, at);

	(void)context;
	for (const struct job *j = ev->built; j; j = j->before) {
		for (size_t i = 0; i < j->nroles; i++) {
			if (j->roles[i]->job != j)
				continue;               /* each copy of a cell has one of that name */
			struct value *role = value_new(ev->arena, VALUE_ROLE, at);
			role->u.role = j->roles[i];
			map_add(ev->arena, &all->u.map, j->roles[i]->name, role);
		}
	}
	return all;
}

static const struct value *env_value(struct eval *ev, const struct env_value *e, struct span at)
{
	struct value *v;

	if (e->kind == ENV_TEXT && e->whole)
		return value_string(ev->arena, e->value, at);
	v = value_new(ev->arena, e->kind == ENV_TEXT ? VALUE_TEXT : e->kind == ENV_SECRET ? VALUE_SECRET : VALUE_CONFIG,
		at);
	if (e->kind == ENV_TEXT) {
		v->u.text = e->pieces;
	} else {
		v->u.reference.object = e->object;
		v->u.reference.key = e->key;
	}
	return v;
}

/* Reports env("wrker", 0): no job of the program has that role. */
static void report_fact_role(struct facts *facts, const struct eval *ev, struct str name, struct span at)
{
	const struct job *only = ev->built && !ev->built->before ? ev->built : NULL;
	struct diag *d = only ? diag_report(facts->said, TJ0515, at, "job '%.*s' has no role '%.*s'",
		STR_ARG(only->name), STR_ARG(name))
	                      : diag_report(facts->said, TJ0515, at, "no job has a role '%.*s'", STR_ARG(name));
	struct suggest near;

	suggest_init(&near, ev->arena, name);
	for (const struct job *j = ev->built; j; j = j->before)
		for (size_t i = 0; i < j->nroles; i++)
			suggest_add(&near, plan_role_address(ev->arena, j->roles[i]->plan));
	struct str help = suggest_or_list(&near, "the roles are");
	if (help.n)
		diag_help(facts->said, d, "%.*s", STR_ARG(help));
}

static const struct value *fact_env(void *context, struct eval *ev, struct str name, int64_t index, struct span at)
{
	struct facts *facts = context;
	struct role *role = NULL;
	struct job *job = job_with_role(ev, name, &role);

	if (!job) {
		report_fact_role(facts, ev, name, at);
		return &value_bad;
	}
	if (!role->plan || index < 0 || index >= role->plan->max) {
		struct diag *d = diag_report(facts->said, TJ0515, at, "no replica %lld of a role '%.*s'",
			(long long)index, STR_ARG(name));
		if (role->plan)
			diag_help(facts->said, d, "it has %lld", (long long)role->plan->max);
		return &value_bad;
	}
	struct env_values env = plan_env(ev->arena, job->plan, role->plan, &role->plan->main, index,
		&placement_cluster);
	struct value *all = value_new(ev->arena, VALUE_MAP, at);
	for (size_t i = 0; i < env.n; i++)
		map_add(ev->arena, &all->u.map, names_intern(ev->program->names, env.at[i].name),
			env_value(ev, &env.at[i], at));
	return all;
}

static const struct value *data_value(struct eval *ev, const struct data *d, struct span at)
{
	struct value *v;

	switch (d->kind) {
	case DATA_NULL:
		return &value_none;
	case DATA_BOOL:
		return value_bool(ev->arena, d->u.boolean, at);
	case DATA_INT:
		return value_int(ev->arena, d->u.integer, at);
	case DATA_STRING:
		return value_string(ev->arena, d->u.string, at);
	case DATA_FLOAT:
		v = value_new(ev->arena, VALUE_FLOAT, at);
		v->u.floating = d->u.number;
		return v;
	case DATA_LIST:
		v = value_new(ev->arena, VALUE_LIST, at);
		v->u.list.n = d->u.list.n;
		v->u.list.at = ARENA_ARRAY(ev->arena, const struct value *, d->u.list.n);
		for (size_t i = 0; i < d->u.list.n; i++)
			v->u.list.at[i] = data_value(ev, d->u.list.at[i], at);
		return v;
	case DATA_MAP:
		v = value_new(ev->arena, VALUE_MAP, at);
		for (size_t i = 0; i < d->u.map.n; i++)
			map_add(ev->arena, &v->u.map, names_intern(ev->program->names, d->u.map.at[i].key),
				data_value(ev, d->u.map.at[i].value, at));
		return v;
	}
	return &value_bad;
}

static const struct value *fact_object(void *context, struct eval *ev, struct str kind, struct str name, struct span at)
{
	struct facts *facts = context;
	const struct data *found = emit_find(ev->arena, &facts->compile->plan, kind, name);

	if (found)
		return data_value(ev, found, at);
	struct diag *d = diag_report(facts->said, TJ0408, at, "the program has no %.*s '%.*s'", STR_ARG(kind),
		STR_ARG(name));
	diag_help(facts->said, d, "'trainc compile' shows its objects");
	return &value_bad;
}

static const struct value *fact_fails(void *context, struct eval *ev, struct str word, struct span at)
{
	const struct facts *facts = context;
	enum diag_code code;
	bool found = false;

	if (!diag_code_find(word, &code)) {
		diag_report(facts->said, TJ0408, at, "unknown diagnostic '%.*s'", STR_ARG(word));
		return &value_bad;
	}
	for (size_t i = 0; i < facts->before; i++)
		found = found || facts->compile->diags.at[i]->code == code;
	return value_bool(ev->arena, found, at);
}

struct test_facts facts_of(struct facts *facts)
{
	return (struct test_facts){ facts, fact_roles, fact_env, fact_object, fact_fails };
}
