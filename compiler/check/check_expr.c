/*
 * check_expr.c - the types of expressions: names, literals, strings, lists and
 * conditionals.  Operators, members, calls and bodies have files of their own.
 */
#include "check/context.h"
#include "diag/suggest.h"
#include "syntax/help/foreign.h"

void retype_expr(struct check *c, struct node *n, const struct type *t)
{
	if (n->type->kind == TYPE_BAD || type_same(n->type, t))
		return;
	if (n->type->kind == TYPE_UNIT)
		check_expr(c, n, t, NO_SITE);
	else
		type_coerce(c, n, t, NO_SITE);
}

/* ---- names ---- */

static struct str some_topology(const struct decl *device)
{
	long long chips = 0;
	struct str example = topology_example(device, 16, &chips);

	return example.n ? example : STR("2x2");
}

static const struct type *report_not_value(struct check *c, struct node *n, const struct decl *d)
{
	struct str words = node_words(c, n);
	struct diag *g;
	switch (d->kind) {
	case DECL_FN: case DECL_BUILTIN_FN:
		g = diag_report(c->diags, TJ0302, n->span, "'%.*s' is a function, not a value", STR_ARG(words));
		diag_help(c->diags, g, "call it: '%.*s(...)'", STR_ARG(words));
		break;
	case DECL_ACCELERATOR:
		g = diag_report(c->diags, TJ0302, n->span, "'%.*s' needs its arguments", STR_ARG(words));
		diag_note(c->diags, g, d->span, "declared here");
		if (d->nformals && d->formals[0]->type && d->formals[0]->type->kind == TYPE_TOPOLOGY)
			diag_help(c->diags, g, "write '%.*s(%.*s)' with the topology", STR_ARG(words),
				STR_ARG(some_topology(d)));
		else
			diag_help(c->diags, g, "write '%.*s(1)' with the number of devices", STR_ARG(words));
		break;
	case DECL_FRAMEWORK:
		g = diag_report(c->diags, TJ0302, n->span, "'%.*s' is a framework, not a value", STR_ARG(words));
		diag_help(c->diags, g, "a job names its framework in its first line: job \"name\": %.*s { }",
			STR_ARG(words));
		break;
	case DECL_IMPORT:
		g = diag_report(c->diags, TJ0302, n->span, "'%.*s' is a module, not a value", STR_ARG(words));
		diag_help(c->diags, g, "name one of its members: '%.*s.name'", STR_ARG(words));
		break;
	default:
		diag_report(c->diags, TJ0302, n->span, "'%.*s' is not a value", STR_ARG(words));
	}
	return mark_bad(n);
}

/* The type of the declaration D that N, a name or a member of a module, refers to. */
const struct type *type_of_decl(struct check *c, struct node *n, struct decl *d)
{
	switch (d->kind) {
	case DECL_BAD: return mark_bad(n);
	case DECL_PARAM: case DECL_LET: case DECL_FORMAL: case DECL_LOOP: case DECL_BUILTIN: return decl_type(c, d);
	case DECL_ROLE: return &type_role;
	case DECL_CELL: return d->type;
	case DECL_BUILTIN_FN:
		if (d->function == FUNCTION_PACK)
			return schema_place_type(&c->types);
		return report_not_value(c, n, d);
	case DECL_IMPORT: return report_not_value(c, n, d);
	default: decl_type(c, d); return report_not_value(c, n, d);
	}
}

/* The type of N, without the optional mark if a condition around N shows that it is not none. */
static const struct type *narrowed(struct check *c, const struct node *n, const struct type *t)
{
	return t->kind == TYPE_OPTIONAL && known_present(c, n) ? t->elem : t;
}

/* The type of a parameter that help proposes to declare where CORE is expected; "string" if no type is known. */
static const char *declared_as(struct check *c, const struct type *core)
{
	switch (core->kind) {
	case TYPE_BAD: return "string";
	case TYPE_ELASTIC: return "int";
	case TYPE_INT: case TYPE_FLOAT: case TYPE_BOOL: case TYPE_STRING: case TYPE_NAME: case TYPE_PATH:
	case TYPE_IMAGE: case TYPE_MEMORY: case TYPE_CPU:
	case TYPE_DURATION: return type_spell(c->arena, core).p;
	case TYPE_LIST: return type_is_text(type_strip_pod(core->elem)) ? "list[string]" : NULL;
	default: return NULL;
	}
}

