/*
 * logs.h - which replicas' output is wanted, and how it is shown: the options that `run` and
 * `logs` share.
 */
#ifndef TRAINC_RUNTIME_COMMAND_LOGS_H
#define TRAINC_RUNTIME_COMMAND_LOGS_H

#include <regex.h>

#include "runtime/command/backend.h"

struct rank_range {
	int64_t lo, hi;
};

struct log_wish {
	const struct attend *attend;    /* states of the runs: they show which ranks have failed */
	struct str *roles;
	size_t nroles;
	struct rank_range *ranks;
	size_t nranks;
	struct str container;           /* name of the container; p NULL: the main container */
	/* with `container`: whether a chosen replica has it, and the names of the containers that were found */
	bool container_found;
	struct str *containers;
	size_t ncontainers;
	bool all;                       /* all ranks and all containers */
	bool usual;                     /* no selection was given: the first rank, and those that failed */
	int64_t tail, since;
	/* the maximum number of replicas whose logs are read at once, if each costs a stream of the server */
	int64_t most;
	bool previous;
	int64_t attempt;                /* number of the only attempt of each replica to show, from 1; 0: all
					 * attempts */
	bool follow;                    /* continue until the replicas have ended */
	regex_t *grep;                  /* pattern that lines must match; NULL: all lines */
};

/* Reads the options that choose lines, from --role to --grep; false after reporting an error (status 2). */
bool logs_wish(struct session *s, struct log_wish *ret);
/*
 * Checks that the runs have the selected roles and ranks, and that there are few enough to read at once. False after
 * reporting which ones exist (status 2). The command `run`, which shows logs without being asked for them, uses the
 * default selection when there are too many.
 */
bool logs_check(struct session *s, const struct backend *b, struct log_wish *w);
/* Is the log of this replica selected? An attempt that has not started is not selected yet. */
bool logs_wanted(const struct log_wish *w, const struct run_state *run, size_t role, int64_t index,
	const struct log_stream *stream);
/*
 * Is the requested container among those found so far, or may it still appear? False after reporting the names that
 * exist (status 2).
 */
bool logs_has_container(struct session *s, const struct log_wish *w);
/* Adds the logs of all runs and decides how their lines are printed. */
void logs_follow(struct session *s, const struct backend *b, struct attend *a, struct log_wish *w, bool json);

#endif
