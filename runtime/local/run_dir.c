/*
 * run_dir.c - directories of runs: made by keepers, read by every command.
 *
 * The keeper is the process that holds the lock on the directory; the kernel releases it when the
 * keeper dies, however that happens.  Commands that only read never lock: they rely on the process
 * that the state names.
 */
#include "runtime/local/run_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/path.h"
#include "diag/suggest.h"
#include "runtime/local/remove.h"
#include "runtime/local/survivors.h"
#include "base/words.h"

enum { STATUS_DISK = 3, STATUS_CONFLICT = 5, SURVIVORS_SECONDS = 2 };

/* ---- paths ---- */

static struct str absolute(struct arena *a, const char *path)
{
	char here[PATH_MAX];

	if (path[0] == '/' || !getcwd(here, sizeof here))
		return path_join(a, STR("/"), str_of(path));
	return path_join(a, str_of(here), str_of(path));
}

static const char *variable(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

static bool make_directories(struct arena *a, struct str path, struct str *why)
{
	char *p = arena_copy(a, path.p, path.n);

	for (size_t i = 1; i <= path.n; i++) {
		if (i < path.n && path.p[i] != '/')
			continue;
		p[i] = 0;
		if (mkdir(p, 0700) != 0 && errno != EEXIST && (i == path.n || access(p, X_OK) != 0)) {
			*why = str_printf(a, "cannot make the directory '%s': %.*s", p, STR_ARG(file_reason(a, errno)));
			return false;
		}
		p[i] = i < path.n ? '/' : 0;
	}
	return true;
}

/*
 * Is the state directory safe? Its owner could replace anything in it: programs, logs, and the keeper that a command
 * talks to. So could everybody, if everybody may write to it.
 */
static bool state_dir_fits(struct arena *a, struct str path, struct str *why)
{
	struct stat is;

	if (stat(path.p, &is) != 0)
		*why = str_printf(a, "'%.*s', where the state of runs belongs: %.*s", STR_ARG(path),
			STR_ARG(file_reason(a, errno)));
	else if (!S_ISDIR(is.st_mode))
		*why = str_printf(a, "'%.*s', where the state of runs belongs, is not a directory", STR_ARG(path));
	else if (is.st_uid != geteuid() && is.st_uid != 0)
		*why = str_printf(a, "'%.*s', where the state of runs belongs, is another user's (number %u): set "
			"TRAINC_STATE_DIR to a directory of your own", STR_ARG(path), (unsigned)is.st_uid);
	else if (is.st_mode & S_IWOTH)
		*why = str_printf(a, "'%.*s', where the state of runs belongs, can be written by everybody: run "
			"'chmod o-w %.*s', or set TRAINC_STATE_DIR to a directory of your own", STR_ARG(path),
			STR_ARG(path));
	else
		return true;
	return false;
}

bool state_dir(struct arena *a, struct str *ret, struct str *why)
{
	const char *own = variable("TRAINC_STATE_DIR"), *xdg = variable("XDG_STATE_HOME"), *home = variable("HOME");

	if (own) {
		*ret = absolute(a, own);
	} else if (xdg && xdg[0] == '/') {      /* the XDG specification says that a relative path is ignored */
		*ret = path_join(a, str_of(xdg), STR("trainc"));
	} else if (home && home[0] == '/') {
		*ret = path_join(a, str_of(home), STR(".local/state/trainc"));
	} else {
		*why = STR("no directory for the state of runs: set TRAINC_STATE_DIR, XDG_STATE_HOME or HOME");
		return false;
	}
	if (!make_directories(a, *ret, why))
		return false;
	return state_dir_fits(a, *ret, why);
}

static struct str runs_path(struct arena *a, struct str state_dir) { return path_join(a, state_dir, STR("runs")); }

struct str run_dir_path(struct arena *a, struct str state_dir, struct str run)
{
	return str_cat(a, runs_path(a, state_dir), STR("/"), run);
}

bool run_base(struct str run, struct str *ret_name)
{
	const char *mark = memrchr(run.p, '~', run.n);
	size_t n = mark ? (size_t)(mark - run.p) : 0;

	if (!n || n + 1 == run.n || run.n - n > 10 || run.p[n + 1] == '0')
		return false;
	for (size_t i = n + 1; i < run.n; i++)
		if (run.p[i] < '0' || run.p[i] > '9')
			return false;
	*ret_name = (struct str){ run.p, n };
	return true;
}

bool run_name_valid(struct str name)
{
	run_base(name, &name);
	if (!name.n || name.n > 253 || name.p[0] == '.' || name.p[0] == '-')
		return false;
	for (size_t i = 0; i < name.n; i++)
		if (!((name.p[i] >= 'a' && name.p[i] <= 'z') || (name.p[i] >= '0' && name.p[i] <= '9') ||
			name.p[i] == '-' || name.p[i] == '.'))
			return false;
	return true;
}

static const char *in(struct arena *a, struct str path, const char *name)
{
	return str_cat(a, path, STR("/"), str_of(name)).p;
}

/* ---- making a directory ---- */

struct making {
	struct arena *arena;
	struct str path;
	int fd;
	struct str *why;
	int *status;
};

static bool refuse_run_dir(struct making *m, int status, struct str why)
{
	*m->why = why;
	*m->status = status;
	return false;
}

static bool refuse_disk(struct making *m, const char *what, int error)
{
	return refuse_run_dir(m, STATUS_DISK, str_printf(m->arena, "cannot %s in '%.*s': %.*s", what, STR_ARG(m->path),
	                                         STR_ARG(file_reason(m->arena, error))));
}

static void pause_ms(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

/* Opens the new directory; -1 with errno.  ENOENT: somebody has removed it, so start over. */
static int open_made(struct making *m)
{
	mkdir(str_copy(m->arena, path_directory(m->path)).p, 0700);
	if (mkdir(m->path.p, 0700) != 0 && errno != EEXIST)
		return -1;
	return open(m->path.p, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

bool run_dir_is_at(const char *path, int fd)
{
	struct stat opened, named;

	return fstat(fd, &opened) == 0 && lstat(path, &named) == 0 && opened.st_ino == named.st_ino &&
		opened.st_dev == named.st_dev;
}

/* Reads the state in the file, whether or not the run is alive; false when no state can be read. */
static bool read_state(struct arena *a, struct str path, const char *name, struct run_state *ret, struct str *why)
{
	struct str text;

	return file_read(a, str_of(in(a, path, name)), &text, why) && run_state_read(a, text, ret, why);
}

/* Is the keeper alive, and has the run not ended? A keeper that has saved its verdict ends in a moment. */
static bool keeper_alive(struct arena *a, struct str path)
{
	struct run_state s;
	struct str why;

	return read_state(a, path, "state", &s, &why) && !run_phase_final(s.phase) &&
		process_alive(&s.keeper, s.boot_id);
}

static struct str run_of(struct str path) { return path_base(path); }

/*
 * Takes the lock, with repeated tries for a second: other processes hold the lock only for a moment, while they look at
 * a directory without a state.
 */
static bool lock(struct making *m)
{
	for (int tries = 0; tries < 500; tries++) {
		m->fd = open_made(m);
		if (m->fd < 0 && errno == ENOENT)
			continue;
		if (m->fd < 0)
			return refuse_disk(m, "make the directory of the run", errno);
		bool locked = flock(m->fd, LOCK_EX | LOCK_NB) == 0;
		if (locked && run_dir_is_at(m->path.p, m->fd))
			return true;
		close(m->fd);
		m->fd = -1;
		if (locked)
			continue;
		if (keeper_alive(m->arena, m->path))
			break;
		pause_ms(10);
	}
	return refuse_run_dir(m, STATUS_CONFLICT,
		str_printf(m->arena, "'%.*s' is already running", STR_ARG(run_of(m->path))));
}

/* Removes everything that an earlier run of that name has left. */
static bool clear(struct making *m, bool replace)
{
	struct run_state s;
	struct str why;
	bool known = read_state(m->arena, m->path, "state", &s, &why);
	size_t found;

	if (known && !replace)
		return refuse_run_dir(m, STATUS_CONFLICT, str_printf(m->arena, "run '%.*s' already exists",
			STR_ARG(run_of(m->path))));
	if (known && survivors_end(m->arena, &s, SURVIVORS_SECONDS * NS_PER_SECOND, &found))
		return refuse_run_dir(m, STATUS_CONFLICT, str_printf(m->arena,
			"processes of an earlier run of '%.*s', which has lost its keeper, cannot be ended: "
			"the kernel holds them", STR_ARG(run_of(m->path))));
	return remove_inside(m->arena, m->fd, NULL, &why) || refuse_run_dir(m, STATUS_DISK, why);
}

/*
 * number of bytes that must be free for the beginnings of logs; number of bytes reserved for the last state, in case
 * logs fill the disk
 */
enum { ROOM = 1 << 20, RESERVE = 256 << 10 };

static bool has_room(struct making *m)
{
	int fd = openat(m->fd, "reserve", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return refuse_disk(m, "write", errno);
	int error = posix_fallocate(fd, 0, ROOM);
	if (!error && ftruncate(fd, RESERVE) != 0)
		error = errno;
	close(fd);
	return !error || refuse_disk(m, "write logs", error);
}

static bool furnish(struct making *m)
{
	if (mkdirat(m->fd, "logs", 0700) != 0 || mkdirat(m->fd, "scratch", 0700) != 0)
		return refuse_disk(m, "make directories", errno);
	return has_room(m);
}

int run_dir_make(struct arena *a, struct str path, bool replace, struct str *why, int *status)
{
	struct making m = { a, str_copy(a, path), -1, why, status };

	if (!lock(&m))
		return -1;
	if (clear(&m, replace)) {
		if (furnish(&m))
			return m.fd;
		struct str ignored;
		if (remove_inside(a, m.fd, NULL, &ignored))
			rmdir(m.path.p);
	}
	close(m.fd);
	return -1;
}

/* ---- the state of one run ---- */

/*
 * Replaces a file by a complete new one. Only the result is synced: the state is written at each change, and a crash of
 * the machine makes it worthless anyway.
 */
static bool replace_file(int dir, const char *name, struct str text, bool sync)
{
	static const char aside[] = "state.new";
	int fd = openat(dir, aside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return false;
	bool ok = file_write_all(fd, text.p, text.n) && (!sync || fsync(fd) == 0);
	int error = errno;
	if (close(fd) != 0 && ok) {
		ok = false;
		error = errno;
	}
	if (ok && renameat(dir, aside, dir, name) == 0)
		return true;
	error = ok ? errno : error;
	unlinkat(dir, aside, 0);
	errno = error;
	return false;
}

/*
 * Writes the last state into the space that was reserved for it; if possible, the result is a second name of the same
 * file.
 */
static bool save_final(int dir, struct str text)
{
	unlinkat(dir, "reserve", 0);
	if (!replace_file(dir, "state", text, true))
		return false;
	return linkat(dir, "state", dir, "result", 0) == 0 || replace_file(dir, "result", text, true);
}

bool run_save(struct arena *a, const struct run_dir *dir, struct run_state *s, struct str *why)
{
	struct buf text = { 0 };

	run_state_observe(s, clock_real());
	run_state_write(s, &text);
	buf_char(&text, '\n');
	bool ok = run_phase_final(s->phase) ? save_final(dir->fd, buf_text(&text)) :
		replace_file(dir->fd, "state", buf_text(&text), false);
	if (!ok)
		*why = str_printf(a, "cannot save the state in '%.*s': %.*s", STR_ARG(dir->path),
			STR_ARG(file_reason(a, errno)));
	buf_release(&text);
	return ok;
}

/* ---- reading ---- */

static struct str no_such_run(struct arena *a, struct str state_dir, struct str run)
{
	struct run_names all = run_list(a, state_dir);
	struct suggest near;

	suggest_init(&near, a, run);
	for (size_t i = 0; i < all.n; i++)
		suggest_add(&near, all.at[i]);
	struct str help = suggest_or_list(&near, "the runs are");
	return str_printf(a, "no run '%.*s' on this machine%s%.*s", STR_ARG(run), help.n ? "; " : "", STR_ARG(help));
}

static void set_unknown(struct run_state *s, struct str cause)
{
	s->phase = RUN_UNKNOWN;
	s->cause = cause;
	for (size_t k = 0; k < s->nroles; k++)
		for (int64_t i = 0; i < s->roles[k].max; i++) {
			struct run_replica *r = &s->roles[k].at[i];
			if (r->process.pid && process_alive(&r->process, s->boot_id))
				continue;
			r->process = (struct process_id){ 0 };
			r->again = 0;
			if (replica_runs(r->state)) {
				r->state = REPLICA_FAILED;
				r->cause = STR("gone with its keeper");
			}
		}
}

/* Does a process hold the lock of the run's directory? */
static bool is_locked(struct str path)
{
	int fd = open(path.p, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0;

	if (fd >= 0)
		close(fd);
	return locked;
}

/* Was the directory created or changed within the last second? */
static bool is_young(struct str path)
{
	struct stat is;
	int64_t age = INT64_MAX;

	if (lstat(path.p, &is) == 0)
		age = clock_real() - (is.st_mtim.tv_sec * NS_PER_SECOND + is.st_mtim.tv_nsec);
	return age < NS_PER_SECOND && age > -NS_PER_SECOND;
}

/*
 * Waits if the directory was made so recently that nothing is in it yet: the command that made the directory takes its
 * lock in a moment. A fifth of a second is enough; a command that was killed in between never takes the lock.
 */
static void wait_for_beginning(struct arena *a, struct str path)
{
	const char *state = in(a, path, "state");

	for (int tries = 0; tries < 20 && access(state, F_OK) != 0 && is_young(path) && !is_locked(path); tries++)
		pause_ms(10);
}

static bool is_there(struct str path)
{
	struct stat is;

	return lstat(path.p, &is) == 0 && S_ISDIR(is.st_mode);
}

/* Makes a state for a run that has not saved a state yet, or whose state cannot be read. */
static void load_stateless(struct arena *a, struct str path, struct str run, struct str reason, struct run_state *ret)
{
	bool locked = is_locked(path);

	*ret = (struct run_state){ .name = run, .ns = STR("default"), .framework = STR(""), .file = STR(""),
		.isolate = STR(""),
		.boot_id = boot_id_read(a), .digest = STR(""), .phase = locked ? RUN_PENDING : RUN_UNKNOWN };
	ret->cause = locked ? STR("it is being started")
	                    : str_printf(a, "its state cannot be read: %.*s", STR_ARG(reason));
}

/* Changes the name and the paths in the state of an earlier run, which has been renamed. */
static void rename_loaded(struct arena *a, struct str path, struct run_state *s)
{
	struct str base;

	if (!run_base(path_base(path), &base))
		return;
	s->name = path_base(path);
	for (size_t k = 0; k < s->nroles; k++)
		for (int64_t i = 0; i < s->roles[k].max; i++) {
			struct str *log = &s->roles[k].at[i].log;
			*log = log->n ? str_cat(a, path, STR("/logs/"), path_base(*log)) : *log;
		}
}

bool run_load(struct arena *a, struct str state_dir, struct str run, struct run_state *ret, struct str *why)
{
	struct str path = run_dir_path(a, state_dir, run), reason = STR("");
	bool there = run_name_valid(run) && is_there(path);

	if (there)
		wait_for_beginning(a, path);
	if (!there || !is_there(path)) {
		*why = no_such_run(a, state_dir, run);
		return false;
	}
	/* the keeper may end meanwhile; then the state must be read again, because the keeper's last state counts */
	for (int tries = 0; tries < 2; tries++) {
		if (!read_state(a, path, "state", ret, &reason)) {
			load_stateless(a, path, str_copy(a, run), reason, ret);
			return true;
		}
		rename_loaded(a, path, ret);
		if (run_phase_final(ret->phase) || process_alive(&ret->keeper, ret->boot_id))
			return true;
	}
	set_unknown(ret, str_eq(ret->boot_id, boot_id_read(a)) ? STR("its keeper ended without recording a verdict")
	                                                       : STR("the machine restarted while it ran"));
	return true;
}

static int by_bytes(const void *x, const void *y) { return str_cmp(*(const struct str *)x, *(const struct str *)y); }

struct run_names run_list(struct arena *a, struct str state_dir)
{
	struct run_names all = { 0 };
	DIR *d = directory_open(runs_path(a, state_dir).p);

	if (!d)
		return all;
	for (struct dirent *e; (e = readdir(d));)
		if (run_name_valid(str_of(e->d_name)))
			ARENA_PUSH(a, all.at, all.n, str_copy(a, str_of(e->d_name)));
	closedir(d);
	if (all.n)
		qsort(all.at, all.n, sizeof *all.at, by_bytes);
	return all;
}

/* Waits while another command removes the directory, for at most five seconds. */
static bool removed_meanwhile(const struct making *m)
{
	for (int tries = 0; tries < 500; tries++) {
		if (!run_dir_is_at(m->path.p, m->fd))
			return true;
		if (keeper_alive(m->arena, m->path))
			return false;
		pause_ms(10);
	}
	return false;
}

bool run_dir_remove(struct arena *a, struct str path, struct str *why)
{
	struct making m = { .arena = a, .path = str_copy(a, path) };
	bool ok = false;

	m.fd = open(m.path.p, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (m.fd < 0 && errno == ENOENT)
		return true;
	if (m.fd < 0) {
		*why = str_printf(a, "cannot remove '%.*s': %.*s", STR_ARG(path), STR_ARG(file_reason(a, errno)));
		return false;
	}
	if (flock(m.fd, LOCK_EX | LOCK_NB) != 0 && (ok = removed_meanwhile(&m)))
		return close(m.fd), true;
	if (flock(m.fd, LOCK_EX | LOCK_NB) != 0)
		*why = str_printf(a, "'%.*s' is running, or another command removes it", STR_ARG(run_of(path)));
	else    /* the state is removed last, so that after an interruption the run can still be listed and removed
		 * again */
		ok = remove_inside(a, m.fd, "state", why) && remove_inside(a, m.fd, NULL, why);
	if (ok && rmdir(m.path.p) != 0 && errno != ENOENT) {
		*why = str_printf(a, "cannot remove '%.*s': %.*s", STR_ARG(path), STR_ARG(file_reason(a, errno)));
		ok = false;
	}
	close(m.fd);
	if (ok)
		rmdir(str_copy(a, path_directory(path)).p);     /* removes `runs`, too, if it is empty */
	return ok;
}
