/*
 * archive.h - makes the archive of a tree: tar, its SHA-256, and its packed form.
 */
#ifndef TRAINC_CODE_ARCHIVE_H
#define TRAINC_CODE_ARCHIVE_H

#include "base/buf.h"
#include "code/code_tree.h"

struct archive {
	struct code_tree *tree;              /* problems are added to it */
	const struct str *allow;        /* paths that may look like secrets */
	size_t nallow;
	bool pack;                      /* also make the packed form */
	/* packing stops when it has more bytes than this, so that a directory that is far too large costs little */
	size_t most;
	/* takes the bytes of the archive, if it is not NULL; false: stop */
	bool (*write)(void *context, const char *bytes, size_t n);
	void *context;
	/* results: the SHA-256 of the archive in 64 digits, and gzip of it. The caller releases `packed` */
	char id[65];
	struct buf packed;
	bool too_large;                 /* `packed` is not complete, because it has more than `most` bytes */
};

/* Reads the files and makes the archive; false if something was reported, or if `write` refused. */
bool archive_make(struct archive *a);

#endif
