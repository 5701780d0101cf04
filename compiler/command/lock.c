/* lock.c - writes trainc.lock with the hashes of the packages. */
#include "command/lock.h"

#include <stdlib.h>

#include "base/path.h"
#include "check/package.h"
#include "check/project.h"

struct locked {
	struct str name, hash;
};

static int by_locked_name(const void *a, const void *b)
{
	return str_cmp(((const struct locked *)a)->name, ((const struct locked *)b)->name);
}

/* Computes the hashes; returns false after reporting packages without content. */
static bool hash_packages(struct session *s, struct trainc *c, struct locked *to, size_t *ret_n)
{
	const struct project *project = &c->program.project;
	bool ok = true;

	*ret_n = 0;
	for (size_t i = 0; i < project->packages.n; i++) {
		struct str name = project->packages.entries[i].key,
			path = *(const struct str *)project->packages.entries[i].value;
		if (!path.p)
			continue;               /* the package is outside the project, which was already reported */
		struct str why, hash = package_hash(s->arena, s->reader, path_join(s->arena, project->root, path),
			&why);
		if (hash.p) {
			to[(*ret_n)++] = (struct locked){ name, hash };
			continue;
		}
		session_say(s, "package '%.*s' in '%.*s' was not locked: %.*s", STR_ARG(name), STR_ARG(path),
			STR_ARG(why));
		ok = false;
	}
	qsort(to, *ret_n, sizeof *to, by_locked_name);
	return ok;
}

static int write_lock(struct session *s, struct str directory, const struct locked *all, size_t n)
{
	struct buf lines = { 0 }, file = { 0 };

	for (size_t i = 0; i < n; i++)
		buf_printf(&lines, "%.*s %.*s\n", STR_ARG(all[i].name), STR_ARG(all[i].hash));
	buf_z(&file, "# Written by 'trainc vendor'.\n");
	buf_str(&file, buf_text(&lines));
	bool written = session_replace(s, path_join(s->arena, directory, STR("trainc.lock")), buf_text(&file));
	if (written)
		session_write(s, buf_text(&lines));
	buf_release(&lines);
	buf_release(&file);
	return written ? STATUS_DONE : STATUS_OUTPUT;
}

static int lock_project(struct session *s, struct trainc *c, struct programs *all)
{
	const struct project *project = &c->program.project;
	size_t n;

	c->program.locking = true;
	project_find(&c->program, STR("."), STR(""));
	session_report(s, all, false);
	if (!all->ok)
		return STATUS_PROGRAM;
	if (!project->packages.n) {
		session_say(s, project->module ? "project.tj names no packages" :
			"found no project.tj here or above; packages are named there");
		return STATUS_PROGRAM;
	}
	struct locked *found = ARENA_ARRAY(s->arena, struct locked, project->packages.n);
	return hash_packages(s, c, found, &n) ? write_lock(s, project->root, found, n) : STATUS_PROGRAM;
}

int lock_packages(struct session *s)
{
	struct trainc *c = session_open(s);
	struct programs all = { .at = &c, .n = 1 };

	if (!c)
		return STATUS_USAGE;
	int status = lock_project(s, c, &all);
	trainc_close(c);
	return status;
}
