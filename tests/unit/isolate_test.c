/*
 * isolate_test.c - tests namespaces and mounts, as root and as another user.
 *
 * Every case runs in a process of its own, which acts as the keeper of a run. If the machine forbids namespaces, the
 * cases count as skipped, but the explanation of the refusal is still tested.
 */
#include "runtime/local/isolate.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <net/if.h>
#include <netdb.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"

enum { NOBODY = 65534, PORT = 7000, CASE_SECONDS = 20, RUN_SECONDS = 90 };

/* Counters that all processes of the test share. */
static struct tally {
	_Atomic unsigned passed, failed, skipped;
} *tally;

static struct arena arena;
static char scratch[] = "/tmp/trainc-isolate-XXXXXX";

/* ---- processes ---- */

static _Noreturn void leave(void)
{
	tally->passed += unit_passed;
	tally->failed += unit_failed;
	fflush(stdout);
	arena_release(&arena);
	_exit(0);
}

static void begin_for(unsigned limit)
{
	unit_passed = unit_failed = 0;
	alarm(limit);                   /* ends a test that hangs */
}

static void begin(void) { begin_for(CASE_SECONDS); }

/* Waits for a child, and counts its checks too. */
static void await(pid_t pid)
{
	int status = 0;

	waitpid(pid, &status, 0);
	if (WIFSIGNALED(status))
		printf("FAIL process %d: %s\n", (int)pid, strsignal(WTERMSIG(status)));
	CHECK(status == 0);
}

static void in_child(void (*body)(void), unsigned limit)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		begin_for(limit);
		body();
		leave();
	}
	await(pid);
}

/* Becomes an ordinary user, with the environment of a fresh login. */
static bool become_nobody(void)
{
	return setgroups(0, NULL) == 0 && setresgid(NOBODY, NOBODY, NOBODY) == 0 &&
		setresuid(NOBODY, NOBODY, NOBODY) == 0 &&
		prctl(PR_SET_DUMPABLE, 1) == 0;
}

static void skip(const char *what, struct str why)
{
	printf("skip %s as %s: %.*s\n", what, geteuid() ? "a user" : "root", STR_ARG(why));
	tally->skipped++;
}

static bool put(const char *path, const char *text)
{
	int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0644);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return ok;
}

/* Enters a user namespace (and others according to FLAGS) in which the user is mapped to itself. */
static bool user_namespace(int flags)
{
	const char *users = str_printf(&arena, "%u %u 1", geteuid(), geteuid()).p,
		*groups = str_printf(&arena, "%u %u 1", getegid(), getegid()).p;

	return unshare(CLONE_NEWUSER | flags) == 0 && put("/proc/self/setgroups", "deny") &&
		put("/proc/self/uid_map", users) &&
		put("/proc/self/gid_map", groups);
}

/* Does WHAT succeed in a child process? */
static bool possible(bool (*what)(void))
{
	int status = 1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(!what());
	waitpid(pid, &status, 0);
	return status == 0;
}

/* Does the machine permit namespaces? This is determined without the code under test. */
static bool make_namespaces(void)
{
	int flags = CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWPID;

	return (unshare(flags) == 0 || user_namespace(flags)) && mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) == 0;
}

static bool permitted;          /* false if the machine refuses namespaces; determined before the process enters one */

/* Opens an isolation; returns NULL if that is refused, and checks that the refusal is justified. */
static struct isolation *opened(const char *what, enum isolate_mode mode, bool mounts, size_t replicas)
{
	struct str why = STR("");
	struct isolation *iso = isolation_open(&arena, mode, mounts, replicas, &why);

	if (!iso) {
		CHECK(!permitted || strstr(str_copy(&arena, why).p, "no veth interfaces"));
		CHECK(strstr(str_copy(&arena, why).p, mode == ISOLATE_NONE ? "run as root" : "--isolate none") != NULL);
		skip(what, why);
	}
	return iso;
}

/* ---- a replica for the tests ---- */

static const struct sandbox empty;

static bool enter(const struct isolation *iso, size_t replica, const struct sandbox *box)
{
	struct isolation_error e;
	bool ok = isolation_join(iso, replica, &e) && isolation_enter(iso, box, &e);

	if (!ok)
		printf("FAIL %s: %s\n", e.step, strerror(e.error));
	CHECK(ok);
	return ok;
}

