/*
 * library_part.h - the declarations of a library module that a program names.
 *
 * Most of the time of a small compilation would go into the declarations of the library that nothing uses. The build
 * keeps the tree of each module as bytes (syntax/tree.h, written by check/library/compile_library.c), with the other
 * declarations that each one needs, and a program reads those that it names. A program that gets any diagnostic is
 * compiled again with whole modules (trainc.c), because messages list what a module has.
 *
 * tests/unit/library_part_test.c compares every module with the result of parsing its text.
 */
#ifndef TRAINC_CHECK_LIBRARY_PART_H
#define TRAINC_CHECK_LIBRARY_PART_H

#include "syntax/tree.h"

struct library_decl {
	uint32_t at;                    /* position of the declaration's node in the bytes of the tree */
	uint16_t name;                  /* position of its name in the tree's list of names; LIBRARY_NAMELESS: the
					 * declaration is always read */
	uint16_t first_need, nneeds;    /* the range in `needs` that lists the declarations of the module which this one
					 * names */
	uint16_t nnow;                  /* the first of them, which it needs even if it is a function that is not
					 * called; otherwise nneeds */
};
enum { LIBRARY_NAMELESS = 65535 };

/* A module in the form that the build writes. */
struct library_tree {
	const char *module;             /* name of the module: "single" */
	struct tree_bytes tree;
	const struct library_decl *decls;       /* the declarations, in the order of the text */
	unsigned ndecls;
	const uint16_t *by_name;        /* positions of the declarations that have a name, in byte order of the names */
	unsigned nnamed;
	const uint16_t *needs;          /* for each declaration, the positions of those that it names; see first_need */
	const char *doc;                /* the ## lines at the head of the module; NULL if the module has no such
					 * lines */
};

/* The module of that name, or NULL. The function is generated into build/ from stdlib/std. */
const struct library_tree *library_tree_find(struct str module);

/* The part of a module that a program uses. */
struct library_part {
	const struct library_tree *tree;
	struct tree_reader reader;
	bool *wanted, *read;            /* for each declaration: `wanted`: the program needs it; `read`: it was read */
};

/*
 * BASE is the global offset of the module's source; nodes and lists are allocated in A. The values of functions are
 * left out if the caller sets reader.later; library_part_value() reads them.
 */
void library_part_init(struct library_part *p, struct arena *a, struct names *names, const struct library_tree *tree,
	uint32_t base);

/* Marks as wanted every declaration that the text PROGRAM names after a '.', and those that these name in turn. */
void library_part_want(struct library_part *p, struct str program);
void library_part_want_all(struct library_part *p);

/* Adds to LIST the declarations that are wanted and were not read before, in the order of the text. */
void library_part_read(struct library_part *p, struct nodes *list);

/* Reads the value of the function FN, and marks as wanted every declaration that it names. */
void library_part_value(struct library_part *p, struct node *fn);

#endif
