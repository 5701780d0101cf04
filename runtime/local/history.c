/*
 * history.c - keeps, restores and removes the directories of earlier runs, and keeps the launches of removed ones.
 */
#include "runtime/local/history.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json_write.h"
#include "base/path.h"
#include "base/words.h"
#include "data/data_read.h"
#include "runtime/local/remove.h"
#include "runtime/local/survivors.h"

enum { SURVIVORS_SECONDS = 2, SHELF_FILE_MOST = 4 << 20 };

/* The number of an earlier run, if RUN is the name of an earlier run of NAME; otherwise 0. */
static long number_of(struct str run, struct str name)
{
	struct str base;

	return run_base(run, &base) && str_eq(base, name) ? strtol(run.p + base.n + 1, NULL, 10) : 0;
}

static struct str state_dir_of(struct str path) { return path_directory(path_directory(path)); }

/* ---- the launches of removed runs ---- */

static struct str shelf_path(struct arena *a, struct str state_dir) { return path_join(a, state_dir, STR("history")); }

static bool read_shelf_file(struct arena *a, struct str path, struct launch_shelf *ret, struct str *why)
{
	struct source source = { .base = 1 };
	struct data_error error;
	struct data *d;
	struct stat is;

	if (stat(path.p, &is) != 0) {
		*why = file_reason(a, errno);
		return errno == ENOENT;
	}
	if (!S_ISREG(is.st_mode)) {
		*why = S_ISDIR(is.st_mode) ? STR("is a directory") : STR("is not a regular file");
		return false;
	}
	if (!file_read_most(a, path, SHELF_FILE_MOST, &source.text, why))
		return false;
	if (!source.text.n)             /* a command that was killed before it wrote */
		return true;
	if (!data_read_json(a, &source, &d, &error) || d->kind != DATA_MAP) {
		*why = STR("the file is damaged; move it away");
		return false;
	}
	*ret = shelf_read(a, d);
	return true;
}

/* Reads the launches of removed runs; false with an explanation if the file exists and cannot be read. */
static bool load_shelf(struct arena *a, struct str state_dir, struct launch_shelf *ret, struct str *why)
{
	struct str path = shelf_path(a, state_dir), reason;

	*ret = (struct launch_shelf){ 0 };
	if (read_shelf_file(a, path, ret, &reason))
		return true;
	*why = str_printf(a, "'%.*s': %.*s", STR_ARG(path), STR_ARG(reason));
	return false;
}

static bool save_shelf(struct arena *a, struct str state_dir, const struct launch_shelf *s, struct str *why)
{
	struct str path = shelf_path(a, state_dir);
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	int fd = open(path.p, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);

	if (fd >= 0)
		close(fd);
	json_open(&w, '{');
	for (size_t i = 0; i < s->n; i++) {
		if (s->at[i].dropped)
			continue;
		json_line(&w, 0);
		json_key_text(&w, s->at[i].name);
		json_put_text(&w, s->at[i].text);
	}
	json_line(&w, 0);
	json_close(&w, '}');
	buf_char(&b, '\n');
	bool ok = file_replace(a, path, buf_text(&b), why);
	buf_release(&b);
	if (!ok)
		*why = str_printf(a, "'%.*s': %.*s", STR_ARG(path), STR_ARG(*why));
	return ok;
}

/* Inserts a launch in the order of numbers; it replaces a launch with the same number. */
static void insert_launch(struct arena *a, struct run_launches *l, struct run_launch x)
{
	size_t at = l->n;

	while (at && l->at[at - 1].number > x.number)
		at--;
	if (at && l->at[at - 1].number == x.number) {
		l->at[at - 1] = x;
		return;
	}
	ARENA_PUSH(a, l->at, l->n, x);
	memmove(&l->at[at + 1], &l->at[at], (l->n - 1 - at) * sizeof x);
	l->at[at] = x;
}

static void insert_run(struct arena *a, struct str state_dir, struct str run, int64_t number, struct run_launches *l)
{
	struct run_state s;
	struct str why;

	if (!run_load(a, state_dir, run, &s, &why))
		return;
	struct run_launch x = launch_of_state(&s);
	x.number = number;
	insert_launch(a, l, x);
}

void history_open(struct arena *a, struct str state_dir, struct history *ret)
{
	*ret = (struct history){ .arena = a, .state_dir = state_dir, .all = run_list(a, state_dir) };
	load_shelf(a, state_dir, &ret->shelf, &ret->why);
	for (size_t i = 0; i < ret->shelf.n; i++)
		map_put(&ret->shelved, a, ret->shelf.at[i].name, &ret->shelf.at[i]);
}

