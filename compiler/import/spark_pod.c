/*
 * spark_pod.c - makes pod templates of the driver and the executors of a SparkApplication. The memory of a container
 * is that of its JVM, plus an overhead as in Spark on Kubernetes: a part of that memory, but at least 384 MiB. A
 * container with an executor also needs room for the worker of the standalone cluster.
 */
#include "import/import_tree.h"
#include "import/spark.h"

#include <stdlib.h>

enum {                          /* amounts of memory in MiB */
	LEAST_OVERHEAD = 384,
	/* what the Spark worker needs itself, besides the executor: heap, and the rest of its JVM */
	WORKER_PROCESS = 512
};

/* ---- memory ---- */

/*
 * Reads an amount such as "512m", "2g" or "1024" in MiB, where "k", "m" and "g" are powers of 1024; returns -1 for a
 * text that Spark does not accept.
 */
static int64_t mebibytes(struct str text)
{
	static const char units[] = "mgt";
	int64_t n = 0;
	size_t i = 0;

	for (; i < text.n && i < 12 && text.p[i] >= '0' && text.p[i] <= '9'; i++)
		n = n * 10 + (text.p[i] - '0');
	if (i && i == text.n)
		return n;
	for (size_t u = 0; i && u < 3; u++) {
		bool alone = text.n == i + 1, with_b = text.n == i + 2 && (text.p[i + 1] | 0x20) == 'b';
		if ((text.p[i] | 0x20) == units[u] && (alone || with_b) && n < 1000000)
			return n << (10 * u);
	}
	return -1;
}

static int64_t amount_of_memory(struct spark *s, const struct data *map, const char *key, int64_t least, int64_t usual)
{
	const struct data *d = member(map, key);
	int64_t n = d ? mebibytes(d->u.string) : usual;

	if (n >= least)
		return n;
	diag_help(s->set.m.im->diags, diag_report(s->set.m.im->diags, TJ1108, d->from,
		"'%.*s' is not an amount of memory of Spark's", STR_ARG(d->u.string)),
		"write it as '512m' or '2g'");
	return usual;
}

int64_t spark_memory(struct spark *s, const struct data *side) { return amount_of_memory(s, side, "memory", 1, 1024); }

/* Returns the overhead in thousandths of the memory: 0.1 of it for a JVM alone, 0.4 if Python or R runs next to it. */
static int64_t overhead_factor(const struct spark *s)
{
	struct str type = member_text(s->set.m.spec, "type"), text = member_text(s->set.m.spec, "memoryOverheadFactor");
	double factor = str_is(type, "Python") || str_is(type, "R") ? 0.4 : 0.1;

	if (text.n)
		factor = strtod(str_copy(spark_arena(s), text).p, NULL);
	return factor > 0 && factor < 100 ? (int64_t)(factor * 1000 + 0.5) : 0;
}

static struct str whole_memory(struct spark *s, const struct data *side)
{
	int64_t own = spark_memory(s, side), part = own * overhead_factor(s) / 1000;
	int64_t more = amount_of_memory(s, side, "memoryOverhead", 0, part > LEAST_OVERHEAD ? part : LEAST_OVERHEAD);

	if (side == s->executor)
		more += WORKER_PROCESS;
	return str_printf(spark_arena(s), "%lldMi", (long long)(own + more));
}

/* ---- the container ---- */

static const struct data *resources_of(struct spark *s, const struct data *side)
{
	struct arena *a = spark_arena(s);
	const struct data *gpu = member(side, "gpu"), *limits = NULL, *requests = NULL,
		*memory = tree_text(a, whole_memory(s, side), side->from),
		*cpu = member(side, "coreRequest"), *most = member(side, "memoryLimit");
	struct span at = { side->from.end, side->from.end };

	if (!cpu)
		cpu = tree_text(a, str_int(a, member_int(side, "cores", 1)),
			member(side, "cores") ? member(side, "cores")->from : at);
	requests = tree_with(a, NULL, "cpu", cpu, at);
	requests = tree_with(a, requests, "memory", memory, at);
	limits = tree_with(a, NULL, "memory", most ? most : memory, at);
	if (member(side, "coreLimit"))
		limits = tree_with(a, limits, "cpu", member(side, "coreLimit"), member_at(side, "coreLimit"));
	if (member_text(gpu, "name").n)
		limits = tree_with(a, limits, str_copy(a, member_text(gpu, "name")).p, member(gpu, "quantity"),
			gpu->from);
	return tree_with(a, tree_with(a, NULL, "requests", requests, at), "limits", limits, at);
}

