/*
 * enter.h - runs a command next to the program of a replica: with the program's environment, and in its directory,
 * files, network and process namespace.
 */
#ifndef TRAINC_RUNTIME_LOCAL_ENTER_H
#define TRAINC_RUNTIME_LOCAL_ENTER_H

#include "runtime/run/run_state.h"

struct enter {
	const struct run_state *run;
	struct str role;
	int64_t index;
	char *const *words;             /* words of the command, ended by NULL; no words: a shell */
};

/*
 * Runs the command with the standard descriptors and the terminal of the caller, and waits for it. The caller must have
 * one thread and can only end afterwards, because it stays in the replica's namespaces. The command is killed when the
 * replica ends. Processes that the command has started are killed with it or, if replicas have process namespaces, at
 * the end of the run. Returns false with an explanation if the replica does not run or cannot be entered.
 */
struct entered {
	/*
	 * exit status of the command: 128 + a signal; 126 if the command cannot be executed; 127 if it does not exist
	 */
	int status;
	bool over;                      /* the command was killed because the replica has ended */
};
bool enter_replica(struct arena *a, const struct enter *what, struct entered *ret, struct str *why);

/*
 * The variables with which the program of a replica was started, ended by NULL; `words` is ignored. Returns false with
 * an explanation if the replica does not run.
 */
bool enter_environment(struct arena *a, const struct enter *what, char *const **ret, struct str *why);

/*
 * Enters the network of a running replica for good, unless this process is already in that network; `words` is ignored.
 * RET is the number of the replica, counted over all roles. On failure, returns false with an explanation.
 */
bool enter_network(struct arena *a, const struct enter *what, size_t *ret, struct str *why);

#endif
