/*
 * emit_container.c - makes a container: the main one, a sidecar or an init container.
 */
#include "emit/emit_build.h"

#include "plan/code.h"

/* A value that differs between replicas; it is made when a replica is written. */
struct each {
	const struct plan_job *job;
	const struct plan_role *role;
	const struct plan_env *env;
	const struct plan_texts *texts;
};

static const struct each *each_new(struct emit *e, const struct plan_role *r, const struct plan_env *env,
	const struct plan_texts *texts)
{
	struct each *each = ARENA_NEW(e->arena, struct each);

	*each = (struct each){ e->job, r, env, texts };
	return each;
}

static struct object *made(struct arena *a, const struct each *each,
	struct object *(*make)(const void *context, struct arena *a, int64_t index), struct span from)
{
	struct object *o = object_string(a, STR(""), from);

	o->kind = OBJECT_MADE;
	o->u.made.make = make;
	o->u.made.context = each;
	return o;
}

/* ---- which references a text contains ---- */

static unsigned texts_use(const struct plan_role *r, const struct plan_texts *texts)
{
	unsigned uses = 0;

	for (size_t i = 0; i < texts->n; i++)
		uses |= emit_text_uses(&texts->at[i]);
	for (int64_t i = 0; texts->per_replica && i < r->max; i++)
		for (size_t k = 0; k < texts->per_replica[i].n; k++)
			uses |= emit_text_uses(&texts->per_replica[i].at[k]);
	return uses;
}

static bool one_field(const struct text *t) { return t->n == 1 && t->at[0].kind == PIECE_FIELD; }

static unsigned env_uses(const struct plan_role *r, const struct plan_env *env)
{
	unsigned uses = 0;

	if (env->kind != ENV_TEXT)
		return 0;
	if (!env->per_replica)
		return one_field(&env->text) ? 0 : emit_text_uses(&env->text);
	for (int64_t i = 0; i < r->max; i++)
		if (!one_field(&env->per_replica[i]))
			uses |= emit_text_uses(&env->per_replica[i]);
	return uses;
}

static unsigned emit_container_uses(const struct plan_job *j, const struct plan_role *r, const struct plan_container *c,
	bool main)
{
	unsigned uses = texts_use(r, &c->command) | texts_use(r, &c->args);

	for (size_t i = 0; i < c->nenv; i++)
		uses |= env_uses(r, &c->env[i]);
	for (size_t i = 0; i < c->nmounts; i++)
		uses |= emit_text_uses(&c->mounts[i].volume->path_text);
	if (main && emit_uses_each_file(r))
		uses |= USES_INDEX | USES_HOST;
	if ((uses & USES_HOST) && plan_is_sliced(r))
		uses |= USES_FIELD << POD_SLICE;
	uses &= ~(unsigned)USES_HOST;
	return emit_literal_index(j, r) ? uses & ~(unsigned)USES_INDEX : uses;
}

/* ---- environment ---- */

static const char *const field_paths[] = {
	[POD_NAME] = "metadata.name", [POD_UID] = "metadata.uid", [POD_IP] = "status.podIP",
		[POD_NODE] = "spec.nodeName",
	[POD_SLICE] = "metadata.labels['jobset.sigs.k8s.io/job-index']",
	[POD_COPY] = "metadata.labels['leaderworkerset.sigs.k8s.io/group-index']",
};

static void field_ref(struct arena *a, struct object *entry, struct str path, struct span from)
{
	struct object *ref = PUT_MAP(a, PUT_MAP(a, entry, "valueFrom", from), "fieldRef", from);

	PUT_STR(a, ref, "fieldPath", path, from);
}

static void key_ref(struct arena *a, struct object *entry, const struct plan_env *env)
{
	struct str kind = env->kind == ENV_SECRET ? STR("secretKeyRef") : STR("configMapKeyRef");
	struct object *ref = object_put_map(a, PUT_MAP(a, entry, "valueFrom", env->from), kind, env->from);

	PUT_STR(a, ref, "name", env->object, env->from);
	PUT_STR(a, ref, "key", env->key, env->from);
}

