/*
 * lower_text.c - lowers env, command, args and files: text that may differ between replicas. Everything is evaluated
 * once with a symbolic index. A value that is a text with pieces is valid for all replicas. A value that is computed
 * from the index is recorded, and is evaluated again with the index of each replica once their number is known. The
 * role is then unrolled, except for files, which have one key per replica anyway.
 */
#include "eval/internal.h"
#include "eval/job.h"
#include "eval/plan_value.h"
#include "lower/lower.h"

#include "kube/kube_version.h"

/* ---- environment ---- */

static bool same_text(struct eval *ev, const struct value *a, const struct value *b)
{
	struct text ta, tb;
	struct str sa, sb;
	if (!a || !b || !value_ok(a) || !value_ok(b) || !value_text(ev->arena, a, &ta) ||
		!value_text(ev->arena, b, &tb))
		return false;
	return text_flatten(ev, &ta, &sa) && text_flatten(ev, &tb, &sb) && str_eq(sa, sb);
}

/* Is the variable allowed, and does it have an effect? Reports it otherwise. */
static bool env_entry_ok(struct lowering *l, struct source_entry *s)
{
	struct eval *ev = l->ev;
	if (!env_name_ok(ev, s->key, s->key_at))
		return false;
	if (str_starts(s->key, STR("TRAINC_"))) {
		struct diag *d = diag_report(ev->diags, TJ0703, s->key_at,
			"names that begin with TRAINC_ are reserved");
		diag_help(ev->diags, d, "choose another name; in the pod '%.*s' would clash with the compiler's own",
			STR_ARG(s->key));
		return false;
	}
	if (!l->job->plan->env_after && job_reserves(l->job, s->key, s->level)) {
		report_locked(l, s);
		return false;
	}
	if (!entry_of_framework(s) && s->beneath && entry_of_framework(s->beneath) &&
		same_text(ev, s->value, s->beneath->value)) {
		struct diag *d = diag_report(ev->diags, TJ0715, s->key_at, "'%.*s' is already %.*s", STR_ARG(s->key),
			STR_ARG(value_spell(ev->arena, s->beneath->value)));
		diag_note(ev->diags, d, s->beneath->key_at, "set by the framework here");
		diag_help(ev->diags, d, "remove it");
	}
	return true;
}

/* Reports pod.env("A") if A is not defined earlier in the same container (TJ0705). */
static void env_references(struct lowering *l, const struct plan_container *c, struct map *defined,
	const struct text *t)
{
	for (size_t i = 0; i < t->n; i++) {
		if (t->at[i].kind != PIECE_ENV)
			continue;
		struct str name = t->at[i].u.text;
		for (size_t k = defined->n; k < c->nenv; k++)   /* DEFINED is filled in only when needed */
			map_put(defined, eval_work(l->ev), c->env[k].name, l);
		if (map_get(defined, name))
			continue;
		struct diag *d = diag_report(l->ev->diags, TJ0705, t->from, "'%.*s' is not defined before this point",
			STR_ARG(name));
		diag_help(l->ev->diags, d, "define it earlier in 'env' of the same container, or move this entry down");
		if (c->nsources)
			diag_help(l->ev->diags, d, "Kubernetes does not know those of 'env_from' here: name the key, "
				"as in %.*s = config(\"NAME\", \"%.*s\")", STR_ARG(name), STR_ARG(name));
	}
}

static void lower_env_entry(struct lowering *l, struct source_entry *s, struct plan_container *c, struct map *defined)
{
	struct plan_env e = { .name = s->key, .name_at = s->key_at, .framework = entry_of_framework(s),
		.from = s->from };
	const struct value *v = s->value;
	switch (v->kind) {
	case VALUE_BAD:
	case VALUE_NONE:
		return;
	case VALUE_SECRET:
	case VALUE_CONFIG:
		e.kind = v->kind == VALUE_SECRET ? ENV_SECRET : ENV_CONFIG;
		e.object = v->u.reference.object;
		e.key = v->u.reference.key;
		break;
	case VALUE_COMPUTED:
		pend_field(l, (struct pending){ .kind = PENDING_ENV, .expr = s->expr, .frame = s->frame,
			.key = s->member,
			.computed = v->u.computed, .index = c->nenv, .container = c });
		break;
	default:
		if (!value_text(l->ev->arena, v, &e.text))
			return;
		e.text.from = s->from;
		env_references(l, c, defined, &e.text);
	}
	c->env[c->nenv++] = e;
}

