/*
 * trainc.y - builds the tree from tokens, without giving it a meaning.
 *
 * The grammar has no precedence declarations and no conflicts. Each action is one call of a function in
 * compiler/syntax/build.c.
 *
 * ATOM is a literal or a name that is a whole expression, which compiler/syntax/feed.c recognizes by the tokens around
 * it. So most values need not pass through ten levels of operators.
 *
 * This is a push parser: compiler/syntax/feed.c decides which newlines are tokens. After an error it skips the rest of
 * the broken item itself, so only the token SYNC can follow `error`. EOL ends a declaration of the file, and NL ends
 * an item of a body, so that the parser cannot resume inside the body of a declaration with an error.
 */
%require "3.8"
%define api.pure full
%define api.push-pull push
%define api.prefix {tj_}
%define api.token.prefix {TOKEN_}
%define api.token.raw
%define api.location.type {struct span}
%define parse.error custom
%define parse.lac full
%locations
%expect 0
%param { struct parse *p }

%code requires {
#include "syntax/build.h"
}
%code {
#include "syntax/parse_state.h"

#define YYLLOC_DEFAULT(current, rhs, n)                                                 \
	((current) = (n) ? (struct span){ YYRHSLOC(rhs, 1).start, YYRHSLOC(rhs, n).end } \
	                 : (struct span){ YYRHSLOC(rhs, 0).end, YYRHSLOC(rhs, 0).end })
#define YYMAXDEPTH 100000
#define YYMALLOC(n) memory_hold(NULL, n)
#define YYFREE memory_drop

static void tj_error(struct span *at, struct parse *p, const char *why);
}

%union {
	struct node *node;
	struct nodes nodes;
	struct str str;
	struct path *path;
	struct key *key;
	struct binders *binders;
	struct clauses *clauses;
	struct parts *parts;
	enum op op;
	bool flag;
}

%token END 0 "the end of the file"
%token START_FILE START_EXPR
%token SYNC "the end of what is broken"
%token JUNK "an unexpected character"
%token EOL "a new line"
%token NL "a new line in a body"
%token <str> IDENT "a name"
%token INT "a number" FLOAT "a decimal number" QUANTITY "a quantity" TOPOLOGY "a topology" BAD "a broken value"
%token STRING "a string"
%token <node> ATOM "a value"
%token STR_OPEN "the start of a string" STR_TEXT "text" STR_CLOSE "a closing quote" INTERP_OPEN "${" INTERP_CLOSE "} of ${"
%token IMPORT "import" AS "as" PARAM "param" LET "let" FN "fn" TYPE "type" PROJECT "project" POLICY "policy"
%token FRAMEWORK "framework" ACCELERATOR "accelerator" JOB "job" PROFILE "profile" TEST "test"
%token CHECK "check" WARN "warn" IF "if" THEN "then" ELSE "else" FOR "for" IN "in"
%token AND "and" OR "or" NOT "not" TRUE "true" FALSE "false" NONE "none"
%token LBRACE "{" RBRACE "}" LPAREN "(" RPAREN ")" LBRACKET "[" RBRACKET "]"
%token COMMA "," COLON ":" DOT "." RANGE ".." SPREAD "..." ASSIGN "=" ARROW "->" QUESTION "?" COALESCE "??"
%token EQ "==" NE "!=" LT "<" LE "<=" GT ">" GE ">="
%token ADD_ASSIGN "+="
%token PLUS "+" MINUS "-" STAR "*" SLASH "/" FLOOR "//" PERCENT "%"

%type <nodes> formals_opt formals formal_seq type_args_opt type_seq refine_opt refine_seq args arg_seq items item_seq
%type <nodes> expr_seq locals
%type <node> decl import param_decl let fn type_decl job policy type_opt init_opt type type_core refine formal body item if_item
%type <node> local if_chain check expr choice conj negation comparison span sum product unary postfix primary arg list filter_opt
%type <node> string if_arms otherwise
%type <path> dotted
%type <key> key
%type <binders> binders
%type <clauses> clauses
%type <parts> str_parts
%type <op> cmp_op
%type <str> alias_opt code_opt soft member word

%%

input: START_FILE decls
     | START_EXPR expr                          { parse_result(p, $2); }
     ;

decls: %empty
     | decls decl EOL                           { add_decl(p, $2); }
     | decls error SYNC EOL                     { add_decl(p, mk_bad(p, @2)); yyerrok; }
     ;

