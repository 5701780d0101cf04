/*
 * ast.h - the tree of a .tj file, and what the checker writes into it. The parser fills in everything but the members
 * marked "checker". Nodes live in the compilation's arena and are never freed. A part that failed to parse is NODE_BAD,
 * which every later phase silently accepts. All identifiers and keys are interned (compare with name_eq).
 *
 * Nesting is limited (TJ0114), so walking the tree by recursion is safe, with one exception: a chain of `else if`, as
 * items or as expressions, may have any length. Follow `otherwise` in a loop. The size of a node is that of its kind:
 * never turn one into a kind with more members.
 */
#ifndef TRAINC_SYNTAX_AST_H
#define TRAINC_SYNTAX_AST_H

#include "base/quantity.h"
#include "base/source.h"

struct decl;                            /* defined in check/decl.h */
struct type;                            /* defined in check/type.h */
struct module;                          /* defined in check/module.h */

enum node_kind {
	NODE_BAD,
	/* declarations of a file */
	NODE_FILE,                      /* u.file */
	NODE_IMPORT,                    /* u.import */
	NODE_PARAM,                     /* u.binding: name, type, value (may be NULL) */
	NODE_LET,                       /* u.binding: name, type (may be NULL), value.  Also an item of a body */
	NODE_FN,                        /* u.fn */
	NODE_TYPE,                      /* u.type_decl */
	NODE_FRAMEWORK,                 /* u.blueprint_decl */
	NODE_ACCELERATOR,               /* u.blueprint_decl */
	NODE_JOB,                       /* u.job */
	NODE_PROFILE,                   /* u.titled: name, body */
	NODE_TEST,                      /* u.titled: title, body */
	NODE_POLICY,                    /* u.titled: title, body */
	NODE_PROJECT,                   /* u.titled: body */
	NODE_CHECK,                     /* u.check.  Also an item */
	/* items of a body */
	NODE_SET,                       /* u.item: key = value */
	NODE_EXTEND,                    /* u.item: key { }; value is a NODE_BODY.  Also key += list, see `adds` */
	NODE_FIELD,                     /* u.field: key: type = init */
	NODE_BLOCK,                     /* u.block: role worker { } */
	NODE_SPREAD,                    /* u.one: ...expr */
	NODE_IF_ITEM,                   /* u.if_item */
	NODE_FOR_ITEM,                  /* u.for_item */
	/* types */
	NODE_TYPE_REF,                  /* u.type_ref */
	NODE_REFINE,                    /* u.refine */
	NODE_FORMAL,                    /* u.binding: name, type, value (default, may be NULL) */
	/* expressions */
	NODE_NAME,                      /* u.name */
	NODE_INT,                       /* u.integer */
	NODE_FLOAT,                     /* u.floating */
	NODE_QUANTITY,                  /* u.quantity */
	NODE_TOPOLOGY,                  /* u.topology */
	NODE_BOOL,                      /* u.boolean */
	NODE_NONE,
	NODE_STRING,                    /* u.string */
	NODE_LIST,                      /* u.list: elements */
	NODE_LIST_FOR,                  /* u.list_for */
	NODE_BODY,                      /* u.body: items; a record, a map or a block */
	NODE_MEMBER,                    /* u.member */
	NODE_CALL,                      /* u.call */
	NODE_ARG,                       /* u.arg: a positional (no name) or named argument */
	NODE_INDEX,                     /* u.pair: base[index] */
	NODE_UNARY,                     /* u.op: left only */
	NODE_BINARY,                    /* u.op */
	NODE_RANGE,                     /* u.op: left..right */
	NODE_ELASTIC,                   /* u.op: left:right */
	NODE_COALESCE,                  /* u.op: left ?? right */
	/*
	 * u.op: left is the NODE_LET, or the part of it that parsed; right is the expression in which its name is
	 * visible
	 */
	NODE_LET_IN,
	NODE_IF,                        /* u.if_expr */
	NODE_KINDS
};

