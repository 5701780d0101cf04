/*
 * tokens.h - the kinds of semantic tokens, as the client is told of them.
 */
#ifndef TRAINC_LSP_TOKENS_H
#define TRAINC_LSP_TOKENS_H

#include "lsp/server.h"

extern const char tokens_legend[];

#endif
