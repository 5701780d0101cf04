/*
 * occurrence.c - finds the names in each kind of node. A name that the checker did not mark, because of an error
 * there, has no occurrence. The field that a map belongs to decides what its keys are: keys of `env` are variables,
 * those of `ports` are ports.
 */
#include "lsp/occurrence.h"

#include "syntax/walk.h"

enum map_keys { KEYS_PLAIN, KEYS_ENV, KEYS_PORTS, KEYS_PARAMETERS };

struct walk {
	const struct program *program;
	struct module *module;
	occurrence_visit *each;
	void *to;
	enum map_keys keys;             /* kind of the keys of the map that is being visited */
	const struct module *params;    /* for KEYS_PARAMETERS: the module that declares the parameters */
	const struct decl *role;        /* the role that is being visited; NULL outside a role */
};

static void visit_node(void *to, struct node *n);

static void tell_occurrence(struct walk *w, struct occurrence o)
{
	if (o.at.end > o.at.start)
		w->each(w->to, &o);
}

static void tell_decl(struct walk *w, struct span at, const struct decl *d, struct node *n, bool declares)
{
	if (d && d->kind != DECL_BAD)
		tell_occurrence(w, (struct occurrence){ .kind = OCCURRENCE_DECL, .at = at, .word = d->name, .decl = d,
			.node = n, .type = n->type, .declares = declares });
}

static void tell_word(struct walk *w, enum occurrence_kind kind, struct span at, struct str word, struct node *n,
	bool declares)
{
	tell_occurrence(w, (struct occurrence){ .kind = kind, .at = at, .word = word, .node = n, .decl = w->role,
		.declares = declares });
}

/* Returns the source range of a plain text, without its quotes. */
static struct span text_span(const struct node *text)
{
	bool long_quotes = text->u.string.block;
	uint32_t open = (long_quotes ? 3 : 1) + text->u.string.raw, close = long_quotes ? 3 : 1;
	struct span at = { text->span.start + open, text->span.end - close };

	return at.end > at.start && at.end < text->span.end ? at : (struct span){ 0, 0 };
}

/* ---- occurrences of type names ---- */

static struct decl *type_named(const struct module *m, const struct node *ref)
{
	struct str *path = ref->u.type_ref.path;

	if (ref->u.type_ref.depth == 1)
		return map_get(&m->types, path[0]);
	if (ref->u.type_ref.depth != 2)
		return NULL;
	const struct decl *import = map_get(&m->values, path[0]);
	const struct module *from = import && import->kind == DECL_IMPORT ? import->node->u.import.module : NULL;
	return from ? map_get(&from->types, path[1]) : NULL;
}

static void walk_type(struct walk *w, struct node *n)
{
	size_t last = n->u.type_ref.depth;
	struct decl *d = type_named(w->module, n);

	if (!last)
		return;
	if (last == 2)
		tell_decl(w, n->u.type_ref.path_spans[0], map_get(&w->module->values, n->u.type_ref.path[0]), n, false);
	if (d)
		tell_decl(w, n->u.type_ref.path_spans[last - 1], d, n, false);
	else if (last == 1)
		tell_word(w, OCCURRENCE_TYPE, n->u.type_ref.path_spans[0], n->u.type_ref.path[0], n, false);
}

/* ---- members, calls ---- */

static void walk_member(struct walk *w, struct node *n)
{
	const struct type *base = n->u.member.base->type;
	struct str name = n->u.member.name;

	if (n->u.member.decl) {
		tell_decl(w, n->u.member.name_span, n->u.member.decl, n, false);
		return;
	}
	base = base ? type_strip_pod(type_strip_optional(base)) : NULL;
	const struct decl *of_cell = check_cell_role(base, name);
	if (of_cell) {
		tell_decl(w, n->u.member.name_span, of_cell, n, false);
		return;
	}
	if (base && base->kind == TYPE_RECORD) {
		for (size_t i = 0; i < base->record->nfields; i++)
			if (name_eq(base->record->fields[i].name, name))
				tell_occurrence(w, (struct occurrence){ .kind = OCCURRENCE_RECORD_FIELD,
					.at = n->u.member.name_span, .word = name,
					.decl = base->record, .record = &base->record->fields[i], .node = n,
					.type = n->type });
		return;
	}
	if (base && base->kind == TYPE_PORTS) {
		const struct node *role = n->u.member.base->kind == NODE_MEMBER ? n->u.member.base->u.member.base
			: NULL;
		const struct decl *d = role && role->kind == NODE_NAME ? role->u.name.decl : NULL;
		tell_occurrence(w, (struct occurrence){ .kind = OCCURRENCE_PORT, .at = n->u.member.name_span,
			.word = name, .node = n, .decl = d });
		return;
	}
	tell_occurrence(w, (struct occurrence){ .kind = OCCURRENCE_MEMBER, .at = n->u.member.name_span, .word = name,
		.node = n, .base = base, .type = n->type });
}

