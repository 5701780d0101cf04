/*
 * mounts.c - see mounts.h. Every source is opened before anything is mounted, because a mount may hide the source of a
 * later mount; sources are bound by their descriptors. `/` itself cannot be covered by a mount. If a mount point is
 * missing in `/`, or if another root is requested, a new root is built at a directory that certainly exists, and then
 * replaces the old one. The old root stays attached until everything is bound.
 */
#include "runtime/local/mounts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/system.h"

enum {
	MIRROR_ENTRIES_MAX = 4096,      /* the kernel keeps at most 100,000 mounts in a namespace */
	MADE_MAX = 64
};

static const char stage[] = "/usr";     /* the directory at which a root is built */

struct mount_view {
	struct isolation_error *why;
	dev_t made[MADE_MAX];        /* file systems made here: files and directories are created only in these */
	size_t nmade;
	int old_root;                   /* descriptor of the old root while it is attached, or -1 */
};

/* Reports the step that failed; errno says why. */
static bool mount_failed(struct mount_view *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool mount_failed(struct mount_view *v, const char *fmt, ...)
{
	va_list args;

	v->why->error = errno;
	va_start(args, fmt);
	vsnprintf(v->why->step, sizeof(v->why->step), fmt, args);
	va_end(args);
	return false;
}

static bool ours(const struct mount_view *v, dev_t dev)
{
	for (size_t i = 0; i < v->nmade; i++)
		if (v->made[i] == dev)
			return true;
	return false;
}

/*
 * Binds a source together with the mounts below it: in a user namespace, the kernel refuses to bind a source without
 * them.
 */
static bool bind_at(int from, const char *at)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", from);
	return mount(path, at, NULL, MS_BIND | MS_REC, NULL) == 0;
}

/* ---- mirrors ---- */

/* Makes a directory or an empty file; a symbolic link whose target does not exist is replaced. */
static bool create(const char *path, bool directory)
{
	struct stat st;

	for (int tries = 0; tries < 2; tries++) {
		if ((directory ? mkdir(path, 0755) : mknod(path, S_IFREG | 0644, 0)) == 0)
			return true;
		if (errno != EEXIST || lstat(path, &st) != 0 || !S_ISLNK(st.st_mode))
			return false;
		unlink(path);
	}
	return false;
}

/*
 * Adds one entry of a directory at PATH. Leaves out an entry that cannot be read or bound here (such as another user's
 * FUSE mount), since programs could not use it anyway.
 */
static bool mirror_entry(struct mount_view *v, int dir, const char *name, const char *path, int covered)
{
	char link[PATH_MAX];
	struct stat st;
	ssize_t n;
	int fd = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	bool ok = true;

	if (fd < 0 || fstat(fd, &st) != 0) {
		if (fd >= 0)
			close(fd);
		return true;
	}
	if (S_ISLNK(st.st_mode)) {
		n = readlinkat(fd, "", link, sizeof(link) - 1);
		if (n > 0) {
			link[n] = '\0';
			ok = symlink(link, path) == 0;
		}
	} else {
		ok = create(path, S_ISDIR(st.st_mode));
		if (ok && covered >= 0 && ours(v, st.st_dev))   /* the entry is the stage, where the mirror itself is
								 * mounted */
			ok = system_attach_mounts(covered, path) == 0;
		else if (ok)
			bind_at(fd, path);
	}
	if (!ok)
		mount_failed(v, "make up '%s'", path);
	close(fd);
	return ok;
}

/* The number of entries of a directory, including `.` and `..`; stops at the limit. */
static size_t count_entries(DIR *list)
{
	size_t n = 0;

	while (n <= MIRROR_ENTRIES_MAX + 2 && readdir(list))
		n++;
	rewinddir(list);
	return n;
}

