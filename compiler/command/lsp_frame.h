/*
 * lsp_frame.h - finds the messages in the input of the language server. A message is a header, an empty line and as
 * many bytes as the header says.
 */
#ifndef TRAINC_COMMAND_LSP_FRAME_H
#define TRAINC_COMMAND_LSP_FRAME_H

#include "base/str.h"

enum lsp_frame {
	LSP_FRAME_CUT,                  /* the rest of the message has not arrived */
	LSP_FRAME_MESSAGE,              /* a message has arrived */
	LSP_FRAME_MALFORMED             /* a header has arrived that states no length, or more than 2 GiB */
};

/*
 * Looks at the beginning of IN. *RET_BODY is the message, which borrows from IN. *RET_USED is the number of bytes that
 * the frame takes: those of the header, and those of the message. Both are set unless the frame is cut.
 */
enum lsp_frame lsp_frame_next(struct str in, struct str *ret_body, size_t *ret_used);

#endif
