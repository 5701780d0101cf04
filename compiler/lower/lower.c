/*
 * lower.c - copies fields to the plan, one after the other.
 */
#include "lower/lower.h"

#include "eval/plan_value.h"

/* ---- single fields of a role ---- */

static struct plan_str role_str(struct eval *ev, struct role *r, enum field_id id)
{
	return value_text_at(ev, role_field(ev, r, id), role_field_at(ev, r, id));
}

static struct plan_quantity role_quantity(struct eval *ev, struct role *r, enum field_id id)
{
	const struct value *v = role_field(ev, r, id);
	if (v->kind != VALUE_QUANTITY)
		return (struct plan_quantity){ 0 };
	return (struct plan_quantity){ v->u.quantity, role_field_at(ev, r, id), true };
}

static struct plan_bool role_bool(struct eval *ev, struct role *r, enum field_id id)
{
	const struct value *v = role_field(ev, r, id);

	if (v->kind != VALUE_BOOL || !v->u.boolean)
		return (struct plan_bool){ 0 };
	return (struct plan_bool){ true, role_field_at(ev, r, id), true };
}

static struct plan_str *role_strs(struct eval *ev, struct role *r, enum field_id id, size_t *ret_n)
{
	return value_strs(ev, role_field(ev, r, id), ret_n);
}

/* ---- ports and mounts, whose entries come from all levels ---- */

static void lower_ports(struct lowering *l, struct source_entries *s, struct plan_container *c)
{
	c->ports = ARENA_ARRAY(l->ev->arena, struct plan_port, s->n);
	for (size_t i = 0; i < s->n; i++)
		if (s->at[i].value->kind == VALUE_INT)
			c->ports[c->nports++] = (struct plan_port){ s->at[i].key, s->at[i].value->u.integer,
				s->at[i].from, s->at[i].key_at };
}

/* Adds a mount. KNOWN: path -> the span where it was first written. */
static void add_mount(struct lowering *l, struct plan_container *c, struct map *known, struct plan_mount m)
{
	struct eval *ev = l->ev;
	const struct span *there = map_get(known, m.path);
	if (there) {                            /* two spellings of one path (TJ0612) */
		struct str a = source_text(ev->program->sources, *there),
			b = source_text(ev->program->sources, m.path_at);
		struct diag *d = diag_report(ev->diags, TJ0612, m.path_at, "%.*s and %.*s are the same path",
			STR_ARG(a), STR_ARG(b));
		diag_note(ev->diags, d, *there, "mounted here");
		diag_help(ev->diags, d, "keep one of the two");
		return;
	}
	struct span *at = ARENA_NEW(eval_work(ev), struct span);
	*at = m.path_at;
	map_put(known, eval_work(ev), m.path, at);
	ARENA_PUSH(ev->arena, c->mounts, c->nmounts, m);
}

/* Does the accelerator add the same mount, with the same volume? */
static bool brought(const struct plan_accelerator *acc, const struct plan_mount *m)
{
	for (size_t i = 0; acc && i < acc->nmounts; i++) {
		const struct plan_volume *a = acc->mounts[i].volume, *b = m->volume;
		if (str_eq(acc->mounts[i].path, m->path) && a->kind == b->kind && str_eq(a->name, b->name) &&
			str_eq(a->path, b->path) &&
		    a->readonly == b->readonly)
			return true;
	}
	return false;
}

static void report_computed_volume(struct lowering *l, struct span at)
{
	struct diag *d = diag_report(l->ev->diags, TJ0716, at, "what is mounted cannot be computed from 'pod.index'");

	diag_help(l->ev->diags, d, "insert 'pod.index' unchanged into the directory of a claim: pvc(\"data\", path = "
		"\"runs/${pod.index}\")");
}

