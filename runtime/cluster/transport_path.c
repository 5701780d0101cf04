/*
 * transport_path.c - builds paths and queries, and descriptions of requests for people.
 */
#include "runtime/cluster/transport_internal.h"

const char *transport_method_word(enum transport_method m)
{
	static const char *const words[] = { "GET", "POST", "PUT", "PATCH", "DELETE" };

	return words[m];
}

/* Appends S and percent-encodes everything but unreserved characters. */
static void put_encoded(struct buf *b, struct str s)
{
	static const char hex[] = "0123456789ABCDEF";

	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
		    c == '.' || c == '_' || c == '~') {
			buf_char(b, (char)c);
		} else {
			buf_char(b, '%');
			buf_char(b, hex[c >> 4]);
			buf_char(b, hex[c & 15]);
		}
	}
}

static void put_part(struct buf *b, struct str part)
{
	buf_char(b, '/');
	put_encoded(b, part);
}

struct str transport_path(struct arena *a, const struct transport_place *p)
{
	struct buf b = { 0 };

	buf_z(&b, p->group.n ? "/apis" : "/api");
	if (p->group.n)
		put_part(&b, p->group);
	put_part(&b, p->version);
	if (p->namespace.n) {
		buf_z(&b, "/namespaces");
		put_part(&b, p->namespace);
	}
	put_part(&b, p->plural);
	if (p->name.n)
		put_part(&b, p->name);
	if (p->subresource.n)
		put_part(&b, p->subresource);
	struct str path = buf_take(&b, a);
	buf_release(&b);
	return path;
}

struct str transport_url(struct arena *a, struct str prefix, const struct transport_request *r)
{
	struct buf b = { 0 };

	buf_str(&b, prefix);
	buf_str(&b, r->path);
	for (size_t i = 0; i < r->nquery; i++) {
		buf_char(&b, i ? '&' : '?');
		put_encoded(&b, r->query[i].name);
		buf_char(&b, '=');
		put_encoded(&b, r->query[i].value);
	}
	struct str url = buf_take(&b, a);
	buf_release(&b);
	return url;
}

const struct transport_status *transport_status_copy(struct arena *a, const struct transport_status *s)
{
	if (!s)
		return NULL;
	struct transport_status *copy = ARENA_NEW(a, struct transport_status);
	*copy = (struct transport_status){ .reason = str_copy(a, s->reason), .message = str_copy(a, s->message),
		.kind = str_copy(a, s->kind),
		.group = str_copy(a, s->group), .name = str_copy(a, s->name), .uid = str_copy(a, s->uid),
		.continue_token = str_copy(a, s->continue_token), .is_object = s->is_object };
	for (size_t i = 0; i < s->ncauses; i++) {
		struct transport_cause c = { str_copy(a, s->causes[i].reason), str_copy(a, s->causes[i].field),
			str_copy(a, s->causes[i].message) };
		ARENA_PUSH(a, copy->causes, copy->ncauses, c);
	}
	return copy;
}

/* ---- for people ---- */

static void put_bytes(struct buf *b, uint64_t n)
{
	if (n < 1024)
		buf_printf(b, "%llu B", (unsigned long long)n);
	else if (n < 1024 * 1024)
		buf_printf(b, "%.1f KiB", (double)n / 1024);
	else
		buf_printf(b, "%.1f MiB", (double)n / (1024 * 1024));
}

/* Traces a finished exchange in one line; bodies and headers never appear in it. */
void transport_trace_end(struct transport_exchange *x, const struct transport_result *result)
{
	struct transport *t = x->transport;
	struct buf b = { 0 };

	if (!t->o.trace)
		return;
	buf_printf(&b, "%s %.*s: ", transport_method_word(x->request.method), STR_ARG(x->url));
	if (result->code)
		buf_printf(&b, "%d, ", result->code);
	if (result->outcome != TRANSPORT_ANSWERED) {
		put_escaped(&b, result->error);
		buf_z(&b, ", ");
	}
	if (x->request.body.n) {
		put_bytes(&b, (uint64_t)x->request.body.n);
		buf_z(&b, " sent, ");
	}
	put_bytes(&b, (uint64_t)result->bytes_in);
	buf_printf(&b, ", %.1f ms%s", (double)result->ns / 1e6, result->http2 || !result->code ? "" : ", HTTP/1.1");
	t->o.trace(t->o.to, buf_text(&b));
	buf_release(&b);
}

static void put_count(struct buf *b, uint64_t n, const char *one, const char *many)
{
	buf_printf(b, "%llu %s", (unsigned long long)n, n == 1 ? one : many);
}

void transport_budget(const struct transport *t, struct buf *out)
{
	const struct transport_counts *c = &t->counts;

	put_count(out, c->requests, "request", "requests");
	buf_z(out, " (");
	put_count(out, c->reads, "read", "reads");
	buf_z(out, ", ");
	put_count(out, c->writes, "write", "writes");
	buf_z(out, ", ");
	put_count(out, c->streams, "stream", "streams");
	buf_z(out, "), ");
	put_count(out, c->connections, "connection", "connections");
	buf_z(out, ", ");
	put_count(out, c->retries, "retry", "retries");
	buf_z(out, ", ");
	put_bytes(out, c->bytes_in);
	buf_z(out, " in, ");
	put_bytes(out, c->bytes_out);
	buf_z(out, " out");
}

static const char *state_word(enum exchange_state s)
{
	static const char *const words[] = { "waits for a credential", "starts", "waits for the answer",
		"reads the answer", "is over" };

	return words[s];
}

void transport_dump(const struct transport *t, struct buf *out)
{
	buf_printf(out, "transport: %.*s, %s%s", STR_ARG(t->host), t->http1 ? "HTTP/1.1" : "HTTP/2",
		t->proxy.n ? ", by a proxy" : "");
	buf_printf(out, ", %u in flight, ", t->counts.in_flight);
	transport_budget(t, out);
	buf_char(out, '\n');
	for (const struct transport_exchange *x = t->exchanges; x; x = x->next)
		buf_printf(out, "  %s %.*s: %s, code %d, %lld bytes, %lld ms\n",
		           transport_method_word(x->request.method), STR_ARG(x->url),
		           state_word(x->state), x->code, (long long)x->bytes_in,
		           (long long)((loop_now(t->o.loop) - x->started) / 1000000));
	for (const struct transport_pool *p = t->pools; p; p = p->next) {
		buf_printf(out, "  pool %u: %u exchanges, sockets:", p->certificate, p->exchanges);
		for (const struct transport_socket *s = p->sockets; s; s = s->next)
			buf_printf(out, " %d", s->fd.fd);
		buf_char(out, '\n');
	}
}
