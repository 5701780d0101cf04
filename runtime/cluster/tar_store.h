/*
 * tar_store.h - writes what tar_read.h reads into a new, private directory, and then puts it in its place at once: the
 * destination is complete or as it was. While files are written, the directory has no links at all, so that nothing can
 * be written through one; they are made at the end, and none of them leads out of the directory.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_TAR_STORE_H
#define TRAINC_RUNTIME_CLUSTER_TAR_STORE_H

#include "runtime/cluster/tar_read.h"

struct tar_link { struct str path, target; };

struct tar_store {
	struct tar_reader reader;       /* the caller sets `root` */
	struct arena *arena;
	struct str dest;                /* the path of the destination */
	struct str staging;             /* path of the private directory beside it */
	int at;                         /* that directory; -1: there is none */
	int fd;                         /* the file that is being written; -1: none */
	unsigned mode;                  /* its permissions */
	struct tar_link *links;
	size_t nlinks, link_bytes;
	unsigned mask;                  /* permissions that files do not get: the umask */
	uint64_t bytes;
	size_t files;
	bool output;                    /* what has failed is this machine, not the archive */
	bool exists;                    /* the destination exists, and was not to be replaced */
	bool any;                       /* something has arrived that is not a link */
};

/* Prepares to write to DEST; false with a sentence in `why` of the reader. */
bool tar_store_begin(struct tar_store *s, struct arena *a, struct str dest, struct str root);
/* Makes the links, and puts everything in its place. Without REPLACE, an existing destination is a failure. */
bool tar_store_end(struct tar_store *s, bool replace);
/* Removes what is left of the private directory, and frees the memory. */
/* False: something stays in `staging`. */
bool tar_store_release(struct tar_store *s);

#endif
