/*
 * rules_mounts.c - rules about paths and volumes of a pod (TJ0612, TJ0614, TJ0615, TJ0621).
 */
#include "eval/internal.h"
#include "lower/lower_rules.h"

#include <stdlib.h>

/* ---- volumes of the same name must have the same size in a pod (TJ0614) ---- */

struct first_scratch {
	const struct plan_volume *volume;
	const struct plan_container *where;
};

static struct str size_words(struct arena *a, const struct plan_volume *v)
{
	return v->size.nano ? quantity_text(a, v->size) : STR("without a limit");
}

static bool same_pairs(const struct plan_pairs *a, const struct plan_pairs *b)
{
	for (size_t i = 0; a->n == b->n && i < a->n; i++)
		if (!str_eq(a->at[i].key, b->at[i].key) || !str_eq(a->at[i].value, b->at[i].value))
			return false;
	return a->n == b->n;
}

/* Reports two volumes of a CSI driver with one name that are not the same. */
static void same_csi(struct job *j, const struct plan_volume *a, const struct plan_volume *b)
{
	bool driver = !str_eq(a->path, b->path);

	if (!driver && str_eq(a->secret, b->secret) && same_pairs(&a->attributes, &b->attributes))
		return;
	struct diag *d = diag_report(job_diags(j), TJ0614, b->from, "csi '%.*s' has %s than another one of this name",
		STR_ARG(a->name), driver ? "another driver" : "other settings");
	diag_note(job_diags(j), d, a->from, "the other one");
	diag_help(job_diags(j), d, "same name means same volume: write it alike, or use another name");
}

static void same_scratch(struct job *j, const struct first_scratch *first, const struct plan_volume *b)
{
	const struct plan_volume *a = first->volume;
	const char *what = b->kind == VOLUME_CLAIM ? "own_claim" : "scratch";
	if (a->size.nano == b->size.nano && a->memory == b->memory && str_eq(a->class, b->class) && a->keep == b->keep)
		return;
	struct diag *d;
	if (a->size.nano != b->size.nano || b->kind == VOLUME_SCRATCH) {
		struct str sa = size_words(j->ev->arena, a), sb = size_words(j->ev->arena, b);
		d = diag_report(job_diags(j), TJ0614, b->from, "%s '%.*s' is %.*s here and %.*s in '%.*s'", what,
			STR_ARG(a->name), STR_ARG(sb),
			STR_ARG(sa), STR_ARG(first->where->name));
	} else {
		d = diag_report(job_diags(j), TJ0614, b->from, "own_claim '%.*s' has another '%s' here than in '%.*s'",
			STR_ARG(a->name),
			a->keep != b->keep ? "keep" : "class", STR_ARG(first->where->name));
	}
	diag_note(job_diags(j), d, a->from, "the other one");
	diag_help(job_diags(j), d, b->kind == VOLUME_CLAIM ?
		"the same name is the same claim: write it alike in both places, or use another name" :
		"same name means same volume: use one size, or another name");
}

/* Compares each volume with the first one of that name, which SEEN contains. */
static void scratch_sizes(struct job *j, enum volume_kind kind, struct map *seen, const struct plan_container *c)
{
	for (size_t i = 0; i < c->nmounts; i++) {
		const struct plan_volume *v = c->mounts[i].volume;
		if (v->kind != kind)
			continue;
		const struct first_scratch *first = map_get(seen, v->name);
		if (first) {
			if (kind == VOLUME_CSI)
				same_csi(j, first->volume, v);
			else
				same_scratch(j, first, v);
			continue;
		}
		struct first_scratch *f = ARENA_NEW(j->ev->arena, struct first_scratch);
		*f = (struct first_scratch){ v, c };
		map_put(seen, j->ev->arena, v->name, f);
	}
}

static void sizes_in_pod(struct job *j, enum volume_kind kind, const struct plan_role *r)
{
	struct map seen = { 0 };

	scratch_sizes(j, kind, &seen, &r->main);
	for (size_t k = 0; k < r->ninits; k++)
		scratch_sizes(j, kind, &seen, &r->inits[k]);
	for (size_t k = 0; k < r->nsidecars; k++)
		scratch_sizes(j, kind, &seen, &r->sidecars[k]);
}

/* ---- paths below other paths: all are sorted, so that a directory comes before everything in it ---- */

struct mounted {
	struct str path;
	const struct plan_mount *mount;         /* one of `mount` and `file` is NULL */
	const struct plan_file *file;
	/* the nearest mount that contains it, and the nearest one that the job itself sets; NULL if no mount does */
	const struct plan_mount *in_mount, *in_own;
	const struct plan_file *in_file;
	const struct mounted *up;                 /* the nearest mount or file that contains it */
};

static bool is_path_below(struct str path, struct str directory)
{
	return str_starts(path, directory) && (path.n == directory.n || path.p[directory.n] == '/' || directory.n == 1);
}

/*
 * Compares two mounts or files by path. A directory comes before everything in it, which comes before the next
 * directory; a mount comes before a file with the same path.
 */
