/*
 * control_client.c - a command's end of the socket.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/words.h"
#include "runtime/local/control.h"

/*
 * The address of a run's socket for paths of any length. An address holds 107 bytes, and the path of a state directory
 * may be longer. For a longer path, the directory is opened, and the address leads through /proc/self/fd.
 */
struct control_path {
	struct sockaddr_un address;
	int directory;                  /* descriptor of the directory, open as long as the address is used, or -1 */
};

/* Makes the address of the socket in RUN_DIR; false with errno. */
static bool control_path_open(struct control_path *p, struct str run_dir)
{
	struct arena scratch = { 0 };
	int n;

	*p = (struct control_path){ .address = { .sun_family = AF_UNIX }, .directory = -1 };
	n = snprintf(p->address.sun_path, sizeof p->address.sun_path, "%.*s/control", STR_ARG(run_dir));
	if (n > 0 && (size_t)n < sizeof p->address.sun_path)
		return true;
	p->directory = open(str_copy(&scratch, run_dir).p, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int error = errno;
	arena_release(&scratch);
	errno = error;
	if (p->directory < 0)
		return false;
	snprintf(p->address.sun_path, sizeof p->address.sun_path, "/proc/self/fd/%d/control", p->directory);
	return true;
}

static void control_path_close(struct control_path *p)
{
	if (p->directory >= 0)
		close(p->directory);
	p->directory = -1;
}

/*
 * Connects. While the keeper's queue of connections is full, tries again, for at most CONTROL_ANSWER_SECONDS. On
 * failure, returns false with errno.
 */
static bool connect_in_time(int fd, const struct control_path *path)
{
	const struct timespec pause = { 0, 10 * 1000000 };
	int64_t end = clock_steady() + CONTROL_ANSWER_SECONDS * NS_PER_SECOND;

	while (connect(fd, (const void *)&path->address, sizeof path->address) != 0) {
		if ((errno != EAGAIN && errno != EINTR) || clock_steady() >= end)
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

int control_connect(struct arena *a, struct str run_dir, struct str *why)
{
	struct control_path path;
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd >= 0 && control_path_open(&path, run_dir)) {
		bool connected = connect_in_time(fd, &path);
		int error = errno;
		control_path_close(&path);
		errno = error;
		if (connected && fcntl(fd, F_SETFL, 0) == 0)
			return fd;
	}
	int error = errno;
	*why = error == ECONNREFUSED || error == ENOENT ? STR("its keeper does not listen")
	     : error == EAGAIN ? STR("its keeper does not answer")
	     : str_printf(a, "cannot reach its keeper: %.*s", STR_ARG(file_reason(a, error)));
	if (fd >= 0)
		close(fd);
	errno = error;
	return -1;
}

/* Reads an answer byte by byte, so that the bytes after the answer stay in the socket. */
static enum control_answer read_answer(int fd, int64_t until, struct buf *ret, struct arena *a, struct str *why)
{
	for (;;) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		int64_t left = until - clock_steady();
		int ready = poll(&p, 1, left > 0 ? (int)(left / 1000000) + 1 : 0);
		char c;

		if (ready < 0 && errno == EINTR)
			continue;
		if (ready == 0) {
			*why = STR("its keeper does not answer");
			return CONTROL_SILENT;
		}
		ssize_t n = recv(fd, &c, 1, 0);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0) {
			*why = n == 0 ? STR("its keeper has ended") :
				str_printf(a, "its keeper: %.*s", STR_ARG(file_reason(a, errno)));
			return CONTROL_GONE;
		}
		if (c == '\n')
			return CONTROL_OK;
		if (ret->n < 4096)
			buf_char(ret, c);
	}
}

static bool send_all(int fd, struct str text)
{
	while (text.n) {
		ssize_t n = send(fd, text.p, text.n, MSG_NOSIGNAL);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		text.p += n;
		text.n -= (size_t)n;
	}
	return true;
}

enum control_answer control_ask(struct arena *a, int fd, struct str request, struct str *why)
{
	struct buf answer = { 0 };

	if (!send_all(fd, str_cat(a, request, STR("\n"), STR("")))) {
		*why = STR("its keeper has ended");
		return CONTROL_GONE;
	}
	enum control_answer got = read_answer(fd, clock_steady() + CONTROL_ANSWER_SECONDS * NS_PER_SECOND, &answer, a,
		why);
	if (got == CONTROL_OK && !str_is(buf_text(&answer), "ok")) {
		struct str text = buf_text(&answer);
		*why = str_copy(a, str_starts(text, STR("no ")) ? (struct str){ text.p + 3, text.n - 3 } :
			STR("its keeper sent an unexpected answer"));
		got = CONTROL_REFUSED;
	}
	buf_release(&answer);
	return got;
}

void control_read(struct control_lines *l)
{
	char block[65536];

	if (l->at) {                    /* removes lines that were taken before */
		memmove(l->pending.p, l->pending.p + l->at, l->pending.n - l->at);
		l->pending.n -= l->at;
		l->at = 0;
	}
	while (!l->ended) {
		ssize_t n = recv(l->fd, block, sizeof block, MSG_DONTWAIT);
		if (n > 0)
			buf_put(&l->pending, block, (size_t)n);
		else if (n == 0 || (errno != EAGAIN && errno != EINTR))
			l->ended = true;
		else if (errno == EAGAIN)
			return;
	}
}

bool control_line(struct control_lines *l, struct str *ret)
{
	if (l->at == l->pending.n)
		return false;
	const char *start = l->pending.p + l->at, *end = memchr(start, '\n', l->pending.n - l->at);

	if (!end)
		return false;
	*ret = (struct str){ start, (size_t)(end - start) };
	l->at += ret->n + 1;
	return true;
}

void control_lines_release(struct control_lines *l)
{
	if (l->fd >= 0)
		close(l->fd);
	buf_release(&l->pending);
	*l = (struct control_lines){ .fd = -1 };
}
