/*
 * eval.h - evaluates expressions to values. Runs after check_program() and relies on the types in the tree. Every
 * parameter, let and (role, field) is a slot: evaluated at most once, on demand. Needing a slot that is being evaluated
 * is a cycle (TJ0405). Evaluation never fails: what cannot be computed is reported and becomes VALUE_BAD.
 */
#ifndef TRAINC_EVAL_EVAL_H
#define TRAINC_EVAL_EVAL_H

#include "check/check.h"
#include "check/check_schema.h"
#include "eval/value.h"

/* A value that the condition of a check read. If the check fails, it is reported at one of these values. */
struct read {
	/* span of the argument, field or --set text that the value comes from; for a default, span of the default */
	struct span at;
	struct str what;                /* what was read: "nproc", "worker.replicas" */
	const struct value *value;
	bool argument;                  /* an argument of a framework or accelerator; with several layers, the argument
					 * nearest to the job counts */
	bool let;                       /* a let; a report is placed here only if no other read is better */
	/* the command of a role: a check that reads it is reported there */
	bool words;
};
struct reads {
	struct read *at;
	size_t n;
};

enum slot_state { SLOT_EMPTY, SLOT_RUNNING, SLOT_DONE };

struct slot {
	enum slot_state state;
	const struct value *value;      /* the value, in state DONE */
	struct str what;                /* name in the report of a cycle: "worker.replicas", "nodes" */
	struct span at;                 /* span of the expression */
	struct slot *outer;             /* in state RUNNING: the slot whose evaluation needed this one */
	/*
	 * The values that its evaluation read.  Reading the slot counts as reading the slot itself
	 * (`what` at `at`).  If its text is not the user's, or if the slot is a let
	 * (`transparent`), it counts as reading all of these values instead.
	 */
	struct reads reads;
	bool transparent, argument;
	/*
	 * while RUNNING: the list in which reads were recorded before, and the values of the counters of struct eval at
	 * the start
	 */
	struct reads *outer_reads;
	unsigned pod_before, self_before, copy_before;
	/* when DONE: the evaluation read `pod` or `self`, so the value is only valid for the same index or role */
	bool read_pod, read_self, read_copy;    /* `read_copy`: pod.copy */
	bool of_pass;                   /* a loop variable of a fleet */
	int64_t pod_index;
	const struct role *self;
	const struct job *job;
};

/* The binding of a local name: a formal, a let of a body or a loop variable. */
struct binding {
	const struct decl *decl;
	struct slot slot;
	struct node *expr;              /* evaluated in `frame` on first use; NULL if the slot was bound to a value */
	struct frame *frame;
};

struct frame {
	struct frame *parent;           /* the enclosing frame; NULL: the file */
	struct binding **at;
	size_t n;
};

/*
 * A value for a parameter from outside. The first source that has one decides: --set, files of --params (later ones
 * first), the profile, the default.
 */
struct setting {
	struct str name, text;
	struct source *source;          /* the source in which messages show the value: "command line", or the file */
	uint32_t offset;                /* offset of the value in the source */
	/* the spans of name and value in the original texts, if `source` was composed of several; otherwise unset */
	struct span name_at, value_at;
	const struct data *data;        /* the value itself, when it is from a YAML or JSON file; otherwise NULL */
	bool literal;                   /* strings are in quotes here, as in a program; other sources need no quotes */
	bool used;
};
struct settings {
	struct setting *set;            /* values of --set, in order; the last one of a name is used */
	size_t nset;
	struct setting *params;         /* values of --params, flattened, in order; the last one of a name is used */
	size_t nparams;
	struct str profile;             /* the chosen profiles; p == NULL if no profile was chosen */
	struct span profile_at;
	/* several programs share the settings: the caller of eval_params() reports the unused ones (see `used`) */
	bool shared;
};

/* A call of a user's function that is being evaluated, for the call chain of TJ0407. */
struct eval_call {
	const struct decl *function;
	struct span at;
	const struct frame *frame;      /* the frame that holds the arguments */
	const struct eval_call *outer;
};

