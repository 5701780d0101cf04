/*
 * check_fit.c - decides which types convert to which, and reports values that do not fit. There are few implicit
 * conversions: number literals to floats, cpus and elastic ranges, ints to elastic ranges, strings to enums, images,
 * names and paths, T to T? and pod[T].
 */
#include "base/buf.h"
#include "check/context.h"

static enum fit worse(enum fit a, enum fit b)
{
	return a > b ? a : b;
}

static enum fit fit_members(const struct type *want, const struct type *t)
{
	enum fit f = FIT_OK;
	for (size_t i = 0; i < t->n; i++)
		f = worse(f, type_fit(want, t->members[i].type));
	return f;
}

static const struct record_field *record_field_of(const struct decl *record, struct str name)
{
	for (size_t i = 0; i < record->nfields; i++)
		if (str_eq(record->fields[i].name, name))
			return &record->fields[i];
	return NULL;
}

static bool has_member(const struct type *t, struct str name)
{
	for (size_t i = 0; t->kind == TYPE_ANON && i < t->n; i++)
		if (str_eq(t->members[i].name, name))
			return true;
	return false;
}

/* Does an anonymous or empty record fit a declared one? It is converted field by field. */
static enum fit fit_record(const struct decl *record, const struct type *t)
{
	enum fit f = FIT_OK;
	for (size_t i = 0; i < record->nfields && !record->lost; i++)
		if (!record->fields[i].value && record->fields[i].type->kind != TYPE_OPTIONAL &&
			!has_member(t, record->fields[i].name))
			return FIT_NO;
	for (size_t i = 0; t->kind == TYPE_ANON && i < t->n; i++) {
		const struct record_field *field = record_field_of(record, t->members[i].name);
		if (!field && record->lost)
			continue;
		f = worse(f, field ? type_fit(field->type, t->members[i].type) : FIT_NO);
	}
	return f;
}

/*
 * The declared records that a walk over a type has entered. Each is entered once: a record may contain optional records
 * of its own type, and a chain of records that each contain the next one twice would take exponential time.
 */
struct walk {
	struct decl *last;
};

static bool walk_enter(struct walk *w, struct decl *record)
{
	if (record->busy)
		return false;
	record->busy = true;
	record->walked = w->last;
	w->last = record;
	return true;
}

static void walk_end(struct walk *w)
{
	for (; w->last; w->last = w->last->walked)
		w->last->busy = false;
}

static enum fit data_walk(struct walk *w, const struct type *t)
{
	enum fit f = FIT_OK;
	switch (t->kind) {
	case TYPE_LIST: case TYPE_MAP: case TYPE_OPTIONAL: return data_walk(w, t->elem);
	case TYPE_POD:
		f = data_walk(w, t->elem);
		return f == FIT_NO ? f : worse(f, FIT_POD);
	case TYPE_SECRET: return FIT_SECRET;
	case TYPE_ANON:
		for (size_t i = 0; i < t->n; i++)
			f = worse(f, data_walk(w, t->members[i].type));
		return f;
	case TYPE_RECORD:
		for (size_t i = 0; i < t->record->nfields && (i || walk_enter(w, t->record)); i++)
			f = worse(f, data_walk(w, t->record->fields[i].type));
		return f;
	case TYPE_ROLE: case TYPE_COPY: case TYPE_ACCELERATOR: case TYPE_VOLUME: case TYPE_CONDITION: case TYPE_CONFIG:
	case TYPE_CLUSTER:
	case TYPE_POD_FACTS: case TYPE_PORTS: case TYPE_LAYOUT: case TYPE_MODULE: case TYPE_REPLICA_ENV:
	case TYPE_ROLES: case TYPE_RANGE:
		return FIT_NO;
	default: return FIT_OK;
	}
}

static enum fit fit_data(const struct type *t)
{
	struct walk w = { 0 };
	enum fit f = data_walk(&w, t);
	walk_end(&w);
	return f;
}

