/*
 * context.h - declarations that only the files of the checker share.
 *
 * Types flow both ways. type_expr() computes the type of an expression; WANT, when it is not NULL, is the type that the
 * context expects. WANT decides what literals mean (4 may be a cpu, "a" a member of an enum) and is checked inside
 * conditionals, lists and bodies, so that an error is reported at the element that causes it. check_expr() also makes
 * the whole expression fit WANT: it reports, or sets `convert_to`. An expression with an error gets TYPE_BAD, which
 * silently fits everywhere.
 */
#ifndef TRAINC_CHECK_CONTEXT_H
#define TRAINC_CHECK_CONTEXT_H

#include "check/check.h"
#include "check/check_schema.h"
#include "syntax/help/foreign.h"

/* An expression that is known not to be none at this point. */
struct fact {
	const struct fact *next;
	const struct node *path;        /* the expression that the fact is about: a name, or a path of members and
					 * elements that starts at a name */
};

enum scope_kind { SCOPE_LOCAL, SCOPE_FN, SCOPE_FRAMEWORK, SCOPE_ACCELERATOR, SCOPE_JOB, SCOPE_ROLE, SCOPE_DEFAULTS,
	SCOPE_POLICY, SCOPE_TEST };

struct scope {
	struct scope *parent;           /* the enclosing scope; NULL: the file */
	enum scope_kind kind;
	struct module *module;
	struct map names;               /* names that the scope declares -> struct decl */
	const struct fact *facts;       /* the facts that held where the scope begins */
	struct node *body;              /* the body whose lets the scope declares, for TJ0215; NULL if the scope
					 * declares no lets of a body */
	struct decl *self;              /* SCOPE_ROLE: the declaration of the role; NULL when unknown */
	struct node *job;               /* SCOPE_JOB: the node of the job */
	enum block block;               /* kind of the enclosing block, for TJ0215; 0 if no block encloses the scope */
	struct map keys;                /* keys of the body's items, collected on first use, for TJ0215 */
	/* `looked`: the keys were collected; `lost`: an item failed to parse, so that its key is unknown */
	bool looked, lost;
};

/*
 * What the checker is currently checking. It is saved and restored as a whole when something else is checked in
 * between.
 */
struct where {
	struct module *module;
	struct scope *scope;            /* the scope in which names are looked up; NULL: the file */
	const struct fact *facts;
	struct decl *fn;                /* the function whose value is being checked */
	/* the declaration of a file whose value is being checked: its mentions of other declarations are recorded */
	struct decl *owner;
	bool env;                       /* the expression is inside the value of an environment variable */
	bool node;                      /* the expression is inside of the field `node` */
	bool differs;                   /* the expression is inside the value of a field that may differ between
					 * replicas */
	bool spanning;                  /* pod-time values are accepted here */
};

/* How messages describe the field, argument or other position that a value is for. */
struct site {
	struct str what;                /* "an index", "the title of a test"; if `name` is empty as well, messages do
					 * not name the value */
	struct str name;                /* the name of the value, which messages put in quotes */
	struct str result_of;           /* the name of the function whose result the value is */
	struct span declared;           /* the declaration that imposes the type; unknown if no declaration does */
	bool call;                      /* the value is an argument, for which `none` is TJ0316 */
	bool own;                       /* the value is an argument of a function that makes one volume for each replica
					 */
};

