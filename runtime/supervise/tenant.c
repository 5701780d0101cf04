/* tenant.c - a hash table of the tenants. Those that have become empty are freed when the table would have to grow. */
#include "runtime/supervise/tenant.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_SLOTS = 32 };

static struct tenant **tenant_slot(const struct tenant_table *t, struct str ns)
{
	return &t->at[str_hash_stable(ns) & (t->slots - 1)];
}

struct tenant *tenant_known(const struct controller *c, struct str ns)
{
	struct tenant *t = c->tenants.slots ? *tenant_slot(&c->tenants, ns) : NULL;

	while (t && !str_eq(t->ns, ns))
		t = t->next;
	return t;
}

static bool tenant_is_empty(const struct tenant *t)
{
	return !t->jobs && !t->selected && !t->share.calls && !t->lane.running && !t->kept;
}

static void tenant_free(struct controller *c, struct tenant *t)
{
	queue_lane_drop(&c->queue, &t->lane);
	c->tenants.named -= t->named;
	c->tenants.n--;
	free(t->held);
	free(t);
}

static void free_empty(struct controller *c)
{
	struct tenant_table *all = &c->tenants;

	for (size_t i = 0; i < all->slots; i++)
		for (struct tenant **at = &all->at[i]; *at;) {
			struct tenant *t = *at;
			if (tenant_is_empty(t)) {
				*at = t->next;
				tenant_free(c, t);
			} else {
				at = &t->next;
			}
		}
}

static void tenants_grow(struct controller *c)
{
	struct tenant_table old = c->tenants;

	c->tenants.slots = old.slots ? 2 * old.slots : FIRST_SLOTS;
	c->tenants.at = memory_resize(NULL, c->tenants.slots * sizeof *c->tenants.at);
	memset(c->tenants.at, 0, c->tenants.slots * sizeof *c->tenants.at);
	for (size_t i = 0; i < old.slots; i++)
		for (struct tenant *t = old.at[i], *next; t; t = next) {
			struct tenant **slot = tenant_slot(&c->tenants, t->ns);
			next = t->next;
			t->next = *slot;
			*slot = t;
		}
	free(old.at);
}

struct tenant *tenant_of(struct controller *c, struct str ns)
{
	struct tenant *t = tenant_known(c, ns);

	if (t)
		return t;
	if (c->tenants.n == c->tenants.slots) {
		free_empty(c);
		if (2 * c->tenants.n >= c->tenants.slots)
			tenants_grow(c);
	}
	t = memory_resize(NULL, sizeof *t + ns.n);
	*t = (struct tenant){ .control = c, .named = c->tenants.named < TENANTS_NAMED };
	memcpy(t->text, ns.p, ns.n);
	t->ns = (struct str){ t->text, ns.n };
	struct tenant **slot = tenant_slot(&c->tenants, ns);
	t->next = *slot;
	*slot = t;
	c->tenants.n++;
	c->tenants.named += t->named;
	return t;
}

void tenants_each(struct controller *c, void (*act)(struct controller *c, struct tenant *t))
{
	for (size_t i = 0; i < c->tenants.slots; i++)
		for (struct tenant *t = c->tenants.at[i]; t; t = t->next)
			act(c, t);
}

void tenants_release(struct controller *c)
{
	for (size_t i = 0; i < c->tenants.slots; i++)
		while (c->tenants.at[i]) {
			struct tenant *t = c->tenants.at[i];
			c->tenants.at[i] = t->next;
			tenant_free(c, t);
		}
	free(c->tenants.at);
	c->tenants = (struct tenant_table){ 0 };
}
