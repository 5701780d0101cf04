/*
 * plan_dump.c - writes `trainc dump --plan`: the whole plan, one fact per line with the source position that decided
 * it.
 */
#include "plan/print.h"

#include "plan/plan_shape.h"

struct dumping {
	const struct sources *sources;
	const struct plan_job *job;
	struct buf *out;
	struct arena arena;
	int depth;
};

static void dump_begin(struct dumping *d) { buf_printf(d->out, "%*s", 2 * d->depth, ""); }

static void dump_end(struct dumping *d, struct span from)
{
	struct place at = span_known(from) ? source_place(d->sources, from.start) : (struct place){ 0 };

	if (at.source)
		buf_printf(d->out, "  @%.*s:%u:%u", STR_ARG(at.source->name), at.line, at.column);
	buf_char(d->out, '\n');
}

static void fact(struct dumping *d, const char *name, struct str value, struct span from)
{
	dump_begin(d);
	buf_printf(d->out, "%s %.*s", name, STR_ARG(value));
	dump_end(d, from);
}

static void dump_number(struct dumping *d, const char *name, int64_t value, struct span from)
{
	fact(d, name, str_int(&d->arena, value), from);
}

static void dump_word(struct dumping *d, const char *name, const struct plan_str *s)
{
	if (s->set)
		fact(d, name, s->value, s->from);
}

static void dump_amount(struct dumping *d, const char *name, const struct plan_quantity *q)
{
	if (q->set)
		fact(d, name, quantity_text(&d->arena, q->value), q->from);
}

static void dump_duration(struct dumping *d, const char *name, const struct plan_quantity *q)
{
	if (q->set)
		fact(d, name, duration_text(&d->arena, q->value), q->from);
}

static void dump_condition(struct dumping *d, const char *name, const struct plan_condition *c)
{
	if (c)
		fact(d, name, plan_condition_text(&d->arena, d->job, c), c->from);
}

static void dump_pairs(struct dumping *d, const char *name, const struct plan_pairs *p)
{
	for (size_t i = 0; i < p->n; i++) {
		dump_begin(d);
		buf_printf(d->out, "%s %.*s = ", name, STR_ARG(p->at[i].key));
		buf_json(d->out, p->at[i].value);
		dump_end(d, p->at[i].from);
	}
}

static void dump_words(struct dumping *d, const char *name, const struct plan_str *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		dump_word(d, name, &at[i]);
}

/* Writes the members that the rows of plan.def leave to the dump, MORE levels deeper than the lines around. */
static void dump_rest(struct dumping *d, int more, const struct shape *s, const void *object)
{
	struct plan_shape around = { .job = d->job };

	d->depth += more;
	for (const struct shape_row *r = s->rows; r < s->rows + s->n; r++) {
		struct shape_out o = { .json = { .out = d->out, .spaced = true }, .context = &around, .use = IN_DUMP };
		if (!shape_is_written(r, IN_DUMP, object))
			continue;
		dump_begin(d);
		buf_printf(d->out, "%s ", r->key);
		r->type->json(&o, r, object);
		dump_end(d, (struct span){ 0 });
	}
	d->depth -= more;
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

static void dump_plan_text(struct dumping *d, const struct text *t)
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
		dump_begin(d);
		buf_printf(d->out, "%s ", name);
		dump_plan_text(d, &texts->at[i]);
		dump_end(d, texts->at[i].from);
	}
}

static void dump_texts(struct dumping *d, const char *name, const struct plan_texts *t, int64_t replicas)
{
	text_list(d, name, t);
	for (int64_t i = 0; t->per_replica && i < replicas; i++)
		text_list(d, str_printf(&d->arena, "%s of %lld:", name, (long long)i).p, &t->per_replica[i]);
}