struct check {
	struct program *program;
	struct arena *arena;
	struct names *names;
	struct diags *diags;
	struct schema_types types;
	struct map builtins;            /* names that are known everywhere -> struct decl */
	struct map profiles;
	struct decl **early;            /* declarations whose values are evaluated before parameters have values */
	size_t nearly;
	struct decl **unnamed;          /* record types without a name; their fields are checked last */
	size_t nunnamed;
	struct where at;
	struct decl **queue;            /* library declarations that were mentioned and must be checked */
	size_t nqueue, queue_done;
	struct decl **running;          /* declarations whose types are being computed, outermost first */
	size_t nrunning;
	struct decl **functions;        /* every fn that was checked, for TJ0406 */
	size_t nfunctions;
	unsigned folding;               /* number of nested lets that are being evaluated as constants */
	const struct site *site;        /* describes what the value is for; the same for all branches of a conditional
					 */
	bool refusal_wanted;            /* inside a test of refusals, whose purpose may be values out of range, so these
					 * are not reported */
	/*
	 * while a name is looked up where a text or a variable's value is expected: the expected type; otherwise NULL
	 */
	const struct type *text_wanted;
	const struct node *condition;   /* an expression that must be a bool */
	/*
	 * when help proposes to declare an unknown name as a parameter: the type of that parameter; NULL when unknown
	 */
	const char *declared_as;
	bool role_wanted;               /* while a name is looked up where a role is expected */
	bool framework_wanted;          /* while a name is looked up where the framework of a job is expected */
	/* while the base of a member is looked up: the name of the member; otherwise empty */
	struct str member_of_name;
	const struct node *member_base; /* the expression whose member is being checked */
	struct decl *bad;               /* the declaration to which a name resolves after an error about it was reported
					 */
	struct { struct str self, cluster, pod, roles; } words;
};

/* The description of a site: "'replicas'", "an index"; empty if the site has no description. */
struct str site_words(struct check *c, const struct site *site);
extern const struct site no_site;
#define NO_SITE (&no_site)

/* ---- declarations and scopes (check_names.c, scope.c) ---- */

/* Declares the names of the module's declarations, from number FIRST on. */
void names_declare(struct check *c, struct module *m, size_t first);
struct decl *decl_new(struct check *c, enum decl_kind kind, struct str name, struct span span, struct node *node);
/* Enters a new scope inside the current one; restore c->at to leave it. */
struct scope *scope_enter(struct check *c, enum scope_kind kind, struct node *body);
/*
 * Declares a name in the current scope. Reports TJ0204 for a name that the scope already has, TJ0205 for one that hides
 * another, TJ1003 for a hidden built-in.
 */
void scope_declare(struct check *c, struct decl *d);
/* Like scope_declare(), but without checking whether the name hides another one (role names of a job). */
void scope_declare_role(struct check *c, struct decl *d);
/* Declares the lets that are directly in a body. */
void scope_lets(struct check *c, struct node *body);
/* Looks up a name from the current scope and marks its declaration as used. NULL after a report. */
struct decl *scope_find(struct check *c, struct str name, struct span at);
/* Like scope_find(), but reports nothing and does not mark the declaration as used. */
struct decl *scope_peek(struct check *c, struct str name);
/* The word of the language for a word of others, such as true for "yes"; NULL if it is none. */
const char *word_elsewhere(struct str name);
bool scope_resembles(struct check *c, struct str name);         /* Is it probably a misspelling of a known name? */
/* Is the name unlike every name that is visible here or in the library? */
bool scope_unheard(struct check *c, struct str name);
/* The innermost enclosing scope of this kind; NULL if no enclosing scope is of this kind. */
struct scope *scope_around(const struct check *c, enum scope_kind kind);
/* The cell in whose body names are looked up; NULL outside of cells. */
const struct decl *cell_around(struct check *c);
/* Adds help for the role at AT of the cell CELL, as server.worker, without a copy; REST is the text after the cell. */
void help_which_copy(struct check *c, struct diag *d, struct span at, struct str cell, struct str rest);
/* Adds help if a job among DECLS has a cell called NAME, or one whose role has that name. */
bool help_cells_in_test(struct check *c, struct diag *d, struct nodes decls, struct str name);
/* Does the text before AT, without trailing blanks, end in END? */
bool stands_after(struct check *c, struct span at, const char *end);
/* Is the checker in the user's own files (not in the library or a package)? */
bool in_own_file(const struct check *c);
/* Notes a mention of a declaration: marks it as used and makes sure that it is checked. */
void decl_use(struct check *c, struct decl *d);
/* Reports TJ1008 when the doc comment of a declaration says `Deprecated: ...`; N is the node that mentions it. */
void report_deprecated(struct check *c, const struct node *n, const struct decl *d);
/* The type of a declaration (and its formals, fields, roles), computed on first use. */
const struct type *decl_type(struct check *c, struct decl *d);
/* Computes the type of a `let` inside an expression, with the scopes and facts at this point. */
void decl_type_here(struct check *c, struct decl *d);
/* A member of an imported module; NULL after a report. ACCELERATOR: an accelerator is expected here (TJ0601). */
struct decl *module_member(struct check *c, struct module *m, struct str name, struct span at, bool accelerator);
/* The type of BASE in the expression BASE.MEMBER. */
const struct type *type_base(struct check *c, struct node *base, struct str member);
/* The module that the base of a member names; NULL when the base is something else. */
struct module *module_base(struct check *c, struct node *base);
/*
 * Reports `lib.small-40g(1)`, where a name of the module is written with '-' instead of '_' and parses as a
 * subtraction. True if it did.
 */
