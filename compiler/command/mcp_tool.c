/*
 * mcp_tool.c - describes the tools of mcp.def, and makes the command line of a call. What an agent says becomes the
 * value of an option or the input of the command, never an option itself; a file that it names is a program below the
 * working directory.
 */
#include "command/mcp_tool.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/json_write.h"
#include "base/path.h"
#include "base/str.h"
#include "command/mcp_run.h"

enum mcp_input { MCP_NOTHING, MCP_PROGRAM, MCP_MANIFESTS, MCP_TOPIC };

enum mcp_tool_id {
#define TOOL(id, command, input, doc) MCP_TOOL_##id,
#include "command/mcp.def"
	MCP_TOOLS
};

static const struct mcp_tool {
	const char *name, *doc;
	enum mcp_input input;
} tools[] = {
#define TOOL(id, command, input, doc) { command, doc, MCP_##input },
#include "command/mcp.def"
};

#define ONLY_TOOL(id) (1U << MCP_TOOL_##id)
#define OF_PROGRAM (ONLY_TOOL(CHECK) | ONLY_TOOL(PLAN) | ONLY_TOOL(ENV) | ONLY_TOOL(FIT))

static const struct mcp_argument {
	unsigned tools;
	const char *name, *type, *option, *doc;
} arguments[] = {
#define ARGUMENT(of, name, type, option, doc) { of, name, type, option, doc },
#include "command/mcp.def"
};

enum { MCP_ARGUMENTS = sizeof arguments / sizeof *arguments };

/* The arguments that are the input of a command. */
static const struct mcp_source {
	enum mcp_input input;
	const char *name, *doc;
} sources[] = {
	{ MCP_PROGRAM, "program", "Text of the program." },
	{ MCP_PROGRAM, "file", "Name of the program's file in the directory of the server, instead of its text." },
	{ MCP_MANIFESTS, "manifests", "Text of the manifests, or of the batch script." },
	{ MCP_TOPIC, "topic", "What to explain." },
};

enum { MCP_SOURCES = sizeof sources / sizeof *sources };

/* ---- the description ---- */

static void write_property(struct json_writer *w, const char *name, const char *type, const char *doc)
{
	json_add_open(w, name, '{');
	json_add_text(w, "type", str_of(type));
	json_add_text(w, "description", str_of(doc));
	if (str_is(str_of(type), "object")) {
		json_add_open(w, "additionalProperties", '{');
		json_add_text(w, "type", STR("string"));
		json_close(w, '}');
	}
	json_close(w, '}');
}

static void write_schema(struct json_writer *w, const struct mcp_tool *t)
{
	unsigned bit = 1U << (t - tools);

	json_add_open(w, "inputSchema", '{');
	json_add_text(w, "type", STR("object"));
	json_add_open(w, "properties", '{');
	for (size_t i = 0; i < MCP_SOURCES; i++)
		if (sources[i].input == t->input)
			write_property(w, sources[i].name, "string", sources[i].doc);
	for (size_t i = 0; i < MCP_ARGUMENTS; i++)
		if (arguments[i].tools & bit)
			write_property(w, arguments[i].name, arguments[i].type, arguments[i].doc);
	json_close(w, '}');
	if (t->input == MCP_MANIFESTS) {
		json_add_open(w, "required", '[');
		json_put_text(w, STR("manifests"));
		json_close(w, ']');
	}
	json_add_bool(w, "additionalProperties", false);
	json_close(w, '}');
}

void mcp_tools_write(struct buf *out)
{
	struct json_writer w = { .out = out };

	json_open(&w, '[');
	for (const struct mcp_tool *t = tools; t < tools + MCP_TOOLS; t++) {
		json_open(&w, '{');
		json_add_text(&w, "name", str_of(t->name));
		json_add_text(&w, "description", str_of(t->doc));
		write_schema(&w, t);
		json_add_open(&w, "annotations", '{');
		json_add_bool(&w, "readOnlyHint", true);
		json_add_bool(&w, "openWorldHint", t - tools == MCP_TOOL_FIT);
		json_close(&w, '}');
		json_close(&w, '}');
	}
	json_close(&w, ']');
}

/* ---- a call ---- */

struct mcp_call {
	struct arena *arena;
	const struct mcp_tool *tool;
	char **argv;
	size_t n;
	struct str input;               /* of the command */
	bool given;                     /* the agent has given an input */
	struct str why;                 /* why the call is refused */
};

static bool refuse_call(struct mcp_call *c, const char *fmt, struct str name)
{
	struct buf text = { 0 };

	buf_printf(&text, fmt, c->tool->name, STR_ARG(name));
	c->why = buf_take(&text, c->arena);
	buf_release(&text);
	return false;
}

static void add_call_word(struct mcp_call *c, struct str word)
{
	ARENA_PUSH(c->arena, c->argv, c->n, arena_copy(c->arena, word.p, word.n));
}

static void add_call_option(struct mcp_call *c, const char *option, struct str value)
{
	struct buf text = { 0 };

	buf_printf(&text, "%s=%.*s", option, STR_ARG(value));
	add_call_word(c, buf_text(&text));
	buf_release(&text);
}

static bool has_nul(struct str s) { return s.n && memchr(s.p, 0, s.n); }

/* Does PATH, with all links followed, lead below the working directory? What does not exist leads nowhere else. */
static bool leads_inside(struct arena *a, struct str path)
{
	char *here = realpath(".", NULL), *there = realpath(str_copy(a, path).p, NULL);
	size_t n = here ? strlen(here) : 0;
	bool inside = here && (!there || (!strncmp(there, here, n) && (n == 1 || there[n] == '/')));

	free(here);
	free(there);
	return inside;
}

