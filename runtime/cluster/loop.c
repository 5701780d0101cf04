/*
 * loop.c - the event loop: epoll, one timerfd for a heap of timers, a signalfd, and a pidfd for each child. The events
 * of one round are delivered from a copy. A callback may disarm a descriptor whose event is still in that copy, so
 * loop_fd_drop() removes it there, too.
 */
#include "runtime/cluster/loop.h"
#include "base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	LOOP_ROUND = 64,                /* maximum number of events taken from the kernel at once */
	LOOP_GLANCE = 20,               /* ms after which timers are looked at again when the timerfd cannot be set */
	CHILD_REPORT = 3,               /* the descriptor at which a child reports that exec failed */
};

struct loop {
	int epoll, timerfd, signalfd;
	int64_t now;
	bool stop, inside;              /* loop_stop() was called; a round is under way */
	/*
	 * number of armed descriptors, including descriptors of children, but without the descriptors of signals and
	 * timers
	 */
	size_t nfds;
	struct loop_timer **timers;     /* a heap of timers, the earliest first */
	size_t ntimers, timer_room;
	int64_t timer_set;              /* the time to which the timerfd is set; 0: the timerfd is off */
	struct epoll_event round[LOOP_ROUND];
	int nround;
	sigset_t signals, old_mask;
	void (*heard)(void *to, int signal);
	void *heard_to;
};

static int64_t read_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Adds one of the loop's own descriptors. An event for such a descriptor is recognized by the address MARK. */
static bool loop_add(struct loop *l, int fd, void *mark)
{
	struct epoll_event e = { .events = EPOLLIN, .data.ptr = mark };

	return epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &e) == 0;
}

struct loop *loop_new(void)
{
	struct loop *l = memory_resize(NULL, sizeof *l);

	*l = (struct loop){ .epoll = epoll_create1(EPOLL_CLOEXEC), .signalfd = -1 };
	l->timerfd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (l->epoll < 0 || l->timerfd < 0 || !loop_add(l, l->timerfd, &l->timerfd)) {
		int error = errno;
		loop_release(l);
		errno = error;
		return NULL;
	}
	sigprocmask(SIG_SETMASK, NULL, &l->old_mask);
	l->now = read_now();
	return l;
}

void loop_release(struct loop *l)
{
	if (!l)
		return;
	loop_signals_drop(l);
	if (l->timerfd >= 0)
		close(l->timerfd);
	if (l->epoll >= 0)
		close(l->epoll);
	free(l->timers);
	free(l);
}

int64_t loop_now(struct loop *l)
{
	if (!l->inside)
		l->now = read_now();
	return l->now;
}

void loop_stop(struct loop *l) { l->stop = true; }

/* ---- descriptors ---- */

bool loop_fd_set(struct loop *l, struct loop_fd *f, int fd, unsigned events)
{
	struct epoll_event e = { .events = events, .data.ptr = f };
	bool armed = f->fd >= 0;

	if (armed && f->fd != fd) {
		loop_fd_drop(l, f);
		armed = false;
	}
	if (epoll_ctl(l->epoll, armed ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &e) < 0)
		return false;
	f->fd = fd;
	f->events = events;
	l->nfds += !armed;
	return true;
}

void loop_fd_drop(struct loop *l, struct loop_fd *f)
{
	if (f->fd < 0)
		return;
	epoll_ctl(l->epoll, EPOLL_CTL_DEL, f->fd, NULL);
	f->fd = -1;
	l->nfds--;
	for (int i = 0; i < l->nround; i++)
		if (l->round[i].data.ptr == f)
			l->round[i].data.ptr = NULL;
}

/* ---- timers ---- */

static void timer_put(struct loop *l, size_t at, struct loop_timer *t)
{
	l->timers[at] = t;
	t->slot = at + 1;
}

/* Moves the timer at AT to its place in the heap. */
static void timer_sift(struct loop *l, size_t at)
{
	struct loop_timer *t = l->timers[at];

	for (; at > 0 && t->at < l->timers[(at - 1) / 2]->at; at = (at - 1) / 2)
		timer_put(l, at, l->timers[(at - 1) / 2]);
	for (;;) {
		size_t child = 2 * at + 1;
		if (child + 1 < l->ntimers && l->timers[child + 1]->at < l->timers[child]->at)
			child++;
		if (child >= l->ntimers || l->timers[child]->at >= t->at)
			break;
		timer_put(l, at, l->timers[child]);
		at = child;
	}
	timer_put(l, at, t);
}

