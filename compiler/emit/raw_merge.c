/*
 * raw_merge.c - merges raw fields into the trees that the compiler made. Maps are merged by key, and lists by the keys
 * by which their schema identifies elements. Any other value is added if the compiler wrote no value. If the compiler
 * wrote the value, from a typed field or by itself, that value stays and the raw field is reported: every setting has
 * one source.
 */
#include "emit/emit_build.h"

#include "kube/schema_merge.h"

#define FIELD_OF_COMPILER ""

/*
 * For each key of Kubernetes: the typed field from which the compiler writes it; "" for a key that no single field
 * sets.
 */
static const struct { const char *key, *field; } typed[] = {
	{ "image", "image" }, { "imagePullPolicy", "pull" }, { "command", "command" }, { "args", "args" },
	{ "workingDir", "workdir" }, { "env", "env" }, { "envFrom", "env_from" }, { "ports", "ports" }, { "volumeMounts", "mounts" },
	{ "volumes", "mounts" }, { "cpu", "cpu" }, { "memory", "memory" }, { "ephemeral-storage", "disk" },
	{ "resources", "accelerator' or 'resources" }, { "nodeSelector", "node" },
	{ "resourceClaims", "device_claims" }, { "claims", "device_claims" }, { "tolerations", "tolerate" },
	{ "affinity", "spread', 'place' or 'apart" }, { "nodeAffinity", "node_in' or 'avoid" }, { "topologySpreadConstraints", "spread" },
	{ "serviceAccountName", "service_account" }, { "priorityClassName", "priority" },
	{ "schedulerName", "scheduler" }, { "terminationGracePeriodSeconds", "grace" },
	{ "imagePullSecrets", "pull_secrets" }, { "restartPolicy", "restart" }, { "initContainers", "init" },
	{ "containers", "sidecar" }, { "securityContext", "security" },
	{ "hostNetwork", "host_network" }, { "hostIPC", "host_ipc" }, { "runtimeClassName", "runtime_class" },
	{ "automountServiceAccountToken", "automount" }, { "suspend", "suspend" }, { "activeDeadlineSeconds", "timeout" },
	{ "ttlSecondsAfterFinished", "ttl" }, { "backoffLimit", "retries" }, { "backoffLimitPerIndex", "retries" },
	{ "maxFailedIndexes", "retries" }, { "podFailurePolicy", "retry_on" }, { "successPolicy", "success" },
	{ "completions", "replicas" }, { "parallelism", "replicas" }, { "replicas", "replicas" },
};

/* Keys that the compiler owns even if it did not write them for this object. */
static const struct { enum raw_scope scope; const char *key; } owned[] = {
	{ RAW_POD, "hostname" }, { RAW_POD, "subdomain" }, { RAW_POD, "setHostnameAsFQDN" }, { RAW_JOB, "selector" },
	{ RAW_JOB, "manualSelector" }, { RAW_JOB, "template" }, { RAW_JOB, "completionMode" },
	{ RAW_JOB, "successPolicy" }, { RAW_JOB, "podFailurePolicy" }, { RAW_JOB, "backoffLimit" },
	{ RAW_JOB, "backoffLimitPerIndex" }, { RAW_JOB, "maxFailedIndexes" }, { RAW_JOB, "activeDeadlineSeconds" },
	{ RAW_JOB, "ttlSecondsAfterFinished" }, { RAW_SERVICE, "externalName" },
};

bool raw_is_typed(struct str key)
{
	if (str_is(key, "name") || str_is(key, "terminationMessagePolicy"))     /* of every container */
		return true;
	for (size_t i = 0; i < sizeof typed / sizeof *typed; i++)
		if (str_is(key, typed[i].key))
			return true;
	for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
		if (str_is(key, owned[i].key))
			return true;
	return false;
}

/* The words of the blocks. */
static const char *const scopes[] = {
	[RAW_POD] = "pod", [RAW_CONTAINER] = "container", [RAW_JOB] = "job", [RAW_SERVICE] = "service",
};

struct step {                           /* path from the raw block to the current key */
	const struct step *outer;
	struct str key;
};

struct merging {
	struct emit *e;
	enum raw_scope scope;
};

static const char *step_field(enum raw_scope scope, const struct step *at)
{
	if (scope == RAW_CONTAINER && str_is(at->key, "restartPolicy"))
		/* the field `restart` belongs to the role; a single container has no such field */
		return FIELD_OF_COMPILER;
	for (; at; at = at->outer)
		for (size_t i = 0; i < sizeof(typed) / sizeof(*typed); i++)
			if (str_is(at->key, typed[i].key))
				return typed[i].field;
	return FIELD_OF_COMPILER;
}

