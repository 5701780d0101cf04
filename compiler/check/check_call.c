/*
 * check_call.c - checks calls: binds arguments to formals.  Formals without a default are given by position or by name,
 * those with one only by name.  An argument that depends on the pod makes the result of a function depend on the pod,
 * as if the function's body were written there.
 */
#include "check/context.h"
#include "check/library_device.h"
#include "diag/suggest.h"

/* ---- errors in arguments ---- */

static struct str target_words(struct check *c, struct span callee)
{
	return source_text(c->program->sources, callee);
}

static struct str formals_words(struct check *c, const struct decl *target)
{
	struct str s = STR("(");
	for (size_t i = 0; i < target->nformals; i++) {
		const struct decl *f = target->formals[i];
		struct str type = f->type ? type_spell(c->arena, f->type) : STR("?");
		const struct node *value = f->node ? f->node->u.binding.value : NULL;
		struct str fallback = value ? node_words(c, value) : STR("");
		s = str_printf(c->arena, "%.*s%s%.*s: %.*s%s%.*s", STR_ARG(s), i ? ", " : "", STR_ARG(f->name),
			STR_ARG(type), value ? " = " : "", STR_ARG(fallback));
	}
	return str_printf(c->arena, "%.*s)", STR_ARG(s));
}

static void help_formals(struct check *c, struct diag *d, const struct decl *target)
{
	struct str words = formals_words(c, target);
	diag_note(c->diags, d, target->span, "declared here");
	diag_help(c->diags, d, "it takes %.*s", STR_ARG(words));
}

/* Another framework of the module that has the argument. */
static struct decl *sibling_with(const struct decl *target, struct str name)
{
	const struct module *m = target->module;
	for (size_t i = 0; m && i < m->values.n; i++) {
		struct decl *d = m->values.entries[i].value;
		const struct node *node = d->node;
		if (d == target || d->kind != target->kind || !node || node->kind != NODE_FRAMEWORK)
			continue;
		for (size_t k = 0; k < node->u.blueprint_decl.formals.n; k++)
			if (name_eq(node->u.blueprint_decl.formals.at[k]->u.binding.name, name))
				return d;
	}
	return NULL;
}

/* The field of a role that corresponds to the word of another tool; NULL if no field corresponds to it. */
static const char *renamed_field(struct str name)
{
	const struct foreign *other = foreign_field(name);
	return other && other->field && schema_find(BLOCK_ROLE, str_of(other->field)) ? other->field : NULL;
}

static void report_no_argument(struct check *c, const struct decl *target, const struct node *arg, struct span callee)
{
	struct str words = target_words(c, callee), name = arg->u.arg.name;
	bool framework = target->kind == DECL_FRAMEWORK;
	struct diag *d = diag_report(c->diags, framework ? TJ0511 : TJ0318, arg->u.arg.name_span,
		"'%.*s' has no argument '%.*s'", STR_ARG(words), STR_ARG(name));
	struct suggest s;
	suggest_init(&s, c->arena, name);
	for (size_t i = 0; i < target->nformals; i++)
		suggest_add(&s, target->formals[i]->name);
	struct decl *other = framework ? sibling_with(target, name) : NULL;
	const struct foreign *word = framework && !other ? foreign_field(name) : NULL;
	if (word && strstr(word->help, "write a range"))
		diag_help(c->diags, d, "%s, in the role", word->help);
	else if (framework && !other && renamed_field(name) && !suggest_sentence(&s).n)
		diag_help(c->diags, d, "write '%s' in the role", renamed_field(name));
	else
		help_suggest(c, d, &s, "its arguments are", arg->u.arg.name_span);
	if (other) {
		size_t dot = words.n;
		while (dot > 0 && words.p[dot - 1] != '.')
			dot--;
		diag_help(c->diags, d, "'%.*s%.*s' has '%.*s'", (int)dot, words.p, STR_ARG(other->name), STR_ARG(name));
	}
	diag_note(c->diags, d, target->span, "declared here");
}

static const struct node *formal_default(const struct decl *formal)
{
	return formal->node ? formal->node->u.binding.value : NULL;
}

static struct decl *find_formal(const struct decl *target, struct str name, size_t *ret_i)
{
	for (size_t i = 0; i < target->nformals; i++)
		if (name_eq(target->formals[i]->name, name)) {
			*ret_i = i;
			return target->formals[i];
		}
	return NULL;
}

