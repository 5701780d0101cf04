/*
 * fuzz_lsp.c - a session with the language server. The parts of the input are files; those that end with .tj are
 * opened. The lines of the part "" are the session: a message of JSON, or METHOD LINE COLUMN TEXT, which becomes a
 * request about the first file with every parameter that a request may have; a notification if METHOD is one of those
 * without an answer. The part "wire" is what arrives from the editor as bytes.
 *
 * What must hold: every message of the server is JSON, each request has exactly one answer, the server comes to rest,
 * and the messages that arrive on the wire are the same wherever the bytes are cut.
 */
#include "command/lsp_frame.h"
#include "fuzz.h"
#include "lsp/lsp.h"

enum { MESSAGES = 40, WORK = 20000, ID = 1000 };

struct session {
	struct arena arena;
	struct fuzz_parts parts;
	unsigned answers[MESSAGES];
};

/* ---- what the server sends ---- */

static void note_message(void *context, const char *message, size_t n)
{
	struct session *s = context;
	struct data *d = fuzz_json(&s->arena, (struct str){ message, n });
	const struct data *id = d ? data_get(d, STR("id")) : NULL;

	fuzz_require(d && d->kind == DATA_MAP);
	if (id && id->kind == DATA_INT && id->u.integer >= ID && id->u.integer < ID + MESSAGES &&
		!data_get(d, STR("method")))
		fuzz_require(++s->answers[id->u.integer - ID] == 1);
}

static void each_file(void *context, struct arena *a, struct str directory, void (*each)(void *to, struct str path),
	void *to)
{
	struct session *s = context;

	(void)directory;
	for (size_t i = 1; i < s->parts.n; i++)
		if (str_ends(s->parts.at[i].name, STR(".tj")))
			each(to, str_cat(a, STR("/"), s->parts.at[i].name, STR("")));
}

/* ---- what the editor sends ---- */

static bool is_request(struct str method)
{
	return !str_starts(method, STR("textDocument/did")) && !str_starts(method, STR("workspace/did")) &&
		!str_is(method, "initialized") && !str_is(method, "exit") && !str_starts(method, STR("$/"));
}

static void put_position(struct buf *b, int64_t line, int64_t column)
{
	buf_printf(b, "{\"line\":%lld,\"character\":%lld}", (long long)line, (long long)column);
}

static void put_range(struct buf *b, int64_t line, int64_t column)
{
	buf_z(b, "{\"start\":");
	put_position(b, line, column);
	buf_z(b, ",\"end\":");
	put_position(b, line + 1, column / 2);
	buf_char(b, '}');
}

/* Appends every parameter that any request has; the position and the text serve several of them. */
static void put_params(struct buf *b, struct str uri, int64_t line, int64_t column, struct str text)
{
	buf_z(b, "{\"textDocument\":{\"version\":2,\"languageId\":\"trainc\",\"text\":");
	data_write_text(b, text);
	buf_z(b, ",\"uri\":");
	data_write_text(b, uri);
	buf_z(b, "},\"uri\":");
	data_write_text(b, uri);
	buf_z(b, ",\"position\":");
	put_position(b, line, column);
	buf_z(b, ",\"positions\":[");
	put_position(b, line, column);
	buf_z(b, "],\"range\":");
	put_range(b, line, column);
	buf_z(b, ",\"item\":{\"name\":\"f\",\"kind\":12,\"uri\":");
	data_write_text(b, uri);
	buf_z(b, ",\"range\":");
	put_range(b, line, column);
	buf_z(b, ",\"selectionRange\":");
	put_range(b, line, column);
	buf_z(b, "},\"contentChanges\":[{\"range\":");
	put_range(b, line, column);
	buf_z(b, ",\"text\":");
	data_write_text(b, text);
	buf_z(b, "}],\"options\":{\"tabSize\":4,\"insertSpaces\":true},\"context\":{\"diagnostics\":[],"
		"\"includeDeclaration\":true,\"triggerKind\":1},\"previousResultId\":\"1\",\"rootUri\":\"file:///\",");
	static const char *const texts[] = { "newName", "ch", "query", "manifest", "name", "command", "role" };
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		buf_printf(b, "\"%s\":", texts[i]);
		data_write_text(b, text);
		buf_char(b, ',');
	}
	buf_printf(b, "\"id\":%lld,\"index\":%lld,\"arguments\":[", (long long)(ID + line), (long long)line);
	data_write_text(b, uri);
	buf_char(b, ',');
	data_write_text(b, text);
	buf_z(b, "],\"capabilities\":{\"general\":{\"positionEncodings\":[\"utf-8\"]},\"workspace\":{"
		"\"workspaceEdit\":{\"documentChanges\":true}},\"textDocument\":{\"hover\":{\"contentFormat\":"
		"[\"markdown\"]},\"completion\":{\"completionItem\":{\"snippetSupport\":true}}}}}");
}

