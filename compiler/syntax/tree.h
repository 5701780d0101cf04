/*
 * tree.h - the encoding of declarations as bytes, and the decoder.
 *
 * The build parses the modules of the library once (check/library/compile_library.c) and keeps their trees in this
 * form; a program reads the declarations that it needs. That takes a tenth of the time that parsing them does.
 *
 * A node is its kind (one byte; 0: no node), its span, and the members of its kind in the order of tree_members(); what
 * only the parser needs is left out. Numbers are in groups of seven bits, the lowest first, with bit 7 set in all but
 * the last. A span is written as its distance from the span before and its length. A word is written as its index in
 * one of two lists: names, which are interned when they are first read, and texts.
 *
 * Only modules without errors are encoded, and they contain no jobs, tests, policies, profiles or projects.
 */
#ifndef TRAINC_SYNTAX_TREE_H
#define TRAINC_SYNTAX_TREE_H

#include "syntax/ast.h"

/* How a member of a node is written; offsets are those of struct node. */
enum tree_form {
	TREE_END,
	TREE_WORD,                      /* a struct str */
	TREE_SPAN,                      /* a struct span */
	TREE_NODE,                      /* a struct node */
	TREE_LATER,                     /* the value of a function: its length in bytes, then the node, whose first span
					 * is relative to the start of the module */
	TREE_NODES,                     /* a struct nodes */
	TREE_FLAG,                      /* a bool */
	TREE_CHOICE,                    /* an enum */
	TREE_NUMBER,                    /* a uint64_t */
	TREE_REAL,                      /* a double */
	TREE_KEY,                       /* a struct key */
	TREE_BINDERS,                   /* a struct binder[2], followed by the number of binders */
	TREE_PARTS,                     /* a struct string_part *, followed by the number of parts */
	TREE_IMPORT_PATH,               /* the path and depth of an import */
	TREE_TYPE_PATH,                 /* the path, spans and depth of a type */
	TREE_TOPOLOGY
};

struct tree_member {
	unsigned char form;
	unsigned short offset;
};

/* The members of a kind, up to TREE_END; NULL for kinds that are never encoded. */
const struct tree_member *tree_members(enum node_kind kind);

/* A list of words: word I is the bytes from starts[I] to starts[I + 1], without the NUL at its end. */
struct tree_words {
	const char *bytes;
	const uint32_t *starts;
	unsigned n;
};

struct tree_bytes {
	const unsigned char *bytes;
	struct tree_words names, texts;
};

struct tree_reader {
	struct arena *arena;            /* memory of the nodes */
	struct names *interned;
	const struct tree_bytes *tree;
	struct str *known;              /* names that were read before; p == NULL: not read yet */
	uint32_t base;                  /* global offset of the module's source */
	bool later;                     /* leave out the values of functions: fn.later is set instead of fn.value */
	uint32_t last;                  /* start of the span before, as an offset from `base` */
	const unsigned char *at;
};

/* BASE is the global offset of the module's source; decoded spans are relative to it. */
void tree_reader_init(struct tree_reader *r, struct arena *a, struct names *interned, const struct tree_bytes *tree,
	uint32_t base);
/* The node that begins at byte AT of the tree, with its children. */
struct node *tree_read(struct tree_reader *r, uint32_t at);
/* A word of one of the lists; it points to the bytes of the list. */
struct str tree_word(const struct tree_words *words, unsigned i);

#endif