/* Visits the text of `worker.address(0, "ring")`, which is the name of a port. */
static void walk_port_argument(struct walk *w, struct node *call)
{
	const struct node *callee = call->u.call.callee;
	bool asks = callee->kind == NODE_MEMBER && !callee->u.member.decl && callee->u.member.base->type &&
		type_strip_pod(callee->u.member.base->type)->kind == TYPE_ROLE;

	for (size_t i = 0; asks && i < call->u.call.args.n; i++) {
		struct node *value = call->u.call.args.at[i]->u.arg.value;
		struct str text;
		if (!value || value->kind != NODE_STRING || !node_static_text(value, &text))
			continue;
		const struct node *base = callee->u.member.base;
		tell_occurrence(w, (struct occurrence){ .kind = OCCURRENCE_PORT, .at = text_span(value), .word = text,
			.node = value, .quoted = true, .decl = base->kind == NODE_NAME ? base->u.name.decl : NULL });
	}
}

static const struct decl *formal_named(const struct decl *target, struct str name)
{
	for (size_t i = 0; target && i < target->nformals; i++)
		if (name_eq(target->formals[i]->name, name))
			return target->formals[i];
	return NULL;
}

static void walk_arguments(struct walk *w, struct nodes args, const struct decl *target)
{
	for (size_t i = 0; i < args.n; i++) {
		struct node *arg = args.at[i];
		if (arg->kind != NODE_ARG || !arg->u.arg.name.p)
			continue;
		const struct decl *formal = formal_named(target, arg->u.arg.name);
		if (formal)
			tell_decl(w, arg->u.arg.name_span, formal, arg, false);
		else
			tell_word(w, OCCURRENCE_ARGUMENT, arg->u.arg.name_span, arg->u.arg.name, arg, false);
	}
}

/* ---- occurrences in the items of a body ---- */

static enum map_keys keys_of(const struct field *f)
{
	if (!f)
		return KEYS_PLAIN;
	if (f->id == FIELD_TEST_SET)
		return KEYS_PARAMETERS;
	return f->id == FIELD_ENV || f->id == FIELD_DEVICE_ENV ? KEYS_ENV : f->id == FIELD_PORTS ? KEYS_PORTS
		: KEYS_PLAIN;
}

static const struct type *body_type(const struct node *body)
{
	const struct type *t = body->convert_to ? body->convert_to : body->type;

	return t ? type_strip_pod(type_strip_optional(t)) : NULL;
}

static void tell_key(struct walk *w, struct node *item, const struct node *body)
{
	const struct key *key = &item->u.item.key;
	const struct type *t = body ? body_type(body) : NULL;
	bool quoted = key->kind == KEY_STRING;
	struct span at = { key->span.start + quoted, key->span.end - quoted };

	if (!key->text.p)
		return;
	if (item->u.item.field) {
		tell_occurrence(w, (struct occurrence){ .kind = OCCURRENCE_FIELD, .at = at, .word = key->text,
			.field = item->u.item.field, .node = item, .writes = true });
		return;
	}
	for (size_t i = 0; t && t->kind == TYPE_RECORD && i < t->record->nfields; i++) {
		if (!name_eq(t->record->fields[i].name, key->text))
			continue;
		tell_occurrence(w, (struct occurrence){ .kind = OCCURRENCE_RECORD_FIELD, .at = at, .word = key->text,
			.decl = t->record,
			.record = &t->record->fields[i], .node = item, .writes = true, .quoted = quoted });
		return;
	}
	struct decl *param = w->keys == KEYS_PARAMETERS ? map_get(&w->params->values, key->text) : NULL;
	if (param && param->kind == DECL_PARAM) {
		tell_occurrence(w, (struct occurrence){ .kind = OCCURRENCE_DECL, .at = at, .word = key->text,
			.decl = param, .node = item, .writes = true });
		return;
	}
	enum occurrence_kind kind = w->keys == KEYS_ENV ? OCCURRENCE_VARIABLE : w->keys == KEYS_PORTS ? OCCURRENCE_PORT
		: OCCURRENCE_KEY;
	tell_occurrence(w, (struct occurrence){ .kind = kind, .at = at, .word = key->text, .decl = w->role,
		.node = item, .declares = true, .quoted = quoted });
}

static void walk_item(struct walk *w, struct node *n, const struct node *body)
{
	enum map_keys keys = w->keys;

	tell_key(w, n, body);
	if (n->u.item.key.expr)
		visit_node(w, n->u.item.key.expr);
	w->keys = n->u.item.field ? keys_of(n->u.item.field) : KEYS_PLAIN;
	if (n->u.item.value)
		visit_node(w, n->u.item.value);
	w->keys = keys;
}

