/*
 * forward.h - connections that are carried from ports of this machine to where only one process can connect.
 *
 * Each connection has a block of bytes for either direction.  While a block is full its sender is not read from, so
 * whoever reads slowly
 * holds up the other end and costs no memory.  An end of data is passed on by itself: the other direction goes
 * on.  There are at most
 * FORWARD_MOST connections at a time; those behind them wait, as for a program that is slow to accept.
 */
#ifndef TRAINC_RUNTIME_LOCAL_FORWARD_H
#define TRAINC_RUNTIME_LOCAL_FORWARD_H

#include "base/buf.h"

enum { FORWARD_MOST = 128, FORWARD_BLOCK = 64 << 10 };

/* What dial() says in place of a descriptor. */
enum { DIAL_NEXT = -1, DIAL_NONE = -2 };

struct forward_ops {
	void *context;
	/*
	 * Begins to connect on behalf of listener I: a non-blocking socket, DIAL_NEXT when this try cannot succeed,
	 * DIAL_NONE when there are
	 * no more.  Tries are counted from 0.
	 */
	int (*dial)(void *context, size_t i, unsigned try);
};

struct forward;

/* A socket that listens at 127.0.0.1, on a free port when *PORT is 0: it is set then.  -1 with errno. */
int forward_listen(int64_t *port);
/* The lowest port from FIRST on that is free now; 0: there is none. */
int64_t forward_free_port(int64_t first);
/* Accepts from N listeners, which belong to it from now on also when it fails: NULL with errno.  In the arena. */
struct forward *forward_open(struct arena *a, const int *listeners, size_t n, const struct forward_ops *ops);
/* One descriptor for the caller's loop: readable when forward_serve() has something to do. */
int forward_fd(const struct forward *f);
/* Carries what there is without waiting: at most a block of each connection. */
void forward_serve(struct forward *f);
/* Ends all connections and closes the listeners. */
void forward_close(struct forward *f);

#endif
