/*
 * build.h - the functions that the grammar's actions call: one for each form of node.
 */
#ifndef TRAINC_SYNTAX_BUILD_H
#define TRAINC_SYNTAX_BUILD_H

#include "syntax/ast.h"

struct parse;

struct path {                           /* a dotted name */
	struct str *names;
	struct span *spans;
	size_t n;
};

struct binders {
	struct binder at[2];
	unsigned n;
};

struct parts {                          /* the parts of a string as written */
	struct string_part *at;
	size_t n;
};

struct str build_word(struct parse *p, struct span at);
struct nodes list_one(struct parse *p, struct node *n);
struct nodes seq_add(struct parse *p, struct nodes list, struct node *n);
struct path *mk_path(struct parse *p, struct str name, struct span at);
struct path *path_add(struct parse *p, struct path *path, struct str name, struct span at);
/* The clauses of a loop: a in xs, b in ys. */
struct clauses {
	struct clause *at;
	size_t n;
};
struct clauses *clauses_add(struct parse *p, struct clauses *to, struct binders *b, struct node *list);
struct binders *mk_binders(struct parse *p, struct str name, struct span at);
struct binders *binders_add(struct binders *b, struct str name, struct span at);
struct parts *parts_add(struct parse *p, struct parts *parts, struct span at, struct node *expr);

void add_decl(struct parse *p, struct node *n);
void parse_result(struct parse *p, struct node *n);
struct node *mk_bad(struct parse *p, struct span at);

struct node *mk_import(struct parse *p, struct span at, struct path *path, struct span path_at, struct str alias,
	struct span alias_at);
struct node *import_with(struct node *import, struct node *body);
struct node *mk_import_file(struct parse *p, struct span at, struct node *file, struct str alias, struct span alias_at);
struct node *mk_binding(struct parse *p, struct span at, enum node_kind kind, struct str name, struct span name_at,
                        struct node *type, struct node *value);
struct node *mk_fn(struct parse *p, struct span at, struct str name, struct span name_at, struct nodes formals,
                   struct node *result, struct node *value);
struct node *mk_type(struct parse *p, struct span at, struct str name, struct span name_at, struct node *alias,
	struct node *body);
struct node *mk_blueprint(struct parse *p, struct span at, enum node_kind kind, struct str name, struct span name_at,
                          struct nodes formals, struct node *body);
/* framework NAME: BASE(ARGS) BODY */
struct node *mk_wrapper(struct parse *p, struct node *framework, struct path *base, struct nodes args,
	struct span args_at);
struct node *mk_profile(struct parse *p, struct span at, struct str name, struct span name_at, struct node *body);
/* profile NAME: BASE BODY */
struct node *mk_profile_of(struct node *profile, struct str base, struct span base_at);
struct node *mk_titled(struct parse *p, struct span at, enum node_kind kind, struct node *title, struct node *body);
struct node *mk_job(struct parse *p, struct span at, struct node *title, struct path *blueprint, struct nodes args,
                    struct span args_at, struct node *body);
struct node *mk_fleet(struct parse *p, struct span at, struct clauses *clauses, struct node *filter, struct node *job);
struct node *mk_check(struct parse *p, struct span at, bool warn, struct node *condition, struct node *message,
                      struct str code, struct span code_at);

struct key *mk_key(struct parse *p, struct str name, struct span at);
struct key *mk_key_string(struct parse *p, struct node *string, struct span at);
struct key *mk_key_expr(struct parse *p, struct node *expr, struct span at);
struct node *mk_body(struct parse *p, struct span at, struct nodes items, struct span open, struct span close);
/* key += list */
struct node *mk_adding(struct parse *p, struct span at, struct key *key, struct node *value);
struct node *mk_item(struct parse *p, struct span at, enum node_kind kind, struct key *key, struct node *value);
struct node *mk_field(struct parse *p, struct span at, struct key *key, struct node *type, struct node *value);
/* Gives BLOCK the framework of `cell NAME: FRAMEWORK(args) { }`; ARGS_AT is unknown without parentheses. */
struct node *block_of(struct parse *p, struct node *block, struct path *framework, struct nodes args,
	struct span args_at);
struct node *mk_block(struct parse *p, struct span at, struct str kind, struct span kind_at, struct str name,
                      struct span name_at, struct node *body);
struct node *mk_spread(struct parse *p, struct span at, struct node *one);
/* for a in xs, b in ys if c { }: nested loops, with the condition inside the innermost */
struct node *mk_for_items(struct parse *p, struct span at, struct clauses *clauses, struct node *filter,
	struct node *body);

/*
 * Chains of else-if, as items and as expressions.  While a chain is built, its value is the last
 * link, whose `otherwise` is the first link.
 */
struct node *mk_if_item(struct parse *p, struct span at, struct node *condition, struct node *then);
struct node *mk_if(struct parse *p, struct span at, struct node *condition, struct node *then);
struct node *chain_add(struct parse *p, struct node *chain, struct node *link);
struct node *chain_first(struct parse *p, struct node *chain, struct span at);
struct node *chain_end(struct parse *p, struct node *chain, struct node *otherwise, struct span at);
struct node *arms_end(struct parse *p, struct node *chain, struct node *otherwise, struct span at);

/* A record type without a name: { NAME: TYPE ... } */
struct node *mk_type_fields(struct parse *p, struct span at, struct node *body);
struct node *mk_type_ref(struct parse *p, struct span at, struct path *path, struct nodes args, struct nodes refines);
struct node *type_ref_optional(struct node *type, struct span at);
struct node *mk_refine(struct parse *p, struct span at, enum refine_kind kind, struct node *lo, struct node *hi);
struct node *mk_refine_named(struct parse *p, struct span at, struct str name, struct span name_at, struct node *value);

struct node *mk_name(struct parse *p, struct span at, struct str text);
struct node *mk_integer(struct parse *p, struct span at);
struct node *mk_floating(struct parse *p, struct span at);
struct node *mk_quantity(struct parse *p, struct span at);
struct node *mk_topology(struct parse *p, struct span at);
struct node *mk_boolean(struct parse *p, struct span at, bool value);
struct node *mk_none(struct parse *p, struct span at);
struct node *mk_string(struct parse *p, struct span at, struct span open, struct parts *parts, struct span close);
struct node *mk_plain_string(struct parse *p, struct span at);
struct node *mk_list(struct parse *p, struct span at, struct nodes elements);
/* `let a = 1, b = a in value`: the value of each name may use the names before it. */
struct node *mk_let_in(struct parse *p, struct span at, struct nodes locals, struct node *value);
struct node *mk_list_fors(struct parse *p, struct span at, struct node *value, struct clauses *clauses,
	struct node *filter);
struct node *mk_member(struct parse *p, struct span at, struct node *base, struct str name, struct span name_at);
struct node *mk_call(struct parse *p, struct span at, struct node *callee, struct nodes args, struct span args_at);
struct node *mk_index(struct parse *p, struct span at, struct node *base, struct node *index);
struct node *mk_arg(struct parse *p, struct span at, struct str name, struct span name_at, struct node *value);
struct node *mk_unary(struct parse *p, struct span at, enum op op, struct span op_at, struct node *operand);
struct node *mk_binary(struct parse *p, struct span at, enum node_kind kind, enum op op, struct node *left,
	struct span op_at,
                       struct node *right);
struct node *mk_coalesce(struct parse *p, struct span at, struct node *left, struct span op_at, struct node *right);

#endif