static enum fit fit_env(const struct type *t)
{
	switch (t->kind) {
	case TYPE_BOOL: case TYPE_INT: case TYPE_FLOAT: case TYPE_ELASTIC: case TYPE_TOPOLOGY: case TYPE_CONFIG:
	case TYPE_ENV_VALUE:
		return FIT_OK;
	default: return type_is_text(t) || type_is_quantity(t) ? FIT_OK : FIT_NO;
	}
}

static bool has_words(const struct type *want, const struct type *t)
{
	for (size_t i = 0; i < t->n; i++) {
		size_t k = 0;
		while (k < want->n && !str_eq(want->words[k], t->words[i]))
			k++;
		if (k == want->n)
			return false;
	}
	return true;
}

static enum fit fit_anon(const struct type *want, const struct type *t)
{
	enum fit f = FIT_OK;
	if (t->kind != TYPE_ANON || t->n != want->n)
		return FIT_NO;
	for (size_t i = 0; i < t->n; i++)
		f = worse(f, name_eq(t->members[i].name, want->members[i].name) ?
			type_fit(want->members[i].type, t->members[i].type) : FIT_NO);
	return f;
}

static enum fit fit_core(const struct type *want, const struct type *t)
{
	switch (want->kind) {
	case TYPE_DATA: return fit_data(t);
	case TYPE_ENV_VALUE: return fit_env(t);
	case TYPE_STRING: case TYPE_IMAGE: case TYPE_NAME: case TYPE_PATH:
		return type_is_text(t) || t->kind == TYPE_DATA ? FIT_OK : FIT_NO;
	case TYPE_ENUM: return t->kind == TYPE_ENUM && has_words(want, t) ? FIT_OK : FIT_NO;
	case TYPE_ELASTIC: return t->kind == TYPE_ELASTIC || t->kind == TYPE_INT ? FIT_OK : FIT_NO;
	case TYPE_RANGE: return t->kind == TYPE_RANGE || t->kind == TYPE_INT ? FIT_OK : FIT_NO;
	case TYPE_LIST:
		if (want->elem->kind == TYPE_RANGE && (t->kind == TYPE_RANGE || t->kind == TYPE_INT))
			return FIT_OK;          /* a single range counts as a list with one element */
		if (want->or_one && t->kind != TYPE_LIST && t->kind != TYPE_EMPTY)
			return type_fit(want->elem, t);
		return t->kind == TYPE_EMPTY ? FIT_OK : t->kind == TYPE_LIST ? type_fit(want->elem, t->elem) : FIT_NO;
	case TYPE_MAP:
		if (t->kind == TYPE_ANON)
			return fit_members(want->elem, t);
		return t->kind == TYPE_EMPTY ? FIT_OK : t->kind == TYPE_MAP ? type_fit(want->elem, t->elem) : FIT_NO;
	case TYPE_RECORD:
		if (want->or_one && type_is_text(t))
			return FIT_OK;
		if (t->kind == TYPE_RECORD)
			return type_same_record(t->record, want->record) ? FIT_OK : FIT_NO;
		return t->kind == TYPE_ANON || t->kind == TYPE_EMPTY ? fit_record(want->record, t) : FIT_NO;
	case TYPE_ANON: return fit_anon(want, t);
	case TYPE_SECRET: return t->kind == TYPE_SECRET ? type_fit(want->elem, t->elem) : FIT_NO;
	case TYPE_COPY: return t->kind == TYPE_COPY && want->record == t->record ? FIT_OK : FIT_NO;
	default: return want->kind == t->kind ? FIT_OK : FIT_NO;
	}
}

