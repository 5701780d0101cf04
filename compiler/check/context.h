/*
 * context.h - shared by the files of the checker only. Types flow both ways. type_expr() computes the type of an
 * expression; WANT, when it is not NULL, is the type of the place. WANT decides what literals mean (4 may be a cpu, "a"
 * a member of an enum) and is checked inside conditionals, lists and bodies, so that an error is reported at the
 * element that causes it. check_expr() also makes the whole expression fit the place: it reports, or sets `convert_to`.
 * An expression with an error gets TYPE_BAD, which silently fits everywhere.
 */
#ifndef TRAINC_CHECK_CONTEXT_H
#define TRAINC_CHECK_CONTEXT_H

#include "check/check.h"
#include "check/schema.h"
#include "syntax/help/foreign.h"

/* An expression that is known not to be none at this point. */
struct fact {
	const struct fact *next;
	const struct node *path;        /* the expression that the fact is about: a name, or members and elements of
					 * one */
};

enum scope_kind { SCOPE_LOCAL, SCOPE_FN, SCOPE_FRAMEWORK, SCOPE_ACCELERATOR, SCOPE_JOB, SCOPE_ROLE, SCOPE_DEFAULTS,
	SCOPE_POLICY, SCOPE_TEST };

struct scope {
	struct scope *parent;           /* the enclosing scope; NULL: the file */
	enum scope_kind kind;
	struct module *module;
	struct map names;               /* names that the scope declares -> struct decl */
	const struct fact *facts;       /* the facts that held where the scope begins */
	struct node *body;              /* the body whose lets the scope holds, for TJ0215; NULL without */
	struct decl *self;              /* SCOPE_ROLE: the declaration of the role; NULL when unknown */
	struct node *job;               /* SCOPE_JOB: the node of the job */
	enum block block;               /* kind of the block around; 0 without: for TJ0215 */
	struct map keys;                /* keys of the body's items, made on first use: for TJ0215 */
	/* were the keys made?  did an item fail to parse, so that its key is unknown? */
	bool looked, lost;
};

/* The position of the checker. It is saved and restored as a whole when something else is checked in between. */
struct where {
	struct module *module;
	struct scope *scope;            /* the scope in which names are looked up; NULL: the file */
	const struct fact *facts;
	struct decl *fn;                /* the function whose value is being checked */
	/* the declaration of a file whose value is being checked: collects the declarations that the value mentions */
	struct decl *owner;
	bool env;                       /* the expression is inside the value of an environment variable */
	bool differs;                   /* the expression is inside the value of a field in which replicas may differ */
	bool spanning;                  /* the expression is inside a place that accepts pod-time values */
};

/* How messages describe the place of a value. */
struct site {
	struct str what;                /* "an index", "the title of a test"; with `name` empty too, messages have no
					 * words for the value */
	struct str name;                /* the name of the value, which messages put in quotes */
	struct span declared;           /* the declaration that imposes the type; unknown if there is none */
	bool call;                      /* the value is an argument, for which `none` is TJ0316 */
	bool own;                       /* the value is an argument: a volume, one for each replica */
};

struct check {
	struct program *program;
	struct arena *arena;
	struct names *names;
	struct diags *diags;
	struct schema_types types;
	struct map builtins;            /* names that are known everywhere -> struct decl */
	struct map profiles;
	struct decl **early;            /* declarations whose values are needed before parameters have theirs */
	size_t nearly;
	struct decl **unnamed;          /* record types without a name; their fields are checked last */
	size_t nunnamed;
	struct where at;
	struct decl **queue;            /* library declarations that were mentioned and must be checked */
	size_t nqueue, queue_done;
	struct decl **running;          /* declarations whose types are being worked out, outermost first */
	size_t nrunning;
	struct decl **functions;        /* every fn that was checked, for TJ0406 */
	size_t nfunctions;
	unsigned folding;               /* number of lets that are being evaluated as constants, one inside the other */
	const struct site *site;        /* purpose of the value; the same for all branches of a conditional */
	bool refusal_wanted;            /* in a test of refusals: values out of their range are its subject */
	/* while a name is looked up where a text or a variable's value is expected: the expected type; else NULL */
	const struct type *text_wanted;
	const struct node *condition;   /* an expression that must be a bool */
	/* the type with which a help proposes to declare an unknown name as a parameter; NULL when unknown */
	const char *declared_as;
	bool role_wanted;               /* while a name is looked up where a role is expected */
	bool framework_wanted;          /* while a name is looked up where the framework of a job is expected */
	/* while the base of a member is looked up: the name of the member; else empty */
	struct str member_of_name;
	struct decl *bad;               /* what a name resolves to once its use was reported */
	struct { struct str self, cluster, pod, roles; } words;
};

