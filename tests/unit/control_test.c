/* control_test.c - a keeper's socket: requests, watchers, and clients that are slow, malformed or numerous. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "runtime/local/control.h"
#include "unit.h"

static struct arena arena;
static struct str why;

/* ---- a keeper in its own process ---- */

struct keeper {
	struct control *control;
	struct str said;                /* the requests that the keeper received */
	int changes;
	bool over;
};

static void publish(struct keeper *k, const char *what)
{
	control_publish(k->control, str_printf(&arena, "{\"state\":\"%s\",\"n\":%d}", what, ++k->changes));
}

static bool stop(void *context, bool kill_them, struct str *ret)
{
	struct keeper *k = context;

	(void)ret;
	publish(k, kill_them ? "killed" : "stopped");
	k->over = true;
	return true;
}

static bool suspend(void *context, bool yes, struct str *ret)
{
	if (!yes) {
		*ret = STR("it is not\nsuspended");
		return false;
	}
	publish(context, "suspended");
	return true;
}

static bool scale(void *context, struct str role, int64_t n, struct str *ret)
{
	if (!str_is(role, "worker")) {
		*ret = str_printf(&arena, "unknown role '%.*s'", STR_ARG(role));
		return false;
	}
	while (n-- > 0)                 /* publishes as many changes as the request asks for */
		publish(context, "scaled");
	return true;
}

/* Starts a keeper that runs until it is stopped, or for a limited time. */
static pid_t start_keeper(struct str dir)
{
	int ready[2];
	char byte;

	if (pipe(ready) != 0)
		return -1;
	pid_t pid = fork();
	if (pid) {
		close(ready[1]);
		CHECK(read(ready[0], &byte, 1) == 1);
		close(ready[0]);
		return pid;
	}
	struct keeper k = { 0 };
	struct control_ops ops = { &k, stop, suspend, scale, scale, NULL };
	const struct run_dir at = { dir, open(dir.p, O_PATH | O_DIRECTORY | O_CLOEXEC) };
	k.control = control_open(&arena, &at, &ops, &why);
	if (!k.control)
		_exit(1);
	publish(&k, "begun");
	(void)!write(ready[1], "r", 1);
	close(ready[1]);
	for (int i = 0; i < 200 && !k.over; i++) {
		struct pollfd p = { .fd = control_fd(k.control), .events = POLLIN };
		poll(&p, 1, 100);
		control_serve(k.control);
	}
	control_close(k.control);
	_exit(k.over ? 0 : 2);
}

static int end_of(pid_t pid)
{
	int how;
	return waitpid(pid, &how, 0) == pid && WIFEXITED(how) ? WEXITSTATUS(how) : -1;
}

static bool ask(int fd, const char *request)
{
	why = STR("");
	return control_ask(&arena, fd, str_of(request), &why) == CONTROL_OK;
}

/* Reads all lines until the keeper closes the connection, for at most 5 s. */
static struct str last_line(struct control_lines *l, unsigned *ret_lines)
{
	struct str line, last = STR("");

	*ret_lines = 0;
	for (int i = 0; i < 50; i++) {
		struct pollfd p = { .fd = l->fd, .events = POLLIN };
		bool over = l->ended;
		while (control_line(l, &line)) {
			last = str_copy(&arena, line);
			++*ret_lines;
		}
		if (over)
			break;
		poll(&p, 1, 100);
		control_read(l);
	}
	return last;
}

