/*
 * names.h - what the compiler half uses and macOS calls otherwise or does not have. Each file that is compiled for macOS
 * includes this one first (.ci/dist/macos/programs); names.c has the functions.
 */
#ifndef TRAINC_MACOS_NAMES_H
#define TRAINC_MACOS_NAMES_H

#include <stddef.h>
#include <sys/types.h>

#define O_PATH O_RDONLY                 /* a descriptor that only names a directory */
#define CLOCK_BOOTTIME CLOCK_MONOTONIC  /* on macOS it also counts while the machine sleeps */
#define st_mtim st_mtimespec            /* of struct stat */

/* The last byte in the first N bytes at P that is C; NULL if there is none. */
void *memrchr(const void *p, int c, size_t n);
/* As pipe(); FLAGS: O_CLOEXEC or 0. */
int pipe2(int fd[2], int flags);
/* Writes N random bytes, at most 256, to TO; returns N, or -1 with errno. FLAGS are not used: it never waits. */
ssize_t getrandom(void *to, size_t n, unsigned flags);

#endif
