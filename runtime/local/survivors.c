#include "runtime/local/survivors.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "runtime/local/run_dir.h"
#include "runtime/words.h"

static pid_t session_of(pid_t pid) { return getsid(pid); }

static bool leads(const struct process_ids *leaders, pid_t session)
{
	for (size_t i = 0; i < leaders->n; i++)
		if (leaders->at[i].pid == session)
			return true;
	return false;
}

static bool is_known(const struct process_ids *all, const struct process_id *id)
{
	for (size_t i = 0; i < all->n; i++)
		if (all->at[i].pid == id->pid && all->at[i].start == id->start)
			return true;
	return false;
}

/*
 * Everybody in the sessions of the leaders.  Told by session while the leader lives,
 * and by pid and start time from then on: the number of a session that has ended may
 * become that of a stranger.
 */
static void add_members(struct arena *a, const struct run_state *s, const struct process_ids *leaders, struct process_ids *all)
{
	DIR *d = opendir("/proc");

	for (struct dirent *e; d && (e = readdir(d));) {
		pid_t pid = e->d_name[0] >= '1' && e->d_name[0] <= '9' ? (pid_t)strtol(e->d_name, NULL, 10) : 0;
		struct process_id id;

		if (pid && leads(leaders, session_of(pid)) && process_identify(pid, &id) && !is_known(all, &id))
			ARENA_PUSH(a, all->at, all->n, id);
	}
	if (d)
		closedir(d);
	/* a leader that died while we looked proves nothing about its session */
	for (size_t i = 0; i < leaders->n; i++)
		if (!process_alive(&leaders->at[i], s->boot_id))
			all->n = 0;
}

static size_t signal_all(const struct process_ids *all, struct str boot_id, int signal)
{
	size_t alive = 0;

	for (size_t i = 0; i < all->n; i++) {
		if (!process_alive(&all->at[i], boot_id))
			continue;
		alive++;
		if (signal)
			kill(all->at[i].pid, signal);
	}
	return alive;
}

/* Until all are dead; how many are not after that time. */
static size_t wait_for(const struct process_ids *all, struct str boot_id, int64_t ns, int signal)
{
	const struct timespec pause = { 0, 10 * 1000000 };
	int64_t end = clock_steady() + ns;
	size_t left;

	while ((left = signal_all(all, boot_id, signal)) && clock_steady() < end)
		nanosleep(&pause, NULL);
	return left;
}

size_t survivors_end(struct arena *a, const struct run_state *s, int64_t grace)
{
	struct process_ids leaders = run_survivors(a, s), all = { 0 };

	for (int tries = 0; tries < 10 && leaders.n && !all.n; tries++) {
		add_members(a, s, &leaders, &all);
		leaders = run_survivors(a, s);
	}
	if (!all.n)
		return 0;
	signal_all(&all, s->boot_id, SIGTERM);
	if (!wait_for(&all, s->boot_id, grace, 0))
		return 0;
	return wait_for(&all, s->boot_id, 5 * NS_PER_SECOND, SIGKILL);
}
