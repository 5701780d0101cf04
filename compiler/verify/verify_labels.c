/*
 * verify_labels.c - checks whether labels, annotations, node labels, taints and names of devices have the form that
 * Kubernetes accepts.
 */
#include "verify/verify.h"

#include "diag/suggest.h"
#include "kube/limits.h"

static void report_label(struct checking *c, struct span at, const char *what, struct str text, const char *why)
{
	struct diag *d = diag_report(c->diags, TJ0803, at, "%s '%.*s' %s", what, STR_ARG(check_short(c->arena, text)),
		why);

	if (text.n > LIMIT_LABEL)
		diag_label(c->diags, d, "%zu characters", text.n);
	diag_help(c->diags, d,
		"use letters, digits, '-', '_' and '.', with a letter or digit at both ends; at most 63");
}

/* Reports an invalid key or value (PART says which of the two) of WHAT, a label for example. */
static void report_part(struct checking *c, struct span at, const char *what, const char *part, struct str text,
	const char *why)
{
	report_label(c, at, str_printf(c->arena, "%s %s", what, part).p, text, why);
}

/* Is it a label or annotation that the Job controller uses to find its pods? */
static bool of_controller(struct str key)
{
	return str_starts(key, STR("batch.kubernetes.io/")) || str_is(key, "job-name") || str_is(key, "controller-uid");
}

/*
 * Reports a queue that is named by its label: the rules about queues and gangs would not see it, and the job would not
 * start suspended. A job that is in the gang of that queue anyway may name it so.
 */
static bool queue_by_hand(struct checking *c, const struct plan_job *j, const struct plan_pair *p, const char *what)
{
	static const struct {
		const char *key, *gang;
	} queues[] = { { "kueue.x-k8s.io/queue-name", "kueue" }, { "scheduling.volcano.sh/queue-name", "volcano" } };

	for (size_t i = 0; i < sizeof queues / sizeof *queues; i++) {
		if (!str_is(p->key, queues[i].key) || str_is(j->gang.value, queues[i].gang))
			continue;
		struct diag *d = diag_report(c->diags, TJ0803, p->key_at, "%s '%.*s' names a queue, which is a field",
			what, STR_ARG(p->key));
		diag_help(c->diags, d, "write it in the job: queue = \"%.*s\"%s", STR_ARG(p->value),
			i ? ", gang = \"volcano\"" : "");
		return true;
	}
	return false;
}

/*
 * Is it a key that trainc writes, so that the user must not change it? On an extra object (J is NULL), only keys with
 * trainc's prefix count.
 */
static bool ours(struct checking *c, const struct plan_job *j, const struct plan_pair *p, const char *what)
{
	bool prefix = str_starts(p->key, STR("trainc.dev/"));
	struct diag *d;

	if (j && of_controller(p->key)) {
		d = diag_report(c->diags, TJ0803, p->key_at, "%s '%.*s' is set by the Job controller", what,
			STR_ARG(p->key));
		diag_help(c->diags, d, "remove it: pods have it already, and another value breaks the Job's selector");
		return true;
	}
	if (j && queue_by_hand(c, j, p, what))
		return true;
	if (!prefix && (!j || (!str_is(p->key, "app.kubernetes.io/managed-by") && !emit_gang_owns(j, p->key) &&
		!emit_place_owns(j, p->key))))
		return false;
	d = diag_report(c->diags, TJ0803, p->key_at,
		prefix ? "%s '%.*s' is under the prefix that trainc keeps for itself" :
		"%s '%.*s' is written by trainc", what, STR_ARG(p->key));
	diag_help(c->diags, d, prefix ? "choose another prefix" : "remove it");
	return true;
}

