/*
 * isolate.c - see isolate.h: creates namespaces, and explains the reason if that is not possible. Whether the kernel
 * permits namespaces is tested by creating them, first with the current rights, then in a user namespace. Kernel
 * settings are read only to explain a refusal.
 */
#include "runtime/local/isolate.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/system.h"
#include "runtime/local/mounts.h"
#include "runtime/local/network.h"

struct isolation {
	struct arena *arena;
	enum isolate_mode mode;
	pid_t init;                     /* the first process of the process namespace; 0: the run has no process
					 * namespace */
	struct network net;
	struct rlimit files;            /* the caller's limit of descriptors, before it was raised */
	struct str loopback;            /* lines of /etc/hosts for loopback, with the machine's own names */
};

/* ---- refusals ---- */

/* Kernel settings that can forbid namespaces, each with the value that forbids them. */
static const struct isolate_setting {
	const char *path, *name;
	int64_t forbids;
	const char *remedy;
} settings[] = {
	{ "/proc/sys/user/max_user_namespaces", "user.max_user_namespaces", 0,
		"sysctl -w user.max_user_namespaces=15000" },
	{ "/proc/sys/kernel/unprivileged_userns_clone", "kernel.unprivileged_userns_clone", 0,
		"sysctl -w kernel.unprivileged_userns_clone=1" },
	{ "/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "kernel.apparmor_restrict_unprivileged_userns", 1,
		"sysctl -w kernel.apparmor_restrict_unprivileged_userns=0" },
	{ "/proc/sys/user/max_net_namespaces", "user.max_net_namespaces", 0,
		"sysctl -w user.max_net_namespaces=15000" },
	{ "/proc/sys/user/max_mnt_namespaces", "user.max_mnt_namespaces", 0,
		"sysctl -w user.max_mnt_namespaces=15000" },
	{ "/proc/sys/user/max_pid_namespaces", "user.max_pid_namespaces", 0,
		"sysctl -w user.max_pid_namespaces=15000" },
};

static const struct isolate_setting *forbidding(struct arena *a)
{
	struct str text, why;

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		if (file_read(a, str_of(settings[i].path), &text, &why) &&
			strtoll(str_copy(a, text).p, NULL, 10) == settings[i].forbids)
			return &settings[i];
	return NULL;
}

static const char apart_step[] = "keep mounts from the machine";

/* The text "cannot isolate the run: STEP: CAUSE; REMEDY". */
static struct str refusal(struct arena *a, enum isolate_mode mode, const char *step, int error)
{
	const struct isolate_setting *s = error == EPERM || error == EACCES || error == ENOSPC || error == EUSERS ?
		forbidding(a) : NULL;
	const char *without = mode == ISOLATE_NONE ? "; or run as root, or without mounts, files and --image-root"
						    : "; or use --isolate none";
	struct str cause;

	if (s)
		cause = str_printf(a, "%s is %lld; an administrator can permit it: %s", s->name, (long long)s->forbids,
			s->remedy);
	else if (error == EPERM || error == EACCES)
		cause = STR("operation not permitted; a container needs CAP_SYS_ADMIN, or seccomp and AppArmor "
			"profiles that permit unshare and mount");
	else if (error == ENOSPC || error == EUSERS)
		cause = STR("too many namespaces; an administrator can permit more: sysctl user lists the limits");
	else if (error == EOPNOTSUPP)
		cause = STR("the kernel has no veth interfaces (CONFIG_VETH, module veth)");
	else if (error == EINVAL && strcmp(step, apart_step) == 0)
		cause = STR("the root directory here is not a mount, as in a plain chroot; mount the directory on "
			"itself before entering it: mount --bind DIR DIR");
	else if (error == EINVAL)
		cause = STR("the kernel has no such namespaces (CONFIG_USER_NS, CONFIG_NET_NS, CONFIG_PID_NS)");
	else if (error == EMFILE || error == ENFILE)
		cause = STR("too many open files; raise the limit: ulimit -Hn");
	else
		cause = str_of(strerror(error));
	return str_printf(a, "cannot %s: %s: %.*s%s",
		mode == ISOLATE_NONE ? "lay files over the machine's" : "isolate the run", step,
		STR_ARG(cause), without);
}

/* ---- namespaces of the keeper ---- */

static bool write_proc(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && file_write_all(fd, text, strlen(text));

	if (fd >= 0)
		close(fd);
	return ok;
}

/* Maps the user's id to itself in the new user namespace: without privileges no other mapping is possible. */
static bool map_self(uid_t uid, gid_t gid)
{
	char users[64], groups[64];

	snprintf(users, sizeof(users), "%u %u 1", uid, uid);
	snprintf(groups, sizeof(groups), "%u %u 1", gid, gid);
	return write_proc("/proc/self/setgroups", "deny") && write_proc("/proc/self/uid_map", users) &&
		write_proc("/proc/self/gid_map", groups);
}

