/*
 * fuzz_certificate.c - reads certificates and keys: PEM text as a kubeconfig has it, or one certificate in its binary
 * form. A certificate that can be read is also verified as that of a server, whose facts are explained.
 *
 * What must hold: a refusal has an explanation, an explanation is one line of UTF-8 without control characters, and a
 * pair that is accepted can be used.
 */
#include <openssl/err.h>
#include <openssl/pem.h>

#include "fuzz.h"
#include "runtime/cluster/certificate.h"

#define NOW INT64_C(1700000000000000000)

static void check_line(struct buf *b)
{
	struct str s = buf_text(b);

	fuzz_require(s.n && fuzz_is_line(s) && str_malformed(s) == s.n);
	buf_release(b);
}

/* Verifies X as OpenSSL does during a handshake, and explains what it finds. */
static void check_facts(X509 *x)
{
	struct certificate_facts facts = { 0 };
	SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
	X509_STORE_CTX *store = X509_STORE_CTX_new();
	X509_STORE *none = X509_STORE_new();

	certificate_watch(ctx, &facts);
	SSL *ssl = SSL_new(ctx);
	fuzz_require(ssl && store && none && X509_STORE_CTX_init(store, none, x, NULL) == 1);
	X509_STORE_CTX_set_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx(), ssl);
	X509_STORE_CTX_set_verify_cb(store, SSL_CTX_get_verify_callback(ctx));
	X509_verify_cert(store);
	fuzz_require(!facts.seen || (memchr(facts.subject, 0, sizeof facts.subject) &&
		memchr(facts.issuer, 0, sizeof facts.issuer) && memchr(facts.names, 0, sizeof facts.names)));
	for (int have_ca = 0; facts.seen && have_ca < 2; have_ca++) {
		struct buf b = { 0 };
		certificate_explain(&facts, STR("example.com"), have_ca, NOW, &b);
		check_line(&b);
		facts.error = have_ca ? 0 : facts.error;
	}
	X509_STORE_CTX_free(store);
	X509_STORE_free(none);
	SSL_free(ssl);
	SSL_CTX_free(ctx);
}

static void check_pair(struct arena *a, struct str pem)
{
	struct certificate_own own = { 0 };
	struct str why = STR("");
	struct buf b = { 0 };

	if (certificate_read_pair(a, pem, pem, &own, &why)) {
		SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
		fuzz_require(own.certificate && own.key);
		SSL_CTX_set_security_level(ctx, 0);
		certificate_use_pair(ctx, &own);        /* OpenSSL may refuse a weak key */
		SSL_CTX_free(ctx);
	} else {
		fuzz_require(why.n && fuzz_is_line(why));
	}
	if (certificate_put_expired(&own, NOW, &b))
		check_line(&b);
	certificate_own_release(&own);
}

static void check_ca(struct arena *a, struct str pem)
{
	struct certificate_own own = { 0 };
	struct str why = STR("");
	SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());

	if (certificate_read_ca(a, pem, &own, &why))
		certificate_use_ca(ctx, &own);
	else
		fuzz_require(why.n && fuzz_is_line(why));
	SSL_CTX_free(ctx);
	certificate_own_release(&own);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct arena a = { 0 };
	struct str text = fuzz_input(&a, bytes, n);
	const unsigned char *p = bytes;
	X509 *x = n ? d2i_X509(NULL, &p, (long)n) : NULL;
	BIO *b = BIO_new_mem_buf(text.p, (int)text.n);

	if (!x)
		x = PEM_read_bio_X509(b, NULL, NULL, (void *)(uintptr_t)"");
	BIO_free(b);
	if (x)
		check_facts(x);
	X509_free(x);
	check_ca(&a, text);
	check_pair(&a, text);
	ERR_clear_error();
	arena_release(&a);
	return 0;
}