static const struct type *type_name_node(struct check *c, struct node *n, const struct type *want)
{
	const struct type *core = want ? type_strip_pod(type_strip_optional(want)) : &type_bad;
	bool text = type_is_text(core) || core->kind == TYPE_ENV_VALUE || (core->kind == TYPE_RECORD && core->or_one);
	c->text_wanted = text ? core : NULL;
	c->role_wanted = core->kind == TYPE_ROLE;
	c->declared_as = n == c->condition ? "bool" : declared_as(c, core);
	struct decl *d = scope_find(c, n->u.name.text, n->span);
	c->text_wanted = NULL;
	c->role_wanted = false;
	if (!d)
		return mark_bad(n);
	n->u.name.decl = d;
	return narrowed(c, n, type_of_decl(c, n, d));
}

/* ---- literals ---- */

static const struct type *type_int_node(struct check *c, struct node *n)
{
	if (n->u.integer.value <= INT64_MAX)
		return &type_int;
	struct diag *d = diag_report(c->diags, TJ0301, n->span, "%llu does not fit in 64 bits",
		(unsigned long long)n->u.integer.value);
	diag_help(c->diags, d, "the largest int is %lld", (long long)INT64_MAX);
	return mark_bad(n);
}

static bool is_word_type(const struct type *t, struct str word)
{
	for (size_t i = 0; i < t->n; i++)
		if (str_eq(t->words[i], word))
			return true;
	return false;
}

static struct str list_words(struct check *c, const struct type *t)
{
	struct str s = STR("");
	for (size_t i = 0; i < t->n && i < 10; i++)
		s = str_printf(c->arena, "%.*s%s\"%.*s\"", STR_ARG(s), i ? ", " : "", STR_ARG(t->words[i]));
	return s;
}

void report_enum(struct check *c, const struct node *n, const struct type *t, struct str text, const struct site *site)
{
	struct suggest s;
	struct diag *d;
	struct str what = site_words(c, site);
	if (what.n)
		d = diag_report(c->diags, TJ0312, n->span, "%.*s cannot be \"%.*s\"", STR_ARG(what), STR_ARG(text));
	else
		d = diag_report(c->diags, TJ0312, n->span, "\"%.*s\" is not one of them", STR_ARG(text));
	if (span_known(site->declared))
		diag_note(c->diags, d, site->declared, "declared here");
	suggest_init(&s, c->arena, text);
	for (size_t i = 0; i < t->n; i++)
		suggest_add(&s, t->words[i]);
	struct str all = list_words(c, t), only = suggest_only(&s);
	const char *other = foreign_value(site->name, text);
	diag_help(c->diags, d, t->n > 1 ? "one of %.*s" : "the only choice is %.*s", STR_ARG(all));
	if (other) {
		diag_help(c->diags, d, "%s", other);
		return;
	}
	if (!only.n && s.n == 1)
		diag_help(c->diags, d, "did you mean \"%.*s\"?", STR_ARG(s.best[0]));
	if (!only.n)
		return;
	diag_help(c->diags, d, "did you mean \"%.*s\"?", STR_ARG(only));
	if (str_is(only, "none"))               /* the other choices are the opposite of `none` */
		return;
	diag_fix(c->diags, d, n->span, str_printf(c->arena, "\"%.*s\"", STR_ARG(only)), "change it to \"%.*s\"",
		STR_ARG(only));
}

/* ---- strings ---- */

static bool has_text(const struct type *t)
{
	switch (t->kind) {
	case TYPE_BOOL: case TYPE_INT: case TYPE_FLOAT: case TYPE_ELASTIC: case TYPE_TOPOLOGY: case TYPE_RANGE:
	case TYPE_DATA:
	case TYPE_BAD:
		return true;
	default: return type_is_text(t) || type_is_quantity(t);
	}
}

/* The first text in quotes in the words of a list, such as tp of ["tp", "pp"]. */
static struct str first_text(struct str words)
{
	const char *quote = words.n ? memchr(words.p, '"', words.n) : NULL;
	const char *end = quote ? memchr(quote + 1, '"', words.n - (size_t)(quote + 1 - words.p)) : NULL;

	return end ? (struct str){ quote + 1, (size_t)(end - quote - 1) } : STR("");
}

struct str words_joined(struct check *c, struct str words, const struct type *list)
{
	const struct type *element = list->kind == TYPE_LIST ? type_strip_pod(list->elem) : NULL;

