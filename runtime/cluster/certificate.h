/*
 * certificate.h - facts about the server's certificate, for messages: subject, issuer, dates and
 * names, and why it was refused.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_CERTIFICATE_H
#define TRAINC_RUNTIME_CLUSTER_CERTIFICATE_H

#include <openssl/ssl.h>

#include "base/buf.h"

struct certificate_facts {
	bool seen;                      /* a handshake has delivered a certificate */
	int error;                      /* why verification failed, X509_V_ERR_...; 0: the chain is valid */
	char subject[256], issuer[256];
	char names[512];                /* DNS names and addresses that the certificate is for */
	int64_t not_before, not_after;  /* validity of the certificate in ns since 1970 */
};

/* Makes CTX record in FACTS the certificates that it verifies. FACTS must outlive CTX. */
void certificate_watch(SSL_CTX *ctx, struct certificate_facts *facts);

/*
 * Appends one sentence that says why the certificate was refused. HOST is the name that was verified, HAVE_CA says
 * whether the kubeconfig gives a certificate authority, NOW is in ns since 1970.
 */
void certificate_explain(const struct certificate_facts *f, struct str host, bool have_ca, int64_t now,
	struct buf *out);

/*
 * The TLS settings of a kubeconfig, parsed once for all connections: OpenSSL 3.0 builds a decoder for every key and
 * certificate that it reads, which costs more than the rest of a short command.
 */
struct certificate_own {
	X509_STORE *authorities;        /* NULL: the system's authorities are used */
	X509 *certificate;              /* NULL: the client has no certificate */
	STACK_OF(X509) *chain;          /* intermediate certificates, from the client's own to an authority */
	EVP_PKEY *key;
};

/* Reads certificates in PEM form. Returns false with an explanation if the text contains no certificate. */
bool certificate_read_ca(struct arena *a, struct str ca, struct certificate_own *own, struct str *why);
/*
 * Reads the client's certificate and key. Returns false with an explanation on failure, for example if the two do not
 * belong together.
 */
bool certificate_read_pair(struct arena *a, struct str certificate, struct str key, struct certificate_own *own,
	struct str *why);
/* Makes CTX use these settings; false if OpenSSL refuses them or has no memory. */
void certificate_use_ca(SSL_CTX *ctx, const struct certificate_own *own);
bool certificate_use_pair(SSL_CTX *ctx, const struct certificate_own *own);
/*
 * Has the client's certificate expired at NOW, in ns since 1970? If so, appends a sentence with the date of expiry to
 * OUT.
 */
bool certificate_put_expired(const struct certificate_own *own, int64_t now, struct buf *out);
void certificate_own_release(struct certificate_own *own);

#endif
