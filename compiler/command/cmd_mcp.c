/*
 * cmd_mcp.c - serves agents: the Model Context Protocol on standard input and output, a message of JSON-RPC a line. It
 * offers commands that change nothing (mcp.def). The end of the input ends it.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/json_write.h"
#include "base/version.h"
#include "command/mcp_tool.h"
#include "command/session.h"
#include "data/data_read.h"
#include "lsp/message.h"

/* Errors of JSON-RPC. */
enum { MCP_PARSE = -32700, MCP_INVALID = -32600, MCP_UNKNOWN = -32601, MCP_PARAMS = -32602 };
/* Bytes of a message; a longer line is refused and skipped. */
enum { MCP_LINE = 16 << 20 };

/* Versions of the protocol, the newest first; what is used here is the same in all. */
static const char *const versions[] = { "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05" };

struct mcp_server {
	struct session *session;
	struct arena scratch;           /* of one message */
	struct buf out;
};

/* ---- answers ---- */

static struct json_writer answer_begin(struct mcp_server *m, const struct data *id)
{
	struct buf text = { 0 };

	m->out.n = 0;
	struct json_writer w = { .out = &m->out };
	json_open(&w, '{');
	json_add_text(&w, "jsonrpc", STR("2.0"));
	json_key(&w, "id");
	if (id)
		msg_put_data(&text, id);
	json_put_raw(&w, "%.*s", STR_ARG(id ? buf_text(&text) : STR("null")));
	buf_release(&text);
	return w;
}

static void answer_end(struct mcp_server *m, struct json_writer *w)
{
	json_close(w, '}');
	buf_char(&m->out, '\n');
	session_write(m->session, buf_text(&m->out));
}

static void answer_error(struct mcp_server *m, const struct data *id, int code, struct str why)
{
	struct json_writer w = answer_begin(m, id);

	json_add_open(&w, "error", '{');
	json_add_int(&w, "code", code);
	json_add_text(&w, "message", why);
	json_close(&w, '}');
	answer_end(m, &w);
}

static struct str version_for(const struct data *params)
{
	struct str wanted = msg_text(params, "protocolVersion");

	for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
		if (str_is(wanted, versions[i]))
			return wanted;
	return str_of(versions[0]);
}

static void answer_initialize(struct mcp_server *m, const struct data *id, const struct data *params)
{
	struct json_writer w = answer_begin(m, id);

	json_add_open(&w, "result", '{');
	json_add_text(&w, "protocolVersion", version_for(params));
	json_add_open(&w, "capabilities", '{');
	json_add_open(&w, "tools", '{');
	json_close(&w, '}');
	json_close(&w, '}');
	json_add_open(&w, "serverInfo", '{');
	json_add_text(&w, "name", STR("trainc"));
	json_add_text(&w, "version", STR(TRAINC_VERSION));
	json_close(&w, '}');
	json_add_text(&w, "instructions", STR("Describes training clusters in a small language, and checks such "
		"programs. Call 'skill' before writing one, and 'check' after each change. Nothing is changed: a "
		"person starts what a program describes."));
	json_close(&w, '}');
	answer_end(m, &w);
}

static void answer_tools(struct mcp_server *m, const struct data *id)
{
	struct buf list = { 0 };
	struct json_writer w = answer_begin(m, id);

	mcp_tools_write(&list);
	json_add_open(&w, "result", '{');
	json_key(&w, "tools");
	json_put_raw(&w, "%.*s", STR_ARG(buf_text(&list)));
	json_close(&w, '}');
	answer_end(m, &w);
	buf_release(&list);
}

static void answer_call(struct mcp_server *m, const struct data *id, const struct data *params)
{
	struct str name = msg_text(params, "name"), text;
	bool failed;

	if (!name.p) {
		answer_error(m, id, MCP_PARAMS, STR("a call names a tool"));
		return;
	}
	if (!mcp_tool_call(&m->scratch, name, msg_get(params, "arguments"), &text, &failed)) {
		answer_error(m, id, MCP_PARAMS, text);
		return;
	}
	struct json_writer w = answer_begin(m, id);
	json_add_open(&w, "result", '{');
	json_add_open(&w, "content", '[');
	json_open(&w, '{');
	json_add_text(&w, "type", STR("text"));
	json_add_text(&w, "text", text);
	json_close(&w, '}');
	json_close(&w, ']');
	json_add_bool(&w, "isError", failed);
	json_close(&w, '}');
	answer_end(m, &w);
}

