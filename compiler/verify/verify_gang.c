/*
 * verify_gang.c - checks whether the target supports a gang, and which settings have an effect on it.
 */
#include "verify/verify.h"

enum { NATIVE_ALPHA = 35 };             /* minor version with the first API for such gangs */

static struct span gang_place(const struct checking *c, const struct plan_job *j)
{
	return check_place(c, j->gang.from, j->name_at, j->name_at);
}

/*
 * Can the scheduler of Kubernetes start the gang in this target? With an operator it cannot: pods only get settings
 * for which the operator's resource has fields.
 */
static bool native_target(struct checking *c, const struct plan_job *j)
{
	struct str target = c->plan->target;

	if (!(emit_target_traits(target) & TARGET_CONTROLLER))
		return true;
	struct diag *d = diag_report(c->diags, TJ0809, gang_place(c, j),
		"gang = \"native\" is not supported by the target '%.*s'", STR_ARG(target));
	diag_note(c->diags, d, (struct span){ 0 },
		"the pod templates of its resource have no field that names a group");
	diag_help(c->diags, d, "use the target 'jobs', or gang = \"volcano\" or \"coscheduling\"");
	return false;
}

/*
 * Reports pods of a group that differ from each other, or from the group, in one of these fields: the scheduler of
 * Kubernetes would not start any of them.
 */
static void one_for_all(struct checking *c, const struct plan_job *j, const struct plan_role *r)
{
	static const char *const keys[][2] = {
		{ "schedulerName", "scheduler" }, { "priorityClassName", "priority" }, { "priority", "priority" },
		{ "preemptionPolicy", NULL },
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const struct data *d = data_get(r->raw_pod, str_of(keys[i][0]));
		if (!d || (i == 0 && emit_gang_pods(j, emit_gang_group(j, r)) == r->max))
			continue;       /* a gang of a single role has only one scheduler */
		struct diag *diag = diag_report(c->diags, TJ0809, check_place(c, d->from, r->at, j->name_at),
			"the pods of gang = \"native\" need one '%s', but role '%.*s' has its own", keys[i][0],
			STR_ARG(r->name));
		if (keys[i][1])
			diag_help(c->diags, diag, "write '%s' in the job, for all roles", keys[i][1]);
		else
			diag_help(c->diags, diag,
				"remove it, or make the role an 'aux' role, which is not part of the gang");
	}
}

/* Reports more gangs of different sizes than a Workload has templates for. */
static void native_templates(struct checking *c, const struct plan_job *j)
{
	enum { MOST = 8 };
	size_t n = emit_gang_pods(j, (struct emit_group){ 0 }) > 0;

	for (size_t i = 0; i < j->ncells; i++) {
		const struct plan_cell *cell = &j->cells[i];
		if (plan_cell_together(cell) || !emit_gang_pods(j, (struct emit_group){ cell, 0 }) || ++n != MOST + 1)
			continue;
		struct diag *d = diag_report(c->diags, TJ0809, check_place(c, cell->at, j->name_at, j->name_at),
			"a Workload of Kubernetes has at most %d templates of groups, and cell '%.*s' needs one more",
			MOST, STR_ARG(cell->name));
		diag_help(c->diags, d, "write fewer cells, or use gang = \"volcano\" or \"coscheduling\"");
	}
}

/*
 * Reports elastic copies that start together where the group counts any pods: it could start with parts of several
 * copies.
 */
static void elastic_together(struct checking *c, const struct plan_job *j, const char *who)
{
	for (size_t i = 0; i < j->ncells; i++) {
		const struct plan_cell *cell = &j->cells[i];
		if (!plan_cell_together(cell) || cell->min == cell->max)
			continue;
		struct diag *d = diag_report(c->diags, TJ0809,
			check_place(c, cell->starts.from, cell->at, j->name_at),
			"%s counts the pods of a group, not copies: %lld of %lld copies of '%.*s' cannot start "
			"together",
			who, (long long)cell->min, (long long)cell->max, STR_ARG(cell->name));
		diag_help(c->diags, d, "write starts = \"each\", or copies = %lld, or use gang = \"volcano\"",
			(long long)cell->max);
	}
}