enum fit type_fit(const struct type *want, const struct type *t)
{
	if (want == t || want->kind == TYPE_BAD || t->kind == TYPE_BAD)
		return FIT_OK;
	if (want->kind == TYPE_OPTIONAL) {
		/* handles pod[T?] where T? is wanted */
		if (t->kind == TYPE_POD && t->elem->kind == TYPE_OPTIONAL && want->elem->kind != TYPE_POD)
			return type_fit(want->elem, t->elem->elem) == FIT_NO ? FIT_NO :
				want->elem->kind == TYPE_ENV_VALUE ? FIT_OK : FIT_POD;
		if (t->kind == TYPE_POD && t->elem->kind == TYPE_OPTIONAL)
			/* handles pod[T?] where pod[T]? is wanted */
			return type_fit(want->elem, type_strip_pod(t->elem->elem));
		return t->kind == TYPE_NONE ? FIT_OK : type_fit(want->elem, type_strip_optional(t));
	}
	if (want->kind == TYPE_POD)
		return type_fit(want->elem, type_strip_pod(t));
	if (want->kind == TYPE_ENV_VALUE && t->kind == TYPE_SECRET)
		return FIT_OK;
	if (t->kind == TYPE_POD) {
		enum fit f = type_fit(want, t->elem);
		return want->kind == TYPE_ENV_VALUE || f == FIT_NO ? f : worse(f, FIT_POD);
	}
	if (t->kind == TYPE_SECRET && want->kind != TYPE_SECRET)
		return FIT_SECRET;
	if (t->kind == TYPE_OPTIONAL && want->kind != TYPE_DATA)
		return type_fit(want, t->elem) == FIT_NO ? FIT_NO : FIT_OPTIONAL;
	return fit_core(want, t);
}

static bool pod_walk(struct walk *w, const struct type *t)
{
	bool pod = false;
	switch (t->kind) {
	case TYPE_POD: return true;
	case TYPE_LIST: case TYPE_MAP: case TYPE_OPTIONAL: return pod_walk(w, t->elem);
	case TYPE_ANON:
		for (size_t i = 0; i < t->n && !pod; i++)
			pod = pod_walk(w, t->members[i].type);
		return pod;
	case TYPE_RECORD:
		for (size_t i = 0; i < t->record->nfields && !pod && (i || walk_enter(w, t->record)); i++)
			pod = t->record->fields[i].type && pod_walk(w, t->record->fields[i].type);
		return pod;
	default: return false;
	}
}

bool has_pod(const struct type *t)
{
	struct walk w = { 0 };
	bool pod = pod_walk(&w, t);
	walk_end(&w);
	return pod;
}

const struct type *type_lifted(struct check *c, const struct type *t, bool pod)
{
	return pod ? type_pod(c->arena, t) : t;
}

const struct type *pod_inside(struct check *c, const struct type *t)
{
	if (t->kind == TYPE_LIST || t->kind == TYPE_MAP) {
		struct type *copy = ARENA_NEW(c->arena, struct type);
		*copy = *t;
		copy->elem = pod_inside(c, t->elem);
		return type_pod(c->arena, copy);
	}
	return type_pod(c->arena, t->kind == TYPE_OPTIONAL ? pod_inside(c, t->elem)->elem : t);
}

/* ---- a common type of several values ---- */

static const struct type *unify_members(struct check *c, const struct type *a, const struct type *b)
{
	if (a->n != b->n)
		return NULL;
	struct type_member *members = ARENA_ARRAY(c->arena, struct type_member, a->n);
	for (size_t i = 0; i < a->n; i++) {
		const struct type *t = type_unify(c, a->members[i].type, b->members[i].type);
		if (!name_eq(a->members[i].name, b->members[i].name) || !t)
			return NULL;
		members[i] = (struct type_member){ a->members[i].name, t };
	}
	struct type *t = ARENA_NEW(c->arena, struct type);
	*t = (struct type){ .kind = TYPE_ANON, .members = members, .n = a->n, .weight = a->weight };
	return t;
}

