/*
 * print.h - prints the plan and the environment for people and scripts. Everything is appended to a buffer.
 */
#ifndef TRAINC_PLAN_PRINT_H
#define TRAINC_PLAN_PRINT_H

#include "plan/plan.h"

/*
 * Print `trainc plan -o table` and `-o json`. OBJECTS has the number of objects of each job (emit_counts()); SOURCES
 * shows why a role is unrolled.
 */
void plan_print_table(const struct plan *plan, const struct sources *sources, const size_t *objects, struct buf *out);
/* Appends `trainc plan -o svg`: a drawing of each job, one below the other, in the colors of the viewer. */
void plan_print_svg(const struct plan *plan, struct buf *out);
void plan_print_json(const struct plan *plan, const struct sources *sources, const size_t *objects, struct buf *out);

/* Which replicas `trainc env` shows. If role.p is NULL, it shows all roles; if `index` is -1, all replicas. */
struct env_selection {
	struct str role;
	int64_t index;
};
enum env_form { ENV_TABLE, ENV_JSON, ENV_SHELL, ENV_FISH, ENV_DOTENV };

/*
 * Prints the environment of the selected replicas. Returns false, with an explanation in WHY (memory of A) and
 * without appending anything, when the selection matches no replica, or when shell, fish or dotenv would get more
 * than one ("choose one of 4 replicas with --role and --index").
 */
bool env_print(struct arena *a, const struct plan *plan, struct env_selection which, enum env_form form,
	struct buf *out, struct str *why);

/*
 * Appends variables alone: lines of the table, the member "env" of the JSON, or lines that a shell or a reader of
 * .env files accepts.
 */
void env_values_print(const struct env_values *env, enum env_form form, struct buf *out);

/*
 * Appends the value of one variable as the table shows it: facts that only the pod knows are shown in angle brackets.
 */
void env_value_print(const struct env_value *v, struct buf *out);

/* Prints `trainc dump --plan`: the whole plan, one fact per line, with the source position that decided it. */
void plan_dump(const struct plan *plan, const struct sources *sources, struct buf *out);

#endif
