/*
 * context.h - what is being written at the cursor, in a text that may be broken.
 *
 * Only the tokens between the beginning of the declaration and the cursor are used, so neither the
 * text behind the cursor nor an error elsewhere matters; the last analysis tells what names mean.
 * Completion and signature help use the same answer.
 */
#ifndef TRAINC_LSP_CONTEXT_H
#define TRAINC_LSP_CONTEXT_H

#include "check/check.h"
#include "check/schema.h"
#include "lsp/server.h"
#include "syntax/token.h"

enum place_kind {
	PLACE_FILE,
	PLACE_BLOCK,                    /* `block` */
	PLACE_TYPED,                    /* the body of a record or map: `type` */
	PLACE_PARAMETERS,               /* of a profile, of what a test sets, of an import */
	PLACE_DECLARED,                 /* typed fields of a type */
	PLACE_POLICY,                   /* checks */
	PLACE_RAW,                      /* Kubernetes fields */
	PLACE_CALL,                     /* arguments: `callee`, or `method` of a role */
	PLACE_FORMALS,
	PLACE_LIST,                     /* elements: `type` */
	PLACE_GROUP,                    /* parentheses around an expression: `type` */
	PLACE_TEXT,                     /* inside quotes; `type` is the type that the text is for */
	PLACE_INSERT,                   /* inside ${ } */
	PLACE_REFINE,                   /* the parentheses of a type */
	PLACE_UNKNOWN
};

struct place_at {                       /* an open bracket, and the kind of place inside it */
	enum place_kind kind;
	enum block block;
	const struct type *type;
	/* PLACE_PARAMETERS of an import: the module whose parameters they are, or NULL */
	const struct module *module;
	const struct decl *callee;
	struct str method;              /* name of the method: host, address ...; p == NULL without */
	const struct decl *role;        /* the role of the method; or the role of the block */
	size_t open;                    /* token; SIZE_MAX for the file */
	size_t item;                    /* first token of the item, argument or element at the cursor */
	size_t index;                   /* how many commas before it */
	struct str job;                 /* PLACE_BLOCK of a job: its title */
	const struct decl *framework;   /* of the job around */
};

enum cursor {
	CURSOR_NOWHERE,                 /* offers nothing: a comment, a new name, a number */
	CURSOR_DECLARATION,             /* the first word of a declaration */
	CURSOR_KEY,                     /* the first word of an item */
	CURSOR_BLOCK_NAME,              /* behind `role`: `word` */
	CURSOR_TYPE,
	CURSOR_VALUE,                   /* an operand; `want` is what fits */
	CURSOR_OPERATOR,                /* behind an operand */
	CURSOR_MEMBER,                  /* behind `base.` */
	CURSOR_IMPORT,                  /* behind `import`: `base` has the components so far */
	CURSOR_FRAMEWORK,               /* behind the colon of a job */
	CURSOR_TEXT                     /* inside a string */
};

enum { CONTEXT_DEPTH = 270, CONTEXT_LOCALS = 200 };

struct local_name {                     /* a name that is declared in the text before the cursor */
	struct str name;
	const struct type *type;        /* NULL when not known */
	size_t depth;
	enum decl_kind kind;
};

struct context {
	struct arena *arena;
	struct lsp *lsp;
	struct analysis *analysis;
	const struct program *program;
	struct module *module;          /* the root module; it tells what names of the file mean */
	struct schema_types types;
	struct names names;
	struct tokens tokens;
	size_t start;                   /* offset of the first token's declaration in the text */
	struct place_at places[CONTEXT_DEPTH];
	size_t depth;                   /* of places; at least 1 */
	struct local_name locals[CONTEXT_LOCALS];
	size_t nlocals;
	enum cursor cursor;
	struct str word;                /* block word, key */
	struct str prefix;              /* the word that is being written, or the text inside quotes */
	size_t prefix_start;            /* its offset in the text */
	const struct type *want;        /* NULL: anything */
	const struct type *base;        /* CURSOR_MEMBER: type of the base; NULL for a module */
	const struct decl *base_decl;   /* what the base is, if it is a name */
	const struct module *base_module;
	struct str *path;               /* CURSOR_IMPORT: components */
	size_t npath;
	bool quoted;                    /* CURSOR_TEXT: the text already has its quotes */
};

/* Finds what is written at OFFSET of the text. */
void context_at(struct context *c, struct lsp *l, struct arena *a, struct analysis *an, struct str text, size_t offset);

/* The declaration that a name of the file, or of a module, stands for; NULL without. */
const struct decl *context_name(struct context *c, struct str name);
/* The type of the value that a declaration stands for; NULL when unknown. */
const struct type *context_type_of(struct context *c, const struct decl *d);
/* The type that a NODE_TYPE_REF of a module spells; NULL when unknown. */
const struct type *context_type(struct context *c, const struct module *m, const struct node *ref);
/* The formal with number I of a function, framework or accelerator. */
struct context_formal {
	struct str name;
	const struct type *type;
	struct str text;                /* "count: int(1..8) = 1" */
	bool optional, named;
};
bool context_formal(struct context *c, const struct decl *d, size_t i, struct context_formal *ret);
/* The type of a call's result; NULL when unknown. */
const struct type *context_result(struct context *c, const struct decl *d);
/* The type of the result of a built-in function; NULL when its signature does not tell. */
const struct type *context_builtin(enum function f);
/* May a value of this type stand where `want` is wanted?  One of unknown type may. */
bool context_fits(const struct type *want, const struct type *t);
/* The roles that can be named at the cursor: of the framework, and of the job so far. */
void context_roles(struct context *c, void (*each)(void *to, struct str name, const struct decl *d), void *to);
/* The innermost place of that kind; NULL without. */
const struct place_at *context_around(const struct context *c, enum place_kind kind);
/* The text of token I. */
static inline struct str context_token(const struct context *c, size_t i)
{
	return tokens_text(&c->tokens, c->tokens.at[i].start, c->tokens.at[i].end);
}
/* Does the declaration at the cursor have an item `key` in front of the cursor, in the same place? */
bool context_has_item(const struct context *c, const struct place_at *p, struct str key);

#endif
