/*
 * restriction.c - restricts this process with seccomp and Landlock. Both are called by number, because the C library
 * has no functions for them.
 *
 * A command of this program takes half a millisecond, so the setup must be cheap. The kernel tries a new filter with
 * each number once, to find those that are permitted whatever their arguments are; that would take as long as all the
 * rest. It gives up at once when the filter begins by reading an argument. The filter then runs at each call, which
 * costs nanoseconds. It is short, because it is compiled to instructions of the machine: a bit for each number.
 */
#include "base/restriction.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"

#if defined __x86_64__
enum { FILTER_MACHINE = 1, FILTER_ARCH = (int)AUDIT_ARCH_X86_64 };
#elif defined __aarch64__
enum { FILTER_MACHINE = 1, FILTER_ARCH = (int)AUDIT_ARCH_AARCH64 };
#else   /* such as s390x, whose mmap has its arguments in memory, where no filter sees them */
enum { FILTER_MACHINE = 0, FILTER_ARCH = 0 };
#endif

/* Low halves of the arguments, which are 64 bits wide. */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define FILTER_ARGUMENT(i) ((unsigned)offsetof(struct seccomp_data, args[i]))
#else
#define FILTER_ARGUMENT(i) ((unsigned)offsetof(struct seccomp_data, args[i]) + 4)
#endif

enum {
	FILTER_WORDS = 15,              /* 32 calls each; above are newer calls, and those of x32 */
	FILTER_WRITES = O_ACCMODE | O_CREAT | O_TRUNC,
	FILTER_LONGEST = 128,
};
#define FILTER_ALLOW SECCOMP_RET_ALLOW
#define FILTER_REFUSE (SECCOMP_RET_ERRNO | EPERM)

static const short filter_reading[] = {
	/* files and descriptors that are open, and names */
	SYS_read, SYS_readv, SYS_pread64, SYS_write, SYS_writev, SYS_pwrite64, SYS_lseek, SYS_close, SYS_dup, SYS_dup3,
	SYS_fstat, SYS_newfstatat, SYS_statx, SYS_statfs, SYS_fstatfs, SYS_faccessat, SYS_faccessat2, SYS_readlinkat,
	SYS_getdents64, SYS_getcwd, SYS_ppoll, SYS_pselect6, SYS_flock, SYS_fsync, SYS_fdatasync, SYS_fadvise64,
	/* memory */
	SYS_munmap, SYS_mremap, SYS_brk, SYS_madvise, SYS_futex,
	/* this process, signals, clocks */
	SYS_exit, SYS_exit_group, SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack,
	SYS_restart_syscall, SYS_getpid, SYS_gettid, SYS_getppid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid,
	SYS_umask, SYS_uname, SYS_sysinfo, SYS_getrandom, SYS_sched_yield, SYS_sched_getaffinity, SYS_getrusage,
	SYS_set_robust_list, SYS_set_tid_address, SYS_rseq, SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep,
	SYS_nanosleep, SYS_gettimeofday,
#ifdef __x86_64__
	SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_poll, SYS_select, SYS_dup2, SYS_time,
#endif
};

static const short filter_writing[] = {
	SYS_ftruncate, SYS_fchmod, SYS_fchown, SYS_renameat2, SYS_linkat, SYS_unlinkat, SYS_mkdirat, SYS_openat,
#ifdef SYS_renameat
	SYS_renameat,
#endif
#ifdef __x86_64__
	SYS_rename, SYS_link, SYS_unlink, SYS_mkdir, SYS_open,
#endif
};

struct restriction_filter {
	struct sock_filter at[FILTER_LONGEST];
	unsigned n;
	unsigned leaves[FILTER_WORDS], nleaves;         /* jumps to the end of the search */
};

static void filter_put(struct restriction_filter *f, unsigned code, unsigned k, unsigned yes, unsigned no)
{
	if (f->n < FILTER_LONGEST)
		f->at[f->n] = (struct sock_filter){ (unsigned short)code, (unsigned char)yes, (unsigned char)no, k };
	f->n++;
}

static void filter_load(struct restriction_filter *f, unsigned offset)
{
	filter_put(f, BPF_LD | BPF_W | BPF_ABS, offset, 0, 0);
}

static void filter_return(struct restriction_filter *f, unsigned action)
{
	filter_put(f, BPF_RET | BPF_K, action, 0, 0);
}

