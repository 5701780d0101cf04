/*
 * standin_http1.c - serves requests one after the other on one connection; handles CONNECT as a proxy does.
 */
#include <arpa/inet.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "standin.h"

struct input {
	struct conn *conn;
	char bytes[65536];
	size_t at, n;
};

static int next_byte(struct input *in)
{
	if (in->at == in->n) {
		long got = conn_read(in->conn, in->bytes, sizeof in->bytes);
		if (got <= 0)
			return -1;
		in->at = 0;
		in->n = (size_t)got;
	}
	return (unsigned char)in->bytes[in->at++];
}

static bool next_line(struct input *in, char *line, size_t size)
{
	size_t n = 0;
	int c;

	while ((c = next_byte(in)) >= 0 && c != '\n')
		if (n + 1 < size && c != '\r')
			line[n++] = (char)c;
	line[n] = 0;
	return c == '\n';
}

/* Reads the "HOST:PORT" that a SOCKS5 client requests; the caller has already read the first byte. */
static bool socks_address(struct input *in, char *address, size_t size)
{
	int methods = next_byte(in), kind, n;
	char host[256] = "";

	for (int i = 0; i < methods; i++)
		next_byte(in);
	conn_write(in->conn, "\5\0", 2);
	if (next_byte(in) != 5 || next_byte(in) != 1 || next_byte(in) != 0)
		return false;
	kind = next_byte(in);
	if (kind == 1) {
		int b[4];
		for (int i = 0; i < 4; i++)
			b[i] = next_byte(in);
		snprintf(host, sizeof host, "%d.%d.%d.%d", b[0], b[1], b[2], b[3]);
	} else if (kind == 3) {
		n = next_byte(in);
		for (int i = 0; i < n && i < 255; i++)
			host[i] = (char)next_byte(in);
	}
	n = next_byte(in);
	snprintf(address, size, "%s:%d", host, n * 256 + next_byte(in));
	return true;
}

static bool read_request(struct input *in, struct request *r)
{
	char line[8192];
	size_t length = 0;

	*r = (struct request){ 0 };
	if (!next_line(in, line, sizeof line))
		return false;
	if (sscanf(line, "%15[A-Z] %4095s", r->method, r->path) != 2) {
		conn_write(in->conn, "HTTP/1.1 400 Bad Request\r\n\r\n", 28);
		return false;
	}
	while (next_line(in, line, sizeof line) && line[0]) {
		char *colon = strchr(line, ':');
		if (!colon || r->nheaders == sizeof r->headers / sizeof *r->headers)
			continue;
		*colon++ = 0;
		struct header *h = &r->headers[r->nheaders++];
		snprintf(h->name, sizeof h->name, "%.63s", line);
		snprintf(h->value, sizeof h->value, "%.1023s", colon + strspn(colon, " "));
		for (char *p = h->name; *p; p++)
			*p = *p >= 'A' && *p <= 'Z' ? (char)(*p + 32) : *p;
		if (strcmp(h->name, "content-length") == 0)
			length = strtoul(h->value, NULL, 10);
	}
	r->body = malloc(length + 1);
	for (; r->nbody < length; r->nbody++) {
		int c = next_byte(in);
		if (c < 0)
			return false;
		r->body[r->nbody] = (char)c;
	}
	return true;
}

/* ---- a proxy ---- */

static bool pump(struct conn *from, int to)
{
	char bytes[16384];
	long n = conn_read(from, bytes, sizeof bytes);

	return n > 0 && write(to, bytes, (size_t)n) == n;
}

static bool pump_back(int from, struct conn *to)
{
	char bytes[16384];
	ssize_t n = read(from, bytes, sizeof bytes);

	return n > 0 && conn_write(to, bytes, (size_t)n);
}

