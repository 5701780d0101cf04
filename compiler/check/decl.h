/*
 * decl.h - the declarations to which a name can refer.
 */
#ifndef TRAINC_CHECK_DECL_H
#define TRAINC_CHECK_DECL_H

#include "base/map.h"
#include "check/type.h"
#include "syntax/ast.h"

enum decl_kind {
	DECL_BAD,                       /* a declaration with an error: its uses are not reported */
	DECL_IMPORT, DECL_PARAM, DECL_LET, DECL_FN, DECL_TYPE, DECL_FRAMEWORK, DECL_ACCELERATOR,
	DECL_FORMAL,                    /* a parameter of a function, framework or accelerator */
	DECL_LOOP,                      /* a loop variable */
	DECL_ROLE,                      /* a role (or aux) of a framework, a job or a cell */
	DECL_CELL,                      /* a cell of a job: `cell` is the cell as a job of its own */
	DECL_BUILTIN,                   /* self, cluster or pod, or `roles` in a test: `name` tells which */
	DECL_BUILTIN_FN                 /* a built-in function: `function` tells which */
};

struct record_field {
	struct str name;
	const struct type *type;
	struct node *value;             /* the default value of the field; NULL: the field is required */
	struct span span;
	struct str doc;
};

/* The maximum number of frameworks that wrap each other, counting the innermost. */
enum { MOST_FRAMEWORKS = 8 };

struct decl {
	enum decl_kind kind;
	struct str name;
	struct span span;               /* span of the name */
	/* PARAM LET FN TYPE FRAMEWORK ACCELERATOR FORMAL IMPORT: its node; ROLE, CELL: its NODE_BLOCK */
	struct node *node;
	struct module *module;          /* the module that declares it; NULL for built-ins */
	const struct type *type;        /* FN: type of the result; TYPE: the alias or the record type; otherwise type of
					 * the value */
	struct str doc;
	bool used;
	/* private to the checker: another declaration has the same name, so it is unclear which one is meant */
	bool twice;
	/*
	 * PARAM of a module: the value that an import passes for it, and the span of the name there; NULL if no import
	 * passes a value
	 */
	struct node *argument;
	struct span argument_at;
	bool global;                    /* a PARAM or LET of a file: `slot` is its number among those of all modules */
	unsigned slot;

	struct decl **formals;          /* FN, FRAMEWORK, ACCELERATOR: the parameters */
	size_t nformals;
	struct record_field *fields;    /* TYPE with a body: its fields */
	size_t nfields;
	struct decl *base;              /* FRAMEWORK: the framework that it wraps; NULL if it wraps no framework, or an
					 * unknown one */
	unsigned wraps;                 /* FRAMEWORK: the number of frameworks inside it */
	struct decl **roles;            /* FRAMEWORK: its roles (DECL_ROLE), those of the base first, in order of
					 * declaration */
	size_t nroles;
	bool other_roles;               /* FRAMEWORK: a job may declare further roles */
	bool unnamed;                   /* TYPE: a record type without a name; two such types with the same fields are
					 * the same type */
	bool partial;                   /* TYPE: a record of the fields of a block (Role, Sidecar, Limits); a field that
					 * is left out is none */
	/* TYPE, FRAMEWORK: a part of its body failed to parse and may declare a name that seems to be missing */
	bool lost;
	/* ROLE: the type that the framework gives `replicas`; NULL if it gives no type (the type is then int) */
	const struct type *replicas;
	bool aux;                       /* ROLE: declared with `aux` */
	/* ROLE of a job or wrapper: the role of that name in its framework; NULL if the framework has no such role */
	struct decl *origin;
	struct node *cell;              /* CELL: a NODE_JOB with the framework, arguments and body of the cell */
	unsigned function;              /* BUILTIN_FN: which function it is, as an enum function */
	unsigned char state;            /* private to the checker: not seen, being checked, or done */
	bool silent;                    /* private to the checker: the declaration is never reported as unused */
	bool hides;                     /* private to the checker, ROLE: it was reported as hiding another name */
	/*
	 * private to the checker: names that were reported, each once: for a TYPE, fields that it lacks; for a value
	 * without members, "."
	 */
	struct map unknown;
	bool busy;                      /* private to the checker, TYPE: a walk over declarations is currently inside
					 * this one */
	struct decl *walked;            /* private to the checker, TYPE: the type from which the walk came */
	bool early;                     /* private to the checker: the value reads no parameter */
	bool queued;                    /* private to the checker: it is in the queue of declarations to check */
	/* private to the checker: the scope in which the let of a body is evaluated, or that of the body of a CELL */
	struct scope *scope;
	/*
	 * private to the checker, for a declaration of a file: the parameters, lets and functions that its value
	 * mentions
	 */
	struct mention {
		struct decl *decl;
		struct span at;
	} *mentions;
	size_t nmentions;
	unsigned char visit;            /* private to the checker, FN: state of the search for recursion */
	/* private to the checker, FN: the functions that it calls, and the spans of the calls */
	struct decl **calls;
	struct span *call_sites;
	size_t ncalls;
};

#endif
