/*
 * watch_restart.c - combines reports of several watches, which arrive in any order, about a restart: the record, the
 * old Jobs, the new Jobs. An intermediate state proves nothing.
 */
#include "runtime/cluster/watch_restart.h"

#include "base/words.h"
#include "runtime/status/look.h"

/*
 * LATE_MS: how far one watch may be behind another. PAUSE_MS: the pause before the next pass over a restart that waits.
 * REFUSED_MS: the pause after a refusal, for example by a quota.
 */
enum { LATE_MS = 10000, PAUSE_MS = 1000, REFUSED_MS = 5000 };
#define MS (NS_PER_SECOND / 1000)

/* What tells the last restart from others: the uid of a Job that it has replaced. */
static struct str last_replaced(const struct parent *p) { return p->nreplaced ? p->replaced[0].old : STR(""); }

void watch_restart_open(struct cluster_watch *c)
{
	const struct parent *p = &c->parent;

	c->restart_seen = p->restart.going ? STR("") : last_replaced(p);
}

void watch_restart_renew(struct cluster_watch *c, const struct parent *now)
{
	struct parent *p = &c->parent;

	if (!parent_may_restart(p))
		return;
	p->generation = now->generation;
	p->restart = now->restart;
	p->replaced = now->replaced;
	p->nreplaced = now->nreplaced;
	p->earlier = now->earlier;
	p->nearlier = now->nearlier;
	p->applied = now->applied;
	p->napplied = now->napplied;
	for (size_t i = 0; i < p->napplied; i++)
		p->applied[i].ns = str_copy(c->cluster->arena, p->applied[i].ns);
}

bool watch_restart_keeps(const struct cluster_watch *c, const struct parent *now)
{
	const struct parent *p = &c->parent;

	for (size_t i = 0; i < p->napplied; i++)
		if (str_is(p->applied[i].resource.kind, "Job") && !parent_lists(now, p->applied[i].uid))
			return false;
	return parent_may_restart(p) && parent_may_restart(now);
}

/* Has less than LATE_MS passed since *SINCE? If *SINCE is 0, it is set to the current time. */
static bool still_late(struct cluster_watch *c, int64_t *since)
{
	int64_t now = loop_now(c->cluster->client.loop);

	*since = *since ? *since : now;
	return now < *since + LATE_MS * MS;
}

bool watch_restart_explains(struct cluster_watch *c, struct str uid)
{
	return parent_may_restart(&c->parent) && (parent_lists(&c->parent, uid) || c->parent.restart.going ||
		still_late(c, &c->strange));
}

static bool job_among(const struct status_objects *objects, struct str uid)
{
	for (size_t i = 0; i < objects->n; i++)
		if (str_eq(status_text(objects->at[i], "metadata.uid"), uid))
			return true;
	return false;
}

/* Have all Jobs of the last restart been seen at some time? */
static bool all_seen(struct cluster_watch *c, const struct status_objects *objects)
{
	const struct parent *p = &c->parent;
	bool all = true;

	if (str_eq(last_replaced(p), c->restart_seen))
		return true;
	for (size_t i = 0; i < p->nreplaced; i++)
		all = all && job_among(objects, p->replaced[i].uid);
	if (!all && still_late(c, &c->unseen))
		return false;
	c->restart_seen = last_replaced(p);
	c->unseen = 0;
	return true;
}

void watch_restart_prepare(struct cluster_watch *c, struct status_objects *objects)
{
	const struct parent *p = &c->parent;
	size_t kept = 0;

	objects->restart = p->restart;
	objects->restart.refused = c->restart_refused;
	if (!p->nreplaced || p->restart.going)
		return;
	objects->restart.going = !all_seen(c, objects);
	for (size_t i = 0; i < objects->n; i++) {
		const struct data *o = objects->at[i];
		if (!str_is(status_text(o, "kind"), "Job") || parent_lists(p, status_text(o, "metadata.uid")))
			objects->at[kept++] = o;
	}
	objects->n = kept;
}

/* ---- acting ---- */

static void pass_done(struct restart *r)
{
	struct cluster_watch *c = r->to;
	int64_t pause = r->end == RESTART_FAILED ? REFUSED_MS : PAUSE_MS;

	c->restarting = false;
	c->acting--;
	c->dirty = true;
	c->restart_next = loop_now(c->cluster->client.loop) + pause * MS;
	if (r->end == RESTART_FAILED && r->next && r->next->copy.n && !str_eq(r->next->copy, c->restart_refused))
		c->restart_refused = str_copy(c->cluster->arena, r->next->copy);
	if (r->end == RESTART_FAILED && !c->restart_complained && !c->cluster->interrupted) {
		c->restart_complained = true;
		session_say(c->cluster->session, "run '%.*s' cannot be restarted yet: %.*s",
			STR_ARG(c->watch->name), STR_ARG(r->error));
	}
}

/* A copy of the restart to start that lives as long as the requests for it. */
static const struct status_restart *copy_next(struct arena *a, const struct status_restart *next)
{
	struct status_restart *copy = next ? ARENA_NEW(a, struct status_restart) : NULL;

	if (copy) {
		*copy = *next;
		copy->cause = str_copy(a, next->cause);
		copy->copy = str_copy(a, next->copy);
	}
	return copy;
}

void watch_restart_act(struct cluster_watch *c, const struct attend_step *step, const struct status_objects *objects)
{
	struct loop *l = c->cluster->client.loop;
	struct arena *a = &c->restart_memory;
	int64_t left = c->restart_next - loop_now(l);

	if (c->restarting)
		return;
	left = left > step->patience ? left : step->patience;
	if (left > 0) {
		cluster_watch_wake(c, left);
		return;
	}
	arena_reset(a);
	c->restart = (struct restart){ .calls = c->cluster->client.calls, .arena = a, .ns = c->ns,
		.judged = c->parent, .manager = "trainc-attend", .next = copy_next(a, step->next), .done = pass_done,
		.to = c };
	restart_note_attempts(&c->restart, &c->plan, &step->live, objects);
	c->restarting = true;
	c->acting++;
	restart_start(&c->restart);
}
