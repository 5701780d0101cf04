/*
 * file.h - reads whole files at once, and replaces files atomically.
 */
#ifndef TRAINC_BASE_FILE_H
#define TRAINC_BASE_FILE_H

#include <dirent.h>

#include "base/source.h"

/*
 * Reads a whole file, or standard input for "-", of at most 64 MiB. False with an explanation in WHY ("no such file",
 * "is a directory", "permission denied"). Devices are refused, and so is a named pipe that has no writer within a
 * second.
 */
bool file_read(struct arena *a, struct str path, struct str *ret, struct str *why);
/* As file_read(), for larger files: up to MOST bytes, a multiple of 1 MiB and less than 1 GiB. */
bool file_read_most(struct arena *a, struct str path, size_t most, struct str *ret, struct str *why);

/*
 * Replaces the file that PATH names by BYTES, completely or not at all. Links to it, its owner and its mode are kept. A
 * file that is read-only or not regular is refused.
 */
bool file_replace(struct arena *a, struct str path, struct str bytes, struct str *why);

/* As file_replace(), but also writes to a device or a pipe: --depfile /dev/null. */
bool file_pour(struct arena *a, struct str path, struct str bytes, struct str *why);

/* Writes a new file; false with "it already exists" when the path exists. */
bool file_create(struct arena *a, struct str path, struct str bytes, struct str *why);

/*
 * The end of a file's name while it is being written: ".job.yaml.trainc-new".  The next run
 * removes those that killed runs left.
 */
#define FILE_ASIDE ".trainc-new"

/* An errno as text: "no such file", "permission denied". */
struct str file_reason(struct arena *a, int error);

/* opendir(), but the process ends when memory runs out (arena.h). */
DIR *directory_open(const char *path);

/* Writes all bytes to a descriptor. False with errno set. */
bool file_write_all(int fd, const char *bytes, size_t n);

/* The reader for files of the machine. */
extern const struct reader file_reader;

#endif
