/*
 * retry.h - sends requests with a limit on the number in flight, repeats them when that is safe, and renews the
 * credential once after a 401. Requests may belong to users who share the places in flight as share.h says: those of
 * one user may all wait for an answer, and requests of the others are sent nevertheless.
 *
 * By default a request is attempted ten times within a minute. The server may request the pause between attempts
 * (Retry-After, at most 60 s). Otherwise the pause starts at 0.5 s and doubles up to 10 s, with full jitter.
 *
 * Reads, server-side apply, dry runs and requests with CALL_REPEAT are repeated after any failure of the connection and
 * any 5xx that may be temporary. A POST with an unknown outcome is not repeated. Every method is repeated when the
 * server certainly did not carry out the request: no connection, 429, 503, a webhook that failed, a 409 about a quota.
 * Other 4xx and a 500 about the schema are final; any other 500 is repeated twice.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_RETRY_H
#define TRAINC_RUNTIME_CLUSTER_RETRY_H

#include "runtime/cluster/transport.h"

struct calls;
struct call;

/* A user of the requests in flight. It must live until its calls have ended. */
struct call_share {
	bool apart;                     /* its requests need no place: they are sent at once, whatever else waits */
	size_t running;                 /* number of its requests in flight */
	size_t calls;                   /* number of its calls that have not ended */
};

enum call_repeat {
	CALL_BY_METHOD,                 /* repeat GET, server-side apply and dry runs, but no other requests */
	/*
	 * always repeat: for DELETE with a uid precondition (404 and 409 after an attempt mean that the object is
	 * deleted)
	 */
	CALL_REPEAT,
	CALL_ONCE,                      /* never repeat, not even after 429: a probe */
};

struct calls_options {
	struct transport *transport;
	int64_t retry_limit;            /* longest time of retrying in ns, --retry-timeout; 0: 60 s */
	unsigned in_flight;             /* maximum number of requests in flight, not counting streams; 0: 16 */
	/*
	 * The caller may have named the wrong server: if no server has answered yet, a name that does not exist and a
	 * port that nobody listens on are final.
	 */
	bool first_contact;
	int64_t first_wait;             /* first pause in ns; 0: 0.5 s (tests use less) */
	/* Called when a retry waits, for -v and, after 5 s, for the progress line. May be NULL. */
	void (*retrying)(void *to, const struct transport_request *r, struct str why, int64_t wait_ns,
		int64_t since_ns);
	void *to;
};

struct calls *calls_new(struct arena *a, const struct calls_options *o);
/* Cancels all calls and frees C. */
void calls_release(struct calls *c);
/* Stops new requests; requests in flight may finish. Requests that were waiting end with TRANSPORT_STOPPED. */
void calls_stop(struct calls *c);
/* Permits new calls again after calls_stop() or calls_cut(). */
void calls_go_on(struct calls *c);
/*
 * Ends all calls at once, because the command has no more time. A call that has failed before ends with its last
 * failure, a call that waits for its first answer with TRANSPORT_SLOW, and a call that was never sent with
 * TRANSPORT_STOPPED. Returns the error of the call that the command waited for, in the arena A; empty: the command
 * waited for no call. Must not be called inside `done` or `take`.
 */
struct str calls_cut(struct calls *c, struct arena *a);

/*
 * Starts R, or queues R until fewer requests are in flight. `done` is called exactly once, after the last attempt. For
 * a request with a `take`, `restart` is called before each further attempt, so that the caller can drop the bytes so
 * far (it must not cancel the call). Without `restart` such a request is not repeated once bytes have been passed to
 * `take`.
 */
struct call *call_start(struct calls *c, const struct transport_request *r, enum call_repeat repeat,
	void (*restart)(void *to));
/* Cancels a call; `done` is not called. */
void call_cancel(struct call *call);

/* The number of calls in flight or queued. */
size_t calls_pending(const struct calls *c);
struct transport *calls_transport(const struct calls *c);
/* Appends a line for people about every call, with its attempts and the reason for its pause. */
void calls_dump(const struct calls *c, struct buf *out);

/* ---- the meaning of a result ---- */

enum call_class {
	CALL_DONE,                      /* 2xx */
	CALL_NOT_FOUND,                 /* 404 */
	CALL_GONE,                      /* 410, or 504 "Too large resource version" */
	CALL_CONFLICT,                  /* 409: conflicts of fields, versions or uids */
	CALL_DENIED,                    /* 401, or 403 unless it is about a quota or about a namespace that is being
					 * deleted */
	CALL_REJECTED,                  /* 400, 413, 422, 500 about the schema, or a refusal by a quota */
	CALL_UNAVAILABLE,               /* any other error that may be temporary, after all attempts */
	CALL_CONFIGURATION,             /* the credential plugin failed */
};
enum call_class call_class(const struct transport_result *r);
/* The exit status for a result: 0, 3, 4, 5, 6 or 7; 124 if the call was cut off. */
int call_exit_status(const struct transport_result *r);

#endif
