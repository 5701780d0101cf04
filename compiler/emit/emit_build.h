/*
 * emit_build.h - shared by the files of this directory, which make trees from the plan. A manifest is an object that
 * has not been made yet: its identity, and the function that makes its tree. emit_each() lists the manifests of a plan
 * in output order. One manifest represents `count` objects when its name ends with an index. If replicas have different
 * entries, those with equal entries get a manifest of their own.
 */
#ifndef TRAINC_EMIT_EMIT_BUILD_H
#define TRAINC_EMIT_EMIT_BUILD_H

#include "emit/emit.h"
#include "kube/kube_version.h"
#include "objects/object.h"

struct manifest;

struct emit {
	const struct plan *plan;
	/* plans whose objects are written before those of this one, by the same command */
	const struct plan *const *earlier;
	size_t nearlier;
	const struct plan_job *job;
	struct arena *arena;            /* memory of the object that is being made */
	/* the first replica of the manifest; all replicas of one manifest have the same entries */
	int64_t first;
	struct diags *diags;            /* where to report; NULL: everything has already been reported */
	/* the role of the pod that is being made, and its volumes: set by emit_pod_spec(), used for its containers */
	const struct plan_role *role;
	const struct emit_volumes *volumes;
};

/*
 * A gang of a job: the pods of one copy of a cell that starts by itself; without a cell, those of the job's own roles
 * and of the cells whose copies start together with them.
 */
struct emit_group {
	const struct plan_cell *cell;
	int64_t copy;
};

struct manifest {
	const char *api_version, *kind;
	struct str name;                /* name of the object, without the index */
	bool indexed_name;              /* the objects have the names NAME-0, NAME-1, ... */
	int64_t first, count;           /* the indexes are first to first + count - 1 */
	const struct plan_role *role;   /* the role to which the object belongs, or NULL */
	const struct plan_object *object; /* an extra object of the user, or NULL */
	bool cluster_wide;              /* the object has no namespace */
	struct str generated;           /* kind of content of a generated Secret */
	const struct plan_code *code;   /* the code whose part the ConfigMap holds, or NULL */
	const struct plan_volume *claim; /* the volume whose claim is kept for each replica, or NULL */
	unsigned part;                  /* number of this ConfigMap among those of its role */
	struct emit_group group;        /* the gang about which the object is */
	bool whole;                     /* the object holds all roles of the job */
	bool queued;                    /* the object is the one that a queue admits */
	struct span from;
	struct object *(*make)(struct emit *e, const struct manifest *m);
};

/*
 * Visits every manifest of the plan in output order. Stops when VISIT returns false, and returns false itself. Sets
 * e->job and e->arena; the arena is emptied after each visit.
 */
bool emit_each(struct emit *e, bool (*visit)(struct emit *e, const struct manifest *m, void *context), void *context);

/* ---- texts: emit_text.c ---- */

enum text_use {
	/* text of env, command or args: `$` is escaped, and references become $(NAME) */
	TEXT_COMMAND,
	TEXT_FILE                       /* text of a file, unmodified, for the replica `index` */
};

/*
 * Makes the value of TEXT for a tree. TEXT_COMMAND: in a role whose index is literal, the index becomes a hole;
 * otherwise it becomes a reference to TRAINC_INDEX.
 */
struct object *emit_text(struct arena *a, const struct plan_job *j, const struct plan_role *r, const struct text *t,
	enum text_use use, int64_t index);
/* Is the replica's index written as a literal? It is in unrolled roles and in Deployments. */
bool emit_literal_index(const struct plan_job *j, const struct plan_role *r);
/* Returns the name of trainc's environment variable that has the value of a pod field. */
const char *emit_field_variable(enum pod_field f);
/*
 * The kinds of references in a text, as a set of bits. USES_HOST: to the replica's own host. USES_FIELD << F: to the
 * pod field F.
 */
enum { USES_INDEX = 1, USES_HOST = 2, USES_FIELD = 4 };
unsigned emit_text_uses(const struct text *t);

/*
 * Computes the maximum lengths of texts before anything is written (emit_measure.c). A reference counts as the
 * longest value of its variable; `lengths` has the maximum lengths of the container's variables.
 */
