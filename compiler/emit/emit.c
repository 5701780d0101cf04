/*
 * emit.c - writes trees as bytes: a whole plan, or single objects for tests.
 */
#include "emit/emit.h"

#include "emit/emit_build.h"
#include "objects/objects_render.h"

struct emit_writing {
	struct rendered rendered;
	struct outlet outlet;
	bool json, first;
};

static bool write_manifest(struct emit *e, const struct manifest *m, void *context)
{
	struct emit_writing *w = context;

	render_object(&w->rendered, m->make(e, m));
	for (int64_t i = m->first; i < m->first + m->count && !w->outlet.refused; i++) {
		if (w->json)
			outlet_put(&w->outlet, w->first ? "\n    " : ",\n    ", w->first ? 5 : 6);
		else if (!w->first)
			outlet_put(&w->outlet, "---\n", 4);
		w->first = false;
		render_write(&w->rendered, i, &w->outlet);
	}
	return !w->outlet.refused;
}

bool emit_write(const struct emit_options *options, const struct plan *const *plans, size_t n,
	const struct emit_sink *sink)
{
	static const char list_begin[] = "{\n  \"apiVersion\": \"v1\",\n  \"kind\": \"List\",\n  \"items\": [",
		list_end[] = "\n  ]\n}\n";
	struct emit_writing w = { .json = n && options->json, .first = true, .outlet.sink = sink };
	bool more = true;

	w.rendered.json = w.json;
	if (w.json)
		outlet_put(&w.outlet, list_begin, sizeof(list_begin) - 1);
	for (size_t i = 0; i < n && more; i++) {
		struct emit e = { .plan = plans[i], .earlier = plans, .nearlier = i };
		w.rendered.annotate = options[i].annotate ? options[i].sources : NULL;
		more = emit_each(&e, write_manifest, &w);
	}
	if (w.json)
		outlet_put(&w.outlet, w.first ? list_end + 3 : list_end, sizeof(list_end) - (w.first ? 4 : 1));
	outlet_flush(&w.outlet);
	bool done = !w.outlet.refused;
	outlet_release(&w.outlet);
	render_release(&w.rendered);
	return done;
}

static bool count_manifest(struct emit *e, const struct manifest *m, void *context)
{
	((size_t *)context)[e->job - e->plan->jobs] += (size_t)m->count;
	return true;
}

const size_t *emit_counts(struct arena *a, const struct plan *plan)
{
	struct emit e = { .plan = plan };
	size_t *n = ARENA_ARRAY(a, size_t, plan->njobs);

	emit_each(&e, count_manifest, n);
	return n;
}

size_t emit_count(const struct plan *plan)
{
	struct arena arena = { 0 };
	const size_t *each = emit_counts(&arena, plan);
	size_t n = 0;

	for (size_t i = 0; i < plan->njobs; i++)
		n += each[i];
	arena_release(&arena);
	return n;
}

struct finding {
	struct arena *arena;
	struct str kind, name;
	const struct data *found;
};

/* Returns the index in NAME-INDEX; -1 if no object of the manifest has that name. */
static int64_t index_of(const struct manifest *m, struct str name)
{
	int64_t index = 0;

	if (!m->indexed_name)
		return str_eq(m->name, name) ? m->first : -1;
	if (name.n < m->name.n + 2 || name.n > m->name.n + 9 || !str_starts(name, m->name) || name.p[m->name.n] != '-')
		return -1;
	for (size_t i = m->name.n + 1; i < name.n; i++) {
		if (name.p[i] < '0' || name.p[i] > '9' || (name.p[i] == '0' && index == 0 && i + 1 < name.n))
			return -1;
		index = index * 10 + (name.p[i] - '0');
	}
	return index >= m->first && index < m->first + m->count ? index : -1;
}

static bool find_manifest(struct emit *e, const struct manifest *m, void *context)
{
	struct finding *f = context;
	int64_t index = str_is(f->kind, m->kind) ? index_of(m, f->name) : -1;

	if (index < 0)
		return true;
	struct arena *own = e->arena;   /* the object that was found must outlive the visit */
	e->arena = f->arena;
	f->found = object_to_data(f->arena, m->make(e, m), index);
	e->arena = own;
	return false;
}

const struct data *emit_find(struct arena *a, const struct plan *plan, struct str kind, struct str name)
{
	struct emit e = { .plan = plan };
	struct finding f = { a, kind, name, NULL };

	emit_each(&e, find_manifest, &f);
	return f.found;
}
