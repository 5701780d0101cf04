/*
 * library.h - the standard library as text that describes itself: for explain, init and
 * completion, which ask what there is without compiling it.
 *
 * Only the syntax tree is made: documentation, and signatures in their author's spelling.
 */
#ifndef TRAINC_LIBRARY_H
#define TRAINC_LIBRARY_H

#include "check/module.h"

struct library_module {
	struct str name, dotted;        /* names of the module: "mpi", "std.mpi"; for a package "sizes", "acme.sizes" */
	struct node *file;
	struct sources sources;         /* the sources: only the module's own text */
	struct names names;
	struct diags diags;
};

/* `name` is one of stdlib_names(). */
struct library_module *library_parse(struct arena *a, struct str name);
/* A module of a package, from its text. */
struct library_module *library_parse_text(struct arena *a, struct str name, struct str dotted, struct str text);

struct library_item {
	const char *kind;               /* kind of the declaration: framework, accelerator, fn, type or let */
	struct str name, doc;
	const struct nodes *formals;    /* the parameters; NULL for a type or a let */
	const struct node *blueprint;   /* the declaration of a framework or accelerator; otherwise NULL */
};

/* The value of a declaration for those who import the module; false for private ones and other kinds. */
bool library_item(const struct node *declaration, struct library_item *ret);

/*
 * The program in a documentation comment, without the indentation: the indented
 * lines below a line "Example:".  Empty without one.
 */
struct str library_example(struct arena *a, struct str doc);

/* Every framework, module by module, each in its order. */
void library_frameworks(struct arena *a, void (*each)(void *to, const struct library_module *m,
	const struct library_item *item), void *to);

#endif