/* Forks replica I and runs BODY in its sandbox. */
static pid_t replica(struct isolation *iso, size_t i, const struct sandbox *box, void (*body)(size_t))
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		begin();
		if (enter(iso, i, box))
			body(i);
		leave();
	}
	return pid;
}

static const char *text_of(const char *path)
{
	static char text[8192];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	text[n < 0 ? 0 : n] = '\0';
	return n < 0 ? "(none)" : text;
}

static unsigned long namespace_of(const char *kind)
{
	struct stat st;

	return stat(str_printf(&arena, "/proc/self/ns/%s", kind).p, &st) == 0 ? st.st_ino : 0;
}

static unsigned interfaces(void)
{
	struct if_nameindex *list = if_nameindex();
	unsigned n = 0;

	while (list && list[n].if_index)
		n++;
	if_freenameindex(list);
	return n;
}

static int listener(uint16_t port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(port),
		.sin_addr.s_addr = htonl(INADDR_ANY) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0 && (bind(fd, (struct sockaddr *)&at, sizeof(at)) != 0 || listen(fd, 16) != 0)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Connects by name and retries for a while, as a program would. Returns the byte that it receives, or -1. */
static int hear(const char *host, uint16_t port, int tries)
{
	struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM }, *found = NULL;
	char c;
	int heard = -1;

	if (getaddrinfo(host, NULL, &hints, &found) != 0)
		return -1;
	((struct sockaddr_in *)found->ai_addr)->sin_port = htons(port);
	for (int i = 0; i < tries && heard < 0; i++) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

		if (connect(fd, found->ai_addr, found->ai_addrlen) == 0 && read(fd, &c, 1) == 1)
			heard = (unsigned char)c;
		close(fd);
		if (heard < 0 && i + 1 < tries)
			usleep(5000);
	}
	freeaddrinfo(found);
	return heard;
}

/* Sends one byte to each of N clients that connect. */
static void say(int fd, int n, char c)
{
	while (n-- > 0) {
		int peer = accept(fd, NULL, NULL);

		CHECK(peer >= 0 && write(peer, &c, 1) == 1);
		close(peer);
	}
}

/* ---- mode none ---- */

static void none(void)
{
	unsigned long net = namespace_of("net"), mnt = namespace_of("mnt"), user = namespace_of("user");
	struct str why = STR("");
	struct isolation *iso = isolation_open(&arena, ISOLATE_NONE, false, 3, &why);
	pid_t pid;

	CHECK(iso != NULL);
	CHECK_TEXT(isolation_address(iso, 2), "127.0.0.1");
	pid = fork();
	if (pid == 0) {
		begin();
		enter(iso, 0, &empty);
		CHECK(namespace_of("net") == net && namespace_of("mnt") == mnt && namespace_of("user") == user);
		CHECK(getppid() != 0);
		leave();
	}
	await(pid);
	isolation_close(iso);
}

/* ---- mode job ---- */

static int machine_port;        /* port on which a program of the machine listens */
static int orphan_pipe[2];

static void job_server(size_t i)
{
	int fd = listener(PORT);

	(void)i;
	CHECK(fd >= 0);
	say(fd, 1, 'j');
}

/*
 * Starts a process that leaves its session, as daemons do. It holds the pipe open as long as it lives, and only the
 * end of the process namespace ends it.
 */
static void leave_orphan(void)
{
	if (getppid() != 0)
		skip("orphans", STR("no process namespace"));
	else if (fork() == 0) {
		setsid();
		if (fork() == 0)
			for (;;)
				pause();
		_exit(0);
	}
}

static unsigned processes_seen(void)
{
	DIR *list = opendir("/proc");
	const struct dirent *e;
	unsigned n = 0;

	while (list && (e = readdir(list)))
		n += e->d_name[0] >= '1' && e->d_name[0] <= '9';
	if (list)
		closedir(list);
	return n;
}

static void job_client(size_t i)
{
	struct addrinfo usable = { .ai_family = AF_INET, .ai_flags = AI_ADDRCONFIG }, *found = NULL;
	char name[256] = "";

	(void)i;
	CHECK(interfaces() == 1);
	CHECK(hear("127.0.0.1", PORT, 400) == 'j');
	CHECK(hear("127.0.0.1", (uint16_t)machine_port, 1) == -1);
	CHECK(gethostname(name, sizeof(name)) == 0 && strstr(text_of("/etc/hosts"), name) != NULL);
	CHECK(strstr(text_of("/etc/hosts"), "localhost") != NULL);
	CHECK(getaddrinfo("localhost", NULL, &usable, &found) == 0 && found);
	freeaddrinfo(found);
	leave_orphan();
}

