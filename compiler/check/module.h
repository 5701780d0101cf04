/*
 * module.h - files, their imports and the project around them.
 *
 * module_load() reads the root file and everything it imports (standard library
 * from the binary, packages and files through the reader), refuses cycles,
 * finds project.tj, and gives the modules in an order in which every module
 * comes after those that it imports.  Two routes to one file are one module.
 */
#ifndef TRAINC_CHECK_MODULE_H
#define TRAINC_CHECK_MODULE_H

#include "base/map.h"
#include "check/decl.h"
#include "check/library_part.h"
#include "diag/diag.h"

struct module {
	struct str path;                /* normalised, relative to the working directory; std.x for the library */
	struct str dotted;              /* "std.single", "acme.x", or empty */
	struct source *source;
	struct node *file;              /* NODE_FILE */
	struct map values, types;       /* name -> struct decl * */
	bool library, root;
	bool policy;                    /* named by project.policies */
	bool package;                   /* of a vendored package */
	bool lost;                      /* a declaration failed to parse, so the name that it declares is unknown */
	struct map unknown;             /* checker's own: names that were reported as unknown */
	bool broken;                    /* something in it failed to parse: nothing is reported as unused */
	struct span imported_at;        /* the import that was read first; unknown for the root */
	struct module *imported_by;
	unsigned char state;            /* module.c's own */
	/* of the library: the declarations that were read; NULL where its text was parsed */
	struct library_part *part;
};

/* What project.tj says; defaults where there is none. */
enum { MODULE_DEPTH = 64 };             /* nested imports */
enum { MODULE_LARGEST = 8 << 20 };       /* bytes of a file */
enum { PROJECT_LARGEST = 1 << 20 };      /* of project.tj */

/* A level of the cluster's topology: the label of nodes that names the domain that a node is in. */
struct project_level {
	struct str key;
	struct span at;
};

/* A version of an add-on that the project names. */
struct project_addon {
	struct str name, version;
	struct span at;                 /* of the version */
};

struct project {
	struct str root;                /* directory; "." at least */
	struct module *module;          /* project.tj, NULL without */
	struct node *body;              /* NODE_BODY of `project { }`, NULL without */
	struct node *defaults;          /* NODE_BODY of `defaults { }` in it, NULL without */
	struct str kubernetes;          /* "1.34" unless set */
	struct span kubernetes_at;
	struct str target;              /* "jobs" */
	struct span target_at;
	struct str hosts;               /* "subdomain" or "service" */
	struct str domain;              /* p == NULL without */
	struct project_level *levels;   /* of its topology, outermost first */
	size_t nlevels;
	struct project_addon *addons;
	size_t naddons;
	struct module **policies;
	size_t npolicies;
	bool no_raw;                    /* raw = false */
	struct map packages;            /* name -> struct str * (directory; p == NULL: refused) */
};

/* A text whose declarations are added to those of the root file; the caller reads what follows them (trainc eval). */
struct added {
	struct str name, text;          /* p == NULL: nothing is added */
	size_t declarations;            /* bytes of the added text */
	struct source *source;          /* after module_load() */
};

struct program {
	struct arena *arena;
	struct names *names;
	struct diags *diags;
	struct sources *sources;
	const struct reader *reader;
	/* each module comes after those that it imports; the root is last, except for policies */
	struct module **modules;
	size_t n;
	struct module *root;
	struct project project;
	/* tests run one by one: wrong settings in a test fail only that test */
	bool testing;
	/* the caller left out declarations of the root: nothing is reported as unused */
	bool in_part;
	struct map by_key;              /* module.c's own: path or dotted name -> struct module * */
	/* set before module_load(): of library modules, only the named declarations are read (check/library_part.h) */
	bool parts;
	struct added added;             /* set before module_load() */
	bool locking;                   /* packages are about to be locked, so they are not compared with the lock */
	bool lone_modules;              /* a root without jobs counts as a module: other programs may use its
					 * declarations */
	bool check_failed;              /* check_program() reported errors: nothing is reported as unused */
	unsigned nslots;                /* number of global lets and params; the checker counts */
	struct decl **unused;           /* checker's own: declarations of the user's files, for check_unused() */
	size_t nunused;
};

/*
 * Loads the root file (`-` is standard input; PATH.p == NULL: an empty root in the working
 * directory, for added declarations). False only when it cannot be read at all (reported).
 */
bool module_load(struct program *p, struct str path);

/* The text of a standard-library module ("single"), or p == NULL; generated into build/ from stdlib/std. */
struct str stdlib_text(struct str name);
/* Its names, in byte order. */
/*
 * A program that starts the processes of a framework, and the framework that a job with this
 * command lacks. Ends with NULL.
 */
struct launcher {
	const char *word, *framework;
};
const struct launcher *stdlib_launchers(void);
const char *const *stdlib_names(size_t *ret_n);

#endif
