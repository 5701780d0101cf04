/*
 * lower.h - copies evaluated values into the plan. lower_job() requests every field of the job and its roles in a fixed
 * order. lower_text.c handles the fields that may contain text that depends on the pod (env, command, args, files).
 * They are evaluated with a symbolic index first; a value that turns out to be computed is recorded, and evaluated
 * again for each replica once the number of replicas is known.
 */
#ifndef TRAINC_LOWER_LOWER_H
#define TRAINC_LOWER_LOWER_H

#include "eval/job.h"
#include "lower/model.h"

/*
 * An expression whose value differs between replicas in a way that no reference can express. CLAIM: the claim that each
 * replica keeps.
 */
struct pending {
	enum pending_kind {
		PENDING_ENV, PENDING_TEXTS, PENDING_FILE, PENDING_LABEL, PENDING_CLAIM, PENDING_AMOUNTS
	} kind;
	struct node *expr;
	struct frame *frame;
	struct str key;                 /* key of the entry in the map that `expr` gives; p == NULL: the value itself */
	struct span computed;           /* place of the expression that computes the value, or that makes the claim */
	size_t index;                   /* position of the entry in env, files or the replica's labels */
	struct plan_container *container;
	struct entries *body;           /* AMOUNTS: the body of a sidecar or init container; NULL: the role */
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
 * Builds the plan of one job; FRAME has the loop variables of a fleet, and MODEL, which is kept from pass to pass, what
 * its passes have in common. A value that could not be evaluated is reported and absent from the plan.
 */
void job_build(struct eval *ev, struct node *node, struct frame *frame, const struct job_options *options,
	struct model *model, struct plan_job *ret);

/* Copies every field of the job and of its roles into the plan. */
void lower_job(struct job *j);

/* Notes P, which is evaluated for each replica once their number is known. */
static inline void pend_field(struct lowering *l, struct pending p)
{
	struct pending *copy = ARENA_NEW(eval_work(l->ev), struct pending);

	*copy = p;
	*l->last = copy;
	l->last = &copy->next;
}

/* The origin of an entry of a map field, before it is evaluated. */
struct source_entry {
	struct str key;
	struct span key_at;
	struct node *expr;              /* the expression, evaluated in `frame`; NULL: `value` is the value */
	struct frame *frame;
	struct str member;              /* key of the entry in the map that `expr` gives; p == NULL: the value itself */
	const struct value *value;      /* the value, which is symbolic */
	unsigned level;                 /* level of the body that sets the entry, see role.h */
	struct span from;
	struct source_entry *beneath;   /* the entry that this one replaced: the framework's default */
};
static inline bool entry_of_framework(const struct source_entry *e) { return e->level >= LEVEL_FRAMEWORK; }
struct source_entries {
	struct source_entry *at;
	size_t n;
	struct map index;               /* key -> position of the entry + 1 */
	size_t inherited;               /* env: position of the first entry that is not inherited: the accelerator's
					 * variables are put before it */
};

/*
 * Collects the entries of a map field of a container, lowest level first; a later entry replaces an earlier one at its
 * position.
 */
void gather_role(struct lowering *l, enum field_id id, struct source_entries *into);
void gather_body(struct lowering *l, struct entries *body, enum field_id id, struct source_entries *into);
/* The value of a whole field in BODY, that of a sidecar or init container; RET gets its first entry for the field. */
const struct value *gather_own(struct eval *ev, struct entries *body, enum field_id id, struct entry **ret_first);
/* Adds one entry of a body of LEVEL whose value is a map. */
void gather_entry(struct lowering *l, struct entry *e, unsigned level, struct source_entries *into);
/*
 * Collects the variables of a container: of a sidecar's BODY, or of the role (NULL). If the framework's come after the
 * job's, the job's entries of reserved names that the framework sets too are dropped (TJ0719).
 */
void gather_env(struct lowering *l, struct entries *body, struct source_entries *into);

/*
 * Reports TJ0702: a job's variable whose name the framework reserves. The help names the argument or field that it
 * depends on.
 */
void report_locked(struct lowering *l, const struct source_entry *mine);
void lower_env(struct lowering *l, struct source_entries *sources, struct plan_container *c);
/*
 * Lowers the framework's settings for the objects that represent one replica: first their names (before hosts are
 * needed), then the rest.
 */
void replica_names(struct job *j);
void lower_replica(struct lowering *l);
void lower_files(struct lowering *l, struct source_entries *sources);
/* Lowers V, the condition under which container C is ready; the ports of C must be known. */
void lower_ready(struct lowering *l, const struct value *v, struct span at, struct plan_container *c);
/* The claims of devices whose names are valid names of claims; reports the others. */
struct plan_pairs lower_claims(struct lowering *l, const struct value *v);
/* Reports a name that is in both fields with claims of devices. */
void claims_once(struct lowering *l);
/*
 * Lowers the amounts of container C from its BODY (NULL: the role); its raw block and the accelerator must be in the
 * plan.
 */
void lower_amounts(struct lowering *l, struct entries *body, struct plan_container *c);
/* Lowers the amounts of replicas 0 to N - 1, once their number is known; all errors in them are reported. */
void lower_amounts_of_replicas(struct lowering *l, struct entries *body, struct plan_container *c, int64_t n);
/*
 * Lowers V, the `resources` of container C, into ASKS, whose other amounts must be known. Reports resources that no
 * server accepts (TJ0624).
 */
void lower_resources(struct lowering *l, const struct value *v, const struct plan_container *c,
	struct plan_amounts *asks);
/*
 * Lowers the place of the role, once `node`, `spread` and the number of replicas are in the plan (TJ0626, TJ0627,
 * TJ0206).
 */
void lower_place(struct lowering *l);
/* Reports invalid levels in the project's topology. */
void lower_topology(struct eval *ev);
/* The texts of the list that all entries of SAID form together. */
void lower_said_texts(struct lowering *l, const struct said *said, struct plan_texts *ret);
/* Evaluates pending values for every replica, and decides whether the role is unrolled (TJ0709, TJ0710, TJ0717). */
void lower_pending(struct lowering *l);

/* The framework's arguments with their defaults, as a map; NULL without a framework. */
const struct data *lower_arguments(struct job *j);

/* A raw value as a data tree; NULL after a report when it holds something only the pod knows. */
/*
 * Checks values that the job gives to fields which the framework declares with a type, and which are not evaluated as a
 * whole.
 */
void lower_typed(struct lowering *l);
struct data *value_data(struct eval *ev, const struct value *v);

#endif
