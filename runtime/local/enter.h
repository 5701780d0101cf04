/*
 * enter.h - a command beside the program of a replica that runs: with its
 * environment, in its directory, its files, its network and its processes.
 */
#ifndef TRAINC_RUNTIME_LOCAL_ENTER_H
#define TRAINC_RUNTIME_LOCAL_ENTER_H

#include "runtime/run/run_state.h"

struct enter {
	const struct run_state *run;
	struct str role;
	int64_t index;
	char *const *words;             /* NULL at the end; none: a shell */
};

/*
 * Runs the command and waits for it, with the standard descriptors and the terminal of the caller, which must have one
 * thread and is good for nothing but to end afterwards: it stays in the replica's namespaces. The command is killed
 * when the replica ends; what it has started ends with it, or with the run where replicas have processes of their own.
 * False with a sentence when the replica does not run, or cannot be entered.
 */
struct entered {
	/* the command's, 128 + a signal, 126 when it cannot be run, 127 when there is none */
	int status;
	bool over;                      /* it was killed because the replica has ended */
};
bool enter_replica(struct arena *a, const struct enter *what, struct entered *ret, struct str *why);

/*
 * The variables that the program of a replica was started with, NULL at the end; `words` are not used.  False with a
 * sentence when it does not run now.
 */
bool enter_environment(struct arena *a, const struct enter *what, char *const **ret, struct str *why);

/*
 * This process joins the network of a replica that runs, for good, where it is another one; `words` are not used.  The
 * row of the replica among those of all roles is in RET.  False with a sentence.
 */
bool enter_network(struct arena *a, const struct enter *what, size_t *ret, struct str *why);

#endif
