/*
 * remove.c - removes a directory: goes down into the first directory that is not empty, and up again when it is empty.
 * It uses no recursion and at most two descriptors, because directories of a training program may be nested deeper than
 * any stack.
 */
#include "runtime/local/remove.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

struct level {
	char *name;                     /* name of the directory in its parent */
	dev_t device;
	ino_t inode;                    /* inode of the directory above, to check that the way up leads there */
};

struct local_removal {
	struct arena *arena;
	struct level *levels;
	size_t n;
	const char *keep;
	int fd;
	struct str *why;
};

static bool fail(struct local_removal *r, const char *name, int error)
{
	*r->why = str_printf(r->arena, "cannot remove '%s': %.*s", name, STR_ARG(file_reason(r->arena, error)));
	return false;
}

static int open_directory(int at, const char *name)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	/* an owner may change the mode of a directory that he cannot read */
	if (fd < 0 && errno == EACCES && fchmodat(at, name, 0700, 0) == 0)
		fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd;
}

static bool go_down(struct local_removal *r, const char *name)
{
	struct stat here;
	int fd = open_directory(r->fd, name);

	if (fd < 0 || fstat(r->fd, &here) != 0)
		return fail(r, name, errno);
	fchmod(fd, 0700);               /* the directory must be writable to remove names from it */
	struct level level = { arena_copy(r->arena, name, strlen(name)), here.st_dev, here.st_ino };
	ARENA_PUSH(r->arena, r->levels, r->n, level);
	if (r->n > 1)
		close(r->fd);
	r->fd = fd;
	return true;
}

static bool go_up(struct local_removal *r, int top)
{
	struct level *level = &r->levels[--r->n];
	struct stat above;
	int fd = r->n ? openat(r->fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : top;

	if (fd < 0)
		return fail(r, level->name, errno);
	if (fstat(fd, &above) != 0 || above.st_dev != level->device || above.st_ino != level->inode) {
		if (fd != top)
			close(fd);
		return fail(r, level->name, EBUSY);     /* the directory was moved meanwhile */
	}
	close(r->fd);
	r->fd = fd;
	if (unlinkat(fd, level->name, AT_REMOVEDIR) != 0 && errno != ENOENT)
		return fail(r, level->name, errno);
	return true;
}

/* Removes one entry if possible; the name of a directory that is not empty is stored in RET_BELOW. */
static bool remove_entry(struct local_removal *r, const char *name, char *ret_below, size_t size)
{
	if (unlinkat(r->fd, name, 0) == 0 || errno == ENOENT)
		return true;
	int error = errno;
	if (unlinkat(r->fd, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
		return true;
	if (errno != ENOTEMPTY && errno != EEXIST)
		return fail(r, name, errno == ENOTDIR ? error : errno);
	/* not memccpy(): that of the C library with which releases are built (Zig 0.17.1) leaves out the final NUL */
	memcpy(ret_below, name, strnlen(name, size - 1) + 1);
	ret_below[size - 1] = 0;
	return true;
}

/* Removes every entry that can be removed at once. */
static bool sweep(struct local_removal *r, char *ret_below, size_t size)
{
	int fd = openat(r->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	bool ok = true;

	*ret_below = 0;
	if (!d) {
		int error = errno;
		if (fd >= 0)
			close(fd);
		return fail(r, r->n ? r->levels[r->n - 1].name : ".", error);
	}
	for (struct dirent *e; ok && !*ret_below && (e = readdir(d));) {
		const char *name = e->d_name;
		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
			(r->n == 0 && r->keep && strcmp(name, r->keep) == 0))
			continue;
		ok = remove_entry(r, name, ret_below, size);
	}
	closedir(d);
	return ok;
}

bool remove_inside(struct arena *a, int top, const char *keep, struct str *why)
{
	struct local_removal r = { .arena = a, .keep = keep, .fd = top, .why = why };
	char below[NAME_MAX + 1];
	bool ok = true, over = false;

	while (ok && !over) {
		ok = sweep(&r, below, sizeof below);
		if (ok && *below)
			ok = go_down(&r, below);
		else if (ok && r.n)
			ok = go_up(&r, top);
		else
			over = true;
	}
	if (r.fd != top)
		close(r.fd);
	return ok;
}
