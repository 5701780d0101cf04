/*
 * useless.c - lists the dependents that cannot be used, with the jobs that they name. A user may write a useless object
 * as often as he likes, so lines and Events have a limit for all of them together.
 */
#include "runtime/supervise/useless.h"

#include <stdlib.h>

#include "base/words.h"
#include "runtime/cluster/object_check.h"
#include "runtime/supervise/event.h"
#include "runtime/supervise/log.h"
#include "runtime/supervise/supervised.h"

/* At most SAID_MOST objects are named at once, and then one each second. */
enum { SAID_MOST = 200 };

struct useless {
	struct useless *next;
	const struct metrics_kind *of;  /* the counters of its watch */
	bool run;
	struct str uid, ns, job;
	char texts[];
};

/* ---- naming ---- */

/* May one more object be named? */
static bool may_name(struct controller *c)
{
	int64_t now = loop_now(c->client.loop);
	double more = c->useless_at ? (double)(now - c->useless_at) / 1e9 : SAID_MOST;

	c->useless_at = now;
	c->useless_tokens = c->useless_tokens + more > SAID_MOST ? SAID_MOST : c->useless_tokens + more;
	if (c->useless_tokens < 1) {
		c->useless_unsaid++;
		return false;
	}
	c->useless_tokens -= 1;
	return true;
}

void useless_report(struct controller *c, const struct useless_kind *k, const struct json_skipped *s)
{
	struct buf name = { 0 }, why = { 0 };
	struct arena a = { 0 };

	k->count->skipped++;
	if (!may_name(c))
		return;
	put_skipped_name(&name, k->kind, s);
	put_skipped_why(&why, s);
	if (c->useless_unsaid)
		log_line("warning", STR(""), "%zu more objects cannot be used: see trainc_objects_skipped_total",
			c->useless_unsaid);
	c->useless_unsaid = 0;
	log_line("warning", buf_text(&name), "this object cannot be used: %.*s; its job is left as it is until it "
		"changes", STR_ARG(buf_text(&why)));
	if (s->name.n && s->ns.n && s->uid.n) {
		struct event_about about = { .group = k->group, .version = k->version, .kind = k->kind, .ns = s->ns,
			.name = s->name, .uid = s->uid };
		event_write_about(c, &about, STR("ObjectSkipped"), str_printf(&a,
			"The controller cannot use this object: %.*s. It leaves the job as it is until the object "
			"changes.", STR_ARG(buf_text(&why))), s->version);
	}
	arena_release(&a);
	buf_release(&name);
	buf_release(&why);
}

/* ---- holding ---- */

static struct useless **useless_find(struct controller *c, bool run, struct str uid)
{
	struct useless **at = &c->useless;

	while (*at && !((*at)->run == run && str_eq((*at)->uid, uid)))
		at = &(*at)->next;
	return at;
}

static struct str useless_text(char **at, struct str s)
{
	struct str copy = { *at, s.n };

	memcpy(*at, s.p, s.n);
	*at += s.n;
	return copy;
}

void useless_begin(struct controller *c, const struct useless_kind *k, bool run, const struct json_skipped *s)
{
	struct useless **at = useless_find(c, run, s->uid), *u;

	if (!s->uid.n || !s->label.n || *at)
		return;
	u = *at = memory_resize(NULL, sizeof *u + s->uid.n + s->ns.n + s->label.n);
	*u = (struct useless){ .of = k->count, .run = run };
	char *text = u->texts;
	u->uid = useless_text(&text, s->uid);
	u->ns = useless_text(&text, s->ns);
	u->job = useless_text(&text, s->label);
}

bool useless_end(struct controller *c, struct arena *a, bool run, struct str uid, struct str *ret_ns,
	struct str *ret_job)
{
	struct useless **at = useless_find(c, run, uid), *u = *at;

	if (!u)
		return false;
	*ret_ns = str_copy(a, u->ns);
	*ret_job = str_copy(a, u->job);
	*at = u->next;
	free(u);
	return true;
}

void useless_sweep(struct controller *c, const struct useless_kind *k, bool (*exists)(void *to, struct str uid),
	void (*gone)(void *to, struct str ns, struct str job), void *to)
{
	for (struct useless **at = &c->useless, *u; (u = *at);) {
		if (u->of != k->count || exists(to, u->uid)) {
			at = &u->next;
			continue;
		}
		*at = u->next;
		gone(to, u->ns, u->job);
		free(u);
	}
}

bool useless_holds(const struct supervised *j)
{
	bool run = j->kind == &run_record_kind;
	struct str name = j->name;

	if (run && str_ends(name, STR(RUN_RECORD_SUFFIX)))
		name.n -= sizeof RUN_RECORD_SUFFIX - 1;
	for (const struct useless *u = j->control->useless; u; u = u->next)
		if (u->run == run && str_eq(u->job, name) && str_eq(u->ns, j->ns))
			return true;
	return j->useless;
}

void useless_release(struct controller *c)
{
	for (struct useless *u = c->useless, *next; u; u = next) {
		next = u->next;
		free(u);
	}
	c->useless = NULL;
}