static void walk_field(struct walk *w, struct node *n)
{
	struct decl *d = NULL;

	if (n->u.field.field)
		tell_occurrence(w, (struct occurrence){ .kind = OCCURRENCE_FIELD, .at = n->u.field.key.span,
			.word = n->u.field.key.text, .field = n->u.field.field, .node = n, .writes = true });
	for (size_t i = 0; !n->u.field.field && i < w->module->types.n; i++) {
		d = w->module->types.entries[i].value;
		for (size_t k = 0; k < d->nfields; k++)
			if (d->fields[k].span.start == n->u.field.key.span.start)
				tell_occurrence(w, (struct occurrence){ .kind = OCCURRENCE_RECORD_FIELD,
					.at = n->u.field.key.span,
					.word = n->u.field.key.text, .decl = d, .record = &d->fields[k], .node = n,
					.declares = true });
	}
	node_children(n, visit_node, w);
}

static void walk_block(struct walk *w, struct node *n)
{
	const struct decl *role = w->role;

	tell_word(w, OCCURRENCE_BLOCK, n->u.block.word_span, n->u.block.word, n, false);
	if (n->u.block.decl)
		tell_decl(w, n->u.block.name_span, n->u.block.decl, n, true);
	else if (!str_is(n->u.block.word, "raw"))
		tell_word(w, OCCURRENCE_BLOCK_NAME, n->u.block.name_span, n->u.block.name, n, true);
	if (n->u.block.decl)
		w->role = n->u.block.decl;
	node_children(n, visit_node, w);
	w->role = role;
}

static void walk_items(struct walk *w, struct node *body)
{
	for (size_t i = 0; i < body->u.body.items.n; i++) {
		struct node *item = body->u.body.items.at[i];
		if (item->kind == NODE_SET || item->kind == NODE_EXTEND)
			walk_item(w, item, body);
		else
			visit_node(w, item);
	}
}

/* ---- declarations ---- */

static void walk_import(struct walk *w, struct node *n)
{
	const struct decl *d = n->u.import.decl;

	tell_occurrence(w, (struct occurrence){ .kind = OCCURRENCE_MODULE, .at = n->u.import.path_span,
		.module = n->u.import.module, .node = n, .decl = d });
	if (d && n->u.import.alias_span.start > n->u.import.path_span.end)
		tell_decl(w, n->u.import.alias_span, d, n, true);
	if (!n->u.import.body || !n->u.import.module)
		return;
	w->keys = KEYS_PARAMETERS;
	w->params = n->u.import.module;
	node_children(n, visit_node, w);
	w->params = w->module;
	w->keys = KEYS_PLAIN;
}

static void tell_binders(struct walk *w, struct binder *binders, unsigned n, struct node *node)
{
	for (unsigned i = 0; i < n; i++)
		tell_decl(w, binders[i].span, binders[i].decl, node, true);
}

static void walk_job(struct walk *w, struct node *n)
{
	tell_binders(w, n->u.job.binders, n->u.job.nbinders, n);
	for (size_t i = 0; i < n->u.job.nmore; i++)
		tell_binders(w, n->u.job.more[i].binders, n->u.job.more[i].nbinders, n);
	if (n->u.job.title->kind == NODE_STRING)
		tell_word(w, OCCURRENCE_JOB, text_span(n->u.job.title), STR("job"), n, true);
	walk_arguments(w, n->u.job.args, n->u.job.framework);
	node_children(n, visit_node, w);
}

/* Returns the framework that another framework wraps. */
static const struct decl *wrapped_base(const struct node *n)
{
	const struct decl *d = !n ? NULL : n->kind == NODE_NAME ? n->u.name.decl : n->kind == NODE_MEMBER
		? n->u.member.decl : NULL;

	return d && d->kind == DECL_FRAMEWORK ? d : NULL;
}

static void walk_titled(struct walk *w, struct node *n)
{
	enum map_keys keys = w->keys;

	if (n->kind == NODE_PROFILE)
		tell_word(w, OCCURRENCE_TITLE, n->u.titled.name_span, n->u.titled.name, n, true);
	else if (n->u.titled.title && n->u.titled.title->kind == NODE_STRING)
		tell_word(w, OCCURRENCE_TITLE, text_span(n->u.titled.title), STR(""), n, true);
	w->keys = n->kind == NODE_PROFILE ? KEYS_PARAMETERS : KEYS_PLAIN;
	node_children(n, visit_node, w);
	w->keys = keys;
}

/* ---- texts ---- */