struct eval;

/* In a test, the functions that compute `roles`, env(), object() and fails(). The value is VALUE_BAD if one is NULL. */
struct test_facts {
	void *context;
	const struct value *(*roles)(void *context, struct eval *ev, struct span at);
	const struct value *(*env)(void *context, struct eval *ev, struct str role, int64_t index, struct span at);
	const struct value *(*object)(void *context, struct eval *ev, struct str kind, struct str name, struct span at);
	const struct value *(*fails)(void *context, struct eval *ev, struct str code, struct span at);
};

struct eval {
	struct arena *arena;
	struct program *program;
	struct diags *diags;
	const struct settings *settings;
	struct map set_index, params_index;     /* settings by name -> the last struct setting with that name */
	/* settings such as a.b=1, by the name before the dot -> struct member_settings */
	struct map member_index;

	struct slot **globals;          /* values of global params and lets, by decl->slot; NULL: not evaluated yet */
	unsigned nglobals;              /* number of elements of `globals`; it grows with the program's nslots */
	struct slot *running;           /* the innermost slot that is being evaluated; NULL: no slot is being
					 * evaluated */
	const struct reads *asking;     /* the list of reads of the check that is running, which do not affect the plan
					 */
	struct reads *reads;            /* where to record reads; NULL: nowhere */
	bool in_policy;                 /* a policy is evaluated, so reports name the job and the role */
	const struct role *policy_role; /* the role of which the policy read a member last */
	/*
	 * numbers of reads of `pod` and `self`: a slot whose evaluation increases one is evaluated again where its
	 * value may differ
	 */
	unsigned pod_reads, self_reads, copy_reads;
	/* number of reads of what differs between the passes of a fleet: its loop variables and the name of the job */
	unsigned pass_reads;

	/* the state of the job that is being built; pointers are NULL outside a job */
	struct job *job;                /* the job, see eval/job.h */
	struct role *self;              /* the role whose fields are being evaluated; NULL outside a role */
	int64_t pod_index;              /* index of the pod for which fields are evaluated; -1: the index stays symbolic
					 */
	/*
	 * the innermost span of the user's text that called into the library; errors in the library are reported there
	 */
	struct span call_site;
	const struct test_facts *test;  /* the functions of the test that is running; NULL outside tests */
	bool keep_jobs;                 /* finished jobs are kept, because tests read their roles */
	struct job *built;              /* with keep_jobs: the last job that was built */
	struct arena work;              /* memory for temporary data, see eval_work() */
	unsigned lasting;               /* number of global slots that are being evaluated */

	/* evaluator's own */
	const struct value *fallbacks[FIELDS];  /* built-in defaults of fields, each made on first use */
	struct schema_types types;              /* types of fields, to which inserted entries are converted */
	struct map *profile;            /* settings of the chosen profiles: parameter name -> its struct entries; NULL
					 * if no profile was chosen */
	const struct eval_call *calls;  /* the function calls that are being evaluated, innermost first */
	/* the name that messages use for the value being converted; p == NULL if the value has no name */
	struct str name;
	unsigned depth;                 /* recursion depth of eval_expr() */
	struct map patterns;            /* patterns that have been compiled: pattern.c */

	uint64_t steps;                 /* number of steps taken so far, at most EVAL_STEPS */
	size_t text_bytes;              /* bytes of text made so far, at most EVAL_TEXT */
	/* a budget ran out: reported once (TJ0407), everything is VALUE_BAD from then on */
	bool exhausted;
};

