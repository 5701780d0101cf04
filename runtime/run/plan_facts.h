/*
 * plan_facts.h - what a job of a program is, as a list of short facts, so that a launch in a history can be compared
 * with a program later. A fact is "NAME=VALUE", such as "worker image=busybox:1". What is long is a digest, with the
 * beginning of the text if that may be shown: "worker args=#0a1b2c3d train --lr 0.1". Values of variables, contents of
 * files, extra objects and `raw` are digests only, because they may be confidential. The rows of plan/plan.def say what
 * is a fact: all that is in the identity of a run.
 */
#ifndef TRAINC_RUNTIME_RUN_PLAN_FACTS_H
#define TRAINC_RUNTIME_RUN_PLAN_FACTS_H

#include "plan/plan.h"

enum {
	FACTS_BYTES = 3 << 10,          /* size of the facts of a job */
	FACT_BYTES = 256,               /* size of one */
	FACT_WORDS = 9                  /* no name has more words */
};

struct plan_facts {
	struct str *at;
	size_t n;
	int64_t words;                  /* names have at most so many words; 0: there are no facts */
};

/*
 * The facts of a job. While they take more than MOST bytes, names are shortened, and the facts with equal names become
 * one digest. No facts if even that does not help.
 */
struct plan_facts plan_facts_of(struct arena *a, const struct plan_job *j, size_t most);
/* The same facts with names of at most WORDS words. */
struct plan_facts plan_facts_cut(struct arena *a, const struct plan_facts *f, int64_t words);

/* A fact that differs between two lists. The text of a value that is not kept is empty. */
struct fact_change {
	struct str name;
	bool was, is;                   /* the old list has the fact; the new list has it */
	struct str old, new;            /* what may be shown of the values */
	bool whole_old, whole_new;      /* and whether that is the whole value */
};
struct fact_changes {
	struct fact_change *at;
	size_t n;
};
/* The facts that differ, in the order of the new list, then what only the old list has. */
struct fact_changes plan_facts_compare(struct arena *a, const struct plan_facts *old, const struct plan_facts *new);

#endif