static void path(const struct step *at, struct buf *out)
{
	if (at->outer) {
		path(at->outer, out);
		if (at->key.p && at->key.n && at->key.p[0] != '[')
			buf_char(out, '.');
	}
	buf_str(out, at->key);
}

/*
 * Reports a raw field that the compiler writes. BY_RIGHT: the compiler owns the key, whether or not it wrote it for
 * this object.
 */
static void clash(struct merging *m, const struct step *at, const struct object *ours, struct span where, bool by_right)
{
	struct diags *ds = m->e->diags;
	struct buf name = { 0 };
	const char *field = step_field(m->scope, at);
	bool follows = by_right || !*field || str_is(at->key, "completions") || str_is(at->key, "parallelism");

	if (!ds)
		return;
	path(at, &name);
	struct diag *d = diag_report(ds, TJ0902, where,
		follows ? "'raw %s' sets '%.*s', which belongs to the compiler" :
		"'raw %s' sets '%.*s', which the role sets too", scopes[m->scope], STR_ARG(buf_text(&name)));
	if (*field && !by_right && span_known(ours->from)) {
		diag_label(ds, d, "set a second time");
		diag_note(ds, d, ours->from, "decided here");
	}
	if (*field)
		diag_help(ds, d, "use the field '%s'", field);
	else
		diag_help(ds, d, str_is(at->key, "manualSelector") ?
			"remove '%.*s': Kubernetes makes the selector itself" :
			"remove '%.*s', it follows from the role", STR_ARG(at->key));
	buf_release(&name);
}

/*
 * Does a word of the list VALUE refer to a variable that Kubernetes inserts? A typed field would keep the reference
 * as plain text.
 */
static bool refers(const struct data *value)
{
	for (size_t i = 0; value->kind == DATA_LIST && i < value->u.list.n; i++) {
		const struct data *d = value->u.list.at[i];
		if (d->kind == DATA_STRING && d->u.string.n && memmem(d->u.string.p, d->u.string.n, "$(", 2))
			return true;
	}
	return false;
}

/* Reports a key that the compiler did not write, but whose VALUE a field of the same block can express (TJ0909). */
static void repeats(struct merging *m, const struct step *at, const struct data *value, struct span where)
{
	static const char *const whole[] = {
		"nodeSelector", "command", "args", "workingDir", "serviceAccountName", "imagePullSecrets",
	};

	for (size_t i = 0; m->e->diags && !at->outer && i < sizeof(whole) / sizeof(*whole); i++) {
		if (!str_is(at->key, whole[i]) || refers(value))
			continue;
		struct diag *d = diag_report(m->e->diags, TJ0909, where, "'%s' can be written as '%s'", whole[i],
			step_field(m->scope, at));
		diag_help(m->e->diags, d, "use the field '%s': it is checked", step_field(m->scope, at));
	}
}

static bool belongs_to_us(const struct merging *m, const struct step *at)
{
	for (size_t i = 0; !at->outer && i < sizeof(owned) / sizeof(*owned); i++)
		if (owned[i].scope == m->scope && str_is(at->key, owned[i].key))
			return true;
	return false;
}

static void merge_map(struct merging *m, const struct step *at, const struct schema_type *t, struct object *into,
	const struct data *raw);

static bool same_scalar(const struct object *o, const struct data *d)
{
	if (!o || !d)
		return false;
	if (o->kind == OBJECT_STRING && d->kind == DATA_STRING)
		return str_eq(o->u.string, d->u.string);
	return o->kind == OBJECT_INT && d->kind == DATA_INT && o->u.integer == d->u.integer;
}

/* Reports a raw volume whose name the compiler gives to another volume. */
static void volume_clash(struct merging *m, const struct object *ours, const struct data *element)
{
	struct diags *ds = m->e->diags;
	struct str name = emit_data_text(element, "name");

	if (!ds)
		return;
	struct diag *d = diag_report(ds, TJ0713, element->from,
		"two mounts need a volume named '%.*s' with different content", STR_ARG(name));
	diag_note(ds, d, ours->from, "the compiler names this volume '%.*s'", STR_ARG(name));
	diag_help(ds, d, "give the volume in 'raw %s' another name", scopes[m->scope]);
}

/* The framework that reserves the variable in the role that is written; empty if none does. */
static struct str reserved_by(const struct emit *e, struct str name)
{
	const struct plan_job *j = e->job;
	const struct str *names = j->reserved;
	size_t n = j->nreserved;
	struct str framework = j->framework;

	const struct plan_cell *cell = e->role ? plan_cell_of(j, e->role) : NULL;

	if (cell) {
		names = cell->reserved;
		n = cell->nreserved;
		framework = cell->framework;
	}
	for (size_t i = 0; i < n; i++)
		if (str_covered(name, names[i]))
			return framework;
	return (struct str){ 0 };
}

