/*
 * reference.h - `trainc doc`: writes what a module offers as Markdown, from its declarations and their `##` comments.
 * Names that begin with `_` are private and left out. Types are shown as written. If no type is written, the type that
 * the checker found is shown, if it checked the declaration.
 */
#ifndef TRAINC_REFERENCE_H
#define TRAINC_REFERENCE_H

#include "base/buf.h"
#include "check/module.h"
#include "explain/outline.h"

struct reference {
	struct arena *arena;
	struct outline outline;
	struct str prefix;              /* what precedes the names of frameworks and accelerators where they are used:
					 * "mpi." */
	struct buf *out;
};

/* Writes the whole page. The module must have no syntax errors. */
void reference_module(struct arena *a, const struct module *m, struct str title, struct buf *out);

/* ---- shared by the files that write the page ---- */

/* Writes a NODE_FRAMEWORK or NODE_ACCELERATOR: documentation, arguments, parts. */
void reference_blueprint(struct reference *r, const struct node *decl);
/* Writes a blank line and the documentation; writes nothing if no documentation exists. */
void reference_doc(struct reference *r, struct str doc);
/* Writes a table of formals, if there are any. */
void reference_arguments(struct reference *r, const struct nodes *formals);
/* Writes a list of the checks in a body, after the text INTRO. */
void reference_checks(struct reference *r, const struct node *body, const char *intro);
/* Write cells of a table, each followed by a bar. */
void reference_cell_code(struct reference *r, struct str text);
void reference_cell_doc(struct reference *r, struct str doc);
/* The text of a node on one line, cut off when it is long. */
struct str reference_text(const struct reference *r, const struct node *n);

#endif
