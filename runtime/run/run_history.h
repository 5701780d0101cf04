/*
 * run_history.h - the history of a run's name: its last launches, each with who started it, when, what it was, and how
 * it ended. A launch is one `apply` or `run` that has changed the run. In a cluster the history is a text in the record
 * of the run, and after `delete` in an object that anybody with rights to ConfigMaps may write. So a history is only
 * ever shown: nothing is decided by it. Whoever wrote it, it has bounds, and its texts are cleaned when they are read.
 */
#ifndef TRAINC_RUNTIME_RUN_RUN_HISTORY_H
#define TRAINC_RUNTIME_RUN_RUN_HISTORY_H

#include "data/data.h"
#include "plan/plan.h"
#include "runtime/run/report.h"

enum {
	LAUNCH_MOST = 10,               /* number of launches of a name that are kept */
	LAUNCH_BYTES = 16 << 10,        /* size of their text; the oldest are left out until it suffices */
	SHELF_BYTES = 256 << 10         /* size of the histories of all deleted runs of one place */
};

struct run_launches {
	struct run_launch *at;          /* in the order of their numbers */
	size_t n;
};

/* Adds the launch with the next number; its texts are copied and shortened. */
void launches_add(struct arena *a, struct run_launches *l, const struct run_launch *launch);
/*
 * Notes how the last launch ended, unless that is known: as S says if it has ended, else with STATE and a cause that
 * says which state the run had, and THEN. NOW is the time of the end if S has none.
 */
void launches_end(struct arena *a, struct run_launches *l, const struct run_state *s, const char *state,
	const char *then, int64_t now);
/* The images of a job, without repetition, and the code of its roles. */
void launches_note(struct arena *a, const struct plan_job *j, struct run_launch *ret);
/* The launch that a state describes. It has no number, and no end before the run ends. */
struct run_launch launch_of_state(const struct run_state *s);

/* The text of the newest launches, as JSON; empty if there are none. */
struct str launches_text(struct arena *a, const struct run_launches *l);
/*
 * Reads such a text, whoever wrote it; what cannot be read is left out. OVER: the run was deleted, so the last launch
 * does not go on either.
 */
struct run_launches launches_read(struct arena *a, struct str text, bool over);

/* ---- histories of deleted runs ---- */

struct shelf_entry {
	struct str name, text;
	bool dropped;                   /* removed because the shelf is full */
};
struct launch_shelf {
	struct shelf_entry *at;
	size_t n;
};
/* Reads a shelf from a map of names to texts; NULL: it is empty. */
struct launch_shelf shelf_read(struct arena *a, const struct data *map);
/* The text of a name; empty if the shelf lacks it. */
struct str shelf_text(const struct launch_shelf *s, struct str name);
/* Puts the history of a name on the shelf. If the shelf is full, drops the histories that ended first. */
void shelf_put(struct arena *a, struct launch_shelf *s, struct str name, struct str text);

/* ---- what is shown ---- */

struct run_history {
	struct str name, ns;
	struct run_launches launches;
};
struct run_histories {
	struct run_history *at;
	size_t n;
};
/* Appends the histories as a table, with wide lines or as JSON; the table names each run if NAMED. */
void history_report(const struct run_histories *all, const struct report *how, bool named, struct buf *out);

#endif