static bool mirror_entries(struct mount_view *v, DIR *list, const char *at, int covered)
{
	const struct dirent *e;
	char path[PATH_MAX];
	bool ok = true;

	while (ok && (e = readdir(list)))
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0 &&
		    snprintf(path, sizeof(path), "%s/%s", at, e->d_name) < (int)sizeof(path))
			ok = mirror_entry(v, dirfd(list), e->d_name, path, covered);
	return ok;
}

/* Mounts a file system in memory. Mount points can be made in it, and programs may write to it. */
static bool mount_tmpfs(struct mount_view *v, const char *at, const char *options)
{
	struct stat st;

	if (v->nmade == MADE_MAX)
		errno = EMLINK;
	if (v->nmade == MADE_MAX || mount("tmpfs", at, "tmpfs", MS_NOSUID | MS_NODEV, options) != 0 ||
		stat(at, &st) != 0)
		return mount_failed(v, "mount memory at '%s'", at);
	v->made[v->nmade++] = st.st_dev;
	return true;
}

/*
 * Mirrors an open directory, which is called NAME, at the path AT. COVERED is a copy of what exists at that path, or -1
 * if the directory itself is at that path.
 */
static bool mirror(struct mount_view *v, DIR *list, const char *name, const char *at, int covered)
{
	char options[32];
	struct stat st;

	if (fstat(dirfd(list), &st) != 0)
		return mount_failed(v, "look at '%s'", name);
	errno = 0;
	if (count_entries(list) > MIRROR_ENTRIES_MAX + 2)
		return mount_failed(v,
			"nothing can be mounted at a new place in '%s', which has more than %d entries: make "
			"the place there first", name, MIRROR_ENTRIES_MAX);
	snprintf(options, sizeof(options), "mode=%o", (unsigned)st.st_mode & 07777);
	if (!mount_tmpfs(v, at, options))
		return false;
	if (chown(at, st.st_uid, st.st_gid) != 0)
		errno = 0;              /* this user namespace does not know the owner */
	return mirror_entries(v, list, at, covered);
}

/* Finds the deepest existing directory on the way to TARGET and copies it to PATH; returns its length. */
static size_t deepest(const char *target, char *path, struct stat *st)
{
	size_t n = strlen(target);

	memcpy(path, target, n + 1);
	do {
		while (n > 1 && path[n - 1] != '/')
			n--;
		n -= n > 1;
		path[n] = '\0';
	} while (stat(path, st) != 0 && n > 1);
	return n;
}

/* Replaces the directory PATH, in which a mount point is missing, by a mirror. */
static bool open_up(struct mount_view *v, const char *path)
{
	struct stat st;
	DIR *list;
	bool ok;

	if (stat(path, &st) == 0 && ours(v, st.st_dev))
		return true;
	list = directory_open(path);
	if (!list)
		return mount_failed(v, "list '%s'", path);
	ok = mirror(v, list, path, path, -1);
	closedir(list);
	if (ok && (stat(path, &st) != 0 || !ours(v, st.st_dev))) {
		errno = EBUSY;          /* directories of the machine are never written to */
		ok = mount_failed(v, "make up directories in '%s'", path);
	}
	return ok;
}

/* Makes sure that a mount point exists. */
static bool place(struct mount_view *v, const char *target, bool directory)
{
	char path[PATH_MAX];
	struct stat st;
	size_t n, length = strlen(target);

	if (stat(target, &st) == 0)
		return true;
	if (errno != ENOENT || length >= sizeof(path))
		return mount_failed(v, "find '%s'", target);
	n = deepest(target, path, &st);
	if (!open_up(v, path))
		return false;
	while (n < length) {
		n += n > 1;             /* steps over the slash; the path `/` already ends with it */
		n += strcspn(target + n, "/");
		memcpy(path, target, n);
		path[n] = '\0';
		if (!create(path, directory || n < length))
			return mount_failed(v, "make up '%s'", path);
	}
	return true;
}

/* ---- mounts ---- */

