/*
 * budget.h - the memory for what is known of jobs: their resources, their records, and their objects. Namespaces share
 * it as share.h says. A job that would exceed the share of its namespace is held before anything is created for it, and
 * is kept as a few bytes. When room returns, the oldest held job of the namespace goes on.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_BUDGET_H
#define TRAINC_RUNTIME_SUPERVISE_BUDGET_H

#include "runtime/supervise/tenant.h"

/*
 * BUDGET_FIXED: what the process takes beside the budget (docs/supervise.md derives it); BUDGET_LEAST: the smallest
 * budget; BUDGET_DEFAULT: both together without --memory; BUDGET_JOB: bytes that are set aside for a job whose resource
 * is kept; BUDGET_OBJECT: bytes for one object of a replica, with what its watch remembers
 */
enum { BUDGET_FIXED = 96 << 20, BUDGET_LEAST = 16 << 20, BUDGET_DEFAULT = 128 << 20, BUDGET_JOB = 4096,
	BUDGET_OBJECT = 512 };

/* Reads --memory. Returns false after reporting an error. */
bool budget_read(struct session *s, struct controller *c);
/* Counts what is kept of J now. */
void budget_weigh(struct supervised *j);
/* Notes that NS keeps CHANGE bytes more. TO: the controller. */
void budget_count_object(void *to, struct str ns, ptrdiff_t change);
/* May N more bytes be kept for T? */
bool budget_permits(const struct tenant *t, size_t n);
/* May J, which needs NEED more bytes, begin? Not before older jobs of its namespace that are held. */
bool budget_may_begin(const struct supervised *j, size_t need);
/* Holds J until NEED bytes are free for it. */
void budget_hold(struct supervised *j, size_t need);
/* Takes J out of the held jobs, if it is one. */
void budget_unhold(struct supervised *j);
/* Stops the timer that looks for room. */
void budget_stop(struct controller *c);

#endif