bool report_parted_name(struct check *c, const struct node *difference);

/* ---- types (check_type.c, refine.c) ---- */

const struct type *resolve_type(struct check *c, struct node *ref);
/* The value of a constant expression. fold_constant() returns false if the expression is not constant. */
struct constant {
	enum type_kind kind;            /* kind of the value: INT, FLOAT, STRING, CPU (a quantity of any kind), DURATION
					 * or BOOL */
	int64_t integer;
	double floating;
	struct quantity quantity;
	struct str text;
};
bool fold_constant(struct check *c, const struct node *n, struct constant *ret);

/* ---- expressions ---- */

const struct type *type_expr(struct check *c, struct node *n, const struct type *want);
const struct type *check_expr(struct check *c, struct node *n, const struct type *want, const struct site *site);
/* Adds help that offers both readings (64Gi and 64G) of an amount such as 64GB; MORE is appended to the sentence. */
void help_bytes(struct check *c, struct diag *d, struct str number, const char *unit, const char *more);
/* Adds to the help of D the roles that can be named here, if there are any. */
void help_roles(struct check *c, struct diag *d);
/* Is N a text without quotes, such as registry.example.com/team/x:1, which parses as arithmetic on names? */
bool text_without_quotes(struct check *c, const struct node *n, const struct type *want);
bool report_bare_elements(struct check *c, struct node *n, const struct type *want);
/* Like type_expr(), but SITE describes in messages what the value is for, also for the branches of a conditional. */
const struct type *type_for(struct check *c, struct node *n, const struct type *want, const struct site *site);
/*
 * Checks an expression whose expected type is unknown because of another mistake: anything fits, but names are
 * looked up.
 */
const struct type *type_loose(struct check *c, struct node *n);
/* Checks an expression where no type is expected; reports an expression whose type is unclear without one (TJ0310). */
const struct type *check_free(struct check *c, struct node *n);
/*
 * Checks a condition (TJ0317); WHAT is "if", "check", ... A condition that depends on the pod is reported unless
 * POD_ALLOWED. Returns true when the condition depends on the pod.
 */
bool check_condition(struct check *c, struct node *n, const char *what, bool pod_allowed);
/* Like check_condition(), for a condition whose type was already computed. */
bool judge_condition(struct check *c, struct node *n, const char *what, bool pod_allowed);
/* Checks an expression that is inserted in a string; sets *RET_POD if it depends on the pod. */
void check_part(struct check *c, struct node *n, bool *ret_pod);

const struct type *type_quantity(struct check *c, struct node *n, const struct type *want);
/* Checks a bare number where a quantity is wanted: accepts it as a cpu, otherwise reports it. */
const struct type *number_as_quantity(struct check *c, struct node *n, const struct type *want,
	const struct site *site);
const struct type *type_unary(struct check *c, struct node *n, const struct type *want);
const struct type *type_binary(struct check *c, struct node *n, const struct type *want);
const struct type *type_member(struct check *c, struct node *n, const struct type *want);
/* The type of the value of D, which N names; reports functions and other declarations without a value. */
const struct type *type_of_decl(struct check *c, struct node *n, struct decl *d);
/* Applies the expected type T to an expression that was typed before T was known. */
void retype_expr(struct check *c, struct node *n, const struct type *t);
/* Is N a role of a copy of a cell, as server[3].worker? */
bool is_role_of_copy(const struct node *n);
/*
 * Reports N, which needs the number of a copy (TJ0541): ROLE in it is a role of a cell without one. WHOLE is what the
 * help repeats.
 */
