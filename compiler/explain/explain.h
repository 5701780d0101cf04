/*
 * explain.h - the answers of `trainc explain`, one function for each kind of topic. Each appends what it knows about
 * the topic, and returns false if it knows nothing. A word may mean several things; then all of them are shown. Each
 * function also adds the topics that it knows to `near`, so that the answer to an unknown topic is the nearest known
 * one.
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
	/* reads packages of the surrounding project; NULL if packages are not searched */
	const struct reader *reader;
	/* the schemas that explain_schema() searches: those of Kubernetes, or of the project's own kinds */
	const struct schema *tables;
	struct buf *out;
	unsigned told;                  /* number of meanings printed so far; explain_next() separates them */
};

/*
 * Appends everything that is known about the topic. False when nothing is known; then `near` has been compared with all
 * known topics.
 */
bool explain_ask(struct explain *e);

/* Starts the next meaning of the topic; writes a blank line between two meanings. */
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

/* Explains a variable such as RANK: the frameworks that set it, and those that reserve it. */
bool explain_variable(struct explain *e);
bool explain_grammar(struct explain *e);        /* explains words of the grammar: import, param, int, volume */
bool explain_foreign(struct explain *e);        /* explains words of other tools, such as gpu; called last */

bool explain_schema(struct explain *e);         /* explains Kubernetes: Pod.spec.hostNetwork, PodSpec, Job */
/*
 * Changes a topic as kubectl accepts it, pod.spec (PATH) or deployment, into Pod.spec or Deployment; false if PATH
 * names no kind.
 */
bool explain_kind_spelling(struct explain *e, bool path);

bool explain_command(struct explain *e);        /* explains commands: compile, fmt */
/* Lists the pages that mention a topic which has no page of its own. */
bool explain_search(struct explain *e);

/* All topics, in byte order, each once. */
const struct str *explain_topics(struct arena *a, size_t *ret_n);

/* Appends the list of all topics. */
void explain_overview(struct explain *e);

#endif
