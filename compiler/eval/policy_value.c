/*
 * policy_value.c - values of a planned job that policies and tests can read: every container, volume and toleration,
 * raw blocks and extra objects. A policy runs when the plan is complete, so the values come from the plan and not from
 * fields. Containers may also be in raw blocks and in objects of any kind; so every list under a key that holds
 * containers in the API counts, at any depth.
 */
#include "eval/internal.h"
#include "eval/job.h"
#include "plan/text.h"

/* ---- free-form data as values ---- */

static const struct value *data_value(struct eval *ev, const struct data *d)
{
	struct value *v;

	switch (d->kind) {
	case DATA_BOOL: return value_bool(ev->arena, d->u.boolean, d->from);
	case DATA_INT: return value_int(ev->arena, d->u.integer, d->from);
	case DATA_FLOAT: return value_float(ev->arena, d->u.number, d->from);
	case DATA_STRING: return value_string(ev->arena, d->u.string, d->from);
	case DATA_LIST:
		v = value_new(ev->arena, VALUE_LIST, d->from);
		for (size_t i = 0; i < d->u.list.n; i++)
			if (!list_add(ev, v, data_value(ev, d->u.list.at[i])))
				return &value_bad;
		return list_finish(ev, v);
	case DATA_MAP:
		v = value_new(ev->arena, VALUE_MAP, d->from);
		v->number = true;
		for (size_t i = 0; i < d->u.map.n; i++)
			value_put(ev->arena, v, d->u.map.at[i].key, d->u.map.at[i].key_at,
				data_value(ev, d->u.map.at[i].value));
		return map_finish(ev, v);
	default: return &value_none;
	}
}

/* The data of a block; an empty map if D is NULL. */
static const struct value *block_value(struct eval *ev, const struct data *d, struct span at)
{
	if (d)
		return data_value(ev, d);
	return map_finish(ev, value_new(ev->arena, VALUE_MAP, at));
}

static struct str policy_text(const struct data *d, const char *key)
{
	const struct data *member = d && d->kind == DATA_MAP ? data_get(d, str_of(key)) : NULL;

	return member && member->kind == DATA_STRING ? member->u.string : STR("");
}

static struct span policy_place(const struct data *d, const char *key)
{
	const struct data *member = d->kind == DATA_MAP ? data_get(d, str_of(key)) : NULL;

	return member ? member->from : d->from;
}

/* ---- records ---- */

/*
 * Makes a record that remembers where its members were written. `number` marks it: a read of one of its members can
 * decide a check.
 */
static struct value *record(struct eval *ev, struct span at)
{
	struct value *v = value_new(ev->arena, VALUE_MAP, at);

	v->number = true;
	return v;
}

static void put_policy_member(struct eval *ev, struct value *to, const char *key, const struct value *v)
{
	value_put(ev->arena, to, str_of(key), v->from, v);
}

static void put_policy_text(struct eval *ev, struct value *to, const char *key, struct str text, struct span at)
{
	put_policy_member(ev, to, key, value_string(ev->arena, text, at));
}

static const struct value *quantity_or_none(struct eval *ev, const struct plan_quantity *q, enum type_kind unit)
{
	return q->set ? value_quantity(ev->arena, q->value, unit, q->from) : &value_none;
}

static void put_quantity(struct eval *ev, struct value *to, const char *key, const struct plan_quantity *q,
	enum type_kind unit)
{
	put_policy_member(ev, to, key, quantity_or_none(ev, q, unit));
}

static const struct value *texts_value(struct eval *ev, const struct str *at, size_t n, struct span from)
{
	struct value *list = value_new(ev->arena, VALUE_LIST, from);

	for (size_t i = 0; i < n; i++)
		if (!list_add(ev, list, value_string(ev->arena, at[i], from)))
			return &value_bad;
	return list_finish(ev, list);
}

