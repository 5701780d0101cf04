/*
 * identity.c - writes every fact of a job as NAME=LENGTH:VALUE, and lists with their length first, so that two jobs
 * have the same text only if they are the same. Source positions are left out everywhere: members of type struct span,
 * and members named `from`.
 */
#include "runtime/run/identity.h"

#include "base/sha256.h"

struct out {
	struct buf *buf;
	const struct plan_job *job;
};

/* ---- facts ---- */

void identity_fact(struct buf *out, const char *name, struct str value)
{
	buf_printf(out, "%s=%zu:", name, value.n);
	buf_str(out, value);
	buf_char(out, '\n');
}

static void put_str(struct out *o, const char *name, struct str value) { identity_fact(o->buf, name, value); }
static void put_int(struct out *o, const char *name, int64_t value)
{
	buf_printf(o->buf, "%s=%lld\n", name, (long long)value);
}
static void put_list(struct out *o, const char *name, size_t n) { put_int(o, name, (int64_t)n); }

static void put_identity_quantity(struct out *o, const char *name, struct quantity q)
{
	buf_printf(o->buf, "%s=%lld.%llu\n", name, (long long)(q.nano / 1000000000),
		(unsigned long long)((q.nano < 0 ? -q.nano : q.nano) % 1000000000));
}

/* Appends a value that may be absent. */
#define PUT_OPTIONAL(o, name, v, put) do { put_int(o, name, (v)->set); if ((v)->set) put(o, name, \
	(v)->value); } while (0)
static void put_plan_str(struct out *o, const char *name, const struct plan_str *v)
{
	PUT_OPTIONAL(o, name, v, put_str);
}
static void put_plan_int(struct out *o, const char *name, const struct plan_int *v)
{
	PUT_OPTIONAL(o, name, v, put_int);
}
static void put_plan_bool(struct out *o, const char *name, const struct plan_bool *v)
{
	PUT_OPTIONAL(o, name, v, put_int);
}
static void put_plan_quantity(struct out *o, const char *name, const struct plan_quantity *v)
{
	PUT_OPTIONAL(o, name, v, put_identity_quantity);
}

static void put_strs(struct out *o, const char *name, const struct plan_str *at, size_t n)
{
	put_list(o, name, n);
	for (size_t i = 0; i < n; i++)
		put_plan_str(o, name, &at[i]);
}

/* struct plan_pair, struct plan_pairs. */
static void put_pairs(struct out *o, const char *name, const struct plan_pairs *p)
{
	put_list(o, name, p->n);
	for (size_t i = 0; i < p->n; i++) {
		put_str(o, "key", p->at[i].key);
		put_str(o, "value", p->at[i].value);
	}
}

static void put_data(struct out *o, const char *name, const struct data *d)
{
	put_int(o, name, d ? (int64_t)d->kind : -1);
	if (!d)
		return;
	switch (d->kind) {
	case DATA_NULL: break;
	case DATA_BOOL: put_int(o, "bool", d->u.boolean); break;
	case DATA_INT: put_int(o, "int", d->u.integer); break;
	case DATA_FLOAT: buf_printf(o->buf, "float=%.17g\n", d->u.number); break;
	case DATA_STRING: put_str(o, "string", d->u.string); break;
	case DATA_LIST:
		put_list(o, "list", d->u.list.n);
		for (size_t i = 0; i < d->u.list.n; i++)
			put_data(o, "item", d->u.list.at[i]);
		break;
	case DATA_MAP:
		put_list(o, "map", d->u.map.n);
		for (size_t i = 0; i < d->u.map.n; i++) {
			put_str(o, "key", d->u.map.at[i].key);
			put_data(o, "member", d->u.map.at[i].value);
		}
		break;
	}
}

/* ---- texts ---- */

