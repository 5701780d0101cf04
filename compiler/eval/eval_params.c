/*
 * eval_params.c - finds the values of parameters in --set, --params, the profile and the default. Text from outside is
 * a source like any other, so that a message can point into it. It is parsed as an expression of the parameter's type.
 * For a parameter whose type is text, it is used unchanged, so that no quotes are needed in a shell.
 */
#include "eval/eval_params.h"

#include "diag/suggest.h"
#include "syntax/parse.h"

/* ---- settings ---- */

static struct decl *find_param(struct eval *ev, struct str name)
{
	struct decl *d = map_get(&ev->program->root->values, name);

	return d && d->kind == DECL_PARAM ? d : NULL;
}

/* Returns NAME up to its first dot, or all of it. */
static struct str name_head(struct str name)
{
	const char *dot = memchr(name.p, '.', name.n);
	return dot ? (struct str){ name.p, (size_t)(dot - name.p) } : name;
}

static struct span setting_span(const struct setting *s)
{
	uint32_t start = s->source ? s->source->base + s->offset : 0;

	if (span_known(s->value_at))
		return s->value_at;
	return (struct span){ start, start ? start + (uint32_t)s->text.n : 0 };
}

/* The span of a setting's name: the last occurrence of that name before the value. */
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

/* The last setting of a name; NULL if the name is not set. INDEX is filled on first use. */
static const struct setting *find_setting(struct eval *ev, struct map *index, struct setting *at, size_t n,
	struct str name)
{
	for (size_t i = index->n ? n : 0; i < n; i++)
		map_put(index, ev->arena, at[i].name, &at[i]);
	return map_get(index, name);
}

/* Is NAME a word that people use for the map of all parameters in a file? */
static bool is_wrapper(struct str name)
{
	return str_is(name, "params") || str_is(name, "parameters") || str_is(name, "values") || str_is(name, "vars") ||
		str_is(name, "set");
}

/*
 * Adds help for `--set base.registry=...`, or for `--set registry=...`, where `registry` is a parameter of an imported
 * module; true if it did.
 */
static bool help_module(struct eval *ev, struct diag *d, struct str name)
{
	const struct map *values = &ev->program->root->values;
	struct str head = name_head(name);
	struct str member = head.n < name.n ? (struct str){ name.p + head.n + 1, name.n - head.n - 1 } : name;

	for (size_t i = 0; i < values->n; i++) {
		const struct decl *import = values->entries[i].value;
		const struct module *m = import->kind == DECL_IMPORT ? import->node->u.import.module : NULL;
		const struct decl *param = m && (head.n == name.n || str_eq(import->name, head)) ?
			map_get(&m->values, name_head(member)) : NULL;
		if (!param || param->kind != DECL_PARAM)
			continue;
		diag_note(ev->diags, d, param->span, "a parameter of this name is in a module");
		diag_help(ev->diags, d, "the program sets it: declare a 'param' in the program, and pass it: import "
			"... as %.*s { %.*s = ... }",
			STR_ARG(import->name), STR_ARG(param->name));
		return true;
	}
	return false;
}

static void report_unknown(struct eval *ev, const struct setting *s)
{
	struct nodes decls = ev->program->root->file->u.file.decls;
	struct suggest near;
	const struct decl *let = map_get(&ev->program->root->values, s->name);
	if (ev->program->root->broken)          /* the declaration of the name may have failed to parse */
		return;
	if (let && let->kind == DECL_LET) {
		struct diag *d = diag_report(ev->diags, TJ0402, name_span(s), "'%.*s' is a let, not a parameter",
			STR_ARG(s->name));
		diag_note(ev->diags, d, let->span, "declared here");
		diag_help(ev->diags, d, "to make it settable, declare it as a 'param' with a type");
		return;
	}
	struct diag *d = diag_report(ev->diags, TJ0402, name_span(s), "unknown parameter '%.*s'", STR_ARG(s->name));

	if (help_module(ev, d, s->name))
		return;
	const char *bracket = memchr(s->name.p, '[', s->name.n);
	struct str map = { s->name.p, bracket ? (size_t)(bracket - s->name.p) : 0 };
	if (bracket && find_param(ev, map)) {
		diag_help(ev->diags, d, "a dot comes before the name of a member, which is quoted unless it is a plain "
			"name: --set '%.*s.\"a/b\"=...'", STR_ARG(map));
		return;
	}
	suggest_init(&near, ev->arena, s->name);
	for (size_t i = 0; i < decls.n; i++)
		if (decls.at[i]->kind == NODE_PARAM)
			suggest_add(&near, decls.at[i]->u.binding.name);
	struct str help = suggest_or_list(&near, "the parameters are");
	if (span_known(s->name_at) && str_starts(s->text, STR("{")) && is_wrapper(s->name))
		diag_help(ev->diags, d, "set the parameters at the top level of the file, without '%.*s' around them",
			STR_ARG(s->name));
	else if (help.n)
		diag_help(ev->diags, d, "%.*s", STR_ARG(help));
	else if (!near.count)
		diag_help(ev->diags, d, "the program declares no parameters");
}

