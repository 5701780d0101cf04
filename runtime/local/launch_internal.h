/*
 * launch_internal.h - shared by the files launch*.c.
 */
#ifndef TRAINC_RUNTIME_LOCAL_LAUNCH_INTERNAL_H
#define TRAINC_RUNTIME_LOCAL_LAUNCH_INTERNAL_H

#include "runtime/local/launch.h"

struct launch {
	struct arena *arena;
	const struct plan_job *job;
	const struct engine_options *options;
	struct str run_dir, scratch;            /* directory of the run, and RUN_DIR/scratch */
	struct str node;                        /* the machine's name */
	uint64_t salt;                          /* makes the uids of this run's pods unique */
	const struct places *places;
	const struct isolation *iso;
	const struct devices *devices;
	struct buf notes;
};

/* The beginning of an error message: "worker", or "worker, container 'logger'". */
struct str launch_who(struct arena *a, const struct plan_role *r, const struct plan_container *c);
/* Appends one line to WHY. */
void launch_complain(struct buf *why, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- launch_env.c ---- */

struct variable {
	struct str name, value;
	enum variable_source source;
};
struct variables {
	struct arena *arena;
	struct variable *at;
	size_t n;
	enum variable_source source;    /* source of the variables that are added next */
};
const struct variable *variables_find(const struct variables *v, struct str name);

/* A variable of the command's own environment; p == NULL: not set. */
struct str launch_caller(const struct launch *l, struct str name);
/* Checks values that must come from the caller: secrets and config maps. */
void launch_check_secrets(struct launch *l, const struct plan_role *r, const struct plan_container *c, struct buf *why);
/* Makes the environment of a container. Returns false with an explanation if a value is unknown. */
bool launch_variables(const struct launch *l, struct variables *ret, unsigned role, int64_t i,
	const struct plan_container *c,
	int64_t attempt, struct str *why);
/* The text for a replica, completed with values that only its pod knows. */
bool launch_text(const struct launch *l, unsigned role, int64_t i, int64_t attempt, const struct variables *v,
	const struct text *t, struct buf *out);
/*
 * Would exec accept the environment? If not, returns false with an explanation that names the part that is too large.
 */
bool launch_fits(struct arena *a, const struct variables *v, char *const *argv, struct str *why);

/* ---- launch_command.c ---- */

/* Value of PATH when nothing sets it. */
extern const struct str launch_standard_path;

void launch_check_command(struct launch *l, unsigned role, const struct plan_container *c, struct buf *why);
bool launch_words(const struct launch *l, struct arena *a, unsigned role, int64_t i, const struct plan_container *c,
	int64_t attempt,
	const struct variables *v, struct launched *ret);

/* ---- launch_mounts.c ---- */

/* Reports volumes without a directory on this machine and `--mount` options that no volume needs; generates keys. */
void launch_check_volumes(struct launch *l, struct buf *why);
/* Notes mounts that have another path here than on a cluster. */
void launch_note_home(struct launch *l, const struct plan_role *r);
/* Notes that replicas see the directory of `code` itself. */
void launch_note_live(struct launch *l, const struct plan_role *r);
bool launch_boxed(const struct launch *l, const struct plan_role *r, const struct plan_container *c);
void launch_box(const struct launch *l, struct arena *a, unsigned role, int64_t i, const struct plan_container *c,
	struct sandbox *ret);
/*
 * The path on the machine of the file that a container sees as PATH: either PATH itself, or a path below the source of
 * a mount. p == NULL: the file exists only during the run (in scratch space or an image's root).
 */
struct str launch_behind(const struct launch *l, struct arena *a, unsigned role, const struct plan_container *c,
	struct str path);

#endif