static void accelerator_env(struct lowering *l, const struct plan_accelerator *acc,
	const struct source_entries *sources, struct plan_container *c)
{
	for (size_t i = 0; i < acc->env.n; i++) {
		const struct plan_pair *pair = &acc->env.at[i];
		struct piece *text = ARENA_NEW(l->ev->arena, struct piece);
		*text = (struct piece){ .kind = PIECE_TEXT, .u.text = pair->value };
		if (!map_get(&sources->index, pair->key))
			c->env[c->nenv++] = (struct plan_env){ .name = pair->key, .name_at = pair->key_at,
				.kind = ENV_TEXT,
				.text = { .at = text, .n = 1, .from = pair->from }, .framework = true,
					.from = pair->from };
	}
}

void lower_env(struct lowering *l, struct source_entries *sources, struct plan_container *c)
{
	const struct plan_accelerator *acc = c == &l->plan->main ? l->plan->accelerator : NULL;
	struct map defined = { 0 };
	c->env = ARENA_ARRAY(l->ev->arena, struct plan_env, sources->n + (acc ? acc->env.n : 0));
	for (size_t i = 0; i <= sources->n; i++) {
		if (acc && i == sources->inherited)
			accelerator_env(l, acc, sources, c);
		if (i < sources->n && env_entry_ok(l, &sources->at[i]))
			lower_env_entry(l, &sources->at[i], c, &defined);
	}
}

/* ---- command and args ---- */

/* Evaluates the texts of a list; false when one of its elements is computed. */
static bool texts_of(struct lowering *l, const struct value *v, struct plan_texts *ret, struct span *ret_computed)
{
	if (v->kind == VALUE_COMPUTED) {
		*ret_computed = v->u.computed;
		return false;
	}
	if (v->kind != VALUE_LIST)
		return true;
	ret->at = ARENA_ARRAY(l->ev->arena, struct text, v->u.list.n);
	for (size_t i = 0; i < v->u.list.n; i++) {
		const struct value *e = v->u.list.at[i];
		if (e->kind == VALUE_COMPUTED) {
			*ret_computed = e->u.computed;
			return false;
		}
		if (value_ok(e) && value_text(l->ev->arena, e, &ret->at[ret->n])) {
			ret->at[ret->n].from = e->from;
			ret->n++;
		}
	}
	return true;
}

void lower_said_texts(struct lowering *l, const struct said *said, struct plan_texts *ret)
{
	struct span computed = { 0 };
	const struct value *v = said_value(l->ev, said);
	if (!v || v->kind == VALUE_NONE || v->kind == VALUE_BAD)
		return;
	ret->set = v->kind == VALUE_COMPUTED || v->u.list.n > 0;
	ret->from = entry_at(said->at[0].entry);
	if (texts_of(l, v, ret, &computed))
		return;
	ret->n = 0;
	pend_field(l, (struct pending){ .kind = PENDING_TEXTS, .said = *said, .computed = computed, .texts = ret });
}

/* ---- files ---- */

/*
 * Is the text possible in a file? Files are in a ConfigMap, which is static, so only the index and host names can
 * differ between replicas.
 */
static bool file_text_ok(struct lowering *l, struct str path, const struct text *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct piece *p = &t->at[i];
		if ((p->kind != PIECE_FIELD || p->u.field == POD_SLICE) && p->kind != PIECE_ENV)
			continue;
		struct diag *d = diag_report(l->ev->diags, TJ0716, t->from,
			"the file '%.*s' cannot contain what is known only when the pod starts", STR_ARG(path));
		diag_help(l->ev->diags, d,
			"in files only 'pod.index' and 'pod.host' may be used; pass the rest by 'env'");
		return false;
	}
	return true;
}

void lower_files(struct lowering *l, struct source_entries *sources)
{
	struct plan_role *p = l->plan;
	p->files = ARENA_ARRAY(l->ev->arena, struct plan_file, sources->n);
	for (size_t i = 0; i < sources->n; i++) {
		struct source_entry *s = &sources->at[i];
		struct plan_file f = { .path_at = s->key_at, .framework = entry_of_framework(s), .from = s->from };
		if (!mount_path(l->ev, s->key, s->key_at, &f.path) || s->value->kind == VALUE_BAD)
			continue;
		if (s->value->kind == VALUE_COMPUTED)
			pend_field(l, (struct pending){ .kind = PENDING_FILE, .expr = s->expr, .frame = s->frame,
				.key = s->member,
				.computed = s->value->u.computed, .index = p->nfiles });
		else if (!value_text(l->ev->arena, s->value, &f.text) || !file_text_ok(l, f.path, &f.text))
			continue;
		p->files[p->nfiles++] = f;
	}
}

