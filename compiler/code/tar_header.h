/*
 * tar_header.h - the header of an entry of a tar archive, in the format ustar, and the record of pax that comes before
 * an entry whose path, target or size has no room in it. Owner, group and time are 0, and names of users are empty.
 */
#ifndef TRAINC_CODE_TAR_HEADER_H
#define TRAINC_CODE_TAR_HEADER_H

#include "base/buf.h"

enum { TAR_BLOCK = 512 };

struct tar_header {
	struct str path, target;        /* a directory's path ends with a slash */
	char type;                      /* '0': file, '2': link, '5': directory */
	unsigned mode;
	uint64_t size;
};

/* Appends the header, after its record of pax if it needs one. */
void tar_header_put(struct buf *to, const struct tar_header *h);

#endif