const struct type *report_which_copy(struct check *c, struct node *n, const struct node *role, struct span whole);
const struct type *type_index(struct check *c, struct node *n);
const struct type *type_call(struct check *c, struct node *n, const struct type *want);
const struct type *type_builtin_call(struct check *c, struct node *n, struct decl *f, const struct type *want);
const struct type *type_body(struct check *c, struct node *n, const struct type *want);
/* Checks a body that extends a record, where fields may be missing. */
const struct type *type_extension(struct check *c, struct node *n, const struct type *want);
const struct type *type_record_body(struct check *c, struct node *n, const struct type *record, bool partial);
/* Checks the body of `key { }` inside a literal, which has nothing to extend. */
const struct type *check_extend_value(struct check *c, struct node *value, const struct type *want);
/* Checks the loop variables of a list; false after a report when the value cannot be looped over. */
bool check_binders(struct check *c, struct binder *binders, unsigned n, struct node *list);

/*
 * Binds arguments to formals and fills `bound`. Sets *RET_LIFT when a formal that does not depend on the pod got a
 * value that does.
 */
bool bind_arguments(struct check *c, struct decl *target, struct nodes args, struct span args_span, struct span callee,
	struct node **bound, bool *ret_lift);

/* ---- fitting (check_fit.c) ---- */

enum fit { FIT_OK, FIT_POD, FIT_OPTIONAL, FIT_SECRET, FIT_NO };
enum fit type_fit(const struct type *want, const struct type *t);
/* Makes the expression, whose type is known, fit WANT; returns its type, or TYPE_BAD after a report. */
const struct type *type_coerce(struct check *c, struct node *n, const struct type *want, const struct site *site);
/* The type to which values of both types convert; NULL if no type fits both. */
const struct type *type_unify(struct check *c, const struct type *a, const struct type *b);
bool has_pod(const struct type *t);
/* The type in which every part may depend on the pod: list[pod[string]] for list[string]. */
const struct type *pod_inside(struct check *c, const struct type *t);
/* pod[T] if POD, otherwise T. */
const struct type *type_lifted(struct check *c, const struct type *t, bool pod);
bool is_number_literal(const struct node *n);
/* Describes an expression for messages: "the string "4"", "an int". */
struct str found_words(struct check *c, const struct node *n);
void report_mismatch(struct check *c, struct node *n, const struct type *want, const struct site *site);
const struct type *report_pod(struct check *c, struct node *n, const struct type *want, const struct site *site);
const struct type *report_optional(struct check *c, struct node *n);
/* Reports a secret where files of a secret are needed. */
const struct type *report_secret_mount(struct check *c, struct node *n, const struct site *site);
const struct type *report_secret(struct check *c, struct node *n);
const struct type *report_unit(struct check *c, struct node *n);
/* The type of an amount where no type is expected, if its unit decides it; NULL for 5m, which has several readings. */
const struct type *obvious_unit(struct check *c, const struct node *n);
/*
 * Reports an amount whose kind is unclear, in an entry of a record without a type; the function below does so for the
 * value of a let. Both know the name, so that help can show it.
 */
const struct type *report_member_unit(struct check *c, struct str name, struct node *n);
const struct type *report_let_unit(struct check *c, struct decl *d, struct str words);
const struct type *mark_bad(struct node *n);
/* Reports `module.device[8]` or `module.device:8` when BASE is an accelerator; true if it did. */
bool report_uncalled_accelerator(struct check *c, struct node *n, const struct node *base, const struct node *count);
/*
 * The largest topology of at most CHIPS chips in the documentation of DEVICE, with its chips in RET_CHIPS; empty if the
 * documentation lists no such topology.
 */
struct str topology_example(const struct decl *device, long long chips, long long *ret_chips);
/*
 * Adds help when an accelerator of the module is needed: the module itself was named (NAME is empty), or NAME, which it
 * does not have.
 */