static void use_settings(struct eval *ev, struct setting *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		at[i].used = at[i].used || find_param(ev, name_head(at[i].name));
}

/* Reports TJ0402 for every setting that no program used. */
static void eval_unused_settings(struct eval *ev)
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

/*
 * Is the message of this code clear without naming the type? It is when the text has the right type and only its value
 * is refused.
 */
static bool speaks_for_itself(enum diag_code code)
{
	switch (code) {
	case TJ0311: case TJ0312: case TJ0313: case TJ0504: case TJ0613: case TJ0802: case TJ0808: return true;
	default: return false;
	}
}

/*
 * Turns the text 1,2,3 or a,b into a list in brackets, such as ["a", "b"]; empty when the text has quotes or brackets.
 */
static struct str listed(struct eval *ev, struct str text, const struct type *elem)
{
	struct str all = STR("");
	const char *quote = type_is_text(bare(elem)) ? "\"" : "";

	if (strcspn(text.p, "[]{}\"'\\ ") < text.n)
		return STR("");
	for (size_t i = 0; i <= text.n;) {
		const char *comma = memchr(text.p + i, ',', text.n - i);
		size_t end = comma ? (size_t)(comma - text.p) : text.n;
		if (end == i)
			return STR("");
		all = str_printf(ev->arena, "%.*s%s%s%.*s%s", STR_ARG(all), all.n ? "," : "", quote, (int)(end - i),
			text.p + i, quote);
		i = end + 1;
	}
	return str_printf(ev->arena, "[%.*s]", STR_ARG(all));
}

/* Adds help on how to write a value of the type on the command line; true if it did. */
static bool help_setting(struct eval *ev, struct diag *e, const struct decl *d, const struct setting *s, bool set,
	const struct diag *first)
{
	const struct type *t = bare(d->type);
	struct str list = t->kind == TYPE_LIST ? listed(ev, s->text, t->elem) : STR("");
	bool collection = t->kind == TYPE_LIST || t->kind == TYPE_MAP;
	const char *example = t->kind == TYPE_INT ? "4" : t->kind == TYPE_FLOAT ? "0.5" : t->kind == TYPE_BOOL ? "true"
		: s->text.n ? NULL : t->kind == TYPE_MEMORY ? "8Gi" : t->kind == TYPE_CPU ? "2"
		: t->kind == TYPE_DURATION ? "30min" : NULL;

	if (first && speaks_for_itself(first->code))
		return false;
	if (list.n && set)
		diag_help(ev->diags, e, "write --set '%.*s=%.*s'", STR_ARG(s->name), STR_ARG(list));
	else if (list.n)
		diag_help(ev->diags, e, "write %.*s", STR_ARG(list));
	else if (!s->text.n && set && d->type->kind == TYPE_OPTIONAL)
		diag_help(ev->diags, e, "for no value write --set %.*s=none", STR_ARG(s->name));
	else if (!s->text.n && set && collection)
		diag_help(ev->diags, e, "for %s write --set '%.*s=%s'", t->kind == TYPE_LIST ? "an empty list" :
			"an empty map", STR_ARG(s->name), t->kind == TYPE_LIST ? "[]" : "{}");
	else if (example && set)
		diag_help(ev->diags, e, "write a value, such as --set %.*s=%s", STR_ARG(s->name), example);
	else
		return false;
	return true;
}

