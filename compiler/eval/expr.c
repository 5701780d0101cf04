/*
 * expr.c - evaluates expressions: literals, names, lists, conditions. It relies on the checker: an error in a node of
 * TYPE_BAD was already reported, so the value silently becomes VALUE_BAD. VALUE_COMPUTED passes through every
 * operation, because everything that depends on it is evaluated again for each replica.
 */
#include "eval/internal.h"

void eval_init(struct eval *ev, struct arena *a, struct program *p, const struct settings *settings)
{
	*ev = (struct eval){ .arena = a, .program = p, .diags = p->diags, .settings = settings, .pod_index = -1,
		.types = { .arena = a, .names = p->names } };
}

void eval_release(struct eval *ev)
{
	arena_release(&ev->work);
}

/* ---- literals ---- */

static const struct type *place_type(const struct node *n)
{
	const struct type *t = n->convert_to ? n->convert_to : n->type;

	while (t && (t->kind == TYPE_OPTIONAL || t->kind == TYPE_POD))
		t = t->elem;
	return t;
}

static const struct value *report_list_size(struct eval *ev, struct node *n)
{
	struct str text = node_text(ev, n);

	eval_report(ev, TJ0301, n->span, "%.*s does not fit in 64 bits", STR_ARG(text));
	return &value_bad;
}

static const struct value *eval_int(struct eval *ev, struct node *n)
{
	if (n->u.integer.value > INT64_MAX)
		return report_list_size(ev, n);
	return value_int(ev->arena, (int64_t)n->u.integer.value, n->span);
}

/* The amount of a literal; the checker has made sure that it is valid. */
static const struct value *literal_amount(struct eval *ev, struct str word, enum type_kind unit, struct span at)
{
	struct quantity q;
	enum quantity_error e = unit == TYPE_DURATION ? duration_parse(word, &q) : quantity_parse(word, &q);

	return e ? &value_bad : value_quantity(ev->arena, q, unit, at);
}

static const struct value *eval_float(struct eval *ev, struct node *n)
{
	const struct type *t = place_type(n);

	if (t && type_is_quantity(t))           /* exact, because the number is not converted by way of a double */
		return literal_amount(ev, n->u.floating.word, t->kind, n->span);
	return value_float(ev->arena, n->u.floating.value, n->span);
}

static const struct value *eval_quantity(struct eval *ev, struct node *n)
{
	const struct type *t = n->type && type_is_quantity(n->type) ? n->type : place_type(n);
	enum type_kind unit = t && type_is_quantity(t) ? t->kind
	                    : quantity_unit(n->u.quantity.word) == UNIT_DURATION ? TYPE_DURATION : TYPE_CPU;

	return literal_amount(ev, n->u.quantity.word, unit, n->span);
}

static const struct value *eval_topology(struct eval *ev, struct node *n)
{
	struct value *v = value_new(ev->arena, VALUE_TOPOLOGY, n->span);

	v->u.topology.n = n->u.topology.n;
	memcpy(v->u.topology.size, n->u.topology.size, sizeof(v->u.topology.size));
	return v;
}

/* ---- strings ---- */

static const struct value *eval_string(struct eval *ev, struct frame *f, struct node *n)
{
	struct str plain;
	struct pieces p;
	const struct value *stop = NULL;

	if (node_static_text(n, &plain))
		return value_string(ev->arena, plain, n->span);
	pieces_init(&p, ev->arena);
	for (size_t i = 0; i < n->u.string.n; i++) {
		const struct string_part *part = &n->u.string.parts[i];
		if (!part->expr) {
			buf_str(&p.text, part->text);
			continue;
		}
		const struct value *v = eval_expr(ev, f, part->expr);
		if (!value_ok(v))               /* continue, because other parts may have errors too */
			stop = stop && stop->kind == VALUE_BAD ? stop : v;
		else if (!pieces_value(&p, v))
			stop = &value_bad;
	}
	if (!stop)
		return pieces_take(&p, ev, n->span);
	pieces_release(&p);
	return stop;
}

/* ---- lists ---- */

static const struct value *eval_list(struct eval *ev, struct frame *f, struct node *n)
{
	struct value *list = value_new(ev->arena, VALUE_LIST, n->span);
	const struct value *stop = NULL;

	if (!eval_list_fits(ev, n->u.list.n, n->span))
		return &value_bad;
	list->u.list.at = ARENA_ARRAY(ev->arena, const struct value *, n->u.list.n);
	for (size_t i = 0; i < n->u.list.n; i++) {
		const struct value *v = eval_expr(ev, f, n->u.list.at[i]);
		if (!value_ok(v))
			stop = stop && stop->kind == VALUE_BAD ? stop : v;
		list->u.list.at[list->u.list.n++] = v;
	}
	return stop ? stop : list_finish(ev, list);
}