/* Permits CALL if none of the bits MASK is in its argument I. */
static void filter_without(struct restriction_filter *f, unsigned call, unsigned i, unsigned mask)
{
	filter_put(f, BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4);
	filter_load(f, FILTER_ARGUMENT(i));
	filter_put(f, BPF_JMP | BPF_JSET | BPF_K, mask, 1, 0);
	filter_return(f, FILTER_ALLOW);
	filter_return(f, FILTER_REFUSE);
}

/* Permits CALL if its argument I is one of N values. */
static void filter_one_of(struct restriction_filter *f, unsigned call, unsigned i, const unsigned *values, unsigned n)
{
	filter_put(f, BPF_JMP | BPF_JEQ | BPF_K, call, 0, n + 3);
	filter_load(f, FILTER_ARGUMENT(i));
	for (unsigned v = 0; v < n; v++)
		filter_put(f, BPF_JMP | BPF_JEQ | BPF_K, values[v], n - v, 0);
	filter_return(f, FILTER_REFUSE);
	filter_return(f, FILTER_ALLOW);
}

/* Calls that are permitted with certain arguments only. */
static void filter_arguments(struct restriction_filter *f, bool writes)
{
	static const unsigned terminal[] = { TCGETS, TIOCGWINSZ, FIONREAD };
	static const unsigned descriptor[] = { F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD_CLOEXEC };
	const unsigned self = (unsigned)getpid();

	if (!writes)
		filter_without(f, SYS_openat, 2, FILTER_WRITES);
#ifdef SYS_open
	if (!writes)
		filter_without(f, SYS_open, 1, FILTER_WRITES);
#endif
	filter_without(f, SYS_mmap, 2, PROT_EXEC);
	filter_without(f, SYS_mprotect, 2, PROT_EXEC);
	filter_one_of(f, SYS_ioctl, 1, terminal, sizeof terminal / sizeof *terminal);
	filter_one_of(f, SYS_fcntl, 1, descriptor, sizeof descriptor / sizeof *descriptor);
	filter_one_of(f, SYS_tgkill, 0, &self, 1);      /* abort() */
}

/* Finds the word of a number by halving the N words from FIRST on. */
static void filter_search(struct restriction_filter *f, const uint32_t *words, unsigned first, unsigned n)
{
	if (n == 1) {
		filter_put(f, BPF_LD | BPF_IMM, words[first], 0, 0);
		f->leaves[f->nleaves++] = f->n;
		filter_put(f, BPF_JMP | BPF_JA, 0, 0, 0);
		return;
	}
	unsigned jump = f->n;
	filter_put(f, BPF_JMP | BPF_JGE | BPF_K, 32 * (first + n / 2), 0, 0);
	filter_search(f, words, first, n / 2);
	if (jump < FILTER_LONGEST)
		f->at[jump].jt = (unsigned char)(f->n - jump - 1);
	filter_search(f, words, first + n / 2, n - n / 2);
}

/* Permits the calls whose bits are set in the words. The number of the call is loaded. */
static void filter_bits(struct restriction_filter *f, const uint32_t *words)
{
	filter_put(f, BPF_JMP | BPF_JGE | BPF_K, 32 * FILTER_WORDS, 0, 1);
	filter_return(f, FILTER_REFUSE);
	filter_put(f, BPF_ALU | BPF_AND | BPF_K, 31, 0, 0);
	filter_put(f, BPF_MISC | BPF_TAX, 0, 0, 0);
	filter_load(f, offsetof(struct seccomp_data, nr));
	filter_search(f, words, 0, FILTER_WORDS);
	for (unsigned i = 0; i < f->nleaves && f->n < FILTER_LONGEST; i++)
		f->at[f->leaves[i]].k = f->n - f->leaves[i] - 1;
	filter_put(f, BPF_ALU | BPF_RSH | BPF_X, 0, 0, 0);
	filter_put(f, BPF_JMP | BPF_JSET | BPF_K, 1, 1, 0);
	filter_return(f, FILTER_REFUSE);
	filter_return(f, FILTER_ALLOW);
}

static void permit_calls(uint32_t *words, const short *calls, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (calls[i] >= 0 && calls[i] < 32 * FILTER_WORDS)
			words[calls[i] / 32] |= (uint32_t)1 << calls[i] % 32;
}

/* Makes the filter; false if it would be longer than expected. */
static bool filter_make(struct restriction_filter *f, bool writes)
{
	uint32_t words[FILTER_WORDS] = { 0 };

	permit_calls(words, filter_reading, sizeof filter_reading / sizeof *filter_reading);
	if (writes)
		permit_calls(words, filter_writing, sizeof filter_writing / sizeof *filter_writing);
	filter_load(f, FILTER_ARGUMENT(0));             /* see the head of this file */
	filter_load(f, offsetof(struct seccomp_data, arch));
	filter_put(f, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)FILTER_ARCH, 1, 0);
	filter_return(f, FILTER_REFUSE);
	filter_load(f, offsetof(struct seccomp_data, nr));
	filter_arguments(f, writes);
	filter_bits(f, words);
	return f->n <= FILTER_LONGEST;
}

