/* tar_send.c - see tar_send.h. */
#include "runtime/cluster/tar_send.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/words.h"
#include "code/tar_header.h"

enum { SEND_PIECE = 64 << 10, SEND_DEPTH = 256, SEND_TARGET = 4096 };

struct tar_level {
	DIR *dir;
	size_t length;                  /* of the path of the directory */
};

static bool send_fail(struct tar_send *s, const char *what)
{
	struct buf b = { 0 };
	struct str path = buf_text(&s->path);
	size_t root = sizeof "data" - 1;

	if (path.n > root) {                    /* an entry below what the user named */
		buf_char(&b, '\'');
		put_escaped(&b, (struct str){ path.p + root + 1, path.n - root - 1 });
		buf_z(&b, "': ");
	}
	buf_z(&b, what);
	s->why = buf_take(&b, s->arena);
	buf_release(&b);
	return false;
}

static bool send_errno(struct tar_send *s) { return send_fail(s, file_reason(s->arena, errno).p); }

/* Begins the file FD. */
static bool begin_file(struct tar_send *s, int fd, const struct stat *st, struct buf *to)
{
	tar_header_put(to, &(struct tar_header){ buf_text(&s->path), STR(""), '0', st->st_mode & 0777,
		(uint64_t)st->st_size });
	s->fd = fd;
	s->left = (uint64_t)st->st_size;
	s->padding = (uint64_t)(-s->left % TAR_BLOCK);
	s->files++;
	s->bytes += s->left;
	return true;
}

static bool begin_directory(struct tar_send *s, int fd, const struct stat *st, struct buf *to)
{
	struct tar_level *level = &s->levels[s->nlevels];

	if (s->nlevels == SEND_DEPTH) {
		close(fd);
		return send_fail(s, "directories are nested too deeply");
	}
	level->length = s->path.n;
	level->dir = fdopendir(fd);
	if (!level->dir) {
		send_errno(s);
		close(fd);
		return false;
	}
	s->nlevels++;
	buf_char(&s->path, '/');
	tar_header_put(to, &(struct tar_header){ buf_text(&s->path), STR(""), '5', st->st_mode & 0777, 0 });
	s->path.n--;
	return true;
}

/* Begins what FD is: a file or a directory. Takes over FD. */
static bool begin_open(struct tar_send *s, int fd, struct buf *to)
{
	struct stat st;

	if (fd < 0)
		return send_errno(s);
	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
		return begin_directory(s, fd, &st, to);
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return begin_file(s, fd, &st, to);
	close(fd);
	return send_fail(s, "it is not a file, a directory or a link");
}

static bool send_link(struct tar_send *s, int parent, const char *name, struct buf *to)
{
	char target[SEND_TARGET];
	ssize_t n = readlinkat(parent, name, target, sizeof target);

	if (n < 0 || n == sizeof target)
		return n < 0 ? send_errno(s) : send_fail(s, "its target is too long");
	tar_header_put(to, &(struct tar_header){ buf_text(&s->path), { target, (size_t)n }, '2', 0777, 0 });
	s->files++;
	return true;
}

/* Begins the next entry of the innermost directory, or leaves that directory. */
static bool next_entry(struct tar_send *s, struct buf *to)
{
	struct tar_level *l = &s->levels[s->nlevels - 1];
	struct stat st;
	struct dirent *e;

	errno = 0;
	s->path.n = l->length;
	while ((e = readdir(l->dir)) != NULL && (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0))
		errno = 0;
	if (!e) {
		int failure = errno;
		closedir(l->dir);
		s->nlevels--;
		errno = failure;
		return !failure || send_errno(s);
	}
	buf_char(&s->path, '/');
	buf_z(&s->path, e->d_name);
	if (fstatat(dirfd(l->dir), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return send_errno(s);
	if (S_ISLNK(st.st_mode))
		return send_link(s, dirfd(l->dir), e->d_name, to);
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return send_fail(s, "it is not a file, a directory or a link");
	return begin_open(s, openat(dirfd(l->dir), e->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC), to);
}

/* Appends the next piece of the file; its size was announced, so it must have exactly that many bytes. */
static bool send_content(struct tar_send *s, struct buf *to)
{
	static const char zeros[TAR_BLOCK];
	char piece[SEND_PIECE];
	size_t want = s->left < sizeof piece ? (size_t)s->left : sizeof piece;
	ssize_t n = want ? read(s->fd, piece, want) : 0;

	if (n < 0 && errno == EINTR)
		return true;
	if (n < 0 || (want && !n))
		return n < 0 ? send_errno(s) : send_fail(s, "it became shorter while it was read");
	buf_put(to, piece, (size_t)n);
	s->left -= (uint64_t)n;
	if (s->left)
		return true;
	buf_put(to, zeros, (size_t)s->padding);
	close(s->fd);
	s->fd = -1;
	return true;
}

bool tar_send_begin(struct tar_send *s, struct arena *a, struct str path)
{
	*s = (struct tar_send){ .arena = a, .fd = -1, .levels = ARENA_ARRAY(a, struct tar_level, SEND_DEPTH + 1) };
	int fd = open(str_copy(a, path).p, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0 || (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))) {
		if (fd < 0)
			return send_errno(s);
		close(fd);
		return send_fail(s, "it is not a file or a directory");
	}
	s->fd = fd;
	return true;
}

/* Begins the archive with the root, which tar_send_begin() has opened. */
static bool send_root(struct tar_send *s, struct buf *to)
{
	int fd = s->fd;

	s->fd = -1;
	buf_z(&s->path, "data");
	return begin_open(s, fd, to);
}

bool tar_send_next(struct tar_send *s, struct buf *to)
{
	static const char end[2 * TAR_BLOCK];

	if (!s->path.n)
		return send_root(s, to);
	if (s->fd >= 0)
		return send_content(s, to);
	if (s->nlevels)
		return next_entry(s, to);
	if (!s->ended) {
		tar_header_put(to, &(struct tar_header){ STR("end"), STR(""), '0', 0600, 0 });
		buf_put(to, end, sizeof end);
	}
	s->ended = true;
	return false;
}

void tar_send_release(struct tar_send *s)
{
	while (s->nlevels)
		closedir(s->levels[--s->nlevels].dir);
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	buf_release(&s->path);
}
