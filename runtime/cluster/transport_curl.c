/*
 * transport_curl.c - sets up a libcurl handle for one exchange: address, TLS, proxy, headers, body. Keys and
 * certificates are passed in memory and never written to a disk.
 */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runtime/cluster/transport_internal.h"

/* ---- sockets ---- */

static void option(curl_socket_t fd, int level, int name, int value)
{
	setsockopt(fd, level, name, &value, sizeof value);
}

/*
 * Sets keep-alive on a socket, so that the loss of a peer is detected within 45 s: this libcurl sends no HTTP/2 pings.
 */
static int socket_options(void *to, curl_socket_t fd, curlsocktype purpose)
{
	(void)to;
	(void)purpose;
	option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
	option(fd, IPPROTO_TCP, TCP_KEEPIDLE, 30);
	option(fd, IPPROTO_TCP, TCP_KEEPINTVL, 5);
	option(fd, IPPROTO_TCP, TCP_KEEPCNT, 3);
	option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, 45000);
	return CURL_SOCKOPT_OK;
}

/* ---- TLS ---- */

/*
 * Can all connections use the certificates that were read once? A TLS connection to a proxy also calls tls_context(),
 * and must get neither our certificate nor our authorities.
 */
static bool has_shared(const struct transport *t) { return !str_starts(t->proxy, STR("https:")); }

/* Does the credential's certificate come from the kubeconfig, and not from a plugin? */
static bool is_own_pair(const struct transport *t, const struct credential_value *credential)
{
	return t->own.certificate && str_eq(credential->certificate, t->o.access->certificate) &&
		str_eq(credential->key, t->o.access->key);
}

static CURLcode tls_context(CURL *easy, void *ctx, void *to)
{
	struct transport_exchange *x = to;
	struct transport *t = x->transport;

	(void)easy;
	t->facts = (struct certificate_facts){ 0 };
	certificate_watch(ctx, &t->facts);
	if (!has_shared(t))
		return CURLE_OK;
	certificate_use_ca(ctx, &t->own);
	return !x->own_pair || certificate_use_pair(ctx, &t->own) ? CURLE_OK : CURLE_SSL_CERTPROBLEM;
}

/* Passes PEM text to libcurl, which copies it but requires writable memory; it may be a private key. */
static CURLcode set_blob(CURL *easy, CURLoption which, struct str pem)
{
	struct buf copy = { 0 };

	buf_str(&copy, pem);
	struct curl_blob blob = { .data = copy.p, .len = copy.n, .flags = CURL_BLOB_COPY };
	CURLcode code = curl_easy_setopt(easy, which, &blob);
	if (copy.p)
		explicit_bzero(copy.p, copy.size);
	buf_release(&copy);
	return code;
}

const char *transport_authorities(void)
{
	static const char *const places[] = { "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
		"/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem" };
	const char *named = getenv("SSL_CERT_FILE");

	if (named && named[0])
		return named;
	for (size_t i = 0; i < sizeof places / sizeof *places; i++)
		if (access(places[i], R_OK) == 0)
			return places[i];
	return NULL;
}

static CURLcode set_tls(struct transport_exchange *x, const struct credential_value *credential)
{
	const struct transport *t = x->transport;
	const struct kubeconfig_access *a = t->o.access;
	CURLcode code = curl_easy_setopt(x->easy, CURLOPT_SSL_CTX_FUNCTION, tls_context);

	x->own_pair = has_shared(t) && is_own_pair(t, credential);

	curl_easy_setopt(x->easy, CURLOPT_SSL_CTX_DATA, x);
	if (a->insecure) {
		curl_easy_setopt(x->easy, CURLOPT_SSL_VERIFYPEER, 0L);
		curl_easy_setopt(x->easy, CURLOPT_SSL_VERIFYHOST, 0L);
	}
	if (t->authorities) {
		curl_easy_setopt(x->easy, CURLOPT_CAINFO, t->authorities);
		curl_easy_setopt(x->easy, CURLOPT_PROXY_CAINFO, t->authorities);
	}
	if (!code && a->ca.n) {
		curl_easy_setopt(x->easy, CURLOPT_CAINFO, NULL);
		/* if the kubeconfig gives an authority, the system's authorities do not count */
		curl_easy_setopt(x->easy, CURLOPT_CAPATH, NULL);
		if (!has_shared(t))
			code = set_blob(x->easy, CURLOPT_CAINFO_BLOB, a->ca);
	}
	if (!code && credential->certificate.n && !x->own_pair) {
		code = set_blob(x->easy, CURLOPT_SSLCERT_BLOB, credential->certificate);
		if (!code)
			code = set_blob(x->easy, CURLOPT_SSLKEY_BLOB, credential->key);
	}
	return code;
}