static void answer_ping(struct mcp_server *m, const struct data *id)
{
	struct json_writer w = answer_begin(m, id);

	json_add_open(&w, "result", '{');
	json_close(&w, '}');
	answer_end(m, &w);
}

/* ---- messages ---- */

static void answer_request(struct mcp_server *m, const struct data *id, struct str method, const struct data *params)
{
	if (str_is(method, "initialize"))
		answer_initialize(m, id, params);
	else if (str_is(method, "ping"))
		answer_ping(m, id);
	else if (str_is(method, "tools/list"))
		answer_tools(m, id);
	else if (str_is(method, "tools/call"))
		answer_call(m, id, params);
	else
		answer_error(m, id, MCP_UNKNOWN, STR("the method is unknown"));
}

/* A message without an id needs no answer, and none of them changes anything here. */
static void receive_message(struct mcp_server *m, struct str line)
{
	struct sources sources = { .arena = &m->scratch };
	struct data_error error;
	struct data *data = NULL;
	const struct source *source = source_add(&sources, STR("message"), line);

	if (!source || !data_read_json(&m->scratch, source, &data, &error)) {
		answer_error(m, NULL, MCP_PARSE, source ? error.what : STR("the message is too large"));
		return;
	}
	const struct data *id = msg_get(data, "id");
	struct str method = msg_text(data, "method");
	if (method.p && id && (id->kind == DATA_INT || id->kind == DATA_STRING))
		answer_request(m, id, method, msg_get(data, "params"));
	else if (method.p && id)
		answer_error(m, NULL, MCP_INVALID, STR("the id of a request is a number or a text"));
	else if (!method.p && !msg_get(data, "result") && !msg_get(data, "error"))
		answer_error(m, id && id->kind != DATA_MAP ? id : NULL, MCP_INVALID,
			STR("a message is an object with a method"));
}

static bool only_blanks(struct str line)
{
	for (size_t i = 0; i < line.n; i++)
		if (!strchr(" \t\r", line.p[i]) || !line.p[i])
			return false;
	return true;
}

/* Receives the whole lines of IN; the rest of a line that is too long is skipped, with *SKIPPING. */
static void receive_lines(struct mcp_server *m, struct buf *in, bool *skipping)
{
	size_t taken = 0;
	const char *end;

	while ((end = memchr(in->p + taken, '\n', in->n - taken))) {
		struct str line = { in->p + taken, (size_t)(end - in->p) - taken };
		if (!*skipping && !only_blanks(line))
			receive_message(m, line);
		arena_release(&m->scratch);
		*skipping = false;
		taken += line.n + 1;
	}
	if (in->n - taken > MCP_LINE || *skipping) {
		if (!*skipping)
			answer_error(m, NULL, MCP_PARSE, STR("the message is longer than 16 MiB"));
		*skipping = true;
		taken = in->n;
	}
	memmove(in->p, in->p + taken, in->n - taken);
	in->n -= taken;
}

int cmd_mcp(struct session *s)
{
	struct mcp_server m = { .session = s };
	struct buf in = { 0 };
	bool skipping = false;
	ssize_t n = 1;

	signal(SIGPIPE, SIG_IGN);
	while (n != 0 && !s->gone && !s->error) {
		n = buf_reserve(&in, 1 << 16) ? read(STDIN_FILENO, in.p + in.n, 1 << 16) : 0;
		if (n < 0 && errno != EINTR && errno != EAGAIN) {
			session_say(s, "cannot read standard input: %s", strerror(errno));
			break;
		}
		if (n <= 0)
			continue;
		in.n += (size_t)n;
		receive_lines(&m, &in, &skipping);
	}
	if (in.n && !skipping && !only_blanks(buf_text(&in)))
		receive_message(&m, buf_text(&in));
	arena_release(&m.scratch);
	buf_release(&in);
	buf_release(&m.out);
	return session_end(s, n < 0 ? STATUS_OUTPUT : STATUS_DONE);
}