decl: import | param_decl | let | fn | type_decl | job | policy | check
    | "framework" IDENT formals_opt body        { $$ = mk_blueprint(p, @$, NODE_FRAMEWORK, $2, @2, $3, $4); }
    | "framework" IDENT formals_opt ":" dotted body
        { $$ = mk_wrapper(p, mk_blueprint(p, @$, NODE_FRAMEWORK, $2, @2, $3, $6), $5, (struct nodes){ 0 }, (struct span){ 0 }); }
    | "framework" IDENT formals_opt ":" dotted "(" args ")" body
        { $$ = mk_wrapper(p, mk_blueprint(p, @$, NODE_FRAMEWORK, $2, @2, $3, $9), $5, $7, span_join(@6, @8)); }
    | "accelerator" IDENT formals_opt body      { $$ = mk_blueprint(p, @$, NODE_ACCELERATOR, $2, @2, $3, $4); }
    | "profile" IDENT body                      { $$ = mk_profile(p, @$, $2, @2, $3); }
    | "profile" IDENT ":" IDENT body            { $$ = mk_profile_of(mk_profile(p, @$, $2, @2, $5), $4, @4); }
    | "test" string body                        { $$ = mk_titled(p, @$, NODE_TEST, $2, $3); }
    | "project" body                            { $$ = mk_titled(p, @$, NODE_PROJECT, NULL, $2); }
    | "for" clauses filter_opt job              { $$ = mk_fleet(p, @$, $2, $3, $4); }
    ;
policy: "policy" string body                    { $$ = mk_titled(p, @$, NODE_POLICY, $2, $3); } ;
import: "import" dotted alias_opt               { $$ = mk_import(p, @$, $2, @2, $3, @3); }
      | "import" dotted alias_opt body          { $$ = import_with(mk_import(p, @$, $2, @2, $3, @3), $4); }
      | "import" string "as" IDENT              { $$ = mk_import_file(p, @$, $2, $4, @4); }
      | "import" string "as" IDENT body         { $$ = import_with(mk_import_file(p, @$, $2, $4, @4), $5); }
      ;
alias_opt: %empty                               { $$ = (struct str){ 0 }; }
         | "as" IDENT                           { $$ = $2; @$ = @2; }
         ;
dotted: IDENT                                   { $$ = mk_path(p, $1, @1); }
      | dotted "." word                         { $$ = path_add(p, $1, $3, @3); }
      ;
word: IDENT | soft ;
param_decl: "param" IDENT ":" type init_opt     { $$ = mk_binding(p, @$, NODE_PARAM, $2, @2, $4, $5); } ;
let: "let" IDENT type_opt "=" expr              { $$ = mk_binding(p, @$, NODE_LET, $2, @2, $3, $5); } ;
fn: "fn" IDENT formals "->" type "=" expr       { $$ = mk_fn(p, @$, $2, @2, $3, $5, $7); } ;
type_decl: "type" IDENT "=" type                { $$ = mk_type(p, @$, $2, @2, $4, NULL); }
         | "type" IDENT body                    { $$ = mk_type(p, @$, $2, @2, NULL, $3); }
         ;
type_opt: %empty                                { $$ = NULL; }
        | ":" type                              { $$ = $2; }
        ;
init_opt: %empty                                { $$ = NULL; }
        | "=" expr                              { $$ = $2; }
        ;
job: "job" string body                          { $$ = mk_job(p, @$, $2, NULL, (struct nodes){ 0 }, (struct span){ 0 }, $3); }
   | "job" string ":" dotted body               { $$ = mk_job(p, @$, $2, $4, (struct nodes){ 0 }, (struct span){ 0 }, $5); }
   | "job" string ":" dotted "(" args ")" body  { $$ = mk_job(p, @$, $2, $4, $6, span_join(@5, @7), $8); }
   ;

formals_opt: %empty                             { $$ = (struct nodes){ 0 }; }
           | formals
           ;
formals: "(" ")"                                { $$ = (struct nodes){ 0 }; }
       | "(" formal_seq comma_opt ")"           { $$ = $2; }
       ;
formal_seq: formal                              { $$ = list_one(p, $1); }
          | formal_seq "," formal               { $$ = seq_add(p, $1, $3); }
          ;
formal: IDENT ":" type init_opt                 { $$ = mk_binding(p, @$, NODE_FORMAL, $1, @1, $3, $4); } ;
comma_opt: %empty | "," ;

type: type_core
    | type_core "?"                             { $$ = type_ref_optional($1, @$); }
    ;
