/*
 * resources.c - lowers `resources { "rdma/hca" = 8 }`: what a container requests besides cpu, memory, disk and its
 * accelerator. The name of a device plugin's resource has a domain, and its value is a count; huge pages are an amount
 * of memory. Neither can be overcommitted, so request and limit are the same number.
 */
#include "eval/plan_value.h"
#include "check/library_device.h"
#include "lower/lower.h"

#include "kube/limits.h"

/* The kind of a resource by its name, as the API server determines it. */
enum resource_form { RESOURCE_UNKNOWN, RESOURCE_COUNTED, RESOURCE_PAGES };

#define PAGES "hugepages-"

static struct diag *refuse_resource(struct lowering *l, struct span at, struct str name, const char *what)
{
	return diag_report(l->ev->diags, TJ0624, at, "'%.*s' %s", STR_ARG(name), what);
}

/*
 * The help for a NAME that is not a resource but a field of this language, or a word of the block `resources` in
 * Kubernetes.
 */
static const char *field_instead(struct str name)
{
	static const struct { const char *name, *help; } words[] = {
		{ "cpu", "write it in the container itself: cpu = 8" },
		{ "memory", "write it in the container itself: memory = 64Gi" },
		{ "ephemeral-storage", "write it in the role itself: disk = 100Gi" },
		{ "disk", "write it in the role itself: disk = 100Gi" },
		{ "requests", "write 'cpu', 'memory' and devices without it: cpu = 8, memory = 64Gi, resources { "
			"\"example.com/nic\" = 1 }" },
		{ "limits", "'limits' is a field beside this one, for cpu and memory: limits { cpu = 16 }; for a "
			"device, request and limit are the same" },
		{ "claims", "claims of devices have a field of their own: device_claims { gpu = \"TEMPLATE\" }, or "
			"shared_device_claims { gpu = \"CLAIM\" } for one that exists" },
	};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_is(name, words[i].name))
			return words[i].help;
	return NULL;
}

static enum resource_form resource_form_of(struct lowering *l, const struct value_entry *e)
{
	const char *why = NULL, *help = field_instead(e->key);
	struct quantity size;

	if (help) {
		struct diag *d = refuse_resource(l, e->key_at, e->key, "is not written in 'resources'");
		diag_help(l->ev->diags, d, "%s", help);
		return RESOURCE_UNKNOWN;
	}
	if (str_starts(e->key, STR(PAGES))) {
		struct str text = { e->key.p + sizeof PAGES - 1, e->key.n - (sizeof PAGES - 1) };
		if (text.n && quantity_parse(text, &size) == QUANTITY_OK && size.nano > 0 &&
			size.nano % QUANTITY_UNIT == 0)
			return RESOURCE_PAGES;
		struct diag *d = refuse_resource(l, e->key_at, e->key, "names no size of pages");
		diag_help(l->ev->diags, d, "write \"hugepages-2Mi\" or \"hugepages-1Gi\", whichever the nodes have");
		return RESOURCE_UNKNOWN;
	}
	if (!kube_label_key(e->key, &why)) {
		struct diag *d = refuse_resource(l, e->key_at, e->key, "is not the name of a resource");
		diag_help(l->ev->diags, d, "%s", why);
		return RESOURCE_UNKNOWN;
	}
	if (memchr(e->key.p, '/', e->key.n))
		return RESOURCE_COUNTED;
	struct diag *d = refuse_resource(l, e->key_at, e->key, "has no domain");
	diag_help(l->ev->diags, d, "write it as the device plugin offers it, DOMAIN/NAME: \"example.com/%.*s\"",
		STR_ARG(e->key));
	return RESOURCE_UNKNOWN;
}

static bool positive(struct lowering *l, const struct value_entry *e, int128 nano, struct span at)
{
	if (nano > 0)
		return true;
	struct diag *d = diag_report(l->ev->diags, TJ0610, at, "'%.*s' must be positive", STR_ARG(e->key));
	diag_help(l->ev->diags, d, "write an amount, or leave the resource out");
	return false;
}

