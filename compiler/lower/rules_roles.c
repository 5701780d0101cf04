/*
 * rules_roles.c - rules about success, start order, restarts and ports.
 */
#include "eval/internal.h"
#include "lower/lower_rules.h"

#include <stdlib.h>

/* ---- success (TJ0517, TJ0518) ---- */

static void success_role(struct job *j, const struct plan_condition *c)
{
	const struct plan_role *r = &j->plan->roles[c->role];
	if (r->unknown)
		return;
	if (r->max == 0) {
		bool own = in_user_text(j->ev, c->from) || !j->node->u.job.blueprint;
		struct diag *d = diag_report(job_diags(j), TJ0517, own ? c->from : j->node->u.job.blueprint->span,
			"the job succeeds when '%.*s' is done, but the job has no '%.*s'", STR_ARG(r->name),
			STR_ARG(r->name));
		if (!own)
			diag_note(job_diags(j), d, c->from, "the success rule");
		diag_help(job_diags(j), d, "give the role a replica, or let 'success' name another role");
	} else if (r->aux && r->restart.set && str_is(r->restart.value, "always") && c->kind == CONDITION_DONE) {
		struct diag *d = diag_report(job_diags(j), TJ0518, c->from,
			"'aux %.*s' always restarts, so it is never done", STR_ARG(r->name));
		diag_note(job_diags(j), d, r->restart.from, "restart = \"always\"");
		diag_help(job_diags(j), d, "name a role that ends, for example 'done(worker)'");
	} else if (r->endless && j->body && span_known(c->from)) {
		struct diag *d = diag_report(job_diags(j), TJ0518, c->from,
			"'%.*s' servers do not finish by themselves", STR_ARG(r->name));
		diag_help(job_diags(j), d, "name a role that ends, for example 'done(worker)'");
	} else if (c->index >= r->max) {
		struct diag *d = diag_report(job_diags(j), TJ0515, c->from,
			"'done(%.*s, %lld)', but there %s %lld replica%s", STR_ARG(r->name),
			(long long)c->index, r->max == 1 ? "is" : "are", (long long)r->max, r->max == 1 ? "" : "s");
		diag_help(job_diags(j), d, "replicas are counted from 0: the last is done(%.*s, %lld)",
			STR_ARG(r->name), (long long)(r->max - 1));
	}
}

static void success_roles(struct job *j, const struct plan_condition *c)
{
	if (condition_joins(c)) {
		success_roles(j, c->left);
		success_roles(j, c->right);
	} else {
		success_role(j, c);
	}
}

/* ---- start order (TJ0516, TJ0526) ---- */

static bool waits_for(const struct plan_job *p, const struct plan_condition *c, unsigned role, bool *seen);

static bool role_waits_for(const struct plan_job *p, unsigned from, unsigned role, bool *seen)
{
	if (seen[from])
		return false;
	seen[from] = true;
	return p->roles[from].start_after && waits_for(p, p->roles[from].start_after, role, seen);
}

static bool waits_for(const struct plan_job *p, const struct plan_condition *c, unsigned role, bool *seen)
{
	if (condition_joins(c))
		return waits_for(p, c->left, role, seen) || waits_for(p, c->right, role, seen);
	return c->role == role || role_waits_for(p, c->role, role, seen);
}

/* Adds notes for the other waits of the cycle through role FIRST, and marks them as reported. */
static void note_cycle(struct job *j, struct diag *d, unsigned first, bool *told)
{
	struct plan_job *p = j->plan;
	for (unsigned k = first + 1; k < p->nroles; k++) {
		const struct plan_condition *c = p->roles[k].start_after;
		bool *there = ARENA_ARRAY(j->ev->arena, bool, p->nroles),
			*back = ARENA_ARRAY(j->ev->arena, bool, p->nroles);
		if (!c || !waits_for(p, c, first, back) || !role_waits_for(p, first, k, there))
			continue;
		diag_note(job_diags(j), d, c->from, "'%.*s' waits here", STR_ARG(p->roles[k].name));
		told[k] = true;
	}
}

/*
 * Reports a start order in a gang. Kueue resumes all Jobs of a workload at once, and other gangs would wait for the
 * very pods that wait for them.
 */