/* Budgets of an evaluation. They are smaller for a fuzzer, in which everything runs slowly. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
enum { EVAL_STEPS = 50000, EVAL_LIST = 2000, EVAL_TEXT = 1 << 20, EVAL_MEMORY = 16 << 20, EVAL_DEPTH = 200,
	EVAL_WEIGHT = 20000, EVAL_CONDITION = 1000 };
#else
enum { EVAL_STEPS = 10000000, EVAL_LIST = 100000, EVAL_TEXT = 64 << 20, EVAL_MEMORY = 256 << 20, EVAL_DEPTH = 2000,
	EVAL_WEIGHT = 1000000, EVAL_CONDITION = 10000 };
#endif

void eval_init(struct eval *ev, struct arena *a, struct program *p, const struct settings *settings);
/* Frees the memory that is not in the arena; call it when nothing more will be evaluated. */
void eval_release(struct eval *ev);

/*
 * Memory for what is needed only while the job is built: frames, entries and slots, but nothing that a plan points to.
 * The next job reuses it, so that a thousand jobs need no more memory than one. Outside a job, this is the arena of the
 * compilation.
 */
static inline struct arena *eval_work(struct eval *ev)
{
	return ev->job && !ev->keep_jobs ? &ev->work : ev->arena;
}

/*
 * Memory for a bool or a role as a value. Most of these are read once, in a condition, and a plan does not point to
 * them, so only the value of a file's let must outlive the job.
 */
static inline struct arena *eval_passing(struct eval *ev)
{
	return ev->lasting ? ev->arena : eval_work(ev);
}

/*
 * Evaluates all parameters. Reports settings that name no parameter (TJ0402), an unknown profile (TJ0404), text that
 * does not have the parameter's type (TJ0403, TJ0311), and parameters without a value (TJ0401). Also evaluates the
 * file-level lets and checks of the root file, so that their errors are reported even if no job reads them.
 */
void eval_params(struct eval *ev);

/* Evaluates an expression, and converts the value to the expected type if the checker has set `convert_to`. */
const struct value *eval_expr(struct eval *ev, struct frame *f, struct node *n);

/* Like eval_expr(); NAME is the name of the value ("nodes") in messages such as "nodes = 96 is outside 1..64". */
const struct value *eval_named(struct eval *ev, struct frame *f, struct node *n, struct str name);

/* Like eval_expr(), but without the conversion, for callers whose own message is better than TJ0302 and the like. */
const struct value *eval_unconverted(struct eval *ev, struct frame *f, struct node *n);

/*
 * Converts a value to type TO and tests the refinement of TO: int literal to float, cpu or elastic, string to enum,
 * image, name or path, any value to an environment value or raw data. Reports TJ0302..TJ0313 at AT, with a note at
 * RULE, the declaration that imposed the rule (which may be unknown).
 */
const struct value *value_convert(struct eval *ev, const struct value *v, const struct type *to, struct span at,
	struct span rule);

/* ---- frames and slots ---- */

struct frame *frame_new(struct eval *ev, struct frame *parent);
/* Bind D in frame F: to a value, or to an expression that is evaluated in frame IN on first use. */
void frame_bind(struct eval *ev, struct frame *f, const struct decl *d, const struct value *v);
/* Binds a loop variable of a fleet, whose reads are counted in pass_reads. */
void frame_bind_pass(struct eval *ev, struct frame *f, const struct decl *d, const struct value *v);
void frame_bind_lazy(struct eval *ev, struct frame *f, const struct decl *d, struct node *expr, struct frame *in);

/*
 * Starts to evaluate a slot. Returns false if s->value is already set: the slot was evaluated before, or it is part of
 * a cycle, which was reported (VALUE_BAD). After true, the caller must call slot_leave() with the value. Both functions
 * record the read.
 */
bool slot_enter(struct eval *ev, struct slot *s);
const struct value *slot_leave(struct eval *ev, struct slot *s, const struct value *v);
/* The slot of a param or let of a file. It is made when it is first needed. */
struct slot *eval_slot(struct eval *ev, const struct decl *d);
/* The slot of D if D is a param or let of a file that the evaluation needed, otherwise NULL. */
const struct slot *eval_known_slot(const struct eval *ev, const struct decl *d);
/* Records a read of WHAT at AT, for values that have no slot. */
void eval_read(struct eval *ev, struct span at, struct str what, const struct value *v);
/* Like eval_read(), for the words of a role's command. */
void eval_read_words(struct eval *ev, struct span at, struct str what, const struct value *v);