static void put_piece(struct out *o, const struct piece *p)
{
	put_int(o, "piece", (int64_t)p->kind);
	switch (p->kind) {
	case PIECE_TEXT: case PIECE_ENV: put_str(o, "text", p->u.text); break;
	case PIECE_INDEX: break;
	case PIECE_FIELD: put_int(o, "field", (int64_t)p->u.field); break;
	case PIECE_PORT:
		put_str(o, "port", p->u.peer.port);
		put_int(o, "role", p->u.peer.role);
		put_int(o, "index", p->u.peer.index);
		break;
	case PIECE_HOST:
		put_int(o, "role", p->u.peer.role);
		put_int(o, "index", p->u.peer.index);
		break;
	}
}

static void put_identity_text(struct out *o, const char *name, const struct text *t)
{
	put_int(o, name, text_is_absent(t) ? -1 : (int64_t)t->n);
	for (size_t i = 0; !text_is_absent(t) && i < t->n; i++)
		put_piece(o, &t->at[i]);
}

/* Appends a text that is the same for all replicas, or one text for each of N replicas. */
static void put_texts_of(struct out *o, const char *name, const struct text *t, const struct text *per_replica,
	int64_t n)
{
	put_int(o, name, per_replica != NULL);
	if (!per_replica)
		put_identity_text(o, name, t);
	for (int64_t i = 0; per_replica && i < n; i++)
		put_identity_text(o, name, &per_replica[i]);
}

/* struct plan_texts. */
static void put_texts(struct out *o, const char *name, const struct plan_texts *t, int64_t n)
{
	put_int(o, name, t->set);
	put_list(o, name, t->n);
	for (size_t i = 0; i < t->n; i++)
		put_identity_text(o, name, &t->at[i]);
	put_int(o, name, t->per_replica != NULL);
	for (int64_t i = 0; t->per_replica && i < n; i++)
		put_texts(o, name, &t->per_replica[i], 0);
}

/* ---- a container ---- */

/* struct plan_env.  Left out: framework (who wrote it). */
static void put_env(struct out *o, const struct plan_env *e, int64_t n)
{
	put_str(o, "env", e->name);
	put_int(o, "kind", (int64_t)e->kind);
	if (e->kind == ENV_TEXT)
		put_texts_of(o, "text", &e->text, e->per_replica, n);
	put_str(o, "object", e->object);
	put_str(o, "key", e->key);
}

/* struct plan_port. */
static void put_port(struct out *o, const struct plan_port *p)
{
	put_str(o, "name", p->name);
	put_int(o, "port", p->port);
}

/* struct plan_mount, struct plan_volume.  Left out: unasked, framework (who wrote it). */
static void put_mount(struct out *o, const struct plan_mount *m)
{
	const struct plan_volume *v = m->volume;

	put_str(o, "mount", m->path);
	put_int(o, "kind", (int64_t)v->kind);
	put_str(o, "name", v->name);
	put_str(o, "path", v->path);
	put_int(o, "each", v->path_text.n > 0);
	put_int(o, "readonly", v->readonly);
	put_int(o, "shared", v->shared);
	put_int(o, "memory", v->memory);
	put_identity_quantity(o, "size", v->size);
	if (v->kind == VOLUME_CLAIM) {
		put_str(o, "class", v->class);
		put_int(o, "keep", v->keep);
	}
}

/* struct plan_limits. */
static void put_limits(struct out *o, const struct plan_limits *l)
{
	put_plan_quantity(o, "limits.cpu", &l->cpu);
	put_plan_quantity(o, "limits.memory", &l->memory);
	put_plan_quantity(o, "limits.disk", &l->disk);
}

/* struct plan_probe. A container without a probe adds nothing, so its digest is the same as before probes existed. */
static void put_probe(struct out *o, const struct plan_probe *p)
{
	static const char *const kinds[] = { [PROBE_TCP] = "tcp", [PROBE_HTTP] = "http", [PROBE_EXEC] = "exec" };

	if (!p)
		return;
	put_str(o, "ready", str_of(kinds[p->kind]));
	put_str(o, "port", p->port);
	put_str(o, "path", p->path);
	put_strs(o, "command", p->command, p->ncommand);
	put_int(o, "within", p->within);
}