static void report_text(struct eval *ev, const struct decl *d, const struct setting *s, bool set,
	const struct diags *why)
{
	const struct diag *first = why->n ? why->at[0] : NULL;
	struct str want = type_phrase(ev->arena, d->type);
	struct str given = set ? str_printf(ev->arena, "--set %.*s=%.*s", STR_ARG(s->name), STR_ARG(s->text))
	                       : str_printf(ev->arena, "%.*s = %.*s", STR_ARG(s->name), STR_ARG(s->text));
	struct span type_at = d->node->u.binding.type ? d->node->u.binding.type->span : d->span;
	struct diag *e;

	if (first && speaks_for_itself(first->code))
		e = diag_report(ev->diags, first->code, setting_span(s), "%.*s", STR_ARG(first->message));
	else if (first && first->code != TJ0201 && first->code != TJ0102)
		e = diag_report(ev->diags, TJ0403, setting_span(s), "%.*s: %.*s", STR_ARG(given),
			STR_ARG(first->message));
	else
		e = diag_report(ev->diags, TJ0403, setting_span(s), "%.*s: this is not %.*s", STR_ARG(given),
			STR_ARG(want));
	diag_note(ev->diags, e, type_at, "'%.*s' is %.*s", STR_ARG(d->name), STR_ARG(want));
	if (help_setting(ev, e, d, s, set, first))
		return;
	if (first && first->help.n && first->code != TJ0201)
		diag_help(ev->diags, e, "%.*s", STR_ARG(first->help));
}

/* The value of TEXT, parsed as an expression of type T; NULL after a report. */
static struct node *parse_setting(struct eval *ev, const struct decl *d, const struct setting *s, bool set)
{
	struct program *p = ev->program;
	struct diags aside = { .arena = ev->arena, .sources = p->sources }, *usual = p->diags;
	/* the part of the source, as a separate source whose spans still point into the whole */
	struct source part = { .name = s->source->name, .text = str_copy(ev->arena, s->text),
		.base = s->source->base + s->offset };

	p->diags = &aside;
	struct node *expr = parse_expression(ev->arena, p->names, &aside, &part);
	bool ok = expr && diags_ok(&aside) && check_value(p, expr, d->type) && diags_ok(&aside);
	p->diags = usual;
	if (ok)
		return expr;
	report_text(ev, d, s, set, &aside);
	return NULL;
}

const struct value *param_text(struct eval *ev, struct str text, struct span at, const struct type *t)
{
	struct program *p = ev->program;
	struct diags aside = { .arena = ev->arena, .sources = p->sources }, *usual = p->diags;
	struct source part = { .name = STR("parameter"), .text = str_copy(ev->arena, text), .base = at.start };
	struct source *composed = NULL;

	/* the text has quotes or escapes in the file, so nothing can point into it */
	if (!str_eq(source_text(p->sources, at), text))
		composed = source_add(p->sources, STR("parameter"), part.text);
	p->diags = &aside;
	struct node *expr = parse_expression(ev->arena, p->names, &aside, composed ? composed : &part);
	bool ok = expr && diags_ok(&aside) && check_value(p, expr, t) && diags_ok(&aside);
	p->diags = usual;
	return ok ? value_at(ev->arena, eval_expr(ev, NULL, expr), at) : NULL;
}

static const struct value *param_convert(struct eval *ev, const struct decl *d, const struct value *v, struct span at)
{
	struct str outer = ev->name;

	ev->name = d->name;
	v = value_convert(ev, v, d->type, at, d->node->u.binding.type ? d->node->u.binding.type->span : d->span);
	ev->name = outer;
	return v;
}

/* The name b of the second parameter in `--set a=1,b=2`, as Helm allows it; empty when the text has another form. */
static struct str second_of(struct eval *ev, const struct setting *s)
{
	size_t comma = 0, n;