static void per_replica(struct dumping *d, const struct text *at, int64_t replicas, struct span from)
{
	buf_z(d->out, "computed");
	dump_end(d, from);
	d->depth++;
	for (int64_t i = 0; i < replicas; i++) {
		dump_begin(d);
		buf_printf(d->out, "%lld: ", (long long)i);
		if (text_is_absent(&at[i]))
			buf_z(d->out, "absent");
		else
			dump_plan_text(d, &at[i]);
		buf_char(d->out, '\n');
	}
	d->depth--;
}

/* Ends a line with a text, or with one text for each replica. */
static void dump_value(struct dumping *d, const struct text *t, const struct text *each, int64_t replicas,
	struct span from)
{
	if (each) {
		per_replica(d, each, replicas, from);
		return;
	}
	dump_plan_text(d, t);
	dump_end(d, from);
}

static void env(struct dumping *d, const struct plan_env *e, int64_t replicas)
{
	dump_begin(d);
	buf_printf(d->out, "env %.*s%s = ", STR_ARG(e->name), e->framework ? " (framework)" : "");
	if (e->kind == ENV_TEXT) {
		dump_value(d, &e->text, e->per_replica, replicas, e->from);
	} else {
		buf_printf(d->out, "<%s %.*s key %.*s>", e->kind == ENV_SECRET ? "secret" : "config",
			STR_ARG(e->object), STR_ARG(e->key));
		dump_end(d, e->from);
	}
	dump_rest(d, 1, &shape_plan_env, e);
}

/* ---- printing containers and roles ---- */

static void mount(struct dumping *d, const struct plan_mount *m)
{
	static const char *const kinds[] = { "pvc", "scratch", "secret", "config", "host_path", "nfs", "generated",
		"own_claim", "csi" };
	const struct plan_volume *v = m->volume;

	dump_begin(d);
	buf_printf(d->out, "mount %.*s%s = %s %.*s", STR_ARG(m->path), m->framework ? " (framework)" : "",
		kinds[v->kind], STR_ARG(v->name));
	if (v->path.n)
		buf_printf(d->out, " path %.*s", STR_ARG(v->path));
	if (v->size.nano)
		buf_printf(d->out, " size %.*s", STR_ARG(quantity_text(&d->arena, v->size)));
	if (v->class.n)
		buf_printf(d->out, " class %.*s", STR_ARG(v->class));
	for (size_t i = 0; i < v->attributes.n; i++)
		buf_printf(d->out, " %.*s=%.*s", STR_ARG(v->attributes.at[i].key), STR_ARG(v->attributes.at[i].value));
	if (v->secret.n)
		buf_printf(d->out, " secret %.*s", STR_ARG(v->secret));
	buf_printf(d->out, "%s%s%s%s", v->keep ? " kept" : "", v->memory ? " in memory" : "",
		v->readonly ? " readonly" : "", v->shared ? " shared" : "");
	dump_end(d, v->from);
	dump_rest(d, 1, &shape_plan_volume, v);
	dump_rest(d, 1, &shape_plan_mount, m);
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
	dump_amount(d, "cpu", &asks->cpu);
	dump_amount(d, "memory", &asks->memory);
	dump_amount(d, "disk", &asks->disk);
	dump_amount(d, "limits.cpu", &asks->limits.cpu);
	dump_amount(d, "limits.memory", &asks->limits.memory);
	dump_amount(d, "limits.disk", &asks->limits.disk);
	for (size_t i = 0; i < asks->nresources; i++) {
		fact(d, str_printf(&d->arena, "resource %.*s", STR_ARG(asks->resources[i].name)).p,
			quantity_text(&d->arena, asks->resources[i].amount), asks->resources[i].from);
		dump_rest(d, 1, &shape_plan_resource, &asks->resources[i]);
	}
	dump_rest(d, 0, &shape_plan_limits, &asks->limits);
	dump_rest(d, 0, &shape_plan_amounts, asks);
}

