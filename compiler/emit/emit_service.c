/*
 * emit_service.c - makes the Services by which pods find each other and users find pods. The headless Service gives
 * every pod a name before it is ready; its ports only serve as information, and for SRV records. The API refuses two
 * entries with the same number or name. So each number is listed once; if two numbers have the same name, the role's
 * name is appended to it, or the number if the name would be too long.
 */
#include "emit/emit_build.h"
#include "kube/limits.h"

struct listed {
	const struct plan_role *role;
	const struct plan_port *port;
	struct str name;
};
struct listing {
	struct listed *at;
	size_t n;
	struct map numbers;             /* numbers of the ports that are already listed */
};

/* The number of listed ports that have NAME; made when it is first needed. */
static size_t *name_count(struct arena *a, struct map *names, struct str name)
{
	size_t *n = map_get(names, name);

	if (!n) {
		n = ARENA_NEW(a, size_t);
		map_put(names, a, name, n);
	}
	return n;
}

static void gather_ports(struct arena *a, const struct plan_role *r, struct listing *l)
{
	for (size_t i = 0; i < r->main.nports; i++) {
		struct listed added = { r, &r->main.ports[i], plan_label(a, r->main.ports[i].name) };
		if (!map_put(&l->numbers, a, str_int(a, added.port->port), l))
			ARENA_PUSH(a, l->at, l->n, added);
	}
}

static void rename_to(struct arena *a, struct map *names, struct listed *at, struct str name)
{
	--*name_count(a, names, at->name);
	++*name_count(a, names, name);
	at->name = name;
}

/*
 * Appends the port's number to L->name, or to the port's own name if the result would be too long. The result is
 * unique, because no other listed port has the number.
 */
static struct str with_number(struct arena *a, const struct listed *l)
{
	struct str own = plan_label(a, l->port->name),
		longer = str_printf(a, "%.*s-%lld", STR_ARG(l->name), (long long)l->port->port);

	return longer.n <= LIMIT_LABEL ? longer : str_printf(a, "%.*s-%lld", STR_ARG(own), (long long)l->port->port);
}

static struct str with_role(struct arena *a, const struct listed *l)
{
	struct str longer = str_printf(a, "%.*s-%.*s", STR_ARG(l->role->label), STR_ARG(l->name));

	return longer.n <= LIMIT_LABEL ? longer : with_number(a, l);
}

static void make_unique(struct arena *a, struct listing *l)
{
	struct map first = { 0 }, then = { 0 };

	for (size_t i = 0; i < l->n; i++)
		++*name_count(a, &first, l->at[i].name);
	for (size_t i = 0; i < l->n; i++) {
		struct listed *at = &l->at[i];
		if (*name_count(a, &first, at->name) > 1)
			at->name = with_role(a, at);
		++*name_count(a, &then, at->name);
	}
	for (size_t i = 0; i < l->n; i++) {
		struct listed *at = &l->at[i];
		if (*name_count(a, &then, at->name) > 1)
			rename_to(a, &then, at, with_number(a, at));
	}
}

static void emit_ports(struct emit *e, const struct listing *l, struct object *spec)
{
	if (!l->n)
		return;
	struct object *list = PUT_LIST(e->arena, spec, "ports", l->at[0].port->from);
	for (size_t i = 0; i < l->n; i++) {
		struct object *o = object_add_map(e->arena, list, l->at[i].port->from);
		PUT_STR(e->arena, o, "name", l->at[i].name, l->at[i].port->from);
		PUT_INT(e->arena, o, "port", l->at[i].port->port, l->at[i].port->from);
	}
}

static struct object *headless(struct emit *e, const struct manifest *m, struct object *o)
{
	struct object *spec = PUT_MAP(e->arena, o, "spec", m->from);

	PUT_STR(e->arena, spec, "clusterIP", STR("None"), m->from);
	PUT_BOOL(e->arena, spec, "publishNotReadyAddresses", true, m->from);
	return spec;
}

struct object *emit_service_make(struct emit *e, const struct manifest *m)
{
	struct object *o = emit_object(e, m), *spec = headless(e, m, o);
	struct listing l = { 0 };

	for (size_t i = 0; i < e->job->nroles; i++)
		if (e->job->roles[i].max && !e->job->roles[i].aux)
			gather_ports(e->arena, &e->job->roles[i], &l);
	make_unique(e->arena, &l);
	emit_selector(e, NULL, spec, STR("selector"));
	emit_ports(e, &l, spec);
	if (e->job->raw_service)
		raw_merge(e, RAW_SERVICE, spec, e->job->raw_service);
	return o;
}

/*
 * Writes the selector of a replica. It consists of the framework's labels, if the framework has any for replicas.
 * Otherwise it consists of trainc's labels and an index: trainc's own in an unrolled role, that of the Job controller
 * in an indexed one.
 */
static void select_replica(struct emit *e, const struct manifest *m, struct object *spec)
{
	struct object *map = object_map(e->arena, m->from);

	emit_replica_labels(e, m->role, true, map);
	if (map->u.map.n) {
		object_append(e->arena, spec, STR("selector"), map);
		return;
	}
	emit_selector(e, m->role, spec, STR("selector"));
	object_append(e->arena, object_get(spec, STR("selector")),
		emit_literal_index(e->job, m->role) ? LABEL_INDEX : str_of(plan_workload(e->job, m->role)->index),
		emit_indexed(e->arena, STR(""), "", m->from));
}

/* Makes the Service of a replica, if the role has hosts = "service" or "name", or the framework requires one. */
struct object *emit_replica_service_make(struct emit *e, const struct manifest *m)
{
	bool virtual = plan_each_replica(e->job) && m->role->replica.service == REPLICA_CLUSTER;
	struct object *o = emit_object(e, m),
		*spec = virtual ? PUT_MAP(e->arena, o, "spec", m->from) : headless(e, m, o);
	struct listing l = { 0 };

	select_replica(e, m, spec);
	gather_ports(e->arena, m->role, &l);
	emit_ports(e, &l, spec);
	if (e->job->raw_service)
		raw_merge(e, RAW_SERVICE, spec, e->job->raw_service);
	return o;
}

struct object *emit_role_service_make(struct emit *e, const struct manifest *m)
{
	static const struct { const char *word, *value; } types[] = {
		{ "cluster", "ClusterIP" }, { "node-port", "NodePort" }, { "load-balancer", "LoadBalancer" },
	};
	const struct plan_role *r = m->role;
	struct object *o = emit_object(e, m), *spec = PUT_MAP(e->arena, o, "spec", r->service.from);
	struct listing l = { 0 };

	for (size_t i = 0; i < 3; i++)
		if (str_is(r->service.value, types[i].word))
			PUT_STR(e->arena, spec, "type", str_of(types[i].value), r->service.from);
	emit_selector(e, r, spec, STR("selector"));
	if (r->in_group)
		object_append(e->arena, object_get(spec, STR("selector")), LABEL_GROUP,
			object_string(e->arena, str_int(e->arena, r->copy), r->at));
	gather_ports(e->arena, r, &l);
	emit_ports(e, &l, spec);
	return o;
}
