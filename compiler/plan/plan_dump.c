/*
 * plan_dump.c - writes `trainc dump --plan`: the whole plan, one fact per line with the source position that decided
 * it.
 */
#include "plan/print.h"

struct dumping {
	const struct sources *sources;
	const struct plan_job *job;
	struct buf *out;
	struct arena arena;
	int depth;
};

static void begin(struct dumping *d) { buf_printf(d->out, "%*s", 2 * d->depth, ""); }

static void end(struct dumping *d, struct span from)
{
	struct place at = span_known(from) ? source_place(d->sources, from.start) : (struct place){ 0 };

	if (at.source)
		buf_printf(d->out, "  @%.*s:%u:%u", STR_ARG(at.source->name), at.line, at.column);
	buf_char(d->out, '\n');
}

static void fact(struct dumping *d, const char *name, struct str value, struct span from)
{
	begin(d);
	buf_printf(d->out, "%s %.*s", name, STR_ARG(value));
	end(d, from);
}

static void number(struct dumping *d, const char *name, int64_t value, struct span from)
{
	fact(d, name, str_int(&d->arena, value), from);
}

static void word(struct dumping *d, const char *name, const struct plan_str *s)
{
	if (s->set)
		fact(d, name, s->value, s->from);
}

static void amount(struct dumping *d, const char *name, const struct plan_quantity *q)
{
	if (q->set)
		fact(d, name, quantity_text(&d->arena, q->value), q->from);
}

static void duration(struct dumping *d, const char *name, const struct plan_quantity *q)
{
	if (q->set)
		fact(d, name, duration_text(&d->arena, q->value), q->from);
}

static void condition(struct dumping *d, const char *name, const struct plan_condition *c)
{
	if (c)
		fact(d, name, plan_condition_text(&d->arena, d->job, c), c->from);
}

static void pairs(struct dumping *d, const char *name, const struct plan_pairs *p)
{
	for (size_t i = 0; i < p->n; i++) {
		begin(d);
		buf_printf(d->out, "%s %.*s = ", name, STR_ARG(p->at[i].key));
		buf_json(d->out, p->at[i].value);
		end(d, p->at[i].from);
	}
}

static void words(struct dumping *d, const char *name, const struct plan_str *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		word(d, name, &at[i]);
}

/* ---- texts ---- */

static void peer(struct dumping *d, const char *name, const struct piece *p)
{
	buf_printf(d->out, "<%s %.*s ", name, STR_ARG(d->job->roles[p->u.peer.role].name));
	if (p->u.peer.index == OWN_INDEX)
		buf_z(d->out, "index");
	else
		buf_int(d->out, p->u.peer.index);
	if (p->kind == PIECE_PORT)
		buf_printf(d->out, " %.*s", STR_ARG(p->u.peer.port));
	buf_char(d->out, '>');
}

static void piece(struct dumping *d, const struct piece *p)
{
	static const char *const fields[] = { "name", "uid", "ip", "node", "slice" };

	switch (p->kind) {
	case PIECE_TEXT: buf_json(d->out, p->u.text); break;
	case PIECE_INDEX: buf_z(d->out, "<index>"); break;
	case PIECE_FIELD: buf_printf(d->out, "<pod %s>", fields[p->u.field]); break;
	case PIECE_HOST: peer(d, "host", p); break;
	case PIECE_PORT: peer(d, "port", p); break;
	case PIECE_ENV: buf_printf(d->out, "<env %.*s>", STR_ARG(p->u.text)); break;
	}
}

static void text(struct dumping *d, const struct text *t)
{
	if (!t->n)
		buf_z(d->out, "\"\"");
	for (size_t i = 0; i < t->n; i++) {
		if (i)
			buf_char(d->out, ' ');
		piece(d, &t->at[i]);
	}
}

static void text_list(struct dumping *d, const char *name, const struct plan_texts *texts)
{
	for (size_t i = 0; i < texts->n; i++) {
		begin(d);
		buf_printf(d->out, "%s ", name);
		text(d, &texts->at[i]);
		end(d, texts->at[i].from);
	}
}

static void texts(struct dumping *d, const char *name, const struct plan_texts *t, int64_t replicas)
{
	text_list(d, name, t);
	for (int64_t i = 0; t->per_replica && i < replicas; i++)
		text_list(d, str_printf(&d->arena, "%s of %lld:", name, (long long)i).p, &t->per_replica[i]);
}

