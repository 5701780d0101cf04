/*
 * plan.h - what runs, where, with what, after what: the waist of the compiler.
 *
 * The phases before it know the language and nothing of Kubernetes; those after it know nothing of the language.  A
 * plan is plain data: every default is explicit, every value has the place that decided it (`from`), and what only the
 * pod or a placement knows is a piece of text (text.h).
 *
 * One function gives the finished environment of replica i: plan_env().  Every target, `trainc env`, the local backend
 * and the tests use that one.
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

/* A value and the place that decided it.  `set` false: the field is absent. */
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
struct plan_quantity {                  /* cpu or memory; a duration is in nanoseconds */
	struct quantity value;
	struct span from;
	bool set;
};

/* Text of a map entry whose value is static: labels, annotations, node. */
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
	/* When the list has a computed element (unrolled roles): the list of replica
	 * i is per_replica[i]; `at` is then empty. */
	struct plan_texts *per_replica;
	bool set;
	struct span from;
};

enum env_kind { ENV_TEXT, ENV_SECRET, ENV_CONFIG };

struct plan_env {
	struct str name;
	struct span name_at;
	enum env_kind kind;
	struct text text;               /* ENV_TEXT: the value, if `per_replica` is NULL */
	/* ENV_TEXT of an unrolled role whose value is computed: one for each replica, some perhaps absent; else NULL */
	const struct text *per_replica;
	struct str object, key;         /* ENV_SECRET, ENV_CONFIG: the object's name and its key */
	bool framework;                 /* set by the framework or accelerator, not by the job */
	struct span from;
};

struct plan_port {
	struct str name;                /* name of the volume as written in the program */
	int64_t port;
	struct span from, name_at;
};

enum volume_kind {
	VOLUME_PVC, VOLUME_SCRATCH, VOLUME_SECRET, VOLUME_CONFIG, VOLUME_HOST_PATH, VOLUME_NFS, VOLUME_GENERATED,
	VOLUME_CLAIM                    /* each replica has its own claim */
};

struct plan_volume {
	enum volume_kind kind;
	/* claim, scratch or own claim's name, Secret or ConfigMap name, kind of generated thing, NFS server */
	struct str name;
	struct str path;                /* the path inside a claim, or the path on the host or server */
	/* the sub path, where replicas differ in it: text and index pieces; then `path` is only for display */
	struct text path_text;
	bool readonly, shared, memory;  /* properties of the volume; memory: scratch with medium = "memory" */
	bool unasked;                   /* readonly by default, not because the program says so: a directory of the
					 * node */
	struct quantity size;           /* size of scratch space or of the replica's own claim */
	struct str class;               /* storage class of the replica's own claim; empty: the cluster's default */
	bool keep;                      /* the replica's own claim is kept: an object of the job; otherwise it ends with
					 * the pod */
	struct span from;
};

struct plan_mount {
	struct str path;                /* path in the container, normalized */
	struct span path_at;
	const struct plan_volume *volume;
	bool framework;                 /* the mount is from the framework or accelerator */
};

struct plan_file {
	struct str path;
	struct span path_at;
	struct text text;               /* the text, with pieces of text, index, host and port only */
	const struct text *per_replica; /* for an unrolled role with computed text: a text for each replica; otherwise
					 * NULL */
	bool framework;
	struct span from;
};

struct plan_limits {
	struct plan_quantity cpu, memory, disk;
};

enum probe_kind { PROBE_TCP, PROBE_HTTP, PROBE_EXEC };

/* When a container counts as ready. */
struct plan_probe {
	enum probe_kind kind;
	struct str port, path;          /* TCP, HTTP: the name of a port of the container; HTTP: the path of the
					 * request */
	struct plan_str *command;       /* EXEC: the command of the probe */
	size_t ncommand;
	int64_t within;                 /* number of seconds after which a container that is not ready is restarted */
	struct span from;
};

/* What a container requests besides cpu, memory, disk and its accelerator; request and limit are equal. */
struct plan_resource {
	struct str name;                /* name of the resource: "rdma/hca", "hugepages-2Mi" */
	struct span name_at;
	struct quantity amount;         /* the amount, a whole positive number */
	bool bytes;                     /* huge pages, whose `amount` is memory; otherwise it is a count */
	struct span from;
};