	while (comma < s->text.n && s->text.p[comma] != ',' && s->text.p[comma] != '=')
		comma++;
	if (comma >= s->text.n || s->text.p[comma] != ',')
		return STR("");
	struct str name = { s->text.p + comma + 1, 0 };
	for (n = comma + 1; n < s->text.n && s->text.p[n] != '='; n++)
		name.n++;
	return n < s->text.n && find_param(ev, name) ? name : STR("");
}

static const struct value *report_second(struct eval *ev, const struct setting *s, struct str second)
{
	struct diag *d = diag_report(ev->diags, TJ0403, setting_span(s), "--set %.*s=...: each parameter needs its own "
		"--set", STR_ARG(s->name));
	diag_help(ev->diags, d, "write --set %.*s=%.*s --set %.*s", STR_ARG(s->name),
		(int)(second.p - 1 - s->text.p), s->text.p, (int)(s->text.p + s->text.n - second.p), second.p);
	diag_help(ev->diags, d, "pass a text with this comma with --params");
	return &value_bad;
}

static const struct value *setting_value(struct eval *ev, const struct decl *d, const struct setting *s, bool set)
{
	const struct type *t = bare(d->type);
	struct span at = setting_span(s);
	const struct value *v;

	if (s->data)
		return param_data(ev, s->data, d->type, d->name, true);
	struct str second = set && type_is_text(t) && !s->literal ? second_of(ev, s) : STR("");
	if (second.n)
		return report_second(ev, s, second);
	if (d->type->kind == TYPE_OPTIONAL && str_is(s->text, "none"))
		return value_new(ev->arena, VALUE_NONE, at);
	if (type_is_text(t) && !s->literal) {
		v = value_string(ev->arena, str_copy(ev->arena, s->text), at);
	} else {
		struct node *expr = parse_setting(ev, d, s, set);
		v = expr ? eval_named(ev, NULL, expr, d->name) : &value_bad;
	}
	return param_convert(ev, d, v, at);
}

/* ---- profiles ---- */

static struct map profiles_by_name(struct eval *ev)
{
	struct nodes decls = ev->program->root->file->u.file.decls;
	struct map profiles = { 0 };

	for (size_t i = 0; i < decls.n; i++)
		if (decls.at[i]->kind == NODE_PROFILE && !map_get(&profiles, decls.at[i]->u.titled.name))
			map_put(&profiles, eval_work(ev), decls.at[i]->u.titled.name, decls.at[i]);
	return profiles;
}

static void report_no_profile(struct eval *ev, struct str name, struct span at)
{
	struct nodes decls = ev->program->root->file->u.file.decls;
	struct suggest near;
	struct diag *d = diag_report(ev->diags, TJ0404, at, "unknown profile '%.*s'", STR_ARG(name));

	suggest_init(&near, ev->arena, name);
	for (size_t i = 0; i < decls.n; i++)
		if (decls.at[i]->kind == NODE_PROFILE)
			suggest_add(&near, decls.at[i]->u.titled.name);
	struct str help = suggest_sentence(&near), all = suggest_all(&near, "the profiles are");
	if (help.n)
		diag_help(ev->diags, d, "%.*s", STR_ARG(help));
	if (all.n)
		diag_help(ev->diags, d, "%.*s", STR_ARG(all));
	else if (!near.count)
		diag_help(ev->diags, d, "the program declares no profiles");
}

/* The next entry of the profiles for a parameter, from position *at on; NULL if no entry is left. */
static struct entry *profile_entry(struct eval *ev, struct str name, size_t *at)
{
	struct entries *said = ev->profile ? map_get(ev->profile, name) : NULL;

	while (said && *at < said->n) {
		struct entry *e = &said->at[(*at)++];
		if (!e->item || entry_expr(e))
			return e;
	}
	return NULL;
}

static const struct value *default_value(struct eval *ev, const struct decl *d)
{
	return eval_named(ev, NULL, d->node->u.binding.value, d->name);
}

