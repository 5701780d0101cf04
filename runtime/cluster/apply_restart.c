/*
 * apply_restart.c - how `apply` treats restarts of the whole run, or of copies of its cells: it records the Jobs that
 * an attendant creates again in a restart, and leaves alone a run that is being restarted.
 */
#include "runtime/cluster/apply.h"
#include "runtime/cluster/restart.h"
#include "runtime/cluster/vouch.h"
#include "runtime/status/look.h"

/* Can a restart, of the whole run or of a copy of a cell, have to create the Job again? */
static bool is_restarted(const struct applying *p, const struct wanted *w)
{
	const struct plan_job *j = p->job;
	struct str cell = status_label(w->tree, "trainc.dev/cell");
	bool any = j->restarts.set && j->restarts.value > 0;

	for (size_t i = 0; i < j->ncells && cell.n && !any; i++)
		any = j->cells[i].restarts && str_eq(cell, plan_label(p->arena, j->cells[i].name));
	return any;
}

/*
 * The Job as a restart creates it. A run that restarts has been resumed, whether the program or --parallel had
 * suspended it, so that its Jobs only wait again if a role before them or a queue starts them.
 */
static struct str restarted_body(const struct applying *p, const struct wanted *w)
{
	struct data *suspend = wanted_value(w, "spec.suspend");
	bool resumed = suspend && suspend->kind == DATA_BOOL && suspend->u.boolean &&
		!str_is(p->job->gang.value, "kueue") && !status_label(w->tree, "kueue.x-k8s.io/queue-name").n &&
		!status_annotation(w->tree, "trainc.dev/start-after").n;

	if (!resumed)
		return wanted_body(p->arena, w);
	suspend->u.boolean = false;
	struct str body = wanted_body(p->arena, w);
	suspend->u.boolean = true;
	return body;
}

void apply_set_restarts(struct applying *p)
{
	struct buf b = { 0 };

	if (p->job->controller || plan_each_replica(p->job))
		return;
	for (size_t i = 0; i < p->wanted.n; i++) {
		const struct wanted *w = &p->wanted.at[i];
		if (!str_is(w->from->kind, "Job") || !is_restarted(p, w))
			continue;
		buf_char(&b, b.n ? ',' : '[');
		buf_str(&b, restarted_body(p, w));
	}
	if (!b.n)
		return;
	buf_char(&b, ']');
	p->jobs_bytes = b.n;
	p->jobs = b.n <= RESTART_JOBS_MOST ? buf_take(&b, p->arena) : STR("");
	p->jobs_digest = vouch_jobs_digest(p->arena, p->jobs);
	buf_release(&b);
}

int64_t apply_restarts(const struct applying *p) { return p->jobs.n ? p->job->restarts.value : 0; }

bool apply_keeps_restarts(const struct applying *p)
{
	return apply_restarts(p) == p->before.restart.most && (p->jobs.n > 0) == p->before.restart.copies;
}

bool apply_restart_under_way(struct applying *p)
{
	const struct parent *before = &p->before;

	if (!before->restart.going || p->rerun)
		return false;
	if (str_eq(before->hash, p->wanted.hash) && !p->refresh && apply_keeps_restarts(p) &&
		apply_wants_controller(p) == parent_is_left(before)) {
		apply_tell(p, str_cat(p->arena, STR("run/"), p->job->name, STR("")), "unchanged");
		p->wait = true;
		return true;
	}
	struct str what = before->restart.copy.n ? str_cat(p->arena, STR("copy "), before->restart.copy, STR(" of"))
		: STR("the whole");
	session_say(p->session, "%.*s run '%.*s' is being restarted, and cannot be changed meanwhile; apply it "
		"when it runs again ('trainc wait %.*s --for=running'), or with --rerun", STR_ARG(what),
		STR_ARG(p->job->name), STR_ARG(p->job->name));
	p->status = STATUS_CONFLICT;
	return true;
}
