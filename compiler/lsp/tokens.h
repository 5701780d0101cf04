/*
 * tokens.h - the kinds of semantic tokens, by the names that the client is given.
 */
#ifndef TRAINC_LSP_TOKENS_H
#define TRAINC_LSP_TOKENS_H

#include "lsp/server.h"

extern const char tokens_legend[];

#endif
