/*
 * fuzz_watch.c - runs a watch against a model of a server, which changes objects, makes them useless, forgets versions,
 * repeats events, garbles bytes and cuts connections. The watch's reports are consistent at every moment, and at the
 * end they agree with the server.
 *
 * The functions of the transport, the calls and the loop that a watch uses are the model's own, in virtual time.
 */
#include <stdlib.h>

#include "runtime/cluster/object_watch.h"

enum { NAMES = 6, HISTORY = 512, CONNECTIONS = 8, TIMERS = 8 };

struct thing {
	bool present, useless;
	unsigned uid, version;
};

struct change {
	char type;                      /* 'A' (added), 'M' (modified) or 'D' (deleted) */
	bool useless;
	unsigned name, uid, version;
};

/* A request of the watch, as the server sees it. */
struct call {
	bool used, list, over;
	struct transport_request r;
	struct buf bytes;               /* bytes of the response, some of them not delivered yet */
	size_t at;
	unsigned next;                  /* index of the next event of the history to send; UINT_MAX: none */
	int code;
	bool closing;                   /* the call ends when everything has been delivered */
};

static struct world {
	struct thing things[NAMES];
	struct change history[HISTORY];
	unsigned nhistory, forgotten;   /* versions up to `forgotten` are too old to continue from */
	unsigned version, uids;
	bool streaming;                 /* the server has streaming lists */
	struct call calls[CONNECTIONS];
	struct loop_timer *timers[TIMERS];
	/* the view of the objects that the watch has reported */
	struct { bool held, useless; unsigned version; } view[4096];
	bool synced, failed;
} w;

/* ---- replacements for the functions that the watch calls ---- */

struct transport *calls_transport(const struct calls *c) { (void)c; return NULL; }
struct loop *transport_loop(const struct transport *t) { (void)t; return NULL; }

int64_t loop_now(struct loop *l) { (void)l; return 0; }
struct str transport_host(const struct transport *t) { (void)t; return STR("model:6443"); }

enum call_class call_class(const struct transport_result *r) { return r->code == 410 ? CALL_GONE : CALL_DONE; }

void loop_timer_set(struct loop *l, struct loop_timer *t, int64_t ns)
{
	(void)l; (void)ns;
	if (t->slot)
		return;
	for (size_t i = 0; i < TIMERS; i++)
		if (!w.timers[i]) {
			w.timers[i] = t;
			t->slot = i + 1;
			return;
		}
	abort();
}

void loop_timer_drop(struct loop *l, struct loop_timer *t)
{
	(void)l;
	if (t->slot)
		w.timers[t->slot - 1] = NULL;
	t->slot = 0;
}

static struct str query(const struct transport_request *r, const char *name)
{
	for (size_t i = 0; i < r->nquery; i++)
		if (str_is(r->query[i].name, name))
			return r->query[i].value;
	return (struct str){ 0 };
}

static void put_thing(struct buf *b, unsigned name, unsigned uid, unsigned version, bool useless)
{
	static const char *const ways[] = { "\"z\":1e400", "\"z\":{\"a\":1,\"a\":2}", "\"z\":\"\\x\"", "\"kind\":5" };

	buf_printf(b, "{%s%s\"metadata\":{\"name\":\"n%u\",\"uid\":\"%u\",\"resourceVersion\":\"%u\"}}",
		useless ? ways[version % 4] : "", useless ? "," : "", name, uid, version);
}

static void put_event(struct buf *b, const struct change *c)
{
	buf_printf(b, "{\"type\":\"%s\",\"object\":",
		c->type == 'A' ? "ADDED" : c->type == 'M' ? "MODIFIED" : "DELETED");
	put_thing(b, c->name, c->uid, c->version, c->useless);
	buf_z(b, "}\n");
}

static unsigned number(struct str s)
{
	unsigned n = 0;

	for (size_t i = 0; i < s.n; i++)
		n = 10 * n + (unsigned)(s.p[i] - '0');
	return n;
}

