/*
 * supervise_jobs.c - keeps the jobs in a hash table by namespace and name; jobs of the same name and different kinds
 * are in one chain.
 */
#include "runtime/supervise/supervise_jobs.h"

#include <stdlib.h>

#include "base/words.h"
#include "runtime/cluster/object_table.h"
#include "runtime/status/look.h"
#include "runtime/supervise/budget.h"
#include "runtime/supervise/supervised.h"
#include "runtime/supervise/tenant.h"

static uint32_t hash_of(struct str ns, struct str name) { return str_hash_stable(ns) * 31 + str_hash_stable(name); }

static void grow_jobs(struct controller *c)
{
	struct supervised **old = c->by_name;
	size_t n = c->slots;

	if (c->njobs < c->slots)
		return;
	c->slots = n ? 2 * n : 64;
	c->by_name = memory_resize(NULL, c->slots * sizeof *c->by_name);
	memset(c->by_name, 0, c->slots * sizeof *c->by_name);
	for (size_t i = 0; i < n; i++)
		for (struct supervised *j = old[i], *next; j; j = next) {
			next = j->next;
			j->next = c->by_name[j->hash & (c->slots - 1)];
			c->by_name[j->hash & (c->slots - 1)] = j;
		}
	free(old);
}

static struct supervised **place_of(struct controller *c, const struct custom_kind *k, struct str ns, struct str name)
{
	uint32_t hash = hash_of(ns, name);
	struct supervised **at = c->slots ? &c->by_name[hash & (c->slots - 1)] : NULL;

	while (at && *at && !((*at)->hash == hash && (*at)->kind == k && str_eq((*at)->ns, ns) &&
	    str_eq((*at)->name, name)))
		at = &(*at)->next;
	return at && *at ? at : NULL;
}

/* Copies S to *AT, moves *AT past the copy, and returns the copy. */
static struct str copy_text(char **at, struct str s)
{
	struct str copy = { *at, s.n };

	memcpy(*at, s.p, s.n);
	*at += s.n;
	return copy;
}

static struct supervised *add_supervised(struct controller *c, const struct custom_kind *k, const struct data *object)
{
	struct str ns = status_text(object, "metadata.namespace"), name = status_text(object, "metadata.name"),
		uid = status_text(object, "metadata.uid"), kind = k == &run_record_kind ? STR("run") : str_of(k->kind);
	struct supervised *j = memory_resize(NULL, sizeof *j + kind.n + ns.n + name.n + uid.n + sizeof " /");
	char *at = j->texts;

	grow_jobs(c);
	*j = (struct supervised){ .control = c, .kind = k };
	copy_text(&at, kind);
	copy_text(&at, STR(" "));
	j->ns = copy_text(&at, ns);
	copy_text(&at, STR("/"));
	j->name = copy_text(&at, name);
	j->label = (struct str){ j->texts, (size_t)(at - j->texts) };
	if (k == &run_record_kind && str_ends(name, STR(RUN_RECORD_SUFFIX)))
		j->label.n -= sizeof RUN_RECORD_SUFFIX - 1;
	j->uid = copy_text(&at, uid);
	j->hash = hash_of(j->ns, j->name);
	j->created = status_time(object, "metadata.creationTimestamp");
	j->tenant = tenant_of(c, ns);
	j->tenant->jobs++;
	queue_item_init(&j->item, &c->queue, &j->tenant->lane, j);
	j->next = c->by_name[j->hash & (c->slots - 1)];
	c->by_name[j->hash & (c->slots - 1)] = j;
	c->njobs++;
	return j;
}

static void take_out(struct controller *c, struct supervised **at)
{
	struct supervised *j = *at;

	*at = j->next;
	c->njobs--;
	if (j->item.busy) {
		j->gone = true;                 /* the pass that is under way frees the job at its end */
	} else {
		queue_drop(&j->item);
		supervised_free(j);
	}
}

/* Keeps the text of the resource if it is WANTED and the namespace has room for it; else the next pass reads it. */
static void keep_text(struct supervised *j, const struct data *object, bool wanted)
{
	struct str version = status_text(object, "metadata.resourceVersion");
	size_t n = version.n < sizeof j->version ? version.n : 0;
	struct buf b = { 0 };

	supervised_print(&b, object);
	j->size = b.n;
	j->oversized = b.n > SUPERVISED_LARGEST && j->kind != &run_record_kind;
	if (j->oversized) {
		b.n = 0;
		supervised_print_outline(&b, object);
	}
	free(j->text);
	j->text = NULL;
	j->ntext = 0;
	budget_weigh(j);
	/* a run's record is always kept: its passes do not read it again */
	if (j->kind == &run_record_kind || (wanted && budget_permits(j->tenant, b.n + BUDGET_JOB))) {
		j->text = memory_resize(NULL, b.n + 1);
		memcpy(j->text, buf_text(&b).p, b.n);
		j->text[b.n] = '\0';
		j->ntext = b.n;
		budget_weigh(j);
	}
	buf_release(&b);
	memcpy(j->version, version.p, n);
	j->version[n] = '\0';
}