struct emit_measure {
	const struct plan_job *job;
	const struct plan_role *role;
	const struct plan_container *container;
	size_t *lengths;
	struct arena *arena;
	/* the variables by name -> position + 1; built when a text first refers to one */
	struct map *index;
};
/*
 * Measures the environment of a container. Without a container (NULL), only texts without references to variables can
 * be measured.
 */
struct emit_measure emit_measure_of(struct arena *a, const struct plan_job *j, const struct plan_role *r,
	const struct plan_container *c);
/* Returns the maximum length of a text in all replicas, or its length in replica INDEX if that is >= 0. */
size_t emit_text_length(const struct emit_measure *m, const struct text *t, int64_t index);

/* ---- metadata: emit_meta.c ---- */

#define LABEL_JOB STR("trainc.dev/job")
#define LABEL_ROLE STR("trainc.dev/role")
#define LABEL_CELL STR("trainc.dev/cell")
#define LABEL_COPY STR("trainc.dev/copy")
#define LABEL_INDEX STR("trainc.dev/index")
/* the number of the copy, where the controller of a set of groups numbers copies */
#define LABEL_GROUP STR("leaderworkerset.sigs.k8s.io/group-index")
/* number of the segment of `place` that a pod is in */
#define LABEL_SEGMENT STR("trainc.dev/segment")

/* Makes an object with apiVersion, kind and metadata; the caller appends the spec. */
struct object *emit_object(struct emit *e, const struct manifest *m);
/* Returns the metadata of an object that emit_object() made. */
struct object *emit_metadata(const struct object *o);
/* Returns a duration in whole seconds, rounded up. */
int64_t emit_seconds(const struct plan_quantity *q);
/* Writes the metadata of a pod template; the second function, that of a role's Job template in a set of Jobs. */
void emit_pod_metadata(struct emit *e, const struct plan_role *r, struct object *template);
struct object *emit_role_metadata(struct emit *e, const struct plan_role *r, struct object *template);
/*
 * Adds the labels that the framework gives to the objects of one replica. SELECTING: only the labels by which the
 * replica's Service selects it.
 */
void emit_replica_labels(struct emit *e, const struct plan_role *r, bool selecting, struct object *map);
/* Writes the labels that select the pods of a role. */
void emit_selector(struct emit *e, const struct plan_role *r, struct object *parent, struct str key);
/* Puts pairs into a map, with the position FROM, or with their own positions if FROM is unknown. */
void emit_pairs(struct arena *a, struct object *map, const struct plan_pairs *pairs, struct span from);
/* Returns how many replicas from FIRST on have the same entries: the same variables, labels and amounts. */
int64_t emit_alike(const struct plan_role *r, int64_t first);
/* Makes a text of BASE, BETWEEN and the object's index; if both are "", of the index alone. */
struct object *emit_indexed(struct arena *a, struct str base, const char *between, struct span from);

/* ---- where pods are placed: emit_place.c attract.c ---- */

/*
 * What keeps the replicas of a role in one domain: Kueue, a group of Volcano or Kubernetes, or the affinity of the
 * pods.
 */
enum place_keeper { PLACE_BY_NOBODY, PLACE_BY_QUEUE, PLACE_BY_VOLCANO, PLACE_BY_GROUP, PLACE_BY_PODS };
enum place_keeper emit_place_keeper(const struct plan_job *j, const struct plan_role *r);
/* Returns the key of the node label for the level of a place. */
struct str emit_place_key(const struct plan_place *p);
/* Counts the roles that share one domain with R, including R; adds their labels to VALUES unless that is NULL. */
size_t emit_place_sharing(struct emit *e, const struct plan_role *r, struct object *values);
/* Is KEY a pod annotation by which J tells Kueue where to place its pods? */
bool emit_place_owns(const struct plan_job *j, struct str key);
/*
 * Gives the pod an affinity to the pods that share its domain, unless another controller keeps them together. Call
 * this after `spread` was written.
 */
void emit_place_pod(struct emit *e, const struct plan_role *r, struct object *pod);
/*
 * Do the pods of R have annotations by which Kueue places them? The functions below write these into a map, or into the
 * metadata of a pod.
 */
