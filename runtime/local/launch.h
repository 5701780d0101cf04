/*
 * launch.h - turns the plan into the description of a process on this machine: words, environment, directory, and its
 * view of the files. Texts come from plan_env() and plan_text(), and are completed with values that only this run
 * knows. Everything that can be refused is refused before anything starts, in sentences that begin with the role, one
 * per line.
 */
#ifndef TRAINC_RUNTIME_LOCAL_LAUNCH_H
#define TRAINC_RUNTIME_LOCAL_LAUNCH_H

#include "runtime/local/devices.h"
#include "runtime/local/engine.h"
#include "runtime/local/places.h"

struct launch;

/*
 * Checks everything that needs neither network nor ports: commands, directories, volumes, secrets. Errors are appended
 * to WHY. The result lives in the arena.
 */
struct launch *launch_new(struct arena *a, const struct plan_job *j, const struct engine_options *o, struct str run_dir,
	struct buf *why);
/* Does any container see files other than the files of the machine? */
bool launch_needs_mounts(const struct launch *l);
/* Settings of the program that a local run ignores, one per line. */
struct str launch_notes(const struct launch *l);
/* Adds a note, unless it has been added already. */
void launch_note(struct launch *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Checks every environment. Must be called after addresses and devices are known. */
void launch_place(struct launch *l, const struct places *places, const struct isolation *iso,
	const struct devices *devices, struct buf *why);

/* ---- one replica ---- */

/* The number of containers of a role, in the order in which they start: inits, sidecars, the main one. */
size_t launch_containers(const struct plan_role *r);
/* The number of init containers among them, which come first. */
size_t launch_inits(const struct plan_role *r);
const struct plan_container *launch_container(const struct plan_role *r, size_t k);
enum container_part { CONTAINER_INIT, CONTAINER_SIDECAR, CONTAINER_MAIN };
enum container_part launch_part(const struct plan_role *r, size_t k);

/*
 * Prepares a new pod: empties scratch space, writes files, generates keys, and unpacks the code with the id CODE, from
 * the archives of the run if it is not that of the program. On failure, returns false with an explanation.
 */
bool launch_prepare(struct launch *l, unsigned role, int64_t i, struct str code, struct str *why);

/* The file in which a replica writes its last words (last_words.h); p == NULL: the replica writes no such file. */
struct str launch_last_words(const struct launch *l, struct arena *a, unsigned role, int64_t i);

/* The source of the value of a variable. */
enum variable_source {
	VARIABLE_OF_CALLER,             /* from the caller's environment */
	VARIABLE_OF_POD,                /* a variable that every pod has, or a variable with the numbers of the
					 * replica's devices */
	VARIABLE_OF_PROGRAM,
	VARIABLE_OF_SECRET,             /* from the caller's environment, instead of a secret or config map */
	VARIABLE_OF_OPTION              /* from --env */
};

struct launched {
	const char *const *candidates;
	char *const *argv, *const *envp;
	const enum variable_source *sources;    /* for each entry of `envp`, its source */
	const char *cwd;
	struct str command;             /* first word of the command, for messages */
	struct sandbox box;
};
/*
 * Makes the description of a process, in memory of A. After the process has been started, A may be released. Attempts
 * are counted from 1.
 */
bool launch_make(const struct launch *l, struct arena *a, unsigned role, int64_t i, size_t container, int64_t attempt,
	struct launched *ret, struct str *why);

/* Makes the description of a command that is run in the same container, in memory of A. */
void launch_other_words(struct arena *a, const struct plan_str *words, size_t n, struct launched *what);

/* Removes the scratch space of the run. */
void launch_clean(struct launch *l);
void launch_release(struct launch *l);

#endif
