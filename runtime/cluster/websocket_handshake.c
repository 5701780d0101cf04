/*
 * websocket_handshake.c - the request for a WebSocket, and the answer to it. The request has the headers that every
 * other request to the API server has: credentials and impersonation.
 */
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <strings.h>

#include "command/session.h"
#include "runtime/cluster/retry.h"
#include "runtime/cluster/websocket_internal.h"

/* The constant that RFC 6455 appends to a key. */
#define KEY_SUFFIX "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"

/* ---- the request ---- */

static void put_header_line(struct buf *out, const char *name, struct str value)
{
	buf_printf(out, "%s: ", name);
	buf_str(out, value);
	buf_z(out, "\r\n");
}

static bool is_header(const char *line, const char *name)
{
	size_t n = strlen(name);

	return strncasecmp(line, name, n) == 0 && line[n] == ':';
}

/* The value of Host as libcurl writes it: without the port if that is the usual one. */
static struct str host_value(const struct transport *t)
{
	const struct kubeconfig_access *a = t->o.access;
	struct str host = t->host;
	const char *colon = memrchr(host.p, ':', host.n);

	if (colon && a->port == (a->tls ? 443 : 80))
		host.n = (size_t)(colon - host.p);
	return host;
}

void handshake_put(struct handshake *h, struct buf *out)
{
	const struct transport *t = h->line->transport;
	unsigned char random[16];
	bool named = false;

	RAND_bytes(random, sizeof random);
	EVP_EncodeBlock((unsigned char *)h->key, random, sizeof random);
	buf_z(out, "GET ");
	buf_str(out, h->target);
	buf_z(out, " HTTP/1.1\r\n");
	for (const struct curl_slist *x = h->line->headers; x; x = x->next) {
		named = named || is_header(x->data, "Host");
		/* port-forward reaches a kubelet, which answers 406 to a format that it does not write */
		if (!is_header(x->data, "Expect") && !is_header(x->data, "Accept"))
			buf_printf(out, "%s\r\n", x->data);
	}
	if (!named)
		put_header_line(out, "Host", host_value(t));
	put_header_line(out, "User-Agent", t->o.user_agent);
	buf_z(out, "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n");
	put_header_line(out, "Sec-WebSocket-Key", str_of(h->key));
	buf_z(out, "Sec-WebSocket-Protocol: ");
	for (size_t i = 0; h->protocols[i]; i++)
		buf_printf(out, "%s%s", i ? ", " : "", h->protocols[i]);
	buf_z(out, "\r\n\r\n");
}

/* ---- the answer ---- */

/* Is the value of Sec-WebSocket-Accept the one that belongs to our key? */
static bool is_accepted(const struct handshake *h, struct str value)
{
	char text[sizeof h->key + sizeof KEY_SUFFIX], expected[32];
	unsigned char digest[EVP_MAX_MD_SIZE];
	unsigned n = 0;

	memcpy(text, h->key, strlen(h->key));
	memcpy(text + strlen(h->key), KEY_SUFFIX, sizeof KEY_SUFFIX);
	if (!EVP_Digest(text, strlen(text), digest, &n, EVP_sha1(), NULL))
		return false;
	EVP_EncodeBlock((unsigned char *)expected, digest, (int)n);
	return str_is(value, expected);
}

static bool is_same_word(struct str a, const char *b) { return a.n == strlen(b) && strncasecmp(a.p, b, a.n) == 0; }

static struct str without_blanks(struct str s)
{
	while (s.n && (*s.p == ' ' || *s.p == '\t'))
		s = (struct str){ s.p + 1, s.n - 1 };
	while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t' || s.p[s.n - 1] == '\r'))
		s.n--;
	return s;
}

/* Does a list of words, separated by commas, contain WORD? */
static bool has_list_word(struct str list, const char *word)
{
	while (list.n) {
		const char *comma = memchr(list.p, ',', list.n);
		size_t n = comma ? (size_t)(comma - list.p) : list.n;
		if (is_same_word(without_blanks((struct str){ list.p, n }), word))
			return true;
		n += comma != NULL;
		list = (struct str){ list.p + n, list.n - n };
	}
	return false;
}

static int64_t length_of(struct str value)
{
	int64_t n = 0;

	for (size_t i = 0; i < value.n; i++) {
		if (value.p[i] < '0' || value.p[i] > '9')
			return -1;
		n = n > HANDSHAKE_LARGEST ? n : 10 * n + (value.p[i] - '0');
	}
	return value.n ? n : -1;
}

static void note_header_line(struct handshake *h, struct str line)
{
	const char *colon = memchr(line.p, ':', line.n);

	if (!colon)
		return;
	struct str name = { line.p, (size_t)(colon - line.p) };
	struct str value = without_blanks((struct str){ colon + 1, line.n - name.n - 1 });
	if (is_same_word(name, "Upgrade"))
		h->upgrade = is_same_word(value, "websocket");
	else if (is_same_word(name, "Connection"))
		h->connection = has_list_word(value, "upgrade");
	else if (is_same_word(name, "Sec-WebSocket-Accept"))
		h->accepted = is_accepted(h, value);
	else if (is_same_word(name, "Content-Length"))
		h->length = length_of(value);
	else if (is_same_word(name, "Sec-WebSocket-Protocol"))
		for (size_t i = 0; h->protocols[i]; i++)
			if (str_is(value, h->protocols[i]))
				h->protocol = h->protocols[i];
}