/* The description of a site: "'replicas'", "an index"; empty when it has none. */
struct str site_words(struct check *c, const struct site *site);
extern const struct site no_site;
#define NO_SITE (&no_site)

/* ---- declarations and scopes (names.c, scope.c) ---- */

void names_declare(struct check *c, struct module *m);
struct decl *decl_new(struct check *c, enum decl_kind kind, struct str name, struct span span, struct node *node);
/* Begins a scope inside the present one; restore c->at to leave it. */
struct scope *scope_enter(struct check *c, enum scope_kind kind, struct node *body);
/*
 * Declares a name in the present scope. Reports TJ0204 for a second one, TJ0205 for one that hides another, TJ1003 for
 * a hidden built-in.
 */
void scope_declare(struct check *c, struct decl *d);
/* As scope_declare(), without checking whether the name hides another one (role names of a job). */
void scope_declare_role(struct check *c, struct decl *d);
/* Declares the lets that are directly in a body. */
void scope_lets(struct check *c, struct node *body);
/* The declaration of a name here, which is marked as used. NULL after a report. */
struct decl *scope_find(struct check *c, struct str name, struct span at);
/* As scope_find(), without a report and without marking it as used. */
struct decl *scope_peek(struct check *c, struct str name);
bool scope_resembles(struct check *c, struct str name);         /* Is it probably a misspelling of a known name? */
/* Is the name unlike every name that is known here or in the library? */
bool scope_unheard(struct check *c, struct str name);
/* Is the checker within a scope of this kind? */
struct scope *scope_around(const struct check *c, enum scope_kind kind);
/* Is the checker in the user's own files (not in the library or a package)? */
bool in_own_file(const struct check *c);
/* Notes a mention of a declaration: marks it as used and makes sure that it is checked. */
void decl_use(struct check *c, struct decl *d);
/* Reports TJ1008 when the doc comment of a declaration says `Deprecated: ...`; N is the place of the mention. */
void report_deprecated(struct check *c, const struct node *n, const struct decl *d);
/* The type of a declaration (and its formals, fields, roles), computed on first use. */
const struct type *decl_type(struct check *c, struct decl *d);
/*
 * Computes the type of a `let` inside of an expression, with the facts and scopes of this place.
 */
void decl_type_here(struct check *c, struct decl *d);
/* A member of an imported module; NULL after a report. ACCELERATOR: one is expected here (TJ0601). */
struct decl *module_member(struct check *c, struct module *m, struct str name, struct span at, bool accelerator);
/* The type of the value whose member is looked up. */
const struct type *type_base(struct check *c, struct node *base, struct str member);
/* The module that the base of a member names; NULL when the base is something else. */
struct module *module_base(struct check *c, struct node *base);
/*
 * Reports `lib.small-40g(1)`: a subtraction that spells a name of the module with '-' instead of '_'. True if it did.
 */
bool report_parted_name(struct check *c, const struct node *difference);

/* ---- types (check_type.c, refine.c) ---- */

const struct type *resolve_type(struct check *c, struct node *ref);
/* A constant, as fold_constant() returns it. That function returns false for an expression that is not constant. */
struct constant {
	enum type_kind kind;            /* kind of the operand: INT, FLOAT, STRING, CPU (a quantity of any kind),
					 * DURATION or BOOL */
	int64_t integer;
	double floating;
	struct quantity quantity;
	struct str text;
};
bool fold_constant(struct check *c, const struct node *n, struct constant *ret);

/* ---- expressions ---- */

const struct type *type_expr(struct check *c, struct node *n, const struct type *want);
const struct type *check_expr(struct check *c, struct node *n, const struct type *want, const struct site *site);
/* Reports `image = registry.example.com/team/x:1`: a text without quotes, which parses as arithmetic on names. */
/* Adds a help with both readings of a NUMBER of decimal bytes, 64Gi and 64G; MORE ends the sentence. */
void help_bytes(struct check *c, struct diag *d, struct str number, const char *unit, const char *more);
/* Adds to the help of D the roles that can be named here, if there are any. */
void help_roles(struct check *c, struct diag *d);
bool text_without_quotes(struct check *c, const struct node *n, const struct type *want);
bool report_bare_elements(struct check *c, struct node *n, const struct type *want);
/* As type_expr(), for a place that messages describe; the branches of a conditional may need the description. */
const struct type *type_for(struct check *c, struct node *n, const struct type *want, const struct site *site);
/*
 * Checks an expression whose expected type is unknown because of another mistake: anything fits, but names are
 * looked up.
 */
