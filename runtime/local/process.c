/*
 * process.c - distinguishes a process from a later one with the same number by its start time and by the boot.
 */
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "runtime/run/run_state.h"

static size_t read_small(const char *path, char *into, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, into, size - 1);

	if (fd >= 0)
		close(fd);
	into[n > 0 ? n : 0] = 0;
	return n > 0 ? (size_t)n : 0;
}

/* Reads fields 3, 4 and 22 of /proc/PID/stat; the name before them may contain anything, even parentheses. */
static bool read_stat(pid_t pid, char *ret_state, pid_t *ret_parent, uint64_t *ret_start)
{
	char path[64], text[1024];

	snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
	if (!read_small(path, text, sizeof text))
		return false;
	char *p = strrchr(text, ')');
	if (!p || p[1] != ' ' || !p[2])
		return false;
	*ret_state = p[2];
	p += 2;
	for (int field = 3; field < 22; field++) {
		p = strchr(p, ' ');
		if (!p)
			return false;
		p++;
		if (field == 3)
			*ret_parent = (pid_t)strtol(p, NULL, 10);
	}
	if (!isdigit((unsigned char)*p))
		return false;
	*ret_start = strtoull(p, NULL, 10);
	return true;
}

static bool is_dead(char state) { return state == 'Z' || state == 'X' || state == 'x'; }

bool process_identify(pid_t pid, struct process_id *ret)
{
	char state;
	pid_t parent;
	uint64_t start;

	if (pid <= 0 || !read_stat(pid, &state, &parent, &start) || is_dead(state))
		return false;
	*ret = (struct process_id){ pid, start };
	return true;
}

pid_t process_parent(pid_t pid, char *ret_state)
{
	pid_t parent;
	uint64_t start;

	return pid > 0 && read_stat(pid, ret_state, &parent, &start) ? parent : -1;
}

bool process_alive(const struct process_id *id, struct str boot_id)
{
	struct arena scratch = { 0 };
	struct process_id now;
	bool same_boot = str_eq(boot_id_read(&scratch), boot_id);

	arena_release(&scratch);
	return same_boot && process_identify(id->pid, &now) && now.start == id->start;
}

struct str boot_id_read(struct arena *a)
{
	char text[64];
	size_t n = read_small("/proc/sys/kernel/random/boot_id", text, sizeof text);

	while (n && isspace((unsigned char)text[n - 1]))
		n--;
	return str_copy(a, (struct str){ text, n });
}
