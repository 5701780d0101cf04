/*
 * standin.h - shared by the files of the stand-in server.
 *
 * standin.c        script, matching, record, main
 * standin_http1.c  a connection that speaks HTTP/1.1
 * standin_http2.c  a connection that speaks HTTP/2
 */
#ifndef TRAINC_STANDIN_H
#define TRAINC_STANDIN_H

#include <openssl/ssl.h>
#include <stdbool.h>
#include <stddef.h>

/* The parts of an answer after its header, in order. */
enum piece_kind { PIECE_BYTES, PIECE_WAIT, PIECE_CUT, PIECE_RESET, PIECE_HANG };

struct piece {
	enum piece_kind kind;
	char *bytes;
	size_t n;
	long ms;
};

struct header {
	char name[64], value[1024];
};

/* One answer, and the requests that get it. */
struct rule {
	/* method '*': any method; a path may end with '*'; '?' starts a text that the query must contain */
	char method[16], path[1024];
	long uses;                      /* number of remaining uses; negative: no limit */
	int code;
	struct header headers[16];
	size_t nheaders;
	struct piece pieces[64];
	size_t npieces;
	long delay;                     /* milliseconds before the header */
	bool chunked;
	size_t length;                  /* total size of all bodies */
};

struct request {
	char method[16], path[4096];
	struct header headers[64];
	size_t nheaders;
	char *body;
	size_t nbody;
};

/* A connection, with or without TLS. */
struct conn {
	int fd;
	SSL *ssl;
	unsigned number;
};

long conn_read(struct conn *c, void *bytes, size_t n);
bool conn_write(struct conn *c, const void *bytes, size_t n);
/* Closes the connection with a reset. */
void conn_cut(struct conn *c);

/* Records the request and finds its answer. */
const struct rule *answer_for(struct conn *c, const struct request *r);
void sleep_ms(long ms);
long now_ms(void);

void serve_http1(struct conn *c);
void serve_http2(struct conn *c);

#endif
