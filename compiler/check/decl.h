/*
 * decl.h - what a name can stand for.
 */
#ifndef TRAINC_CHECK_DECL_H
#define TRAINC_CHECK_DECL_H

#include "base/map.h"
#include "check/type.h"
#include "syntax/ast.h"

enum decl_kind {
	DECL_BAD,                       /* declared, but wrongly: uses are silent */
	DECL_IMPORT, DECL_PARAM, DECL_LET, DECL_FN, DECL_TYPE, DECL_FRAMEWORK, DECL_ACCELERATOR,
	DECL_FORMAL,                    /* of a function, framework or accelerator */
	DECL_LOOP,                      /* a loop variable */
	DECL_ROLE,                      /* a role (or aux) of a framework or a job */
	DECL_BUILTIN,                   /* self, cluster, pod; roles in a test: `name` says which */
	DECL_BUILTIN_FN                 /* `function` says which */
};

struct record_field {
	struct str name;
	const struct type *type;
	struct node *value;             /* default, or NULL: required */
	struct span span;
	struct str doc;
};

/* The maximum number of frameworks that wrap each other, counting the innermost. */
enum { MOST_FRAMEWORKS = 8 };

struct decl {
	enum decl_kind kind;
	struct str name;
	struct span span;               /* of the name */
	/* PARAM LET FN TYPE FRAMEWORK ACCELERATOR FORMAL IMPORT: its node; ROLE: its NODE_BLOCK */
	struct node *node;
	struct module *module;          /* the module that declares it; NULL for built-ins */
	const struct type *type;        /* type of the value; FN: of the result; TYPE: the alias or the record type */
	struct str doc;
	bool used;
	/* private to the checker: another declaration has the same name, so it is unclear which one is meant */
	bool twice;
	/* PARAM of a module: its value in the import that passes one, and the place of its name there; NULL without */
	struct node *argument;
	struct span argument_at;
	bool global;                    /* a PARAM or LET of a file: `slot` is its number among those of all modules */
	unsigned slot;

	struct decl **formals;          /* FN, FRAMEWORK, ACCELERATOR */
	size_t nformals;
	struct record_field *fields;    /* TYPE with a body */
	size_t nfields;
	struct decl *base;              /* FRAMEWORK: the one that it wraps, NULL without, or when that is not known */
	unsigned wraps;                 /* FRAMEWORK: the number of frameworks inside of it */
	struct decl **roles;            /* FRAMEWORK: its DECL_ROLE, in order of declaration, those of the base first */
	size_t nroles;
	bool other_roles;               /* FRAMEWORK: a job may have other roles beside them */
	bool unnamed;                   /* TYPE: written where it is used; two of the same fields are one type */
	bool partial;                   /* TYPE: a bundle of fields; one that is left out reads as none */
	/* TYPE, FRAMEWORK: something in its body failed that may have declared a missing name */
	bool lost;
	/* ROLE: the type that the framework gives `replicas`; NULL when it gives none (an int) */
	const struct type *replicas;
	bool aux;                       /* ROLE */
	/* ROLE of a job's block: the role of that name in the framework around it, NULL without */
	struct decl *origin;
	unsigned function;              /* BUILTIN_FN: enum function */
	unsigned char state;            /* checker's own: not seen, being checked, done */
	bool silent;                    /* checker's own: never reported as unused */
	bool hides;                     /* checker's own, ROLE: reported as hiding another name */
	/*
	 * private to the checker: names that were reported; TYPE: fields that it lacks; a value: "." when it has no
	 * members
	 */
	struct map unknown;
	bool busy;                      /* private to the checker, TYPE: a walk over types is inside this one */
	struct decl *walked;            /* private to the checker, TYPE: the type from which the walk came */
	bool early;                     /* private to the checker: the value reads no parameter */
	bool queued;                    /* checker's own: its body will be checked */
	struct scope *scope;            /* checker's own: the scope in which the let of a body is evaluated */
	/* checker's own, of a file: the parameters, lets and functions that its value mentions */
	struct mention {
		struct decl *decl;
		struct span at;
	} *mentions;
	size_t nmentions;
	unsigned char visit;            /* checker's own, FN: mark of the search for recursion */
	/* checker's own, FN: the functions that it calls, and the places of the calls */
	struct decl **calls;
	struct span *call_sites;
	size_t ncalls;
};

#endif
