/* manifest_file.c - reads the embedded manifests. */
#include "runtime/supervise/manifest_file.h"

#include <stdio.h>
#include <stdlib.h>

#include "data/data_read.h"

static const struct manifest_file *manifest_file_find(const char *name)
{
	const struct manifest_file *f = manifest_files;

	while (f->name && strcmp(f->name, name) != 0)
		f++;
	return f;
}

bool manifest_file_exists(const char *name) { return manifest_file_find(name)->name; }

struct object *manifest_file_read(struct arena *a, const char *name)
{
	const struct manifest_file *f = manifest_file_find(name);
	struct source *source = ARENA_NEW(a, struct source);
	struct data_error error = { .what = STR("the file is empty") };
	struct data *tree = NULL;

	*source = (struct source){ .name = str_of(name), .text = f->text, .base = 1 };
	struct data_reader *r = data_reader_new(a, source);
	enum data_step step = data_next(r, &tree, &error);
	data_reader_release(r);
	if (step != DATA_DOCUMENT) {
		fprintf(stderr, "trainc: the embedded manifest '%s': %.*s\n", name, STR_ARG(error.what));
		exit(70);
	}
	return object_from_data(a, tree);
}

struct object *manifest_path(struct object *root, const char *path)
{
	struct object *at = root;

	for (const char *key = path; at; key++) {
		size_t n = strcspn(key, ".");
		at = object_get(at, (struct str){ key, n });
		key += n;
		if (!*key)
			break;
	}
	return at;
}

void manifest_drop(struct object *map, struct str key)
{
	size_t kept = 0;

	for (size_t i = 0; i < map->u.map.n; i++)
		if (!str_eq(map->u.map.at[i].key, key))
			map->u.map.at[kept++] = map->u.map.at[i];
	map->u.map.n = kept;
}
