/*
 * launch_mounts.c - volumes, files and generated keys on this machine: directories that are bound over the directories
 * that the container would otherwise see.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/path.h"
#include "code/code_unpack.h"
#include "plan/code.h"
#include "runtime/local/launch_internal.h"
#include "runtime/local/remove.h"

/* ---- the directory of a volume ---- */

/* The name by which `--mount NAME=DIR` refers to a volume. */
static struct str volume_name(struct arena *a, const struct plan_volume *v)
{
	if (v->kind == VOLUME_HOST_PATH)
		return v->path;
	return v->kind == VOLUME_NFS ? str_cat(a, v->name, STR(":"), v->path) : v->name;
}

/* Is the volume empty for each new pod? */
static bool is_emptied(const struct plan_volume *v)
{
	return v->kind == VOLUME_SCRATCH || (v->kind == VOLUME_CLAIM && !v->keep);
}

/* Must the user provide a directory for the volume? Not if the run creates the volume. */
static bool is_from_outside(const struct plan_volume *v)
{
	return !is_emptied(v) && v->kind != VOLUME_GENERATED;
}

/* Does each replica have a directory of its own within the volume? */
static bool is_each(const struct plan_volume *v) { return v->path_text.n || v->keep; }

static struct str mapped(const struct launch *l, struct arena *a, const struct plan_volume *v)
{
	struct str name = volume_name(a, v);

	for (size_t i = l->options->nmappings; i-- > 0;)
		if (str_eq(l->options->mappings[i].name, name))
			return path_join(a, l->options->directory, l->options->mappings[i].dir);
	return (struct str){ 0 };
}

static bool same_scratch(const struct plan_volume *a, const struct plan_volume *b)
{
	return a->kind == VOLUME_SCRATCH && b->kind == VOLUME_SCRATCH && str_eq(a->name, b->name);
}

static bool container_has(const struct plan_container *c, const struct plan_volume *v)
{
	for (size_t i = 0; i < c->nmounts; i++)
		if (same_scratch(c->mounts[i].volume, v))
			return true;
	return false;
}

/*
 * Is the volume a file system in memory? Only if a single container mounts it and it need not survive a restart in
 * place; otherwise it is a directory.
 */
static bool is_memory(const struct plan_role *r, const struct plan_volume *v)
{
	size_t users = 0;

	for (size_t k = 0; k < launch_containers(r); k++)
		users += container_has(launch_container(r, k), v);
	return v->memory && users == 1 && !plan_role_restarts(r);
}

static struct str pod_directory(const struct launch *l, struct arena *a, unsigned role, int64_t i)
{
	return str_printf(a, "%.*s/%.*s-%lld", STR_ARG(l->scratch), STR_ARG(l->job->roles[role].name), (long long)i);
}

static struct str files_directory(const struct launch *l, struct arena *a, unsigned role, int64_t i)
{
	return str_cat(a, pod_directory(l, a, role, i), STR(".files"), STR(""));
}

static struct str scratch_directory(const struct launch *l, struct arena *a, unsigned role, int64_t i,
	const struct plan_volume *v)
{
	struct str kind = v->kind == VOLUME_CLAIM ? STR("/claim.") : STR("/");

	return str_cat(a, pod_directory(l, a, role, i), kind, str_replace(a, v->name, "/", '_'));
}

/* Returns DIR/ROLE-i. The role is part of the name, so that one --mount can hold the claims of all roles. */
static struct str kept_directory(const struct launch *l, struct arena *a, unsigned role, int64_t i, struct str dir)
{
	return path_join(a, dir, str_printf(a, "%.*s-%lld", STR_ARG(l->job->roles[role].name), (long long)i));
}

/* Is the volume the directory of `code` itself, and not a copy? */
static bool is_live(const struct plan_role *r, const struct plan_volume *v)
{
	const struct plan_mount *m = r->code && r->code->live.n ? plan_find_mount(&r->main, r->code->at) : NULL;

	return m && same_scratch(m->volume, v);
}

static struct str generated_directory(const struct launch *l, struct arena *a, const struct plan_volume *v)
{
	return str_cat(a, l->scratch, STR("/generated/"), v->name);
}

