/*
 * import_manifest.h - shared by the files of this directory: the manifest that is being read, and the job that it
 * becomes.
 */
#ifndef TRAINC_IMPORT_IMPORT_MANIFEST_H
#define TRAINC_IMPORT_IMPORT_MANIFEST_H

#include "base/map.h"
#include "data/data.h"
#include "import/comments.h"
#include "import/import.h"
#include "import/import_kinds.h"
#include "import/import_lines.h"
#include "kube/schema.h"

struct device;
struct beside;
struct runtime;
struct later;
struct again;
struct stranger;
struct made;

/*
 * The form of the names of a role's pods, within a subdomain: HEAD-I, HEAD-I-J, or HEAD-I-0-0 if each replica has a
 * Job of its own in a set. In copies of a cell HEAD-C is the first pod of copy C, HEAD-C-I the one of rank I.
 */
enum pod_form { POD_PLAIN, POD_OF_JOB, POD_ALONE, POD_OF_COPY };

struct host_name {
	/* name of the role in the program; its host names begin with "js-workers-", for example */
	struct str word;
	enum pod_form form;
	int64_t jobs, per;              /* of copies: their number, and the pods of each */
	struct str cell, rest;          /* the cell, and the role of the pods after the first one */
};

/* A label that another system's controller writes to its pods, and the label of trainc that replaces it. */
enum label_meaning { LABEL_KEPT, LABEL_OF_JOB, LABEL_OF_ROLE };

struct pod_label {
	const char *key;                /* key of the label; NULL in the last element of a list */
	enum label_meaning meaning;     /* meaning of the label; LABEL_KEPT: the framework writes it too, so it stays */
};

struct imported {                       /* what the manifest becomes: a job, or the accelerators of a configuration */
	struct str name, ns;
	struct span name_at;            /* position of the name; for accelerators: position of the configuration */
	/* labels and annotations of the object, if its pods get them too */
	const struct data *labels, *annotations;
	/* Kueue admits the job, and `place` can express where Kueue places all of its pods */
	bool queued;
	/* the target whose objects are those of the manifest, for programs that plain Jobs cannot run; may be NULL */
	const char *target;
	bool refused;                   /* it is another job of the same name, which was reported */
	const struct data *object;      /* the manifest as a tree */
	const struct source *source;
	/* the license at the top of the manifest's file, as lines of comments; empty if the file has no license */
	struct str header;
	struct line *job;               /* the declaration of the job; NULL when the manifest only declares
					 * accelerators */
	struct str *modules;            /* modules of the library that the program imports: "nvidia" */
	size_t nmodules;
	struct lines declarations;      /* declarations that precede the job in the program */
	/* a text contains `$(NAME)`, which becomes plain text unless the framework sets NAME */
	bool has_references;
	/* names of roles and objects in the job; filled in when the job has its first object (objects.c) */
	struct map words;
	const struct pod_label *labels_of;      /* labels that the controller writes, or NULL */
	struct map cells;               /* the names in the program of those roles that are cells */
	struct map role_words;          /* value of a LABEL_OF_ROLE -> name of the role in the program, a struct str */
	struct str subdomain;
	struct map hosts;               /* host names by their heads -> struct host_name */
	bool own_hosts;                 /* a text has a host of the own copy of a cell */
	/* "role/container/NAME" of the variables that the framework sets; NULL until they are known */
	const struct map *set;
};

struct misspelt {
	struct diag *said;              /* the report about the object; NULL if the object has no report */
	struct str name, meant;
};