bool emit_place_annotates(const struct plan_job *j, const struct plan_role *r);
/* Do the pods of R have a label with the number of their segment, by which Volcano places them? */
bool emit_place_labels(const struct plan_job *j, const struct plan_role *r);
void emit_place_annotations(struct emit *e, const struct plan_role *r, struct object *map);
void emit_place_metadata(struct emit *e, const struct plan_role *r, struct object *metadata);
/*
 * The first role of the gang whose pods, as a whole, KEEPER keeps together, apart from copies that are subgroups; NULL
 * if there is none.
 */
const struct plan_role *emit_place_first(const struct plan_job *j, struct emit_group g, enum place_keeper keeper);
/* Writes the `place` of the gang into the spec of a group of Kubernetes. */
void emit_place_group(struct emit *e, struct emit_group g, struct object *group);
/*
 * Adds to TERM, of an affinity or a spread, that it is about pods of the same copy ("matchLabelKeys"), or of other
 * copies ("mismatchLabelKeys"), where pods of all copies have one template.
 */
void emit_match_copy(struct emit *e, struct object *term, const char *key, struct span from);
/* Keeps the pods of a copy away from other copies of its cell, as `apart` asks. Call it after `spread` was written. */
void emit_apart_pod(struct emit *e, const struct plan_role *r, struct object *pod);

/* ---- pods: emit_pod.c emit_container.c emit_security.c emit_volume.c emit_files.c ---- */

/* Writes `security` of container C into its object. */
void emit_security(struct emit *e, const struct plan_container *c, struct object *container);
/* Writes the part of the role's `security` that belongs to the whole pod. */
void emit_pod_security(struct emit *e, const struct plan_role *r, struct object *pod);
/*
 * Reports containers in POD, the complete spec of a pod of role R, that must not run as root and would; and what the
 * level "restricted" of Pod Security refuses, if the role asks for that level (TJ0632).
 */
void emit_check_security(struct emit *e, const struct plan_role *r, const struct object *pod);
/* Writes the spec of a pod, without raw fields. */
void emit_pod_spec(struct emit *e, const struct plan_role *r, struct object *pod);
void emit_pod_template(struct emit *e, const struct plan_role *r, struct object *spec);
/* A native sidecar is an init container that keeps running; any other sidecar is an ordinary container. */
enum emit_container { CONTAINER_MAIN, CONTAINER_OTHER, CONTAINER_NATIVE_SIDECAR };
struct object *emit_container(struct emit *e, const struct plan_role *r, const struct plan_container *c,
	enum emit_container what,
	struct object *list);

/* The volumes of a role's pods, with the names that they have in a pod. */
struct emit_volume {
	const struct plan_volume *volume;
	struct str name;
	bool readonly;                  /* every mount of the volume is read-only */
	/* position + 1 of the previous volume that has the same name in the program but another kind or path */
	size_t other;
};
struct emit_volumes {
	struct emit_volume *at;
	size_t n;
	struct map known;               /* name in the program -> position + 1 of the last volume with that name */
	struct map taken;               /* names of volumes in the pod */
	/* a name that several volumes want -> the last number that was appended to it */
	struct map numbers;
	struct str shm, files;          /* names of the volumes for /dev/shm and for `files`; empty if the pod has no
					 * such volume */
	struct str code;                /* name of the volume with the archive of the code; empty without code */
};
const struct emit_volumes *emit_volumes_of(struct arena *a, const struct plan_role *r);
void emit_volume_list(struct emit *e, const struct plan_role *r, const struct emit_volumes *vs, struct object *pod);
/* Returns the name of the claims that the replicas of R keep, without the index: NAME-J-R. */
struct str emit_claim_name(struct arena *a, const struct plan_role *r, const struct plan_volume *v);
struct object *emit_claim_make(struct emit *e, const struct manifest *m);
/* Writes `volumeClaimTemplates` for the claims that the role keeps, if it keeps any. */
void emit_claim_templates(struct emit *e, const struct plan_role *r, struct object *into);
void emit_mounts(struct emit *e, const struct plan_role *r, const struct plan_container *c, bool main,
	struct object *container);