static bool ended(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	char c;

	return poll(&p, 1, 5000) == 1 && read(fd, &c, 1) == 0;
}

static void job(void)
{
	struct isolation *iso = opened("job", ISOLATE_JOB, false, 2);
	pid_t server, client;

	if (!iso)
		return;
	CHECK_TEXT(isolation_address(iso, 1), "127.0.0.1");
	CHECK(pipe2(orphan_pipe, O_CLOEXEC) == 0);
	server = replica(iso, 0, &empty, job_server);
	client = replica(iso, 1, &empty, job_client);
	await(server);
	await(client);
	close(orphan_pipe[1]);
	isolation_close(iso);
	CHECK(ended(orphan_pipe[0]));
	CHECK(waitpid(-1, NULL, 0) == -1 && errno == ECHILD);
}

/*
 * A newly mounted /proc shows only the processes of the run; without one, /proc and the process ids are the
 * machine's.
 */
static void process_numbers(size_t i)
{
	char self[32] = "";

	(void)i;
	CHECK(readlink("/proc/self", self, sizeof(self) - 1) > 0 && atoi(self) == getpid());
	if (getppid() == 0)
		CHECK(processes_seen() == 2);
}

static void processes(void)
{
	struct isolation *iso = opened("processes", ISOLATE_JOB, false, 1);

	if (!iso)
		return;
	await(replica(iso, 0, &empty, process_numbers));
	isolation_close(iso);
}

/* ---- mode replica ---- */

static const char three_hosts[] =
	"10.88.0.1 worker-0.job.default.svc.cluster.local worker-0.job worker-0\n"
	"10.88.0.2 worker-1.job.default.svc.cluster.local worker-1.job worker-1\n"
	"10.88.0.3 worker-2.job.default.svc.cluster.local worker-2.job worker-2\n";

/*
 * Are all of that many consecutive datagrams refused at once? The kernel's rate limit (50 in a row) must not delay
 * programs that try a name server.
 */
static bool all_refused(int udp, int datagrams)
{
	const struct timeval patience = { .tv_sec = 5 };
	char c;

	if (setsockopt(udp, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) != 0)
		return false;
	while (datagrams-- > 0)
		if (send(udp, "x", 1, 0) != 1 || recv(udp, &c, 1, 0) >= 0 || errno != ECONNREFUSED)
			return false;
	return true;
}

/*
 * Nothing outside can be reached, and programs notice this at once. A replica finds its own address in the ways that
 * programs use.
 */
static void look_outside(size_t i)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(53) }, own;
	int tcp = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), udp = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	socklen_t n = sizeof(own);

	inet_pton(AF_INET, "192.0.2.1", &at.sin_addr);
	CHECK(connect(tcp, (struct sockaddr *)&at, sizeof(at)) < 0 && errno == ECONNREFUSED);
	CHECK(connect(udp, (struct sockaddr *)&at, sizeof(at)) == 0 &&
		getsockname(udp, (struct sockaddr *)&own, &n) == 0);
	CHECK(ntohl(own.sin_addr.s_addr) == 0x0a580001 + i);
	CHECK(all_refused(udp, 200));
	close(tcp);
	close(udp);
	CHECK(strcmp(text_of("/etc/resolv.conf"), "") == 0 || access("/etc/resolv.conf", F_OK) != 0);
	CHECK(hear("host.invalid", PORT, 1) == -1);
}

/*
 * All replicas listen on the same port. Each connects to every other replica by name, and receives that replica's
 * number.
 */
static void mesh(size_t i)
{
	char name[64] = "";
	int fd = listener(PORT), low = listener(22);
	pid_t pid = fork();

	if (pid == 0) {
		say(fd, 3, (char)('0' + i));
		leave();
	}
	for (int peer = 0; peer < 3; peer++)
		CHECK(hear(str_printf(&arena, "worker-%d.job", peer).p, PORT, 400) == '0' + peer);
	CHECK(low >= 0);
	CHECK(gethostname(name, sizeof(name)) == 0 && strncmp(name, "worker-", 7) == 0 && name[7] == (char)('0' + i) &&
		!name[8]);
	CHECK(interfaces() == 2 && if_nametoindex("eth0") > 0);
	CHECK(hear("127.0.0.1", (uint16_t)machine_port, 1) == -1);
	if (if_nametoindex("eth0") == 100)      /* the host name is not that of the machine */
		look_outside(i);
	CHECK(access("/dev/shm/of-a-peer", F_OK) != 0 && put("/dev/shm/of-a-peer", "x"));
	await(pid);
}