	if (!element || !has_text(element) || element->kind == TYPE_DATA)
		return STR("");
	/* words of the order of a layout have dashes between them */
	const char *between = foreign_dimension(first_text(words)) ? "-" : ",";
	return str_printf(c->arena, type_is_text(element) || element->kind == TYPE_BAD ? "join(%.*s, \"%s\")"
		: "join([str(x) for x in %.*s], \"%s\")", STR_ARG(words), between);
}

static void report_part(struct check *c, struct node *n, const struct type *t)
{
	struct str words = node_words(c, n), what = type_phrase(c->arena, t);
	bool whole = t->kind == TYPE_LIST || t->kind == TYPE_MAP || t->kind == TYPE_RECORD || t->kind == TYPE_ANON ||
		t->kind == TYPE_ROLE;
	struct diag *d = diag_report(c->diags, c->at.env && whole ? TJ0704 : TJ0302, n->span,
		"%.*s cannot be put in a string", STR_ARG(what));
	struct str joined = words_joined(c, words, t);
	if (joined.n)
		diag_help(c->diags, d, "write '%.*s' or 'json(%.*s)'", STR_ARG(joined), STR_ARG(words));
	else if (t->kind == TYPE_ROLE)
		diag_help(c->diags, d, "write '%.*s.name'", STR_ARG(words));
	else if (whole)
		diag_help(c->diags, d, "write 'json(%.*s)'", STR_ARG(words));
}

void check_part(struct check *c, struct node *n, bool *ret_pod)
{
	const struct type *t = check_free(c, n);
	if (t->kind == TYPE_POD)
		*ret_pod = true;
	t = type_strip_pod(t);
	if (t->kind == TYPE_OPTIONAL || t->kind == TYPE_NONE)
		report_optional(c, n);
	else if (t->kind == TYPE_SECRET)
		report_secret(c, n);
	else if (!has_text(t)) {
		report_part(c, n, t);
		mark_bad(n);
	}
}

/* The declaration of the program that NAME, as in `{{ nodes }}`, refers to; NULL for built-in names and for imports. */
static struct decl *own_name(struct check *c, struct str name)
{
	struct decl *d = name.n ? scope_peek(c, name) : NULL;
	return d && d->kind != DECL_BUILTIN && d->kind != DECL_BUILTIN_FN && d->kind != DECL_IMPORT ? d : NULL;
}

static void report_interpolation(struct check *c, const struct string_part *part, struct str whole, struct decl *d)
{
	struct str text = source_text(c->program->sources, part->span);
	size_t offset = (size_t)(whole.p - part->text.p);
	struct span at = part->span;
	decl_use(c, d);                         /* counts as a use, so that D is not reported as unused as well */
	/* only where the string equals its source text, without escapes or removed indentation, is the span exact */
	if (offset + whole.n <= text.n && str_eq((struct str){ text.p + offset, whole.n }, whole)) {
		at.start += (uint32_t)offset;
		at.end = at.start + (uint32_t)whole.n;
	}
	struct diag *g = diag_report(c->diags, TJ1010, at, "'%.*s' is plain text here", STR_ARG(whole));
	diag_help(c->diags, g, "to insert the value of '%.*s' write '${%.*s}'; for text that other programs fill in, "
		"write it as r\"...\"",
		STR_ARG(d->name), STR_ARG(d->name));
}

/* Warns of `{{ nodes }}` or `%{nodes}` around a known name, the syntax of other tools (TJ1010). */
static bool doubled_interpolation(struct check *c, const struct string_part *part)
{
	static const struct { const char *open, *close; } forms[] = { { "{{", "}}" }, { "%{", "}" } };
	const char *end = part->text.p + part->text.n;
	bool found = false;

	if (!part->text.n || !memchr(part->text.p, '{', part->text.n))
		return false;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		const char *from = memmem(part->text.p, part->text.n, forms[i].open, 2);
		const char *close = from ? memmem(from, (size_t)(end - from), forms[i].close, strlen(forms[i].close)) :
			NULL;
		if (!close)
			continue;
		struct str whole = { from, (size_t)(close - from) + strlen(forms[i].close) },
			name = { from + 2, (size_t)(close - from) - 2 };
		while (name.n && (name.p[0] == ' ' || name.p[0] == '.'))
			name = (struct str){ name.p + 1, name.n - 1 };
		while (name.n && name.p[name.n - 1] == ' ')
			name.n--;
		struct decl *d = own_name(c, name);
		if (d)
			report_interpolation(c, part, whole, d);
		found = found || d;
	}
	return found;
}

enum { LONGEST_NAME = 64 };

