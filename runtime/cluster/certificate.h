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
 * Is PEM one or more certificates, or a private key? On failure, or when the two do not match, WHY gets an explanation.
 */
bool certificate_check_pair(struct arena *a, struct str certificate, struct str key, struct str *why);
bool certificate_check_ca(struct arena *a, struct str ca, struct str *why);

#endif