static const struct type *unify_core(struct check *c, const struct type *a, const struct type *b)
{
	if (type_is_text(a) && type_is_text(b))
		return &type_string;
	if (a->kind == TYPE_UNIT || b->kind == TYPE_UNIT) {
		const struct type *t = a->kind == TYPE_UNIT ? b : a;
		return t->kind == TYPE_UNIT || type_is_quantity(t) ? t : NULL;
	}
	if ((a->kind == TYPE_ELASTIC && b->kind == TYPE_INT) || (a->kind == TYPE_INT && b->kind == TYPE_ELASTIC))
		return &type_elastic;
	if ((a->kind == TYPE_RANGE && b->kind == TYPE_INT) || (a->kind == TYPE_INT && b->kind == TYPE_RANGE))
		return &type_range;
	if (a->kind == TYPE_EMPTY || b->kind == TYPE_EMPTY) {
		const struct type *t = a->kind == TYPE_EMPTY ? b : a;
		return t->kind == TYPE_LIST || t->kind == TYPE_MAP || t->kind == TYPE_EMPTY ? t : NULL;
	}
	if (a->kind != b->kind)
		return NULL;
	if (a->kind == TYPE_ANON)
		return unify_members(c, a, b);
	if (a->kind != TYPE_LIST && a->kind != TYPE_MAP)
		return NULL;
	const struct type *elem = type_unify(c, a->elem, b->elem);
	return !elem ? NULL : a->kind == TYPE_LIST ? type_list(c->arena, elem) : type_map(c->arena, elem);
}

/* The type without its refinement. */
static const struct type *unrefined(struct check *c, const struct type *t)
{
	if (!t->refine || t->port)
		return t->port ? &type_int : t;
	struct type *p = ARENA_NEW(c->arena, struct type);
	*p = *t;
	p->refine = NULL;
	return p;
}

const struct type *type_unify(struct check *c, const struct type *a, const struct type *b)
{
	if (a->kind == TYPE_BAD || a == b)
		return a;
	if (b->kind == TYPE_BAD)
		return b;
	if (a->kind == TYPE_OPTIONAL || b->kind == TYPE_OPTIONAL || a->kind == TYPE_NONE || b->kind == TYPE_NONE) {
		if (a->kind == TYPE_NONE || b->kind == TYPE_NONE)
			return type_optional(c->arena, a->kind == TYPE_NONE ? b : a);
		const struct type *t = type_unify(c, type_strip_optional(a), type_strip_optional(b));
		return t ? type_optional(c->arena, t) : NULL;
	}
	if (a->kind == TYPE_POD || b->kind == TYPE_POD) {
		const struct type *t = type_unify(c, type_strip_pod(a), type_strip_pod(b));
		return t ? type_pod(c->arena, t) : NULL;
	}
	if (type_same(a, b))
		return a->refine == b->refine ? a : unrefined(c, a);
	return unify_core(c, a, b);
}

/* ---- fitting an expression to a type ---- */

bool is_number_literal(const struct node *n)
{
	while (n->kind == NODE_UNARY && n->u.op.op == OP_NEGATE)
		n = n->u.op.left;
	return n->kind == NODE_INT || n->kind == NODE_FLOAT;
}

static bool is_structure(const struct node *n)
{
	return n->kind == NODE_IF || n->kind == NODE_COALESCE || n->kind == NODE_LET_IN;
}

/* Must the evaluator convert the value of N, of type T, to WANT or test it? */
static bool converts(const struct type *want, const struct type *t, const struct node *n)
{
	const struct type *from = type_strip_pod(type_strip_optional(t));
	bool given = want->refine != NULL;
	want = type_strip_pod(type_strip_optional(want));
	given = given || want->refine;
	if (given)
		return want->refine != from->refine || is_number_literal(n) || n->kind == NODE_STRING;
	switch (want->kind) {
	case TYPE_ENV_VALUE: return !type_is_text(from) && from->kind != TYPE_ENV_VALUE;
	case TYPE_IMAGE: case TYPE_NAME: case TYPE_PATH: return want->kind != from->kind || n->kind == NODE_STRING;
	case TYPE_ENUM: return from->kind != TYPE_ENUM;
	case TYPE_FLOAT: case TYPE_CPU: case TYPE_ELASTIC: case TYPE_RANGE: return want->kind != from->kind;
	case TYPE_RECORD: return from->kind != TYPE_RECORD || n->kind == NODE_BODY;
	case TYPE_LIST: case TYPE_MAP:
		if (n->kind == NODE_LIST || n->kind == NODE_LIST_FOR || n->kind == NODE_BODY ||
			from->kind == TYPE_EMPTY)
			return false;
		return from->kind != want->kind || converts(want->elem, from->elem, n);
	default: return false;
	}
}

