/*
 * module.h - reads files, their imports and the project that they belong to.
 *
 * module_load() reads the root file and everything it imports (standard library from the binary, packages and files
 * through the reader), refuses cycles, finds project.tj, and orders the modules so that each comes after those that it
 * imports. Two routes to one file are one module.
 */
#ifndef TRAINC_CHECK_MODULE_H
#define TRAINC_CHECK_MODULE_H

#include "base/map.h"
#include "check/decl.h"
#include "check/library_part.h"
#include "diag/diag.h"

struct module {
	struct str path;                /* path of the file, normalized and relative to the working directory; std.x for
					 * the library */
	struct str dotted;              /* dotted name: "std.single", "acme.x"; empty if the module has no name */
	struct source *source;
	struct node *file;              /* the parsed file, a NODE_FILE */
	struct map values, types;       /* the names that the module declares -> struct decl */
	bool library, root;
	bool policy;                    /* the module is named by project.policies */
	bool package;                   /* the module belongs to a vendored package */
	bool lost;                      /* a declaration failed to parse, so the name that it declares is unknown */
	struct map unknown;             /* private to the checker: names that were reported as unknown */
	bool broken;                    /* a part failed to parse: nothing is reported as unused */
	struct span imported_at;        /* the first import of the module that was read; unknown for the root module */
	struct module *imported_by;
	unsigned char state;            /* private to module.c */
	/* library modules: the declarations that were read; NULL if the text was parsed */
	struct library_part *part;
};

enum { MODULE_DEPTH = 64 };             /* largest depth of nested imports */
enum { MODULE_LARGEST = 8 << 20 };       /* largest size of a file in bytes */
enum { PROJECT_LARGEST = 1 << 20 };      /* largest size of project.tj in bytes */

/* A level of the cluster's topology: the key of the node label whose value names the domain that a node is in. */
struct project_level {
	struct str key;
	struct span at;
};

/* A way in which the nodes of a provider say which accelerator they have: a row of std.nodes. */
struct project_site {
	struct str name;
	struct span at;
};

/* A version of an add-on that the project names. */
struct project_addon {
	struct str name, version;
	struct span at;                 /* span of the version */
};

/* The settings of project.tj, or their defaults if the file does not set them. */
struct project {
	struct str root;                /* directory of the project; never empty, "." at least */
	struct module *module;          /* the module of project.tj; NULL if the project has no such file */
	struct node *body;              /* the NODE_BODY of `project { }`; NULL if the project has no such block */
	struct node *defaults;          /* the NODE_BODY of `defaults { }` in the project; NULL if the project has no
					 * such block */
	struct str kubernetes;          /* version of Kubernetes, "1.34" by default */
	struct span kubernetes_at;
	struct str target;              /* the target, "jobs" by default */
	struct span target_at;
	struct str hosts;               /* how hosts are named: "subdomain" or "service" */
	struct str domain;              /* DNS domain of the cluster; p == NULL if not set */
	struct project_level *levels;   /* levels of the project's topology, outermost first */
	size_t nlevels;
	struct project_site *sites;     /* the names in `nodes` */
	size_t nsites;
	bool chooses_sites;             /* the project sets `nodes`; without names, no product is chosen */
	struct project_addon *addons;
	size_t naddons;
	struct module **policies;
	size_t npolicies;
	bool no_raw;                    /* the project sets `raw = false` */
	bool no_code;                   /* the project sets `code = false` */
	struct map packages;            /* name of a package -> struct str (its directory; p == NULL: the package was
					 * refused) */
};

/*
 * A text whose declarations are added to those of the root file; the caller parses the rest of the text (trainc eval).
 */
struct added {
	struct str name, text;          /* the text and a name for it in messages; p == NULL if nothing is added */
	size_t declarations;            /* length in bytes of the declarations in the text */
	struct source *source;          /* source of the added text, set by module_load() */
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
	/* tests are run one by one, so wrong settings in a test only fail that test */
	bool testing;
	/* the caller left out declarations of the root: nothing is reported as unused */
	bool in_part;
	struct map by_key;              /* private to module.c: path or dotted name -> struct module */
	/*
	 * set before module_load(): read only those declarations of library modules that the program names
	 * (check/library_part.h)
	 */
	bool parts;
	struct added added;             /* text to add to the program, set before module_load() */
	bool locking;                   /* packages are about to be locked, so they are not compared with the lock */
	bool lone_modules;              /* a root without jobs counts as a module, whose declarations other programs may
					 * use */
	struct check *check;            /* private to the checker: the state in which check_program() ended */
	bool check_failed;              /* check_program() reported errors, so nothing is reported as unused */
	unsigned nslots;                /* number of global lets and params; the checker counts them */
	struct decl **unused;           /* private to the checker: the user's declarations, for check_unused() */
	size_t nunused;
};

/*
 * Loads the root file (`-` is standard input; PATH.p == NULL: an empty root in the working directory, for added
 * declarations). False, after reporting, only when the file cannot be read at all.
 */
bool module_load(struct program *p, struct str path);
/* Does the path look like a parameter and its value, such as name=a? */
bool program_is_setting(struct str path);

/*
 * The text of a standard-library module ("single"), or p == NULL. The function is generated into build/ from
 * stdlib/std.
 */
struct str stdlib_text(struct str name);
/*
 * A program that starts the processes of a framework, and the framework that a job with this command should use. The
 * list ends with NULL.
 */
struct launcher {
	const char *word, *framework;
};
const struct launcher *stdlib_launchers(void);
/*
 * A provider of std.nodes, and the labels by which its nodes say which accelerator they have. The list ends with a
 * provider without a name, the labels with NULL.
 */
struct stdlib_site {
	const char *name, *labels[4];
};
const struct stdlib_site *stdlib_sites(void);
/* An option of a program that says how ranks are divided, and the dimension that it means. The list ends with NULL. */
struct layout_option {
	const char *word, *dimension;
};
const struct layout_option *stdlib_layout_options(void);
/* The names of all standard-library modules, in byte order. */
const char *const *stdlib_names(size_t *ret_n);

#endif