/* Reports a variable that the framework or trainc reserves: a raw block must not set it, and neither may `env`. */
static bool reserved_name(struct merging *m, const struct step *at, const struct data *element)
{
	struct diags *ds = m->e->diags;
	struct str name = emit_data_text(element, "name");
	bool ours = str_starts(name, STR("TRAINC_"));

	if (!str_is(at->key, "env"))
		return false;
	struct str framework = reserved_by(m->e, name);
	if ((!ours && !framework.n) || !ds)
		return ours || framework.n;
	struct diag *d;
	if (ours)
		d = diag_report(ds, TJ0703, element->from, "names that begin with TRAINC_ are reserved");
	else
		d = diag_report(ds, TJ0702, element->from, "'%.*s' is reserved by '%.*s'", STR_ARG(name),
			STR_ARG(framework));
	diag_help(ds, d, ours ? "choose another name" :
		"remove it: processes find each other by the framework's value");
	return true;
}

/* Reports a port number outside 1..65535: no process can listen on it, and the API server refuses it. */
static void port_number(struct merging *m, const struct step *at, const struct data *element, struct str key)
{
	const struct data *number = data_get(element, key);

	if (!m->e->diags || !str_is(at->key, "ports") || !number || number->kind != DATA_INT ||
		(number->u.integer >= 1 && number->u.integer <= 65535))
		return;
	struct diag *d = diag_report(m->e->diags, TJ0904, number->from, "'%.*s' is %lld, and ports are 1 to 65535",
		STR_ARG(key), (long long)number->u.integer);
	diag_help(m->e->diags, d, "write the number that the program listens on");
}

/* The text that identifies an element of the compiler's list as merge_identity() does one of a raw block. */
static struct str made_identity(struct merging *m, const char *keys, const struct object *ours)
{
	struct data_member members[4];
	struct data values[4], element = { .kind = DATA_MAP, .u.map.at = members };

	for (const char *rest = keys; *rest && element.u.map.n < sizeof members / sizeof *members;) {
		struct str key = merge_next_key(rest, &rest);
		const struct object *o = object_get(ours, key);
		struct data *value = &values[element.u.map.n];
		if (!o || (o->kind != OBJECT_STRING && o->kind != OBJECT_INT))
			continue;
		*value = (struct data){ .kind = o->kind == OBJECT_INT ? DATA_INT : DATA_STRING };
		if (o->kind == OBJECT_INT)
			value->u.integer = o->u.integer;
		else
			value->u.string = o->u.string;
		members[element.u.map.n++] = (struct data_member){ .key = key, .value = value };
	}
	return merge_identity(m->e->arena, keys, &element);
}

/* A list that the compiler made, while raw elements are merged into it. */
struct elements {
	const char *keys;
	size_t before;                  /* number of the compiler's elements before the merge */
	struct map known;               /* identity -> element that the compiler made */
	struct map added;               /* identity -> raw element */
};

/* Returns the element itself; if it differs between replicas, the element of the first replica. */
static struct object *made_element(struct merging *m, struct object *o)
{
	return o->kind == OBJECT_MADE ? o->u.made.make(o->u.made.context, m->e->arena, m->e->first) : o;
}

static struct elements elements_of(struct merging *m, const struct schema_field *f, const struct object *list)
{
	struct elements es = { .keys = merge_keys(f), .before = list->u.list.n };

	for (size_t i = 0; i < es.before; i++) {
		struct object *o = made_element(m, list->u.list.at[i]);
		struct str id = made_identity(m, es.keys, o);
		if (id.n && !map_get(&es.known, id))
			map_put(&es.known, m->e->arena, id, o);
	}
	return es;
}

/*
 * Reports a raw element that is written twice. This is not done in lists for which the schema has no merge keys, such
 * as tolerations: there a duplicate does no harm.
 */
static bool written_twice(struct merging *m, const struct schema_field *list, struct elements *es, struct str id,
	const struct step *element,
	const struct data *raw)
{
	const struct data *other = list->merge && id.n ? map_put_const(&es->added, m->e->arena, id, raw) : NULL;
	struct buf name = { 0 };

	if (!other || !m->e->diags)
		return other != NULL;
	path(element, &name);
	struct diag *d = diag_report(m->e->diags, TJ0206, raw->from, "'raw %s' has '%.*s' twice", scopes[m->scope],
		STR_ARG(buf_text(&name)));
	diag_note(m->e->diags, d, other->from, "the other one");
	diag_help(m->e->diags, d, "remove one of the two");
	buf_release(&name);
	return true;
}