const struct value *loop_begin(struct eval *ev, struct frame *f, struct node *list, const struct binder *binders,
	unsigned n, struct eval_loop *ret)
{
	const struct value *over = eval_expr(ev, f, list);

	if (!value_ok(over))
		return over;
	if (over->kind != VALUE_LIST && over->kind != VALUE_MAP)
		return &value_bad;
	*ret = (struct eval_loop){ over, binders, n, over->kind == VALUE_LIST ? over->u.list.n : over->u.map.index.n };
	return NULL;
}

static void set_binder(struct eval *ev, struct frame *f, const struct binder *b, size_t position, const struct value *v)
{
	if (position < f->n) {          /* reuses a frame for the next element */
		f->at[position]->slot.value = v;
		return;
	}
	frame_bind(ev, f, b->decl, v);
}

void loop_bind(struct eval *ev, const struct eval_loop *l, size_t i, struct frame *f)
{
	if (l->over->kind == VALUE_LIST) {
		if (l->nbinders == 2)
			set_binder(ev, f, &l->binders[0], 0, value_int(ev->arena, (int64_t)i, l->over->from));
		set_binder(ev, f, &l->binders[l->nbinders - 1], l->nbinders - 1, l->over->u.list.at[i]);
		return;
	}
	const struct value_entry *e = l->over->u.map.index.entries[i].value;
	set_binder(ev, f, &l->binders[0], 0, value_string(ev->arena, e->key, e->key_at));
	if (l->nbinders == 2)
		set_binder(ev, f, &l->binders[1], 1, e->value);
}

/*
 * Evaluates the filter of a loop. Returns 1 to take the element, 0 to leave it out, and -1 if the condition has no
 * value; then *RET_STOP is the result of the loop.
 */
static int filter(struct eval *ev, struct frame *f, struct node *n, const struct value **ret_stop)
{
	if (!n)
		return 1;
	const struct value *v = value_static(ev, eval_expr(ev, f, n), n);
	if (v->kind == VALUE_BOOL)
		return v->u.boolean;
	*ret_stop = value_ok(v) ? &value_bad : v;
	return -1;
}

static bool list_add_all(struct eval *ev, struct value *list, const struct value *elements)
{
	for (size_t i = 0; elements->kind == VALUE_LIST && i < elements->u.list.n; i++)
		if (!list_add(ev, list, elements->u.list.at[i]))
			return false;
	return true;
}

static const struct value *eval_list_for(struct eval *ev, struct frame *f, struct node *n)
{
	struct value *list = value_new(ev->arena, VALUE_LIST, n->span);
	struct eval_loop loop;
	const struct value *stop = loop_begin(ev, f, n->u.list_for.list, n->u.list_for.binders, n->u.list_for.nbinders,
		&loop);

	if (stop)
		return stop;
	struct frame *inner = frame_new(ev, f);
	for (size_t i = 0; i < loop.n && !(stop && stop->kind == VALUE_BAD); i++) {
		loop_bind(ev, &loop, i, inner);
		if (filter(ev, inner, n->u.list_for.filter, &stop) != 1)
			continue;
		const struct value *v = eval_expr(ev, inner, n->u.list_for.value);
		if (!value_ok(v))
			stop = v;
		else if (n->u.list_for.flat ? !list_add_all(ev, list, v) : !list_add(ev, list, v))
			return &value_bad;
	}
	return stop ? stop : list_finish(ev, list);
}

/* ---- names ---- */

static const struct value *builtin_name(struct eval *ev, const struct decl *d, struct span at)
{
	if (str_is(d->name, "cluster"))
		return value_new(ev->arena, VALUE_CLUSTER, at);
	if (str_is(d->name, "pod"))
		return value_new(ev->arena, VALUE_POD, at);
	if (str_is(d->name, "roles"))
		return ev->test && ev->test->roles ? ev->test->roles(ev->test->context, ev, at) : &value_bad;
	ev->self_reads++;
	if (!ev->self) {
		struct diag *none = eval_report(ev, TJ0201, at,
			"'self' is the role being built, and this is outside of any role");
		diag_help(ev->diags, none, "name the role that you mean");
		return &value_bad;
	}
	struct value *v = value_new(ev->arena, VALUE_ROLE, at);
	v->u.role = ev->self;
	return v;
}

static const struct value *eval_decl(struct eval *ev, struct frame *f, const struct decl *d, struct span at)
{
	switch (d->kind) {
	case DECL_PARAM: return eval_global(ev, d);
	case DECL_LET: return d->global ? eval_global(ev, d) : eval_local(ev, f, d);
	case DECL_FORMAL:
	case DECL_LOOP: return eval_local(ev, f, d);
	case DECL_ROLE: return role_by_decl(ev, d, at);
	case DECL_CELL: return cell_by_decl(ev, d, at);
	case DECL_BUILTIN: return builtin_name(ev, d, at);
	case DECL_BUILTIN_FN: return builtin_word(ev, d, at);
	default: return &value_bad;
	}
}