static void tunnel(struct input *in, const char *address, bool socks)
{
	char host[256], port[16];
	struct addrinfo hint = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM }, *found = NULL;
	int fd = -1;

	if (sscanf(address, "%255[^:]:%15s", host, port) == 2 && getaddrinfo(host, port, &hint, &found) == 0) {
		fd = socket(found->ai_family, SOCK_STREAM, 0);
		if (connect(fd, found->ai_addr, found->ai_addrlen) != 0) {
			close(fd);
			fd = -1;
		}
		freeaddrinfo(found);
	}
	if (fd < 0) {
		conn_write(in->conn, "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n", 47);
		return;
	}
	if (socks)
		conn_write(in->conn, "\5\0\0\1\0\0\0\0\0\0", 10);
	else
		conn_write(in->conn, "HTTP/1.1 200 Connection established\r\n\r\n", 39);
	for (;;) {
		struct pollfd p[2] = { { in->conn->fd, POLLIN, 0 }, { fd, POLLIN, 0 } };
		poll(p, 2, -1);
		if ((p[0].revents && !pump(in->conn, fd)) || (p[1].revents && !pump_back(fd, in->conn)))
			break;
	}
	close(fd);
}

/* ---- answers ---- */

static bool write_header(struct conn *c, const struct rule *rule)
{
	char text[8192];
	int n = snprintf(text, sizeof text, "HTTP/1.1 %d Scripted\r\n", rule->code);

	for (size_t i = 0; i < rule->nheaders; i++)
		n += snprintf(text + n, sizeof text - (size_t)n, "%s: %s\r\n", rule->headers[i].name, rule->headers[i].value);
	if (rule->chunked)
		n += snprintf(text + n, sizeof text - (size_t)n, "Transfer-Encoding: chunked\r\n\r\n");
	else
		n += snprintf(text + n, sizeof text - (size_t)n, "Content-Length: %zu\r\n\r\n", rule->length);
	return conn_write(c, text, (size_t)n);
}

static bool write_bytes(struct conn *c, const struct rule *rule, const struct piece *p)
{
	char size[32];
	int n = snprintf(size, sizeof size, "%zx\r\n", p->n);

	if (!p->n)
		return true;
	if (!rule->chunked)
		return conn_write(c, p->bytes, p->n);
	return conn_write(c, size, (size_t)n) && conn_write(c, p->bytes, p->n) && conn_write(c, "\r\n", 2);
}

/* Writes the answer; returns false if the connection has ended. */
static bool write_answer(struct conn *c, const struct rule *rule)
{
	bool header = false;

	sleep_ms(rule->delay);
	for (size_t i = 0; i < rule->npieces; i++) {
		const struct piece *p = &rule->pieces[i];
		if (!header && p->kind != PIECE_CUT && p->kind != PIECE_RESET && p->kind != PIECE_HANG && !(header = write_header(c, rule)))
			return false;
		switch (p->kind) {
		case PIECE_BYTES:
			if (!write_bytes(c, rule, p))
				return false;
			break;
		case PIECE_WAIT: sleep_ms(p->ms); break;
		case PIECE_HANG: {
			char byte;
			while (conn_read(c, &byte, 1) > 0)
				;
			return false;
		}
		case PIECE_CUT: case PIECE_RESET:
			sleep_ms(20);           /* gives written data time to arrive before the reset */
			conn_cut(c);
			return false;
		}
	}
	if (!header && !write_header(c, rule))
		return false;
	return !rule->chunked || conn_write(c, "0\r\n\r\n", 5);
}

void serve_http1(struct conn *c)
{
	struct input *in = calloc(1, sizeof *in);
	struct request *r = calloc(1, sizeof *r);
	bool more = true;

	in->conn = c;
	if (next_byte(in) == 5) {
		snprintf(r->method, sizeof r->method, "SOCKS5");
		if (socks_address(in, r->path, sizeof r->path)) {
			answer_for(c, r);
			tunnel(in, r->path, true);
		}
		more = false;
	}
	in->at = 0;
	while (more && read_request(in, r)) {
		const struct rule *rule = answer_for(c, r);
		if (strcmp(r->method, "CONNECT") == 0 && rule->code == 404) {
			tunnel(in, r->path, false);
			more = false;
		} else {
			more = write_answer(c, rule);
			for (size_t i = 0; i < rule->nheaders; i++)
				more = more && !(strcasecmp(rule->headers[i].name, "Connection") == 0 && strcasecmp(rule->headers[i].value, "close") == 0);
		}
		free(r->body);
		r->body = NULL;
	}
	free(r->body);
	free(r);
	free(in);
}
