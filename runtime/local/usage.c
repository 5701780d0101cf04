/* usage.c - reads processor time and memory from /proc, and sums them up by replica. */
#include "runtime/local/usage.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/words.h"
#include "runtime/local/mark.h"

enum { PAUSE_SECONDS = 2 };

static size_t replicas_in_all(const struct run_state *s)
{
	size_t n = 0;

	for (size_t k = 0; k < s->nroles; k++)
		n += (size_t)s->roles[k].max;
	return n;
}

static struct str read_of(pid_t pid, const char *name, char *into, size_t size)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%ld/%s", (long)pid, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, into, size - 1);
	if (fd >= 0)
		close(fd);
	into[n > 0 ? n : 0] = 0;
	return str_of(into);
}

/*
 * The clock ticks of a process and of its ended children: fields 14 to 17 of its stat. The process name, which comes
 * before these fields, may contain anything.
 */
static int64_t ticks_of(pid_t pid)
{
	char text[1024];
	int64_t sum = 0;

	read_of(pid, "stat", text, sizeof text);
	char *p = strrchr(text, ')');
	for (int field = 2; p && field < 17; field++) {
		p = strchr(p + 1, ' ');
		if (p && field + 1 >= 14)
			sum += strtoll(p + 1, NULL, 10);
	}
	return sum;
}

/* The number after NAME in the status file of a process (proc(5)), in bytes. */
static int64_t bytes_of(const char *text, const char *name)
{
	const char *line = strstr(text, name);

	return line ? strtoll(line + strlen(name), NULL, 10) * 1024 : 0;
}

/*
 * Adds the memory that would be free without the process: all its own pages. Of pages that processes share (shm_open()
 * and the like), only the largest number in any one process counts.
 */
static void add_memory(pid_t pid, struct run_usage *u, int64_t *shared)
{
	char text[4096];

	read_of(pid, "status", text, sizeof text);
	int64_t shm = bytes_of(text, "RssShmem:");
	u->memory += bytes_of(text, "RssAnon:");
	if (shm > *shared) {
		u->memory += shm - *shared;
		*shared = shm;
	}
}

static void look_at_processes(struct run_usage *at, size_t n, uint64_t mark)
{
	int64_t *shared = memory_resize(NULL, (n + 1) * sizeof *shared), tick = NS_PER_SECOND / sysconf(_SC_CLK_TCK);
	DIR *d = directory_open("/proc");
	size_t number;

	memset(shared, 0, (n + 1) * sizeof *shared);
	for (const struct dirent *e; d && (e = readdir(d));) {
		pid_t pid = e->d_name[0] >= '1' && e->d_name[0] <= '9' ? (pid_t)strtol(e->d_name, NULL, 10) : 0;
		if (!pid || !mark_find(pid, mark, &number) || number >= n)
			continue;
		at[number].known = true;
		at[number].cpu += ticks_of(pid) * tick;
		add_memory(pid, &at[number], &shared[number]);
	}
	if (d)
		closedir(d);
	free(shared);
}

/*
 * Computes the processor time that was used per second since the last measurement. Processes that have ended since then
 * are missing in the new sum.
 */
static void put_rate(struct run_usage *now, const struct run_usage *before, int64_t elapsed)
{
	int64_t used = now->cpu - before->cpu;

	if (!now->known || !before->known || elapsed <= 0)
		return;
	now->rate = used > 0 ? (double)used / (double)elapsed : 0;
	now->rated = true;
}

void usage_measure(struct usage *u, struct run_state *s)
{
	size_t n = replicas_in_all(s), i = 0;
	int64_t now = clock_steady();

	if (n && (u->n != n || !u->time || now - u->time >= PAUSE_SECONDS * NS_PER_SECOND)) {
		struct run_usage *next = memory_resize(NULL, n * sizeof *next);
		memset(next, 0, n * sizeof *next);
		look_at_processes(next, n, mark_of_run(s));
		for (size_t k = 0; k < n && u->n == n; k++)
			put_rate(&next[k], &u->replicas[k], now - u->time);
		free(u->replicas);
		*u = (struct usage){ next, n, now };
	}
	for (size_t k = 0; k < s->nroles; k++)
		for (int64_t r = 0; r < s->roles[k].max; r++)
			s->roles[k].at[r].usage = u->replicas[i++];
}

void usage_release(struct usage *u)
{
	free(u->replicas);
	*u = (struct usage){ 0 };
}
