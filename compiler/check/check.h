/*
 * check.h - checks the names and types of a whole program.
 *
 * check_program() resolves every name, gives every expression its type, binds arguments to formals and stores all of
 * that in the tree (the members of ast.h marked "checker"). A later phase may rely on this:
 *
 *   - NODE_NAME.decl and module members' NODE_MEMBER.decl are set, or the
 *     expression's type is TYPE_BAD;
 *   - every expression has a type; NODE_QUANTITY has cpu, memory or duration;
 *   - wherever a value meets a type that converts or narrows it (a typed let,
 *     an argument, a field, a record member), `convert_to` of the expression
 *     is that type, and the evaluator must call value_convert();
 *   - calls and jobs have `bound` filled in, with NODE_ARGs.
 *
 * The tree is changed in two ways, always after a report: an item whose key is set twice becomes a NODE_BAD, and a
 * misspelt field, block or role whose right name is beyond doubt is given that name, so that what follows from it is
 * not reported too. Declarations of the standard library are checked only if the program mentions them, its functions
 * when they are called.
 *
 * Nothing that failed the check is evaluated: an expression of TYPE_BAD has the value VALUE_BAD.
 */
#ifndef TRAINC_CHECK_CHECK_H
#define TRAINC_CHECK_CHECK_H

#include "check/check_schema.h"
#include "check/module.h"

enum { PROFILES_DEEPEST = 64 };         /* maximum length of a chain of profiles that extend each other */

void check_program(struct program *p);

/*
 * The checked value of a function. It is never NULL after check_program() reported no error. The value of a function of
 * the library, and the defaults of its parameters, are read and checked by the first call.
 */
struct node *check_function_value(struct program *p, struct decl *fn);

/* Checks a standalone expression against a type (for --set); false after reporting. */
bool check_value(struct program *p, struct node *expr, const struct type *want);
/* Checks a standalone expression, with the names that a test may use; false after reporting. */
bool check_question(struct program *p, struct node *expr);

/* A member that every value of a type has: of a role, of `cluster`, `pod`, an elastic range, a topology. */
struct check_member {
	const char *name;
	const struct type *type;        /* the type of the member; for a method, the type of its result */
	const char *doc;
	bool method;
	bool planned;                   /* the member exists in policies and tests only */
};
/* The I-th member of values of KIND; false after the last. */
bool check_member(enum type_kind kind, size_t i, struct check_member *ret);
/* The role NAME of the cell of which values of type T are all copies or one; NULL if there is none. */
const struct decl *check_cell_role(const struct type *t, struct str name);
/* The sentence that describes a member; empty if the member has no description. */
const char *check_member_doc(enum type_kind kind, struct str name);

/*
 * The I-th argument of a built-in function that has a single signature; false after the last, and for functions with
 * several signatures.
 */
struct check_argument {
	const char *name;
	const struct type *type;
	bool optional, named;           /* `optional`: the argument may be left out; `named`: it must be given by name
					 */
};
bool check_builtin_argument(enum function f, size_t i, struct check_argument *ret);
/* The result type of a built-in function that has a single signature; otherwise NULL. */
const struct type *check_builtin_result(enum function f);

/* Reports unused names and the like (TJ10xx); call it after everything else has been checked. */
void check_unused(struct program *p);
/* Reports fields of jobs and cells that every role sets itself; check_unused() calls it. */
void check_unused_defaults(struct program *p);
void check_undocumented(struct program *p);

#endif
