/* history.c - keeps, restores and removes the directories of earlier runs. */
#include "runtime/local/history.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/path.h"
#include "base/words.h"
#include "runtime/local/remove.h"
#include "runtime/local/survivors.h"

enum { SURVIVORS_SECONDS = 2 };

/* The number of an earlier run, if RUN is the name of an earlier run of NAME; otherwise 0. */
static long number_of(struct str run, struct str name)
{
	struct str base;

	return run_base(run, &base) && str_eq(base, name) ? strtol(run.p + base.n + 1, NULL, 10) : 0;
}

static struct str state_dir_of(struct str path) { return path_directory(path_directory(path)); }

static long newest_number(struct arena *a, struct str path)
{
	struct run_names all = run_list(a, state_dir_of(path));
	long most = 0;

	for (size_t i = 0; i < all.n; i++) {
		long n = number_of(all.at[i], path_base(path));
		most = n > most ? n : most;
	}
	return most;
}

/* Removes the oldest earlier runs, to make room for another one. */
static void forget_oldest(struct arena *a, struct str path, long last)
{
	struct run_names all = run_list(a, state_dir_of(path));
	struct str why;

	for (size_t i = 0; i < all.n; i++) {
		long n = number_of(all.at[i], path_base(path));
		if (n && n <= last - HISTORY_RUNS)
			run_dir_remove(a, run_dir_path(a, state_dir_of(path), all.at[i]), &why);
	}
}

/* Has the run ended for certain, and is none of its processes left? */
static bool ended_for_good(struct arena *a, const struct run_state *s)
{
	size_t found;

	return run_phase_final(s->phase) && s->nroles &&
		!survivors_end(a, s, SURVIVORS_SECONDS * NS_PER_SECOND, &found);
}

/*
 * Opens and locks the directory of a run that has ended, so that no other command can start a run there; -1 if the run
 * has not ended. The keeper that has announced the verdict may hold the lock for a moment, so this waits for at most
 * five seconds.
 */
static int open_over(struct arena *a, struct str path)
{
	const struct timespec pause = { 0, 10 * 1000000 };
	const char *name = str_copy(a, path).p;
	struct run_state s;
	struct str why;

	for (int tries = 0; tries < 500; tries++) {
		int fd = open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			return -1;
		bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0 && run_dir_is_at(name, fd);
		bool final = run_load(a, state_dir_of(path), path_base(path), &s, &why) && run_phase_final(s.phase);
		if (locked && final && ended_for_good(a, &s))
			return fd;
		close(fd);
		if (locked || !final)
			return -1;
		nanosleep(&pause, NULL);
	}
	return -1;
}

/* Empties the scratch space, which can be large and which only the replicas needed. */
static void empty_scratch(struct arena *a, int dir)
{
	int fd = openat(dir, "scratch", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct str why;

	if (fd >= 0 && remove_inside(a, fd, NULL, &why))
		unlinkat(dir, "scratch", AT_REMOVEDIR);
	if (fd >= 0)
		close(fd);
	unlinkat(dir, "control", 0);
	unlinkat(dir, "reserve", 0);
}

struct str history_keep(struct arena *a, struct str path)
{
	struct str from = str_copy(a, path), to = STR("");
	int fd = open_over(a, path);

	if (fd < 0)
		return to;
	long n = newest_number(a, path) + 1;
	to = str_printf(a, "%.*s~%ld", STR_ARG(path), n);
	empty_scratch(a, fd);
	if (rename(from.p, to.p) != 0)
		to = STR("");
	else
		forget_oldest(a, path, n);
	close(fd);
	return to;
}

void history_restore(struct str kept, struct str path)
{
	struct arena a = { 0 };

	if (kept.n)
		rename(str_copy(&a, kept).p, str_copy(&a, path).p);
	arena_release(&a);
}

bool history_remove(struct arena *a, struct str state_dir, struct str name, struct str *why)
{
	struct run_names all = run_list(a, state_dir);
	bool ok = true;

	for (size_t i = 0; i < all.n; i++)
		if (number_of(all.at[i], name))
			ok = run_dir_remove(a, run_dir_path(a, state_dir, all.at[i]), why) && ok;
	return ok;
}
