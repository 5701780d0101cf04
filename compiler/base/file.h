/*
 * file.h - files, whole: read at once, replaced atomically.
 */
#ifndef TRAINC_BASE_FILE_H
#define TRAINC_BASE_FILE_H

#include "base/source.h"

/*
 * Read a whole file, or standard input for "-".  At most 64 MiB.  False with a
 * sentence in `why` ("no such file", "is a directory", "permission denied").
 */
bool file_read(struct arena *a, struct str path, struct str *ret, struct str *why);
/* The same for what may be larger: up to `most` bytes, whole MiB of them, less than 1 GiB. */
bool file_read_most(struct arena *a, struct str path, size_t most, struct str *ret, struct str *why);

/*
 * Replace `path` by `bytes`: written beside it, synced, renamed.  On failure
 * nothing of it is left and the old file stays.
 */
bool file_replace(struct arena *a, struct str path, struct str bytes, struct str *why);

/* The same for a path where nothing is yet; false with "it is there already" where something is. */
bool file_create(struct arena *a, struct str path, struct str bytes, struct str *why);

/* An errno as a sentence: "no such file", "permission denied". */
struct str file_reason(struct arena *a, int error);

/* Write all bytes to a descriptor.  False with errno set. */
bool file_write_all(int fd, const char *bytes, size_t n);

/* The reader that uses the machine's files. */
extern const struct reader file_reader;

#endif