/*
 * struct plan_resource. A container without resources adds nothing, so its digest is the same as before resources
 * existed.
 */
static void put_resources(struct out *o, const struct plan_amounts *asks)
{
	if (!asks->nresources)
		return;
	put_list(o, "resources", asks->nresources);
	for (size_t i = 0; i < asks->nresources; i++) {
		put_str(o, "resource", asks->resources[i].name);
		put_int(o, "bytes", asks->resources[i].bytes);
		put_identity_quantity(o, "amount", asks->resources[i].amount);
	}
}

/* struct plan_amounts. */
static void put_amounts(struct out *o, const struct plan_amounts *asks)
{
	put_plan_quantity(o, "cpu", &asks->cpu);
	put_plan_quantity(o, "memory", &asks->memory);
	put_plan_quantity(o, "disk", &asks->disk);
	put_limits(o, &asks->limits);
	put_resources(o, asks);
}

/* struct plan_container. */
static void put_container(struct out *o, const struct plan_container *c, int64_t n)
{
	put_str(o, "container", c->name);
	put_int(o, "init", c->init);
	put_plan_str(o, "image", &c->image);
	put_plan_str(o, "pull", &c->pull);
	put_plan_str(o, "workdir", &c->workdir);
	put_texts(o, "command", &c->command, n);
	put_texts(o, "args", &c->args, n);
	put_list(o, "env", c->nenv);
	for (size_t i = 0; i < c->nenv; i++)
		put_env(o, &c->env[i], n);
	put_list(o, "ports", c->nports);
	for (size_t i = 0; i < c->nports; i++)
		put_port(o, &c->ports[i]);
	put_list(o, "mounts", c->nmounts);
	for (size_t i = 0; i < c->nmounts; i++)
		put_mount(o, &c->mounts[i]);
	put_amounts(o, &c->asks);
	for (int64_t i = 1; c->per_replica && i < n; i++)
		put_amounts(o, &c->per_replica[i]);
	put_probe(o, c->ready);
	put_data(o, "raw", c->raw);
}

static void put_containers(struct out *o, const char *name, const struct plan_container *at, size_t count, int64_t n)
{
	put_list(o, name, count);
	for (size_t i = 0; i < count; i++)
		put_container(o, &at[i], n);
}

/* ---- a role ---- */

/* struct plan_accelerator.  Left out: spelling (how it was written). */
static void put_accelerator(struct out *o, const struct plan_accelerator *a)
{
	put_int(o, "accelerator", a != NULL);
	if (!a)
		return;
	put_str(o, "name", a->name);
	put_str(o, "resource", a->resource);
	put_int(o, "per_pod", a->per_pod);
	put_int(o, "pods", a->pods);
	put_plan_quantity(o, "memory", &a->memory);
	put_pairs(o, "node", &a->node);
	put_strs(o, "tolerate", a->tolerate, a->ntolerate);
	put_pairs(o, "env", &a->env);
	put_list(o, "mounts", a->nmounts);
	for (size_t i = 0; i < a->nmounts; i++)
		put_mount(o, &a->mounts[i]);
	put_plan_str(o, "devices", &a->devices);
	put_plan_str(o, "visible", &a->visible);
	put_plan_str(o, "slice", &a->slice);
}

/*
 * struct plan_place.  Left out: level (how the last of the keys was written), tier (it follows from
 * the project's topology, and where a target uses it, it is in the objects).
 */
static void put_place(struct out *o, const struct plan_place *p)
{
	put_int(o, "place", (int64_t)p->kind);
	put_int(o, "together", p->together);
	put_list(o, "keys", p->nkeys);
	for (size_t i = 0; i < p->nkeys; i++)
		put_str(o, "key", p->keys[i]);
}