/* Warns of `{nodes}`, but only around a parameter or a let, and only in a text without other braces. */
static void single_interpolation(struct check *c, const struct string_part *part)
{
	for (size_t i = 0; i < part->text.n; i++) {
		if (part->text.p[i] != '{')
			continue;
		size_t most = part->text.n - i < LONGEST_NAME ? part->text.n - i : LONGEST_NAME;
		const char *close = memchr(part->text.p + i, '}', most);
		if (!close)
			continue;
		struct str whole = { part->text.p + i, (size_t)(close - part->text.p) - i + 1 };
		struct decl *d = own_name(c, (struct str){ whole.p + 1, whole.n - 2 });
		if (!d || (d->kind != DECL_PARAM && d->kind != DECL_LET))
			continue;
		report_interpolation(c, part, whole, d);
		return;
	}
}

static const struct type *type_string_node(struct check *c, struct node *n, const struct type *want)
{
	struct str text;
	bool pod = false, failed = false;
	const struct type *core = want ? type_strip_pod(type_strip_optional(want)) : NULL;
	if (core && core->kind == TYPE_ENUM && node_static_text(n, &text))
		return is_word_type(core, text) ? core : &type_string;
	for (size_t i = 0; i < n->u.string.n; i++) {
		struct node *part = n->u.string.parts[i].expr;
		if (!part) {
			/* the author of r"..." wants no insertion, and the library needs no advice */
			if (!n->u.string.raw && !c->at.module->library &&
			    !doubled_interpolation(c, &n->u.string.parts[i]))
				single_interpolation(c, &n->u.string.parts[i]);
			continue;
		}
		check_part(c, part, &pod);
		failed = failed || part->type->kind == TYPE_BAD;
	}
	return failed ? &type_bad : type_lifted(c, &type_string, pod);
}

/* ---- lists ---- */

static const struct type *elements_for_data(struct check *c, struct node *n, const struct type *want)
{
	bool pod = false;
	for (size_t i = 0; i < n->u.list.n; i++)
		pod = has_pod(check_expr(c, n->u.list.at[i], want, NO_SITE)) || pod;
	return type_lifted(c, &type_data, pod);
}

static void report_elements(struct check *c, struct node *n, struct node *first)
{
	if (n->type->kind == TYPE_SECRET || first->type->kind == TYPE_SECRET) {
		report_secret(c, n->type->kind == TYPE_SECRET ? n : first);
		return;
	}
	struct str a = found_words(c, first), b = found_words(c, n);
	struct diag *d = diag_report(c->diags, TJ0302, n->span,
		"the elements of a list have one type, but this is %.*s", STR_ARG(b));
	diag_note(c->diags, d, first->span, "the first is %.*s", STR_ARG(a));
}

static bool literal_pair(const struct node *a, const struct node *b, const struct type *t, const struct type *u)
{
	return (t->kind == TYPE_FLOAT && u->kind == TYPE_INT && is_number_literal(b)) ||
	       (u->kind == TYPE_FLOAT && t->kind == TYPE_INT && is_number_literal(a));
}

static const struct type *type_list_node(struct check *c, struct node *n, const struct type *want)
{
	struct nodes list = n->u.list;
	const struct type *core = want ? type_strip_pod(type_strip_optional(want)) : NULL, *elem = NULL;
	if (core && core->kind == TYPE_BAD) {
		for (size_t i = 0; i < list.n; i++)
			type_loose(c, list.at[i]);
		return &type_bad;
	}
	if (core && core->kind == TYPE_DATA)
		return elements_for_data(c, n, want);
	if (core && core->kind == TYPE_LIST) {
		bool bare = report_bare_elements(c, n, core->elem);
		for (size_t i = 0; i < list.n && !bare; i++)
			check_expr(c, list.at[i], core->elem, NO_SITE);
		return core->refine ? type_list(c->arena, core->elem) : core;
	}
	for (size_t i = 0; i < list.n; i++) {
		const struct type *t = type_expr(c, list.at[i], NULL), *both = elem ? type_unify(c, elem, t) : t;
		if (!both && literal_pair(list.at[0], list.at[i], elem, t))
			both = &type_float;
		if (!both && core && core->kind == TYPE_MAP)    /* a map is expected, which is reported for the whole
								 * list */
			return type_list(c->arena, elem);
		if (!both) {
			report_elements(c, list.at[i], list.at[0]);
			mark_bad(list.at[i]);
			return &type_bad;
		}
		elem = both;
	}
	if (!elem)
		return &type_empty;
	if (elem->kind == TYPE_NONE || elem->kind == TYPE_EMPTY) {
		struct str words = node_words(c, n);
		struct diag *d = diag_report(c->diags, TJ0310, n->span, "%.*s could be of many types", STR_ARG(words));
		diag_help(c->diags, d, "give it a type in a 'let'");
		return &type_bad;
	}
	if (elem->kind == TYPE_BAD)
		return elem;
	/* now that the type is known, literals are checked again as elements of it */
	for (size_t i = 0; i < list.n; i++)
		if (elem->kind != TYPE_UNIT)
			retype_expr(c, list.at[i], elem);
	return elem->kind == TYPE_UNIT ? &type_unit : type_list(c->arena, elem);
}