static int mounted_by_path(const void *one, const void *other)
{
	const struct mounted *a = one, *b = other;
	size_t n = a->path.n < b->path.n ? a->path.n : b->path.n, i = 0;
	while (i < n && a->path.p[i] == b->path.p[i])
		i++;
	if (i == n)
		return a->path.n != b->path.n ? (a->path.n < b->path.n ? -1 : 1) :
			(a->file != NULL) - (b->file != NULL);
	unsigned char x = a->path.p[i] == '/' ? 0 : (unsigned char)a->path.p[i],
		y = b->path.p[i] == '/' ? 0 : (unsigned char)b->path.p[i];
	return x < y ? -1 : 1;
}

static void find_above(struct mounted *at, size_t n)
{
	const struct mounted *up = NULL;
	for (size_t i = 0; i < n; up = &at[i], i++) {
		while (up && !is_path_below(at[i].path, up->path))
			up = up->up;
		at[i].up = up;
		if (!up)
			continue;
		at[i].in_mount = up->mount ? up->mount : up->in_mount;
		at[i].in_own = up->mount && !up->mount->framework ? up->mount : up->in_own;
		at[i].in_file = up->file ? up->file : up->in_file;
	}
}

static struct mounted *mounted_of(struct arena *a, const struct plan_role *r, size_t *n)
{
	struct mounted *at = ARENA_ARRAY(a, struct mounted, r->main.nmounts + r->nfiles + 1);
	*n = 0;
	for (size_t i = 0; i < r->main.nmounts; i++)
		at[(*n)++] = (struct mounted){ .path = r->main.mounts[i].path, .mount = &r->main.mounts[i] };
	for (size_t i = 0; i < r->nfiles; i++)
		at[(*n)++] = (struct mounted){ .path = r->files[i].path, .file = &r->files[i] };
	qsort(at, *n, sizeof *at, mounted_by_path);
	find_above(at, *n);
	return at;
}

/* Reports a mount that hides a generated file (TJ0615). */
static void report_hidden_file(struct job *j, const struct plan_mount *m, const struct plan_file *f)
{
	struct diag *d = diag_report(job_diags(j), TJ0615, m->path_at, "'%.*s' hides the generated file %.*s",
		STR_ARG(m->path), STR_ARG(f->path));
	diag_note(job_diags(j), d, f->path_at, "the file");
	diag_help(job_diags(j), d, "mount the volume elsewhere");
}

/* Reports a mount inside another one: the kubelet creates the inner directory in the outer volume (TJ0623). */
static void report_inside(struct job *j, const struct plan_mount *inner, const struct plan_mount *outer)
{
	struct diag *d = diag_report(job_diags(j), TJ0623, inner->path_at,
		"'%.*s' is mounted inside of the volume at %.*s", STR_ARG(inner->path),
		STR_ARG(outer->path));
	diag_note(job_diags(j), d, outer->path_at, "the outer volume");
	diag_help(job_diags(j), d, outer->volume->readonly ?
		"the outer volume is read-only, so it must have the directory; mount the two side by side" :
		"an empty directory of that name is made in the outer volume; mount the two side by side");
}

static void file_below_file(struct job *j, const struct plan_file *inner, const struct plan_file *outer)
{
	struct diag *d = diag_report(job_diags(j), TJ0615, inner->path_at,
		"'%.*s' cannot be a file below the file %.*s", STR_ARG(inner->path),
		STR_ARG(outer->path));
	diag_note(job_diags(j), d, outer->path_at, "the other file");
	diag_help(job_diags(j), d, "give one of them another directory");
}

/*
 * Reports mounts and files inside each other. Each is compared only with the nearest one around it, which is compared
 * with the next.
 */
static void overlaps(struct job *j, const struct plan_role *r)
{
	size_t n;
	const struct mounted *at = mounted_of(eval_work(j->ev), r, &n);
	for (size_t i = 0; i < n; i++) {
		if (at[i].mount && at[i].in_own && in_user_text(j->ev, at[i].mount->path_at))
			report_inside(j, at[i].mount, at[i].in_own);
		if (at[i].file && at[i].in_mount)
			report_hidden_file(j, at[i].in_mount, at[i].file);
		if (at[i].file && at[i].in_file)
			file_below_file(j, at[i].file, at[i].in_file);
	}
}

/* ---- two kinds of shared memory (TJ0612) ---- */

static void shared_memory(struct job *j, const struct plan_role *r)
{
	const struct plan_mount *m = r->shm.set ? plan_find_mount(&r->main, STR("/dev/shm")) : NULL;
	if (!m)
		return;
	bool own = in_user_text(j->ev, m->path_at);
	struct diag *d = diag_report(job_diags(j), TJ0612, own ? m->path_at : r->shm.from,
		own ? "'shm' is mounted on /dev/shm already" :
		"'shm' is mounted at /dev/shm, which already has a volume");
	diag_note(job_diags(j), d, own ? r->shm.from : m->path_at, own ? "'shm'" : "the volume");
	diag_help(job_diags(j), d, own ? "keep one of the two" : "remove 'shm'");
}

/* ---- claims to which several replicas write (TJ0621) ---- */