/* ---- bodies ---- */

/* One entry of a body, after `if`, `for` and spreads have been evaluated. */
struct entry {
	struct node *item;              /* the item of kind SET, EXTEND, FIELD, BLOCK or CHECK; NULL for an entry of a
					 * spread */
	const struct field *field;      /* the field that it sets or extends, in the body of a block; otherwise NULL */
	struct str key;                 /* the key of a SET, EXTEND, FIELD or spread */
	struct span key_at;
	const struct text *pod_key;     /* the key if it depends on the pod */
	const struct value *value;      /* value of a spread's entry, see entry_value() */
	struct frame *frame;            /* the frame in which the item's value is evaluated */
	bool converted;                 /* `value` already has the type of the field */
	/* the first entry of a key that was both inserted and extended */
	bool joined;
};
struct fields {                         /* a set of fields, one bit for each */
	uint64_t word[2];
};
static inline bool fields_has(const struct fields *f, enum field_id id) { return f->word[id / 64] >> id % 64 & 1; }

struct entries {
	struct entry *at;
	size_t n;
	struct fields fields;           /* the fields that its entries may be about: most bodies mention few */
	/* entries that are about fields come before this index, blocks and checks from it on */
	size_t fields_end;
	struct frame *frame;            /* the frame that holds the lets of the body */
	bool failed;                    /* an error was reported, so entries may be missing */
	bool searched, torn;            /* `searched`: role_find_torn() has examined the entries; `torn`: it found a
					 * broken one */
};
/* The end of the range of entries that may be about field ID; 0 if no entries are. ES may be NULL. */
static inline size_t entries_about(const struct entries *es, enum field_id id)
{
	return es && fields_has(&es->fields, id) ? es->fields_end : 0;
}

/*
 * The entries of a body in order. A written entry takes precedence over a spread's of the same key, or extends it,
 * whether the spread comes before or after it. Two written entries of one key are reported (TJ0206) unless both extend.
 * Checks and blocks are entries too.
 */
struct entries *eval_entries(struct eval *ev, struct frame *f, struct node *body);
/* The entries of the body of a block, whose keys are fields of any of BLOCKS. */
struct entries *eval_block(struct eval *ev, struct frame *f, struct node *body, unsigned blocks);
/* The entries of the record that an entry sets or extends, given as a body or as a value. */
struct entries *entry_body(struct eval *ev, struct entry *e);

/* The expression of an entry as written; NULL for a spread's entry, and for a typed field without a value. */
struct node *entry_expr(const struct entry *e);
/* Reports that KEY, at AT, was already set at FIRST in the same body (TJ0206). */
void entry_set_twice(struct eval *ev, struct str key, struct span at, struct span first);
/* Does the entry set the field, so that lower levels do not matter? */
bool entry_sets(const struct entry *e);
/* The value of an entry, in the type of its field, for written and for inserted entries. */
const struct value *entry_value(struct eval *ev, struct entry *e);
/* The span of the value: that of its expression, or of the key if it was inserted. */
struct span entry_at(const struct entry *e);

/*
 * A list of these collects what several entries say about one field, the nearest entry first. Each extends those after
 * it, and only the last one may set the field.
 */
struct contribution {
	struct entry *entry;
	unsigned level;                 /* for a body of a role: its level, see role.h; otherwise 0 */
};
struct said {                           /* contributions to one field, in memory of eval_work() */
	struct contribution *at;
	size_t n;
};
/* Appends the entries of a body for field ID to INTO; true when one of them sets it. ES may be NULL. */
bool said_by(struct eval *ev, struct entries *es, enum field_id id, unsigned level, struct said *into);
/* The nearest entry for a field; NULL when the body does not mention the field. */
struct entry *said_first(const struct entries *es, enum field_id id);
/* The declaration of the field with a type in a body, with or without a value; NULL if the body has no such field. */
struct node *declared_by(const struct entries *es, enum field_id id);
/*
 * Combines all entries of a field into one value; VALUE_BAD or VALUE_COMPUTED if one of them is; NULL if the field has
 * no entries.
 */