void advise_device(struct check *c, struct diag *d, const struct module *m, struct str name);
/* The name under which "trainc explain" knows a module of the library: x for std.x; empty for other modules. */
struct str module_topic(const struct module *m);
/* The value that a body sets for a key; NULL if the body does not set the key, or if the node is not a body. */
const struct node *body_member(const struct node *body, const char *key);
/* The name of a port that a body around the place declares with that number; empty if none does. */
struct str probe_port(const struct check *c, const struct node *number);
/* Reports a probe that is written as Kubernetes writes it, with the call to write instead; false if BODY has none. */
bool probe_report(struct check *c, struct node *body);
/*
 * `{ valueFrom { secretKeyRef { ... } } }` as `secret("name", "key")`, or with placeholders and *RET_CERTAIN false if
 * names are missing; empty for anything else.
 */
struct str env_reference(struct check *c, const struct node *n, bool *ret_certain);
/*
 * Adds help to D about `env_from`: N is in the place of one of its objects, or is one in another place (WANT may be
 * NULL). Returns false if N has nothing to do with it.
 */
bool advise_source(struct check *c, struct diag *d, const struct node *n, const struct type *want);
/* The call for KEY = VALUE of a manifest's `envFrom`, such as secret_env("aws"); empty if it is none. */
struct str source_of_manifest(struct check *c, const struct node *value, struct str key);
/* Adds help to D if a record was written as the value of a variable; returns false if it added no help. */
bool advise_env(struct check *c, struct diag *d, const struct node *n);
/* Reports `x.upper()` on a text or a list, for which there is a function; true if it did. */
bool report_text_method(struct check *c, struct node *call, const struct type *t);
/* Adds help for `"a-%s" % x`; false when FORMAT and VALUE do not match. */
bool help_percent(struct check *c, struct diag *d, const struct node *format, struct node *value, struct span whole);
/*
 * Reports `format("a-%s", x)`, if no declaration has that name and the text has as many marks as values; true if it
 * did.
 */
bool report_format_call(struct check *c, const struct node *call);
/* Reports pow, zip or enumerate, if no declaration has that name; true if it did. */
bool report_foreign_call(struct check *c, const struct node *call);
/* Reports `all(worker)` or `running(worker)` instead of a condition; true if it did. */
bool report_condition_call(struct check *c, const struct node *call, const struct type *want);
/* Reports `elastic(2, 4)` as replicas, if no declaration has that name; true if it did. */
bool report_elastic_call(struct check *c, struct node *n, const struct type *want, const struct site *site);
/* Reports TJ0312: a text that the enum does not have. */
void report_enum(struct check *c, const struct node *n, const struct type *t, struct str text, const struct site *site);
/* Adds help for an accelerator of the library whose MODULE is not imported; CALL is "a100_40g(8)". */
void help_import_device(struct check *c, struct diag *d, struct str module, struct str call);
/* Adds help on what to write instead, if that is clear (check_advice.c). WANT must be without pod[] and `?`. */
void advise_instead(struct check *c, struct diag *d, const struct node *n, const struct type *want,
	const struct site *site);
/*
 * Reports TJ0318 for a call whose first argument is a plain text and whose second is not, although the function wants
 * the reverse. True if it did.
 */
bool report_swapped(struct check *c, const struct node *call);
/* Adds help to a message about FIELD, which needs a record of the declared type TYPE and got an anonymous record. */
void advise_record(struct check *c, struct diag *d, struct str field, struct str type);
/* The text of an expression, shortened for a message. */
struct str node_words(struct check *c, const struct node *n);
/*
 * The expression that joins the elements of the list WORDS, whose type is LIST, to one text; empty if they have no
 * text.
 */
struct str words_joined(struct check *c, struct str words, const struct type *list);

/* ---- facts (narrow.c) ---- */

void assume_condition(struct check *c, const struct node *condition, bool truth);
bool known_present(const struct check *c, const struct node *n);

/* ---- bodies (check_items.c, check_block.c, check_job.c, check_decl.c) ---- */

