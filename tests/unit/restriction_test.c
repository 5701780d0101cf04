/*
 * restriction_test.c - a process that has restricted itself tries to get out: with each call that starts something,
 * connects, or changes a file, by its number, also in the forms for other instruction sets and in new interfaces. Each
 * try is a process of its own.
 */
#include "base/restriction.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "unit.h"

static struct arena arena;
static char inside[] = "/tmp/trainc-in-XXXXXX", outside[] = "/tmp/trainc-out-XXXXXX";
static char victim[64], own[64], fresh[64], link_name[64];
static int standard;                    /* a descriptor that is open before the restriction */

enum restriction_form { FORM_READ_ONLY, FORM_WRITES, FORMS };

static void restrict_to(enum restriction_form form)
{
	struct restriction_place place = { str_of(inside), false };

	if (form == FORM_READ_ONLY)
		restriction_read_only();
	else
		restriction_write_at(&arena, &place, 1);
}

/* Runs TRY in a restricted process. Returns its status, or 1000 and the signal. */
static int in_child(enum restriction_form form, int (*try)(const void *), const void *what)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		alarm(10);
		restrict_to(form);
		_exit(try(what));
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/* ---- calls by number, which must fail with EPERM or, where Landlock decides, EACCES ---- */

struct restriction_call {
	const char *name;
	long number, args[6];
};

/* 0 if the call was refused, else its errno, or 255 if it succeeded. */
static int call_number(const void *what)
{
	const struct restriction_call *c = what;
	long got = syscall(c->number, c->args[0], c->args[1], c->args[2], c->args[3], c->args[4], c->args[5]);

	if (got >= 0)
		return 255;
	return errno == EPERM || errno == EACCES ? 0 : errno;
}

#define TEXT(p) ((long)(intptr_t)(p))

static char program[] = "/bin/true";
static char *const no_words[] = { program, NULL };
static const struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = "/dev/log" };
static unsigned long how[3] = { O_WRONLY, 0, 0 };
static char parameters[256];

static void starts_and_connects(enum restriction_form form)
{
	const struct restriction_call calls[] = {
		{ "execve", SYS_execve, { TEXT("/bin/true"), TEXT(no_words), 0 } },
		{ "execveat", SYS_execveat, { AT_FDCWD, TEXT("/bin/true"), TEXT(no_words), 0, 0 } },
		{ "clone", SYS_clone, { SIGCHLD } },
		{ "clone with namespaces", SYS_clone, { CLONE_NEWUSER | SIGCHLD } },
		{ "clone3", SYS_clone3, { TEXT(parameters), 64 } },
		{ "unshare", SYS_unshare, { CLONE_NEWUSER } },
		{ "setns", SYS_setns, { 0, 0 } },
		{ "socket", SYS_socket, { AF_UNIX, SOCK_STREAM, 0 } },
		{ "socket, network", SYS_socket, { AF_INET, SOCK_STREAM, 0 } },
		{ "socket, packets", SYS_socket, { AF_NETLINK, SOCK_RAW, 0 } },
		{ "socketpair", SYS_socketpair, { AF_UNIX, SOCK_STREAM, 0, TEXT(parameters) } },
		{ "connect", SYS_connect, { 0, TEXT(&address), sizeof address } },
		{ "bind", SYS_bind, { 0, TEXT(&address), sizeof address } },
		{ "listen", SYS_listen, { 0, 1 } },
		{ "sendto", SYS_sendto, { 0, TEXT("x"), 1, 0, 0, 0 } },
		{ "sendmsg", SYS_sendmsg, { 0, TEXT(parameters), 0 } },
		{ "io_uring_setup", SYS_io_uring_setup, { 4, TEXT(parameters) } },
		{ "io_uring_enter", SYS_io_uring_enter, { 0, 1, 0, 0, 0, 0 } },
		{ "io_uring_register", SYS_io_uring_register, { 0, 0, 0, 0 } },
		{ "io_setup", SYS_io_setup, { 1, TEXT(parameters) } },
		{ "ptrace", SYS_ptrace, { 0, 0, 0, 0 } },
		{ "ptrace of the parent", SYS_ptrace, { 16, getppid(), 0, 0 } },
		{ "process_vm_writev", SYS_process_vm_writev, { getppid(), 0, 0, 0, 0, 0 } },
		{ "process_vm_readv", SYS_process_vm_readv, { getppid(), 0, 0, 0, 0, 0 } },
		{ "kill", SYS_kill, { getppid(), 0 } },
		{ "tkill", SYS_tkill, { getppid(), 0 } },
		{ "tgkill of the parent", SYS_tgkill, { getppid(), getppid(), 0 } },
		{ "rt_sigqueueinfo", SYS_rt_sigqueueinfo, { getppid(), 0, TEXT(parameters) } },
		{ "pidfd_open", SYS_pidfd_open, { getppid(), 0 } },
		{ "pidfd_send_signal", SYS_pidfd_send_signal, { 0, 0, 0, 0 } },
		{ "pidfd_getfd", SYS_pidfd_getfd, { 0, 0, 0 } },
		{ "mmap, executable", SYS_mmap, { 0, 4096, PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0 } },
		{ "mprotect, executable", SYS_mprotect, { 0, 4096, PROT_EXEC } },
		{ "memfd_create", SYS_memfd_create, { TEXT("x"), 0 } },
		{ "bpf", SYS_bpf, { 0, TEXT(parameters), sizeof parameters } },
		{ "perf_event_open", SYS_perf_event_open, { TEXT(parameters), 0, -1, -1, 0 } },
		{ "userfaultfd", SYS_userfaultfd, { 0 } },
		{ "seccomp", SYS_seccomp, { 1, 0, TEXT(parameters) } },
		{ "prctl", SYS_prctl, { PR_SET_DUMPABLE, 1, 0, 0, 0 } },
		{ "personality", SYS_personality, { 0x0400000 } },
		{ "keyctl", SYS_keyctl, { 0, -3, 0 } },
		{ "add_key", SYS_add_key, { TEXT("user"), TEXT("x"), TEXT("x"), 1, -3 } },
		{ "shmget", SYS_shmget, { 0, 4096, 01600 } },
		{ "msgget", SYS_msgget, { 0, 01600 } },
		{ "mq_open", SYS_mq_open, { TEXT("x"), O_CREAT | O_RDWR, 0600, 0 } },
		{ "setuid", SYS_setuid, { 0 } },
		{ "setrlimit of the parent", SYS_prlimit64, { getppid(), 7, TEXT(parameters), 0 } },
		{ "setpriority", SYS_setpriority, { 0, getppid(), 1 } },
		{ "sched_setaffinity", SYS_sched_setaffinity, { getppid(), 8, TEXT(parameters) } },
		{ "TIOCSTI", SYS_ioctl, { 0, TIOCSTI, TEXT("x") } },
		{ "TIOCSCTTY", SYS_ioctl, { 0, TIOCSCTTY, 1 } },
		{ "F_SETOWN", SYS_fcntl, { 0, F_SETOWN, getppid() } },
		{ "F_NOTIFY", SYS_fcntl, { 0, F_NOTIFY, 0 } },
	};

	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		int got = in_child(form, call_number, &calls[i]);
		if (got)
			printf("%s, form %d: %d\n", calls[i].name, form, got);
		CHECK(got == 0);
	}
}

