#include "runtime/local/watch.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "runtime/local/run_dir.h"

/* Room for a state that is about to be read: the older of the two. */
static struct arena *next_memory(struct watch *w)
{
	struct arena *a = &w->memory[!w->current];

	arena_release(a);
	return a;
}

static void take(struct watch *w, const struct run_state *s)
{
	w->state = *s;
	w->current = !w->current;
}

static bool load(struct watch *w, struct str *why)
{
	struct run_state s;

	if (!run_load(next_memory(w), w->state_dir, w->name, &s, why))
		return false;
	take(w, &s);
	return true;
}

static void disconnect(struct watch *w) { control_lines_release(&w->lines); }

/* To its keeper; false when nobody listens. */
static bool connect_to(struct watch *w)
{
	struct arena scratch = { 0 };
	struct str why;
	int fd = control_connect(&scratch, w->dir, &why);
	bool ok = fd >= 0 && control_ask(&scratch, fd, STR("watch"), &why);

	if (ok)
		w->lines = (struct control_lines){ .fd = fd };
	else if (fd >= 0)
		close(fd);
	arena_release(&scratch);
	return ok;
}

/*
 * The files of a run that nobody speaks for: a keeper that begins has no socket yet,
 * one that ends none any more.  It is given a second to do either.
 */
static bool settle(struct watch *w, struct str *why)
{
	const struct timespec pause = { 0, 10 * 1000000 };

	for (int tries = 0; tries < 100; tries++) {
		if (!load(w, why))
			return false;
		if (run_phase_final(w->state.phase) || connect_to(w))
			return true;
		nanosleep(&pause, NULL);
	}
	w->state.phase = RUN_UNKNOWN;
	w->state.cause = STR("its keeper is there, but does not listen");
	return true;
}

bool watch_open(struct arena *a, struct watch *w, struct str state_dir, struct str run, struct str *why)
{
	*w = (struct watch){ .state_dir = state_dir, .name = str_copy(a, run), .lines = { .fd = -1 } };
	w->dir = run_dir_path(a, state_dir, run);
	if (settle(w, why))
		return true;
	*why = str_copy(a, *why);
	watch_close(w);
	return false;
}

bool watch_update(struct watch *w)
{
	struct str line, newest = { 0 }, why;
	struct run_state s;
	bool changed = false;

	if (w->lines.fd < 0)
		return false;
	control_read(&w->lines);
	while (control_line(&w->lines, &line))
		newest = line;
	if (newest.p && run_state_read(next_memory(w), newest, &s, &why)) {
		take(w, &s);
		changed = true;
	}
	if (!w->lines.ended)
		return changed;
	disconnect(w);
	/* without a last word: it died, or we were too slow; or the run was removed meanwhile */
	if (!run_phase_final(w->state.phase) && !settle(w, &why))
		w->gone = true;
	return true;
}

void watch_close(struct watch *w)
{
	disconnect(w);
	arena_release(&w->memory[0]);
	arena_release(&w->memory[1]);
}