struct import {
	struct arena *arena;
	struct sources *sources;
	struct diags *diags;
	struct names *names;
	struct import_options options;
	const struct source *source;    /* the source that is being read */
	struct str header;              /* the license in the source, as lines of comments; empty if the source has no
					 * license */
	/* the limit on jobs of one program was exceeded and reported, so nothing more is read */
	bool full;
	size_t nobjects, ncomments;     /* number of objects and of comments read so far; see MOST_OBJECTS */
	const struct source *incomplete;        /* the object that was last reported to be a template (template.c) */
	struct span empty_list;         /* position of a list without objects, if there is one */
	struct comments comments;       /* the comments of the document */
	/* a misspelled field of the document that probably holds its roles (import_fit.c) */
	struct misspelt roles;
	/* the first document: the position at which to report that no manifest has a job */
	struct span first;
	/* it was reported that a configuration's path of a standard server is ignored */
	bool has_server_path;
	struct imported **jobs;
	size_t njobs;
	struct beside **beside;         /* objects that are not assigned to a job yet (objects.c) */
	size_t nbeside;
	struct later **later;           /* jobs that are read after all others (import_manifest.c) */
	size_t nlater;
	struct map later_jobs;          /* jobs of trainc of which these are parts, by their labels -> how many */
	struct stranger **strangers;    /* objects of unknown kinds (import_manifest.c) */
	size_t nstrangers;
	struct made **parts;            /* objects that a controller made (import_live.c) */
	size_t nparts;
	struct map owners;              /* the same objects: uid -> struct made */
	struct map compiled;            /* jobs whose objects trainc compiled, by namespace and name (compiled.c) */
	/* Secrets that the compiler generates: name -> the annotation that says what they contain */
	struct map generated;
	/* ConfigMaps with `files` of roles: name -> object; and those whose texts are in the program (files.c) */
	struct map files, files_taken;
	struct map uids;                /* uids of the objects that were read from a cluster */
	struct again **again;           /* jobs that refer to variables, read a second time (import_manifest.c) */
	size_t nagain;
	/* tried: all jobs have been tried together; sound: there were no errors (import_program.c) */
	bool tried, sound;
	struct runtime **runtimes;      /* the runtimes of TrainJobs (import_trainer.c) */
	size_t nruntimes;
	/* accelerators that the program declares: those of configurations, and those that the library lacks */
	struct device **devices;
	size_t ndevices;
	struct map words;               /* names of the roles of all jobs, which accelerators must not have */
	struct map frameworks;          /* framework that the programs declare -> its line (import_set.c) */
	struct map probes;              /* results of trying the accelerators of the library (device.c) */
};

/* An object: apiVersion, kind, metadata and the rest. */
struct import_manifest {
	struct import *im;
	const struct data *object;      /* the object, fitted to its type */
	struct str kind, name, ns;
	struct span at;                 /* position of the object's kind; of the object if it has no kind */
	struct span name_at;
	const struct data *metadata, *spec;     /* metadata and spec of the object; NULL when absent */
};

/* ---- kinds ---- */

/* The function that reads a kind. It returns false, after a report, if it makes nothing from the object. */
struct import_kind {
	const char *kind, *api_version;
	bool (*read)(struct import *im, const struct import_kind *k, const struct data *object, struct imported *job);
	bool last;                      /* the object refers to other objects, so it is read after all others */
	enum import_use use;
};
/* in each table, the last row is NULL */
extern const struct import_kind operator_kinds[], mpi_kinds[], legacy_kinds[], workload_kinds[], jobset_kinds[],
	volcano_kinds[], trainer_kinds[], ray_kinds[], leader_kinds[], spark_kinds[];

/* Returns the kinds that can be imported, in the order of the tables; NULL after the last. */
const struct import_kind *import_kind_at(size_t i);
/*
 * Returns the row of KIND in API_VERSION. If no row matches, returns NULL, and RET_OTHER gets the row of another
 * version of the kind, or NULL.
 */
const struct import_kind *import_kind_find(struct str kind, struct str api_version,
	const struct import_kind **ret_other);
/* Is it the kind of a job, in any version? */
bool import_is_kind(struct str kind);

/* Reports runtimes that no TrainJob refers to. */
void runtimes_finish(struct import *im);

/*
 * Recognize and read a configuration of the older controllers, bare or in a ConfigMap (config.c). import_config()
 * returns false if the configuration declares no accelerator.
 */
bool import_is_config(const struct data *object);
const struct data *import_config_of(const struct data *object);
bool import_config(struct import *im, const struct data *config, struct imported *job);

/*
 * Reads name, namespace and metadata of an object, and fits it to TYPE. Returns false, after a report, if it has no
 * name.
 */
bool manifest_open(struct import *im, const struct import_kind *k, const struct data *object, const char *type,
	bool any_case, struct import_manifest *ret);
