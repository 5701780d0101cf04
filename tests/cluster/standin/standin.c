/*
 * standin.c - a server for tests that answers by a script: with exact bytes, late, incompletely, or not at all.
 *
 *   standin SCRIPT RECORD
 *
 * Listens on a free port of 127.0.0.1, prints the port and a newline, and serves until standard input ends. Each
 * request is appended to RECORD: "CONNECTION METHOD PATH", then its headers, each after two blanks, and its body after
 * "  > ".
 *
 * Each line of the script is a word with its arguments:
 *
 *   tls CERT KEY [CA]      PEM files; with CA clients must show a certificate
 *   alpn h2|http1          the only protocol offered with TLS (both by default)
 *   on METHOD PATH [USES]  starts an answer; a request gets the first answer that matches and has uses left
 *   code N                 200 by default
 *   header NAME VALUE
 *   body TEXT              \n, \t, \r, \\, \xHH are escapes; several bodies are joined
 *   file PATH              a body from a file
 *   times N TEXT           a body that repeats TEXT N times
 *   delay MS               waits before the header
 *   wait MS                waits between bodies
 *   cut                    the connection is reset here
 *   reset                  the HTTP/2 stream is reset here
 *   hang                   nothing more is sent, and the connection stays open
 *   chunked                HTTP/1.1 without a length, which `wait` implies too
 *
 * A CONNECT to any address opens a tunnel to that address, unless the script has "on CONNECT *". So does SOCKS5.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "standin.h"

static struct rule rules[128];
static size_t nrules;
static SSL_CTX *tls;
static const char *alpn;
static FILE *record;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void die(const char *what, const char *detail)
{
	fprintf(stderr, "standin: %s %s\n", what, detail);
	exit(2);
}

void sleep_ms(long ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&t, NULL);
}

long now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- the script ---- */

static void add_piece(struct rule *r, enum piece_kind kind, char *bytes, size_t n, long ms)
{
	if (r->npieces == sizeof r->pieces / sizeof *r->pieces)
		die("too many pieces in an answer for", r->path);
	r->pieces[r->npieces++] = (struct piece){ kind, bytes, n, ms };
	r->length += n;
}

/* Replaces the escapes in TEXT in place; returns the new length. */
static size_t unescape(char *text)
{
	char *to = text;

	for (const char *p = text; *p; p++) {
		unsigned hex;
		if (*p != '\\' || !p[1]) {
			*to++ = *p;
		} else if (*++p == 'x' && sscanf(p + 1, "%2x", &hex) == 1) {
			*to++ = (char)hex;
			p += 2;
		} else {
			*to++ = *p == 'n' ? '\n' : *p == 't' ? '\t' : *p == 'r' ? '\r' : *p;
		}
	}
	return (size_t)(to - text);
}

static void add_text(struct rule *r, long times, char *text)
{
	size_t n = unescape(text);
	char *all = malloc(n * (size_t)times + 1);

	for (long i = 0; i < times; i++)
		memcpy(all + (size_t)i * n, text, n);
	add_piece(r, PIECE_BYTES, all, n * (size_t)times, 0);
}

static void add_file(struct rule *r, const char *path)
{
	FILE *f = fopen(path, "rb");
	char *bytes = NULL;
	size_t n = 0, room = 0, got;

	if (!f)
		die("cannot read", path);
	do {
		room = room ? 2 * room : 65536;
		bytes = realloc(bytes, room);
		got = fread(bytes + n, 1, room - n, f);
		n += got;
	} while (n == room);
	fclose(f);
	add_piece(r, PIECE_BYTES, bytes, n, 0);
}

static int choose(SSL *ssl, const unsigned char **out, unsigned char *n, const unsigned char *in, unsigned in_n, void *to)
{
	static const unsigned char both[] = "\2h2\10http/1.1";
	const unsigned char *ours = both;
	unsigned ours_n = 12;

	(void)ssl;
	(void)to;
	if (alpn && strcmp(alpn, "http1") == 0) {
		ours = both + 3;
		ours_n = 9;
	} else if (alpn) {
		ours_n = 3;
	}
	unsigned char *chosen = NULL;
	int found = SSL_select_next_proto(&chosen, n, ours, ours_n, in, in_n);
	*out = chosen;
	return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_NOACK;
}

