/* tar_store.c - see tar_store.h. */
#include "runtime/cluster/tar_store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/path.h"
#include "base/system.h"
#include "base/words.h"

/* STORE_LINKS: bytes of paths and targets of links that are kept until the end. STORE_DEPTH: of directories. */
enum { STORE_LINKS = 8 << 20, STORE_DEPTH = 512 };
#define STORE_ROOT "data"

static bool store_fail(struct tar_store *s, struct str name, const char *what)
{
	struct buf *why = &s->reader.why;

	why->n = 0;
	buf_char(why, '\'');
	put_escaped(why, name.n ? name : s->dest);
	buf_printf(why, "' cannot be written: %s", what);
	return false;
}

static bool store_errno(struct tar_store *s, struct str name)
{
	s->output = errno != EEXIST && errno != ENOTDIR;
	return store_fail(s, name, s->output ? file_reason(s->arena, errno).p : "the archive has it twice");
}

/* ---- directories ---- */

/* Opens the directory of PATH below the root, and makes those that are missing. Returns -1 on failure. */
static int store_parent(struct tar_store *s, struct str path, char name[256])
{
	int at = fcntl(s->at, F_DUPFD_CLOEXEC, 0);
	struct str rest = path, part = STR(STORE_ROOT);
	size_t depth = 0;

	while (at >= 0 && rest.n) {
		memcpy(name, part.p, part.n);
		name[part.n] = '\0';
		if (mkdirat(at, name, 0700) != 0 && errno != EEXIST) {
			close(at);
			return -1;
		}
		int next = ++depth > STORE_DEPTH ? (errno = ENAMETOOLONG, -1) :
			openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		int failure = errno;
		close(at);
		errno = failure;
		at = next;
		const char *slash = memchr(rest.p, '/', rest.n);
		part = (struct str){ rest.p, slash ? (size_t)(slash - rest.p) : rest.n };
		rest = slash ? (struct str){ slash + 1, rest.n - part.n - 1 } : STR("");
	}
	memcpy(name, part.p, part.n);
	name[part.n] = '\0';
	return at;
}

/* ---- entries ---- */

