/* mcp_run.h - runs this program as another process, and reads what it prints. */
#ifndef TRAINC_COMMAND_MCP_RUN_H
#define TRAINC_COMMAND_MCP_RUN_H

#include "base/buf.h"

/* Bytes of output that are kept, and seconds that a command may take. */
enum { MCP_OUTPUT = 1 << 20, MCP_SECONDS = 60 };

/*
 * Runs the command ARGV (NULL at its end) with INPUT, and appends what it prints on both outputs, in their order.
 * Returns its exit status; -1 if it could not be started, took too long or printed too much, which OUT then says at its
 * end.
 */
int mcp_run(char **argv, struct str input, struct buf *out);

#endif
