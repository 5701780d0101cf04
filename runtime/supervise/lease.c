/*
 * lease.c - reads the Lease with GET, then writes it with POST or PUT and the version that was read. When two
 * controllers write at once, the API server refuses one of them.
 */
#include "runtime/supervise/lease.h"

#include <stdlib.h>

#include "base/words.h"
#include "runtime/status/look.h"
#include "runtime/supervise/log.h"

#define ROUND (2 * NS_PER_SECOND)
#define RENEW_WITHIN (10 * NS_PER_SECOND)
enum { DURATION_SECONDS = 15 };

struct lease {
	struct lease_options o;
	struct loop_timer round, limit;
	struct call *call;
	struct call_share share;        /* apart: the Lease is renewed however many other requests wait */
	struct str held_by, renewed;    /* the holder and the time of renewal as last read; the texts are in `seen` */
	int64_t asked, known;           /* by loop_now(): the start of the last read, and the start of the last read
					 * that got an answer */
	struct arena seen;
	int64_t changed;                /* by loop_now(): when the Lease last changed */
	bool held, giving_back, ended;
	void (*done)(void *to);
};

static void ask(struct lease *l);

static struct str path_of(struct arena *a, const struct lease *l, bool object)
{
	return transport_path(a, &(struct transport_place){ .group = STR("coordination.k8s.io"), .version = STR("v1"),
		.plural = STR("leases"), .namespace = l->o.ns, .name = object ? l->o.name : STR("") });
}

static void again(struct lease *l) { loop_timer_set(l->o.client->loop, &l->round, ROUND); }

static void round_fired(struct loop_timer *t) { ask(t->to); }

static void lose(struct lease *l)
{
	l->held = false;
	l->ended = true;
	l->o.lost(l->o.to);
}

static void limit_fired(struct loop_timer *t)
{
	struct lease *l = t->to;

	log_line("error", STR(""), "the Lease %.*s/%.*s could not be renewed in time", STR_ARG(l->o.ns),
		STR_ARG(l->o.name));
	lose(l);
}

/* Notes that the Lease is held for NS nanoseconds from now. */
static void hold(struct lease *l, int64_t ns)
{
	loop_timer_set(l->o.client->loop, &l->limit, ns > 0 ? ns : 0);
	if (l->held)
		return;
	l->held = true;
	log_line("info", STR(""), "holds the Lease %.*s/%.*s as '%.*s'", STR_ARG(l->o.ns), STR_ARG(l->o.name),
		STR_ARG(l->o.identity));
	l->o.gained(l->o.to);
}

/* ---- writing ---- */

static void written(void *to, const struct transport_result *r)
{
	struct lease *l = to;

	l->call = NULL;
	if (l->giving_back) {
		l->done(l->o.to);
		return;
	}
	if (transport_ok(r))
		hold(l, RENEW_WITHIN);
	if (!l->ended)
		again(l);
}

static void put_moment(struct buf *b, const char *name, int64_t ns)
{
	buf_printf(b, ",\"%s\":\"", name);
	put_time(b, ns, 6);
	buf_char(b, '"');
}