static void report_order_in_gang(struct job *j, const struct plan_role *r)
{
	const struct plan_job *p = j->plan;
	bool queued = str_is(p->gang.value, "kueue"), own = in_user_text(j->ev, r->start_after->from);
	struct span gang = queued && span_known(p->queue.from) ? p->queue.from : p->gang.from,
		wait = r->start_after->from;
	bool both = span_known(p->queue.from) && span_known(p->gang.from) && p->gang.from.start != p->queue.from.start;
	const char *remedy = !queued ? "set gang = \"none\"" :
		both ? "use the target 'jobset', or remove 'gang' and 'queue'" :
	                     span_known(p->queue.from) ? "use the target 'jobset', or remove 'queue'" :
		"use the target 'jobset', or remove 'gang'";
	struct diag *d = diag_report(job_diags(j), TJ0526, own || !span_known(gang) ? wait : gang,
		"'start_after' of role '%.*s' cannot be kept with gang = \"%.*s\"", STR_ARG(r->name),
		STR_ARG(p->gang.value));
	if (!own)
		diag_note(job_diags(j), d, wait, "the framework's rule");
	else if (span_known(gang))
		diag_note(job_diags(j), d, gang, queued ? "the queue resumes all suspended Jobs at once" :
			"nothing starts before the pods of all roles are there");
	if (own)
		diag_help(job_diags(j), d, "remove 'start_after' and let the program wait for its peers, or %s",
			remedy);
	else
		diag_help(job_diags(j), d,
			"write 'start_after = none' in 'role %.*s'%s%.*s%s and let the program wait for its peers, "
			"or %s", STR_ARG(plan_role_inner(r)), r->cell.n ? " of cell '" : "", STR_ARG(r->cell),
			r->cell.n ? "'" : "", remedy);
}

/* Are both roles in one gang? A copy of a cell is a gang by itself, unless its cell starts together with the job. */
static bool of_one_gang(const struct plan_job *p, const struct plan_role *r, const struct plan_role *other)
{
	const struct plan_cell *a = plan_cell_of(p, r), *b = plan_cell_of(p, other);

	a = a && plan_cell_together(a) ? NULL : a;
	b = b && plan_cell_together(b) ? NULL : b;
	return r == other || (a == b && (!a || r->copy == other->copy) && !r->aux && !other->aux);
}

static bool waits_in_gang(const struct plan_job *p, const struct plan_condition *c, const struct plan_role *r,
	bool *seen);

/* Does a role of the gang of X, or of its copy, wait for the gang of R? All of them start together. */
static bool gang_waits(const struct plan_job *p, const struct plan_role *x, const struct plan_role *r, bool *seen)
{
	for (size_t i = 0; i < p->nroles; i++) {
		if (seen[i] || !of_one_gang(p, &p->roles[i], x))
			continue;
		seen[i] = true;
		if (p->roles[i].start_after && waits_in_gang(p, p->roles[i].start_after, r, seen))
			return true;
	}
	return false;
}

static bool waits_in_gang(const struct plan_job *p, const struct plan_condition *c, const struct plan_role *r,
	bool *seen)
{
	if (condition_joins(c))
		return waits_in_gang(p, c->left, r, seen) || waits_in_gang(p, c->right, r, seen);
	const struct plan_role *other = &p->roles[c->role];
	return of_one_gang(p, other, r) || (!seen[c->role] && gang_waits(p, other, r, seen));
}

/*
 * Can the gang of a role not keep its start order? With Kueue, roles in a set have no such gang, because Kueue resumes
 * the set as a whole and the set has its own start order. Other gangs consist of roles that are not auxiliary, and a
 * gang may wait for another one that does not wait for it.
 */
static bool in_gang(struct job *j, const struct plan_role *r)
{
	const struct plan_job *p = j->plan;

	if (str_is(p->gang.value, "kueue"))
		return !r->in_set;
	if (!p->gang.value.n || str_is(p->gang.value, "none") || r->aux)
		return false;
	return !p->ncells || waits_in_gang(p, r->start_after, r, ARENA_ARRAY(j->ev->arena, bool, p->nroles));
}

static bool never_done(const struct plan_role *r)
{
	return r->endless || (r->aux && r->restart.set && str_is(r->restart.value, "always"));
}