/* Adds the words of a command, without the parts that only a placement or the pod decides. */
static void add_words(struct eval *ev, struct value *list, const struct plan_texts *t)
{
	for (size_t i = 0; i < t->n; i++) {
		struct buf word = { 0 };
		for (size_t k = 0; k < t->at[i].n; k++)
			if (t->at[i].at[k].kind == PIECE_TEXT)
				buf_str(&word, t->at[i].at[k].u.text);
		list_add(ev, list, value_string(ev->arena, buf_take(&word, ev->arena), t->at[i].from));
		buf_release(&word);
	}
}

/* ---- containers ---- */

struct containers {
	struct eval *ev;
	struct value *list;
	struct str role;                /* name of the role; empty for a container in an object */
	const char *kind;               /* kind of the object */
	const struct data *pod;         /* `raw pod` of the role, or the spec that has the containers; or NULL */
};

/* Adds the devices and huge pages that a container requests. A limit without a request counts as a request. */
static void add_device_amounts(struct eval *ev, struct value *v, const struct data *container)
{
	static const char *const groups[] = { "requests", "limits" };
	const struct data *resources = data_get(container, STR("resources"));

	for (size_t i = 0; i < 2; i++) {
		const struct data *group = data_get(resources, str_of(groups[i]));
		for (size_t k = 0; group && group->kind == DATA_MAP && k < group->u.map.n; k++) {
			const struct data_member *m = &group->u.map.at[k];
			bool pages = str_starts(m->key, STR("hugepages-")),
				there = i && data_get(data_get(resources, STR("requests")), m->key);
			struct quantity q;
			struct str text = m->value->kind == DATA_STRING ? m->value->u.string :
			                  m->value->kind == DATA_INT ? str_int(ev->arena, m->value->u.integer) :
				STR("");
			if (there || !(pages || memchr(m->key.p, '/', m->key.n)) ||
				quantity_parse(text, &q) != QUANTITY_OK)
				continue;
			value_put(ev->arena, v, m->key, m->key_at,
				pages ? value_quantity(ev->arena, q, TYPE_MEMORY, m->value->from) :
				value_int(ev->arena, (int64_t)(q.nano / QUANTITY_UNIT), m->value->from));
		}
	}
}

/* The devices of a planned container, and the resources that its `resources` and its raw block request, by name. */
static const struct value *planned_resources(struct eval *ev, const struct plan_container *c,
	const struct plan_accelerator *acc, struct span at)
{
	struct value *v = record(ev, at);

	if (acc)
		value_put(ev->arena, v, acc->resource, acc->from, value_int(ev->arena, acc->per_pod, acc->from));
	for (size_t i = 0; i < c->asks.nresources; i++) {
		const struct plan_resource *r = &c->asks.resources[i];
		value_put(ev->arena, v, r->name, r->name_at,
			r->bytes ? value_quantity(ev->arena, r->amount, TYPE_MEMORY, r->from) :
			value_int(ev->arena, (int64_t)(r->amount.nano / QUANTITY_UNIT), r->from));
	}
	add_device_amounts(ev, v, c->raw);
	return map_finish(ev, v);
}

static const struct value *written_resources(struct eval *ev, const struct data *container)
{
	struct value *v = record(ev, container->from);

	add_device_amounts(ev, v, container);
	return map_finish(ev, v);
}

/*
 * The objects whose keys are variables, as "secret/NAME" and "config/NAME": those of C, which may be NULL, and those in
 * RAW, which has an `envFrom` or is NULL.
 */
static const struct value *planned_sources(struct eval *ev, const struct plan_container *c, const struct data *raw,
	struct span at)
{
	struct value *list = value_new(ev->arena, VALUE_LIST, at);
	const struct data *more = raw ? data_get(raw, STR("envFrom")) : NULL;

