/* event.c - sends Events without waiting for an answer. */
#include "runtime/supervise/event.h"

#include "base/sha256.h"
#include "base/words.h"
#include "runtime/supervise/log.h"
#include "runtime/supervise/supervised.h"
#include "runtime/supervise/tenant.h"

enum { BURST = 25, REFILL_SECONDS = 300, LONGEST = 1000 };

static bool may_write(struct supervised *j)
{
	int64_t now = loop_now(j->control->client.loop);

	if (j->event_at) {
		j->event_tokens += (double)(now - j->event_at) / 1e9 / REFILL_SECONDS;
		j->event_tokens = j->event_tokens > BURST ? BURST : j->event_tokens;
	} else {
		j->event_tokens = BURST;
	}
	j->event_at = now;
	if (j->event_tokens < 1)
		return false;
	j->event_tokens -= 1;
	return true;
}

static void sent(void *to, const struct transport_result *r)
{
	(void)to;
	if (!transport_ok(r) && r->code != 409)         /* 409: an event of this name was written before */
		log_line("warning", STR(""), "an Event was not written: %.*s", STR_ARG(r->error));
}

struct event_said {
	const char *type;
	struct str reason, message;
	struct str name;                /* name of the Event; empty: the API server generates a name */
};

/* Appends the source of the Event: the name of the operator's controller for the kind of J, or of this program. */
static void put_source(struct arena *a, const struct supervised *j, struct buf *b)
{
	buf_z(b, "\",\"source\":{\"component\":");
	if (j->kind == &run_record_kind)
		buf_json(b, STR("trainc-supervise"));
	else
		buf_json(b, str_cat(a, str_lower(a, str_of(j->kind->kind)), STR("-controller"), STR("")));
	buf_z(b, "}}");
}

static void put_event_name(struct arena *a, const struct supervised *j, struct str name, struct buf *b)
{
	buf_z(b, name.n ? "\"name\":" : "\"generateName\":");
	buf_json(b, name.n ? name : str_printf(a, "%.*s.", j->name.n > 200 ? 200 : (int)j->name.n, j->name.p));
}

static struct str body(struct arena *a, const struct supervised *j, const struct event_said *e)
{
	struct str message = e->message;
	struct buf b = { 0 };
	size_t n = message.n;

	while (n > LONGEST || (n && n < message.n && ((unsigned char)message.p[n] & 0xc0) == 0x80))
		n--;                            /* the API server accepts at most 1 KiB; the message must not end in the
						 * middle of a character */
	buf_z(&b, "{\"apiVersion\":\"v1\",\"kind\":\"Event\",\"metadata\":{");
	put_event_name(a, j, e->name, &b);
	buf_z(&b, ",\"namespace\":");
	buf_json(&b, j->ns);
	buf_printf(&b, "},\"involvedObject\":{\"apiVersion\":\"%s%s%s\",\"kind\":\"%s\",\"name\":", j->kind->group,
		*j->kind->group ? "/" : "", j->kind->version, j->kind->kind);
	buf_json(&b, j->name);
	buf_z(&b, ",\"namespace\":");
	buf_json(&b, j->ns);
	buf_z(&b, ",\"uid\":");
	buf_json(&b, j->uid);
	buf_printf(&b, "},\"type\":\"%s\",\"reason\":", e->type);
	buf_json(&b, e->reason);
	buf_z(&b, ",\"message\":");
	buf_json(&b, (struct str){ message.p, n });
	int64_t now = controller_now(j->control);
	buf_z(&b, ",\"count\":1,\"firstTimestamp\":\"");
	put_time(&b, now, 0);
	buf_z(&b, "\",\"lastTimestamp\":\"");
	put_time(&b, now, 0);
	put_source(a, j, &b);
	struct str text = buf_take(&b, a);
	buf_release(&b);
	return text;
}

static void send_event(struct supervised *j, enum event_weight weight, const struct event_said *e)
{
	struct controller *c = j->control;
	struct arena a = { 0 };

	if (!may_write(j) && weight == EVENT_MANY) {
		c->metrics.events_dropped++;
		return;
	}
	c->metrics.events++;
	struct transport_request r = { .method = TRANSPORT_POST, .kind = TRANSPORT_WRITE,
		.path = transport_path(&a, &(struct transport_place){ .version = STR("v1"), .plural = STR("events"),
		.namespace = j->ns }), .body = body(&a, j, e), .share = &j->tenant->share, .done = sent, .to = j };
	call_start(c->client.calls, &r, CALL_ONCE, NULL);
	arena_release(&a);
}

void event_write(struct supervised *j, enum event_weight weight, const char *type, struct str reason,
	struct str message)
{
	send_event(j, weight, &(struct event_said){ .type = type, .reason = reason, .message = message });
}

void event_write_once(struct supervised *j, enum event_weight weight, const char *type, struct str reason,
	struct str message, struct str key)
{
	struct arena a = { 0 };
	char hex[65];

	sha256_hex(str_printf(&a, "%.*s %.*s", STR_ARG(reason), STR_ARG(key)), hex);
	struct event_said e = { .type = type, .reason = reason, .message = message,
		.name = str_printf(&a, "%.*s.%.16s", j->name.n > 200 ? 200 : (int)j->name.n, j->name.p, hex) };
	send_event(j, weight, &e);
	arena_release(&a);
}
