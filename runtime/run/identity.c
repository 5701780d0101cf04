/*
 * identity.c - writes every fact of a job as NAME=LENGTH:VALUE, and lists with their length first, so that two jobs
 * have the same text only if they are the same. Source positions are left out everywhere. The rows of plan/plan.def say
 * which members are written, and in which order.
 */
#include "runtime/run/identity.h"

#include "base/sha256.h"
#include "plan/plan_shape.h"

void identity_fact(struct buf *out, const char *name, struct str value)
{
	struct shape_out o = { .out = out };

	shape_put_text(&o, name, value);
}

/*
 * Of struct plan, the other jobs are left out, since a run is one job, and so are the versions of add-ons, because only
 * objects and messages depend on them.
 */
void identity_put(const struct plan *plan, const struct plan_job *j, struct buf *out)
{
	struct plan_shape around = { .job = j };
	struct shape_out o = { .out = out, .context = &around, .use = IN_IDENTITY };

	shape_put_int(&o, "kubernetes", plan->kubernetes);
	shape_put_text(&o, "target", plan->target);
	shape_put_text(&o, "run_id", plan->run_id);
	shape_identity(&o, &shape_plan_job, j);
}

/* ---- digests ---- */

struct str identity_digest(struct arena *a, struct str text)
{
	char hex[65];

	sha256_hex(text, hex);
	return str_cat(a, STR(IDENTITY_FORM), str_of(hex), STR(""));
}

bool identity_is_older(struct str digest) { return digest.n && !str_starts(digest, STR(IDENTITY_FORM)); }