/* The value that the profile gives a parameter; a body in braces extends the default. */
static const struct value *profile_value(struct eval *ev, const struct decl *d, struct span at)
{
	struct eval_part *parts = NULL;
	size_t n = 0, next = 0;
	const struct value *v = NULL;

	for (struct entry *e = profile_entry(ev, d->name, &next); e; e = profile_entry(ev, d->name, &next)) {
		if (entry_sets(e)) {
			v = entry_value(ev, e);
			n = 0;                  /* the entry is in a profile that the chosen one extends */
			continue;
		}
		struct eval_part part = { e->frame, entry_expr(e), (unsigned)n };
		ARENA_PUSH(eval_work(ev), parts, n, part);
	}
	if (!v && d->node->u.binding.value)
		v = default_value(ev, d);
	if (n)
		v = eval_parts(ev, v, parts, n, d->name);
	return value_ok(v) ? param_convert(ev, d, v, at) : v;
}

/* ---- parameters ---- */

/*
 * Was an error in a parameter file or in the name of a parameter reported? Then a missing value may have been intended
 * there.
 */
static bool is_given_wrongly(const struct eval *ev)
{
	for (size_t i = 0; i < ev->diags->n; i++) {
		int code = ev->diags->at[i]->code;
		if (code == TJ0001 || code == TJ0402 || code == TJ0403)
			return true;
	}
	return false;
}

static const struct value *report_no_value(struct eval *ev, const struct decl *d)
{
	if (is_given_wrongly(ev))
		return &value_bad;
	struct diag *e = diag_report(ev->diags, TJ0401, d->span, "parameter '%.*s' has no value", STR_ARG(d->name));

	if (d->doc.n)
		diag_help(ev->diags, e, "set it with --set %.*s=...; it is documented as: %.*s", STR_ARG(d->name),
			STR_ARG(d->doc));
	else
		diag_help(ev->diags, e, "set it with --set %.*s=...", STR_ARG(d->name));
	return &value_bad;
}

/* ---- --set r.size=9Gi ---- */

static const struct type *member_type(const struct type *t, struct str name)
{
	if (t->kind == TYPE_MAP)
		return t->elem;
	for (size_t i = 0; t->kind == TYPE_RECORD && i < t->record->nfields; i++)
		if (str_eq(t->record->fields[i].name, name))
			return t->record->fields[i].type;
	return NULL;
}

static const struct value *report_member(struct eval *ev, const struct decl *d, const struct setting *s,
	const struct type *t, struct str name)
{
	struct suggest near;
	struct str what = type_phrase(ev->arena, t);
	struct diag *e;

	if (t->kind == TYPE_MAP) {
		e = diag_report(ev->diags, TJ0402, name_span(s),
			name.n ? "--set %.*s: the quotes of a key do not match" : "--set %.*s: a key is empty",
			STR_ARG(s->name));
		diag_help(ev->diags, e,
			"a key with a character such as - or / in it is written --set '%.*s.\"a/b\"=...'",
			STR_ARG(name_head(s->name)));
		return &value_bad;
	}
	e = diag_report(ev->diags, TJ0402, name_span(s),
		"--set %.*s: '%.*s' is %.*s and has no member '%.*s'", STR_ARG(s->name),
		STR_ARG(d->name), STR_ARG(what), STR_ARG(name));

	suggest_init(&near, ev->arena, name);
	for (size_t i = 0; t->kind == TYPE_RECORD && i < t->record->nfields; i++)
		suggest_add(&near, t->record->fields[i].name);
	struct str help = suggest_or_list(&near, "its fields are");
	if (help.n)
		diag_help(ev->diags, e, "%.*s", STR_ARG(help));
	else
		diag_help(ev->diags, e, "set the whole value: --set %.*s=...", STR_ARG(name_head(s->name)));
	return &value_bad;
}

/*
 * Takes the first member of PATH, which may be quoted: m."a/b".c. *RET_END is its length in PATH, with quotes; false
 * when the quotes do not match.
 */
static bool first_member(struct str path, struct str *ret_name, size_t *ret_end)
{
	const char *close = path.n && path.p[0] == '"' ? memchr(path.p + 1, '"', path.n - 1) : NULL;

	*ret_name = close ? (struct str){ path.p + 1, (size_t)(close - path.p) - 1 } : name_head(path);
	*ret_end = ret_name->n + (close ? 2 : 0);
	return *ret_end == path.n ? close || !memchr(path.p, '"', path.n) : path.p[*ret_end] == '.';
}

