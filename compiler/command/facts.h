/*
 * facts.h - the facts about a finished program that a test, or an expression of `eval`, can use: `roles`, env(),
 * object() and fails().
 */
#ifndef TRAINC_FACTS_H
#define TRAINC_FACTS_H

#include "compile.h"

struct facts {
	struct trainc *compile;         /* the compiled program, with keep_jobs */
	struct diags *said;             /* where errors in the use of facts are reported */
	size_t before;                  /* number of diagnostics of the compilation itself */
};

/* Returns the functions that answer for `struct eval` from FACTS, which must outlive them. */
struct test_facts facts_of(struct facts *facts);

#endif