/* struct plan_condition.  Left out: more (a bound for walks over it). */
static void put_condition(struct out *o, const char *name, const struct plan_condition *c)
{
	struct str text = STR("");
	struct arena scratch = { 0 };

	/* the condition as the language writes it: kind, role, index, left and right are all in there */
	if (c)
		text = plan_condition_text(&scratch, o->job, c);
	put_int(o, name, c != NULL);
	put_str(o, name, text);
	arena_release(&scratch);
}

/* struct plan_file.  Left out: framework (who wrote it). */
static void put_file(struct out *o, const struct plan_file *f, int64_t n)
{
	put_str(o, "file", f->path);
	put_texts_of(o, "text", &f->text, f->per_replica, n);
}

/* struct plan_replica, struct plan_replica_label. */
static void put_replica(struct out *o, const struct plan_replica *r, int64_t n)
{
	put_int(o, "replica", r->set);
	put_int(o, "job", r->job);
	put_int(o, "service", (int64_t)r->service);
	put_list(o, "labels", r->nlabels);
	for (size_t i = 0; i < r->nlabels; i++) {
		const struct plan_replica_label *l = &r->labels[i];
		put_str(o, "key", l->key);
		put_texts_of(o, "text", &l->text, l->per_replica, n);
		put_int(o, "selects", l->selects);
	}
}

static void put_role_shape(struct out *o, const struct plan_role *r)
{
	put_str(o, "role", r->name);
	put_str(o, "object", r->object);
	put_str(o, "label", r->label);
	put_int(o, "one_name", r->one_name);
	put_int(o, "in_set", r->in_set);
	put_int(o, "aux", r->aux);
	put_int(o, "endless", r->endless);
	put_int(o, "min", r->min);
	put_int(o, "max", r->max);
	put_int(o, "elastic", r->elastic);
	put_int(o, "unrolled", r->unrolled);
	put_int(o, "slices", r->slices);
}

/* struct plan_codes.  Left out: bits (written as ranges). */
static void put_codes(struct out *o, const struct plan_codes *codes)
{
	put_int(o, "retry_on", codes->set);
	for (int64_t lo, hi = -1; plan_codes_next(codes, &lo, &hi);) {
		put_int(o, "retry_lo", lo);
		put_int(o, "retry_hi", hi);
	}
}

/* Appends the rules of a role for the ends of its replicas. */
static void put_role_rules(struct out *o, const struct plan_role *r)
{
	put_plan_str(o, "restart", &r->restart);
	put_plan_int(o, "retries", &r->retries);
	put_codes(o, &r->retry_on);
	put_plan_str(o, "on_failed_pod", &r->on_failed_pod);
	put_condition(o, "start_after", r->start_after);
	put_plan_quantity(o, "grace", &r->grace);
}

/* struct plan_role.  Left out: unknown (such a plan does not run), processes (only a warning counts them). */
static void put_identity_role(struct out *o, const struct plan_role *r)
{
	put_role_shape(o, r);
	put_role_rules(o, r);
	put_container(o, &r->main, r->max);
	put_containers(o, "sidecars", r->sidecars, r->nsidecars, r->max);
	put_containers(o, "inits", r->inits, r->ninits, r->max);
	put_list(o, "files", r->nfiles);
	for (size_t i = 0; i < r->nfiles; i++)
		put_file(o, &r->files[i], r->max);
	put_plan_quantity(o, "shm", &r->shm);
	put_accelerator(o, r->accelerator);
	put_pairs(o, "node", &r->node);
	put_pairs(o, "claims", &r->claims);
	if (r->shared_claims.n)                 /* a role without shared claims keeps the digest of earlier versions */
		put_pairs(o, "shared_claims", &r->shared_claims);
	put_strs(o, "tolerate", r->tolerate, r->ntolerate);
	put_strs(o, "pull_secrets", r->pull_secrets, r->npull_secrets);
	put_plan_str(o, "spread", &r->spread);
	if (r->nzones)                          /* a role without zones keeps the digest of earlier versions */
		put_strs(o, "zones", r->zones, r->nzones);
	put_place(o, &r->place);
	put_plan_str(o, "service", &r->service);
	put_plan_str(o, "service_account", &r->service_account);
	put_pairs(o, "labels", &r->labels);
	put_pairs(o, "annotations", &r->annotations);
	put_replica(o, &r->replica, r->max);
	put_data(o, "raw_pod", r->raw_pod);
	put_data(o, "raw_job", r->raw_job);
}

