/*
 * lsp_convert.h - makes a program from a manifest in the editor.
 */
#ifndef TRAINC_LSP_LSP_CONVERT_H
#define TRAINC_LSP_LSP_CONVERT_H

#include "base/buf.h"
#include "diag/diag.h"

/*
 * Appends the program of all jobs in MANIFEST to OUT; returns false if MANIFEST contains no job. DIAGS gets what is
 * wrong with the manifest and what the program leaves out.
 */
bool convert_manifest(struct str manifest, struct sources *sources, struct diags *diags, struct buf *out);

#endif
