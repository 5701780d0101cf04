/*
 * file_write.c - replaces files completely, or not at all. The new text is written to a file beside the old one,
 * `.NAME.trainc-new`, synced, and renamed over it. The new file is locked while it is written; a file that is not
 * locked was left behind by a killed run and is removed. The properties of the old file are kept: symbolic links still
 * lead to the same path, hard links still name the same file, and owner and mode do not change. If a rename would lose
 * any of these, the old file itself is overwritten while the new text is safe in the file beside it.
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

#include "base/path.h"

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
	struct str path;
	int fd;                         /* descriptor; -1 if it could not be made, with the reason in `error` */
	int error;
};

static bool is_same_file(int fd, const char *path)
{
	struct stat a, b;

	return fstat(fd, &a) == 0 && lstat(path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Removes a leftover file unless a running process has locked it. False if one has. */
static bool remove_litter(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return errno == ENOENT;
	bool ours = flock(fd, LOCK_EX | LOCK_NB) == 0;
	if (ours && is_same_file(fd, path))
		unlink(path);
	close(fd);
	return ours;
}

/* Makes and locks a file of that name. On failure returns -1 with errno set: EEXIST if another process uses it. */
static int make_locked(const char *path)
{
	enum { TRIES = 20 };

	for (int i = 0; i < TRIES; i++) {
		int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
		if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 && is_same_file(fd, path))
			return fd;
		if (fd >= 0)
			close(fd);              /* another process removed our file as a leftover: try again */
		else if (errno != EEXIST)
			return -1;
		else if (!remove_litter(path))
			break;
	}
	errno = EEXIST;
	return -1;
}

static struct aside aside_open(struct arena *a, struct str path)
{
	enum { RUNS = 9, LONGEST_NAME = 200 };
	struct str name = path_base(path), directory = { path.p, path.n - name.n };
	struct aside aside = { .fd = -1 };

	if (name.n > LONGEST_NAME)
		name.n = LONGEST_NAME;
	for (int i = 0; i < RUNS && aside.fd < 0; i++) {
		aside.path = str_printf(a, "%.*s.%.*s" FILE_ASIDE "%.*s", STR_ARG(directory), STR_ARG(name), i,
			"23456789");
		aside.fd = make_locked(aside.path.p);
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
		unlink(aside->path.p);
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
static bool write_into(const char *path, struct str bytes)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
	bool ok = fd >= 0 && file_write_all(fd, bytes.p, bytes.n) && ftruncate(fd, (off_t)bytes.n) == 0 &&
		fsync(fd) == 0;
	int error = errno;

	if (fd >= 0)
		close(fd);
	errno = error;
	return ok;
}

/*
 * Looks up the file that *NAME leads to, following links. False, with the reason in *WHY, when the file must not be
 * replaced.
 */
static bool look(struct arena *a, const char **name, struct stat *old, bool *exists, struct str *why)
{
	*exists = lstat(*name, old) == 0;
	if (*exists && S_ISLNK(old->st_mode)) {
		char *real = realpath(*name, NULL);
		if (!real) {
			*why = errno == ENOENT ? STR("it is a link to nothing") : file_reason(a, errno);
			return false;
		}
		*name = str_copy(a, str_of(real)).p;
		free(real);
		*exists = lstat(*name, old) == 0;
	}
	if (!*exists && errno != ENOENT)
		*why = file_reason(a, errno);
	else if (!*exists)
		return true;
	else if (S_ISDIR(old->st_mode))
		*why = file_reason(a, EISDIR);
	else if (!S_ISREG(old->st_mode))
		*why = STR("it is not a regular file");
	else if (!(old->st_mode & 0222) || access(*name, W_OK) != 0)
		*why = STR("it is read-only");
	else
		return true;
	return false;
}

bool file_replace(struct arena *a, struct str path, struct str bytes, struct str *why)
{
	const char *name = str_copy(a, path).p;
	struct stat old;
	bool exists;

	if (!look(a, &name, &old, &exists, why))
		return false;
	struct aside aside = aside_open(a, str_of(name));
	bool ok = aside.fd >= 0;
	if (ok) {
		bool alone = !exists || (old.st_nlink == 1 &&
			(old.st_uid == geteuid() || fchown(aside.fd, old.st_uid, old.st_gid) == 0) &&
			(old.st_gid == getegid() || fchown(aside.fd, (uid_t)-1, old.st_gid) == 0));
		ok = aside_write(&aside, bytes, exists ? old.st_mode & 07777 : new_mode()) &&
			(alone ? rename(aside.path.p, name) == 0
			: write_into(name, bytes) && (unlink(aside.path.p), true));
		ok = aside_close(&aside, ok);
	}
	if (!ok)
		*why = file_reason(a, aside.error);
	return ok;
}

/* Renames a file unless TO exists. On file systems that cannot do this, uses link(), which never replaces a file. */
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
	struct aside aside = aside_open(a, path);
	bool ok = aside.fd >= 0;

	if (ok)
		ok = aside_close(&aside, aside_write(&aside, bytes, new_mode()) &&
			rename_new(aside.path.p, str_copy(a, path).p));
	if (!ok)
		*why = aside.error == EEXIST ? STR("it already exists") : file_reason(a, aside.error);
	return ok;
}

/* Opens a device or a pipe; waits up to a second for the reader of a pipe. */
static int open_sink(const char *name)
{
	enum { TRIES = 100, PAUSE_MS = 10 };
	int fd = -1;

	for (int i = 0; i < TRIES && fd < 0; i++) {
		fd = open(name, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
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

bool file_pour(struct arena *a, struct str path, struct str bytes, struct str *why)
{
	const char *name = str_copy(a, path).p;
	struct stat st;

	if (stat(name, &st) != 0 || !(S_ISCHR(st.st_mode) || S_ISFIFO(st.st_mode)))
		return file_replace(a, path, bytes, why);
	int fd = open_sink(name);
	bool ok = fd >= 0 && file_write_all(fd, bytes.p, bytes.n);
	if (!ok)
		*why = errno == ENXIO ? STR("it is a pipe without a reader") : file_reason(a, errno);
	if (fd >= 0)
		close(fd);
	return ok;
}
