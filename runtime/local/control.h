/*
 * control.h - how a command talks to the keeper of a run.
 *
 * A stream socket in the run's directory, mode 0600.  The client sends lines; the
 * keeper answers each with a line `ok` or `no SENTENCE`.  After `watch` it sends
 * the run's state (run_state_write) as a line, at once and each time it changes,
 * until the run has ended and the connection closes.  A client that reads slowly
 * misses states in between, never the last one.
 *
 *   watch | stop | kill | suspend | resume | scale ROLE N | restart ROLE N
 */
#ifndef TRAINC_RUNTIME_LOCAL_CONTROL_H
#define TRAINC_RUNTIME_LOCAL_CONTROL_H

#include "runtime/local/run_dir.h"

/* The engine's answers to requests; false with a sentence for the user. */
struct control_ops {
	void *context;
	bool (*stop)(void *context, bool kill, struct str *why);        /* kill: at once, without grace */
	bool (*suspend)(void *context, bool suspend, struct str *why);
	bool (*scale)(void *context, struct str role, int64_t n, struct str *why);
	bool (*restart)(void *context, struct str role, int64_t index, struct str *why);
};

struct control;

/* ---- the keeper's end ---- */

/* Listen in the directory of the run, whose descriptor stays open as long.  NULL with a sentence. */
struct control *control_open(struct arena *a, const struct run_dir *dir, const struct control_ops *ops,
	struct str *why);
/* One descriptor for the engine's loop: readable when control_serve() has something to do. */
int control_fd(const struct control *c);
/* Accepts, reads requests, writes what can be written without waiting.  Nobody can keep the keeper waiting. */
void control_serve(struct control *c);
/* The run has changed: sends the state to everybody who watches.  `text` is one line. */
void control_publish(struct control *c, struct str text);
/* Closes every connection after pending output (waiting at most a second) and removes the socket. */
void control_close(struct control *c);

/* ---- the client's end ---- */

/*
 * How long a command waits for a keeper, which answers within milliseconds unless it, or the
 * machine, is stopped.
 */
enum { CONTROL_ANSWER_SECONDS = 2 };

/*
 * Connects to the keeper of a run; -1 with a sentence when nobody listens, with errno EAGAIN when its queue stays full.
 */
int control_connect(struct arena *a, struct str run_dir, struct str *why);

enum control_answer {
	CONTROL_OK,
	CONTROL_REFUSED,                /* refused, with the keeper's sentence */
	CONTROL_SILENT,                 /* no answer in time; it may come yet */
	CONTROL_GONE                    /* the connection has ended */
};
/* Sends a request and waits for the answer; a sentence unless it is CONTROL_OK. */
enum control_answer control_ask(struct arena *a, int fd, struct str request, struct str *why);

/* Lines of a connection after `watch`. */
struct control_lines {
	int fd;
	struct buf pending;
	size_t at;                      /* where the next line begins */
	bool ended;                     /* the keeper has closed the connection: only pending lines are left */
};
/*
 * Reads what there is without waiting; then lines can be taken, which are valid until the next
 * reading.  False when there is none.
 */
void control_read(struct control_lines *l);
bool control_line(struct control_lines *l, struct str *ret);
void control_lines_release(struct control_lines *l);

#endif
