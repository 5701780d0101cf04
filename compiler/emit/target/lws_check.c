/*
 * lws_check.c - reports what a LeaderWorkerSet (lws.c) cannot express. It has one template for the leader of each group
 * and one for all others, starts all groups at once, and restarts pods and groups without limit.
 */
#include "emit/each.h"
#include "emit/emit_check.h"

struct group_check {
	struct checking *c;
	const struct plan_job *job;
	const struct plan_cell *cell;
	const struct plan_role *roles[2];
	size_t n;
};

static struct span group_place(const struct group_check *g, struct span at)
{
	return check_place(g->c, at, g->cell->at, g->job->name_at);
}

static struct str role_inner(const struct plan_role *r) { return plan_role_inner(r); }

/* ---- the job ---- */

static void report_job_field(struct checking *c, const struct plan_job *j, const char *field, struct span at)
{
	struct diag *d = diag_report(c->diags, TJ0818, check_place(c, at, j->name_at, j->name_at),
		"a LeaderWorkerSet has no place for '%s': its pods run until somebody deletes it", field);

	diag_help(c->diags, d, "remove '%s', or use the target 'jobs'", field);
}

/* Reports fields about the end of the job: nothing ends a LeaderWorkerSet. */
static void check_job_fields(struct checking *c, const struct plan_job *j)
{
	bool alone = true;

	for (size_t i = 0; i < j->nroles; i++)
		alone = alone && (j->roles[i].cell.n || !j->roles[i].max);
	if (j->timeout.set)
		report_job_field(c, j, "timeout", j->timeout.from);
	if (j->ttl.set)
		report_job_field(c, j, "ttl", j->ttl.from);
	if (j->restarts.set && j->restarts.value)
		report_job_field(c, j, "restarts", j->restarts.from);
	if (j->suspend.set && j->suspend.value)
		report_job_field(c, j, "suspend", j->suspend.from);
	if (j->clean.set && (alone || str_is(j->clean.value, "all")))
		report_job_field(c, j, "clean", j->clean.from);
	if (j->hosts == HOSTS_SUBDOMAIN)
		return;
	struct diag *d = diag_report(c->diags, TJ0818, check_place(c, j->name_at, j->name_at, j->name_at),
		"the pods of a LeaderWorkerSet have one Service for each cell, not one of their own");
	diag_help(c->diags, d, "remove 'hosts' from the project or the framework");
}

/* Warns that the pods of the cell outlive the job. */
static void check_job_end(const struct group_check *g)
{
	if (!g->job->success)
		return;
	struct diag *d = diag_report(g->c->diags, TJ0810, group_place(g, g->job->success->from),
		"when the job has succeeded, the copies of '%.*s' go on: a LeaderWorkerSet has no end",
		STR_ARG(g->cell->name));
	diag_help(g->c->diags, d, "'trainc delete' removes them; the target 'jobs' stops them by itself");
}

/* ---- the cell ---- */

/* Reports roles that do not fit: there is one leader, and then pods that are all alike. */
static bool check_shape(const struct group_check *g)
{
	struct diag *d;

	if (g->n > 2) {
		d = diag_report(g->c->diags, TJ0818, group_place(g, g->cell->at),
			"a LeaderWorkerSet has a leader and workers, and cell '%.*s' has %zu roles",
			STR_ARG(g->cell->name), g->n);
		diag_help(g->c->diags, d, "join roles into one whose pods differ by 'pod.rank', or use the target "
			"'jobs'");
		return false;
	}
	if (g->n < 2 || g->roles[0]->max == 1)
		return true;
	d = diag_report(g->c->diags, TJ0818, group_place(g, g->roles[0]->replicas_at),
		"a LeaderWorkerSet has one leader, and the first role '%.*s' has %lld replicas",
		STR_ARG(role_inner(g->roles[0])), (long long)g->roles[0]->max);
	diag_help(g->c->diags, d, "write the role with one replica first, or use the target 'jobs'");
	return false;
}