static void dump_container(struct dumping *d, const char *kind, const struct plan_container *c, int64_t replicas)
{
	fact(d, kind, c->name, c->name_at);
	d->depth++;
	dump_word(d, "image", &c->image);
	dump_word(d, "pull", &c->pull);
	dump_texts(d, "command", &c->command, replicas);
	dump_texts(d, "args", &c->args, replicas);
	dump_word(d, "workdir", &c->workdir);
	for (size_t i = 0; i < c->nenv; i++)
		env(d, &c->env[i], replicas);
	for (size_t i = 0; i < c->nsources; i++) {
		fact(d, "env_from", plan_source_text(&d->arena, &c->sources[i]), c->sources[i].from);
		dump_rest(d, 1, &shape_plan_source, &c->sources[i]);
	}
	for (size_t i = 0; i < c->nports; i++) {
		dump_number(d, str_printf(&d->arena, "port %.*s", STR_ARG(c->ports[i].name)).p, c->ports[i].port,
			c->ports[i].from);
		dump_rest(d, 1, &shape_plan_port, &c->ports[i]);
	}
	for (size_t i = 0; i < c->nmounts; i++)
		mount(d, &c->mounts[i]);
	if (!c->per_replica)
		asks(d, &c->asks);
	for (int64_t i = 0; c->per_replica && i < replicas; i++) {
		dump_number(d, "of replica", i, c->per_replica[i].memory.from);
		d->depth++;
		asks(d, &c->per_replica[i]);
		d->depth--;
	}
	if (c->ready) {
		fact(d, "ready", plan_probe_text(&d->arena, c->ready), c->ready->from);
		dump_rest(d, 1, &shape_plan_probe, c->ready);
	}
	if (c->security) {
		fact(d, "security", STR(""), c->security->from);
		dump_rest(d, 1, &shape_plan_security, c->security);
	}
	if (c->raw)
		dump_number(d, "raw container keys", (int64_t)c->raw->u.map.n, c->raw->from);
	dump_rest(d, 0, &shape_plan_container, c);
	d->depth--;
}

static void file(struct dumping *d, const struct plan_file *f, int64_t replicas)
{
	dump_begin(d);
	buf_printf(d->out, "file %.*s%s = ", STR_ARG(f->path), f->framework ? " (framework)" : "");
	dump_value(d, &f->text, f->per_replica, replicas, f->from);
	dump_rest(d, 1, &shape_plan_file, f);
}

static void dump_choices(struct dumping *d, const struct plan_accelerator *a)
{
	for (size_t i = 0; i < a->nchoices; i++) {
		const struct plan_choice *c = &a->choices[i];
		dump_begin(d);
		buf_printf(d->out, "%s %.*s in", i && c->way != c[-1].way ? "or node" : "node", STR_ARG(c->key));
		for (size_t k = 0; k < c->nvalues; k++) {
			buf_z(d->out, k ? ", " : " ");
			buf_json(d->out, c->values[k].value);
		}
		dump_end(d, c->from);
		dump_rest(d, 1, &shape_plan_choice, c);
	}
}

static void dump_accelerator(struct dumping *d, const struct plan_accelerator *a)
{
	fact(d, "accelerator", a->spelling, a->from);
	d->depth++;
	fact(d, "resource", a->resource, (struct span){ 0 });
	dump_number(d, "per_pod", a->per_pod, (struct span){ 0 });
	dump_number(d, "pods", a->pods, (struct span){ 0 });
	dump_amount(d, "memory", &a->memory);
	dump_pairs(d, "node", &a->node);
	dump_choices(d, a);
	dump_words(d, "tolerate", a->tolerate, a->ntolerate);
	dump_word(d, "devices", &a->devices);
	dump_word(d, "visible", &a->visible);
	dump_word(d, "slice", &a->slice);
	dump_rest(d, 0, &shape_plan_accelerator, a);
	d->depth--;
}

static void dump_restarts(struct dumping *d, const struct plan_role *r)
{
	dump_word(d, "restart", &r->restart);
	if (r->retries.set)
		dump_number(d, "retries", r->retries.value, r->retries.from);
	if (r->retry_on.set)
		fact(d, "retry_on", plan_codes_text(&d->arena, &r->retry_on, ", "), r->retry_on.from);
	dump_word(d, "on_failed_pod", &r->on_failed_pod);
	dump_duration(d, "grace", &r->grace);
	dump_condition(d, "start_after", r->start_after);
}

