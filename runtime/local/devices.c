/* devices.c - finds the machine's devices, and distributes them. */
#include "runtime/local/devices.h"

#include <glob.h>
#include <stdlib.h>

/* One kind of device: all accelerators with the same files and the same variable. */
struct kind {
	const struct plan_accelerator *acc;     /* the first accelerator of this kind in the plan */
	struct str *names;              /* for each device, its word in the variable */
	bool *taken;
	size_t n;
	int64_t wanted;
};

struct holding {                        /* the devices of a replica, as indexes into the devices of the kind */
	size_t *at;
	size_t n;
};

struct devices {
	struct arena *arena;
	const struct plan_job *job;
	bool none;
	struct kind *kinds;
	size_t nkinds;
	struct holding **held;          /* the devices that each replica has, by role and index */
};

static bool same_kind(const struct plan_accelerator *a, const struct plan_accelerator *b)
{
	return str_eq(a->devices.value, b->devices.value) && str_eq(a->visible.value, b->visible.value);
}

static struct kind *kind_of(const struct devices *d, const struct plan_accelerator *acc)
{
	for (size_t i = 0; acc && i < d->nkinds; i++)
		if (same_kind(d->kinds[i].acc, acc))
			return &d->kinds[i];
	return NULL;
}

static size_t count_files(struct arena *a, struct str pattern)
{
	glob_t found = { 0 };
	size_t n = 0;

	if (glob(str_copy(a, pattern).p, GLOB_NOSORT, NULL, &found) == 0)
		n = found.gl_pathc;
	globfree(&found);
	return n;
}

static bool all_digits(struct str name)
{
	for (size_t i = 0; i < name.n; i++)
		if (name.p[i] < '0' || name.p[i] > '9')
			return false;
	return true;
}

static bool is_listed(const struct kind *k, struct str name)
{
	for (size_t i = 0; i < k->n; i++)
		if (str_eq(k->names[i], name))
			return true;
	return false;
}

/*
 * Takes the names of devices from the caller's own variable, such as "2,3". A name that occurs twice is given out
 * twice, so replicas share that device. Names that are not numbers stand for parts of devices: all of them are taken,
 * since a machine may have more parts than device files. Of the numbers, at most as many are taken as the machine has
 * devices.
 */
static void names_of_caller(struct devices *d, struct kind *k, struct str list, size_t devices)
{
	size_t numbers = 0;

	for (size_t at = 0; at < list.n;) {
		const char *comma = memchr(list.p + at, ',', list.n - at);
		size_t end = comma ? (size_t)(comma - list.p) : list.n;
		struct str name = { list.p + at, end - at };
		bool again = is_listed(k, name), number = all_digits(name);
		if (name.n && (again || !number || numbers < devices)) {
			numbers += number && !again;
			ARENA_PUSH(d->arena, k->names, k->n, name);
		}
		at = end + 1;
	}
}

static void kind_add(struct devices *d, const struct plan_accelerator *acc,
	struct str (*caller)(const void *context, struct str name), const void *context)
{
	struct kind k = { .acc = acc };
	struct str own = acc->visible.set ? caller(context, acc->visible.value) : (struct str){ 0 };
	size_t n = d->none ? 0 : count_files(d->arena, acc->devices.value);

	if (own.p && !d->none)
		names_of_caller(d, &k, own, n);
	for (size_t i = 0; !own.p && i < n; i++) {
		struct str name = str_printf(d->arena, "%zu", i);
		ARENA_PUSH(d->arena, k.names, k.n, name);
	}
	k.taken = ARENA_ARRAY(d->arena, bool, k.n);
	ARENA_PUSH(d->arena, d->kinds, d->nkinds, k);
}

static void complain(struct buf *why, const struct plan_role *r, const char *text, struct str what)
{
	buf_printf(why, "role '%.*s' asks for %.*s, %s%.*s; --no-devices runs it without\n", STR_ARG(r->name),
		STR_ARG(r->accelerator->spelling),
		text, STR_ARG(what));
}