/* Reads the lines of a complete head. The transport reads those that every answer has. */
static void read_head(struct handshake *h, struct str head)
{
	struct transport *t = h->line->transport;
	bool http1 = t->http1;

	while (head.n) {
		const char *newline = memchr(head.p, '\n', head.n);
		size_t n = newline ? (size_t)(newline + 1 - head.p) : head.n;
		exchange_header(str_cat_chars(&h->line->arena, (struct str){ head.p, n }, STR(""), STR("")), 1, n,
			h->line);
		note_header_line(h, (struct str){ head.p, n - (newline != NULL) });
		head = (struct str){ head.p + n, head.n - n };
	}
	t->http1 = http1;                       /* this says nothing about other connections */
}

static bool is_opening(const struct handshake *h)
{
	return h->line->code == 101 && h->upgrade && h->connection && h->accepted && h->protocol;
}

/* Is the answer complete? Its body explains a refusal. */
static bool has_body(const struct handshake *h)
{
	return h->line->code == 101 || h->text.n >= HANDSHAKE_LARGEST ||
		(h->length >= 0 && (int64_t)h->text.n >= h->length);
}

enum handshake_step handshake_read(struct handshake *h, struct str bytes, size_t *used)
{
	size_t before = h->text.n;

	*used = bytes.n;
	buf_put(&h->text, bytes.p, bytes.n);
	if (!h->head) {
		const char *end = h->text.n ? memmem(h->text.p, h->text.n, "\r\n\r\n", 4) : NULL;
		if (!end)
			return bytes.n && h->text.n < HANDSHAKE_LARGEST ? HANDSHAKE_MORE : HANDSHAKE_REFUSED;
		size_t n = (size_t)(end + 4 - h->text.p);
		h->head = true;
		h->length = -1;
		read_head(h, (struct str){ h->text.p, n });
		if (is_opening(h)) {
			*used = n - before;
			return HANDSHAKE_OPEN;
		}
		memmove(h->text.p, h->text.p + n, h->text.n - n);
		h->text.n -= n;
	}
	return !bytes.n || has_body(h) ? HANDSHAKE_REFUSED : HANDSHAKE_MORE;
}

/* ---- refusals ---- */

/*
 * Does the answer come from something that does not know WebSockets, and not from the API server? An API server whose
 * proxy has dropped the headers of the upgrade demands an upgrade, and none agrees without an upgrade.
 */
static bool is_barred(const struct handshake *h, const struct transport_status *status)
{
	return !h->head || !status->is_object || h->line->code < 400 ||
		(h->line->code == 400 && status->message.n && strcasestr(status->message.p, "upgrade"));
}

static struct str wrong_answer(const struct handshake *h)
{
	const char *what = !h->upgrade || !h->connection ? "does not upgrade the connection"
		: !h->accepted ? "has a wrong Sec-WebSocket-Accept" : "chooses a protocol that was not offered";

	return str_printf(&h->line->arena, "%.*s does not pass WebSockets: its answer to %.*s %s",
		STR_ARG(h->line->transport->host), STR_ARG(h->line->url), what);
}

void handshake_explain(const struct handshake *h, struct websocket_end *end)
{
	struct transport_exchange *x = h->line;
	struct buf b = { 0 };

	end->code = h->head ? x->code : 0;
	end->status = STATUS_UNREACHABLE;
	end->barred = true;
	if (h->head && x->code == 101) {
		end->error = wrong_answer(h);
		return;
	}
	struct str body = h->head ? buf_text(&h->text) : STR("");
	if (h->length >= 0 && (int64_t)body.n > h->length)
		body.n = (size_t)h->length;
	x->body.n = 0;
	buf_str(&x->body, body);
	const struct transport_status *status = exchange_status(x);
	end->barred = is_barred(h, status) && x->code != 401 && x->code != 429 && x->code < 503;
	if (end->barred) {
		buf_printf(&b, "%.*s does not pass WebSockets: ", STR_ARG(x->transport->host));
		if (end->code)
			buf_printf(&b, "it answers %d to %.*s: ", x->code, STR_ARG(x->url));
		put_escaped(&b, end->code ? status->message : STR("it closed the connection before an answer"));
		end->error = buf_take(&b, &x->arena);
		buf_release(&b);
		return;
	}
	struct transport_result result = { .outcome = TRANSPORT_ANSWERED, .code = x->code, .status = status };
	end->status = call_exit_status(&result);
	end->error = exchange_refusal(x, status);
}

void handshake_release(struct handshake *h) { buf_release(&h->text); }
