/*
 * tar_send.h - makes a tar archive of a file or a directory of this machine, piece by piece, as somebody takes it. The
 * root is called "data", and a last entry "end" shows that nothing is missing. Links stay links. Memory does not depend
 * on the tree, except for its depth.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_TAR_SEND_H
#define TRAINC_RUNTIME_CLUSTER_TAR_SEND_H

#include "base/buf.h"

struct tar_level;

struct tar_send {
	struct str why;                 /* what cannot be sent; empty: nothing has failed */
	uint64_t bytes;
	size_t files;
	/* the rest is private */
	struct arena *arena;
	struct tar_level *levels;       /* the open directories, from the root down */
	size_t nlevels;
	struct buf path;                /* path in the archive of the current entry */
	int fd;                         /* the file that is being read; -1: none */
	uint64_t left, padding;
	bool ended;
};

/* Begins with the file or directory at PATH; a link at PATH itself is followed. False: `why`. */
bool tar_send_begin(struct tar_send *s, struct arena *a, struct str path);
/* Appends the next piece to TO; false: that was the last one, or `why` says what has failed. */
bool tar_send_next(struct tar_send *s, struct buf *to);
void tar_send_release(struct tar_send *s);

#endif
