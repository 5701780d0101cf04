/*
 * entries.c - collects the entries of a body, after its `if`, `for` and spreads have been evaluated. A body is a list
 * of entries in the order of the text. Conditions and the lists of loops are evaluated here, but values are not: the
 * caller evaluates entries one by one, each in its own frame.
 */
#include "eval/internal.h"

struct entries_gathering {
	struct eval *ev;
	struct entries *to;
	unsigned blocks;                /* the set of blocks whose fields the keys are; 0 for the keys of a record or
					 * map */
	size_t room;                    /* capacity of to->at */
	struct late *late;              /* inserted settings that come after an entry which extends them; at the end
					 * they are moved in front of that entry */
	size_t nlate;
	struct again *again;            /* keys that were inserted twice, which is an error unless the body also sets
					 * them itself */
	size_t nagain;
	/* key -> 1 + the index of its first entry; made only when a linear search would take too long */
	struct map index;
};

struct late {
	size_t before;                  /* index of the entry that extends this one */
	struct entry entry;
};

struct again {
	size_t first;
	struct span at, first_at;
};

enum { FEW = 16 };

static void gather_body(struct entries_gathering *g, struct frame *f, struct node *body);

/* ---- reports ---- */

static void report_pod_time(struct entries_gathering *g, struct node *at, const struct value *v, const char *what)
{
	struct eval *ev = g->ev;
	struct span computed = v->kind == VALUE_COMPUTED ? v->u.computed : at->span;
	struct node place = { .kind = NODE_BAD, .span = computed };
	struct str text = node_text(ev, &place);
	struct diag *d = eval_report(ev, TJ0708, at->span,
		"%s must be known at compile time, but '%.*s' depends on the replica", what, STR_ARG(text));

	if (computed.start != at->span.start || computed.end != at->span.end)
		diag_note(ev->diags, d, computed, "it depends on the replica here");
	diag_help(ev->diags, d, "use a conditional value instead: NAME = if ... then ... else ...");
	g->to->failed = true;
}

void entry_set_twice(struct eval *ev, struct str key, struct span at, struct span first)
{
	struct diag *d = eval_report(ev, TJ0206, at, "'%.*s' is set twice in this body", STR_ARG(key));

	if (at.start == first.start) {
		diag_help(ev->diags, d, "each pass of the loop sets it again: "
			"write the loop's variable into the key, or set it outside of the loop");
		return;
	}
	diag_note(ev->diags, d, first, "first set here");
	diag_help(ev->diags, d, "keep one of the two");
}

static void report_inserted_twice(struct entries_gathering *g, struct str key, struct span at, struct span first)
{
	struct eval *ev = g->ev;
	struct diag *d = eval_report(ev, TJ0206, at, "'%.*s' is inserted twice in this body", STR_ARG(key));

	diag_note(ev->diags, d, first, "inserted here first");
	diag_help(ev->diags, d, "write the entry out: it then overrides both");
	g->to->failed = true;
}

/* ---- entries ---- */

static void reserve(struct entries_gathering *g, size_t room)
{
	if (room <= g->room)
		return;
	struct entry *at = ARENA_ARRAY(eval_work(g->ev), struct entry, room);
	if (g->to->n)
		memcpy(at, g->to->at, g->to->n * sizeof(*at));
	g->to->at = at;
	g->room = room;
}

static bool is_keyed(const struct entry *e)
{
	return e->key.p && !(e->item && e->item->kind == NODE_BLOCK);
}

static void index_entry(struct entries_gathering *g, size_t i)
{
	const struct entry *e = &g->to->at[i];

	if (is_keyed(e) && !map_get(&g->index, e->key))
		map_put(&g->index, eval_work(g->ev), e->key, (void *)(uintptr_t)(i + 1));
}

static const struct field *inserted_field(unsigned blocks, struct str key)
{
	for (unsigned block = 1; block <= blocks; block <<= 1) {
		const struct field *f = blocks & block ? schema_find((enum block)block, key) : NULL;
		if (f)
			return f;
	}
	return NULL;
}

static const struct field *entry_field(const struct entries_gathering *g, const struct entry *e)
{
	if (!e->item)
		return inserted_field(g->blocks, e->key);
	if (e->item->kind == NODE_SET || e->item->kind == NODE_EXTEND)
		return e->item->u.item.field;
	return e->item->kind == NODE_FIELD ? e->item->u.field.field : NULL;
}

static void push_entry(struct entries_gathering *g, struct entry e)
{
	_Static_assert(FIELDS <= 128, "the fields of a body are bits of two words");

	e.field = entry_field(g, &e);
	if (e.field) {
		g->to->fields.word[e.field->id / 64] |= (uint64_t)1 << e.field->id % 64;
		g->to->fields_end = g->to->n + 1;
	}
	if (g->to->n == g->room)
		reserve(g, 2 * g->room + 4);
	g->to->at[g->to->n++] = e;
	if (g->to->n == FEW + 1)
		for (size_t i = 0; i < FEW; i++)
			index_entry(g, i);
	if (g->to->n > FEW)
		index_entry(g, g->to->n - 1);
}