static void walk_string(struct walk *w, struct node *n)
{
	const struct type *t = n->convert_to ? n->convert_to : n->type;
	struct str text;

	t = t ? type_strip_pod(type_strip_optional(t)) : NULL;
	if (t && t->kind == TYPE_ENUM && node_static_text(n, &text))
		tell_occurrence(w, (struct occurrence){ .kind = OCCURRENCE_CHOICE, .at = text_span(n), .word = text,
			.node = n, .type = t, .quoted = true });
	node_children(n, visit_node, w);
}

static void visit_node(void *to, struct node *n)
{
	struct walk *w = to;

	switch (n->kind) {
	case NODE_IMPORT: walk_import(w, n); return;
	case NODE_PARAM: case NODE_LET: case NODE_FORMAL:
		tell_decl(w, n->u.binding.name_span, n->u.binding.decl, n, true);
		break;
	case NODE_FN: tell_decl(w, n->u.fn.name_span, n->u.fn.decl, n, true); break;
	case NODE_TYPE: tell_decl(w, n->u.type_decl.name_span, n->u.type_decl.decl, n, true); break;
	case NODE_FRAMEWORK: case NODE_ACCELERATOR:
		tell_decl(w, n->u.blueprint_decl.name_span, n->u.blueprint_decl.decl, n, true);
		walk_arguments(w, n->u.blueprint_decl.args, wrapped_base(n->u.blueprint_decl.base));
		break;
	case NODE_JOB: walk_job(w, n); return;
	case NODE_PROFILE: case NODE_TEST: case NODE_POLICY: case NODE_PROJECT: walk_titled(w, n); return;
	case NODE_SET: case NODE_EXTEND:
		walk_item(w, n, NULL);
		return;
	case NODE_FIELD: walk_field(w, n); return;
	case NODE_BLOCK: walk_block(w, n); return;
	case NODE_FOR_ITEM: tell_binders(w, n->u.for_item.binders, n->u.for_item.nbinders, n); break;
	case NODE_LIST_FOR: tell_binders(w, n->u.list_for.binders, n->u.list_for.nbinders, n); break;
	case NODE_TYPE_REF: walk_type(w, n); break;
	case NODE_NAME: tell_decl(w, n->span, n->u.name.decl, n, false); return;
	case NODE_MEMBER: walk_member(w, n); break;
	case NODE_CALL: walk_port_argument(w, n); walk_arguments(w, n->u.call.args, n->u.call.target); break;
	case NODE_STRING: walk_string(w, n); return;
	case NODE_BODY: walk_items(w, n); return;
	default: break;
	}
	node_children(n, visit_node, w);
}

void occurrences_visit(const struct program *p, struct module *m, occurrence_visit *each, void *to)
{
	struct walk w = { .program = p, .module = m, .params = m, .each = each, .to = to };

	if (m->file)
		node_children(m->file, visit_node, &w);
}

/* ---- questions ---- */

struct asking {
	uint32_t offset;
	struct occurrence *found;
	bool any;
};

static void look_at_occurrence(void *to, const struct occurrence *o)
{
	struct asking *a = to;
	bool holds = o->at.start <= a->offset && a->offset <= o->at.end;

	if (holds && (!a->any || o->at.start >= a->found->at.start)) {
		*a->found = *o;
		a->any = true;
	}
}

bool occurrence_at(const struct program *p, struct module *m, uint32_t offset, struct occurrence *ret)
{
	struct asking a = { offset, ret, false };

	occurrences_visit(p, m, look_at_occurrence, &a);
	return a.any;
}

const struct decl *occurrence_origin(const struct decl *d)
{
	return d && d->kind == DECL_ROLE && d->origin ? d->origin : d;
}

bool occurrence_same(const struct occurrence *a, const struct occurrence *b)
{
	const struct decl *x = occurrence_origin(a->decl), *y = occurrence_origin(b->decl);

	/* the name that an import binds is declared by the import, so two modules are compared by declaration */
	if (a->kind == OCCURRENCE_MODULE || b->kind == OCCURRENCE_MODULE)
		return x && x == y;
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case OCCURRENCE_DECL: return x == y || (x && y && span_known(x->span) && x->span.start == y->span.start);
	case OCCURRENCE_FIELD: return a->field == b->field;
	case OCCURRENCE_RECORD_FIELD: return a->record == b->record;
	case OCCURRENCE_PORT: return x && x == y && str_eq(a->word, b->word);
	case OCCURRENCE_CHOICE: return a->type == b->type && str_eq(a->word, b->word);
	case OCCURRENCE_JOB: case OCCURRENCE_TITLE: case OCCURRENCE_BLOCK_NAME: return a->at.start == b->at.start;
	case OCCURRENCE_MEMBER: return a->base && b->base && a->base->kind == b->base->kind && str_eq(a->word, b->word);
	default: return str_eq(a->word, b->word);
	}
}