static void merge_element(struct merging *m, const struct step *at, const struct schema_field *list,
	struct elements *es, struct object *into,
	const struct data *raw)
{
	const char *rest;
	struct str key = merge_next_key(es->keys, &rest),
		id = merge_identity(m->e->arena, es->keys, raw);
	struct step step = { at, str_cat(m->e->arena, STR("["), merge_key_text(m->e->arena, key, raw), STR("]")) };
	struct object *ours = id.n ? map_get(&es->known, id) : NULL;

	if (reserved_name(m, at, raw))
		return;
	port_number(m, at, raw, key);
	if (written_twice(m, list, es, id, &step, raw))
		return;
	if (!ours)
		object_add(m->e->arena, into, object_from_data(m->e->arena, raw));
	else if (str_is(at->key, "volumes"))
		volume_clash(m, ours, raw);
	else if (str_is(at->key, "env"))
		clash(m, &step, ours, raw->from, false);
	else
		merge_map(m, &step, merge_below(list), ours, raw);
}

static void merge_value(struct merging *m, const struct step *at, const struct schema_field *f, struct object *ours,
	const struct data_member *raw)
{
	if (ours->kind == OBJECT_MAP && raw->value->kind == DATA_MAP && !belongs_to_us(m, at)) {
		merge_map(m, at, merge_below(f), ours, raw->value);
		return;
	}
	if (ours->kind != OBJECT_LIST || raw->value->kind != DATA_LIST || !merge_keys(f)) {
		clash(m, at, ours, raw->key_at, belongs_to_us(m, at));
		return;
	}
	struct elements es = elements_of(m, f, ours);
	for (size_t i = 0; i < raw->value->u.list.n; i++)
		merge_element(m, at, f, &es, ours, raw->value->u.list.at[i]);
}

/* Is it the merge key of a list element? Such a key identifies the element, so it does not count as a setting. */
static bool is_merge_key(const struct step *at, struct str key, const struct object *ours, const struct data *raw)
{
	return at && at->key.n && at->key.p[0] == '[' && same_scalar(ours, raw) &&
		(str_is(key, "name") || str_is(key, "mountPath") || str_is(key, "containerPort") ||
		str_is(key, "port") || str_is(key, "key") ||
		 str_is(key, "effect") || str_is(key, "value") || str_is(key, "topologyKey") ||
		str_is(key, "whenUnsatisfiable") || str_is(key, "protocol"));
}

/*
 * Checks podReplacementPolicy: the compiler writes a podFailurePolicy, with which pods are only replaced after they
 * have failed, and the API server refuses any other value.
 */
static void replacement(struct merging *m, const struct step *at, const struct object *job, const struct data *value)
{
	if (!m->e->diags || m->scope != RAW_JOB || at->outer || !str_is(at->key, "podReplacementPolicy") ||
		value->kind != DATA_STRING ||
	    str_is(value->u.string, "Failed") || !object_get(job, STR("podFailurePolicy")))
		return;
	struct diag *d = diag_report(m->e->diags, TJ0904, value->from,
		"'podReplacementPolicy' is '%.*s', but this Job accepts only 'Failed'",
		STR_ARG(value->u.string));
	diag_note(m->e->diags, d, (struct span){ 0 },
		"it has a podFailurePolicy, so that a disruption does not count as a failure");
	diag_help(m->e->diags, d, "remove it");
}

static void merge_map(struct merging *m, const struct step *at, const struct schema_type *t, struct object *into,
	const struct data *raw)
{
	if (into->kind != OBJECT_MAP || raw->kind != DATA_MAP)
		return;
	/* keys of `raw` differ from each other, so only the fields before the merge need a search */
	struct object before = *into;
	for (size_t i = 0; i < raw->u.map.n; i++) {
		const struct data_member *member = &raw->u.map.at[i];
		const struct schema_field *f = merge_field(t, member->key);
		struct object *ours = object_get(&before, member->key);
		struct step step = { at, member->key };
		if (ours && is_merge_key(at, member->key, ours, member->value))
			continue;
		if (!ours) {
			repeats(m, &step, member->value, member->key_at);
			replacement(m, &step, &before, member->value);
		}
		if (!ours && member->value->kind == DATA_LIST && merge_keys(f)) {
			/* elements have names that must be checked, so they are merged one by one */
			ours = object_list(m->e->arena, member->value->from);
			object_append(m->e->arena, into, member->key, ours);
		}
		if (ours)
			merge_value(m, &step, f, ours, member);
		else if (belongs_to_us(m, &step))
			clash(m, &step, into, member->key_at, true);
		else
			object_append(m->e->arena, into, member->key, object_from_data(m->e->arena, member->value));
	}
}

void raw_merge(struct emit *e, enum raw_scope scope, struct object *into, const struct data *raw)
{
	struct merging m = { e, scope };

	merge_map(&m, NULL, raw_type(str_of(scopes[scope])), into, raw);
}
