/*
 * advice.c - what to write instead, where a value of one kind stands in the
 * place of another and both together tell what was meant.
 */
#include "check/context.h"

#include <ctype.h>

struct advice {
	struct check *check;
	struct diag *diag;
	const struct node *found;
	struct str words, text;         /* of `found`: as written; of a plain string, what is between its quotes, else empty */
	const struct site *site;
};

static bool is_name(struct str s)
{
	size_t n = strspn(s.p ? s.p : "", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return s.n > 0 && n >= s.n && !(s.p[0] >= '0' && s.p[0] <= '9');
}

static void without_quotes(struct advice *a)
{
	struct diags *ds = a->check->diags;

	diag_help(ds, a->diag, "write %.*s without quotes", STR_ARG(a->text));
	diag_fix(ds, a->diag, a->found->span, a->text, "remove the quotes");
}

/* ---- devices ---- */

static bool has_accelerators(const struct module *m)
{
	for (size_t i = 0; i < m->values.n; i++)
		if (((const struct decl *)m->values.entries[i].value)->kind == DECL_ACCELERATOR)
			return true;
	return false;
}

/* The import of a module with accelerators: with the one of that name, if there is one. */
static const struct decl *device_module(struct advice *a, struct str device, bool *ret_exact)
{
	const struct map *values = &a->check->at.module->values;
	const struct decl *any = NULL;

	for (size_t i = 0; i < values->n; i++) {
		const struct decl *d = values->entries[i].value;
		const struct module *m = d->kind == DECL_IMPORT ? d->node->u.import.module : NULL;
		const struct decl *named = m && device.n ? map_get(&m->values, device) : NULL;
		*ret_exact = named && named->kind == DECL_ACCELERATOR;
		if (*ret_exact)
			return d;
		if (m && !any && has_accelerators(m))
			any = d;
	}
	return any;
}

/* Accelerators are named in lower case. */
static struct str lowered(struct arena *arena, struct str s)
{
	char *copy = arena_alloc(arena, s.n + 1);

	for (size_t i = 0; i < s.n; i++)
		copy[i] = (char)tolower((unsigned char)s.p[i]);
	return (struct str){ copy, s.n };
}

static void device(struct advice *a)
{
	struct diags *ds = a->check->diags;
	bool exact = false;
	struct str name = lowered(a->check->arena, a->text);
	const struct decl *import = device_module(a, name, &exact);
	struct str number = a->found->kind == NODE_INT ? a->words : STR("1");

	if (exact)
		diag_help(ds, a->diag, "write '%.*s.%.*s(1)' with the number of devices", STR_ARG(import->name), STR_ARG(name));
	else if (import)
		diag_help(ds, a->diag, "write '%.*s.DEVICE(%.*s)'; 'trainc explain %.*s' lists the devices", STR_ARG(import->name), STR_ARG(number),
			STR_ARG(import->name));
	else
		diag_help(ds, a->diag, "import the module of the device, and write 'MODULE.DEVICE(%.*s)'", STR_ARG(number));
}

static void topology(struct advice *a)
{
	size_t n = strspn(a->text.p ? a->text.p : "", "0123456789x");

	if (a->text.n >= 3 && n >= a->text.n && memchr(a->text.p, 'x', a->text.n))
		without_quotes(a);
	else
		diag_help(a->check->diags, a->diag, "a topology is written 4x4, or 2x2x4 with three sides");
}

/* ---- roles and conditions ---- */

static void condition(struct advice *a)
{
	struct str role = a->found->type->kind == TYPE_ROLE ? a->words : a->text;

	if (is_name(role) && str_is(a->site->name, "success"))
		diag_help(a->check->diags, a->diag, "write 'done(%.*s)'", STR_ARG(role));
	else if (is_name(role))
		diag_help(a->check->diags, a->diag, "write 'ready(%.*s)', 'started(%.*s)' or 'done(%.*s)'", STR_ARG(role), STR_ARG(role), STR_ARG(role));
}

/* ---- volumes, maps ---- */

static void volume(struct advice *a)
{
	if (!a->text.n)
		return;
	if (a->text.p[0] == '/')
		diag_help(a->check->diags, a->diag, "write 'host_path(\"%.*s\")' for a directory of the node, 'pvc(\"...\")' for a claim", STR_ARG(a->text));
	else
		diag_help(a->check->diags, a->diag, "write 'pvc(\"%.*s\")' for a claim of this name", STR_ARG(a->text));
}

/* A list where a map stands in this language and a list in Kubernetes' own form. */
static void map(struct advice *a, const struct type *elem)
{
	const char *entry = elem->kind == TYPE_VOLUME ? "\"/data\" = pvc(\"name\")" : elem->port ? "http = 8000" :
	                    type_strip_pod(elem)->kind == TYPE_ENV_VALUE ? "NAME = \"value\"" : type_is_text(elem) ? "key = \"value\"" : NULL;

	if (entry && a->site->name.n && a->found->type->kind == TYPE_LIST)
		diag_help(a->check->diags, a->diag, "write '%.*s { %s }'", STR_ARG(a->site->name), entry);
}

static void joined(struct advice *a)
{
	if (a->found->type->kind == TYPE_LIST)
		diag_help(a->check->diags, a->diag, "write 'join(%.*s, \",\")' or 'lines(%.*s)'", STR_ARG(a->words), STR_ARG(a->words));
}

bool report_swapped(struct check *c, const struct node *call)
{
	struct nodes args = call->u.call.args;
	const struct node *first, *second;

	if (args.n != 2 || args.at[0]->kind != NODE_ARG || args.at[1]->kind != NODE_ARG || args.at[0]->u.arg.name.p || args.at[1]->u.arg.name.p)
		return false;
	first = args.at[0]->u.arg.value;
	second = args.at[1]->u.arg.value;
	if (first->kind != NODE_STRING || second->kind == NODE_STRING)
		return false;
	struct str callee = node_words(c, call->u.call.callee), a = node_words(c, first), b = node_words(c, second);
	struct str both = str_printf(c->arena, "(%.*s, %.*s)", STR_ARG(b), STR_ARG(a));
	struct diag *d = diag_report(c->diags, TJ0318, call->u.call.args_span, "the arguments of '%.*s' are the other way round", STR_ARG(callee));
	diag_help(c->diags, d, "write '%.*s%.*s'", STR_ARG(callee), STR_ARG(both));
	if (source_text(c->program->sources, first->span).n == a.n && source_text(c->program->sources, second->span).n == b.n)
		diag_fix(c->diags, d, call->u.call.args_span, both, "swap them");
	return true;
}

void advise_record(struct check *c, struct diag *d, struct str field, struct str type)
{
	diag_help(c->diags, d, "give the record a declared type with the field '%.*s: %.*s', as in 'type T { ... }' and 'let x: T = { ... }'",
		STR_ARG(field), STR_ARG(type));
}

void advise(struct check *c, struct diag *d, const struct node *n, const struct type *want, const struct site *site)
{
	struct advice a = { .check = c, .diag = d, .found = n, .words = node_words(c, n), .site = site };

	if (n->kind != NODE_STRING || !node_static_text(n, &a.text))
		a.text = STR("");
	switch (want->kind) {
	case TYPE_ACCELERATOR: device(&a); break;
	case TYPE_TOPOLOGY: topology(&a); break;
	case TYPE_CONDITION: condition(&a); break;
	case TYPE_VOLUME: volume(&a); break;
	case TYPE_MAP: map(&a, want->elem); break;
	case TYPE_ROLE:
		if (is_name(a.text))
			without_quotes(&a);
		break;
	case TYPE_RANGE:
		if (n->kind == NODE_INT)
			diag_help(c->diags, d, "write '%.*s..%.*s', a range of one", STR_ARG(a.words), STR_ARG(a.words));
		break;
	default:
		if (type_is_text(want) && want->kind != TYPE_ENUM)
			joined(&a);
	}
}
