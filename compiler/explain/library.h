/*
 * library.h - the standard library as documented declarations, for explain, init and completion, which list what exists
 * without compiling it. Only the syntax tree is made: it has documentation, and signatures as their authors wrote them.
 */
#ifndef TRAINC_LIBRARY_H
#define TRAINC_LIBRARY_H

#include "check/module.h"

struct library_module {
	struct str name, dotted;        /* names of the module: "mpi", "std.mpi"; for a package "sizes", "acme.sizes" */
	struct node *file;
	struct sources sources;         /* contains only the module's own text */
	struct names names;
	struct diags diags;
};

/* Parses a module of the library; NAME is one of stdlib_names(). */
struct library_module *library_parse(struct arena *a, struct str name);
/* Parses a module of a package from its text. */
struct library_module *library_parse_text(struct arena *a, struct str name, struct str dotted, struct str text);

struct library_item {
	const char *kind;               /* kind of the declaration: framework, accelerator, fn, type or let */
	struct str name, doc;
	const struct nodes *formals;    /* the parameters; NULL for a type or a `let` */
	const struct node *blueprint;   /* the declaration of a framework or accelerator; otherwise NULL */
};

/* Describes a declaration that importers of the module can use; false for private ones and other kinds. */
bool library_item(const struct node *declaration, struct library_item *ret);

/*
 * The example in a documentation comment, without indentation: the indented lines below a line "Example:". Empty if the
 * comment has no example.
 */
struct str library_example(struct arena *a, struct str doc);

/* Calls EACH for every framework, module by module, in the order of declaration. */
void library_frameworks(struct arena *a, void (*each)(void *to, const struct library_module *m,
	const struct library_item *item), void *to);

#endif
