/*
 * compiled.h - reads objects that trainc itself compiled for the targets jobs and pods. Labels name their job and
 * role, so they become one job again; annotations say what plain objects cannot.
 */
#ifndef TRAINC_IMPORT_COMPILED_H
#define TRAINC_IMPORT_COMPILED_H

#include "import/import_manifest.h"

/* The objects of one job, in the order of the manifests. compiled_kind reads the list of them. */
struct compiled_job {
	const struct source *source;
	struct comments comments;
	struct data *objects;           /* a list */
	struct map copies;              /* KIND/NAME of an object -> size_t, how often it occurred */
};
extern const struct import_kind compiled_kind;

/* Keeps OBJECT in im->compiled if it is a part of such a job; returns false for other objects. */
bool compiled_keep(struct import *im, const struct data *object);

/* Returns a pod template of these parts without what the compiler writes into it by itself. */
const struct data *compiled_template(struct arena *a, const struct data *metadata, const struct data *spec);
/* The gang that marks pods with such metadata: "volcano"; empty if none does. */
struct str compiled_gang(const struct data *metadata);

/*
 * Joins the pod templates of the N replicas of a role, in the order of their indexes, to one template. A text of a
 * variable, a command or an argument that differs between them becomes a list of N texts (env_each()). *RET_LOST gets
 * another part that differs, of which the result has that of the first replica; NULL if there is none.
 */
const struct data *replicas_join(struct arena *a, const struct data *const *templates, size_t n,
	const struct data **ret_lost);
/* Reports such a part. */
void replicas_differ(struct import *im, const struct data *lost, struct str role);

/*
 * Reads the SPEC of a JobSet that trainc compiled, or another one, which is returned as it is: joins the replicatedJobs
 * that are the replicas of one role, and what refers to them, and leaves out what the compiler writes by itself. A
 * joined one has the member REJOINED: the only pod of replica i was called NAME-ROLE-i-0-0. *RET_GANG gets the gang.
 */
#define REJOINED "rejoined"
const struct data *rejoin_jobs(struct import *im, const struct data *metadata, const struct data *spec,
	struct str *ret_gang);

/*
 * Texts of `files`, which trainc keeps in ConfigMaps: files_keep() notes such a ConfigMap, files_of() returns what a
 * volume made of them contains (NULL for other volumes), files_taken() tells whether the program has its texts.
 */
bool files_keep(struct import *im, const struct data *object);
bool files_taken(const struct import *im, struct str name);
const struct data *files_of(struct import *im, struct str kind, const struct data *source);
/* The text of a file, with expressions for the host names in it. */
struct expr *files_text(struct import *im, struct imported *job, struct str text);

#endif
