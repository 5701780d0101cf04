/*
 * api_volumes.c - rules of the API server about volumes of pods and of the cluster.
 */
#include "verify/api_rules.h"

#include "base/quantity.h"

/* Checks a volume of a pod; without a source it is an emptyDir. */
void api_volume(struct api_check *k, const struct data *d)
{
	static const char *const not[] = { "name", NULL };
	size_t n = api_chosen(d, not);

	if (n > 1)
		api_refuse(k, d, "write one source, for example emptyDir = {}", "volume '%.*s' has %zu sources",
			STR_ARG(api_text(d, "name")), n);
}

static void below_zero(struct api_check *k, const struct data *map, const char *key)
{
	const struct data *d = data_get(map, str_of(key));
	struct quantity q;

	if (d && ((d->kind == DATA_INT && d->u.integer < 0) ||
		  (d->kind == DATA_STRING && quantity_parse_full(d->u.string, &q) == QUANTITY_OK && q.nano < 0)))
		api_refuse(k, d, "write 0 or more", "'%s' is negative", key);
}

void api_empty_dir(struct api_check *k, const struct data *d) { below_zero(k, d, "sizeLimit"); }

/* Checks a file of the downward API: the fields that exist, and the resources whose limits can be read. */
void api_downward_file(struct api_check *k, const struct data *d)
{
	static const char *const known[] = { "metadata.name", "metadata.namespace", "metadata.uid",
		"metadata.labels", "metadata.annotations", NULL };
	const struct data *field = data_get(d, STR("fieldRef")), *amount = data_get(d, STR("resourceFieldRef"));
	struct str path = field && field->kind == DATA_MAP ? api_text(field, "fieldPath") : STR("");
	bool good = str_starts(path, STR("metadata.labels['")) || str_starts(path, STR("metadata.annotations['"));

	for (size_t i = 0; known[i]; i++)
		good = good || str_is(path, known[i]);
	if (api_has(d, "fieldRef") + api_has(d, "resourceFieldRef") != 1)
		api_refuse(k, d, "write one of fieldRef and resourceFieldRef",
			"a file of 'downwardAPI' has one source");
	else if (path.n && !good)
		api_refuse(k, field,
			"the paths are metadata.name, metadata.namespace, metadata.uid, metadata.labels and "
			"metadata.annotations", "a file cannot have the field '%.*s' of the pod",
			STR_ARG(check_short(k->c->arena, path)));
	if (amount && amount->kind == DATA_MAP && !api_text(amount, "containerName").n)
		api_missing(k, amount, "add 'containerName'", "in a volume 'resourceFieldRef' needs 'containerName'");
}

/* Checks a PersistentVolume, which has exactly one source. */
void api_volume_spec(struct api_check *k, const struct data *d)
{
	static const char *const general[] = {
		"capacity", "accessModes", "claimRef", "persistentVolumeReclaimPolicy", "storageClassName",
			"mountOptions", "volumeMode",
		"nodeAffinity", "volumeAttributesClassName", NULL
	};
	size_t n = api_chosen(d, general);

	if (n != 1)
		api_refuse(k, d, "write one source, for example nfs { server = ..., path = ... }",
			n ? "a PersistentVolume has %zu sources" : "a PersistentVolume needs a source%.0zu", n);
	if (!api_has(d, "accessModes"))
		api_missing(k, d, "add accessModes = [\"ReadWriteOnce\"]", "a PersistentVolume needs 'accessModes'");
	if (!api_has(d, "capacity"))
		api_missing(k, d, "add capacity { storage = 10Gi }", "a PersistentVolume needs 'capacity'");
}

static bool is_nothing(const struct data *d)
{
	struct quantity q;

	return d && ((d->kind == DATA_INT && d->u.integer <= 0) ||
		     (d->kind == DATA_STRING && quantity_parse_full(d->u.string, &q) == QUANTITY_OK && q.nano <= 0));
}

/* Checks what a claim requests. */
void api_claim_spec(struct api_check *k, const struct data *d)
{
	const struct data *modes = data_get(d, STR("accessModes")), *resources = data_get(d, STR("resources"));
	const struct data *requests = resources && resources->kind == DATA_MAP ? data_get(resources,
		STR("requests")) : NULL;
	const struct data *size = requests && requests->kind == DATA_MAP ? data_get(requests, STR("storage")) : NULL;

	if (!modes || modes->kind != DATA_LIST || !modes->u.list.n)
		api_missing(k, d, "add accessModes = [\"ReadWriteOnce\"]", "a claim needs 'accessModes'");
	for (size_t i = 0; modes && modes->kind == DATA_LIST && modes->u.list.n > 1 && i < modes->u.list.n; i++)
		if (modes->u.list.at[i]->kind == DATA_STRING && str_is(modes->u.list.at[i]->u.string,
			"ReadWriteOncePod"))
			api_refuse(k, modes, "remove the others",
				"'ReadWriteOncePod' excludes other values of 'accessModes'");
	if (!size || size->kind == DATA_NULL)
		api_missing(k, d, "add resources { requests { storage = 10Gi } }", "a claim needs a size");
	if (is_nothing(size))
		api_refuse(k, size, "write a size, such as 10Gi", "a claim without a size");
}