static const struct type *type_list_for(struct check *c, struct node *n, const struct type *want)
{
	struct where saved = c->at;
	const struct type *core = want ? type_strip_pod(type_strip_optional(want)) : NULL, *elem;
	check_binders(c, n->u.list_for.binders, n->u.list_for.nbinders, n->u.list_for.list);
	scope_enter(c, SCOPE_LOCAL, NULL);
	for (unsigned i = 0; i < n->u.list_for.nbinders; i++)
		scope_declare(c, n->u.list_for.binders[i].decl);
	if (n->u.list_for.filter) {
		check_condition(c, n->u.list_for.filter, "the filter of a list", false);
		assume_condition(c, n->u.list_for.filter, true);
	}
	/*
	 * with several `for` clauses, the value is the list of the next clause, whose elements become elements of this
	 * one
	 */
	if (n->u.list_for.flat) {
		const struct type *inner = type_expr(c, n->u.list_for.value, want);
		c->at = saved;
		return inner;
	}
	if (core && core->kind == TYPE_LIST)
		elem = check_expr(c, n->u.list_for.value, core->elem, NO_SITE);
	else if (core && core->kind == TYPE_DATA)
		elem = check_expr(c, n->u.list_for.value, want, NO_SITE);
	else if (core && core->kind == TYPE_BAD)
		elem = type_loose(c, n->u.list_for.value);
	else
		elem = check_free(c, n->u.list_for.value);
	c->at = saved;
	if (core && core->kind == TYPE_DATA)
		return type_lifted(c, &type_data, has_pod(elem));
	return elem->kind == TYPE_BAD ? &type_bad : type_list(c->arena, elem);
}

static const struct type *element_type(struct check *c, const struct type *t)
{
	switch (t->kind) {
	case TYPE_LIST: case TYPE_MAP: return t->elem;
	case TYPE_DATA: return &type_data;
	case TYPE_ANON: {
		const struct type *elem = NULL;
		for (size_t i = 0; i < t->n; i++) {
			elem = elem ? type_unify(c, elem, t->members[i].type) : t->members[i].type;
			if (!elem)
				return NULL;
		}
		return elem ? elem : &type_bad;
	}
	case TYPE_EMPTY: return &type_bad;
	default: return NULL;
	}
}

static struct decl *binder_decl(struct check *c, struct binder *b, const struct type *t)
{
	struct decl *d = decl_new(c, DECL_LOOP, b->name, b->span, NULL);
	d->type = t;
	d->state = 2;
	b->decl = d;
	return d;
}

bool check_binders(struct check *c, struct binder *binders, unsigned n, struct node *list)
{
	const struct type *t = check_free(c, list), *elem = &type_bad, *key;
	bool ok = t->kind != TYPE_BAD;
	if (t->kind == TYPE_OPTIONAL || t->kind == TYPE_NONE) {
		report_optional(c, list);
		ok = false;
	} else if (ok && t->kind == TYPE_POD) {
		report_pod(c, list, NULL, &(struct site){ .what = STR("the list of a loop") });
		ok = false;
	} else if (ok && !(elem = element_type(c, t))) {
		if (t->kind == TYPE_RANGE)
			report_mismatch(c, list, type_list(c->arena, &type_int), NO_SITE);
		else {
			struct str what = type_phrase(c->arena, t);
			struct diag *d = diag_report(c->diags, TJ0302, list->span,
				"a loop runs over a list or a map, found %.*s", STR_ARG(what));
			if (t->kind == TYPE_INT)
				diag_help(c->diags, d, "write 'range(...)' for 0, 1, ...");
		}
		ok = false;
		mark_bad(list);
	}
	if (!ok)
		elem = &type_bad;
	bool map = t->kind == TYPE_MAP || t->kind == TYPE_ANON;
	key = !ok ? &type_bad : map ? &type_string : &type_int;
	if (n == 2)
		binder_decl(c, &binders[0], key);
	binder_decl(c, &binders[n - 1], n == 1 && map ? key : elem);
	return ok;
}

