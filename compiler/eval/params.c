/*
 * params.c - parameters: --set, --params, the profile, the default.
 *
 * Text from outside is a source like any other, so that a message can point into
 * it.  It is parsed as an expression of the parameter's type, except for types
 * that are texts: those are taken as they stand, so that no quotes are needed
 * in a shell.
 */
#include "eval/internal.h"

#include "diag/suggest.h"
#include "syntax/parse.h"

/* ---- settings ---- */

static struct decl *find_param(struct eval *ev, struct str name)
{
	struct decl *d = map_get(&ev->program->root->values, name);

	return d && d->kind == DECL_PARAM ? d : NULL;
}

static struct span setting_span(const struct setting *s)
{
	uint32_t start = s->source ? s->source->base + s->offset : 0;

	if (span_known(s->value_at))
		return s->value_at;
	return (struct span){ start, start ? start + (uint32_t)s->text.n : 0 };
}

/* Its name, which stands before the value: the last place there that spells it. */
static struct span name_span(const struct setting *s)
{
	size_t n = s->name.n;

	if (span_known(s->name_at))
		return s->name_at;
	for (size_t i = s->source ? s->offset : 0; i >= n && n; i--)
		if (memcmp(s->source->text.p + i - n, s->name.p, n) == 0)
			return (struct span){ s->source->base + (uint32_t)(i - n), s->source->base + (uint32_t)i };
	return setting_span(s);
}

/* The last setting of a name; NULL without. */
static const struct setting *find_setting(const struct setting *at, size_t n, struct str name)
{
	while (n-- > 0)
		if (str_eq(at[n].name, name))
			return &at[n];
	return NULL;
}

/* Words that people put around all parameters of a file. */
static bool is_wrapper(struct str name)
{
	return str_is(name, "params") || str_is(name, "parameters") || str_is(name, "values") || str_is(name, "vars") || str_is(name, "set");
}

static void report_unknown(struct eval *ev, const struct setting *s)
{
	struct nodes decls = ev->program->root->file->u.file.decls;
	struct suggest near;
	const struct decl *let = map_get(&ev->program->root->values, s->name);
	if (let && let->kind == DECL_LET) {
		struct diag *d = diag_report(ev->diags, TJ0402, name_span(s), "'%.*s' is a let, not a parameter", STR_ARG(s->name));
		diag_note(ev->diags, d, let->span, "declared here");
		diag_help(ev->diags, d, "declare it as a 'param', with a type, and it can be set");
		return;
	}
	struct diag *d = diag_report(ev->diags, TJ0402, name_span(s), "there is no parameter '%.*s'", STR_ARG(s->name));

	suggest_init(&near, ev->arena, s->name);
	for (size_t i = 0; i < decls.n; i++)
		if (decls.at[i]->kind == NODE_PARAM)
			suggest_add(&near, decls.at[i]->u.binding.name);
	struct str help = suggest_or_list(&near, "the parameters are");
	if (span_known(s->name_at) && str_starts(s->text, STR("{")) && is_wrapper(s->name))
		diag_help(ev->diags, d, "the parameters stand at the top of the file, without '%.*s' around them", STR_ARG(s->name));
	else if (help.n)
		diag_help(ev->diags, d, "%.*s", STR_ARG(help));
	else if (!near.count)
		diag_help(ev->diags, d, "the program declares no parameters");
}

static void use_settings(struct eval *ev, struct setting *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		at[i].used = at[i].used || find_param(ev, at[i].name);
}

void eval_unused_settings(struct eval *ev)
{
	const struct settings *s = ev->settings;

	for (size_t i = 0; s && i < s->nset; i++)
		if (!s->set[i].used)
			report_unknown(ev, &s->set[i]);
	for (size_t i = 0; s && i < s->nparams; i++)
		if (!s->params[i].used)
			report_unknown(ev, &s->params[i]);
}

/* ---- text to value ---- */

static const struct type *bare(const struct type *t)
{
	while (t->kind == TYPE_OPTIONAL || t->kind == TYPE_POD)
		t = t->elem;
	return t;
}

/* Codes that say enough by themselves: the text is of the type, its value is not. */
static bool speaks_for_itself(enum diag_code code)
{
	switch (code) {
	case TJ0311: case TJ0312: case TJ0313: case TJ0504: case TJ0613: case TJ0802: case TJ0808: return true;
	default: return false;
	}
}

