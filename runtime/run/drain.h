/*
 * drain.h - output that does not keep its writer waiting.
 *
 * A terminal may be stopped, or a pipe's reader may be slow.  Bytes are kept here and written in
 * portions that the descriptor takes at once.  Whoever produces them asks first whether there is
 * room, and otherwise goes on with signals and processes.  The mode of the descriptor is not
 * changed: others use it, too.
 */
#ifndef TRAINC_RUNTIME_RUN_DRAIN_H
#define TRAINC_RUNTIME_RUN_DRAIN_H

#include "base/buf.h"

struct drain {
	int fd;
	struct buf pending;
	size_t sent;                    /* number of bytes of `pending` that were written */
	bool gone;                      /* the reader has gone: further output is dropped */
	int error;                      /* errno of a write that failed otherwise; then `gone` too */
};

void drain_put(struct drain *d, struct str s);
/* Write what can be written without waiting. */
void drain_pump(struct drain *d);
static inline bool drain_empty(const struct drain *d) { return d->sent == d->pending.n; }
/* Is it time to produce more? */
static inline bool drain_room(const struct drain *d) { return d->pending.n - d->sent < 256 << 10; }
/* Until it is empty, for at most `ms`. */
void drain_finish(struct drain *d, int ms);
void drain_release(struct drain *d);

#endif
