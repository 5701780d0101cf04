/*
 * logs.h - the options that `run` and `logs` share: the replicas whose output is wanted, and the form in which it is
 * shown.
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
	/*
	 * with `container`: whether a chosen replica has that container, and the names of all containers that were
	 * found
	 */
	bool container_found;
	struct str *containers;
	size_t ncontainers;
	bool all;                       /* all ranks and all containers */
	bool usual;                     /* no selection was given: show the first rank, and the ranks that failed */
	int64_t tail, since;
	/* the maximum number of replicas whose logs are read at once, if each log keeps a stream of the server open */
	int64_t most;
	bool previous;
	int64_t attempt;                /* number of the only attempt to show of each replica, from 1; 0: show all
					 * attempts */
	bool follow;                    /* continue until the replicas have ended */
	regex_t *grep;                  /* pattern that lines must match; NULL: all lines */
};

/* Reads the options that choose lines, from --role to --grep; false after reporting an error (status 2). */
bool logs_wish(struct session *s, struct log_wish *ret);
/*
 * Checks that the runs have the selected roles and ranks, and that the selection is small enough to be read at once. If
 * not, reports which roles and ranks exist, or the limit, and returns false (status 2). The command `run` also shows
 * logs that nobody requested; it falls back to the default selection instead of refusing too many replicas.
 */
bool logs_check(struct session *s, const struct backend *b, struct log_wish *w);
/* Is the log of this replica selected? An attempt that has not started is not selected yet. */
bool logs_wanted(const struct log_wish *w, const struct run_state *run, size_t role, int64_t index,
	const struct log_stream *stream);
/*
 * Has the requested container been found, or may it still appear? If not, reports the names that exist and returns
 * false (status 2).
 */
bool logs_has_container(struct session *s, const struct log_wish *w);
/* Adds the logs of all runs and decides how their lines are printed. */
void logs_follow(struct session *s, const struct backend *b, struct attend *a, struct log_wish *w, bool json);

#endif
