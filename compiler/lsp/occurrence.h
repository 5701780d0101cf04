/*
 * occurrence.h - lists every name in a text, and what it refers to. One walk over the tree of a module finds all of
 * them. Hover, definition, references, rename, highlights and semantic tokens all use this one list. So they agree with
 * each other and with the checker, whose marks on the tree the walk reads.
 */
#ifndef TRAINC_LSP_OCCURRENCE_H
#define TRAINC_LSP_OCCURRENCE_H

#include "check/check.h"
#include "check/check_schema.h"

enum occurrence_kind {
	/* `decl`: any declaration, role, formal parameter, loop variable, built-in value or function */
	OCCURRENCE_DECL,
	OCCURRENCE_FIELD,               /* `field`: a field of the schema */
	OCCURRENCE_RECORD_FIELD,        /* `decl`: the type; `record`: its field */
	OCCURRENCE_BLOCK,               /* `word`: the word that starts a block, such as role or sidecar */
	OCCURRENCE_BLOCK_NAME,          /* the name of a sidecar, init container or object; `block`: its node */
	/* `word` and `base`: a member of a role, of `cluster`, `pod`, an elastic range ... */
	OCCURRENCE_MEMBER,
	/* `word`: the name of a port; `decl`: the role that declares it, NULL when unknown */
	OCCURRENCE_PORT,
	OCCURRENCE_VARIABLE,            /* `word`: a variable of the environment */
	OCCURRENCE_KEY,                 /* `word`: any other key of a map */
	OCCURRENCE_MODULE,              /* `module`: the imported module; NULL if the import failed */
	OCCURRENCE_TYPE,                /* `word`: a type of the language */
	OCCURRENCE_CHOICE,              /* `word`: a string that is a member of an enum */
	OCCURRENCE_JOB,                 /* `node`: the job that has this title */
	OCCURRENCE_TITLE,               /* the name or title of a profile, test or policy */
	OCCURRENCE_ARGUMENT             /* `word`: the name of an argument of a built-in function */
};

struct occurrence {
	enum occurrence_kind kind;
	struct span at;
	struct str word;
	const struct decl *decl;
	const struct field *field;
	const struct record_field *record;
	const struct module *module;
	const struct type *type;        /* type of the value, if it is known; for a member of an enum, the enum */
	const struct type *base;
	struct node *node;              /* the node to which the name belongs */
	bool declares, writes;          /* does the occurrence declare the name? does it set the value? */
	bool quoted;                    /* the name is in quotes: `at` is the text inside them */
};

typedef void occurrence_visit(void *to, const struct occurrence *o);

/* Calls EACH for every name in the module, in no particular order. */
void occurrences_visit(const struct program *p, struct module *m, occurrence_visit *each, void *to);

/*
 * Returns the innermost occurrence at a global offset, which may be at its start or end; false if no occurrence is
 * there.
 */
bool occurrence_at(const struct program *p, struct module *m, uint32_t offset, struct occurrence *ret);

/* The declaration of a job's role: that of the framework, if the framework declares the name. */
const struct decl *occurrence_origin(const struct decl *d);

/* Do two occurrences refer to the same thing? */
bool occurrence_same(const struct occurrence *a, const struct occurrence *b);

#endif
