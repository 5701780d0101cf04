/*
 * files.c - reads the ConfigMaps in which trainc keeps the `files` of a role, or of the whole job.
 */
#include "import/compiled.h"
#include "import/hosts.h"
#include "import/import_role.h"
#include "import/import_tree.h"

bool files_keep(struct import *im, const struct data *object)
{
	struct str name = member_text(member(object, "metadata"), "name");

	if (!str_is(member_text(object, "kind"), "ConfigMap") || !str_ends(name, STR("-files")) ||
	    !member(object, "data"))
		return false;
	map_put_const(&im->files, im->arena, name, object);
	return true;
}

bool files_taken(const struct import *im, struct str name) { return map_get(&im->files_taken, name); }

const struct data *files_of(struct import *im, struct str kind, const struct data *source)
{
	const struct data *all = member(source, "sources"), *ret = NULL;

	if (!str_is(kind, "projected") || data_count(source) != 1)
		return NULL;
	for (size_t i = 0; i < data_count(all); i++) {
		const struct data *map = member(all->u.list.at[i], "configMap");
		const struct data *object = map_get(&im->files, member_text(map, "name"));
		if (!object || data_count(all->u.list.at[i]) != 1 || data_count(map) != 1)
			return NULL;
		ret = tree_merge(im->arena, ret, member(object, "data"));
	}
	for (size_t i = 0; i < data_count(all) && ret; i++)
		map_put(&im->files_taken, im->arena, member_text(member(all->u.list.at[i], "configMap"), "name"), im);
	return ret;
}

struct expr *files_text(struct import *im, struct imported *job, struct str text)
{
	struct expr *e = expr_new(im->arena, EXPR_STRING);
	struct str host;
	size_t start = 0;

	for (size_t i = 0, n; i < text.n; i += n ? n : 1) {
		if ((n = host_at(im, job, text, i, &host)) == 0)
			continue;
		expr_append(im->arena, e, false, (struct str){ text.p + start, i - start });
		expr_append(im->arena, e, true, host);
		start = i + n;
	}
	expr_append(im->arena, e, false, (struct str){ text.p + start, text.n - start });
	return e;
}
