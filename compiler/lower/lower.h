/*
 * lower.h - copies evaluated values into the plan. lower_job() requests every field of the job and its roles in a fixed
 * order. lower_text.c handles the fields that may contain text that depends on the pod (env, command, args, files).
 * These are first evaluated with a symbolic index. A value that turns out to be computed is recorded, and is evaluated
 * again for each replica once the number of replicas is known.
 */
#ifndef TRAINC_LOWER_LOWER_H
#define TRAINC_LOWER_LOWER_H

#include "eval/job.h"
#include "lower/model.h"

/*
 * A value that must be evaluated for each replica, because it differs in a way that no reference can express. CLAIM:
 * the claim that each replica keeps.
 */
struct pending {
	enum pending_kind {
		PENDING_ENV, PENDING_TEXTS, PENDING_FILE, PENDING_LABEL, PENDING_CLAIM, PENDING_AMOUNTS
	} kind;
	struct node *expr;
	struct frame *frame;
	struct str key;                 /* if `expr` is a whole map: the key of the entry; p == NULL if `expr` is the
					 * value itself */
	struct span computed;           /* span of the expression that makes the value differ, or that makes the claim
					 */
	size_t index;                   /* position of the entry in env, files or the replica's labels */
	struct plan_container *container;
	struct entries *body;           /* AMOUNTS: the body of a sidecar or init container; NULL for the role */
	struct said said;               /* TEXTS: the contributions, instead of `expr` */
	struct plan_texts *texts;
	struct pending *next;
};

struct lowering {
	struct eval *ev;
	struct job *job;
	struct role *role;
	struct plan_role *plan;
	struct pending *pending, **last;
};

/*
 * Builds the plan of one job; FRAME has the loop variables of a fleet. MODEL keeps, from pass to pass, what the passes
 * have in common. A value that cannot be evaluated is reported and left out of the plan.
 */
void job_build(struct eval *ev, struct node *node, struct frame *frame, const struct job_options *options,
	struct model *model, struct plan_job *ret);

/*
 * Evaluates what a copy of a cell decides for itself, and refuses what no target keeps for a cell. Call it before
 * lower_job().
 */
void lower_copy(struct job *copy);
/* Copies every field of the job and of its roles, with those of its cells, into the plan. */
void lower_job(struct job *j);

/* Records P, to be evaluated for each replica once the number of replicas is known. */
static inline void pend_field(struct lowering *l, struct pending p)
{
	struct pending *copy = ARENA_NEW(eval_work(l->ev), struct pending);

	*copy = p;
	*l->last = copy;
	l->last = &copy->next;
}

/* An entry of a map field, before it is evaluated. */
struct source_entry {
	struct str key;
	struct span key_at;
	struct node *expr;              /* the expression, evaluated in `frame`; NULL if `value` is set */
	struct frame *frame;
	struct str member;              /* if `expr` is a whole map: the key of the entry; p == NULL if `expr` is the
					 * value itself */
	const struct value *value;      /* the value, evaluated with a symbolic index */
	unsigned level;                 /* level of the body that sets the entry, see role.h */
	bool written;                   /* the body has the entry itself; it does not insert it */
	struct span from;
	struct source_entry *beneath;   /* the entry of a lower level that this one replaced, such as the framework's
					 * default */
};
static inline bool entry_of_framework(const struct source_entry *e) { return e->level >= LEVEL_FRAMEWORK; }
struct source_entries {
	struct source_entry *at;
	size_t n;
	struct map index;               /* key -> position of the entry + 1 */
	size_t inherited;               /* env: position of the first entry that is not inherited; the accelerator's
					 * variables are inserted before it */
};

/*
 * Collects the entries of a map field of a container, lowest level first; a later entry replaces an earlier one at its
 * position.
 */
void gather_role(struct lowering *l, enum field_id id, struct source_entries *into);
void gather_body(struct lowering *l, struct entries *body, enum field_id id, struct source_entries *into);
/*
 * The value of a whole field in BODY, which is that of a sidecar or init container; *RET_FIRST is the first entry for
 * the field.
 */
const struct value *gather_own(struct eval *ev, struct entries *body, enum field_id id, struct entry **ret_first);
/* Adds the entries of the map that E, an entry of a body of LEVEL, sets or extends. */
void gather_entry(struct lowering *l, struct entry *e, unsigned level, struct source_entries *into);
/*
 * Collects the variables of a container: of the sidecar with BODY, or of the role if BODY is NULL. If the framework's
 * variables come after the job's, variables of the job are dropped whose names the framework reserves and sets itself
 * (TJ0719).
 */
void gather_env(struct lowering *l, struct entries *body, struct source_entries *into);

/*
 * Reports a variable of the job whose name the framework reserves (TJ0702). The help names the argument or field to set
 * instead.
 */
