/*
 * api_limits.c - rules of the API server about ResourceQuotas and LimitRanges: the names that they count, and the pods
 * that they apply to.
 */
#include "verify/api_rules.h"

#include "base/quantity.h"
#include "kube/limits.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool is_listed(struct str s, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (str_is(s, words[i]))
			return true;
	return false;
}

static bool has_domain(struct str name)
{
	const char *why;

	return memchr(name.p, '/', name.n) && kube_label_key(name, &why);
}

static bool is_hugepages(struct str name)
{
	return str_starts(name, STR("hugepages-")) && name.n > 10;
}

/* Resources that count objects; their amounts must be whole numbers. */
static const char *const counted_objects[] = { "pods", "services", "services.nodeports", "services.loadbalancers",
	"replicationcontrollers", "resourcequotas", "secrets", "configmaps", "persistentvolumeclaims" };

static bool is_quota_name(struct str name)
{
	static const char *const amounts[] = { "cpu", "memory", "ephemeral-storage", "requests.cpu", "requests.memory",
		"requests.storage", "requests.ephemeral-storage", "limits.cpu", "limits.memory",
		"limits.ephemeral-storage" };
	struct str rest = str_starts(name, STR("requests.")) ? (struct str){ name.p + 9, name.n - 9 } : name;

	return is_listed(name, amounts, COUNT(amounts)) || is_listed(name, counted_objects, COUNT(counted_objects)) ||
		is_hugepages(rest) || has_domain(name);
}

/* Reads an amount from a number or a text; false for anything else, which the schema check reports. */
static bool amount_in(const struct data *d, struct quantity *ret)
{
	if (d->kind == DATA_INT)
		*ret = (struct quantity){ .nano = (int128)d->u.integer * 1000000000 };
	return d->kind == DATA_INT || (d->kind == DATA_STRING && quantity_parse_full(d->u.string, ret) == QUANTITY_OK);
}

static void quota_amount(struct api_check *k, const struct data_member *m)
{
	struct quantity q;

	if (!amount_in(m->value, &q))
		return;
	if (q.nano < 0)
		api_refuse(k, m->value, "write 0 for none at all", "a quota of '%.*s' cannot be negative",
			STR_ARG(check_short(k->c->arena, m->key)));
	else if (q.nano % 1000000000 && is_listed(m->key, counted_objects, COUNT(counted_objects)))
		api_refuse(k, m->value, "write a whole number", "a quota of '%.*s' counts whole objects",
			STR_ARG(check_short(k->c->arena, m->key)));
}

/* Reports two scopes that exclude each other: exactly one of the two applies to each pod. */
static void scopes_exclude(struct api_check *k, const struct data *list)
{
	static const char *const pairs[][2] = { { "Terminating", "NotTerminating" },
		{ "BestEffort", "NotBestEffort" } };

	for (size_t p = 0; p < COUNT(pairs); p++) {
		const struct data *found[2] = { 0 };
		for (size_t i = 0; i < list->u.list.n; i++)
			for (size_t w = 0; w < 2; w++)
				if (list->u.list.at[i]->kind == DATA_STRING &&
					str_is(list->u.list.at[i]->u.string, pairs[p][w]))
					found[w] = list->u.list.at[i];
		if (found[0] && found[1])
			api_refuse(k, found[1], "remove one of the two", "the scopes '%s' and '%s' exclude each other",
				pairs[p][0], pairs[p][1]);
	}
}

void api_quota_spec(struct api_check *k, const struct data *d)
{
	const struct data *hard = api_member(d, "hard"), *scopes = data_get(d, STR("scopes"));

	for (size_t i = 0; hard && i < hard->u.map.n; i++) {
		const struct data_member *m = &hard->u.map.at[i];
		if (!is_quota_name(m->key))
			api_refuse(k, m->value, "write cpu, requests.memory, pods, requests.example.com/device, or "
				"count/jobs.batch for the objects of a kind", "a ResourceQuota does not count '%.*s'",
				STR_ARG(check_short(k->c->arena, m->key)));
		else
			quota_amount(k, m);
	}
	if (scopes && scopes->kind == DATA_LIST)
		scopes_exclude(k, scopes);
}

void api_scope(struct api_check *k, const struct data *d)
{
	static const char *const classes[] = { "PriorityClass", "VolumeAttributesClass" };
	struct str operator = api_text(d, "operator"), scope = api_text(d, "scopeName");
	const struct data *values = data_get(d, STR("values"));
	bool some = values && values->kind == DATA_LIST && values->u.list.n;
	bool chosen = str_is(operator, "In") || str_is(operator, "NotIn");

	if (scope.n && operator.n && !str_is(operator, "Exists") && !is_listed(scope, classes, COUNT(classes)))
		api_refuse(k, data_get(d, STR("operator")), "write operator = \"Exists\", without 'values'",
			"the scope '%.*s' cannot have the operator '%.*s'", STR_ARG(check_short(k->c->arena, scope)),
			STR_ARG(check_short(k->c->arena, operator)));
	else if (chosen && !some)
		api_missing(k, d, "add values = [\"high\"]", "the operator '%.*s' needs 'values'", STR_ARG(operator));
	else if (operator.n && !chosen && some)
		api_refuse(k, values, "remove them, or write operator = \"In\"",
			"the operator '%.*s' has no 'values'", STR_ARG(check_short(k->c->arena, operator)));
}

