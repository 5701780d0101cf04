/*
 * transport.h - one attempt at one HTTP request to the API server, asynchronously. Knows HTTP, TLS, proxies and
 * credentials, but not the meaning of requests. All requests share one HTTP/2 connection if the server speaks HTTP/2
 * (more connections beyond 90 streams), otherwise a pool of HTTP/1.1 connections. Most callers should use retry.h,
 * which takes the same request and repeats it when that is safe.
 *
 * Memory: transport_start() copies everything that a request points to. A result and everything in it is freed when
 * `done` returns.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_TRANSPORT_H
#define TRAINC_RUNTIME_CLUSTER_TRANSPORT_H

#include "runtime/cluster/credential.h"

struct transport;
struct transport_exchange;
struct data;
struct transport_result;

enum transport_method { TRANSPORT_GET, TRANSPORT_POST, TRANSPORT_PUT, TRANSPORT_PATCH, TRANSPORT_DELETE };

enum transport_kind {
	TRANSPORT_READ,                 /* no byte for 30 s is an error */
	TRANSPORT_WRITE,                /* as READ, but up to 65 s may pass before the first byte: the server needs up
					 * to 60 s */
	TRANSPORT_LIST,                 /* as READ; the answer is compressed if the kubeconfig permits it */
	TRANSPORT_STREAM,               /* watch or log: the header must begin within 30 s; afterwards there is no
					 * limit */
};

struct transport_pair {
	struct str name, value;
};

struct call_share;

struct transport_request {
	enum transport_method method;
	enum transport_kind kind;
	struct str path;                /* path from transport_path(), or "/version": begins with '/',
					 * percent-encoded */
	const struct transport_pair *query;     /* query parameters, not encoded yet */
	size_t nquery;
	const struct transport_pair *headers;   /* headers besides Accept and Content-Type */
	size_t nheaders;
	struct str accept;              /* value of Accept; empty: application/json */
	struct str content_type;        /* type of the body; empty: application/json */
	struct str body;                /* body of the request; empty: no body */
	bool text;                      /* the answer is plain text (a log): its content type is not checked */
	struct call_share *share;       /* whose share of the requests in flight this is (retry.h); NULL: nobody's */
	int64_t timeout;                /* longest time for the whole exchange in ns; 0: depends on the kind */
	/* STREAM: ns without a byte after which the connection is considered dead; 0: no limit */
	int64_t quiet;
	/*
	 * Called with pieces of the body of a successful answer as they arrive; false ends the exchange (outcome
	 * TRANSPORT_STOPPED). NULL: the body is collected, up to TRANSPORT_LARGEST bytes.
	 */
	bool (*take)(void *to, struct str bytes);
	/* Called when the header of a successful response has arrived; the body may take long.  NULL: no callback. */
	void (*began)(void *to);
	/*
	 * Not NULL: the exchange only connects, and nothing is sent. Called when the connection is ready; it stays open
	 * until transport_cancel(), and `done` is only called after a failure to connect (websocket.h).
	 */
	void (*connected)(void *to, struct transport_exchange *x);
	void (*done)(void *to, const struct transport_result *result);
	void *to;
};

enum { TRANSPORT_LARGEST = 32 << 20 };

enum transport_outcome {
	TRANSPORT_ANSWERED,             /* an answer has arrived, with `code` and the whole body; also for 4xx and
					 * 5xx */
	TRANSPORT_UNREACHABLE,          /* no connection: unknown name, refused, or a proxy error */
	TRANSPORT_UNTRUSTED,            /* TLS failed: the certificate, or the handshake */
	TRANSPORT_BROKEN,               /* the connection was reset or cut off, or the answer is not HTTP */
	TRANSPORT_SLOW,                 /* a time limit has passed */
	TRANSPORT_NO_CREDENTIAL,        /* the plugin or the token file gave no credential */
	TRANSPORT_FOREIGN,              /* the response is not from an API server, but perhaps a login page */
	TRANSPORT_TOO_LARGE,
	TRANSPORT_STOPPED,              /* `take` returned false, or the calls were stopped */
};

struct transport_cause {
	struct str reason, field, message;
};

/* A failure as the server describes it, or derived from the code if the body is not a Status. */
struct transport_status {
	struct str reason;              /* the reason: "Conflict"; may be empty */
	struct str message;             /* the message; never empty */
	struct transport_cause *causes;
	size_t ncauses;
	struct str kind, group, name, uid;      /* the object that the failure is about */
	struct str continue_token;      /* token to continue a list that has expired; empty: the list cannot continue */
	bool is_object;                 /* the body was a Status */
};