/* Answers with a page of two objects, whose token is "NAME.VERSION". */
static void answer_list(struct call *c, struct str token)
{
	const char *dot = token.n ? memchr(token.p, '.', token.n) : NULL;
	unsigned from = dot ? number((struct str){ token.p, (size_t)(dot - token.p) }) : 0, given = 0;

	/*
	 * Pages of one list must show the same snapshot. The model keeps no snapshots, so any change between two pages
	 * makes the token expire.
	 */
	if (dot && number((struct str){ dot + 1, (size_t)(token.p + token.n - dot - 1) }) != w.version) {
		c->code = 410;
		c->closing = true;
		return;
	}
	buf_printf(&c->bytes, "{\"items\":[");
	for (; from < NAMES && given < 2; from++)
		if (w.things[from].present) {
			buf_z(&c->bytes, given++ ? "," : "");
			put_thing(&c->bytes, from, w.things[from].uid, w.things[from].version,
				w.things[from].useless);
		}
	buf_printf(&c->bytes, "],\"metadata\":{\"resourceVersion\":\"%u\"", w.version);
	if (from < NAMES)
		buf_printf(&c->bytes, ",\"continue\":\"%u.%u\"", from, w.version);
	buf_z(&c->bytes, "}}");
	c->closing = true;
}

static void answer_watch(struct call *c, struct str version)
{
	if (query(&c->r, "sendInitialEvents").n && !w.streaming) {
		c->code = 422;
		c->closing = true;
	} else if (query(&c->r, "sendInitialEvents").n) {
		for (unsigned i = 0; i < NAMES; i++)
			if (w.things[i].present)
				put_event(&c->bytes, &(struct change){ 'A', w.things[i].useless, i, w.things[i].uid,
					w.things[i].version });
		buf_printf(&c->bytes, "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"%u\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}\n",
		           w.version);
		c->next = w.nhistory;
	} else if (number(version) < w.forgotten) {
		if (number(version) & 1) {
			c->code = 410;
		} else {
			buf_z(&c->bytes, "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"code\":410,\"reason\":\"Expired\"}}\n");
		}
		c->closing = true;
	} else {
		for (c->next = 0; c->next < w.nhistory && w.history[c->next].version <= number(version); c->next++)
			;
	}
}

struct call *call_start(struct calls *all, const struct transport_request *r, enum call_repeat repeat,
	void (*restart)(void *to))
{
	(void)all; (void)repeat; (void)restart;
	for (size_t i = 0; i < CONNECTIONS; i++) {
		struct call *c = &w.calls[i];
		if (c->used)
			continue;
		*c = (struct call){ .used = true, .r = *r, .code = 200, .next = UINT32_MAX,
			.list = r->kind == TRANSPORT_LIST };
		if (c->list)
			answer_list(c, query(r, "continue"));
		else
			answer_watch(c, query(r, "resourceVersion"));
		return c;
	}
	abort();
}

static void drop(struct call *c)
{
	buf_release(&c->bytes);
	*c = (struct call){ 0 };
}

void call_cancel(struct call *c) { drop(c); }

/* ---- what the server does ---- */

static void finish(struct call *c, enum transport_outcome outcome)
{
	struct transport_result result = { .outcome = outcome, .code = c->code, .retry_after = -1,
		.error = STR("model") };
	struct transport_status status = { .message = STR("model") };
	struct transport_request r = c->r;

	if (c->code >= 300)
		result.status = &status;
	drop(c);
	r.done(r.to, &result);
}

static void deliver(struct call *c, size_t most, bool garble)
{
	for (; c->next < w.nhistory; c->next++)
		put_event(&c->bytes, &w.history[c->next]);
	size_t n = c->bytes.n - c->at < most ? c->bytes.n - c->at : most;
	if (n && garble)
		c->bytes.p[c->at + n / 2] = 1;  /* this byte is not valid anywhere in JSON */
	if (n && c->code == 200) {
		struct str piece = { c->bytes.p + c->at, n };
		c->at += n;
		/* A callback of the watch may end the call, but the bytes must stay valid while they are read. */
		struct buf kept = c->bytes;
		c->bytes = (struct buf){ 0 };
		bool more = c->r.take(c->r.to, piece);
		if (c->used)
			c->bytes = kept;
		else
			buf_release(&kept);
		if (c->used && !more) {
			finish(c, TRANSPORT_STOPPED);
			return;
		}
	}
	if (c->used && c->closing && c->at == c->bytes.n)
		finish(c, TRANSPORT_ANSWERED);
	else if (c->used && c->code != 200)
		finish(c, TRANSPORT_ANSWERED);
}