void check_pairs(struct checking *c, const struct plan_job *j, const struct plan_pairs *pairs, const char *what,
	bool values)
{
	for (size_t i = 0; i < pairs->n; i++) {
		const struct plan_pair *p = &pairs->at[i];
		const char *why;
		if (ours(c, j, p, what))
			continue;
		if (!kube_label_key(p->key, &why))
			report_part(c, p->key_at, what, "key", p->key, why);
		if (values && !kube_label_value(p->value, &why))
			report_part(c, p->from, what, "value", p->value, why);
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
	struct diag *d = diag_report(c->diags, TJ0803, taint->from, "'%.*s' is not an effect of a taint",
		STR_ARG(check_short(c->arena, written)));
	if (sentence.n)
		diag_help(c->diags, d, "%.*s", STR_ARG(sentence));
	else
		diag_help(c->diags, d, "one of NoSchedule, PreferNoSchedule, NoExecute; without one all are tolerated");
}

static void verify_toleration(struct checking *c, const struct plan_str *taint)
{
	struct emit_taint t = emit_taint_of(taint->value);
	const char *why;

	if (t.effect.p)
		effect(c, taint, t.effect);
	if (t.value.p && !kube_label_value(t.value, &why))
		report_label(c, taint->from, "taint value", t.value, why);
	if (!kube_label_key(t.key, &why))
		report_label(c, taint->from, "taint key", t.key, why);
}

/* ---- checking labels of frameworks and accelerators ---- */

/*
 * Returns the labels with positions in the user's text: those of the labels, or that of the setting (ASKED) that
 * requires them.
 */
static struct plan_pairs placed(struct checking *c, const struct plan_pairs *pairs, struct span asked)
{
	struct plan_pairs ret = { ARENA_ARRAY(c->arena, struct plan_pair, pairs->n), pairs->n };

	for (size_t i = 0; i < pairs->n; i++) {
		ret.at[i] = pairs->at[i];
		ret.at[i].from = check_place(c, pairs->at[i].from, asked, asked);
		ret.at[i].key_at = check_place(c, pairs->at[i].key_at, asked, asked);
	}
	return ret;
}

/*
 * Checks the labels and resources of an accelerator. OLD: the framework labels replicas itself, as old operators did;
 * on their clusters, names of resources needed no domain.
 */
static void verify_accelerator(struct checking *c, const struct plan_job *j, const struct plan_accelerator *acc,
	bool old)
{
	struct plan_pairs node = placed(c, &acc->node, acc->from);
	const char *why;

	bool native = str_is(acc->resource, "cpu") || str_is(acc->resource, "memory") ||
		str_is(acc->resource, "ephemeral-storage") || str_starts(acc->resource, STR("hugepages-"));
	if (!kube_label_key(acc->resource, &why)) {
		report_label(c, check_place(c, acc->resource_at, acc->from, acc->from), "resource", acc->resource, why);
	} else if (!native && !old && !memchr(acc->resource.p, '/', acc->resource.n)) {
		struct diag *d = diag_report(c->diags, TJ0803, check_place(c, acc->resource_at, acc->from, acc->from),
			"resource '%.*s' has no domain", STR_ARG(acc->resource));
		diag_help(c->diags, d, "an extended resource is written DOMAIN/NAME, such as \"example.com/%.*s\"",
			STR_ARG(acc->resource));
	}
	check_pairs(c, j, &node, "node label", true);
	for (size_t i = 0; i < acc->nchoices; i++)
		for (size_t k = 0; k < acc->choices[i].nvalues; k++) {
			struct plan_pair p = { acc->choices[i].key, acc->choices[i].values[k].value, acc->from,
				check_place(c, acc->choices[i].from, acc->from, acc->from) };
			check_pairs(c, j, &(struct plan_pairs){ &p, 1 }, "node label", true);
		}
	if (acc->slice.set && !kube_label_key(acc->slice.value, &why))
		report_label(c, check_place(c, acc->slice.from, acc->from, acc->from), "node label key",
			acc->slice.value, why);
	for (size_t i = 0; i < acc->ntolerate; i++) {
		struct plan_str taint = acc->tolerate[i];
		taint.from = check_place(c, taint.from, acc->from, acc->from);
		verify_toleration(c, &taint);
	}
}

/* Returns the text that the replica with that index has. */
static struct str label_of_replica(struct checking *c, const struct text *t, int64_t index)
{
	struct buf out = { 0 };

	for (size_t i = 0; i < t->n; i++)
		if (t->at[i].kind == PIECE_TEXT)
			buf_str(&out, t->at[i].u.text);
		else
			buf_int(&out, index);
	struct str s = buf_take(&out, c->arena);
	buf_release(&out);
	return s;
}

/*
 * Checks a label of replicas. If texts differ only by the index, it is enough to check the last one, which is the
 * longest.
 */
static void replica_label(struct checking *c, const struct plan_role *r, const struct plan_replica_label *l,
	struct span at)
{
	const char *why;

	for (int64_t i = l->per_replica ? 0 : r->max - 1; i < r->max; i++) {
		const struct text *t = l->per_replica ? &l->per_replica[i] : &l->text;
		struct str value = text_is_absent(t) ? STR("") : label_of_replica(c, t, i);
		if (kube_label_value(value, &why))
			continue;
		report_label(c, at, "label value", value, why);
		return;
	}
}

static void replica_labels(struct checking *c, const struct plan_job *j, const struct plan_role *r)
{
	for (size_t i = 0; i < r->replica.nlabels; i++) {
		const struct plan_replica_label *l = &r->replica.labels[i];
		struct plan_pair key = { l->key, STR(""), l->from, check_place(c, l->key_at, j->name_at, j->name_at) };
		struct plan_pairs keys = { &key, 1 };
		size_t errors = c->diags->errors;
		check_pairs(c, j, &keys, "label", false);
		if (c->diags->errors == errors)
			replica_label(c, r, l, check_place(c, l->from, j->name_at, j->name_at));
	}
}

static void zone(struct checking *c, const struct plan_str *z)
{
	const char *why = "it is empty";

	if (!z->value.n || !kube_label_value(z->value, &why))
		report_label(c, z->from, "zone", z->value, why);
}

static void label_choices(struct checking *c, const struct plan_job *j, const struct plan_choice *all, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct plan_pair p = { all[i].key, STR(""), all[i].from, all[i].from };
		check_pairs(c, j, &(struct plan_pairs){ &p, 1 }, "node label", false);
		for (size_t k = 0; k < all[i].nvalues; k++) {
			const char *why;
			if (!kube_label_value(all[i].values[k].value, &why))
				report_part(c, all[i].values[k].from, "node label", "value", all[i].values[k].value,
					why);
		}
	}
}