/* Is PATH a program below the working directory, by its text? */
static bool is_own_program(struct str path)
{
	if (!str_ends(path, STR(".tj")) || path.p[0] == '/' || path.p[0] == '-' || has_nul(path))
		return false;
	for (size_t at = 0; at < path.n;) {
		const char *slash = memchr(path.p + at, '/', path.n - at);
		size_t end = slash ? (size_t)(slash - path.p) : path.n;
		if (str_is((struct str){ path.p + at, end - at }, ".."))
			return false;
		at = end + 1;
	}
	return true;
}

static bool take_source(struct mcp_call *c, const struct mcp_source *s, const struct data *value)
{
	if (value->kind != DATA_STRING)
		return refuse_call(c, "the argument of '%s' '%.*s' is a text", str_of(s->name));
	if (c->given)
		return refuse_call(c, "'%s' takes one input; '%.*s' is another one", str_of(s->name));
	c->given = true;
	if (str_is(str_of(s->name), "file")) {
		if (!is_own_program(value->u.string) || !leads_inside(c->arena, value->u.string))
			return refuse_call(c, "'%s' reads .tj files below its directory, not '%.*s'", value->u.string);
		add_call_word(c, value->u.string);
	} else if (s->input == MCP_TOPIC) {
		if (value->u.string.n && (value->u.string.p[0] == '-' || has_nul(value->u.string)))
			return refuse_call(c, "'%s' knows no topic '%.*s'", value->u.string);
		if (value->u.string.n)
			add_call_word(c, value->u.string);
	} else {
		c->input = value->u.string;
		add_call_word(c, STR("-"));
	}
	return true;
}

static bool take_members(struct mcp_call *c, const struct mcp_argument *g, const struct data *value)
{
	for (size_t i = 0; i < value->u.map.n; i++) {
		const struct data_member *m = &value->u.map.at[i];
		struct buf text = { 0 };
		if (m->value->kind != DATA_STRING || has_nul(m->value->u.string) || has_nul(m->key))
			return refuse_call(c, "'%s': the value of '%.*s' is a text", m->key);
		buf_printf(&text, "%.*s=%.*s", STR_ARG(m->key), STR_ARG(m->value->u.string));
		add_call_option(c, g->option, buf_text(&text));
		buf_release(&text);
	}
	return true;
}

static bool take_argument(struct mcp_call *c, const struct mcp_argument *g, const struct data *value)
{
	struct str type = str_of(g->type);
	char number[32];

	if (value->kind == DATA_MAP && str_is(type, "object"))
		return take_members(c, g, value);
	if (value->kind == DATA_INT && str_is(type, "integer")) {
		int n = snprintf(number, sizeof number, "%lld", (long long)value->u.integer);
		add_call_option(c, g->option, (struct str){ number, (size_t)n });
		return true;
	}
	if (value->kind != DATA_STRING || !str_is(type, "string") || has_nul(value->u.string))
		return refuse_call(c, "'%s': '%.*s' has a value of the wrong type", str_of(g->name));
	add_call_option(c, g->option, value->u.string);
	return true;
}

/* Takes one member of the arguments. */
static bool take_member(struct mcp_call *c, const struct data_member *m)
{
	for (size_t i = 0; i < MCP_SOURCES; i++)
		if (sources[i].input == c->tool->input && str_is(m->key, sources[i].name))
			return take_source(c, &sources[i], m->value);
	for (size_t i = 0; i < MCP_ARGUMENTS; i++)
		if (arguments[i].tools & 1U << (c->tool - tools) && str_is(m->key, arguments[i].name))
			return take_argument(c, &arguments[i], m->value);
	return refuse_call(c, "'%s' has no argument '%.*s'", m->key);
}

static bool take_arguments(struct mcp_call *c, const struct data *given)
{
	if (given && given->kind != DATA_MAP)
		return refuse_call(c, "the arguments of '%s' are an object%.*s", STR(""));
	for (size_t i = 0; given && i < given->u.map.n; i++)
		if (!take_member(c, &given->u.map.at[i]))
			return false;
	if (!c->given && c->tool->input == MCP_PROGRAM)
		return refuse_call(c, "'%s' needs the program%.*s", STR(": its text as 'program', or its 'file'"));
	if (!c->given && c->tool->input == MCP_MANIFESTS)
		return refuse_call(c, "'%s' needs 'manifests'%.*s", STR(""));
	return true;
}

/* A program that is wrong is what `check` looks for. */
static bool call_failed(const struct mcp_tool *t, int status)
{
	return status != 0 && !(status == 1 && t - tools == MCP_TOOL_CHECK);
}

bool mcp_tool_call(struct arena *a, struct str name, const struct data *given, struct str *ret_text, bool *ret_failed)
{
	struct mcp_call c = { .arena = a };
	struct buf text = { 0 };

	for (const struct mcp_tool *t = tools; t < tools + MCP_TOOLS; t++)
		if (str_is(name, t->name))
			c.tool = t;
	if (!c.tool) {
		buf_printf(&text, "no tool is called '%.*s'", STR_ARG(name));
		*ret_text = buf_take(&text, a);
		buf_release(&text);
		return false;
	}
	add_call_word(&c, STR("trainc"));
	add_call_word(&c, str_of(c.tool->name));
	if (!take_arguments(&c, given)) {
		*ret_text = c.why;
		return false;
	}
	ARENA_PUSH(a, c.argv, c.n, NULL);
	int status = mcp_run(c.argv, c.input, &text);
	if (!text.n)
		buf_z(&text, status == 0 ? "no problems\n" : "it printed nothing\n");
	*ret_text = buf_take(&text, a);
	buf_release(&text);
	*ret_failed = call_failed(c.tool, status);
	return true;
}