/* Reports that a role waits for one without replicas, which never starts. */
static void test_awaited(struct job *j, const struct plan_role *r, const struct plan_condition *c)
{
	if (condition_joins(c)) {
		test_awaited(j, r, c->left);
		test_awaited(j, r, c->right);
		return;
	}
	const struct plan_role *other = &j->plan->roles[c->role];
	if (other->unknown)
		return;
	if (c->kind == CONDITION_DONE && other->max && never_done(other)) {
		struct diag *d = diag_report(job_diags(j), TJ0518, c->from,
			"'%.*s' starts when '%.*s' is done, but '%.*s' never ends", STR_ARG(r->name),
			STR_ARG(other->name), STR_ARG(other->name));
		diag_note(job_diags(j), d, other->aux ? other->restart.from : other->at,
			other->aux ? "restart = \"always\"" : "endless");
		diag_help(job_diags(j), d, "wait until it serves: 'ready(%.*s)'", STR_ARG(other->name));
		return;
	}
	if (other->max || !in_user_text(j->ev, c->from))
		return;
	struct diag *d = diag_report(job_diags(j), TJ0517, c->from,
		"'%.*s' starts after '%.*s', but the job has no '%.*s'", STR_ARG(r->name),
		STR_ARG(other->name), STR_ARG(other->name));
	diag_note(job_diags(j), d, other->replicas_at, "replicas = 0");
	diag_help(job_diags(j), d, "give the role a replica, or let 'start_after' name another role");
}

static void start_order(struct job *j)
{
	struct plan_job *p = j->plan;
	bool *told = ARENA_ARRAY(j->ev->arena, bool, p->nroles);
	for (unsigned i = 0; i < p->nroles; i++) {
		bool *seen = ARENA_ARRAY(j->ev->arena, bool, p->nroles);
		const struct plan_condition *c = p->roles[i].start_after;
		if (!c || told[i] || p->roles[i].copy)
			continue;               /* reported for another role of the same cycle */
		if (p->roles[i].max)
			test_awaited(j, &p->roles[i], c);
		if (waits_for(p, c, i, seen)) {
			struct str text = plan_condition_text(j->ev->arena, p, c);
			struct diag *d = diag_report(job_diags(j), TJ0516, c->from,
				"'%.*s' starts after %.*s, which waits for '%.*s'",
				STR_ARG(p->roles[i].name), STR_ARG(text), STR_ARG(p->roles[i].name));
			note_cycle(j, d, i, told);
			diag_help(job_diags(j), d, "remove one 'start_after'");
		} else if (in_gang(j, &p->roles[i])) {
			report_order_in_gang(j, &p->roles[i]);
		}
	}
}

/* ---- restarts (TJ0524, TJ0527, TJ0528, TJ0521) ---- */

static bool is(struct plan_str s, const char *word) { return s.set && str_is(s.value, word); }

/*
 * Warns about a program that fails each time and starts again without end, because only a timeout would end it. Not if
 * the framework asks for that, or limits the restarts of the whole job itself.
 */
static void endless_restarts(struct job *j, const struct plan_role *r)
{
	struct str limit = STR("backoff_limit");

	if (!is(r->restart, "on-failure") || r->aux || r->endless || !j->plan->success || j->plan->timeout.set ||
		!in_user_text(j->ev, r->restart.from) || data_get(j->plan->arguments, limit))
		return;
	struct diag *d = diag_report(job_diags(j), TJ0545, r->restart.from,
		"if the program of '%.*s' fails each time, it starts again without end", STR_ARG(r->name));
	diag_help(job_diags(j), d, "write retries = 10 in place of it, or a 'timeout' in the job");
}

static void check_restarts(struct job *j, const struct plan_role *r)
{
	bool on_failure = is(r->restart, "on-failure"), always = is(r->restart, "always");
	bool retries = r->retries.set && r->retries.value > 0;
	if ((on_failure || always) && (retries || r->retry_on.set)) {
		struct span at = retries ? r->retries.from : r->retry_on.from;
		struct diag *d = diag_report(job_diags(j), TJ0524, at, "'%s' cannot be kept with restart = \"%.*s\"",
			retries ? "retries" : "retry_on",
			STR_ARG(r->restart.value));
		diag_note(job_diags(j), d, r->restart.from, "the kubelet restarts the container without counting");
		diag_help(job_diags(j), d, "remove one of the two");
	} else if (r->retry_on.set && !retries) {
		struct diag *d = diag_report(job_diags(j), TJ0528, r->retry_on.from,
			"'retry_on' without 'retries' retries nothing");
		diag_help(job_diags(j), d, "set 'retries', for example retries = 3");
	} else {
		endless_restarts(j, r);
	}
	if (r->aux && always && r->max > 1) {
		struct diag *d = diag_report(job_diags(j), TJ0527, r->replicas_at,
			"'aux %.*s' always restarts, so it can have one replica, found %lld",
			STR_ARG(r->name), (long long)r->max);
		diag_note(job_diags(j), d, r->restart.from, "restart = \"always\"");
		diag_help(job_diags(j), d, "write two aux roles, or let it end");
	}
	if (r->elastic && !retries && !on_failure && !always) {
		struct diag *d = diag_report(job_diags(j), TJ0521, r->replicas_at,
			"a lost replica ends this elastic role: retries = 0");
		diag_help(job_diags(j), d, "set 'retries', for example retries = 3");
	}
}

