/*
 * file.h - files, whole: read at once, replaced atomically.
 */
#ifndef TRAINC_BASE_FILE_H
#define TRAINC_BASE_FILE_H

#include <dirent.h>

#include "base/source.h"

/*
 * Read a whole file, or standard input for "-".  At most 64 MiB.  False with a sentence in `why`
 * ("no such file", "is a directory", "permission denied"). Devices are refused, and so is a named
 * pipe without a writer within a second.
 */
bool file_read(struct arena *a, struct str path, struct str *ret, struct str *why);
/* As file_read(), for larger files: up to `most` bytes, a multiple of 1 MiB and less than 1 GiB. */
bool file_read_most(struct arena *a, struct str path, size_t most, struct str *ret, struct str *why);

/*
 * Replaces what `path` names by `bytes`, whole or not at all.  Links to it, its
 * owner and its mode are kept.  What is read-only or not a regular file is
 * refused.
 */
bool file_replace(struct arena *a, struct str path, struct str bytes, struct str *why);

/* As file_replace(), but a device or a pipe is written to as it is: --depfile /dev/null. */
bool file_pour(struct arena *a, struct str path, struct str bytes, struct str *why);

/* Writes a file at a path where none exists yet; false with "it already exists" where something is. */
bool file_create(struct arena *a, struct str path, struct str bytes, struct str *why);

/*
 * The end of a file's name while it is being written: ".job.yaml.trainc-new".  The next run
 * removes those that killed runs left.
 */
#define FILE_ASIDE ".trainc-new"

/* An errno as a sentence: "no such file", "permission denied". */
struct str file_reason(struct arena *a, int error);

/* opendir(); without memory the process ends (arena.h). */
DIR *directory_open(const char *path);

/* Write all bytes to a descriptor.  False with errno set. */
bool file_write_all(int fd, const char *bytes, size_t n);

/* The reader that uses the machine's files. */
extern const struct reader file_reader;

#endif