static bool read_counted(struct lowering *l, const struct value_entry *e, struct span at, struct quantity *ret)
{
	const struct value *v = e->value;

	if (v->kind != VALUE_INT) {
		struct str found = value_spell(l->ev->arena, v);
		struct diag *d = diag_report(l->ev->diags, TJ0624, at, "'%.*s' is counted in whole numbers, found %.*s",
			STR_ARG(e->key), STR_ARG(found));
		diag_help(l->ev->diags, d,
			"write how many of them the container gets, without quotes or a unit: \"%.*s\" = 8",
			STR_ARG(e->key));
		return false;
	}
	*ret = (struct quantity){ (int128)v->u.integer * QUANTITY_UNIT, QUANTITY_DECIMAL };
	return positive(l, e, v->u.integer, at);
}

/* Checks that an amount is a whole number of pages: the API server refuses any other. */
static bool in_pages(struct lowering *l, const struct value_entry *e, struct span at, struct quantity *ret)
{
	const struct value *v = e->value;
	struct str text = { e->key.p + sizeof PAGES - 1, e->key.n - (sizeof PAGES - 1) };
	struct quantity size;
	struct diag *d;

	if (v->kind != VALUE_QUANTITY || v->unit != TYPE_MEMORY) {
		struct str found = value_spell(l->ev->arena, v);
		d = diag_report(l->ev->diags, TJ0624, at, "'%.*s' is an amount of memory, found %.*s", STR_ARG(e->key),
			STR_ARG(found));
		diag_help(l->ev->diags, d, "write how much memory of such pages, not how many pages: \"%.*s\" = 1Gi",
			STR_ARG(e->key));
		return false;
	}
	*ret = v->u.quantity;
	if (quantity_parse(text, &size) != QUANTITY_OK || !positive(l, e, ret->nano, at))
		return false;
	if (ret->nano % size.nano == 0)
		return true;
	struct str amount = quantity_text(l->ev->arena, *ret);
	d = diag_report(l->ev->diags, TJ0624, at, "%.*s is not made of whole pages of %.*s", STR_ARG(amount),
		STR_ARG(text));
	diag_help(l->ev->diags, d, "write a multiple of the size of a page");
	return false;
}

static bool of_accelerator(struct lowering *l, const struct value_entry *e, const struct plan_container *c)
{
	const struct plan_accelerator *acc = c == &l->plan->main ? l->plan->accelerator : NULL;

	if (!acc || !str_eq(acc->resource, e->key))
		return false;
	struct diag *d = diag_report(l->ev->diags, TJ0608, e->key_at, "'accelerator' already requests '%.*s'",
		STR_ARG(e->key));
	diag_note(l->ev->diags, d, acc->from, "%lld by the accelerator", (long long)acc->per_pod);
	diag_help(l->ev->diags, d, "remove it here: 'accelerator' is request and limit already");
	return true;
}

/*
 * Refuses devices of an accelerator that the library declares, in a role's own container: frameworks would start one
 * process for all of them, and no rule about devices would see them.
 */
static bool of_library(struct lowering *l, const struct value_entry *e, const struct plan_container *c)
{
	struct str module = { 0 };
	bool counted = false;
	struct str name = c == &l->plan->main ? library_device_of(e->key, &module, &counted) : module;

	if (!name.n)
		return false;
	struct diag *d = diag_report(l->ev->diags, TJ0624, e->key_at,
		"'%.*s' is an accelerator: as a resource, its devices get no processes", STR_ARG(e->key));
	struct str count = counted && e->value->kind == VALUE_INT ? value_spell(l->ev->arena, e->value) : STR("...");
	if (str_is(name, "gpu"))
		diag_help(l->ev->diags, d, "write accelerator = %.*s.gpu(%.*s) in the role, and 'import std.%.*s'; "
			"'trainc explain std.%.*s' lists the products", STR_ARG(module), STR_ARG(count),
			STR_ARG(module), STR_ARG(module));
	else
		diag_help(l->ev->diags, d, "write accelerator = %.*s.%.*s(%.*s), or another one that 'trainc explain "
			"std.%.*s' lists, in the role, and 'import std.%.*s'", STR_ARG(module), STR_ARG(name),
			STR_ARG(count), STR_ARG(module), STR_ARG(module));
	return true;
}

