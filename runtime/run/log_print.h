/*
 * log_print.h - lines of logs as they are shown.
 */
#ifndef TRAINC_RUNTIME_RUN_LOG_PRINT_H
#define TRAINC_RUNTIME_RUN_LOG_PRINT_H

#include <regex.h>

#include "runtime/run/log_source.h"

struct log_print {
	struct arena *arena;
	bool json;
	bool escape;                    /* for a terminal: control characters in a line are shown, not obeyed */
	bool colors;                    /* except colors and styles, when `escape`; they end with the line */
	const regex_t *grep;            /* only lines that match; NULL: all */
	bool timestamps, prefix, colour;
	bool runs;                      /* lines come from several runs: the prefix names the run */
	bool any;                       /* set by printing: a line has been printed */
	/* streams by number: whether their end is still to be printed, and whether their line continues */
	struct log_print_stream *streams;
	size_t nstreams;
};

/*
 * Append what a line looks like.  Ends of attempts go to `marks`, which may be the
 * same buffer: "worker/0 - attempt 1 exited with code 3".
 */
void log_print(struct log_print *p, const struct log_line *l, struct buf *out, struct buf *marks);

#endif
