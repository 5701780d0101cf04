/*
 * help_manifest.h - reports Kubernetes manifests where a program is expected: a whole file that should be passed to
 * `trainc import`, or YAML that was put into a program.
 */
#ifndef TRAINC_SYNTAX_HELP_HELP_MANIFEST_H
#define TRAINC_SYNTAX_HELP_HELP_MANIFEST_H

#include "diag/diag.h"

/* Reports a text that is a manifest or contains one; true if it did: no other message about it would help. */
bool manifest_in_text(struct arena *a, struct diags *ds, const struct source *source);

#endif