/*
 * Does a label or an annotation of a job become one of the program? Not what the cluster or trainc wrote (OURS), and
 * not the name of another tool, which is reported.
 */
bool job_keeps_pair(struct import *im, const struct data_member *pair, bool ours);
/*
 * Makes the job of a manifest: its block, with the contents of its metadata. FRAMEWORK is NULL if the job has no
 * framework.
 */
struct lines *job_new(struct import_manifest *m, struct imported *job, const struct expr *framework);
void job_use(struct import *im, struct imported *job, struct str module);
/* Puts the roles into the job; fields that all roles share become fields of the job. */
struct job_role {
	struct line *line;
	struct span place;              /* position in the manifest */
};
void job_finish(struct import_manifest *m, struct imported *job, struct lines *body, const struct job_role *roles,
	size_t n);

/* Is it a field of metadata that the API server writes into every object? */
bool is_servers(struct str key);
/*
 * Writes a number of seconds in the manifest as a duration; the compiler refuses negative durations when the program
 * is tried.
 */
void job_seconds(struct import *im, struct lines *to, const char *field, const struct data *of, const char *key);
/* Writes `suspend`, unless a queue suspends the job anyway. */
void job_suspend(struct import *im, struct lines *to, const struct data *of);

/* Finds the variables that each job's framework sets, and stores them in imported.set. */
void job_framework_names(struct import *im, struct imported *const *jobs, size_t n);

/* Reports jobs with the same name in one namespace. */
void jobs_differ(struct import *im);
/* Writes the program of some jobs, without formatting it. RET, which may be NULL, gets the origin of its lines. */
void import_text(struct import *im, const struct imported *const *jobs, size_t n, struct buf *out, struct writing *ret);

/* ---- fitting: import_fit.c ---- */

/*
 * Reduces a map to the fields of a type of Kubernetes' schema: values of other kinds and unknown fields are reported
 * and left out; null counts as absent. ANY_CASE: keys are matched as Go's JSON reader does.
 */
const struct data *import_fit(struct import *im, const struct data *d, const char *type, bool any_case);

/*
 * Reports that manifest M has no roles because the field for them is misspelled; this replaces the warning about that
 * field. Returns false if no field looks like it.
 */
bool import_misspelt_roles(const struct import_manifest *m);

/* Describes the kind of a value for messages: "a whole number", "a list". */
const char *import_kind_words(const struct data *d);

/* Return a member of a fitted map; NULL, an empty text or FALLBACK if it is absent. */
const struct data *member(const struct data *map, const char *key);
struct str member_text(const struct data *map, const char *key);
/* Has an element of LIST, which may be NULL, the member KEY with this text? */
bool member_among(const struct data *list, const char *key, struct str text);
/* Is it a label or annotation by which trainc, or a tool with ApplySets, identifies the objects of a set? */
bool member_is_record(struct str key);
/* Is it the label by which tools, such as Helm, say that they wrote an object? trainc writes its own. */
bool member_is_manager(struct str key);
int64_t member_int(const struct data *map, const char *key, int64_t fallback);
bool member_bool(const struct data *map, const char *key, bool fallback);
/* The position of a member's key; the map's own position if the member is missing. */
struct span member_at(const struct data *map, const char *key);
/* Returns the number of elements of a list, or of members of a map; 0 for NULL. */
size_t data_count(const struct data *d);

/* ---- reports ---- */

/* Reports TJ1110: a known field that the program cannot express. WHY is an explanation, or NULL. */
void import_left_out(struct import *im, struct span at, struct str what, const char *why);

/* ---- values in raw blocks: raw.c ---- */

/* Convert a tree to an expression, and the members of a map to lines. */
struct expr *raw_expr(struct import *im, const struct data *d);
void raw_member(struct import *im, struct lines *to, struct str key, const struct data *value, struct span key_at);

/* ---- comments ---- */

/* Puts the comments at a position of the manifest above a line. */
void import_comments(struct import *im, struct line *line, struct span place);
static inline struct span member_span(const struct data_member *m) { return span_join(m->key_at, m->value->from); }

#endif
