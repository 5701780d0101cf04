/*
 * import_role.h - turns a pod template into the body of a role.
 */
#ifndef TRAINC_IMPORT_IMPORT_ROLE_H
#define TRAINC_IMPORT_IMPORT_ROLE_H

#include "import/import_manifest.h"

struct role_kind {                      /* how a framework's pods differ from others; NULL and 0: they do not */
	const char *container;          /* name of the main container; NULL: the first container is the main one */
	const char *usual;              /* name that the main container has by default in a program */
	const char *port;
	int64_t number;
	const char *index;              /* the pod field that contains the replica's index: "metadata.labels['...']" */
	bool restart;                   /* the restart policy in the manifest's pod templates has no effect */
};

struct role_field {                     /* a field of the pod, and the expression that replaces a reference to it */
	const char *path;               /* path of the field: "metadata.labels['...']"; NULL ends the list */
	struct str code;
	const char *name;               /* a variable with this value that every pod has by default; or NULL */
};

struct role_reading {
	struct import *im;
	struct imported *job;
	const struct role_kind *kind;
	/* further fields that fieldRef may name, besides kind->index; or NULL */
	const struct role_field *fields;
	struct str word;                /* name of the role in the program */
	const struct data *spec;        /* spec of the pod */
	const struct data *main;        /* the main container */
	struct lines *role;             /* body of the role, which the reader fills */
	struct lines *raw;              /* the `raw pod` of the role; NULL until it has one */
	struct map volumes;             /* volumes by name -> struct role_volume */
	const struct data *devices;     /* those resources of the main container that are devices: a map, or NULL */
	struct str memory;              /* memory that the main container requests, as it is written */
	int64_t replicas;
	bool pod_said;                  /* see pod_security_is_said() */
};

enum container_kind { CONTAINER_MAIN, CONTAINER_SIDECAR, CONTAINER_INIT };

struct container_reading {
	struct role_reading *role;
	enum container_kind kind;
	const struct data *container;
	struct lines *to;
	struct lines *raw;              /* the `raw container` of the container; NULL until it has one */
	struct map env;                 /* variables that texts may refer to, by name, each with its expression */
	struct map raw_env;             /* names that are defined in `raw container` */
	struct map secrets;             /* names whose values come from a Secret */
};

/*
 * Fills the role from a fitted PodTemplateSpec; returns false if it has no main container, which has already been
 * reported.
 */
bool role_read(struct role_reading *r, const struct data *template);

/*
 * Can `place` express all of Kueue's annotations about where pods run: those of a job itself, and those of the pods
 * in its SPEC?
 */
bool places_known(struct arena *a, const struct data *annotations, const struct data *spec);

/* Does a pod template have containers that can run: at least one, each with an image? If not, this is reported. */
bool role_can_run(struct import *im, const struct data *template, struct span at);
/*
 * Writes the restart policy of a role. "always" becomes "on-failure", because a job has to end; the default, "never",
 * is left out. IN_PLACE: the policy is missing, and pods restart in place when they fail.
 */
void role_restart(struct import *im, struct lines *role, bool in_place, struct span at);
/*
 * Converts a restart policy of Kubernetes to "never", "on-failure" or "always"; returns an empty text for other
 * policies.
 */
struct str restart_word(struct str policy);
/* Checks a number of replicas; N may be NULL. Reports a number outside the range that Kubernetes supports. */
bool replica_count_rule(struct import *im, const struct data *n, struct str name);
/* Checks the number of replicas in a Job's spec in the same way. */
bool batch_rule(struct import *im, const struct data *spec, struct str name);
/*
 * The first function returns the number of replicas in a Job's spec, after batch_rule(). The second one writes
 * `retries`, and reports what a program cannot express.
 */
int64_t batch_replicas(struct import *im, const struct data *spec);
bool batch_read(struct import *im, const struct data *spec, struct lines *to);

/* Can the name of a container also be the name of a block? */
bool is_block_name(struct str name);
/*
 * Can every container say itself what the pod says of it? Those that stay in `raw pod`, because no block can have their
 * names, cannot.
 */
