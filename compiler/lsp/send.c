/*
 * send.c - sends messages: answers, errors, and messages that no client request asked for.
 */
#include "lsp/server.h"

#include <stdarg.h>
#include <stdio.h>

void server_flush(struct lsp *l)
{
	l->host.send(l->host.context, l->out.p, l->out.n);
	l->out.n = 0;
}

struct buf *server_begin(struct lsp *l, const char *method)
{
	l->out.n = 0;
	buf_printf(&l->out, "{\"jsonrpc\":\"2.0\",\"method\":\"%s\",\"params\":", method);
	return &l->out;
}

struct buf *server_ask(struct lsp *l, const char *method)
{
	l->out.n = 0;
	buf_printf(&l->out, "{\"jsonrpc\":\"2.0\",\"id\":\"server-%lld\",\"method\":\"%s\",\"params\":",
		(long long)++l->requests, method);
	return &l->out;
}

void server_send(struct lsp *l)
{
	msg_close(&l->out, '}');
	server_flush(l);
}

void server_answer(struct lsp *l, const struct data *id)
{
	l->out.n = 0;
	buf_z(&l->out, "{\"jsonrpc\":\"2.0\",\"id\":");
	msg_put_data(&l->out, id);
}

void server_refuse(struct lsp *l, const struct data *id, enum lsp_error error, struct str why)
{
	server_answer(l, id);
	msg_add_object(&l->out, "error");
	msg_add_int(&l->out, "code", error);
	msg_add_text(&l->out, "message", why);
	buf_z(&l->out, "}}");
	server_flush(l);
}

bool request_fail(struct request *r, enum lsp_error error, const char *fmt, ...)
{
	char text[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	r->error = error;
	r->why = str_copy(r->arena, str_of(text));
	return false;
}
