/*
 * site.c - chooses the rows of an accelerator's table `nodes`: a row has the labels by which the nodes of one provider
 * say that they have the device.
 */
#include "eval/site.h"

#include "diag/suggest.h"
#include "syntax/help/foreign.h"

/* The values of a label; a value that is not text was reported. */
static void read_values(struct arena *a, const struct value *list, struct plan_choice *c)
{
	for (size_t i = 0; list->kind == VALUE_LIST && i < list->u.list.n; i++) {
		const struct value *v = list->u.list.at[i];
		if (v->kind == VALUE_STRING)
			ARENA_PUSH(a, c->values, c->nvalues, ((struct plan_str){ v->u.string, v->from, true }));
	}
}

static bool is_set(const struct plan_accelerator *acc, struct str key)
{
	for (size_t i = 0; i < acc->node.n; i++)
		if (str_eq(acc->node.at[i].key, key))
			return true;
	return false;
}

/* Adds the labels of a row. ALONE: the row is the only way to find the accelerator. */
static void add_site_row(struct eval *ev, const struct value *row, int64_t way, bool alone,
	struct plan_accelerator *acc)
{
	const struct map *labels = &row->u.map.index;

	for (size_t i = 0; i < labels->n; i++) {
		const struct value_entry *e = labels->entries[i].value;
		struct plan_choice c = { .key = e->key, .way = way, .from = e->key_at };
		read_values(ev->arena, e->value, &c);
		if (is_set(acc, e->key)) {
			struct diag *d = diag_report(ev->diags, TJ0206, e->key_at,
				"the label '%.*s' is in 'node', too",
				STR_ARG(e->key));
			diag_help(ev->diags, d, "write it once: in 'node' if all nodes with the device have it, else "
				"in 'nodes'");
			continue;
		}
		if (alone && c.nvalues == 1)
			ARENA_PUSH(ev->arena, acc->node.at, acc->node.n, ((struct plan_pair){ e->key,
				c.values[0].value, c.values[0].from, e->key_at }));
		else if (c.nvalues)
			ARENA_PUSH(ev->arena, acc->choices, acc->nchoices, c);
	}
}

/* ---- names of providers (TJ0312) ---- */

const struct stdlib_site *site_find(struct str name)
{
	for (const struct stdlib_site *s = stdlib_sites(); s->name; s++)
		if (str_is(name, s->name))
			return s;
	return NULL;
}

struct diag *site_unknown(struct eval *ev, struct str name, struct span at)
{
	struct diag *d = diag_report(ev->diags, TJ0312, at, "no nodes are known as '%.*s'", STR_ARG(name));
	const char *other = foreign_value(STR("nodes"), name);
	struct suggest s;

	suggest_init(&s, ev->arena, name);
	for (const struct stdlib_site *known = stdlib_sites(); known->name; known++)
		suggest_add(&s, str_of(known->name));
	struct str near = suggest_sentence(&s);
	if (other)
		diag_help(ev->diags, d, "%s", other);
	else if (near.n)
		diag_help(ev->diags, d, "%.*s", STR_ARG(near));
	return d;
}

/* Reports rows of a table of the program that no project can choose. */
static void test_rows(struct eval *ev, const struct value *table)
{
	const struct map *rows = &table->u.map.index;

	for (size_t i = 0; i < rows->n; i++) {
		const struct value_entry *e = rows->entries[i].value;
		if (site_find(e->key))
			continue;
		struct diag *d = site_unknown(ev, e->key, e->key_at);
		diag_help(ev->diags, d, "'trainc explain std.nodes' lists the names");
	}
}

/* ---- the rows of the project's nodes ---- */

/* The row of NAME in a table; NULL if it has none. */
static const struct value *site_row(const struct value *table, struct str name)
{
	const struct value_entry *e = map_get(&table->u.map.index, name);

	return e && e->value->kind == VALUE_MAP ? e->value : NULL;
}

/* Has an earlier way the same labels? Two providers may name their machines alike. */
static bool repeats_row(const struct value *table, const struct project *p, size_t site)
{
	const struct value *row = site_row(table, p->sites[site].name);

	for (size_t i = 0; i < site; i++) {
		const struct value *other = site_row(table, p->sites[i].name);
		if (other && value_equal(row, other))
			return true;
	}
	return false;
}

void site_labels(struct eval *ev, const struct value *table, struct plan_accelerator *acc)
{
	const struct project *p = &ev->program->project;
	int64_t ways = 0, way = 0;

	if (table->kind != VALUE_MAP || !table->u.map.index.n)
		return;
	test_rows(ev, table);
	/* the hosts of a slice are nodes of one kind: without its labels, no slice is found */
	if (!p->chooses_sites || (!p->nsites && acc->slice.set)) {
		const struct value_entry *first = table->u.map.index.entries[0].value;
		if (first->value->kind == VALUE_MAP)
			add_site_row(ev, first->value, 0, true, acc);
		return;
	}
	for (size_t i = 0; i < p->nsites; i++)
		ways += site_row(table, p->sites[i].name) && !repeats_row(table, p, i);
	for (size_t i = 0; i < p->nsites; i++) {
		const struct value *row = site_row(table, p->sites[i].name);
		if (row && !repeats_row(table, p, i))
			add_site_row(ev, row, way++, ways == 1, acc);
	}
	acc->unlabelled = p->nsites && !ways;
	acc->known_on = table->u.map.index.entries[0].key;
}
