/*
 * code_record.h - the code of a run in its record.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_CODE_RECORD_H
#define TRAINC_RUNTIME_CLUSTER_CODE_RECORD_H

#include "plan/plan.h"

/*
 * Notes in the plan from which commit the code of each role is. PROJECT: the directory of the project of the program,
 * whose files were read.
 */
void code_record_note(struct arena *a, struct str project, const struct plan_job *j);
/* The code of each role, for the record; empty if no role has code. */
struct str code_record_text(struct arena *a, const struct plan_job *j);
/* Sets in the plan of a run which code its replicas should have now. Ignores a text that cannot be read. */
void code_record_read(struct arena *a, struct str text, struct plan_job *j);

#endif
