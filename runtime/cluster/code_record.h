/*
 * code_record.h - the code of a run in its record.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_CODE_RECORD_H
#define TRAINC_RUNTIME_CLUSTER_CODE_RECORD_H

#include "plan/plan.h"

/* The code of each role, for the record; empty if no role has code. */
struct str code_record_text(struct arena *a, const struct plan_job *j);
/* Sets in the plan of a run which code its replicas should have now. Ignores a text that cannot be read. */
void code_record_read(struct arena *a, struct str text, struct plan_job *j);

#endif