static void native(struct checking *c, const struct plan_job *j)
{
	unsigned minor = c->plan->kubernetes;
	struct diag *d;

	if (!native_target(c, j))
		return;
	if (minor < NATIVE_ALPHA) {
		d = diag_report(c->diags, TJ0809, gang_place(c, j),
			"gang = \"native\" needs %s of Kubernetes 1.%d; the project targets 1.%u",
			kube_words(KUBE_NATIVE_GANG), NATIVE_ALPHA, minor);
		diag_note(c->diags, d, (struct span){ 0 },
			"up to 1.%u it is an alpha feature that clusters have switched off (TJ0824)",
			kube_usable_from(KUBE_NATIVE_GANG) - 1);
		diag_help(c->diags, d, "use gang = \"kueue\", \"volcano\" or \"coscheduling\"");
		return;
	}
	bool beta = kube_has(minor, KUBE_NATIVE_GANG);
	d = diag_report(c->diags, TJ0824, gang_place(c, j),
		"%s is %s of Kubernetes 1.%u, off by default",
		kube_words(KUBE_NATIVE_GANG), beta ? "a beta feature" : "an alpha feature", minor);
	diag_note(c->diags, d, (struct span){ 0 }, "it needs the feature %s, and the API scheduling.k8s.io/%s",
		beta ? "gate GenericWorkload" : "gates GenericWorkload and GangScheduling",
		beta ? "v1beta1" : minor == NATIVE_ALPHA ? "v1alpha1" : "v1alpha2");
	for (size_t i = 0; i < j->nroles; i++)
		if (j->roles[i].max && emit_place_keeper(j, &j->roles[i]) == PLACE_BY_GROUP) {
			diag_note(c->diags, d, (struct span){ 0 },
				"'place' also needs the feature gate TopologyAwareWorkloadScheduling");
			break;
		}
	diag_help(c->diags, d, "if the cluster has them, say so with '# allow TJ0824: reason'; else use gang = "
		"\"kueue\", \"volcano\" or \"coscheduling\"");
	for (size_t i = 0; i < j->nroles; i++)
		if (!j->roles[i].aux && j->roles[i].max)
			one_for_all(c, j, &j->roles[i]);
	native_templates(c, j);
}

/* The objects that Kueue would admit one by one: Jobs, and the group of pods that belong to no Job. */
struct admitted {
	int64_t jobs;
	bool group;
	bool always;                    /* some objects are Jobs in every target */
};

static struct admitted admitted(const struct checking *c, const struct plan_job *j, struct emit_group g)
{
	unsigned traits = emit_target_traits(c->plan->target);
	struct admitted n = { 0 };

	if (traits & TARGET_CONTROLLER)
		return n;               /* the whole job is one object */
	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		if (!emit_gang_in(j, g, r))
			continue;
		if (emit_gang_grouped(j, r) || r->in_group)
			n.group = true;
		else
			n.jobs += plan_each_replica(j) || r->unrolled ? r->max : 1;
		n.always = n.always || r->replica.job;
	}
	return n;
}

/* Reports a copy of a cell that Kueue would admit in parts. All copies are alike. */
static void kueue_copy(struct checking *c, const struct plan_job *j, const struct plan_cell *cell)
{
	struct admitted n = admitted(c, j, (struct emit_group){ cell, 0 });

	if (n.jobs + n.group <= 1)
		return;
	struct diag *d = diag_report(c->diags, TJ0823, check_place(c, cell->at, j->name_at, j->name_at),
		"Kueue admits each of the %.*s Jobs of a copy of '%.*s' separately",
		STR_ARG(check_count(c->arena, (size_t)n.jobs)), STR_ARG(cell->name));
	diag_note(c->diags, d, (struct span){ 0 }, "some of them may hold devices while others still wait");
	diag_help(c->diags, d, "use the target 'pods', where a copy is admitted as one group; or gang = \"volcano\" or "
		"\"coscheduling\"");
}

