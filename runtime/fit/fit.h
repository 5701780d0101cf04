/*
 * fit.h - do the pods of a job fit on the nodes of a cluster: now, when the cluster is empty, or never? Pure functions
 * over objects: nodes, the pods on them, quotas and the objects of Kueue. The computation follows the scheduler: it
 * considers requests with init containers and overhead, the limit of pods per node, labels, node affinity, taints,
 * cordoned nodes and required anti-affinity. Then it checks the quotas of the namespace and, if a queue admits the job,
 * the flavors of its ClusterQueue.
 */
#ifndef TRAINC_RUNTIME_FIT_FIT_H
#define TRAINC_RUNTIME_FIT_FIT_H

#include "base/map.h"
#include "data/data.h"
#include "runtime/status/status_object.h"

enum { FIT_RESOURCES = 24, FIT_CPU = 0, FIT_MEMORY = 1, FIT_PODS = 2 };

/* Names of resources; the index of a name is the number of the resource. CPUs are counted in thousandths. */
struct fit_resources {
	struct str at[FIT_RESOURCES];
	size_t n;
};

/* The number of a resource; FIT_RESOURCES if there are too many resources. */
size_t fit_resource(struct fit_resources *r, struct str name);
/* Does the resource have amounts of bytes, such as memory? */
bool fit_counts_bytes(struct str name);
/* An amount as the API writes it, rounded up. */
int64_t fit_amount(const struct data *d, bool thousandths);

/* ---- pods ---- */

/* Identical pods, such as those of a role. */
struct fit_shape {
	struct str role;
	int64_t count;
	int64_t least;                  /* least number with which Kueue starts an elastic role; 0: all or none */
	const struct data *spec, *labels;       /* spec and labels of the pods */
	struct str topology;            /* key of a node label: all pods must run on nodes with the same value of this
					 * label; empty: the pods may run on any nodes */
	const struct data *with;        /* selects the pods that must share the value of `topology` with these pods;
					 * NULL: the pods of `group` must share it */
	struct str group;               /* name of a group of pod sets that Kueue keeps together; empty: the shape is in
					 * no group */
	bool topological;               /* Kueue places the pods by a topology */
	struct str level;               /* level of the topology that the pods name; empty: the pods name no level */
	/* label of the level in whose domains each `size` pods run together; with 0 or 1 it has no meaning */
	struct str slice;
	int64_t size;
	int64_t need[FIT_RESOURCES], limit[FIT_RESOURCES];
};

struct fit_job {
	struct str name, ns, queue;     /* name and namespace of the job; the LocalQueue that admits it, or empty */
	struct fit_shape *shapes;
	size_t n;
	struct str unknown;             /* kind of an object whose pods cannot be determined; empty: all pods are
					 * known */
};

/*
 * Adds the pods that one object of a job creates. The object is a Job, a Deployment, a Pod, a JobSet, or a resource of
 * an operator.
 */
void fit_add_object(struct arena *a, struct fit_resources *r, const struct data *object, struct fit_job *job);

/* ---- the cluster ---- */

struct fit_node {
	struct str name;
	const struct data *labels, *taints;
	bool cordoned;
	int64_t all[FIT_RESOURCES], used[FIT_RESOURCES];        /* capacity of the node; amounts that pods on the node
								 * use */
	/* amounts used by pods that stay when the cluster is empty: pods of DaemonSets, and pods that a Node owns */
	int64_t kept[FIT_RESOURCES];
	int64_t ours[FIT_RESOURCES];    /* amounts used by pods of the job that is being placed */
	int64_t lower[FIT_RESOURCES];   /* amounts of `used` that pods of lower priority use, while preemption is
					 * tried */
	bool taken;                     /* pods of the job displace pods of lower priority there */
	bool devices;                   /* the node has resources other than cpu, memory and disk */
};

struct fit_pod {
	struct str ns;
	const struct data *labels, *spec;
	size_t node;
	struct str name;
	int64_t priority;
	int64_t need[FIT_RESOURCES];
	bool kept;                      /* the pod stays when the cluster is empty */
	bool ports;                     /* the pod takes ports of its node */
	bool lower;                     /* its priority is below that of the job, while preemption is tried */
	bool guarded;                   /* the pod has anti-affinity terms, which keep other pods away */
};

/* A provider, and the labels by which its nodes say which device they have. The labels end with NULL. */
struct fit_hint {
	const char *name;
	const char *const *labels;
};

struct fit_cluster {
	struct arena *arena;
	const struct fit_hint *hints;   /* providers that a program can name; the last has no name; NULL: none */
	struct fit_resources resources;
	struct fit_node *nodes;
	size_t nnodes;
	struct fit_pod *pods;           /* pods that are on a node and have not ended */
	size_t npods;
	struct status_objects quotas, local_queues, queues, flavors, topologies;
	struct status_objects priorities, claims, volumes;      /* PriorityClasses, PersistentVolumeClaims and
								 * PersistentVolumes */
};