/* ---- one value for each replica ---- */

static const struct value *replica_value(struct lowering *l, const struct pending *p, int64_t i)
{
	struct eval *ev = l->ev;
	ev->pod_index = i;
	const struct value *v = p->kind == PENDING_TEXTS ? said_value(ev, &p->said) : eval_expr(ev, p->frame, p->expr);
	ev->pod_index = -1;
	if (p->key.p && v->kind == VALUE_MAP)
		v = value_get(v, p->key);
	return v ? v : &value_bad;
}

static struct text replica_text(struct lowering *l, const struct pending *p, int64_t i)
{
	const struct value *v = replica_value(l, p, i);
	struct text t = { 0 };
	if (value_ok(v) && v->kind != VALUE_NONE)
		value_text(l->ev->arena, v, &t);
	if (v->kind == VALUE_NONE)
		t.at = &piece_absent;
	t.from = p->expr->span;
	return t;
}

static void replicas_of(struct lowering *l, const struct pending *p, int64_t n)
{
	struct arena *a = l->ev->arena;
	if (p->kind == PENDING_AMOUNTS) {
		lower_amounts_of_replicas(l, p->body, p->container, n);
		return;
	}
	if (p->kind == PENDING_TEXTS) {
		p->texts->per_replica = ARENA_ARRAY(a, struct plan_texts, (size_t)n);
		for (int64_t i = 0; i < n && !l->ev->exhausted; i++) {
			struct span computed;
			texts_of(l, replica_value(l, p, i), &p->texts->per_replica[i], &computed);
		}
		return;
	}
	struct text *texts = ARENA_ARRAY(a, struct text, (size_t)n);
	for (int64_t i = 0; i < n && !l->ev->exhausted; i++)
		texts[i] = replica_text(l, p, i);
	if (p->kind == PENDING_ENV)
		p->container->env[p->index].per_replica = texts;
	else if (p->kind == PENDING_LABEL)
		l->plan->replica.labels[p->index].per_replica = texts;
	else
		l->plan->files[p->index].per_replica = texts;
}

/* Is Q a field of the pod object itself, such as an amount, where no reference is possible? */
static bool is_of_object(const struct pending *q) { return q->kind == PENDING_CLAIM || q->kind == PENDING_AMOUNTS; }

/* The help on how to avoid an object for each replica. */
static const char *indexed_help(const struct pending *q)
{
	if (q->kind == PENDING_CLAIM)
		return "without 'keep = true' a claim ends with its pod, and the role stays one object";
	if (q->kind == PENDING_AMOUNTS)
		return "give replicas that ask for other amounts a role of their own";
	return "insert 'pod.index' unchanged and let the program compute with it";
}

static void report_unrolled(struct lowering *l, const struct pending *q)
{
	struct span because = q->computed;
	struct eval *ev = l->ev;
	struct plan_role *p = l->plan;
	struct str expr = source_text(ev->program->sources, because);
	if (expr.n > 60)
		expr = str_printf(ev->arena, "%.57s...", expr.p);
	/*
	 * if the library computes from the index, the user can only change the number of replicas, so the report is
	 * there
	 */
	bool own = in_user_text(ev, because) || !in_user_text(ev, p->replicas_at);
	const char *help = own ? indexed_help(q)
		: "use fewer replicas, or a framework that computes nothing from 'pod.index'";
	struct span at = own ? because : p->replicas_at;
	if (p->max > 1024) {
		struct diag *d = diag_report(ev->diags, TJ0717, at,
			"%lld objects instead of one, because of '%.*s'; at most 1024",
			(long long)p->max, STR_ARG(expr));
		if (own)
			diag_note(ev->diags, d, p->replicas_at, "%lld replicas", (long long)p->max);
		else
			diag_note(ev->diags, d, because, "computed here");
		diag_help(ev->diags, d, "%s", help);
	} else if (p->max > 64) {
		struct diag *d = diag_report(ev->diags, TJ0710, at, "%lld objects instead of one, because of '%.*s'",
			(long long)p->max,
			STR_ARG(expr));
		if (!own)
			diag_note(ev->diags, d, because, "computed here");
		diag_help(ev->diags, d, "%s", help);
	}
}

