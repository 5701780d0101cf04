/* code_swap.c - see code_swap.h. */
#include "runtime/local/code_swap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/sha256.h"
#include "code/code_unpack.h"
#include "runtime/local/remove.h"

#define STAGE ".sync"           /* suffix of the directory of the new files */

/* ---- the files of an archive ---- */

struct listing {
	struct arena *arena;
	struct code_files *files;
	struct sha256 sha;
	bool open;
};

static void end_file(struct listing *l)
{
	char *hex = arena_alloc(l->arena, 65);

	if (l->open) {
		sha256_end(&l->sha, hex);
		map_put(&l->files->digests, l->arena, l->files->paths[l->files->n - 1], hex);
	}
	l->open = false;
}

static void list_entry(void *to, const struct unpack_entry *e)
{
	struct listing *l = to;

	end_file(l);
	ARENA_PUSH(l->arena, l->files->paths, l->files->n, str_copy(l->arena, e->path));
	struct str head = str_printf(l->arena, "%d %o ", e->link, e->mode);
	sha256_init(&l->sha);
	sha256_add(&l->sha, head.p, head.n);
	if (e->link)
		sha256_add(&l->sha, e->target.p, e->target.n);
	l->open = true;
}

static void list_bytes(void *to, struct str bytes, bool last)
{
	(void)last;
	sha256_add(&((struct listing *)to)->sha, bytes.p, bytes.n);
}

bool code_files_read(struct arena *a, struct str packed, struct code_files *ret)
{
	struct listing l = { .arena = a, .files = ret };
	struct unpack_visitor v = { list_entry, list_bytes, &l };

	*ret = (struct code_files){ 0 };
	bool ok = !packed.n || unpack_visit(a, packed, &v);
	end_file(&l);
	return ok;
}

void code_files_join(struct arena *a, struct code_files *to, const struct code_files *from)
{
	char *different = str_cat_chars(a, STR("different"), STR(""), STR(""));

	for (size_t i = 0; i < from->n; i++) {
		char *is = map_get(&from->digests, from->paths[i]), *was = map_get(&to->digests, from->paths[i]);
		if (!was)
			ARENA_PUSH(a, to->paths, to->n, from->paths[i]);
		if (!was || strcmp(was, is) != 0)
			map_put(&to->digests, a, from->paths[i], was ? different : is);
	}
}

int64_t code_files_changed(const struct code_files *old, const struct code_files *new)
{
	int64_t n = 0;

	for (size_t i = 0; i < new->n; i++) {
		const char *was = map_get(&old->digests, new->paths[i]);
		n += !was || strcmp(was, map_get(&new->digests, new->paths[i])) != 0;
	}
	for (size_t i = 0; i < old->n; i++)
		n += !map_get(&new->digests, old->paths[i]);
	return n;
}

/* ---- places in a copy ---- */

static bool cannot_swap(struct code_swap *s, const char *what, struct str path, struct str *why)
{
	*why = str_printf(s->arena, "cannot %s '%.*s': %.*s", what, STR_ARG(path),
		STR_ARG(file_reason(s->arena, errno)));
	return false;
}

/*
 * Opens the directory that has PATH, without following links, and sets RET_NAME to the last part. MAKE: makes
 * directories that are missing, also in the place of a file of the old code. Returns -1 with errno if it cannot.
 */
