/*
 * batch.h - a group of requests that are started at once and waited for together. Commands such as `apply` and `delete`
 * are sequences of batches, with a decision after each one. Requests of a batch share the connection and run in
 * parallel, as many at a time as retry.h permits.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_BATCH_H
#define TRAINC_RUNTIME_CLUSTER_BATCH_H

#include "data/data.h"
#include "runtime/cluster/client.h"

/* The answer to one request; its texts live in the arena of the batch. */
struct answer {
	enum call_class class;
	enum transport_outcome outcome;
	int code;                       /* HTTP status code; 0: no answer arrived */
	int status;                     /* exit status that follows from the answer */
	struct str error;               /* the error as a sentence; empty on success */
	struct str message, reason;     /* message and reason in the server's answer */
	struct transport_cause *causes;
	size_t ncauses;
	struct str body;
	struct data *data;              /* the body as a tree; NULL: the answer has no body that can be parsed */
	bool stopped;                   /* the request was never sent: the user interrupted the command */
};

struct batch {
	struct client *client;
	struct arena *arena;
	struct answer **answers;        /* in the order of batch_add() */
	size_t n, pending;
	void (*progress)(void *to, size_t done, size_t all);    /* called after each answer; may be NULL */
	void *to;
};

struct batch batch_new(struct client *c, struct arena *a);
/* Starts R; sets its `done`, `to` and `take`. The answer is complete after batch_wait(). */
struct answer *batch_add(struct batch *b, const struct transport_request *r, enum call_repeat repeat);
/* Waits for all answers; false if the user interrupted the command. */
bool batch_wait(struct batch *b);

/* Sends one request and waits for its answer. */
struct answer *request_send(struct client *c, struct arena *a, const struct transport_request *r,
	enum call_repeat repeat);
/* Sends GET PATH and parses the answer as a tree. */
struct answer *request_get(struct client *c, struct arena *a, struct str path);

#endif