static const struct data *env_entry(struct arena *a, const struct data_member *m, const char *key,
	const struct data *value)
{
	const struct data *entry = tree_with(a, NULL, "name", tree_text(a, m->key, m->key_at), m->key_at);

	return tree_one(a, tree_with(a, entry, key, value, m->key_at));
}

/* Reads `env` and its two older forms, `envVars` and `envSecretKeyRefs`. */
static const struct data *variables(struct spark *s, const struct data *side)
{
	struct arena *a = spark_arena(s);
	const struct data *ret = member(side, "env"), *plain = member(side, "envVars"),
		*secrets = member(side, "envSecretKeyRefs");

	if (side == s->executor) {
		struct span at = { side->from.end, side->from.end };
		const struct data_member heap = { .key = STR("SPARK_DAEMON_MEMORY"), .key_at = at };
		ret = tree_append(a, env_entry(a, &heap, "value", tree_text(a, STR("256m"), at)), ret);
	}
	for (size_t i = 0; i < data_count(plain); i++)
		ret = tree_append(a, ret, env_entry(a, &plain->u.map.at[i], "value", plain->u.map.at[i].value));
	for (size_t i = 0; i < data_count(secrets); i++) {
		const struct data_member *m = &secrets->u.map.at[i];
		ret = tree_append(a, ret, env_entry(a, m, "valueFrom",
			tree_with(a, NULL, "secretKeyRef", m->value, m->key_at)));
	}
	return ret;
}

/* Returns MAP with the member KEY of FROM under another name, if FROM has that member. */
static const struct data *carried(struct arena *a, const struct data *map, const char *name, const struct data *from,
	const char *key)
{
	return member(from, key) ? tree_with(a, map, name, member(from, key), member_at(from, key)) : map;
}

static const struct data *spark_container(struct spark *s, const struct data *side, const char *name,
	const struct data *command)
{
	static const char *const same[] = { "envFrom", "volumeMounts", "securityContext", "lifecycle", "ports" };
	struct arena *a = spark_arena(s);
	const struct data *spec = s->set.m.spec, *env = variables(s, side);
	const struct data *c = tree_with(a, NULL, "name", tree_text(a, str_of(name), side->from), side->from);

	c = carried(a, c, "image", member(side, "image") ? side : spec, "image");
	c = carried(a, c, "imagePullPolicy", spec, "imagePullPolicy");
	if (command)
		c = tree_with(a, c, "command", command, command->from);
	if (data_count(env))
		c = tree_with(a, c, "env", env, env->from);
	for (size_t i = 0; i < sizeof same / sizeof *same; i++)
		c = carried(a, c, same[i], side, same[i]);
	const struct data *mounts = spark_conf_mounts(s, side);
	if (mounts)
		c = tree_with(a, c, "volumeMounts", tree_append(a, member(side, "volumeMounts"), mounts), mounts->from);
	return tree_with(a, c, "resources", resources_of(s, side), side->from);
}

/* ---- the pod ---- */

bool spark_mounts(const struct data *side, struct str name)
{
	static const char *const lists[] = { "sidecars", "initContainers" };

	for (size_t i = 0; i < 2; i++)
		for (size_t k = 0; k < data_count(member(side, lists[i])); k++)
			if (member_among(member(member(side, lists[i])->u.list.at[k], "volumeMounts"), "name", name))
				return true;
	return member_among(member(side, "volumeMounts"), "name", name);
}