static bool store_file(struct tar_store *s, int parent, const char *name, const struct tar_entry *e)
{
	s->fd = openat(parent, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	s->mode = 0600 | (e->mode & ~s->mask);
	s->files++;
	s->bytes += e->size;
	return s->fd >= 0 || store_errno(s, e->path);
}

/* A directory that has an entry of its own gets the permissions of that, and stays writable for its owner. */
static bool store_directory(struct tar_store *s, int parent, const char *name, const struct tar_entry *e)
{
	if (mkdirat(parent, name, 0700) != 0 && errno != EEXIST)
		return store_errno(s, e->path);
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	bool ok = fd >= 0 && fchmod(fd, 0700 | (e->mode & ~s->mask)) == 0;

	if (fd >= 0)
		close(fd);
	return ok || store_errno(s, e->path);
}

/* Does a link at PATH stay in the tree? Its target goes up at its beginning only, and not above the root. */
static bool stays_inside(struct str path, struct str target)
{
	size_t depth = 0, i = 0;

	if (!target.n || *target.p == '/' || !path.n)
		return false;
	for (size_t k = 0; k < path.n; k++)
		depth += path.p[k] == '/';
	for (bool down = false; i < target.n;) {
		const char *slash = memchr(target.p + i, '/', target.n - i);
		struct str part = { target.p + i, slash ? (size_t)(slash - target.p) - i : target.n - i };
		if (str_is(part, "..")) {
			if (down || !depth--)
				return false;
		} else if (part.n && !str_is(part, ".")) {
			down = true;
		}
		i += part.n + 1;
	}
	return true;
}

/* Keeps a link until the end. */
static bool store_link(struct tar_store *s, const struct tar_entry *e)
{
	struct tar_link link = { str_copy(s->arena, e->path), str_copy(s->arena, e->target) };

	if (!e->path.n)
		return store_fail(s, e->target, "the path is a link to this one; copy this one in its place");
	if (!stays_inside(e->path, e->target))
		return store_fail(s, e->path, "it is a link that leads out of what was asked for");
	s->link_bytes += e->path.n + e->target.n + sizeof link;
	if (s->link_bytes > STORE_LINKS)
		return store_fail(s, e->path, "there are too many links");
	ARENA_PUSH(s->arena, s->links, s->nlinks, link);
	return true;
}

/* Makes a second name of a file that has arrived. */
static bool store_hard_link(struct tar_store *s, int parent, const char *name, const struct tar_entry *e)
{
	char old[256];
	int from = store_parent(s, e->target, old);
	struct stat st;
	bool ok = from >= 0 && fstatat(from, old, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
		linkat(from, old, parent, name, 0) == 0;

	if (from >= 0)
		close(from);
	s->files += ok;
	return ok || store_fail(s, e->path, "it is a link to a file that the archive does not have");
}

static bool store_entry(void *to, const struct tar_entry *e)
{
	struct tar_store *s = to;
	char name[256];
	bool ok = false;

	if (e->kind == TAR_LINK)
		return store_link(s, e);
	s->any = true;
	int parent = store_parent(s, e->path, name);
	if (parent < 0)
		return store_errno(s, e->path);
	switch (e->kind) {
	case TAR_FILE: ok = store_file(s, parent, name, e); break;
	case TAR_DIRECTORY: ok = store_directory(s, parent, name, e); break;
	case TAR_HARD_LINK: ok = store_hard_link(s, parent, name, e); break;
	case TAR_LINK: break;
	}
	close(parent);
	return ok;
}

static bool store_bytes(void *to, struct str bytes)
{
	struct tar_store *s = to;

	return file_write_all(s->fd, bytes.p, bytes.n) || store_errno(s, s->dest);
}

static bool store_file_end(void *to)
{
	struct tar_store *s = to;
	bool ok = fchmod(s->fd, s->mode) == 0;

	ok = close(s->fd) == 0 && ok;
	s->fd = -1;
	return ok || store_errno(s, s->dest);
}

/* ---- the whole ---- */

bool tar_store_begin(struct tar_store *s, struct arena *a, struct str dest, struct str root)
{
	struct str directory = path_directory(dest);
	char *staging = str_cat_chars(a, directory.n ? directory : STR("."), STR("/.trainc-cp-XXXXXX"), STR(""));

	*s = (struct tar_store){ .arena = a, .dest = dest, .at = -1, .fd = -1 };
	s->reader = (struct tar_reader){ .root = root, .entry = store_entry, .bytes = store_bytes,
		.file_end = store_file_end, .to = s };
	s->mask = umask(0);
	umask(s->mask);
	if (!mkdtemp(staging)) {
		s->output = true;
		return store_fail(s, dest, errno != ENOTDIR ? file_reason(a, errno).p :
			"the path leads through a file as if that were a directory");
	}
	s->staging = str_of(staging);
	s->at = open(staging, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return s->at >= 0 || store_errno(s, dest);
}

static bool make_links(struct tar_store *s)
{
	for (size_t i = 0; i < s->nlinks; i++) {
		char name[256];
		int parent = store_parent(s, s->links[i].path, name);
		bool ok = parent >= 0 && symlinkat(s->links[i].target.p, parent, name) == 0;
		int failure = errno;
		if (parent >= 0)
			close(parent);
		errno = failure;
		if (!ok)
			return store_errno(s, s->links[i].path);
		s->files++;
	}
	return true;
}

bool tar_store_end(struct tar_store *s, bool replace)
{
	if (!s->any)
		return store_fail(s, STR(""), "the archive is empty");
	if (!make_links(s))
		return false;
	/* what exists moves into the private directory, and goes with it */
	int failed = system_rename(s->at, STORE_ROOT, AT_FDCWD, s->dest.p, replace ? SYSTEM_EXCHANGE : SYSTEM_NEW);
	if (failed && replace && errno == ENOENT)
		failed = system_rename(s->at, STORE_ROOT, AT_FDCWD, s->dest.p, SYSTEM_NEW);
	if (failed && errno == EINVAL)          /* a file system without these flags */
		failed = (!replace && access(s->dest.p, F_OK) == 0) ? (errno = EEXIST, -1) :
			renameat(s->at, STORE_ROOT, AT_FDCWD, s->dest.p);
	s->exists = failed && errno == EEXIST;
	if (s->exists)
		return store_fail(s, STR(""), "it exists; --force replaces it");
	return !failed || store_errno(s, STR(""));
}

/* Removes the entry NAME of a directory, and everything below it. */
static void remove_below(int parent, const char *name, size_t depth)
{
	if (unlinkat(parent, name, 0) == 0 || depth > 2 * STORE_DEPTH)
		return;
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && fchmod(fd, 0700) != 0)
		errno = 0;                      /* what cannot be removed stays */
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	for (struct dirent *e; d && (e = readdir(d)) != NULL;)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			remove_below(dirfd(d), e->d_name, depth + 1);
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
	unlinkat(parent, name, AT_REMOVEDIR);
}

bool tar_store_release(struct tar_store *s)
{
	if (s->fd >= 0)
		close(s->fd);
	if (s->staging.n)
		remove_below(AT_FDCWD, s->staging.p, 0);
	bool gone = !s->staging.n || access(s->staging.p, F_OK) != 0;
	if (s->at >= 0)
		close(s->at);
	tar_reader_release(&s->reader);
	return gone;
}
