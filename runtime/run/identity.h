/*
 * identity.h - the identity of a run: everything in a job that decides what is run and how, in its own text form. Only
 * the digest reads this form, so nothing is left out for the sake of readability. It is independent of debug dumps, so
 * a change of a dump does not make running jobs look changed. Each member of the structs in plan/plan.h is written here
 * or named in a "Left out" comment; tests/local/identity.py compares the two lists.
 */
#ifndef TRAINC_RUNTIME_RUN_IDENTITY_H
#define TRAINC_RUNTIME_RUN_IDENTITY_H

#include "base/buf.h"
#include "plan/plan.h"

/* The version of the form, which begins each digest: "2:". */
#define IDENTITY_FORM "2:"

/* Appends the identity of job J of PLAN to OUT. */
void identity_put(const struct plan *plan, const struct plan_job *j, struct buf *out);
/* Appends one fact that is not in the plan, such as the value of an option. */
void identity_fact(struct buf *out, const char *name, struct str value);
/* "2:" and the digest of TEXT. */
struct str identity_digest(struct arena *a, struct str text);
/* Was DIGEST written by a version with another form, so that the two cannot be compared? */
bool identity_is_older(struct str digest);

#endif
