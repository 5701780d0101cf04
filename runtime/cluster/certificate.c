/*
 * certificate.c - collects facts about certificates with OpenSSL. libcurl only reports that verification failed. A
 * callback of the TLS context sees each certificate of the chain and notes which one was refused and why.
 */
#include "runtime/cluster/certificate.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <arpa/inet.h>

#include "base/words.h"

/* ---- noting facts ---- */

static int64_t time_of(const ASN1_TIME *t)
{
	struct tm tm;

	return t && ASN1_TIME_to_tm(t, &tm) == 1 ? (int64_t)timegm(&tm) * NS_PER_SECOND : 0;
}

static void name_text(X509_NAME *name, char *room, size_t n)
{
	BIO *b = BIO_new(BIO_s_mem());
	int got = 0;

	if (b && X509_NAME_print_ex(b, name, 0, XN_FLAG_RFC2253 & ~ASN1_STRFLGS_ESC_MSB) >= 0)
		got = BIO_read(b, room, (int)n - 1);
	room[got > 0 ? got : 0] = 0;
	BIO_free(b);
}

/* Appends one name of the certificate while there is room. */
static void put_name(char *room, size_t size, const char *text, size_t n)
{
	size_t used = strlen(room);

	if (used + n + 3 > size)
		return;
	if (used) {
		memcpy(room + used, ", ", 2);
		used += 2;
	}
	memcpy(room + used, text, n);
	room[used + n] = 0;
}

static void names_text(X509 *x, char *room, size_t size)
{
	GENERAL_NAMES *names = X509_get_ext_d2i(x, NID_subject_alt_name, NULL, NULL);
	char address[INET6_ADDRSTRLEN];

	room[0] = 0;
	for (int i = 0; i < sk_GENERAL_NAME_num(names); i++) {
		const GENERAL_NAME *g = sk_GENERAL_NAME_value(names, i);
		if (g->type == GEN_DNS) {
			put_name(room, size, (const char *)ASN1_STRING_get0_data(g->d.dNSName),
				(size_t)ASN1_STRING_length(g->d.dNSName));
		} else if (g->type == GEN_IPADD) {
			int n = ASN1_STRING_length(g->d.iPAddress);
			if ((n == 4 || n == 16) && inet_ntop(n == 4 ? AF_INET : AF_INET6,
			    ASN1_STRING_get0_data(g->d.iPAddress), address, sizeof address))
				put_name(room, size, address, strlen(address));
		}
	}
	GENERAL_NAMES_free(names);
}

static void note(struct certificate_facts *f, X509 *x)
{
	name_text(X509_get_subject_name(x), f->subject, sizeof f->subject);
	name_text(X509_get_issuer_name(x), f->issuer, sizeof f->issuer);
	names_text(x, f->names, sizeof f->names);
	f->not_before = time_of(X509_get0_notBefore(x));
	f->not_after = time_of(X509_get0_notAfter(x));
	f->seen = true;
}

static int verified(int ok, X509_STORE_CTX *store)
{
	SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
	struct certificate_facts *f = ssl ? SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)) : NULL;
	X509 *x = X509_STORE_CTX_get_current_cert(store);

	if (f && x && (!ok || X509_STORE_CTX_get_error_depth(store) == 0)) {
		note(f, x);
		if (!ok)
			f->error = X509_STORE_CTX_get_error(store);
	}
	return ok;
}

void certificate_watch(SSL_CTX *ctx, struct certificate_facts *facts)
{
	SSL_CTX_set_app_data(ctx, facts);
	SSL_CTX_set_verify(ctx, SSL_CTX_get_verify_mode(ctx), verified);
}

/* ---- explaining a refusal ---- */

static void put_date(struct buf *out, int64_t ns) { put_time(out, ns, 0); }

static void put_subject(const struct certificate_facts *f, struct buf *out)
{
	buf_z(out, "the certificate of '");
	put_escaped(out, str_of(f->subject));
	buf_z(out, "' (issued by '");
	put_escaped(out, str_of(f->issuer));
	buf_z(out, "') ");
}