static void changes_files(enum restriction_form form)
{
	const struct restriction_call calls[] = {
		{ "openat, write", SYS_openat, { AT_FDCWD, TEXT(victim), O_WRONLY } },
		{ "openat, read and write", SYS_openat, { AT_FDCWD, TEXT(victim), O_RDWR } },
		{ "openat, truncate", SYS_openat, { AT_FDCWD, TEXT(victim), O_RDONLY | O_TRUNC } },
		{ "openat, append", SYS_openat, { AT_FDCWD, TEXT(victim), O_WRONLY | O_APPEND } },
		{ "openat, create", SYS_openat, { AT_FDCWD, TEXT(fresh), O_CREAT | O_RDONLY, 0600 } },
		{ "openat, without a name", SYS_openat, { AT_FDCWD, TEXT(outside), O_TMPFILE | O_RDWR, 0600 } },
		{ "openat, high bits", SYS_openat, { AT_FDCWD, TEXT(victim), (long)0x100000000 | O_WRONLY } },
		{ "openat, own memory", SYS_openat, { AT_FDCWD, TEXT("/proc/self/mem"), O_RDWR } },
		{ "openat2", SYS_openat2, { AT_FDCWD, TEXT(victim), TEXT(how), sizeof how } },
		{ "name_to_handle_at", SYS_open_by_handle_at, { 0, TEXT(parameters), O_RDWR } },
		{ "truncate", SYS_truncate, { TEXT(victim), 0 } },
		{ "unlinkat", SYS_unlinkat, { AT_FDCWD, TEXT(victim), 0 } },
		{ "unlinkat, directory", SYS_unlinkat, { AT_FDCWD, TEXT(outside), AT_REMOVEDIR } },
		{ "renameat2, from outside", SYS_renameat2, { AT_FDCWD, TEXT(victim), AT_FDCWD, TEXT(fresh), 0 } },
		{ "renameat2, onto", SYS_renameat2, { AT_FDCWD, TEXT(own), AT_FDCWD, TEXT(victim), 0 } },
		{ "renameat2, exchange", SYS_renameat2, { AT_FDCWD, TEXT(own), AT_FDCWD, TEXT(victim), 2 } },
		{ "linkat", SYS_linkat, { AT_FDCWD, TEXT(victim), AT_FDCWD, TEXT(fresh), 0 } },
		{ "symlinkat", SYS_symlinkat, { TEXT(victim), AT_FDCWD, TEXT(fresh) } },
		{ "symlinkat, inside", SYS_symlinkat, { TEXT(victim), AT_FDCWD, TEXT(link_name) } },
		{ "mkdirat", SYS_mkdirat, { AT_FDCWD, TEXT(fresh), 0700 } },
		{ "mknodat", SYS_mknodat, { AT_FDCWD, TEXT(fresh), S_IFIFO | 0600, 0 } },
		{ "fchmodat", SYS_fchmodat, { AT_FDCWD, TEXT(victim), 0777 } },
		{ "fchmodat2", 452, { AT_FDCWD, TEXT(victim), 0777, 0 } },
		{ "fchownat", SYS_fchownat, { AT_FDCWD, TEXT(victim), 1, 1, 0 } },
		{ "utimensat", SYS_utimensat, { AT_FDCWD, TEXT(victim), 0, 0 } },
		{ "setxattr", SYS_setxattr, { TEXT(victim), TEXT("user.x"), TEXT("x"), 1, 0 } },
		{ "mount", SYS_mount, { TEXT("none"), TEXT(outside), TEXT("tmpfs"), 0, 0 } },
		{ "umount2", SYS_umount2, { TEXT("/proc"), 0 } },
		{ "open_tree", SYS_open_tree, { AT_FDCWD, TEXT(outside), 1 } },
		{ "fsopen", SYS_fsopen, { TEXT("tmpfs"), 0 } },
		{ "pivot_root", SYS_pivot_root, { TEXT(outside), TEXT(outside) } },
		{ "chroot", SYS_chroot, { TEXT(outside) } },
		{ "chdir", SYS_chdir, { TEXT(outside) } },
		{ "fanotify_init", SYS_fanotify_init, { 0, 0 } },
		{ "inotify_init1", SYS_inotify_init1, { 0 } },
		{ "swapon", SYS_swapon, { TEXT(victim), 0 } },
		{ "acct", SYS_acct, { TEXT(victim) } },
		{ "quotactl", SYS_quotactl, { 0, TEXT(victim), 0, 0 } },
		{ "sethostname", SYS_sethostname, { TEXT("x"), 1 } },
		{ "landlock again", 444, { 0, 0, 1 } },
#ifdef __x86_64__
		{ "open", SYS_open, { TEXT(victim), O_WRONLY } },
		{ "open, truncate", SYS_open, { TEXT(victim), O_TRUNC } },
		{ "creat", SYS_creat, { TEXT(victim), 0600 } },
		{ "unlink", SYS_unlink, { TEXT(victim) } },
		{ "rename", SYS_rename, { TEXT(victim), TEXT(fresh) } },
		{ "link", SYS_link, { TEXT(victim), TEXT(fresh) } },
		{ "symlink", SYS_symlink, { TEXT(victim), TEXT(fresh) } },
		{ "mkdir", SYS_mkdir, { TEXT(fresh), 0700 } },
		{ "rmdir", SYS_rmdir, { TEXT(outside) } },
		{ "mknod", SYS_mknod, { TEXT(fresh), S_IFIFO | 0600, 0 } },
		{ "chmod", SYS_chmod, { TEXT(victim), 0777 } },
		{ "chown", SYS_chown, { TEXT(victim), 1, 1 } },
		{ "fork", SYS_fork, { 0 } },
		{ "vfork", SYS_vfork, { 0 } },
		{ "modify_ldt", SYS_modify_ldt, { 0, TEXT(parameters), 0 } },
		{ "x32 execve", 0x40000000 | 520, { TEXT("/bin/true"), TEXT(no_words), 0 } },
		{ "x32 open", 0x40000000 | 2, { TEXT(victim), O_WRONLY } },
		{ "x32 socket", 0x40000000 | 41, { AF_UNIX, SOCK_STREAM, 0 } },
		{ "x32 read", 0x40000000 | 0, { 0, 0, 0 } },
#endif
	};

	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		int got = in_child(form, call_number, &calls[i]);
		/* renaming or linking from one directory to another is EXDEV for Landlock */
		bool moved = form == FORM_WRITES && got == EXDEV;
		if (got && !moved)
			printf("%s, form %d: %d\n", calls[i].name, form, got);
		CHECK(got == 0 || moved);
	}
}