void report_locked(struct lowering *l, const struct source_entry *mine);
/*
 * Reports a command or arguments of the job in a role that a framework starts itself (TJ0537); true if there are none.
 */
bool words_free(struct job *j);
void lower_env(struct lowering *l, struct source_entries *sources, struct plan_container *c);
/* Lowers `node_in` and `avoid` of the role. */
void lower_nodes(struct lowering *l);
/*
 * Lowers `env_from` of container C: that of BODY, the body of a sidecar or init container, or of the role if BODY is
 * NULL.
 */
void lower_sources(struct lowering *l, struct entries *body, struct plan_container *c);
/*
 * Lowers the framework's settings for the objects that represent one replica: first their names (before hosts are
 * needed), then the rest.
 */
void replica_names(struct job *j);
void lower_replica(struct lowering *l);
void lower_files(struct lowering *l, struct source_entries *sources);
/*
 * Lowers `code` of the role: its step of unpacking becomes the first init container. The second function mounts the
 * copy into the other containers; the init containers must be in the plan.
 */
void lower_code(struct lowering *l);
void lower_code_mounts(struct lowering *l);
/* Reports what the framework or the body of a cell asks for and no target keeps; COPY is its first copy. */
void refuse_in_cell(struct job *copy);
/* The names of variables that the frameworks of the job, or of the copy of a cell, reserve. */
void lower_reserved(const struct job *j, const struct str **ret, size_t *ret_n);
/* The cells of the job, in the plan; call it when the roles are in it. */
void lower_cells(struct job *j);
/* Sets the level that no two copies of the cell share, from its first copy; a level that is not known is reported. */
void lower_apart(struct job *first, struct plan_cell *c);
/* Lowers V, the readiness probe of container C; the ports of C must be known. */
void lower_ready(struct lowering *l, const struct value *v, struct span at, struct plan_container *c);
/*
 * Lowers `security` of container C: that of BODY, the body of a sidecar or init container, with what it inherits from
 * the role; of the role itself if C is its main container; or only what it inherits, if BODY is NULL. Reports what a
 * container cannot have (TJ0632).
 */
void lower_security(struct lowering *l, struct entries *body, struct plan_container *c);
/* The device claims in V that have valid names; reports the others. */
struct plan_pairs lower_claims(struct lowering *l, const struct value *v);
/* Reports a name that occurs in both fields for device claims. */
void claims_once(struct lowering *l);
/*
 * Lowers the amounts of container C from BODY, or from the role if BODY is NULL; its raw block and the accelerator must
 * be in the plan.
 */
void lower_amounts(struct lowering *l, struct entries *body, struct plan_container *c);
/* Lowers the amounts of replicas 0 to N - 1, once their number is known, and reports all errors in them. */
void lower_amounts_of_replicas(struct lowering *l, struct entries *body, struct plan_container *c, int64_t n);
/*
 * Lowers V, the `resources` of container C, into ASKS, whose other amounts must be known. Reports resources that no
 * server accepts (TJ0624).
 */
void lower_resources(struct lowering *l, const struct value *v, const struct plan_container *c,
	struct plan_amounts *asks);
/*
 * Lowers the field `place` of the role, once `node`, `spread` and the number of replicas are in the plan (TJ0626,
 * TJ0627, TJ0206).
 */
void lower_place(struct lowering *l);
/* Removes ways to find the accelerator that the role's own `node` rules out. */
void lower_ways(struct lowering *l);
/* Reports invalid levels in the project's topology. */
void lower_topology(struct eval *ev);
/* Reports names in the project's `nodes` that the library does not know, and repeated ones. */
void lower_sites(struct eval *ev);
/* Sets *RET to the texts of the list that the entries of SAID form together. */
void lower_said_texts(struct lowering *l, const struct said *said, struct plan_texts *ret);
/* Evaluates pending values for every replica, and decides whether the role is unrolled (TJ0709, TJ0710, TJ0717). */
void lower_pending(struct lowering *l);

/* The framework's arguments with their defaults, as a map; NULL if the job has no framework. */
const struct data *lower_arguments(struct job *j);

/*
 * Checks the job's values for fields that the framework declares with a type, as far as these fields are not evaluated
 * as a whole (see typed.c).
 */
void lower_typed(struct lowering *l);
/* A raw value as a data tree; NULL after reporting a part that only the pod knows. */
struct data *value_data(struct eval *ev, const struct value *v);
/* The block `raw NAME` among the entries, as a map; NULL if they have none. */
const struct data *lower_raw_block(struct eval *ev, const struct entries *entries, const char *name);
/*
 * The fields of `raw NAME` for a role, as a map; NULL if no level has the block. It starts with that of the innermost
 * framework; each framework nearer to the job, the project's defaults, the job, the cell and the role extend it.
 */
const struct data *lower_raw(struct eval *ev, struct role *r, const char *name);

#endif
