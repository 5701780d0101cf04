/*
 * fuzz_control.c - the control socket of a local run: a client sends the input to the keeper, and another reads it as
 * the keeper's lines.
 *
 * What must hold: the keeper carries out the same requests and gives the same answers wherever the bytes are cut, each
 * request gets one answer, and a client takes the same lines wherever the bytes are cut.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "fuzz.h"
#include "runtime/local/control.h"

enum { REQUEST_LONGEST = 1024 };

static char directory[64];

static void directory_remove(void)
{
	char path[128];

	snprintf(path, sizeof path, "%s/control", directory);
	remove(path);
	remove(directory);
}

static int directory_open(void)
{
	if (!*directory) {
		snprintf(directory, sizeof directory, "%s/fuzz_control.XXXXXX",
			access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
		fuzz_require(mkdtemp(directory) != NULL);
		atexit(directory_remove);
	}
	return open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* ---- the engine ---- */

static bool note_stop(void *context, bool kill, struct str *why)
{
	(void)why;
	buf_z(context, kill ? "kill\n" : "stop\n");
	return true;
}

static bool note_suspend(void *context, bool suspend, struct str *why)
{
	buf_z(context, suspend ? "suspend\n" : "resume\n");
	*why = STR("two\nlines");
	return suspend;
}

static bool note_role(struct buf *b, const char *verb, struct str role, int64_t n, struct str *why)
{
	fuzz_require(role.n && n >= 0 && n < 1000000000);
	buf_printf(b, "%s %.*s %lld\n", verb, STR_ARG(role), (long long)n);
	*why = STR("no such role");
	return role.n < 8;
}

static bool note_scale(void *context, struct str role, int64_t n, struct str *why)
{
	return note_role(context, "scale", role, n, why);
}

static bool note_restart(void *context, struct str role, int64_t n, struct str *why)
{
	return note_role(context, "restart", role, n, why);
}

static bool note_sync(void *context, struct str role, int64_t n, const struct run_code *code, bool keep,
	struct str *why)
{
	fuzz_require(code->id.n == 64 && code->files >= 0 && code->bytes >= 0);
	return note_role(context, keep ? "keep" : "sync", role, n, why);
}

/* ---- the keeper ---- */

static int client_connect(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	snprintf(address.sun_path, sizeof address.sun_path, "%s/control", directory);
	fuzz_require(fd >= 0 && connect(fd, (void *)&address, sizeof address) == 0);
	return fd;
}

static void take_answers(int fd, struct buf *out)
{
	char bytes[4096];

	for (ssize_t n; (n = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT)) > 0;)
		buf_put(out, bytes, (size_t)n);
}

/* Sends TEXT in pieces whose sizes depend on SEED (0: a whole piece); appends the requests, then the answers. */
static void keeper_run(struct str text, uint32_t seed, struct buf *requests, struct buf *answers)
{
	struct arena a = { 0 };
	struct str why;
	struct run_dir dir = { str_of(directory), directory_open() };
	struct control_ops ops = { requests, note_stop, note_suspend, note_scale, note_restart, note_sync };
	struct control *c = control_open(&a, &dir, &ops, &why);

	fuzz_require(c != NULL);
	control_publish(c, STR("{\"state\":1}"));
	int fd = client_connect();
	control_serve(c);
	while (text.n) {
		size_t n = seed ? 1 + (seed >> 16) % 200 : 800;
		seed = seed ? seed * 1664525 + 1013904223 : 0;
		n = n < text.n ? n : text.n;
		if (send(fd, text.p, n, MSG_NOSIGNAL) != (ssize_t)n)
			break;                  /* the request was too long, so the keeper has closed the connection */
		text = (struct str){ text.p + n, text.n - n };
		control_serve(c);
		take_answers(fd, answers);
	}
	shutdown(fd, SHUT_WR);
	control_serve(c);
	take_answers(fd, answers);
	close(fd);
	control_close(c);
	close(dir.fd);
	arena_release(&a);
}

/* Checks that each request has an answer, if none is too long. */
static void check_answers(struct str text, struct str answers)
{
	size_t asked = 0, answered = 0, longest = 0;

	for (size_t i = 0, start = 0; i <= text.n; i++)
		if (i == text.n || text.p[i] == '\n') {
			asked += i < text.n;
			longest = i - start > longest ? i - start : longest;
			start = i + 1;
		}
	while (answers.n) {
		struct str line = fuzz_line(&answers);
		bool answer = str_is(line, "ok") || str_starts(line, STR("no "));
		fuzz_require(answer || line.p[0] == '{');
		answered += answer;
	}
	fuzz_require(longest >= REQUEST_LONGEST || asked == answered);
}

/* ---- a client ---- */

static void client_lines(struct str text, uint32_t seed, struct buf *out)
{
	int fds[2];
	struct str line;

	fuzz_require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds) == 0);
	struct control_lines l = { .fd = fds[0] };
	for (bool open = true; open || !l.ended;) {
		size_t n = seed ? 1 + (seed >> 16) % 200 : text.n;
		seed = seed ? seed * 1664525 + 1013904223 : 0;
		n = n < text.n ? n : text.n;
		fuzz_require(!n || send(fds[1], text.p, n, MSG_NOSIGNAL) == (ssize_t)n);
		text = (struct str){ text.p + n, text.n - n };
		if (!text.n && open) {
			close(fds[1]);
			open = false;
		}
		control_read(&l);
		while (control_line(&l, &line)) {
			buf_str(out, line);
			buf_char(out, '\n');
		}
	}
	control_lines_release(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct arena a = { 0 };
	struct str text = fuzz_input(&a, bytes, n);
	struct buf requests[2] = { { 0 } }, answers[2] = { { 0 } }, lines[2] = { { 0 } };

	for (unsigned i = 0; i < 2; i++) {
		keeper_run(text, i * 7919, &requests[i], &answers[i]);
		client_lines(text, i * 7919, &lines[i]);
	}
	fuzz_require(str_eq(buf_text(&requests[0]), buf_text(&requests[1])));
	check_answers(text, buf_text(&answers[0]));
	check_answers(text, buf_text(&answers[1]));
	fuzz_require(str_eq(buf_text(&lines[0]), buf_text(&lines[1])));
	for (unsigned i = 0; i < 2; i++) {
		buf_release(&requests[i]);
		buf_release(&answers[i]);
		buf_release(&lines[i]);
	}
	arena_release(&a);
	return 0;
}