static void apart(void)
{
	struct isolation *iso = opened("replica", ISOLATE_REPLICA, false, 3);
	static const char *const hosts[] = { "worker-0", "worker-1", "worker-2" };
	pid_t pids[3];

	if (!iso)
		return;
	CHECK_TEXT(isolation_address(iso, 0), "10.88.0.1");
	CHECK_TEXT(isolation_address(iso, 249), "10.88.0.250");
	CHECK_TEXT(isolation_address(iso, 250), "10.88.1.1");
	CHECK_TEXT(isolation_address(iso, 63999), "10.88.255.250");
	for (size_t i = 0; i < 3; i++)
		pids[i] = replica(iso, i, &(struct sandbox){ .hosts = three_hosts, .hostname = hosts[i] }, mesh);
	for (size_t i = 0; i < 3; i++)
		await(pids[i]);
	isolation_close(iso);
	CHECK(access("/dev/shm/of-a-peer", F_OK) != 0);
}

/* The network of a replica outlives its attempts, and host names are truncated as in a pod. */
static void again(size_t i)
{
	char name[256] = "";

	CHECK(interfaces() == 2 && i == 0);
	CHECK(gethostname(name, sizeof(name)) == 0 && strlen(name) == 61 && name[60] == 'a');
}

static void attempts(void)
{
	struct isolation *iso = opened("attempts", ISOLATE_REPLICA, false, 1);
	char host[101];

	memset(host, 'a', 100);
	host[61] = host[62] = '-';
	host[100] = '\0';
	for (int i = 0; iso && i < 2; i++)
		await(replica(iso, 0, &(struct sandbox){ .hostname = host }, again));
	if (iso)
		isolation_close(iso);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void sixteen(void)
{
	double begun = seconds(), took;
	struct isolation *iso = opened("sixteen", ISOLATE_REPLICA, false, 16);

	took = seconds() - begun;
	printf("16 replicas: %.3f s\n", took);
	CHECK(took < 2);                /* on an idle machine this takes 0.05 s */
	if (iso)
		isolation_close(iso);
}

static void too_many(void)
{
	struct str why = STR("");

	CHECK(isolation_open(&arena, ISOLATE_REPLICA, false, 64001, &why) == NULL);
	CHECK_TEXT(why,
		"cannot isolate 64001 replicas from each other: there are addresses for 64000; use --isolate job or none");
}

/* ---- files ---- */

static const char *in(const char *name) { return str_printf(&arena, "%s/%s", scratch, name).p; }

static unsigned entries_of(const char *path)
{
	DIR *list = opendir(path);
	unsigned n = 0;

	while (list && readdir(list))
		n++;
	if (list)
		closedir(list);
	return n;
}

/*
 * Makes a corpus with a directory for a nested mount, a file, a directory that is not empty, and a link that points
 * outside.
 */
static void make_files(void)
{
	mkdir(in("corpus"), 0755);
	mkdir(in("corpus/deep"), 0755);
	put(in("corpus/text"), "corpus");
	put(in("corpus/deep/text"), "deep");
	mkdir(in("home"), 0755);
	put(in("home/kept"), "kept");
	(void)!symlink("kept", in("home/link"));
	(void)!symlink("nowhere", in("home/dangling"));
	mkdir(in("keys"), 0700);
	put(in("keys/id"), "secret");
	put(in("hostfile"), "worker-0 slots=2\n");
	(void)!symlink(in("home"), in("to-home"));
}

static unsigned root_entries, etc_entries, usr_entries;

static void look_around(size_t i)
{
	struct statvfs st;

	(void)i;
	/* mount points that are missing below directories of the machine */
	CHECK(strcmp(text_of("/trainc-test-data/set/text"), "corpus") == 0);
	CHECK(strcmp(text_of("/etc/trainc-test/mpi/hostfile"), "worker-0 slots=2\n") == 0);
	CHECK(strcmp(text_of(in("home/.ssh/id")), "secret") == 0);
	CHECK(strcmp(text_of(in("home/dangling/id")), "secret") == 0);
	/* existing files stay visible, and writes to them reach the machine */
	CHECK(entries_of("/") == root_entries + 1 && entries_of("/etc") == etc_entries + 1 &&
		entries_of("/usr") == usr_entries);
	CHECK(strcmp(text_of(in("home/link")), "kept") == 0);
	CHECK(put(in("home/kept"), "changed"));
	CHECK(put(in("home/new"), "new"));
	/* a mount inside another mount, whose directory does not change */
	CHECK(strcmp(text_of("/trainc-test-data/set/inner/id"), "secret") == 0);
	CHECK(strcmp(text_of("/trainc-test-data/set/deep/text"), "deep") == 0);
	/* a read-only mount is read-only in all of its subdirectories */
	CHECK(!put("/trainc-test-data/set/text", "x") && errno == EROFS);
	CHECK(!put("/trainc-test-data/set/deep/text", "x") && errno == EROFS);
	CHECK(put("/trainc-test-data/set/inner/new", "through"));
	/* mounts of file systems in memory */
	CHECK(put("/trainc-test-scratch/sub/x", "y"));
	CHECK(statvfs("/trainc-test-scratch/sub", &st) == 0 && st.f_blocks * st.f_frsize == 1 << 20);
	CHECK(strcmp(text_of("/trainc-test-scratch/sub/hostfile"), "worker-0 slots=2\n") == 0);
	/* host names */
	CHECK(strstr(text_of("/etc/hosts"), "10.88.0.1 worker-0.job") == text_of("/etc/hosts"));
	CHECK(strstr(text_of("/etc/hosts"), "localhost") != NULL);
	/* a mount whose target path contains a symbolic link */
	CHECK(strcmp(text_of(in("home/.by-link/id")), "secret") == 0);
	/* a mount of the machine's whole tree shows it without the run's own mounts */
	CHECK(strstr(text_of("/trainc-test-host/etc/hosts"), "worker-0.job") == NULL);
	CHECK(access("/trainc-test-host/trainc-test-data", F_OK) != 0 &&
		access("/trainc-test-host/usr/bin", F_OK) == 0);
}

static void files(void)
{
	const struct sandbox_mount mounts[] = {
		{ .kind = SANDBOX_BIND, .source = in("corpus"), .target = "/trainc-test-data/set", .readonly = true },
		{ .kind = SANDBOX_BIND, .source = in("keys"), .target = "/trainc-test-data/set/inner" },
		{ .kind = SANDBOX_BIND, .source = in("hostfile"), .target = "/etc/trainc-test/mpi/hostfile",
			.readonly = true },
		{ .kind = SANDBOX_BIND, .source = in("keys"), .target = in("home/.ssh") },
		{ .kind = SANDBOX_BIND, .source = in("keys"), .target = in("home/dangling") },
		{ .kind = SANDBOX_BIND, .source = in("keys"), .target = in("to-home/.by-link") },
		{ .kind = SANDBOX_TMPFS, .target = "/trainc-test-scratch/sub", .size = 1 << 20 },
		{ .kind = SANDBOX_BIND, .source = in("hostfile"), .target = "/trainc-test-scratch/sub/hostfile" },
		{ .kind = SANDBOX_BIND, .source = "/", .target = "/trainc-test-host", .readonly = true },
	};
	const struct sandbox box = {
		.mounts = mounts, .nmounts = sizeof(mounts) / sizeof(mounts[0]), .hosts = "10.88.0.1 worker-0.job\n",
	};
	struct isolation *iso;

	/* the mounts add three names at the top, of which look_around() counts one */
	root_entries = entries_of("/") + 2;
	etc_entries = entries_of("/etc");
	usr_entries = entries_of("/usr");
	make_files();
	iso = opened("files", ISOLATE_NONE, true, 1);
	if (!iso)
		return;
	await(replica(iso, 0, &box, look_around));
	CHECK(entries_of("/") == root_entries - 2 && entries_of("/etc") == etc_entries);
	CHECK(strcmp(text_of(in("home/kept")), "changed") == 0);
	CHECK(access(in("home/new"), F_OK) != 0 && access(in("home/.ssh"), F_OK) != 0 &&
		access(in("home/.by-link"), F_OK) != 0);
	CHECK(access(in("corpus/inner"), F_OK) != 0 && strcmp(text_of(in("keys/new")), "through") == 0);
	isolation_close(iso);
}

/* ---- another root ---- */

static void look_at_image(size_t i)
{
	struct stat st;

	(void)i;
	CHECK(strcmp(text_of("/etc/os"), "tiny") == 0);
	CHECK(strcmp(text_of("/link"), "tiny") == 0);
	CHECK(access("/usr", F_OK) != 0 && access("/home", F_OK) != 0 && access("/tmp", F_OK) != 0);
	CHECK(strcmp(text_of("/data/set/text"), "corpus") == 0);
	CHECK(!put("/data/set/text", "x") && errno == EROFS);
	CHECK(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode) && put("/dev/null", "x"));
	CHECK(access("/dev/urandom", R_OK) == 0 && access("/sys/class", R_OK) == 0);
	CHECK(access("/proc/self/status", R_OK) == 0);
	CHECK(strstr(text_of("/etc/hosts"), "10.88.0.1 worker-0.job") != NULL);
	/* in a directory that is mirrored, so the image does not get the file */
	CHECK(put("/etc/written", "x"));
	CHECK(put("/var/written", "x"));        /* in a directory that is not mirrored, so the image gets the file */
}

