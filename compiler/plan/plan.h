/*
 * plan.h - the plan: what runs, where, with which resources, and in which order. It is the waist of the compiler.
 *
 * The phases before it know the language, and of Kubernetes only the tables of compiler/kube; those after it know
 * nothing of the language. A plan is plain data: every default is explicit, every value has the source position that
 * decided it (`from`), and what only the pod or a placement knows is a piece of text (text.h).
 *
 * One function computes the finished environment of replica i: plan_env().  Every target, `trainc env`, the local
 * backend and the tests use that function.
 *
 * Memory: everything lives in the arena of the compilation.
 */
#ifndef TRAINC_PLAN_PLAN_H
#define TRAINC_PLAN_PLAN_H

#include "base/quantity.h"
#include "diag/diag.h"
#include "data/data.h"
#include "kube/addon.h"
#include "kube/workload.h"
#include "plan/text.h"

/* A value and the source position that decided it. `set` is false if the field is absent. */
struct plan_str {
	struct str value;
	struct span from;
	bool set;
};
struct plan_int {
	int64_t value;
	struct span from;
	bool set;
};
struct plan_bool {
	bool value;
	struct span from;
	bool set;
};
struct plan_quantity {                  /* cpu, memory or the like; a duration is in nanoseconds */
	struct quantity value;
	struct span from;
	bool set;
};

/* The text of a map entry with a static value: in labels, annotations and `node`. */
struct plan_pair {
	struct str key, value;
	struct span from;
	struct span key_at;
};
struct plan_pairs {
	struct plan_pair *at;
	size_t n;
};

struct plan_texts {                     /* texts of a command or its arguments */
	struct text *at;
	size_t n;
	/*
	 * If the list has a computed element (only in unrolled roles), per_replica[i] is the list of replica i, and
	 * `at` is empty.
	 */
	struct plan_texts *per_replica;
	bool set;
	struct span from;
};

enum env_kind { ENV_TEXT, ENV_SECRET, ENV_CONFIG };

enum volume_kind {
	VOLUME_PVC, VOLUME_SCRATCH, VOLUME_SECRET, VOLUME_CONFIG, VOLUME_HOST_PATH, VOLUME_NFS, VOLUME_GENERATED,
	VOLUME_CLAIM,                   /* each replica has its own claim */
	VOLUME_CSI                      /* a CSI driver makes it for each pod */
};

enum probe_kind { PROBE_TCP, PROBE_HTTP, PROBE_EXEC };

/* The kinds from CONDITION_AND on join other conditions. */
enum condition_kind {
	CONDITION_DONE, CONDITION_READY, CONDITION_STARTED,
	/* the copy that has the role is lost, or was scaled away: a part of done() of an elastic cell */
	CONDITION_GONE,
	CONDITION_AND, CONDITION_OR,
	CONDITION_LEAST,                /* at least `index` of the conditions in the lists `left` and `right` hold */
	CONDITION_LIST                  /* a list of conditions below CONDITION_LEAST: it has no truth of its own */
};

enum { CONDITION_ALL = -1, CONDITION_ANY = -2 };

struct plan_condition {
	enum condition_kind kind;
	unsigned role;                  /* position of the role in plan_job.roles */
	/* DONE: index of the replica; CONDITION_ALL stands for all replicas, CONDITION_ANY for any one */
	int64_t index;
	const struct plan_condition *left, *right;      /* AND, OR, LEAST, LIST: the two operands */
	/* of a condition about a cell or a copy: how the language writes it, such as ready(server); otherwise empty */
	struct str says;
	/*
	 * number of operands in the whole tree besides the first; a shared part counts each time it occurs. The number
	 * is limited, so that walking over the tree takes a bounded time
	 */
	unsigned more;
	struct span from;
};

/* Does the condition join two others? */
static inline bool condition_joins(const struct plan_condition *c) { return c->kind >= CONDITION_AND; }

enum replica_service { REPLICA_HEADLESS, REPLICA_CLUSTER, REPLICA_UNSERVED };

/* A set of exit codes. If `set` is false, the program names no codes, and the set contains all codes. */
struct plan_codes {
	bool set;
	uint64_t bits[4];               /* a set of codes: code c is bit c % 64 of word c / 64 */
	struct span from;
};

enum plan_place_kind { PLACE_ANYWHERE, PLACE_NEAR, PLACE_PREFER, PLACE_PACK, PLACE_EACH };

