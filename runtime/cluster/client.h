/*
 * client.h - everything that a command needs to talk to one API server, created from the options of the command line:
 * loop, access, credential, transport, calls. Prints errors that occur while opening and warnings of the server to
 * standard error; with -v also every request, every wait before a retry and, at the end, the number of requests.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_CLIENT_H
#define TRAINC_RUNTIME_CLUSTER_CLIENT_H

#include "command/session.h"
#include "runtime/cluster/retry.h"

struct client {
	struct session *session;
	struct loop *loop;
	struct kubeconfig_access access;
	struct credential *credential;
	struct transport *transport;
	struct calls *calls;
	int64_t patience;               /* longest time in ns until lists must be complete: twice --retry-timeout */
	bool verbose;
	bool retry_told;                /* a line has said that requests are repeated */
	bool offset_noted;              /* the difference between the clocks has been reported */
	struct map skipped;             /* the objects that were named because they cannot be used: see skipped.h */
	size_t nskipped;                /* number of these objects */
};

struct client_options {
	struct str program_namespace;   /* namespace of the program; p == NULL: the program gives no namespace */
	/* the command sends no request, so that no cluster needs to be configured */
	bool offline;
	bool quiet_plugin;              /* shell completion: a credential plugin must not ask questions */
	unsigned in_flight;             /* maximum number of requests in flight, as in struct calls_options */
	/* Called when a request waits before a retry, as in struct calls_options; may be NULL. */
	void (*retrying)(void *to, const struct transport_request *r, struct str why, int64_t wait_ns,
		int64_t since_ns);
	void *to;
};

/*
 * Prepares a connection, but does not connect yet. Returns false and sets a status after reporting an error. C must not
 * be moved until client_close(), which is harmless after a failure and on zeroed memory.
 */
bool client_open(struct client *c, struct session *s, const struct client_options *o, int *ret_status);
void client_close(struct client *c);

/* Reads the API server's gitVersion. */
bool client_server_version(struct session *s, struct str *ret, int *ret_status);

#endif
