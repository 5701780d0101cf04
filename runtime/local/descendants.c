#include "runtime/local/descendants.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

enum { DEEPEST = 64, MOST_CHILDREN = 4096 };

/* At most `size` bytes of a file of /proc, with a NUL behind them; 0 when it cannot be read. */
static size_t proc_read(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t n = 0;

	if (fd < 0)
		return 0;
	while (n + 1 < size) {
		ssize_t k = read(fd, text + n, size - n - 1);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			break;
		n += (size_t)k;
	}
	close(fd);
	text[n] = '\0';
	return n;
}

/* State and parent of a process, from /proc/PID/stat; 0 when it is gone. */
static pid_t parent_of(pid_t pid, char *state)
{
	char path[64], text[512];
	int parent = 0;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	if (!proc_read(path, text, sizeof text))
		return 0;
	const char *after = strrchr(text, ')');         /* the program's own name may hold anything */
	if (!after || sscanf(after + 1, " %c %d", state, &parent) != 2)
		return 0;
	return parent;
}

struct pids {
	pid_t at[MOST_CHILDREN];
	size_t n;
};

static void pids_add(struct pids *p, pid_t pid)
{
	if (pid > 0 && p->n < MOST_CHILDREN)
		p->at[p->n++] = pid;
}

/* Children are listed by the thread that started them. */
static void thread_children(pid_t pid, const char *thread, struct pids *ret)
{
	char path[96], *text = malloc(1 << 16), *at = text;

	snprintf(path, sizeof path, "/proc/%d/task/%.20s/children", (int)pid, thread);
	if (text && proc_read(path, text, 1 << 16))
		for (char *end; *at; at = end) {
			long child = strtol(at, &end, 10);
			if (end == at)
				break;
			pids_add(ret, (pid_t)child);
		}
	free(text);
}

/* Where the kernel keeps no lists of children: everybody whose parent it is. */
static void children_by_parent(pid_t pid, struct pids *ret)
{
	DIR *dir = opendir("/proc");
	char state;

	if (!dir)
		return;
	for (const struct dirent *e; (e = readdir(dir));)
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9' && parent_of((pid_t)atoi(e->d_name), &state) == pid)
			pids_add(ret, (pid_t)atoi(e->d_name));
	closedir(dir);
}

static void children_of(pid_t pid, struct pids *ret)
{
	char path[64];

	ret->n = 0;
	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
	if (access(path, R_OK) < 0) {
		children_by_parent(pid, ret);
		return;
	}
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *dir = opendir(path);
	if (!dir)
		return;
	for (const struct dirent *e; (e = readdir(dir));)
		if (e->d_name[0] != '.')
			thread_children(pid, e->d_name, ret);
	closedir(dir);
}

/* A handle on a process if it still is a child of `parent`, and alive: its number may have been given to somebody else. */
static int hold(pid_t parent, pid_t pid)
{
	int fd = pidfd_open(pid, 0);
	char state = 'Z';

	if (fd >= 0 && parent_of(pid, &state) == parent && state != 'Z' && state != 'X')
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/*
 * From the top, so that nothing is started again; but what is below is held
 * before, since it changes its parent when that one dies.
 */
static size_t kill_tree(pid_t pid, int fd, int depth)
{
	struct pids *children = depth < DEEPEST ? malloc(sizeof *children) : NULL;
	int *held = NULL;
	size_t killed = 0;

	if (children) {
		children_of(pid, children);
		held = malloc((children->n + 1) * sizeof *held);
		for (size_t i = 0; held && i < children->n; i++)
			held[i] = hold(pid, children->at[i]);
	}
	killed += pidfd_send_signal(fd, SIGKILL, NULL, 0) == 0;
	close(fd);
	for (size_t i = 0; held && i < children->n; i++)
		if (held[i] >= 0)
			killed += kill_tree(children->at[i], held[i], depth + 1);
	free(held);
	free(children);
	return killed;
}

struct walk {
	enum descendant (*judge)(void *context, pid_t pid);
	void *context;
	size_t killed;
};

static void walk(struct walk *w, pid_t of, int depth)
{
	struct pids *children = depth < DEEPEST ? malloc(sizeof *children) : NULL;

	if (!children)
		return;
	children_of(of, children);
	for (size_t i = 0; i < children->n; i++) {
		pid_t pid = children->at[i];
		enum descendant d = w->judge(w->context, pid);
		int fd = d == DESCENDANT_KILL ? hold(of, pid) : -1;
		if (fd >= 0)
			w->killed += kill_tree(pid, fd, depth + 1);
		else if (d == DESCENDANT_PASS)
			walk(w, pid, depth + 1);
	}
	free(children);
}

size_t descendants_kill(pid_t of, enum descendant (*judge)(void *context, pid_t pid), void *context)
{
	struct walk w = { judge, context, 0 };

	walk(&w, of, 0);
	return w.killed;
}

bool process_has_variable(pid_t pid, const char *entry)
{
	enum { MOST = 4 << 20 };
	char path[64], *text = malloc(MOST);
	size_t n, length = strlen(entry);
	bool found = false;

	snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
	n = text ? proc_read(path, text, MOST) : 0;
	for (size_t at = 0; at < n && !found; at += strlen(text + at) + 1)
		found = strncmp(text + at, entry, length + 1) == 0;
	free(text);
	return found;
}