/* Collects the volumes of the application that the driver or the executors mount; SIDE says which of the two. */
static const struct data *mounted(struct spark *s, const struct data *side)
{
	struct arena *a = spark_arena(s);
	const struct data *all = member(s->set.m.spec, "volumes"), *ret = NULL;

	for (size_t i = 0; i < data_count(all); i++)
		if (spark_mounts(side, member_text(all->u.list.at[i], "name")))
			ret = tree_append(a, ret, tree_one(a, all->u.list.at[i]));
	return tree_append(a, ret, spark_conf_volumes(s, side));
}

static const struct data *secret_names(struct spark *s)
{
	struct arena *a = spark_arena(s);
	const struct data *names = member(s->set.m.spec, "imagePullSecrets"), *ret = NULL;

	for (size_t i = 0; i < data_count(names); i++)
		ret = tree_append(a, ret, tree_one(a, tree_with(a, NULL, "name", names->u.list.at[i],
			names->u.list.at[i]->from)));
	return ret;
}

static void left_of_side(struct spark *s, const struct data *side)
{
	static const char *const known[] = {
		"affinity", "annotations", "coreLimit", "coreRequest", "cores", "dnsConfig", "env", "envFrom",
		"envSecretKeyRefs", "envVars", "gpu", "hostAliases", "hostNetwork", "image", "initContainers",
		"instances", "javaOptions", "labels", "lifecycle", "memory", "memoryLimit", "memoryOverhead",
		"nodeSelector", "podSecurityContext", "ports", "priorityClassName", "schedulerName", "securityContext",
		"serviceAccount", "shareProcessNamespace", "sidecars", "terminationGracePeriodSeconds", "tolerations",
		"volumeMounts", NULL
	};

	for (size_t i = 0; i < data_count(side); i++) {
		const struct data_member *m = &side->u.map.at[i];
		size_t k = 0;
		while (known[k] && !str_is(m->key, known[k]))
			k++;
		if (!known[k])
			import_left_out(s->set.m.im, m->key_at, m->key, "a program cannot express it");
	}
}

const struct data *spark_template(struct spark *s, const struct data *side, const char *container,
	const struct data *command)
{
	static const char *const same[] = { "affinity", "dnsConfig", "hostAliases", "hostNetwork", "initContainers",
		"priorityClassName", "schedulerName", "shareProcessNamespace", "terminationGracePeriodSeconds",
		"tolerations" };
	struct arena *a = spark_arena(s);
	const struct data *spec = s->set.m.spec, *metadata = NULL, *template = NULL,
		*list = tree_one(a, spark_container(s, side, container, command)), *pod;

	pod = tree_with(a, NULL, "containers", tree_append(a, list, member(side, "sidecars")), side->from);
	pod = tree_with(a, pod, "restartPolicy", tree_text(a, STR("Never"), s->set.m.at), s->set.m.at);
	for (size_t i = 0; i < sizeof same / sizeof *same; i++)
		pod = carried(a, pod, same[i], side, same[i]);
	pod = carried(a, pod, "nodeSelector", member(side, "nodeSelector") ? side : spec, "nodeSelector");
	pod = carried(a, pod, "serviceAccountName", side, "serviceAccount");
	pod = carried(a, pod, "securityContext", side, "podSecurityContext");
	if (mounted(s, side))
		pod = tree_with(a, pod, "volumes", mounted(s, side),
			member_at(spec, member(spec, "volumes") ? "volumes" : "sparkConf"));
	if (secret_names(s))
		pod = tree_with(a, pod, "imagePullSecrets", secret_names(s), member_at(spec, "imagePullSecrets"));
	metadata = carried(a, carried(a, NULL, "labels", side, "labels"), "annotations", side, "annotations");
	if (metadata)
		template = tree_with(a, NULL, "metadata", metadata, side->from);
	left_of_side(s, side);
	return tree_with(a, template, "spec", pod, side->from);
}
