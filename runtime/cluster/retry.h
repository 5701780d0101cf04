/*
 * retry.h - a request with everything around it: a limit on how many are in flight, repetition
 * where that is safe, one refresh after a 401.
 *
 * Ten attempts and a minute by default.  Pauses are what the server asks for (Retry-After, at most
 * 60 s), else 0.5 s doubling to 10 s with full jitter.
 *
 * Reads, server-side apply, dry runs and requests with CALL_REPEAT are repeated after any failure
 * of the connection and any 5xx that may pass.  A POST with unknown outcome is not repeated.  What
 * the server certainly did not do is repeated for every method: no connection, 429, 503, a webhook
 * that failed, a 409 about a quota.  Other 4xx and a 500 about the schema are final; any other 500
 * is repeated twice.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_RETRY_H
#define TRAINC_RUNTIME_CLUSTER_RETRY_H

#include "runtime/cluster/transport.h"

struct calls;
struct call;

enum call_repeat {
	CALL_BY_METHOD,                 /* GET, server-side apply, dryRun: yes; else no */
	/* safe to repeat: DELETE with a uid precondition (after an attempt, 404 and 409 mean done) */
	CALL_REPEAT,
	CALL_ONCE,                      /* never, not even after 429: a probe */
};

struct calls_options {
	struct transport *transport;
	int64_t retry_limit;            /* ns of retrying, --retry-timeout; 0: 60 s */
	unsigned in_flight;             /* at most; 0: 16.  Streams do not count */
	int64_t first_wait;             /* ns; 0: 0.5 s (tests shorten it) */
	/* A retry waits: for -v and, after 5 s, the progress line.  May be NULL. */
	void (*retrying)(void *to, const struct transport_request *r, struct str why, int64_t wait_ns,
		int64_t since_ns);
	void *to;
};

struct calls *calls_new(struct arena *a, const struct calls_options *o);
/* Cancels what is under way. */
void calls_release(struct calls *c);
/* No new request starts; those in flight may finish.  Requests that were waiting end with TRANSPORT_STOPPED. */
void calls_stop(struct calls *c);

/*
 * Starts R, or queues it behind those in flight.  `done` is called exactly once, after the last
 * attempt.  `restart` is called before each further attempt of a request with a `take`, so that
 * the caller can drop the bytes so far (it must not cancel the call); without `restart` such a
 * request is not repeated once bytes were taken.
 */
struct call *call_start(struct calls *c, const struct transport_request *r, enum call_repeat repeat,
	void (*restart)(void *to));
/* `done` is not called. */
void call_cancel(struct call *call);

/* In flight and queued. */
size_t calls_pending(const struct calls *c);
struct transport *calls_transport(const struct calls *c);
/* For people: every call with its attempts and the reason for its pause. */
void calls_dump(const struct calls *c, struct buf *out);

/* ---- what a result means ---- */

enum call_class {
	CALL_DONE,                      /* 2xx */
	CALL_NOT_FOUND,                 /* 404 */
	CALL_GONE,                      /* 410, or 504 "Too large resource version" */
	CALL_CONFLICT,                  /* 409: fields, versions, uids */
	CALL_DENIED,                    /* 401, 403 but for quotas and terminating namespaces */
	CALL_REJECTED,                  /* 400, 413, 422, 500 about the schema, quota */
	CALL_UNAVAILABLE,               /* any other error that may pass, after all retries */
	CALL_CONFIGURATION,             /* credential plugin */
};
enum call_class call_class(const struct transport_result *r);
/* 0, 3, 4, 5, 6 or 7. */
int call_exit_status(const struct transport_result *r);

#endif