static const struct value *eval_name(struct eval *ev, struct frame *f, struct node *n)
{
	return n->u.name.decl ? eval_decl(ev, f, n->u.name.decl, n->span) : &value_bad;
}

/* ---- choices ---- */

/* Evaluates `if`. A loop instead of a recursion, because `else if` may repeat any number of times. */
static const struct value *eval_if(struct eval *ev, struct frame *f, struct node *n)
{
	for (; n && n->kind == NODE_IF; n = n->u.if_expr.otherwise) {
		struct node *condition = n->u.if_expr.condition;
		const struct value *c = value_static(ev, eval_expr(ev, f, condition), condition);
		if (c->kind != VALUE_BOOL)
			return value_ok(c) ? &value_bad : c;
		if (c->u.boolean)
			return eval_expr(ev, f, n->u.if_expr.then);
	}
	return n ? eval_expr(ev, f, n) : &value_bad;
}

/* Evaluates `let ... in`. As everywhere, a name that nothing reads is not evaluated. */
static const struct value *eval_let_in(struct eval *ev, struct frame *f, struct node *n)
{
	struct node *let = n->u.op.left;
	struct frame *inner = frame_new(ev, f);

	if (let->kind != NODE_LET || !let->u.binding.decl)
		return &value_bad;
	frame_bind_lazy(ev, inner, let->u.binding.decl, let->u.binding.value, f);
	return eval_expr(ev, inner, n->u.op.right);
}

static const struct value *eval_coalesce(struct eval *ev, struct frame *f, struct node *n)
{
	const struct value *v = eval_expr(ev, f, n->u.op.left);

	return v->kind == VALUE_NONE ? eval_expr(ev, f, n->u.op.right) : v;
}

/* ---- members of modules and of values ---- */

static const struct value *report_no_member(struct eval *ev, const struct value *v, struct str name, struct span at)
{
	struct str what = value_phrase(ev->arena, v);

	eval_report(ev, TJ0202, at, "%.*s has no field '%.*s'", STR_ARG(what), STR_ARG(name));
	return &value_bad;
}

static const struct value *elastic_member(struct eval *ev, const struct value *v, struct node *n)
{
	if (str_is(n->u.member.name, "min"))
		return value_int(ev->arena, v->u.range.lo, v->from);
	if (str_is(n->u.member.name, "max"))
		return value_int(ev->arena, v->u.range.hi, v->from);
	return report_no_member(ev, v, n->u.member.name, n->u.member.name_span);
}

static const struct value *topology_member(struct eval *ev, const struct value *v, struct node *n)
{
	struct str name = n->u.member.name;
	int axis = name.n == 1 ? name.p[0] - 'x' : -1;

	if (axis < 0 || axis > 2)
		return report_no_member(ev, v, name, n->u.member.name_span);
	if (axis < (int)v->u.topology.n)
		return value_int(ev->arena, v->u.topology.size[axis], v->from);
	struct str text = value_spell(ev->arena, v);
	struct diag *d = eval_report(ev, TJ0604, n->u.member.name_span, "%.*s has two dimensions, x and y",
		STR_ARG(text));
	diag_note(ev->diags, d, v->from, "the topology is written here");
	return &value_bad;
}

/* Records the read of a member of the planned job (policy_value.c), since it can decide a check just as a field can. */
static const struct value *planned_member(struct eval *ev, const struct value *base, const struct value *v,
	struct str name)
{
	if (base->number && ev->reads && value_ok(v) && span_known(v->from))
		eval_read(ev, v->from, name, v);
	return v;
}

/* Is N a record of the fields of a block (Role, Sidecar), or one of the compiler's own (limits, security)? */
static bool of_bundle(const struct node *n)
{
	const struct type *t = n->type ? type_strip_pod(type_strip_optional(n->type)) : NULL;
	return t && t->kind == TYPE_RECORD && (t->record->partial || !span_known(t->record->span));
}

