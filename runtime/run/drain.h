/*
 * drain.h - output that never blocks its writer. A terminal may be stopped, and the reader of a pipe may be slow. Bytes
 * are kept here and written in portions that the descriptor takes without blocking. A producer first asks whether there
 * is room; if not, it continues with signals and processes. The mode of the descriptor is not changed, because other
 * processes use it too.
 */
#ifndef TRAINC_RUNTIME_RUN_DRAIN_H
#define TRAINC_RUNTIME_RUN_DRAIN_H

#include "base/buf.h"

struct drain {
	int fd;
	struct buf pending;
	size_t sent;                    /* number of bytes of `pending` that have been written */
	int64_t moved;                  /* when bytes were last written, by the steady clock; 0: never */
	bool gone;                      /* the reader has closed its end: further output is dropped */
	int error;                      /* errno of a write that failed for another reason; `gone` is then set, too */
};

void drain_put(struct drain *d, struct str s);
/* Writes as much as possible without waiting. */
void drain_pump(struct drain *d);
static inline bool drain_empty(const struct drain *d) { return d->sent == d->pending.n; }
/* Is there room for more output? */
static inline bool drain_room(const struct drain *d) { return d->pending.n - d->sent < 256 << 10; }
/* Writes until the buffer is empty, for at most MS milliseconds. */
void drain_finish(struct drain *d, int ms);
void drain_release(struct drain *d);

#endif
