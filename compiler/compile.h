/*
 * compile.h - the compiler behind the interface of trainc.h: a program from text to plan. Commands and the language
 * server open, compile, report and close programs with trainc.h, and read the tree and the plan with this header.
 * compile_init(), compile_plan() and compile_release() are for parts of the compiler that compile a text of their own.
 * Nothing here prints or exits.
 */
#ifndef TRAINC_COMPILE_H
#define TRAINC_COMPILE_H

#include "diag/diag.h"
#include "eval/job.h"
#include "kube/schema.h"
#include "plan/plan.h"
#include "trainc.h"

struct compile_options {                /* p == NULL: the option was not given */
	struct str target, kubernetes;
	struct str profile;
	struct job_options job;
	bool deny_warnings;
	/*
	 * Reads only the declarations of library modules that the program names.  trainc_compile() reads whole modules
	 * instead when something is reported, because messages list what a module has.
	 */
	bool parts;
	/*
	 * The caller uses source positions of the plan only in reports, and calls trainc_check(). Then jobs whose texts
	 * are the same may share one plan, with the positions of the first.
	 */
	bool lends;
	/*
	 * Reads the files of `code`, and completes the plan; called before objects are checked. NULL: the caller only
	 * looks at programs, and the ids of code stay zeros.
	 */
	void (*take_code)(struct trainc *t);
	const struct str *outputs;      /* files and directories that the command writes; `code` does not take them */
	size_t noutputs;
	bool live_code;                 /* replicas of this machine see the directory of `code` itself */
	bool shows_code;                /* the command only shows code, which may be more than ConfigMaps can carry */
	bool brief;                     /* TJ0817 says in one line that the job needs the runtime */
	/* keeps the values from which jobs were built (struct eval); tests of programs need them */
	bool keep_jobs;
};

struct trainc {
	struct arena arena;
	struct names names;
	struct sources sources;
	struct diags diags;
	struct program program;
	struct compile_options options;
	struct settings settings;
	struct eval eval;
	struct plan plan;
	/* some job has the source positions of another job: see compile_options.lends */
	bool lent;
	/* where trainc_file() continues its search: number of the next file, and of its source */
	size_t next_file, next_source;
	struct door *door;              /* set if trainc_open() opened the program; otherwise NULL */
};

/* Opens a program that reads with READER, which the caller still owns and which must outlive the program. */
struct trainc *trainc_open_reader(const struct reader *reader);
/* Sorts the diagnostics and drops duplicates and allowed ones; only the first call does so. */
void trainc_finish(struct trainc *t);

void compile_init(struct trainc *c, const struct reader *reader);

/* Records --set NAME=VALUE. Returns false, and records nothing, if NAME=VALUE has no `=` or no name. */
bool compile_set(struct trainc *c, struct str assignment);

/*
 * Reads --params FILE: lines `name = value` (.tj) or one mapping (.yaml, .yml, .json). Errors in it become diagnostics.
 */
void compile_params(struct trainc *c, struct str path);

/*
 * Runs every phase up to the plan. Always returns the plan of what could be built; it may be emitted only when
 * diags_ok(&c->diags). Call diags_finish() before printing.
 */
struct plan *compile_plan(struct trainc *c, struct str path);

/*
 * Returns the project's own kinds, which 'trainc vendor crd' wrote to crds.tbl next to project.tj. Returns NULL if the
 * project has no such kinds, or if no job has extra objects. A damaged file is reported.
 */
const struct schema *compile_kinds(struct trainc *c);

/* Only loads, resolves and types the program (dump --ast, --types, explain, doc). */
void compile_front(struct trainc *c, struct str path);

void compile_release(struct trainc *c);

#endif