const struct type *type_loose(struct check *c, struct node *n);
/* Checks an expression where no type is expected; reports an expression that needs one (TJ0310). */
const struct type *check_free(struct check *c, struct node *n);
/*
 * Checks a condition (TJ0317); WHAT is "if", "check", ... A condition that depends on the pod is refused unless it is
 * allowed. True when it depends on the pod.
 */
bool check_condition(struct check *c, struct node *n, const char *what, bool pod_allowed);
/* Checks a condition, as check_condition() does, whose type is known already. */
bool judge_condition(struct check *c, struct node *n, const char *what, bool pod_allowed);
/* Checks an expression that is inserted in a string; sets *RET_POD if it depends on the pod. */
void check_part(struct check *c, struct node *n, bool *ret_pod);

const struct type *type_quantity(struct check *c, struct node *n, const struct type *want);
/* Checks a bare number where a quantity is wanted: reports it, or accepts it (cpu). */
const struct type *number_as_quantity(struct check *c, struct node *n, const struct type *want,
	const struct site *site);
const struct type *type_unary(struct check *c, struct node *n, const struct type *want);
const struct type *type_binary(struct check *c, struct node *n, const struct type *want);
const struct type *type_member(struct check *c, struct node *n, const struct type *want);
/* The type of the value of a declaration, at N; functions and other declarations without a value are reported. */
const struct type *type_of_decl(struct check *c, struct node *n, struct decl *d);
/* Applies the expected type T to an expression that was typed before T was known. */
void retype_expr(struct check *c, struct node *n, const struct type *t);
const struct type *type_index(struct check *c, struct node *n);
const struct type *type_call(struct check *c, struct node *n, const struct type *want);
const struct type *type_builtin_call(struct check *c, struct node *n, struct decl *f, const struct type *want);
const struct type *type_body(struct check *c, struct node *n, const struct type *want);
/* Checks a body that only extends a record: missing fields are allowed. */
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

/* ---- fitting (fit.c) ---- */

enum fit { FIT_OK, FIT_POD, FIT_OPTIONAL, FIT_SECRET, FIT_NO };
enum fit type_fit(const struct type *want, const struct type *t);
/* Makes the typed expression fit; returns its type, or TYPE_BAD after a report. */
const struct type *type_coerce(struct check *c, struct node *n, const struct type *want, const struct site *site);
/* The type that includes both; NULL when there is none. */
const struct type *type_unify(struct check *c, const struct type *a, const struct type *b);
bool has_pod(const struct type *t);
/* The type in which every part may depend on the pod: list[pod[string]] for list[string]. */
const struct type *pod_inside(struct check *c, const struct type *t);
/* T, inside pod[] when POD. */
const struct type *type_lifted(struct check *c, const struct type *t, bool pod);
bool is_number_literal(const struct node *n);
/* Describes what was found, for messages: "the string "4"", "an int". */
struct str found_words(struct check *c, const struct node *n);
void report_mismatch(struct check *c, struct node *n, const struct type *want, const struct site *site);
const struct type *report_pod(struct check *c, struct node *n, const struct type *want, const struct site *site);
const struct type *report_optional(struct check *c, struct node *n);
/* Reports a secret at a place where its files are needed. */
const struct type *report_secret_mount(struct check *c, struct node *n, const struct site *site);
const struct type *report_secret(struct check *c, struct node *n);
const struct type *report_unit(struct check *c, struct node *n);
/*
 * The type of an amount at a place that does not decide it, if nothing depends on it; NULL for 5m, which has several
 * readings.
 */
const struct type *obvious_unit(struct check *c, const struct node *n);
/*
 * Reports an amount whose kind is unclear, in an entry of a record without a type; the function below does so for the
 * value of a let. The help can contain the name.
 */
const struct type *report_member_unit(struct check *c, struct str name, struct node *n);
const struct type *report_let_unit(struct check *c, struct decl *d, struct str words);
const struct type *mark_bad(struct node *n);
/* Reports `module.device[8]` or `module.device:8` when BASE is an accelerator; true if it did. */
bool report_uncalled_accelerator(struct check *c, struct node *n, const struct node *base, const struct node *count);
/*
 * The largest topology of at most CHIPS chips in the documentation of DEVICE, with its chips in RET_CHIPS; empty when
 * there is none.
 */
struct str topology_example(const struct decl *device, long long chips, long long *ret_chips);
/*
 * Adds a help when an accelerator of the module is needed: for the module itself, or for a name that it does not have.
 */
void advise_device(struct check *c, struct diag *d, const struct module *m);
/* The value that a body sets for a key; NULL when there is none, or when the node is not a body. */
const struct node *body_member(const struct node *body, const char *key);
/*
 * `{ valueFrom { secretKeyRef { ... } } }` as `secret("name", "key")`, or at least in that form; empty for anything
 * else.
 */