/*
 * Was `f(slots: 8)` meant as an argument `slots` of f? It was if f has such a formal and no value has that name;
 * otherwise `lo:8` is a range.
 */
static bool is_colon_argument(struct check *c, const struct decl *target, const struct node *arg)
{
	const struct node *value = arg->u.arg.value, *name = value->kind == NODE_ELASTIC ? value->u.op.left : NULL;
	size_t i;
	return name && name->kind == NODE_NAME && find_formal(target, name->u.name.text, &i) &&
		!scope_peek(c, name->u.name.text);
}

static void report_colon(struct check *c, const struct node *arg)
{
	const struct node *name = arg->u.arg.value->u.op.left, *value = arg->u.arg.value->u.op.right;
	struct str left = node_words(c, name), right = node_words(c, value);
	struct span colon = { name->span.end, value->span.start };
	struct diag *d = diag_report(c->diags, TJ0318, arg->span, "a named argument is written with '='");
	diag_help(c->diags, d, "write '%.*s = %.*s'", STR_ARG(left), STR_ARG(right));
	diag_fix(c->diags, d, colon, STR(" = "), "write '='");
}

static void report_position(struct check *c, const struct decl *target, const struct node *arg, struct span callee,
	const struct decl *formal)
{
	struct str words = target_words(c, callee), value = node_words(c, arg->u.arg.value);
	if (is_colon_argument(c, target, arg)) {
		report_colon(c, arg);
		return;
	}
	if (formal) {
		struct diag *d = diag_report(c->diags, TJ0318, arg->span, "'%.*s' of '%.*s' must be passed by name",
			STR_ARG(formal->name), STR_ARG(words));
		diag_note(c->diags, d, formal->span, "it has a default");
		diag_help(c->diags, d, "write '%.*s = %.*s'", STR_ARG(formal->name), STR_ARG(value));
		diag_fix(c->diags, d, (struct span){ arg->span.start, arg->span.start },
			str_printf(c->arena, "%.*s = ", STR_ARG(formal->name)), "name the argument");
		return;
	}
	struct diag *d = diag_report(c->diags, TJ0318, arg->span, "too many arguments of '%.*s'", STR_ARG(words));
	help_formals(c, d, target);
}

/* ---- binding ---- */

struct binding_of {
	struct check *check;
	struct decl *target;
	struct span callee;
	struct node **bound;
	bool lift, failed;
	/* an argument has the wrong type, which may be why there are too many arguments */
	bool misfit;
};

static bool is_fraction(const struct node *n)
{
	return n->kind == NODE_FLOAT;
}

/* Reports a fraction of a device (TJ0609). */
static bool test_whole(struct binding_of *b, struct decl *formal, struct node *value)
{
	struct check *c = b->check;
	if (b->target->kind != DECL_ACCELERATOR || formal->type->kind != TYPE_INT || !is_fraction(value))
		return true;
	struct str words = node_words(c, value);
	struct diag *d = diag_report(c->diags, TJ0609, value->span,
		"%.*s of a device: devices are counted in whole numbers", STR_ARG(words));
	diag_note(c->diags, d, formal->span, "declared here");
	struct str topic = module_topic(b->target->module), parts = library_parts(topic);
	if (parts.n)
		diag_help(c->diags, d, "a part of a device is an accelerator of its own: 'trainc explain %.*s.%.*s'",
			STR_ARG(topic), STR_ARG(parts));
	else
		diag_help(c->diags, d, "each partition profile is a separate accelerator");
	mark_bad(value);
	return false;
}

static void check_argument(struct binding_of *b, struct decl *formal, struct node *value)
{
	struct check *c = b->check;
	struct site site = { .name = formal->name, .declared = formal->span, .call = true };
	const struct type *t = type_for(c, value, formal->type, &site);
	if (t->kind == TYPE_BAD || formal->type->kind == TYPE_BAD || !test_whole(b, formal, value))
		return;
	if (b->target->kind == DECL_FN && type_fit(formal->type, t) == FIT_POD) {
		b->lift = true;
		type_coerce(c, value, pod_inside(c, formal->type), &site);
		return;
	}
	type_coerce(c, value, formal->type, &site);
}