static void env_value(struct arena *a, const struct plan_job *j, const struct plan_role *r, const struct plan_env *env,
	const struct text *t, struct object *entry)
{
	PUT_STR(a, entry, "name", env->name, env->name_at);
	if (env->kind != ENV_TEXT)
		key_ref(a, entry, env);
	else if (one_field(t))
		field_ref(a, entry, str_of(field_paths[t->at[0].u.field]), env->from);
	else
		object_append(a, entry, STR("value"), emit_text(a, j, r, t, TEXT_COMMAND, 0));
}

static struct object *env_make(const void *context, struct arena *a, int64_t index)
{
	const struct each *each = context;
	struct object *entry = object_map(a, each->env->from);

	env_value(a, each->job, each->role, each->env, &each->env->per_replica[index], entry);
	return entry;
}

/* Writes trainc's own variables. They come first, because a variable can only refer to earlier ones. */
static void our_variables(struct emit *e, const struct plan_role *r, unsigned uses, struct object *list)
{
	struct object *entry;

	if (uses & USES_INDEX) {
		entry = object_add_map(e->arena, list, r->at);
		PUT_STR(e->arena, entry, "name", STR("TRAINC_INDEX"), r->at);
		field_ref(e->arena, entry, str_of(plan_workload(e->job, r)->field), r->at);
	}
	for (unsigned f = POD_NAME; f <= POD_COPY; f++) {
		if (!(uses & USES_FIELD << f))
			continue;
		entry = object_add_map(e->arena, list, r->at);
		PUT_STR(e->arena, entry, "name", str_of(emit_field_variable((enum pod_field)f)), r->at);
		field_ref(e->arena, entry, str_of(field_paths[f]), r->at);
	}
}

static void emit_env(struct emit *e, const struct plan_role *r, const struct plan_container *c, unsigned uses,
	struct object *container)
{
	if (!uses && !c->nenv)
		return;
	struct object *list = PUT_LIST(e->arena, container, "env", r->at);
	our_variables(e, r, uses, list);
	for (size_t i = 0; i < c->nenv; i++) {
		const struct plan_env *env = &c->env[i];
		if (env->per_replica && text_is_absent(&env->per_replica[e->first]))
			continue;
		if (env->per_replica)
			object_add(e->arena, list, made(e->arena, each_new(e, r, env, NULL), env_make, env->from));
		else
			env_value(e->arena, e->job, r, env, &env->text, object_add_map(e->arena, list, env->from));
	}
}

static void emit_sources(struct emit *e, const struct plan_container *c, struct object *container)
{
	if (!c->nsources)
		return;
	struct object *list = PUT_LIST(e->arena, container, "envFrom", c->sources[0].from);
	for (size_t i = 0; i < c->nsources; i++) {
		const struct plan_source *s = &c->sources[i];
		struct object *entry = object_add_map(e->arena, list, s->from);
		if (s->prefix.n)
			PUT_STR(e->arena, entry, "prefix", s->prefix, s->from);
		struct object *ref = object_put_map(e->arena, entry, s->secret ? STR("secretRef") : STR("configMapRef"),
			s->from);
		PUT_STR(e->arena, ref, "name", s->name, s->from);
		if (s->optional)
			PUT_BOOL(e->arena, ref, "optional", true, s->from);
	}
}

/* ---- command, ports, resources ---- */

static struct object *texts_list(struct arena *a, const struct plan_job *j, const struct plan_role *r,
	const struct plan_texts *texts)
{
	struct object *list = object_list(a, texts->from);

	for (size_t i = 0; i < texts->n; i++)
		object_add(a, list, emit_text(a, j, r, &texts->at[i], TEXT_COMMAND, 0));
	return list;
}

static struct object *texts_make(const void *context, struct arena *a, int64_t index)
{
	const struct each *each = context;

	return texts_list(a, each->job, each->role, &each->texts->per_replica[index]);
}

static void texts_put(struct emit *e, const struct plan_role *r, const struct plan_texts *texts, struct str key,
	struct object *container)
{
	if (texts->per_replica)
		object_append(e->arena, container, key,
			made(e->arena, each_new(e, r, NULL, texts), texts_make, texts->from));
	else if (texts->n)
		object_append(e->arena, container, key, texts_list(e->arena, e->job, r, texts));
}

/*
 * The words that start the main program. If `trainc sync` may replace the code, a script starts the program: it can
 * start it again in the same container.
 */