const struct type *mark_bad(struct node *n)
{
	n->type = &type_bad;
	return &type_bad;
}

static bool literal_fits(const struct node *n, const struct type *want, const struct type *t)
{
	want = type_strip_pod(type_strip_optional(want));
	if (!is_number_literal(n) || (t->kind != TYPE_INT && t->kind != TYPE_FLOAT))
		return false;
	return want->kind == TYPE_FLOAT;
}

const struct type *type_coerce(struct check *c, struct node *n, const struct type *want, const struct site *site)
{
	const struct type *t = n->type;
	if (t->kind == TYPE_BAD || want->kind == TYPE_BAD || t == want) {
		if (t == want && !is_structure(n) && t->kind != TYPE_BAD && converts(want, t, n))
			n->convert_to = want;
		return t;
	}
	const struct type *core = type_strip_pod(type_strip_optional(want));
	if (is_number_literal(n) && type_is_quantity(core))
		return number_as_quantity(c, n, want, site);
	if (t->kind == TYPE_UNIT && (core->kind == TYPE_ENV_VALUE || core->kind == TYPE_DATA))
		return report_unit(c, n);
	enum fit f = literal_fits(n, want, t) ? FIT_OK : type_fit(want, t);
	switch (f) {
	case FIT_OK: break;
	case FIT_POD:
		if (c->at.differs && !site->call)
			break;
		return report_pod(c, n, want, site);
	case FIT_OPTIONAL:
		if (type_strip_pod(t)->kind == TYPE_OPTIONAL || n->kind == NODE_LIST)
			return report_optional(c, n);
		report_mismatch(c, n, want, site);
		return mark_bad(n);
	case FIT_SECRET:
		if (core->kind == TYPE_VOLUME)
			return report_secret_mount(c, n, site);
		if (core->kind == TYPE_RECORD || core->kind == TYPE_LIST) {
			report_mismatch(c, n, want, site);
			return mark_bad(n);
		}
		return report_secret(c, n);
	case FIT_NO:
		if (t->kind == TYPE_POD && !site->call && !c->at.differs && core == type_strip_optional(want))
			return report_pod(c, n, want, site);  /* reports that it depends on the pod, which helps more
							       * than its type */
		report_mismatch(c, n, want, site);
		return mark_bad(n);
	}
	if (!is_structure(n) && converts(want, t, n))
		n->convert_to = want;
	return t->kind == TYPE_UNIT ? want : t;
}

/*
 * ---- text without quotes ----
 *
 * YAML and shells accept `image = registry.example.com/train:1.0` and `command = [python, train.py]`. The parser reads
 * them as operations on names that do not exist, and one message about the quotes replaces those about each name.
 */

static bool is_operation(const struct node *n)
{
	return n->kind == NODE_ELASTIC || n->kind == NODE_MEMBER || (n->kind == NODE_BINARY && n->u.op.op <= OP_MOD);
}

/* The name that an operation or a member begins with; NULL when it begins with something else. */
static const struct node *first_name(const struct node *n)
{
	while (n->kind == NODE_ELASTIC || n->kind == NODE_BINARY || n->kind == NODE_MEMBER)
		n = n->kind == NODE_MEMBER ? n->u.member.base : n->u.op.left;
	return n->kind == NODE_NAME ? n : NULL;
}

/* Is it the member of a role, such as chief.hosts, in a job or framework? Then a role is missing, and not quotes. */
static bool names_a_role(struct check *c, const struct node *n)
{
	static const char *const of_roles[] = { "replicas", "hosts", "host", "name", "ports", "port", "address",
		"addresses", "devices", NULL };

	for (size_t i = 0; n->kind == NODE_MEMBER && of_roles[i] && (scope_around(c, SCOPE_JOB) || scope_around(c,
		SCOPE_FRAMEWORK)); i++)
		if (str_is(n->u.member.name, of_roles[i]))
			return true;
	return false;
}

