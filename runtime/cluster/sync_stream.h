/*
 * sync_stream.h - replaces the code in the containers of several replicas at once, or in none of them: each gets the
 * archive and prepares it; the word to replace the code is sent to all when the last one is ready.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_SYNC_STREAM_H
#define TRAINC_RUNTIME_CLUSTER_SYNC_STREAM_H

#include "runtime/cluster/exec_stream.h"
#include "runtime/command/sync.h"

enum sync_stage {
	SYNC_ASKED,                     /* it has not said which code it has */
	SYNC_WAITING,                   /* it waits for its turn to get the archive */
	SYNC_SENDING, SYNC_SENT,
	SYNC_READY,
	SYNC_GOING,                     /* it replaces its code */
	SYNC_SAME,                      /* it had the code already */
	SYNC_DONE,
	SYNC_FAILED
};

struct sync_group;

/* One replica. The caller sets the members up to `restart`. */
struct sync_part {
	struct str ns, pod, container;
	struct str dir;                 /* where the code is */
	struct str id, packed;          /* the code; empty: it stays as it is */
	int64_t grace;                  /* seconds between TERM and KILL */
	enum sync_restart restart;
	/* results. Texts live in the arena of the cluster */
	enum sync_stage stage;          /* SYNC_SAME, SYNC_DONE or SYNC_FAILED; others: nothing was changed */
	struct str have;                /* the id of the code that it had */
	int64_t changed;                /* number of files that were replaced, added or removed */
	bool told;                      /* it got the order to replace its code */
	struct str why;                 /* with SYNC_FAILED: a sentence */
	int status;                     /* with SYNC_FAILED: the exit status */
	struct exec_end end;
	/* private */
	struct sync_group *group;
	struct exec_stream stream;
	struct buf line;
	size_t sent;
	bool settled;
};

/*
 * Runs the script in all N replicas. True: each has the code now and runs it. False: something has failed; if no part
 * has `told`, nothing was changed anywhere.
 */
bool sync_parts(struct cluster *k, struct sync_part *at, size_t n);

#endif
