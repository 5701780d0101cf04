/*
 * tokens.h - the kinds of semantic tokens, with the names that the server announces to the client.
 */
#ifndef TRAINC_LSP_TOKENS_H
#define TRAINC_LSP_TOKENS_H

#include "lsp/server.h"

extern const char tokens_legend[];

#endif
