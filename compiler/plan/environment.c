/*
 * environment.c - computes the environment of one replica: the function that every target, `trainc env`, the local
 * backend and the tests share. A value is a plain text as long as all of its parts are. At the first part that only
 * the pod knows, it becomes a list of pieces. A reference to an earlier variable takes that variable's text or
 * pieces. A reference to a secret stays a reference, since only the pod may read it.
 */
#include "base/map.h"
#include "plan/plan.h"

/*
 * maximum length of a text, in bytes. It is much more than a process can receive, and checks of the target refuse
 * such texts anyway. The limit is needed because a chain of references can double the length at each step.
 */
enum { MOST_TEXT = 1 << 20 };

struct making {
	struct arena *arena;
	const struct plan_job *job;
	const struct plan_role *role;
	int64_t replica;
	const struct placement *where;
	struct env_values done;
	/* variables by name -> position + 1; built when a variable is first referred to */
	struct map index;
	struct buf run;                 /* plain text after the last piece */
	struct piece *pieces;
	size_t npieces;
};

static void run_end(struct making *m)
{
	if (!m->run.n)
		return;
	struct piece text = { .kind = PIECE_TEXT, .u.text = buf_take(&m->run, m->arena) };
	ARENA_PUSH(m->arena, m->pieces, m->npieces, text);
}

static void piece_add(struct making *m, struct piece p)
{
	run_end(m);
	ARENA_PUSH(m->arena, m->pieces, m->npieces, p);
}

static const struct env_value *earlier_value(struct making *m, struct str name)
{
	for (size_t i = m->index.n; i < m->done.n; i++)
		map_put(&m->index, m->arena, m->done.at[i].name, (void *)(uintptr_t)(i + 1));
	size_t at = (size_t)(uintptr_t)map_get(&m->index, name);
	return at ? &m->done.at[at - 1] : NULL;
}

static void reference_add(struct making *m, const struct piece *p)
{
	const struct env_value *v = earlier_value(m, p->u.text);

	if (!v || v->kind != ENV_TEXT) {
		piece_add(m, *p);
		return;
	}
	if (v->whole) {
		buf_str(&m->run, v->value);
		return;
	}
	for (size_t i = 0; i < v->pieces.n; i++) {
		const struct piece *q = &v->pieces.at[i];
		if (q->kind == PIECE_TEXT)
			buf_str(&m->run, q->u.text);
		else
			piece_add(m, *q);
	}
}

static void text_add(struct making *m, const struct text *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct piece *p = &t->at[i];
		struct text one = { p, 1, t->from };
		if (p->kind == PIECE_FIELD && p->u.field != POD_SLICE)
			piece_add(m, *p);
		else if (p->kind == PIECE_ENV)
			reference_add(m, p);
		else
			plan_text(m->job, m->role, m->replica, &one, m->where, NULL, &m->run);
	}
}

static struct env_value value_make(struct making *m, const struct plan_env *e)
{
	struct env_value v = { .name = e->name, .kind = e->kind, .object = e->object, .key = e->key, .from = e };
	const struct text *t = e->per_replica ? &e->per_replica[m->replica] : &e->text;

	if (e->kind != ENV_TEXT)
		return v;
	if (text_is_plain(t)) {         /* the usual case: plain text, which need not be copied */
		v.whole = true;
		v.value = t->n ? t->at[0].u.text : STR("");
		return v;
	}
	m->pieces = NULL;
	m->npieces = 0;
	text_add(m, t);
	v.whole = m->npieces == 0;
	if (v.whole) {
		v.value = buf_take(&m->run, m->arena);
		return v;
	}
	run_end(m);
	v.pieces = (struct text){ m->pieces, m->npieces, t->from };
	return v;
}

static struct str data_member_text(const struct data *d, const char *key)
{
	const struct data *member = d && d->kind == DATA_MAP ? data_get(d, str_of(key)) : NULL;

	return member && member->kind == DATA_STRING ? member->u.string : STR("");
}

/*
 * Reads a variable of `raw container { env = [...] }`: a text, or a key of a Secret or ConfigMap. Returns false for
 * any other source.
 */
