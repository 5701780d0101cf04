/*
 * credential.h - keeps the credential of requests valid. A token file is read again every minute. A plugin runs when
 * its answer is about to expire, or after a 401, once for all requests that wait for it. The transport asks for the
 * credential before each request; no other code does. Tokens and keys never appear in messages, dumps or traces.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_CREDENTIAL_H
#define TRAINC_RUNTIME_CLUSTER_CREDENTIAL_H

#include "runtime/cluster/kubeconfig.h"
#include "runtime/cluster/loop.h"

struct credential;

/* The values that are currently valid. Their texts live until `generation` changes. */
struct credential_value {
	struct str token;               /* bearer token; empty: no token */
	struct str basic_user, basic_password;
	struct str certificate, key;    /* client certificate and its key as PEM; empty: no certificate */
	unsigned generation;            /* increases with each change */
	/* increases when the certificate changes, because existing connections still use the old certificate */
	unsigned certificate_generation;
};

/* A request that waits for a credential; the struct belongs to the caller. */
struct credential_wait {
	/* Called with the values. VALUE is NULL if no values are available: then WHY has an explanation (status 3). */
	void (*ready)(struct credential_wait *w, const struct credential_value *value, struct str why);
	void *to;
	struct credential_wait *next;   /* private to credential.c */
	bool waiting;
};

/*
 * ACCESS and the loop must outlive the credential. STDIN_FREE: nothing else reads standard input, so a plugin may read
 * it.
 */
struct credential *credential_new(struct loop *l, const struct kubeconfig_access *access, bool stdin_free);
void credential_release(struct credential *c);

/* Calls W->ready with the valid values: at once or, if the plugin must run first, after it has run. */
void credential_get(struct credential *c, struct credential_wait *w);
/* Makes sure that W is not called any more. */
void credential_forget(struct credential *c, struct credential_wait *w);
/*
 * Must be called when the server answered 401 to a request with the values of GENERATION. Returns true if another
 * attempt makes sense, because a token file or a plugin may give newer values. The next credential_get() renews the
 * values, once for all requests that were refused.
 */
bool credential_refused(struct credential *c, unsigned generation);

/* Number of times the plugin has run so far. */
unsigned credential_plugin_runs(const struct credential *c);

#endif
