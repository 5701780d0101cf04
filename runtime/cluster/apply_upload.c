/* apply_upload.c - writes the code of runs to claims: once for each claim, directory and content of the command. */
#include "runtime/cluster/apply.h"

#include "base/words.h"
#include "plan/code.h"
#include "runtime/cluster/upload_code.h"
#include "runtime/command/runs.h"

struct uploads {
	struct code_upload *at;
	size_t n;
};

/* Will the run start pods? */
static bool starts_pods(const struct applying *p)
{
	bool stale = p->rerun || p->recreate;

	for (size_t i = 0; i < p->wanted.n && !stale; i++)
		stale = p->wanted.at[i].stage == STAGE_WORKLOAD && p->wanted.at[i].stale;
	return stale;
}

/*
 * Does the run bring something itself that the pod which writes needs, and that does not exist yet? Then its code is
 * written once that is there.
 */
static bool brings_needs(const struct applying *p)
{
	static const char *const kinds[] = { "PersistentVolumeClaim", "ServiceAccount", "Secret", "Namespace", NULL };

	for (size_t i = 0; i < p->wanted.n; i++)
		if (!p->wanted.at[i].exists && text_among(p->wanted.at[i].resource.kind, kinds))
			return true;
	return false;
}

/* Was the same file written to the same claim already? */
static bool is_uploaded(const struct uploads *all, const struct code_upload *u)
{
	for (size_t i = 0; i < all->n; i++)
		if (str_eq(all->at[i].ns, u->ns) && str_eq(all->at[i].claim, u->claim) &&
			str_eq(all->at[i].id, u->id) && str_eq(all->at[i].path, u->path))
			return true;
	return false;
}

/* The directory of the claim that the step of the role mounts. */
static struct str path_of_claim(const struct plan_role *r)
{
	for (size_t i = 0; i < r->ninits; i++)
		for (size_t k = 0; code_unpacks(r, &r->inits[i]) && k < r->inits[i].nmounts; k++)
			if (str_is(r->inits[i].mounts[k].path, CODE_PARTS_AT))
				return r->inits[i].mounts[k].volume->path;
	return STR("");
}

/* Writes the code of one role; false after an error. */
static bool upload_role(struct applying *p, const struct plan_role *r, struct uploads *all)
{
	struct code_upload u = { .ns = p->wanted.ns, .claim = r->code->claim.value, .path = path_of_claim(r),
		.id = r->code->id, .packed = r->code->packed };
	int status = STATUS_DONE;

	if (is_uploaded(all, &u))
		return true;
	for (size_t i = 0; i < p->wanted.n && !u.step; i++)
		upload_code_find(p->wanted.at[i].tree, &u);
	if (!u.step) {
		session_say(p->session, "no pod of role '%.*s' reads its code from the claim '%.*s'", STR_ARG(r->name),
			STR_ARG(u.claim));
		p->status = runs_worse(p->status, STATUS_INTERNAL);
		return false;
	}
	if (!upload_code(p->cluster, &u, &status)) {
		p->status = runs_worse(p->status, status);
		return false;
	}
	ARENA_PUSH(p->arena, all->at, all->n, u);
	apply_tell(p, str_printf(p->arena, "claim/%.*s", STR_ARG(u.claim)), u.was_there ? "has the code" :
		"got the code");
	return true;
}

void apply_upload(struct fleet *f, bool late)
{
	struct uploads all = { 0 };

	for (size_t i = 0; i < f->n; i++) {
		struct applying *p = &f->at[i];
		p->brings_claim = late ? p->brings_claim : brings_needs(p);
		bool sent = p->going && p->complete && p->mode == APPLY_REAL && starts_pods(p) &&
			p->brings_claim == late;
		for (size_t k = 0; sent && p->complete && k < p->job->nroles; k++) {
			const struct plan_role *r = &p->job->roles[k];
			if (r->code && r->code->claim.set && r->max)
				p->complete = upload_role(p, r, &all);
		}
	}
}

int cluster_upload(struct session *s, struct programs *all)
{
	struct cluster *k = cluster_of(s);
	struct uploads done = { 0 };
	int status = STATUS_DONE;
	size_t found = 0;

	cluster_listen(k, true);
	for (size_t i = 0; i < all->n; i++)
		for (size_t j = 0; j < all->at[i]->plan.njobs && status == STATUS_DONE; j++) {
			struct applying p = { .cluster = k, .session = s, .arena = s->arena, .program = all->at[i],
				.job = &all->at[i]->plan.jobs[j] };
			p.ns = cluster_namespace(k, p.job->ns.set ? p.job->ns.value : STR(""));
			p.wanted = wanted_of(p.arena, &p.program->plan, p.job, p.ns, STR(""));
			for (size_t r = 0; r < p.job->nroles && p.status == STATUS_DONE; r++)
				if (p.job->roles[r].code && p.job->roles[r].code->claim.set && p.job->roles[r].max) {
					found++;
					upload_role(&p, &p.job->roles[r], &done);
				}
			status = p.status;
		}
	cluster_listen(k, false);
	if (status == STATUS_DONE && !found) {
		session_say(s, "no role has code with 'via'; other code is in the objects that 'compile' writes");
		return STATUS_USAGE;
	}
	return status;
}