/* The directory of a volume; p == NULL for memory and for a volume without a directory. */
static struct str volume_directory(const struct launch *l, struct arena *a, unsigned role, int64_t i,
	const struct plan_volume *v)
{
	const struct plan_role *r = &l->job->roles[role];
	struct str dir = is_from_outside(v) ? mapped(l, a, v) : (struct str){ 0 };

	switch (v->kind) {
	case VOLUME_SCRATCH: return is_live(r, v) ? r->code->live : is_memory(r, v) ? (struct str){ 0 } :
		scratch_directory(l, a, role, i, v);
	case VOLUME_CLAIM: return !v->keep ? scratch_directory(l, a, role, i, v) :
		dir.p ? kept_directory(l, a, role, i, dir) : dir;
	case VOLUME_GENERATED: return generated_directory(l, a, v);
	case VOLUME_HOST_PATH: return dir.p ? dir : str_copy(a, v->path);
	case VOLUME_PVC: return dir.p && v->path.n ?
		path_join(a, dir, plan_volume_path(a, v, plan_index_in_slice(r, i))) : dir;
	case VOLUME_SECRET:
	case VOLUME_CONFIG:
	case VOLUME_NFS:
	case VOLUME_CSI: break;
	}
	return dir;
}

/* Is the mount left out, because it contains device drivers and the run does not use the devices? */
static bool is_left_out(const struct launch *l, const struct plan_role *r, const struct plan_mount *m)
{
	if (!l->options->no_devices || !r->accelerator)
		return false;
	for (size_t i = 0; i < r->accelerator->nmounts; i++)
		if (r->accelerator->mounts[i].volume == m->volume)
			return true;
	return false;
}

/* ---- the container's view of the files ---- */

/*
 * The path at which a mount appears. Most images run as root with the home /root, but here the program runs as the user
 * of the command, with the user's HOME. A program could not even enter the home of another user.
 */
static struct str target_of(const struct launch *l, struct arena *a, struct str path)
{
	struct str home = launch_caller(l, STR("HOME"));
	bool below = path_inside(STR("/root"), path);

	if (!below || l->options->image_root.n || geteuid() == 0 || home.n < 2 || home.p[0] != '/')
		return str_copy(a, path);
	return str_cat(a, home, (struct str){ path.p + 5, path.n - 5 }, STR(""));
}

void launch_note_home(struct launch *l, const struct plan_role *r)
{
	for (size_t k = 0; k < launch_containers(r); k++) {
		const struct plan_container *c = launch_container(r, k);
		for (size_t i = 0; i < c->nmounts; i++) {
			struct str path = c->mounts[i].path, target = target_of(l, l->arena, path);
			if (!is_left_out(l, r, &c->mounts[i]) && !str_eq(path, target))
				launch_note(l, "'%.*s' is '%.*s' here, in your own home, since you are not root",
					STR_ARG(path), STR_ARG(target));
		}
	}
}

void launch_note_live(struct launch *l, const struct plan_role *r)
{
	if (r->code && r->code->live.n)
		launch_note(l, "replicas see '%.*s' itself at %.*s (--code=live): they share it, what they write stays "
			"there, and one that starts again gets the files of that moment", STR_ARG(r->code->live),
			STR_ARG(r->code->at));
}

bool launch_boxed(const struct launch *l, const struct plan_role *r, const struct plan_container *c)
{
	if (l->options->image_root.n || l->options->isolate == ISOLATE_REPLICA || (c == &r->main && r->nfiles))
		return true;
	for (size_t i = 0; i < c->nmounts; i++)
		if (!is_left_out(l, r, &c->mounts[i]))
			return true;
	return false;
}

struct box {
	struct arena *arena;
	struct sandbox_mount *at;
	size_t n;
};

static void add_box_mount(struct box *b, struct sandbox_mount m) { ARENA_PUSH(b->arena, b->at, b->n, m); }

