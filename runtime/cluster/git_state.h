/*
 * git_state.h - which commit the code of a run is from, and whether it differs from that: read from the files of git,
 * without starting git.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_GIT_STATE_H
#define TRAINC_RUNTIME_CLUSTER_GIT_STATE_H

#include "base/str.h"

struct git_state {
	struct str commit;              /* the id of the commit of HEAD, 40 or 64 digits */
	bool known;                     /* `dirty` is known */
	/*
	 * a file of the code is not as git has it, or git has one that is not there any more, or there is something to
	 * commit
	 */
	bool dirty;
};

/*
 * Reads about the code in the archive PACKED, the files of DIR ("." for the project itself) below the directory
 * PROJECT. False: it is not in a repository with a commit.
 */
bool git_state_read(struct arena *a, struct str project, struct str dir, struct str packed, struct git_state *ret);

#endif