/* Enters the namespaces of the keeper; returns 0, or errno with the failed STEP. */
static int enter(enum isolate_mode mode, const char **step)
{
	int flags = CLONE_NEWNS | (mode == ISOLATE_NONE ? 0 : CLONE_NEWNET);
	uid_t uid = geteuid();
	gid_t gid = getegid();

	*step = mode == ISOLATE_NONE ? "make a mount namespace" : "make a network namespace";
	if (unshare(flags) != 0) {
		if (errno != EPERM)
			return errno;
		*step = "make a user namespace";
		if (unshare(CLONE_NEWUSER | flags) != 0 || !map_self(uid, gid))
			return errno;
	}
	*step = apart_step;
	if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0)
		return errno;
	return mode == ISOLATE_NONE ? 0 : network_loopback(step);
}

/* ---- the process namespace ---- */

/*
 * Can /proc be mounted for a new process namespace here? The test runs in a child, because a process that has entered a
 * namespace cannot leave it again.
 */
static bool proc_permitted(void)
{
	int status = 1;
	pid_t child = fork(), grandchild;

	if (child < 0)
		return false;
	if (child == 0) {
		if (unshare(CLONE_NEWPID | CLONE_NEWNS) != 0 || (grandchild = fork()) < 0)
			_exit(1);
		if (grandchild == 0)
			_exit(mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0);
		_exit(waitpid(grandchild, &status, 0) < 0 || status != 0);
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return status == 0;
}

/*
 * Runs as the first process of the namespace. Adopts orphans; the kernel reaps them because this process ignores
 * SIGCHLD. Ends everything when the keeper dies.
 */
static _Noreturn void init_run(int keeper)
{
	struct pollfd gone = { .fd = keeper, .events = POLLIN };
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigset_t none;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (poll(&gone, 1, 0) != 0)
		_exit(0);               /* the keeper died before this process asked to be signaled */
	prctl(PR_SET_NAME, "trainc-init");
	setsid();
	system_close_range(0, ~0U, 0);
	sigaction(SIGCHLD, &ignore, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (;;)
		pause();
}

static int init_start(struct isolation *iso, const char **step)
{
	int keeper = system_pidfd_open(getpid());
	int error = 0;

	*step = "make a process namespace";
	if (unshare(CLONE_NEWPID) != 0 || (iso->init = fork()) < 0) {
		iso->init = 0;
		error = errno;
	}
	if (!error && iso->init == 0)
		init_run(keeper);
	if (keeper >= 0)
		close(keeper);
	return error;
}

/* ---- host names ---- */

static struct str next_line(struct str *text)
{
	const char *end = text->n ? memchr(text->p, '\n', text->n) : NULL;
	struct str line = { text->p, end ? (size_t)(end - text->p) + 1 : text->n };

	text->p += line.n;
	text->n -= line.n;
	return line;
}

static bool names(struct str text, struct str name)
{
	for (size_t i = 0; i + name.n <= text.n; i++)
		if (memcmp(text.p + i, name.p, name.n) == 0 && i > 0 && strchr(" \t", text.p[i - 1]) &&
		    (i + name.n == text.n || strchr(" \t\r\n", text.p[i + name.n])))
			return true;
	return false;
}

/* The loopback lines for /etc/hosts, with the names that programs expect and the name of this machine. */
static struct str loopback_lines(struct arena *a)
{
	struct str text = STR(""), why;
	struct utsname machine;
	struct buf b = { .limit = 0 };

	if (!file_read(a, STR("/etc/hosts"), &text, &why))
		text = STR("");
	while (text.n) {
		struct str line = next_line(&text);

		if (!str_starts(line, STR("127.")) && !str_starts(line, STR("::1")))
			continue;
		buf_str(&b, line);
		if (!str_ends(line, STR("\n")))
			buf_char(&b, '\n');
	}
	if (!names(buf_text(&b), STR("localhost")))
		buf_z(&b, "127.0.0.1 localhost\n");
	if (uname(&machine) == 0 && !names(buf_text(&b), str_of(machine.nodename)))
		buf_printf(&b, "127.0.0.1 %s\n", machine.nodename);
	text = buf_take(&b, a);
	buf_release(&b);
	return text;
}

/* ---- opening ---- */

/* Raises the limit of descriptors: each replica needs one, in addition to the caller's own. */
static void raise_files(const struct isolation *iso)
{
	struct rlimit all = iso->files;

	all.rlim_cur = all.rlim_max;
	if (iso->net.n + 64 > iso->files.rlim_cur)
		setrlimit(RLIMIT_NOFILE, &all);
}

static int replicas_make(struct isolation *iso, size_t n, const char **step)
{
	iso->net.replicas = ARENA_ARRAY(iso->arena, int, n);
	iso->net.n = n;
	for (size_t i = 0; i < n; i++)
		iso->net.replicas[i] = -1;
	raise_files(iso);
	return network_open(&iso->net, step);
}

struct isolation *isolation_open(struct arena *a, enum isolate_mode mode, bool mounts, size_t replicas, struct str *why)
{
	struct isolation *iso = ARENA_NEW(a, struct isolation);
	const char *step = "";
	int error;

	iso->arena = a;
	iso->mode = mode;
	getrlimit(RLIMIT_NOFILE, &iso->files);
	if (mode == ISOLATE_NONE && !mounts)
		return iso;
	if (mode == ISOLATE_REPLICA && replicas > NETWORK_REPLICAS_MAX) {
		*why = str_printf(a, "cannot isolate %zu replicas from each other: there are addresses for %d; use "
			"--isolate job or none",
			replicas, NETWORK_REPLICAS_MAX);
		return NULL;
	}
	iso->loopback = loopback_lines(a);
	error = enter(mode, &step);
	if (!error && mode != ISOLATE_NONE && proc_permitted())
		error = init_start(iso, &step);
	if (!error && mode == ISOLATE_REPLICA)
		error = replicas_make(iso, replicas, &step);
	if (!error)
		return iso;
	*why = refusal(a, mode, step, error);
	isolation_close(iso);
	return NULL;
}

struct isolation *isolation_planned(struct arena *a, enum isolate_mode mode)
{
	struct isolation *iso = ARENA_NEW(a, struct isolation);

	iso->arena = a;
	iso->mode = mode;
	return iso;
}

struct str isolation_address(const struct isolation *iso, size_t replica)
{
	uint32_t address = network_address(replica);

	if (iso->mode != ISOLATE_REPLICA)
		return STR("127.0.0.1");
	return str_printf(iso->arena, "%u.%u.%u.%u", address >> 24, address >> 16 & 255, address >> 8 & 255,
		address & 255);
}

/* ---- sockets ---- */

int isolation_socket(const struct isolation *iso, size_t replica, int family)
{
	const int type = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC;
	int home, fd = -1, error;

	if (iso->mode != ISOLATE_REPLICA)
		return socket(family, type, 0);
	home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (home < 0)
		return -1;
	/* a socket belongs to the network in which it was created */
	if (setns(iso->net.replicas[replica], CLONE_NEWNET) == 0)
		fd = socket(family, type, 0);
	error = errno;
	if (setns(home, CLONE_NEWNET) != 0)
		abort();                /* otherwise this process would start replicas in the wrong network */
	close(home);
	errno = error;
	return fd;
}

/* ---- in the child ---- */

static bool isolation_failed(struct isolation_error *ret, const char *step)
{
	ret->error = errno;
	snprintf(ret->step, sizeof(ret->step), "%s", step);
	return false;
}

/*
 * Sets the host name as a kubelet does: at most 63 characters, and no trailing characters with which a host name must
 * not end.
 */
static bool set_host(const char *name)
{
	size_t n = strnlen(name, 63);

	while (n && strchr("-.", name[n - 1]))
		n--;
	return sethostname(name, n) == 0;
}

bool isolation_join(const struct isolation *iso, size_t replica, struct isolation_error *ret)
{
	*ret = (struct isolation_error){ .error = 0 };
	if (iso->mode == ISOLATE_REPLICA && setns(iso->net.replicas[replica], CLONE_NEWNET) != 0)
		return isolation_failed(ret, "enter the network of the replica");
	return true;
}

static bool enter_replica(const char *host, struct isolation_error *ret)
{
	if (unshare(CLONE_NEWUTS | CLONE_NEWIPC) != 0)
		return isolation_failed(ret, "make namespaces for the host name and for shared memory");
	if (host && !set_host(host))
		return isolation_failed(ret, "set the host name");
	return true;
}

bool isolation_enter(const struct isolation *iso, const struct sandbox *box, struct isolation_error *ret)
{
	const struct mounts_extra extra = {
		.proc = iso->init > 0,
		.network = iso->mode != ISOLATE_NONE,
		.shm = iso->mode == ISOLATE_REPLICA,
		.hosts = iso->loopback,
	};

	*ret = (struct isolation_error){ .error = 0 };
	if (iso->mode == ISOLATE_NONE && !box->nmounts && !box->root && !box->hosts)
		return true;
	if (iso->mode == ISOLATE_REPLICA) {
		setrlimit(RLIMIT_NOFILE, &iso->files);
		if (!enter_replica(box->hostname, ret))
			return false;
	}
	if (!mounts_enter(box, &extra, ret))
		return false;
	if (iso->mode == ISOLATE_REPLICA)
		network_low_ports();
	return true;
}

/* ---- closing ---- */

/*
 * Ends the first process of the namespace. It ends only after every process of the namespace has been reaped by its
 * parent. This process reaps the processes that it forked.
 */
static void init_stop(pid_t init)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	pid_t ended;

	kill(init, SIGKILL);
	for (int i = 0; i < 5000; i++) {
		while ((ended = waitpid(-1, NULL, WNOHANG)) > 0)
			if (ended == init)
				return;
		if (ended < 0 && errno != EINTR)
			return;
		nanosleep(&moment, NULL);
	}
}

void isolation_close(struct isolation *iso)
{
	if (iso->init > 0)
		init_stop(iso->init);
	iso->init = 0;
	network_release(&iso->net);
}
