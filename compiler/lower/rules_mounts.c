/*
 * rules_mounts.c - paths and volumes of a pod (TJ0612, TJ0614, TJ0615, TJ0621).
 */
#include "eval/internal.h"
#include "lower/rules.h"

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
		"'shm' is mounted at /dev/shm, which already has a volume");
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

/* ---- mounts over what the image needs, and below one another (TJ0623, TJ0615, TJ0611) ---- */

static void over_system(struct job *j, const struct plan_mount *m)
{
	static const char *const directories[] = { "/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/dev", "/proc", "/sys", "/usr/bin", "/usr/lib", "/usr/local",
		"/usr/local/bin", "/usr/local/lib", "/opt" };
	for (size_t i = 0; i < sizeof directories / sizeof *directories; i++) {
		if (!str_is(m->path, directories[i]) || !in_user_text(j->ev, m->path_at))
			continue;
		struct diag *d = diag_report(ds(j), TJ0623, m->path_at, "a volume at %.*s hides what the image has there", STR_ARG(m->path));
		diag_help(ds(j), d, "mount it at a directory of its own, such as /data");
		return;
	}
}

/* The kubelet makes the inner directory in the outer volume. */
static void nested(struct job *j, const struct plan_container *c)
{
	for (size_t i = 0; i < c->nmounts; i++)
		for (size_t k = 0; k < c->nmounts; k++) {
			const struct plan_mount *inner = &c->mounts[i], *outer = &c->mounts[k];
			if (i == k || !below(inner->path, outer->path) || !in_user_text(j->ev, inner->path_at) || outer->framework)
				continue;
			struct diag *d = diag_report(ds(j), TJ0623, inner->path_at, "'%.*s' is mounted inside of the volume at %.*s", STR_ARG(inner->path),
				STR_ARG(outer->path));
			diag_note(ds(j), d, outer->path_at, "the outer volume");
			diag_help(ds(j), d, outer->volume->readonly ? "the outer volume is read-only, so it must have the directory; mount the two side by side" :
				"an empty directory of that name is made in the outer volume; mount the two side by side");
		}
}

static void nested_files(struct job *j, const struct plan_role *r)
{
	for (size_t i = 0; i < r->nfiles; i++)
		for (size_t k = 0; k < r->nfiles; k++) {
			const struct plan_file *inner = &r->files[i], *outer = &r->files[k];
			if (i == k || inner->path.n == outer->path.n || !below(inner->path, outer->path))
				continue;
			struct diag *d = diag_report(ds(j), TJ0615, inner->path_at, "'%.*s' cannot be a file below the file %.*s", STR_ARG(inner->path),
				STR_ARG(outer->path));
			diag_note(ds(j), d, outer->path_at, "the other file");
			diag_help(ds(j), d, "give one of them another directory");
		}
}

/* A volume in memory counts as memory of the pod. */
static void memory_scratch(struct job *j, const struct plan_role *r)
{
	const struct plan_quantity *memory = r->main.limits.memory.set ? &r->main.limits.memory : &r->main.memory;
	for (size_t i = 0; i < r->main.nmounts; i++) {
		const struct plan_volume *v = r->main.mounts[i].volume;
		if (v->kind != VOLUME_SCRATCH || !v->memory || !memory->set || v->size.nano <= memory->value.nano)
			continue;
		struct str size = quantity_text(j->ev->arena, v->size), whole = quantity_text(j->ev->arena, memory->value);
		struct diag *d = diag_report(ds(j), TJ0611, v->from, "scratch \"%.*s\" may take %.*s of memory, and the container has %.*s", STR_ARG(v->name),
			STR_ARG(size), STR_ARG(whole));
		diag_note(ds(j), d, memory->from, "its memory");
		diag_help(ds(j), d, "raise 'memory', or keep the volume on disk");
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
		for (size_t k = 0; k < r->main.nmounts; k++)
			over_system(j, &r->main.mounts[k]);
		nested(j, &r->main);
		nested_files(j, r);
		memory_scratch(j, r);
		shared_memory(j, r);
		shared_claims(j, r);
	}
}