static bool remount_readonly(const char *path)
{
	struct statvfs st;
	unsigned long flags = MS_REMOUNT | MS_BIND | MS_RDONLY;

	if (statvfs(path, &st) != 0)
		return false;
	/* flags that a user namespace has inherited must not be removed; access times are kept unless set otherwise */
	flags |= (st.f_flag & ST_NOSUID ? MS_NOSUID : 0) | (st.f_flag & ST_NODEV ? MS_NODEV : 0) |
		(st.f_flag & ST_NOEXEC ? MS_NOEXEC : 0);
	return mount(NULL, path, NULL, flags, NULL) == 0;
}

/* Replaces the escapes of /proc/self/mountinfo, in place. */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (s[0] == '\\' && s[1] && s[2] && s[3]) {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 | (s[3] - '0'));
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

/* The mount point of a line of mountinfo: its fifth field. */
static char *mount_point(char *line)
{
	char *rest = NULL, *field = strtok_r(line, " ", &rest);

	for (int i = 0; i < 4 && field; i++)
		field = strtok_r(NULL, " ", &rest);
	if (field)
		unescape(field);
	return field;
}

/* Makes a mount and all mounts below it read-only. */
static bool readonly_at(struct mount_view *v, const char *target)
{
	char real[PATH_MAX], *line = NULL;
	size_t size = 0, n;
	FILE *list;
	bool ok = true;

	if (!realpath(target, real) || !remount_readonly(real))
		return mount_failed(v, "make '%s' read-only", target);
	list = fopen("/proc/self/mountinfo", "re");
	if (!list)
		return mount_failed(v, "read /proc/self/mountinfo");
	n = strlen(real);
	while (ok && getline(&line, &size, list) > 0) {
		const char *at = mount_point(line);

		if (at && strncmp(at, real, n) == 0 && at[n] == '/' && !remount_readonly(at) && errno != ENOENT)
			ok = mount_failed(v, "make '%s' read-only", at);
	}
	free(line);
	fclose(list);
	return ok;
}