/* ---- conditionals ---- */

bool check_condition(struct check *c, struct node *n, const char *what, bool pod_allowed)
{
	c->condition = n;
	check_free(c, n);
	return judge_condition(c, n, what, pod_allowed);
}

/* Reports a condition that is not a bool: "'if nodes' needs a bool". */
static void report_not_bool(struct check *c, struct node *n, const char *what, const struct type *core)
{
	struct str is = found_words(c, n), words = node_words(c, n);
	bool leads = str_is(str_of(what), "'if'") || str_is(str_of(what), "'not'") || str_is(str_of(what), "'check'") ||
		str_is(str_of(what), "'warn'");
	struct str subject = leads ? str_printf(c->arena, "%.*s %.*s'", (int)strlen(what) - 1, what, STR_ARG(words)) :
		str_of(what);
	struct diag *d = diag_report(c->diags, TJ0317, n->span, "%.*s needs a bool, found %.*s", STR_ARG(subject),
		STR_ARG(is));
	if (core->kind == TYPE_INT)
		diag_help(c->diags, d, "write '%.*s > 0'", STR_ARG(words));
	else if (core->kind == TYPE_OPTIONAL)
		diag_help(c->diags, d, "write '%.*s != none'", STR_ARG(words));
	else if (type_is_text(core))
		diag_help(c->diags, d, "write '%.*s != \"\"'", STR_ARG(words));
	else if (core->kind == TYPE_LIST || core->kind == TYPE_MAP)
		diag_help(c->diags, d, "write 'len(%.*s) > 0'", STR_ARG(words));
}

bool judge_condition(struct check *c, struct node *n, const char *what, bool pod_allowed)
{
	const struct type *t = n->type;
	bool pod = t->kind == TYPE_POD;
	const struct type *core = type_strip_pod(t);
	if (t->kind == TYPE_BAD)
		return false;
	if (core->kind == TYPE_OPTIONAL && core->elem->kind == TYPE_BOOL) {
		report_optional(c, n);
		return false;
	}
	if (core->kind != TYPE_BOOL) {
		report_not_bool(c, n, what, core);
		mark_bad(n);
		return false;
	}
	if (pod && !pod_allowed) {
		report_pod(c, n, NULL, &(struct site){ .what = str_of(what) });
		return false;
	}
	return pod;
}

static void report_branches(struct check *c, const struct node *then, const struct node *otherwise)
{
	struct str a = type_phrase(c->arena, then->type), b = type_phrase(c->arena, otherwise->type);
	struct diag *d = diag_report(c->diags, TJ0320, otherwise->span, "'then' gives %.*s, 'else' gives %.*s",
		STR_ARG(a), STR_ARG(b));
	diag_note(c->diags, d, then->span, "%.*s", STR_ARG(a));
	diag_label(c->diags, d, "%.*s", STR_ARG(b));
}

/* Checks one branch. ALL is the common type of the branches before it, NULL for the first. */
static const struct type *branch(struct check *c, struct node *n, struct node *first, const struct type *want,
	const struct type *all)
{
	bool counted = !want && all && is_number_literal(n) && all->kind == TYPE_CPU;
	const struct type *t = want ? check_expr(c, n, want, c->site) : counted ? check_expr(c, n, all,
		c->site) : type_expr(c, n, NULL);
	if (!all || t->kind == TYPE_BAD)
		return t;
	if (counted)
		return all;
	if (want)
		return t->kind == TYPE_POD ? t : all;
	const struct type *both = type_unify(c, all, t);
	if (!both && t->kind == TYPE_CPU && is_number_literal(first))
		both = check_expr(c, first, t, NO_SITE)->kind == TYPE_BAD ? &type_bad : t;
	if (!both && literal_pair(first, n, all, t))
		both = &type_float;
	if (!both)
		report_branches(c, first, n);
	return both ? both : &type_bad;
}