static const struct plan_texts *start_words(struct emit *e, const struct plan_role *r, const struct plan_texts *command)
{
	const struct str first[] = { STR("sh"), STR("-c"), STR(CODE_LOOP), STR("trainc"), r->code ? r->code->at
		: STR("") };
	enum { FIRST = sizeof first / sizeof *first };
	struct plan_texts *ret = ARENA_NEW(e->arena, struct plan_texts);

	if (!r->code || !r->code->sync || !(command->n || command->per_replica))
		return command;
	*ret = (struct plan_texts){ .set = true, .from = command->from };
	if (command->per_replica) {
		ret->per_replica = ARENA_ARRAY(e->arena, struct plan_texts, (size_t)r->max);
		for (int64_t i = 0; i < r->max; i++)
			ret->per_replica[i] = *start_words(e, r, &command->per_replica[i]);
		return ret;
	}
	for (size_t i = 0; i < FIRST; i++) {
		struct piece *piece = ARENA_NEW(e->arena, struct piece);
		*piece = (struct piece){ .kind = PIECE_TEXT, .u.text = first[i] };
		ARENA_PUSH(e->arena, ret->at, ret->n, ((struct text){ piece, 1, r->code->from }));
	}
	for (size_t i = 0; i < command->n; i++)
		ARENA_PUSH(e->arena, ret->at, ret->n, command->at[i]);
	return ret;
}

static void ports_put(struct emit *e, const struct plan_container *c, struct object *container)
{
	if (!c->nports)
		return;
	struct object *list = PUT_LIST(e->arena, container, "ports", c->ports[0].from);
	for (size_t i = 0; i < c->nports; i++) {
		struct object *port = object_add_map(e->arena, list, c->ports[i].from);
		PUT_STR(e->arena, port, "name", plan_label(e->arena, c->ports[i].name), c->ports[i].from);
		PUT_INT(e->arena, port, "containerPort", c->ports[i].port, c->ports[i].from);
	}
}

static void emit_amount(struct emit *e, struct object *map, struct str name, const struct plan_quantity *q)
{
	if (q->set)
		object_append(e->arena, map, name, object_string(e->arena, quantity_text(e->arena, q->value), q->from));
}

static void emit_devices(struct emit *e, struct object *map, const struct plan_accelerator *acc)
{
	if (acc && acc->per_pod)
		object_append(e->arena, map, acc->resource,
			object_string(e->arena, str_int(e->arena, acc->per_pod), acc->from));
}

static void further(struct emit *e, struct object *map, const struct plan_amounts *asks)
{
	for (size_t i = 0; i < asks->nresources; i++)
		object_append(e->arena, map, asks->resources[i].name,
			object_string(e->arena, quantity_text(e->arena, asks->resources[i].amount),
			asks->resources[i].from));
}

static bool has_claims(const struct plan_role *r) { return r && r->claims.n + r->shared_claims.n > 0; }

static void claims_put(struct emit *e, const struct plan_role *r, struct object *resources)
{
	const struct plan_pairs *both[] = { &r->claims, &r->shared_claims };
	struct object *list = PUT_LIST(e->arena, resources, "claims", both[!r->claims.n]->at[0].key_at);

	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < both[k]->n; i++)
			PUT_STR(e->arena, object_add_map(e->arena, list, both[k]->at[i].key_at), "name",
				both[k]->at[i].key, both[k]->at[i].key_at);
}

/* Writes resources. OF is the role whose claims the container uses, or NULL. */
static void emit_resources(struct emit *e, const struct plan_container *c, const struct plan_accelerator *acc,
	const struct plan_role *of,
	struct object *container)
{
	const struct plan_amounts *asks = plan_amounts(c, e->first);
	struct object *requests = object_map(e->arena, (struct span){ 0 }),
		*limits = object_map(e->arena, (struct span){ 0 });

	emit_amount(e, requests, STR("cpu"), &asks->cpu);
	emit_amount(e, requests, STR("memory"), &asks->memory);
	emit_amount(e, requests, STR("ephemeral-storage"), &asks->disk);
	emit_devices(e, requests, acc);
	further(e, requests, asks);
	emit_amount(e, limits, STR("cpu"), &asks->limits.cpu);
	emit_amount(e, limits, STR("memory"), plan_memory_limit(asks));
	emit_amount(e, limits, STR("ephemeral-storage"), plan_disk_limit(asks));
	emit_devices(e, limits, acc);
	further(e, limits, asks);
	if (!requests->u.map.n && !limits->u.map.n && !has_claims(of))
		return;
	struct object *both = PUT_MAP(e->arena, container, "resources", c->name_at);
	if (requests->u.map.n)
		object_append(e->arena, both, STR("requests"), requests);
	if (limits->u.map.n)
		object_append(e->arena, both, STR("limits"), limits);
	if (has_claims(of))
		claims_put(e, of, both);
}