struct devices *devices_new(struct arena *a, const struct plan_job *j, bool none,
	struct str (*caller)(const void *context, struct str name), const void *context, struct buf *why)
{
	struct devices *d = ARENA_NEW(a, struct devices);

	*d = (struct devices){ .arena = a, .job = j, .none = none };
	d->held = ARENA_ARRAY(a, struct holding *, j->nroles);
	for (size_t i = 0; i < j->nroles; i++) {
		const struct plan_role *r = &j->roles[i];
		const struct plan_accelerator *acc = r->accelerator;
		d->held[i] = ARENA_ARRAY(a, struct holding, (size_t)r->max);
		if (!acc || !r->max)
			continue;
		if (!none && !acc->devices.set) {
			complain(why, r,
				"and that accelerator does not say how its devices look on a machine ('devices')",
				STR(""));
			continue;
		}
		if (!none && acc->devices.value.p[0] != '/') {
			complain(why, r, "whose 'devices' is not an absolute path: ", acc->devices.value);
			continue;
		}
		if (!kind_of(d, acc))
			kind_add(d, acc, caller, context);
	}
	return d;
}

/* Does the replica already have the device, which may be listed several times? */
static bool has_already(const struct kind *k, const struct holding *h, struct str name)
{
	for (size_t i = 0; i < h->n; i++)
		if (str_eq(k->names[h->at[i]], name))
			return true;
	return false;
}

bool devices_take(struct devices *d, unsigned role, int64_t i, struct str *why)
{
	const struct plan_role *r = &d->job->roles[role];
	struct kind *k = kind_of(d, r->accelerator);
	struct holding *h = &d->held[role][i];

	if (!k || d->none || h->n)
		return true;
	h->at = h->at ? h->at : ARENA_ARRAY(d->arena, size_t, (size_t)r->accelerator->per_pod);
	for (size_t n = 0; n < k->n && (int64_t)h->n < r->accelerator->per_pod; n++)
		if (!k->taken[n] && !has_already(k, h, k->names[n])) {
			k->taken[n] = true;
			h->at[h->n++] = n;
		}
	if ((int64_t)h->n == r->accelerator->per_pod)
		return true;
	devices_return(d, role, i);
	size_t left = 0;
	for (size_t n = 0; n < k->n; n++)
		left += !k->taken[n];
	*why = str_printf(d->arena, "%.*s-%lld needs %lld of the devices '%.*s', but only %zu are available",
		STR_ARG(r->name), (long long)i,
		(long long)r->accelerator->per_pod, STR_ARG(k->acc->devices.value), left);
	return false;
}

void devices_return(struct devices *d, unsigned role, int64_t i)
{
	struct kind *k = kind_of(d, d->job->roles[role].accelerator);
	struct holding *h = &d->held[role][i];

	for (size_t n = 0; k && n < h->n; n++)
		k->taken[h->at[n]] = false;
	h->n = 0;
}

size_t devices_variables(const struct devices *d, struct arena *a, unsigned role, int64_t i,
	struct device_variable **ret)
{
	const struct holding *h = &d->held[role][i];
	const struct kind *own = kind_of(d, d->job->roles[role].accelerator);
	struct buf b = { 0 };
	size_t n = 0;

	*ret = NULL;
	for (size_t k = 0; k < d->nkinds; k++) {
		if (!d->kinds[k].acc->visible.set)
			continue;
		for (size_t x = 0; &d->kinds[k] == own && x < h->n; x++)
			buf_printf(&b, "%s%.*s", x ? "," : "", STR_ARG(own->names[h->at[x]]));
		struct device_variable v = { d->kinds[k].acc->visible.value, buf_take(&b, a) };
		ARENA_PUSH(a, *ret, n, v);
	}
	buf_release(&b);
	return n;
}