/* ---- the job ---- */

static void put_job_scheduling(struct out *o, const struct plan_job *j)
{
	put_plan_str(o, "queue", &j->queue);
	put_plan_str(o, "scheduler", &j->scheduler);
	put_plan_str(o, "priority", &j->priority);
	put_plan_str(o, "gang", &j->gang);
	put_plan_bool(o, "suspend", &j->suspend);
}

static void put_job_rules(struct out *o, const struct plan_job *j)
{
	put_plan_str(o, "clean", &j->clean);
	put_plan_quantity(o, "timeout", &j->timeout);
	put_plan_quantity(o, "ttl", &j->ttl);
	put_plan_int(o, "restarts", &j->restarts);
	put_condition(o, "success", j->success);
	put_condition(o, "running", j->running);
}

/* struct plan_object.  Left out: framework (who wrote it). */
static void put_object(struct out *o, const struct plan_object *object)
{
	put_str(o, "object", object->name);
	put_data(o, "data", object->data);
}

/*
 * struct plan_job.  Left out: success_written, reserved, nreserved, env_after (how the
 * environment and the rule came about), namespace_in_address (follows from texts).
 */
static void put_job(struct out *o, const struct plan_job *j)
{
	put_str(o, "job", j->name);
	put_str(o, "framework", j->framework);
	put_str(o, "base", j->base);
	put_data(o, "arguments", j->arguments);
	put_plan_str(o, "namespace", &j->ns);
	put_int(o, "hosts", (int64_t)j->hosts);
	put_str(o, "domain", j->domain);
	put_int(o, "each_replica", plan_each_replica(j));
	/* `each_replica` already distinguishes Jobs from Pods, and old runs without "workload" keep their digest */
	if (j->workload != WORKLOAD_JOB && j->workload != WORKLOAD_POD)
		put_str(o, "workload", str_of(workload_row(j->workload)->kind));
	put_int(o, "controller", j->controller);
	put_job_scheduling(o, j);
	put_job_rules(o, j);
	put_pairs(o, "labels", &j->labels);
	put_pairs(o, "annotations", &j->annotations);
	put_list(o, "roles", j->nroles);
	for (size_t i = 0; i < j->nroles; i++)
		put_identity_role(o, &j->roles[i]);
	put_list(o, "objects", j->nobjects);
	for (size_t i = 0; i < j->nobjects; i++)
		put_object(o, &j->objects[i]);
	put_data(o, "raw_service", j->raw_service);
}

/*
 * struct plan.  struct plan_addon.  Left out: jobs, njobs (a run is one job), addons and their version (only
 * objects and messages depend on them).
 */
void identity_put(const struct plan *plan, const struct plan_job *j, struct buf *out)
{
	struct out o = { out, j };

	put_int(&o, "kubernetes", plan->kubernetes);
	put_str(&o, "target", plan->target);
	put_str(&o, "run_id", plan->run_id);
	put_job(&o, j);
}

/* ---- digests ---- */

struct str identity_digest(struct arena *a, struct str text)
{
	char hex[65];

	sha256_hex(text, hex);
	return str_cat(a, STR(IDENTITY_FORM), str_of(hex), STR(""));
}

bool identity_is_older(struct str digest) { return digest.n && !str_starts(digest, STR(IDENTITY_FORM)); }