static void emit_image(struct emit *e, const struct plan_container *c, struct object *o)
{
	static const struct { const char *word, *value; } policies[] = {
		{ "always", "Always" }, { "if-not-present", "IfNotPresent" }, { "never", "Never" },
	};

	PUT_STR(e->arena, o, "image", c->image.value, c->image.from);
	for (size_t i = 0; c->pull.set && i < 3; i++)
		if (str_is(c->pull.value, policies[i].word))
			PUT_STR(e->arena, o, "imagePullPolicy", str_of(policies[i].value), c->pull.from);
}

/* ---- readiness ---- */

enum { PROBE_PERIOD = 5, PROBE_TIMEOUT = 5 };

static void probe_put(struct emit *e, const struct plan_probe *p, const char *key, int64_t failures,
	struct object *container)
{
	struct object *probe = object_put_map(e->arena, container, str_of(key), p->from);
	if (p->kind == PROBE_EXEC) {
		struct object *words = PUT_LIST(e->arena, PUT_MAP(e->arena, probe, "exec", p->from), "command",
			p->from);
		for (size_t i = 0; i < p->ncommand; i++)
			object_add(e->arena, words, object_string(e->arena, p->command[i].value, p->command[i].from));
	} else {
		struct object *how = p->kind == PROBE_HTTP ? PUT_MAP(e->arena, probe, "httpGet", p->from) :
			PUT_MAP(e->arena, probe, "tcpSocket", p->from);
		if (p->kind == PROBE_HTTP)
			PUT_STR(e->arena, how, "path", p->path, p->from);
		PUT_STR(e->arena, how, "port", plan_label(e->arena, p->port), p->from);
	}
	PUT_INT(e->arena, probe, "periodSeconds", PROBE_PERIOD, p->from);
	PUT_INT(e->arena, probe, "timeoutSeconds", PROBE_TIMEOUT, p->from);
	PUT_INT(e->arena, probe, "failureThreshold", failures, p->from);
}

/*
 * Writes the probes. The startup probe waits for the first success; on a sidecar it delays the containers that
 * follow. After that, the readiness probe continues.
 */
static void ready_put(struct emit *e, const struct plan_container *c, struct object *container)
{
	enum { MISSED = 3 };
	if (!c->ready)
		return;
	probe_put(e, c->ready, "startupProbe", (c->ready->within + PROBE_PERIOD - 1) / PROBE_PERIOD, container);
	probe_put(e, c->ready, "readinessProbe", MISSED, container);
}

struct object *emit_container(struct emit *e, const struct plan_role *r, const struct plan_container *c,
	enum emit_container what,
	struct object *list)
{
	bool main = what == CONTAINER_MAIN;
	struct object *o = object_add_map(e->arena, list, c->name_at);

	PUT_STR(e->arena, o, "name", plan_label(e->arena, c->name), c->name_at);
	emit_image(e, c, o);
	if (what == CONTAINER_NATIVE_SIDECAR)
		PUT_STR(e->arena, o, "restartPolicy", STR("Always"), c->name_at);
	texts_put(e, r, main ? start_words(e, r, &c->command) : &c->command, STR("command"), o);
	texts_put(e, r, &c->args, STR("args"), o);
	if (c->workdir.set)
		PUT_STR(e->arena, o, "workingDir", c->workdir.value, c->workdir.from);
	emit_sources(e, c, o);
	emit_env(e, r, c, emit_container_uses(e->job, r, c, main), o);
	ports_put(e, c, o);
	emit_resources(e, c, main ? r->accelerator : NULL, main ? r : NULL, o);
	emit_mounts(e, r, c, main, o);
	ready_put(e, c, o);
	emit_security(e, c, o);
	PUT_STR(e->arena, o, "terminationMessagePolicy", STR("FallbackToLogsOnError"), c->name_at);
	if (c->raw)
		raw_merge(e, RAW_CONTAINER, o, c->raw);
	return o;
}