/* What a container requests; devices of an accelerator are the role's. */
struct plan_amounts {
	struct plan_quantity cpu, memory, disk;
	struct plan_limits limits;
	struct plan_resource *resources;
	size_t nresources;
};

struct plan_container {
	struct str name;                /* name of the container as written; a DNS label after mapping */
	struct span name_at;
	struct plan_str image, pull, workdir;
	struct plan_texts command, args;
	/* text of all levels in order: accelerator, framework, framework role, job, job role */
	struct plan_env *env;
	size_t nenv;
	struct plan_port *ports;
	size_t nports;
	struct plan_mount *mounts;
	size_t nmounts;
	/* of every replica; of replica 0 with `per_replica`: see plan_amounts() */
	struct plan_amounts asks;
	const struct plan_amounts *per_replica; /* for an unrolled role whose replicas differ: amounts of each replica;
						 * otherwise NULL */
	const struct plan_probe *ready; /* when the container is ready; NULL: as soon as it runs */
	const struct data *raw;         /* the `raw container`: a map, or NULL */
	bool init;                      /* an init container; otherwise the main container or a sidecar */
};

struct plan_accelerator {
	struct str name;                /* name of the accelerator as written: "acme.a1" */
	struct str spelling;            /* the accelerator with its arguments: "acme.a1(8)" */
	struct str resource;
	struct span resource_at;
	int64_t per_pod, pods;
	struct plan_str slice;          /* a label of nodes; all nodes of one slice have the same value of it */
	struct plan_quantity memory;    /* memory of one device */
	struct plan_pairs node;
	struct plan_str *tolerate;
	size_t ntolerate;
	struct plan_pairs env;
	struct plan_mount *mounts;
	size_t nmounts;
	/* a pattern of device files on one machine; like `visible`, for the local backend */
	struct plan_str devices;
	/* name of the variable with the numbers of the devices that a program may use */
	struct plan_str visible;
	struct span from;               /* the place where the role requests the accelerator */
};

enum condition_kind { CONDITION_DONE, CONDITION_READY, CONDITION_STARTED, CONDITION_AND, CONDITION_OR };

enum { CONDITION_ALL = -1, CONDITION_ANY = -2 };

struct plan_condition {
	enum condition_kind kind;
	unsigned role;                  /* position of the role in plan_job.roles */
	int64_t index;                  /* DONE: index of the replica; CONDITION_ALL or CONDITION_ANY for all or any of
					 * them */
	const struct plan_condition *left, *right;      /* AND, OR: the two operands */
	/*
	 * number of parts besides the first, counted as often as they occur: bounded, so that walking over it is safe
	 */
	unsigned more;
	struct span from;
};

/* A label of the objects that each stand for one replica. */
struct plan_replica_label {
	struct str key;
	struct span key_at;
	struct text text;               /* the value, with pieces of text and index only; used without per_replica */
	const struct text *per_replica; /* for computed values: the value of each replica, some perhaps absent;
					 * otherwise NULL */
	bool selects;                   /* a label of the whole framework: a replica's Service selects its pod by it */
	struct span from;
};

enum replica_service { REPLICA_HEADLESS, REPLICA_CLUSTER, REPLICA_UNSERVED };

/* What a role becomes in a target with one object for each replica. */
struct plan_replica {
	bool set;                       /* the framework has such a block: its labels are used in addition to those of
					 * trainc */
	bool job;                       /* each replica is a Job, not a pod */
	enum replica_service service;
	struct span service_from;
	struct plan_replica_label *labels;      /* the number of labels at the start of the list that select */
	size_t nlabels;
};

/* A set of exit codes.  If it is not `set`, no codes were chosen, and all are meant. */
struct plan_codes {
	bool set;
	uint64_t bits[4];               /* a set of codes: code c is bit c % 64 of word c / 64 */
	struct span from;
};

enum plan_place_kind { PLACE_ANYWHERE, PLACE_NEAR, PLACE_PREFER, PLACE_PACK };

