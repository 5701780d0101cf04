/*
 * spark_conf.c - reads the volumes that a SparkApplication declares in sparkConf: for each pod of the driver or of the
 * executors, spark.kubernetes.SIDE.volumes.TYPE.NAME.mount.path, .mount.subPath, .mount.readOnly and .options.KEY.
 */
#include "import/import_tree.h"
#include "import/spark.h"

/* A setting of a volume: its parts are those of the key. */
struct conf_key {
	struct str side, type, name;
	struct str group, option;       /* "mount" and "path", or "options" and "claimName" */
};

/* Cuts the text in front of the next dot off REST. Returns false without a dot. */
static bool part_of_key(struct str *rest, struct str *ret)
{
	const char *dot = rest->n ? memchr(rest->p, '.', rest->n) : NULL;

	if (!dot)
		return false;
	*ret = (struct str){ rest->p, (size_t)(dot - rest->p) };
	*rest = (struct str){ dot + 1, rest->n - ret->n - 1 };
	return ret->n > 0;
}

static bool conf_key_parse(struct str key, struct conf_key *ret)
{
	static const char prefix[] = "spark.kubernetes.";
	struct str volumes, rest;

	if (!str_starts(key, str_of(prefix)))
		return false;
	rest = (struct str){ key.p + sizeof prefix - 1, key.n - (sizeof prefix - 1) };
	return part_of_key(&rest, &ret->side) && part_of_key(&rest, &volumes) && str_is(volumes, "volumes") &&
		part_of_key(&rest, &ret->type) && part_of_key(&rest, &ret->name) && part_of_key(&rest, &ret->group) &&
		(ret->option = rest).n > 0 && (str_is(ret->side, "driver") || str_is(ret->side, "executor"));
}

bool spark_conf_is_volume(struct str key)
{
	static const char *const known[] = { "mount.path", "mount.subPath", "mount.readOnly", "options.claimName",
		"options.storageClass", "options.sizeLimit", "options.path", "options.type", "options.medium",
		"options.server" };
	static const char *const types[] = { "hostPath", "emptyDir", "nfs", "persistentVolumeClaim" };
	struct conf_key k;
	bool type = false, option = false;

	if (!conf_key_parse(key, &k))
		return false;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		type = type || str_is(k.type, types[i]);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		option = option || (str_starts(str_of(known[i]), k.group) && known[i][k.group.n] == '.' &&
			str_is(k.option, known[i] + k.group.n + 1));
	return type && option;
}

/* The value of a setting of the volume that K belongs to; NULL: it has no such setting. */
static const struct data *setting(struct spark *s, const struct conf_key *k, const char *group, const char *option)
{
	const struct data *conf = member(s->set.m.spec, "sparkConf");

	for (size_t i = 0; i < data_count(conf); i++) {
		struct conf_key other;
		if (conf_key_parse(conf->u.map.at[i].key, &other) && str_eq(other.side, k->side) &&
		    str_eq(other.name, k->name) && str_is(other.group, group) && str_is(other.option, option))
			return conf->u.map.at[i].value;
	}
	return NULL;
}

static const struct data *copied(struct spark *s, const struct data *map, const char *name, const struct conf_key *k,
	const char *option)
{
	const struct data *value = setting(s, k, "options", option);

	return value ? tree_with(spark_arena(s), map, name, value, value->from) : map;
}

/* A claim that Spark makes for each pod. */
static const struct data *claim_on_demand(struct spark *s, const struct conf_key *k, struct span at)
{
	struct arena *a = spark_arena(s);
	const struct data *storage = copied(s, NULL, "storage", k, "sizeLimit"),
		*modes = tree_one(a, tree_text(a, STR("ReadWriteOnce"), at)),
		*spec = tree_with(a, NULL, "accessModes", modes, at);

	if (storage)
		spec = tree_with(a, spec, "resources", tree_with(a, NULL, "requests", storage, at), at);
	spec = copied(s, spec, "storageClassName", k, "storageClass");
	return tree_with(a, NULL, "volumeClaimTemplate", tree_with(a, NULL, "spec", spec, at), at);
}

/* The source of a volume as a member of the pod's volume; AT is the place of its mount. */
static const struct data *with_source(struct spark *s, const struct data *volume, const struct conf_key *k,
	struct span at)
{
	static const char *const same[] = { "claimName", "path", "type", "medium", "server", "sizeLimit" };
	struct arena *a = spark_arena(s);
	const struct data *claim = setting(s, k, "options", "claimName"), *source = NULL;
	struct data *none = ARENA_NEW(a, struct data);

	*none = (struct data){ .kind = DATA_MAP, .from = at };
	if (claim && str_is(claim->u.string, "OnDemand"))
		return tree_with(a, volume, "ephemeral", claim_on_demand(s, k, at), at);
	for (size_t i = 0; i < sizeof same / sizeof *same; i++)
		if (i < 5 || str_is(k->type, "emptyDir"))
			source = copied(s, source, same[i], k, same[i]);
	return tree_with(a, volume, str_copy(a, k->type).p, source ? source : none, at);
}

/*
 * Collects the volumes (MOUNTS: their mounts) of SIDE. A volume counts at the setting of its path. Volumes and mounts
 * that the application also declares itself, as many samples of the operator do, are left to that declaration.
 */
static const struct data *collect(struct spark *s, const struct data *side, bool mounts)
{
	struct arena *a = spark_arena(s);
	const struct data *conf = member(s->set.m.spec, "sparkConf"), *ret = NULL;
	const char *mine = side == s->executor ? "executor" : side == s->driver ? "driver" : "";

	for (size_t i = 0; i < data_count(conf); i++) {
		const struct data_member *m = &conf->u.map.at[i];
		struct conf_key k;
		if (!spark_conf_is_volume(m->key) || !conf_key_parse(m->key, &k) || !str_is(k.side, mine) ||
		    !str_is(k.group, "mount") || !str_is(k.option, "path") ||
		    (mounts ? member_among(member(side, "volumeMounts"), "mountPath", m->value->u.string) :
		    member_among(member(s->set.m.spec, "volumes"), "name", k.name)))
			continue;
		const struct data *sub = setting(s, &k, "mount", "subPath"),
			*read = setting(s, &k, "mount", "readOnly");
		const struct data *one = tree_with(a, NULL, "name", tree_text(a, k.name, m->key_at), m->key_at);
		if (!mounts) {
			ret = tree_append(a, ret, tree_one(a, with_source(s, one, &k, m->key_at)));
			continue;
		}
		one = tree_with(a, one, "mountPath", m->value, m->key_at);
		one = sub ? tree_with(a, one, "subPath", sub, sub->from) : one;
		if (read && str_is(read->u.string, "true")) {
			struct data *yes = ARENA_NEW(a, struct data);
			*yes = (struct data){ .kind = DATA_BOOL, .from = read->from, .u.boolean = true };
			one = tree_with(a, one, "readOnly", yes, read->from);
		}
		ret = tree_append(a, ret, tree_one(a, one));
	}
	return ret;
}

const struct data *spark_conf_volumes(struct spark *s, const struct data *side) { return collect(s, side, false); }

const struct data *spark_conf_mounts(struct spark *s, const struct data *side) { return collect(s, side, true); }
