/*
 * manifest.h - what the files of this directory share: a manifest that is being
 * read, and the job that it becomes.
 */
#ifndef TRAINC_IMPORT_MANIFEST_H
#define TRAINC_IMPORT_MANIFEST_H

#include "base/map.h"
#include "import/comments.h"
#include "import/import.h"
#include "import/lines.h"
#include "kube/schema.h"
#include "data/data.h"

struct device;
struct beside;
struct runtime;
struct later;
struct again;
struct stranger;

/* How pods of a role are called by another system: HEAD-I, or HEAD-I-J, within a subdomain. */
struct host_name {
	struct str word;                /* of the role; the head is "js-workers-" */
	bool two;
	int64_t jobs, per;
};

/* A label that the controller of another system writes to its pods, and what stands for it in ours. */
enum label_meaning { LABEL_KEPT, LABEL_OF_JOB, LABEL_OF_ROLE };

struct pod_label {
	const char *key;                /* NULL ends a list */
	enum label_meaning meaning;     /* LABEL_KEPT: the framework writes it too */
};

struct imported {                       /* a job, or the accelerators of a configuration */
	struct str name, ns;
	struct span name_at;            /* of accelerators: where the configuration stands */
	const struct data *labels, *annotations;        /* of the object: they reach its pods too */
	const struct data *object;      /* the manifest */
	const struct source *source;
	struct str header;              /* of its file */
	struct line *job;               /* the declaration; NULL for accelerators alone */
	struct str *modules;            /* of the library: "nvidia" */
	size_t nmodules;
	struct lines declarations;      /* in front of the job */
	bool has_references;            /* some `$(NAME)` is text, unless the framework sets NAME */
	struct map words;               /* of roles and objects in the job, once there are objects (objects.c) */
	const struct pod_label *labels_of;      /* the controller's; or NULL */
	struct map role_words;          /* of values of LABEL_OF_ROLE: words of the roles, as struct str */
	struct str subdomain;
	struct map hosts;               /* by their heads: struct host_name */
	const struct map *set;          /* "role/container/NAME" that the framework sets; NULL before that is known */
};

struct misspelt {
	struct diag *said;              /* what was reported of it; NULL: there is none */
	struct str name, meant;
};

struct import {
	struct arena *arena;
	struct sources *sources;
	struct diags *diags;
	struct names *names;
	struct import_options options;
	const struct source *source;    /* that is being read */
	struct str header;              /* of that: a licence, as lines of comments; empty without */
	bool full;                      /* more jobs than a program can have: reported, nothing more is read */
	const struct source *incomplete;        /* the last one that was told to be a template (template.c) */
	struct span empty_list;         /* where a list without objects stands, if there is one */
	struct comments comments;       /* of the document */
	/* a field of the document that would hold its roles, but for its name (fit.c) */
	struct misspelt roles;
	struct span first;              /* the first document, where it is to be said that there is no job */
	/* a configuration says where the standard server is: it has been told that no line stands for that */
	bool has_server_path;
	struct imported **jobs;
	size_t njobs;
	struct beside **beside;         /* objects that no job has yet (objects.c) */
	size_t nbeside;
	struct later **later;           /* jobs that are read last (manifest.c) */
	size_t nlater;
	struct stranger **strangers;    /* objects of unknown kinds (manifest.c) */
	size_t nstrangers;
	struct again **again;           /* jobs with references (manifest.c) */
	size_t nagain;
	bool tried, sound;              /* all jobs together, and were they (program.c) */
	struct runtime **runtimes;      /* of TrainJobs (trainer.c) */
	size_t nruntimes;
	/* accelerators that were declared: by configurations, or for want of one in the library */
	struct device **devices;
	size_t ndevices;
	struct map words;               /* of roles of all jobs: no accelerator is called so */
	struct map frameworks;          /* declared by programs: lines by their names (set.c) */
	struct map probes;              /* accelerators of the library that were tried (device.c) */
};

/* An object: apiVersion, kind, metadata and the rest. */
struct import_manifest {
	struct import *im;
	const struct data *object;      /* fitted to its type */
	struct str kind, name, ns;
	struct span at;                 /* of the kind, else of the object */
	struct span name_at;
	const struct data *metadata, *spec;     /* or NULL */
};