static bool is_directory(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool mount_memory(struct mount_view *v, const char *at, uint64_t size)
{
	char options[64];

	snprintf(options, sizeof(options), size ? "mode=1777,size=%" PRIu64 : "mode=1777", size);
	return mount_tmpfs(v, at, options);
}

static bool mount_one(struct mount_view *v, const struct sandbox_mount *m, int source)
{
	if (!place(v, m->target, m->kind == SANDBOX_TMPFS || is_directory(source)))
		return false;
	if (m->kind == SANDBOX_TMPFS)
		return mount_memory(v, m->target, m->size);
	if (!bind_at(source, m->target))
		return mount_failed(v, "mount '%s' at '%s'", m->source, m->target);
	return !m->readonly || readonly_at(v, m->target);
}

/* opened with O_DIRECTORY first, because that triggers an automounter */
static int open_source(const char *path)
{
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 && errno == ENOTDIR ? open(path, O_PATH | O_CLOEXEC) : fd;
}

static bool open_sources(struct mount_view *v, const struct sandbox *box, int *sources)
{
	for (size_t i = 0; i < box->nmounts; i++)
		sources[i] = -1;
	for (size_t i = 0; i < box->nmounts; i++) {
		const struct sandbox_mount *m = &box->mounts[i];

		if (m->kind != SANDBOX_BIND)
			continue;
		sources[i] = open_source(m->source);
		if (sources[i] < 0)
			return mount_failed(v, "open '%s' to mount it at '%s'", m->source, m->target);
	}
	return true;
}

/* ---- parts of a system ---- */

static bool mount_proc(struct mount_view *v, const char *at)
{
	if (mount("proc", at, "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0)
		return mount_failed(v, "mount /proc");
	return true;
}

/* Mounts a new /sys, which lists the network interfaces of this network, and binds the machine's cgroups in it. */
static void mount_sys(void)
{
	int cgroup = open("/sys/fs/cgroup", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (mount("sysfs", "/sys", "sysfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) == 0 && cgroup >= 0)
		bind_at(cgroup, "/sys/fs/cgroup");
	if (cgroup >= 0)
		close(cgroup);
}

static bool mount_shm(struct mount_view *v)
{
	return place(v, "/dev/shm", true) && mount_memory(v, "/dev/shm", 0);
}

/* A file of the system and the text that replaces it in the view. */
struct text_file {
	const char *at;
	struct str text, rest;
};

/* Mounts a text over the file that it replaces. */
static bool bind_text(struct mount_view *v, const char *name, const struct text_file *f)
{
	int fd = open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
	bool ok = fd >= 0 && file_write_all(fd, f->text.p, f->text.n) && file_write_all(fd, f->rest.p, f->rest.n) &&
		mount(name, f->at, NULL, MS_BIND, NULL) == 0;

	if (!ok)
		mount_failed(v, "make a private %s", f->at);
	if (fd >= 0)
		close(fd);
	return ok;
}

/*
 * Replaces files by texts. The file system that contains the texts is attached only while they are bound. All of them
 * are bound together, because the kernel waits each time a file system is detached.
 */
static bool mount_texts(struct mount_view *v, const struct text_file *files, size_t n)
{
	bool ok = true;

	for (size_t i = 0; i < n; i++)
		if (!place(v, files[i].at, false))
			return false;
	if (!n)
		return true;
	if (mount("tmpfs", "/proc", "tmpfs", MS_NOSUID | MS_NODEV, "mode=755") != 0)
		return mount_failed(v, "make a private %s", files[0].at);
	for (size_t i = 0; i < n && ok; i++)
		ok = bind_text(v, i ? "/proc/other" : "/proc/text", &files[i]);
	return umount2("/proc", MNT_DETACH) == 0 && ok;
}

/*
 * Sets up name resolution. A replica with its own network cannot reach a name server. With an empty list of servers a
 * resolver asks this host, which refuses at once, so no program waits for a response.
 */
static bool mount_names(struct mount_view *v, const struct sandbox *box, const struct mounts_extra *extra)
{
	struct text_file files[2];
	size_t n = 0;

	if (extra->network && access("/etc/resolv.conf", F_OK) == 0)
		files[n++] = (struct text_file){ .at = "/etc/resolv.conf", .text = STR(""), .rest = STR("") };
	if (box->hosts || extra->network)
		files[n++] = (struct text_file){ .at = "/etc/hosts", .text = str_of(box->hosts), .rest = extra->hosts };
	return mount_texts(v, files, n);
}

/* ---- another root ---- */

static bool lacks_root(const struct sandbox *box)
{
	char path[PATH_MAX];
	struct stat st;

	for (size_t i = 0; i < box->nmounts; i++) {
		const char *target = box->mounts[i].target;
		size_t n = strcspn(target + 1, "/") + 1;

		if (n >= sizeof(path))
			continue;
		memcpy(path, target, n);
		path[n] = '\0';
		if (stat(path, &st) != 0)
			return true;
	}
	return false;
}

/* Mounts /proc: an image does not contain it, and without it nothing can be bound. */
static bool root_proc(struct mount_view *v, bool own)
{
	char path[sizeof(stage) + 8];
	struct stat st;

	snprintf(path, sizeof(path), "%s/proc", stage);
	if (stat(path, &st) != 0 && !create(path, true))
		return mount_failed(v, "make up '/proc' in the image");
	if (own)
		return mount_proc(v, path);
	if (mount("/proc", path, NULL, MS_BIND | MS_REC, NULL) != 0)
		return mount_failed(v, "mount '/proc' in the image");
	return true;
}

/* Makes `.` the root. The old root is then mounted over it, hidden from absolute paths. */
static bool pivot(struct mount_view *v)
{
	v->old_root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (v->old_root < 0 || chdir(stage) != 0)
		return mount_failed(v, "change the root");
	if (syscall(SYS_pivot_root, ".", ".") == 0)
		return true;
	/* a machine that runs from its initial memory disk cannot detach its root */
	if (errno != EINVAL || chroot(".") != 0 || chdir("/") != 0)
		return mount_failed(v, "change the root");
	close(v->old_root);
	v->old_root = -1;
	return true;
}

static bool new_root(struct mount_view *v, const char *image, bool proc)
{
	DIR *from = directory_open(image ? image : "/");
	int covered = system_clone_mounts(stage);
	bool ok;

	if (!from)
		ok = mount_failed(v, "list '%s'", image ? image : "/");
	else if (covered < 0)
		ok = mount_failed(v, "copy the mount of '%s'", stage);
	else
		ok = mirror(v, from, image ? image : "/", stage, covered) && (!image || root_proc(v, proc)) && pivot(v);
	if (from)
		closedir(from);
	if (covered >= 0)
		close(covered);
	return ok;
}

/* Detaches the old root. */
static bool leave_old(struct mount_view *v)
{
	if (v->old_root < 0)
		return true;
	if (fchdir(v->old_root) != 0 || umount2(".", MNT_DETACH) != 0 || chdir("/") != 0)
		return mount_failed(v, "leave the machine's root");
	close(v->old_root);
	return true;
}

/*
 * The parts of the machine that a process needs and an image lacks: devices (accelerators among them), /sys, name
 * resolution.
 */
struct machine {
	int dev, sys, hosts, resolver;
};

static void machine_open(struct machine *m)
{
	m->dev = open("/dev", O_PATH | O_DIRECTORY | O_CLOEXEC);
	m->sys = open("/sys", O_PATH | O_DIRECTORY | O_CLOEXEC);
	m->hosts = open("/etc/hosts", O_PATH | O_CLOEXEC);
	m->resolver = open("/etc/resolv.conf", O_PATH | O_CLOEXEC);
}

static bool machine_part(struct mount_view *v, int from, const char *at)
{
	if (from < 0)
		return true;
	if (!place(v, at, is_directory(from)))
		return false;
	if (!bind_at(from, at))
		return mount_failed(v, "mount '%s' in the image", at);
	close(from);
	return true;
}

static bool machine_bind(struct mount_view *v, const struct machine *m)
{
	return machine_part(v, m->dev, "/dev") && machine_part(v, m->sys, "/sys") &&
		(m->sys < 0 || readonly_at(v, "/sys")) &&
		machine_part(v, m->hosts, "/etc/hosts") && machine_part(v, m->resolver, "/etc/resolv.conf");
}

/* ---- entry point ---- */

/* Separates the mounts: new mounts of the machine appear here, but ours do not appear there. */
static bool apart(struct mount_view *v)
{
	if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0)
		return mount_failed(v, "make a mount namespace");
	return true;
}

static bool build(struct mount_view *v, const struct sandbox *box, const struct mounts_extra *extra, const int *sources)
{
	struct machine machine = { -1, -1, -1, -1 };

	if (box->root)
		machine_open(&machine);
	if ((box->root || lacks_root(box)) && !new_root(v, box->root, extra->proc))
		return false;
	if (box->root ? !machine_bind(v, &machine) : extra->proc && !mount_proc(v, "/proc"))
		return false;
	if (extra->network)
		mount_sys();
	if (extra->shm && !mount_shm(v))
		return false;
	if (!mount_names(v, box, extra))
		return false;
	for (size_t i = 0; i < box->nmounts; i++)
		if (!mount_one(v, &box->mounts[i], sources[i]))
			return false;
	return leave_old(v);
}

bool mounts_enter(const struct sandbox *box, const struct mounts_extra *extra, struct isolation_error *ret)
{
	struct mount_view v = { .why = ret, .old_root = -1 };
	int *sources = memory_resize(NULL, (box->nmounts + 1) * sizeof(*sources));
	mode_t mask = umask(022);
	bool ok = apart(&v) && open_sources(&v, box, sources) && build(&v, box, extra, sources);

	umask(mask);
	for (size_t i = 0; ok && i < box->nmounts; i++)
		if (sources[i] >= 0)
			close(sources[i]);
	free(sources);
	return ok;
}
