/*
 * internal.h - what only the files of the evaluator share with each other.
 */
#ifndef TRAINC_EVAL_INTERNAL_H
#define TRAINC_EVAL_INTERNAL_H

#include "eval/eval.h"
#include "eval/pieces.h"

/* ---- reports and budgets (report.c) ---- */

/* Is a place in a text of the user, not of the standard library? */
bool in_user_text(struct eval *ev, struct span at);
/*
 * Reports at `at`.  A place inside the library becomes a note, and the report moves to the user's
 * text that called the library.
 */
struct diag *eval_report(struct eval *ev, enum diag_code code, struct span at, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* The text of a node, shortened to fit a message. */
struct str node_text(struct eval *ev, const struct node *n);
/* In a policy: notes the job of the report, and with ROLE also the role that was read last. */
void report_policy_subject(struct eval *ev, struct diag *d, bool role);

/* A list of the elements of A, followed by those of B. */
const struct value *list_joined(struct eval *ev, const struct value *a, const struct value *b, struct span at);
/* Takes one step, or BYTES of text, from the budget; false when nothing is left, which is reported once (TJ0407). */
bool eval_step(struct eval *ev, struct span at);
bool eval_spend_text(struct eval *ev, size_t bytes, struct span at);
/* TOO_MANY: more parts of a text are known only to the pod than a text may have. */
bool eval_text_fits(struct eval *ev, bool too_many, struct span at);
bool eval_list_fits(struct eval *ev, size_t n, struct span at);
const struct value *eval_too_deep(struct eval *ev, struct span at);
bool eval_condition_fits(struct eval *ev, unsigned parts, struct span at);
/* Charges for a walk over a value: its elements, or its bytes at a lower price. */
void eval_walk(struct eval *ev, const struct value *v);

/* ---- operands ---- */

/* Returns VALUE_BAD if one of the two is bad, else the computed one if there is one, else NULL. */
const struct value *not_ok(const struct value *a, const struct value *b);
const struct value *value_computed(struct eval *ev, struct span at);
/*
 * A value that `op` can compute with: a text becomes a string (or an int) if it
 * is known, VALUE_COMPUTED if it needs the pod's index, VALUE_BAD (TJ0716) if
 * only the pod knows it.  `deep`: the elements of lists and maps too.
 */
const struct value *value_static(struct eval *ev, const struct value *v, const struct node *op);
const struct value *value_static_deep(struct eval *ev, const struct value *v, const struct node *op);
/* TJ0716 for a text of class TEXT_FACT. */
const struct value *report_fact(struct eval *ev, const struct text *t, const struct node *op);

/* Completes a list or map: records its depth. */
const struct value *list_finish(struct eval *ev, struct value *v);
const struct value *map_finish(struct eval *ev, struct value *v);
/* One more element of a list that is being made; false when the list is full (TJ0407). */
bool list_add(struct eval *ev, struct value *list, const struct value *element);

/* ---- expressions ---- */

const struct value *eval_unary(struct eval *ev, struct frame *f, struct node *n);
const struct value *eval_binary(struct eval *ev, struct frame *f, struct node *n);
const struct value *eval_range(struct eval *ev, struct frame *f, struct node *n);
const struct value *eval_elastic(struct eval *ev, struct frame *f, struct node *n);
const struct value *eval_string(struct eval *ev, struct frame *f, struct node *n);
const struct value *eval_member(struct eval *ev, struct frame *f, struct node *n);
const struct value *eval_index(struct eval *ev, struct frame *f, struct node *n);
const struct value *eval_call(struct eval *ev, struct frame *f, struct node *n);
const struct value *eval_list_for(struct eval *ev, struct frame *f, struct node *n);
/* A parameter or a let of a file. */
const struct value *eval_global(struct eval *ev, const struct decl *d);
/* A formal, a let of a body, a loop variable. */
const struct value *eval_local(struct eval *ev, struct frame *f, const struct decl *d);
/* The entry of a map; an absent key is reported. */
const struct value *map_lookup(struct eval *ev, const struct value *map, struct str key, struct span at);
const struct value *report_absent(struct eval *ev, const struct value *map, struct str key, struct span at);
/* The value of a parameter, by the settings. */
const struct value *param_value(struct eval *ev, const struct decl *d);
/*
 * A map or record that is written in several bodies, each extending the one before; the first
 * extends `base` (NULL without).
 */
struct eval_part {
	struct frame *frame;
	struct node *body;
};
const struct value *eval_parts(struct eval *ev, const struct value *base, const struct eval_part *parts, size_t n,
	struct str name);

/* -1, 0, 1: the order of ints, floats, quantities, strings and roles. */
int value_order(const struct value *a, const struct value *b);
/* TJ0604 when two topologies have different numbers of dimensions. */
bool topology_comparable(struct eval *ev, const struct value *a, const struct value *b);

/* ---- binders ---- */

/*
 * The elements that a loop goes over: a list's, or a map's entries.  One binder
 * of a list is the element, two are position and element; of a map they are the
 * key, and key and value.
 */
struct eval_loop {
	const struct value *over;
	const struct binder *binders;
	unsigned nbinders;
	size_t n;
};
/* NULL when the loop can run; else the bad or computed value that takes its place. */
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
/* The value of a built-in function that is written as a word, without parentheses. */
const struct value *builtin_word(struct eval *ev, const struct decl *d, struct span at);

const struct value *value_json(struct eval *ev, const struct value *v, bool html, struct node *call);
/* POSIX extended, whole text.  False after a report when the pattern itself is bad. */
bool pattern_matches(struct eval *ev, struct str text, struct str pattern, struct span at, bool *ret);
/* How much of a text that does not match, from its start, a usable pattern can match. */
size_t pattern_fits(struct eval *ev, struct str text, struct str pattern);

/* ---- conversion ---- */

const struct value *convert_form(struct eval *ev, const struct value *v, const struct type *to, struct span at,
	struct span rule);
bool convert_job_name(struct eval *ev, struct str name, struct span at);
/* Is the amount one that the unit counts in (whole bytes, milli-CPUs, milliseconds)? */
bool quantity_whole(struct quantity q, enum type_kind unit);

#define ARGUMENT(args, i) ((i) < (args)->n ? (args)->at[i] : NULL)

#endif