/* ---- kinds ---- */

/* How an object of a kind is read: false when nothing comes of it, after reporting why. */
struct import_kind {
	const char *kind, *api_version;
	bool (*read)(struct import *im, const struct import_kind *k, const struct data *object, struct imported *job);
	bool last;                      /* read when everything else was: it refers to other objects */
};
/* each ends with a row of NULL */
extern const struct import_kind operator_kinds[], mpi_kinds[], legacy_kinds[], workload_kinds[], jobset_kinds[],
	volcano_kinds[], trainer_kinds[], ray_kinds[], leader_kinds[], spark_kinds[];

/* Report runtimes that no job refers to. */
void runtimes_finish(struct import *im);

/* Configurations of the older controllers, bare or in a ConfigMap: config.c.  False: there is no accelerator in it. */
bool import_is_config(const struct data *object);
const struct data *import_config_of(const struct data *object);
bool import_config(struct import *im, const struct data *config, struct imported *job);

/*
 * Name, namespace and metadata of an object that was fitted to `type`, whose name
 * must be there; false after reporting.
 */
bool manifest_open(struct import *im, const struct import_kind *k, const struct data *object, const char *type,
	bool any_case, struct import_manifest *ret);
/* The job of a manifest: its block, with what its metadata says. `framework` is NULL without one. */
struct lines *job_new(struct import_manifest *m, struct imported *job, const struct expr *framework);
void job_use(struct import *im, struct imported *job, struct str module);
/* Put the roles into the job: what they share goes to the job. */
struct job_role {
	struct line *line;
	struct span place;              /* in the manifest */
};
void job_finish(struct import_manifest *m, struct imported *job, struct lines *body, const struct job_role *roles,
	size_t n);

/* A field of metadata that the API server writes into every object. */
bool is_servers(struct str key);
/* A number of seconds of the manifest, as a duration; negative ones are refused where the program is tried. */
void job_seconds(struct import *im, struct lines *to, const char *field, const struct data *of, const char *key);
/* `suspend`, unless a queue suspends by itself. */
void job_suspend(struct import *im, struct lines *to, const struct data *of);

/* Find the names that the frameworks of jobs set, whose own names differ: see imported.set. */
void job_framework_names(struct import *im, struct imported *const *jobs, size_t n);

/* Report jobs of one name in one namespace. */
void jobs_differ(struct import *im);
/* The program of some jobs as it is before `fmt`, and where its lines come from (`ret` may be NULL). */
void import_text(struct import *im, const struct imported *const *jobs, size_t n, struct buf *out, struct writing *ret);

/* ---- fitting: fit.c ---- */

/*
 * The tree of a map that holds what a type of Kubernetes' schema has, of the right kind:
 * other values are reported and left out, unknown fields are reported, null is absent.
 * `any_case`: keys are matched as Go's JSON does.
 */
const struct data *import_fit(struct import *im, const struct data *d, const char *type, bool any_case);

/* "a whole number", "a list": for messages. */
const char *import_kind_words(const struct data *d);

/* Members of what was fitted: NULL, empty, or `fallback` when they are not there. */
const struct data *member(const struct data *map, const char *key);
struct str member_text(const struct data *map, const char *key);
int64_t member_int(const struct data *map, const char *key, int64_t fallback);
bool member_bool(const struct data *map, const char *key, bool fallback);
/* Where a member's key stands; where the map stands without it. */
struct span member_at(const struct data *map, const char *key);
size_t data_count(const struct data *d);        /* elements or members; 0 for NULL */

/* ---- reports ---- */

/* TJ1110: something known that the program does not say; `why` is a sentence for people, or NULL. */
void import_left_out(struct import *im, struct span at, struct str what, const char *why);

/* ---- raw values: raw.c ---- */

/* A tree as an expression, and its members as lines. */
struct expr *raw_expr(struct import *im, const struct data *d);
void raw_member(struct import *im, struct lines *to, struct str key, const struct data *value, struct span key_at);

/* ---- comments ---- */

/* Put what people wrote at a place of the manifest above a line. */
void import_comments(struct import *im, struct line *line, struct span place);
static inline struct span member_span(const struct data_member *m) { return span_join(m->key_at, m->value->from); }

#endif
