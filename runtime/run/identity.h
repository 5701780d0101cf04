/*
 * identity.h - what makes two programs the same run: everything in a job that decides what runs
 * and how, in a form of its own.
 *
 * Only the digest reads this form.  So nothing is left out for the sake of a human reader, and a
 * change of a debug dump does not make running jobs look changed.  Each member of the structs in
 * plan/plan.h is written here or named in a "Left out" comment; tests/local/identity.py compares
 * the two lists.
 */
#ifndef TRAINC_RUNTIME_RUN_IDENTITY_H
#define TRAINC_RUNTIME_RUN_IDENTITY_H

#include "base/buf.h"
#include "plan/plan.h"

/* The number of the form, with which each digest begins: "2:". */
#define IDENTITY_FORM "2:"

/* Appends the identity of job J of PLAN to OUT. */
void identity_put(const struct plan *plan, const struct plan_job *j, struct buf *out);
/* Appends one fact that is not in the plan, such as an option by its word. */
void identity_fact(struct buf *out, const char *name, struct str value);
/* "2:" and the digest of what was appended to TEXT. */
struct str identity_digest(struct arena *a, struct str text);
/* Was DIGEST made in another version's form, so that it cannot be compared with this one? */
bool identity_is_older(struct str digest);

#endif