/* The dimensions of a layout; the last three are those of experts. */
enum plan_dimension {
	DIMENSION_TP, DIMENSION_CP, DIMENSION_FSDP, DIMENSION_DP, DIMENSION_PP, DIMENSION_EP, DIMENSION_ETP,
	DIMENSION_EDP, DIMENSIONS
};

enum host_form {
	HOSTS_SUBDOMAIN,                /* hosts are named "J-R-i.J"; the job has one headless Service J */
	HOSTS_SERVICE,                  /* hosts are named "J-R-i.N.svc[.domain]"; each replica has a Service */
	/*
	 * hosts are named "J-R-i", the short name of the same Services, which the DNS search list of the namespace
	 * completes
	 */
	HOSTS_NAME
};

/* The structs of a job: plan_env to plan_job. Each member has a row there. */
#include "data/shape_structs.h"
#include "plan/plan.def"
#include "data/shape_end.h"

/* The version of an add-on of the cluster, if the project names one. */
struct plan_addon {
	unsigned version;               /* the version, in the form of kube/addon.h; 0: the project does not name one */
	struct span at;
};

struct plan {
	struct plan_job *jobs;
	size_t njobs;
	struct plan_addon addons[ADDONS];
	unsigned kubernetes;            /* minor version of Kubernetes: 34 for "1.34" */
	struct str target;              /* name of the target, for example "jobs" */
	struct span target_at;          /* position of the target's name; unknown when it is the default */
	struct str run_id;              /* identity of the run; empty if the run has no identity */
	bool here;                      /* for replicas of this machine: no target has to keep the plan */
};

/* ---- what replicas request ---- */

/* Returns what container C requests in replica I. */
/* The limits of memory and disk: what is written, else the request; not set if there is none. */
const struct plan_quantity *plan_memory_limit(const struct plan_amounts *asks);
const struct plan_quantity *plan_disk_limit(const struct plan_amounts *asks);
static inline const struct plan_amounts *plan_amounts(const struct plan_container *c, int64_t i)
{
	return c->per_replica ? &c->per_replica[i] : &c->asks;
}
/* Can a container of the role request other amounts in one replica than in another? */
bool plan_role_differs(const struct plan_role *r);
/* Do the containers of replicas I and K request the same amounts? */
bool plan_asks_alike(const struct plan_role *r, int64_t i, int64_t k);
/*
 * Returns the first replica after I whose requests differ from those of all replicas up to I, or the role's maximum.
 * A loop that starts with I = -1 visits one replica of each kind.
 */
int64_t plan_next_kind(const struct plan_role *r, int64_t i);
/* Returns how many of the replicas 0 to N - 1 request the same as replica I. */
int64_t plan_kind_size(const struct plan_role *r, int64_t i, int64_t n);
/* The role of that name in the plan, where a role of a cell is CELL-ROLE-COPY; NULL if it has none. */
const struct plan_role *plan_find_role(const struct plan_job *j, struct str name);
/* Returns a copy of the role with the amounts of replica I only: no container of the copy has `per_replica`. */
struct plan_role plan_role_of(struct arena *a, const struct plan_role *r, int64_t i);
/* Returns a copy of the role with the largest request of any replica, for each resource separately. */
struct plan_role plan_role_most(struct arena *a, const struct plan_role *r);

/* ---- exit codes ---- */

/* Adds the codes from LO to HI, inclusive; both are in 0..255. */
void plan_codes_add(struct plan_codes *c, int64_t lo, int64_t hi);
bool plan_codes_has(const struct plan_codes *c, int64_t code);
/*
 * Finds the first range of consecutive codes that starts at *HI + 1 or later; false if no such range follows. Start
 * with *HI = -1.
 */
bool plan_codes_next(const struct plan_codes *c, int64_t *lo, int64_t *hi);
/* Formats a set of codes, such as "17, 128..255", with SEPARATOR between ranges. */
struct str plan_codes_text(struct arena *a, const struct plan_codes *c, const char *separator);

/* ---- layouts ---- */