	for (size_t i = 0; c && i < c->nsources; i++)
		list_add(ev, list, value_string(ev->arena, str_cat(ev->arena, c->sources[i].secret ? STR("secret/") :
			STR("config/"), c->sources[i].name, STR("")), c->sources[i].from));
	for (size_t i = 0; more && more->kind == DATA_LIST && i < more->u.list.n; i++) {
		const struct data *d = more->u.list.at[i], *secret = data_get(d, STR("secretRef")),
			*config = data_get(d, STR("configMapRef"));
		if (secret || config)
			list_add(ev, list, value_string(ev->arena, str_cat(ev->arena, secret ? STR("secret/") :
				STR("config/"), policy_text(secret ? secret : config, "name"), STR("")), d->from));
	}
	return list_finish(ev, list);
}

static void add_planned(struct containers *to, const struct plan_container *c, const struct plan_accelerator *acc,
	const char *kind)
{
	struct eval *ev = to->ev;
	struct span at = c->image.set ? c->image.from : c->name_at;
	struct value *v = record(ev, at), *words = value_new(ev->arena, VALUE_LIST, at);
	struct str *env = ARENA_ARRAY(ev->arena, struct str, c->nenv),
		*mounts = ARENA_ARRAY(ev->arena, struct str, c->nmounts);

	for (size_t i = 0; i < c->nenv; i++)
		env[i] = c->env[i].name;
	for (size_t i = 0; i < c->nmounts; i++)
		mounts[i] = c->mounts[i].path;
	add_words(ev, words, &c->command);
	add_words(ev, words, &c->args);
	put_policy_text(ev, v, "name", c->name, c->name_at);
	put_policy_text(ev, v, "kind", str_of(kind), c->name_at);
	put_policy_text(ev, v, "role", to->role, c->name_at);
	put_policy_text(ev, v, "image", c->image.set ? c->image.value : STR(""), at);
	put_policy_member(ev, v, "words", list_finish(ev, words));
	put_policy_member(ev, v, "env", texts_value(ev, env, c->nenv, at));
	put_policy_member(ev, v, "env_from", planned_sources(ev, c, c->raw, at));
	put_policy_member(ev, v, "mounts", texts_value(ev, mounts, c->nmounts, at));
	put_quantity(ev, v, "cpu", &c->asks.cpu, TYPE_CPU);
	put_quantity(ev, v, "memory", &c->asks.memory, TYPE_MEMORY);
	put_policy_member(ev, v, "resources", planned_resources(ev, c, acc, at));
	put_policy_member(ev, v, "security", map_finish(ev, planned_security(ev, c->security, c->raw, to->pod,
		at)));
	put_policy_member(ev, v, "raw", block_value(ev, c->raw, at));
	list_add(ev, to->list, map_finish(ev, v));
}

/* The list of the texts that the elements of the list NAME in D have under KEY. */
static const struct value *elements(struct eval *ev, const struct data *d, const char *name, const char *key)
{
	const struct data *list = data_get(d, str_of(name));
	size_t n = list && list->kind == DATA_LIST ? list->u.list.n : 0, kept = 0;
	struct str *at = ARENA_ARRAY(ev->arena, struct str, n);

	for (size_t i = 0; i < n; i++) {
		struct str text = policy_text(list->u.list.at[i], key);
		if (text.n)
			at[kept++] = text;
	}
	return texts_value(ev, at, kept, d->from);
}

static void add_strings(struct eval *ev, struct value *list, const struct data *d)
{
	for (size_t i = 0; d && d->kind == DATA_LIST && i < d->u.list.n; i++)
		if (d->u.list.at[i]->kind == DATA_STRING)
			list_add(ev, list, data_value(ev, d->u.list.at[i]));
}

static const struct value *amount_value(struct eval *ev, const struct data *container, const char *name,
	enum type_kind unit)
{
	static const char *const groups[] = { "requests", "limits" };
	const struct data *resources = data_get(container, STR("resources"));