static void add_volume(const struct launch *l, struct box *b, unsigned role, int64_t i, const struct plan_mount *m)
{
	const struct plan_volume *v = m->volume;
	struct str dir = volume_directory(l, b->arena, role, i, v);
	const char *target = target_of(l, b->arena, m->path).p;
	bool readonly = v->readonly || v->kind == VOLUME_GENERATED || v->kind == VOLUME_SECRET ||
		v->kind == VOLUME_CONFIG;

	if (dir.p)
		add_box_mount(b, (struct sandbox_mount){ .kind = SANDBOX_BIND, .source = str_copy(b->arena, dir).p,
			.target = target, .readonly = readonly });
	else
		add_box_mount(b, (struct sandbox_mount){ .kind = SANDBOX_TMPFS, .target = target,
			.size = (uint64_t)(v->size.nano / QUANTITY_UNIT) });
}

static void add_files(const struct launch *l, struct box *b, unsigned role, int64_t i)
{
	const struct plan_role *r = &l->job->roles[role];
	struct str dir = files_directory(l, b->arena, role, i);

	for (size_t k = 0; k < r->nfiles; k++)
		add_box_mount(b, (struct sandbox_mount){ .kind = SANDBOX_BIND,
			.source = str_printf(b->arena, "%.*s/%zu", STR_ARG(dir), k).p,
			.target = target_of(l, b->arena, r->files[k].path).p, .readonly = true });
}

/* Sorts so that a directory comes before the files in it. */
static int by_target(const void *a, const void *b)
{
	return strcmp(((const struct sandbox_mount *)a)->target, ((const struct sandbox_mount *)b)->target);
}

void launch_box(const struct launch *l, struct arena *a, unsigned role, int64_t i, const struct plan_container *c,
	struct sandbox *ret)
{
	const struct plan_role *r = &l->job->roles[role];
	struct box b = { .arena = a };

	*ret = (struct sandbox){ 0 };
	if (!launch_boxed(l, r, c))
		return;
	for (size_t k = 0; k < c->nmounts; k++)
		if (!is_left_out(l, r, &c->mounts[k]))
			add_volume(l, &b, role, i, &c->mounts[k]);
	if (c == &r->main) {
		add_files(l, &b, role, i);
		if (r->shm.set)
			add_box_mount(&b, (struct sandbox_mount){ .kind = SANDBOX_TMPFS, .target = "/dev/shm",
				.size = (uint64_t)(r->shm.value.nano / QUANTITY_UNIT) });
	}
	if (b.n)
		qsort(b.at, b.n, sizeof *b.at, by_target);
	ret->mounts = b.at;
	ret->nmounts = b.n;
	ret->root = l->options->image_root.n ? str_copy(a, l->options->image_root).p : NULL;
	ret->hosts = places_hosts(l->places);
	if (l->options->isolate == ISOLATE_REPLICA)
		ret->hostname = str_printf(a, "%.*s-%lld", STR_ARG(r->object), (long long)i).p;
}

struct str launch_behind(const struct launch *l, struct arena *a, unsigned role, const struct plan_container *c,
	struct str path)
{
	const struct plan_role *r = &l->job->roles[role];
	const struct plan_mount *best = NULL;
	struct str at = STR("");

	for (size_t i = 0; i < c->nmounts; i++) {
		const struct plan_mount *m = &c->mounts[i];
		struct str target = target_of(l, a, m->path);
		if (is_left_out(l, r, m) || !path_inside(target, path) || (best && target.n <= at.n))
			continue;
		best = m;
		at = target;
	}
	for (size_t i = 0; c == &r->main && i < r->nfiles; i++)
		if (path_inside(path, target_of(l, a, r->files[i].path)))
			return (struct str){ 0 };
	if (!best)
		return l->options->image_root.n ? (struct str){ 0 } : str_copy(a, path);
	struct str dir = is_from_outside(best->volume) && !is_each(best->volume) ?
		volume_directory(l, a, role, 0, best->volume) : (struct str){ 0 };
	if (!dir.p)
		return dir;
	struct str rest = { path.p + at.n, path.n - at.n };
	return str_cat(a, dir, rest, STR(""));
}

/* ---- a new pod ---- */

static bool cannot(struct launch *l, const char *what, struct str path, struct str *why)
{
	*why = str_printf(l->arena, "cannot %s '%.*s': %.*s", what, STR_ARG(path),
		STR_ARG(file_reason(l->arena, errno)));
	return false;
}