/* Is a text wanted, or a list of texts where N looks like a single text? */
static bool wants_text(struct check *c, const struct node *n, const struct type *want)
{
	const struct type *core = type_strip_pod(type_strip_optional(want));
	struct str text;

	if (core->kind != TYPE_LIST || !type_is_text(core->elem))
		return type_is_text(core);
	text = source_text(c->program->sources, n->span);
	return !memchr(text.p, '[', text.n) && !memchr(text.p, '"', text.n) && !memchr(text.p, '(', text.n) &&
		!memchr(text.p, '+', text.n) && !memchr(text.p, ' ', text.n);
}

/*
 * Is N text without quotes? Where a text is wanted, an operation on unknown names must be, because no operator results
 * in text.
 */
bool text_without_quotes(struct check *c, const struct node *n, const struct type *want)
{
	const struct node *first = wants_text(c, n, want) && (is_operation(n) || n->kind == NODE_NAME) ?
		first_name(n) : NULL;
	const struct decl *known = first ? scope_peek(c, first->u.name.text) : NULL;
	/* a module is not a value */
	bool module = known && known->kind == DECL_IMPORT && n->kind != NODE_MEMBER;
	if (n->kind == NODE_NAME)
		return module;          /* an unknown name is reported as such, with the names that resemble it */
	return first && (!known || module) && !names_a_role(c, n) && (n->kind != NODE_MEMBER ||
		scope_unheard(c, first->u.name.text));
}

static const struct type *report_quotes(struct check *c, struct node *n, const struct site *site)
{
	struct str text = source_text(c->program->sources, n->span);
	struct str what = site_words(c, site);
	diags_drop(c->diags, TJ0102, n->span);          /* drop earlier errors in it, such as a version that is not a
							 * number */
	struct diag *d = diag_report(c->diags, TJ0302, n->span, "%.*s is text, and text is written in quotes",
		STR_ARG(what.n ? what : STR("this")));
	diag_help(c->diags, d, "write \"%.*s\"", STR_ARG(text));
	diag_fix(c->diags, d, n->span, str_printf(c->arena, "\"%.*s\"", STR_ARG(text)), "put it in quotes");
	return mark_bad(n);
}

/*
 * Reports an operation on an unknown name as the value of a variable: either a declaration of the name is missing, or
 * quotes are.
 */
static bool report_unknown_variable(struct check *c, struct node *n, const struct type *want)
{
	const struct node *first = type_strip_pod(type_strip_optional(want))->kind == TYPE_ENV_VALUE &&
		is_operation(n) ? first_name(n) : NULL;
	if (!first || scope_peek(c, first->u.name.text) ||
		(n->kind != NODE_ELASTIC && !scope_unheard(c, first->u.name.text)))
		return false;
	struct str words = source_text(c->program->sources, n->span);
	struct diag *d = diag_report(c->diags, TJ0201, first->span, "no value named '%.*s'",
		STR_ARG(first->u.name.text));
	if (n->kind == NODE_MEMBER)
		help_roles(c, d);
	if (!memchr(words.p, '"', words.n) && !memchr(words.p, '\n', words.n))
		diag_help(c->diags, d, "if the text is meant, write \"%.*s\"", STR_ARG(words));
	mark_bad(n);
	return true;
}

/* ---- lists ---- */

enum element { ELEMENT_FINE, ELEMENT_PLAIN, ELEMENT_BARE, ELEMENT_OTHER };

/*
 * The name that an element starts with, after the dashes of an option such as --lr; NULL when it begins with something
 * else.
 */
static const struct node *option_name(const struct node *n)
{
	while (n->kind == NODE_UNARY || n->kind == NODE_BINARY || n->kind == NODE_MEMBER || n->kind == NODE_ELASTIC)
		n = n->kind == NODE_MEMBER ? n->u.member.base : n->u.op.left;
	return n->kind == NODE_NAME ? n : NULL;
}