/*
 * Where the replicas of a role run: in one domain of a level of the cluster's topology, such as
 * one rack.  Nodes of one domain have the same value of the level's label.
 */
struct plan_place {
	enum plan_place_kind kind;
	struct str level;               /* NEAR, PREFER: the level as written, "rack" */
	/*
	 * Labels of the levels that replicas are to share, outermost first; the last is that of
	 * `level`.  NEAR has only that one; PACK has all.
	 */
	struct str *keys;
	size_t nkeys;
	int64_t tier;                   /* how many levels out the level is: 1 for the innermost group of hosts; 0:
					 * it is not in the topology */
	bool together;                  /* the place is for all roles of the job that have it together, not for this
					 * role alone */
	struct span from;
};

struct plan_role {
	struct str name;                /* name of the role as written */
	/* J-R: name of its object, and of its pods without the index; the framework may give another */
	struct str object;
	/* the framework names its only replica: `object` is the whole name, and has no index */
	bool one_name;
	struct str label;               /* label of the role: its name with `_` mapped to `-`, in lower case */
	/*
	 * the target makes one set of all roles, whose Jobs have one number more in their names:
	 * see plan_replica_name()
	 */
	bool in_set;
	struct span at;                 /* place of the role's block, or of the item that declared the role */
	bool aux, endless;
	int64_t min, max;               /* numbers of replicas; equal unless the role is elastic */
	/* parts of the role that have an accelerator's topology each; up to 1: the role is not divided */
	int64_t slices;
	struct span slices_at;
	/* number of processes that a replica starts, for a warning only; 0: one for each device */
	int64_t processes;
	bool elastic;
	/* the number of replicas could not be evaluated (reported): min and max are 0 and mean nothing */
	bool unknown;
	struct span replicas_at;
	/* unrolled: one object for each replica; else indexed: one object for all */
	bool unrolled;
	struct span unrolled_because;   /* place of the expression that makes unrolling necessary; unknown with
					 * --unroll */

	struct plan_container main;
	struct plan_container *sidecars, *inits;
	size_t nsidecars, ninits;
	struct plan_file *files;
	size_t nfiles;
	struct plan_quantity shm, grace;
	const struct plan_accelerator *accelerator;     /* the accelerator of the role, or NULL */
	struct plan_pairs node;         /* node labels that the role requires; those of the accelerator are in
					 * `accelerator` */
	struct plan_str *zones;         /* the zones that may be used, any one of them; empty: every zone */
	size_t nzones;
	struct plan_place place;
	/* of devices, for the main container: name in the pod, and its ResourceClaimTemplate */
	struct plan_pairs claims;
	/* the same with a ResourceClaim that all pods have; no name is in both */
	struct plan_pairs shared_claims;
	struct plan_str *tolerate, *pull_secrets;
	size_t ntolerate, npull_secrets;
	struct plan_str spread, restart, service, service_account;
	struct plan_int retries;
	struct plan_codes retry_on;     /* exit codes after which a replica is retried */
	/*
	 * "fail", "restart", "replace", "ignore"; not set: a failure restarts the job if the role may restart, else it
	 * fails
	 */
	struct plan_str on_failed_pod;
	const struct plan_condition *start_after;       /* the condition that the role waits for before it starts; NULL:
							 * none */
	struct plan_pairs labels, annotations;          /* labels and annotations of this role only */
	struct plan_replica replica;
	const struct data *raw_pod, *raw_job;
};

struct plan_object {                    /* an extra object of the program: object NAME { } */
	struct str name;
	struct span name_at;
	const struct data *data;
	bool framework;                 /* the framework declares the object, because the replicas need it */
};

enum host_form {
	HOSTS_SUBDOMAIN,                /* hosts are named "J-R-i.J"; the job has one headless Service J */
	HOSTS_SERVICE,                  /* hosts are named "J-R-i.N.svc[.domain]"; each replica has a Service */
	/* "J-R-i": the same Services by their short name, which the search list of the namespace completes */
	HOSTS_NAME
};