enum op {
	OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_FLOOR_DIV, OP_MOD,
	OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE, OP_IN, OP_NOT_IN,
	OP_AND, OP_OR,
	OP_NOT, OP_NEGATE               /* the unary operators */
};

struct node;
struct value;                           /* defined in eval/value.h */

struct nodes {
	struct node **at;
	size_t n;
};

/* The key of an item.  KEY_STRING without interpolation has its text in `text`. */
struct key {
	enum key_kind { KEY_NAME, KEY_STRING, KEY_EXPR } kind;
	struct span span;
	struct str text;                /* text of a KEY_NAME, or of a KEY_STRING without interpolation; otherwise p ==
					 * NULL */
	struct node *expr;              /* expression of a KEY_EXPR, or the NODE_STRING of a KEY_STRING with
					 * interpolation */
};

/* A piece of a string: text, or an interpolated expression. */
struct string_part {
	struct str text;                /* the text after escapes, when expr is NULL */
	struct node *expr;
	struct span span;
};

struct binder {                         /* a variable of a loop */
	struct str name;
	struct span span;
	struct decl *decl;              /* set by the checker: the variable's declaration */
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
	unsigned short height;          /* set by the parser: length of the longest path to a leaf, else-if chains not
					 * counted */
	unsigned short nest;            /* set by the parser: how deeply unary operators and conditionals are nested in
					 * it */

	/*
	 * checker, expressions: the type of the expression, and the type that its context expects if the value must be
	 * converted to it or tested against it (otherwise NULL)
	 */
	const struct type *type;
	const struct type *convert_to;

	/* evaluator: the value of a literal, which never changes; NULL until it is first evaluated */
	const struct value *literal;

