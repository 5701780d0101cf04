/*
 * rules_mounts.c - paths and volumes of a pod (TJ0612, TJ0614, TJ0615, TJ0621).
 */
#include "eval/internal.h"
#include "eval/rules.h"

static struct diags *ds(struct job *j) { return j->ev->diags; }

/* ---- one scratch name, one size (TJ0614) ---- */

static void same_scratch(struct job *j, const struct plan_container *where, const struct plan_volume *a, const struct plan_volume *b)
{
	if (a->kind != VOLUME_SCRATCH || b->kind != VOLUME_SCRATCH || !str_eq(a->name, b->name))
		return;
	if (a->size.nano == b->size.nano && a->memory == b->memory)
		return;
	struct str sa = quantity_text(j->ev->arena, a->size), sb = quantity_text(j->ev->arena, b->size);
	struct diag *d = diag_report(ds(j), TJ0614, b->from, "scratch '%.*s' is %.*s here and %.*s in '%.*s'", STR_ARG(a->name), STR_ARG(sb),
		STR_ARG(sa), STR_ARG(where->name));
	diag_note(ds(j), d, a->from, "the other one");
	diag_help(ds(j), d, "same name means same volume: use one size, or another name");
}

static void scratch_sizes(struct job *j, const struct plan_container *a, const struct plan_container *b)
{
	for (size_t i = 0; i < a->nmounts; i++)
		for (size_t k = a == b ? i + 1 : 0; a->mounts[i].volume->kind == VOLUME_SCRATCH && k < b->nmounts; k++)
			same_scratch(j, a, a->mounts[i].volume, b->mounts[k].volume);
}

/* ---- a mount that hides a generated file (TJ0615) ---- */

static bool below(struct str path, struct str directory)
{
	return str_starts(path, directory) && (path.n == directory.n || path.p[directory.n] == '/' || directory.n == 1);
}

static void hidden_files(struct job *j, const struct plan_role *r)
{
	for (size_t i = 0; i < r->main.nmounts; i++)
		for (size_t k = 0; k < r->nfiles; k++) {
			const struct plan_mount *m = &r->main.mounts[i];
			if (!below(r->files[k].path, m->path))
				continue;
			struct diag *d = diag_report(ds(j), TJ0615, m->path_at, "'%.*s' hides the generated file %.*s", STR_ARG(m->path),
				STR_ARG(r->files[k].path));
			diag_note(ds(j), d, r->files[k].path_at, "the file");
			diag_help(ds(j), d, "mount the volume elsewhere");
		}
}

/* ---- two kinds of shared memory (TJ0612) ---- */

static void shared_memory(struct job *j, const struct plan_role *r)
{
	const struct plan_mount *m = r->shm.set ? plan_find_mount(&r->main, STR("/dev/shm")) : NULL;
	if (!m)
		return;
	bool own = in_user_text(j->ev, m->path_at);
	struct diag *d = diag_report(ds(j), TJ0612, own ? m->path_at : r->shm.from, own ? "'shm' is mounted on /dev/shm already" :
		"'shm' is mounted on /dev/shm, where there is a volume already");
	diag_note(ds(j), d, own ? r->shm.from : m->path_at, own ? "'shm'" : "the volume");
	diag_help(ds(j), d, own ? "keep one of the two" : "remove 'shm'");
}

/* ---- a claim that many replicas write to (TJ0621) ---- */

static void shared_claims(struct job *j, const struct plan_role *r)
{
	for (size_t i = 0; i < r->main.nmounts; i++) {
		const struct plan_volume *v = r->main.mounts[i].volume;
		if (v->kind != VOLUME_PVC || v->readonly || v->shared || r->max < 2)
			continue;
		struct diag *d = diag_report(ds(j), TJ0621, v->from, "%lld replicas write to pvc(\"%.*s\")", (long long)r->max, STR_ARG(v->name));
		diag_help(ds(j), d, "needs a claim with ReadWriteMany: say so with 'shared = true', or add 'readonly = true'");
	}
}

void rules_mounts(struct job *j)
{
	for (size_t i = 0; i < j->plan->nroles; i++) {
		const struct plan_role *r = &j->plan->roles[i];
		if (r->max == 0)
			continue;
		scratch_sizes(j, &r->main, &r->main);
		for (size_t k = 0; k < r->ninits; k++)
			scratch_sizes(j, &r->main, &r->inits[k]);
		for (size_t k = 0; k < r->nsidecars; k++)
			scratch_sizes(j, &r->main, &r->sidecars[k]);
		hidden_files(j, r);
		shared_memory(j, r);
		shared_claims(j, r);
	}
}
