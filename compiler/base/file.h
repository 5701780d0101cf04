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
/* Like file_read(), for a NAME without slashes in an open DIRECTORY. A symbolic link is refused. */
bool file_read_in(struct arena *a, int directory, struct str name, struct str *ret, struct str *why);
/* Like file_read(), for larger files: up to MOST bytes, a multiple of 1 MiB and less than 1 GiB. */
bool file_read_most(struct arena *a, struct str path, size_t most, struct str *ret, struct str *why);

/*
 * Replaces the content of the file PATH with BYTES, completely or not at all. Links to the file, its owner and its mode
 * are kept. A file that is read-only or not regular is refused, and so is a symbolic link that leads out of its
 * directory (file_place.h).
 */
bool file_replace(struct arena *a, struct str path, struct str bytes, struct str *why);

/*
 * Like file_replace(), for a NAME without slashes in an open DIRECTORY. A symbolic link is refused, and other names of
 * the file keep the old text: nothing outside of the directory changes.
 */
bool file_replace_in(struct arena *a, int directory, struct str name, struct str bytes, struct str *why);

/* Like file_replace(), but also writes to a device or a pipe: --depfile /dev/null. */
bool file_pour(struct arena *a, struct str path, struct str bytes, struct str *why);

/* Writes a new file; false with "it already exists" when the path exists. */
bool file_create(struct arena *a, struct str path, struct str bytes, struct str *why);

/*
 * The suffix of the temporary file that is written beside a file: ".job.yaml.trainc-new". If a run is killed, the next
 * run removes its temporary file.
 */
#define FILE_ASIDE ".trainc-new"

/* An errno as text: "no such file", "permission denied". */
struct str file_reason(struct arena *a, int error);

/* Like opendir(), but calls memory_out() when memory runs out. */
DIR *directory_open(const char *path);

/* Writes all bytes to a descriptor. False with errno set. */
bool file_write_all(int fd, const char *bytes, size_t n);

/* The reader of the machine's file system. */
extern const struct reader file_reader;

#endif
