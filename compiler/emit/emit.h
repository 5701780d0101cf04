/*
 * emit.h - a plan as Kubernetes objects, written as YAML or JSON.
 *
 * emit_check() says everything that can be said about the objects (limits,
 * names, raw fields, features of the target version) from the lengths of their
 * pieces, before a byte is written.  emit_write() then cannot fail but for its
 * sink.  Objects of one kind that differ only by an index are written from one
 * tree, so the memory needed does not grow with the number of replicas.
 *
 * Two calls with equal arguments write identical bytes.
 */
#ifndef TRAINC_EMIT_EMIT_H
#define TRAINC_EMIT_EMIT_H

#include "base/map.h"
#include "objects/sink.h"
#include "plan/plan.h"

struct emit_options {
	const struct schema *kinds;     /* of the project's own, or NULL */
	bool json;                      /* one `List` instead of a YAML stream */
	bool annotate;                  /* YAML: `# file:line` at the end of each line */
	const struct sources *sources;  /* for annotate */
	bool runtime_warning;           /* report TJ0817 (compile does, apply and run do not) */
	/* Identities seen so far, for commands that compile several files (cli.md): the
	 * same map in every call, in an arena that outlives them.  NULL: this plan alone. */
	struct map *seen;
	struct arena *seen_arena;
};

/* Report everything that keeps the objects from being what was meant; true without errors. */
bool emit_check(const struct emit_options *options, const struct plan *plan, struct diags *ds);

/* Write the objects of `n` plans, each with its own options, as one stream or list; false when the sink refused. */
bool emit_write(const struct emit_options *options, const struct plan *const *plans, size_t n, const struct emit_sink *sink);

/* Does this compiler write the target (empty: jobs)?  And what the plan has to know of it. */
bool emit_target_known(struct str name);
/* The names of those that it writes, one by one; NULL behind the last. */
const char *emit_target_name(size_t i);
enum target_trait {
	TARGET_CONTROLLER = 2,          /* one object for the job, and a controller that keeps it */
	TARGET_SET = 4,                 /* whose pods are named as those of a set of Jobs */
	TARGET_ROLE_JOBS = 8,           /* a Job for each role, which starts when somebody unsuspends it */
	TARGET_OPERATOR = 16,           /* one object of the training operator, which makes the pods and their autoscaler by itself */
	TARGET_SLICES = 32              /* has a Job for each slice of a role */
};
unsigned emit_target_traits(struct str name);
/* The kinds of its objects that run pods, as `kubectl delete` takes them: "job,deployment". */
struct str emit_target_workloads(struct arena *a, struct str name);
/* What a role becomes in the target; see plan_workload(). */
enum workload_id emit_target_workload(struct str name);

/* How many objects the plan becomes. */
size_t emit_count(const struct plan *plan);
/* The same for each job, by position. */
const size_t *emit_counts(struct arena *a, const struct plan *plan);

/*
 * One emitted object as data, for tests of programs and for the runtime; NULL
 * if there is none of that kind and name.
 */
const struct data *emit_find(struct arena *a, const struct plan *plan, struct str kind, struct str name);

/* `trainc dump --objects`: every field of every kind of object, with the place that decided it. */
void emit_dump(const struct plan *plan, const struct sources *sources, struct buf *out);

#endif