const struct value *said_value(struct eval *ev, const struct said *s);

/* Evaluates a NODE_BODY to a record or a map. */
const struct value *eval_body(struct eval *ev, struct frame *f, struct node *body);

/*
 * Runs a `check` or `warn`. Returns true if it holds; otherwise reports TJ0408, TJ0409 or the code that it names.
 * FALLBACK is where to report if the condition read no value of the user. POLICY is the title of the policy that
 * contains the check, which is reported as TJ0901; p == NULL for other checks.
 */
bool eval_check(struct eval *ev, struct frame *f, struct node *check, struct span fallback, struct str policy);

/* ---- functions for roles and blueprints (eval/role.c, blueprint.c) ---- */

/* The value of role.replicas, role.hosts, role.ports, ...; AT is the NODE_MEMBER. */
const struct value *role_member(struct eval *ev, struct role *r, struct str name, struct node *at);
/* The value of role.ports.NAME. */
const struct value *role_port_number(struct eval *ev, struct role *r, struct str name, struct node *at);
/*
 * The value of role.host(i), role.address(i, "p"), role.addresses("p") or role.port(i, "p"); the arguments have been
 * evaluated and may depend on the pod.
 */
const struct value *role_method(struct eval *ev, struct role *r, struct str name, const struct value **args, size_t n,
	struct node *call);
/* The value of cluster.name, namespace, domain, roles, all_roles or run_id. */
const struct value *cluster_member(struct eval *ev, struct str name, struct node *at);
/*
 * Values of a planned job for policies and tests (policy_value.c): role.containers, volumes, tolerations, raw;
 * cluster.containers, objects, timeout, ttl, queue, priority, labels, annotations.
 */
/* `role.layout.NAME`, and `role.layout.NAME(DIMENSION)`. */
const struct value *layout_member(struct eval *ev, struct role *r, struct str name, struct node *at);
const struct value *layout_method(struct eval *ev, struct role *r, struct str name, const struct value *dimension,
	struct node *call);
/*
 * The security of a container as policies read it; WRITTEN is what `security` says, or NULL. RAW_CONTAINER and RAW_POD
 * are raw blocks, or NULL. The caller finishes the map.
 */
struct value *planned_security(struct eval *ev, const struct plan_security *written,
	const struct data *raw_container, const struct data *raw_pod, struct span at);
const struct value *planned_role_member(struct eval *ev, const struct role *r, struct str name, struct span at);
const struct value *planned_cluster_member(struct eval *ev, const struct job *j, struct str name, struct span at);
/* The value of pod.index, name, uid, ip, node or host. */
const struct value *pod_member(struct eval *ev, struct str name, struct node *at);
/*
 * Makes the device of a call such as acme.a1(8): the formals are bound to the arguments of the call, which are
 * evaluated in F.
 */
const struct value *accelerator_make(struct eval *ev, struct frame *f, struct node *call);
/* A cell, as a value: the list of its copies. */
const struct value *cell_by_decl(struct eval *ev, const struct decl *d, struct span at);
/* The value of cell[i].NAME. */
const struct value *copy_member(struct eval *ev, struct job *copy, struct str name, struct node *at);
/* The value of cell.NAME; CELL is the list of its copies. */
const struct value *cell_member(struct eval *ev, const struct value *cell, struct str name, struct node *at);
/* The role, as a value, that a DECL_ROLE refers to in the job that is being built. */
const struct value *role_by_decl(struct eval *ev, const struct decl *d, struct span at);
/*
 * The plain text of a text value, with hosts and ports as in a cluster; false when it has pieces that only the pod
 * knows.
 */
bool text_flatten(struct eval *ev, const struct text *t, struct str *ret);

#endif