struct plan_job {
	struct str name;
	struct span name_at;
	struct str framework;           /* name of the framework as written: "single.task"; empty if there is none */
	struct str base;                /* name of the innermost framework: "task"; empty if there is none */
	/*
	 * arguments of the framework by name, as a map with every default and without what is
	 * none; NULL without a framework
	 */
	const struct data *arguments;
	struct plan_str ns;             /* namespace, if the program or the command line gives one */
	enum host_form hosts;
	struct str domain;              /* DNS domain of the cluster; empty if not set */
	/* what its roles become in the target, unless plan_workload() has a reason for another kind */
	enum workload_id workload;
	/* the target has one object for the job, by which a controller starts, restarts and ends replicas */
	bool controller;
	bool namespace_in_address;      /* some address contains the namespace, so it must be written */
	struct plan_str queue, scheduler, priority, clean;
	struct plan_str gang;           /* the gang scheduler in effect: "kueue" for a job that has a queue and writes
					 * none */
	struct plan_quantity timeout, ttl;
	struct plan_int restarts;
	struct plan_bool suspend;
	const struct plan_condition *success;           /* when the job has succeeded; NULL: there is nothing to wait
							 * for (only endless or aux roles) */
	bool success_written;           /* the framework or job sets `success`: it is not the default */
	/* when it counts as running; NULL: as soon as one replica runs */
	const struct plan_condition *running;
	struct plan_pairs labels, annotations;          /* labels and annotations of the job, for every object and
							 * pod */
	const struct str *reserved;     /* environment names that the framework locks; a name may be a prefix:
					 * PREFIX_* */
	size_t nreserved;
	/* the framework's variables follow the job's; reserved names that the job sets are dropped */
	bool env_after;
	/* framework roles in its order, other roles, then aux; those with 0 replicas too */
	struct plan_role *roles;
	size_t nroles;
	struct plan_object *objects;
	size_t nobjects;
	const struct data *raw_service;
};

/* The version of an add-on of the cluster, where the project names one. */
struct plan_addon {
	unsigned version;               /* the version of the add-on, as in kube/addon.h; 0: not named */
	struct span at;
};

struct plan {
	struct plan_job *jobs;
	size_t njobs;
	struct plan_addon addons[ADDONS];
	unsigned kubernetes;            /* minor version of Kubernetes: 34 for "1.34" */
	struct str target;              /* the target: "jobs" */
	struct span target_at;          /* place of the target; unknown when it is the default */
	struct str run_id;              /* identity of the run; empty if there is none */
};

/* ---- what replicas ask for ---- */

/* What the container of replica I requests. */
static inline const struct plan_amounts *plan_amounts(const struct plan_container *c, int64_t i)
{
	return c->per_replica ? &c->per_replica[i] : &c->asks;
}
/* May some container of the role ask for other amounts in one replica than in another? */
bool plan_role_differs(const struct plan_role *r);
/* Do the containers of replicas I and K ask for the same? */
bool plan_asks_alike(const struct plan_role *r, int64_t i, int64_t k);
/*
 * The first replica after I that requests something that no replica up to I requests, or the role's maximum.  Start
 * with I = -1: one replica of each kind.
 */
int64_t plan_next_kind(const struct plan_role *r, int64_t i);
/* How many of replicas 0 to N - 1 request what replica I requests. */
int64_t plan_kind_size(const struct plan_role *r, int64_t i, int64_t n);
/* The role with only the amounts of replica I: none of its containers has `per_replica`. */
struct plan_role plan_role_of(struct arena *a, const struct plan_role *r, int64_t i);
/* The role with the most that one of its replicas requests, for each resource separately. */
struct plan_role plan_role_most(struct arena *a, const struct plan_role *r);

/* ---- exit codes ---- */

/* Adds the codes from LO to HI, both included and both of 0..255. */
void plan_codes_add(struct plan_codes *c, int64_t lo, int64_t hi);
bool plan_codes_has(const struct plan_codes *c, int64_t code);
/* The first run of neighboring codes that starts at *HI + 1 or later; false after the last.  Start with *HI = -1. */
bool plan_codes_next(const struct plan_codes *c, int64_t *lo, int64_t *hi);
/* "17, 128..255" with SEPARATOR between the runs. */
struct str plan_codes_text(struct arena *a, const struct plan_codes *c, const char *separator);

/* ---- places ---- */

