/*
 * ast.h - the tree of a .tj file, and what the checker writes on it.
 *
 * The parser fills everything but the members marked "checker".  Nodes live in
 * the compilation's arena and are never freed.  A part that failed to parse is
 * NODE_BAD; every later phase accepts it in silence.
 *
 * All identifiers and keys are interned (compare with name_eq).
 *
 * Nesting is limited (TJ0114), so walking the tree by recursion is safe, with
 * one exception: a chain of `else if`, as items or as expressions, may be of any
 * length.  Follow `otherwise` in a loop.
 *
 * A node is allocated as large as its kind needs: never turn one into a kind
 * with more members.
 */
#ifndef TRAINC_SYNTAX_AST_H
#define TRAINC_SYNTAX_AST_H

#include "base/quantity.h"
#include "base/source.h"

struct decl;                            /* check/decl.h */
struct type;                            /* check/type.h */
struct module;                          /* check/module.h */

enum node_kind {
	NODE_BAD,
	/* declarations of a file */
	NODE_FILE,                      /* file */
	NODE_IMPORT,                    /* import */
	NODE_PARAM,                     /* binding: name, type, value (may be NULL) */
	NODE_LET,                       /* binding: name, type (may be NULL), value.  Also an item of a body */
	NODE_FN,                        /* fn */
	NODE_TYPE,                      /* type_decl */
	NODE_FRAMEWORK,                 /* blueprint_decl */
	NODE_ACCELERATOR,               /* blueprint_decl */
	NODE_JOB,                       /* job */
	NODE_PROFILE,                   /* titled: name, body */
	NODE_TEST,                      /* titled: title, body */
	NODE_POLICY,                    /* titled: title, body */
	NODE_PROJECT,                   /* titled: body */
	NODE_CHECK,                     /* check.  Also an item */
	/* items of a body */
	NODE_SET,                       /* item: key = value */
	NODE_EXTEND,                    /* item: key { }; value is a NODE_BODY.  Also key += list, see `adds` */
	NODE_FIELD,                     /* field: key: type = init */
	NODE_BLOCK,                     /* block: role worker { } */
	NODE_SPREAD,                    /* one: ...expr */
	NODE_IF_ITEM,                   /* if_item */
	NODE_FOR_ITEM,                  /* for_item */
	/* types */
	NODE_TYPE_REF,                  /* type_ref */
	NODE_REFINE,                    /* refine */
	NODE_FORMAL,                    /* binding: name, type, value (default, may be NULL) */
	/* expressions */
	NODE_NAME,                      /* name */
	NODE_INT,                       /* integer */
	NODE_FLOAT,                     /* floating */
	NODE_QUANTITY,                  /* quantity */
	NODE_TOPOLOGY,                  /* topology */
	NODE_BOOL,                      /* boolean */
	NODE_NONE,
	NODE_STRING,                    /* string */
	NODE_LIST,                      /* list: elements */
	NODE_LIST_FOR,                  /* list_for */
	NODE_BODY,                      /* body: items; a record, a map or a block */
	NODE_MEMBER,                    /* member */
	NODE_CALL,                      /* call */
	NODE_ARG,                       /* arg: a positional (no name) or named argument */
	NODE_INDEX,                     /* pair: base[index] */
	NODE_UNARY,                     /* op: left only */
	NODE_BINARY,                    /* op */
	NODE_RANGE,                     /* op: left..right */
	NODE_ELASTIC,                   /* op: left:right */
	NODE_COALESCE,                  /* op: left ?? right */
	/*
	 * op: left is the NODE_LET, or the part of it that could be read; right is the value in
	 * which the name is known
	 */
	NODE_LET_IN,
	NODE_IF,                        /* if_expr */
	NODE_KINDS
};

enum op {
	OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_FLOOR_DIV, OP_MOD,
	OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE, OP_IN, OP_NOT_IN,
	OP_AND, OP_OR,
	OP_NOT, OP_NEGATE               /* unary */
};

struct node;
struct value;                           /* eval/value.h */

struct nodes {
	struct node **at;
	size_t n;
};

/* The key of an item.  KEY_STRING without interpolation has its text in `text`. */
struct key {
	enum key_kind { KEY_NAME, KEY_STRING, KEY_EXPR } kind;
	struct span span;
	struct str text;                /* KEY_NAME, and KEY_STRING without interpolation; else empty with p == NULL */
	struct node *expr;              /* KEY_EXPR, KEY_STRING with interpolation (a NODE_STRING) */
};

/* A piece of a string: text, or an interpolated expression. */
struct string_part {
	struct str text;                /* after escapes; when expr is NULL */
	struct node *expr;
	struct span span;
};