static void image(void)
{
	const struct sandbox_mount mounts[] = {
		{ .kind = SANDBOX_BIND, .source = in("corpus"), .target = "/data/set", .readonly = true },
	};
	const struct sandbox box = {
		.mounts = mounts, .nmounts = 1, .root = in("image"), .hosts = "10.88.0.1 worker-0.job\n",
			.hostname = "worker-0",
	};
	unsigned entries;

	make_files();
	mkdir(in("image"), 0755);
	mkdir(in("image/etc"), 0755);
	mkdir(in("image/var"), 0755);
	put(in("image/etc/os"), "tiny");
	(void)!symlink("/etc/os", in("image/link"));
	entries = entries_of(in("image"));
	for (enum isolate_mode mode = ISOLATE_NONE; mode <= ISOLATE_REPLICA; mode++) {
		struct isolation *iso;

		fflush(stdout);
		if (fork() != 0) {      /* a child, because a keeper can only have one isolation */
			wait(NULL);
			continue;
		}
		begin();
		iso = opened("image", mode, true, 1);
		if (iso) {
			await(replica(iso, 0, &box, look_at_image));
			isolation_close(iso);
		}
		leave();
	}
	CHECK(entries_of(in("image")) == entries);
	CHECK(access(in("image/etc/written"), F_OK) != 0 && access(in("image/data"), F_OK) != 0);
}