/* ---- headers ---- */

static void add_header(struct transport_exchange *x, struct buf *line)
{
	buf_char(line, 0);
	struct curl_slist *longer = line->overflow ? NULL : curl_slist_append(x->headers, line->p);
	if (longer)
		x->headers = longer;
	line->n = 0;
}

static void put_header(struct transport_exchange *x, struct buf *line, const char *name, struct str value)
{
	buf_printf(line, "%s: ", name);
	/* a line end would begin another header */
	for (size_t i = 0; i < value.n; i++)
		buf_char(line, (unsigned char)value.p[i] < ' ' || value.p[i] == 0x7f ? ' ' : value.p[i]);
	add_header(x, line);
}

/* Appends a key of `as-user-extra` as part of a header's name, percent-encoded. */
static void put_extra(struct transport_exchange *x, struct buf *line, const struct kubeconfig_variable *v)
{
	struct buf name = { 0 };

	buf_z(&name, "Impersonate-Extra-");
	for (size_t i = 0; i < v->name.n; i++) {
		unsigned char c = (unsigned char)v->name.p[i];
		bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
			(c && strchr("!#$&'*+-.^_`|~", c));
		if (plain)
			buf_char(&name, (char)c);
		else
			buf_printf(&name, "%%%02X", c);
	}
	buf_char(&name, 0);
	put_header(x, line, name.p, v->value);
	buf_release(&name);
}

static void impersonation_headers(struct transport_exchange *x, struct buf *line)
{
	const struct kubeconfig_impersonation *as = &x->transport->o.access->as;

	if (!as->user.n)
		return;
	put_header(x, line, "Impersonate-User", as->user);
	if (as->uid.n)
		put_header(x, line, "Impersonate-Uid", as->uid);
	for (size_t i = 0; i < as->ngroups; i++)
		put_header(x, line, "Impersonate-Group", as->groups[i]);
	for (size_t i = 0; i < as->nextra; i++)
		put_extra(x, line, &as->extra[i]);
}

static void basic_header(struct transport_exchange *x, struct buf *line, const struct credential_value *c)
{
	struct buf pair = { 0 }, text = { 0 };

	buf_printf(&pair, "%.*s:%.*s", STR_ARG(c->basic_user), STR_ARG(c->basic_password));
	if (buf_reserve(&text, (pair.n + 2) / 3 * 4 + 1))
		text.n = (size_t)EVP_EncodeBlock((unsigned char *)text.p, (unsigned char *)pair.p, (int)pair.n);
	buf_z(line, "Authorization: Basic ");
	buf_str(line, buf_text(&text));
	add_header(x, line);
	explicit_bzero(pair.p, pair.n);
	buf_release(&pair);
	buf_release(&text);
}

