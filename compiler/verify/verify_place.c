/*
 * verify_place.c - TJ0828: can the scheduler or queue that starts the job keep the replicas in the domains that
 * `place` asks for? A queue, and the group of a gang, have a single place for all pods that they start as a unit.
 * Pods with affinity to each other can always be kept together.
 */
#include "verify/verify.h"

/* Reports that the `place` of R has no effect, with the reason WHY. */
static struct diag *not_kept(struct checking *c, const struct plan_job *j, const struct plan_role *r, const char *why)
{
	struct str words = plan_place_text(c->arena, &r->place);

	return diag_report(c->diags, TJ0828, check_place(c, r->place.from, r->at, j->name_at),
		"'place = %.*s' cannot be kept: %s", STR_ARG(words), why);
}

/* ---- groups of a gang, which have a single place ---- */

/* Are both roles in one copy of a cell, or both in none? */
static bool of_one_copy(const struct plan_role *r, const struct plan_role *other)
{
	return r->copy == other->copy && str_eq(r->cell, other->cell);
}

/*
 * Returns the first role of the gang, or of the copy if copies are SUBGROUPS of it, that does not share one domain with
 * R; NULL if all do.
 */
static const struct plan_role *elsewhere(const struct plan_job *j, const struct plan_role *r, bool subgroups)
{
	struct emit_group g = emit_gang_group(j, r);

	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *other = &j->roles[i];
		if (other != r && emit_gang_in(j, g, other) && !plan_place_shared(r, other) &&
		    (!subgroups || !r->cell.n || of_one_copy(r, other)))
			return other;
	}
	return NULL;
}

static bool one_place(struct checking *c, const struct plan_job *j, const struct plan_role *r, bool subgroups)
{
	const struct plan_role *other = elsewhere(j, r, subgroups);

	if (!other)
		return true;
	struct diag *d = not_kept(c, j, r, "the gang is one group, which has a single place for all of its pods");
	diag_note(c->diags, d, check_place(c, other->at, j->name_at, j->name_at), "role '%.*s' is in that group too",
		STR_ARG(other->name));
	if (of_one_copy(r, other))
		diag_help(c->diags, d, "write 'place' in the %s, for all roles together, or use gang = "
			"\"coscheduling\", where each role has its own", r->cell.n ? "cell" : "job");
	else
		diag_help(c->diags, d, "write starts = \"each\" in the cell, so that each copy is a group of its own, "
			"or use gang = \"coscheduling\"");
	return false;
}

static void by_volcano(struct checking *c, const struct plan_job *j, const struct plan_role *r)
{
	if (!one_place(c, j, r, true) || r->place.kind != PLACE_NEAR || r->place.tier)
		return;
	struct diag *d = not_kept(c, j, r,
		"Volcano places a gang by levels of the project's topology, and this level is not one of them");
	diag_help(c->diags, d, "name a level that 'topology' in project.tj lists, or use gang = \"coscheduling\"");
}

static void by_group(struct checking *c, const struct plan_job *j, const struct plan_role *r)
{
	enum { FIRST = 36 };            /* first minor version whose groups have topology constraints */

	if (c->plan->kubernetes < FIRST) {
		struct str why = str_printf(c->arena,
			"groups of Kubernetes have a topology from 1.%d on, and the project targets 1.%u", FIRST,
			c->plan->kubernetes);
		struct diag *d = not_kept(c, j, r, why.p);
		diag_help(c->diags, d, "use gang = \"kueue\", \"volcano\" or \"coscheduling\"");
	} else if (r->place.kind != PLACE_NEAR) {
		struct diag *d = not_kept(c, j, r, "a group of Kubernetes can only require a place, not prefer one");
		diag_help(c->diags, d,
			"write near(\"LEVEL\"), or use gang = \"kueue\", \"volcano\" or \"coscheduling\"");
	} else {
		one_place(c, j, r, false);
	}
}

/* ---- Kueue ---- */

/*
 * The sets of pods that ask for one domain. Kueue can keep one set of equal pods together, or two sets with a group
 * name, one of which is a single pod (KEP-2724, "Cross-PodSet Topology Aware scheduling").
 */
struct sets {
	int64_t n;
	bool single;                    /* one of the sets is a single pod */
	bool apart;                     /* the sets are in objects that Kueue admits separately */
	/* bare pods of several roles are in one group; Kueue tells them apart only by their specs */
	bool mixed;
};

