/* code_watch.c - see code_watch.h. */
#include "runtime/command/code_watch.h"

#include <errno.h>
#include <linux/magic.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/path.h"
#include "base/sha256.h"
#include "base/words.h"
#include "command/take_code.h"

#define POLL_PAUSE NS_PER_SECOND
/* Looking takes at most this part of the time. */
enum { PART_CHANGED = 10, PART_POLLING = 20 };
enum { MAGIC_NFS = 0x6969, MAGIC_9P = 0x01021997, MAGIC_LUSTRE = 0x0bd00bd0, MAGIC_CEPH = 0x00c36400 };

#define CHANGES (IN_CREATE | IN_DELETE | IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_FROM | IN_MOVED_TO | IN_ATTRIB | \
	IN_DELETE_SELF | IN_MOVE_SELF)

/* ---- what the kernel reports ---- */

/* File systems that others change, too: the kernel does not report what they do. */
static bool is_shared_by_others(long type)
{
	static const long shared[] = { MAGIC_NFS, MAGIC_9P, MAGIC_LUSTRE, MAGIC_CEPH, FUSE_SUPER_MAGIC, AFS_SUPER_MAGIC,
		CODA_SUPER_MAGIC, (long)(int32_t)CIFS_SUPER_MAGIC, CIFS_SUPER_MAGIC, (long)(int32_t)SMB2_SUPER_MAGIC,
		SMB2_SUPER_MAGIC, SMB_SUPER_MAGIC };

	for (size_t i = 0; i < sizeof shared / sizeof *shared; i++)
		if (type == shared[i])
			return true;
	return false;
}

static void give_up_reports(struct code_watch *w, const char *why)
{
	w->polls = why;
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
}

/* Asks the kernel for reports about a directory. One that is not there any more is seen by the next look. */
static void watch_directory(struct code_watch *w, struct arena *a, struct str path)
{
	struct statfs fs;
	const char *p = str_copy(a, path).p;

	if (w->fd < 0)
		return;
	if (statfs(p, &fs) == 0 && is_shared_by_others((long)fs.f_type)) {
		give_up_reports(w, "the kernel does not report what others change in such a file system");
		return;
	}
	int number = inotify_add_watch(w->fd, p, CHANGES | IN_ONLYDIR);
	if (number > w->newest)
		w->newest = number;
	else if (number < 0 && (errno == ENOSPC || errno == ENOMEM))
		give_up_reports(w, "the kernel permits no more watches: see fs.inotify.max_user_watches");
}

bool code_watch_changed(struct code_watch *w)
{
	char reports[16384];
	bool any = w->fd < 0;

	while (w->fd >= 0 && read(w->fd, reports, sizeof reports) > 0)
		any = true;
	return any;
}

/* ---- a look ---- */

static void add_bytes(struct sha256 *sum, const void *p, size_t n) { sha256_add(sum, p, n); }

/* Adds a text with its length, so that two texts differ from one. */
static void add_seen(struct sha256 *sum, struct str s)
{
	uint64_t n = s.n;

	add_bytes(sum, &n, sizeof n);
	add_bytes(sum, s.p, s.n);
}

static void add_number(struct sha256 *sum, uint64_t n) { add_bytes(sum, &n, sizeof n); }

static void add_time(struct sha256 *sum, struct timespec t)
{
	add_number(sum, (uint64_t)t.tv_sec);
	add_number(sum, (uint64_t)t.tv_nsec);
}

/* Adds the files of the program. Modules of the library are not files. */
static void look_at_program(struct code_watch *w, struct arena *a, struct sha256 *sum)
{
	const struct sources *all = &w->program->sources;
	struct stat st;

	for (size_t i = 0; i < all->n; i++) {
		struct str name = str_copy(a, all->at[i]->name);
		if (all->at[i]->library || stat(name.p, &st) != 0)
			continue;
		watch_directory(w, a, path_directory(name));
		add_seen(sum, name);
		add_number(sum, (uint64_t)st.st_size);
		add_number(sum, (uint64_t)st.st_ino);
		add_time(sum, st.st_mtim);
	}
}