static void set_headers(struct transport_exchange *x, const struct credential_value *c)
{
	const struct transport_request *r = &x->request;
	const struct kubeconfig_access *a = x->transport->o.access;
	struct buf line = { 0 };

	put_header(x, &line, "Accept", r->accept.n ? r->accept : r->text ? STR("*/*") : STR("application/json"));
	if (r->body.n)
		put_header(x, &line, "Content-Type", r->content_type.n ? r->content_type : STR("application/json"));
	buf_z(&line, "Expect:");                /* otherwise libcurl waits for a response with code 100 before it sends
						 * a large body */
	add_header(x, &line);
	if (a->tls_server_name.n)
		put_header(x, &line, "Host", a->port == 443 ? a->host : x->transport->host);
	for (size_t i = 0; i < r->nheaders; i++)
		put_header(x, &line, str_copy(&x->arena, r->headers[i].name).p, r->headers[i].value);
	if (a->tls) {
		impersonation_headers(x, &line);
		if (c->token.n)
			put_header(x, &line, "Authorization", str_cat(&x->arena, STR("Bearer "), c->token, STR("")));
		else if (c->basic_user.n)
			basic_header(x, &line, c);
	}
	if (line.p)
		explicit_bzero(line.p, line.size);
	buf_release(&line);
	curl_easy_setopt(x->easy, CURLOPT_HTTPHEADER, x->headers);
}

/* ---- the rest ---- */

/*
 * Sets the address. TLS sends and verifies the name in the URL. With tls-server-name, the URL contains that name, but
 * the connection goes to the server's own address.
 */
static CURLcode set_address(struct transport_exchange *x)
{
	const struct kubeconfig_access *a = x->transport->o.access;
	struct str name = a->tls && a->tls_server_name.n ? a->tls_server_name : a->host;
	bool v6 = memchr(name.p, ':', name.n) != NULL, host_v6 = memchr(a->host.p, ':', a->host.n) != NULL;
	struct str url = str_printf(&x->arena, "%s://%s%.*s%s:%u%.*s", a->tls ? "https" : "http", v6 ? "[" : "",
	                            STR_ARG(name), v6 ? "]" : "", a->port, STR_ARG(x->url));

	if (name.p != a->host.p) {
		struct str to = str_printf(&x->arena, "%s%.*s%s:%u:%s%.*s%s:%u", v6 ? "[" : "", STR_ARG(name),
		                           v6 ? "]" : "", a->port,
		                           host_v6 ? "[" : "", STR_ARG(a->host), host_v6 ? "]" : "", a->port);
		x->connect_to = curl_slist_append(NULL, to.p);
		curl_easy_setopt(x->easy, CURLOPT_CONNECT_TO, x->connect_to);
	}
	return curl_easy_setopt(x->easy, CURLOPT_URL, url.p);
}

static size_t read_body(char *room, size_t size, size_t n, void *to)
{
	struct transport_exchange *x = to;
	size_t left = x->request.body.n - x->body_sent, part = left < size * n ? left : size * n;

	memcpy(room, x->request.body.p + x->body_sent, part);
	x->body_sent += part;
	return part;
}

/*
 * Refuses to rewind the body. When a reused connection dies, libcurl repeats the request by itself if it can read the
 * body again; but here the caller decides about repetition.
 */
static int refuse_rewind(void *to, curl_off_t offset, int origin)
{
	(void)to;
	(void)offset;
	(void)origin;
	return CURL_SEEKFUNC_FAIL;
}

static void set_method(struct transport_exchange *x)
{
	const struct transport_request *r = &x->request;

	if (r->body.n || r->method == TRANSPORT_POST) {
		curl_easy_setopt(x->easy, CURLOPT_POST, 1L);
		curl_easy_setopt(x->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body.n);
		curl_easy_setopt(x->easy, CURLOPT_READFUNCTION, read_body);
		curl_easy_setopt(x->easy, CURLOPT_READDATA, x);
		curl_easy_setopt(x->easy, CURLOPT_SEEKFUNCTION, refuse_rewind);
	}
	if (r->method != TRANSPORT_GET)
		curl_easy_setopt(x->easy, CURLOPT_CUSTOMREQUEST, transport_method_word(r->method));
}