static void lower_mounts(struct lowering *l, struct source_entries *s, struct plan_container *c)
{
	const struct plan_accelerator *acc = l->plan->accelerator;
	struct map known = { 0 };
	for (size_t i = 0; acc && c == &l->plan->main && i < acc->nmounts; i++) {
		struct plan_mount m = acc->mounts[i];
		m.framework = true;
		add_mount(l, c, &known, m);
	}
	for (size_t i = 0; i < s->n; i++) {
		struct plan_mount m = { .path_at = s->at[i].key_at, .framework = entry_of_framework(&s->at[i]) };
		if (s->at[i].value->kind == VALUE_COMPUTED)
			report_computed_volume(l, s->at[i].value->u.computed);
		if (s->at[i].value->kind != VALUE_VOLUME || !mount_path(l->ev, s->at[i].key, s->at[i].key_at, &m.path))
			continue;
		m.volume = s->at[i].value->u.volume;
		if (c == &l->plan->main && brought(acc, &m))
			continue;
		add_mount(l, c, &known, m);
		if (m.volume->keep)
			pend_field(l, (struct pending){ .kind = PENDING_CLAIM, .computed = m.volume->from });
	}
}

/* ---- sidecars and init containers, which inherit nothing ---- */

static struct plan_str own_str(struct eval *ev, struct entries *body, enum field_id id)
{
	struct entry *e;
	const struct value *v = gather_own(ev, body, id, &e);
	return e ? value_text_at(ev, v, entry_at(e)) : (struct plan_str){ 0 };
}

static void own_texts(struct lowering *l, struct entries *body, enum field_id id, struct plan_texts *ret)
{
	struct said said = { 0 };
	said_by(l->ev, body, id, LEVEL_ROLE, &said);
	lower_said_texts(l, &said, ret);
}

static void lower_extra(struct lowering *l, const struct entry *e, struct plan_container *c)
{
	struct eval *ev = l->ev;
	const struct node *block = e->item;
	struct entry *found = NULL;
	c->name = block->u.block.name;
	c->name_at = block->u.block.name_span;
	c->init = str_is(block->u.block.word, "init");
	struct entries *body = eval_block(ev, e->frame, block->u.block.body, c->init ? BLOCK_INIT : BLOCK_SIDECAR);
	c->image = own_str(ev, body, FIELD_IMAGE);
	c->workdir = own_str(ev, body, FIELD_WORKDIR);
	own_texts(l, body, FIELD_COMMAND, &c->command);
	own_texts(l, body, FIELD_ARGS, &c->args);
	struct source_entries env = { 0 }, ports = { 0 }, mounts = { 0 };
	if (c->init)
		gather_body(l, body, FIELD_ENV, &env);
	else
		gather_env(l, body, &env);
	lower_sources(l, body, c);
	lower_env(l, &env, c);
	gather_body(l, body, FIELD_PORTS, &ports);
	lower_ports(l, &ports, c);
	const struct value *ready = c->init ? &value_none : gather_own(ev, body, FIELD_READY, &found);
	if (ready->kind == VALUE_MAP)
		lower_ready(l, ready, entry_at(found), c);
	gather_body(l, body, FIELD_MOUNTS, &mounts);
	lower_mounts(l, &mounts, c);
	c->raw = lower_raw_block(ev, body, "container");
	lower_security(l, body, c);
	lower_amounts(l, body, c);
	if (!c->image.set && !l->job->options->here && !body->failed &&
		gather_own(ev, body, FIELD_IMAGE, &found)->kind == VALUE_NONE) {
		struct diag *d = diag_report(ev->diags, TJ0523, c->name_at, "'%.*s %.*s' has no image",
			STR_ARG(block->u.block.word),
			STR_ARG(c->name));
		diag_help(ev->diags, d, "set 'image' in it: sidecars and init containers inherit nothing");
	}
}

static void lower_extras(struct lowering *l, unsigned level, const char *word)
{
	struct entries *entries = l->role->levels[level];
	for (size_t i = 0; entries && i < entries->n; i++) {
		const struct node *item = entries->at[i].item;
		if (!item || item->kind != NODE_BLOCK || !str_is(item->u.block.word, word))
			continue;
		bool init = str_is(str_of(word), "init");
		/* lowered in place, because pending values point into the array, which must not move */
		struct plan_container *c = init ? &l->plan->inits[l->plan->ninits++] :
			&l->plan->sidecars[l->plan->nsidecars++];
		lower_extra(l, &entries->at[i], c);
	}
}