static void report_text(struct eval *ev, const struct decl *d, const struct setting *s, bool set, const struct diags *why)
{
	const struct diag *first = why->n ? why->at[0] : NULL;
	struct str want = type_phrase(ev->arena, d->type);
	struct str given = set ? str_printf(ev->arena, "--set %.*s=%.*s", STR_ARG(s->name), STR_ARG(s->text))
	                       : str_printf(ev->arena, "%.*s = %.*s", STR_ARG(s->name), STR_ARG(s->text));
	struct span type_at = d->node->u.binding.type ? d->node->u.binding.type->span : d->span;
	struct diag *e;

	if (first && speaks_for_itself(first->code))
		e = diag_report(ev->diags, first->code, setting_span(s), "%.*s", STR_ARG(first->message));
	else if (first)
		e = diag_report(ev->diags, TJ0403, setting_span(s), "%.*s: %.*s", STR_ARG(given), STR_ARG(first->message));
	else
		e = diag_report(ev->diags, TJ0403, setting_span(s), "%.*s: this is not %.*s", STR_ARG(given), STR_ARG(want));
	diag_note(ev->diags, e, type_at, "'%.*s' is %.*s", STR_ARG(d->name), STR_ARG(want));
	if (first && first->help.n)
		diag_help(ev->diags, e, "%.*s", STR_ARG(first->help));
}

/* The text as an expression of the type; NULL after a report. */
static struct node *parse_setting(struct eval *ev, const struct decl *d, const struct setting *s, bool set)
{
	struct program *p = ev->program;
	struct diags aside = { .arena = ev->arena, .sources = p->sources }, *usual = p->diags;
	/* Part of a source, seen as one: spans point into the whole. */
	struct source part = { .name = s->source->name, .text = str_copy(ev->arena, s->text), .base = s->source->base + s->offset };

	p->diags = &aside;
	struct node *expr = parse_expression(ev->arena, p->names, &aside, &part);
	bool ok = expr && diags_ok(&aside) && check_value(p, expr, d->type) && diags_ok(&aside);
	p->diags = usual;
	if (ok)
		return expr;
	report_text(ev, d, s, set, &aside);
	return NULL;
}

static const struct value *param_convert(struct eval *ev, const struct decl *d, const struct value *v, struct span at)
{
	struct str outer = ev->name;

	ev->name = d->name;
	v = value_convert(ev, v, d->type, at, d->node->u.binding.type ? d->node->u.binding.type->span : d->span);
	ev->name = outer;
	return v;
}

static const struct value *setting_value(struct eval *ev, const struct decl *d, const struct setting *s, bool set)
{
	const struct type *t = bare(d->type);
	struct span at = setting_span(s);
	const struct value *v;

	if (d->type->kind == TYPE_OPTIONAL && str_is(s->text, "none"))
		return value_new(ev->arena, VALUE_NONE, at);
	if (type_is_text(t)) {
		v = value_string(ev->arena, str_copy(ev->arena, s->text), at);
	} else {
		struct node *expr = parse_setting(ev, d, s, set);
		v = expr ? eval_named(ev, NULL, expr, d->name) : &value_bad;
	}
	return param_convert(ev, d, v, at);
}

/* ---- profiles ---- */

static struct node *find_profile(struct eval *ev, struct str name)
{
	struct nodes decls = ev->program->root->file->u.file.decls;

	for (size_t i = 0; i < decls.n; i++)
		if (decls.at[i]->kind == NODE_PROFILE && str_eq(decls.at[i]->u.titled.name, name))
			return decls.at[i];
	return NULL;
}

static void report_no_profile(struct eval *ev, struct str name, struct span at)
{
	struct nodes decls = ev->program->root->file->u.file.decls;
	struct suggest near;
	struct diag *d = diag_report(ev->diags, TJ0404, at, "there is no profile '%.*s'", STR_ARG(name));

	suggest_init(&near, ev->arena, name);
	for (size_t i = 0; i < decls.n; i++)
		if (decls.at[i]->kind == NODE_PROFILE)
			suggest_add(&near, decls.at[i]->u.titled.name);
	struct str help = suggest_or_list(&near, "the profiles are");
	if (help.n)
		diag_help(ev->diags, d, "%.*s", STR_ARG(help));
	else if (!near.count)
		diag_help(ev->diags, d, "the program declares no profiles");
}