	union {
		/*
		 * BAD among declarations and items: the name that it would have declared or the key that it would have
		 * set, so that this is not reported as unknown or missing; may be empty.
		 */
		struct {
			struct str name;
			struct span name_span;
		} bad;
		struct {
			struct nodes decls;             /* the declarations in file order, with imports and checks */
			struct module *module;          /* set by the checker: the module */
			/* the ## lines at the head of the file, followed by a blank line */
			struct str doc;
		} file;
		struct {
			struct str *path;               /* the path as components: std.single is { "std", "single" };
							 * NULL for a file */
			size_t depth;
			struct span path_span;
			struct str file;                /* the path of an imported file: "rl.tj" */
			struct str alias;               /* the name that the import binds; the last component unless
							 * `as` gives another */
			struct span alias_span;
			struct node *body;              /* values for the module's parameters, or NULL */
			struct module *module;          /* set by the checker: the imported module; NULL when the import
							 * failed */
			struct decl *decl;              /* set by the checker: the declaration */
		} import;
		struct {                                /* PARAM, LET, FORMAL */
			struct str name;
			struct span name_span;
			struct node *type;              /* the type: a NODE_TYPE_REF or NULL (a FORMAL without one is
							 * broken) */
			struct node *value;             /* the value, or NULL */
			struct str doc;
			struct decl *decl;              /* set by the checker: the declaration */
		} binding;
		struct {
			struct str name;
			struct span name_span;
			struct nodes formals;           /* the parameters: NODE_FORMAL */
			struct node *result;            /* the type of the result: NODE_TYPE_REF */
			struct node *value;             /* see check_function_value() */
			struct str doc;
			struct decl *decl;              /* set by the checker: the declaration */
			/*
			 * for a function of the library whose value was not read yet: the position of the value in the
			 * bytes of the module's tree; otherwise 0
			 */
			uint32_t later;
		} fn;
		struct {
			struct str name;
			struct span name_span;
			struct node *alias;             /* the type T of `type X = T`; otherwise NULL */
			struct node *body;              /* the fields of the type: a NODE_BODY of NODE_FIELD */
			struct str doc;
			struct decl *decl;              /* set by the checker: the declaration */
		} type_decl;
		struct {                                /* FRAMEWORK, ACCELERATOR */
			struct str name;
			struct span name_span;
			struct nodes formals;
			/* FRAMEWORK: the framework that it wraps, a NODE_NAME or NODE_MEMBER chain; otherwise NULL */
			struct node *base;
			struct nodes args;              /* the arguments of the base: NODE_ARG */
			bool has_args;
			struct span args_span;
			struct node *body;
			struct str doc;
			struct decl *decl;              /* set by the checker: the declaration */
			/* checker: argument of each formal of the base, NULL where the default applies */
			struct node **bound;
		} blueprint_decl;
		struct {
			struct node *title;             /* the title of the job: a NODE_STRING */
			struct node *blueprint;         /* the framework: a NODE_NAME or NODE_MEMBER chain; NULL if no
							 * framework is given */
			struct nodes args;              /* the arguments of the framework: NODE_ARG */
			bool has_args;                  /* the parentheses of the arguments were written */
			struct span args_span;          /* source span of the parentheses */
			struct node *body;
			/* fleets: for a, b in list job ... ; list is NULL for a plain job */
			struct binder binders[2];
			unsigned nbinders;
			struct node *list;
			struct clause *more;            /* further `for` clauses, each nested in the one before */
			size_t nmore;
			struct node *filter;            /* the condition C of `for ... if C job`; NULL if no condition
							 * is given */
			struct str doc;
			struct decl *framework;         /* set by the checker: the DECL_FRAMEWORK or NULL */
			/* checker: argument of each formal, NULL where the default applies */
			struct node **bound;
			/* checker: the DECL_ROLE of every framework role and every role or aux block */
			struct decl **roles;
			size_t nroles;
			struct decl **cells;            /* checker: the DECL_CELL of every cell */
			size_t ncells;
		} job;
		struct {                                /* PROFILE (name), TEST, POLICY (title), PROJECT */
			struct str name;
			struct span name_span;
			struct str base;                /* PROFILE: the profile that it extends; empty if it extends no
							 * profile */
			struct span base_span;
			struct node *title;             /* the title: a NODE_STRING */
			struct node *body;
			struct str doc;
		} titled;
		struct {
			bool warn;
			struct node *condition, *message;
			struct str code;                /* the code of `check C else M as TJ0508`; empty without `as` */
			struct span code_span;
		} check;

		struct {                                /* SET, EXTEND */
			struct key key;
			struct node *value;
			bool adds;                      /* EXTEND by `key += list`: the value is not a body */
			const struct field *field;      /* set by the checker: the schema's field; NULL in maps and
							 * records */
			struct str doc;
		} item;
		struct {
			struct key key;
			struct node *type;              /* the type: a NODE_TYPE_REF */
			struct node *value;             /* the default value, or NULL: the field is required */
			const struct field *field;      /* set by the checker: the schema's field */
			const struct type *declared;    /* set by the checker: the declared type */
			struct str doc;
		} field;
		struct {
			struct str word;                /* keyword of the block: role, aux, sidecar, init, raw or object
							 */
			struct span word_span;
			struct str name;
			struct span name_span;
			struct node *body;
			/*
			 * of `cell NAME: FRAMEWORK(args) { }`: the framework, or NULL; its arguments, and the span of
			 * their parentheses, which is unknown without them. The library has no such block
			 */
			struct node *framework;
			struct nodes args;
			struct span args_span;
			/* set by the checker: the DECL_ROLE of a role or aux, the DECL_CELL of a cell */
			struct decl *decl;
			struct str doc;
		} block;
		struct node *one;                       /* SPREAD: the expression */
		struct {
			struct node *condition;
			struct node *then;              /* the items if the condition holds: a NODE_BODY */
			/*
			 * the else branch: a NODE_BODY, a NODE_IF_ITEM for `else if` (chains may be long, so use a
			 * loop), or NULL
			 */
			struct node *otherwise;
		} if_item;
		struct {
			struct binder binders[2];
			unsigned nbinders;
			struct node *list;
			struct node *body;              /* the items of the loop: a NODE_BODY */
		} for_item;

