/*
 * complete.h - the completion list. The files of completion add items to it.
 */
#ifndef TRAINC_LSP_COMPLETE_H
#define TRAINC_LSP_COMPLETE_H

#include "lsp/lsp_context.h"

/* Kinds of completion items, with the numbers of the protocol. */
enum item_kind {
	ITEM_TEXT = 1, ITEM_METHOD = 2, ITEM_FUNCTION = 3, ITEM_FIELD = 5, ITEM_VARIABLE = 6, ITEM_CLASS = 7,
		ITEM_MODULE = 9,
	ITEM_PROPERTY = 10, ITEM_UNIT = 11, ITEM_VALUE = 12, ITEM_ENUM_MEMBER = 20, ITEM_KEYWORD = 14,
	ITEM_SNIPPET = 15, ITEM_FILE = 17, ITEM_CONSTANT = 21, ITEM_STRUCT = 22
};

/* How near a label is to the typed prefix, the nearest first. */
enum near {
	NEAR_WHOLE,                     /* the label is the prefix */
	NEAR_START,                     /* the label begins with the prefix */
	NEAR_MEMBER,                    /* the text behind a dot is the prefix */
	NEAR_PARTS,                     /* a word of the label begins with the prefix, which the label repeats */
	NEAR_PART,                      /* a word of the label begins with the prefix */
	NEAR_INSIDE,                    /* the label contains the prefix */
	NEAR_LETTERS,                   /* the label contains the letters of the prefix in their order */
	NEAR_LATE                       /* the item is last, whatever was typed */
};

struct item {
	enum item_kind kind;
	struct str label, detail, doc;
	struct str insert;              /* the text to insert; p == NULL: the label */
	/* `insert` contains $1 and ${1:x}; a client without snippets gets its plain form */
	bool snippet;
	/* among items that are equally near to what was typed, low ranks come first; others keep their order */
	int rank;
	bool late;                      /* last of all: a framework for jobs that were written for another system */
	/*
	 * the library module that the item needs and that the file does not import yet; p == NULL: no module is missing
	 */
	struct str import;
	bool deprecated;
};

struct completing {
	struct request *r;
	struct context *c;
	struct str text;
	const struct lsp_lines *lines;
	struct map seen;                /* labels of the items that have been added so far */
	size_t n;
	struct node *file;              /* the tree of the document, for edits that add imports */
};

void complete_add(struct completing *k, const struct item *item);
/* Adds a plain word. */
void complete_word(struct completing *k, enum item_kind kind, const char *word, const char *detail, int rank);
/* Adds a declaration that can be named at the cursor; NAME may begin with a module. */
void complete_decl(struct completing *k, const struct decl *d, struct str name, int rank);

/* Adds fields, blocks and everything else that can start an item. */
void complete_keys(struct completing *k);
void complete_block_names(struct completing *k);
void complete_declarations(struct completing *k);
void complete_frameworks(struct completing *k);
void complete_imports(struct completing *k);
void complete_types(struct completing *k);
void complete_values(struct completing *k);
void complete_members(struct completing *k);
void complete_texts(struct completing *k);

/* Returns the parsed modules of the library, which are made on first use. */
struct library_module;
const struct library_module *catalog_module(struct lsp *l, struct str name);
/* Does the file import the module of the library? Sets the name that the import binds. */
bool catalog_imported(const struct module *m, struct str name, struct str *ret_bound);
/* Returns the offset at which to insert a new import. */
size_t catalog_import_place(struct str text);
/* Returns what to insert at that PLACE of TEXT to import MODULE of the library, with a blank line before code. */
struct str catalog_import_text(struct arena *a, struct str text, size_t place, struct str module);

#endif
