/*
 * fuzz_listen.c - the HTTP server of the controller: the input is the request of one client, and its first byte says
 * how many other clients have sent the beginning of theirs.
 *
 * What must hold: an answer is the same wherever its request is cut; it has a status line and as many bytes as it says;
 * afterwards a probe is answered.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"
#include "runtime/supervise/listen.h"

enum { OTHERS_MOST = 24, TURNS = 8 };

struct server {
	struct arena arena;
	struct loop *loop;
	struct listen *listen;
	struct sockaddr_in address;
	size_t asked;
};

static int answer(void *to, struct str path, struct buf *out)
{
	struct server *s = to;

	s->asked++;
	fuzz_require(path.n && path.p[0] == '/');
	buf_z(out, "path ");
	buf_str(out, path);
	return str_is(path, "/healthz") || str_is(path, "/metrics") ? 200 : 404;
}

/* Starts a server at a port that was free a moment ago. */
static void server_start(struct server *s)
{
	s->loop = loop_new();
	for (int tries = 0; tries < 20 && !s->listen; tries++) {
		socklen_t n = sizeof s->address;
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		struct str why;
		s->address = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
		fuzz_require(bind(fd, (void *)&s->address, n) == 0 && getsockname(fd, (void *)&s->address, &n) == 0);
		close(fd);
		struct listen_options o = { .option = "listen", .answer = answer, .to = s,
			.address = str_printf(&s->arena, "127.0.0.1:%u", ntohs(s->address.sin_port)) };
		s->listen = listen_start(&s->arena, s->loop, &o, &why);
	}
	fuzz_require(s->listen != NULL);
}

static void server_turn(struct server *s)
{
	for (int i = 0; i < TURNS; i++)
		loop_turn(s->loop);
}

static int client_connect(struct server *s)
{
	static const struct linger reset = { .l_onoff = 1 };    /* no port stays in use after a connection */
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	fuzz_require(fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset) == 0);
	fuzz_require(connect(fd, (void *)&s->address, sizeof s->address) == 0);
	server_turn(s);
	return fd;
}

static void client_take(int fd, struct buf *out)
{
	char bytes[4096];

	for (ssize_t n; (n = recv(fd, bytes, sizeof bytes, MSG_DONTWAIT)) > 0;)
		buf_put(out, bytes, (size_t)n);
}

/* Sends a request in pieces whose sizes depend on SEED (0: a whole one); appends the answer. */
static void client_ask(struct server *s, struct str text, uint32_t seed, struct buf *out)
{
	int fd = client_connect(s);

	while (text.n) {
		size_t n = seed ? 1 + (seed >> 16) % 300 : text.n;
		seed = seed ? seed * 1664525 + 1013904223 : 0;
		n = n < text.n ? n : text.n;
		if (send(fd, text.p, n, MSG_NOSIGNAL) != (ssize_t)n)
			break;
		text = (struct str){ text.p + n, text.n - n };
		server_turn(s);
		client_take(fd, out);
	}
	close(fd);
	server_turn(s);
}

static void check_answer(struct str answer)
{
	static const char length[] = "\r\nContent-Length: ";
	const char *end = answer.n ? memmem(answer.p, answer.n, "\r\n\r\n", 4) : NULL;

	if (!answer.n)
		return;
	fuzz_require(end && str_starts(answer, STR("HTTP/1.1 ")));
	const char *says = memmem(answer.p, (size_t)(end - answer.p), length, sizeof length - 1);
	fuzz_require(says && strtoul(says + sizeof length - 1, NULL, 10) == answer.n - (size_t)(end + 4 - answer.p));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static struct server s;
	struct arena a = { 0 };
	struct str text = n ? fuzz_input(&a, bytes + 1, n - 1) : STR("");
	size_t others = n ? bytes[0] % OTHERS_MOST : 0;
	int fds[OTHERS_MOST];
	struct buf whole = { 0 }, parts = { 0 }, probe = { 0 };

	if (!s.listen)
		server_start(&s);
	client_ask(&s, text, 0, &whole);
	client_ask(&s, text, 7919, &parts);
	check_answer(buf_text(&whole));
	check_answer(buf_text(&parts));
	/* what follows the end of a request may or may not be read with it */
	fuzz_require(str_eq(buf_text(&whole), buf_text(&parts)));
	for (size_t i = 0; i < others; i++) {
		fds[i] = client_connect(&s);
		fuzz_require(send(fds[i], text.p, text.n < 40 ? text.n : 40, MSG_NOSIGNAL) >= 0 || !text.n);
		server_turn(&s);
	}
	client_ask(&s, STR("GET /healthz HTTP/1.1\r\n\r\n"), 0, &probe);
	fuzz_require(str_starts(buf_text(&probe), STR("HTTP/1.1 200 ")));
	for (size_t i = 0; i < others; i++)
		close(fds[i]);
	server_turn(&s);
	buf_release(&whole);
	buf_release(&parts);
	buf_release(&probe);
	arena_release(&a);
	return 0;
}