/* ---- failures ---- */

static void refuse(const struct isolation *iso, const struct sandbox_mount *m, const char *step, int error)
{
	const struct sandbox box = { .mounts = m, .nmounts = 1 };
	struct isolation_error e;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		begin();
		CHECK(isolation_join(iso, 0, &e) && !isolation_enter(iso, &box, &e));
		CHECK(e.error == error);
		CHECK_TEXT(str_of(e.step), step);
		leave();
	}
	await(pid);
}

static void wrong_mounts(void)
{
	struct isolation *iso;

	make_files();
	iso = opened("wrong mounts", ISOLATE_NONE, true, 1);
	if (!iso)
		return;
	refuse(iso, &(struct sandbox_mount){ .source = "/trainc-test-absent", .target = "/data" },
		"open '/trainc-test-absent' to mount it at '/data'", ENOENT);
	refuse(iso, &(struct sandbox_mount){ .source = in("corpus"), .target = in("hostfile") },
		str_printf(&arena, "mount '%s' at '%s'", in("corpus"), in("hostfile")).p, ENOTDIR);
	refuse(iso, &(struct sandbox_mount){ .source = in("corpus"), .target = in("hostfile/x") },
		str_printf(&arena, "find '%s'", in("hostfile/x")).p, ENOTDIR);
	isolation_close(iso);
}

/* A directory with very many entries is not mirrored. */
static void crowded(void)
{
	struct isolation *iso;
	int fd;

	make_files();
	mkdir(in("crowd"), 0755);
	iso = opened("crowded", ISOLATE_NONE, true, 1);
	if (!iso)
		return;
	/* a file system in memory, which this keeper may mount by now; on a disk this would take seconds */
	CHECK(mount("tmpfs", in("crowd"), "tmpfs", 0, NULL) == 0);
	fd = open(in("crowd"), O_PATH | O_CLOEXEC);
	for (int i = 0; i < 4100; i++)
		mknodat(fd, str_printf(&arena, "%d", i).p, S_IFREG | 0600, 0);
	close(fd);
	refuse(iso, &(struct sandbox_mount){ .source = in("corpus"), .target = in("crowd/new") },
		str_printf(&arena, "nothing can be mounted at a new place in '%s', which has more than 4096 entries: make the place there first", in("crowd")).p, 0);
	refuse(iso, &(struct sandbox_mount){ .source = in("corpus"), .target = in("crowd/7/new") },
		str_printf(&arena, "find '%s'", in("crowd/7/new")).p, ENOTDIR);
	isolation_close(iso);
}