type_core: dotted type_args_opt refine_opt      { $$ = mk_type_ref(p, @$, $1, $2, $3); }
         | body                                 { $$ = mk_type_fields(p, @$, $1); }
         | "accelerator"                        { $$ = mk_type_ref(p, @$, mk_path(p, build_word(p, @1), @1), (struct nodes){ 0 }, (struct nodes){ 0 }); }
         ;
type_args_opt: %empty                           { $$ = (struct nodes){ 0 }; }
             | "[" type_seq "]"                 { $$ = $2; }
             ;
type_seq: type                                  { $$ = list_one(p, $1); }
        | type_seq "," type                     { $$ = seq_add(p, $1, $3); }
        ;
refine_opt: %empty                              { $$ = (struct nodes){ 0 }; }
          | "(" refine_seq ")"                  { $$ = $2; }
          ;
refine_seq: refine                              { $$ = list_one(p, $1); }
          | refine_seq "," refine               { $$ = seq_add(p, $1, $3); }
          ;
refine: expr                                    { $$ = mk_refine(p, @$, REFINE_VALUE, $1, NULL); }
      | sum ".."                                { $$ = mk_refine(p, @$, REFINE_BOUNDS, $1, NULL); }
      | ".." sum                                { $$ = mk_refine(p, @$, REFINE_BOUNDS, NULL, $2); }
      | IDENT "=" expr                          { $$ = mk_refine_named(p, @$, $1, @1, $3); }
      ;

body: "{" items "}"                             { $$ = mk_body(p, @$, $2, @1, @3); } ;
items: %empty                                   { $$ = (struct nodes){ 0 }; }
     | item_seq
     | item_seq sep
     ;
item_seq: item                                  { $$ = list_one(p, $1); }
        | item_seq sep item                     { $$ = seq_add(p, $1, $3); }
        ;
sep: NL | "," ;
item: key "=" expr                              { $$ = mk_item(p, @$, NODE_SET, $1, $3); }
    | key body                                  { $$ = mk_item(p, @$, NODE_EXTEND, $1, $2); }
    | key "+=" expr                             { $$ = mk_adding(p, @$, $1, $3); }
    | key ":" type init_opt                     { $$ = mk_field(p, @$, $1, $3, $4); }
    | IDENT IDENT body                          { $$ = mk_block(p, @$, $1, @1, $2, @2, $3); }
    | IDENT IDENT ":" dotted body               { $$ = block_of(p, mk_block(p, @$, $1, @1, $2, @2, $5), $4, (struct nodes){ 0 }, (struct span){ 0 }); }
    | IDENT IDENT ":" dotted "(" args ")" body
        { $$ = block_of(p, mk_block(p, @$, $1, @1, $2, @2, $8), $4, $6, span_join(@5, @7)); }
    | IDENT "job" body                          { $$ = mk_block(p, @$, $1, @1, build_word(p, @2), @2, $3); }
    | "..." expr                                { $$ = mk_spread(p, @$, $2); }
    | let
    | check
    | if_item
    | "for" clauses filter_opt body             { $$ = mk_for_items(p, @$, $2, $3, $4); }
    | error SYNC                                { $$ = mk_bad(p, @1); yyerrok; }
    ;
if_item: if_chain                               { $$ = chain_first(p, $1, @$); }
       | if_chain "else" body                   { $$ = chain_end(p, $1, $3, @$); }
       ;
if_chain: "if" expr body                        { $$ = mk_if_item(p, @$, $2, $3); }
        | if_chain "else" "if" expr body        { $$ = chain_add(p, $1, mk_if_item(p, span_join(@3, @5), $4, $5)); }
        ;
check: "check" expr "else" expr code_opt        { $$ = mk_check(p, @$, false, $2, $4, $5, @5); }
     | "warn" expr "else" expr code_opt         { $$ = mk_check(p, @$, true, $2, $4, $5, @5); }
     ;
code_opt: %empty                                { $$ = (struct str){ 0 }; }
        | "as" IDENT                            { $$ = $2; @$ = @2; }
        ;
key: IDENT                                      { $$ = mk_key(p, $1, @1); }
   | soft                                       { $$ = mk_key(p, $1, @1); }
   | string                                     { $$ = mk_key_string(p, $1, @1); }
   | "(" expr ")"                               { $$ = mk_key_expr(p, $2, @$); }
   ;