	for (size_t i = 0; i < 2 && resources && resources->kind == DATA_MAP; i++) {
		const struct data *group = data_get(resources, str_of(groups[i]));
		const struct data *found = group && group->kind == DATA_MAP ? data_get(group, str_of(name)) : NULL;
		struct quantity q = { 0 };
		struct str text = found && found->kind == DATA_STRING ? found->u.string :
		                  found && found->kind == DATA_INT ?
			str_printf(ev->arena, "%lld", (long long)found->u.integer) : STR("");
		if (text.n && quantity_parse(text, &q) == QUANTITY_OK)
			return value_quantity(ev->arena, q, unit, found->from);
	}
	return &value_none;
}

static void add_written(struct containers *to, const struct data *d)
{
	struct eval *ev = to->ev;
	struct value *v = record(ev, policy_place(d, "image")), *words = value_new(ev->arena, VALUE_LIST, d->from);

	add_strings(ev, words, data_get(d, STR("command")));
	add_strings(ev, words, data_get(d, STR("args")));
	put_policy_text(ev, v, "name", policy_text(d, "name"), policy_place(d, "name"));
	put_policy_text(ev, v, "kind", str_of(to->kind), d->from);
	put_policy_text(ev, v, "role", to->role, d->from);
	put_policy_text(ev, v, "image", policy_text(d, "image"), policy_place(d, "image"));
	put_policy_member(ev, v, "words", list_finish(ev, words));
	put_policy_member(ev, v, "env", elements(ev, d, "env", "name"));
	put_policy_member(ev, v, "env_from", planned_sources(ev, NULL, d, d->from));
	put_policy_member(ev, v, "mounts", elements(ev, d, "volumeMounts", "mountPath"));
	put_policy_member(ev, v, "cpu", amount_value(ev, d, "cpu", TYPE_CPU));
	put_policy_member(ev, v, "memory", amount_value(ev, d, "memory", TYPE_MEMORY));
	put_policy_member(ev, v, "resources", written_resources(ev, d));
	put_policy_member(ev, v, "security", map_finish(ev, planned_security(ev, NULL, d, to->pod, d->from)));
	put_policy_member(ev, v, "raw", data_value(ev, d));
	list_add(ev, to->list, map_finish(ev, v));
}

static bool holds_containers(struct str key)
{
	return str_is(key, "containers") || str_is(key, "initContainers") || str_is(key, "ephemeralContainers");
}

/* Adds all containers in D, at any depth. */
static void add_data(struct containers *to, const struct data *d)
{
	for (size_t i = 0; d && d->kind == DATA_LIST && i < d->u.list.n; i++)
		add_data(to, d->u.list.at[i]);
	for (size_t i = 0; d && d->kind == DATA_MAP && i < d->u.map.n; i++) {
		const struct data_member *m = &d->u.map.at[i];
		if (!holds_containers(m->key) || m->value->kind != DATA_LIST) {
			add_data(to, m->value);
			continue;
		}
		to->pod = d;
		for (size_t k = 0; k < m->value->u.list.n; k++)
			if (m->value->u.list.at[k]->kind == DATA_MAP)
				add_written(to, m->value->u.list.at[k]);
	}
}

/* Adds the containers of role R with the amounts of replica I. */
static void add_kind(struct containers *to, const struct plan_role *role, int64_t i)
{
	const struct plan_role own = plan_role_of(to->ev->arena, role, i), *r = &own;

	add_planned(to, &r->main, r->accelerator, "main");
	for (size_t k = 0; k < r->nsidecars; k++)
		add_planned(to, &r->sidecars[k], NULL, "sidecar");
	for (size_t k = 0; k < r->ninits; k++)
		add_planned(to, &r->inits[k], NULL, "init");
}

/*
 * Adds the containers of a role: for a policy, with the amounts of the kind of replica that it looks at; for a test,
 * those of all kinds.
 */
static void add_role_containers(struct containers *to, const struct role *role)
{
	const struct plan_role *r = role->plan;

	to->role = r->name;
	to->kind = "raw";
	to->pod = r->raw_pod;
	if (!r->max)
		return;
	if (role->seen >= 0)
		add_kind(to, r, role->seen);
	for (int64_t i = plan_next_kind(r, -1); role->seen < 0 && i < r->max; i = plan_next_kind(r, i))
		add_kind(to, r, i);
	add_data(to, r->raw_pod);
	add_data(to, r->raw_job);
}