/* The next entry of the profile for a parameter, from position *at on; NULL when there is none. */
static struct entry *profile_entry(struct eval *ev, struct str name, size_t *at)
{
	while (ev->profile && *at < ev->profile->n) {
		struct entry *e = &ev->profile->at[(*at)++];
		if (str_eq(e->key, name) && (!e->item || entry_expr(e)))
			return e;
	}
	return NULL;
}

static const struct value *default_value(struct eval *ev, const struct decl *d)
{
	return eval_named(ev, NULL, d->node->u.binding.value, d->name);
}

/* What the profile says, which extends the default where it is in braces. */
static const struct value *profile_value(struct eval *ev, const struct decl *d, struct span at)
{
	struct part *parts = NULL;
	size_t n = 0, next = 0;
	const struct value *v = NULL;

	for (struct entry *e = profile_entry(ev, d->name, &next); e; e = profile_entry(ev, d->name, &next)) {
		if (entry_sets(e)) {
			v = entry_value(ev, e);
			continue;
		}
		struct part part = { e->frame, entry_expr(e) };
		ARENA_PUSH(eval_work(ev), parts, n, part);
	}
	if (!v && d->node->u.binding.value)
		v = default_value(ev, d);
	if (n)
		v = eval_parts(ev, v, parts, n, d->name);
	return value_ok(v) ? param_convert(ev, d, v, at) : v;
}

/* ---- parameters ---- */

static const struct value *report_no_value(struct eval *ev, const struct decl *d)
{
	struct diag *e = diag_report(ev->diags, TJ0401, d->span, "parameter '%.*s' has no value", STR_ARG(d->name));

	if (d->doc.n)
		diag_help(ev->diags, e, "set it with --set %.*s=...; it is documented as: %.*s", STR_ARG(d->name), STR_ARG(d->doc));
	else
		diag_help(ev->diags, e, "set it with --set %.*s=...", STR_ARG(d->name));
	return &value_bad;
}

const struct value *param_value(struct eval *ev, const struct decl *d)
{
	const struct settings *s = ev->settings;
	const struct setting *set = s ? find_setting(s->set, s->nset, d->name) : NULL;
	const struct setting *file = s ? find_setting(s->params, s->nparams, d->name) : NULL;
	size_t first = 0;
	const struct entry *e = profile_entry(ev, d->name, &first);
	struct slot *slot = &ev->globals[d->slot];

	if (!d->type || d->type->kind == TYPE_BAD)
		return &value_bad;
	if (set || file) {
		slot->at = setting_span(set ? set : file);
		return setting_value(ev, d, set ? set : file, set != NULL);
	}
	if (e) {
		slot->at = entry_at(e);
		return profile_value(ev, d, slot->at);
	}
	return d->node->u.binding.value ? default_value(ev, d) : report_no_value(ev, d);
}

static void begin_profile(struct eval *ev)
{
	const struct settings *s = ev->settings;

	if (!s || !s->profile.p)
		return;
	struct node *profile = find_profile(ev, s->profile);
	if (profile)
		ev->profile = eval_entries(ev, NULL, profile->u.titled.body);
	else
		report_no_profile(ev, s->profile, s->profile_at);
}

/* A let that waits for the pod has a value only where a role uses it. */
static bool waits_for_pod(const struct type *t)
{
	while (t && (t->kind == TYPE_OPTIONAL || t->kind == TYPE_LIST || t->kind == TYPE_MAP))
		t = t->elem;
	return t && t->kind == TYPE_POD;
}

static void force(struct eval *ev, const struct decl *d)
{
	if (d && d->global && !waits_for_pod(d->type))
		eval_global(ev, d);
}

void eval_params(struct eval *ev)
{
	struct nodes decls = ev->program->root->file->u.file.decls;
	const struct settings *s = ev->settings;

	if (s) {
		use_settings(ev, s->set, s->nset);
		use_settings(ev, s->params, s->nparams);
		if (!s->shared)
			eval_unused_settings(ev);
	}
	begin_profile(ev);
	for (size_t i = 0; i < decls.n; i++)
		if (decls.at[i]->kind == NODE_PARAM || decls.at[i]->kind == NODE_LET)
			force(ev, decls.at[i]->u.binding.decl);
	ev->profile = NULL;             /* it lies in eval_work(), and all that it sets has been asked for */
	for (size_t i = 0; i < decls.n; i++)
		if (decls.at[i]->kind == NODE_CHECK)
			eval_check(ev, NULL, decls.at[i], decls.at[i]->u.check.condition->span, (struct str){ 0 });
}