/* Checks the branches of an `else if` chain, in a loop because it may have any length. */
static const struct type *type_branches(struct check *c, struct node *n, const struct type *want, bool *ret_pod)
{
	struct node *first = n->u.if_expr.then;
	const struct type *all = NULL;
	bool failed = false;
	for (struct node *i = n; i; i = i->kind == NODE_IF ? i->u.if_expr.otherwise : NULL) {
		bool last = i->kind != NODE_IF;
		if (!last) {
			*ret_pod = check_condition(c, i->u.if_expr.condition, "'if'", true) || *ret_pod;
			failed = failed || i->u.if_expr.condition->type->kind == TYPE_BAD;
		}
		const struct fact *facts = c->at.facts;
		if (!last)
			assume_condition(c, i->u.if_expr.condition, true);
		const struct type *t = branch(c, last ? i : i->u.if_expr.then, first, want, failed ? NULL : all);
		failed = failed || t->kind == TYPE_BAD;
		all = t;
		c->at.facts = facts;
		if (!last)
			assume_condition(c, i->u.if_expr.condition, false);
	}
	return failed ? &type_bad : all;
}

static const struct type *type_if(struct check *c, struct node *n, const struct type *want)
{
	const struct fact *facts = c->at.facts;
	bool pod = false;
	const struct type *all = type_branches(c, n, want, &pod), *result = all;
	c->at.facts = facts;
	if (all->kind != TYPE_BAD)
		result = want ? type_lifted(c, type_strip_pod(want), pod || all->kind == TYPE_POD) :
			type_lifted(c, all, pod);
	for (struct node *i = n; i->kind == NODE_IF; i = i->u.if_expr.otherwise) {
		if (!want && all->kind != TYPE_BAD && all->kind != TYPE_UNIT) {
			retype_expr(c, i->u.if_expr.then, all);
			if (i->u.if_expr.otherwise->kind != NODE_IF)
				retype_expr(c, i->u.if_expr.otherwise, all);
		}
		i->type = result;
	}
	return result;
}

/* Checks `let ... in`: the name is known after `in`, but not in its own value. */
static const struct type *type_let_in(struct check *c, struct node *n, const struct type *want)
{
	struct where saved = c->at;
	struct node *let = n->u.op.left;
	const struct type *t;
	if (let->kind == NODE_LET) {
		struct decl *d = decl_new(c, DECL_LET, let->u.binding.name, let->u.binding.name_span, let);
		decl_type_here(c, d);
		scope_enter(c, SCOPE_LOCAL, NULL);
		d->scope = c->at.scope;
		let->u.binding.decl = d;
		scope_declare(c, d);
	}
	t = want && want->kind != TYPE_BAD ? check_expr(c, n->u.op.right, want, c->site) :
		type_expr(c, n->u.op.right, want);
	c->at = saved;
	if (t->kind == TYPE_BAD || !want || want->kind == TYPE_BAD)
		return t;
	return type_lifted(c, type_strip_pod(want), t->kind == TYPE_POD);
}

static bool is_quantity_literal(const struct node *n)
{
	return n->kind == NODE_QUANTITY || is_number_literal(n);
}

static void test_never_none(struct check *c, const struct node *left, const struct type *t)
{
	switch (t->kind) {
	case TYPE_BAD: case TYPE_POD: case TYPE_OPTIONAL: case TYPE_NONE: case TYPE_DATA: return;
	default: break;
	}
	if (!in_own_file(c))
		return;
	struct str words = node_words(c, left);
	struct diag *d = diag_report(c->diags, TJ1004, left->span, "'%.*s' is never none", STR_ARG(words));
	diag_help(c->diags, d, "remove '\?\?' and what follows it");
}

/*
 * Checks one side of `??`, as 1Gi in `x ?? 1Gi`: if no type is expected, the type of the other side decides the kind of
 * a literal.
 */
static const struct type *fallback(struct check *c, struct node *n, const struct type *other, const struct type *want)
{
	bool hint = is_quantity_literal(n) && type_is_quantity(other);
	if (!want && is_number_literal(n) && other->kind == TYPE_CPU)
		return check_expr(c, n, other, NO_SITE)->kind == TYPE_BAD ? &type_bad : other;
	/* a literal record takes the type of the other side */
	if (!want && n->kind == NODE_BODY && other->kind == TYPE_RECORD)
		return check_expr(c, n, other, NO_SITE);
	if (!want)
		return type_expr(c, n, is_quantity_literal(n) ? other : NULL);
	if (!hint)
		return check_expr(c, n, want, c->site);
	return check_expr(c, n, other, c->site)->kind == TYPE_BAD ? &type_bad : type_coerce(c, n, want, c->site);
}

static const struct type *report_sides(struct check *c, const struct node *n, const struct type *a,
	const struct type *b)
{
	struct str x = type_phrase(c->arena, a), y = type_phrase(c->arena, b);
	struct diag *d = diag_report(c->diags, TJ0320, n->u.op.right->span, "the two sides of '\?\?' are %.*s and %.*s",
		STR_ARG(x), STR_ARG(y));
	diag_note(c->diags, d, n->u.op.left->span, "%.*s", STR_ARG(x));
	return &type_bad;
}