/* Sends one message; returns whether it is a request with the id ID + I. */
static bool send_line(struct session *s, struct lsp *l, struct str line, size_t i)
{
	struct str uri = STR("file:///none.tj");
	struct buf b = { 0 };

	if (line.n && line.p[0] == '{') {
		lsp_receive(l, line.p, line.n);
		return false;
	}
	struct str method = fuzz_word(&line);
	int64_t at = fuzz_number(&line), column = fuzz_number(&line);
	if (line.n)
		line = (struct str){ line.p + 1, line.n - 1 };
	if (s->parts.n > 1)
		uri = str_cat(&s->arena, STR("file:///"), s->parts.at[1].name, STR(""));
	buf_z(&b, "{\"jsonrpc\":\"2.0\",\"method\":");
	data_write_text(&b, method);
	if (is_request(method))
		buf_printf(&b, ",\"id\":%zu", ID + i);
	buf_z(&b, ",\"params\":");
	put_params(&b, uri, at, column, line);
	buf_char(&b, '}');
	lsp_receive(l, b.p, b.n);
	buf_release(&b);
	return is_request(method);
}

static void open_files(struct session *s, struct lsp *l)
{
	for (size_t i = 1; i < s->parts.n; i++) {
		struct buf b = { 0 };
		if (!str_ends(s->parts.at[i].name, STR(".tj")))
			continue;
		buf_z(&b, "{\"jsonrpc\":\"2.0\",\"method\":\"textDocument/didOpen\",\"params\":{\"textDocument\":"
			"{\"version\":1,\"uri\":");
		data_write_text(&b, str_cat(&s->arena, STR("file:///"), s->parts.at[i].name, STR("")));
		buf_z(&b, ",\"text\":");
		data_write_text(&b, s->parts.at[i].text);
		buf_z(&b, "}}}");
		lsp_receive(l, b.p, b.n);
		buf_release(&b);
	}
}

static void work(struct lsp *l)
{
	int done = 0;

	while (lsp_work(l))
		fuzz_require(++done < WORK);
}

static void run_session(struct session *s)
{
	struct reader reader = { .context = &s->parts, .read = fuzz_read_file, .exists = fuzz_file_exists };
	struct lsp_host host = { s, &reader, note_message, each_file, NULL };
	struct lsp *l = lsp_new(&host);
	bool asked[MESSAGES] = { false };
	struct str lines = s->parts.at[0].text;
	int status;

	send_line(s, l, STR("initialize 0 0 "), MESSAGES);
	send_line(s, l, STR("initialized"), MESSAGES);
	open_files(s, l);
	for (size_t i = 0; i < MESSAGES && lines.n; i++) {
		struct str line = fuzz_line(&lines);
		asked[i] = send_line(s, l, line, i);
		if (!str_starts(line, STR("$/")) && i % 3)
			work(l);                /* otherwise several messages arrive at once */
	}
	work(l);
	for (size_t i = 0; i < MESSAGES; i++)
		fuzz_require(s->answers[i] == asked[i] || lsp_ended(l, &status));
	lsp_release(l);
}

/* ---- the wire ---- */

/* Looks at the frame at the beginning of IN, in a copy, so that reading beyond what has come is noticed. */
static bool take_frame(struct str in, size_t *ret_used, struct buf *out)
{
	char *exact = malloc(in.n);
	struct str body;

	fuzz_require(exact != NULL);
	memcpy(exact, in.p, in.n);
	enum lsp_frame f = lsp_frame_next((struct str){ exact, in.n }, &body, ret_used);
	if (f != LSP_FRAME_CUT) {
		fuzz_require(*ret_used && *ret_used <= in.n);
		buf_printf(out, "%d:", (int)f);
		buf_str(out, body);
	}
	free(exact);
	return f != LSP_FRAME_CUT;
}

/* Appends the frames of TEXT, of which N more bytes arrive at each time. */
static void read_wire(struct str text, size_t n, struct buf *out)
{
	size_t used;

	for (size_t taken = 0, came = 0; came < text.n;) {
		came = came + n < text.n ? came + n : text.n;
		while (taken < came && take_frame((struct str){ text.p + taken, came - taken }, &used, out))
			taken += used;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct session s = { 0 };
	struct buf whole = { 0 }, parts = { 0 };

	fuzz_divide(fuzz_input(&s.arena, bytes, n), &s.parts);
	struct str wire = fuzz_part(&s.parts, "wire");
	read_wire(wire, wire.n, &whole);
	read_wire(wire, 7, &parts);
	fuzz_require(str_eq(buf_text(&whole), buf_text(&parts)));
	if (s.parts.at[0].text.n)
		run_session(&s);
	buf_release(&whole);
	buf_release(&parts);
	arena_release(&s.arena);
	return 0;
}
