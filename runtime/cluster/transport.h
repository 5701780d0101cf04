/*
 * transport.h - one attempt at one HTTP request to the API server, asynchronously.
 *
 * Knows HTTP, TLS, proxies and credentials, but not what is requested. All requests share one
 * HTTP/2 connection where the server speaks HTTP/2 (further ones beyond 90 streams), else a pool
 * of HTTP/1.1 connections.  Most callers want retry.h, which takes the same request and repeats it
 * where that is safe.
 *
 * Memory: transport_start() copies what a request points to.  A result and everything in it is
 * gone when `done` returns.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_TRANSPORT_H
#define TRAINC_RUNTIME_CLUSTER_TRANSPORT_H

#include "runtime/cluster/credential.h"

struct transport;
struct transport_exchange;
struct transport_result;

enum transport_method { TRANSPORT_GET, TRANSPORT_POST, TRANSPORT_PUT, TRANSPORT_PATCH, TRANSPORT_DELETE };

enum transport_kind {
	TRANSPORT_READ,                 /* first byte within 30 s, and then no pause of more than 30 s */
	TRANSPORT_WRITE,                /* first byte within 65 s: the server's own limit is 60 s */
	TRANSPORT_LIST,                 /* as READ, and compressed where the kubeconfig permits it */
	TRANSPORT_STREAM,               /* watch, log: first byte of the header within 30 s, then as long as it lasts */
};

struct transport_pair {
	struct str name, value;
};

struct transport_request {
	enum transport_method method;
	enum transport_kind kind;
	struct str path;                /* from transport_path(), or "/version": begins with '/', percent-encoded */
	const struct transport_pair *query;     /* as they are: encoded here */
	size_t nquery;
	const struct transport_pair *headers;   /* besides Accept and Content-Type */
	size_t nheaders;
	struct str accept;              /* empty: application/json */
	struct str content_type;        /* of the body; empty: application/json */
	struct str body;                /* empty: none */
	bool text;                      /* the answer is plain text (a log): its content type is not checked */
	int64_t timeout;                /* ns for all of it; 0: by kind */
	/* STREAM: ns without a byte after which the connection counts as dead; 0: no limit */
	int64_t quiet;
	/*
	 * The body of a successful answer in pieces as they arrive; false ends the exchange
	 * (outcome TRANSPORT_STOPPED).  NULL: it is collected, at most TRANSPORT_LARGEST bytes.
	 */
	bool (*take)(void *to, struct str bytes);
	void (*done)(void *to, const struct transport_result *result);
	void *to;
};

enum { TRANSPORT_LARGEST = 32 << 20 };

enum transport_outcome {
	TRANSPORT_ANSWERED,             /* `code` and the whole body; also for 4xx and 5xx */
	TRANSPORT_UNREACHABLE,          /* no connection: name, refused, proxy */
	TRANSPORT_UNTRUSTED,            /* TLS: certificate or handshake */
	TRANSPORT_BROKEN,               /* reset, cut off, not HTTP */
	TRANSPORT_SLOW,                 /* a time limit */
	TRANSPORT_NO_CREDENTIAL,        /* plugin, token file */
	TRANSPORT_FOREIGN,              /* an answer that does not come from an API server: a login page */
	TRANSPORT_TOO_LARGE,
	TRANSPORT_STOPPED,              /* `take` returned false */
};

struct transport_cause {
	struct str reason, field, message;
};

/* A failure in the server's words; made from the code where the body is no Status. */
struct transport_status {
	struct str reason;              /* "Conflict"; may be empty */
	struct str message;             /* never empty */
	struct transport_cause *causes;
	size_t ncauses;
	struct str kind, group, name, uid;      /* details: what it is about */
	struct str continue_token;      /* of an expired list that may go on */
	bool is_object;                 /* the body was a Status */
};