struct transport_result {
	enum transport_outcome outcome;
	int code;                       /* HTTP status code; 0: no answer */
	const struct transport_status *status;  /* the failure, for codes of 300 and above; otherwise NULL */
	struct str body;                /* the body, if it was collected */
	/*
	 * The body as a tree, after it was compared with its request (retry.h); it lives until `done` returns. NULL
	 * for a failure and for an answer that was read as it arrived.
	 */
	const struct data *tree;
	struct str content_type;
	int64_t retry_after;            /* pause in ns that the server requests; -1: no pause was requested */
	/*
	 * The failure in one sentence: "cannot connect to 10.0.0.1:6443: connection refused", "GET /api/v1/nodes: 403
	 * Forbidden: ...". Empty on success.
	 */
	struct str error;
	int64_t bytes_in, bytes_out;    /* size of the bodies */
	int64_t ns;                     /* duration in ns */
	unsigned attempts;              /* number of attempts; always 1 here, and set by retry.h */
	bool nowhere;                   /* UNREACHABLE: the name does not exist, or nobody listens on the port */
	bool cut;                       /* calls_cut() ended the request because the command had no more time */
	unsigned credential;            /* generation of the credential that was used */
	bool http2;
};

/* Is the result a complete answer with a code of 200 to 299? */
static inline bool transport_ok(const struct transport_result *r)
{
	return r->outcome == TRANSPORT_ANSWERED && r->code >= 200 && r->code < 300;
}

/* Copies STATUS so that the copy outlives the result; NULL if STATUS is NULL. */
const struct transport_status *transport_status_copy(struct arena *a, const struct transport_status *s);

/* ---- one server ---- */

/* Counts of the traffic so far, for the line at the end of -v. */
struct transport_counts {
	uint64_t requests, answers, failures;   /* `failures`: number of requests without an answer */
	uint64_t reads, writes, streams;        /* number of requests by kind */
	uint64_t retries;               /* number of `requests` that repeat another request (retry.h counts them) */
	uint64_t connections;           /* number of connections opened */
	uint64_t bytes_in, bytes_out;   /* size of the bodies */
	unsigned in_flight, most_in_flight;
};

struct transport_options {
	struct loop *loop;
	const struct kubeconfig_access *access;
	struct credential *credential;
	struct str user_agent;          /* value of User-Agent; empty: trainc/VERSION */
	/* Called for each line of -v, without a newline; NULL: no trace. A line never contains a secret. */
	void (*trace)(void *to, struct str line);
	/* Called with the text of a Warning header, once for each text; NULL: warnings are dropped. */
	void (*warning)(void *to, struct str text);
	void *to;
	/* Time limits in ns; 0: the default limit (tests use shorter limits). */
	int64_t connect_limit, read_limit, write_limit, stall_limit;
};

/*
 * Creates a transport. Returns NULL with an explanation in WHY (status 3 or 7) if certificates cannot be read or a
 * proxy is not a URL.
 */
struct transport *transport_new(struct arena *a, const struct transport_options *o, struct str *why);
/*
 * Cancels all exchanges in flight and closes connections. Must not be called inside a callback, which can stop the loop
 * instead.
 */
void transport_release(struct transport *t);

/*
 * Starts a request. `done` is called exactly once unless the request is cancelled, and never before this call returns.
 */
struct transport_exchange *transport_start(struct transport *t, const struct transport_request *r);
/* Cancels an exchange; `done` is not called. */
void transport_cancel(struct transport_exchange *x);

const struct transport_counts *transport_counted(const struct transport *t);
void transport_count_retry(struct transport *t);
struct credential *transport_credential(const struct transport *t);
struct loop *transport_loop(const struct transport *t);
/* Host and port for messages: "10.0.0.1:6443", "[::1]:6443". */
struct str transport_host(const struct transport *t);
/*
 * The number of nanoseconds by which the server's clock is ahead of ours, as exactly as the Date headers show it; 0
 * until a Date header proves a difference.
 */
int64_t transport_clock_offset(const struct transport *t);
/* Has any answer said what time it is? */
bool transport_clock_known(const struct transport *t);
/*
 * Appends the last line of -v: "38 requests (36 reads, 2 writes), 1 connection, 0 retries, 120.4 KiB in, 3.1 KiB out".
 */
void transport_budget(const struct transport *t, struct buf *out);
/* Appends a line for every exchange and connection with its state, for people. */
void transport_dump(const struct transport *t, struct buf *out);

/* ---- paths ---- */

struct transport_place {
	struct str group;               /* API group; empty: the core group */
	struct str version, plural;     /* version and plural: "v1", "jobs" */
	struct str namespace;           /* namespace; empty: cluster-wide, or all namespaces */
	struct str name, subresource;   /* name and subresource; may be empty */
};
/* The path of a resource, such as "/apis/batch/v1/namespaces/default/jobs/bert", with every part percent-encoded. */
struct str transport_path(struct arena *a, const struct transport_place *p);

const char *transport_method_word(enum transport_method m);

#endif