static struct sets sets_of(const struct checking *c, const struct plan_job *j, const struct plan_role *r)
{
	struct sets s = { 0 };
	unsigned traits = emit_target_traits(c->plan->target);
	bool whole = traits & TARGET_CONTROLLER, operator = traits & TARGET_OPERATOR, grouped = emit_gang_grouped(j, r);

	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *other = &j->roles[i];
		s.mixed = s.mixed || (other != r && grouped && emit_gang_grouped(j, other) &&
			emit_gang_in(j, emit_gang_group(j, r), other));
		if (other != r && !plan_place_shared(r, other))
			continue;
		bool bare = emit_gang_grouped(j, other), alone = other->unrolled || (!whole && plan_each_replica(j));
		bool each = alone && !bare && !operator;        /* each replica of the role has a template of its own */
		s.n += each ? other->max : 1;
		s.single = s.single || each || other->max == 1;
	}
	s.apart = !whole && !grouped && !r->in_group && s.n > 1;
	return s;
}

static void by_queue(struct checking *c, const struct plan_job *j, const struct plan_role *r)
{
	struct sets s = sets_of(c, j, r);
	bool packed = r->place.kind == PLACE_PACK;
	struct diag *d;

	if (s.mixed) {
		d = not_kept(c, j, r,
			"Kueue treats the pods of all roles as one group, and distinguishes roles only by their shape");
		diag_help(c->diags, d, "use the target 'jobset'");
	} else if (packed || s.n == 1 || (s.n == 2 && s.single && !s.apart)) {
		return;
	} else if (s.apart) {
		struct str why = str_printf(c->arena, "Kueue admits each of the %lld Jobs separately", (long long)s.n);
		d = not_kept(c, j, r, why.p);
		diag_help(c->diags, d, r->unrolled ?
			"let the replicas differ only in the text of 'pod.index', so that they are one Job, or use "
			"gang = \"coscheduling\""
			: "write 'place' in a role, which is about that role alone, or use gang = \"coscheduling\"");
	} else {
		struct str why = str_printf(c->arena,
			"Kueue keeps two sets of pods together if one of them is a single pod, and these are %lld",
			(long long)s.n);
		if (s.n == 2)
			why = STR("Kueue keeps two sets of pods together if one of them is a single pod, and both have "
				"more");
		d = not_kept(c, j, r, why.p);
		diag_help(c->diags, d, "write 'place' in each role, which is about that role alone, or use gang = "
			"\"volcano\" or \"coscheduling\"");
	}
}

/* ---- segments ---- */

static void segments_by_volcano(struct checking *c, const struct plan_job *j, const struct plan_role *r)
{
	const struct plan_segment *s = r->place.segments;
	struct diag *d;

	if (!plan_each_replica(j)) {
		d = not_kept(c, j, r,
			"the pods of one indexed Job have equal labels, by which Volcano tells segments apart");
		diag_help(c->diags, d, "use the target 'pods': --target pods");
	} else if (r->place.nsegments > 1) {
		d = not_kept(c, j, r, "Volcano divides a group into subgroups of one size");
		diag_help(c->diags, d, "keep one place with 'each', or use gang = \"kueue\" and the target 'jobs'");
	} else if (!s->tier) {
		d = not_kept(c, j, r,
			"Volcano places by levels of the project's topology, and this level is not one of them");
		diag_help(c->diags, d, "name a level that 'topology' in project.tj lists");
	} else if (r->place.kind != PLACE_EACH) {
		by_volcano(c, j, r);
	}
}

/*
 * Kueue has segments of several levels from 0.17, behind a gate until 0.19: TJ0809 if the project's Kueue lacks them,
 * TJ0824 if they may be off.
 */
static void several_sizes(struct checking *c, const struct plan_job *j, const struct plan_role *r)
{
	const struct plan_addon *named = &c->plan->addons[ADDON_KUEUE];
	struct span at = check_place(c, r->place.from, r->at, j->name_at);
	struct diag *d;

	if (named->version && named->version < ADDON_VERSION(0, 17)) {
		struct str version = addon_text(c->arena, named->version);
		d = diag_report(c->diags, TJ0809, at, "Kueue %.*s keeps segments of one level only", STR_ARG(version));
		diag_note(c->diags, d, named->at, "the project's Kueue");
		diag_help(c->diags, d, "keep one place with 'each'");
		return;
	}
	if (named->version >= ADDON_VERSION(0, 19))
		return;
	d = diag_report(c->diags, TJ0824, at,
		"segments of several levels are off by default in Kueue before 0.19");
	diag_note(c->diags, d, (struct span){ 0 },
		"it needs Kueue 0.17 and the feature gate TASMultiLayerTopology, or 0.19");
	diag_help(c->diags, d, "if the cluster has it, say so with '# allow TJ0824: reason'; else keep one place with "
		"'each'");
}