/* "eu-west-1a or eu-west-1b"; empty for a role that may run in any zone. */
struct str plan_zones_text(struct arena *a, const struct plan_role *r);
/* "near(\"rack\")", as a program writes it; empty for a role that may run anywhere. */
struct str plan_place_text(struct arena *a, const struct plan_place *p);
/* Do the two roles of J ask for one place together, so that they share one domain? */
bool plan_place_shared(const struct plan_role *r, const struct plan_role *other);

/* ---- slices ---- */

/* Is the role divided into slices?  Not into more than it has replicas: that is reported. */
static inline bool plan_is_sliced(const struct plan_role *r) { return r->slices > 1 && r->max >= r->slices; }
/* The number of its slices: a role that is not divided is one. */
static inline int64_t plan_slices(const struct plan_role *r) { return plan_is_sliced(r) ? r->slices : 1; }
/* Replicas of one slice; all of a role that is not divided. */
static inline int64_t plan_slice_size(const struct plan_role *r)
{
	return plan_is_sliced(r) ? r->max / r->slices : r->max;
}
/* The slice of replica I, and its index in it. */
static inline int64_t plan_slice_of(const struct plan_role *r, int64_t i)
{
	return plan_is_sliced(r) ? i / plan_slice_size(r) : 0;
}
static inline int64_t plan_index_in_slice(const struct plan_role *r, int64_t i)
{
	return plan_is_sliced(r) ? i % plan_slice_size(r) : i;
}

/* ---- names ---- */

/* A name in the form of Kubernetes: `_` becomes `-`, letters become lower case. */
struct str plan_label(struct arena *a, struct str name);
/*
 * Name of the pod of replica i: J-R-i.  In a set of Jobs the controller makes
 * the names: the Job is J-R-0 and its pods J-R-0-i; an unrolled role has a Job
 * J-R-i-0 for each replica, and pods J-R-i-0-0.  Slice s of a role of several has
 * the Job J-R-s, whose pods J-R-s-i count within the slice.
 */
void plan_replica_name(const struct plan_role *r, int64_t i, struct buf *out);
/*
 * The parts of the names of a role's pods after `object`, before and after the index; not
 * for a role whose name has no index.
 */
struct plan_name {
	const char *before, *after;
	/* "-" and the number of the slice come first, and the index is that in the slice */
	bool sliced;
};
struct plan_name plan_pod_name(const struct plan_role *r);
/* The first part of host names in two pieces: the pod's name, or that of a replica's own Service, J-R-i. */
struct plan_name plan_host_name(const struct plan_job *j, const struct plan_role *r);
/* Host name of replica i of a role under the job's host form: its pod's name and ".J", or "J-R-i.N.svc[.domain]". */
void plan_host(const struct plan_job *j, const struct plan_role *r, int64_t i, struct buf *out);
/* The part of a host name after that of plan_host_name(): ".J", ".N.svc[.domain]", or nothing. */
void plan_host_tail(const struct plan_job *j, struct buf *out);
/* The namespace in addresses: the job's, or "default". */
struct str plan_namespace(const struct plan_job *j);
const struct plan_port *plan_find_port(const struct plan_role *r, struct str name);
/* The sub path of a claim for the replica with index I in its slice. */
struct str plan_volume_path(struct arena *a, const struct plan_volume *v, int64_t i);
/* The volume that the container mounts at that (normalized) path, or NULL. */
const struct plan_mount *plan_find_mount(const struct plan_container *c, struct str path);

/* ---- texts of one replica ---- */

/* Where replicas are: decides the text of host and port pieces. */
struct placement {
	void *context;
	void (*host)(void *context, const struct plan_job *j, const struct plan_role *r, int64_t i, struct buf *out);
	int64_t (*port)(void *context, const struct plan_job *j, const struct plan_role *r, int64_t i, struct str name);
};
extern const struct placement placement_cluster;        /* a placement with host names and declared ports */

/*
 * The text of replica `i` in full.  `field` gives what only the pod knows (NULL:
 * such a piece makes the function return false, nothing appended after it), `env`
 * the value of an earlier variable.
 */