static void dump_replica(struct dumping *d, const struct plan_role *r)
{
	static const char *const services[] = { "headless", "cluster", "none" };
	const struct plan_replica *p = &r->replica;

	fact(d, "replica", str_of(p->job ? "job" : "pod"), r->at);
	d->depth++;
	fact(d, "service", str_of(services[p->service]), p->service_from);
	for (size_t i = 0; i < p->nlabels; i++) {
		const struct plan_replica_label *l = &p->labels[i];
		dump_begin(d);
		buf_printf(d->out, "label%s %.*s = ", l->selects ? " (selects)" : "", STR_ARG(l->key));
		dump_value(d, &l->text, l->per_replica, r->max, l->from);
		dump_rest(d, 1, &shape_plan_replica_label, l);
	}
	dump_rest(d, 0, &shape_plan_replica, p);
	d->depth--;
}

static void dump_plan_place(struct dumping *d, const struct plan_place *p)
{
	if (p->kind == PLACE_ANYWHERE)
		return;
	fact(d, "place", plan_place_text(&d->arena, p), p->from);
	d->depth++;
	for (size_t i = 0; i < p->nkeys; i++)
		fact(d, "level", p->keys[i], (struct span){ 0 });
	if (p->together)
		fact(d, "together", STR("true"), (struct span){ 0 });
	for (size_t i = 0; i < p->nsegments; i++) {
		fact(d, "segment", str_printf(&d->arena, "%lld by %.*s", (long long)p->segments[i].size,
			STR_ARG(p->segments[i].key)), p->segments[i].from);
		dump_rest(d, 1, &shape_plan_segment, &p->segments[i]);
	}
	dump_rest(d, 0, &shape_plan_place, p);
	d->depth--;
}

static void dump_labels(struct dumping *d, const char *word, const struct plan_choice *all, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		dump_begin(d);
		buf_printf(d->out, "%s %.*s =%s", word, STR_ARG(all[i].key), all[i].nvalues ? "" : " any");
		for (size_t k = 0; k < all[i].nvalues; k++) {
			buf_z(d->out, k ? ", " : " ");
			buf_json(d->out, all[i].values[k].value);
		}
		dump_end(d, all[i].from);
		dump_rest(d, 1, &shape_plan_choice, &all[i]);
	}
}

static void dump_role(struct dumping *d, const struct plan_role *r)
{
	fact(d, r->aux ? "aux" : "role", r->name, r->at);
	d->depth++;
	fact(d, "replicas", str_printf(&d->arena, r->elastic ? "%lld:%lld" : "%lld", (long long)r->min,
		(long long)r->max), r->replicas_at);
	if (plan_is_sliced(r))
		fact(d, "slices", str_int(&d->arena, r->slices), r->slices_at);
	if (r->layout) {
		fact(d, "layout", plan_layout_text(&d->arena, r->layout), r->layout->from);
		dump_rest(d, 1, &shape_plan_layout, r->layout);
	}
	if (r->code) {
		fact(d, "code", r->code->dir, r->code->from);
		dump_rest(d, 1, &shape_plan_code, r->code);
	}
	if (r->unrolled)
		fact(d, "unrolled", STR("one object for each replica"), r->unrolled_because);
	if (r->endless)
		fact(d, "endless", STR("true"), r->at);
	if (r->max) {
		fact(d, "object", r->object, r->at);
		dump_container(d, "container", &r->main, r->max);
	}
	for (size_t i = 0; i < r->ninits; i++)
		dump_container(d, "init", &r->inits[i], r->max);
	for (size_t i = 0; i < r->nsidecars; i++)
		dump_container(d, "sidecar", &r->sidecars[i], r->max);
	for (size_t i = 0; i < r->nfiles; i++)
		file(d, &r->files[i], r->max);
	dump_amount(d, "shm", &r->shm);
	if (r->accelerator)
		dump_accelerator(d, r->accelerator);
	dump_pairs(d, "node", &r->node);
	dump_labels(d, "node_in", r->node_in, r->nnode_in);
	dump_labels(d, "avoid", r->avoid, r->navoid);
	dump_pairs(d, "claim", &r->claims);
	dump_pairs(d, "shared_claim", &r->shared_claims);
	dump_words(d, "tolerate", r->tolerate, r->ntolerate);
	dump_words(d, "pull_secret", r->pull_secrets, r->npull_secrets);
	dump_word(d, "spread", &r->spread);
	if (r->nzones)
		fact(d, "zone", plan_zones_text(&d->arena, r), r->zones[0].from);
	dump_plan_place(d, &r->place);
	dump_restarts(d, r);
	dump_word(d, "service", &r->service);
	dump_word(d, "service_account", &r->service_account);
	dump_pairs(d, "label", &r->labels);
	dump_pairs(d, "annotation", &r->annotations);
	if (r->replica.set)
		dump_replica(d, r);
	if (r->raw_pod)
		dump_number(d, "raw pod keys", (int64_t)r->raw_pod->u.map.n, r->raw_pod->from);
	if (r->raw_job)
		dump_number(d, "raw job keys", (int64_t)r->raw_job->u.map.n, r->raw_job->from);
	dump_rest(d, 0, &shape_plan_role, r);
	d->depth--;
}