static void check_cell_end(const struct group_check *g)
{
	if (!g->cell->success)
		return;
	struct diag *d = diag_report(g->c->diags, TJ0818, group_place(g, g->cell->success->from),
		"pods of a LeaderWorkerSet start again when they end, and cell '%.*s' waits for their end",
		STR_ARG(g->cell->name));
	diag_help(g->c->diags, d, "write success = none in the cell if its copies never end, or use the target 'jobs'");
}

/* Do the pods of all roles restart by themselves, as the program says? */
static bool pods_restart(const struct group_check *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (!plan_role_restarts(g->roles[i]))
			return false;
	return true;
}

static void check_restarts(const struct group_check *g)
{
	const struct plan_cell *cell = g->cell;
	struct span at = group_place(g, cell->restarts_at);
	struct diag *d;

	if (cell->restarts > 0) {
		d = diag_report(g->c->diags, TJ0810, at,
			"a LeaderWorkerSet restarts a copy without limit, not %lld times", (long long)cell->restarts);
		diag_help(g->c->diags, d, "remove it, or use the target 'jobs'");
	} else if (cell->restarts == 0 && !pods_restart(g)) {
		d = diag_report(g->c->diags, TJ0810, at,
			"a LeaderWorkerSet restarts a pod that fails, alone and without limit");
		diag_help(g->c->diags, d,
			"without 'restarts = 0' its whole copy restarts; with the target 'jobs' the copy is lost");
	}
}

static void check_starts(const struct group_check *g)
{
	if (!g->cell->starts.set || !plan_cell_together(g->cell))
		return;
	struct diag *d = diag_report(g->c->diags, TJ0818, group_place(g, g->cell->starts.from),
		"each copy of a LeaderWorkerSet starts by itself");
	diag_help(g->c->diags, d, "write starts = \"each\", or use the target 'jobs' or 'jobset'");
}

static bool needs_match(const struct group_check *g)
{
	bool needs = false;

	for (size_t i = 0; i < g->n; i++) {
		const struct plan_role *r = g->roles[i];
		bool placed = emit_place_keeper(g->job, r) == PLACE_BY_PODS || g->cell->apart_key.n;
		needs = needs || r->spread.set || (placed && !emit_group_exclusive(g->job, r));
	}
	return needs;
}

static void check_affinity(const struct group_check *g)
{
	unsigned minor = g->c->plan->kubernetes;

	if (kube_has(minor, KUBE_MATCH_LABEL_KEYS) || !needs_match(g))
		return;
	struct span at = g->cell->apart_key.n ? g->cell->apart.from : g->roles[0]->place.from;
	at = group_place(g, span_known(at) ? at : g->roles[0]->spread.from);
	struct diag *d = diag_report(g->c->diags, TJ0809, at,
		"a place of each copy of '%.*s' needs %s of Kubernetes 1.%u; the project targets 1.%u",
		STR_ARG(g->cell->name), kube_words(KUBE_MATCH_LABEL_KEYS), kube_usable_from(KUBE_MATCH_LABEL_KEYS),
		minor);
	diag_help(g->c->diags, d, "write 'place = near(LEVEL)' and 'apart = LEVEL' with one level, or use the target "
		"'jobs'");
}

/* ---- roles ---- */

/* Is it ready(first role of the own copy)? */
static bool waits_for_leader(const struct group_check *g, const struct plan_condition *c)
{
	return g->n > 1 && c->kind == CONDITION_READY && c->index != CONDITION_ANY &&
		&g->job->roles[c->role] == g->roles[0];
}

static void check_start(const struct group_check *g, const struct plan_role *r)
{
	if (!r->start_after || (r != g->roles[0] && waits_for_leader(g, r->start_after)))
		return;
	struct str text = plan_condition_text(g->c->arena, g->job, r->start_after);
	struct diag *d = diag_report(g->c->diags, TJ0818, group_place(g, r->start_after->from),
		"a LeaderWorkerSet cannot wait for '%.*s'", STR_ARG(text));
	if (g->n > 1)
		diag_help(g->c->diags, d, "only its second role may wait: 'start_after = ready(%.*s)'; or let the "
			"program wait, or use the target 'jobs'", STR_ARG(role_inner(g->roles[0])));
	else
		diag_help(g->c->diags, d, "let the program wait, or use the target 'jobs'");
}

