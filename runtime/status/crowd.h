/*
 * crowd.h - judges the pods of a role together, which gives the state of the role.
 */
#ifndef TRAINC_RUNTIME_STATUS_CROWD_H
#define TRAINC_RUNTIME_STATUS_CROWD_H

#include "runtime/status/gather.h"

/*
 * Fills in states, phase, cause and suspended of a role. GOVERNED: a controller replaces pods, and reports when it
 * stops replacing them.
 */
void part_judge(struct gathering *g, struct gathered_part *p, bool governed);
/* The state of a replica as `status -o wide` shows it. */
struct run_replica replica_shown(struct gathering *g, const struct gathered_part *p, int64_t index);

/* Has the Job of the role failed, so that no more pods come? */
bool part_given_up(const struct gathered_part *p);
/* Has a Job of the role failed because it exceeded its deadline? */
bool part_past_deadline(const struct gathered_part *p);

#endif