/* The name of a dimension, and the dimension with a name; DIMENSIONS if there is none. */
const char *plan_dimension_name(enum plan_dimension d);
enum plan_dimension plan_dimension_find(struct str name);
int64_t plan_layout_degree(const struct plan_layout *l, enum plan_dimension d);
/* The number of consecutive ranks that hold whole groups of D, and whose number divides that of all ranks. */
int64_t plan_layout_extent(const struct plan_layout *l, enum plan_dimension d);
/* The position of RANK in its group of D, and the rank at position I of the group in which RANK has position 0. */
int64_t plan_layout_position(const struct plan_layout *l, enum plan_dimension d, int64_t rank);
int64_t plan_layout_rank(const struct plan_layout *l, enum plan_dimension d, int64_t rank, int64_t i);
/* The degrees above 1 as text: "tp 8, pp 4, dp 2"; "dp 1" if there are none. */
struct str plan_layout_text(struct arena *a, const struct plan_layout *l);

/* ---- places ---- */

/* Is VALUE one of those that nodes may have for the label of C? */
bool plan_choice_takes(const struct plan_choice *c, struct str value);
/*
 * Formats the node labels by which the accelerator of a role is found, such as "example.com/npu = n1 or n2"; empty for
 * a role without such labels.
 */
struct str plan_nodes_text(struct arena *a, const struct plan_role *r);
/* Formats `node_in` and `avoid`, such as "pool = a or b, not spot = any"; empty without them. */
struct str plan_labels_text(struct arena *a, const struct plan_role *r);
/* Formats the zones, such as "eu-west-1a or eu-west-1b"; empty for a role that may run in any zone. */
struct str plan_zones_text(struct arena *a, const struct plan_role *r);
/* Formats a place as a program writes it, such as near("rack"); empty for a role that may run anywhere. */
struct str plan_place_text(struct arena *a, const struct plan_place *p);
/* Do two roles of a job have one `place` together, so that they share one domain? */
bool plan_place_shared(const struct plan_role *r, const struct plan_role *other);

/* ---- slices ---- */

/* Is the role divided into slices? A role with more slices than replicas is not: that was reported. */
static inline bool plan_is_sliced(const struct plan_role *r) { return r->slices > 1 && r->max >= r->slices; }
/* Returns the number of slices; 1 for a role that is not divided. */
static inline int64_t plan_slices(const struct plan_role *r) { return plan_is_sliced(r) ? r->slices : 1; }
/* Returns the number of replicas in one slice; for a role that is not divided, of all replicas. */
static inline int64_t plan_slice_size(const struct plan_role *r)
{
	return plan_is_sliced(r) ? r->max / r->slices : r->max;
}
/* The first function returns the slice of replica I, the second its index in that slice. */
static inline int64_t plan_slice_of(const struct plan_role *r, int64_t i)
{
	return plan_is_sliced(r) ? i / plan_slice_size(r) : 0;
}
static inline int64_t plan_index_in_slice(const struct plan_role *r, int64_t i)
{
	return plan_is_sliced(r) ? i % plan_slice_size(r) : i;
}

/* ---- names ---- */

/* Returns a name in the form of Kubernetes: `_` becomes `-`, and letters become lower case. */
struct str plan_label(struct arena *a, struct str name);
/* Do the copies of the cell start together, if the job has a gang? Otherwise each copy is a gang by itself. */
static inline bool plan_cell_together(const struct plan_cell *c) { return str_is(c->starts.value, "together"); }
/* The cell to which the role belongs; NULL if it is in none, or in one that a record of an earlier version left out. */
const struct plan_cell *plan_cell_of(const struct plan_job *j, const struct plan_role *r);
/* Do two roles belong to the same copy of a cell? */
static inline bool plan_same_copy(const struct plan_role *r, const struct plan_role *other)
{
	return r->cell.n && r->copy == other->copy && str_eq(r->cell, other->cell);
}
/* The name of the role in its cell, or in the job if it is in no cell. */
struct str plan_role_inner(const struct plan_role *r);
/* The address of the role in commands: ROLE, or CELL/COPY/ROLE. */
struct str plan_role_address(struct arena *a, const struct plan_role *r);
/* Appends how the language names the role in its job: worker, or server[3].worker. */
void plan_put_role(const struct plan_role *r, struct buf *out);
/* Is NAME that of the role, or for a role of a cell, CELL/COPY/ROLE? */
bool plan_role_named(const struct plan_role *r, struct str name);
/*
 * Appends the name of the pod of replica i: J-R-i. In a set of Jobs the controller makes the names: the Job is J-R-0
 * and its pods J-R-0-i; an unrolled role has a Job J-R-i-0 for each replica, and pods J-R-i-0-0. Slice s of a role
 * with several slices has the Job J-R-s and the pods J-R-s-i, where i is the index within the slice. In a set of
 * groups, pod 0 of copy c of cell C is J-C-c, and its other pods are J-C-c-k, where k counts the pods of all roles of
 * the copy.
 */
