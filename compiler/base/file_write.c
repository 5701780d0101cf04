/*
 * file_write.c - replaces files completely, or not at all. The new text is written to a file beside the old one,
 * `.NAME.trainc-new`, synced, and renamed over it. The new file is locked while it is written; a file that is not
 * locked was left behind by a killed run and is removed. The properties of the old file are kept: symbolic links still
 * lead to the same path, hard links still name the same file, and owner and mode do not change. If a rename would lose
 * any of these, the old file itself is overwritten while the new text is safe in the file beside it. Which links are
 * followed, file_place.* decides; from there on, files are names in an open directory.
 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_place.h"
#include "base/path.h"
#include "base/system.h"

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

/* ---- the new file beside the old one ---- */

struct aside {
	int dir;                        /* directory of the file, which the caller closes */
	const char *name;
	int fd;                         /* descriptor; -1 if it could not be made, with the reason in `error` */
	int error;
};

static bool is_same_file(int fd, int dir, const char *name)
{
	struct stat a, b;

	return fstat(fd, &a) == 0 && fstatat(dir, name, &b, AT_SYMLINK_NOFOLLOW) == 0 && a.st_dev == b.st_dev &&
		a.st_ino == b.st_ino;
}

/* Removes a leftover file unless a running process has locked it. False if one has. */
static bool remove_litter(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return errno == ENOENT;
	bool ours = flock(fd, LOCK_EX | LOCK_NB) == 0;
	if (ours && is_same_file(fd, dir, name))
		unlinkat(dir, name, 0);
	close(fd);
	return ours;
}

/* Makes and locks a file of that name. On failure returns -1 with errno set: EEXIST if another process uses it. */
static int make_locked(int dir, const char *name)
{
	enum { TRIES = 20 };

	for (int i = 0; i < TRIES; i++) {
		int fd = openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && is_same_file(fd, dir, name))
			return fd;
		if (fd >= 0)
			close(fd);              /* another process removed our file as a leftover: try again */
		else if (errno != EEXIST)
			return -1;
		else if (!remove_litter(dir, name))
			break;
	}
	errno = EEXIST;
	return -1;
}

static struct aside aside_open(struct arena *a, struct file_place place)
{
	enum { RUNS = 9, LONGEST_NAME = 200 };
	struct str name = str_of(place.name);
	struct aside aside = { .dir = place.dir, .fd = -1 };

	if (name.n > LONGEST_NAME)
		name.n = LONGEST_NAME;
	for (int i = 0; i < RUNS && aside.fd < 0; i++) {
		aside.name = str_printf(a, ".%.*s" FILE_ASIDE "%.*s", STR_ARG(name), i, "23456789").p;
		aside.fd = make_locked(place.dir, aside.name);
		aside.error = errno;
		if (aside.fd < 0 && aside.error != EEXIST)
			break;
	}
	return aside;
}

/*
 * Closes the new file, and removes it if the replacement failed.  All bytes were synced, so a failing close() loses
 * nothing.
 */
static bool aside_close(struct aside *aside, bool ok)
{
	if (!ok) {
		aside->error = errno;
		unlinkat(aside->dir, aside->name, 0);
	}
	close(aside->fd);
	return ok;
}

static bool aside_write(struct aside *aside, struct str bytes, mode_t mode)
{
	return file_write_all(aside->fd, bytes.p, bytes.n) && fchmod(aside->fd, mode) == 0 && fsync(aside->fd) == 0;
}

/* ---- replacing ---- */

