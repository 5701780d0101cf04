/*
 * compile.h - the pipeline: text to plan, readable as a table of contents.
 *
 * One `struct compile` is one program under one set of options.  Fill in the
 * options after compile_init(), call compile_plan() once, print the diagnostics,
 * hand the plan to a target, release.  Nothing here prints or exits.
 */
#ifndef TRAINC_COMPILE_H
#define TRAINC_COMPILE_H

#include "diag/diag.h"
#include "eval/job.h"
#include "kube/schema.h"
#include "plan/plan.h"

struct compile_options {                /* p == NULL: not given */
	struct str target, kubernetes;
	struct str profile;
	struct str job_name;            /* --job: only this one */
	struct job_options job;
	bool deny_warnings;
	bool keep_jobs;                 /* tests ask about what was built (struct eval) */
};

struct compile {
	struct arena arena;
	struct names names;
	struct sources sources;
	struct diags diags;
	struct program program;
	struct compile_options options;
	struct settings settings;
	struct eval eval;
	struct plan plan;
};

void compile_init(struct compile *c, const struct reader *reader);

/* --set NAME=VALUE.  False (nothing recorded) when there is no `=` or no name. */
bool compile_set(struct compile *c, struct str assignment);

/*
 * --params FILE: lines `name = value` (.tj) or one mapping (.yaml, .yml, .json).
 * What is wrong with it is a diagnostic.
 */
void compile_params(struct compile *c, struct str path);

/*
 * Run every phase up to the plan.  Always returns the plan of what could be
 * built; it is fit for emission only when diags_ok(&c->diags).  Call
 * diags_finish() before printing.
 */
struct plan *compile_plan(struct compile *c, struct str path);

/*
 * The project's own kinds: crds.tbl beside project.tj, as 'trainc vendor crd' wrote
 * it.  NULL when there are none, or no job has extra objects; a file that is
 * damaged is reported.
 */
const struct schema *compile_kinds(struct compile *c);

/* Only load, resolve and type (dump --ast, --types, explain, doc). */
void compile_front(struct compile *c, struct str path);

void compile_release(struct compile *c);

#endif
