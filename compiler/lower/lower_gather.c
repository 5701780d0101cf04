/*
 * lower_gather.c - collects the entries of a map field from all levels, before evaluation. `env`, `files`, `ports` and
 * `mounts` are maps whose entries are handled one by one. Each entry may come from a different level, the job must not
 * change entries that the framework locks, and only computed entries are evaluated for each replica. So a body `{ A =
 * x, B = y }` is split here instead of being evaluated as a whole.
 */
#include "lower/lower.h"

static void add_source_entry(struct lowering *l, struct source_entries *into, struct source_entry entry)
{
	struct arena *a = eval_work(l->ev);
	size_t known = (size_t)(uintptr_t)map_get(&into->index, entry.key);
	bool again = known && into->at[known - 1].written && into->at[known - 1].level == entry.level;
	if (again && !entry.written)            /* an entry that is written wins, wherever the insertion is */
		return;
	if (again)
		entry_set_twice(l->ev, entry.key, entry.key_at, into->at[known - 1].key_at);
	if (known) {                            /* an overridden key keeps its original position */
		struct source_entry *old = ARENA_NEW(a, struct source_entry);
		*old = into->at[known - 1];
		entry.beneath = old;
		into->at[known - 1] = entry;
		return;
	}
	ARENA_PUSH(a, into->at, into->n, entry);
	map_put(&into->index, a, entry.key, (void *)(uintptr_t)into->n);
}

/* Adds the entries of a body { A = x, B = y }, each separately. */
static void gather_items(struct lowering *l, struct node *body, struct frame *frame, unsigned level,
	struct source_entries *into)
{
	struct entries *entries = eval_entries(l->ev, frame, body);
	for (size_t i = 0; i < entries->n; i++) {
		struct entry *e = &entries->at[i];
		struct source_entry s = { .key = e->key, .key_at = e->key_at, .frame = e->frame, .level = level };
		s.expr = entry_expr(e);
		s.written = e->item != NULL;
		s.from = entry_at(e);
		if (e->item && !s.expr)
			continue;
		s.value = entry_value(l->ev, e);
		add_source_entry(l, into, s);
	}
}

/*
 * Adds the entries of an expression whose value is a map: it is evaluated as a whole, and each of its entries is added.
 */
static void gather_map(struct lowering *l, struct node *expr, struct frame *frame, const struct value *map,
	unsigned level, struct source_entries *into)
{
	if (map->kind != VALUE_MAP)
		return;
	for (size_t i = 0; i < map->u.map.index.n; i++) {
		const struct value_entry *e = map->u.map.index.entries[i].value;
		add_source_entry(l, into, (struct source_entry){ .key = e->key, .key_at = e->key_at, .expr = expr,
			.frame = frame, .member = e->key, .value = e->value, .level = level, .from = e->value->from });
	}
}

void gather_entry(struct lowering *l, struct entry *e, unsigned level, struct source_entries *into)
{
	struct node *expr = entry_expr(e);
	if (expr && expr->kind == NODE_BODY)
		gather_items(l, expr, e->frame, level, into);
	else
		gather_map(l, expr, e->frame, entry_value(l->ev, e), level, into);
}

void gather_role(struct lowering *l, enum field_id id, struct source_entries *into)
{
	struct said said = role_said(l->ev, l->role, id);
	for (size_t i = said.n; i-- > 0;) {
		bool framework = said.at[i].level >= LEVEL_FRAMEWORK;
		/* after a failed check, the framework's values are not evaluated, because the check guards them */
		if (!framework || !l->job->checks_failed)
			gather_entry(l, said.at[i].entry, said.at[i].level, into);
	}
}

const struct value *gather_own(struct eval *ev, struct entries *body, enum field_id id, struct entry **ret_first)
{
	struct said said = { 0 };
	said_by(ev, body, id, 0, &said);
	const struct value *v = said_value(ev, &said);
	*ret_first = said.n ? said.at[0].entry : NULL;
	return v ? v : &value_none;
}

void gather_body(struct lowering *l, struct entries *body, enum field_id id, struct source_entries *into)
{
	struct said said = { 0 };
	said_by(l->ev, body, id, 0, &said);
	for (size_t i = said.n; i-- > 0;)
		gather_entry(l, said.at[i].entry, LEVEL_ROLE, into);
}

/* ---- environment ---- */

static void report_dropped(struct lowering *l, const struct source_entry *mine, const struct source_entry *theirs)
{
	struct diags *ds = l->ev->diags;
	struct diag *d = diag_report(ds, TJ0719, mine->key_at, "'%.*s' has no effect: '%.*s' sets it after the job",
		STR_ARG(mine->key),
		STR_ARG(l->job->plan->framework));

	diag_note(ds, d, theirs->key_at, "set by the framework here");
	diag_help(ds, d, "remove it");
}

static const struct source_entry *find_source_entry(const struct source_entries *s, struct str key)
{
	size_t known = (size_t)(uintptr_t)map_get(&s->index, key);

	return known && s->at[known - 1].value->kind != VALUE_NONE ? &s->at[known - 1] : NULL;
}

/* Puts the job's entries before those of the framework, except for names that the framework reserves. */
static void framework_after(struct lowering *l, const struct source_entries *mine, const struct source_entries *theirs,
	struct source_entries *into)
{
	for (size_t i = 0; i < mine->n; i++) {
		struct source_entry e = mine->at[i];
		const struct source_entry *other = find_source_entry(theirs, e.key);
		if (other && job_reserves(l->job, e.key, e.level)) {
			report_dropped(l, &e, other);
			continue;
		}
		if (other) {
			e.beneath = ARENA_NEW(eval_work(l->ev), struct source_entry);
			*e.beneath = *other;
		}
		add_source_entry(l, into, e);
	}
	into->inherited = into->n;
	for (size_t i = 0; i < theirs->n; i++)
		if (!find_source_entry(into, theirs->at[i].key))
			add_source_entry(l, into, theirs->at[i]);
}

static void gather_framework(struct lowering *l, const struct said *said, struct source_entries *into)
{
	for (size_t i = said->n; i-- > 0 && !l->job->checks_failed;)
		if (said->at[i].level >= LEVEL_FRAMEWORK)
			gather_entry(l, said->at[i].entry, said->at[i].level, into);
}

void gather_env(struct lowering *l, struct entries *body, struct source_entries *into)
{
	struct said said = role_said(l->ev, l->role, FIELD_ENV);
	struct source_entries mine = { 0 }, theirs = { 0 }, *before = l->job->plan->env_after ? &theirs : into;

	if (body && !l->job->env_all)
		said.n = 0;
	gather_framework(l, &said, before);
	if (!l->job->plan->env_after)
		mine = *into;
	for (size_t i = said.n; i-- > 0 && !body;)
		if (said.at[i].level < LEVEL_FRAMEWORK)
			gather_entry(l, said.at[i].entry, said.at[i].level, &mine);
	if (body)
		gather_body(l, body, FIELD_ENV, &mine);
	if (l->job->plan->env_after)
		framework_after(l, &mine, &theirs, into);
	else
		*into = mine;
}