static void start_tls(char *args)
{
	char cert[512], key[512], ca[512] = "";

	if (sscanf(args, "%511s %511s %511s", cert, key, ca) < 2)
		die("tls needs a certificate and a key:", args);
	tls = SSL_CTX_new(TLS_server_method());
	if (SSL_CTX_use_certificate_chain_file(tls, cert) != 1 || SSL_CTX_use_PrivateKey_file(tls, key, SSL_FILETYPE_PEM) != 1)
		die("cannot use", args);
	if (ca[0]) {
		if (SSL_CTX_load_verify_locations(tls, ca, NULL) != 1)
			die("cannot use", ca);
		SSL_CTX_set_verify(tls, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
	}
	SSL_CTX_set_alpn_select_cb(tls, choose, NULL);
}

static void begin_rule(char *args)
{
	struct rule *r = &rules[nrules];

	if (++nrules > sizeof rules / sizeof *rules)
		die("too many answers:", args);
	*r = (struct rule){ .uses = -1, .code = 200 };
	if (sscanf(args, "%15s %1023s %ld", r->method, r->path, &r->uses) < 2)
		die("on needs a method and a path:", args);
}

static void add_header(struct rule *r, char *args)
{
	struct header *h = &r->headers[r->nheaders++];

	if (sscanf(args, "%63s %1023[^\n]", h->name, h->value) < 1)
		die("header needs a name:", args);
}

static void read_line(char *line)
{
	char *args = line + strcspn(line, " ");
	struct rule *r = nrules ? &rules[nrules - 1] : NULL;

	if (*args)
		*args++ = 0;
	if (strcmp(line, "tls") == 0)
		start_tls(args);
	else if (strcmp(line, "alpn") == 0)
		alpn = strdup(args);
	else if (strcmp(line, "on") == 0)
		begin_rule(args);
	else if (!r)
		die("before the first 'on':", line);
	else if (strcmp(line, "code") == 0)
		r->code = atoi(args);
	else if (strcmp(line, "header") == 0)
		add_header(r, args);
	else if (strcmp(line, "body") == 0)
		add_text(r, 1, args);
	else if (strcmp(line, "times") == 0)
		add_text(r, atol(args), args + strcspn(args, " ") + 1);
	else if (strcmp(line, "file") == 0)
		add_file(r, args);
	else if (strcmp(line, "delay") == 0)
		r->delay = atol(args);
	else if (strcmp(line, "wait") == 0)
		add_piece(r, PIECE_WAIT, NULL, 0, atol(args));
	else if (strcmp(line, "cut") == 0)
		add_piece(r, PIECE_CUT, NULL, 0, 0);
	else if (strcmp(line, "reset") == 0)
		add_piece(r, PIECE_RESET, NULL, 0, 0);
	else if (strcmp(line, "hang") == 0)
		add_piece(r, PIECE_HANG, NULL, 0, 0);
	else if (strcmp(line, "chunked") == 0)
		r->chunked = true;
	else
		die("unknown word", line);
	if (r && r->npieces && r->pieces[r->npieces - 1].kind == PIECE_WAIT)
		r->chunked = true;
}

static void read_script(const char *path)
{
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;
	ssize_t n;

	if (!f)
		die("cannot read", path);
	while ((n = getline(&line, &room, f)) > 0) {
		if (line[n - 1] == '\n')
			line[n - 1] = 0;
		if (line[0] && line[0] != '#')
			read_line(line);
	}
	free(line);
	fclose(f);
}

/* ---- requests ---- */

static void put_escaped(const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)bytes[i];
		if (c == '\n')
			fputs("\\n", record);
		else if (c < ' ')
			fprintf(record, "\\x%02x", c);
		else
			fputc(c, record);
	}
}

static bool matches(const struct rule *rule, const struct request *r)
{
	char path[4096], wanted[1024];
	char *query, *some;

	if (!rule->uses || (strcmp(rule->method, "*") != 0 && strcmp(rule->method, r->method) != 0))
		return false;
	snprintf(path, sizeof path, "%s", r->path);
	snprintf(wanted, sizeof wanted, "%s", rule->path);
	if ((query = strchr(path, '?')))
		*query++ = 0;
	if ((some = strchr(wanted, '?')))
		*some++ = 0;
	if (some && some[0] == '!') {           /* '?!text': the query must not contain the text */
		if (query && strstr(query, some + 1))
			return false;
	} else if (some && !(query && strstr(query, some))) {
		return false;
	}
	size_t n = strlen(wanted);
	return n && wanted[n - 1] == '*' ? strncmp(path, wanted, n - 1) == 0 : strcmp(path, wanted) == 0;
}