struct binder {                         /* a loop variable */
	struct str name;
	struct span span;
	struct decl *decl;              /* checker */
};

/* `a in xs` of a loop. */
struct clause {
	struct binder binders[2];
	unsigned nbinders;
	struct node *list;
};

struct node {
	enum node_kind kind;
	struct span span;
	unsigned short height;          /* parser: longest way down, else-if chains not counted */
	unsigned short nest;            /* parser: unary operators and conditionals around each other */

	/* checker, expressions: the type of the expression, and the type of the place
	 * it stands in when the value must be converted or tested there (NULL: nothing to do) */
	const struct type *type;
	const struct type *convert_to;

	/* evaluator: what a literal is, which is the same every time; NULL before the first */
	const struct value *literal;

	union {
		/*
		 * BAD among declarations and items: the name that it would have declared or the
		 * key that it would have set, so that nobody calls it unknown or missing; may be empty.
		 */
		struct {
			struct str name;
			struct span name_span;
		} bad;
		struct {
			struct nodes decls;             /* in file order, imports and checks too */
			struct module *module;          /* checker */
			/* the ## lines at the head of the file, followed by a blank line */
			struct str doc;
		} file;
		struct {
			struct str *path;               /* std.single: { "std", "single" }; NULL for a file */
			size_t depth;
			struct span path_span;
			struct str file;                /* "rl.tj" */
			struct str alias;               /* the name that is bound; the last component unless `as` */
			struct span alias_span;
			struct node *body;              /* values of the module's parameters, or NULL */
			struct module *module;          /* checker; NULL when it failed */
			struct decl *decl;              /* checker */
		} import;
		struct {                                /* PARAM, LET, FORMAL */
			struct str name;
			struct span name_span;
			struct node *type;              /* NODE_TYPE_REF or NULL (a FORMAL: it is broken) */
			struct node *value;             /* or NULL */
			struct str doc;
			struct decl *decl;              /* checker */
		} binding;
		struct {
			struct str name;
			struct span name_span;
			struct nodes formals;           /* NODE_FORMAL */
			struct node *result;            /* NODE_TYPE_REF */
			struct node *value;
			struct str doc;
			struct decl *decl;              /* checker */
		} fn;
		struct {
			struct str name;
			struct span name_span;
			struct node *alias;             /* type X = T; else NULL */
			struct node *body;              /* NODE_BODY of NODE_FIELD */
			struct str doc;
			struct decl *decl;              /* checker */
		} type_decl;
		struct {                                /* FRAMEWORK, ACCELERATOR */
			struct str name;
			struct span name_span;
			struct nodes formals;
			/* FRAMEWORK: the framework that it wraps, a NODE_NAME or NODE_MEMBER chain; else NULL */
			struct node *base;
			struct nodes args;              /* NODE_ARG: of the base */
			bool has_args;
			struct span args_span;
			struct node *body;
			struct str doc;
			struct decl *decl;              /* checker */
			/* checker: argument of each formal of the base, NULL where the default applies */
			struct node **bound;
		} blueprint_decl;
		struct {
			struct node *title;             /* NODE_STRING */
			struct node *blueprint;         /* NODE_NAME or NODE_MEMBER chain; NULL without one */
			struct nodes args;              /* NODE_ARG */
			bool has_args;                  /* parentheses were written */
			struct span args_span;          /* the parentheses */
			struct node *body;
			/* fleets: for a, b in list job ... ; list is NULL for a plain job */
			struct binder binders[2];
			unsigned nbinders;
			struct node *list;
			struct clause *more;            /* further clauses, inside of the first */
			size_t nmore;
			struct node *filter;            /* for ... if C job: NULL without */
			struct str doc;
			struct decl *framework;         /* checker: DECL_FRAMEWORK or NULL */
			/* checker: argument of each formal, NULL where the default applies */
			struct node **bound;
			/* checker: the DECL_ROLE of every framework role and every role or aux block */
			struct decl **roles;
			size_t nroles;
		} job;
		struct {                                /* PROFILE (name), TEST, POLICY (title), PROJECT */
			struct str name;
			struct span name_span;
			struct str base;                /* PROFILE: the one that it extends; empty without */
			struct span base_span;
			struct node *title;             /* NODE_STRING */
			struct node *body;
			struct str doc;
		} titled;
		struct {
			bool warn;
			struct node *condition, *message;
			struct str code;                /* check C else M as TJ0508; empty without `as` */
			struct span code_span;
		} check;

