/*
 * file.c - the only file of the core that accesses the file system. Files are read with read() and fstat(), never with
 * a seek. So pipes, standard input and files that grow while being read result in either the whole text or an
 * explanation.
 */
#include "base/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/path.h"
#include "base/system.h"

enum { LARGEST = 64 << 20, PORTION = 64 << 10 };

/*
 * The C library's message for an errno, for use within a sentence: "Too many open files" starts with a lower-case
 * letter.
 */
static struct str library_reason(struct arena *a, int error)
{
	struct str s = str_of(strerror(error));
	char *p = arena_copy(a, s.p, s.n);

	if (s.n > 1 && p[0] >= 'A' && p[0] <= 'Z' && p[1] >= 'a' && p[1] <= 'z')
		p[0] = (char)(p[0] - 'A' + 'a');
	return (struct str){ p, s.n };
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
	/*
	 * the size is only a hint, because a file may grow and a pipe has no size; one more byte lets read() find the
	 * end
	 */
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

static bool is_null_device(const struct stat *st)
{
	struct stat null;

	return S_ISCHR(st->st_mode) && stat("/dev/null", &null) == 0 && st->st_rdev == null.st_rdev;
}

/*
 * Does the pipe have a writer? Without one, reading a named pipe would block forever. poll() reports the end of a pipe
 * only after it has had a writer, and only then does read() return 0. A pipe that the shell made has no name and always
 * has a writer.
 */
static bool has_writer(int fd, struct buf *text)
{
	enum { TRIES = 100, PAUSE_MS = 10 };
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char none[1];

	if (!system_pipe_has_name(fd))
		return true;
	for (int i = 0; i < TRIES; i++) {
		if (poll(&p, 1, PAUSE_MS) > 0)
			return true;
		ssize_t got = read(fd, none, sizeof none);
		if (got > 0)
			buf_char(text, none[0]);
		if (got > 0 || (got < 0 && errno == EAGAIN))
			return true;
	}
	return false;
}

/*
 * Opens a file, a pipe that has a writer, or /dev/null: reading any of these ends at some time. Returns -1, with the
 * reason in *WHY, for anything else.
 */
static int open_text(struct arena *a, int directory, const char *path, int flags, struct buf *text, struct str *why)
{
	int fd = openat(directory, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
	struct stat st;

	if (fd < 0 && errno == ELOOP && flags & O_NOFOLLOW) {
		*why = STR("it is a symbolic link");
	} else if (fd < 0 || fstat(fd, &st) != 0) {
		*why = file_reason(a, errno);
	} else if ((S_ISCHR(st.st_mode) && !is_null_device(&st)) || S_ISBLK(st.st_mode)) {
		*why = STR("is a device");
	} else if (S_ISFIFO(st.st_mode) && !has_writer(fd, text)) {
		*why = STR("is a pipe without a writer");
	} else {
		if (S_ISFIFO(st.st_mode))
			fcntl(fd, F_SETFL, 0);          /* the pipe has a writer, so read() may block */
		return fd;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

bool file_read(struct arena *a, struct str path, struct str *ret, struct str *why)
{
	return file_read_most(a, path, LARGEST, ret, why);
}

/* Reads all from FD, which may be -1 after a failure, and closes it unless it is standard input. */
static bool read_all(struct arena *a, int fd, size_t most, struct buf *text, struct str *ret, struct str *why)
{
	bool ok = fd >= 0 && read_fd(fd, text, most, why, a);

	if (ok)
		*ret = str_copy(a, buf_text(text));
	buf_release(text);
	if (fd > STDIN_FILENO)
		close(fd);
	return ok;
}

bool file_read_most(struct arena *a, struct str path, size_t most, struct str *ret, struct str *why)
{
	struct buf text = { .limit = most + 1 };        /* overflows only when the file is larger than MOST */

	if (memchr(path.p, 0, path.n)) {
		*why = STR("the name contains a NUL");
		return false;
	}
	int fd = str_is(path, "-") ? STDIN_FILENO : open_text(a, AT_FDCWD, str_copy(a, path).p, 0, &text, why);
	return read_all(a, fd, most, &text, ret, why);
}

bool file_read_in(struct arena *a, int directory, struct str name, struct str *ret, struct str *why)
{
	struct buf text = { .limit = LARGEST + 1 };

	int fd = open_text(a, directory, str_copy(a, name).p, O_NOFOLLOW, &text, why);
	return read_all(a, fd, LARGEST, &text, ret, why);
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
	bool there = access(str_copy(&scratch, path).p, F_OK) == 0 ||
		(errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG);
	arena_release(&scratch);
	return there;
}

DIR *directory_open(const char *path)
{
	DIR *d = opendir(path);

	if (!d && errno == ENOMEM)
		memory_out();
	return d;
}

static int by_bytes(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static void reader_list(void *context, struct arena *arena, struct str directory,
	void (*each)(void *to, struct str name), void *to)
{
	(void)context;
	DIR *d = directory_open(str_copy(arena, directory).p);
	if (!d)
		return;
	struct str *names = NULL;
	size_t n = 0;
	for (struct dirent *e; n < 10000 && (e = readdir(d));)
		ARENA_PUSH(arena, names, n, str_copy(arena, str_of(e->d_name)));
	closedir(d);
	if (n)
		qsort(names, n, sizeof *names, by_bytes);       /* sorted, because directory entries come in no
								 * particular order */
	for (size_t i = 0; i < n; i++)
		each(to, names[i]);
}

/* Does PATH lead out of DIRECTORY? Not if it does not exist; reading it will report that it is missing. */
static bool reader_leaves(void *context, struct arena *arena, struct str directory, struct str path)
{
	(void)context;
	char *inner = realpath(str_copy(arena, path).p, NULL), *outer = realpath(str_copy(arena, directory).p, NULL);
	bool leaves = inner && outer && !path_inside(str_of(outer), str_of(inner));

	free(inner);
	free(outer);
	return leaves;
}


static bool reader_real(void *context, struct arena *arena, struct str path, struct str *ret)
{
	(void)context;
	char *real = realpath(str_copy(arena, path).p, NULL);
	if (!real && errno == ENOMEM)
		memory_out();
	*ret = str_copy(arena, str_of(real ? real : ""));
	free(real);
	return ret->n > 0;
}

const struct reader file_reader = { NULL, reader_read, reader_exists, reader_list, reader_leaves, reader_real };
