/*
 * snapshot.c - opens the directory, walks it, and makes the archive. A file that changes while it is read spoils the
 * archive, so that everything is tried a second time.
 */
#include "code/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/path.h"

/* Are the links of the path to the directory followed to a place in the project? */
static bool is_inside(struct arena *a, struct str project, struct str path)
{
	char *outer = realpath(project.p, NULL), *inner = realpath(path.p, NULL);
	bool inside = outer && inner && (!strcmp(outer, "/") || path_inside(str_of(outer), str_copy(a, str_of(inner))));

	free(outer);
	free(inner);
	return inside;
}

static struct str path_of_project(struct arena *a, const struct snapshot_wish *w)
{
	return str_copy(a, w->project.n ? w->project : STR("."));
}

static struct str path_of_root(struct arena *a, const struct snapshot_wish *w)
{
	struct str project = path_of_project(a, w);

	return w->dir.n ? str_cat(a, project, STR("/"), w->dir) : project;
}

static int open_root(struct arena *a, const struct snapshot_wish *w, struct snapshot *s)
{
	struct str project = path_of_project(a, w), path = path_of_root(a, w);
	int root = open(path.p, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (root < 0) {
		s->no_directory = true;
		s->why = errno == ENOTDIR ? STR("is not a directory") : errno == ENOENT ? STR("does not exist") :
			str_cat(a, STR("cannot be read: "), file_reason(a, errno), STR(""));
		return -1;
	}
	s->outside = !is_inside(a, project, path);
	return root;
}

/* Opens the directory and walks it; returns its descriptor, or -1 if it cannot be used. */
static int walk_root(struct arena *a, const struct snapshot_wish *w, struct snapshot *ret)
{
	int root = open_root(a, w, ret);

	ret->tree = (struct code_tree){ .arena = a, .root = root, .dir = w->dir, .state = w->state,
		.outputs = w->outputs, .noutputs = w->noutputs,
		.project = w->project.n ? w->project : STR("."), .exclude = w->exclude, .nexclude = w->nexclude,
		.include = w->include, .ninclude = w->ninclude };
	if (root >= 0 && ret->outside) {
		close(root);
		return -1;
	}
	if (root >= 0)
		tree_walk(&ret->tree);
	return root;
}

static bool take_once(struct arena *a, const struct snapshot_wish *w, struct snapshot *ret)
{
	int root = walk_root(a, w, ret);

	if (root < 0)
		return false;
	ret->over = ret->tree.n > TREE_FILES || ret->tree.visits >= TREE_VISITS || (w->max && ret->tree.bytes > w->max);
	struct archive archive = { .tree = &ret->tree, .allow = w->allow, .nallow = w->nallow, .pack = true,
		.most = w->most_packed, .write = w->write, .context = w->context };
	bool ok = !ret->over && archive_make(&archive) && !ret->tree.nproblems;
	close(root);
	ret->packed = archive.packed;
	ret->too_large = archive.too_large;
	if (ok)
		memcpy(ret->id, archive.id, sizeof ret->id);
	return ok && !ret->too_large;
}

bool snapshot_look(struct arena *a, const struct snapshot_wish *wish, struct snapshot *ret)
{
	*ret = (struct snapshot){ 0 };
	int root = walk_root(a, wish, ret);

	if (root >= 0)
		close(root);
	return root >= 0;
}

static bool has_fault(const struct code_tree *t, enum tree_fault fault)
{
	for (size_t i = 0; i < t->nproblems; i++)
		if (t->problems[i].fault == fault)
			return true;
	return false;
}

bool snapshot_take(struct arena *a, const struct snapshot_wish *wish, struct snapshot *ret)
{
	*ret = (struct snapshot){ 0 };
	if (take_once(a, wish, ret))
		return true;
	if (wish->write || !has_fault(&ret->tree, FAULT_CHANGED))
		return false;
	snapshot_release(ret);
	*ret = (struct snapshot){ 0 };
	return take_once(a, wish, ret);
}

bool snapshot_find(struct arena *a, const struct snapshot_wish *wish, struct snapshot *ret, struct str *path)
{
	*ret = (struct snapshot){ 0 };
	int root = open_root(a, wish, ret);
	char *real = root >= 0 && !ret->outside ? realpath(path_of_root(a, wish).p, NULL) : NULL;

	if (root >= 0)
		close(root);
	if (real)
		*path = str_copy(a, str_of(real));
	else if (!ret->outside && !ret->no_directory) {
		ret->no_directory = true;
		ret->why = str_cat(a, STR("cannot be found: "), file_reason(a, errno), STR(""));
	}
	free(real);
	return real != NULL;
}

void snapshot_release(struct snapshot *s) { buf_release(&s->packed); }

static int by_size(const void *a, const void *b)
{
	const struct snapshot_part *x = a, *y = b;

	return x->bytes != y->bytes ? x->bytes < y->bytes ? 1 : -1 : str_cmp(x->name, y->name);
}

size_t snapshot_largest(struct arena *a, const struct snapshot *s, struct snapshot_part *ret, size_t most)
{
	struct snapshot_part *all = NULL;
	size_t n = 0;

	for (size_t i = 0; i < s->tree.n; i++) {        /* entries of one directory follow each other */
		const struct tree_entry *e = &s->tree.entries[i];
		const char *slash = memchr(e->path.p, '/', e->path.n);
		struct str name = { e->path.p, slash ? (size_t)(slash - e->path.p) + 1 : e->path.n };
		if (!n || !str_eq(all[n - 1].name, name))
			ARENA_PUSH(a, all, n, ((struct snapshot_part){ .name = name }));
		all[n - 1].bytes += e->size;
		all[n - 1].files++;
	}
	if (n)
		qsort(all, n, sizeof *all, by_size);
	most = n < most ? n : most;
	if (most)
		memcpy(ret, all, most * sizeof *ret);
	return most;
}
