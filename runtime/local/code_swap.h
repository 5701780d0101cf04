/*
 * code_swap.h - replaces the code of a replica on this machine, in its own copy. First the new files are put beside the
 * copy, then they take the place of the old ones. Files of the old code that the new one lacks are deleted; others,
 * which the program has written, stay. The program may have put links and directories anywhere: none is followed.
 */
#ifndef TRAINC_RUNTIME_LOCAL_CODE_SWAP_H
#define TRAINC_RUNTIME_LOCAL_CODE_SWAP_H

#include "base/map.h"

/* The files and links of an archive: path -> digest. */
struct code_files {
	struct map digests;             /* path -> 64 digits, a char array */
	struct str *paths;
	size_t n;
};

/* Lists the files of an archive; false if it is damaged. An empty archive has none. */
bool code_files_read(struct arena *a, struct str packed, struct code_files *ret);
/* Adds the files of another archive; a file with different contents in the two counts as changed from then on. */
void code_files_join(struct arena *a, struct code_files *to, const struct code_files *from);
/* The number of files that differ, or that only one of the two has. */
int64_t code_files_changed(const struct code_files *old, const struct code_files *new);

struct code_swap {
	struct arena *arena;
	const struct code_files *old, *new;
	struct str packed, id;          /* the new code */
	struct str dir;                 /* the directory of the copy */
	int copy, stage;                /* descriptors of the copy, and of the new files beside it; -1: not open */
};

/* Puts the new files beside the copy. Returns false with an explanation if they cannot take the place of the old. */
bool code_swap_prepare(struct code_swap *s, struct str *why);
/* Replaces the files; false with an explanation, and then only a part may have been replaced. */
bool code_swap_carry_out(struct code_swap *s, struct str *why);
/* Removes what was prepared. */
void code_swap_end(struct code_swap *s);

#endif
