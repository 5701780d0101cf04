/*
 * import_kinds.c - joins the tables in which several files list the kinds of manifests that become jobs, each with its
 * reader.
 */
#include "import/import_manifest.h"

static const struct import_kind *const tables[] = { operator_kinds, mpi_kinds, legacy_kinds, workload_kinds,
	jobset_kinds, volcano_kinds, trainer_kinds, ray_kinds, leader_kinds, spark_kinds };

const struct import_kind *import_kind_at(size_t i)
{
	for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
		for (const struct import_kind *k = tables[t]; k->kind; k++)
			if (!i--)
				return k;
	return NULL;
}

const struct import_kind *import_kind_find(struct str kind, struct str api_version,
	const struct import_kind **ret_other)
{
	const struct import_kind *k;

	*ret_other = NULL;
	for (size_t i = 0; (k = import_kind_at(i)); i++) {
		if (!str_is(kind, k->kind))
			continue;
		if (str_is(api_version, k->api_version))
			return k;
		if (!*ret_other)
			*ret_other = k;
	}
	return NULL;
}

bool import_is_kind(struct str kind)
{
	const struct import_kind *other;

	return import_kind_find(kind, STR(""), &other) || other;
}

bool import_row(size_t i, struct import_row *ret)
{
	const struct import_kind *k = import_kind_at(i);

	if (k)
		*ret = (struct import_row){ k->kind, k->api_version, k->use };
	return k;
}

bool import_need(const struct data *object, struct import_need *ret)
{
	const struct data *ref = member(member(object, "spec"), "runtimeRef");

	*ret = (struct import_need){ member_text(ref, "kind"), member_text(object, "apiVersion"),
		member_text(ref, "name") };
	if (!ret->kind.n)
		ret->kind = STR("ClusterTrainingRuntime");      /* the default of the API */
	return ret->name.n > 0;
}
