/*
 * forward.h - forwards connections from ports of this machine to a target that only this process can reach. Each
 * connection has a block of bytes for either direction. While a block is full, nothing is read from its sender; so a
 * slow reader delays the other end and costs no memory. The end of data in one direction is passed on, and the other
 * direction continues. At most FORWARD_MOST connections are open at a time. Further connections wait until one ends,
 * like connections to a program that is slow to accept them.
 */
#ifndef TRAINC_RUNTIME_LOCAL_FORWARD_H
#define TRAINC_RUNTIME_LOCAL_FORWARD_H

#include "base/buf.h"

enum { FORWARD_MOST = 128, FORWARD_BLOCK = 64 << 10 };

/* Results of dial() other than a descriptor. */
enum { DIAL_NEXT = -1, DIAL_NONE = -2 };

struct forward_ops {
	void *context;
	/*
	 * Starts to connect on behalf of listener I. Returns a non-blocking socket, DIAL_NEXT when this try cannot
	 * succeed, or DIAL_NONE when all addresses have been tried. Tries are counted from 0.
	 */
	int (*dial)(void *context, size_t i, unsigned try);
};

struct forward;

/*
 * Makes a socket that listens at 127.0.0.1. If *PORT is 0, a free port is chosen and *PORT is set. On failure, returns
 * -1 with errno.
 */
int forward_listen(int64_t *port);
/* The lowest free port from FIRST on; 0: no port is free. */
int64_t forward_free_port(int64_t first);
/*
 * Accepts connections from N listeners, in memory of the arena. Takes over the listeners, even on failure. Returns NULL
 * with errno on failure.
 */
struct forward *forward_open(struct arena *a, const int *listeners, size_t n, const struct forward_ops *ops);
/* One descriptor for the caller's loop: readable when forward_serve() has something to do. */
int forward_fd(const struct forward *f);
/* Moves the bytes that can be moved without waiting: at most a block for each connection. */
void forward_serve(struct forward *f);
/* Ends all connections and closes the listeners. */
void forward_close(struct forward *f);

#endif