void loop_timer_set(struct loop *l, struct loop_timer *t, int64_t ns)
{
	t->at = loop_now(l) + (ns > 0 ? ns : 0);
	if (!t->slot) {
		if (l->ntimers == l->timer_room) {
			l->timer_room = l->timer_room ? 2 * l->timer_room : 16;
			l->timers = memory_resize(l->timers, l->timer_room * sizeof *l->timers);
		}
		timer_put(l, l->ntimers++, t);
	}
	timer_sift(l, t->slot - 1);
}

void loop_timer_drop(struct loop *l, struct loop_timer *t)
{
	if (!t->slot)
		return;
	size_t at = t->slot - 1;
	struct loop_timer *last = l->timers[--l->ntimers];

	t->slot = 0;
	if (last != t) {
		timer_put(l, at, last);
		timer_sift(l, at);
	}
}

/*
 * Fires the timers that are due. If a callback sets a timer to the current time, the timer fires in the next round, so
 * that such timers cannot block everything else.
 */
static void timers_fire(struct loop *l)
{
	int64_t due = l->now;

	while (l->ntimers && l->timers[0]->at <= due && !l->stop) {
		struct loop_timer *t = l->timers[0];
		loop_timer_drop(l, t);
		l->now = due + 1;       /* timers that callbacks arm now are later than the timers of this round */
		t->fire(t);
	}
}

/* False if the kernel refuses. */
static bool timerfd_arm(struct loop *l)
{
	int64_t at = l->ntimers ? l->timers[0]->at : 0;
	struct itimerspec spec = { .it_value = { .tv_sec = at / 1000000000, .tv_nsec = at % 1000000000 } };

	if (at == l->timer_set)
		return true;
	if (timerfd_settime(l->timerfd, TFD_TIMER_ABSTIME, &spec, NULL) < 0)
		return false;
	l->timer_set = at;
	return true;
}

/* ---- signals ---- */

bool loop_signals(struct loop *l, const sigset_t *set, void (*heard)(void *to, int signal), void *to)
{
	int fd = signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK);

	if (fd < 0)
		return false;
	if (sigprocmask(SIG_BLOCK, set, &l->old_mask) < 0 || !loop_add(l, fd, &l->signalfd)) {
		int error = errno;
		close(fd);
		errno = error;
		return false;
	}
	l->signalfd = fd;
	l->signals = *set;
	l->heard = heard;
	l->heard_to = to;
	return true;
}

void loop_signals_drop(struct loop *l)
{
	if (l->signalfd < 0)
		return;
	close(l->signalfd);
	l->signalfd = -1;
	for (int i = 0; i < l->nround; i++)
		if (l->round[i].data.ptr == &l->signalfd)
			l->round[i].data.ptr = NULL;
	sigprocmask(SIG_SETMASK, &l->old_mask, NULL);
}

/* Takes the signals that wait. The signalfd only wakes the loop, since reading it could fail. */
static void signals_take(struct loop *l)
{
	static const struct timespec none;
	int number;

	while (l->signalfd >= 0 && (number = sigtimedwait(&l->signals, NULL, &none)) > 0)
		l->heard(l->heard_to, number);
}

/* ---- the loop ---- */

static void deliver(struct loop *l)
{
	for (int i = 0; i < l->nround && !l->stop; i++) {
		void *mark = l->round[i].data.ptr;
		uint64_t expirations;

		if (!mark)
			continue;
		if (mark == &l->signalfd) {
			signals_take(l);
		} else if (mark == &l->timerfd) {
			if (read(l->timerfd, &expirations, sizeof expirations) == (ssize_t)sizeof expirations)
				l->timer_set = 0;
		} else {
			struct loop_fd *f = mark;
			f->ready(f, l->round[i].events);
		}
	}
	l->nround = 0;
}

