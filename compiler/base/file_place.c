/*
 * file_place.c - opens the directory in which a file is written. After that, only names in open directories are used:
 * a directory or link that somebody exchanges meanwhile has no effect.
 */
#include "base/file_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/path.h"

enum { PLACE_FLAGS = O_PATH | O_DIRECTORY | O_CLOEXEC };

bool file_place_is_system(struct str path)
{
	return str_starts(path, STR("/dev/")) || str_starts(path, STR("/proc/"));
}

/* The real path of PATH in the arena; without text, with errno set, if it does not exist. */
static struct str real_path(struct arena *a, struct str path)
{
	char *real = realpath(str_copy(a, path).p, NULL);
	struct str copy = real ? str_copy(a, str_of(real)) : (struct str){ 0 };

	free(real);
	return copy;
}

/*
 * Goes from the directory DIR to the directory of the file INNER, a path without links that begins in DIR. Closes DIR,
 * and returns a descriptor, or -1 with errno set.
 */
static int descend(struct arena *a, int dir, struct str inner)
{
	size_t end = inner.n - path_base(inner).n;

	for (size_t at = 0; at < end && dir >= 0;) {
		const char *slash = memchr(inner.p + at, '/', end - at);
		size_t n = (size_t)(slash - inner.p) - at;
		int next = openat(dir, str_copy(a, (struct str){ inner.p + at, n }).p, PLACE_FLAGS | O_NOFOLLOW);
		int error = errno;
		close(dir);
		errno = error;
		dir = next;
		at += n + 1;
	}
	return dir;
}

/* Replaces the place of the link PATH by that of the file it leads to. */
static bool follow_link(struct arena *a, struct str path, struct file_place *place, struct str *why)
{
	struct str real = real_path(a, path);
	struct str outer = file_place_is_system(path) ? STR("/") : real.p ? real_path(a, path_directory(path)) : real;

	if (!outer.p) {
		*why = errno == ENOENT ? STR("it is a link to nothing") : file_reason(a, errno);
		return false;
	}
	size_t skip = outer.n + (outer.n > 1);
	if (real.n <= skip || !path_inside(outer, real)) {
		*why = str_printf(a, "it is a symbolic link out of its directory; if you trust it, name '%.*s' instead",
			STR_ARG(real));
		return false;
	}
	if (file_place_is_system(path)) {
		close(place->dir);
		place->dir = open("/", PLACE_FLAGS);
	}
	real = (struct str){ real.p + skip, real.n - skip };
	place->dir = descend(a, place->dir, real);
	place->name = str_copy(a, path_base(real)).p;
	if (place->dir < 0)
		*why = file_reason(a, errno);
	return place->dir >= 0;
}

bool file_place_open(struct arena *a, struct str path, struct file_place *ret, struct str *why)
{
	struct str name = path_base(path);
	bool none = !name.n || str_is(name, ".") || str_is(name, "..");
	struct stat st;

	ret->dir = open(str_copy(a, none && path.n ? path : path_directory(path)).p, PLACE_FLAGS);
	ret->name = none ? "." : str_copy(a, name).p;
	if (ret->dir < 0) {
		*why = file_reason(a, errno);
		return false;
	}
	if (fstatat(ret->dir, ret->name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISLNK(st.st_mode))
		return true;
	if (follow_link(a, path, ret, why))
		return true;
	if (ret->dir >= 0)
		close(ret->dir);
	return false;
}

int file_place_directory(struct arena *a, struct str path, bool *ret_made, struct str *why)
{
	struct file_place place;

	while (path.n > 1 && path.p[path.n - 1] == '/')
		path.n--;
	if (!file_place_open(a, path, &place, why))
		return -1;
	*ret_made = mkdirat(place.dir, place.name, 0777) == 0;
	int fd = !*ret_made && errno != EEXIST ? -1 :
		openat(place.dir, place.name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		*why = file_reason(a, errno);
	close(place.dir);
	return fd;
}
