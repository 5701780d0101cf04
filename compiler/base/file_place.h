/*
 * file_place.h - the place of a file that is written: an open directory and a name in it. Whoever prepares a directory,
 * such as the author of a repository, can make symbolic links in it. Links must not decide that a file somewhere else
 * is replaced, so the last part of a path may be a link only to something below the directory that contains the link.
 * The directories in a path may be links, because the user named them.
 */
#ifndef TRAINC_BASE_FILE_PLACE_H
#define TRAINC_BASE_FILE_PLACE_H

#include "base/str.h"

struct file_place {
	int dir;                        /* the directory, which the caller closes; only usable as a start of paths */
	const char *name;               /* a name in it, which was not a symbolic link */
};

/* Is PATH below /dev or /proc, where the system's own links are? */
bool file_place_is_system(struct str path);

/*
 * Opens the directory of PATH, or of the file that PATH leads to as a link. The file need not exist. False, with an
 * explanation in WHY, if the directory cannot be opened, or if PATH is a link to nothing or out of its directory. Paths
 * below /dev and /proc are links of the system and may lead anywhere.
 */
bool file_place_open(struct arena *a, struct str path, struct file_place *ret, struct str *why);

/*
 * Opens the directory PATH, and makes it first if it does not exist; *RET_MADE says whether it was made. Links are
 * followed as by file_place_open(). Returns its descriptor, or -1 with an explanation in WHY.
 */
int file_place_directory(struct arena *a, struct str path, bool *ret_made, struct str *why);

#endif
