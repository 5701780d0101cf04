/*
 * check_labels.c - labels, annotations and node labels as Kubernetes takes them.
 */
#include "emit/check.h"

#include "kube/limits.h"

static void report(struct checking *c, struct span at, const char *what, struct str text, const char *why)
{
	struct diag *d = diag_report(c->diags, TJ0803, at, "%s '%.*s' %s", what, STR_ARG(check_short(c->arena, text)), why);

	if (text.n > LIMIT_LABEL)
		diag_label(c->diags, d, "%zu characters", text.n);
	diag_help(c->diags, d, "use letters, digits, '-', '_' and '.', with a letter or digit at both ends; at most 63");
}

/* What we write ourselves is not the user's to change. */
static bool ours(struct checking *c, const struct plan_job *j, const struct plan_pair *p, const char *what)
{
	bool prefix = str_starts(p->key, STR("trainc.dev/"));
	struct diag *d;

	if (!prefix && !str_is(p->key, "app.kubernetes.io/managed-by") && !emit_gang_owns(j, p->key))
		return false;
	d = diag_report(c->diags, TJ0803, p->key_at, prefix ? "%s '%.*s' is under the prefix that trainc keeps for itself" :
		"%s '%.*s' is written by trainc", what, STR_ARG(p->key));
	diag_help(c->diags, d, prefix ? "choose another prefix" : "remove it");
	return true;
}

static void keys(struct checking *c, const struct plan_job *j, const struct plan_pairs *pairs, const char *what, bool values)
{
	for (size_t i = 0; i < pairs->n; i++) {
		const struct plan_pair *p = &pairs->at[i];
		const char *why;
		struct str what_key = str_printf(c->arena, "%s key", what), what_value = str_printf(c->arena, "%s value", what);
		if (ours(c, j, p, what))
			continue;
		if (!kube_label_key(p->key, &why))
			report(c, p->key_at, what_key.p, p->key, why);
		if (values && !kube_label_value(p->value, &why))
			report(c, p->from, what_value.p, p->value, why);
	}
}

/* kubectl's taint syntax: key, key=value, key:Effect, key=value:Effect. */
static void toleration(struct checking *c, const struct plan_str *taint)
{
	struct str key = taint->value, value = { NULL, 0 }, effect = { NULL, 0 };
	const char *why, *colon = key.n ? memrchr(key.p, ':', key.n) : NULL;

	if (colon) {
		key.n = (size_t)(colon - key.p);
		effect = (struct str){ colon + 1, taint->value.n - key.n - 1 };
		if (!str_is(effect, "NoSchedule") && !str_is(effect, "PreferNoSchedule") && !str_is(effect, "NoExecute")) {
			struct diag *d = diag_report(c->diags, TJ0803, taint->from, "'%.*s' is not an effect of a taint",
				STR_ARG(check_short(c->arena, effect)));
			diag_help(c->diags, d, "one of NoSchedule, PreferNoSchedule, NoExecute; without one all are tolerated");
		}
	}
	const char *equals = key.n ? memchr(key.p, '=', key.n) : NULL;
	if (equals) {
		value = (struct str){ equals + 1, key.n - (size_t)(equals - key.p) - 1 };
		key.n = (size_t)(equals - key.p);
		if (!kube_label_value(value, &why))
			report(c, taint->from, "taint value", value, why);
	}
	if (!kube_label_key(key, &why))
		report(c, taint->from, "taint key", key, why);
}

void check_labels(struct checking *c, const struct plan_job *j)
{
	const char *why;

	keys(c, j, &j->labels, "label", true);
	keys(c, j, &j->annotations, "annotation", false);
	if (j->queue.set && !kube_label_value(j->queue.value, &why))
		report(c, j->queue.from, "queue", j->queue.value, why);
	if (j->framework.n && !kube_label_value(j->framework, &why))
		report(c, j->name_at, "framework", j->framework, why);
	for (size_t i = 0; i < j->nroles; i++) {
		if (!j->roles[i].max)
			continue;
		keys(c, j, &j->roles[i].labels, "label", true);
		keys(c, j, &j->roles[i].annotations, "annotation", false);
		keys(c, j, &j->roles[i].node, "node label", true);
		for (size_t k = 0; k < j->roles[i].ntolerate; k++)
			toleration(c, &j->roles[i].tolerate[k]);
	}
}
