/*
 * code_begun.h - RUN/code/begun: the replicas whose code a sync has begun to replace, each with the ids of the archives
 * whose files its copy may have. A line is removed when the keeper knows what the replica has; so after an interrupted
 * or failed sync, the next one replaces these files again, whatever the keeper was told before.
 */
#ifndef TRAINC_RUNTIME_LOCAL_CODE_BEGUN_H
#define TRAINC_RUNTIME_LOCAL_CODE_BEGUN_H

#include "base/str.h"

struct begun_line {                     /* ROLE N ID */
	struct str role, id;            /* the first 12 digits of an id */
	int64_t index;
};
struct code_begun {
	struct begun_line *at;
	size_t n;
};

/* Reads the file in the directory DIR, which need not have it; false with an explanation. */
bool code_begun_read(struct arena *a, struct str dir, struct code_begun *ret, struct str *why);
/* Replaces the file; removes it if no line is left. */
bool code_begun_write(struct arena *a, struct str dir, const struct code_begun *b, struct str *why);

bool code_begun_has(const struct code_begun *b, struct str role, int64_t index);
/* Adds a line, unless that line exists or ID is not known. */
void code_begun_add(struct arena *a, struct code_begun *b, struct str role, int64_t index, struct str id);
/* Removes the lines of a replica. */
void code_begun_done(struct code_begun *b, struct str role, int64_t index);

#endif
