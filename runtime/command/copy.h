/*
 * copy.h - what the command `cp` copies: one side is a path of this machine, the other one a path in a replica.
 */
#ifndef TRAINC_RUNTIME_COMMAND_COPY_H
#define TRAINC_RUNTIME_COMMAND_COPY_H

#include "base/str.h"

struct copy {
	struct str role;                /* the replica */
	int64_t index;
	struct str there;               /* path in the replica */
	struct str here;                /* path on this machine */
	struct str there_text;          /* the operand that names the replica, as it was written */
	bool in;                        /* into the replica */
	bool force;                     /* replace what exists */
	/* results */
	uint64_t bytes;
	size_t files;
	struct str to;                  /* where it is now: a path on this machine, or in the replica */
};

#endif
