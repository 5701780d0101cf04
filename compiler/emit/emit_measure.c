/*
 * emit_measure.c - computes the maximum lengths that texts have in a process, from their pieces and without making
 * the texts.
 */
#include "emit/emit_build.h"

/*
 * Counting stops at this length, far above every limit, because a chain of references can double its length at each
 * step.
 */
static const size_t ENOUGH = (size_t)1 << 40;

static size_t capped(size_t a, size_t b) { return a + b > ENOUGH ? ENOUGH : a + b; }

static size_t index_digits(int64_t n)
{
	size_t count = 1;

	while (n >= 10) {
		n /= 10;
		count++;
	}
	return count;
}

static size_t host_length(const struct plan_job *j, const struct plan_role *r, int64_t i)
{
	if (r->in_group) {
		struct buf name = { 0 };
		plan_host(j, r, i, &name);
		size_t n = name.n;
		buf_release(&name);
		return n;
	}
	struct plan_name around = plan_host_name(j, r);
	size_t slice = around.sliced ? 1 + index_digits(plan_slice_of(r, i)) : 0;
	int64_t index = around.sliced ? plan_index_in_slice(r, i) : i;
	size_t name = r->object.n + (r->one_name ? 0 :
		slice + strlen(around.before) + index_digits(index) + strlen(around.after));

	if (j->hosts == HOSTS_NAME)
		return name;
	if (j->hosts == HOSTS_SERVICE)
		return name + 1 + plan_namespace(j).n + 4 + (j->domain.n ? 1 + j->domain.n : 0);
	return name + 1 + j->name.n;
}

static size_t variable_length(const struct emit_measure *m, struct str name)
{
	const struct plan_container *c = m->container;

	if (!c)
		return 0;
	for (size_t i = m->index->n; i < c->nenv; i++)
		map_put(m->index, m->arena, c->env[i].name, (void *)(uintptr_t)(i + 1));
	size_t at = (size_t)(uintptr_t)map_get(m->index, name);
	return at ? m->lengths[at - 1] : 0;
}

static size_t piece_length(const struct emit_measure *m, const struct piece *p, int64_t own)
{
	static const size_t fields[] = { [POD_NAME] = 63, [POD_UID] = 36, [POD_IP] = 45, [POD_NODE] = 253,
		[POD_SLICE] = 6, [POD_COPY] = 6 };
	const struct plan_role *peer;
	int64_t index;

	switch (p->kind) {
	case PIECE_TEXT: return p->u.text.n;
	case PIECE_INDEX: return index_digits(plan_index_in_slice(m->role, own));
	case PIECE_FIELD: return fields[p->u.field];
	case PIECE_ENV: return variable_length(m, p->u.text);
	case PIECE_HOST:
	case PIECE_PORT:
		peer = &m->job->roles[p->u.peer.role];
		index = p->u.peer.index == OWN_INDEX ? own : p->u.peer.index;
		if (p->kind == PIECE_HOST)
			return host_length(m->job, peer, index);
		return index_digits(placement_cluster.port(NULL, m->job, peer, index, p->u.peer.port));
	}
	return 0;
}

size_t emit_text_length(const struct emit_measure *m, const struct text *t, int64_t index)
{
	int64_t own = index >= 0 ? index : m->role->max > 0 ? m->role->max - 1 : 0;
	size_t length = 0;

	for (size_t i = 0; i < t->n; i++)
		length = capped(length, piece_length(m, &t->at[i], own));
	return length;
}

static size_t value_length(const struct emit_measure *m, const struct plan_env *e)
{
	size_t longest = 0;

	if (e->kind != ENV_TEXT)
		return 0;
	if (!e->per_replica)
		return emit_text_length(m, &e->text, -1);
	for (int64_t i = 0; i < m->role->max; i++) {
		size_t n = emit_text_length(m, &e->per_replica[i], i);
		longest = n > longest ? n : longest;
	}
	return longest;
}

struct emit_measure emit_measure_of(struct arena *a, const struct plan_job *j, const struct plan_role *r,
	const struct plan_container *c)
{
	struct emit_measure m = { .job = j, .role = r, .container = c, .arena = a };

	if (!c)
		return m;
	m.index = ARENA_NEW(a, struct map);
	m.lengths = ARENA_ARRAY(a, size_t, c->nenv);
	for (size_t i = 0; i < c->nenv; i++)
		m.lengths[i] = value_length(&m, &c->env[i]);
	return m;
}
