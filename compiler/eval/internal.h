/*
 * internal.h - declarations that only the files of the evaluator share.
 */
#ifndef TRAINC_EVAL_INTERNAL_H
#define TRAINC_EVAL_INTERNAL_H

#include "eval/eval.h"
#include "eval/pieces.h"

/* ---- reports and budgets (eval_report.c) ---- */

/* Is the span in a text of the user, and not in the standard library? */
bool in_user_text(struct eval *ev, struct span at);
/*
 * Reports at AT. If AT is inside the library, it becomes a note, and the report is placed at the user's text that
 * called the library.
 */
struct diag *eval_report(struct eval *ev, enum diag_code code, struct span at, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The text of a node, shortened to fit a message. */
struct str node_text(struct eval *ev, const struct node *n);
/* In a policy, adds a note with the job, and if ROLE is set, with the role that was read last. */
void report_policy_subject(struct eval *ev, struct diag *d, bool role);

/* Joins two lists. */
const struct value *list_joined(struct eval *ev, const struct value *a, const struct value *b, struct span at);
static inline bool eval_memory_fits(const struct eval *ev)
{
	return ev->arena->total + ev->work.total <= EVAL_MEMORY;
}
/* Reports which budget is used up, unless this was already reported. Always returns false. */
bool eval_spent(struct eval *ev, struct span at);
/* Takes one step, or BYTES of text, from the budget. False when it is used up, which is reported once (TJ0407). */
static inline bool eval_step(struct eval *ev, struct span at)
{
	return (!ev->exhausted && ++ev->steps <= EVAL_STEPS && eval_memory_fits(ev)) || eval_spent(ev, at);
}
bool eval_spend_text(struct eval *ev, size_t bytes, struct span at);
/*
 * If TOO_MANY, reports a text with too many parts that are not known at compile time. False when the budget is used up.
 */
bool eval_text_fits(struct eval *ev, bool too_many, struct span at);
bool eval_list_fits(struct eval *ev, size_t n, struct span at);
const struct value *eval_too_deep(struct eval *ev, struct span at);
bool eval_condition_fits(struct eval *ev, unsigned parts, struct span at);
/* Charges a walk over a value to the budget: one step for each element, or less for each byte of a text. */
void eval_walk(struct eval *ev, const struct value *v);

/* ---- operands ---- */

/* Returns VALUE_BAD if A or B is bad, otherwise the one that is VALUE_COMPUTED, otherwise NULL. */
const struct value *not_ok(const struct value *a, const struct value *b);
/*
 * The value V in a form that the operation OP can compute with. A text becomes a string (or an int) if it is known,
 * VALUE_COMPUTED if it needs the pod's index, and VALUE_BAD (TJ0716) if only the pod knows it. value_static_deep() does
 * the same for the elements of lists and maps.
 */
const struct value *value_static(struct eval *ev, const struct value *v, const struct node *op);
const struct value *value_static_deep(struct eval *ev, const struct value *v, const struct node *op);

/* Completes a list or map by computing its depth. */
const struct value *list_finish(struct eval *ev, struct value *v);
const struct value *map_finish(struct eval *ev, struct value *v);
/* Appends an element to a list that is being made; false when the list is full (TJ0407). */
bool list_add(struct eval *ev, struct value *list, const struct value *element);

/* ---- expressions ---- */

const struct value *eval_unary(struct eval *ev, struct frame *f, struct node *n);
const struct value *eval_binary(struct eval *ev, struct frame *f, struct node *n);
const struct value *eval_range(struct eval *ev, struct frame *f, struct node *n);
const struct value *eval_elastic(struct eval *ev, struct frame *f, struct node *n);
const struct value *eval_index(struct eval *ev, struct frame *f, struct node *n);
const struct value *eval_call(struct eval *ev, struct frame *f, struct node *n);
/* The value of a parameter or a let of a file. */
const struct value *eval_global(struct eval *ev, const struct decl *d);
/* The value of a formal, a let of a body or a loop variable. */
const struct value *eval_local(struct eval *ev, struct frame *f, const struct decl *d);
/* The value of KEY in a map; reports a key that is absent. */
const struct value *map_lookup(struct eval *ev, const struct value *map, struct str key, struct span at);
const struct value *report_absent(struct eval *ev, const struct value *map, struct str key, struct span at);
/* The value that the settings give to a parameter. */
const struct value *param_value(struct eval *ev, const struct decl *d);
/*
 * A part of a map or record that is written in several bodies. Each part extends the one before; the first one extends
 * BASE, which may be NULL.
 */
struct eval_part {
	struct frame *frame;
	struct node *body;
	unsigned level;                 /* parts of one level are of one body: they must not set the same key */
};
const struct value *eval_parts(struct eval *ev, const struct value *base, const struct eval_part *parts, size_t n,
	struct str name);

/* Compares two ints, floats, quantities, strings or roles: -1, 0 or 1. */
int value_order(const struct value *a, const struct value *b);

/* ---- roles and cells ---- */

/* A role as a value. */
const struct value *role_value(struct eval *ev, struct role *r, struct span from);

/* ---- binders ---- */

/*
 * The elements of a loop: those of a list, or the entries of a map. For a list, a single loop variable is the element,
 * and two are index and element. For a map, a single one is the key, and two are key and value.
 */
struct eval_loop {
	const struct value *over;
	const struct binder *binders;
	unsigned nbinders;
	size_t n;
};
/* Prepares a loop. Returns NULL when it can run, otherwise the bad or computed value that is its result. */
const struct value *loop_begin(struct eval *ev, struct frame *f, struct node *list, const struct binder *binders,
	unsigned n, struct eval_loop *ret);
void loop_bind(struct eval *ev, const struct eval_loop *l, size_t i, struct frame *f);

/* ---- functions ---- */

struct arguments {
	struct eval *ev;
	struct node *call;
	const struct value **at;        /* the arguments; NULL where the default applies */
	size_t n;
};
const struct value *eval_builtin(struct eval *ev, struct frame *f, struct node *n);
/* The value of a built-in function that is written without parentheses, as `pack`. */
const struct value *builtin_word(struct eval *ev, const struct decl *d, struct span at);

const struct value *value_json(struct eval *ev, const struct value *v, bool html, struct node *call);
/* Does the whole text match the POSIX extended pattern? False after a report when the pattern itself is invalid. */
bool pattern_matches(struct eval *ev, struct str text, struct str pattern, struct span at, bool *ret);
/* For a text that a valid pattern does not match: the length of the longest prefix that it matches. */
size_t pattern_fits(struct eval *ev, struct str text, struct str pattern);

/* ---- conversion ---- */

const struct value *convert_form(struct eval *ev, const struct value *v, const struct type *to, struct span at,
	struct span rule);
bool convert_job_name(struct eval *ev, struct str name, struct span at);
/* Is the amount a multiple of the smallest step of the unit (a byte, a milli-CPU, a millisecond)? */
bool quantity_whole(struct quantity q, enum type_kind unit);

#define ARGUMENT(args, i) ((i) < (args)->n ? (args)->at[i] : NULL)

#endif
