/*
 * descendants_test.c - descendants of a process: they are found however many there are, killed together with their
 * own descendants, or spared.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/local/descendants.h"
#include "unit.h"

enum { MANY = 4200 };

static pid_t children[MANY];

struct wish {
	pid_t pass;                     /* the child whose descendants are killed; other children are spared */
	size_t judged;
};

static enum descendant judge(void *context, pid_t pid)
{
	struct wish *w = context;

	w->judged++;
	for (size_t i = 0; i < MANY; i++)
		if (children[i] == pid)
			return pid == w->pass ? DESCENDANT_PASS : DESCENDANT_SPARE;
	return DESCENDANT_KILL;
}

static _Noreturn void wait_for_death(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm(20);
	for (;;)
		pause();
}

/* Makes a child that has a child itself, and reports that it has started. */
static pid_t family(void)
{
	int ready[2];
	char byte;

	if (pipe(ready) != 0)
		return -1;
	pid_t pid = fork();
	if (pid == 0) {
		if (fork() == 0)
			(void)!write(ready[1], "r", 1);
		wait_for_death();
	}
	close(ready[1]);
	CHECK(read(ready[0], &byte, 1) == 1);
	close(ready[0]);
	return pid;
}

static bool killed(pid_t pid)
{
	int how;

	return waitpid(pid, &how, 0) == pid && WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL;
}

static void few(void)
{
	struct wish w = { 0 };
	pid_t spared = family(), other = family();

	children[0] = spared;
	CHECK(descendants_kill(getpid(), judge, &w) == 2 && w.judged == 2);
	CHECK(killed(other));
	CHECK(wait(NULL) > 0);          /* its child has become our child, and may still be dying */
	CHECK(waitpid(spared, NULL, WNOHANG) == 0);
	w = (struct wish){ .pass = spared };
	CHECK(descendants_kill(getpid(), judge, &w) == 1);
	CHECK(waitpid(spared, NULL, WNOHANG) == 0);
	kill(spared, SIGKILL);
	CHECK(killed(spared));
	while (wait(NULL) > 0)          /* its descendants have become our children */
		;
}

/* Finds the child of a process that comes after thousands of others. */
static void many(void)
{
	struct wish w = { 0 };
	size_t n = 0;

	while (n < MANY && (children[n] = fork()) > 0)
		n++;
	if (n < MANY && children[n] == 0)
		wait_for_death();
	pid_t last = n == MANY ? family() : -1;
	if (last > 0) {
		CHECK(descendants_kill(getpid(), judge, &w) == 2 && w.judged == MANY + 1);
		CHECK(killed(last));
	}
	for (size_t i = 0; i < n; i++)
		kill(children[i], SIGKILL);
	while (wait(NULL) > 0)
		;
}

static void variables(void)
{
	CHECK(!process_has_variable(getpid(), "NO_SUCH_NAME=1"));
	const char *path = getenv("PATH");
	struct arena a = { 0 };
	if (path) {
		CHECK(process_has_variable(getpid(), str_printf(&a, "PATH=%s", path).p));
		CHECK(!process_has_variable(getpid(), str_printf(&a, "PATH=%s:", path).p));
		CHECK(!process_has_variable(getpid(), "PATH"));
	}
	arena_release(&a);
}

int main(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	few();
	many();
	variables();
	return unit_end();
}
