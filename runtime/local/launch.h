/*
 * launch.h - from the plan to what a process of this machine needs: words, environment, directory,
 * and what it sees of the files.
 *
 * Texts are those of plan_env() and plan_text(), finished with what only this run knows.
 * Everything that can be refused is refused before anything starts, in sentences that begin with
 * the role, one line each.
 */
#ifndef TRAINC_RUNTIME_LOCAL_LAUNCH_H
#define TRAINC_RUNTIME_LOCAL_LAUNCH_H

#include "runtime/local/devices.h"
#include "runtime/local/engine.h"
#include "runtime/local/places.h"

struct launch;

/*
 * Checks everything that needs neither network nor ports: commands, directories, volumes, secrets.
 *  Complaints are appended to `why`.  Lives in the arena.
 */
struct launch *launch_new(struct arena *a, const struct plan_job *j, const struct engine_options *o, struct str run_dir,
	struct buf *why);
/* Does some container see files that differ from the machine's? */
bool launch_needs_mounts(const struct launch *l);
/* What the program asks for and a local run does not provide, one on each line. */
struct str launch_notes(const struct launch *l);
/* One more of them, once. */
void launch_note(struct launch *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* To be called when addresses and devices are known: checks every environment (F-48 of docs/testing.md). */
void launch_place(struct launch *l, const struct places *places, const struct isolation *iso,
	const struct devices *devices, struct buf *why);

/* ---- one replica ---- */

/* Containers of a role in the order in which they start: inits, sidecars, the main one. */
size_t launch_containers(const struct plan_role *r);
const struct plan_container *launch_container(const struct plan_role *r, size_t k);
enum container_part { CONTAINER_INIT, CONTAINER_SIDECAR, CONTAINER_MAIN };
enum container_part launch_part(const struct plan_role *r, size_t k);

/* Prepares a new pod: empties scratch space, writes files, makes keys.  False with a sentence. */
bool launch_prepare(struct launch *l, unsigned role, int64_t i, struct str *why);

/* The file in which a replica writes its last words (last_words.h); p == NULL: it has none. */
struct str launch_last_words(const struct launch *l, struct arena *a, unsigned role, int64_t i);

/* Where the value of a variable comes from. */
enum variable_source {
	VARIABLE_OF_CALLER,             /* the caller's environment */
	VARIABLE_OF_POD,                /* what every pod has, and the numbers of its devices */
	VARIABLE_OF_PROGRAM,
	VARIABLE_OF_SECRET,             /* the caller's environment, in place of a secret or config map */
	VARIABLE_OF_OPTION              /* --env */
};

struct launched {
	const char *const *candidates;
	char *const *argv, *const *envp;
	const enum variable_source *sources;    /* of each of envp */
	const char *cwd;
	struct str command;             /* the first word, for messages */
	struct sandbox box;
};
/* Everything lives in `a`, which may be released when the process has been started.  Attempts are counted from 1. */
bool launch_make(const struct launch *l, struct arena *a, unsigned role, int64_t i, size_t container, int64_t attempt,
	struct launched *ret, struct str *why);

/* The same container's place with other words: a command that is run in it.  Everything in `a`. */
void launch_other_words(struct arena *a, const struct plan_str *words, size_t n, struct launched *what);

/* Remove the scratch space of the run. */
void launch_clean(struct launch *l);
void launch_release(struct launch *l);

#endif
