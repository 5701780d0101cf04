/*
 * file.c - the only file of the core that talks to the file system.
 *
 * Reading goes through a descriptor and fstat, never through seek, so that
 * pipes, standard input and files that grow while being read all end in either
 * the whole text or a sentence.
 */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"

enum { LARGEST = 64 << 20, PORTION = 64 << 10 };

/* What the C library says, as a part of a sentence: "Too many open files" without its capital. */
static struct str library_reason(struct arena *a, int error)
{
	struct str s = str_copy(a, str_of(strerror(error)));
	char *p = (char *)s.p;

	if (s.n > 1 && p[0] >= 'A' && p[0] <= 'Z' && p[1] >= 'a' && p[1] <= 'z')
		p[0] = (char)(p[0] - 'A' + 'a');
	return s;
}

struct str file_reason(struct arena *a, int error)
{
	switch (error) {
	case ENOENT: return STR("no such file");
	case EISDIR: return STR("is a directory");
	case EACCES: return STR("permission denied");
	case ENOTDIR: return STR("a part of the path is not a directory");
	case ENOSPC: return STR("no space left on the device");
	default: return library_reason(a, error);
	}
}

static bool read_fd(int fd, struct buf *into, size_t most, struct str *why, struct arena *a)
{
	struct stat known;
	bool sized = fstat(fd, &known) == 0 && known.st_size > 0 && (size_t)known.st_size < most;
	/* Only a hint: a file may grow, and a pipe has no size.  The byte more is for the read that finds the end. */
	buf_reserve(into, sized ? (size_t)known.st_size + 1 : PORTION);
	while (buf_room(into, 1)) {
		ssize_t got = read(fd, into->p + into->n, into->size - into->n - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			*why = file_reason(a, errno);
			return false;
		}
		if (got == 0)
			return true;
		into->n += (size_t)got;
	}
	*why = str_printf(a, "is larger than %zu MiB", most >> 20);
	return false;
}

bool file_read(struct arena *a, struct str path, struct str *ret, struct str *why) { return file_read_most(a, path, LARGEST, ret, why); }

bool file_read_most(struct arena *a, struct str path, size_t most, struct str *ret, struct str *why)
{
	struct buf text = { .limit = most + 1 };        /* full only when there is more than that */
	int fd = STDIN_FILENO;
	if (memchr(path.p, 0, path.n)) {
		*why = STR("the name contains a NUL");
		return false;
	}
	if (!str_is(path, "-")) {
		fd = open(str_copy(a, path).p, O_RDONLY | O_CLOEXEC);
		if (fd < 0) {
			*why = file_reason(a, errno);
			return false;
		}
	}
	bool ok = read_fd(fd, &text, most, why, a);
	if (ok)
		*ret = str_copy(a, buf_text(&text));
	buf_release(&text);
	if (fd != STDIN_FILENO)
		close(fd);
	return ok;
}

bool file_write_all(int fd, const char *bytes, size_t n)
{
	while (n) {
		ssize_t done = write(fd, bytes, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return false;
		bytes += done;
		n -= (size_t)done;
	}
	return true;
}

/* A new file beside `path` with the bytes in it, safe on the disk; its name, or p == NULL with the sentence. */
static struct str write_aside(struct arena *a, struct str path, struct str bytes, mode_t mode, struct str *why)
{
	struct str aside = str_printf(a, "%.*s.XXXXXX", STR_ARG(path));
	int fd = mkstemp((char *)aside.p);

	if (fd < 0) {
		*why = file_reason(a, errno);
		return (struct str){ 0 };
	}
	bool ok = file_write_all(fd, bytes.p, bytes.n) && fchmod(fd, mode) == 0 && fsync(fd) == 0;
	int error = errno;
	if (close(fd) != 0 && ok) {
		ok = false;
		error = errno;
	}
	if (ok)
		return aside;
	unlink(aside.p);
	*why = file_reason(a, error);
	return (struct str){ 0 };
}

static mode_t new_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

bool file_replace(struct arena *a, struct str path, struct str bytes, struct str *why)
{
	const char *name = str_copy(a, path).p;
	struct stat old;
	mode_t mode = stat(name, &old) == 0 ? old.st_mode & 0777 : new_mode();  /* replacing keeps the file's mode */
	struct str aside = write_aside(a, path, bytes, mode, why);

	if (!aside.p)
		return false;
	if (rename(aside.p, name) == 0)
		return true;
	*why = file_reason(a, errno);
	unlink(aside.p);
	return false;
}

/* Not every file system can rename only where nothing is; then a second name does, as it never replaces. */
static bool rename_new(const char *from, const char *to)
{
	if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
		return true;
	if (errno != EINVAL && errno != ENOSYS)
		return false;
	if (link(from, to) != 0)
		return false;
	unlink(from);
	return true;
}

bool file_create(struct arena *a, struct str path, struct str bytes, struct str *why)
{
	struct str aside = write_aside(a, path, bytes, new_mode(), why);

	if (!aside.p)
		return false;
	if (rename_new(aside.p, str_copy(a, path).p))
		return true;
	*why = errno == EEXIST ? STR("it is there already") : file_reason(a, errno);
	unlink(aside.p);
	return false;
}

static bool reader_read(void *context, struct arena *arena, struct str path, struct str *ret, struct str *why)
{
	(void)context;
	return file_read(arena, path, ret, why);
}

static bool reader_exists(void *context, struct str path)
{
	struct arena scratch = { 0 };
	(void)context;
	bool there = access(str_copy(&scratch, path).p, F_OK) == 0;
	arena_release(&scratch);
	return there;
}

static int by_bytes(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static void reader_list(void *context, struct arena *arena, struct str directory, void (*each)(void *to, struct str name), void *to)
{
	(void)context;
	DIR *d = opendir(str_copy(arena, directory).p);
	if (!d)
		return;
	struct str *names = NULL;
	size_t n = 0;
	for (struct dirent *e; n < 10000 && (e = readdir(d));)
		ARENA_PUSH(arena, names, n, str_copy(arena, str_of(e->d_name)));
	closedir(d);
	if (n)
		qsort(names, n, sizeof *names, by_bytes);       /* directories have no order of their own */
	for (size_t i = 0; i < n; i++)
		each(to, names[i]);
}

const struct reader file_reader = { NULL, reader_read, reader_exists, reader_list };