/* ---- ports (TJ0513, TJ0525) ---- */

struct port_use {
	const struct plan_port *port;
	size_t position;                /* index among the ports of the pod */
};

static void collide(struct job *j, const struct plan_role *r, struct port_use a, struct port_use b)
{
	struct diag *d = diag_report(job_diags(j), TJ0513, b.port->from,
		"'%.*s' and '%.*s' of role '%.*s' are both %lld", STR_ARG(a.port->name),
		STR_ARG(b.port->name), STR_ARG(r->name), (long long)b.port->port);
	if (a.port->from.start != b.port->from.start)
		diag_note(job_diags(j), d, a.port->from, "'%.*s' is %lld here", STR_ARG(a.port->name),
			(long long)a.port->port);
	diag_help(job_diags(j), d, "containers of one pod share its address: give one of them another port");
}

/* Compares two ports by number, then by their position. */
static int port_order(const void *a, const void *b)
{
	const struct port_use *x = a, *y = b;
	if (x->port->port != y->port->port)
		return x->port->port < y->port->port ? -1 : 1;
	return x->position < y->position ? -1 : 1;
}

static void ports_of(const struct plan_container *c, struct port_use *uses, size_t *n)
{
	for (size_t i = 0; i < c->nports; i++, (*n)++)
		uses[*n] = (struct port_use){ &c->ports[i], *n };
}

static void role_ports(struct job *j, const struct plan_role *r)
{
	size_t n = 0, most = r->main.nports, first = 0;
	for (size_t i = 0; i < r->nsidecars; i++)
		most += r->sidecars[i].nports;
	struct port_use *uses = ARENA_ARRAY(eval_work(j->ev), struct port_use, most);
	ports_of(&r->main, uses, &n);
	for (size_t i = 0; i < r->nsidecars; i++)
		ports_of(&r->sidecars[i], uses, &n);
	if (n > 1)
		qsort(uses, n, sizeof *uses, port_order);
	for (size_t i = 1; i < n; i++) {
		if (uses[i].port->port == uses[first].port->port)
			collide(j, r, uses[first], uses[i]);
		else
			first = i;
	}
}

static void service(struct job *j, struct role *role, const struct plan_role *r)
{
	struct contribution said;
	bool lost = job_diags(j)->errors &&
		role_first(role, FIELD_PORTS, &said);      /* the error may be in the ports */
	if (!r->service.set || str_is(r->service.value, "none") || r->main.nports || lost)
		return;
	struct diag *d = diag_report(job_diags(j), TJ0525, r->service.from, "role '%.*s' has a service, but no ports",
		STR_ARG(r->name));
	diag_help(job_diags(j), d, "declare them: ports { http = 8000 }");
}

/* ---- the job as a whole (TJ0520, TJ0606, TJ0813, TJ0816) ---- */

static bool framework_may_grow(const struct job *j)
{
	for (size_t i = 0; j->framework && i < j->framework->nroles; i++) {
		const struct type *t = j->framework->roles[i]->replicas;
		if (t && t->refine && t->refine->has_hi && t->refine->hi <= 1)
			continue;
		return true;
	}
	return false;
}

/* Does a replica start several processes: one for each device, or as many as an argument of the framework says? */
static bool several_processes(const struct job *j, const struct plan_role *r)
{
	static const char *const arguments[] = { "nproc", "processes", "slots" };
	if (r->accelerator && r->accelerator->per_pod > 1)
		return true;
	for (size_t i = 0; j->plan->arguments && i < sizeof arguments / sizeof *arguments; i++) {
		const struct data *n = data_get(j->plan->arguments, str_of(arguments[i]));
		if (n && n->kind == DATA_INT && n->u.integer > 1)
			return true;
	}
	return false;
}