/* The callbacks and properties with which visit_items() checks one kind of body. */
struct items {
	struct check *check;
	void (*set)(struct items *to, struct node *item);       /* visits an item of kind SET or EXTEND */
	void (*field)(struct items *to, struct node *item);     /* visits a typed field; NULL: the parser reported
								 * TJ0111, and it is ignored here */
	void (*block)(struct items *to, struct node *item);     /* visits a block; NULL: the body may not hold blocks */
	void (*spread)(struct items *to, struct node *item);
	bool checks;                    /* the body may hold `check` and `warn` */
	bool pod_keys;
	bool adds;                      /* the keys are fields, so += may add to their lists */
	bool fixed;                     /* the body is read before anything is evaluated: no if, for or insertion */
	const char *what;               /* what messages call the body: "a record" */
	bool conditional, looping;      /* `conditional`: the items are inside an `if` or `for`; `looping`: they are
					 * inside a `for` */
	bool failed;                    /* an item that is not allowed in this body was reported */
};
/* Visits the items of a body in a new scope. */
void visit_body(struct items *to, struct node *body, enum scope_kind kind);
/* Reports keys that two extensions of one field in BODY set. The evaluator does so in all bodies that it reads. */
void test_extensions(struct check *c, const struct node *body);
void visit_items(struct items *to, struct node *body);
/* Reports and removes a block that the body may not hold. */
void report_misplaced_block(struct items *to, struct node *item);
void check_check(struct check *c, struct node *n);
/* Checks the body of a block, whose fields are known, in a new scope. */
void check_block(struct check *c, struct node *body, enum block block, struct decl *framework_role);
/* Like check_block(), but in the current scope: for the body of a job, framework or accelerator. */
void check_open_block(struct check *c, struct node *body, enum block block);
/* Reports a misspelt block keyword (TJ0202), and corrects it if it is clear what was meant. */
void check_block_word(struct check *c, struct node *item, enum block block);
/*
 * Reports an item of a job or framework that lacks its block keyword or its name (check_shape.c). Returns the block
 * that was meant, or a NODE_BAD if that is uncertain. Returns any other item unchanged. BODY is that of the whole job
 * or framework.
 */
struct node *check_block_shape(struct check *c, struct node *item, enum block block, const struct decl *framework,
	const struct node *body);
/*
 * Reports `sidecar { }`, without a name. LIKELY is the name that it may have, or empty; when CERTAIN, the block gets
 * it.
 */
struct node *check_unnamed_block(struct check *c, const struct node *item, struct str likely, bool certain);
/* Checks a raw Kubernetes body, in which nothing may depend on the pod. */
void check_data(struct check *c, struct node *body);
void check_decl(struct check *c, struct decl *d);
/* Reports literals outside the bounds of a parameter's type, even if the value is never used (TJ0311). */
void check_bounds(struct check *c, struct node *value, const struct type *t, const struct decl *param);
/* Checks the values that an import gives to parameters of its module (check_import.c). */
void check_import(struct check *c, struct node *n);
/* Reports parameters of modules that have no value (TJ0401); call it after all imports were checked. */
void check_module_params(struct check *c);
/* Records that the declaration which is being checked mentions D. */
void mention_decl(struct check *c, struct decl *d, struct span at);
/* Reports defaults and profiles that read parameters; call it after everything else was checked. */
void check_early(struct check *c);
/* Finds the roles of a framework, and the framework that it wraps. */
void framework_roles(struct check *c, struct decl *d);
/* The framework that a job or another framework names at N; NULL after a report. */
struct decl *find_framework(struct check *c, struct node *n);
/* Does a body contain the text `other_roles = true`? */
bool takes_other_roles(const struct node *body);
struct decl *framework_role(const struct decl *framework, struct str name);
void check_job(struct check *c, struct node *n);
void check_profile(struct check *c, struct node *n);
void check_test(struct check *c, struct node *n);
void check_policy(struct check *c, struct node *n);
void check_project(struct check *c, struct node *n);
/* Did an item of the body fail to parse, or was one removed after an error? */
bool body_is_broken(const struct node *body);
/* Does the body set the key whatever its conditions are? *RET_MAYBE: it may set the key. */
bool body_sets(const struct node *body, struct str key, bool *ret_maybe);
struct suggest;
/*
 * May an unknown name be reported? Each is reported once in a file. If a declaration failed to parse, only misspellings
 * of known names are reported, because that declaration may have declared any other name.
 */
bool may_report_unknown(struct check *c, struct module *m, struct str name, const struct suggest *s);
/* Adds a suggestion to the report of an unknown name: "did you mean", or the existing names. */
void help_suggest(struct check *c, struct diag *d, const struct suggest *s, const char *verb, struct span at);

#endif