static void per_replica(struct dumping *d, const struct text *at, int64_t replicas, struct span from)
{
	buf_z(d->out, "computed");
	end(d, from);
	d->depth++;
	for (int64_t i = 0; i < replicas; i++) {
		begin(d);
		buf_printf(d->out, "%lld: ", (long long)i);
		if (text_is_absent(&at[i]))
			buf_z(d->out, "absent");
		else
			text(d, &at[i]);
		buf_char(d->out, '\n');
	}
	d->depth--;
}

static void env(struct dumping *d, const struct plan_env *e, int64_t replicas)
{
	begin(d);
	buf_printf(d->out, "env %.*s%s = ", STR_ARG(e->name), e->framework ? " (framework)" : "");
	if (e->kind == ENV_TEXT && e->per_replica) {
		per_replica(d, e->per_replica, replicas, e->from);
		return;
	}
	if (e->kind == ENV_TEXT)
		text(d, &e->text);
	else
		buf_printf(d->out, "<%s %.*s key %.*s>", e->kind == ENV_SECRET ? "secret" : "config",
			STR_ARG(e->object), STR_ARG(e->key));
	end(d, e->from);
}

/* ---- printing containers and roles ---- */

static void mount(struct dumping *d, const struct plan_mount *m)
{
	static const char *const kinds[] = { "pvc", "scratch", "secret", "config", "host_path", "nfs", "generated",
		"own_claim" };
	const struct plan_volume *v = m->volume;

	begin(d);
	buf_printf(d->out, "mount %.*s%s = %s %.*s", STR_ARG(m->path), m->framework ? " (framework)" : "",
		kinds[v->kind], STR_ARG(v->name));
	if (v->path.n)
		buf_printf(d->out, " path %.*s", STR_ARG(v->path));
	if (v->size.nano)
		buf_printf(d->out, " size %.*s", STR_ARG(quantity_text(&d->arena, v->size)));
	if (v->class.n)
		buf_printf(d->out, " class %.*s", STR_ARG(v->class));
	buf_printf(d->out, "%s%s%s%s", v->keep ? " kept" : "", v->memory ? " in memory" : "",
		v->readonly ? " readonly" : "", v->shared ? " shared" : "");
	end(d, v->from);
}

/* Writes a probe as the language does, such as http("http", path = "/health", within = 3600s). */
static struct str plan_probe_text(struct arena *a, const struct plan_probe *p)
{
	struct buf out = { 0 };
	if (p->kind == PROBE_TCP)
		buf_printf(&out, "tcp(\"%.*s\"", STR_ARG(p->port));
	else if (p->kind == PROBE_HTTP)
		buf_printf(&out, "http(\"%.*s\", path = \"%.*s\"", STR_ARG(p->port), STR_ARG(p->path));
	else
		buf_z(&out, "exec([");
	for (size_t i = 0; i < p->ncommand; i++) {
		buf_z(&out, i ? ", " : "");
		buf_json(&out, p->command[i].value);
	}
	buf_printf(&out, "%s, within = %llds)", p->kind == PROBE_EXEC ? "]" : "", (long long)p->within);
	struct str text = buf_take(&out, a);
	buf_release(&out);
	return text;
}

static void asks(struct dumping *d, const struct plan_amounts *asks)
{
	amount(d, "cpu", &asks->cpu);
	amount(d, "memory", &asks->memory);
	amount(d, "disk", &asks->disk);
	amount(d, "limits.cpu", &asks->limits.cpu);
	amount(d, "limits.memory", &asks->limits.memory);
	amount(d, "limits.disk", &asks->limits.disk);
	for (size_t i = 0; i < asks->nresources; i++)
		fact(d, str_printf(&d->arena, "resource %.*s", STR_ARG(asks->resources[i].name)).p,
			quantity_text(&d->arena, asks->resources[i].amount), asks->resources[i].from);
}