static void single_replica(struct job *j)
{
	int64_t sum = 0;
	const struct plan_role *one = NULL;
	for (size_t i = 0; i < j->plan->nroles; i++) {
		const struct plan_role *r = &j->plan->roles[i];
		if (r->unknown)
			return;
		if (r->aux)
			continue;
		sum += r->max;
		one = r->max ? r : one;
	}
	if (sum != 1 || !framework_may_grow(j) || several_processes(j, one))
		return;
	struct span at = in_user_text(j->ev, one->replicas_at) || !j->node->u.job.blueprint ? one->replicas_at :
		j->node->u.job.blueprint->span;
	struct diag *d = diag_report(job_diags(j), TJ0520, at,
		"a cluster of one '%.*s'; distributed start-up is only overhead",
		STR_ARG(one->name));
	diag_help(job_diags(j), d, "set 'replicas', or use a framework for one process");
}

/* Reports a duration that is not a whole number of seconds, as Kubernetes requires. */
static void whole_seconds(struct job *j, const char *field, const struct plan_quantity *q)
{
	int128 second = QUANTITY_UNIT;
	if (!q->set || (q->value.nano >= 0 && q->value.nano % second == 0))
		return;
	struct str text = duration_text(j->ev->arena, q->value);
	struct diag *d = diag_report(job_diags(j), TJ0311, q->from, q->value.nano < 0 ? "%s = %.*s is negative" :
		"%s = %.*s is not a whole number of seconds", field, STR_ARG(text));
	if (q->value.nano > 0)
		diag_help(job_diags(j), d, "write %llds", (long long)(q->value.nano / second + 1));
}

/* Reports a number that is too large for the API server: counts have 32 bits. */
static void count_fits(struct job *j, const char *field, const struct plan_int *n)
{
	if (!n->set || n->value <= INT32_MAX)
		return;
	struct diag *d = diag_report(job_diags(j), TJ0311, n->from, "%s = %lld is outside 0..%d", field,
		(long long)n->value, INT32_MAX);
	diag_help(job_diags(j), d, "Kubernetes counts them in 32 bits");
}

static void seconds_fit(struct job *j, const char *field, const struct plan_quantity *q)
{
	enum { DAY = 24 * 60 * 60 };
	if (!q->set || q->value.nano <= INT32_MAX * QUANTITY_UNIT)
		return;
	struct str text = duration_text(j->ev->arena, q->value);
	struct diag *d = diag_report(job_diags(j), TJ0311, q->from, "%s = %.*s is more than Kubernetes can count",
		field, STR_ARG(text));
	diag_help(job_diags(j), d, "it counts the seconds in 32 bits: at most %dd", INT32_MAX / DAY);
}

/* Checks the durations; false when one is larger than Kubernetes can count. */
static bool check_times(struct job *j)
{
	struct plan_job *p = j->plan;
	const struct plan_role *last = NULL;
	size_t errors = job_diags(j)->errors;
	whole_seconds(j, "timeout", &p->timeout);
	if (p->timeout.set && !p->timeout.value.nano) {
		struct diag *d = diag_report(job_diags(j), TJ0311, p->timeout.from,
			"timeout = 0s ends the job at once");
		diag_help(job_diags(j), d, "remove it for no limit, or write how long the job may run, such as 12h");
	}
	whole_seconds(j, "ttl", &p->ttl);
	seconds_fit(j, "ttl", &p->ttl);
	count_fits(j, "restarts", &p->restarts);
	for (size_t i = 0; i < p->nroles; i++) {
		const struct plan_role *r = &p->roles[i];
		if (r->max && (!last || last->grace.from.start != r->grace.from.start))
			whole_seconds(j, "grace", &r->grace);
		last = r;
	}
	return job_diags(j)->errors == errors;
}