static void bind_one(struct binding_of *b, struct node *arg, size_t *position)
{
	struct check *c = b->check;
	size_t i = *position;
	struct decl *formal;
	arg->type = &type_bad;
	if (arg->u.arg.name.p) {
		formal = find_formal(b->target, arg->u.arg.name, &i);
		if (!formal)
			report_no_argument(c, b->target, arg, b->callee);
		else if (b->bound[i]) {
			struct diag *d = diag_report(c->diags, TJ0318, arg->span, "argument '%.*s' is given twice",
				STR_ARG(formal->name));
			diag_note(c->diags, d, b->bound[i]->span, "first given here");
			formal = NULL;
		}
	} else {
		formal = i < b->target->nformals ? b->target->formals[i] : NULL;
		++*position;
		if (!formal || formal_default(formal) || is_colon_argument(c, b->target, arg)) {
			if (formal || !b->misfit)
				report_position(c, b->target, arg, b->callee, formal);
			if (formal)
				b->bound[i] = arg;
			formal = NULL;
		}
	}
	if (!formal) {
		b->failed = true;
		type_loose(c, is_colon_argument(c, b->target, arg) ? arg->u.arg.value->u.op.right : arg->u.arg.value);
		return;
	}
	b->bound[i] = arg;
	check_argument(b, formal, arg->u.arg.value);
	arg->type = arg->u.arg.value->type;
	b->misfit |= arg->type && arg->type->kind == TYPE_BAD;
}

static void report_missing(struct binding_of *b, struct span at)
{
	struct check *c = b->check;
	for (size_t i = 0; i < b->target->nformals && !b->failed; i++) {
		struct decl *formal = b->target->formals[i];
		if (b->bound[i] || formal_default(formal))
			continue;
		struct str words = target_words(c, b->callee),
			type = type_phrase(c->arena, formal->type ? formal->type : &type_bad);
		struct diag *d = diag_report(c->diags, TJ0318, at, "'%.*s' needs '%.*s', %.*s", STR_ARG(words),
			STR_ARG(formal->name), STR_ARG(type));
		help_formals(c, d, b->target);
		b->failed = true;
	}
}

bool bind_arguments(struct check *c, struct decl *target, struct nodes args, struct span args_span, struct span callee,
	struct node **bound, bool *ret_lift)
{
	struct binding_of b = { .check = c, .target = target, .callee = callee, .bound = bound };
	size_t position = 0;
	for (size_t i = 0; i < args.n; i++) {
		if (args.at[i]->kind == NODE_ARG)
			bind_one(&b, args.at[i], &position);
		else
			b.failed = true;
	}
	report_missing(&b, args_span);
	*ret_lift = b.lift;
	return !b.failed;
}

/* ---- calls of declared functions and accelerators ---- */

static void record_call(struct check *c, struct decl *target, struct span at)
{
	struct decl *fn = c->at.fn;
	size_t n;
	if (!fn)
		return;
	n = fn->ncalls;
	ARENA_PUSH(c->arena, fn->calls, fn->ncalls, target);
	ARENA_PUSH(c->arena, fn->call_sites, n, at);
}

static const struct type *call_decl(struct check *c, struct node *n, struct decl *target)
{
	bool lift = false;
	const struct type *result = decl_type(c, target);
	n->u.call.nbound = target->nformals;
	n->u.call.bound = ARENA_ARRAY(c->arena, struct node *, target->nformals);
	bool ok = bind_arguments(c, target, n->u.call.args, n->u.call.args_span, n->u.call.callee->span,
		n->u.call.bound, &lift);
	for (size_t i = 0; i < target->nformals; i++)
		ok = ok && !(n->u.call.bound[i] && n->u.call.bound[i]->type->kind == TYPE_BAD);
	if (target->kind == DECL_FN)
		record_call(c, target, n->span);
	if (target->kind == DECL_ACCELERATOR)
		return ok ? &type_accelerator : &type_bad;
	return ok ? type_lifted(c, result, lift && result->kind != TYPE_BAD) : &type_bad;
}

static void type_loose_arguments(struct check *c, struct node *n)
{
	for (size_t i = 0; i < n->u.call.args.n; i++)
		if (n->u.call.args.at[i]->kind == NODE_ARG)
			type_loose(c, n->u.call.args.at[i]->u.arg.value);
}

