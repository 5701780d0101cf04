/*
 * restricted.h - which commands give up which rights (base/restriction.h). check, compile, fmt, import of files and lsp
 * read what others wrote, and need neither other processes nor connections.
 */
#ifndef TRAINC_COMMAND_RESTRICTED_H
#define TRAINC_COMMAND_RESTRICTED_H

#include "command/session.h"

/*
 * Restricts this process, if the command is one of those: to the files that it writes by its options and operands. Call
 * it once all options are read, and before any file of somebody else is.
 */
void restricted_begin(struct session *s);

#endif
