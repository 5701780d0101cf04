/*
 * exec_stream.h - a process in a container whose input and output belong to this program, not to the terminal: what
 * `cp` and `sync` need. Several streams may run at once. Nothing is kept but the end of standard error.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_EXEC_STREAM_H
#define TRAINC_RUNTIME_CLUSTER_EXEC_STREAM_H

#include "runtime/cluster/exec_request.h"

/* How the process ended. */
struct exec_end {
	bool ended;                     /* the process ended with the exit status `code` */
	int code;
	struct str said;                /* the end of what it wrote to standard error, without the last line end */
	struct str error;               /* why its end is not known, or why it did not start; a sentence */
	int status;                     /* the exit status that belongs to `error` */
	bool missing;                   /* the container has no such command */
	bool old;                       /* the server may be too old: exec_server_is_old() */
	bool barred;                    /* something on the way does not pass WebSockets */
	bool forbidden;                 /* the right to start processes in pods is missing */
};

struct exec_stream {
	struct exec_request request;
	/* Takes what the process writes to standard output; false: the stream ends, and the caller knows why. */
	bool (*take)(void *to, struct str bytes);
	/*
	 * Appends more input to B; false: nothing follows. If it appends nothing, it is called again by
	 * exec_stream_feed(). NULL: the process has no input.
	 */
	bool (*give)(void *to, struct buf *b);
	void *to;
	/* the rest is set by exec_stream_start() */
	struct cluster *cluster;
	struct websocket *stream;
	struct loop_timer linger;
	struct buf said, text;          /* the end of standard error, and the Status */
	bool opened, over, refused, input_over;
	struct websocket_end end;
};

/* Starts the process; S must not be moved until exec_stream_end(). */
void exec_stream_start(struct cluster *k, struct exec_stream *s);
/* Sends more input, as long as there is some and room for it. */
void exec_stream_feed(struct exec_stream *s);
/* Runs the loop until all N streams are over, or the command is interrupted. */
void exec_stream_wait(struct cluster *k, struct exec_stream *const *all, size_t n);
/* Closes the stream and says how its process ended. Texts live in the arena of the cluster. */
struct exec_end exec_stream_end(struct exec_stream *s);

#endif
