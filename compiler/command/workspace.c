/* workspace.c - finds and caches files of the machine for the language server. */
#include "command/workspace.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/path.h"
#include "base/version.h"

enum { FILES_MOST = 5000, DEEPEST = 16 };

struct workspace_scan {
	struct arena *arena;
	void (*each)(void *to, struct str path);
	void *to;
	size_t found;
};

static int by_package_name(const void *a, const void *b)
{
	return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

static void scan_directory(struct workspace_scan *s, struct str directory, unsigned depth)
{
	DIR *d = directory_open(str_copy(s->arena, directory).p);
	struct str *names = NULL;
	size_t n = 0;

	if (!d)
		return;
	for (struct dirent *e; n < FILES_MOST && (e = readdir(d));)
		if (e->d_name[0] != '.')
			ARENA_PUSH(s->arena, names, n, str_copy(s->arena, str_of(e->d_name)));
	closedir(d);
	if (n)
		qsort(names, n, sizeof *names, by_package_name);
	for (size_t i = 0; i < n && s->found < FILES_MOST; i++) {
		struct str path = path_join(s->arena, directory, names[i]);
		struct stat info;
		if (lstat(str_copy(s->arena, path).p, &info) != 0)
			continue;
		if (S_ISDIR(info.st_mode) && depth < DEEPEST && !str_is(names[i], "node_modules"))
			scan_directory(s, path, depth + 1);
		if (S_ISREG(info.st_mode) && str_ends(names[i], STR(".tj"))) {
			s->found++;
			s->each(s->to, path);
		}
	}
}

void workspace_files(void *context, struct arena *a, struct str directory, void (*each)(void *to, struct str path),
	void *to)
{
	struct workspace_scan s = { a, each, to, 0 };

	(void)context;
	scan_directory(&s, directory, 0);
}

/* ---- texts that are not files ---- */

static bool make_directories(struct arena *a, struct str path)
{
	for (size_t i = 1; i <= path.n; i++) {
		if (i < path.n && path.p[i] != '/')
			continue;
		if (mkdir(str_copy(a, (struct str){ path.p, i }).p, 0755) != 0 && errno != EEXIST)
			return false;
	}
	return true;
}

static struct str cache_directory(struct arena *a)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");

	if (cache && cache[0] == '/')
		return str_printf(a, "%s/trainc/%s", cache, TRAINC_VERSION);
	return home && home[0] == '/' ? str_printf(a, "%s/.cache/trainc/%s", home, TRAINC_VERSION) : (struct str){ 0 };
}

bool workspace_cache(struct arena *a, struct str *ret)
{
	*ret = cache_directory(a);
	return ret->p && make_directories(a, *ret);
}

bool workspace_keep(void *context, struct arena *a, struct str name, struct str text, struct str *ret_path)
{
	struct str cache = cache_directory(a), old, why;

	(void)context;
	if (!cache.p)
		return false;
	*ret_path = path_join(a, cache, name);
	if (file_read(a, *ret_path, &old, &why) && str_eq(old, text))
		return true;
	return make_directories(a, path_directory(*ret_path)) && file_replace(a, *ret_path, text, &why);
}
