/*
 * verify_addons.c - checks objects against the versions of the add-ons that the project names: fields that a version
 * does not have, so that its API server would drop or refuse them, and pairs of versions that together never start an
 * object.
 *
 * An add-on without a version is not checked.
 */
#include "verify/verify.h"

#include "emit/each.h"
#include "kube/addon.h"

static const char queue_label[] = "kueue.x-k8s.io/queue-name";

static struct span last_place(const struct emit *e, const struct manifest *m)
{
	return m->object ? m->object->name_at : e->job->name_at;
}

/* ---- fields ---- */

/*
 * Returns the value at PATH, of lists the first one that is found; NULL if no value is at PATH. *AT is the last
 * known position on the way to it.
 */
static const struct object *value_at(const struct object *o, const char *path, struct span *at)
{
	size_t n = strcspn(path, ".=");
	struct span before;

	if (span_known(o->from))
		*at = o->from;
	if (o->kind == OBJECT_LIST) {
		before = *at;
		for (size_t i = 0; i < o->u.list.n; i++, *at = before) {
			const struct object *found = value_at(o->u.list.at[i], path, at);
			if (found)
				return found;
		}
		return NULL;
	}
	if (!n)
		return *path != '=' || (o->kind == OBJECT_STRING && str_is(o->u.string, path + 1)) ? o : NULL;
	const struct object *next = o->kind == OBJECT_MAP ? object_get(o, (struct str){ path, n }) : NULL;
	return next ? value_at(next, path + n + (path[n] == '.'), at) : NULL;
}

static void report_addon_field(struct checking *c, const struct addon_field *f, struct span at)
{
	const struct plan_addon *named = &c->plan->addons[f->addon];
	const char *title = addon_row(f->addon)->title;
	bool early = named->version < f->since;
	struct str version = addon_text(c->arena, named->version),
		other = addon_text(c->arena, early ? f->since : f->gone);
	struct diag *d = diag_report(c->diags, TJ0809, at, "%s %.*s has no %s in a %s: %s %.*s", title,
		STR_ARG(version), f->path, f->kind, early ? "it came with" : "it ended with", STR_ARG(other));

	diag_note(c->diags, d, named->at, "the project's %s", title);
	if (f->instead)
		diag_help(c->diags, d, "%s", f->instead);
	else if (early)
		diag_help(c->diags, d, "leave it out, or install %s %.*s and write that in 'addons'", title,
			STR_ARG(other));
	else
		diag_help(c->diags, d, "leave it out");
}

static void check_fields(struct checking *c, const struct emit *e, const struct manifest *m, const struct object *o,
	enum addon addon)
{
	const struct addon_field *f;

	for (size_t i = 0; (f = addon_field_at(i)); i++) {
		struct span at = m->from;
		const char *kind = str_starts(str_of(m->kind), STR("Cluster")) ? m->kind + strlen("Cluster") : m->kind;
		if (f->addon != addon || addon_has(f, c->plan->addons[addon].version) || strcmp(f->kind, kind) != 0)
			continue;
		if (value_at(o, f->path, &at))
			report_addon_field(c, f, check_place(c, at, m->from, last_place(e, m)));
	}
}

/* ---- pairs ---- */

static bool is_queued(const struct emit *e, const struct manifest *m, const struct object *o)
{
	const struct object *metadata = object_get(o, STR("metadata"));
	const struct object *labels = metadata ? object_get(metadata, STR("labels")) : NULL;

	return (m->queued && emit_kueue(e->job)) || (labels && object_get(labels, str_of(queue_label)));
}

static void check_pairs_of(struct checking *c, const struct emit *e, const struct manifest *m,
	const struct object *o)
{
	const struct plan_addon *named = c->plan->addons;
	const struct addon_pair *p;

	for (size_t i = 0; (p = addon_pair_at(i)); i++) {
		if (strcmp(p->kind, m->kind) != 0 || !is_queued(e, m, o) ||
			!addon_stuck(p, named[p->queue].version, named[p->runner].version))
			continue;
		struct str queue = addon_text(c->arena, named[p->queue].version),
			runner = named[p->runner].version ? addon_text(c->arena, named[p->runner].version) : STR("");
		struct diag *d = diag_report(c->diags, TJ0829,
			check_place(c, e->job->queue.from, e->job->gang.from, last_place(e, m)),
			"%s %.*s never starts a %s of %s%s%.*s: %s", addon_row(p->queue)->title, STR_ARG(queue),
			p->kind, addon_row(p->runner)->title, runner.n ? " " : "", STR_ARG(runner), p->why);
		diag_note(c->diags, d, named[p->queue].at, "the project's %s", addon_row(p->queue)->title);
		if (named[p->runner].version)
			diag_note(c->diags, d, named[p->runner].at, "the project's %s", addon_row(p->runner)->title);
		diag_help(c->diags, d, "%s", p->advice);
	}
}

/* ---- features that some versions only support in part ---- */