bool pod_security_is_said(const struct role_reading *r);
/* Read the security context of a container, and what the pod's says beyond those of its containers. */
void security_read(struct container_reading *c);
void pod_security_read(struct role_reading *r);
/* Reads a container's fields; those that the language does not have are put into `raw container`. */
void container_read(struct container_reading *c);
/* The first function returns the `raw container` of a container, the second one the `raw pod` of a role. */
struct lines *container_raw(struct container_reading *c, struct span from);
struct lines *role_raw(struct role_reading *r, struct span from);
/* Returns the elements of a list in a raw block, which is made if it does not exist. */
struct lines *raw_list(struct import *im, struct lines *raw, const char *key, struct span from);

/*
 * Converts a text in which Kubernetes replaces `$(NAME)`: a command, an argument or a value. Returns NULL if it
 * refers to something that the language cannot express.
 */
struct expr *env_text(struct container_reading *c, struct str text, bool value);
/* Converts a text, or a list of the texts of each replica: a text that pod.index completes, or an element of a list. */
struct expr *env_each(struct container_reading *c, const struct data *texts, bool value);
/* Adds the variables that every pod of the framework has without an entry, if a text of the container uses them. */
void env_given(struct container_reading *c);
void env_read(struct container_reading *c, const struct data *env);

/*
 * Can `env_from` say all entries of an `envFrom`? *RET_SECRETS: all of them are Secrets. The second function returns
 * the value of the field.
 */
bool sources_known(const struct data *list, bool *ret_secrets);
struct expr *sources_expr(struct import *im, const struct data *list);

/*
 * Converts a quantity to a literal of the language: an amount of cpu, or whole bytes (WHOLE). Returns an empty text
 * if that is not possible.
 */
struct str amount_literal(struct arena *a, const struct data *quantity, bool whole);

/*
 * Read the volumes in three steps: the volumes of the pod, the mounts of each container, and finally the volumes that
 * stay raw.
 */
void volumes_read(struct role_reading *r, const struct data *volumes);
void mounts_read(struct container_reading *c, const struct data *mounts);
void volumes_finish(struct role_reading *r);

/* Finds the accelerator of a role, and writes the remaining node labels and tolerations. */
void device_read(struct role_reading *r, const struct data *node, const struct data *tolerations);

/* Reads what the pods require of nodes; returns what remains of AFFINITY for `raw pod`, or NULL if nothing does. */
const struct data *node_affinity_read(struct role_reading *r, const struct data *affinity);
/*
 * Keeps an affinity or a spread constraint whose selectors ask for labels that a program's pods have. Labels of the
 * controller are replaced by trainc's labels, which is reported; a label without a counterpart is reported as
 * missing.
 */
const struct data *selectors_read(struct role_reading *r, const struct data_member *m);
/* Does the framework of JOB write the controller's label KEY itself? */
bool selector_keeps(const struct imported *job, struct str key);
/* Reports a selector for a label that no pod of the program has. */
void selector_missing(struct import *im, const struct imported *job, struct span at, struct str key);
/*
 * Translates a label of a selector of a Service, and says so: *RET_KEY and *RET_VALUE get trainc's label. False, after
 * a report if no pod of the program has the label, for one that stays as it is.
 */
bool selector_ours(struct import *im, struct imported *job, const struct data_member *label, struct str *ret_key,
	struct str *ret_value);

/* Puts the lines of a body in the usual order. */
void lines_sort(struct lines *body);
/* Removes and returns the line of that key; returns NULL if no line has that key. */
struct line *lines_take(struct lines *body, struct str key);
/*
 * Returns the name of a topology level that every cluster has, or "". Other levels are defined in the project's
 * topology, which a manifest does not contain.
 */
struct str usual_level(struct str label);
/* Removes the line of that key from a block, if it has one; its comments move to the block. */
void lines_drop(struct arena *a, struct line *block, struct str key);

/*
 * Moves fields that all roles share to JOB, unless it is NULL; scheduler and priority move to the job or into
 * `raw pod`.
 */
void roles_lift(struct import *im, struct lines *job, struct lines *const *roles, size_t n);

#endif
