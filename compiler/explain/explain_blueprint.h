/*
 * explain_blueprint.h - describes the parts of a framework or an accelerator from its syntax tree.
 */
#ifndef TRAINC_EXPLAIN_BLUEPRINT_H
#define TRAINC_EXPLAIN_BLUEPRINT_H

#include "base/buf.h"
#include "syntax/ast.h"
#include "syntax/flat.h"

/*
 * Appends sections, each with a blank line before its heading: "Roles", "Environment", "Where", "Locked" and "Success"
 * for a NODE_FRAMEWORK, "Gives" for a NODE_ACCELERATOR. FLAT has the text of DECL. docs/frameworks.py reads the
 * sections, too.
 */
void explain_blueprint(struct arena *a, const struct flat *flat, const struct node *decl, struct buf *out);

#endif