soft: "import"                                  { $$ = build_word(p, @1); }
    | "as"                                      { $$ = build_word(p, @1); }
    | "param"                                   { $$ = build_word(p, @1); }
    | "fn"                                      { $$ = build_word(p, @1); }
    | "type"                                    { $$ = build_word(p, @1); }
    | "framework"                               { $$ = build_word(p, @1); }
    | "accelerator"                             { $$ = build_word(p, @1); }
    | "job"                                     { $$ = build_word(p, @1); }
    | "profile"                                 { $$ = build_word(p, @1); }
    | "test"                                    { $$ = build_word(p, @1); }
    | "policy"                                  { $$ = build_word(p, @1); }
    | "project"                                 { $$ = build_word(p, @1); }
    | "not"                                     { $$ = build_word(p, @1); }
    | "true"                                    { $$ = build_word(p, @1); }
    | "false"                                   { $$ = build_word(p, @1); }
    | "none"                                    { $$ = build_word(p, @1); }
    ;
clauses: binders "in" expr                      { $$ = clauses_add(p, NULL, $1, $3); }
       | clauses "," binders "in" expr          { $$ = clauses_add(p, $1, $3, $5); }
       ;
binders: IDENT                                  { $$ = mk_binders(p, $1, @1); }
       | IDENT "," IDENT                        { $$ = binders_add(mk_binders(p, $1, @1), $3, @3); }
       ;

expr: choice
    | choice "??" expr                          { $$ = mk_coalesce(p, @$, $1, @2, $3); }
    | if_arms "else" otherwise                  { $$ = arms_end(p, $1, $3, @$); }
    | "let" locals "in" expr                    { $$ = mk_let_in(p, @$, $2, $4); }
    | ATOM
    ;
/* The value of a name ends before `in`, so it can only contain a comparison in parentheses. */
locals: local                                   { $$ = list_one(p, $1); }
      | locals "," local                        { $$ = seq_add(p, $1, $3); }
      ;
local: IDENT type_opt "=" span                  { $$ = mk_binding(p, @$, NODE_LET, $1, @1, $2, $4); }
     | IDENT type_opt "=" ATOM                  { $$ = mk_binding(p, @$, NODE_LET, $1, @1, $2, $4); }
     ;
otherwise: choice
         | ATOM
         | choice "??" expr                     { $$ = mk_coalesce(p, @$, $1, @2, $3); }
         | "let" locals "in" expr               { $$ = mk_let_in(p, @$, $2, $4); }
         ;
if_arms: "if" expr "then" expr                  { $$ = mk_if(p, @$, $2, $4); }
       | if_arms "else" "if" expr "then" expr   { $$ = chain_add(p, $1, mk_if(p, span_join(@3, @6), $4, $6)); }
       ;
choice: conj
      | choice "or" conj                        { $$ = mk_binary(p, @$, NODE_BINARY, OP_OR, $1, @2, $3); }
      ;
conj: negation
    | conj "and" negation                       { $$ = mk_binary(p, @$, NODE_BINARY, OP_AND, $1, @2, $3); }
    ;
negation: comparison
        | "not" negation                        { $$ = mk_unary(p, @$, OP_NOT, @1, $2); }
        ;
comparison: span
          | span cmp_op span                    { $$ = mk_binary(p, @$, NODE_BINARY, $2, $1, @2, $3); }
          ;
cmp_op: "=="                                    { $$ = OP_EQ; }
      | "!="                                    { $$ = OP_NE; }
      | "<"                                     { $$ = OP_LT; }
      | "<="                                    { $$ = OP_LE; }
      | ">"                                     { $$ = OP_GT; }
      | ">="                                    { $$ = OP_GE; }
      | "in"                                    { $$ = OP_IN; }
      | "not" "in"                              { $$ = OP_NOT_IN; }
      ;
span: sum
    | sum ".." sum                              { $$ = mk_binary(p, @$, NODE_RANGE, 0, $1, @2, $3); }
    | sum ":" sum                               { $$ = mk_binary(p, @$, NODE_ELASTIC, 0, $1, @2, $3); }
    ;
sum: product
   | sum "+" product                            { $$ = mk_binary(p, @$, NODE_BINARY, OP_ADD, $1, @2, $3); }
   | sum "-" product                            { $$ = mk_binary(p, @$, NODE_BINARY, OP_SUB, $1, @2, $3); }
   ;