/* Reports a grace period that is longer than the timeout of the job (TJ0816). */
static void short_timeout(struct job *j)
{
	const struct plan_job *p = j->plan;
	for (size_t i = 0; i < p->nroles; i++) {
		const struct plan_role *r = &p->roles[i];
		if (!p->timeout.set || !r->max || !r->grace.set || p->timeout.value.nano >= r->grace.value.nano)
			continue;
		struct str timeout = duration_text(j->ev->arena, p->timeout.value),
			grace = duration_text(j->ev->arena, r->grace.value);
		struct diag *d = diag_report(job_diags(j), TJ0816, p->timeout.from,
			"timeout = %.*s is shorter than grace = %.*s of role '%.*s'",
			STR_ARG(timeout), STR_ARG(grace), STR_ARG(r->name));
		diag_help(job_diags(j), d, "raise 'timeout', or lower 'grace'");
		return;
	}
}

static void queue(struct job *j)
{
	const struct plan_job *p = j->plan;
	if (!p->queue.set || str_is(p->gang.value, "kueue") || str_is(p->gang.value, "volcano"))
		return;
	struct diag *d = diag_report(job_diags(j), TJ0813, p->queue.from, "'queue' is set, but gang = \"%.*s\"",
		STR_ARG(p->gang.value));
	if (span_known(p->gang.from))
		diag_note(job_diags(j), d, p->gang.from, "with this setting, no queue admits jobs");
	diag_help(job_diags(j), d, "set gang = \"kueue\" or \"volcano\", or remove 'queue'");
}

static void counts(struct job *j, const struct plan_role *r)
{
	count_fits(j, "retries", &r->retries);
}

/* Can condition C hold without any replica, because all roles in it may have 0 replicas? */
static bool succeeds_with_none(const struct plan_job *p, const struct plan_condition *c)
{
	if (c->kind != CONDITION_OR && condition_joins(c))      /* copies are alike: what holds of one holds of all */
		return succeeds_with_none(p, c->left) && succeeds_with_none(p, c->right);
	if (c->kind == CONDITION_OR)
		return succeeds_with_none(p, c->left) || succeeds_with_none(p, c->right);
	const struct plan_role *r = &p->roles[c->role];
	return c->kind == CONDITION_DONE && c->index == CONDITION_ALL && r->max && r->min == 0 && !r->unknown;
}

/* Reports a job that runs nothing, or that succeeds even when it has no replicas (TJ0503, TJ0502). */
static void runs_something(struct job *j)
{
	const struct plan_job *p = j->plan;
	const struct plan_role *elastic = NULL;
	size_t replicas = 0;
	for (size_t i = 0; i < p->nroles; i++) {
		const struct plan_role *r = &p->roles[i];
		if (r->unknown || job_diags(j)->errors)        /* the error may be about the role */
			return;
		replicas += !r->aux && r->max;
		elastic = !r->aux && r->max && !r->min ? r : elastic;
	}
	if (!replicas && p->nroles) {
		const struct plan_role *first = &p->roles[0];
		struct span at = in_user_text(j->ev, first->replicas_at) && !first->aux ? first->replicas_at :
			p->name_at;
		struct diag *d = diag_report(job_diags(j), TJ0503, at, "job '%.*s' runs nothing: %s", STR_ARG(p->name),
			first->aux ? "auxiliary roles run beside a job" : "all of its roles have 0 replicas");
		diag_help(job_diags(j), d, first->aux ? "write a 'role' in it: what the job is for" :
			"give one of them a replica");
	} else if (elastic && p->success && succeeds_with_none(p, p->success)) {
		struct diag *d = diag_report(job_diags(j), TJ0502, elastic->replicas_at,
			"job '%.*s' would succeed with 0 replicas of '%.*s', and so even when all of them fail",
			STR_ARG(p->name), STR_ARG(elastic->name));
		diag_help(job_diags(j), d, "write a lower bound of at least 1: replicas = 1:%lld",
			(long long)elastic->max);
	}
}

void rules_roles(struct job *j)
{
	struct plan_job *p = j->plan;
	runs_something(j);
	if (p->success && p->success_written)
		success_roles(j, p->success);
	start_order(j);
	for (size_t i = 0; i < p->nroles; i++) {
		if (p->roles[i].max == 0 || p->roles[i].copy)
			continue;               /* the first copy of a cell stands for all */
		counts(j, &p->roles[i]);
		check_restarts(j, &p->roles[i]);
		role_ports(j, &p->roles[i]);
		service(j, j->roles[i], &p->roles[i]);
	}
	single_replica(j);
	queue(j);
	if (check_times(j))
		short_timeout(j);
}