/* ---- volumes, tolerations ---- */

/* What a volume in a raw pod refers to, whatever the name of the field: a path, a claim, an image, a driver. */
static struct str volume_subject(const struct data *d)
{
	static const char *const names[] = { "path", "claimName", "secretName", "name", "reference", "driver", "server",
		"volumeID", NULL };

	for (size_t i = 0; names[i]; i++)
		if (policy_text(d, names[i]).n)
			return policy_text(d, names[i]);
	return STR("");
}

static const struct value *volume_values(struct eval *ev, const struct plan_role *r, struct span at)
{
	static const char *const kinds[] = {
		[VOLUME_PVC] = "pvc", [VOLUME_SCRATCH] = "scratch", [VOLUME_SECRET] = "secret_files",
			[VOLUME_CONFIG] = "config_files",
		[VOLUME_HOST_PATH] = "host_path", [VOLUME_NFS] = "nfs", [VOLUME_GENERATED] = "generated",
		[VOLUME_CLAIM] = "own_claim", [VOLUME_CSI] = "csi",
	};
	struct value *list = value_new(ev->arena, VALUE_LIST, at);

	for (size_t c = 0; c <= r->nsidecars + r->ninits; c++) {
		const struct plan_container *in = !c ? &r->main : c <= r->nsidecars ? &r->sidecars[c - 1] :
			&r->inits[c - 1 - r->nsidecars];
		for (size_t i = 0; i < in->nmounts; i++) {
			const struct plan_mount *m = &in->mounts[i];
			struct value *v = record(ev, m->path_at);
			put_policy_text(ev, v, "kind", str_of(kinds[m->volume->kind]), m->volume->from);
			put_policy_text(ev, v, "name", m->volume->name, m->volume->from);
			put_policy_text(ev, v, "source", m->volume->path, m->volume->from);
			put_policy_text(ev, v, "path", m->path, m->path_at);
			put_policy_member(ev, v, "readonly",
				value_bool(ev->arena, m->volume->readonly, m->volume->from));
			list_add(ev, list, map_finish(ev, v));
		}
	}
	const struct data *raw = r->raw_pod ? data_get(r->raw_pod, STR("volumes")) : NULL;
	for (size_t i = 0; raw && raw->kind == DATA_LIST && i < raw->u.list.n; i++) {
		const struct data *d = raw->u.list.at[i];
		struct value *v = record(ev, d->from);
		struct str source = STR("");
		for (size_t k = 0; d->kind == DATA_MAP && k < d->u.map.n; k++)
			if (!str_is(d->u.map.at[k].key, "name"))
				source = d->u.map.at[k].key;
		put_policy_text(ev, v, "kind", source, d->from);
		put_policy_text(ev, v, "name", policy_text(d, "name"), d->from);
		put_policy_text(ev, v, "source", volume_subject(data_get(d, source)), d->from);
		put_policy_text(ev, v, "path", STR(""), d->from);
		put_policy_member(ev, v, "readonly", value_bool(ev->arena, false, d->from));
		list_add(ev, list, map_finish(ev, v));
	}
	return list_finish(ev, list);
}

static const struct value *tolerations(struct eval *ev, const struct plan_role *r, struct span at)
{
	struct value *list = value_new(ev->arena, VALUE_LIST, at);
	const struct data *raw = r->raw_pod ? data_get(r->raw_pod, STR("tolerations")) : NULL;

	for (size_t i = 0; r->accelerator && i < r->accelerator->ntolerate; i++)
		list_add(ev, list, value_string(ev->arena, r->accelerator->tolerate[i].value,
			r->accelerator->tolerate[i].from));
	for (size_t i = 0; i < r->ntolerate; i++)
		list_add(ev, list, value_string(ev->arena, r->tolerate[i].value, r->tolerate[i].from));
	for (size_t i = 0; raw && raw->kind == DATA_LIST && i < raw->u.list.n; i++) {
		const struct data *d = raw->u.list.at[i];
		struct str key = policy_text(d, "key"), value = policy_text(d, "value"),
			effect = policy_text(d, "effect");
		list_add(ev, list, value_string(ev->arena,
			str_printf(ev->arena, "%.*s%s%.*s%s%.*s", STR_ARG(key.n ? key : STR("*")),
			value.n ? "=" : "", STR_ARG(value), effect.n ? ":" : "", STR_ARG(effect)), d->from));
	}
	return list_finish(ev, list);
}