static void container(struct dumping *d, const char *kind, const struct plan_container *c, int64_t replicas)
{
	fact(d, kind, c->name, c->name_at);
	d->depth++;
	word(d, "image", &c->image);
	word(d, "pull", &c->pull);
	texts(d, "command", &c->command, replicas);
	texts(d, "args", &c->args, replicas);
	word(d, "workdir", &c->workdir);
	for (size_t i = 0; i < c->nenv; i++)
		env(d, &c->env[i], replicas);
	for (size_t i = 0; i < c->nports; i++)
		number(d, str_printf(&d->arena, "port %.*s", STR_ARG(c->ports[i].name)).p, c->ports[i].port,
			c->ports[i].from);
	for (size_t i = 0; i < c->nmounts; i++)
		mount(d, &c->mounts[i]);
	if (!c->per_replica)
		asks(d, &c->asks);
	for (int64_t i = 0; c->per_replica && i < replicas; i++) {
		number(d, "of replica", i, c->per_replica[i].memory.from);
		d->depth++;
		asks(d, &c->per_replica[i]);
		d->depth--;
	}
	if (c->ready)
		fact(d, "ready", plan_probe_text(&d->arena, c->ready), c->ready->from);
	if (c->raw)
		number(d, "raw container keys", (int64_t)c->raw->u.map.n, c->raw->from);
	d->depth--;
}

static void file(struct dumping *d, const struct plan_file *f, int64_t replicas)
{
	begin(d);
	buf_printf(d->out, "file %.*s%s = ", STR_ARG(f->path), f->framework ? " (framework)" : "");
	if (f->per_replica) {
		per_replica(d, f->per_replica, replicas, f->from);
		return;
	}
	text(d, &f->text);
	end(d, f->from);
}

static void accelerator(struct dumping *d, const struct plan_accelerator *a)
{
	fact(d, "accelerator", a->spelling, a->from);
	d->depth++;
	fact(d, "resource", a->resource, (struct span){ 0 });
	number(d, "per_pod", a->per_pod, (struct span){ 0 });
	number(d, "pods", a->pods, (struct span){ 0 });
	amount(d, "memory", &a->memory);
	pairs(d, "node", &a->node);
	words(d, "tolerate", a->tolerate, a->ntolerate);
	word(d, "devices", &a->devices);
	word(d, "visible", &a->visible);
	word(d, "slice", &a->slice);
	d->depth--;
}

static void restarts(struct dumping *d, const struct plan_role *r)
{
	word(d, "restart", &r->restart);
	if (r->retries.set)
		number(d, "retries", r->retries.value, r->retries.from);
	if (r->retry_on.set)
		fact(d, "retry_on", plan_codes_text(&d->arena, &r->retry_on, ", "), r->retry_on.from);
	word(d, "on_failed_pod", &r->on_failed_pod);
	duration(d, "grace", &r->grace);
	condition(d, "start_after", r->start_after);
}

static void replica(struct dumping *d, const struct plan_role *r)
{
	static const char *const services[] = { "headless", "cluster", "none" };
	const struct plan_replica *p = &r->replica;

	fact(d, "replica", str_of(p->job ? "job" : "pod"), r->at);
	d->depth++;
	fact(d, "service", str_of(services[p->service]), p->service_from);
	for (size_t i = 0; i < p->nlabels; i++) {
		const struct plan_replica_label *l = &p->labels[i];
		begin(d);
		buf_printf(d->out, "label%s %.*s = ", l->selects ? " (selects)" : "", STR_ARG(l->key));
		if (l->per_replica) {
			per_replica(d, l->per_replica, r->max, l->from);
			continue;
		}
		text(d, &l->text);
		end(d, l->from);
	}
	d->depth--;
}

static void place(struct dumping *d, const struct plan_place *p)
{
	if (p->kind == PLACE_ANYWHERE)
		return;
	fact(d, "place", plan_place_text(&d->arena, p), p->from);
	d->depth++;
	for (size_t i = 0; i < p->nkeys; i++)
		fact(d, "level", p->keys[i], (struct span){ 0 });
	if (p->together)
		fact(d, "together", STR("true"), (struct span){ 0 });
	d->depth--;
}

