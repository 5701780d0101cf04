/*
 * check_labels.c - labels, annotations and node labels as Kubernetes takes them.
 */
#include "emit/check.h"

#include "diag/suggest.h"
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

static void effect(struct checking *c, const struct plan_str *taint, struct str written)
{
	static const char *const effects[] = { "NoSchedule", "PreferNoSchedule", "NoExecute" };
	struct suggest near;

	suggest_init(&near, c->arena, written);
	for (size_t i = 0; i < sizeof effects / sizeof *effects; i++) {
		if (str_is(written, effects[i]))
			return;
		suggest_add(&near, str_of(effects[i]));
	}
	struct str sentence = suggest_sentence(&near);
	struct diag *d = diag_report(c->diags, TJ0803, taint->from, "'%.*s' is not an effect of a taint", STR_ARG(check_short(c->arena, written)));
	if (sentence.n)
		diag_help(c->diags, d, "%.*s", STR_ARG(sentence));
	else
		diag_help(c->diags, d, "one of NoSchedule, PreferNoSchedule, NoExecute; without one all are tolerated");
}

static void toleration(struct checking *c, const struct plan_str *taint)
{
	struct emit_taint t = emit_taint_of(taint->value);
	const char *why;

	if (t.effect.p)
		effect(c, taint, t.effect);
	if (t.value.p && !kube_label_value(t.value, &why))
		report(c, taint->from, "taint value", t.value, why);
	if (!kube_label_key(t.key, &why))
		report(c, taint->from, "taint key", t.key, why);
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