void check_labels(struct checking *c, const struct plan_job *j)
{
	const char *why;

	check_pairs(c, j, &j->labels, "label", true);
	check_pairs(c, j, &j->annotations, "annotation", false);
	if (j->queue.set && !kube_label_value(j->queue.value, &why))
		report_label(c, j->queue.from, "queue", j->queue.value, why);
	if (j->framework.n && !kube_label_value(j->framework, &why))
		report_label(c, j->name_at, "framework", j->framework, why);
	for (size_t i = 0; i < j->nroles; i++) {
		if (!j->roles[i].max)
			continue;
		check_pairs(c, j, &j->roles[i].labels, "label", true);
		check_pairs(c, j, &j->roles[i].annotations, "annotation", false);
		check_pairs(c, j, &j->roles[i].node, "node label", true);
		label_choices(c, j, j->roles[i].node_in, j->roles[i].nnode_in);
		label_choices(c, j, j->roles[i].avoid, j->roles[i].navoid);
		for (size_t k = 0; k < j->roles[i].nzones; k++)
			zone(c, &j->roles[i].zones[k]);
		for (size_t k = 0; k < j->roles[i].ntolerate; k++)
			verify_toleration(c, &j->roles[i].tolerate[k]);
		if (j->roles[i].accelerator)
			verify_accelerator(c, j, j->roles[i].accelerator, j->roles[i].replica.nlabels > 0);
		replica_labels(c, j, &j->roles[i]);
	}
}
