/*
 * snapshot.h - a snapshot of a directory of code: which files, their archive, and its id.
 */
#ifndef TRAINC_CODE_SNAPSHOT_H
#define TRAINC_CODE_SNAPSHOT_H

#include "code/archive.h"

/* What is wanted. All of it must live as long as the snapshot. */
struct snapshot_wish {
	struct str project;             /* path of the project on this machine */
	struct str dir;                 /* the directory, relative to the project; empty if it is the project */
	struct str state;               /* trainc's own directory, or empty */
	const struct str *outputs;      /* files and directories that the command writes: never taken */
	const struct str *exclude, *include, *allow;
	size_t noutputs, nexclude, ninclude, nallow;
	uint64_t max;                   /* most bytes of all files; 0: no limit */
	size_t most_packed;
	/* takes the bytes of the archive as it is made, or NULL. Then the snapshot is tried only once */
	bool (*write)(void *context, const char *bytes, size_t n);
	void *context;
};

struct snapshot {
	struct code_tree tree;
	char id[65];                    /* empty if there are problems */
	struct buf packed;
	bool too_large;                 /* the packed form has more than `most_packed` bytes */
	bool over;                      /* too many files or bytes: no file was read */
	bool no_directory;              /* the directory does not exist or is none */
	bool outside;                   /* a link leads it out of the project */
	struct str why;                 /* why the directory cannot be used */
};

/* Takes a snapshot; false if there is any problem. Call snapshot_release() in any case. */
bool snapshot_take(struct arena *a, const struct snapshot_wish *wish, struct snapshot *ret);
/* Finds the directory, of which nothing is read, and its real path; false if it cannot be used: see RET. */
bool snapshot_find(struct arena *a, const struct snapshot_wish *wish, struct snapshot *ret, struct str *path);
/* Walks the directory and reads no file: RET has the tree. Returns false if the directory cannot be used. */
bool snapshot_look(struct arena *a, const struct snapshot_wish *wish, struct snapshot *ret);
void snapshot_release(struct snapshot *s);

/* The largest entries of the directory, with all that is below a directory summed; the largest first. */
struct snapshot_part {
	struct str name;                /* with a '/' at its end if it is a directory */
	uint64_t bytes, files;
};
size_t snapshot_largest(struct arena *a, const struct snapshot *s, struct snapshot_part *ret, size_t most);

#endif