void plan_replica_name(const struct plan_role *r, int64_t i, struct buf *out);
/*
 * The parts of the names of a role's pods after `object`, before and after the index; must not be called for a role
 * whose name has no index.
 */
struct plan_name {
	const char *before, *after;
	/* before the index there is a "-" and the number of the slice, and the index is that within the slice */
	bool sliced;
};
struct plan_name plan_pod_name(const struct plan_role *r);
/* The name of a role in the set of groups of its cell, without the copy: J-C for all of them, and C-R for this one. */
struct str plan_group_name(struct arena *a, const struct plan_role *r);
struct str plan_group_role(struct arena *a, const struct plan_role *r);
/*
 * The parts of host names before and after the index: those of the pod's name, or of the name J-R-i of a replica's
 * own Service.
 */
struct plan_name plan_host_name(const struct plan_job *j, const struct plan_role *r);
/*
 * Appends the host name of replica i, in the form that the job's `hosts` selects: its pod's name and ".J", or
 * "J-R-i.N.svc[.domain]".
 */
void plan_host(const struct plan_job *j, const struct plan_role *r, int64_t i, struct buf *out);
/* Appends the part of a host name after plan_host_name(): ".J", ".N.svc[.domain]", or nothing. */
void plan_host_tail(const struct plan_job *j, struct buf *out);
/* Returns the namespace in addresses: the job's, or "default". */
struct str plan_namespace(const struct plan_job *j);
const struct plan_port *plan_find_port(const struct plan_role *r, struct str name);
/* Returns the sub path in a claim, for a replica whose index in its slice is I. */
struct str plan_volume_path(struct arena *a, const struct plan_volume *v, int64_t i);
/* Returns the mount of the container at that path, which must be normalized; or NULL. */
/* The name of an extra object: the one in its metadata, or JOB-NAME. */
struct str plan_object_name(struct arena *a, const struct plan_job *j, const struct plan_object *o);
/*
 * The texts by their keys of an object whose keys become variables: a map, or NULL if the program does not have the
 * object, or not as text.
 */
const struct data *plan_source_data(struct arena *a, const struct plan_job *j, const struct plan_source *s);
/* How the language writes it: secret_env("aws", prefix = "AWS_"). */
struct str plan_source_text(struct arena *a, const struct plan_source *s);
const struct plan_mount *plan_find_mount(const struct plan_container *c, struct str path);

/* ---- texts of one replica ---- */

/* How replicas are reached: decides the text of host and port pieces. */
struct placement {
	void *context;
	void (*host)(void *context, const struct plan_job *j, const struct plan_role *r, int64_t i, struct buf *out);
	int64_t (*port)(void *context, const struct plan_job *j, const struct plan_role *r, int64_t i, struct str name);
};
extern const struct placement placement_cluster;        /* the placement in a cluster: host names and declared ports */

/*
 * Appends the complete text of replica I. `field` appends a fact that only the pod knows, and `env` appends the value
 * of an earlier variable. If `field` is NULL, the function returns false at the first such fact and appends nothing
 * more.
 */
struct pod_facts {
	void *context;
	bool (*field)(void *context, enum pod_field field, struct buf *out);
	bool (*env)(void *context, struct str name, struct buf *out);
};
bool plan_text(const struct plan_job *j, const struct plan_role *r, int64_t i, const struct text *t,
	const struct placement *where, const struct pod_facts *facts, struct buf *out);

/*
 * Returns the finished environment of a container in replica I, in the container's order: each variable once, with
 * its value or its reference. A value that contains facts that only the pod knows is a list of pieces (text and field
 * pieces only). References to earlier variables are replaced by their values.
 */
struct env_value {
	struct str name;
	enum env_kind kind;
	bool whole;                     /* ENV_TEXT: the text is `value`; otherwise it is in `pieces` */
	struct str value;
	struct text pieces;
	struct str object, key;
	const struct plan_env *from;
};
struct env_values {
	struct env_value *at;
	size_t n;
};
struct env_values plan_env(struct arena *a, const struct plan_job *j, const struct plan_role *r,
	const struct plan_container *c, int64_t i, const struct placement *where);

/* Formats a condition as the language writes it: "done(chief) and done(worker, 0)". */
struct str plan_condition_text(struct arena *a, const struct plan_job *j, const struct plan_condition *c);