const struct rule *answer_for(struct conn *c, const struct request *r)
{
	static char unknown[] = "{\"kind\":\"Status\",\"code\":404,\"reason\":\"NotFound\",\"message\":\"not in the script\"}";
	static const struct rule none = { .code = 404, .headers = { { "Content-Type", "application/json" } }, .nheaders = 1,
		.pieces = { { PIECE_BYTES, unknown, 76, 0 } },
		.npieces = 1, .length = 76 };
	const struct rule *found = &none;

	pthread_mutex_lock(&lock);
	fprintf(record, "%u %s %s\n", c->number, r->method, r->path);
	for (size_t i = 0; i < r->nheaders; i++)
		fprintf(record, "  %s: %s\n", r->headers[i].name, r->headers[i].value);
	if (r->nbody) {
		fputs("  > ", record);
		put_escaped(r->body, r->nbody);
		fputc('\n', record);
	}
	fflush(record);
	for (size_t i = 0; i < nrules && found == &none; i++)
		if (matches(&rules[i], r))
			found = &rules[i];
	if (found != &none && found->uses > 0)
		rules[found - rules].uses--;
	pthread_mutex_unlock(&lock);
	return found;
}

/* ---- connections ---- */

long conn_read(struct conn *c, void *bytes, size_t n)
{
	return c->ssl ? SSL_read(c->ssl, bytes, (int)n) : read(c->fd, bytes, n);
}

bool conn_write(struct conn *c, const void *bytes, size_t n)
{
	for (size_t done = 0; done < n;) {
		long got = c->ssl ? SSL_write(c->ssl, (const char *)bytes + done, (int)(n - done)) : write(c->fd, (const char *)bytes + done, n - done);
		if (got <= 0)
			return false;
		done += (size_t)got;
	}
	return true;
}

void conn_cut(struct conn *c)
{
	struct linger l = { 1, 0 };

	setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &l, sizeof l);
	shutdown(c->fd, SHUT_RD);
}

static void *serve(void *to)
{
	struct conn *c = to;
	const unsigned char *protocol = NULL;
	unsigned n = 0;

	if (tls) {
		c->ssl = SSL_new(tls);
		SSL_set_fd(c->ssl, c->fd);
		if (SSL_accept(c->ssl) != 1) {
			char rest[4096];
			/*
			 * The rest of the client's data is read before the close. Unread data would turn the close into
			 * a reset, which would overtake the alert.
			 */
			shutdown(c->fd, SHUT_WR);
			while (read(c->fd, rest, sizeof rest) > 0)
				;
			goto over;
		}
		SSL_get0_alpn_selected(c->ssl, &protocol, &n);
	}
	if (n == 2 && memcmp(protocol, "h2", 2) == 0)
		serve_http2(c);
	else
		serve_http1(c);
over:
	SSL_free(c->ssl);
	close(c->fd);
	free(c);
	return NULL;
}

static void accept_one(int listener, unsigned number)
{
	struct conn *c = calloc(1, sizeof *c);
	pthread_t thread;
	int on = 1;

	c->fd = accept(listener, NULL, NULL);
	c->number = number;
	setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	if (c->fd < 0 || pthread_create(&thread, NULL, serve, c) != 0)
		die("cannot serve:", strerror(errno));
	pthread_detach(thread);
}

int main(int argc, char **argv)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof at;
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
	unsigned connections = 0;
	char byte;

	if (argc != 3)
		die("usage: standin SCRIPT RECORD", "");
	signal(SIGPIPE, SIG_IGN);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	read_script(argv[1]);
	record = fopen(argv[2], "w");
	if (!record || bind(listener, (struct sockaddr *)&at, sizeof at) || listen(listener, 256) || getsockname(listener, (struct sockaddr *)&at, &size))
		die("cannot listen:", strerror(errno));
	printf("%u\n", ntohs(at.sin_port));
	fflush(stdout);
	for (;;) {
		struct pollfd p[2] = { { listener, POLLIN, 0 }, { 0, POLLIN, 0 } };
		poll(p, 2, -1);
		if (p[1].revents && read(0, &byte, 1) <= 0)
			_exit(0);
		if (p[0].revents & POLLIN)
			accept_one(listener, ++connections);
	}
}