/* ---- machines that forbid namespaces ---- */

/* Makes the user namespace behave like a machine: sets its limits, and drops all privileges in it. */
static bool pretend(const char *limit)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct no_rights[2] = { { 0 } };

	return unshare(CLONE_NEWUSER) == 0 && (!limit || put(limit, "0")) && syscall(SYS_capset, &head, no_rights) == 0;
}

static void check_refusal(enum isolate_mode mode, const char *want)
{
	struct str why = STR("");

	CHECK(isolation_open(&arena, mode, true, 1, &why) == NULL);
	CHECK_TEXT(why, want);
}

static void no_user_namespaces(void)
{
	if (!permitted || !pretend("/proc/sys/user/max_user_namespaces")) {
		skip("no user namespaces", STR("cannot be simulated here"));
		return;
	}
	check_refusal(ISOLATE_JOB, "cannot isolate the run: make a user namespace: user.max_user_namespaces is 0; an administrator can permit it: "
		"sysctl -w user.max_user_namespaces=15000; or use --isolate none");
	check_refusal(ISOLATE_NONE, "cannot lay files over the machine's: make a user namespace: user.max_user_namespaces is 0; an administrator can "
		"permit it: sysctl -w user.max_user_namespaces=15000; or run as root, or without mounts, files and --image-root");
}

static void no_network_namespaces(void)
{
	if (!permitted || unshare(CLONE_NEWUSER) != 0 || !put("/proc/sys/user/max_net_namespaces", "0")) {
		skip("no network namespaces", STR("cannot be simulated here"));
		return;
	}
	check_refusal(ISOLATE_REPLICA, "cannot isolate the run: make a network namespace: user.max_net_namespaces is 0; an administrator can permit it: "
		"sysctl -w user.max_net_namespaces=15000; or use --isolate none");
}

/* Simulates a container whose seccomp filter does not know unshare(). */
static void no_unshare(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_unshare, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { .len = sizeof(code) / sizeof(code[0]), .filter = code };

	if (!permitted || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
		skip("no unshare", STR("cannot be simulated here"));
		return;
	}
	check_refusal(ISOLATE_REPLICA, "cannot isolate the run: make a user namespace: operation not permitted; a container needs CAP_SYS_ADMIN, or "
		"seccomp and AppArmor profiles that permit unshare and mount; or use --isolate none");
}

/* Simulates a chroot to an ordinary directory. */
static void plain_chroot(void)
{
	if (!permitted || !user_namespace(CLONE_NEWNS) || chroot("/usr") != 0 || chdir("/") != 0) {
		skip("plain chroot", STR("cannot be simulated here"));
		return;
	}
	check_refusal(ISOLATE_JOB, "cannot isolate the run: keep mounts from the machine: the root directory here is not a mount, as in a plain chroot; "
		"mount the directory on itself before entering it: mount --bind DIR DIR; or use --isolate none");
}

static void numbers_of_the_machine(size_t i)
{
	CHECK(getppid() != 0);
	process_numbers(i);
}

/* Simulates a container whose /proc is partly masked, so that the kernel refuses to mount another /proc. */
static void masked_proc(void)
{
	struct isolation *iso;

	if (!user_namespace(CLONE_NEWNS) || mount("/proc/fs", "/proc/irq", NULL, MS_BIND, NULL) != 0 ||
		!user_namespace(CLONE_NEWNS)) {
		skip("masked /proc", STR("cannot be simulated here"));
		return;
	}
	iso = opened("masked /proc", ISOLATE_REPLICA, false, 1);
	if (!iso)
		return;
	await(replica(iso, 0, &empty, numbers_of_the_machine));
	isolation_close(iso);
}

/* ---- tests in which the keeper dies ---- */

static void stay(size_t i)
{
	(void)i;
	leave_orphan();
	while (getppid() == 0)
		pause();
}

