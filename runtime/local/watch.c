/* watch.c - connects to the keeper of a run, or reads the run's files. */
#include "runtime/local/watch.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "runtime/local/run_dir.h"
#include "runtime/local/survivors.h"
#include "runtime/local/usage.h"

struct local_watch {
	struct str state_dir, dir;
	struct arena memory[2];         /* two buffers: one holds the current state, the other gets the next state */
	unsigned current;
	struct control_lines lines;     /* connection to the keeper; fd -1: no keeper sends states any more */
	bool silent;                    /* the keeper is alive but does not answer */
	struct usage usage;
};

static struct local_watch *own_of(const struct run_watch *w) { return w->own; }

/* The buffer for a state that is about to be read. The other buffer holds the current state. */
static struct arena *next_memory(struct local_watch *l)
{
	struct arena *a = &l->memory[!l->current];

	arena_release(a);
	return a;
}

static void take(struct run_watch *w, const struct run_state *s)
{
	struct local_watch *l = own_of(w);

	w->state = *s;
	l->current = !l->current;
}

static bool load(struct run_watch *w, struct str *why)
{
	struct local_watch *l = own_of(w);
	struct run_state s;

	if (!run_load(next_memory(l), l->state_dir, w->name, &s, why))
		return false;
	take(w, &s);
	return true;
}

static void disconnect(struct local_watch *l) { control_lines_release(&l->lines); }

/*
 * Connects to the keeper; false if no keeper listens. A keeper that does not answer in time still has the request: if
 * it continues, its answer and the states arrive later.
 */
static bool connect_to(struct local_watch *l)
{
	struct arena scratch = { 0 };
	struct str why;
	int fd = control_connect(&scratch, l->dir, &why);
	enum control_answer got = fd >= 0 ? control_ask(&scratch, fd, STR("watch"), &why) :
		errno == EAGAIN ? CONTROL_SILENT : CONTROL_GONE;
	bool ok = got == CONTROL_OK || got == CONTROL_SILENT;

	l->silent = got == CONTROL_SILENT;
	if (ok)
		l->lines = (struct control_lines){ .fd = fd };
	else if (fd >= 0)
		close(fd);
	arena_release(&scratch);
	return ok;
}

/* Has the keeper ended and left processes that will end in a moment, too? */
static bool is_ending(const struct run_watch *w)
{
	struct arena scratch = { 0 };
	bool any = w->state.phase == RUN_UNKNOWN && run_survivors(&scratch, &w->state).n;

	arena_release(&scratch);
	return any;
}

/*
 * Reads the files of a run whose keeper cannot be asked. A keeper that is starting has no socket yet, and a keeper that
 * is ending has closed its socket. Either state may last for up to a second.
 */
static bool settle(struct run_watch *w, struct str *why)
{
	const struct timespec pause = { 0, 10 * 1000000 };

	for (int tries = 0; tries < 100; tries++) {
		if (!load(w, why))
			return false;
		if (run_phase_final(w->state.phase) ? !is_ending(w) : connect_to(own_of(w)))
			return true;
		nanosleep(&pause, NULL);
	}
	if (run_phase_final(w->state.phase))
		return true;
	w->state.phase = RUN_UNKNOWN;
	w->state.cause = STR("its keeper is running but not listening: its socket was removed");
	return true;
}

static int local_fd(const struct run_watch *w) { return own_of(w)->lines.fd; }

static bool local_over(const struct run_watch *w) { return own_of(w)->lines.fd < 0 && run_phase_final(w->state.phase); }

static bool local_update(struct run_watch *w)
{
	struct local_watch *l = own_of(w);
	struct str line, newest = { 0 }, why;
	struct run_state s;
	bool changed = false;

	if (l->lines.fd < 0 && (!l->silent || process_alive(&w->state.keeper, w->state.boot_id)))
		return false;
	if (l->lines.fd >= 0)
		control_read(&l->lines);
	while (l->lines.fd >= 0 && control_line(&l->lines, &line))
		newest = line;
	if (newest.p && run_state_read(next_memory(l), newest, &s, &why)) {
		take(w, &s);
		l->silent = false;
		changed = true;
	}
	if (l->lines.fd >= 0 && !l->lines.ended)
		return changed;
	disconnect(l);
	l->silent = false;
	/* no final state came: the keeper died, this process was too slow, or the run was removed */
	if (!run_phase_final(w->state.phase) && !settle(w, &why))
		w->gone = true;
	return true;
}

static void local_close(struct run_watch *w)
{
	struct local_watch *l = own_of(w);

	disconnect(l);
	arena_release(&l->memory[0]);
	arena_release(&l->memory[1]);
	usage_release(&l->usage);
}

static void local_measure(struct run_watch *w) { usage_measure(&own_of(w)->usage, &w->state); }

bool local_watch_open(struct arena *a, struct run_watch *w, struct str state_dir, struct str run, struct str *why)
{
	static const struct run_watch_ops ops = { local_fd, local_update, local_over, local_close, local_measure };
	struct local_watch *l = ARENA_NEW(a, struct local_watch);

	*l = (struct local_watch){ .state_dir = state_dir, .dir = run_dir_path(a, state_dir, run),
		.lines = { .fd = -1 } };
	*w = (struct run_watch){ .ops = &ops, .name = str_copy(a, run), .own = l };
	if (settle(w, why))
		return true;
	*why = str_copy(a, *why);
	local_close(w);
	return false;
}

struct str local_watch_dir(const struct run_watch *w) { return own_of(w)->dir; }
bool local_watch_silent(const struct run_watch *w) { return own_of(w)->silent; }