/* Adds the values of a label that one or several ways to find a device have. */
static void put_choices(struct eval *ev, struct value *map, const struct plan_accelerator *acc, struct str key)
{
	struct value *list = value_new(ev->arena, VALUE_LIST, acc->from);

	for (size_t i = 0; i < acc->nchoices; i++)
		for (size_t k = 0; str_eq(acc->choices[i].key, key) && k < acc->choices[i].nvalues; k++)
			list_add(ev, list, value_string(ev->arena, acc->choices[i].values[k].value,
				acc->choices[i].values[k].from));
	value_put(ev->arena, map, key, acc->from, list_finish(ev, list));
}

/* Adds a label with its values, which replace those of the accelerator. */
static void put_node_label(struct eval *ev, struct value *map, struct str key, const struct plan_str *values, size_t n,
	struct span at)
{
	struct value *list = value_new(ev->arena, VALUE_LIST, at);

	for (size_t i = 0; i < n; i++)
		list_add(ev, list, value_string(ev->arena, values[i].value, values[i].from));
	value_put(ev->arena, map, key, at, list_finish(ev, list));
}

static const struct value *node_labels(struct eval *ev, const struct plan_role *r, struct span at)
{
	const struct plan_accelerator *acc = r->accelerator;
	struct value *map = value_new(ev->arena, VALUE_MAP, at);

	for (size_t i = 0; acc && i < acc->nchoices; i++)
		put_choices(ev, map, acc, acc->choices[i].key);
	for (size_t i = 0; acc && i < acc->node.n; i++) {
		const struct plan_pair *p = &acc->node.at[i];
		put_node_label(ev, map, p->key, &(struct plan_str){ p->value, p->from, true }, 1, p->from);
	}
	for (size_t i = 0; i < r->node.n; i++) {
		const struct plan_pair *p = &r->node.at[i];
		put_node_label(ev, map, p->key, &(struct plan_str){ p->value, p->from, true }, 1, p->from);
	}
	for (size_t i = 0; i < r->nnode_in; i++) {
		const struct plan_choice *c = &r->node_in[i];
		struct plan_str any = { STR("*"), c->from, true };
		put_node_label(ev, map, c->key, c->nvalues ? c->values : &any, c->nvalues ? c->nvalues : 1, c->from);
	}
	if (r->nzones)
		put_node_label(ev, map, STR("topology.kubernetes.io/zone"), r->zones, r->nzones, r->zones[0].from);
	return map_finish(ev, map);
}

static const struct value *code_value(struct eval *ev, const struct plan_role *r)
{
	const struct plan_code *c = r->code;
	struct value *v = c ? record(ev, c->from) : NULL;

	if (!c)
		return &value_none;
	put_policy_text(ev, v, "dir", c->dir, c->from);
	put_policy_text(ev, v, "at", c->at, c->at_from);
	put_quantity(ev, v, "max", &c->max, TYPE_MEMORY);
	put_policy_member(ev, v, "sync", value_bool(ev->arena, c->sync, c->from));
	put_policy_text(ev, v, "via", c->claim.set ? c->claim.value : STR("configmap"), c->from);
	return map_finish(ev, v);
}

/* ---- members ---- */

