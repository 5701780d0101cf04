/*
 * tar_read.h - reads a tar archive that somebody else makes, piece by piece, as it arrives. It knows what GNU tar,
 * busybox and libarchive write about files, directories and links. Everything else is refused: devices, pipes, sparse
 * files, names that are absolute or have "..", sizes and records without end. Nothing of the content is kept.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_TAR_READ_H
#define TRAINC_RUNTIME_CLUSTER_TAR_READ_H

#include "base/buf.h"

enum tar_kind { TAR_FILE, TAR_DIRECTORY, TAR_LINK, TAR_HARD_LINK };

struct tar_entry {
	enum tar_kind kind;
	/* the path below the root, without slashes at its ends; empty: the root itself. Texts live during the call */
	struct str path;
	struct str target;              /* of a link as it is; of a hard link a path below the root */
	unsigned mode;                  /* permissions, without setuid, setgid and sticky bits */
	uint64_t size;
};

/*
 * TAR_NAME: bytes of a path or target. TAR_RECORD: bytes of a record about the next entry. TAR_REST: zeros after the
 * end.
 */
enum { TAR_NAME = 4096, TAR_RECORD = 64 << 10, TAR_ENTRIES = 1000000, TAR_HEADER = 512,
	TAR_REST = 16 << 20 };

struct tar_reader {
	/* set by the caller: the first part of every path, such as "." or "outputs"; another one is refused */
	struct str root;
	/* Take an entry, and then the bytes of a file; false: stop, and the caller has set `why`. */
	bool (*entry)(void *to, const struct tar_entry *e);
	bool (*bytes)(void *to, struct str bytes);
	bool (*file_end)(void *to);     /* called after the last byte of each file */
	void *to;
	/* results */
	struct buf why;                 /* what is wrong with the archive; empty: nothing so far */
	bool over;                      /* the end of the archive was seen */
	size_t entries;
	size_t rest;                    /* bytes after the end */
	/* the rest is the reader's own */
	char block[TAR_HEADER];
	size_t nblock;
	char kind;                      /* type of the entry whose content arrives */
	uint64_t left, padding;         /* bytes of the content, and of the zeros after it, that have not arrived */
	bool file;                      /* the content is that of a file */
	bool zeros;                     /* the last block was zero */
	struct buf record, path, target;        /* a record, and what records say about the next entry */
	uint64_t size;
	bool sized;
};

/* Takes the next bytes; false: the archive is refused, or the caller has stopped. */
bool tar_read(struct tar_reader *r, struct str bytes);
void tar_reader_release(struct tar_reader *r);

#endif