static void protocol(struct str dir)
{
	pid_t keeper = start_keeper(dir);
	int fd = control_connect(&arena, dir, &why);
	struct stat is;
	unsigned lines;

	CHECK(fd >= 0 && stat(str_cat(&arena, dir, STR("/control"), STR("")).p, &is) == 0 &&
		(is.st_mode & 0777) == 0600);
	CHECK(ask(fd, "suspend"));
	CHECK(!ask(fd, "resume"));
	CHECK_TEXT(why, "it is not suspended");
	CHECK(!ask(fd, "scale") && !ask(fd, "scale worker") && !ask(fd, "scale worker x") &&
		!ask(fd, "scale worker -1") &&
	      !ask(fd, "scale worker 1 2") && !ask(fd, "scale worker 99999999999"));
	CHECK_TEXT(why, "scale takes a role and a number");
	CHECK(!ask(fd, "scale ps 2"));
	CHECK_TEXT(why, "unknown role 'ps'");
	CHECK(!ask(fd, "") && !ask(fd, "dance") && !ask(fd, "stop it"));
	CHECK(ask(fd, "scale worker 2"));

	/* the current state arrives at once, then a state for each change, and finally the end of the connection */
	struct control_lines watch = { .fd = control_connect(&arena, dir, &why) },
		second = { .fd = control_connect(&arena, dir, &why) };
	CHECK(ask(watch.fd, "watch") && ask(second.fd, "watch"));
	struct pollfd p = { .fd = watch.fd, .events = POLLIN };
	struct str line = STR("");
	CHECK(poll(&p, 1, 2000) == 1);
	control_read(&watch);
	CHECK(control_line(&watch, &line));
	CHECK_TEXT(line, "{\"state\":\"scaled\",\"n\":4}");
	CHECK(ask(fd, "stop"));
	CHECK_TEXT(last_line(&watch, &lines), "{\"state\":\"stopped\",\"n\":5}");
	CHECK_TEXT(last_line(&second, &lines), "{\"state\":\"stopped\",\"n\":5}");
	CHECK(!ask(fd, "stop"));
	CHECK_TEXT(why, "its keeper has ended");
	close(fd);
	control_lines_release(&watch);
	control_lines_release(&second);
	CHECK(end_of(keeper) == 0 && stat(str_cat(&arena, dir, STR("/control"), STR("")).p, &is) != 0);
	CHECK(control_connect(&arena, dir, &why) < 0);
	CHECK_TEXT(why, "its keeper does not listen");
}

/* Tests clients that do not read, send requests endlessly, send half a request, or disconnect in the middle of one. */
static void rude(struct str dir)
{
	pid_t keeper = start_keeper(dir);
	int deaf = control_connect(&arena, dir, &why), half = control_connect(&arena, dir, &why),
		gone = control_connect(&arena, dir, &why);
	int loud = control_connect(&arena, dir, &why), blunt = control_connect(&arena, dir, &why), good;
	int least = 1;
	static char flood[1 << 20];
	struct str line;
	unsigned lines;

	setsockopt(deaf, SOL_SOCKET, SO_RCVBUF, &least, sizeof least);
	CHECK(ask(deaf, "watch"));
	CHECK(send(half, "sus", 3, 0) == 3);
	CHECK(send(gone, "watch\nscale worker 50\n", 22, 0) == 22);
	close(gone);
	memset(flood, 'x', sizeof flood);
	send(loud, flood, sizeof flood, MSG_DONTWAIT | MSG_NOSIGNAL);           /* a single request of a megabyte */
	for (size_t i = 0; i + 8 <= sizeof flood; i += 8)
		memcpy(flood + i, "resume \n", 8);
	/* a hundred thousand requests, whose responses are not read */
	send(blunt, flood, sizeof flood, MSG_DONTWAIT | MSG_NOSIGNAL);

	good = control_connect(&arena, dir, &why);
	for (int i = 0; i < 20; i++)
		CHECK(ask(good, "scale worker 5000"));
	struct timespec before, after;
	clock_gettime(CLOCK_MONOTONIC, &before);
	CHECK(ask(good, "stop"));
	/* the client that does not read gets the first state, perhaps some of the following ones, and the last */
	struct control_lines watch = { .fd = deaf };
	line = last_line(&watch, &lines);
	CHECK(str_starts(line, STR("{\"state\":\"stopped\",\"n\":")));
	CHECK(lines < 50000);
	control_lines_release(&watch);
	close(half);
	close(loud);
	close(blunt);
	close(good);
	CHECK(end_of(keeper) == 0);
	clock_gettime(CLOCK_MONOTONIC, &after);
	CHECK(after.tv_sec - before.tv_sec < 20);
}