/* Does the level consist of role blocks, which may contain sidecars and the like? */
static bool level_has_blocks(unsigned level)
{
	return level == LEVEL_ROLE || (level >= LEVEL_FRAMEWORK && (level - LEVEL_FRAMEWORK) % 2 == 0);
}

static size_t count_blocks(const struct role *r, const char *word)
{
	size_t n = 0;
	for (unsigned l = LEVEL_ROLE; l < r->nlevels; l++)
		for (size_t i = 0; level_has_blocks(l) && r->levels[l] && i < r->levels[l]->n; i++) {
			const struct node *item = r->levels[l]->at[i].item;
			n += item && item->kind == NODE_BLOCK && str_is(item->u.block.word, word);
		}
	return n;
}

/* ---- a role ---- */

static void lower_main_texts(struct lowering *l, enum field_id id, struct plan_texts *ret)
{
	struct said said = role_said(l->ev, l->role, id);
	if (id == FIELD_ARGS)
		role_own_args(l->role, &said);
	lower_said_texts(l, &said, ret);
}

static void lower_main(struct lowering *l)
{
	struct eval *ev = l->ev;
	struct role *r = l->role;
	struct plan_container *c = &l->plan->main;
	c->name = role_str(ev, r, FIELD_CONTAINER).value;
	c->name_at = role_field_at(ev, r, FIELD_CONTAINER);
	c->image = role_str(ev, r, FIELD_IMAGE);
	c->pull = role_str(ev, r, FIELD_PULL);
	c->workdir = role_str(ev, r, FIELD_WORKDIR);
	lower_main_texts(l, FIELD_COMMAND, &c->command);
	lower_main_texts(l, FIELD_ARGS, &c->args);
	struct source_entries env = { 0 }, ports = { 0 }, mounts = { 0 };
	gather_env(l, NULL, &env);
	lower_sources(l, NULL, c);
	lower_env(l, &env, c);
	gather_role(l, FIELD_PORTS, &ports);
	lower_ports(l, &ports, c);
	lower_ready(l, role_field(ev, r, FIELD_READY), role_field_at(ev, r, FIELD_READY), c);
	gather_role(l, FIELD_MOUNTS, &mounts);
	lower_mounts(l, &mounts, c);
	c->raw = lower_raw(ev, r, "container");
	lower_security(l, NULL, c);
	lower_amounts(l, NULL, c);
	l->plan->claims = lower_claims(l, role_field(ev, r, FIELD_DEVICE_CLAIMS));
	l->plan->shared_claims = lower_claims(l, role_field(ev, r, FIELD_SHARED_DEVICE_CLAIMS));
	claims_once(l);
}

/* The least memory that any replica has, among those that set it. */
static struct plan_quantity least_memory(const struct plan_role *p)
{
	struct plan_quantity least = { 0 };

	for (int64_t i = plan_next_kind(p, -1); i < p->max; i = plan_next_kind(p, i)) {
		const struct plan_amounts *asks = plan_amounts(&p->main, i);
		const struct plan_quantity *memory = plan_memory_limit(asks);
		if (memory->set && (!least.set || memory->value.nano < least.value.nano))
			least = *memory;
	}
	return least;
}

/*
 * Sets shm. The framework's default never takes more than half of the role's memory, and is not used if the user mounts
 * a volume there.
 */
static void lower_shm(struct lowering *l)
{
	struct plan_role *p = l->plan;
	p->shm = role_quantity(l->ev, l->role, FIELD_SHM);
	const struct plan_quantity memory = least_memory(p);
	if (!p->shm.set || role_field_level(l->ev, l->role, FIELD_SHM) < LEVEL_FRAMEWORK)
		return;
	if (plan_find_mount(&p->main, STR("/dev/shm"))) {
		p->shm = (struct plan_quantity){ 0 };
		return;
	}
	if (!memory.set)
		return;
	int128 half = memory.value.nano / 2;
	half -= half % QUANTITY_UNIT;
	if (p->shm.value.nano > half)
		p->shm.value = (struct quantity){ half, memory.value.form };
}

