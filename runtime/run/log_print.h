/*
 * log_print.h - prints lines of logs.
 */
#ifndef TRAINC_RUNTIME_RUN_LOG_PRINT_H
#define TRAINC_RUNTIME_RUN_LOG_PRINT_H

#include <regex.h>

#include "runtime/run/log_source.h"

struct log_print {
	bool json;
	struct str context;             /* JSON lines name this context; empty: they name none */
	bool escape;                    /* the output is a terminal: control characters in a line are escaped */
	bool colors;                    /* with `escape`, sequences for colors and styles are kept; the colors are reset
					 * at the end of each line */
	const regex_t *grep;            /* pattern that lines must match; NULL: all lines are printed */
	bool timestamps, prefix, colour;
	bool runs;                      /* lines come from several runs: the prefix names the run */
	bool any;                       /* set by printing: a line has been printed */
};

/*
 * Appends a line in its printed form. Ends of attempts, such as "worker/0 - attempt 1 exited with code 3", are appended
 * to MARKS, which may be the same buffer.
 */
void log_print(struct log_print *p, const struct log_line *l, struct buf *out, struct buf *marks);

#endif