static const struct type *report_not_function(struct check *c, struct node *callee, const struct type *want)
{
	struct str words = node_words(c, callee);
	struct diag *d = diag_report(c->diags, TJ0302, callee->span, "'%.*s' is not a function", STR_ARG(words));
	if (callee->type && callee->type->kind != TYPE_BAD && callee->type->kind != TYPE_MODULE) {
		struct str what = type_phrase(c->arena, callee->type);
		diag_label(c->diags, d, "%.*s", STR_ARG(what));
	}
	const struct decl *import = callee->kind == NODE_NAME ? callee->u.name.decl : NULL;
	if (import && import->kind == DECL_IMPORT && import->node->u.import.module && want &&
	    type_strip_optional(want)->kind == TYPE_ACCELERATOR)
		advise_device(c, d, import->node->u.import.module, STR(""));
	return &type_bad;
}

static const struct type *call_target(struct check *c, struct node *n, struct decl *d, const struct type *want)
{
	struct node *callee = n->u.call.callee;
	switch (d->kind) {
	case DECL_FN: case DECL_ACCELERATOR:
		report_deprecated(c, callee, d);
		n->u.call.target = d;
		return call_decl(c, n, d);
	case DECL_BUILTIN_FN:
		n->u.call.target = d;
		return type_builtin_call(c, n, d, want);
	case DECL_BAD:
		type_loose_arguments(c, n);
		return &type_bad;
	case DECL_FRAMEWORK: {
		struct str words = node_words(c, callee);
		struct diag *g = diag_report(c->diags, TJ0302, callee->span, "'%.*s' is a framework, not a function",
			STR_ARG(words));
		diag_help(c->diags, g, "a job names its framework in its first line: job \"name\": %.*s(...) { }",
			STR_ARG(words));
		type_loose_arguments(c, n);
		return &type_bad;
	}
	default:
		type_loose_arguments(c, n);
		callee->type = d->kind == DECL_IMPORT ? &type_module : decl_type(c, d);
		if (callee->type->kind == TYPE_BAD)
			return &type_bad;
		return report_not_function(c, callee, want);
	}
}

/* ---- methods ---- */

struct method {
	const char *name, *form;
	bool index, port;
	const struct type *result;
};

static const struct type strings = { .kind = TYPE_LIST, .elem = &type_string };
static const struct method role_methods[] = {
	{ "host", "host(index)", true, false, &type_string },
	{ "address", "address(index, \"port\")", true, true, &type_string },
	{ "addresses", "addresses(\"port\")", false, true, &strings },
	{ "port", "port(index, \"port\")", true, true, &type_int }
};

static const struct type *report_method(struct check *c, struct node *n, const char *form)
{
	struct str words = node_words(c, n->u.call.callee->u.member.base);
	struct diag *d = diag_report(c->diags, TJ0318, n->u.call.args_span, "wrong arguments of '%.*s'",
		STR_ARG(n->u.call.callee->u.member.name));
	diag_help(c->diags, d, "write '%.*s.%s'", STR_ARG(words), form);
	type_loose_arguments(c, n);
	return &type_bad;
}