/*
 * Compares two maps of a limit by their resources: what LESS has of one must not be above what MORE has of it.
 */
static void limit_order(struct api_check *k, const struct data *d, const char *less, const char *more)
{
	const struct data *low = api_member(d, less), *high = api_member(d, more);

	for (size_t i = 0; low && high && i < low->u.map.n; i++) {
		const struct data_member *m = &low->u.map.at[i];
		const struct data *other = data_get(high, m->key);
		struct quantity a, b;
		if (other && amount_in(m->value, &a) && amount_in(other, &b) && a.nano > b.nano)
			api_refuse(k, m->value, "make it at most the other one", "'%.*s' of '%s' is above that of '%s'",
				STR_ARG(check_short(k->c->arena, m->key)), less, more);
	}
}

/* Checks the names in one map of a limit for containers or pods. */
static void limited_names(struct api_check *k, const struct data *map)
{
	static const char *const names[] = { "cpu", "memory", "ephemeral-storage" };

	for (size_t i = 0; map && i < map->u.map.n; i++) {
		const struct data_member *m = &map->u.map.at[i];
		if (!is_listed(m->key, names, COUNT(names)) && !is_hugepages(m->key) && !has_domain(m->key))
			api_refuse(k, m->value, "write cpu, memory, ephemeral-storage or a name with a domain, such as "
				"example.com/device", "containers have no '%.*s' that a LimitRange could limit",
				STR_ARG(check_short(k->c->arena, m->key)));
	}
}

void api_limit_item(struct api_check *k, const struct data *d)
{
	static const char *const types[] = { "Container", "Pod", "PersistentVolumeClaim" },
		*const maps[] = { "max", "min", "default", "defaultRequest", "maxLimitRequestRatio" };
	struct str type = api_text(d, "type");
	const struct data *least = api_member(d, "min"), *most = api_member(d, "max");

	if (api_has(d, "type") && !is_listed(type, types, COUNT(types)) && !has_domain(type))
		api_refuse(k, data_get(d, STR("type")), "it is one of Container, Pod and PersistentVolumeClaim",
			"'type' cannot be '%.*s'", STR_ARG(check_short(k->c->arena, type)));
	for (size_t i = 0; i < COUNT(maps) && (str_is(type, "Container") || str_is(type, "Pod")); i++)
		limited_names(k, api_member(d, maps[i]));
	for (size_t i = 2; i < 4 && str_is(type, "Pod"); i++)
		if (api_has(d, maps[i]))
			api_refuse(k, data_get(d, str_of(maps[i])), "remove it, or write it for the type Container",
				"a limit of pods has no '%s'", maps[i]);
	limit_order(k, d, "min", "max");
	limit_order(k, d, "min", "defaultRequest");
	limit_order(k, d, "min", "default");
	limit_order(k, d, "defaultRequest", "default");
	limit_order(k, d, "defaultRequest", "max");
	limit_order(k, d, "default", "max");
	if (str_is(type, "PersistentVolumeClaim") && !(least && api_has(least, "storage")) &&
		!(most && api_has(most, "storage")))
		api_missing(k, d, "add max { storage = 100Gi }", "a limit of claims needs 'storage' in 'min' or 'max'");
}

void api_limit_spec(struct api_check *k, const struct data *d)
{
	const struct data *list = data_get(d, STR("limits"));
	struct map seen = { 0 };

	for (size_t i = 0; list && list->kind == DATA_LIST && i < list->u.list.n; i++) {
		const struct data *item = list->u.list.at[i];
		struct str type = item->kind == DATA_MAP ? api_text(item, "type") : STR("");
		if (type.n && map_put_const(&seen, k->c->arena, type, item))
			api_refuse(k, item, "put both into one entry", "the type '%.*s' is limited twice",
				STR_ARG(check_short(k->c->arena, type)));
	}
}

void api_divisor(struct api_check *k, const struct data *d)
{
	static const char *const units[] = { "1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi",
		"1Ei" };
	struct str resource = api_text(d, "resource");
	const struct data *divisor = data_get(d, STR("divisor"));
	bool cpu = str_ends(resource, STR(".cpu"));
	struct quantity q;

	if (!divisor || !amount_in(divisor, &q) || !q.nano)
		return;
	/* the server compares texts, so 1024 is not equal to 1Ki */
	struct str text = quantity_text(k->c->arena, q);
	if (cpu ? str_is(text, "1") || str_is(text, "1m") : is_listed(text, units, COUNT(units)))
		return;
	api_refuse(k, divisor, cpu ? "write \"1\" for CPUs, or \"1m\" for thousandths" :
		"write a unit: \"1\", \"1Mi\", \"1Gi\", \"1M\" and the like",
		"'divisor' of %s cannot be this amount", cpu ? "CPUs" : "memory or disk");
}
