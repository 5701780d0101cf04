/*
 * emit.h - writes a plan as Kubernetes objects, in YAML or JSON. emit_check() reports all errors in the objects
 * (limits, names, raw fields, features of the target version) from the lengths of their pieces, before a byte is
 * written. After that emit_write() can only fail when its sink does. Objects of one kind that differ only by an index
 * are written from one tree, so the memory needed does not grow with the number of replicas. Two calls with equal
 * arguments write identical bytes.
 */
#ifndef TRAINC_EMIT_EMIT_H
#define TRAINC_EMIT_EMIT_H

#include "base/map.h"
#include "objects/sink.h"
#include "plan/plan.h"

struct emit_options {
	const struct schema *kinds;     /* schema of the project's own kinds, or NULL */
	bool json;                      /* write one JSON `List` instead of a YAML stream */
	bool annotate;                  /* append `# file:line` to each line of YAML */
	const struct sources *sources;  /* the sources, needed for `annotate` */
	bool runtime_warning;           /* report TJ0817: compile reports it, apply and run do not */
	bool named;                     /* --name has given the name of the job */
	bool brief;                     /* without what is left to the user, which 'plan' lists */
	/*
	 * The identities of objects so far. A command that compiles several files passes the same map to every call, in
	 * an arena that outlives the calls. NULL: only identities within this plan are compared.
	 */
	struct map *seen;
	struct arena *seen_arena;
};

/* Reports all errors because of which the objects would not do what the program says; true if no error was found. */
bool emit_check(const struct emit_options *options, const struct plan *plan, struct diags *ds);

/*
 * Writes the objects of N plans, each with its own options, as one stream or list; returns false when the sink fails.
 */
bool emit_write(const struct emit_options *options, const struct plan *const *plans, size_t n,
	const struct emit_sink *sink);

/*
 * Does the target of that name exist (empty: jobs)? emit_target_traits(), emit_target_workloads() and
 * emit_target_workload() return its properties for the plan.
 */
bool emit_target_known(struct str name);
/* Returns the names of all targets, one by one; NULL after the last. */
const char *emit_target_name(size_t i);
enum target_trait {
	/* the target writes one object for the job, and a controller makes the others from it */
	TARGET_CONTROLLER = 2,
	TARGET_SET = 4,                 /* pods are named like the pods of a set of Jobs */
	TARGET_ROLE_JOBS = 8,           /* each role has a Job, which stays suspended until a command resumes it */
	/* the target is one object of the training operator, which makes the pods and their autoscaler itself */
	TARGET_OPERATOR = 16,
	/* each slice of a role has its own Job, and so has each copy of a cell */
	TARGET_SLICES = 32,
	/* all copies of a cell are one object, whose controller restarts each by itself */
	TARGET_GROUPS = 64,
	/* its object has no place for a `ttl` */
	TARGET_STAYS = 128,
	/* each role is a task of its object, or each replica of the role if it is unrolled */
	TARGET_TASKS = 256
};
unsigned emit_target_traits(struct str name);
/* Returns the kinds of the target's objects that run pods, in the form of `kubectl delete`: "job,deployment". */
struct str emit_target_workloads(struct arena *a, struct str name);
/* Returns the kind of workload that a role becomes in the target; see plan_workload(). */
enum workload_id emit_target_workload(struct str name);

/* Returns the number of objects of the plan. */
size_t emit_count(const struct plan *plan);
/* Returns the number of objects of each job, by the job's position. */
const size_t *emit_counts(struct arena *a, const struct plan *plan);

/*
 * Returns one emitted object as a free-form tree, for tests of programs and for the runtime; NULL if no object has
 * that kind and name.
 */
const struct data *emit_find(struct arena *a, const struct plan *plan, struct str kind, struct str name);

/* Prints `trainc dump --objects`: every field of every kind of object, with the source position that decided it. */
void emit_dump(const struct plan *plan, const struct sources *sources, struct buf *out);

/* Does a field of the language write this key of Kubernetes, or does the compiler own it? */
bool raw_is_typed(struct str key);

#endif