/* The number of names that come before NAME. */
static size_t names_before(const struct run_names *all, struct str name)
{
	size_t from = 0, to = all->n;

	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (str_cmp(all->at[middle], name) < 0)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

struct run_launches history_of(const struct history *h, struct str name)
{
	const struct shelf_entry *removed = map_get(&h->shelved, name);
	struct run_launches l = launches_read(h->arena, removed ? removed->text : STR(""), true);
	struct str earlier = str_cat(h->arena, name, STR("~"), STR(""));
	size_t i = names_before(&h->all, earlier);

	for (; i < h->all.n && str_starts(h->all.at[i], earlier); i++)
		if (number_of(h->all.at[i], name))
			insert_run(h->arena, h->state_dir, h->all.at[i], number_of(h->all.at[i], name), &l);
	i = names_before(&h->all, name);
	if (i < h->all.n && str_eq(h->all.at[i], name))
		insert_run(h->arena, h->state_dir, name, l.n ? l.at[l.n - 1].number + 1 : 1, &l);
	if (l.n > LAUNCH_MOST)
		l = (struct run_launches){ l.at + l.n - LAUNCH_MOST, LAUNCH_MOST };
	return l;
}

static int name_order(const void *a, const void *b) { return str_cmp(*(const struct str *)a, *(const struct str *)b); }

struct run_names history_names(const struct history *h)
{
	struct run_names ret = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < h->all.n; i++) {
		struct str name = h->all.at[i];
		run_base(name, &name);
		ARENA_PUSH(h->arena, ret.at, ret.n, name);
	}
	for (size_t i = 0; i < h->shelf.n; i++)
		if (run_name_valid(h->shelf.at[i].name))
			ARENA_PUSH(h->arena, ret.at, ret.n, h->shelf.at[i].name);
	if (ret.n)
		qsort(ret.at, ret.n, sizeof *ret.at, name_order);
	for (size_t i = 0; i < ret.n; i++)
		if (!i || !str_eq(ret.at[i], ret.at[n - 1]))
			ret.at[n++] = ret.at[i];
	ret.n = n;
	return ret;
}

/* The launches to keep: all of the name if RUN is its current run, else those on the shelf and that of RUN. */
static struct run_launches launches_to_keep(const struct history *h, struct str run)
{
	struct arena *a = h->arena;
	struct str name = run;

	if (run_base(run, &name)) {
		struct run_launches l = launches_read(a, shelf_text(&h->shelf, name), true);
		insert_run(a, h->state_dir, run, number_of(run, name), &l);
		return l;
	}
	struct run_launches l = history_of(h, name);
	struct run_state unended = { .phase = RUN_UNKNOWN, .cause = STR("") };
	launches_end(a, &l, &unended, "Deleted", "when it was deleted", clock_real());
	return l;
}

bool history_shelve(struct arena *a, struct str state_dir, struct str run, struct str *why)
{
	int lock = open(str_copy(a, state_dir).p, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct str name = run;
	struct history h;

	if (lock >= 0)
		flock(lock, LOCK_EX);
	history_open(a, state_dir, &h);
	struct run_launches l = launches_to_keep(&h, run);
	run_base(run, &name);
	struct str text = launches_text(a, &l);
	if (text.n)
		shelf_put(a, &h.shelf, name, text);
	bool ok = !text.n || (!h.why.n && save_shelf(a, state_dir, &h.shelf, why));
	if (lock >= 0)
		close(lock);
	if (!ok && h.why.n)
		*why = h.why;
	return ok;
}

/* ---- directories of earlier runs ---- */

static long newest_number(struct arena *a, struct str path)
{
	struct launch_shelf shelf;
	struct str why;                 /* ignored here; `delete` reports it */

	load_shelf(a, state_dir_of(path), &shelf, &why);
	struct run_launches removed = launches_read(a, shelf_text(&shelf, path_base(path)), true);
	struct run_names all = run_list(a, state_dir_of(path));
	long most = removed.n ? (long)removed.at[removed.n - 1].number : 0;

	for (size_t i = 0; i < all.n; i++) {
		long n = number_of(all.at[i], path_base(path));
		most = n > most ? n : most;
	}
	return most;
}

static int by_number(const void *a, const void *b)
{
	struct str x = *(const struct str *)a, y = *(const struct str *)b;

	return x.n != y.n ? (x.n < y.n ? -1 : 1) : str_cmp(x, y);       /* of one name; no number begins with 0 */
}

/* Removes all earlier runs but the newest ten. Only directories count, so no text in the shelf removes a run. */
static void forget_oldest(struct arena *a, struct str path)
{
	struct run_names all = run_list(a, state_dir_of(path));
	struct str why;
	size_t n = 0;

	for (size_t i = 0; i < all.n; i++)
		if (number_of(all.at[i], path_base(path)))
			all.at[n++] = all.at[i];
	if (n > HISTORY_RUNS)
		qsort(all.at, n, sizeof *all.at, by_number);
	for (size_t i = 0; i + HISTORY_RUNS < n; i++)
		run_dir_remove(a, run_dir_path(a, state_dir_of(path), all.at[i]), &why);
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

/* Removes a directory of a run that can be large, and that only the replicas needed. */
static void remove_part(struct arena *a, int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct str why;

	if (fd >= 0 && remove_inside(a, fd, NULL, &why))
		unlinkat(dir, name, AT_REMOVEDIR);
	if (fd >= 0)
		close(fd);
}

static void empty_scratch(struct arena *a, int dir)
{
	remove_part(a, dir, "scratch");
	remove_part(a, dir, "code");
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
		forget_oldest(a, path);
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