void certificate_explain(const struct certificate_facts *f, struct str host, bool have_ca, int64_t now, struct buf *out)
{
	put_subject(f, out);
	if (f->error == X509_V_ERR_CERT_HAS_EXPIRED) {
		buf_z(out, "expired at ");
		put_date(out, f->not_after);
		buf_z(out, "; this machine's clock says ");
		put_date(out, now);
	} else if (f->error == X509_V_ERR_CERT_NOT_YET_VALID) {
		buf_z(out, "is not valid before ");
		put_date(out, f->not_before);
		buf_z(out, ", and this machine's clock says ");
		put_date(out, now);
		buf_z(out, "; check the clock");
	} else if (f->error) {
		buf_printf(out, "is not trusted: %s; ", X509_verify_cert_error_string(f->error));
		buf_z(out, have_ca ? "the certificate-authority of the kubeconfig did not sign it"
		      : "the kubeconfig has no certificate-authority, and the system's do not know the issuer");
	} else {
		buf_z(out, "is not for '");
		put_escaped(out, host);
		buf_z(out, "'; it is for ");
		put_escaped(out, str_of(f->names[0] ? f->names : "no name at all"));
		buf_z(out, "; set tls-server-name in the kubeconfig if one of these is the server");
	}
	if (f->error && f->error != X509_V_ERR_CERT_HAS_EXPIRED && f->error != X509_V_ERR_CERT_NOT_YET_VALID) {
		buf_z(out, " (valid from ");
		put_date(out, f->not_before);
		buf_z(out, " to ");
		put_date(out, f->not_after);
		buf_char(out, ')');
	}
}

/* ---- certificates and keys of the kubeconfig ---- */

static BIO *reading(struct str pem) { return BIO_new_mem_buf(pem.p, (int)pem.n); }

/* Refuses a key that is protected by a passphrase, instead of asking for the passphrase. */
static int no_passphrase(char *room, int size, int writing, void *to)
{
	(void)room; (void)size; (void)writing; (void)to;
	return -1;
}

static bool no_pem(struct arena *a, const char *what, struct str *why)
{
	*why = str_copy(a, str_of(what));
	ERR_clear_error();
	return false;
}

/* Reads the certificates that follow the client's own. */
static STACK_OF(X509) *read_chain(BIO *b)
{
	STACK_OF(X509) *chain = sk_X509_new_null();
	X509 *x;

	while (chain && (x = PEM_read_bio_X509(b, NULL, no_passphrase, NULL)))
		if (!sk_X509_push(chain, x))
			X509_free(x);
	return chain;
}

bool certificate_read_pair(struct arena *a, struct str certificate, struct str key, struct certificate_own *own,
	struct str *why)
{
	BIO *cb = reading(certificate), *kb = reading(key);

	own->certificate = cb ? PEM_read_bio_X509_AUX(cb, NULL, no_passphrase, NULL) : NULL;
	own->chain = own->certificate ? read_chain(cb) : NULL;
	own->key = kb ? PEM_read_bio_PrivateKey(kb, NULL, no_passphrase, NULL) : NULL;
	BIO_free(cb);
	BIO_free(kb);
	if (!own->certificate)
		return no_pem(a, "the client certificate is not a certificate in PEM form", why);
	if (!own->key)
		return no_pem(a, "the client key is not a private key in PEM form without a passphrase", why);
	if (X509_check_private_key(own->certificate, own->key) != 1)
		return no_pem(a, "the client key does not belong to the client certificate", why);
	ERR_clear_error();
	return true;
}

bool certificate_read_ca(struct arena *a, struct str ca, struct certificate_own *own, struct str *why)
{
	BIO *b = reading(ca);
	X509 *x;
	size_t n = 0;

	own->authorities = X509_STORE_new();
	while (b && own->authorities && (x = PEM_read_bio_X509_AUX(b, NULL, no_passphrase, NULL))) {
		n += X509_STORE_add_cert(own->authorities, x) == 1;
		X509_free(x);
	}
	BIO_free(b);
	if (!n)
		return no_pem(a, "the certificate-authority is not a certificate in PEM form", why);
	/* an intermediate certificate suffices as an authority, as in libcurl */
	X509_STORE_set_flags(own->authorities, X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN);
	ERR_clear_error();
	return true;
}

void certificate_use_ca(SSL_CTX *ctx, const struct certificate_own *own)
{
	if (own->authorities)
		SSL_CTX_set1_cert_store(ctx, own->authorities);
}

bool certificate_use_pair(SSL_CTX *ctx, const struct certificate_own *own)
{
	return !own->certificate || (SSL_CTX_use_certificate(ctx, own->certificate) == 1 &&
		SSL_CTX_set1_chain(ctx, own->chain) == 1 && SSL_CTX_use_PrivateKey(ctx, own->key) == 1);
}

bool certificate_put_expired(const struct certificate_own *own, int64_t now, struct buf *out)
{
	int64_t end = own->certificate ? time_of(X509_get0_notAfter(own->certificate)) : 0;

	if (!end || end >= now)
		return false;
	buf_z(out, "its client certificate expired at ");
	put_date(out, end);
	buf_z(out, "; get a new one, usually with a new kubeconfig");
	return true;
}

void certificate_own_release(struct certificate_own *own)
{
	X509_STORE_free(own->authorities);
	X509_free(own->certificate);
	sk_X509_pop_free(own->chain, X509_free);
	EVP_PKEY_free(own->key);
	*own = (struct certificate_own){ 0 };
}