/* Writes the Lease with HOLDER as its holder. OLD is the Lease that was read; NULL: the Lease did not exist. */
static void write_lease(struct lease *l, const struct data *old, struct str holder)
{
	bool same = old && str_eq(status_text(old, "spec.holderIdentity"), holder);
	int64_t acquired = same ? status_time(old, "spec.acquireTime") : clock_real();
	int64_t transitions = (old ? status_number(old, "spec.leaseTransitions", 0) : 0) + (old && !same);
	struct arena a = { 0 };
	struct buf b = { 0 };

	buf_z(&b, "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":{\"name\":");
	buf_json(&b, l->o.name);
	if (old) {
		buf_z(&b, ",\"resourceVersion\":");
		buf_json(&b, status_text(old, "metadata.resourceVersion"));
	}
	buf_z(&b, "},\"spec\":{\"holderIdentity\":");
	buf_json(&b, holder);
	buf_printf(&b, ",\"leaseDurationSeconds\":%d,\"leaseTransitions\":%lld", holder.n ? DURATION_SECONDS : 1,
		(long long)transitions);
	put_moment(&b, "acquireTime", acquired ? acquired : clock_real());
	put_moment(&b, "renewTime", clock_real());
	buf_z(&b, "}}");
	struct transport_request r = { .method = old ? TRANSPORT_PUT : TRANSPORT_POST, .kind = TRANSPORT_WRITE,
		.path = path_of(&a, l, old != NULL),
		.body = buf_text(&b), .timeout = 5 * NS_PER_SECOND, .share = &l->share, .done = written,
		.to = l };
	l->call = call_start(l->o.client->calls, &r, CALL_ONCE, NULL);
	buf_release(&b);
	arena_release(&a);
}

/* ---- reading ---- */

/* Notes the Lease that was read; true if its holder has not renewed it within its duration. */
static bool is_free(struct lease *l, const struct data *lease)
{
	struct str holder = status_text(lease, "spec.holderIdentity"), renewed = status_text(lease, "spec.renewTime");
	int64_t now = loop_now(l->o.client->loop),
		seconds = status_number(lease, "spec.leaseDurationSeconds", DURATION_SECONDS);

	if (!str_eq(holder, l->held_by) || !str_eq(renewed, l->renewed)) {
		arena_reset(&l->seen);
		l->held_by = str_copy(&l->seen, holder);
		l->renewed = str_copy(&l->seen, renewed);
		l->changed = now;
	}
	return !holder.n || now - l->changed > seconds * NS_PER_SECOND;
}

/*
 * Has another process that shares the Lease renewed it between the last two reads? Then no other holder takes it within
 * 15 s from the first of these reads.
 */
static bool is_renewed(const struct lease *l, const struct data *lease)
{
	return l->o.shared && l->known && !str_eq(status_text(lease, "spec.renewTime"), l->renewed);
}

static void say_holder(const struct lease *l, struct str holder)
{
	log_line("info", STR(""), "waits for the Lease %.*s/%.*s, which '%.*s' holds", STR_ARG(l->o.ns),
		STR_ARG(l->o.name), STR_ARG(holder));
}

static void judge_lease(struct lease *l, const struct data *lease)
{
	struct str holder = status_text(lease, "spec.holderIdentity");
	bool ours = str_eq(holder, l->o.identity), other = !str_eq(holder, l->held_by),
		renewed = is_renewed(l, lease), free = is_free(l, lease);
	int64_t before = l->known;

	l->known = l->asked;
	if (l->giving_back && ours)
		write_lease(l, lease, STR(""));
	else if (l->giving_back)
		l->done(l->o.to);
	else if (l->held && !ours)
		lose(l);
	else if ((ours && !renewed) || free)
		write_lease(l, lease, l->o.identity);
	else
		again(l);
	if (l->giving_back || l->ended || free)
		return;
	if (ours && renewed)
		hold(l, before + RENEW_WITHIN - loop_now(l->o.client->loop));
	else if (!ours && other)
		say_holder(l, holder);
}

static void read_done(void *to, const struct transport_result *r)
{
	struct lease *l = to;

	l->call = NULL;
	if (r->tree) {
		judge_lease(l, r->tree);
	} else if (l->giving_back) {
		l->done(l->o.to);
	} else if (r->code == 404) {
		write_lease(l, NULL, l->o.identity);
	} else {
		log_line("warning", STR(""), "%.*s", STR_ARG(r->error));
		again(l);
	}
}

static void ask(struct lease *l)
{
	struct arena a = { 0 };
	struct transport_request r = { .path = path_of(&a, l, true), .timeout = 5 * NS_PER_SECOND, .share = &l->share,
		.done = read_done, .to = l };

	l->asked = loop_now(l->o.client->loop);
	l->call = call_start(l->o.client->calls, &r, CALL_ONCE, NULL);
	arena_release(&a);
}

/* ---- functions for the caller ---- */

struct lease *lease_start(const struct lease_options *o)
{
	struct lease *l = memory_resize(NULL, sizeof *l);

	*l = (struct lease){ .o = *o, .share.apart = true, .round = { .fire = round_fired, .to = l },
		.limit = { .fire = limit_fired, .to = l } };
	ask(l);
	return l;
}

void lease_give_back(struct lease *l, void (*done)(void *to))
{
	if (l->giving_back)
		return;
	bool held = l->held;
	l->giving_back = true;
	l->done = done;
	l->held = false;
	loop_timer_drop(l->o.client->loop, &l->round);
	loop_timer_drop(l->o.client->loop, &l->limit);
	if (l->call)
		call_cancel(l->call);
	l->call = NULL;
	if (held)
		ask(l);
	else
		done(l->o.to);
}

void lease_stop(struct lease *l)
{
	if (!l)
		return;
	loop_timer_drop(l->o.client->loop, &l->round);
	loop_timer_drop(l->o.client->loop, &l->limit);
	if (l->call)
		call_cancel(l->call);
	arena_release(&l->seen);
	free(l);
}

bool lease_held(const struct lease *l) { return l->held; }