/* ---- calls of another instruction set: 32 bits in the same process ---- */

#ifdef __x86_64__
static int call_of_32_bits(const void *what)
{
	const long *numbers = what;
	long got = numbers[0];

	__asm__ volatile("int $0x80" : "+a"(got) : "b"(numbers[1]), "c"(numbers[2]), "d"(numbers[3])
		: "memory", "r8", "r9", "r10", "r11");
	return (int)got == -EPERM || (int)got == -ENOSYS ? 0 : 255;
}

static void other_instructions(enum restriction_form form)
{
	static const long calls[][4] = { { 2 }, { 11 }, { 20 }, { 102, 1 }, { 359, 1, 1 }, { 5 }, { 10 }, { 1000 } };

	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		CHECK(in_child(form, call_of_32_bits, calls[i]) == 0);
}
#else
static void other_instructions(enum restriction_form form) { (void)form; }
#endif

/* ---- what still works ---- */

static int reading(const void *what)
{
	struct str text, why;
	struct stat st;

	(void)what;
	if (!file_read(&arena, str_of(victim), &text, &why) || !str_is(text, "precious"))
		return 1;
	if (lstat(victim, &st) != 0 || access(victim, R_OK) != 0 || !file_reader.exists(NULL, str_of(outside)))
		return 2;
	DIR *d = directory_open(outside);
	if (!d || !readdir(d))
		return 3;
	closedir(d);
	char *large = malloc(64 << 20);
	if (!large || !memset(large, 1, 64 << 20) || !(large = realloc(large, 128 << 20)))
		return 4;
	free(large);
	if (!file_write_all(standard, "still", 5) || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != -1)
		return 5;
	return 0;
}

