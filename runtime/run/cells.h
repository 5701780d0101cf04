/*
 * cells.h - the cells of a run. The run has the roles of all possible copies of a cell. When it is scaled down, the
 * roles of the copies that go stay in it, and want no replicas.
 */
#ifndef TRAINC_RUNTIME_RUN_CELLS_H
#define TRAINC_RUNTIME_RUN_CELLS_H

#include "runtime/run/run_state.h"

/* The role of J with ADDRESS, found as run_find_role() does; the state of the run is not needed. */
const struct plan_role *run_plan_role(const struct plan_job *j, struct str address);
/* The cell of that name; NULL if the run has none. */
struct run_cell *run_find_cell(const struct run_state *s, struct str name);
/* Is the role in a copy that the run should have, or in no cell? */
bool run_role_wanted(const struct run_state *s, const struct run_role *r);
/* The states of the roles of J in the form that conditions need; S is the state of the run of J. */
const struct role_states *run_role_states(struct arena *a, const struct plan_job *j, const struct run_state *s);
/* Why the cell cannot have N copies: it is not elastic, or N is outside of its limits. Empty: it can. */
struct str run_cell_refusal(struct arena *a, const struct run_cell *c, int64_t n);

/* Numbers of copies of a cell: those that the run should have, and how many of them are ready, done, lost. */
struct cell_sum {
	int64_t copies, ready, done, lost;
};
struct cell_sum run_cell_sum(const struct run_state *s, struct str cell);
/* Says how many copies the first cell with lost copies has lost, and why one was lost; empty without such a cell. */
struct str run_lost_copies(struct arena *a, const struct run_state *s);

#endif