/* Checks that a container with huge pages also requests cpu or memory, as the API server requires. */
static void beside_pages(struct lowering *l, const struct plan_container *c, const struct plan_amounts *asks,
	const struct plan_resource *r)
{
	if (!r->bytes || asks->cpu.set || asks->memory.set || asks->limits.cpu.set || asks->limits.memory.set ||
		data_get(c->raw, STR("resources")))
		return;
	struct diag *d = diag_report(l->ev->diags, TJ0624, r->name_at, "'%.*s' needs 'cpu' or 'memory' beside it",
		STR_ARG(r->name));
	diag_help(l->ev->diags, d,
		"set 'memory' of the container: pages of the usual size are counted apart from these");
}

void lower_resources(struct lowering *l, const struct value *v, const struct plan_container *c,
	struct plan_amounts *asks)
{
	const struct map *index = v->kind == VALUE_MAP ? &v->u.map.index : NULL;
	bool told = false;

	for (size_t i = 0; index && i < index->n; i++) {
		const struct value_entry *e = index->entries[i].value;
		struct plan_resource r = { .name = e->key, .name_at = e->key_at,
			.from = span_known(e->value->from) ? e->value->from : e->key_at };
		enum resource_form f;
		if (!value_ok(e->value) || of_accelerator(l, e, c) || of_library(l, e, c) ||
			(f = resource_form_of(l, e)) == RESOURCE_UNKNOWN)
			continue;
		if (!(f == RESOURCE_PAGES ? in_pages(l, e, r.from, &r.amount) : read_counted(l, e, r.from, &r.amount)))
			continue;
		r.bytes = f == RESOURCE_PAGES;
		ARENA_PUSH(l->ev->arena, asks->resources, asks->nresources, r);
		if (!told)
			beside_pages(l, c, asks, &r);
		told = told || r.bytes;
	}
}

struct plan_pairs lower_claims(struct lowering *l, const struct value *v)
{
	struct plan_pairs all = value_pairs(l->ev, v), kept = { 0 };

	for (size_t i = 0; i < all.n; i++) {
		const struct plan_pair *p = &all.at[i];
		if (kube_dns_label(p->key)) {
			ARENA_PUSH(l->ev->arena, kept.at, kept.n, *p);
			continue;
		}
		struct diag *d = diag_report(l->ev->diags, TJ0624, p->key_at, "'%.*s' cannot be the name of a claim",
			STR_ARG(p->key));
		diag_help(l->ev->diags, d, "write lower case letters, digits and '-', at most 63: gpu = \"%.*s\"",
			STR_ARG(p->value));
	}
	return kept;
}

void claims_once(struct lowering *l)
{
	const struct plan_pairs *own = &l->plan->claims, *shared = &l->plan->shared_claims;

	for (size_t i = 0; i < own->n; i++)
		for (size_t k = 0; k < shared->n; k++) {
			if (!str_eq(own->at[i].key, shared->at[k].key))
				continue;
			struct str key = shared->at[k].key;
			struct diag *d = diag_report(l->ev->diags, TJ0624, shared->at[k].key_at,
				"'%.*s' is a claim of 'device_claims' already",
				STR_ARG(key));
			diag_note(l->ev->diags, d, own->at[i].key_at, "the other one");
			diag_help(l->ev->diags, d,
				"give one of them another name: a pod knows its claims by their names");
		}
}