static void report_elastic(struct lowering *l, const struct pending *q)
{
	struct span because = q->computed;
	struct eval *ev = l->ev;
	struct str expr = source_text(ev->program->sources, because);
	bool sliced = plan_is_sliced(l->plan);
	struct diag *d = diag_report(ev->diags, TJ0709, because,
		"'%.*s' needs one object per replica, which %s role cannot have",
		STR_ARG(expr), sliced ? "a sliced" : "an elastic");
	if (sliced) {
		diag_note(ev->diags, d, l->plan->slices_at, "slices = %lld", (long long)l->plan->slices);
		diag_help(ev->diags, d, "%s", is_of_object(q) ? indexed_help(q) :
			"insert 'pod.slice' and 'pod.slice_index' unchanged and let the program compute with them");
		return;
	}
	diag_note(ev->diags, d, l->plan->replicas_at, "'%.*s' is elastic: %lld:%lld", STR_ARG(l->role->name),
		(long long)l->plan->min,
		(long long)l->plan->max);
	if (is_of_object(q))
		diag_help(ev->diags, d, "%s; the target 'pods' has an object for each replica anyway", indexed_help(q));
	else
		diag_help(ev->diags, d, "%s", indexed_help(q));
}

/*
 * Does the value require that the role is unrolled? Claims and amounts do not if there is only one replica, whose index
 * is always 0.
 */
static bool is_unrolling(const struct plan_role *p, const struct pending *q)
{
	return is_of_object(q) ? p->max > 1 : q->kind != PENDING_FILE && q->kind != PENDING_LABEL;
}

/* Uses the amounts of the first replica after an error, so that rules about amounts can run. */
static void first_amounts(struct lowering *l)
{
	for (const struct pending *q = l->pending; q; q = q->next)
		if (q->kind == PENDING_AMOUNTS)
			replicas_of(l, q, 1);
}

/*
 * Limits the number of replicas with different amounts where each replica is an object anyway (TJ0717), because
 * comparing all kinds of replicas takes too long.
 */
static bool few_amounts(struct lowering *l)
{
	const struct pending *q = l->pending;
	struct plan_role *p = l->plan;

	while (q && q->kind != PENDING_AMOUNTS)
		q = q->next;
	if (!q || p->max <= 1024)
		return true;
	struct str expr = source_text(l->ev->program->sources, q->computed);
	struct diag *d = diag_report(l->ev->diags, TJ0717, q->computed,
		"%lld replicas may ask for different amounts, because of '%.*s'; at most 1024", (long long)p->max,
		STR_ARG(expr));
	diag_note(l->ev->diags, d, p->replicas_at, "%lld replicas", (long long)p->max);
	diag_help(l->ev->diags, d, "%s", indexed_help(q));
	return false;
}

void lower_pending(struct lowering *l)
{
	struct plan_role *p = l->plan;
	const struct pending *unrolls = NULL;
	for (const struct pending *q = l->pending; q && !unrolls; q = q->next)
		if (is_unrolling(p, q))
			unrolls = q;
	if (p->in_group) {
		/* its target writes one template of all texts, or refuses them */
		if (!few_amounts(l)) {
			first_amounts(l);
			return;
		}
	} else if ((workload_row(l->job->options->workload)->traits & WORKLOAD_BARE) || p->one_name) {
		p->unrolled = true;             /* every replica is an object anyway, so this adds no objects */
		if (!few_amounts(l)) {
			first_amounts(l);
			return;
		}
	} else if (unrolls && (p->elastic || plan_is_sliced(p))) {
		report_elastic(l, unrolls);
		first_amounts(l);
		return;
	} else if (unrolls) {
		p->unrolled = true;
		p->unrolled_because = unrolls->computed;
		report_unrolled(l, unrolls);
		if (p->max > 1024) {
			first_amounts(l);
			return;
		}
	} else if (l->job->options->unroll && !p->elastic && !plan_is_sliced(p)) {
		/* --unroll: nothing requires it, but every replica gets an object of its own */
		p->unrolled = true;
	}
	for (const struct pending *q = l->pending; q; q = q->next)
		if (q->kind != PENDING_CLAIM)
			replicas_of(l, q, p->max);
}