static void report_codes(struct eval *ev, struct span at, const struct value *v)
{
	bool one = v->kind == VALUE_RANGE && v->u.range.lo == v->u.range.hi;
	struct str text = one ? str_int(ev->arena, v->u.range.lo) : value_spell(ev->arena, v);
	bool nothing = v->kind == VALUE_LIST || v->u.range.lo > v->u.range.hi;
	struct diag *d = one && !v->u.range.lo ? diag_report(ev->diags, TJ0311, at,
		"retry_on = 0 is success, which is not retried")
	               : nothing ? diag_report(ev->diags, TJ0311, at, "retry_on = %.*s holds no exit code",
		STR_ARG(text))
	               : diag_report(ev->diags, TJ0311, at, "retry_on = %.*s is outside 0..255", STR_ARG(text));

	diag_help(ev->diags, d, "exit codes are 1 to 255; 128..255 are those of signals");
}

/* The set of exit codes after which a replica is retried; reports values that are not exit codes. */
static struct plan_codes role_codes(struct eval *ev, struct role *r)
{
	const struct value *v = role_field(ev, r, FIELD_RETRY_ON);
	struct plan_codes codes = { .from = role_field_at(ev, r, FIELD_RETRY_ON) };

	if (v->kind != VALUE_LIST)
		return codes;
	codes.set = true;
	if (!v->u.list.n)
		report_codes(ev, codes.from, v);
	for (size_t i = 0; i < v->u.list.n; i++) {
		const struct value *e = v->u.list.at[i];
		bool is_set = e->u.range.lo <= e->u.range.hi && e->u.range.lo >= 0 && e->u.range.hi >= 1 &&
			e->u.range.hi <= 255;
		if (is_set)
			plan_codes_add(&codes, e->u.range.lo, e->u.range.hi);
		else
			report_codes(ev, v->u.list.n > 1 && span_known(e->from) ? e->from : codes.from, e);
	}
	return codes;
}

static void lower_policy(struct lowering *l)    /* fields for placement, restarts and start order */
{
	struct eval *ev = l->ev;
	struct role *r = l->role;
	struct plan_role *p = l->plan;
	p->node = value_pairs(ev, role_field(ev, r, FIELD_NODE));
	lower_nodes(l);
	p->tolerate = role_strs(ev, r, FIELD_TOLERATE, &p->ntolerate);
	p->pull_secrets = role_strs(ev, r, FIELD_PULL_SECRETS, &p->npull_secrets);
	p->spread = role_str(ev, r, FIELD_SPREAD);
	lower_ways(l);
	lower_place(l);
	p->restart = role_str(ev, r, FIELD_RESTART);
	p->service = role_str(ev, r, FIELD_SERVICE);
	p->service_account = role_str(ev, r, FIELD_SERVICE_ACCOUNT);
	p->host_network = role_bool(ev, r, FIELD_HOST_NETWORK);
	p->host_ipc = role_bool(ev, r, FIELD_HOST_IPC);
	p->runtime_class = role_str(ev, r, FIELD_RUNTIME_CLASS);
	const struct value *automount = role_field(ev, r, FIELD_AUTOMOUNT);
	if (automount->kind == VALUE_BOOL)
		p->automount = (struct plan_bool){ automount->u.boolean, role_field_at(ev, r, FIELD_AUTOMOUNT), true };
	const struct value *retries = role_field(ev, r, FIELD_RETRIES);
	if (retries->kind == VALUE_INT)
		p->retries = (struct plan_int){ retries->u.integer, role_field_at(ev, r, FIELD_RETRIES), true };
	p->retry_on = role_codes(ev, r);
	p->on_failed_pod = r->aux ? (struct plan_str){ 0 } : role_str(ev, r, FIELD_ON_FAILED_POD);
	p->grace = role_quantity(ev, r, FIELD_GRACE);
	const struct value *after = role_field(ev, r, FIELD_START_AFTER);
	p->start_after = after->kind == VALUE_CONDITION ? after->u.condition : NULL;
}