/* Collects the OBJECTS that matter for the answer, and leaves out all others. */
struct fit_cluster fit_cluster_of(struct arena *a, const struct status_objects *objects);

/* ---- the answer ---- */

enum fit_when { FIT_NOW, FIT_PREEMPTS, FIT_EMPTY, FIT_NEVER, FIT_UNKNOWN };
const char *fit_word(enum fit_when w);          /* "now", "preempts", "empty", "never", "unknown" */

struct fit_answer {
	enum fit_when when;
	/*
	 * FIT_NOW: how many of an elastic role, if not all; FIT_PREEMPTS: which pods it displaces; FIT_EMPTY: why the
	 * job does not fit now; FIT_NEVER: why it does not even fit on the empty cluster; FIT_UNKNOWN: what was not
	 * considered
	 */
	struct str why;
};

struct fit_answer fit_judge(struct fit_cluster *c, const struct fit_job *job);

/* ---- parts of the computation ---- */

/* Adds the requests of a pod, and its limits. */
void fit_pod_needs(struct fit_resources *r, const struct data *spec, int64_t *need, int64_t *limit);

/* Whether a node can take a pod at all, and if not, the reason. */
enum fit_obstacle { FIT_TAKES, FIT_CORDONED, FIT_LABELS, FIT_AFFINITY, FIT_TAINT };
/* FLAVOR: the ResourceFlavor whose labels the node must have too, and whose tolerations the pods get; or NULL. */
enum fit_obstacle fit_obstacle(const struct fit_node *n, const struct data *spec, const struct data *flavor);
/* Does one expression {key, operator, values} hold for these labels? */
bool fit_expression(const struct data *e, const struct data *labels);
/* Does a label selector select LABELS? */
bool fit_selects(const struct data *selector, const struct data *labels);
/* Does SPEC tolerate every taint of the list? The tolerations that FLAVOR adds count, too; NULL: no flavor. */
bool fit_tolerates(const struct data *spec, const struct data *flavor, const struct data *taints);
/* The required anti-affinity terms of a pod: a list, which may be empty. */
const struct data *fit_anti_terms(const struct data *spec);
/* The first required affinity term of pods with these labels that selects the pods themselves; NULL if no term does. */
const struct data *fit_own_term(const struct data *spec, const struct data *labels);
/* Do pods with this specification take ports of their node? */
bool fit_has_ports(const struct data *spec);
/* Do pods with these specifications take the same port, so that one node cannot have both? */
bool fit_ports_clash(const struct data *spec, const struct data *other);
/* What the computation does not consider about the pods of the job, with commas between the names; or an empty text. */
struct str fit_beyond(struct arena *a, const struct fit_cluster *c, const struct fit_job *job);

enum fit_priority { FIT_LOWER_NONE, FIT_LOWER_SOME, FIT_LOWER_UNKNOWN };
/*
 * Takes the pods that the job may displace off their nodes, until fit_end_preemption(). FIT_LOWER_NONE: there are none.
 * FIT_LOWER_UNKNOWN: the job names a class of priority that is not known.
 */
enum fit_priority fit_begin_preemption(struct fit_cluster *c, const struct fit_job *job);
void fit_end_preemption(struct fit_cluster *c);
/* Appends the first pods that the job, which was placed, would displace. */
void fit_put_victims(const struct fit_cluster *c, struct buf *out);
/* Must the pods of both shapes be in the same domain? */
bool fit_together(const struct fit_shape *s, const struct fit_shape *other);

/*
 * Do the quotas of the namespace leave enough for the job? If not, WHY gets the reason. EMPTY: the amounts that are
 * already in use do not count.
 */
bool fit_quota(const struct fit_cluster *c, const struct fit_job *job, bool empty, struct buf *why);
/*
 * Does the queue leave enough for the job? If not, WHY gets the reason; EMPTY as for fit_quota(). RET gets the
 * ResourceFlavor of each shape; NULL: the shape has no flavor.
 */
bool fit_queue(struct fit_cluster *c, const struct fit_job *job, bool empty, const struct data **ret, struct buf *why);
/* Is there a resource besides cpu, memory and disk? */
bool fit_has_devices(const struct fit_cluster *c, const int64_t *amount);
/* Do all pods find a node? If not, WHY gets the reason. */
bool fit_place(const struct fit_cluster *c, const struct fit_job *job, bool empty, const struct data *const *flavors,
	struct buf *why);
/*
 * Appends the labels that pods of the shape ask for and that no node has, with the values that the nodes have: "; no
 * node has X = Y; nodes have X: A (3), B (2)". Nothing if each label is on some node.
 */
void fit_put_labels(const struct fit_cluster *c, const struct fit_shape *s, struct buf *out);
/* Appends the amounts, such as "8 example.com/gpu, 2 cpu, 4Gi memory". */
void fit_put_amounts(const struct fit_resources *r, const int64_t *amount, struct buf *out);
void fit_put_amount(const struct fit_resources *r, size_t resource, int64_t amount, struct buf *out);

#endif
