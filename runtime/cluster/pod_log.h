/*
 * pod_log.h - reads the lines of one container, across everything that ends a log stream early, without losing or
 * repeating a line. Lines are requested with their time stamps. After a cut the stream continues from the second of the
 * last time stamp, and repeated lines are dropped. The caller, which watches pods, decides whether the container still
 * runs.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_POD_LOG_H
#define TRAINC_RUNTIME_CLUSTER_POD_LOG_H

#include "runtime/cluster/retry.h"

struct pod_log_line {
	int64_t time;                   /* ns since 1970; 0 if the line has no time stamp */
	struct str text;                /* the line without time stamp and newline; may contain any bytes */
	bool cut;                       /* the line is longer than POD_LOG_LONGEST: the next line continues it */
	bool unfinished;                /* the stream ended without a newline */
};
/* Smaller for a fuzzer, whose inputs are short. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
enum { POD_LOG_LONGEST = 64 };
#else
enum { POD_LOG_LONGEST = 1 << 20 };
#endif

enum pod_log_end {
	/* the log has ended, because the container has ended or because the log is not followed */
	POD_LOG_DONE,
	POD_LOG_WAITING,                /* the container has not started: call pod_log_retry() after it has started */
	POD_LOG_ABSENT,                 /* the pod, container or previous instance does not exist */
	POD_LOG_FAILED,
};

struct pod_log_options {
	struct str namespace, pod, container;   /* an empty container name means the only container */
	bool follow, previous;
	int64_t tail;                   /* number of last lines to read; -1: all lines */
	int64_t since;                  /* first time to read, in ns since 1970; 0: from the beginning */
	/*
	 * Does this instance of the container still run? Called when a followed stream ends; NULL: the container does
	 * not run.
	 */
	bool (*running)(void *to);
	bool (*line)(void *to, const struct pod_log_line *line);        /* called for each line; false: reading pauses
									 * until pod_log_resume() */
	void (*ended)(void *to, enum pod_log_end end, const struct transport_result *result);
	void *to;
};

struct pod_log;
struct pod_log *pod_log_start(struct calls *c, const struct pod_log_options *o);
/*
 * Tells P that the container has started. RESTARTED: it has started again, so the rest of the log of its previous
 * instance is read first. P connects again when the current connection has ended. Lines are not repeated.
 */
void pod_log_retry(struct pod_log *p, bool restarted);
/* Is the end of the log of an instance that has ended still being read? */
bool pod_log_is_behind(const struct pod_log *p);
/* Continues in the log of the previous instance, after the container was started again. Only that instance is read. */
void pod_log_previous(struct pod_log *p);
/* Ends the log with the connection that is in progress: the server no longer has this log. */
void pod_log_finish(struct pod_log *p);
/* Continues after `line` returned false. */
void pod_log_resume(struct pod_log *p);
void pod_log_stop(struct pod_log *p);

#endif