/* The role in the copy after that of R, the first of its cell; NULL if there is none. */
static const struct plan_role *role_in_next_copy(const struct role *r)
{
	const struct job *next = r->job->outer && r->job->cell->max > 1 ? r->job->cell->copies[1] : NULL;

	for (size_t i = 0; next && i < next->nroles; i++)
		if (str_eq(next->roles[i]->name, r->name))
			return next->roles[i]->plan;
	return NULL;
}

/* Has M a directory of the claim for each replica, which a replica of another copy of R's cell has, too? */
static bool copies_share(struct job *j, const struct role *r, const struct plan_mount *m)
{
	const struct plan_role *other = role_in_next_copy(r);
	const struct plan_mount *same = other ? plan_find_mount(&other->main, m->path) : NULL;
	struct arena *a = eval_work(j->ev);
	struct str first = plan_volume_path(a, m->volume, 0);

	return same && !str_eq(first, plan_volume_path(a, m->volume, 1)) &&
		str_eq(first, plan_volume_path(a, same->volume, 0));
}

static void shared_claims(struct job *j, const struct role *r)
{
	int64_t copies = r->job->outer ? r->job->cell->max : 1, writers = r->plan->max * copies;

	for (size_t i = 0; i < r->plan->main.nmounts; i++) {
		const struct plan_volume *v = r->plan->main.mounts[i].volume;
		bool mixed = copies_share(j, r, &r->plan->main.mounts[i]);
		if (v->kind != VOLUME_PVC || v->readonly || (v->shared && !mixed) || writers < 2)
			continue;
		struct diag *d = diag_report(job_diags(j), TJ0621, v->from, v->shared ?
			"%lld copies write to the same directories of pvc(\"%.*s\")" :
			"%lld replicas write to pvc(\"%.*s\")", (long long)(v->shared ? copies : writers),
			STR_ARG(v->name));
		if (!v->shared)
			diag_help(job_diags(j), d, "needs a claim with ReadWriteMany: say so with 'shared = true', or "
				"add 'readonly = true'");
		if (mixed)
			diag_help(job_diags(j), d, "'pod.index' counts within a copy: write "
				"'path = \"${pod.copy}/${pod.index}\"'");
	}
}

/* ---- mounts that hide what the image needs, and volumes in memory (TJ0623, TJ0611) ---- */

static void over_system(struct job *j, const struct plan_mount *m)
{
	static const char *const directories[] = { "/usr", "/bin", "/sbin", "/lib", "/lib64", "/etc", "/dev", "/proc",
		"/sys", "/usr/bin", "/usr/lib", "/usr/local",
		"/usr/local/bin", "/usr/local/lib", "/opt" };
	for (size_t i = 0; i < sizeof directories / sizeof *directories; i++) {
		if (!str_is(m->path, directories[i]) || !in_user_text(j->ev, m->path_at))
			continue;
		struct diag *d = diag_report(job_diags(j), TJ0623, m->path_at,
			"a volume at %.*s hides what the image has there", STR_ARG(m->path));
		diag_help(job_diags(j), d, "mount it at a directory of its own, such as /data");
		return;
	}
}

/* Reports a volume in memory, which counts against the pod's memory. */
static void memory_scratch(struct job *j, const struct plan_role *r)
{
	const struct plan_amounts *asks = &r->main.asks;
	const struct plan_quantity *memory = plan_memory_limit(asks);
	for (size_t i = 0; i < r->main.nmounts; i++) {
		const struct plan_volume *v = r->main.mounts[i].volume;
		if (v->kind != VOLUME_SCRATCH || !v->memory || !memory->set || v->size.nano <= memory->value.nano)
			continue;
		struct str size = quantity_text(j->ev->arena, v->size),
			whole = quantity_text(j->ev->arena, memory->value);
		struct diag *d = diag_report(job_diags(j), TJ0611, v->from,
			"scratch \"%.*s\" may take %.*s of memory, but the container has only %.*s", STR_ARG(v->name),
			STR_ARG(size), STR_ARG(whole));
		diag_note(job_diags(j), d, memory->from, "its memory");
		diag_help(job_diags(j), d, "raise 'memory', or keep the volume on disk");
	}
}

void rules_mounts(struct job *j)
{
	for (size_t i = 0; i < j->plan->nroles; i++) {
		const struct plan_role *r = &j->plan->roles[i];
		if (r->max == 0)
			continue;
		sizes_in_pod(j, VOLUME_SCRATCH, r);
		sizes_in_pod(j, VOLUME_CLAIM, r);
		sizes_in_pod(j, VOLUME_CSI, r);
		for (size_t k = 0; k < r->main.nmounts; k++)
			over_system(j, &r->main.mounts[k]);
		overlaps(j, r);
		for (int64_t k = plan_next_kind(r, -1); k < r->max; k = plan_next_kind(r, k)) {
			const struct plan_role one = plan_role_of(eval_work(j->ev), r, k);
			memory_scratch(j, &one);
		}
		shared_memory(j, r);
		if (!r->copy)
			shared_claims(j, j->roles[i]);
	}
}