struct pod_facts {
	void *context;
	bool (*field)(void *context, enum pod_field field, struct buf *out);
	bool (*env)(void *context, struct str name, struct buf *out);
};
bool plan_text(const struct plan_job *j, const struct plan_role *r, int64_t i, const struct text *t,
	const struct placement *where, const struct pod_facts *facts, struct buf *out);

/*
 * The finished environment of replica `i` of a container, in the container's
 * order: each variable once, with its value, or its reference, or - when it
 * contains something only the pod knows - pieces (text and field pieces only).
 * References to earlier variables are replaced by their values.
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

/* "done(chief) and done(worker, 0)": as the language writes it. */
struct str plan_condition_text(struct arena *a, const struct plan_job *j, const struct plan_condition *c);

/* Does a condition mention the role? */
bool plan_condition_reads(const struct plan_condition *c, unsigned role);

/* ---- what becomes of a job ---- */

enum { PLAN_SUCCESS_RULES = 20, PLAN_SUCCESS_INDEXES = 64 };

/* A success that one role decides by its indexes: it is enough that all of one of the sets have succeeded. */
struct plan_index_set {
	int64_t at[PLAN_SUCCESS_INDEXES];       /* indexes of the replicas, rising */
	size_t n;
	bool any;                               /* with n == 0: any one replica is enough */
};
struct plan_success {
	unsigned role;
	struct plan_index_set sets[PLAN_SUCCESS_RULES];
	size_t n;
};
/* An `and` of done(role, i) over one role.  `*role` is that role, or UINT32_MAX if any will do; then it is set. */
bool plan_index_set(const struct plan_condition *c, unsigned *role, struct plan_index_set *ret);
/* Is the success of the job such a rule, and may Kubernetes end the rest of that role? */
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
	const struct plan_condition *because;   /* the part that prevents such a rule; NULL: it is one */
};
/* Is the success of the job such a rule? */
bool plan_set_success(struct arena *a, const struct plan_job *j, struct plan_set_success *ret);
/*
 * The indexes that complete the Job of a role in a set before all of its replicas have succeeded;
 * false when there are none.
 */
bool plan_set_rule(const struct plan_job *j, const struct plan_role *r, struct plan_success *ret);
/* The Jobs that done(), ready() or started() is about; false when it is not about all replicas of them. */
bool plan_set_waits(struct arena *a, const struct plan_job *j, const struct plan_condition *c,
	struct plan_set_success *ret);

/*
 * The kind of object that role R of job J becomes: the target's kind, but a Deployment for an aux role that always
 * restarts (outside of a set of Jobs), and a Job for each replica where the framework requires that.
 */
const struct workload *plan_workload(const struct plan_job *j, const struct plan_role *r);
/* Are all pods of R made by one object without an index?  Otherwise the name of each replica is its own. */
bool plan_role_is_numbered(const struct plan_job *j, const struct plan_role *r);
/* Has the target an object for each replica of J, even where they do not differ? */
bool plan_each_replica(const struct plan_job *j);
/* Does the kubelet restart a failed container in place, without counting?  (`restart` is not "never".) */
bool plan_role_restarts(const struct plan_role *r);
/* Where replicas are objects of their own, has each a Service too? */
bool plan_role_is_served(const struct plan_job *j, const struct plan_role *r);
/* How many Job objects the job has. */
size_t plan_job_objects(const struct plan_job *j);

/*
 * What is generated for the job: one volume of each kind, namely the first that a container of a
 * role with replicas mounts.
 */
struct plan_volumes {
	const struct plan_volume **at;
	size_t n;
};
struct plan_volumes plan_generated(struct arena *a, const struct plan_job *j);

/* What the job needs the runtime for, as sentences ("stop role 'ps' when the job has succeeded"). */
struct plan_needs {
	struct str *at;
	size_t n;
	/*
	 * the first sentences are about creating what is generated, one for each of
	 * plan_generated(): apply does that
	 */
	size_t generated;
	/*
	 * number of sentences at the end about things that no command and no controller does in a cluster: pods would
	 * have to be re-created, for which the record of a run has no data.  A local run does these, too
	 */
	size_t undone;
};
struct plan_needs plan_needs_runtime(struct arena *a, const struct plan_job *j);

#endif
