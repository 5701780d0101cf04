/*
 * verify_references.c - checks names of objects that must already exist in the cluster: claims, Secrets, ConfigMaps,
 * priority classes, queues. The compiler cannot check whether they exist. But it reports names that no object can
 * have, because the pod would never start.
 */
#include "verify/verify.h"

#include "kube/limits.h"

bool check_object_name(struct checking *c, struct str name, const char *what, struct span at)
{
	struct diag *d;

	if (kube_object_name(name))
		return true;
	d = diag_report(c->diags, TJ0802, at, "%s cannot be named '%.*s'", what, STR_ARG(check_short(c->arena, name)));
	diag_help(c->diags, d,
		"names of objects are lower case letters, digits, '-' and '.', with a letter or digit at both ends");
	return false;
}

void check_data_key(struct checking *c, struct str key, const char *what, struct span at)
{
	struct diag *d;

	if (kube_data_key(key))
		return;
	d = diag_report(c->diags, TJ0802, at, "%s cannot have the key '%.*s'", what,
		STR_ARG(check_short(c->arena, key)));
	diag_help(c->diags, d, "keys are letters, digits, '-', '_' and '.'");
}

static void verify_references_of(struct checking *c, const struct plan_container *pc)
{
	static const char *const volumes[] = {
		[VOLUME_PVC] = "a claim", [VOLUME_SECRET] = "a Secret", [VOLUME_CONFIG] = "a ConfigMap",
			[VOLUME_CLAIM] = NULL, [VOLUME_CSI] = NULL,
	};

	for (size_t i = 0; i < pc->nmounts; i++) {
		const struct plan_volume *v = pc->mounts[i].volume;
		if (volumes[v->kind])
			check_object_name(c, v->name, volumes[v->kind], v->from);
		if (v->secret.n)
			check_object_name(c, v->secret, "a Secret", v->from);
		if (v->class.n)
			check_object_name(c, v->class, "a storage class", v->from);
	}
	for (size_t i = 0; i < pc->nsources; i++)
		check_object_name(c, pc->sources[i].name, pc->sources[i].secret ? "a Secret" : "a ConfigMap",
			pc->sources[i].from);
	for (size_t i = 0; i < pc->nenv; i++) {
		const struct plan_env *e = &pc->env[i];
		const char *what = e->kind == ENV_SECRET ? "a Secret" : "a ConfigMap";
		if ((e->kind == ENV_SECRET || e->kind == ENV_CONFIG) && check_object_name(c, e->object, what, e->from))
			check_data_key(c, e->key, what, e->from);
	}
}

static void queue(struct checking *c, const struct plan_job *j)
{
	const char *why;

	if (j->queue.set && (!j->queue.value.n ||
	    (kube_label_value(j->queue.value, &why) && !kube_object_name(j->queue.value))))
		check_object_name(c, j->queue.value, "a queue", j->queue.from);
	if (j->priority.set)
		check_object_name(c, j->priority.value, "a priority class", j->priority.from);
}

void check_references(struct checking *c, const struct plan_job *j)
{
	queue(c, j);
	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		if (!r->max)
			continue;
		verify_references_of(c, &r->main);
		for (size_t k = 0; k < r->nsidecars; k++)
			verify_references_of(c, &r->sidecars[k]);
		for (size_t k = 0; k < r->ninits; k++)
			verify_references_of(c, &r->inits[k]);
	}
}