static bool positional(const struct node *n, size_t count)
{
	if (n->u.call.args.n != count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (n->u.call.args.at[i]->kind != NODE_ARG || n->u.call.args.at[i]->u.arg.name.p)
			return false;
	return true;
}

static struct node *call_argument(const struct node *n, size_t i)
{
	return n->u.call.args.at[i]->u.arg.value;
}

static const struct type *call_role_method(struct check *c, struct node *n, const struct method *m)
{
	struct site index = { .what = STR("the index of a replica"), .call = true },
		port = { .what = STR("the name of a port"), .call = true };
	bool pod = false, ok = true;
	size_t i = 0;
	if (!positional(n, (size_t)m->index + m->port))
		return report_method(c, n, m->form);
	if (m->index && m->port && report_swapped(c, n)) {
		type_loose_arguments(c, n);
		return &type_bad;
	}
	if (m->index) {
		const struct type *t = type_expr(c, call_argument(n, i), &type_int);
		pod = t->kind == TYPE_POD;
		ok = type_coerce(c, call_argument(n, i++), pod ? type_pod(c->arena, &type_int) : &type_int,
			&index)->kind != TYPE_BAD;
	}
	if (m->port)
		ok = check_expr(c, call_argument(n, i), &type_string, &port)->kind != TYPE_BAD && ok;
	return ok ? type_lifted(c, m->result, pod) : &type_bad;
}

static const struct type int_list = { .kind = TYPE_LIST, .elem = &type_int },
	int_lists = { .kind = TYPE_LIST, .elem = &int_list };
static const struct method layout_methods[] = {
	{ "hosts", "hosts(\"tp\")", false, false, &type_int }, { "ranks", "ranks(\"tp\")", false, false, &int_lists }
};

static const struct type *call_layout_method(struct check *c, struct node *n, const struct method *m)
{
	struct site site = { .what = STR("the name of a dimension"), .call = true };

	if (!positional(n, 1))
		return report_method(c, n, m->form);
	return check_expr(c, call_argument(n, 0), &type_string, &site)->kind == TYPE_BAD ? &type_bad : m->result;
}

static const struct type *call_method(struct check *c, struct node *n, const struct type *t)
{
	struct node *callee = n->u.call.callee;
	struct str name = callee->u.member.name;
	for (size_t i = 0; t->kind == TYPE_ROLE && i < sizeof role_methods / sizeof *role_methods; i++)
		if (str_is(name, role_methods[i].name))
			return call_role_method(c, n, &role_methods[i]);
	for (size_t i = 0; t->kind == TYPE_LAYOUT && i < sizeof layout_methods / sizeof *layout_methods; i++)
		if (str_is(name, layout_methods[i].name))
			return call_layout_method(c, n, &layout_methods[i]);
	if (t->kind == TYPE_POD_FACTS && str_is(name, "env")) {
		struct site site = { .what = STR("the name of a variable"), .call = true };
		if (!positional(n, 1))
			return report_method(c, n, "env(\"NAME\")");
		return check_expr(c, call_argument(n, 0), &type_string, &site)->kind == TYPE_BAD ? &type_bad
			: type_pod(c->arena, &type_string);
	}
	type_loose_arguments(c, n);
	if (report_text_method(c, n, type_strip_pod(t)))
		return &type_bad;
	if (type_member(c, callee, NULL)->kind == TYPE_BAD)     /* this reports the unknown member and lists the
								 * existing ones */
		return &type_bad;
	struct str words = node_words(c, callee);
	struct diag *d = diag_report(c->diags, TJ0302, callee->span, "'%.*s' is not a function", STR_ARG(words));
	diag_help(c->diags, d, "write it without parentheses");
	return &type_bad;
}

/* The result of a method of a role whose copy is chosen in the pod. */
static const struct type *lifted_call(struct check *c, const struct type *t)
{
	return t->kind == TYPE_BAD ? t : type_pod(c->arena, t);
}

const struct type *type_call(struct check *c, struct node *n, const struct type *want)
{
	struct node *callee = n->u.call.callee;
	struct decl *d;
	if (report_elastic_call(c, n, want, c->site) || report_condition_call(c, n, want) ||
	    report_format_call(c, n) || report_foreign_call(c, n)) {
		type_loose_arguments(c, n);
		return mark_bad(n);
	}
	if (callee->kind == NODE_NAME) {
		d = scope_find(c, callee->u.name.text, callee->span);
		callee->u.name.decl = d;
	} else if (callee->kind == NODE_MEMBER) {
		struct node *base = callee->u.member.base;
		struct module *module = module_base(c, base);
		const struct type *t = module ? &type_module : type_base(c, base, callee->u.member.name);
		if (t->kind == TYPE_BAD) {
			type_loose_arguments(c, n);
			return &type_bad;
		}
		if (!module && t->kind == TYPE_ROLE && !is_role_of_copy(base) && base->kind == NODE_MEMBER &&
		    base->u.member.base->type && type_strip_pod(base->u.member.base->type)->record) {
			type_loose_arguments(c, n);
			return report_which_copy(c, n, base, n->span);
		}
		if (!module && t->kind == TYPE_POD && is_role_of_copy(base))
			return lifted_call(c, call_method(c, n, t->elem));
		if (!module)
			return call_method(c, n, t);
		d = module_member(c, module, callee->u.member.name, callee->u.member.name_span,
			want && type_strip_optional(want)->kind == TYPE_ACCELERATOR);
		callee->u.member.decl = d;
	} else {
		type_loose_arguments(c, n);
		if (type_expr(c, callee, NULL)->kind == TYPE_BAD)
			return &type_bad;
		return report_not_function(c, callee, NULL);
	}
	if (!d) {
		type_loose_arguments(c, n);
		return &type_bad;
	}
	return call_target(c, n, d, want);
}
