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
	struct str container;           /* p NULL: the main one */
	bool all;                       /* every rank and container */
	bool usual;                     /* no selection was given: the first rank, and those that failed */
	int64_t tail, since;
	/* the number of replicas whose logs may be read at once, where each costs a stream of the server */
	int64_t most;
	bool previous;
	int64_t attempt;                /* only this one of each replica, from 1; 0: all */
	bool follow;                    /* continue until the replicas have ended */
	regex_t *grep;                  /* or NULL */
};

/* The options that choose lines: --role to --grep; false after saying what is wrong (status 2). */
bool logs_wish(struct session *s, struct log_wish *ret);
/*
 * Have the runs such roles and ranks, and few enough of them to be read at once?  False after
 * saying what there is instead (status 2).  `run`, which was not asked for logs, falls back to the
 * usual choice when they are too many.
 */
bool logs_check(struct session *s, const struct backend *b, struct log_wish *w);
/* Of one replica.  An attempt that has not begun is not wanted yet. */
bool logs_wanted(const struct log_wish *w, const struct run_state *run, size_t role, int64_t index,
	const struct log_stream *stream);
/* Adds the logs of all runs to be followed, and decides how they are printed. */
void logs_follow(struct session *s, const struct backend *b, struct attend *a, struct log_wish *w, bool json);

#endif