static int writing(const void *what)
{
	struct str why;

	(void)what;
	if (!file_replace(&arena, str_of(own), STR("replaced"), &why))
		return 1;
	if (!file_create(&arena, str_printf(&arena, "%s/made", inside), STR("new"), &why))
		return 2;
	if (file_replace(&arena, str_of(victim), STR("replaced"), &why) || !str_is(why, "permission denied"))
		return 3;
	return 0;
}

static int aborting(const void *what)
{
	(void)what;
	abort();
}

static void still_works(void)
{
	struct str text, why;

	for (int form = 0; form < FORMS; form++) {
		CHECK(in_child((enum restriction_form)form, reading, NULL) == 0);
		CHECK(in_child((enum restriction_form)form, aborting, NULL) == 1000 + SIGABRT);
	}
	if (restriction_landlock() >= 3)
		CHECK(in_child(FORM_WRITES, writing, NULL) == 0);
	CHECK(file_read(&arena, str_of(victim), &text, &why));
	CHECK_TEXT(text, "precious");
}

/* Without these calls, as in an old kernel or a strict container, nothing is restricted and nothing fails. */
static int without_kernel(const void *what)
{
	const unsigned *error = what;
	struct sock_filter calls[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_seccomp, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 444, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | *error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof calls / sizeof *calls, calls };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
		return 1;
	restrict_to(FORM_READ_ONLY);
	restrict_to(FORM_WRITES);
	int fd = open(own, O_WRONLY);
	return fd < 0 || restriction_filters() || restriction_landlock();
}

static void other_kernels(void)
{
	static const unsigned errors[] = { ENOSYS, EPERM, EINVAL, EACCES };

	for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
		int status = 0;
		pid_t child = fork();
		if (child == 0)
			_exit(without_kernel(&errors[i]));
		waitpid(child, &status, 0);
		CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
}

static void put_names(void)
{
	snprintf(victim, sizeof victim, "%s/victim", outside);
	snprintf(fresh, sizeof fresh, "%s/fresh", outside);
	snprintf(own, sizeof own, "%s/own", inside);
	snprintf(link_name, sizeof link_name, "%s/link", inside);
}

int main(void)
{
	struct str why;

	if (!restriction_filters()) {
		printf("skip the kernel has no filters of system calls\n");
		return unit_end();
	}
	if (!mkdtemp(inside) || !mkdtemp(outside))
		return 1;
	put_names();
	CHECK(file_create(&arena, str_of(victim), STR("precious"), &why));
	CHECK(file_create(&arena, str_of(own), STR("own"), &why));
	standard = open(own, O_WRONLY);
	for (int form = 0; form < FORMS; form++) {
		starts_and_connects((enum restriction_form)form);
		other_instructions((enum restriction_form)form);
		if (form == FORM_READ_ONLY || restriction_landlock() >= 3)
			changes_files((enum restriction_form)form);
	}
	still_works();
	other_kernels();
	unlink(str_printf(&arena, "%s/made", inside).p);
	unlink(own);
	unlink(victim);
	CHECK(rmdir(inside) == 0 && rmdir(outside) == 0);       /* nothing else was made */
	close(standard);
	arena_release(&arena);
	return unit_end();
}