/* Does one round: waits at most MS milliseconds; -1: until something happens. */
static void round_of(struct loop *l, int ms)
{
	if (!timerfd_arm(l) && ms < 0)
		ms = LOOP_GLANCE;
	int n = epoll_wait(l->epoll, l->round, LOOP_ROUND, ms);

	l->now = read_now();
	l->inside = true;
	l->nround = n > 0 ? n : 0;
	deliver(l);
	timers_fire(l);
	l->inside = false;
}

void loop_run(struct loop *l)
{
	l->stop = false;
	while (!l->stop && (l->nfds || l->ntimers))
		round_of(l, -1);
}

int loop_descriptor(struct loop *l)
{
	timerfd_arm(l);
	return l->epoll;
}

void loop_turn(struct loop *l)
{
	l->stop = false;
	round_of(l, 0);
	timerfd_arm(l);
}

/* ---- children ---- */

static void child_ended(struct loop_fd *f, unsigned events)
{
	struct loop_child *c = f->to;
	int fd = f->fd, status = 0;

	(void)events;
	if (waitpid(c->pid, &status, WNOHANG) != c->pid)
		return;
	loop_fd_drop(c->loop, f);
	close(fd);
	c->pid = 0;
	c->ended(c, status);
}

/*
 * Runs in the child: calls exec, or sends the errno through the pipe. The child is killed when its PARENT ends for any
 * reason, because it would be useless then, like a credential plugin that still waits for a browser.
 */
static _Noreturn void child_exec(const struct loop *l, char *const *argv, char *const *env, const int fds[3],
	int report, pid_t parent)
{
	int moved[3];

	if (prctl(PR_SET_PDEATHSIG, SIGTERM) < 0)
		goto failed;
	if (getppid() != parent)
		_exit(126);
	for (int i = 0; i < 3; i++)     /* moves all descriptors above 2 first, since one descriptor may have a number
					 * that another one needs */
		moved[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, 3);
	for (int i = 0; i < 3; i++)
		if (moved[i] < 0 || dup2(moved[i], i) < 0)
			goto failed;
	if (report != CHILD_REPORT && dup3(report, CHILD_REPORT, O_CLOEXEC) < 0)
		goto failed;
	report = CHILD_REPORT;
	system_close_from(CHILD_REPORT + 1);    /* libcurl's sockets, which would stay open with the child */
	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigprocmask(SIG_SETMASK, &l->old_mask, NULL);
	execvpe(argv[0], argv, env);
failed:;
	int error = errno;
	ssize_t n = write(report, &error, sizeof error);
	_exit(n == (ssize_t)sizeof error ? 127 : 126);
}

/* Waits for a child that could not be watched or did not reach exec; returns ERROR. */
static int child_failed(pid_t pid, int error)
{
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return error;
}

int loop_child_start(struct loop *l, struct loop_child *c, char *const *argv, char *const *env, const int fds[3])
{
	int report[2], error = 0;

	if (pipe2(report, O_CLOEXEC) < 0)
		return errno;
	pid_t parent = getpid(), pid = fork();
	if (pid == 0) {
		close(report[0]);
		child_exec(l, argv, env, fds, report[1], parent);
	}
	close(report[1]);
	if (pid < 0) {
		error = errno;
		close(report[0]);
		return error;
	}
	ssize_t n;
	while ((n = read(report[0], &error, sizeof error)) < 0 && errno == EINTR)
		;
	close(report[0]);
	if (n != 0)
		return child_failed(pid, n == (ssize_t)sizeof error ? error : EIO);
	int fd = system_pidfd_open(pid);
	c->pidfd = (struct loop_fd){ .fd = -1, .ready = child_ended, .to = c };
	c->loop = l;
	if (fd < 0 || !loop_fd_set(l, &c->pidfd, fd, EPOLLIN)) {
		error = errno;
		if (fd >= 0)
			close(fd);
		return child_failed(pid, error);
	}
	fcntl(fd, F_SETFD, FD_CLOEXEC);
	c->pid = pid;
	return 0;
}

void loop_child_kill(struct loop *l, struct loop_child *c)
{
	int fd = c->pidfd.fd;

	if (!c->pid)
		return;
	loop_fd_drop(l, &c->pidfd);
	if (fd >= 0)
		close(fd);
	child_failed(c->pid, 0);
	c->pid = 0;
}