		struct {                                /* SET, EXTEND */
			struct key key;
			struct node *value;
			bool adds;                      /* EXTEND (key += list): its value is no body */
			const struct field *field;      /* checker: the schema's field, NULL in maps and records */
			struct str doc;
		} item;
		struct {
			struct key key;
			struct node *type;              /* NODE_TYPE_REF */
			struct node *value;             /* or NULL: required */
			const struct field *field;      /* checker */
			const struct type *declared;    /* checker: the type, resolved */
			struct str doc;
		} field;
		struct {
			struct str word;                /* role aux sidecar init raw object */
			struct span word_span;
			struct str name;
			struct span name_span;
			struct node *body;
			struct decl *decl;              /* checker: DECL_ROLE of role and aux */
			struct str doc;
		} block;
		struct node *one;                       /* SPREAD */
		struct {
			struct node *condition;
			struct node *then;              /* NODE_BODY */
			/* NODE_BODY, NODE_IF_ITEM (else if: any number, loop) or NULL */
			struct node *otherwise;
		} if_item;
		struct {
			struct binder binders[2];
			unsigned nbinders;
			struct node *list;
			struct node *body;              /* NODE_BODY */
		} for_item;

		struct {
			struct str *path;               /* dotted name; NULL where `body` is there */
			struct span *path_spans;
			size_t depth;
			struct node *body;              /* NODE_BODY: the fields of a record without a name */
			struct decl *record;            /* checker: what declares that record */
			struct nodes args;              /* type arguments: NODE_TYPE_REF */
			struct nodes refines;           /* NODE_REFINE */
			bool optional;                  /* T? */
		} type_ref;
		struct {
			enum refine_kind { REFINE_VALUE, REFINE_BOUNDS, REFINE_NAMED } kind;
			/* BOUNDS: NULL is open; VALUE: lo is a NODE_RANGE such as 1..64 */
			struct node *lo, *hi;
			struct str name;                /* NAMED: pattern = lo */
			struct span name_span;
		} refine;

		struct {
			struct str text;
			struct decl *decl;              /* checker */
		} name;
		struct {
			uint64_t value;                 /* at most 2^63, which is legal only after a unary minus */
		} integer;
		struct {
			double value;
			struct str word;                /* as written: exact conversion to cpu */
		} floating;
		struct {
			/* as written, `_` included; the checker's type says cpu, memory or duration */
			struct str word;
		} quantity;
		struct {
			unsigned n;                     /* 2 or 3 */
			int64_t size[3];
		} topology;
		bool boolean;
		struct {
			struct string_part *parts;
			size_t n;
			bool raw, block;                /* r"..."; """...""" */
		} string;
		struct nodes list;                      /* LIST */
		struct {
			struct binder binders[2];
			unsigned nbinders;
			struct node *value, *list, *filter;     /* filter may be NULL */
			/*
			 * of `for` with several clauses: `value` is the list of the next clause,
			 * whose elements become elements of this one
			 */
			bool flat;
		} list_for;
		struct {
			struct nodes items;
			bool one_line;
			struct span open, close;        /* the braces */
		} body;
		struct {
			struct node *base;
			struct str name;
			struct span name_span;
			struct decl *decl;              /* checker: a member of an imported module, else NULL */
		} member;
		struct {
			struct node *callee;            /* NODE_NAME or NODE_MEMBER */
			struct nodes args;              /* NODE_ARG */
			struct span args_span;
			/* checker: DECL_FN, DECL_BUILTIN_FN, DECL_ACCELERATOR; NULL for methods of roles and pod */
			struct decl *target;
			/*
			 * checker: argument of each formal, NULL where the default applies; builtins that take any
			 * number of values: the positional arguments, then the named ones
			 */
			struct node **bound;
			size_t nbound;
		} call;
		struct {
			struct str name;                /* empty p == NULL for a positional argument */
			struct span name_span;
			struct node *value;
		} arg;
		struct {
			struct node *base, *index;
		} pair;
		struct {
			enum op op;
			struct span op_span;
			struct node *left, *right;
		} op;
		struct {
			struct node *condition, *then;
			struct node *otherwise;         /* a NODE_IF for `else if`: any number, loop */
		} if_expr;
	} u;
};

struct node *node_new(struct arena *a, enum node_kind kind, struct span span);
size_t node_size(enum node_kind kind);  /* bytes that node_new() allocates */
static inline void nodes_add(struct arena *a, struct nodes *list, struct node *n)
{
	ARENA_PUSH(a, list->at, list->n, n);
}
/* The static text of a NODE_STRING without interpolation; false otherwise. */
bool node_static_text(const struct node *n, struct str *ret);
/* Is the NODE_TEST about errors: has it `refuses`, or fails() in its TEXT? */
bool test_wants_refusal(const struct node *test, struct str text);
const char *node_kind_name(enum node_kind kind);
const char *op_name(enum op op);        /* as written: "+", "not in" */

#endif