/* A copy of V in which the member at PATH has the value of S; V may be NULL or none. */
static const struct value *with_member(struct eval *ev, const struct decl *d, const struct value *v,
	const struct setting *s, struct str path)
{
	struct str name;
	size_t end;
	bool closed = first_member(path, &name, &end);
	const struct type *t = bare(d->type), *member = member_type(t, name);
	struct value *copy = value_new(ev->arena, VALUE_MAP, setting_span(s));

	if (!closed || !member || !name.n)
		return report_member(ev, d, s, t, name);
	struct decl inner = { .kind = DECL_PARAM, .name = s->name, .span = d->span, .node = d->node, .type = member };
	const struct value *old = v && v->kind == VALUE_MAP ? value_get(v, name) : NULL;
	struct str rest = { path.p + end + 1, path.n - end - (path.n > end) };
	const struct value *made = path.n > end ? with_member(ev, &inner, old, s, rest)
		: setting_value(ev, &inner, s, true);
	if (!value_ok(made))
		return made;
	for (size_t i = 0; v && v->kind == VALUE_MAP && i < v->u.map.index.n; i++) {
		const struct value_entry *e = v->u.map.index.entries[i].value;
		value_put(ev->arena, copy, e->key, e->key_at, e->value);
	}
	value_put(ev->arena, copy, names_intern(ev->program->names, name), setting_span(s), made);
	return map_finish(ev, copy);
}

/* The settings of members of one parameter, such as r.size=9Gi, in the order of the command line. */
struct member_settings { const struct setting **at; size_t n; };

static void index_members(struct eval *ev, const struct settings *s)
{
	for (size_t i = 0; i < s->nset; i++) {
		struct str head = name_head(s->set[i].name);
		struct member_settings *m = map_get(&ev->member_index, head);
		if (!m) {
			m = ARENA_NEW(ev->arena, struct member_settings);
			map_put(&ev->member_index, ev->arena, head, m);
		}
		if (head.n < s->set[i].name.n)
			ARENA_PUSH(ev->arena, m->at, m->n, &s->set[i]);
	}
}

/* The dotted settings of a parameter; NULL if it has no dotted settings. */
static const struct member_settings *find_members(struct eval *ev, struct str name)
{
	if (ev->settings && !ev->member_index.n)
		index_members(ev, ev->settings);
	return map_get(&ev->member_index, name);
}

/* Applies, after everything else, the members that --set sets one by one. */
static const struct value *with_members(struct eval *ev, const struct decl *d, const struct value *v)
{
	const struct member_settings *members = find_members(ev, d->name);
	size_t n = members ? members->n : 0;

	for (size_t i = 0; i < n && (!v || value_ok(v)); i++) {
		struct str name = members->at[i]->name;
		v = with_member(ev, d, v, members->at[i],
			(struct str){ name.p + d->name.n + 1, name.n - d->name.n - 1 });
	}
	return n && value_ok(v) ? param_convert(ev, d, v, v->from) : v;
}

static const struct value *whole_value(struct eval *ev, const struct decl *d);

/*
 * The value of a parameter of a module: the one that an import passes, otherwise its default. VALUE_BAD if there is
 * neither; the checker has reported that.
 */
static const struct value *module_param(struct eval *ev, const struct decl *d)
{
	if (d->argument)
		eval_slot(ev, d)->at = d->argument->span;
	return d->argument ? eval_named(ev, NULL, d->argument, d->name)
		: d->node->u.binding.value ? default_value(ev, d) : &value_bad;
}

const struct value *param_value(struct eval *ev, const struct decl *d)
{
	if (!d->type || d->type->kind == TYPE_BAD)
		return &value_bad;
	if (d->module && !d->module->root)
		return module_param(ev, d);
	const struct value *v = with_members(ev, d, whole_value(ev, d));
	return v ? v : report_no_value(ev, d);
}