struct transport_result {
	enum transport_outcome outcome;
	int code;                       /* 0 without an answer */
	const struct transport_status *status;  /* for codes of 300 and more, else NULL */
	struct str body;                /* collected */
	struct str content_type;
	int64_t retry_after;            /* ns of pause that the server asks for; -1: none */
	/*
	 * Any failure in one sentence: "cannot connect to 10.0.0.1:6443: connection refused", "GET
	 * /api/v1/nodes: 403 Forbidden: ...".  Empty on success.
	 */
	struct str error;
	int64_t bytes_in, bytes_out;    /* bodies */
	int64_t ns;                     /* from start to end */
	unsigned attempts;              /* number of attempts, set by retry.h; 1 here */
	unsigned credential;            /* generation of the credential that was sent */
	bool http2;
};

/* Is it a complete answer of 200 to 299? */
static inline bool transport_ok(const struct transport_result *r)
{
	return r->outcome == TRANSPORT_ANSWERED && r->code >= 200 && r->code < 300;
}

/* A copy that outlives the result; NULL of NULL. */
const struct transport_status *transport_status_copy(struct arena *a, const struct transport_status *s);

/* ---- one server ---- */

/* Counts of the traffic so far, for the request budget. */
struct transport_counts {
	uint64_t requests, answers, failures;   /* failures: without an answer */
	uint64_t reads, writes, streams;        /* requests by kind */
	uint64_t retries;               /* number of `requests` that repeat another one (retry.h counts them) */
	uint64_t connections;           /* opened */
	uint64_t bytes_in, bytes_out;   /* bodies */
	unsigned in_flight, most_in_flight;
};

struct transport_options {
	struct loop *loop;
	const struct kubeconfig_access *access;
	struct credential *credential;
	struct str user_agent;          /* empty: trainc/VERSION */
	/* Each line of -v, without a newline; NULL: no trace.  It never has a secret in it. */
	void (*trace)(void *to, struct str line);
	/* The text of a Warning header, each once; NULL: dropped. */
	void (*warning)(void *to, struct str text);
	void *to;
	/* Time limits in ns; 0: the defaults named above (tests shorten them). */
	int64_t connect_limit, read_limit, write_limit, stall_limit;
};

/* NULL with a sentence in WHY (status 3 or 7: certificates that cannot be read, a proxy that is no URL). */
struct transport *transport_new(struct arena *a, const struct transport_options *o, struct str *why);
/* Cancels what is in flight and closes connections.  Not from inside a callback: stop the loop there. */
void transport_release(struct transport *t);

/* Starts a request; `done` is called exactly once unless the request is cancelled, and never from inside this call. */
struct transport_exchange *transport_start(struct transport *t, const struct transport_request *r);
/* Ends an exchange; `done` is not called. */
void transport_cancel(struct transport_exchange *x);

const struct transport_counts *transport_counted(const struct transport *t);
void transport_count_retry(struct transport *t);
struct credential *transport_credential(const struct transport *t);
struct loop *transport_loop(const struct transport *t);
const struct kubeconfig_access *transport_access(const struct transport *t);
/* "10.0.0.1:6443", "[::1]:6443". */
struct str transport_host(const struct transport *t);
/* Nanoseconds that the server's clock is ahead of ours by its last Date header (whole seconds); 0 before the first. */
int64_t transport_clock_offset(const struct transport *t);
/* One line for -v: "38 requests (36 reads, 2 writes), 1 connection, 0 retries, 120.4 KiB in, 3.1 KiB out". */
void transport_budget(const struct transport *t, struct buf *out);
/* For people: every exchange and connection with its state, one line each. */
void transport_dump(const struct transport *t, struct buf *out);

/* ---- paths ---- */

struct transport_place {
	struct str group;               /* empty: the core */
	struct str version, plural;     /* "v1", "jobs" */
	struct str namespace;           /* empty: cluster-wide, or all namespaces */
	struct str name, subresource;   /* may be empty */
};
/* "/apis/batch/v1/namespaces/default/jobs/bert", every part percent-encoded. */
struct str transport_path(struct arena *a, const struct transport_place *p);

const char *transport_method_word(enum transport_method m);

#endif
