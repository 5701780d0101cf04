/*
 * log_piece.h - the pieces of a container's log (log_file.h), for those who read
 * while the writer goes on.
 */
#ifndef TRAINC_RUNTIME_LOCAL_LOG_PIECE_H
#define TRAINC_RUNTIME_LOCAL_LOG_PIECE_H

#include "runtime/local/log_file.h"

struct log_piece {
	int log, times;                 /* descriptors */
	uint64_t number, start;         /* from 1; the offset of its first byte */
	int64_t attempts;               /* that have ended before it */
	bool full;                      /* nothing is written into it any more: the next one is there */
};

/*
 * Opens piece NUMBER of the log NAME, or the newest for 0. Both files are of the same piece whatever the writer does
 * meanwhile. False: it is not there, or not any more.
 */
bool log_piece_open(int directory, const char *name, uint64_t number, struct log_piece *ret);
/* The oldest piece that there is.  False as above. */
bool log_piece_oldest(int directory, const char *name, struct log_piece *ret);
void log_piece_close(struct log_piece *p);

#endif
