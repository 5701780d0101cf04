/*
 * credential.h - the credential of requests, kept fresh.
 *
 * A token file is read again every minute.  A plugin runs when its answer is about to expire, or
 * once after a 401, however many requests wait for it. The transport asks before each request;
 * nobody else needs to.
 *
 * Tokens and keys never appear in messages, dumps or traces.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_CREDENTIAL_H
#define TRAINC_RUNTIME_CLUSTER_CREDENTIAL_H

#include "runtime/cluster/kubeconfig.h"
#include "runtime/cluster/loop.h"

struct credential;

/* The values that are valid now.  The texts live until the next change of `generation`. */
struct credential_value {
	struct str token;               /* bearer; empty: none */
	struct str basic_user, basic_password;
	struct str certificate, key;    /* PEM; empty: none */
	unsigned generation;            /* rises with each change */
	/* rises when the certificate changes, since old connections then have the wrong one */
	unsigned certificate_generation;
};

/* One request that waits for a credential; belongs to the caller. */
struct credential_wait {
	/* VALUE is NULL when there is none: WHY is the sentence (status 3). */
	void (*ready)(struct credential_wait *w, const struct credential_value *value, struct str why);
	void *to;
	struct credential_wait *next;   /* credential.c's own */
	bool waiting;
};

/* ACCESS and the loop outlive the credential.  `stdin_free`: nothing else reads standard input, so a plugin may. */
struct credential *credential_new(struct loop *l, const struct kubeconfig_access *access, bool stdin_free);
void credential_release(struct credential *c);

/* Calls W->ready with the valid values: at once, or when a plugin that has to run first has ended. */
void credential_get(struct credential *c, struct credential_wait *w);
/* W is not called any more. */
void credential_forget(struct credential *c, struct credential_wait *w);
/*
 * The server answered 401 to a request with the values of GENERATION.  True when it makes sense to
 * ask again, since a token file or a plugin may give newer values; the next credential_get()
 * refreshes, once for all requests that were refused.
 */
bool credential_refused(struct credential *c, unsigned generation);

/* Runs of the plugin so far. */
unsigned credential_plugin_runs(const struct credential *c);
/* For people: kind, generation, expiry; never a secret. */
void credential_dump(const struct credential *c, struct buf *out);

#endif