/*
 * An auxiliary role that others connect to lives as long as the job: for example, TensorBoard must be restarted after a
 * crash.
 */
static void lower_serving(struct lowering *l)
{
	struct plan_role *p = l->plan;
	bool serves = p->main.nports || (p->service.set && !str_is(p->service.value, "none"));

	if (p->aux && serves && !p->retries.value && role_field_level(l->ev, l->role, FIELD_RESTART) == LEVELS)
		p->restart = (struct plan_str){ STR("on-failure"), p->restart.from, true };
}

/* The labels or annotations that only the role adds, without those of the job, which are in the job's plan. */
static struct plan_pairs own_pairs(struct lowering *l, enum field_id id)
{
	struct said all = role_said(l->ev, l->role, id), own = { 0 };
	for (size_t i = 0; i < all.n; i++)
		if (all.at[i].level != LEVEL_JOB && all.at[i].level != LEVEL_PROJECT)
			ARENA_PUSH(eval_work(l->ev), own.at, own.n, all.at[i]);
	const struct value *v = said_value(l->ev, &own);
	return v ? value_pairs(l->ev, v) : (struct plan_pairs){ 0 };
}

/*
 * Warns when the job describes a role and nothing gives it replicas: the framework's default of 0 is easily overlooked.
 */
static void without_replicas(struct eval *ev, struct role *r)
{
	if (!r->own || r->aux || r->torn || role_field_level(ev, r, FIELD_REPLICAS) < LEVEL_FRAMEWORK)
		return;
	struct diag *d = diag_report(ev->diags, TJ0533, r->at, "role '%.*s' is described here but has no replicas",
		STR_ARG(r->name));
	if (r->plan->replicas_at.start != r->at.start)
		diag_note(ev->diags, d, r->plan->replicas_at, "the framework sets its replicas to 0");
	diag_help(ev->diags, d, "write replicas = 1 to have it, or replicas = 0 to leave it out");
}

static void lower_role(struct job *j, struct role *r)
{
	struct eval *ev = j->ev;
	struct plan_role *p = r->plan;
	struct lowering l = { .ev = ev, .job = j, .role = r, .plan = p };
	l.last = &l.pending;
	bool known = role_replicas(ev, r, &p->min, &p->max);
	p->unknown = !known;
	p->elastic = known && role_is_elastic(ev, r);
	p->replicas_at = role_field_at(ev, r, FIELD_REPLICAS);
	p->slices = role_slices(ev, r);
	p->slices_at = role_field_at(ev, r, FIELD_SLICES);
	const struct value *endless = r->aux ? &value_none : role_field(ev, r, FIELD_ENDLESS);
	p->endless = endless->kind == VALUE_BOOL && endless->u.boolean;
	const struct value *processes = r->aux ? &value_none : role_field(ev, r, FIELD_PROCESSES);
	p->processes = processes->kind == VALUE_INT ? processes->u.integer : 0;
	/* 0 replicas leave the role out; when the number is unknown, the rest is still checked */
	if (known && p->max == 0) {
		without_replicas(ev, r);
		return;
	}
	self_begin(ev, r);
	p->accelerator = role_accelerator(ev, r);
	if (role_field_level(ev, r, FIELD_LAYOUT) != LEVELS)
		p->layout = role_layout(ev, r);
	p->inits = ARENA_ARRAY(ev->arena, struct plan_container, count_blocks(r, "init") + 1);
	p->sidecars = ARENA_ARRAY(ev->arena, struct plan_container, count_blocks(r, "sidecar"));
	lower_main(&l);
	lower_policy(&l);
	lower_serving(&l);
	struct source_entries files = { 0 };
	gather_role(&l, FIELD_FILES, &files);
	lower_files(&l, &files);
	for (unsigned i = j->nlayers; i-- > 0;)
		lower_extras(&l, level_block(i), "sidecar");
	lower_extras(&l, LEVEL_ROLE, "sidecar");
	lower_code(&l);
	/* init containers of the framework come last: they wait for peers, or prepare what the program needs */
	lower_extras(&l, LEVEL_ROLE, "init");
	for (unsigned i = 0; i < j->nlayers; i++)
		lower_extras(&l, level_block(i), "init");
	lower_code_mounts(&l);
	p->labels = own_pairs(&l, FIELD_LABELS);
	p->annotations = own_pairs(&l, FIELD_ANNOTATIONS);
	if (!r->aux)
		lower_replica(&l);
	if (!r->aux)
		lower_typed(&l);
	p->raw_pod = lower_raw(ev, r, "pod");
	p->raw_job = lower_raw(ev, r, "job");
	lower_pending(&l);
	lower_shm(&l);
	ev->self = NULL;
	ev->job = job_root(j);
}

