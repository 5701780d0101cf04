/*
 * question.h - the question that a completion script asks: `trainc completion names WHAT[,WHAT] -- WORD...`. WORD... is
 * the command line so far, as the shell splits it, without the word that is being completed.
 */
#ifndef TRAINC_QUESTION_H
#define TRAINC_QUESTION_H

#include "command/options.h"

enum question_names {
	NAMES_RUNS = 1, NAMES_CONTEXTS = 2, NAMES_NAMESPACES = 4, NAMES_ROLES = 8, NAMES_REPLICAS = 16,
	NAMES_RANKS = 32, NAMES_JOBS = 64
};

struct names_question {
	unsigned names;                 /* a set of enum question_names; 0 if WHAT contains no known kind of name */
	/* the command line so far, as `status` would read it: options about the cluster, and one run or program */
	struct options line;
};

/* Reads the question in a command line `completion names`; returns false if the line is not a question. */
bool question_read(struct arena *a, const struct options *o, struct names_question *ret);
/* Does answering the question need a cluster, or a kubeconfig? */
bool question_of_cluster(const struct names_question *q);
/* Formats a set of kinds of names as scripts spell it: "runs,roles". */
void question_spell(unsigned names, struct buf *out);

#endif
