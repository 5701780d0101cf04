/*
 * transport_error.c - turns the failure of an exchange into an outcome and a sentence.
 */
#include <errno.h>

#include "base/file.h"
#include "runtime/cluster/proxy.h"
#include "runtime/cluster/transport_internal.h"

/* libcurl's description of the failure, or its general text for CODE. */
static const char *curl_words(const struct transport_exchange *x, CURLcode code)
{
	return x->curl_error[0] ? x->curl_error : curl_easy_strerror(code);
}

static bool says(const struct transport_exchange *x, const char *word) { return strstr(x->curl_error, word) != NULL; }

static struct str sentence(struct transport_exchange *x, struct buf *b)
{
	struct str s = buf_take(b, &x->arena);

	buf_release(b);
	return s;
}

static int os_error(struct transport_exchange *x)
{
	long error = 0;

	curl_easy_getinfo(x->easy, CURLINFO_OS_ERRNO, &error);
	return (int)error;
}

static struct str unreachable(struct transport_exchange *x, CURLcode code)
{
	const struct transport *t = x->transport;
	struct buf b = { 0 };
	int error = os_error(x);

	/* the resolver is only asked again while the server may be a misspelled one */
	x->nowhere = (code == CURLE_COULDNT_CONNECT && error == ECONNREFUSED) || code == CURLE_COULDNT_RESOLVE_PROXY ||
		(code == CURLE_COULDNT_RESOLVE_HOST && !t->counts.answers && exchange_name_is_unknown(x));
	buf_printf(&b, "cannot connect to %.*s", STR_ARG(t->host));
	if (t->proxy.n)
		buf_printf(&b, " by the proxy %.*s", STR_ARG(proxy_shown(&x->arena, t->proxy)));
	buf_z(&b, ": ");
	if (code == CURLE_COULDNT_RESOLVE_HOST)
		buf_printf(&b, "the name '%.*s' %s", STR_ARG(t->o.access->host), x->nowhere ? "does not exist"
			: "cannot be resolved");
	else if (code == CURLE_COULDNT_RESOLVE_PROXY)
		buf_z(&b, "the name of the proxy cannot be resolved");
	else if (code == CURLE_OPERATION_TIMEDOUT)
		buf_printf(&b, "no connection within %lld s", (long long)(t->o.connect_limit / NS_PER_SECOND));
	else if (code == CURLE_COULDNT_CONNECT && error)
		buf_str(&b, file_reason(&x->arena, error));
	else
		put_escaped(&b, str_of(curl_words(x, code)));
	return sentence(x, &b);
}

static struct str untrusted(struct transport_exchange *x, CURLcode code)
{
	const struct transport *t = x->transport;
	const struct kubeconfig_access *access = t->o.access;
	struct buf b = { 0 };

	buf_printf(&b, "no secure connection to %.*s: ", STR_ARG(t->host));
	if (code == CURLE_PEER_FAILED_VERIFICATION && t->facts.seen)
		certificate_explain(&t->facts, access->tls_server_name.n ? access->tls_server_name : access->host,
			access->ca.n > 0, clock_real(), &b);
	else if (says(x, "alert certificate required") || says(x, "alert bad certificate") ||
	         says(x, "alert unknown ca") ||
	         says(x, "alert certificate expired") || says(x, "alert handshake failure")) {
		buf_z(&b, "the server refuses the client certificate (");
		put_escaped(&b, str_of(strstr(x->curl_error, "alert")));
		buf_char(&b, ')');
	} else if (says(x, "wrong version number") || says(x, "packet length too long") || says(x, "http request"))
		buf_z(&b, "the server does not speak TLS on this port; is the address in the kubeconfig right?");
	else
		put_escaped(&b, str_of(curl_words(x, code)));
	return sentence(x, &b);
}

static struct str broken(struct transport_exchange *x, CURLcode code)
{
	struct buf b = { 0 };
	int error = os_error(x);

