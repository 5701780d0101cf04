/*
 * library_part.h - the declarations of a library module that a program names.
 *
 * Most of the time of a small compilation would go into parsing library modules
 * whose declarations nothing uses.  A part is the text of a module with the other
 * declarations blanked out, so that places stay those of the whole text.  A
 * program that gets any diagnostic is compiled again with whole modules
 * (session.c), because messages list what a module has.
 *
 * Library modules are in canonical style: a declaration begins with a word in the
 * first column, and its comments are directly above it.  tests/unit/library_part_test.c
 * holds every module against its whole parse.
 */
#ifndef TRAINC_CHECK_LIBRARY_PART_H
#define TRAINC_CHECK_LIBRARY_PART_H

#include "base/arena.h"
#include "base/map.h"
#include "base/str.h"

struct library_decl {
	struct str name;                /* name of the declaration; empty: always read (imports, checks) */
	size_t start, end;              /* its place in the text, with the comments above it */
	bool wanted, parsed;
};

struct library_part {
	struct str text;                /* of the whole module */
	struct library_decl *at;
	size_t n;
	bool taken;                     /* a part was taken at least once */
	struct map by_name;             /* name -> struct library_decl * */
};

/* Finds the declarations of a library module's TEXT. */
void library_part_init(struct library_part *p, struct arena *a, struct str text);

/* Marks as wanted every declaration that PROGRAM (its text) names behind a point, and what those name in turn. */
void library_part_want(struct library_part *p, struct str program);
void library_part_want_all(struct library_part *p);

/*
 * Returns the module's text, in A, with everything blanked except wanted declarations that are not
 * parsed yet, and marks those as parsed.  p == NULL when nothing is left to parse; the first call
 * always gives a text.
 */
struct str library_part_take(struct library_part *p, struct arena *a);

#endif