static void change(unsigned name, unsigned what)
{
	struct thing *t = &w.things[name];
	char type = !t->present ? 'A' : what & 1 ? 'M' : 'D';

	if (w.nhistory == HISTORY)
		return;
	w.version++;
	if (type == 'A') {
		t->uid = ++w.uids;
		t->present = true;
	}
	t->version = w.version;
	t->present = type != 'D';
	t->useless = what & 4;
	w.history[w.nhistory++] = (struct change){ type, t->useless, name, t->uid, w.version };
	if (type == 'D' && what & 2)
		change(name, what);             /* immediately creates another object with the same name */
}

static void fire(void)
{
	for (size_t i = 0; i < TIMERS; i++) {
		struct loop_timer *t = w.timers[i];
		if (t) {
			w.timers[i] = NULL;
			t->slot = 0;
			t->fire(t);
		}
	}
}

/* ---- callbacks of the watch ---- */

static unsigned member(const struct data *d, const char *name)
{
	const struct data *m = data_get(data_get(d, STR("metadata")), str_of(name));

	return m && m->kind == DATA_STRING ? number(m->u.string) : 0;
}

static void changed(void *to, enum object_change change, const struct data *d)
{
	unsigned uid = member(d, "uid") % 4096, version = member(d, "resourceVersion");

	(void)to;
	if (w.view[uid].held != (change != OBJECT_ADDED))
		abort();
	if (change == OBJECT_MODIFIED && version <= w.view[uid].version)
		abort();
	w.view[uid].held = change != OBJECT_DELETED;
	w.view[uid].version = version;
	if (w.view[uid].useless)
		abort();
}

static void skipped(void *to, const struct json_skipped *k, bool known)
{
	unsigned uid = number(k->uid) % 4096;

	(void)to;
	if (!k->uid.n || w.view[uid].held != known || number(k->version) <= w.view[uid].version)
		abort();
	w.view[uid].useless = true;
	w.view[uid].version = number(k->version);
}

static void usable(void *to, struct str uid)
{
	(void)to;
	if (!w.view[number(uid) % 4096].useless)
		abort();
	w.view[number(uid) % 4096].useless = false;
}

static void synced(void *to) { (void)to; w.synced = true; }
static void failed(void *to, const struct transport_result *r) { (void)to; (void)r; w.failed = true; }

static void check_view(void)
{
	size_t held = 0, present = 0;

	for (size_t i = 0; i < 4096; i++)
		held += w.view[i].held || w.view[i].useless;
	for (size_t i = 0; i < NAMES; i++) {
		const struct thing *t = &w.things[i];
		present += t->present;
		if (t->present && (w.view[t->uid].useless != t->useless || w.view[t->uid].version != t->version ||
		    (!t->useless && !w.view[t->uid].held)))
			abort();
	}
	if (held != present)
		abort();
}

static void step(uint8_t op, uint8_t arg)
{
	struct call *c = NULL;

	for (size_t i = 0; i < CONNECTIONS && !c; i++)
		if (w.calls[i].used)
			c = &w.calls[i];
	switch (op % 10) {
	case 0: case 1: case 2: change(arg % NAMES, arg / NAMES); break;
	case 3: case 4: if (c) deliver(c, 1 + arg, false); break;
	case 5: if (c) finish(c, TRANSPORT_BROKEN); break;
	case 6: w.forgotten = w.version + 1; break;
	/* sends some events again */
	case 7: if (c && !c->list && c->next <= w.nhistory) c->next -= c->next < arg % 4 ? c->next : arg % 4; break;
	case 8: fire(); break;
	case 9: if (c && arg % 4 == 0 && c->code == 200 && !c->list) deliver(c, 40, true); break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct object_watch_options o = { .path = STR("/x"), .changed = changed, .synced = synced, .failed = failed,
		.skipped = skipped, .usable = usable };

	w = (struct world){ .streaming = n && bytes[0] & 1, .version = 1 };
	struct object_watch *watch = object_watch_start(NULL, &o);
	for (size_t i = 1; i + 1 < n && i < 800; i += 2)
		step(bytes[i], bytes[i + 1]);
	/* From here on, there are no more faults. */
	w.synced = false;
	for (int i = 0; i < 40 && !w.failed; i++) {
		fire();
		for (size_t k = 0; k < CONNECTIONS; k++)
			if (w.calls[k].used)
				deliver(&w.calls[k], 1000000, false);
	}
	if (!w.failed && object_watch_count(watch) < 4096)
		check_view();
	object_watch_stop(watch);
	for (size_t i = 0; i < CONNECTIONS; i++)
		if (w.calls[i].used)
			abort();
	return 0;
}