static void segments_by_queue(struct checking *c, const struct plan_job *j, const struct plan_role *r)
{
	unsigned traits = emit_target_traits(c->plan->target);
	bool whole = traits & TARGET_CONTROLLER, operator = traits & TARGET_OPERATOR;
	struct diag *d;

	if (emit_gang_grouped(j, r) || (!operator && (r->unrolled || (!whole && plan_each_replica(j))))) {
		d = not_kept(c, j, r, "Kueue counts the pods of one template, and each replica has its own");
		diag_help(c->diags, d, plan_each_replica(j) ? "use the target 'jobs' or 'jobset'" :
			"let the replicas differ only in the text of 'pod.index', so that they are one Job");
	} else if (r->place.nsegments > 1) {
		several_sizes(c, j, r);
	}
}

/* Reports segments that what starts the pods cannot keep. */
static void segments(struct checking *c, const struct plan_job *j, const struct plan_role *r)
{
	enum place_keeper keeper = emit_place_keeper(j, r);

	if (keeper == PLACE_BY_QUEUE) {
		segments_by_queue(c, j, r);
	} else if (keeper == PLACE_BY_VOLCANO) {
		segments_by_volcano(c, j, r);
	} else {
		struct diag *d = not_kept(c, j, r,
			"pods of one template cannot attract each other by a part of their index");
		diag_help(c->diags, d, j->queue.set ? "use gang = \"kueue\", which counts the replicas of a segment" :
			"name a queue of Kueue, which counts the replicas of a segment: queue = \"NAME\" and "
			"gang = \"kueue\"");
	}
}

/* ---- entry point ---- */

/* Does an earlier role share its domain with this one? Then its `place` was checked there. */
static bool is_repeated(const struct plan_job *j, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (plan_place_shared(&j->roles[i], &j->roles[at]))
			return true;
	return false;
}

/* Reports `apart` where the pods have no affinity, or where what starts them does not look at it. */
static void check_apart(struct checking *c, const struct plan_job *j)
{
	for (size_t i = 0; i < j->ncells; i++) {
		const struct plan_cell *cell = &j->cells[i];
		enum gang gang = emit_gang(j);
		if (!cell->apart_key.n || gang == GANG_NONE || gang == GANG_COSCHEDULING)
			continue;
		struct diag *d = diag_report(c->diags, TJ0828, check_place(c, cell->apart.from, cell->at, j->name_at),
			"'apart = \"%.*s\"' cannot be kept: %s chooses the domain of a gang, and does not look at "
			"other copies", STR_ARG(cell->apart.value), gang == GANG_KUEUE ? "Kueue" :
			gang == GANG_VOLCANO ? "Volcano" : "the scheduler of Kubernetes");
		diag_help(c->diags, d, "remove it, or use gang = \"coscheduling\"");
	}
}

void check_places(struct checking *c, const struct plan_job *j)
{
	bool operator = emit_target_traits(c->plan->target) & TARGET_OPERATOR;

	check_apart(c, j);
	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		if (!r->max || r->copy || is_repeated(j, i))
			continue;               /* copies are alike */
		if (r->place.nsegments) {
			if (!operator || emit_place_keeper(j, r) == PLACE_BY_QUEUE)
				segments(c, j, r);
			continue;
		}
		switch (emit_place_keeper(j, r)) {
		case PLACE_BY_NOBODY: case PLACE_BY_PODS: break;
		case PLACE_BY_QUEUE: by_queue(c, j, r); break;
		case PLACE_BY_VOLCANO:
			/* the operator makes the group, and the report about the operator is enough */
			if (!operator)
				by_volcano(c, j, r);
			break;
		case PLACE_BY_GROUP:
			/* native_target() has already refused targets with a controller */
			if (!(emit_target_traits(c->plan->target) & TARGET_CONTROLLER))
				by_group(c, j, r);
			break;
		}
	}
}
