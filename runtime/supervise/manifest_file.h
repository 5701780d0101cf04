/*
 * manifest_file.h - the objects that run the controller in a cluster, as the files of the directory manifest/ contain
 * them. Each file is a manifest that kubectl accepts, for a controller with the default name in the default namespace;
 * the files rules-*.yaml contain rules for its roles.
 */
#ifndef TRAINC_RUNTIME_SUPERVISE_MANIFEST_FILE_H
#define TRAINC_RUNTIME_SUPERVISE_MANIFEST_FILE_H

#include "objects/object.h"

struct manifest_file {
	const char *name;               /* the name of the file without ".yaml"; NULL ends the table */
	struct str text;
};

/* All files. The build writes this table (embed.sh). */
extern const struct manifest_file manifest_files[];

/*
 * Reads the file NAME ("deployment"), which contains one document. The tree lives in A and may be changed. A file that
 * cannot be read is a mistake in this source tree: the process ends with a message.
 */
struct object *manifest_file_read(struct arena *a, const char *name);
bool manifest_file_exists(const char *name);
/* Returns the value at PATH ("spec.template.metadata") in a tree; all keys before the last must exist. */
struct object *manifest_path(struct object *root, const char *path);
/* Removes a field of a map, if it exists. */
void manifest_drop(struct object *map, struct str key);

#endif