/* Reports all roles without an image in one message, at the job's name. */
static void require_images(struct job *j)
{
	struct eval *ev = j->ev;
	struct buf names = { 0 };
	size_t n = 0;
	struct span at = j->plan->name_at;
	for (size_t i = 0; i < j->nroles && !j->options->here; i++) {
		struct role *r = j->roles[i];
		if ((r->plan->max == 0 && !r->plan->unknown) || r->job->copy ||
			role_field(ev, r, FIELD_IMAGE)->kind != VALUE_NONE)
			continue;
		buf_printf(&names, "%s'%.*s'", n ? ", " : "", STR_ARG(r->name));
		at = n++ ? j->plan->name_at : r->at;
	}
	if (n) {
		struct diag *d = diag_report(ev->diags, TJ0523, at,
			n > 1 ? "roles %.*s have no image" : "role %.*s has no image",
			STR_ARG(buf_text(&names)));
		diag_help(ev->diags, d, "set 'image' on the job or the role, for example image = "
			"\"registry.example.com/team/train:1.0\"");
	}
	buf_release(&names);
}

/* ---- the job ---- */

static struct plan_str job_str(struct job *j, enum field_id id)
{
	return value_text_at(j->ev, job_field(j, id), job_field_at(j, id));
}

static struct plan_quantity job_quantity(struct job *j, enum field_id id)
{
	const struct value *v = job_field(j, id);
	return v->kind == VALUE_QUANTITY ? (struct plan_quantity){ v->u.quantity, job_field_at(j, id), true } :
		(struct plan_quantity){ 0 };
}

/* How the variables of the job's frameworks, or of those of a copy, are combined with others. */
static void lower_variables(struct job *j)
{
	j->plan->env_after = str_is(job_str(j, FIELD_ENV_ORDER).value, "after");
	j->env_all = str_is(job_str(j, FIELD_ENV_IN).value, "all");
}

static void lower_head(struct job *j)
{
	struct plan_job *p = j->plan;
	p->queue = job_str(j, FIELD_QUEUE);
	p->gang = job_str(j, FIELD_GANG);
	if (j->options->gang.p)
		p->gang = (struct plan_str){ j->options->gang, { 0 }, true };
	if (!p->gang.set)                       /* a queue without a gang is a queue of Kueue */
		p->gang = (struct plan_str){ p->queue.set ? STR("kueue") : STR("none"), p->queue.from, false };
	p->scheduler = job_str(j, FIELD_SCHEDULER);
	p->priority = job_str(j, FIELD_PRIORITY);
	p->clean = job_str(j, FIELD_CLEAN);
	if (!p->clean.set)
		p->clean.value = STR("running");
	p->timeout = job_quantity(j, FIELD_TIMEOUT);
	p->ttl = job_quantity(j, FIELD_TTL);
	if (!p->ttl.set && job_says(j, FIELD_TTL))
		p->ttl.from = job_field_at(j, FIELD_TTL);       /* `ttl = none`: the run is meant to stay */
	const struct value *v = job_field(j, FIELD_RESTARTS);
	if (v->kind == VALUE_INT)
		p->restarts = (struct plan_int){ v->u.integer, job_field_at(j, FIELD_RESTARTS), true };
	v = job_field(j, FIELD_SUSPEND);
	if (v->kind == VALUE_BOOL)
		p->suspend = (struct plan_bool){ v->u.boolean, job_field_at(j, FIELD_SUSPEND), true };
	p->labels = value_pairs(j->ev, job_field(j, FIELD_LABELS));
	p->annotations = value_pairs(j->ev, job_field(j, FIELD_ANNOTATIONS));
	p->raw_service = lower_raw_block(j->ev, j->body, "service");
	p->arguments = lower_arguments(j);
	p->workload = j->options->workload;
	p->controller = j->options->controller;
	lower_variables(j);
	lower_reserved(j, &p->reserved, &p->nreserved);
}

