/*
 * publish.h - a diagnostic as the protocol has it.
 */
#ifndef TRAINC_LSP_PUBLISH_H
#define TRAINC_LSP_PUBLISH_H

#include "lsp/server.h"

void publish_diag(struct arena *arena, struct buf *out, struct analysis *a, const struct diag *d);

#endif