/*
 * Returns commands that create the files of a generated volume in a directory `keys`, which does not exist yet; the
 * text ends with "&&". Returns NULL for an unknown kind.
 */
const char *emit_generated_recipe(struct str kind);
/* Returns the name of the Secret of a generated volume: J-KIND. */
struct str emit_generated_name(struct arena *a, const struct plan_job *j, struct str kind);

/* ---- code: emit_code.c ---- */

/* Returns the name of the ConfigMap that holds a part of the code, counted from 0. */
struct str emit_code_name(struct arena *a, const struct plan_code *c, unsigned part);
struct object *emit_code_make(struct emit *e, const struct manifest *m);
/* Adds the volume with all parts to the volumes of a pod. */
void emit_code_volume(struct emit *e, const struct plan_role *r, struct str name, struct object *list);
/* Adds the label that says which code the role has, if it has code. R may be NULL. */
void emit_code_label(struct emit *e, const struct plan_role *r, struct object *labels);

/* The files of a role in its ConfigMaps. */
struct emit_file {
	const struct plan_file *file;
	struct str key;                 /* key of the file in its ConfigMap, without the index */
	bool each;                      /* each replica has a key of its own: KEY.i */
};
struct emit_files {
	struct emit_file *at;
	size_t n;
	unsigned parts;                 /* number of ConfigMaps */
	struct map keys;                /* keys that are in use -> the file */
	struct map stems;               /* for each key in use, the parts before its dots */
	struct map numbers;             /* a key that several files want -> the last number that was appended to it */
};
struct emit_files emit_files_of(struct arena *a, const struct plan_job *j, const struct plan_role *r);
struct str emit_files_name(struct arena *a, const struct plan_role *r, unsigned part);
/* Returns the number of bytes that a file takes in its ConfigMap, for replica INDEX (0 if the file is shared). */
size_t emit_file_size(const struct plan_job *j, const struct plan_role *r, const struct emit_file *f, int64_t index);
struct object *emit_files_make(struct emit *e, const struct manifest *m);
bool emit_uses_each_file(const struct plan_role *r);

/* A taint in kubectl's syntax: key, key=value, key:Effect or key=value:Effect. */
struct emit_taint {
	/* p == NULL: the part is not written; without an effect, every effect is tolerated */
	struct str key, value, effect;
};
struct emit_taint emit_taint_of(struct str text);

/* ---- gangs: gang.c ---- */

enum gang { GANG_NONE, GANG_KUEUE, GANG_VOLCANO, GANG_COSCHEDULING, GANG_NATIVE };
enum gang emit_gang(const struct plan_job *j);
bool emit_kueue(const struct plan_job *j);
/* The source position that set the gang; that of the job's name if the command line set it. */
struct span emit_gang_place(const struct plan_job *j);
/* Does any part of the job name a queue of Kueue, even a label that the user wrote? */
bool emit_gang_queued(const struct plan_job *j);
/* Do the pods of a role join the group that Kueue admits? They do if no other object represents them. */
bool emit_gang_grouped(const struct plan_job *j, const struct plan_role *r);
/* Do the pods of R belong to a gang of their job? Those of auxiliary roles do not. */
bool emit_gang_member(const struct plan_role *r);
/* Does any pod of the job? */
bool emit_gang_any(const struct plan_job *j);
/* The gang to which the pods of R belong, if they belong to one. */
struct emit_group emit_gang_group(const struct plan_job *j, const struct plan_role *r);
bool emit_gang_in(const struct plan_job *j, struct emit_group g, const struct plan_role *r);
/* Writes where Volcano runs the gang as a whole, if the job says it. */
void emit_gang_topology(struct emit *e, struct emit_group g, struct object *spec);
/* The name of the gang's object, and of its mark at pods: J, or J-C-c for copy c of cell C. */
struct str emit_gang_name(struct arena *a, const struct plan_job *j, struct emit_group g);
/* Does the controller of a set of groups make the gang's object and mark its pods? */
bool emit_gang_left(const struct plan_job *j, struct emit_group g);
/*
 * The number of pods in the gang (elastic roles and copies at their maximum); the second function returns the number
 * that must fit before any pod starts, and the third one that of a single role.
 */