	buf_printf(&b, "the connection to %.*s broke %s: ", STR_ARG(x->transport->host),
	           x->bytes_in ? "in the middle of the answer" : x->code ? "before the body" : "before the answer");
	if (code == CURLE_PARTIAL_FILE)
		buf_z(&b, "the answer is shorter than announced");
	else if (code == CURLE_GOT_NOTHING || code == CURLE_SEND_FAIL_REWIND)
		buf_z(&b, "the server closed it");
	else if ((code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR) && error)
		buf_str(&b, file_reason(&x->arena, error));
	else
		put_escaped(&b, str_of(curl_words(x, code)));
	return sentence(x, &b);
}

static struct str slow(struct transport_exchange *x)
{
	long long seconds = (long long)((x->limit_ns + NS_PER_SECOND - 1) / NS_PER_SECOND);
	const char *what = x->state == EXCHANGE_ANSWER || x->code ? "nothing more came" : "no answer came";

	if (x->trickled)
		return str_printf(&x->arena, "%s %.*s: the answer of %.*s was not complete after %lld s",
			transport_method_word(x->request.method), STR_ARG(x->url), STR_ARG(x->transport->host),
			(long long)((loop_now(x->transport->o.loop) - x->started) / NS_PER_SECOND));
	return str_printf(&x->arena, "%s %.*s: %s from %.*s within %lld s", transport_method_word(x->request.method),
	                  STR_ARG(x->url), what, STR_ARG(x->transport->host), seconds);
}

static struct str foreign(struct transport_exchange *x)
{
	struct buf b = { 0 };

	buf_printf(&b, "%s %.*s: not a Kubernetes API server: got ", transport_method_word(x->request.method),
		STR_ARG(x->url));
	if (x->stopped == TRANSPORT_FOREIGN)
		put_escaped(&b, x->content_type.n ? x->content_type : STR("an answer without a content type"));
	else
		buf_z(&b, "an empty answer");
	buf_printf(&b, " from %.*s", STR_ARG(x->transport->host));
	return sentence(x, &b);
}

static enum transport_outcome of_handshake(struct transport_exchange *x)
{
	bool cut = says(x, "SSL_ERROR_SYSCALL") || says(x, "Connection reset") || says(x, "unexpected eof");

	return cut ? TRANSPORT_BROKEN : TRANSPORT_UNTRUSTED;
}

static enum transport_outcome classify(struct transport_exchange *x, CURLcode code)
{
	double connected = 0;

	if (x->too_slow)
		return TRANSPORT_SLOW;
	if (x->stopped)
		return x->stopped;
	switch (code) {
	case CURLE_OK: return TRANSPORT_ANSWERED;
	case CURLE_COULDNT_RESOLVE_HOST: case CURLE_COULDNT_RESOLVE_PROXY: case CURLE_COULDNT_CONNECT: case CURLE_PROXY:
		return TRANSPORT_UNREACHABLE;
	case CURLE_OPERATION_TIMEDOUT:
		curl_easy_getinfo(x->easy, CURLINFO_PRETRANSFER_TIME, &connected);
		return connected > 0 ? TRANSPORT_SLOW : TRANSPORT_UNREACHABLE;
	case CURLE_PEER_FAILED_VERIFICATION: case CURLE_SSL_CERTPROBLEM: case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_CIPHER:
	case CURLE_SSL_ISSUER_ERROR: case CURLE_SSL_CLIENTCERT:
		return TRANSPORT_UNTRUSTED;
	case CURLE_SSL_CONNECT_ERROR: return of_handshake(x);
	case CURLE_RECV_ERROR: case CURLE_SEND_ERROR:
		/* with TLS 1.3 the refusal of a client certificate only shows at the first read */
		return says(x, "CONNECT tunnel failed") || says(x, "Proxy CONNECT") ? TRANSPORT_UNREACHABLE
			: says(x, "alert") ? TRANSPORT_UNTRUSTED : TRANSPORT_BROKEN;
	default: return TRANSPORT_BROKEN;
	}
}

enum transport_outcome exchange_outcome(struct transport_exchange *x, CURLcode code, struct str *error)
{
	enum transport_outcome outcome = classify(x, code);
	bool empty = outcome == TRANSPORT_ANSWERED && x->code >= 200 && x->code < 300 && !x->bytes_in &&
		!x->request.text && x->code != 204;