static const struct type *type_coalesce(struct check *c, struct node *n, const struct type *want)
{
	struct node *left = n->u.op.left, *right = n->u.op.right;
	const struct type *a = want ? check_expr(c, left, type_optional(c->arena, want), c->site) : check_free(c, left);
	const struct type *core = type_strip_optional(type_strip_pod(a));
	test_never_none(c, left, a);
	const struct type *b = fallback(c, right, core, want);
	if (a->kind == TYPE_BAD || b->kind == TYPE_BAD)
		return &type_bad;
	bool pod = a->kind == TYPE_POD || b->kind == TYPE_POD;
	if (want)
		return type_lifted(c, type_strip_pod(want), pod);
	const struct type *both = a->kind == TYPE_NONE ? b : type_unify(c, core, type_strip_pod(b));
	if (!both && literal_pair(left, right, core, b))
		both = &type_float;
	if (!both)
		return report_sides(c, n, core, b);
	retype_expr(c, right, b->kind == TYPE_POD ? type_pod(c->arena, both) : both);
	return type_lifted(c, both, pod);
}

/* ---- ranges ---- */

static const struct type *type_bounds(struct check *c, struct node *n)
{
	bool elastic = n->kind == NODE_ELASTIC;
	if (elastic && report_uncalled_accelerator(c, n, n->u.op.left, n->u.op.right))
		return &type_bad;
	struct site site = { .what = elastic ? STR("an end of an elastic range") : STR("an end of a range") };
	if (check_expr(c, n->u.op.left, &type_int, &site)->kind == TYPE_BAD) {
		if (n->u.op.right->kind != NODE_NAME)   /* the incomplete `role..replicas` was reported already */
			type_loose(c, n->u.op.right);
		return &type_bad;
	}
	if (check_expr(c, n->u.op.right, &type_int, &site)->kind == TYPE_BAD)
		return &type_bad;
	return elastic ? &type_elastic : &type_range;
}

/* ---- entry points ---- */

static const struct type *dispatch(struct check *c, struct node *n, const struct type *want)
{
	switch (n->kind) {
	case NODE_NAME: return type_name_node(c, n, want);
	case NODE_INT: return type_int_node(c, n);
	case NODE_FLOAT: return &type_float;
	case NODE_QUANTITY: return type_quantity(c, n, want);
	case NODE_TOPOLOGY: return &type_topology;
	case NODE_BOOL: return &type_bool;
	case NODE_NONE: return &type_none;
	case NODE_STRING: return type_string_node(c, n, want);
	case NODE_LIST: return type_list_node(c, n, want);
	case NODE_LIST_FOR: return type_list_for(c, n, want);
	case NODE_BODY: return type_body(c, n, want);
	case NODE_MEMBER: return type_member(c, n, want);
	case NODE_CALL: return type_call(c, n, want);
	case NODE_INDEX: return type_index(c, n);
	case NODE_UNARY: return type_unary(c, n, want);
	case NODE_BINARY: return type_binary(c, n, want);
	case NODE_RANGE: case NODE_ELASTIC: return type_bounds(c, n);
	case NODE_COALESCE: return type_coalesce(c, n, want);
	case NODE_LET_IN: return type_let_in(c, n, want);
	case NODE_IF: return type_if(c, n, want);
	default: return &type_bad;
	}
}

const struct type *type_expr(struct check *c, struct node *n, const struct type *want)
{
	const struct site *site = c->site;
	if (n->kind != NODE_IF && n->kind != NODE_COALESCE && n->kind != NODE_LET_IN && n->kind != NODE_QUANTITY)
		c->site = NO_SITE;
	const struct type *t = dispatch(c, n, want);
	c->site = site;
	n->convert_to = NULL;
	n->type = t;
	return t;
}

const struct type *type_for(struct check *c, struct node *n, const struct type *want, const struct site *site)
{
	const struct site *outer = c->site;
	c->site = site;
	const struct type *t = type_expr(c, n, want);
	c->site = outer;
	return t;
}

const struct type *type_loose(struct check *c, struct node *n)
{
	return type_expr(c, n, &type_bad);
}

const struct type *check_free(struct check *c, struct node *n)
{
	const struct type *t = type_expr(c, n, NULL);
	if (t->kind == TYPE_UNIT)
		return report_unit(c, n);
	return t;
}