static void report_role_field(const struct group_check *g, const struct plan_role *r, const char *field, struct span at)
{
	struct diag *d = diag_report(g->c->diags, TJ0818, group_place(g, at),
		"a LeaderWorkerSet has no place for '%s' of role '%.*s'", field, STR_ARG(role_inner(r)));

	diag_help(g->c->diags, d, "remove it, or use the target 'jobs'");
}

/* Reports rules about failures of single pods: the controller has one rule for the whole group. */
static void check_failures(const struct group_check *g, const struct plan_role *r)
{
	if (r->elastic)
		report_role_field(g, r, "replicas as a range", r->replicas_at);
	if (r->retries.set && r->retries.value)
		report_role_field(g, r, "retries", r->retries.from);
	if (r->retry_on.set)
		report_role_field(g, r, "retry_on", r->retry_on.from);
	if (r->on_failed_pod.set)
		report_role_field(g, r, "on_failed_pod", r->on_failed_pod.from);
	if (!r->restart.set || !plan_role_restarts(r) || !g->cell->restarts)
		return;
	struct diag *d = diag_report(g->c->diags, TJ0810, group_place(g, r->restart.from),
		"a container of '%.*s' that restarts makes a LeaderWorkerSet restart the whole copy",
		STR_ARG(role_inner(r)));
	diag_help(g->c->diags, d, "write restarts = 0 in the cell: then a pod restarts alone");
}

static void check_group_raw(const struct group_check *g, const struct plan_role *r)
{
	static const char *const keys[] = { "hostname", "subdomain", "restartPolicy" };

	if (r->raw_job)
		report_role_field(g, r, "raw job", r->raw_job->from);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
		const struct data *value = data_get(r->raw_pod, str_of(keys[i]));
		if (!value)
			continue;
		struct diag *d = diag_report(g->c->diags, TJ0818, group_place(g, value->from),
			"the controller of a LeaderWorkerSet sets '%s' itself", keys[i]);
		diag_help(g->c->diags, d, "remove it");
	}
}

/* ---- texts ---- */

static struct str expected_leader(const struct group_check *g, const struct plan_role *r)
{
	struct buf name = { 0 };
	const struct plan_role *leader = r;

	for (size_t i = 0; i < g->job->nroles; i++) {
		const struct plan_role *other = &g->job->roles[i];
		leader = plan_same_copy(other, r) && other->max && !other->before ? other : leader;
	}
	plan_host(g->job, leader, 0, &name);
	struct str s = buf_take(&name, g->c->arena);
	buf_release(&name);
	return s;
}

/* The text that the controller gives a variable in replica I of a role. */
static struct str controller_text(const struct group_check *g, const struct plan_role *r, int64_t i, size_t variable)
{
	int64_t size = g->roles[0]->max + (g->n > 1 ? g->roles[1]->max : 0);

	return variable == 0 ? expected_leader(g, r) : str_int(g->c->arena, variable == 1 ? size : r->before + i);
}

/* Reports a variable that the program sets to something else than the controller, which replaces it. */
static bool check_variables(const struct group_check *g, const struct plan_role *r, int64_t i)
{
	struct env_values env = plan_env(g->c->arena, g->job, r, &r->main, i, &placement_cluster);

	for (size_t k = 0; k < env.n; k++)
		for (size_t v = 0; emit_group_variable(v); v++) {
			const struct env_value *e = &env.at[k];
			if (!str_is(e->name, emit_group_variable(v)))
				continue;
			struct str wanted = controller_text(g, r, i, v);
			if (e->whole && (str_eq(e->value, wanted) || (v == 0 &&
			    str_eq(e->value, str_printf(g->c->arena, "%.*s.%.*s", STR_ARG(wanted),
			    STR_ARG(plan_namespace(g->job)))))))
				continue;
			struct diag *d = diag_report(g->c->diags, TJ0818, group_place(g, e->from->from),
				"the controller of a LeaderWorkerSet sets %.*s itself, to '%.*s' in %.*s %lld",
				STR_ARG(e->name), STR_ARG(wanted), STR_ARG(role_inner(r)), (long long)i);
			diag_help(g->c->diags, d, "remove it, or give it another name");
			return false;
		}
	return true;
}