static bool is_sign(const struct node *n)
{
	while (n->kind == NODE_BINARY || n->kind == NODE_MEMBER)
		n = n->kind == NODE_MEMBER ? n->u.member.base : n->u.op.left;
	return n->kind == NODE_UNARY && n->u.op.op == OP_NEGATE;
}

static enum element element_kind(struct check *c, const struct node *n, const struct type *want)
{
	const struct node *first;

	switch (n->kind) {
	case NODE_STRING:
		return ELEMENT_FINE;
	case NODE_INT: case NODE_FLOAT: case NODE_BOOL: case NODE_QUANTITY:
		return ELEMENT_PLAIN;
	case NODE_NAME:
		if (scope_peek(c, n->u.name.text) || scope_resembles(c, n->u.name.text))
			return ELEMENT_OTHER;
		return ELEMENT_BARE;
	case NODE_UNARY: case NODE_BINARY: case NODE_MEMBER: case NODE_ELASTIC:
		first = option_name(n);
		if (first && !scope_peek(c, first->u.name.text) && (is_sign(n) || text_without_quotes(c, n, want)))
			return ELEMENT_BARE;
		return ELEMENT_OTHER;
	default:
		return ELEMENT_OTHER;
	}
}

/*
 * The elements of LIST, separated by commas, with quotes around those that lack them; empty if help cannot show an
 * element because it has several lines, or a quote or backslash inside.
 */
static struct str quoted_elements(struct check *c, struct nodes list)
{
	struct buf out = { 0 };
	bool simple = true;

	for (size_t i = 0; i < list.n && simple; i++) {
		struct str text = source_text(c->program->sources, list.at[i]->span);
		const char *quote = list.at[i]->kind == NODE_STRING ? "" : "\"";
		simple = !memchr(text.p, '\n', text.n) &&
			(!*quote || (!memchr(text.p, '"', text.n) && !memchr(text.p, '\\', text.n)));
		buf_printf(&out, "%s%s%.*s%s", i ? ", " : "", quote, STR_ARG(text), quote);
	}
	struct str all = simple ? buf_take(&out, c->arena) : STR("");
	buf_release(&out);
	return all;
}

/*
 * Reports [python, train.py] and ["--lr", 0.1, "--amp", true] once; true if it did. A single element without quotes is
 * reported elsewhere.
 */
bool report_bare_elements(struct check *c, struct node *n, const struct type *want)
{
	const struct nodes list = n->u.list;
	size_t wrong = 0;

	enum { MOST = 64 };             /* maximum number of elements; help does not show a longer list */
	if (list.n > MOST || !type_is_text(type_strip_pod(type_strip_optional(want))))
		return false;
	for (size_t i = 0; i < list.n; i++) {
		enum element kind = element_kind(c, list.at[i], want);
		if (kind == ELEMENT_OTHER)
			return false;
		wrong += kind != ELEMENT_FINE;
	}
	struct str right = wrong < 2 ? STR("") : quoted_elements(c, list);
	if (!right.n || right.n > 200)
		return false;
	diags_drop(c->diags, TJ0102, n->span);
	struct diag *d = diag_report(c->diags, TJ0302, n->span, "%zu elements of this list are text, and text is "
		"written in quotes", wrong);
	diag_help(c->diags, d, "write [%.*s]", STR_ARG(right));
	diag_fix(c->diags, d, n->span, str_printf(c->arena, "[%.*s]", STR_ARG(right)), "put them in quotes");
	for (size_t i = 0; i < list.n; i++)
		if (element_kind(c, list.at[i], want) != ELEMENT_FINE)
			mark_bad(list.at[i]);
		else
			check_expr(c, list.at[i], want, NO_SITE);
	return true;
}

const struct type *check_expr(struct check *c, struct node *n, const struct type *want, const struct site *site)
{
	if (report_unknown_variable(c, n, want))
		return n->type;
	if (text_without_quotes(c, n, want))
		return report_quotes(c, n, site);
	const struct type *t = type_for(c, n, want, site);
	return t->kind == TYPE_BAD ? t : type_coerce(c, n, want, site);
}
