/*
 * lower_sources.c - lowers `env_from`: objects of which every key becomes a variable of a container. If the program has
 * the object itself, its keys are known, and those that a framework reserves are reported.
 */
#include "lower/lower.h"
#include "lower/lower_rules.h"

#include "eval/plan_value.h"

static const struct value *source_member(const struct value *v, const char *name)
{
	const struct value *m = v->kind == VALUE_MAP ? value_get(v, str_of(name)) : NULL;

	return m && m->kind != VALUE_NONE ? m : NULL;
}

/* Lowers one object; false after reporting why it is none. */
static bool lowered_source(struct lowering *l, const struct value *v, struct span at, struct plan_source *ret)
{
	const struct value *config = source_member(v, "config"), *secret = source_member(v, "secret"),
		*prefix = source_member(v, "prefix"), *optional = source_member(v, "optional");
	const struct value *name = secret ? secret : config;

	*ret = (struct plan_source){ .secret = secret != NULL, .from = span_known(v->from) ? v->from : at };
	if (!config == !secret) {
		struct diag *d = diag_report(l->ev->diags, TJ0302, ret->from,
			"an element of 'env_from' is one ConfigMap or one Secret");
		diag_help(l->ev->diags, d, "write config_env(\"NAME\") or secret_env(\"NAME\")");
		return false;
	}
	if (!value_str(l->ev, name, &ret->name) || (prefix && !value_str(l->ev, prefix, &ret->prefix)))
		return false;
	ret->optional = optional && optional->kind == VALUE_BOOL && optional->u.boolean;
	return !ret->prefix.n || env_name_ok(l->ev, ret->prefix, prefix->from);
}

void lower_sources(struct lowering *l, struct entries *body, struct plan_container *c)
{
	struct entry *first = NULL;
	const struct value *list = body ? gather_own(l->ev, body, FIELD_ENV_FROM, &first) :
		role_field(l->ev, l->role, FIELD_ENV_FROM);
	struct span at = first ? entry_at(first) : role_field_at(l->ev, l->role, FIELD_ENV_FROM);

	if (list->kind != VALUE_LIST)
		return;
	c->sources = ARENA_ARRAY(l->ev->arena, struct plan_source, list->u.list.n);
	for (size_t i = 0; i < list->u.list.n; i++)
		if (value_ok(list->u.list.at[i]) && lowered_source(l, list->u.list.at[i], at, &c->sources[c->nsources]))
			c->nsources++;
}

/* ---- keys that are known ---- */

static void report_reserved_key(struct job *j, const struct plan_source *s, const struct data_member *key,
	struct str name)
{
	const char *function = s->secret ? "secret" : "config";
	struct diag *d = diag_report(job_diags(j), TJ0702, s->from,
		"'%.*s' has the key '%.*s', and the variable '%.*s' is reserved by '%.*s'", STR_ARG(s->name),
		STR_ARG(key->key), STR_ARG(name), STR_ARG(j->plan->framework));

	diag_note(job_diags(j), d, key->key_at, "the key is here");
	diag_help(job_diags(j), d, "remove the key, or take only those that the program needs: "
		"env { NAME = %s(\"%.*s\", \"KEY\") }", function, STR_ARG(s->name));
}

/* Reports keys of the program's own objects that are variables of C which the framework of JOB reserves. */
static void rules_of_sources(struct job *j, const struct job *of, const struct plan_container *c, unsigned level)
{
	for (size_t i = 0; i < c->nsources; i++) {
		const struct plan_source *s = &c->sources[i];
		const struct data *data = plan_source_data(eval_work(j->ev), j->plan, s);
		for (size_t k = 0; data && k < data->u.map.n; k++) {
			const struct data_member *m = &data->u.map.at[k];
			struct str name = str_cat(eval_work(j->ev), s->prefix, m->key, STR(""));
			if (job_reserves(of, name, level))
				report_reserved_key(j, s, m, name);
		}
	}
}

void rules_sources(struct job *j)
{
	for (size_t i = 0; i < j->nroles; i++) {
		struct role *r = j->roles[i];
		const struct plan_role *p = r->plan;
		if (!p->max)
			continue;
		rules_of_sources(j, r->job, &p->main, role_field_level(j->ev, r, FIELD_ENV_FROM));
		for (size_t k = 0; k < p->nsidecars; k++)
			rules_of_sources(j, r->job, &p->sidecars[k], LEVEL_ROLE);
		for (size_t k = 0; k < p->ninits; k++)
			rules_of_sources(j, r->job, &p->inits[k], LEVEL_ROLE);
	}
}