/*
 * Must a pass look at the new form of the job? Not if only the status and our annotation changed: such changes are the
 * controller's own writes. A run's record has no generation from the API server, so each of its changes needs a pass.
 */
static bool is_news(const struct supervised *j, const struct data *object)
{
	return !j->version[0] || j->kind == &run_record_kind ||
		status_number(object, "metadata.generation", 0) != j->seen_generation ||
		status_text(object, "metadata.deletionTimestamp").n;
}

void jobs_seen(struct controller *c, const struct custom_kind *k, const struct data *object)
{
	struct str ns = status_text(object, "metadata.namespace"), name = status_text(object, "metadata.name");
	struct supervised **at = place_of(c, k, ns, name), *j;

	if (at && !str_eq((*at)->uid, status_text(object, "metadata.uid"))) {
		take_out(c, at);
		at = NULL;
	}
	j = at ? *at : add_supervised(c, k, object);
	bool news = is_news(j, object) || j->useless;
	int64_t generation = status_number(object, "metadata.generation", 0);
	if (generation != j->seen_generation)           /* the new spec may not fail as the old one did */
		queue_forgive(&j->item);
	j->seen_generation = generation;
	j->useless = false;
	keep_text(j, object, (news && !j->held_at) || (j->text && !j->rests));
	if (news)
		queue_add(&j->item);
}

void jobs_useless(struct controller *c, const struct custom_kind *k, struct str ns, struct str name, struct str uid)
{
	struct supervised **at = place_of(c, k, ns, name);

	if (at && (!uid.n || str_eq((*at)->uid, uid)))
		(*at)->useless = true;
}

void jobs_gone(struct controller *c, const struct custom_kind *k, const struct data *object)
{
	struct supervised **at = place_of(c, k, status_text(object, "metadata.namespace"),
		status_text(object, "metadata.name"));

	if (at && str_eq((*at)->uid, status_text(object, "metadata.uid")))
		take_out(c, at);
}

void jobs_sweep(struct controller *c, const struct custom_kind *k,
	bool (*exists)(void *to, struct str uid, struct str version), void *to)
{
	for (size_t i = 0; i < c->slots; i++)
		for (struct supervised **at = &c->by_name[i]; *at;) {
			if ((*at)->kind == k && !exists(to, (*at)->uid, str_of((*at)->version)))
				take_out(c, at);
			else
				at = &(*at)->next;
		}
}

void jobs_leave(struct controller *c, const struct tenant *t)
{
	for (size_t i = 0; i < c->slots; i++)
		for (struct supervised **at = &c->by_name[i]; *at;) {
			if ((*at)->tenant == t)
				take_out(c, at);
			else
				at = &(*at)->next;
		}
}

void jobs_touch(struct controller *c, struct str ns, struct str name)
{
	uint32_t hash = hash_of(ns, name);

	for (struct supervised *j = c->slots ? c->by_name[hash & (c->slots - 1)] : NULL; j; j = j->next)
		if (j->hash == hash && str_eq(j->ns, ns) && str_eq(j->name, name))
			queue_add(&j->item);
}

void jobs_touch_run(struct controller *c, struct str ns, struct str run)
{
	struct arena a = { 0 };
	struct str record = str_cat(&a, run, STR(RUN_RECORD_SUFFIX), STR(""));
	struct supervised **at = place_of(c, &run_record_kind, ns, record);

	if (at)
		queue_add(&(*at)->item);
	arena_release(&a);
}

void jobs_release(struct controller *c)
{
	for (size_t i = 0; i < c->slots; i++)
		while (c->by_name[i])
			take_out(c, &c->by_name[i]);
	free(c->by_name);
	c->by_name = NULL;
	c->slots = 0;
}

void jobs_dump(const struct controller *c, struct buf *out)
{
	buf_printf(out, "queue: %zu waiting, %zu under way, %s\n", c->queue.depth, c->queue.running,
		c->queue.open ? "open" : "closed");
	for (size_t i = 0; i < c->slots; i++)
		for (const struct supervised *j = c->by_name[i]; j; j = j->next)
			if (j->item.queued || j->item.busy || j->item.failures)
				buf_printf(out, "job: %.*s: %s, %u failures in a row\n", STR_ARG(j->label),
					j->item.busy ? "under way" : j->item.queued ? "waiting"
					: "waiting for its time", j->item.failures);
}
