/*
 * tree_diff.h - finds the differences between existing objects and wanted objects. Only wanted fields count, because
 * the server adds defaults and a status, and other managers add fields of their own. Quantities are compared as
 * amounts, and elements of lists by the name that identifies them.
 */
#ifndef TRAINC_RUNTIME_CLUSTER_TREE_DIFF_H
#define TRAINC_RUNTIME_CLUSTER_TREE_DIFF_H

#include "base/buf.h"
#include "data/data.h"

struct tree_difference {
	struct str path;                /* path of the field: "spec.template.spec.containers[0].image" */
	const struct data *ours, *theirs;       /* the two values; `theirs` NULL: the field does not exist */
};

struct tree_differences {
	struct tree_difference *at;
	size_t n;
};

struct tree_differences tree_diff(struct arena *a, const struct data *ours, const struct data *theirs);

/* Is the field at PATH of an object of KIND the content of a Secret, which must not appear in messages? */
bool tree_is_secret(struct str kind, struct str path);

/* Appends a value as tree_value() does, but "(masked)" for the contents of a Secret. */
void tree_value_of(struct buf *b, struct str kind, struct str path, const struct data *d, size_t most);

/* Appends a value on one line, shortened to about MOST bytes: "a", 4, {...}. */
void tree_value(struct buf *b, const struct data *d, size_t most);

#endif