static void lower_objects(struct job *j, const struct entries *body, bool framework)
{
	struct plan_job *p = j->plan;
	for (size_t i = 0; body && i < body->n; i++) {
		const struct entry *e = &body->at[i];
		if (!e->item || e->item->kind != NODE_BLOCK || !str_is(e->item->u.block.word, "object"))
			continue;
		struct data *data = value_data(j->ev, eval_body(j->ev, e->frame, e->item->u.block.body));
		struct plan_object object = { e->item->u.block.name, e->item->u.block.name_span, data, framework };
		if (data)
			ARENA_PUSH(j->ev->arena, p->objects, p->nobjects, object);
	}
}

static const struct plan_condition *both(struct job *j, const struct plan_condition *left,
	const struct plan_condition *right, struct span from)
{
	if (!left || !right)
		return left ? left : right;
	struct plan_condition *c = ARENA_NEW(j->ev->arena, struct plan_condition);
	*c = (struct plan_condition){ .kind = CONDITION_AND, .index = -1, .left = left, .right = right,
		.more = left->more + right->more + 1, .from = from };
	return c;
}

/* All copies of those cells that end are done; NULL if there are none. */
static const struct plan_condition *cells_done(struct job *j)
{
	struct eval *ev = j->ev;
	const struct plan_condition **all = ARENA_ARRAY(eval_work(ev), const struct plan_condition *, j->ncells);
	size_t n = 0;

	for (size_t i = 0; i < j->ncells; i++) {
		all[n] = cell_success(j->cells[i]);
		n += all[n] != NULL;
	}
	return condition_all(ev, all, n, j->plan->name_at);
}

/* The default of `success`: all required roles that end on their own, and all cells that end, have succeeded. */
static const struct plan_condition *default_success(struct job *j)
{
	const struct plan_condition *all = NULL;

	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = j->roles[i]->plan;
		if (r->aux || r->endless || r->max == 0 || j->roles[i]->job != j)
			continue;
		struct plan_condition *done = ARENA_NEW(j->ev->arena, struct plan_condition);
		*done = (struct plan_condition){ .kind = CONDITION_DONE, .role = (unsigned)i, .index = -1,
			.from = r->at };
		all = both(j, all, done, r->at);
	}
	return both(j, all, cells_done(j), j->plan->name_at);
}

static void lower_success(struct job *j)
{
	const struct value *v = j->checks_failed ? &value_none : job_field(j, FIELD_SUCCESS);
	j->plan->success_written = v->kind == VALUE_CONDITION ||
		(v->kind == VALUE_NONE && !j->checks_failed && job_says(j, FIELD_SUCCESS));
	j->plan->success = v->kind == VALUE_CONDITION ? v->u.condition : j->plan->success_written ? NULL :
		default_success(j);
	v = j->checks_failed ? &value_none : job_field(j, FIELD_RUNNING);
	j->plan->running = v->kind == VALUE_CONDITION ? v->u.condition : NULL;
}

void lower_copy(struct job *copy)
{
	lower_variables(copy);
	copy->plan->arguments = lower_arguments(copy);
	if (!copy->copy)
		refuse_in_cell(copy);
}

void lower_job(struct job *j)
{
	lower_head(j);
	for (size_t i = 0; i < j->nroles; i++)
		lower_role(j->roles[i]->job, j->roles[i]);
	require_images(j);
	lower_cells(j);
	lower_success(j);
	for (unsigned i = j->nlayers; i-- > 0 && !j->checks_failed;)
		lower_objects(j, j->layers[i].body, true);
	lower_objects(j, j->body, false);
}