/* Does a condition mention the role? */
bool plan_condition_reads(const struct plan_condition *c, unsigned role);

/* ---- success, kinds of objects, and what a job needs ---- */

enum { PLAN_SUCCESS_RULES = 20, PLAN_SUCCESS_INDEXES = 64 };

/* A success that depends on the indexes of one role: one of the sets must have succeeded completely. */
struct plan_index_set {
	int64_t at[PLAN_SUCCESS_INDEXES];       /* indexes of the replicas, in ascending order */
	size_t n;
	/* if n is 0, any one replica is enough; otherwise the named indexes imply it */
	bool any;
};
struct plan_success {
	unsigned role;
	struct plan_index_set sets[PLAN_SUCCESS_RULES];
	size_t n;
};
/*
 * Reads an `and` of done(role, i) over one role; false for another condition. If *ROLE is UINT32_MAX, any role
 * matches and is stored there; otherwise only *ROLE matches.
 */
bool plan_index_set(const struct plan_condition *c, unsigned *role, struct plan_index_set *ret);
/* Does the success of the job have this form, and may Kubernetes stop the remaining replicas of that role? */
bool plan_success_rule(const struct plan_job *j, struct plan_success *ret);
/*
 * The success of a set of Jobs: all of some Jobs are complete, or any of them is.  A Job represents a role, or one
 * replica of an unrolled role.
 */
struct plan_set_job {
	unsigned role;
	int64_t index;                  /* index of the replica, for an unrolled role; otherwise -1 */
};
struct plan_set_success {
	bool any;
	struct plan_set_job *at;
	size_t n;
	/* the part of the condition that does not have this form; NULL if every part has this form */
	const struct plan_condition *because;
};
/* Does the success of the job have this form? */
bool plan_set_success(struct arena *a, const struct plan_job *j, struct plan_set_success *ret);
/*
 * Finds the indexes that complete the Job of a role in a set before all of its replicas have succeeded; false if no
 * such indexes exist.
 */
bool plan_set_rule(const struct plan_job *j, const struct plan_role *r, struct plan_success *ret);
/*
 * Finds the Jobs that must be complete or ready for a done(), ready() or started(). Returns false if it is not about
 * all replicas of these Jobs.
 */
bool plan_set_waits(struct arena *a, const struct plan_job *j, const struct plan_condition *c,
	struct plan_set_success *ret);

/*
 * Returns the kind of object that role R of job J becomes. It is the target's kind, with two exceptions: a Deployment
 * for an aux role that always restarts (outside of a set of Jobs), and a Job for each replica if the framework
 * requires that.
 */
const struct workload *plan_workload(const struct plan_job *j, const struct plan_role *r);
/* Are all pods of R made by a single object, whose name has no index? Otherwise each replica has a name of its own. */
bool plan_role_is_numbered(const struct plan_job *j, const struct plan_role *r);
/* Does the target make an object for each replica of J, even if replicas do not differ? */
bool plan_each_replica(const struct plan_job *j);
/* Does the kubelet restart a failed container in place, without counting this? It does unless `restart` is "never". */
bool plan_role_restarts(const struct plan_role *r);
/* If replicas are objects of their own, does each one have a Service too? */
bool plan_role_is_served(const struct plan_job *j, const struct plan_role *r);
/* Returns the number of Job objects of the job. */
size_t plan_job_objects(const struct plan_job *j);
/* Has the job a `ttl` that Kubernetes does not apply by itself? It does so for a single Job, not for a pod. */
bool plan_ttl_is_left(const struct plan_job *j);

/*
 * The volumes with generated content: one for each kind of content, the first that a container of a role with
 * replicas mounts.
 */
struct plan_volumes {
	const struct plan_volume **at;
	size_t n;
};
struct plan_volumes plan_generated(struct arena *a, const struct plan_job *j);

/* What the job needs from the runtime, as sentences ("stop role 'ps' when the job has succeeded"). */
struct plan_needs {
	struct str *at;
	size_t n;
	/*
	 * number of sentences at the start that are about creating generated content, one for each of plan_generated();
	 * `apply` does this
	 */
	size_t generated;
	/*
	 * number of sentences at the end: no command and no controller does these things in a cluster, because pods
	 * would have to be re-created, for which the record of a run has no data. A local run does them
	 */
	size_t undone;
};
struct plan_needs plan_needs_runtime(struct arena *a, const struct plan_job *j);

#endif