static mode_t new_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/* Writes the bytes into the old file itself, which keeps its owner and its names. */
static bool write_into(struct file_place place, const struct stat *old, struct str bytes)
{
	int fd = openat(place.dir, place.name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat now;
	bool ok = fd >= 0 && fstat(fd, &now) == 0;

	if (ok && (now.st_dev != old->st_dev || now.st_ino != old->st_ino)) {
		errno = ESTALE;                 /* exchanged for another file meanwhile */
		ok = false;
	}
	ok = ok && file_write_all(fd, bytes.p, bytes.n) && ftruncate(fd, (off_t)bytes.n) == 0 && fsync(fd) == 0;
	int error = errno;

	if (fd >= 0)
		close(fd);
	errno = error;
	return ok;
}

/* Looks up the file at a place. False, with the reason in *WHY, when it must not be replaced. */
static bool look_at_place(struct arena *a, struct file_place place, struct stat *old, bool *exists, struct str *why)
{
	*exists = fstatat(place.dir, place.name, old, AT_SYMLINK_NOFOLLOW) == 0;
	if (!*exists && errno != ENOENT)
		*why = file_reason(a, errno);
	else if (!*exists)
		return true;
	else if (S_ISDIR(old->st_mode))
		*why = file_reason(a, EISDIR);
	else if (S_ISLNK(old->st_mode))
		*why = STR("it is a symbolic link");
	else if (!S_ISREG(old->st_mode))
		*why = STR("it is not a regular file");
	else if (!(old->st_mode & 0222) || faccessat(place.dir, place.name, W_OK, 0) != 0)
		*why = STR("it is read-only");
	else
		return true;
	return false;
}

/* Replaces the file at a place. If it has more names, all of them show the new text when TWINS, else only this one. */
static bool replace_at(struct arena *a, struct file_place place, struct str bytes, bool twins, struct str *why)
{
	struct stat old;
	bool exists;

	if (!look_at_place(a, place, &old, &exists, why))
		return false;
	struct aside aside = aside_open(a, place);
	bool ok = aside.fd >= 0;
	if (ok) {
		bool alone = !exists || (old.st_nlink > 1 ? !twins :
			(old.st_uid == geteuid() || fchown(aside.fd, old.st_uid, old.st_gid) == 0) &&
			(old.st_gid == getegid() || fchown(aside.fd, (uid_t)-1, old.st_gid) == 0));
		ok = aside_write(&aside, bytes, exists ? old.st_mode & 07777 : new_mode()) &&
			(alone ? renameat(place.dir, aside.name, place.dir, place.name) == 0
			: write_into(place, &old, bytes) && (unlinkat(place.dir, aside.name, 0), true));
		ok = aside_close(&aside, ok);
	}
	if (!ok)
		*why = file_reason(a, aside.error);
	return ok;
}

bool file_replace(struct arena *a, struct str path, struct str bytes, struct str *why)
{
	struct file_place place;

	if (!file_place_open(a, path, &place, why))
		return false;
	bool ok = replace_at(a, place, bytes, true, why);
	close(place.dir);
	return ok;
}

bool file_replace_in(struct arena *a, int directory, struct str name, struct str bytes, struct str *why)
{
	struct file_place place = { directory, str_copy(a, name).p };

	return replace_at(a, place, bytes, false, why);
}

/* Renames a file unless TO exists. On file systems that cannot do this, uses linkat(), which never replaces a file. */
static bool rename_new(int dir, const char *from, const char *to)
{
	if (system_rename(dir, from, dir, to, SYSTEM_NEW) == 0)
		return true;
	if (errno != EINVAL && errno != ENOSYS)
		return false;
	if (linkat(dir, from, dir, to, 0) != 0)
		return false;
	unlinkat(dir, from, 0);
	return true;
}

bool file_create(struct arena *a, struct str path, struct str bytes, struct str *why)
{
	struct str name = path_base(path);
	struct file_place place = { open(str_copy(a, path_directory(path)).p, O_PATH | O_DIRECTORY | O_CLOEXEC),
		str_copy(a, name).p };

	if (place.dir < 0) {
		*why = file_reason(a, errno);
		return false;
	}
	struct aside aside = aside_open(a, place);
	bool ok = aside.fd >= 0;

	if (ok)
		ok = aside_close(&aside, aside_write(&aside, bytes, new_mode()) &&
			rename_new(place.dir, aside.name, place.name));
	if (!ok)
		*why = aside.error == EEXIST ? STR("it already exists") : file_reason(a, aside.error);
	close(place.dir);
	return ok;
}

/* Opens a device or a pipe; waits up to a second for the reader of a pipe. */
static int open_sink(struct file_place place, int flags)
{
	enum { TRIES = 100, PAUSE_MS = 10 };
	int fd = -1;

	for (int i = 0; i < TRIES && fd < 0; i++) {
		fd = openat(place.dir, place.name, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
		if (fd < 0 && errno != ENXIO)
			break;
		if (fd < 0) {
			poll(NULL, 0, PAUSE_MS);
			errno = ENXIO;
		}
	}
	if (fd >= 0)
		fcntl(fd, F_SETFL, 0);          /* a slow reader may block the write */
	return fd;
}

static bool is_sink(const struct stat *st) { return S_ISCHR(st->st_mode) || S_ISFIFO(st->st_mode); }

static bool pour_into(struct arena *a, int fd, struct str bytes, struct str *why)
{
	bool ok = fd >= 0 && file_write_all(fd, bytes.p, bytes.n);

	if (!ok)
		*why = errno == ENXIO ? STR("it is a pipe without a reader") : file_reason(a, errno);
	if (fd >= 0)
		close(fd);
	return ok;
}

bool file_pour(struct arena *a, struct str path, struct str bytes, struct str *why)
{
	const char *name = str_copy(a, path).p;
	struct file_place place;
	struct stat st;

	/* /dev/stdout leads to a pipe that has no path */
	if (file_place_is_system(path) && stat(name, &st) == 0 && is_sink(&st))
		return pour_into(a, open_sink((struct file_place){ AT_FDCWD, name }, 0), bytes, why);
	if (!file_place_open(a, path, &place, why))
		return false;
	bool ok = fstatat(place.dir, place.name, &st, AT_SYMLINK_NOFOLLOW) == 0 && is_sink(&st) ?
		pour_into(a, open_sink(place, O_NOFOLLOW), bytes, why) : replace_at(a, place, bytes, true, why);
	close(place.dir);
	return ok;
}
