/*
 * batch.h - requests that belong together: started at once, waited for together.
 *
 * `apply`, `delete` and the like are sequences of such batches, with a decision between each two.
 * Requests of a batch share the connection and run side by side, as many at a time as retry.h
 * permits.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_BATCH_H
#define TRAINC_RUNTIME_CLUSTER_BATCH_H

#include "data/data.h"
#include "runtime/cluster/client.h"

/* One answer; its texts live in the arena of the batch. */
struct answer {
	enum call_class class;
	enum transport_outcome outcome;
	int code;                       /* 0 when no answer arrived */
	int status;                     /* the exit status that the answer means */
	struct str error;               /* a sentence; empty on success */
	struct str message, reason;     /* the server's own message */
	struct transport_cause *causes;
	size_t ncauses;
	struct str body;
	struct data *data;              /* the body as a tree; NULL when there is none */
	bool stopped;                   /* the request was never sent: the user interrupted the command */
};

struct batch {
	struct client *client;
	struct arena *arena;
	struct answer **answers;        /* in the order of batch_add() */
	size_t n, pending;
	void (*progress)(void *to, size_t done, size_t all);    /* after each answer; may be NULL */
	void *to;
};

struct batch batch_new(struct client *c, struct arena *a);
/* Starts R, whose `done`, `to` and `take` are set here.  The answer is ready after batch_wait(). */
struct answer *batch_add(struct batch *b, const struct transport_request *r, enum call_repeat repeat);
/* Waits for all; false when the user interrupted. */
bool batch_wait(struct batch *b);

/* One request alone. */
struct answer *request_send(struct client *c, struct arena *a, const struct transport_request *r,
	enum call_repeat repeat);
/* GET PATH, with a tree. */
struct answer *request_get(struct client *c, struct arena *a, struct str path);

#endif