static void set_behaviour(struct transport_exchange *x)
{
	struct transport *t = x->transport;

	curl_easy_setopt(x->easy, CURLOPT_PRIVATE, x);
	curl_easy_setopt(x->easy, CURLOPT_ERRORBUFFER, x->curl_error);
	curl_easy_setopt(x->easy, CURLOPT_UPLOAD_BUFFERSIZE, (long)UPLOAD_BUFFER);
	curl_easy_setopt(x->easy, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(x->easy, CURLOPT_NOPROGRESS, 1L);
	curl_easy_setopt(x->easy, CURLOPT_QUICK_EXIT, 1L);
	curl_easy_setopt(x->easy, CURLOPT_FOLLOWLOCATION, 0L);
	curl_easy_setopt(x->easy, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(x->easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	curl_easy_setopt(x->easy, CURLOPT_HTTP_VERSION,
		(long)(t->http1 || x->request.connected ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS));
	curl_easy_setopt(x->easy, CURLOPT_CONNECT_ONLY, x->request.connected ? 1L : 0L);
	/*
	 * waits until the first connection shows whether it can be shared; with HTTP/1.1 this would only delay requests
	 */
	curl_easy_setopt(x->easy, CURLOPT_PIPEWAIT, t->http1 || !t->o.access->tls ? 0L : 1L);
	curl_easy_setopt(x->easy, CURLOPT_CONNECTTIMEOUT_MS, (long)(t->o.connect_limit / 1000000));
	curl_easy_setopt(x->easy, CURLOPT_SOCKOPTFUNCTION, socket_options);
	curl_easy_setopt(x->easy, CURLOPT_HEADERFUNCTION, exchange_header);
	curl_easy_setopt(x->easy, CURLOPT_HEADERDATA, x);
	curl_easy_setopt(x->easy, CURLOPT_WRITEFUNCTION, exchange_body);
	curl_easy_setopt(x->easy, CURLOPT_WRITEDATA, x);
	curl_easy_setopt(x->easy, CURLOPT_USERAGENT, t->o.user_agent.p);
	/* libcurl must not read the proxy variables, because the rules of proxy.h decide */
	curl_easy_setopt(x->easy, CURLOPT_PROXY, t->proxy.n ? t->proxy_for_curl.p : "");
	curl_easy_setopt(x->easy, CURLOPT_NOPROXY, "");
	curl_easy_setopt(x->easy, CURLOPT_SOCKS5_AUTH, (long)CURLAUTH_BASIC);
	if (t->proxy.n)
		curl_easy_setopt(x->easy, CURLOPT_HTTPPROXYTUNNEL,
			t->o.access->tls || x->request.connected ? 1L : 0L);
	if (x->request.kind == TRANSPORT_LIST && !t->o.access->disable_compression)
		curl_easy_setopt(x->easy, CURLOPT_ACCEPT_ENCODING, "gzip");
}

bool exchange_set_up(struct transport_exchange *x, const struct credential_value *credential, struct str *why)
{
	struct transport *t = x->transport;
	CURLcode code;

	x->easy = t->nhandles ? t->handles[--t->nhandles] : curl_easy_init();
	if (!x->easy) {
		*why = STR("libcurl cannot be set up: not enough memory");
		return false;
	}
	set_behaviour(x);
	set_method(x);
	code = set_address(x);
	if (!code && t->o.access->tls)
		code = set_tls(x, credential);
	set_headers(x, credential);
	if (code)
		*why = str_printf(&x->arena, "libcurl cannot be set up: %s", curl_easy_strerror(code));
	return code == CURLE_OK;
}

void exchange_tear_down(struct transport_exchange *x)
{
	struct transport *t = x->transport;

	if (x->easy && t->nhandles < HANDLES_KEPT) {
		curl_easy_reset(x->easy);
		t->handles[t->nhandles++] = x->easy;
	} else if (x->easy) {
		curl_easy_cleanup(x->easy);
	}
	x->easy = NULL;
	curl_slist_free_all(x->headers);
	curl_slist_free_all(x->connect_to);
	x->headers = x->connect_to = NULL;
}
