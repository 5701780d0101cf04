/* capacity_report.h - shows what a cluster has, who holds it and who waits for it, as tables or as JSON. */
#ifndef TRAINC_RUNTIME_COMMAND_CAPACITY_REPORT_H
#define TRAINC_RUNTIME_COMMAND_CAPACITY_REPORT_H

#include "runtime/fit/capacity.h"

/*
 * Appends tables of at most WIDTH columns (0: any). NS: the namespace whose waiting Workloads are shown; NOW: the time
 * of the server.
 */
void capacity_tables(struct capacity *c, struct str ns, int64_t now, unsigned width, struct buf *out);
/* Appends the same as an object, on one line. CONTEXT: the context, if several are shown; else empty. */
void capacity_json(struct capacity *c, struct str ns, struct str context, struct buf *out);

#endif