static void check_all_variables(const struct group_check *g)
{
	const struct plan_job *j = g->job;

	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		if (!str_eq(r->cell, g->cell->name) || r->copy > 1)
			continue;               /* texts of further copies have the form of these */
		for (int64_t k = 0; k < r->max; k++)
			if (!check_variables(g, r, k))
				return;
	}
}

static void check_texts(const struct group_check *g, const struct plan_role *r)
{
	struct plan_role made;
	struct group_conflict why;

	if (emit_group_role(g->c->arena, g->job, r, &made, &why))
		return;
	if (!why.computed) {
		struct diag *d = diag_report(g->c->diags, TJ0818, group_place(g, why.at),
			"the pods of a LeaderWorkerSet have one template: %s of '%.*s' must be the same in all of them",
			why.what, STR_ARG(role_inner(r)));
		diag_help(g->c->diags, d, "let the program choose by 'pod.copy' or 'pod.rank' in a variable, or use "
			"the target 'jobs'");
		return;
	}
	struct diag *d = diag_report(g->c->diags, TJ0818, group_place(g, why.at),
		"the pods of a LeaderWorkerSet have one template: a text of '%.*s' may contain 'pod.copy' and "
		"'pod.rank', but nothing that is computed from them", STR_ARG(role_inner(r)));
	diag_help(g->c->diags, d, "insert them unchanged and let the program compute, or use the target 'jobs'");
}

/* Reports a claim that only one of the two roles has: the controller makes the claims of a set for all its pods. */
static void check_claims(const struct group_check *g)
{
	struct plan_volumes all[2] = { { 0 } };

	for (size_t i = 0; i < g->n; i++)
		all[i] = emit_kept_claims(g->c->arena, g->roles[i]);
	for (size_t i = 0; g->n > 1 && i < 2; i++)
		for (size_t k = 0; k < all[i].n; k++) {
			const struct plan_volume *v = all[i].at[k];
			bool found = false;
			for (size_t x = 0; x < all[!i].n; x++)
				found = found || (str_eq(all[!i].at[x]->name, v->name) &&
					all[!i].at[x]->size.nano == v->size.nano &&
					str_eq(all[!i].at[x]->class, v->class));
			if (found)
				continue;
			struct diag *d = diag_report(g->c->diags, TJ0818, group_place(g, v->from),
				"a LeaderWorkerSet makes the claim '%.*s' for all its pods, and '%.*s' does not mount "
				"it", STR_ARG(v->name), STR_ARG(role_inner(g->roles[!i])));
			diag_help(g->c->diags, d, "mount the same claim in both roles, or write it without "
				"'keep = true'");
		}
}

static void check_cell(struct checking *c, const struct plan_job *j, const struct plan_cell *cell)
{
	struct group_check g = { .c = c, .job = j, .cell = cell };

	g.n = emit_group_roles(j, cell, g.roles, 2);
	if (!g.n || !check_shape(&g))
		return;
	check_cell_end(&g);
	check_job_end(&g);
	check_restarts(&g);
	check_starts(&g);
	check_affinity(&g);
	check_claims(&g);
	check_all_variables(&g);
	for (size_t i = 0; i < g.n; i++) {
		check_start(&g, g.roles[i]);
		check_failures(&g, g.roles[i]);
		check_group_raw(&g, g.roles[i]);
		check_texts(&g, g.roles[i]);
	}
}

void target_check_lws(struct checking *c, const struct plan_job *j)
{
	if (!j->ncells)
		return;
	check_job_fields(c, j);
	for (size_t i = 0; i < j->ncells; i++)
		check_cell(c, j, &j->cells[i]);
}