/* The first entry of a key. Most bodies are so short that a search is quicker than an index. */
static struct entry *first_of(struct entries_gathering *g, struct str key)
{
	if (!key.p)
		return NULL;
	if (g->to->n > FEW) {
		uintptr_t position = (uintptr_t)map_get(&g->index, key);
		return position ? &g->to->at[position - 1] : NULL;
	}
	for (size_t i = 0; i < g->to->n; i++)
		if (is_keyed(&g->to->at[i]) && str_eq(g->to->at[i].key, key))
			return &g->to->at[i];
	return NULL;
}

/*
 * Evaluates a key. A key that depends on the pod stays a text; any other key must be known at this point. False after
 * reporting a key that is not.
 */
static bool entry_key(struct entries_gathering *g, struct frame *f, const struct key *k, struct entry *e)
{
	struct eval *ev = g->ev;

	e->key_at = k->span;
	e->key = k->text;
	if (k->kind == KEY_NAME || k->text.p)
		return true;
	const struct value *v = eval_expr(ev, f, k->expr);
	if (v->kind == VALUE_TEXT && text_classify(&v->u.text) >= TEXT_INDEXED) {
		e->pod_key = &v->u.text;
		return true;
	}
	v = value_static(ev, v, k->expr);
	if (v->kind == VALUE_COMPUTED)
		report_pod_time(g, k->expr, v, "a key");
	g->to->failed = g->to->failed || v->kind != VALUE_STRING;
	if (v->kind == VALUE_STRING)
		e->key = v->u.string;
	return v->kind == VALUE_STRING;
}

static void gather_keyed(struct entries_gathering *g, struct frame *f, struct node *item)
{
	struct entry e = { .item = item, .frame = f };
	const struct key *k = item->kind == NODE_FIELD ? &item->u.field.key : &item->u.item.key;

	if (!entry_key(g, f, k, &e))
		return;
	struct entry *first = first_of(g, e.key);
	bool extends = item->kind == NODE_EXTEND;
	if (!first) {
		push_entry(g, e);
	} else if (!first->item && !first->joined && !extends) {        /* a written entry takes precedence over an
									 * inserted one */
		e.field = entry_field(g, &e);
		*first = e;
	} else if (extends && (!first->item || first->item->kind == NODE_EXTEND)) {
		first->joined = first->joined || !first->item;
		push_entry(g, e);
	} else {
		entry_set_twice(g->ev, e.key, e.key_at, first->key_at);
		g->to->failed = true;
	}
}

/*
 * Records an inserted setting that comes after an entry which extends it, so that it can be moved in front of that
 * entry.
 */
static void insert_late(struct entries_gathering *g, struct entry *first, struct entry e)
{
	struct late late = { .before = (size_t)(first - g->to->at), .entry = e };

	first->joined = true;
	late.entry.field = entry_field(g, &e);
	ARENA_PUSH(eval_work(g->ev), g->late, g->nlate, late);
}

static void put_late(struct entries_gathering *g)
{
	struct entries *to = g->to;
	struct entry *at = ARENA_ARRAY(eval_work(g->ev), struct entry, to->n + g->nlate);
	const struct late **of = ARENA_ARRAY(eval_work(g->ev), const struct late *, to->n);
	size_t n = 0;

	for (size_t i = 0; i < g->nlate; i++)
		of[g->late[i].before] = &g->late[i];
	for (size_t i = 0; i < to->n; i++) {
		if (of[i])
			at[n++] = of[i]->entry;
		at[n++] = to->at[i];
	}
	to->at = at;
	to->n = n;
	to->fields_end += to->fields_end ? g->nlate : 0;
}

/* The span of the key that was inserted earlier. */
static struct span inserted_at(const struct entries_gathering *g, const struct entry *first)
{
	for (size_t i = 0; first->item && i < g->nlate; i++)
		if (&g->to->at[g->late[i].before] == first)
			return g->late[i].entry.key_at;
	return first->key_at;
}

static void insert_again(struct entries_gathering *g, const struct entry *first, struct span at)
{
	struct again again = { (size_t)(first - g->to->at), at, inserted_at(g, first) };

	ARENA_PUSH(eval_work(g->ev), g->again, g->nagain, again);
}

static void report_again(struct entries_gathering *g)
{
	for (size_t i = 0; i < g->nagain; i++) {
		const struct entry *first = &g->to->at[g->again[i].first];
		if (!first->item || first->joined)
			report_inserted_twice(g, first->key, g->again[i].at, g->again[i].first_at);
	}
}

