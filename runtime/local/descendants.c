/* descendants.c - reads /proc for the processes that belong to a replica. */
#include "runtime/local/descendants.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/system.h"
#include "runtime/run/run_state.h"

enum { DEEPEST = 64, BLOCK = 16 << 10 };

/* Reads a file of /proc to its end and appends a NUL; false when it cannot be read. */
static bool proc_read(const char *path, struct buf *ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t k = 0;

	if (fd < 0)
		return false;
	while (buf_room(ret, BLOCK)) {
		k = read(fd, ret->p + ret->n, BLOCK);
		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			break;
		ret->n += (size_t)k;
	}
	close(fd);
	buf_char(ret, '\0');
	return k >= 0;
}

struct pids {
	pid_t *at;
	size_t n, room;
};

static void pids_add(struct pids *p, pid_t pid)
{
	if (pid <= 0)
		return;
	if (p->n == p->room) {
		p->room = p->room ? 2 * p->room : 64;
		p->at = memory_resize(p->at, p->room * sizeof *p->at);
	}
	p->at[p->n++] = pid;
}

/* Adds the children that a thread has started; the kernel lists them by thread. */
static void thread_children(pid_t pid, const char *thread, struct pids *ret)
{
	char path[96];
	struct buf text = { 0 };

	snprintf(path, sizeof path, "/proc/%d/task/%.20s/children", (int)pid, thread);
	if (proc_read(path, &text))
		for (char *at = text.p, *end; *at; at = end) {
			long child = strtol(at, &end, 10);
			if (end == at)
				break;
			pids_add(ret, (pid_t)child);
		}
	buf_release(&text);
}

/* Adds the children of a process by looking at all processes, if the kernel has no lists of children. */
static void children_by_parent(pid_t pid, struct pids *ret)
{
	DIR *dir = directory_open("/proc");
	char state;

	if (!dir)
		return;
	for (const struct dirent *e; (e = readdir(dir));)
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9' && process_parent((pid_t)atoi(e->d_name), &state) == pid)
			pids_add(ret, (pid_t)atoi(e->d_name));
	closedir(dir);
}

static void children_of(pid_t pid, struct pids *ret)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)pid, (int)pid);
	if (access(path, R_OK) < 0) {
		children_by_parent(pid, ret);
		return;
	}
	snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
	DIR *dir = directory_open(path);
	if (!dir)
		return;
	for (const struct dirent *e; (e = readdir(dir));)
		if (e->d_name[0] != '.')
			thread_children(pid, e->d_name, ret);
	closedir(dir);
}

/* Opens a process if it is alive and still a child of PARENT: the number may belong to another process by now. */
static int hold(pid_t parent, pid_t pid)
{
	int fd = system_pidfd_open(pid);
	char state = 'Z';

	if (fd >= 0 && process_parent(pid, &state) == parent && state != 'Z' && state != 'X')
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/*
 * Kills a process and everything below it, from the top, so that nothing is started again. Processes below are opened
 * first, because their parent changes when it dies.
 */
static size_t kill_tree(pid_t pid, int fd, int depth)
{
	struct pids children = { 0 };
	size_t killed = 0;

	if (depth < DEEPEST)
		children_of(pid, &children);
	int *held = memory_resize(NULL, (children.n + 1) * sizeof *held);
	for (size_t i = 0; i < children.n; i++)
		held[i] = hold(pid, children.at[i]);
	killed += system_pidfd_signal(fd, SIGKILL) == 0;
	close(fd);
	for (size_t i = 0; i < children.n; i++)
		if (held[i] >= 0)
			killed += kill_tree(children.at[i], held[i], depth + 1);
	free(held);
	free(children.at);
	return killed;
}

struct walk {
	enum descendant (*judge)(void *context, pid_t pid);
	void *context;
	size_t killed;
};

static void walk(struct walk *w, pid_t of, int depth)
{
	struct pids children = { 0 };

	if (depth < DEEPEST)
		children_of(of, &children);
	for (size_t i = 0; i < children.n; i++) {
		pid_t pid = children.at[i];
		enum descendant d = w->judge(w->context, pid);
		int fd = d == DESCENDANT_KILL ? hold(of, pid) : -1;
		if (fd >= 0)
			w->killed += kill_tree(pid, fd, depth + 1);
		else if (d == DESCENDANT_PASS)
			walk(w, pid, depth + 1);
	}
	free(children.at);
}

size_t descendants_kill(pid_t of, enum descendant (*judge)(void *context, pid_t pid), void *context)
{
	struct walk w = { judge, context, 0 };

	walk(&w, of, 0);
	return w.killed;
}

bool process_has_variable(pid_t pid, const char *entry)
{
	char path[64];
	struct buf text = { 0 };
	size_t length = strlen(entry);
	bool found = false;

	snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
	if (proc_read(path, &text))
		for (size_t at = 0; at < text.n && !found; at += strlen(text.p + at) + 1)
			found = strncmp(text.p + at, entry, length + 1) == 0;
	buf_release(&text);
	return found;
}