/* Watches the directories from the project down to that of the code: their rules count. */
static void watch_outer(struct code_watch *w, struct arena *a, const struct snapshot_wish *wish)
{
	struct str project = wish->project.n ? wish->project : STR(".");

	watch_directory(w, a, project);
	for (size_t i = 0; i < wish->dir.n; i++)
		if (wish->dir.p[i] == '/')
			watch_directory(w, a, str_cat(a, project, STR("/"), (struct str){ wish->dir.p, i }));
}

static void look_at_code(struct code_watch *w, struct arena *a, const struct plan_code *code, struct sha256 *sum)
{
	struct snapshot_wish wish = code_wish(w->program, code);
	struct snapshot s;
	bool found = snapshot_look(a, &wish, &s);
	struct str top = str_cat(a, wish.project.n ? wish.project : STR("."), STR("/"), wish.dir);

	watch_outer(w, a, &wish);
	add_seen(sum, found ? top : s.why);
	for (size_t i = 0; i < s.tree.ndirectories; i++)
		watch_directory(w, a, str_cat(a, top, STR("/"), s.tree.directories[i]));
	for (size_t i = 0; i < s.tree.n; i++) {
		const struct tree_entry *e = &s.tree.entries[i];
		add_seen(sum, e->path);
		add_seen(sum, e->target);
		add_number(sum, e->size << 2 | (uint64_t)e->executable << 1 | (e->kind == TREE_LINK));
		add_number(sum, (uint64_t)e->inode);
		add_time(sum, e->changed);
	}
	for (size_t i = 0; i < s.tree.nproblems; i++) {
		add_seen(sum, s.tree.problems[i].path);
		add_seen(sum, s.tree.problems[i].why);
	}
	snapshot_release(&s);
}

static void look_once(struct code_watch *w, char ret[65])
{
	struct arena a = { 0 };
	struct sha256 sum;

	sha256_init(&sum);
	look_at_program(w, &a, &sum);
	for (size_t i = 0; i < w->n; i++)
		look_at_code(w, &a, w->codes[i], &sum);
	sha256_end(&sum, ret);
	arena_release(&a);
}

void code_watch_look(struct code_watch *w, char ret[65])
{
	int64_t begin = clock_steady();
	int before;

	do {                            /* a new directory is watched from now on, and was not before */
		before = w->newest;
		look_once(w, ret);
	} while (w->newest != before);
	w->cost = clock_steady() - begin;
}

int64_t code_watch_pause(const struct code_watch *w, bool changed)
{
	int64_t pause = w->cost * (changed ? PART_CHANGED : PART_POLLING);

	return !changed && pause < POLL_PAUSE ? POLL_PAUSE : pause;
}

/* ---- begin and end ---- */

static bool same_files(const struct plan_code *a, const struct plan_code *b)
{
	bool same = str_eq(a->dir, b->dir) && a->nexclude == b->nexclude && a->ninclude == b->ninclude;

	for (size_t i = 0; same && i < a->nexclude; i++)
		same = str_eq(a->exclude[i].value, b->exclude[i].value);
	for (size_t i = 0; same && i < a->ninclude; i++)
		same = str_eq(a->include[i].value, b->include[i].value);
	return same;
}

static void add_code(struct code_watch *w, struct arena *a, const struct plan_code *code)
{
	for (size_t i = 0; i < w->n; i++)
		if (same_files(w->codes[i], code))
			return;
	ARENA_PUSH(a, w->codes, w->n, code);
}

void code_watch_open(struct code_watch *w, struct arena *a, struct trainc *program, const struct plan_job *job,
	struct str role)
{
	*w = (struct code_watch){ .program = program, .fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC) };
	if (w->fd < 0)
		w->polls = "the kernel permits no more of its reports: see fs.inotify.max_user_instances";
	for (size_t i = 0; job && i < job->nroles; i++) {
		const struct plan_role *r = &job->roles[i];
		if (r->max && r->code && (role.n ? str_eq(role, r->name) : r->code->sync))
			add_code(w, a, r->code);
	}
}

void code_watch_close(struct code_watch *w)
{
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
}
