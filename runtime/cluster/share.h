/*
 * share.h - the rule by which several users share a limited number of places, so that one of them cannot take all: a
 * user may use up to four times as many places as are free. A single user gets four fifths of all places, two get four
 * ninths each, and whoever comes next always finds a free place without waiting.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_SHARE_H
#define TRAINC_RUNTIME_CLUSTER_SHARE_H

#include <stdbool.h>
#include <stddef.h>

enum { SHARE_OF_FREE = 4 };

/* May a user that holds MINE places take N more, when USED of all MOST places are in use? */
static inline bool share_permits(size_t mine, size_t n, size_t used, size_t most)
{
	return used + n <= most && (!mine || mine + n <= SHARE_OF_FREE * (most - used - n));
}

#endif