struct str env_reference(struct check *c, const struct node *n, bool *ret_certain);
/* Adds a help for a record instead of a variable's value; false when there is none to give. */
bool advise_env(struct check *c, struct diag *d, const struct node *n);
/* Reports `x.upper()` on a text or a list, for which there is a function; true if it did. */
bool report_text_method(struct check *c, struct node *call, const struct type *t);
/* Adds a help for `"a-%s" % x`; false when FORMAT and VALUE do not match. */
bool help_percent(struct check *c, struct diag *d, const struct node *format, struct node *value, struct span whole);
/* Reports `format("a-%s", x)`, when nothing has that name and the text fits its values; true if it did. */
bool report_format_call(struct check *c, const struct node *call);
/* Reports pow, zip or enumerate, when nothing has that name; true if it did. */
bool report_foreign_call(struct check *c, const struct node *call);
/* Reports `all(worker)` or `running(worker)` instead of a condition; true if it did. */
bool report_condition_call(struct check *c, const struct node *call, const struct type *want);
/* Reports `elastic(2, 4)` as replicas, when nothing has that name; true if it did. */
bool report_elastic_call(struct check *c, struct node *n, const struct type *want, const struct site *site);
/* Reports TJ0312: a text that the enum does not have. */
void report_enum(struct check *c, const struct node *n, const struct type *t, struct str text, const struct site *site);
/* Adds a help on what to write instead, if that is clear (advice.c). WANT must be without pod[] and `?`. */
void advise_instead(struct check *c, struct diag *d, const struct node *n, const struct type *want,
	const struct site *site);
/*
 * Reports TJ0318 for a call whose first argument is a plain text and whose second is not, although the function wants
 * the reverse. True if it did.
 */
bool report_swapped(struct check *c, const struct node *call);
/* Adds a help to a message about FIELD, which needs a record of the declared type TYPE and got an anonymous record. */
void advise_record(struct check *c, struct diag *d, struct str field, struct str type);
/* The text of an expression, shortened for a message. */
struct str node_words(struct check *c, const struct node *n);

/* ---- facts (narrow.c) ---- */

void assume_condition(struct check *c, const struct node *condition, bool truth);
bool known_present(const struct check *c, const struct node *n);

/* ---- bodies (check_items.c, check_block.c, check_job.c, check_decl.c) ---- */

/* The callbacks for the entries of a kind of body. */
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
	bool conditional, looping;      /* the items are inside an `if` or `for`; they are inside a `for` */
	bool failed;                    /* an item that is not allowed in this body was reported */
};
/* Visits the items of a body in a new scope. */
void visit_body(struct items *to, struct node *body, enum scope_kind kind);
void visit_items(struct items *to, struct node *body);
void check_check(struct check *c, struct node *n);
/* Checks a body with known fields. */
void check_block(struct check *c, struct node *body, enum block block, struct decl *framework_role);
/* Checks such a body without a scope of its own: that of a job, framework or accelerator. */
void check_open_block(struct check *c, struct node *body, enum block block);
/* Reports a misspelt word of a block (TJ0202), and corrects it if it is clear what was meant. */
void check_block_word(struct check *c, struct node *item, enum block block);
/*
 * Reports an item of a job or framework that would be a block if its word or its name were not
 * missing (check_shape.c).  Returns the block that it should be, or a NODE_BAD where that is
 * uncertain.  Any other item is returned unchanged. `body` is the whole job's or framework's.
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
/* Reports literals outside the bounds of a parameter's type, whether the value is used or not (TJ0311). */
void check_bounds(struct check *c, struct node *value, const struct type *t, const struct decl *param);
/* Checks the values that an import gives to parameters of its module (check_import.c). */
void check_import(struct check *c, struct node *n);
/* Reports parameters of modules that have no value (TJ0401); to be called after all imports. */
void check_module_params(struct check *c);
/* Notes that the declaration which is being checked reads D. */
void mention_decl(struct check *c, struct decl *d, struct span at);
/* Checks defaults and profiles that read parameters; to be called after everything else. */
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
/* Did an item of the body fail to parse, or was one dropped after a report? */
bool body_is_broken(const struct node *body);
/* Does the body set the key, whatever its conditions say? */
bool body_sets(const struct node *body, struct str key, bool *ret_maybe);
/* Adds a suggestion to the report of an unknown name: "did you mean", or the existing names. */
struct suggest;
/*
 * May an unknown name be reported? Each is reported once in a file. When a declaration failed to parse, only a name
 * that is near another one is reported: any other may be declared there.
 */
bool may_report_unknown(struct check *c, struct module *m, struct str name, const struct suggest *s);
void help_suggest(struct check *c, struct diag *d, const struct suggest *s, const char *verb, struct span at);

#endif
