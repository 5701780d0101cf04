/*
 * run_state_copy.c - copies a run's state into memory of its own, so that the original can be freed.
 */
#include "runtime/run/run_state.h"

static void copy_texts(struct arena *a, struct str *const *texts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (texts[i]->n)
			*texts[i] = str_copy(a, *texts[i]);
}

#define KEEP(a, ...) copy_texts(a, (struct str *const[]){ __VA_ARGS__ },                     \
	sizeof((struct str *const[]){ __VA_ARGS__ }) / sizeof(struct str *))

/* A copy of N elements. Pointers in the elements are copied, but not the memory that they point to. */
static void *copy_elements(struct arena *a, const void *at, size_t n, size_t size)
{
	void *copy = arena_alloc(a, n * size);

	if (n)
		memcpy(copy, at, n * size);
	return copy;
}

static void keep_replica(struct arena *a, struct run_replica *r)
{
	KEEP(a, &r->cause, &r->words.text, &r->host, &r->ports, &r->pod, &r->ip, &r->node,
		&r->published, &r->log);
	if (r->nspans)
		r->spans = copy_elements(a, r->spans, r->nspans, sizeof *r->spans);
}

static void keep_role(struct arena *a, struct run_role *r)
{
	KEEP(a, &r->name, &r->cause);
	r->at = copy_elements(a, r->at, (size_t)r->max, sizeof *r->at);
	for (int64_t i = 0; i < r->max; i++)
		keep_replica(a, &r->at[i]);
}

struct run_state run_state_copy(struct arena *a, const struct run_state *s)
{
	struct run_state c = *s;
	struct run_failure *f = &c.failure;

	KEEP(a, &c.name, &c.ns, &c.framework, &c.file, &c.isolate, &c.boot_id, &c.cause, &c.digest, &f->role,
		&f->reason);
	c.roles = copy_elements(a, s->roles, s->nroles, sizeof *c.roles);
	for (size_t i = 0; i < c.nroles; i++)
		keep_role(a, &c.roles[i]);
	f->log = copy_elements(a, f->log, f->nlog, sizeof *f->log);
	for (size_t i = 0; i < f->nlog; i++)
		KEEP(a, &f->log[i]);
	c.objects = copy_elements(a, s->objects, s->nobjects, sizeof *c.objects);
	for (size_t i = 0; i < c.nobjects; i++)
		KEEP(a, &c.objects[i].kind, &c.objects[i].name, &c.objects[i].cause);
	c.events = copy_elements(a, s->events, s->nevents, sizeof *c.events);
	for (size_t i = 0; i < c.nevents; i++)
		KEEP(a, &c.events[i].kind, &c.events[i].name, &c.events[i].reason, &c.events[i].message);
	return c;
}
