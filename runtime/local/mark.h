/*
 * mark.h - recognizes a process of a run after its parents have ended, whatever its session and its environment are.
 * Each replica's processes inherit a soft RLIMIT_LOCKS that no other process of the machine has. The kernel keeps that
 * limit across fork and exec, shows it in /proc/PID/limits, and has not enforced it since Linux 2.4.25, so programs
 * neither see nor change it. The upper bits identify the run (a digest of its keeper's identity and of the boot), the
 * lower ones the replica.
 */
#ifndef TRAINC_RUNTIME_LOCAL_MARK_H
#define TRAINC_RUNTIME_LOCAL_MARK_H

#include "runtime/run/run_state.h"

/* The mark of the run whose keeper is in S; 0 if S has no keeper. */
uint64_t mark_of_run(const struct run_state *s);
/* The mark of replica NUMBER (counted over all roles) of the run whose mark is RUN. */
uint64_t mark_of_replica(uint64_t run, size_t number);
/* Does PID have the mark of a replica of RUN? Sets *RET_NUMBER to the replica's number. */
bool mark_find(pid_t pid, uint64_t run, size_t *ret_number);
/* Marks the calling process; async-signal-safe.  If the system refuses the limit, the process stays unmarked. */
void mark_set(uint64_t mark);

#endif