static const struct value *eval_member(struct eval *ev, struct frame *f, struct node *n)
{
	struct str name = n->u.member.name;

	if (n->u.member.decl)
		return eval_decl(ev, f, n->u.member.decl, n->span);
	const struct value *base = eval_expr(ev, f, n->u.member.base);
	switch (base->kind) {
	case VALUE_BAD:
	case VALUE_COMPUTED: return base;
	case VALUE_MAP:
		if (of_bundle(n->u.member.base) && !value_get(base, name))
			return &value_none;     /* what such a record leaves out is none */
		return planned_member(ev, base, map_lookup(ev, base, name, n->u.member.name_span), name);
	case VALUE_ELASTIC:
	case VALUE_RANGE: return elastic_member(ev, base, n);
	case VALUE_TOPOLOGY: return topology_member(ev, base, n);
	case VALUE_ROLE: return role_member(ev, base->u.role, name, n);
	case VALUE_COPY: return copy_member(ev, base->u.copy, name, n);
	case VALUE_LIST:
		if (base->u.list.n && base->u.list.at[0]->kind == VALUE_COPY)
			return cell_member(ev, base, name, n);
		return report_no_member(ev, base, name, n->u.member.name_span);
	case VALUE_LAYOUT: return layout_member(ev, base->u.role, name, n);
	case VALUE_PORTS: return role_port_number(ev, base->u.role, name, n);
	case VALUE_CLUSTER: return cluster_member(ev, name, n);
	case VALUE_POD: return pod_member(ev, name, n);
	/* replicas that are a fixed number serve as their own `min` and `max` */
	case VALUE_INT:
		if (str_is(name, "min") || str_is(name, "max"))
			return base;
		return report_no_member(ev, base, name, n->u.member.name_span);
	default: return report_no_member(ev, base, name, n->u.member.name_span);
	}
}

/* ---- entry points ---- */

static const struct value *eval_kind(struct eval *ev, struct frame *f, struct node *n)
{
	switch (n->kind) {
	case NODE_NAME: return eval_name(ev, f, n);
	case NODE_INT: return eval_int(ev, n);
	case NODE_FLOAT: return eval_float(ev, n);
	case NODE_QUANTITY: return eval_quantity(ev, n);
	case NODE_TOPOLOGY: return eval_topology(ev, n);
	case NODE_BOOL: return value_bool(ev->arena, n->u.boolean, n->span);
	case NODE_NONE: return value_new(ev->arena, VALUE_NONE, n->span);
	case NODE_STRING: return eval_string(ev, f, n);
	case NODE_LIST: return eval_list(ev, f, n);
	case NODE_LIST_FOR: return eval_list_for(ev, f, n);
	case NODE_BODY: return eval_body(ev, f, n);
	case NODE_MEMBER: return eval_member(ev, f, n);
	case NODE_CALL: return eval_call(ev, f, n);
	case NODE_INDEX: return eval_index(ev, f, n);
	case NODE_UNARY: return eval_unary(ev, f, n);
	case NODE_BINARY: return eval_binary(ev, f, n);
	case NODE_RANGE: return eval_range(ev, f, n);
	case NODE_ELASTIC: return eval_elastic(ev, f, n);
	case NODE_COALESCE: return eval_coalesce(ev, f, n);
	case NODE_LET_IN: return eval_let_in(ev, f, n);
	case NODE_IF: return eval_if(ev, f, n);
	case NODE_ARG: return eval_expr(ev, f, n->u.arg.value);
	default: return &value_bad;
	}
}

/*
 * Is the value of N the same in every context? The value of a list is when all its elements, which have been evaluated,
 * are literals.
 */
static bool is_constant(const struct node *n)
{
	struct str text;

	switch (n->kind) {
	case NODE_INT: case NODE_FLOAT: case NODE_QUANTITY: case NODE_TOPOLOGY: case NODE_BOOL:
	case NODE_NONE: return true;
	case NODE_STRING: return node_static_text(n, &text);
	case NODE_LIST:
		for (size_t i = 0; i < n->u.list.n; i++)
			if (!n->u.list.at[i]->literal)
				return false;
		return true;
	default: return false;
	}
}

const struct value *eval_unconverted(struct eval *ev, struct frame *f, struct node *n)
{
	if (!n || (n->type && n->type->kind == TYPE_BAD) || !eval_step(ev, n->span))
		return &value_bad;
	if (ev->depth >= EVAL_DEPTH)
		return eval_too_deep(ev, n->span);
	ev->depth++;
	const struct value *v = eval_kind(ev, f, n);
	ev->depth--;
	return v;
}

/* Evaluates N; NAME is the name of the value in messages, empty if it has no name. */
const struct value *eval_named(struct eval *ev, struct frame *f, struct node *n, struct str name)
{
	if (n && n->literal)
		return eval_step(ev, n->span) ? n->literal : &value_bad;
	const struct value *v = eval_unconverted(ev, f, n);
	if (!value_ok(v))
		return v;
	if (n->convert_to) {
		struct str outer = ev->name;
		ev->name = name;
		v = value_convert(ev, v, n->convert_to, n->span,
			n->convert_to->refine ? n->convert_to->refine->from : (struct span){ 0 });
		ev->name = outer;
	}
	if (value_ok(v) && is_constant(n))
		n->literal = v;
	return v;
}

const struct value *eval_expr(struct eval *ev, struct frame *f, struct node *n)
{
	return eval_named(ev, f, n, (struct str){ 0 });
}
