/*
 * listen.h - a small HTTP server for probes and metrics: GET only, one request per connection.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_LISTEN_H
#define TRAINC_RUNTIME_SUPERVISE_LISTEN_H

#include "runtime/cluster/loop.h"

struct listen;

/* Appends the answer for PATH ("/healthz") to OUT; returns the HTTP status code. */
typedef int (*listen_answer)(void *to, struct str path, struct buf *out);

struct listen_options {
	const char *option;             /* name of the option that gave the address, for messages */
	struct str address;             /* "8081", ":8081", "127.0.0.1:8081" or "[::1]:8081" */
	listen_answer answer;
	void *to;                       /* passed to `answer` */
};

/* Listens on an address. Returns NULL on failure, with an explanation in WHY. */
struct listen *listen_start(struct arena *a, struct loop *loop, const struct listen_options *o, struct str *why);
/* Closes all connections, and frees L, which may be NULL. */
void listen_stop(struct listen *l);

#endif