static int open_parent(struct code_swap *s, struct str path, bool make, const char **ret_name)
{
	struct str rest = path;
	int at = fcntl(s->copy, F_DUPFD_CLOEXEC, 3);

	while (at >= 0) {
		const char *part = str_copy(s->arena, str_take(&rest, '/')).p;
		if (!rest.n) {
			*ret_name = part;
			return at;
		}
		int below = openat(at, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (below < 0 && make && (errno == ENOTDIR || errno == ELOOP))
			unlinkat(at, part, 0);
		if (below < 0 && make && (mkdirat(at, part, 0777) == 0 || errno == EEXIST))
			below = openat(at, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		int error = errno;
		close(at);
		errno = error;
		at = below;
	}
	return -1;
}

static bool has_old_below(const struct code_swap *s, struct str directory)
{
	for (size_t i = 0; i < s->old->n; i++)
		if (s->old->paths[i].n > directory.n && s->old->paths[i].p[directory.n] == '/' &&
			str_starts(s->old->paths[i], directory))
			return true;
	return false;
}

/*
 * Does the directory NAME contain nothing but files of the old code, and directories that had some? PATH is its path in
 * the copy.
 */
static bool has_only_old(struct code_swap *s, int at, const char *name, struct str path)
{
	int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	bool only = d != NULL && has_old_below(s, path);

	for (struct dirent *e; only && (e = readdir(d)) != NULL;) {
		struct stat is;
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		struct str inside = str_cat(s->arena, path, STR("/"), str_of(e->d_name));
		if (fstatat(fd, e->d_name, &is, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(is.st_mode))
			only = has_only_old(s, fd, e->d_name, inside);
		else
			only = map_get(&s->old->digests, inside) != NULL;
	}
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
	return only;
}

/* May the directories above PATH be made? What is in their place must be a directory, or a file of the old code. */
static bool parents_fit(struct code_swap *s, struct str path, struct str *why)
{
	for (size_t i = 1; i < path.n; i++) {
		struct str above = { path.p, i };
		struct stat is;
		const char *name;
		if (path.p[i] != '/')
			continue;
		int at = open_parent(s, above, false, &name);
		if (at < 0)
			return true;            /* nothing, or a file of the old code that was looked at */
		bool other = fstatat(at, name, &is, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(is.st_mode);
		close(at);
		if (other && !map_get(&s->old->digests, above)) {
			*why = str_printf(s->arena, "'%.*s' is not a directory: the program has written it",
				STR_ARG(above));
			return false;
		}
	}
	return true;
}

static bool place_fits(struct code_swap *s, struct str path, struct str *why)
{
	struct stat is;
	const char *name;

	if (!parents_fit(s, path, why))
		return false;
	int at = open_parent(s, path, false, &name);
	bool directory = at >= 0 && fstatat(at, name, &is, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(is.st_mode);
	bool fits = !directory || has_only_old(s, at, name, path);
	if (at >= 0)
		close(at);
	if (!fits)
		*why = str_printf(s->arena, "'%.*s' is a directory in which the program has written", STR_ARG(path));
	return fits;
}

/* ---- steps ---- */

static struct str stage_path(const struct code_swap *s) { return str_cat(s->arena, s->dir, STR(STAGE), STR("")); }

bool code_swap_prepare(struct code_swap *s, struct str *why)
{
	struct str stage = stage_path(s), reason;
	const int how = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

	code_swap_end(s);
	s->copy = open(s->dir.p, how);
	if (s->copy < 0)
		return cannot_swap(s, "open", s->dir, why);
	if (mkdir(stage.p, 0700) != 0 || (s->stage = open(stage.p, how)) < 0)
		return cannot_swap(s, "make", stage, why);
	if (!unpack_code(s->arena, s->packed, s->id, s->stage, &reason)) {
		*why = str_printf(s->arena, "cannot unpack the code: %.*s", STR_ARG(reason));
		return false;
	}
	for (size_t i = 0; i < s->new->n; i++)
		if (!place_fits(s, s->new->paths[i], why))
			return false;
	return true;
}

/* Deletes a file (HOW: 0) or an empty directory (AT_REMOVEDIR); true also if it is gone already. */
static bool delete_at(struct code_swap *s, struct str path, int how)
{
	const char *name;
	int at = open_parent(s, path, false, &name);
	bool gone = at >= 0 ? unlinkat(at, name, how) == 0 || errno == ENOENT : errno == ENOENT;

	if (at >= 0)
		close(at);
	return gone;
}

/* Deletes a file of the old code, and the directories above it that are empty then. The program may have been first. */
static void delete_old(struct code_swap *s, struct str path)
{
	bool gone = delete_at(s, path, 0);
	const char *slash;

	while (gone && (slash = memrchr(path.p, '/', path.n)) != NULL) {
		path.n = (size_t)(slash - path.p);
		gone = delete_at(s, path, AT_REMOVEDIR);
	}
}

bool code_swap_carry_out(struct code_swap *s, struct str *why)
{
	for (size_t i = 0; i < s->old->n; i++)
		if (!map_get(&s->new->digests, s->old->paths[i]))
			delete_old(s, s->old->paths[i]);
	for (size_t i = 0; i < s->new->n; i++) {
		struct str path = s->new->paths[i];
		const char *name;
		int at = open_parent(s, path, true, &name);
		bool done = at >= 0 && renameat(s->stage, str_copy(s->arena, path).p, at, name) == 0;
		if (!done) {
			cannot_swap(s, "replace", path, why);
			if (at >= 0)
				close(at);
			return false;
		}
		close(at);
	}
	return true;
}

void code_swap_end(struct code_swap *s)
{
	struct str stage = stage_path(s), why;
	int fd = open(stage.p, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0) {
		remove_inside(s->arena, fd, NULL, &why);
		close(fd);
		rmdir(stage.p);
	}
	if (s->stage >= 0)
		close(s->stage);
	if (s->copy >= 0)
		close(s->copy);
	s->stage = s->copy = -1;
}
