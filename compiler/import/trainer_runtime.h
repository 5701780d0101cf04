/*
 * trainer_runtime.h - finds the runtimes of trainer.kubeflow.org, and makes the JobSet that a runtime becomes for a
 * TrainJob.
 */
#ifndef TRAINC_IMPORT_TRAINER_RUNTIME_H
#define TRAINC_IMPORT_TRAINER_RUNTIME_H

#include "import/import_jobset.h"

struct runtime {
	struct str kind, name, ns;
	struct span at;                 /* position of the runtime's kind */
	struct span whole;
	const struct data *spec;        /* spec of the runtime, fitted to its type */
	struct comments comments;
	bool used;
};

struct train {
	struct set set;
	const struct data *trainer;     /* `trainer` of the TrainJob, or NULL */
	const struct data *policy;      /* the mlPolicy of the runtime, or NULL */
	const struct data *spec;        /* spec of the JobSet with its defaults */
	struct line *framework;
};

static inline struct arena *train_arena(const struct train *t) { return t->set.m.im->arena; }

/*
 * Reads a runtime, for a row of trainer_kinds: keeps it for the TrainJobs that refer to it, because it is not a job
 * itself.
 */
bool trainer_read_runtime(struct import *im, const struct import_kind *k, const struct data *object,
	struct imported *job);
/* Returns the runtime that M refers to; NULL (TJ1121) if it is not among the imported objects. */
struct runtime *trainer_find_runtime(struct import *im, const struct import_manifest *m);
/* Sets T->spec to R's JobSet as the controller would complete it: trainer, initializers, overrides, patches, sizes. */
void trainer_complete(struct train *t, const struct runtime *r);
/*
 * Reports what the trainer's controller refuses, beyond the rules of JobSets; returns true if there is nothing to
 * report.
 */
bool trainer_check(struct train *t);
/*
 * Returns the step of a replicated Job of T->spec: "trainer", "dataset-initializer", ...; an empty text if it has no
 * step.
 */
struct str trainer_step(const struct data *job);

#endif
