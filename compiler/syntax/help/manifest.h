/*
 * manifest.h - manifests of Kubernetes where a program is expected: a whole file
 * that belongs to `trainc import`, or YAML that was put into a program.
 */
#ifndef TRAINC_SYNTAX_HELP_MANIFEST_H
#define TRAINC_SYNTAX_HELP_MANIFEST_H

#include "diag/diag.h"

/* True after a report: the text is a manifest or contains one, and no other message about it would help. */
bool manifest_in_text(struct arena *a, struct diags *ds, const struct source *source);

#endif
