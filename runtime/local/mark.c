/* mark.c - the resource limit that holds the mark: set by the child, read from /proc. */
#include "runtime/local/mark.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/sha256.h"

enum { REPLICA_BITS = 22, RUN_DIGITS = 10 };
static const uint64_t replica_mask = (UINT64_C(1) << REPLICA_BITS) - 1;

uint64_t mark_of_run(const struct run_state *s)
{
	struct buf b = { 0 };
	char hex[65];

	if (!s->keeper.pid)
		return 0;
	buf_printf(&b, "%.*s %ld %llu", STR_ARG(s->boot_id), (long)s->keeper.pid, (unsigned long long)s->keeper.start);
	sha256_hex(buf_text(&b), hex);
	buf_release(&b);
	hex[RUN_DIGITS] = 0;
	return strtoull(hex, NULL, 16) << REPLICA_BITS;
}

uint64_t mark_of_replica(uint64_t run, size_t number)
{
	return run ? run | ((number + 1) & replica_mask) : 0;
}

/* The soft limit of process PID; 0 when it is unlimited or cannot be read. */
static uint64_t soft_limit(pid_t pid)
{
	static const char name[] = "Max file locks";
	char path[64], text[4096];

	snprintf(path, sizeof path, "/proc/%ld/limits", (long)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = 0;
	const char *line = strstr(text, name);
	return line ? strtoull(line + sizeof name - 1, NULL, 10) : 0;
}

bool mark_find(pid_t pid, uint64_t run, size_t *ret_number)
{
	uint64_t mark = run ? soft_limit(pid) : 0;

	if (!(mark & replica_mask) || (mark & ~replica_mask) != run)
		return false;
	*ret_number = (size_t)(mark & replica_mask) - 1;
	return true;
}

void mark_set(uint64_t mark)
{
	struct rlimit locks;

	if (!mark || getrlimit(RLIMIT_LOCKS, &locks) < 0)
		return;
	locks.rlim_cur = mark;
	setrlimit(RLIMIT_LOCKS, &locks);
}
