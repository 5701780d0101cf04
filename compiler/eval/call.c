/*
 * call.c - evaluates calls of the program's own functions, and of methods of roles and the pod.
 */
#include "eval/internal.h"

#include "diag/suggest.h"

static struct node *argument_expr(struct node *arg)
{
	return arg && arg->kind == NODE_ARG ? arg->u.arg.value : arg;
}

/* Binds the formals of D in F. Arguments are evaluated in the caller's frame, defaults in that of the function. */
static bool bind_arguments(struct eval *ev, struct frame *outer, struct frame *f, const struct decl *d,
	struct node *call)
{
	bool ok = true;

	for (size_t i = 0; i < d->nformals; i++) {
		struct decl *formal = d->formals[i];
		struct node *arg = i < call->u.call.nbound ? argument_expr(call->u.call.bound[i]) : NULL;
		struct node *fallback = formal->node ? formal->node->u.binding.value : NULL;
		const struct value *v = arg ? eval_named(ev, outer, arg, formal->name)
		                      : fallback ? eval_named(ev, f, fallback, formal->name) : &value_bad;
		ok = ok && v->kind != VALUE_BAD;
		frame_bind(ev, f, formal, v);
	}
	return ok;
}

/*
 * Makes the call the origin of V for all later phases, if V was made inside the library: users cannot change the
 * library's text.
 */
static const struct value *made_by_call(struct eval *ev, const struct value *v, const struct node *call, bool from_user)
{
	if (!from_user || !value_ok(v) || in_user_text(ev, v->from))
		return v;
	return value_at(ev->arena, v, call->span);
}

static const struct value *call_function(struct eval *ev, struct frame *outer, struct node *n)
{
	struct decl *d = n->u.call.target;
	struct node *value = check_function_value(ev->program, d);
	struct frame *f = frame_new(ev, NULL);
	bool from_user = d->module && d->module->library && in_user_text(ev, n->span);
	struct span site = ev->call_site;

	if (!bind_arguments(ev, outer, f, d, n))
		return &value_bad;
	struct eval_call call = { d, n->span, f, ev->calls };
	ev->calls = &call;
	if (from_user)
		ev->call_site = n->span;
	const struct value *v = eval_named(ev, f, value, d->name);
	ev->calls = call.outer;
	ev->call_site = site;
	return made_by_call(ev, v, n, from_user);
}

/* ---- worker.host(0), pod.env("NAME") ---- */

static const struct value *pod_env(struct eval *ev, const struct value *name, struct node *n)
{
	name = value_static(ev, name, n);
	if (name->kind != VALUE_STRING)
		return value_ok(name) ? &value_bad : name;
	if (name->u.string.n && (memchr(name->u.string.p, '(', name->u.string.n) ||
	    memchr(name->u.string.p, ')', name->u.string.n))) {
		struct diag *d = eval_report(ev, TJ0701, n->span,
			"'%.*s' cannot be referred to: the kubelet ends a reference at the first ')'",
			STR_ARG(name->u.string));
		diag_help(ev->diags, d, "rename the variable");
		return &value_bad;
	}
	struct piece *p = ARENA_NEW(ev->arena, struct piece);
	p->kind = PIECE_ENV;
	p->u.text = name->u.string;
	struct value *v = value_new(ev->arena, VALUE_TEXT, n->span);
	v->u.text = (struct text){ p, 1, n->span };
	return v;
}

/* Evaluates an argument of a method: a number may depend on the pod, but the name of a port must be known. */
static const struct value *method_argument(struct eval *ev, struct frame *f, struct node *arg, struct node *n)
{
	const struct value *v = eval_expr(ev, f, argument_expr(arg));

	return v->kind == VALUE_TEXT && !v->number ? value_static(ev, v, n) : v;
}

static const struct value *call_method(struct eval *ev, struct frame *f, struct node *n)
{
	enum { MOST = 4 };
	const struct value *args[MOST] = { &value_bad, &value_bad, &value_bad, &value_bad };
	struct node *callee = n->u.call.callee;
	size_t count = n->u.call.args.n;

	if (callee->kind != NODE_MEMBER || count > MOST)
		return &value_bad;
	const struct value *base = eval_expr(ev, f, callee->u.member.base);
	for (size_t i = 0; i < count; i++)
		args[i] = method_argument(ev, f, n->u.call.args.at[i], n);
	if (!value_ok(base))
		return base;
	if (base->kind == VALUE_ROLE)
		return role_method(ev, base->u.role, callee->u.member.name, args, count, n);
	if (base->kind == VALUE_LAYOUT && count == 1)
		return layout_method(ev, base->u.role, callee->u.member.name, args[0], n);
	if (base->kind == VALUE_POD && str_is(callee->u.member.name, "env") && count == 1)
		return pod_env(ev, args[0], n);
	return &value_bad;
}

const struct value *eval_call(struct eval *ev, struct frame *f, struct node *n)
{
	const struct decl *d = n->u.call.target;

	if (!d)
		return call_method(ev, f, n);
	switch (d->kind) {
	case DECL_FN: return call_function(ev, f, n);
	case DECL_BUILTIN_FN: return eval_builtin(ev, f, n);
	case DECL_ACCELERATOR: return accelerator_make(ev, f, n);
	default: return &value_bad;
	}
}

const struct value *report_absent(struct eval *ev, const struct value *map, struct str key, struct span at)
{
	const struct map *m = &map->u.map.index;
	struct diag *d = eval_report(ev, TJ0202, at, "this map has no key '%.*s'", STR_ARG(key));
	struct suggest s;

	suggest_init(&s, ev->arena, key);
	for (size_t i = 0; i < m->n; i++)
		suggest_add(&s, m->entries[i].key);
	struct str help = suggest_or_list(&s, "its keys are");
	if (in_user_text(ev, map->from))
		diag_note(ev->diags, d, map->from, "the map is made here");
	if (help.n)
		diag_help(ev->diags, d, "%.*s", STR_ARG(help));
	else
		diag_help(ev->diags, d, "ask 'has(map, key)' first");
	return &value_bad;
}