		struct {
			struct str *path;               /* the dotted name; NULL where `body` is set */
			struct span *path_spans;
			size_t depth;
			struct node *body;              /* the fields of a record without a name: a NODE_BODY */
			struct decl *record;            /* set by the checker: the declaration of that record */
			struct nodes args;              /* the type arguments: NODE_TYPE_REF */
			struct nodes refines;           /* the refinements: NODE_REFINE */
			bool optional;                  /* the type is optional: T? */
		} type_ref;
		struct {
			enum refine_kind { REFINE_VALUE, REFINE_BOUNDS, REFINE_NAMED } kind;
			/*
			 * BOUNDS: the two ends, NULL for an open end; VALUE: lo is a value or a NODE_RANGE such as
			 * 1..64
			 */
			struct node *lo, *hi;
			struct str name;                /* name of a refinement `pattern = lo` (NAMED) */
			struct span name_span;
		} refine;

		struct {
			struct str text;
			struct decl *decl;              /* set by the checker: the declaration */
		} name;
		struct {
			uint64_t value;                 /* at most 2^63, which is legal only after a unary minus */
		} integer;
		struct {
			double value;
			struct str word;                /* the number as written, for exact conversion to cpu */
		} floating;
		struct {
			/*
			 * the literal as written, including `_`; the type that the checker sets tells cpu, memory and
			 * duration apart
			 */
			struct str word;
		} quantity;
		struct {
			unsigned n;                     /* number of dimensions: 2 or 3 */
			int64_t size[3];
		} topology;
		bool boolean;
		struct {
			struct string_part *parts;
			size_t n;
			bool raw, block;                /* forms of the string: raw is r"...", block is """...""" */
		} string;
		struct nodes list;                      /* LIST: the elements */
		struct {
			struct binder binders[2];
			unsigned nbinders;
			struct node *value, *list, *filter;     /* parts of the comprehension; the filter may be NULL */
			/*
			 * set for a `for` with several clauses: `value` is then the list of the next clause, and the
			 * elements of that list become elements of this one
			 */
			bool flat;
		} list_for;
		struct {
			struct nodes items;
			bool one_line;
			struct span open, close;        /* source spans of the braces */
		} body;
		struct {
			struct node *base;
			struct str name;
			struct span name_span;
			struct decl *decl;              /* set by the checker if the member is one of an imported
							 * module: its declaration; otherwise NULL */
		} member;
		struct {
			struct node *callee;            /* the function: a NODE_NAME or NODE_MEMBER */
			struct nodes args;              /* the arguments: NODE_ARG */
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
			struct str name;                /* name of the argument; p == NULL for a positional one */
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
			struct node *otherwise;         /* the else branch: a NODE_IF for `else if`; chains may be long,
							 * so visit them in a loop */
		} if_expr;
	} u;
};

struct node *node_new(struct arena *a, enum node_kind kind, struct span span);
size_t node_size(enum node_kind kind);  /* returns the bytes that node_new() allocates */
static inline void nodes_add(struct arena *a, struct nodes *list, struct node *n)
{
	ARENA_PUSH(a, list->at, list->n, n);
}
/* The static text of a NODE_STRING without interpolation; false otherwise. */
bool node_static_text(const struct node *n, struct str *ret);
/* Does the NODE_TEST, whose source text is TEXT, expect errors: does it have `refuses` or call fails()? */
bool test_wants_refusal(const struct node *test, struct str text);
const char *node_kind_name(enum node_kind kind);
const char *op_name(enum op op);        /* returns the operator as written: "+", "not in" */

#endif
