/*
 * actions.h - shared by the files of code actions.
 */
#ifndef TRAINC_LSP_ACTIONS_H
#define TRAINC_LSP_ACTIONS_H

#include "lsp/spot.h"

struct acting {
	struct request *r;
	struct analysis *an;
	struct module *root;
	const struct source *source;
	const struct lsp_lines *lines;
	size_t from, to;                /* the selection, as byte offsets in the text */
};

/* Does the client want actions of this kind, or of a more general one ("quickfix", "source.fixAll")? */
bool action_wanted(const struct acting *a, const char *kind);
/* Starts an action; the caller then appends edits of the document with action_edit(), and ends the action. */
void action_begin(struct acting *a, const char *kind, struct str title);
void action_edit(struct acting *a, size_t start, size_t end, struct str text);
void action_end(struct acting *a);
/*
 * Do the same in two steps, for an action that edits another document: write the head, and start the edit, which
 * continues as described in edits.h.
 */
void action_head(struct acting *a, const char *kind, struct str title);
void action_begin_edit(struct acting *a);

/* Does the selection contain a part of the source range? */
bool action_touches(const struct acting *a, struct span at);

/* Offers to replace a pasted manifest with a program. */
void action_convert(struct acting *a);
/* Offers to write required fields that are not set. */
void action_required(struct acting *a);
/* Offers a `let` for the selected expression. */
void action_extract(struct acting *a);
/* Offers to import a module of the library whose name the selection touches. */
void action_import(struct acting *a);
/* Offers to sort imports, remove unused ones and add missing ones. */
void action_imports(struct acting *a);

#endif
