/*
 * edits.h - writes a WorkspaceEdit as JSON, in the form that the client supports: edits with the version of each
 * document, or by URI.
 */
#ifndef TRAINC_LSP_EDITS_H
#define TRAINC_LSP_EDITS_H

#include "lsp/server.h"

/*
 * Starts the edit in R->out. The caller then starts each document once, adds its edits with msg_put_edit(), and ends
 * the document.
 */
void edits_begin(struct request *r);
void edits_begin_document(struct request *r, struct str uri);
void edits_end_document(struct request *r);
void edits_end(struct request *r);

#endif
