/*
 * describe.h - describes names as Markdown, for hover and completion.
 */
#ifndef TRAINC_LSP_DESCRIBE_H
#define TRAINC_LSP_DESCRIBE_H

#include "lsp/occurrence.h"
#include "lsp/server.h"

/* Returns a declaration on one line, as its author wrote it: "fn ceil(a: int, b: int) -> int". */
struct str describe_signature(struct arena *a, const struct sources *sources, const struct decl *d);
/* Returns the text of a node on one line. */
struct str describe_text(struct arena *a, const struct sources *sources, struct span at);

/* ---- the plan at an offset ---- */

/* Returns the job that a node declares; NULL if the plan has no such job. */
const struct plan_job *describe_job_in(const struct plan *plan, struct span node);
/* Finds the job and the role in the plan that a global offset belongs to; NULL if it belongs to no job. */
void describe_place(struct analysis *an, uint32_t offset, const struct plan_job **ret_job,
	const struct plan_role **ret_role);
/* Returns the final value of a role's field; empty for fields that are not shown. */
struct str describe_resolved(struct arena *a, const struct plan_role *r, enum field_id id);
/* Formats the devices of a role: "2 replicas × 8 acme.a1 = 16 devices"; empty if the role has no devices. */
struct str describe_devices(struct arena *a, const struct plan_role *r);

#endif