	if (empty && x->request.kind != TRANSPORT_STREAM && !x->request.take)
		outcome = TRANSPORT_FOREIGN;
	switch (outcome) {
	case TRANSPORT_ANSWERED: break;
	case TRANSPORT_UNREACHABLE: *error = unreachable(x, code); break;
	case TRANSPORT_UNTRUSTED: *error = untrusted(x, code); break;
	case TRANSPORT_BROKEN: *error = broken(x, code); break;
	case TRANSPORT_SLOW: *error = slow(x); break;
	case TRANSPORT_FOREIGN: *error = foreign(x); break;
	case TRANSPORT_TOO_LARGE:
		*error = str_printf(&x->arena, "%s %.*s: the answer is larger than 32 MiB",
			transport_method_word(x->request.method), STR_ARG(x->url));
		break;
	case TRANSPORT_STOPPED: *error = STR("stopped"); break;
	case TRANSPORT_NO_CREDENTIAL: break;
	}
	return outcome;
}

/* Cuts S after the text WORD and returns the part before WORD; returns an empty text if S does not contain WORD. */
static struct str take_until(struct str *s, const char *word)
{
	size_t n = strlen(word);
	const char *at = s->n ? memmem(s->p, s->n, word, n) : NULL;

	if (!at)
		return (struct str){ NULL, 0 };
	struct str before = { s->p, (size_t)(at - s->p) };
	*s = (struct str){ at + n, (size_t)(s->p + s->n - at) - n };
	return before;
}

/*
 * Shortens a refusal of Kubernetes' authorizer, without the address, to a text such as 'User "u" cannot watch resource
 * "jobs" in API group "batch" in the namespace "n"'. Returns false for any other message.
 */
static bool put_denied(struct buf *b, struct str message)
{
	struct str rest = message;

	if (!take_until(&rest, "is forbidden: User \"").n)
		return false;
	struct str user = take_until(&rest, "\" cannot "), verb = take_until(&rest, " resource \"");
	struct str resource = take_until(&rest, "\" in API group \""), group = rest, ns;
	const char *quote = memchr(rest.p, '"', rest.n);
	if (!user.n || !verb.n || !resource.n || !quote)
		return false;
	group.n = (size_t)(quote - group.p);
	rest = (struct str){ quote, (size_t)(message.p + message.n - quote) };
	ns = take_until(&rest, "\" in the namespace \"").p ? take_until(&rest, "\"") : STR("");
	buf_z(b, "user '");
	put_escaped(b, user);
	buf_z(b, "' may not ");
	put_escaped(b, verb);
	buf_char(b, ' ');
	put_escaped(b, resource);
	buf_z(b, group.n ? "." : "");
	put_escaped(b, group);
	buf_z(b, ns.n ? " in namespace '" : " in the whole cluster");
	put_escaped(b, ns);
	buf_printf(b, "%s: ask for a %s that has this verb", ns.n ? "'" : "", ns.n ? "Role" : "ClusterRole");
	return true;
}

struct str exchange_refusal(struct transport_exchange *x, const struct transport_status *status)
{
	struct buf b = { 0 };

	if (x->code == 403 && put_denied(&b, status->message))
		return sentence(x, &b);
	if (x->code == 401)
		buf_printf(&b, "%.*s does not accept the credential of %.*s: ", STR_ARG(x->transport->host),
			STR_ARG(x->transport->o.access->origin));
	else
		buf_printf(&b, "%s %.*s: ", transport_method_word(x->request.method), STR_ARG(x->url));
	if (x->code == 401 && x->own_pair && certificate_put_expired(&x->transport->own, clock_real(), &b))
		return sentence(x, &b);
	buf_printf(&b, "%d", x->code);
	if (status->reason.n) {
		buf_char(&b, ' ');
		put_escaped(&b, status->reason);
	}
	buf_z(&b, ": ");
	put_escaped(&b, status->message);
	if (x->code < 400 && x->location.n) {
		buf_z(&b, "; the server redirects to ");
		put_escaped(&b, x->location);
		buf_z(&b, ", which is not followed: put the right address into the kubeconfig");
	}
	return sentence(x, &b);
}
