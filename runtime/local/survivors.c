/*
 * survivors.c - looks at all processes of the machine repeatedly until no process belongs to the run: a dying process
 * may have started another one after the last look. A signal is sent through a pidfd that was opened before the process
 * was judged, so it never reaches a later process with the same number.
 */
#include "runtime/local/survivors.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "runtime/local/mark.h"
#include "base/system.h"
#include "base/words.h"

enum { KILL_SECONDS = 5, PAUSE_MS = 20 };

struct process {
	pid_t pid, parent;
	bool ours, spared;
};

struct search {
	struct arena *arena;
	uint64_t mark;
	struct process_ids leaders;     /* main processes of the run that are alive */
	struct process *at;
	size_t n;
};

struct process_ids run_survivors(struct arena *a, const struct run_state *s)
{
	struct process_ids all = { 0 };

	for (size_t k = 0; k < s->nroles; k++)
		for (int64_t i = 0; i < s->roles[k].max; i++) {
			struct process_id id = s->roles[k].at[i].process;
			if (id.pid && process_alive(&id, s->boot_id))
				ARENA_PUSH(a, all.at, all.n, id);
		}
	return all;
}

static bool leads(const struct process_ids *leaders, pid_t session)
{
	for (size_t i = 0; i < leaders->n; i++)
		if (leaders->at[i].pid == session)
			return true;
	return false;
}

static bool is_survivor(const struct search *s, pid_t pid)
{
	size_t number;

	return mark_find(pid, s->mark, &number) || leads(&s->leaders, pid) ||
		(s->leaders.n && leads(&s->leaders, getsid(pid)));
}

static void list_processes(struct search *s)
{
	DIR *d = directory_open("/proc");

	for (const struct dirent *e; d && (e = readdir(d));) {
		char state;
		pid_t pid = e->d_name[0] >= '1' && e->d_name[0] <= '9' ? (pid_t)strtol(e->d_name, NULL, 10) : 0;
		pid_t parent = pid ? process_parent(pid, &state) : -1;
		struct process p = { .pid = pid, .parent = parent };

		if (parent < 0 || state == 'Z' || state == 'X')
			continue;
		p.ours = is_survivor(s, pid);
		ARENA_PUSH(s->arena, s->at, s->n, p);
	}
	if (d)
		closedir(d);
}

static struct process *process_of(const struct search *s, pid_t pid)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].pid == pid)
			return &s->at[i];
	return NULL;
}

static void spare_caller(struct search *s)
{
	struct process *p = process_of(s, getpid());

	for (size_t i = 0; p && !p->spared && i < s->n; i++) {
		p->spared = true;
		p = process_of(s, p->parent);
	}
}

/* Adds the children of processes of the run, even if they have changed their mark. */
static void add_children(struct search *s)
{
	for (bool more = true; more;) {
		more = false;
		for (size_t i = 0; i < s->n; i++) {
			const struct process *parent = s->at[i].ours ? NULL : process_of(s, s->at[i].parent);
			if (!parent || !parent->ours || parent->spared)
				continue;
			s->at[i].ours = more = true;
		}
	}
}

static bool send_signal(const struct search *s, const struct process *p, int signal)
{
	int fd = system_pidfd_open(p->pid);
	char state = 'Z';

	if (fd < 0)
		return false;
	bool still = is_survivor(s, p->pid) || process_parent(p->pid, &state) == p->parent;
	bool sent = still && (!signal || system_pidfd_signal(fd, signal) == 0);
	close(fd);
	return sent;
}

/* Sends SIGNAL (0: no signal) to all processes of the run; returns the number of these processes. */
static size_t signal_all(const struct run_state *run, int signal)
{
	struct arena scratch = { 0 };
	struct search s = { .arena = &scratch, .mark = mark_of_run(run) };
	size_t n = 0;

	s.leaders = run_survivors(&scratch, run);
	list_processes(&s);
	spare_caller(&s);
	add_children(&s);
	for (size_t i = 0; i < s.n; i++)
		if (s.at[i].ours && !s.at[i].spared)
			n += send_signal(&s, &s.at[i], signal);
	arena_release(&scratch);
	return n;
}

/* Waits until no process is left, for at most NS; returns the number that is left. */
static size_t wait_for(const struct run_state *run, int64_t ns, int signal)
{
	const struct timespec pause = { 0, PAUSE_MS * 1000000 };
	int64_t end = clock_steady() + ns;
	size_t left;

	while ((left = signal_all(run, signal)) && clock_steady() < end)
		nanosleep(&pause, NULL);
	return left;
}

size_t survivors_end(struct arena *a, const struct run_state *s, int64_t grace, size_t *ret_found)
{
	*ret_found = str_eq(s->boot_id, boot_id_read(a)) ? signal_all(s, grace ? SIGTERM : SIGKILL) : 0;
	if (!*ret_found || (grace && !wait_for(s, grace, 0)))
		return 0;
	return wait_for(s, KILL_SECONDS * NS_PER_SECOND, SIGKILL);
}

void keeper_kill(const struct run_state *s)
{
	const struct timespec pause = { 0, PAUSE_MS * 1000000 };
	int fd = s->keeper.pid ? system_pidfd_open(s->keeper.pid) : -1;

	if (fd < 0)
		return;
	if (process_alive(&s->keeper, s->boot_id))
		system_pidfd_signal(fd, SIGKILL);
	close(fd);
	for (int i = 0; i < 100 && process_alive(&s->keeper, s->boot_id); i++)
		nanosleep(&pause, NULL);
}
