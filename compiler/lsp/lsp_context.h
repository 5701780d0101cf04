/*
 * lsp_context.h - determines what is being written at the cursor, in a text that may be broken. Only the tokens between
 * the beginning of the declaration and the cursor are used, so neither the text after the cursor nor an error elsewhere
 * matters; names are resolved with the last analysis. Completion and signature help use the same result.
 */
#ifndef TRAINC_LSP_LSP_CONTEXT_H
#define TRAINC_LSP_LSP_CONTEXT_H

#include "check/check.h"
#include "check/check_schema.h"
#include "kube/schema.h"
#include "lsp/server.h"
#include "syntax/token.h"

enum place_kind {
	PLACE_FILE,
	PLACE_BLOCK,                    /* the body of a block: `block` */
	PLACE_TYPED,                    /* the body of a record or map: `type` */
	PLACE_PARAMETERS,               /* parameters: of a profile, of the values that a test sets, or of an import */
	PLACE_DECLARED,                 /* the body of a type: typed fields */
	PLACE_POLICY,                   /* the body of a policy: checks */
	PLACE_RAW,                      /* the body of a raw block, with fields of Kubernetes */
	PLACE_CALL,                     /* the arguments of a call: `callee`, or `method` of a role */
	PLACE_FORMALS,
	PLACE_LIST,                     /* the elements of a list: `type` */
	PLACE_GROUP,                    /* parentheses around an expression: `type` */
	PLACE_TEXT,                     /* inside quotes; `type` is the type of value that the text stands for */
	PLACE_INSERT,                   /* the expression in ${ } */
	PLACE_REFINE,                   /* the parentheses of a refined type */
	PLACE_UNKNOWN
};

struct place_at {                       /* an open bracket, with the kind of place that is inside it */
	enum place_kind kind;
	enum block block;
	const struct type *type;
	/* PLACE_PARAMETERS of an import: the module that declares the parameters, or NULL */
	const struct module *module;
	const struct decl *callee;
	struct str method;              /* name of the method: host, address ...; p == NULL if no method is used */
	const struct decl *role;        /* the role that has the method; for a block of a role, that role */
	size_t open;                    /* index of the token that opens the place; SIZE_MAX for the file */
	size_t item;                    /* index of the first token of the item, argument or element at the cursor */
	size_t index;                   /* number of commas before the cursor */
	struct str job;                 /* PLACE_BLOCK of a job: the job's title */
	struct str cell;                /* PLACE_BLOCK of a cell: its name */
	const struct decl *framework;   /* the framework of the enclosing job or cell */
	/* PLACE_RAW: the type of Kubernetes that has the fields; NULL if it is not known */
	const struct schema_type *raw;
};

enum cursor {
	CURSOR_NOWHERE,                 /* no completion is offered here: in a comment, a new name or a number */
	CURSOR_DECLARATION,             /* the first word of a declaration */
	CURSOR_KEY,                     /* the first word of an item */
	CURSOR_BLOCK_NAME,              /* the name after `role`: `word` */
	CURSOR_TYPE,
	CURSOR_VALUE,                   /* an operand: `want` is the type that fits */
	CURSOR_OPERATOR,                /* an operator, after an operand */
	CURSOR_MEMBER,                  /* a member, after `base.` */
	CURSOR_IMPORT,                  /* an import: `base` has the components before the cursor */
	CURSOR_FRAMEWORK,               /* the framework, after the colon of a job or cell */
	CURSOR_TEXT                     /* text inside a string */
};

enum { CONTEXT_DEPTH = 270, CONTEXT_LOCALS = 200 };

struct local_name {                     /* a name that the text declares before the cursor */
	struct str name;
	const struct type *type;        /* type of the name; NULL when unknown */
	size_t depth;
	enum decl_kind kind;
};

struct context {
	struct arena *arena;
	struct lsp *lsp;
	struct analysis *analysis;
	const struct program *program;
	struct module *module;          /* the root module, for the declarations of the file's names */
	struct schema_types types;
	struct names names;
	struct tokens tokens;
	size_t start;                   /* offset in the text of the declaration that contains the first token */
	struct place_at places[CONTEXT_DEPTH];
	size_t depth;                   /* number of places that are open at the cursor; at least 1 */
	struct local_name locals[CONTEXT_LOCALS];
	size_t nlocals;
	enum cursor cursor;
	struct str word;                /* name of the block, or the key */
	struct str prefix;              /* the part of the word or text that is before the cursor */
	size_t prefix_start;            /* offset of the prefix in the text */
	const struct type *want;        /* type of the value that fits; NULL: any value */
	const struct type *base;        /* CURSOR_MEMBER: type of the base; NULL for a module */
	const struct decl *base_decl;   /* the declaration of the base, if the base is a name */
	const struct module *base_module;
	struct str *path;               /* CURSOR_IMPORT: the components of the path before the cursor */
	size_t npath;
	bool quoted;                    /* CURSOR_TEXT: the text already has its quotes */
};

/* Determines what is being written at OFFSET of the text. */
void context_at(struct context *c, struct lsp *l, struct arena *a, struct analysis *an, struct str text, size_t offset);

/* Returns the type of the value that a declaration stands for; NULL when unknown. */
const struct type *context_type_of(struct context *c, const struct decl *d);
/* Returns the type that a NODE_TYPE_REF of a module names; NULL when unknown. */
const struct type *context_type(struct context *c, const struct module *m, const struct node *ref);
/* Returns the built-in type with that name, such as `int`; NULL for other words. */
const struct type *context_plain_type(struct str word);
/* Formal parameter number I of a function, framework or accelerator. */
struct context_formal {
	struct str name;
	const struct type *type;
	struct str text;                /* the parameter as text: "count: int(1..8) = 1" */
	bool optional, named;
};
bool context_formal(struct context *c, const struct decl *d, size_t i, struct context_formal *ret);
/* Returns the type of a call's result; NULL when unknown. */
const struct type *context_result(struct context *c, const struct decl *d);
/* The result type of a built-in function; NULL when its signature does not contain it. */
const struct type *context_builtin(enum function f);
/* Can a value of type T be used where WANT is expected? An unknown type always fits. */
bool context_fits(const struct type *want, const struct type *t);
/*
 * Calls EACH for each role that can be named at the cursor: those of the framework, and those that the job declares
 * before the cursor.
 */
void context_roles(struct context *c, void (*each)(void *to, struct str name, const struct decl *d), void *to);
/* Calls EACH for each cell of the job around the cursor. */
void context_cells(struct context *c, void (*each)(void *to, struct str name, const struct decl *d), void *to);
/* Returns the innermost place of that kind; NULL if no place of that kind exists. */
const struct place_at *context_around(const struct context *c, enum place_kind kind);
/* Returns the text of token I. */
static inline struct str context_token(const struct context *c, size_t i)
{
	return tokens_text(&c->tokens, c->tokens.at[i].start, c->tokens.at[i].end);
}
/* Does the declaration at the cursor have an item `key` before the cursor, in the same place? */
bool context_has_item(const struct context *c, const struct place_at *p, struct str key);

#endif
