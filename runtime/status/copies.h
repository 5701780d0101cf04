/*
 * copies.h - copies of cells that restart by themselves: an attendant deletes the Jobs of a copy that has failed, and
 * creates them again, while the other copies go on.
 */
#ifndef TRAINC_RUNTIME_STATUS_COPIES_H
#define TRAINC_RUNTIME_STATUS_COPIES_H

#include "runtime/status/gather.h"

/*
 * The annotation of a Job that a restart of its copy has created: how often the copy has restarted since the whole run
 * did, and how often in a row without running for ATTEMPT_SETTLED_SECONDS: "3 1".
 */
#define COPY_RESTARTS_ANNOTATION "trainc.dev/copy-restarts"

struct copy_restarts {
	int64_t count, series;          /* 0: the copy has not restarted */
};
struct copy_restarts copy_restarts_noted(const struct data *job);

/* The address of the copy of role R in objects and records: "CELL/COPY". */
struct str copy_address(struct arena *a, const struct plan_role *r);

/*
 * Finds the copies that have failed and may restart, or restart now. Their roles are marked and count as waiting, so
 * that no verdict follows from them. The roles must have been judged. RET: what restarts next, if a copy must.
 */
void copies_judge(struct gathering *g, struct run_state *ret);

#endif