static void gather_spread(struct entries_gathering *g, struct frame *f, struct node *item)
{
	const struct value *v = eval_expr(g->ev, f, item->u.one);

	if (v->kind == VALUE_COMPUTED)
		report_pod_time(g, item->u.one, v, "what is inserted");
	if (v->kind != VALUE_MAP) {
		g->to->failed = g->to->failed || v->kind != VALUE_NONE;
		return;
	}
	for (size_t i = 0; i < v->u.map.index.n && eval_step(g->ev, item->span); i++) {
		const struct value_entry *inserted = v->u.map.index.entries[i].value;
		struct entry *first = first_of(g, inserted->key);
		struct span key_at = in_user_text(g->ev, inserted->key_at) ? inserted->key_at : item->span;
		struct entry e = { .key = inserted->key, .key_at = key_at, .value = inserted->value, .frame = f };
		if (!first)
			push_entry(g, e);
		else if (!first->item || first->joined)
			insert_again(g, first, item->span);
		else if (first->item->kind == NODE_EXTEND)
			insert_late(g, first, e);
	}
}

/* ---- if, for ---- */

/* The branch whose condition holds: a NODE_BODY, or NULL. The chain of `else if` may have any length. */
static struct node *branch(struct entries_gathering *g, struct frame *f, struct node *item)
{
	while (item && item->kind == NODE_IF_ITEM) {
		struct node *condition = item->u.if_item.condition;
		const struct value *v = value_static(g->ev, eval_expr(g->ev, f, condition), condition);
		if (v->kind == VALUE_COMPUTED)
			report_pod_time(g, condition, v, "the condition of an 'if'");
		if (v->kind != VALUE_BOOL) {
			g->to->failed = true;
			return NULL;
		}
		if (v->u.boolean)
			return item->u.if_item.then;
		item = item->u.if_item.otherwise;
	}
	return item && item->kind == NODE_BODY ? item : NULL;
}

static void gather_for(struct entries_gathering *g, struct frame *f, struct node *item)
{
	struct eval_loop loop;
	const struct value *stop = loop_begin(g->ev, f, item->u.for_item.list, item->u.for_item.binders,
		item->u.for_item.nbinders, &loop);

	if (stop) {
		if (stop->kind == VALUE_COMPUTED)
			report_pod_time(g, item->u.for_item.list, stop, "the list of a 'for'");
		g->to->failed = true;
		return;
	}
	for (size_t i = 0; i < loop.n && eval_step(g->ev, item->span); i++) {
		struct frame *inner = frame_new(g->ev, f);      /* a new frame for each pass, since entries keep theirs
								 */
		loop_bind(g->ev, &loop, i, inner);
		gather_body(g, inner, item->u.for_item.body);
	}
}

static void gather_item(struct entries_gathering *g, struct frame *f, struct node *item)
{
	switch (item->kind) {
	case NODE_SET:
	case NODE_EXTEND:
	case NODE_FIELD: gather_keyed(g, f, item); break;
	case NODE_BLOCK:
		push_entry(g, (struct entry){ .item = item, .key = item->u.block.name,
			.key_at = item->u.block.name_span, .frame = f });
		break;
	case NODE_CHECK: push_entry(g, (struct entry){ .item = item, .frame = f }); break;
	case NODE_SPREAD: gather_spread(g, f, item); break;
	case NODE_FOR_ITEM: gather_for(g, f, item); break;
	case NODE_IF_ITEM: {
		struct node *body = branch(g, f, item);
		if (body)
			gather_body(g, f, body);
		break;
	}
	case NODE_BAD: g->to->failed = true; break;
	default: break;
	}
}

/* A frame with the lets of a body; F itself when it has no lets. */
static struct frame *body_frame(struct eval *ev, struct frame *f, const struct node *body)
{
	struct frame *own = NULL;

	for (size_t i = 0; i < body->u.body.items.n; i++) {
		struct node *item = body->u.body.items.at[i];
		if (item->kind != NODE_LET || !item->u.binding.decl)
			continue;
		if (!own)
			own = frame_new(ev, f);
		frame_bind_lazy(ev, own, item->u.binding.decl, item->u.binding.value, own);
	}
	return own ? own : f;
}

static void gather_body(struct entries_gathering *g, struct frame *f, struct node *body)
{
	f = body_frame(g->ev, f, body);
	if (!g->to->frame)
		g->to->frame = f;
	for (size_t i = 0; i < body->u.body.items.n && eval_list_fits(g->ev, g->to->n, body->span); i++)
		gather_item(g, f, body->u.body.items.at[i]);
}

struct entries *eval_block(struct eval *ev, struct frame *f, struct node *body, unsigned blocks)
{
	struct entries_gathering g = { .ev = ev, .to = ARENA_NEW(eval_work(ev), struct entries), .blocks = blocks };

	reserve(&g, body->u.body.items.n);
	gather_body(&g, f, body);
	report_again(&g);
	if (g.nlate)
		put_late(&g);
	g.to->failed = g.to->failed || ev->exhausted;
	return g.to;
}

struct entries *eval_entries(struct eval *ev, struct frame *f, struct node *body) { return eval_block(ev, f, body, 0); }
