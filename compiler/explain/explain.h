/*
 * explain.h - the answers of `trainc explain`, one function for each kind of topic. Each appends what it knows about
 * the topic and returns whether it knew anything. A word may mean several things; then all are shown. The word is also
 * compared with all known topics (`near`), so that an unknown topic is answered with the nearest one.
 */
#ifndef TRAINC_EXPLAIN_H
#define TRAINC_EXPLAIN_H

#include "base/buf.h"
#include "diag/diag.h"
#include "diag/render.h"
#include "diag/suggest.h"
#include "explain/library.h"

struct explain {
	struct arena *arena;
	struct str topic;
	struct suggest near;
	struct render_options render;   /* sources for diagnostics, and whether to use color */
	/* reads packages of the project around; NULL: packages are not searched */
	const struct reader *reader;
	/* the schemas that explain_schema() searches: those of Kubernetes, or of the project's own kinds */
	const struct schema *tables;
	struct buf *out;
	unsigned told;                  /* number of meanings printed so far; explain_next() separates them */
};

/* Appends everything that is known about the topic. False when nothing is known; `near` then has all known topics. */
bool explain_ask(struct explain *e);

/* Begins another meaning of the topic. */
void explain_next(struct explain *e);

bool explain_code(struct explain *e);           /* explains codes: TJ0502, role-replicas */
bool explain_words(struct explain *e);          /* explains fields (replicas, role.memory), blocks, functions, units */
bool explain_library(struct explain *e);        /* explains names of the library: single, std.single, single.task */
bool explain_packages(struct explain *e);       /* explains names of packages: acme.sizes, acme.sizes.node */
/* Explain one name of a module, and a whole module. */
bool explain_member(struct explain *e, const struct library_module *m, struct str name);
void explain_module(struct explain *e, const struct library_module *m);
/* Appends the page of a diagnostic: what is wrong, a wrong program with its messages, and a correct one. */
void explain_page(struct explain *e, enum diag_code code);

/* Explains a variable such as RANK: frameworks that set it, and frameworks that reserve it. */
bool explain_variable(struct explain *e);
bool explain_grammar(struct explain *e);        /* explains words of the grammar: import, param, int, volume */
bool explain_foreign(struct explain *e);        /* asked last: words that have another name here, such as gpu */

bool explain_schema(struct explain *e);         /* explains Kubernetes: Pod.spec.hostNetwork, PodSpec, Job */
/* Turns pod.spec (PATH), as kubectl takes it, or deployment into Pod.spec and Deployment; false without such a kind. */
bool explain_kind_spelling(struct explain *e, bool path);

bool explain_command(struct explain *e);        /* explains commands: compile, fmt */
/* Lists the pages that mention a topic which has no page of its own. */
bool explain_search(struct explain *e);

/* All topics, in byte order, each once. */
const struct str *explain_topics(struct arena *a, size_t *ret_n);

/* Appends the list of all topics. */
void explain_overview(struct explain *e);

#endif
