/*
 * transport_internal.h - what the files of the transport share.
 *
 * transport.c         runs exchanges from start to end, over a pool of connections
 * transport_curl.c    sets up a libcurl handle for an exchange
 * transport_answer.c  reads header lines and bodies as they arrive, and the Status in them
 * transport_error.c   describes a failure in a sentence
 * transport_path.c    builds paths, queries, and texts for people
 */
#ifndef TRAINC_RUNTIME_CLUSTER_TRANSPORT_INTERNAL_H
#define TRAINC_RUNTIME_CLUSTER_TRANSPORT_INTERNAL_H

#include <curl/curl.h>

#include "base/map.h"
#include "base/words.h"
#include "runtime/cluster/certificate.h"
#include "runtime/cluster/transport.h"

enum {
	HANDLES_KEPT = 32, FAILURE_LARGEST = 1 << 20,
	EXCHANGE_MEMORY = 1024,
	/*
	 * libcurl's minimum, which is a quarter of its default for each upload; a body is a few KiB. The size of
	 * buffers for answers stays at libcurl's default: over HTTP/2, libcurl 7.88 corrupted the heap when that size
	 * differed between requests.
	 */
	UPLOAD_BUFFER = 16 << 10
};

/*
 * One HTTP/2 connection, or any number of HTTP/1.1 connections, with the same client certificate: a libcurl multi
 * handle on the loop.  By default libcurl would open a new connection for each request that finds no connection with
 * room.
 */
struct transport_pool {
	struct transport *transport;
	CURLM *multi;
	struct loop_timer timer;
	struct loop_timer refusal;      /* due at once after the kernel refused to watch a socket */
	int refused;                    /* the errno of that */
	struct transport_socket *sockets;
	unsigned certificate;           /* generation of the pool's client certificate */
	unsigned exchanges;             /* number of exchanges that use the pool */
	bool broken;                    /* a connection of the pool failed, so it serves only exchanges that are
					 * under way */
	struct transport_pool *next;
};

struct transport_socket {
	struct loop_fd fd;
	struct transport_pool *pool;
	struct transport_socket *next, **at;
};

struct transport {
	struct arena *arena;
	struct transport_options o;
	struct str host;                /* HOST:PORT for messages and headers */
	struct str proxy;               /* URL of the proxy; empty: no proxy */
	struct str proxy_for_curl;      /* the same URL in the form for libcurl */
	const char *authorities;        /* file with the system's authorities; NULL: libcurl's default file */
	struct transport_pool *pools;   /* list of pools; the first one is in use */
	struct transport_exchange *exchanges;
	struct loop_timer kick;         /* timer that starts queued exchanges and frees cancelled exchanges */
	CURL *handles[HANDLES_KEPT];
	unsigned nhandles;
	/*
	 * number of running calls of libcurl or of callbacks; while this number is not 0, handles must not be changed
	 */
	unsigned inside;
	bool http1;                     /* the server does not speak HTTP/2 */
	struct certificate_facts facts; /* facts from the last handshake */
	struct certificate_own own;     /* the TLS settings of the kubeconfig */
	struct transport_counts counts;
	bool clock_known;               /* an answer had the header Date */
	int64_t clock_offset;
	struct map warnings;            /* warnings that have been shown */
};

enum exchange_state {
	EXCHANGE_CREDENTIAL,            /* waits for a credential */
	EXCHANGE_READY,                 /* starts in the next round */
	EXCHANGE_SENT,                  /* was given to libcurl; no answer yet */
	EXCHANGE_ANSWER,                /* the header is complete, and the body is arriving */
	EXCHANGE_OVER,                  /* `done` is about to be called, or the exchange was cancelled */
};

struct transport_exchange {
	struct transport *transport;
	struct transport_exchange *next, **at;
	struct arena arena;             /* memory of the copy of the request, and of the texts of the answer */
	struct transport_request request;
	struct str url;                 /* path and query, percent-encoded */
	enum exchange_state state;
	bool cancelled;
	struct credential_wait wait;
	unsigned credential;            /* generation of the credential that was sent */
	bool own_pair;                  /* the connection shows the certificate that the transport has read */
	struct transport_pool *pool;    /* the pool, while libcurl has the exchange */
	CURL *easy;
	struct curl_slist *headers, *connect_to;
	char curl_error[CURL_ERROR_SIZE];
	size_t body_sent;               /* number of bytes of the request's body that were sent */
	struct loop_timer limit;
	int64_t limit_ns;               /* length of the time limit that is running */
	int64_t started;
	/* the members below describe the answer */
	int code;
	struct str content_type, location;
	int64_t retry_after;            /* pause in ns that the response requests; -1: no pause was requested */
	int64_t retry_at;               /* date in Retry-After in ns, by the server's clock; -1: no date was given */
	bool counted;                   /* the connections that were opened have been counted */
	bool http2, too_slow;
	bool nowhere;                   /* see struct transport_result */
	bool trickled;                  /* the body comes too slowly */
	int64_t answered;               /* when the header was complete */
	enum transport_outcome stopped; /* why the body was refused; TRANSPORT_ANSWERED: it was not refused */
	struct buf body;
	int64_t bytes_in;
};

/* ---- transport_curl.c ---- */

/*
 * The file with the system's authorities; NULL: libcurl's default file. This program and its libcurl may run on a
 * distribution other than the one on which they were built. SSL_CERT_FILE names a file, as for kubectl.
 */
const char *transport_authorities(void);
/* Sets up X->easy for the request and the credential; false with an explanation if libcurl refuses. */
bool exchange_set_up(struct transport_exchange *x, const struct credential_value *credential, struct str *why);
/* Returns the handle to the transport and frees everything that the exchange used. */
void exchange_tear_down(struct transport_exchange *x);

/* ---- transport_answer.c ---- */

size_t exchange_header(char *line, size_t size, size_t n, void *to);
size_t exchange_body(char *bytes, size_t size, size_t n, void *to);
/* The failure that X's answer describes, for codes of 300 and above. */
const struct transport_status *exchange_status(struct transport_exchange *x);

/* ---- transport_error.c ---- */

/*
 * Determines the outcome of a transfer that libcurl ended with CODE. Sets the error sentence unless an answer arrived.
 */
enum transport_outcome exchange_outcome(struct transport_exchange *x, CURLcode code, struct str *error);
/* Does the name of X's server certainly not exist? Asks the resolver again, for a second at most. */
bool exchange_name_is_unknown(struct transport_exchange *x);
/* The sentence for an answer that reports a failure. */
struct str exchange_refusal(struct transport_exchange *x, const struct transport_status *status);

/* ---- transport_path.c ---- */

/* The path of R after the server's prefix, with its query. */
struct str transport_url(struct arena *a, struct str prefix, const struct transport_request *r);
void transport_trace_end(struct transport_exchange *x, const struct transport_result *result);

/* ---- time and counts, transport_answer.c ---- */

/* Adds the connections that X opened to the counts, once. */
void exchange_count_connections(struct transport_exchange *x);
/* Arms a time limit: X fails if nothing arrives for NS nanoseconds; 0: no limit. */
void exchange_limit(struct transport_exchange *x, int64_t ns);

#endif