const struct value *planned_role_member(struct eval *ev, const struct role *r, struct str name, struct span at)
{
	const struct plan_role *p = r->plan;

	if (str_is(name, "volumes"))
		return volume_values(ev, p, at);
	if (str_is(name, "tolerations"))
		return tolerations(ev, p, at);
	if (str_is(name, "node_labels"))
		return node_labels(ev, p, at);
	if (str_is(name, "code"))
		return code_value(ev, p);
	if (str_is(name, "cell"))
		return p->cell.n ? value_string(ev->arena, p->cell, r->at) : &value_none;
	if (str_is(name, "raw")) {
		struct value *v = record(ev, r->at);
		put_policy_member(ev, v, "pod", block_value(ev, p->raw_pod, r->at));
		put_policy_member(ev, v, "container", block_value(ev, p->main.raw, r->at));
		put_policy_member(ev, v, "job", block_value(ev, p->raw_job, r->at));
		return map_finish(ev, v);
	}
	struct containers all = { .ev = ev, .list = value_new(ev->arena, VALUE_LIST, at) };
	add_role_containers(&all, r);
	return list_finish(ev, all.list);
}

static const struct value *object_values(struct eval *ev, const struct plan_job *p, struct span at)
{
	struct value *list = value_new(ev->arena, VALUE_LIST, at);

	for (size_t i = 0; i < p->nobjects; i++) {
		const struct plan_object *o = &p->objects[i];
		struct value *v = record(ev, o->name_at);
		put_policy_text(ev, v, "name", o->name, o->name_at);
		put_policy_text(ev, v, "api", policy_text(o->data, "apiVersion"), policy_place(o->data, "apiVersion"));
		put_policy_text(ev, v, "kind", policy_text(o->data, "kind"), policy_place(o->data, "kind"));
		put_policy_member(ev, v, "data", data_value(ev, o->data));
		list_add(ev, list, map_finish(ev, v));
	}
	return list_finish(ev, list);
}

static const struct value *text_or_none(struct eval *ev, const struct plan_str *s)
{
	return s->set ? value_string(ev->arena, s->value, s->from) : &value_none;
}

static const struct value *pair_map(struct eval *ev, const struct plan_pairs *p, struct span at)
{
	struct value *v = record(ev, at);

	for (size_t i = 0; i < p->n; i++)
		value_put(ev->arena, v, p->at[i].key, p->at[i].from,
			value_string(ev->arena, p->at[i].value, p->at[i].from));
	return map_finish(ev, v);
}

/* Returns the value of a field of the job; NULL if NAME is not one of the fields that policies and tests can read. */
static const struct value *planned_job_field(struct eval *ev, const struct plan_job *p, struct str name, struct span at)
{
	if (str_is(name, "timeout"))
		return quantity_or_none(ev, &p->timeout, TYPE_DURATION);
	if (str_is(name, "ttl"))
		return quantity_or_none(ev, &p->ttl, TYPE_DURATION);
	if (str_is(name, "queue"))
		return text_or_none(ev, &p->queue);
	if (str_is(name, "priority"))
		return text_or_none(ev, &p->priority);
	if (str_is(name, "labels"))
		return pair_map(ev, &p->labels, at);
	return str_is(name, "annotations") ? pair_map(ev, &p->annotations, at) : NULL;
}

const struct value *planned_cluster_member(struct eval *ev, const struct job *j, struct str name, struct span at)
{
	const struct plan_job *p = j->plan;
	struct containers all = { .ev = ev };
	const struct value *field = planned_job_field(ev, p, name, at);

	if (field && span_known(field->from))
		eval_read(ev, field->from, name, field);
	if (field || str_is(name, "objects"))
		return field ? field : object_values(ev, p, at);
	all.list = value_new(ev->arena, VALUE_LIST, at);
	for (size_t i = 0; i < j->nroles; i++)
		add_role_containers(&all, j->roles[i]);
	all.role = STR("");
	all.kind = "object";
	for (size_t i = 0; i < p->nobjects; i++)
		add_data(&all, p->objects[i].data);
	return list_finish(ev, all.list);
}