static void dump_cell(struct dumping *d, const struct plan_cell *c)
{
	fact(d, "cell", c->name, c->at);
	d->depth++;
	if (c->framework.n)
		fact(d, "framework", c->framework, c->at);
	fact(d, "copies", c->min == c->max ? str_int(&d->arena, c->max) : str_printf(&d->arena, "%lld:%lld",
		(long long)c->min, (long long)c->max), c->copies_at);
	dump_rest(d, 0, &shape_plan_cell, c);
	d->depth--;
}

static void dump_job(struct dumping *d, const struct plan_job *j)
{
	fact(d, "job", j->name, j->name_at);
	d->depth++;
	if (j->framework.n)
		fact(d, "framework", j->framework, j->name_at);
	dump_word(d, "namespace", &j->ns);
	fact(d, "hosts", str_of(plan_host_words.at[j->hosts]), (struct span){ 0 });
	if (j->domain.n)
		fact(d, "domain", j->domain, (struct span){ 0 });
	dump_word(d, "queue", &j->queue);
	if (j->gang.value.n)
		fact(d, "gang", j->gang.value, j->gang.from);
	dump_word(d, "scheduler", &j->scheduler);
	dump_word(d, "priority", &j->priority);
	if (j->clean.value.n)
		fact(d, "clean", j->clean.value, j->clean.from);
	dump_duration(d, "timeout", &j->timeout);
	dump_duration(d, "ttl", &j->ttl);
	if (j->restarts.set)
		dump_number(d, "restarts", j->restarts.value, j->restarts.from);
	if (j->suspend.set)
		fact(d, "suspend", j->suspend.value ? STR("true") : STR("false"), j->suspend.from);
	dump_condition(d, j->success_written ? "success" : "success (default)", j->success);
	if (j->running)
		dump_condition(d, "running", j->running);
	dump_pairs(d, "label", &j->labels);
	dump_pairs(d, "annotation", &j->annotations);
	dump_rest(d, 0, &shape_plan_job, j);
	for (size_t i = 0; i < j->ncells; i++)
		dump_cell(d, &j->cells[i]);
	for (size_t i = 0; i < j->nroles; i++)
		dump_role(d, &j->roles[i]);
	for (size_t i = 0; i < j->nobjects; i++) {
		fact(d, "object", j->objects[i].name, j->objects[i].name_at);
		dump_rest(d, 1, &shape_plan_object, &j->objects[i]);
	}
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
		dump_job(&d, d.job);
	}
	arena_release(&d.arena);
}