static void check_restart(struct checking *c, const struct plan_job *j)
{
	const struct plan_addon *named = &c->plan->addons[ADDON_JOBSET];

	if (!j->restarts.set || !j->restarts.value || emit_set_blocks(c->plan))
		return;
	struct str version = addon_text(c->arena, named->version);
	struct diag *d = diag_report(c->diags, TJ0810, check_place(c, j->restarts.from, j->name_at, j->name_at),
		"JobSet %.*s begins a restart while pods of the last attempt may still run", STR_ARG(version));
	diag_note(c->diags, d, named->at, "the project's JobSet");
	diag_help(c->diags, d, "install JobSet 0.7 or newer, which waits for them, and write that in 'addons'");
}

static struct str addon_group(const char *api_version)
{
	return (struct str){ api_version, strcspn(api_version, "/") };
}

static bool check_one(struct emit *e, const struct manifest *m, void *context)
{
	struct checking *c = context;
	enum addon addon;

	if (!m->api_version || !addon_of_group(addon_group(m->api_version), &addon))
		return true;
	const struct object *o = m->make(e, m);
	if (c->plan->addons[addon].version)
		check_fields(c, e, m, o, addon);
	check_pairs_of(c, e, m, o);
	return true;
}

/* ---- pod sets: Kueue counts the replicated Jobs of a set ---- */

/* The number of pod sets that a workload of a version may have; an unknown version is the newest one. */
static int64_t most_pod_sets(unsigned kueue)
{
	return !kueue || kueue >= ADDON_VERSION(0, 19) ? 18 : kueue >= ADDON_VERSION(0, 18) ? 10 : 8;
}

/* Reports a cell whose copies are more pod sets than a workload may have. */
static void many_copies(struct checking *c, const struct plan_job *j, int64_t most, int64_t n)
{
	const struct plan_cell *cell = &j->cells[0];

	for (size_t i = 1; i < j->ncells; i++)
		cell = j->cells[i].max > cell->max ? &j->cells[i] : cell;
	struct diag *d = diag_report(c->diags, TJ0829, check_place(c, cell->copies_at, cell->at, j->name_at),
		"Kueue never starts job '%.*s': a workload has at most %lld pod sets, and %lld copies of '%.*s' "
		"make %lld",
		STR_ARG(j->name), (long long)most, (long long)cell->max, STR_ARG(cell->name), (long long)n);
	if (c->plan->addons[ADDON_KUEUE].version)
		diag_note(c->diags, d, c->plan->addons[ADDON_KUEUE].at, "the project's Kueue");
	diag_help(c->diags, d, "use the target 'jobs' or 'pods', where Kueue admits each copy by itself");
}

static void check_pod_sets(struct checking *c, const struct plan_job *j)
{
	const struct plan_addon *named = &c->plan->addons[ADDON_KUEUE];
	const struct plan_role *wide = NULL;    /* the role with the most Jobs */
	int64_t n = 0, most = most_pod_sets(named->version), widest = 1;

	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		int64_t jobs = r->unrolled ? r->max : r->max > 0;
		n += jobs;
		wide = jobs > widest ? r : wide;
		widest = jobs > widest ? jobs : widest;
	}
	if (!emit_kueue(j) || !j->queue.set || n <= most)
		return;
	if (j->ncells) {
		many_copies(c, j, most, n);
		return;
	}
	struct str number = named->version ? addon_text(c->arena, named->version) : STR("");
	struct str version = str_cat(c->arena, number.n ? STR(" ") : STR(""), number, STR(""));
	struct diag *d = diag_report(c->diags, TJ0829, check_place(c, j->queue.from, j->name_at, j->name_at),
		"Kueue%.*s never starts job '%.*s': a workload has at most %lld pod sets, and this one has %lld",
		STR_ARG(version), STR_ARG(j->name), (long long)most, (long long)n);
	if (named->version)
		diag_note(c->diags, d, named->at, "the project's Kueue");
	if (wide && span_known(wide->unrolled_because))
		diag_note(c->diags, d, wide->unrolled_because,
			"this makes the replicas of '%.*s' differ: each is a pod set", STR_ARG(wide->name));
	diag_help(c->diags, d, wide ? "let the replicas of '%.*s' be alike: then they are one pod set" :
		"put roles that are alike into one role%.*s", STR_ARG(wide ? wide->name : STR("")));
}

void check_addons(struct checking *c)
{
	for (size_t i = 0; i < c->plan->njobs && emit_target_traits(c->plan->target) & TARGET_SET; i++)
		check_pod_sets(c, &c->plan->jobs[i]);
	struct emit e = { .plan = c->plan };
	bool named = false;

	for (size_t i = 0; i < ADDONS; i++)
		named |= c->plan->addons[i].version != 0;
	if (!named)
		return;
	emit_each(&e, check_one, c);
	for (size_t i = 0; i < c->plan->njobs && emit_target_traits(c->plan->target) & TARGET_SET; i++)
		check_restart(c, &c->plan->jobs[i]);
}
