/*
 * control.h - the protocol between a command and the keeper of a run. It uses a stream socket in the run's directory,
 * mode 0600. The client sends lines, and the keeper answers each line with `ok` or `no SENTENCE`. After `watch` the
 * keeper sends the run's state (run_state_write) as a line, at once and after each change, until the run has ended and
 * the connection closes. A client that reads slowly misses some states, but never the last one.
 *
 * watch | stop | kill | suspend | resume | scale ROLE N | restart ROLE N | sync ROLE N ID FILES BYTES [keep]
 */
#ifndef TRAINC_RUNTIME_LOCAL_CONTROL_H
#define TRAINC_RUNTIME_LOCAL_CONTROL_H

#include "runtime/local/run_dir.h"

/* Functions of the engine that carry out requests. They return false with an explanation for the user. */
struct control_ops {
	void *context;
	bool (*stop)(void *context, bool kill, struct str *why);        /* KILL: stop without a grace period */
	bool (*suspend)(void *context, bool suspend, struct str *why);
	bool (*scale)(void *context, struct str role, int64_t n, struct str *why);
	bool (*restart)(void *context, struct str role, int64_t index, struct str *why);
	/*
	 * Notes that a replica has other code now, which is that of its role from now on, and starts its program again
	 * in its place, unless KEEP.
	 */
	bool (*sync)(void *context, struct str role, int64_t index, const struct run_code *code, bool keep,
		struct str *why);
};

struct control;

/* ---- the keeper's end ---- */

/*
 * Listens in the directory of the run, whose descriptor must stay open. On failure, returns NULL with an explanation.
 */
struct control *control_open(struct arena *a, const struct run_dir *dir, const struct control_ops *ops,
	struct str *why);
/* One descriptor for the engine's loop: readable when control_serve() has something to do. */
int control_fd(const struct control *c);
/* Accepts clients, reads requests, and writes as much pending output as possible. Never blocks. */
void control_serve(struct control *c);
/* Sends the changed state to all clients that watch. TEXT is one line. */
void control_publish(struct control *c, struct str text);
/* Closes every connection after its pending output has been sent (within at most a second) and removes the socket. */
void control_close(struct control *c);

/* ---- the client's end ---- */

/*
 * The time that a command waits for a keeper's answer. A keeper answers within milliseconds unless the keeper or the
 * machine is stopped.
 */
enum { CONTROL_ANSWER_SECONDS = 2 };

/*
 * Connects to the keeper of a run. Returns -1 with an explanation if no keeper listens; errno is EAGAIN if the keeper's
 * queue of connections stays full.
 */
int control_connect(struct arena *a, struct str run_dir, struct str *why);

enum control_answer {
	CONTROL_OK,
	CONTROL_REFUSED,                /* the keeper refused the request, with an explanation */
	CONTROL_SILENT,                 /* no answer came in time; the answer may still come later */
	CONTROL_GONE                    /* the connection has ended */
};
/* Sends a request and waits for the answer. WHY has an explanation unless the answer is CONTROL_OK. */
enum control_answer control_ask(struct arena *a, int fd, struct str request, struct str *why);

/* The lines that arrive on a connection after `watch`. */
struct control_lines {
	int fd;
	struct buf pending;
	size_t at;                      /* offset of the next line */
	bool ended;                     /* the keeper has closed the connection: only pending lines are left */
};
/*
 * Reads the bytes that have arrived, without waiting. Afterwards the lines can be taken; they are valid until the next
 * call.
 */
void control_read(struct control_lines *l);
bool control_line(struct control_lines *l, struct str *ret);
void control_lines_release(struct control_lines *l);

#endif
