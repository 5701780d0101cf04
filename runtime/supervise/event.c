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
	struct event_about about;
	struct str component;
	const char *type;
	struct str reason, message;
	struct str name;                /* name of the Event; empty: the API server generates a name */
};

/* The source of an Event: the name of the operator's controller for the kind of J, or of this program. */
static struct str component_of(struct arena *a, const struct supervised *j)
{
	if (j->kind == &run_record_kind)
		return STR("trainc-supervise");
	return str_cat(a, str_lower(a, str_of(j->kind->kind)), STR("-controller"), STR(""));
}

static void put_event_name(struct arena *a, const struct event_said *e, struct buf *b)
{
	struct str about = e->about.name;

	buf_z(b, e->name.n ? "\"name\":" : "\"generateName\":");
	buf_json(b, e->name.n ? e->name : str_printf(a, "%.*s.", about.n > 200 ? 200 : (int)about.n, about.p));
}

static void put_about(const struct event_about *about, struct buf *b)
{
	buf_printf(b, "\"involvedObject\":{\"apiVersion\":\"%.*s%s%.*s\",\"kind\":\"%.*s\",\"name\":",
		STR_ARG(about->group), about->group.n ? "/" : "", STR_ARG(about->version), STR_ARG(about->kind));
	buf_json(b, about->name);
	buf_z(b, ",\"namespace\":");
	buf_json(b, about->ns);
	buf_z(b, ",\"uid\":");
	buf_json(b, about->uid);
	buf_char(b, '}');
}

static struct str event_body(struct arena *a, const struct controller *c, const struct event_said *e)
{
	struct str message = e->message;
	struct buf b = { 0 };
	size_t n = message.n;

	while (n > LONGEST || (n && n < message.n && ((unsigned char)message.p[n] & 0xc0) == 0x80))
		n--;                            /* the API server accepts at most 1 KiB; the message must not end in the
						 * middle of a character */
	buf_z(&b, "{\"apiVersion\":\"v1\",\"kind\":\"Event\",\"metadata\":{");
	put_event_name(a, e, &b);
	buf_z(&b, ",\"namespace\":");
	buf_json(&b, e->about.ns);
	buf_z(&b, "},");
	put_about(&e->about, &b);
	buf_printf(&b, ",\"type\":\"%s\",\"reason\":", e->type);
	buf_json(&b, e->reason);
	buf_z(&b, ",\"message\":");
	buf_json(&b, (struct str){ message.p, n });
	int64_t now = controller_now(c);
	buf_z(&b, ",\"count\":1,\"firstTimestamp\":\"");
	put_time(&b, now, 0);
	buf_z(&b, "\",\"lastTimestamp\":\"");
	put_time(&b, now, 0);
	buf_z(&b, "\",\"source\":{\"component\":");
	buf_json(&b, e->component);
	buf_z(&b, "}}");
	struct str text = buf_take(&b, a);
	buf_release(&b);
	return text;
}

static void send_about(struct controller *c, struct tenant *t, const struct event_said *e)
{
	struct arena a = { 0 };

	c->metrics.events++;
	struct transport_request r = { .method = TRANSPORT_POST, .kind = TRANSPORT_WRITE,
		.path = transport_path(&a, &(struct transport_place){ .version = STR("v1"), .plural = STR("events"),
		.namespace = e->about.ns }), .body = event_body(&a, c, e), .share = &t->share, .done = sent, .to = c };
	call_start(c->client.calls, &r, CALL_ONCE, NULL);
	arena_release(&a);
}

static void send_event(struct supervised *j, enum event_weight weight, struct event_said e)
{
	struct controller *c = j->control;
	struct arena a = { 0 };

	if (!may_write(j) && weight == EVENT_MANY) {
		c->metrics.events_dropped++;
		return;
	}
	e.about = (struct event_about){ .group = str_of(j->kind->group), .version = str_of(j->kind->version),
		.kind = str_of(j->kind->kind), .ns = j->ns, .name = j->name, .uid = j->uid };
	e.component = component_of(&a, j);
	send_about(c, j->tenant, &e);
	arena_release(&a);
}

/* A name that only Events about the object NAME with this reason and key have. */
static struct str fixed_name(struct arena *a, struct str name, struct str reason, struct str key)
{
	char hex[65];

	sha256_hex(str_printf(a, "%.*s %.*s", STR_ARG(reason), STR_ARG(key)), hex);
	return str_printf(a, "%.*s.%.16s", name.n > 200 ? 200 : (int)name.n, name.p, hex);
}

void event_write(struct supervised *j, enum event_weight weight, const char *type, struct str reason,
	struct str message)
{
	send_event(j, weight, (struct event_said){ .type = type, .reason = reason, .message = message });
}

void event_write_once(struct supervised *j, enum event_weight weight, const char *type, struct str reason,
	struct str message, struct str key)
{
	struct arena a = { 0 };

	send_event(j, weight, (struct event_said){ .type = type, .reason = reason, .message = message,
		.name = fixed_name(&a, j->name, reason, key) });
	arena_release(&a);
}

void event_write_about(struct controller *c, const struct event_about *about, struct str reason, struct str message,
	struct str key)
{
	struct arena a = { 0 };

	send_about(c, tenant_of(c, about->ns), &(struct event_said){ .about = *about, .type = "Warning",
		.component = STR("trainc-supervise"), .reason = reason, .message = message,
		.name = fixed_name(&a, about->name, reason,
			str_printf(&a, "%.*s %.*s", STR_ARG(about->uid), STR_ARG(key))) });
	arena_release(&a);
}
