/*
 * facts.h - the facts about a finished program that a test, or a question, can use: `roles`, env(), object() and
 * fails().
 */
#ifndef TRAINC_FACTS_H
#define TRAINC_FACTS_H

#include "compile.h"

struct facts {
	struct trainc *compile;         /* the compiled program, with keep_jobs */
	struct diags *said;             /* where to report questions that have no answer */
	size_t before;                  /* number of diagnostics of the compilation itself */
};

/* The answers of FACTS, which must outlive them, for `struct eval`. */
struct test_facts facts_of(struct facts *facts);

#endif