int64_t emit_gang_pods(const struct plan_job *j, struct emit_group g);
int64_t emit_gang_least(const struct plan_job *j, struct emit_group g);
int64_t emit_gang_needs(const struct plan_job *j, struct emit_group g, const struct plan_role *r);
/* Returns a member of the framework's argument `scheduling`, or NULL. */
const struct data *emit_gang_setting(const struct plan_job *j, const char *name);
/* Is it a label or annotation that marks pods as members of the job's gang? */
bool emit_gang_owns(const struct plan_job *j, struct str key);
/* Writes the label by which a queue finds the objects that it admits: those that run the job or one of its roles. */
void emit_gang_queue(struct emit *e, struct object *metadata);
/*
 * May Kueue start the Job of an elastic role with fewer pods than its maximum? It then keeps that size, unless the job
 * has the annotation by which Kueue lets somebody resize it, which emit_gang_resizable() returns.
 */
bool emit_gang_shrinks(const struct plan_job *j, const struct plan_role *r);
const struct plan_pair *emit_gang_resizable(const struct plan_job *j, const struct plan_role *r);
/* Writes the annotations that say how few pods are enough. */
void emit_gang_size(struct emit *e, const struct plan_role *r, struct object *metadata);
/* Make a pod or pod template a member of the gang: the first function in its metadata, the second in its spec. */
void emit_gang_pod_metadata(struct emit *e, const struct plan_role *r, struct object *metadata);
void emit_gang_pod(struct emit *e, const struct plan_role *r, struct object *pod);

/* Name of the group within the Workload, of which copies of a cell share one; the Workload has the job's name. */
struct str emit_gang_template(struct arena *a, struct emit_group g);
/* The API of Kubernetes' own gangs, whose form has changed twice. */
struct emit_native_gang {
	unsigned from;                  /* first minor version of Kubernetes that serves the API */
	const char *api_version, *groups, *policy;
	bool group_object;              /* the group is a separate object next to the Workload */
	bool priority;                  /* no feature gate is needed for the API */
};
const struct emit_native_gang *emit_native_gang(const struct plan *plan);

/* ---- the rest ---- */

struct object *emit_job_make(struct emit *e, const struct manifest *m);
/* Makes a pod as the object of a replica. */
struct object *emit_pod_make(struct emit *e, const struct manifest *m);
/* Writes the spec of a role's Job, except `suspend`, which a set of Jobs has only once. */
void emit_job_spec(struct emit *e, const struct plan_role *r, struct object *spec);
struct object *emit_deployment_make(struct emit *e, const struct manifest *m);
/* the headless Service of a job */
struct object *emit_service_make(struct emit *e, const struct manifest *m);
/* the headless Service of a replica */
struct object *emit_replica_service_make(struct emit *e, const struct manifest *m);
/* the Service of a role, for users */
struct object *emit_role_service_make(struct emit *e, const struct manifest *m);
struct object *emit_generated_make(struct emit *e, const struct manifest *m);
struct object *emit_extra_make(struct emit *e, const struct manifest *m);
/* Returns the text of a member, or "". */
struct str emit_data_text(const struct data *d, const char *key);
/* Returns the name of one of the user's own objects: as written, or JOB-NAME. */
struct str emit_extra_name(struct arena *a, const struct plan_job *j, const struct plan_object *o);
/* Returns how often the replicas of a role may be retried in total, if they share one count (32 bits). */
int64_t emit_shared_retries(const struct plan_role *r);
void emit_failure(struct emit *e, const struct plan_role *r, struct object *spec);
void emit_success(struct emit *e, const struct plan_role *r, struct object *spec);

/*
 * Merges raw fields into a tree that the compiler made. A field that both set is reported as TJ0902 if e->diags is
 * set; the tree keeps the compiler's value.
 */
enum raw_scope { RAW_POD, RAW_CONTAINER, RAW_JOB, RAW_SERVICE };
void raw_merge(struct emit *e, enum raw_scope scope, struct object *into, const struct data *raw);

#endif
