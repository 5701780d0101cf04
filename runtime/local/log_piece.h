/*
 * log_piece.h - opens the pieces of a container's log (log_file.h) for readers, while the writer continues.
 */
#ifndef TRAINC_RUNTIME_LOCAL_LOG_PIECE_H
#define TRAINC_RUNTIME_LOCAL_LOG_PIECE_H

#include "runtime/local/log_file.h"

struct log_piece {
	int log, times;                 /* descriptors of the log and of its times */
	uint64_t number, start;         /* number of the piece, from 1; offset of its first byte */
	int64_t attempts;               /* number of attempts that ended before the piece */
	bool full;                      /* nothing more is written into the piece: the next one exists */
};

/*
 * Opens piece NUMBER of the log NAME, or the newest for 0. Both files belong to the same piece, whatever the writer
 * does meanwhile. False: the piece does not exist, or no longer exists.
 */
bool log_piece_open(int directory, const char *name, uint64_t number, struct log_piece *ret);
/* Opens the oldest existing piece. False: the log has no piece. */
bool log_piece_oldest(int directory, const char *name, struct log_piece *ret);
void log_piece_close(struct log_piece *p);

#endif