/* A client that never reads does not keep the keeper from exiting. */
static void deaf_at_the_end(struct str dir)
{
	pid_t keeper = start_keeper(dir);
	int deaf = control_connect(&arena, dir, &why), good = control_connect(&arena, dir, &why);
	struct timespec before, after;

	CHECK(ask(deaf, "watch"));
	for (int i = 0; i < 10; i++)
		CHECK(ask(good, "scale worker 5000"));
	clock_gettime(CLOCK_MONOTONIC, &before);
	CHECK(ask(good, "kill"));
	CHECK(end_of(keeper) == 0);
	clock_gettime(CLOCK_MONOTONIC, &after);
	CHECK(after.tv_sec - before.tv_sec <= 10);
	close(deaf);
	close(good);
}

/* If there are more connections than the keeper has slots for, idle ones are closed. */
static void crowd(struct str dir)
{
	pid_t keeper = start_keeper(dir);
	int fds[300], last;

	for (int i = 0; i < 300; i++)
		fds[i] = control_connect(&arena, dir, &why);
	last = control_connect(&arena, dir, &why);
	CHECK(ask(last, "scale worker 1"));
	CHECK(!ask(fds[0], "suspend"));
	CHECK(ask(fds[299], "stop"));
	for (int i = 0; i < 300; i++)
		close(fds[i]);
	close(last);
	CHECK(end_of(keeper) == 0);
}

/* The socket that a killed keeper left behind does not prevent the start of a new one. */
static void stale(struct str dir)
{
	pid_t keeper = start_keeper(dir);

	kill(keeper, SIGKILL);
	CHECK(end_of(keeper) == -1);
	CHECK(control_connect(&arena, dir, &why) < 0);
	CHECK_TEXT(why, "its keeper does not listen");
	keeper = start_keeper(dir);
	int fd = control_connect(&arena, dir, &why);
	CHECK(fd >= 0 && ask(fd, "stop"));
	close(fd);
	CHECK(end_of(keeper) == 0);
}

/* A keeper whose directory was moved away must not remove the socket of the new keeper in a directory of that name. */
static void taken_away(struct str work)
{
	struct str dir = str_printf(&arena, "%s/run", work.p), aside = str_printf(&arena, "%s/aside", work.p);

	mkdir(dir.p, 0700);
	pid_t first = start_keeper(dir);
	CHECK(rename(dir.p, aside.p) == 0 && mkdir(dir.p, 0700) == 0);
	pid_t second = start_keeper(dir);
	int fd = control_connect(&arena, aside, &why);
	CHECK(ask(fd, "stop") && end_of(first) == 0);
	close(fd);
	fd = control_connect(&arena, dir, &why);
	CHECK(fd >= 0 && ask(fd, "stop") && end_of(second) == 0);
	close(fd);
	CHECK(rmdir(aside.p) == 0 && rmdir(dir.p) == 0);
}

int main(void)
{
	char work[] = "/tmp/control_test.XXXXXX";

	signal(SIGPIPE, SIG_IGN);
	if (!mkdtemp(work))
		return 1;
	struct str dir = str_of(work), deep = str_printf(&arena, "%s/%0150d", work, 0);
	mkdir(deep.p, 0700);
	protocol(dir);
	protocol(deep);                 /* here the path is too long for a socket address */
	rude(dir);
	deaf_at_the_end(dir);
	crowd(dir);
	stale(deep);
	taken_away(dir);
	CHECK(control_connect(&arena, STR("/nowhere/at/all"), &why) < 0);
	rmdir(deep.p);
	CHECK(rmdir(work) == 0);
	arena_release(&arena);
	return unit_end();
}
