/*
 * watch_record.h - writes how a run has ended into its record, for a command that has seen it. The Jobs of an ended run
 * may be removed, by their ttl or by hand, and the next command must know that the run took place, and how it ended.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_WATCH_RECORD_H
#define TRAINC_RUNTIME_CLUSTER_WATCH_RECORD_H

#include "runtime/cluster/cluster_watch.h"

/*
 * Starts to write how the run has ended, as struct parent has it; false if the command does not record how runs end, or
 * may not write the record. If others write the record meanwhile, it is read again, and written if it is still about
 * the same run.
 */
bool watch_record(struct cluster_watch *c, struct str verdict, struct str outcome);
/* Writes the ends of runs whose records lack them, and waits until all records are written. */
void watch_record_ends(struct cluster *k);

#endif
