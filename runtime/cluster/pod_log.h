/*
 * pod_log.h - the lines of one container, followed across everything that cuts a log stream short,
 * without a loss and without a repeated line.
 *
 * Lines are requested with their time stamps.  After a cut the stream continues from the second of
 * the last stamp, and repeated lines are dropped.  The caller says whether the container still
 * runs (it watches pods).
 */
#ifndef TRAINC_RUNTIME_CLUSTER_POD_LOG_H
#define TRAINC_RUNTIME_CLUSTER_POD_LOG_H

#include "runtime/cluster/retry.h"

struct pod_log_line {
	int64_t time;                   /* ns since 1970; 0 when the line has no stamp */
	struct str text;                /* without stamp and newline; any bytes */
	bool cut;                       /* longer than POD_LOG_LONGEST: continues in the next */
	bool unfinished;                /* the stream ended without a newline */
};
enum { POD_LOG_LONGEST = 1 << 20 };

enum pod_log_end {
	/* the log has ended, and the container does not run or the log is not followed */
	POD_LOG_DONE,
	POD_LOG_WAITING,                /* the container has not started: try again when it has (pod_log_retry) */
	POD_LOG_ABSENT,                 /* no such pod, container or previous instance */
	POD_LOG_FAILED,
};

struct pod_log_options {
	struct str namespace, pod, container;   /* an empty container name means the only container */
	bool follow, previous;
	int64_t tail;                   /* lines; -1: all */
	int64_t since;                  /* ns since 1970; 0: from the beginning */
	/* Does this instance of the container still run?  Asked when a followed stream ends; NULL: no. */
	bool (*running)(void *to);
	bool (*line)(void *to, const struct pod_log_line *line);        /* false: stop reading until pod_log_resume() */
	void (*ended)(void *to, enum pod_log_end end, const struct transport_result *result);
	void *to;
};

struct pod_log;
struct pod_log *pod_log_start(struct calls *c, const struct pod_log_options *o);
/* After POD_LOG_WAITING, or for the next instance of a restarted container: connects again; nothing is repeated. */
void pod_log_retry(struct pod_log *p);
/* The container was started again: goes on in the log of the instance before it, whose lines alone are wanted. */
void pod_log_previous(struct pod_log *p);
/* After `line` returned false. */
void pod_log_resume(struct pod_log *p);
void pod_log_stop(struct pod_log *p);
void pod_log_dump(const struct pod_log *p, struct buf *out);

#endif
