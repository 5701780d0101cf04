/*
 * mcp_tool.h - the tools of `trainc mcp`: how they are described to an agent, and how one is called. A tool is a
 * command of this program, run as a process of its own, so that its output is what a person would see, and a failure of
 * it ends no server.
 */
#ifndef TRAINC_COMMAND_MCP_TOOL_H
#define TRAINC_COMMAND_MCP_TOOL_H

#include "base/buf.h"
#include "data/data.h"

/* Writes the list of tools as JSON, each with the JSON Schema of its arguments. */
void mcp_tools_write(struct buf *out);

/*
 * Calls the tool NAME with ARGUMENTS, an object of JSON or NULL, and waits for its end, a minute at most. *RET_TEXT is
 * what it printed, with messages, at most a MiB of it; *RET_FAILED: it could not do what it was asked for. Returns
 * false if no tool has that name, or if it does not take these arguments; *RET_TEXT then says why.
 */
bool mcp_tool_call(struct arena *a, struct str name, const struct data *arguments, struct str *ret_text,
	bool *ret_failed);

#endif