static void killed(void)
{
	int ready[2];
	pid_t keeper;
	char c = 0;

	CHECK(pipe2(orphan_pipe, O_CLOEXEC) == 0 && pipe2(ready, O_CLOEXEC) == 0);
	fflush(stdout);
	keeper = fork();
	if (keeper == 0) {
		struct isolation *iso;

		begin();
		iso = opened("killed", ISOLATE_REPLICA, false, 2);
		if (iso) {
			replica(iso, 0, &empty, stay);
			replica(iso, 1, &empty, stay);
			usleep(20000);
		}
		c = iso && getppid() ? 'y' : 'n';
		if (write(ready[1], &c, 1) != 1 || !iso)
			leave();
		for (;;)
			pause();
	}
	close(orphan_pipe[1]);
	close(ready[1]);
	CHECK(read(ready[0], &c, 1) == 1);
	kill(keeper, SIGKILL);
	waitpid(keeper, NULL, 0);
	CHECK(ended(orphan_pipe[0]));
}

/* ---- the list of tests ---- */

static const struct test {
	const char *name;
	void (*body)(void);
} tests[] = {
	{ "none", none }, { "job", job }, { "processes", processes }, { "apart", apart }, { "attempts", attempts },
	{ "sixteen", sixteen }, { "too_many", too_many }, { "files", files }, { "image", image },
	{ "wrong_mounts", wrong_mounts }, { "crowded", crowded }, { "no_user_namespaces", no_user_namespaces },
	{ "no_network_namespaces", no_network_namespaces }, { "no_unshare", no_unshare },
	{ "plain_chroot", plain_chroot }, { "masked_proc", masked_proc }, { "killed", killed },
};

static void all(void)
{
	permitted = possible(make_namespaces);
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		double begun = seconds();

		printf("---- %s, as user %u\n", tests[i].name, geteuid());
		in_child(tests[i].body, CASE_SECONDS);
		printf("---- %.3f s\n", seconds() - begun);
	}
}

static void all_as_nobody(void)
{
	if (become_nobody())
		all();
}

/* Removes all directories and links of the scratch directory, deepest first. */
static void remove_all(const char *path)
{
	DIR *list = opendir(path);
	const struct dirent *e;

	while (list && (e = readdir(list)))
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
			char *inner = NULL;

			if (asprintf(&inner, "%s/%s", path, e->d_name) > 0 && unlink(inner) != 0)
				remove_all(inner);
			free(inner);
		}
	if (list)
		closedir(list);
	rmdir(path);
}

/* Runs BODY in a scratch directory that belongs to the user OWNER. */
static void run(void (*body)(void), uid_t owner)
{
	strcpy(scratch, "/tmp/trainc-isolate-XXXXXX");
	if (!mkdtemp(scratch) || chown(scratch, owner, owner) != 0 || chmod(scratch, 0755) != 0)
		exit(1);
	in_child(body, RUN_SECONDS);
	remove_all(scratch);
}

static unsigned long hash_of_mounts(void)
{
	FILE *f = fopen("/proc/self/mountinfo", "re");
	unsigned long h = 5381;
	int c;

	while (f && (c = getc(f)) != EOF)
		h = h * 33 + (unsigned char)c;
	if (f)
		fclose(f);
	return h;
}

int main(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(at);
	int machine = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	/* a mount namespace of its own, with shared mounts: what others mount meanwhile does not count */
	int own = unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
		mount(NULL, "/", NULL, MS_REC | MS_SHARED, NULL) == 0;
	unsigned long mounts = hash_of_mounts();
	unsigned links = interfaces(), descriptors = entries_of("/proc/self/fd");

	/* line buffering, so that the output of a test that hangs shows how far it got */
	setvbuf(stdout, NULL, _IOLBF, 0);
	tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (machine < 0 || bind(machine, (struct sockaddr *)&at, sizeof(at)) != 0 || listen(machine, 1) != 0 ||
	    getsockname(machine, (struct sockaddr *)&at, &n) != 0)
		return 1;
	machine_port = ntohs(at.sin_port);
	run(all, geteuid());
	if (geteuid() == 0 && possible(become_nobody))
		run(all_as_nobody, NOBODY);
	/* no mounts, interfaces, descriptors or processes are left */
	CHECK((!own || hash_of_mounts() == mounts) && interfaces() == links && entries_of("/proc/self/fd") == descriptors);
	CHECK(waitpid(-1, NULL, 0) == -1 && errno == ECHILD);
	printf("%u passed, %u failed, %u skipped\n", unit_passed + tally->passed, unit_failed + tally->failed,
		tally->skipped);
	return unit_failed + tally->failed != 0;
}