static void role(struct dumping *d, const struct plan_role *r)
{
	fact(d, r->aux ? "aux" : "role", r->name, r->at);
	d->depth++;
	fact(d, "replicas", str_printf(&d->arena, r->elastic ? "%lld:%lld" : "%lld", (long long)r->min,
		(long long)r->max), r->replicas_at);
	if (plan_is_sliced(r))
		fact(d, "slices", str_int(&d->arena, r->slices), r->slices_at);
	if (r->unrolled)
		fact(d, "unrolled", STR("one object for each replica"), r->unrolled_because);
	if (r->endless)
		fact(d, "endless", STR("true"), r->at);
	if (r->max) {
		fact(d, "object", r->object, r->at);
		container(d, "container", &r->main, r->max);
	}
	for (size_t i = 0; i < r->ninits; i++)
		container(d, "init", &r->inits[i], r->max);
	for (size_t i = 0; i < r->nsidecars; i++)
		container(d, "sidecar", &r->sidecars[i], r->max);
	for (size_t i = 0; i < r->nfiles; i++)
		file(d, &r->files[i], r->max);
	amount(d, "shm", &r->shm);
	if (r->accelerator)
		accelerator(d, r->accelerator);
	pairs(d, "node", &r->node);
	pairs(d, "claim", &r->claims);
	pairs(d, "shared_claim", &r->shared_claims);
	words(d, "tolerate", r->tolerate, r->ntolerate);
	words(d, "pull_secret", r->pull_secrets, r->npull_secrets);
	word(d, "spread", &r->spread);
	if (r->nzones)
		fact(d, "zone", plan_zones_text(&d->arena, r), r->zones[0].from);
	place(d, &r->place);
	restarts(d, r);
	word(d, "service", &r->service);
	word(d, "service_account", &r->service_account);
	pairs(d, "label", &r->labels);
	pairs(d, "annotation", &r->annotations);
	if (r->replica.set)
		replica(d, r);
	if (r->raw_pod)
		number(d, "raw pod keys", (int64_t)r->raw_pod->u.map.n, r->raw_pod->from);
	if (r->raw_job)
		number(d, "raw job keys", (int64_t)r->raw_job->u.map.n, r->raw_job->from);
	d->depth--;
}

static const char *const host_form_words[] = {
	[HOSTS_SUBDOMAIN] = "subdomain", [HOSTS_SERVICE] = "service", [HOSTS_NAME] = "name"
};

static void job(struct dumping *d, const struct plan_job *j)
{
	fact(d, "job", j->name, j->name_at);
	d->depth++;
	if (j->framework.n)
		fact(d, "framework", j->framework, j->name_at);
	word(d, "namespace", &j->ns);
	fact(d, "hosts", str_of(host_form_words[j->hosts]), (struct span){ 0 });
	if (j->domain.n)
		fact(d, "domain", j->domain, (struct span){ 0 });
	word(d, "queue", &j->queue);
	if (j->gang.value.n)
		fact(d, "gang", j->gang.value, j->gang.from);
	word(d, "scheduler", &j->scheduler);
	word(d, "priority", &j->priority);
	if (j->clean.value.n)
		fact(d, "clean", j->clean.value, j->clean.from);
	duration(d, "timeout", &j->timeout);
	duration(d, "ttl", &j->ttl);
	if (j->restarts.set)
		number(d, "restarts", j->restarts.value, j->restarts.from);
	if (j->suspend.set)
		fact(d, "suspend", j->suspend.value ? STR("true") : STR("false"), j->suspend.from);
	condition(d, j->success_written ? "success" : "success (default)", j->success);
	if (j->running)
		condition(d, "running", j->running);
	pairs(d, "label", &j->labels);
	pairs(d, "annotation", &j->annotations);
	for (size_t i = 0; i < j->nroles; i++)
		role(d, &j->roles[i]);
	for (size_t i = 0; i < j->nobjects; i++)
		fact(d, "object", j->objects[i].name, j->objects[i].name_at);
	d->depth--;
}

void plan_dump(const struct plan *plan, const struct sources *sources, struct buf *out)
{
	struct dumping d = { .sources = sources, .out = out };

	buf_printf(out, "kubernetes 1.%u\ntarget %.*s\n", plan->kubernetes, STR_ARG(plan->target));
	if (plan->run_id.n)
		buf_printf(out, "run_id %.*s\n", STR_ARG(plan->run_id));
	for (size_t i = 0; i < plan->njobs; i++) {
		d.job = &plan->jobs[i];
		job(&d, d.job);
	}
	arena_release(&d.arena);
}