static bool raw_value(struct making *m, const struct data *d, struct env_value *ret)
{
	const struct data *from = d->kind == DATA_MAP ? data_get(d, STR("valueFrom")) : NULL;
	struct plan_env *e = ARENA_NEW(m->arena, struct plan_env);

	*e = (struct plan_env){ .name = data_member_text(d, "name"), .name_at = d->from, .from = d->from };
	*ret = (struct env_value){ .name = e->name, .from = e };
	if (!from) {
		ret->whole = true;
		ret->value = data_member_text(d, "value");
		return e->name.n > 0;
	}
	const struct data *secret = data_get(from, STR("secretKeyRef")),
		*config = data_get(from, STR("configMapKeyRef"));
	e->kind = ret->kind = secret ? ENV_SECRET : ENV_CONFIG;
	e->object = ret->object = data_member_text(secret ? secret : config, "name");
	e->key = ret->key = data_member_text(secret ? secret : config, "key");
	return e->name.n && (secret || config);
}

/* Adds the variables of raw blocks in their order; they may replace earlier ones. */
static void raw_env(struct making *m, const struct plan_container *c)
{
	const struct data *list = c->raw && c->raw->kind == DATA_MAP ? data_get(c->raw, STR("env")) : NULL;

	for (size_t i = 0; list && list->kind == DATA_LIST && i < list->u.list.n; i++) {
		struct env_value v;
		if (raw_value(m, list->u.list.at[i], &v))
			m->done.at[m->done.n++] = v;
	}
}

/* ---- whole objects ---- */

/* Does a variable in `env`, or a later object, set NAME as well? */
static bool is_set_later(struct making *m, const struct plan_container *c, size_t from, struct str name)
{
	for (size_t i = 0; i < c->nenv; i++) {
		const struct plan_env *e = &c->env[i];
		if (str_eq(e->name, name) && !(e->per_replica && text_is_absent(&e->per_replica[m->replica])))
			return true;
	}
	for (size_t i = from; i < c->nsources; i++) {
		const struct plan_source *s = &c->sources[i];
		const struct data *data = str_starts(name, s->prefix) ? plan_source_data(m->arena, m->job, s) : NULL;
		if (data && data_get(data, (struct str){ name.p + s->prefix.n, name.n - s->prefix.n }))
			return true;
	}
	return false;
}

/* Adds the variables of those objects that the program has itself. */
static void source_env(struct making *m, const struct plan_container *c)
{
	for (size_t i = 0; i < c->nsources; i++) {
		const struct plan_source *s = &c->sources[i];
		const struct data *data = plan_source_data(m->arena, m->job, s);
		for (size_t k = 0; data && k < data->u.map.n; k++) {
			const struct data_member *d = &data->u.map.at[k];
			struct str name = str_cat(m->arena, s->prefix, d->key, STR(""));
			struct plan_env *e = ARENA_NEW(m->arena, struct plan_env);
			if (d->value->kind != DATA_STRING || is_set_later(m, c, i + 1, name))
				continue;
			*e = (struct plan_env){ .name = name, .name_at = d->key_at, .from = s->from };
			m->done.at[m->done.n++] = (struct env_value){ .name = name, .whole = true,
				.value = d->value->u.string, .from = e };
		}
	}
}

static size_t source_count(struct making *m, const struct plan_container *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->nsources; i++) {
		const struct data *data = plan_source_data(m->arena, m->job, &c->sources[i]);
		n += data ? data->u.map.n : 0;
	}
	return n;
}

static size_t raw_count(const struct plan_container *c)
{
	const struct data *list = c->raw && c->raw->kind == DATA_MAP ? data_get(c->raw, STR("env")) : NULL;

	return list && list->kind == DATA_LIST ? list->u.list.n : 0;
}

struct env_values plan_env(struct arena *a, const struct plan_job *j, const struct plan_role *r,
	const struct plan_container *c, int64_t i, const struct placement *where)
{
	struct making m = { .arena = a, .job = j, .role = r, .replica = i, .where = where, .run.limit = MOST_TEXT };

	m.done.at = ARENA_ARRAY(a, struct env_value, c->nenv + raw_count(c) + source_count(&m, c));
	source_env(&m, c);
	for (size_t k = 0; k < c->nenv; k++) {
		const struct plan_env *e = &c->env[k];
		if (str_starts(e->name, STR("TRAINC_")) || (e->per_replica && text_is_absent(&e->per_replica[i])))
			continue;
		m.done.at[m.done.n] = value_make(&m, e);
		m.done.n++;
	}
	raw_env(&m, c);
	buf_release(&m.run);
	return m.done;
}