/* The value of a parameter before its dotted settings; NULL if it has no value. */
static const struct value *whole_value(struct eval *ev, const struct decl *d)
{
	const struct settings *s = ev->settings;
	const struct setting *set = s ? find_setting(ev, &ev->set_index, s->set, s->nset, d->name) : NULL;
	const struct setting *file = s ? find_setting(ev, &ev->params_index, s->params, s->nparams, d->name) : NULL;
	size_t first = 0;
	const struct entry *e = profile_entry(ev, d->name, &first);
	struct slot *slot = eval_slot(ev, d);

	if (set || file) {
		slot->at = setting_span(set ? set : file);
		return setting_value(ev, d, set ? set : file, set != NULL);
	}
	if (e) {
		slot->at = entry_at(e);
		return profile_value(ev, d, slot->at);
	}
	return d->node->u.binding.value ? default_value(ev, d) : NULL;
}

/*
 * Adds the entries of a profile after those of the profiles that it extends. check_profile() has refused cycles and
 * chains that are too long.
 */
static void add_profile(struct eval *ev, const struct map *profiles, struct node *profile, struct entries *to,
	unsigned depth)
{
	struct node *base = profile->u.titled.base.n && depth < PROFILES_DEEPEST ?
		map_get(profiles, profile->u.titled.base)
		: NULL;

	if (base)
		add_profile(ev, profiles, base, to, depth + 1);
	struct entries *own = eval_entries(ev, NULL, profile->u.titled.body);
	for (size_t i = 0; i < own->n; i++)
		ARENA_PUSH(eval_work(ev), to->at, to->n, own->at[i]);
}

/* Is this line of a profile among the entries already? Profiles that extend the same profile share its lines. */
static bool has_entry(const struct entries *all, const struct entry *e)
{
	for (size_t i = 0; all && i < all->n; i++)
		if (all->at[i].key_at.start == e->key_at.start)
			return true;
	return false;
}

/* The last entry that sets KEY; NULL if no entry does. */
static const struct entry *last_set(const struct entries *all, struct str key)
{
	for (size_t i = all ? all->n : 0; i-- > 0;)
		if (str_eq(all->at[i].key, key) && entry_sets(&all->at[i]))
			return &all->at[i];
	return NULL;
}

/*
 * Reports two profiles of one command that set the same parameter, because it is unclear which value is meant. If one
 * of them extends the other, its value is used.
 */
static void test_conflicts(struct eval *ev, const struct map *before, const struct entries *more, struct str name)
{
	for (size_t i = 0; i < more->n; i++) {
		const struct entries *said = map_get(before, more->at[i].key);
		const struct entry *first = last_set(said, more->at[i].key);
		if (!first || &more->at[i] != last_set(more, more->at[i].key) || has_entry(more, first) ||
		    has_entry(said, &more->at[i]))
			continue;
		struct diag *d = diag_report(ev->diags, TJ0206, more->at[i].key_at,
			"profile '%.*s' sets '%.*s', which another profile of this command sets too",
			STR_ARG(name), STR_ARG(more->at[i].key));
		diag_note(ev->diags, d, first->key_at, "set here first");
		diag_help(ev->diags, d, "use one of the two, or decide with --set %.*s=...",
			STR_ARG(more->at[i].key));
		return;
	}
}

static void keep_by_name(struct eval *ev, struct map *all, const struct entry *e)
{
	struct entries *said = map_get(all, e->key);
	if (!said) {
		said = ARENA_NEW(eval_work(ev), struct entries);
		map_put(all, eval_work(ev), e->key, said);
	}
	ARENA_PUSH(eval_work(ev), said->at, said->n, *e);
}

/* The profiles of the command, in its order, separated by commas. */
static void begin_profile(struct eval *ev)
{
	const struct settings *s = ev->settings;

	if (!s || !s->profile.p)
		return;
	struct map profiles = profiles_by_name(ev), *all = ARENA_NEW(eval_work(ev), struct map);
	for (size_t i = 0; i <= s->profile.n;) {
		const char *comma = memchr(s->profile.p + i, ',', s->profile.n - i);
		struct str name = { s->profile.p + i, (comma ? (size_t)(comma - s->profile.p) : s->profile.n) - i };
		struct node *profile = map_get(&profiles, name);
		struct entries more = { 0 };
		if (profile)
			add_profile(ev, &profiles, profile, &more, 0);
		else
			report_no_profile(ev, name, s->profile_at);
		test_conflicts(ev, all, &more, name);
		for (size_t k = 0; k < more.n; k++)
			if (!has_entry(map_get(all, more.at[k].key), &more.at[k]))
				keep_by_name(ev, all, &more.at[k]);
		i += name.n + 1;
	}
	ev->profile = all;
}