product: unary
       | product "*" unary                      { $$ = mk_binary(p, @$, NODE_BINARY, OP_MUL, $1, @2, $3); }
       | product "/" unary                      { $$ = mk_binary(p, @$, NODE_BINARY, OP_DIV, $1, @2, $3); }
       | product "//" unary                     { $$ = mk_binary(p, @$, NODE_BINARY, OP_FLOOR_DIV, $1, @2, $3); }
       | product "%" unary                      { $$ = mk_binary(p, @$, NODE_BINARY, OP_MOD, $1, @2, $3); }
       ;
unary: postfix
     | "-" unary                                { $$ = mk_unary(p, @$, OP_NEGATE, @1, $2); }
     ;
postfix: primary
       | postfix "." member                     { $$ = mk_member(p, @$, $1, $3, @3); }
       | postfix "(" args ")"                   { $$ = mk_call(p, @$, $1, $3, span_join(@2, @4)); }
       | postfix "[" expr "]"                   { $$ = mk_index(p, @$, $1, $3); }
       ;
member: IDENT
      | soft
      | "let"                                   { $$ = build_word(p, @1); }
      | "check"                                 { $$ = build_word(p, @1); }
      | "warn"                                  { $$ = build_word(p, @1); }
      | "if"                                    { $$ = build_word(p, @1); }
      | "for"                                   { $$ = build_word(p, @1); }
      | "else"                                  { $$ = build_word(p, @1); }
      | "then"                                  { $$ = build_word(p, @1); }
      | "in"                                    { $$ = build_word(p, @1); }
      | "and"                                   { $$ = build_word(p, @1); }
      | "or"                                    { $$ = build_word(p, @1); }
      ;
args: %empty                                    { $$ = (struct nodes){ 0 }; }
    | arg_seq comma_opt
    ;
arg_seq: arg                                    { $$ = list_one(p, $1); }
       | arg_seq "," arg                        { $$ = seq_add(p, $1, $3); }
       ;
arg: expr                                       { $$ = mk_arg(p, @$, (struct str){ 0 }, (struct span){ 0 }, $1); }
   | IDENT "=" expr                             { $$ = mk_arg(p, @$, $1, @1, $3); }
   ;
primary: IDENT                                  { $$ = mk_name(p, @$, $1); }
       | INT                                    { $$ = mk_integer(p, @$); }
       | FLOAT                                  { $$ = mk_floating(p, @$); }
       | QUANTITY                               { $$ = mk_quantity(p, @$); }
       | TOPOLOGY                               { $$ = mk_topology(p, @$); }
       | BAD                                    { $$ = mk_bad(p, @$); }
       | "true"                                 { $$ = mk_boolean(p, @$, true); }
       | "false"                                { $$ = mk_boolean(p, @$, false); }
       | "none"                                 { $$ = mk_none(p, @$); }
       | string
       | "(" expr ")"                           { $$ = $2; }
       | list
       | body
       ;
list: "[" "]"                                   { $$ = mk_list(p, @$, (struct nodes){ 0 }); }
    | "[" expr_seq comma_opt "]"                { $$ = mk_list(p, @$, $2); }
    | "[" expr "for" clauses filter_opt "]"     { $$ = mk_list_fors(p, @$, $2, $4, $5); }
    ;
expr_seq: expr                                  { $$ = list_one(p, $1); }
        | expr_seq "," expr                     { $$ = seq_add(p, $1, $3); }
        ;
filter_opt: %empty                              { $$ = NULL; }
          | "if" expr                           { $$ = $2; }
          ;
string: STRING                                  { $$ = mk_plain_string(p, @$); }
      | STR_OPEN str_parts STR_CLOSE          { $$ = mk_string(p, @$, @1, $2, @3); } ;
str_parts: %empty                               { $$ = NULL; }
         | str_parts STR_TEXT                   { $$ = parts_add(p, $1, @2, NULL); }
         | str_parts INTERP_OPEN expr INTERP_CLOSE      { $$ = parts_add(p, $1, span_join(@2, @4), $3); }
         ;

%%

static int yyreport_syntax_error(const yypcontext_t *context, struct parse *p)
{
	yysymbol_kind_t expected[YYNTOKENS];
	int n = yypcontext_expected_tokens(context, expected, YYNTOKENS);
	bool set[PARSE_KINDS] = { false };

	for (int i = 0; i < n; i++)
		set[expected[i]] = true;
	parse_complain(p, yypcontext_token(context), set);
	return 0;
}

/* This is not for syntax errors: the parser calls it when its stack is full. */
static void tj_error(struct span *at, struct parse *p, const char *why)
{
	(void)why;
	parse_too_deep(p, *at);
}
