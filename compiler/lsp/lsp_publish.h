/*
 * lsp_publish.h - writes a diagnostic in the form of the protocol.
 */
#ifndef TRAINC_LSP_LSP_PUBLISH_H
#define TRAINC_LSP_LSP_PUBLISH_H

#include "lsp/server.h"

void publish_diag(struct arena *arena, struct buf *out, struct analysis *a, const struct diag *d);

#endif