static void filter_calls(bool writes)
{
	struct restriction_filter f = { .n = 0 };
	struct sock_fprog program = { .filter = f.at };

	if (!FILTER_MACHINE || !filter_make(&f, writes))
		return;
	program.len = (unsigned short)f.n;
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

/* ---- Landlock: numbers of its interface, of which headers of some systems know only the first ---- */

enum {
	LANDLOCK_CREATE_RULESET = 444, LANDLOCK_ADD_RULE, LANDLOCK_RESTRICT_SELF,
	LANDLOCK_VERSION = 1, LANDLOCK_BELOW = 1,
};
enum {
	LAND_EXECUTE = 1 << 0, LAND_WRITE_FILE = 1 << 1, LAND_REMOVE_DIR = 1 << 4, LAND_REMOVE_FILE = 1 << 5,
	LAND_MAKE_CHAR = 1 << 6, LAND_MAKE_DIR = 1 << 7, LAND_MAKE_REG = 1 << 8, LAND_MAKE_SOCK = 1 << 9,
	LAND_MAKE_FIFO = 1 << 10, LAND_MAKE_BLOCK = 1 << 11, LAND_MAKE_SYM = 1 << 12, LAND_REFER = 1 << 13,
	LAND_TRUNCATE = 1 << 14,
};

struct land_rules {
	uint64_t files, network, scopes;
};

struct land_rule {
	uint64_t files;
	int32_t fd;
} __attribute__((packed));

int restriction_landlock(void)
{
	long version = syscall(LANDLOCK_CREATE_RULESET, NULL, (size_t)0, LANDLOCK_VERSION);

	return version > 0 ? (int)version : 0;
}

bool restriction_filters(void)
{
	uint32_t action = SECCOMP_RET_ERRNO;

	return FILTER_MACHINE && syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

static void land_permit(struct arena *a, int rules, const struct restriction_place *place, uint64_t handled)
{
	uint64_t file = LAND_WRITE_FILE | LAND_TRUNCATE;
	uint64_t below = file | LAND_REMOVE_FILE | LAND_MAKE_REG | (place->makes_directories ? LAND_MAKE_DIR : 0);
	struct land_rule rule = { .fd = open(str_copy(a, place->path).p, O_PATH | O_CLOEXEC) };
	struct stat st;

	if (rule.fd < 0)
		return;
	if (fstat(rule.fd, &st) == 0) {
		rule.files = (S_ISDIR(st.st_mode) ? below : file) & handled;
		syscall(LANDLOCK_ADD_RULE, rules, LANDLOCK_BELOW, &rule, 0);
	}
	close(rule.fd);
}

static void limit_places(struct arena *a, const struct restriction_place *places, size_t n)
{
	int version = restriction_landlock();
	struct land_rules handled = { .files = LAND_EXECUTE | LAND_WRITE_FILE | LAND_REMOVE_DIR | LAND_REMOVE_FILE |
		LAND_MAKE_CHAR | LAND_MAKE_DIR | LAND_MAKE_REG | LAND_MAKE_SOCK | LAND_MAKE_FIFO | LAND_MAKE_BLOCK |
		LAND_MAKE_SYM | (version >= 2 ? LAND_REFER : 0) | (version >= 3 ? LAND_TRUNCATE : 0) };

	if (!version)
		return;
	handled.network = version >= 4 ? 3 : 0;         /* bind and connect */
	handled.scopes = version >= 6 ? 3 : 0;          /* abstract sockets and signals */
	size_t size = version >= 6 ? sizeof handled : version >= 4 ? offsetof(struct land_rules, scopes) :
		offsetof(struct land_rules, network);
	int rules = (int)syscall(LANDLOCK_CREATE_RULESET, &handled, size, 0);
	if (rules < 0)
		return;
	for (size_t i = 0; i < n; i++)
		land_permit(a, rules, &places[i], handled.files);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	syscall(LANDLOCK_RESTRICT_SELF, rules, 0);
	close(rules);
}

void restriction_read_only(void) { filter_calls(false); }

void restriction_write_at(struct arena *a, const struct restriction_place *places, size_t n)
{
	limit_places(a, places, n);
	filter_calls(true);
}