/* Checks the copies of cells: what Kueue admits by itself, and what it admits with the whole job. */
static void kueue_cells(struct checking *c, const struct plan_job *j)
{
	bool whole = emit_target_traits(c->plan->target) & TARGET_CONTROLLER;

	for (size_t i = 0; i < j->ncells; i++) {
		const struct plan_cell *cell = &j->cells[i];
		if (!whole && !plan_cell_together(cell)) {
			kueue_copy(c, j, cell);
		} else if (whole && cell->starts.set && !plan_cell_together(cell)) {
			struct diag *d = diag_report(c->diags, TJ0826,
				check_place(c, cell->starts.from, cell->at, j->name_at),
				"Kueue admits all copies of '%.*s' at once, because the job is one object",
				STR_ARG(cell->name));
			diag_help(c->diags, d, "use the target 'jobs' or 'pods', or remove it");
		}
	}
}

/* Reports a gang of a cell whose pods have one template for all copies, in which they cannot name their group. */
static void groups(struct checking *c, const struct plan_job *j)
{
	if (!(emit_target_traits(c->plan->target) & TARGET_GROUPS) || !j->ncells)
		return;
	struct diag *d = diag_report(c->diags, TJ0809, gang_place(c, j),
		"gang = \"%.*s\" is not supported by the target '%.*s'", STR_ARG(j->gang.value),
		STR_ARG(c->plan->target));
	diag_note(c->diags, d, (struct span){ 0 },
		"all copies have one template, in which a pod cannot name the group of its copy");
	diag_help(c->diags, d, "use gang = \"kueue\" or \"volcano\", or the target 'jobs' or 'pods'");
}

static void kueue(struct checking *c, const struct plan_job *j)
{
	struct admitted n = admitted(c, j, (struct emit_group){ 0 });

	kueue_cells(c, j);
	if (n.jobs + n.group <= 1)
		return;
	struct str count = check_count(c->arena, (size_t)n.jobs);
	struct diag *d = n.group ?
		diag_report(c->diags, TJ0823, gang_place(c, j),
		"Kueue admits the pods of '%.*s' as one group, but each of its Jobs separately", STR_ARG(j->name)) :
		diag_report(c->diags, TJ0823, gang_place(c, j),
			"Kueue admits each of the %.*s Jobs of '%.*s' separately", STR_ARG(count), STR_ARG(j->name));
	diag_note(c->diags, d, (struct span){ 0 }, "some of them may hold devices while others still wait");
	diag_help(c->diags, d,
		"use the target 'jobset', which is admitted as a whole%s; or gang = \"volcano\" or \"coscheduling\"",
		n.always ? "" : ", or 'pods', admitted as one group");
}

/*
 * Kueue can resize the running Job of an elastic role if an annotation allows it: from 0.13 behind a gate that is on
 * from 0.18. It then refuses a place that all pods must or should share.
 */
static void resizable(struct checking *c, const struct plan_job *j, const struct plan_role *r)
{
	const struct plan_addon *named = &c->plan->addons[ADDON_KUEUE];
	const struct plan_pair *p = emit_gang_resizable(j, r);
	struct diag *d;

	if (!p)
		return;
	if (named->version && named->version < ADDON_VERSION(0, 18)) {
		d = diag_report(c->diags, TJ0824, p->key_at,
			"'%.*s' is an alpha feature of Kueue before 0.18, off by default", STR_ARG(p->key));
		diag_note(c->diags, d, named->at, "the project's Kueue");
		diag_help(c->diags, d, "if the cluster has ElasticJobsViaWorkloadSlices, say so with "
			"'# allow TJ0824: reason'; without the annotation an elastic role starts with what fits");
	}
	if (r->place.kind == PLACE_NEAR || r->place.kind == PLACE_PREFER) {
		d = diag_report(c->diags, TJ0828, check_place(c, r->place.from, r->at, j->name_at),
			"Kueue refuses a Job that can be resized and has a place near others");
		diag_note(c->diags, d, p->key_at, "this lets Kueue resize it");
		diag_help(c->diags, d, "write place = pack, or remove the annotation: an elastic role then starts with "
			"what fits");
	}
}

static bool starts_at_once(const struct plan_job *j)
{
	for (size_t i = 0; i < j->nroles; i++)
		if (emit_gang_grouped(j, &j->roles[i]))
			return true;
	return false;
}

