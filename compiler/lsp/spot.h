/*
 * spot.h - the name at the position that a request is about, and all places of the program, or of the workspace, with
 * the same meaning.
 */
#ifndef TRAINC_LSP_SPOT_H
#define TRAINC_LSP_SPOT_H

#include "lsp/occurrence.h"
#include "lsp/server.h"

struct spot {
	struct analysis *analysis;
	struct module *module;          /* the root module, which is the document */
	const struct source *source;
	const struct lsp_lines *lines;
	uint32_t offset;                /* global offset of params.position */
	struct occurrence name;
	bool named;                     /* there is a name at the position */
};

/* Returns false if the document could not be read as a program at all. */
bool spot_at(struct request *r, struct spot *s);

/* Returns the span in which a name is declared, within the analysis; unknown for names of the language itself. */
struct span spot_declared(const struct occurrence *o);

/* A place with the same meaning. */
struct mention_at {
	struct str uri;
	const struct lsp_lines *lines;
	size_t start, end;              /* start and end in the text, in bytes */
	bool declares, writes;
	const struct occurrence *occurrence;
};
/*
 * Calls EACH once for every place with the meaning of the spot in the modules of its program. With EVERYWHERE, the
 * other programs of the workspace are searched too.
 */
void spot_mentions(struct request *r, const struct spot *s, bool everywhere,
	void (*each)(void *to, const struct mention_at *m), void *to);

/* Writes { uri, range } for a span. */
void spot_put_location(struct request *r, struct analysis *an, struct span at);

#endif