/* Makes a directory and its missing parents. */
static bool make_directory(struct launch *l, struct str path, struct str *why)
{
	char *p = arena_copy(l->arena, path.p, path.n);

	for (char *slash = p + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		mkdir(p, 0700);
	}
	return mkdir(p, 0700) == 0 || errno == EEXIST || cannot(l, "make", path, why);
}

static bool make_empty(struct launch *l, struct str path, struct str *why)
{
	struct arena a = { 0 };
	struct str reason;

	if (!make_directory(l, path, why))
		return false;
	int fd = open(path.p, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return cannot(l, "open", path, why);
	bool ok = remove_inside(&a, fd, NULL, &reason);
	if (!ok)
		*why = str_copy(l->arena, reason);
	close(fd);
	arena_release(&a);
	return ok;
}

static bool write_file(struct launch *l, struct str path, struct str text, mode_t mode, struct str *why)
{
	int fd = open(path.p, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode);
	bool ok = fd >= 0 && file_write_all(fd, text.p, text.n);

	if (!ok)
		cannot(l, "write", path, why);
	if (fd >= 0)
		close(fd);
	return ok;
}

static bool write_files(struct launch *l, struct arena *a, unsigned role, int64_t i, struct str *why)
{
	const struct plan_role *r = &l->job->roles[role];
	struct str dir = files_directory(l, a, role, i);
	struct buf b = { 0 };
	bool ok = true;

	if (!make_empty(l, dir, why))
		return false;
	for (size_t k = 0; k < r->nfiles && ok; k++) {
		const struct plan_file *f = &r->files[k];
		launch_text(l, role, i, 0, NULL, f->per_replica ? &f->per_replica[i] : &f->text, &b);
		ok = write_file(l, str_printf(a, "%.*s/%zu", STR_ARG(dir), k), buf_take(&b, a), 0644, why);
	}
	buf_release(&b);
	return ok;
}

static bool has_scratch(const struct plan_role *r)
{
	for (size_t k = 0; k < launch_containers(r); k++) {
		const struct plan_container *c = launch_container(r, k);
		for (size_t m = 0; m < c->nmounts; m++)
			if (is_emptied(c->mounts[m].volume))
				return true;
	}
	return false;
}

static bool make_scratch(struct launch *l, struct arena *a, unsigned role, int64_t i, struct str *why)
{
	const struct plan_role *r = &l->job->roles[role];
	struct str dir = pod_directory(l, a, role, i);

	if (!has_scratch(r))
		return true;
	if (!make_empty(l, dir, why))
		return false;
	for (size_t k = 0; k < launch_containers(r); k++) {
		const struct plan_container *c = launch_container(r, k);
		for (size_t m = 0; m < c->nmounts; m++) {
			struct str path = volume_directory(l, a, role, i, c->mounts[m].volume);
			bool own = is_emptied(c->mounts[m].volume) && !is_live(r, c->mounts[m].volume);
			if (own && path.p && !make_directory(l, path, why))
				return false;
		}
	}
	return true;
}

/*
 * Makes the sub paths of a claim that differ between replicas, and the directories of kept claims, as the kubelet
 * would.
 */
static bool make_sub_paths(struct launch *l, struct arena *a, unsigned role, int64_t i, struct str *why)
{
	const struct plan_role *r = &l->job->roles[role];

	for (size_t k = 0; k < launch_containers(r); k++) {
		const struct plan_container *c = launch_container(r, k);
		for (size_t m = 0; m < c->nmounts; m++)
			if (is_each(c->mounts[m].volume) &&
				!make_directory(l, volume_directory(l, a, role, i, c->mounts[m].volume), why))
				return false;
	}
	return true;
}

static bool make_words(struct launch *l, struct arena *a, unsigned role, int64_t i, struct str *why)
{
	return !launch_last_words(l, a, role, i).p || make_directory(l, l->scratch, why);
}

/* The archive of the code with an id: that of the program, or that of a sync, which RUN/code has. */
static bool archive_of(struct launch *l, struct arena *a, const struct plan_code *code, struct str id,
	struct str *ret, struct str *why)
{
	*ret = code->packed;
	if (!id.n || str_eq(id, code->id))
		return true;
	struct str short_id = { id.p, id.n < CODE_SHORT ? id.n : CODE_SHORT };
	struct str path = str_cat(a, l->run_dir, STR("/code/"), short_id);
	return file_read_most(a, path, (size_t)1 << 29, ret, why);
}

/* Unpacks the role's code into the replica's own copy, which is a scratch volume. */
static bool unpack_copy(struct launch *l, struct arena *a, unsigned role, int64_t i, struct str code, struct str *why)
{
	const struct plan_role *r = &l->job->roles[role];
	const struct plan_mount *m = r->code ? plan_find_mount(&r->main, r->code->at) : NULL;
	struct str packed, reason;

	if (!m || r->code->live.n)
		return true;
	struct str dir = volume_directory(l, a, role, i, m->volume);
	int fd = open(dir.p, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return cannot(l, "open", dir, why);
	bool ok = archive_of(l, a, r->code, code, &packed, &reason) &&
		unpack_code(a, packed, code.n ? code : r->code->id, fd, &reason);
	if (!ok)
		*why = str_printf(l->arena, "cannot unpack the code: %.*s", STR_ARG(reason));
	close(fd);
	return ok;
}

bool launch_prepare(struct launch *l, unsigned role, int64_t i, struct str code, struct str *why)
{
	struct arena a = { 0 };
	bool ok = make_scratch(l, &a, role, i, why) && unpack_copy(l, &a, role, i, code, why) &&
		make_sub_paths(l, &a, role, i, why) && make_words(l, &a, role, i, why) &&
			(!l->job->roles[role].nfiles || write_files(l, &a, role, i, why));

	arena_release(&a);
	return ok;
}

void launch_clean(struct launch *l)
{
	struct str why;

	make_empty(l, l->scratch, &why);
}

/* ---- generated keys ---- */

extern char **environ;

static bool run_keygen(struct arena *a, const char *key)
{
	const char *const words[] = { "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "trainc", "-f", key, NULL };
	char *const *argv = str_argv(a, words);
	posix_spawn_file_actions_t quiet;
	pid_t pid;
	int status;

	posix_spawn_file_actions_init(&quiet);
	for (int fd = 0; fd <= 2; fd++)
		posix_spawn_file_actions_addopen(&quiet, fd, "/dev/null", O_RDWR, 0);
	int error = posix_spawnp(&pid, argv[0], &quiet, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&quiet);
	if (error) {
		errno = error;
		return false;
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	errno = EIO;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Writes the files of a Secret that the runtime generates in a cluster. */
static bool make_keypair(struct launch *l, struct str dir, struct str *why)
{
	struct str key = str_cat(l->arena, dir, STR("/id_ed25519"), STR("")), public, reason;

	if (!make_empty(l, dir, why))
		return false;
	if (!run_keygen(l->arena, key.p)) {
		if (errno == ENOENT)
			*why = STR("ssh-keygen is not installed, and it makes the ssh-keypair");
		else
			cannot(l, "make the key", key, why);
		return false;
	}
	if (!file_read(l->arena, str_cat(l->arena, key, STR(".pub"), STR("")), &public, &reason)) {
		*why = str_printf(l->arena, "cannot read '%.*s.pub': %.*s", STR_ARG(key), STR_ARG(reason));
		return false;
	}
	return write_file(l, str_cat(l->arena, dir, STR("/authorized_keys"), STR("")), public, 0600, why)
		&& write_file(l, str_cat(l->arena, dir, STR("/config"), STR("")),
			STR("Host *\n  StrictHostKeyChecking no\n  UserKnownHostsFile /dev/null\n"), 0600, why);
}

static void generate(struct launch *l, const struct plan_volume *v, struct buf *why)
{
	struct str dir = generated_directory(l, l->arena, v), reason;
	struct stat s;

	if (stat(str_cat(l->arena, dir, STR("/config"), STR("")).p, &s) == 0)
		return;                         /* the key was already made for another role */
	if (!make_keypair(l, dir, &reason))
		launch_complain(why, "%.*s", STR_ARG(reason));
}

/* ---- checks ---- */

static const char *kind_word(const struct plan_volume *v)
{
	static const char *const words[] = {
		[VOLUME_PVC] = "volume claim", [VOLUME_SECRET] = "secret", [VOLUME_CONFIG] = "config map",
			[VOLUME_NFS] = "NFS directory", [VOLUME_CSI] = "volume of a CSI driver",
		[VOLUME_HOST_PATH] = "host path", [VOLUME_CLAIM] = "kept claim",
	};
	return v->kind < sizeof words / sizeof *words && words[v->kind] ? words[v->kind] : "volume";
}

static void check_volume(struct launch *l, unsigned role, const struct plan_container *c, const struct plan_mount *m,
	struct buf *why)
{
	const struct plan_volume *v = m->volume;
	struct str who = launch_who(l->arena, &l->job->roles[role], c), name = volume_name(l->arena, v);
	struct stat s;

	if (v->kind == VOLUME_GENERATED && !l->options->dry)
		generate(l, v, why);
	if (!is_from_outside(v))
		return;
	/* the directory of each replica is made when the replica starts */
	struct str dir = is_each(v) ? mapped(l, l->arena, v) : volume_directory(l, l->arena, role, 0, v);
	if (!dir.p)
		launch_complain(why,
			"%.*s: %s '%.*s' at %.*s has no place on this machine; give it one: --mount %.*s=DIR",
			STR_ARG(who),
			kind_word(v), STR_ARG(name), STR_ARG(m->path), STR_ARG(name));
	else if (stat(dir.p, &s) < 0)
		launch_complain(why, "%.*s: %s '%.*s' at %.*s: '%.*s': %.*s; choose another one: --mount %.*s=DIR",
			STR_ARG(who), kind_word(v),
			STR_ARG(name), STR_ARG(m->path), STR_ARG(dir), STR_ARG(file_reason(l->arena, errno)),
			STR_ARG(name));
}

static bool is_used(struct launch *l, struct str name, struct buf *names)
{
	bool used = false;

	for (size_t k = 0; k < l->job->nroles; k++) {
		const struct plan_role *r = &l->job->roles[k];
		for (size_t x = 0; r->max && x < launch_containers(r); x++) {
			const struct plan_container *c = launch_container(r, x);
			for (size_t i = 0; i < c->nmounts; i++) {
				struct str other = volume_name(l->arena, c->mounts[i].volume);
				if (!is_from_outside(c->mounts[i].volume))
					continue;
				used = used || str_eq(other, name);
				struct str shown = str_printf(l->arena, "'%.*s'", STR_ARG(other));
				if (!names->n || !memmem(names->p, names->n, shown.p, shown.n))
					buf_printf(names, "%s%.*s", names->n ? ", " : "", STR_ARG(shown));
			}
		}
	}
	return used;
}

static void check_mapping(struct launch *l, const struct engine_mapping *m, struct buf *why)
{
	struct buf names = { 0 };

	if (!is_used(l, m->name, &names)) {
		if (names.n)
			launch_complain(why, "--mount %.*s=...: the program has no such volume; it has %.*s",
				STR_ARG(m->name), STR_ARG(buf_text(&names)));
		else
			launch_complain(why, "--mount %.*s=...: the program has no volumes", STR_ARG(m->name));
	}
	buf_release(&names);
}

static void check_root(struct launch *l, struct buf *why)
{
	struct str root = l->options->image_root;
	struct stat s;

	if (!root.n)
		return;
	if (stat(str_copy(l->arena, root).p, &s) < 0)
		launch_complain(why, "--image-root '%.*s': %.*s", STR_ARG(root), STR_ARG(file_reason(l->arena, errno)));
	else if (!S_ISDIR(s.st_mode))
		launch_complain(why, "--image-root '%.*s': is not a directory; unpack the image first", STR_ARG(root));
}

void launch_check_volumes(struct launch *l, struct buf *why)
{
	check_root(l, why);
	for (unsigned k = 0; k < l->job->nroles; k++) {
		const struct plan_role *r = &l->job->roles[k];
		for (size_t x = 0; r->max && x < launch_containers(r); x++) {
			const struct plan_container *c = launch_container(r, x);
			for (size_t i = 0; i < c->nmounts; i++)
				if (!is_left_out(l, r, &c->mounts[i]))
					check_volume(l, k, c, &c->mounts[i], why);
		}
	}
	for (size_t i = 0; i < l->options->nmappings; i++)
		check_mapping(l, &l->options->mappings[i], why);
}