/* Does a let depend on the pod? Then it has no value outside a role. */
static bool waits_for_pod(const struct type *t)
{
	enum { DEEPEST = 512 };                 /* more deeply nested values are refused */
	unsigned depth = 0;

	for (; t && depth < DEEPEST && (t->kind == TYPE_OPTIONAL || t->kind == TYPE_LIST ||
		t->kind == TYPE_MAP); depth++)
		t = t->elem;
	return t && t->kind == TYPE_POD;
}

static void force(struct eval *ev, const struct decl *d)
{
	if (d && d->global && !waits_for_pod(d->type))
		eval_global(ev, d);
}

/* Is it a literal? Its value does not depend on the settings. */
static bool is_literal_default(const struct node *n)
{
	struct str text;

	while (n->kind == NODE_UNARY && n->u.op.op == OP_NEGATE)
		n = n->u.op.left;
	switch (n->kind) {
	case NODE_INT: case NODE_FLOAT: case NODE_QUANTITY: case NODE_TOPOLOGY: return true;
	case NODE_STRING: return node_static_text(n, &text);
	case NODE_LIST:
		for (size_t i = 0; i < n->u.list.n; i++)
			if (!is_literal_default(n->u.list.at[i]))
				return false;
		return true;
	default: return false;
	}
}

static void test_default(struct eval *ev, struct node *n, const struct type *t, struct str name)
{
	if (n && t && t->kind != TYPE_BAD && n->type && n->type->kind != TYPE_BAD && is_literal_default(n))
		eval_named(ev, NULL, n, name);
}

/*
 * Reports defaults that violate the refinement of their own type, in declarations of the program, even if they are
 * unused.
 */
static void test_defaults(struct eval *ev)
{
	for (size_t m = 0; m < ev->program->n; m++) {
		const struct module *module = ev->program->modules[m];
		for (size_t i = 0; !module->library && i < module->values.n; i++) {
			const struct decl *d = module->values.entries[i].value;
			if (d->kind == DECL_PARAM && d->node)
				test_default(ev, d->node->u.binding.value, d->type, d->name);
		}
		for (size_t i = 0; !module->library && i < module->types.n; i++) {
			const struct decl *d = module->types.entries[i].value;
			for (size_t k = 0; k < d->nfields; k++)
				test_default(ev, d->fields[k].value, d->fields[k].type, d->fields[k].name);
		}
	}
}

/* Evaluates the values that imports pass, even if they are unused. */
static void force_passed(struct eval *ev)
{
	for (size_t m = 0; m < ev->program->n; m++) {
		const struct map *values = &ev->program->modules[m]->values;
		for (size_t i = 0; !ev->program->modules[m]->library && i < values->n; i++) {
			const struct decl *d = values->entries[i].value;
			if (d->kind == DECL_PARAM && d->argument)
				force(ev, d);
		}
	}
}

/* Runs the checks of one file: the program, or a module that it imports. */
static void run_file_checks(struct eval *ev, const struct module *m)
{
	struct nodes decls = m->file->u.file.decls;

	for (size_t i = 0; !m->library && !m->policy && i < decls.n; i++)
		if (decls.at[i]->kind == NODE_CHECK)
			eval_check(ev, NULL, decls.at[i], decls.at[i]->u.check.condition->span, (struct str){ 0 });
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
	force_passed(ev);
	test_defaults(ev);
	ev->profile = NULL;             /* everything that it sets has been read, and its memory in eval_work() will be
					 * reused */
	for (size_t m = 0; m < ev->program->n; m++)
		run_file_checks(ev, ev->program->modules[m]);
}