static void no_queue(struct checking *c, const struct plan_job *j)
{
	if (emit_gang_queued(j) || !emit_gang_any(j))
		return;
	struct diag *d = diag_report(c->diags, TJ0827, gang_place(c, j),
		starts_at_once(j) ? "'%.*s' has no 'queue': Kueue ignores its pods, which start one by one"
		: "'%.*s' has no 'queue': Kueue leaves it suspended", STR_ARG(j->name));
	diag_note(c->diags, d, (struct span){ 0 },
		"without a queue it is admitted only in a namespace with a LocalQueue named 'default'");
	diag_help(c->diags, d, "add queue = \"NAME\"; 'kubectl get localqueues%s%.*s' lists them",
		j->ns.set ? " -n " : "", STR_ARG(j->ns.value));
}

static void least(struct checking *c, const struct plan_job *j)
{
	const struct data *wanted = emit_gang_setting(j, "min_available");
	int64_t pods = emit_gang_pods(j, (struct emit_group){ 0 });

	if (!wanted || wanted->kind != DATA_INT || wanted->u.integer <= pods)
		return;
	struct diag *d = diag_report(c->diags, TJ0825, check_place(c, wanted->from, j->name_at, j->name_at),
		"min_available = %lld is more than the %lld pods of '%.*s'", (long long)wanted->u.integer,
		(long long)pods, STR_ARG(j->name));
	diag_help(c->diags, d, "lower it; without it all pods start together");
}

/* Reports settings of a framework's `scheduling` that the scheduler of this gang does not read. */
static void unread(struct checking *c, const struct plan_job *j, const char *const *names)
{
	for (; *names; names++) {
		const struct data *d = emit_gang_setting(j, *names);
		if (!d)
			continue;
		struct diag *diag = diag_report(c->diags, TJ0826, check_place(c, d->from, j->name_at, j->name_at),
			"'%s' means nothing with gang = \"%.*s\"", *names, STR_ARG(j->gang.value));
		diag_help(c->diags, diag, "remove it");
	}
}

/* Reports how copies start where they start one by one, as all pods do without a gang. */
static void no_gang(struct checking *c, const struct plan_job *j)
{
	for (size_t i = 0; i < j->ncells; i++) {
		const struct plan_cell *cell = &j->cells[i];
		if (!cell->starts.set)
			continue;
		struct diag *d = diag_report(c->diags, TJ0826,
			check_place(c, cell->starts.from, cell->at, j->name_at),
			"'starts' means nothing without a gang: each pod of '%.*s' starts by itself",
			STR_ARG(cell->name));
		diag_help(c->diags, d, "remove it, or set 'gang' in the job");
	}
}

void check_gang(struct checking *c, const struct plan_job *j)
{
	static const char *const not_volcano[] = { "timeout_s", NULL },
		*const not_coscheduling[] = { "queue", "priority", NULL };
	static const char *const not_others[] = { "min_available", "queue", "min_resources", "priority", "timeout_s",
		NULL };
	static const char *const not_native[] = { "queue", "min_resources", "priority", "timeout_s", NULL };

	switch (emit_gang(j)) {
	case GANG_NONE:
		no_gang(c, j);
		break;
	case GANG_KUEUE:
		kueue(c, j);
		no_queue(c, j);
		for (size_t i = 0; i < j->nroles; i++)
			if (j->roles[i].elastic)
				resizable(c, j, &j->roles[i]);
		/* on an operator's object, Kueue reads the priority, so it is not reported */
		if (!(emit_target_traits(c->plan->target) & TARGET_OPERATOR))
			unread(c, j, not_others);
		break;
	case GANG_VOLCANO:
		least(c, j);
		unread(c, j, not_volcano);
		break;
	case GANG_COSCHEDULING:
		groups(c, j);
		elastic_together(c, j, "coscheduling");
		least(c, j);
		unread(c, j, not_coscheduling);
		break;
	case GANG_NATIVE:
		groups(c, j);
		native(c, j);
		elastic_together(c, j, "a group of Kubernetes");
		least(c, j);
		unread(c, j, not_native);
		break;
	}
}
