/*
 * check_items.c - checks bodies, that is, the items between braces. Lets, checks, conditions and loops are the same in
 * every body and are handled here; a set of callbacks handles keys. Bodies that are values (records, maps, raw data)
 * are checked here, too.
 */
#include "check/context.h"
#include "diag/suggest.h"

/* ---- walking ---- */

static struct key *key_of(struct node *item)
{
	switch (item->kind) {
	case NODE_SET: case NODE_EXTEND: return &item->u.item.key;
	case NODE_FIELD: return &item->u.field.key;
	default: return NULL;
	}
}

static void drop_item(struct node *item, struct str name, struct span at)
{
	item->kind = NODE_BAD;
	item->u.bad.name = name;
	item->u.bad.name_span = at;
}

static void report_set_twice(struct check *c, struct node *item, struct node *first)
{
	struct key *key = key_of(item), *other = key_of(first);
	bool mixed = (item->kind == NODE_EXTEND) != (first->kind == NODE_EXTEND);
	struct diag *d = diag_report(c->diags, TJ0206, key->span, mixed ? "'%.*s' is set and extended in this body" :
		"'%.*s' is set twice in this body", STR_ARG(key->text));
	diag_note(c->diags, d, other->span, "first here");
	diag_help(c->diags, d, mixed ? "set it or extend it, not both" : "keep one of the two");
	drop_item(item, key->text, key->span);
}

/* Does the body have few keys, all different? Most bodies do, and comparing interned names is quicker than a map. */
static bool few_different_keys(struct nodes items)
{
	enum { FEW = 16 };
	const char *keys[FEW];
	size_t n = 0;
	for (size_t i = 0; i < items.n; i++) {
		const struct key *key = key_of(items.at[i]);
		if (!key || !key->text.p)
			continue;
		for (size_t k = 0; k < n; k++)
			if (keys[k] == key->text.p)
				return false;
		if (n == FEW)
			return false;
		keys[n++] = key->text.p;
	}
	return true;
}

/* Reports keys that are written twice (TJ0206). Two extensions are merged. */
static void test_keys(struct check *c, struct node *body)
{
	struct nodes items = body->u.body.items;
	struct map seen = { 0 };
	if (items.n < 2 || few_different_keys(items))
		return;
	for (size_t i = 0; i < items.n; i++) {
		struct key *key = key_of(items.at[i]);
		if (!key || !key->text.p)
			continue;
		struct node *first = map_get(&seen, key->text);
		if (!first)
			map_put(&seen, c->arena, key->text, items.at[i]);
		else if (first->kind != NODE_EXTEND || items.at[i]->kind != NODE_EXTEND)
			report_set_twice(c, items.at[i], first);
	}
}

/* ---- extensions that are merged without being evaluated ---- */

struct merged_key {
	struct node *item;              /* the first item with the key */
	struct map inner;               /* the keys of its extensions -> struct merged_key */
};

/* Reports the keys of BODY that are in SEEN, and adds the others; extensions of one key are merged, too. */
static void test_merged(struct check *c, struct node *body, struct map *seen)
{
	struct nodes items = body->u.body.items;

	for (size_t i = 0; i < items.n; i++) {
		struct node *item = items.at[i];
		struct key *key = key_of(item);
		if (!key || !key->text.p)
			continue;
		bool extends = item->kind == NODE_EXTEND && item->u.item.value->kind == NODE_BODY;
		struct merged_key *first = map_get(seen, key->text);
		if (!first) {
			first = ARENA_NEW(c->arena, struct merged_key);
			*first = (struct merged_key){ .item = item };
			map_put(seen, c->arena, key->text, first);
		} else if (!extends || first->item->kind != NODE_EXTEND) {
			report_set_twice(c, item, first->item);
			continue;
		}
		if (extends)
			test_merged(c, item->u.item.value, &first->inner);
	}
}

void test_extensions(struct check *c, const struct node *body)
{
	struct nodes items = body->u.body.items;
	struct map fields = { 0 };      /* name of a field -> the keys of its extensions */

	for (size_t i = 0; i < items.n; i++) {
		struct node *item = items.at[i];
		if (item->kind != NODE_EXTEND || !item->u.item.key.text.p || item->u.item.value->kind != NODE_BODY)
			continue;
		struct map *seen = map_get(&fields, item->u.item.key.text);
		if (!seen) {
			seen = ARENA_NEW(c->arena, struct map);
			*seen = (struct map){ 0 };
			map_put(&fields, c->arena, item->u.item.key.text, seen);
		}
		test_merged(c, item->u.item.value, seen);
	}
}

static void visit_inner(struct items *to, struct node *body)
{
	bool conditional = to->conditional;
	to->conditional = true;
	if (body && body->kind == NODE_BODY)
		visit_body(to, body, SCOPE_LOCAL);
	to->conditional = conditional;
}

static void visit_if(struct items *to, struct node *item)
{
	struct check *c = to->check;
	const struct fact *facts = c->at.facts;
	for (struct node *n = item; n;) {
		if (n->kind != NODE_IF_ITEM) {
			visit_inner(to, n);
			break;
		}
		const struct fact *before = c->at.facts;
		check_condition(c, n->u.if_item.condition, "'if'", false);
		assume_condition(c, n->u.if_item.condition, true);
		visit_inner(to, n->u.if_item.then);
		c->at.facts = before;
		assume_condition(c, n->u.if_item.condition, false);
		n = n->u.if_item.otherwise;
	}
	c->at.facts = facts;
}

static void visit_for(struct items *to, struct node *item)
{
	struct check *c = to->check;
	struct where saved = c->at;
	check_binders(c, item->u.for_item.binders, item->u.for_item.nbinders, item->u.for_item.list);
	scope_enter(c, SCOPE_LOCAL, NULL);
	for (unsigned i = 0; i < item->u.for_item.nbinders; i++) {
		item->u.for_item.binders[i].decl->silent = true;
		scope_declare(c, item->u.for_item.binders[i].decl);
	}
	bool looping = to->looping;
	to->looping = true;
	visit_inner(to, item->u.for_item.body);
	to->looping = looping;
	c->at = saved;
}

/* Reports an item, and removes it: the evaluator does not expect items of its kind in this body. */
static void report_misplaced(struct items *to, struct node *item, const char *what)
{
	struct check *c = to->check;
	to->failed = true;
	struct diag *d = diag_report(c->diags, TJ0203, item->span, "%s has no place in %s", what, to->what);
	if (item->kind == NODE_BLOCK && !schema_block(item->u.block.word))
		diag_help(c->diags, d, "a field takes no name: write '%.*s { ... }'", STR_ARG(item->u.block.word));
	/* keeps the name, so that the field of that name is not reported as missing */
	drop_item(item, item->kind == NODE_BLOCK ? item->u.block.word : STR("?"), item->span);
}

void report_misplaced_block(struct items *to, struct node *item)
{
	report_misplaced(to, item, str_printf(to->check->arena, "'%.*s %.*s'", STR_ARG(item->u.block.word),
		STR_ARG(item->u.block.name)).p);
}

/* Reports an item that needs evaluation (if, for, an insertion) in a body that is read before anything is evaluated. */
static bool report_unfixed(struct items *to, struct node *item)
{
	const char *what = item->kind == NODE_IF_ITEM ? "an 'if'" : item->kind == NODE_FOR_ITEM ? "a 'for'" :
	                   item->kind == NODE_SPREAD ? "an insertion '...'" : NULL;
	if (!to->fixed || !what)
		return false;
	struct diag *d = diag_report(to->check->diags, TJ0203, item->span, "%s has no place in %s", what, to->what);
	diag_help(to->check->diags, d, "it is read before anything is evaluated: write the fields themselves");
	to->failed = true;
	drop_item(item, STR("?"), item->span);
	return true;
}

/* Reports `+=` in a body whose keys are not fields, or that is read before anything is evaluated. */
static void report_adding(struct items *to, struct node *item)
{
	struct check *c = to->check;
	struct diag *d = diag_report(c->diags, TJ0203, item->u.item.key.span, "'+=' has no place in %s", to->what);
	diag_help(c->diags, d, "'+=' adds to a field of a job, role or framework that is a list; elsewhere write '=' "
		"and the whole list");
	to->failed = true;
	type_loose(c, item->u.item.value);
	drop_item(item, item->u.item.key.text, item->u.item.key.span);
}

static void visit_one(struct items *to, struct node *item)
{
	struct check *c = to->check;
	if (report_unfixed(to, item))
		return;
	switch (item->kind) {
	case NODE_LET: decl_type(c, item->u.binding.decl); break;
	case NODE_CHECK:
		if (to->checks)
			check_check(c, item);
		else
			report_misplaced(to, item, item->u.check.warn ? "a 'warn'" : "a 'check'");
		break;
	case NODE_IF_ITEM: visit_if(to, item); break;
	case NODE_FOR_ITEM: visit_for(to, item); break;
	case NODE_SET: case NODE_EXTEND:
		if (item->kind == NODE_SET || !item->u.item.adds || to->adds)
			to->set(to, item);
		else
			report_adding(to, item);
		break;
	case NODE_FIELD:
		if (to->field)
			to->field(to, item);
		break;
	case NODE_BLOCK:
		if (to->block)
			to->block(to, item);
		else
			report_misplaced_block(to, item);
		break;
	case NODE_SPREAD:
		if (to->spread)
			to->spread(to, item);
		else
			report_misplaced(to, item, "an insertion '...'");
		break;
	case NODE_BAD: c->at.module->broken = true; break;
	default: break;
	}
}

void visit_items(struct items *to, struct node *body)
{
	test_keys(to->check, body);
	for (size_t i = 0; i < body->u.body.items.n; i++)
		visit_one(to, body->u.body.items.at[i]);
}

void visit_body(struct items *to, struct node *body, enum scope_kind kind)
{
	struct check *c = to->check;
	struct where saved = c->at;
	scope_enter(c, kind, body);
	scope_lets(c, body);
	visit_items(to, body);
	c->at = saved;
}

void check_check(struct check *c, struct node *n)
{
	const struct fact *facts = c->at.facts;
	struct site site = { .what = STR("the message of a check") };
	check_condition(c, n->u.check.condition, n->u.check.warn ? "'warn'" : "'check'", false);
	assume_condition(c, n->u.check.condition, false);
	check_expr(c, n->u.check.message, &type_string, &site);
	c->at.facts = facts;
}

/* ---- keys ---- */

/* Checks a key that is an expression or contains one. */
static bool check_key(struct items *to, struct key *key, bool *ret_pod)
{
	struct check *c = to->check;
	struct site site = { .what = STR("a key") };
	if (!key->expr)
		return true;
	const struct type *t = type_expr(c, key->expr, &type_string);
	*ret_pod = t->kind == TYPE_POD;
	if (*ret_pod && to->pod_keys)
		return type_coerce(c, key->expr, type_pod(c->arena, &type_string), &site)->kind != TYPE_BAD;
	return type_coerce(c, key->expr, &type_string, &site)->kind != TYPE_BAD;
}

static struct str key_words(struct check *c, const struct key *key)
{
	return key->text.p ? key->text : source_text(c->program->sources, key->span);
}

/* How messages describe the value of a key: "'size'". */
static struct site key_site(struct check *c, const struct key *key, struct span declared)
{
	struct str words = key_words(c, key);
	return (struct site){ .name = words, .declared = declared };
}

static const struct type *spread_type(struct check *c, struct node *item)
{
	struct node *n = item->u.one;
	const struct type *t = check_free(c, n);
	if (t->kind == TYPE_OPTIONAL || t->kind == TYPE_NONE)
		return report_optional(c, n);
	if (t->kind == TYPE_POD)
		return report_pod(c, n, NULL, &(struct site){ .what = STR("an insertion") });
	if (t->kind == TYPE_MAP || t->kind == TYPE_ANON || t->kind == TYPE_RECORD || t->kind == TYPE_EMPTY ||
	    t->kind == TYPE_DATA || t->kind == TYPE_BAD)
		return t;
	struct str is = found_words(c, n);
	diag_report(c->diags, TJ0302, n->span, "'...' inserts a record or a map, found %.*s", STR_ARG(is));
	return mark_bad(n);
}

/* ---- which keys a body certainly sets ---- */

static bool block_sets(const struct node *n, struct str key, bool *maybe)
{
	return n && n->kind == NODE_BODY && body_sets(n, key, maybe);
}

static bool if_sets(const struct node *n, struct str key, bool *maybe)
{
	bool all = true, any = false;
	for (; n && n->kind == NODE_IF_ITEM; n = n->u.if_item.otherwise) {
		bool sets = block_sets(n->u.if_item.then, key, maybe);
		all = all && sets;
		any = any || sets;
	}
	bool last = block_sets(n, key, maybe);
	*maybe = *maybe || any || last;
	return all && last;
}

/* `...x` sets the fields of x's type; if x is a map, its keys are unknown. */
static bool spread_sets(const struct type *t, struct str key, bool *maybe)
{
	if (!t || t->kind == TYPE_BAD)
		return true;
	for (size_t i = 0; t->kind == TYPE_ANON && i < t->n; i++)
		if (str_eq(t->members[i].name, key))
			return true;
	for (size_t i = 0; t->kind == TYPE_RECORD && i < t->record->nfields; i++)
		if (str_eq(t->record->fields[i].name, key))
			return true;
	*maybe = *maybe || t->kind == TYPE_MAP || t->kind == TYPE_DATA;
	return false;
}

static bool item_sets(const struct node *item, struct str key, bool *maybe)
{
	switch (item->kind) {
	case NODE_SET: case NODE_EXTEND:
		*maybe = *maybe || !item->u.item.key.text.p;
		return str_eq(item->u.item.key.text, key);
	case NODE_FIELD: return str_eq(item->u.field.key.text, key);
	case NODE_BAD: return !item->u.bad.name.n || str_eq(item->u.bad.name, key);
	case NODE_SPREAD: return spread_sets(item->u.one->type, key, maybe);
	case NODE_IF_ITEM: return if_sets(item, key, maybe);
	case NODE_FOR_ITEM: {
		bool inner = false;
		*maybe = block_sets(item->u.for_item.body, key, &inner) || inner || *maybe;
		return false;
	}
	default: return false;
	}
}

bool body_sets(const struct node *body, struct str key, bool *maybe)
{
	for (size_t i = 0; i < body->u.body.items.n; i++)
		if (item_sets(body->u.body.items.at[i], key, maybe))
			return true;
	return false;
}

/* ---- records ---- */

struct record_items {
	struct items base;
	struct decl *record;
	bool failed;
	bool unknown;                   /* a key that is not a field may be a misspelling of a missing field */
};

static const struct record_field *declared_field(const struct decl *record, struct str name)
{
	for (size_t i = 0; i < record->nfields; i++)
		if (name_eq(record->fields[i].name, name))
			return &record->fields[i];
	return NULL;
}

/*
 * The member of `security` that a word of another tool means: its help shows the member in a block. Empty if the word
 * means none.
 */
static struct str security_member(const struct decl *record, const struct foreign *other)
{
	static const char block[] = "security { ";
	const char *in = other && str_is(record->name, "security") ? strstr(other->help, block) : NULL;

	if (!in)
		return other && strstr(other->help, "security = \"restricted\"") ? record->fields[0].name : STR("");
	in += sizeof block - 1;
	for (size_t i = 0; i < record->nfields; i++)
		if (str_eq(record->fields[i].name, (struct str){ in, strcspn(in, " ") }))
			return record->fields[i].name;
	return STR("");
}

/*
 * Reports an unknown field. Each name is reported only once for a record type, since the mistake may be in its
 * declaration. Returns the name that was certainly meant.
 */
static struct str report_no_field(struct check *c, struct decl *record, struct str name, struct span at,
	const struct node *value)
{
	struct suggest s;
	suggest_init(&s, c->arena, name);
	for (size_t i = 0; i < record->nfields; i++)
		suggest_add(&s, record->fields[i].name);
	if (map_put(&record->unknown, c->arena, name, record) || record->lost)
		return suggest_only(&s);
	struct diag *d = diag_report(c->diags, TJ0202, at, "%.*s has no field '%.*s'", STR_ARG(record->name),
		STR_ARG(name));
	struct str source = str_is(record->name, "source") ? source_of_manifest(c, value, name) : STR("");
	if (source.n) {
		diag_help(c->diags, d, "write %.*s in place of the element", STR_ARG(source));
		return STR("");
	}
	bool limits = str_is(record->name, "Limits") || str_is(record->name, "security");
	const struct foreign *other = !limits ? NULL : memchr(name.p, '/', name.n) ? foreign_field(STR("gpu")) :
		foreign_field(name);
	struct str member = security_member(record, other);
	if (member.n) {
		diag_help(c->diags, d, str_is(member, "level") ? "write '%.*s = \"restricted\"'" : "write '%.*s'",
			STR_ARG(member));
		return STR("");
	}
	if (other && !other->field && str_is(record->name, "Limits")) {
		diag_help(c->diags, d, "%s", other->help);
		return STR("");
	}
	const char *dimension = str_is(record->name, "Layout") ? foreign_dimension(name) : NULL;
	if (dimension) {
		diag_help(c->diags, d, "write '%s'", dimension);
		diag_fix(c->diags, d, at, str_of(dimension), "change it to '%s'", dimension);
		return STR("");
	}
	if (span_known(record->span))
		diag_note(c->diags, d, record->span, "'%.*s' is declared here", STR_ARG(record->name));
	help_suggest(c, d, &s, "its fields are", at);
	return suggest_only(&s);
}

/* Adds help for `capabilities` as Kubernetes writes them: { add = [...], drop = [...] }. */
static bool help_capabilities(struct check *c, struct diag *d, const struct node *n)
{
	const struct node *add = body_member(n, "add"), *drop = body_member(n, "drop");

	if (!add && !drop)
		return false;
	if (add)
		diag_help(c->diags, d, "write 'capabilities = %.*s'", STR_ARG(node_words(c, add)));
	if (drop)
		diag_help(c->diags, d, "write 'drop = %.*s'", STR_ARG(node_words(c, drop)));
	return true;
}

/* Checks `key { }`: only records and maps can be extended; other fields are set with `=`. */
const struct type *type_extension(struct check *c, struct node *n, const struct type *want)
{
	const struct type *core = type_strip_pod(type_strip_optional(want));
	if (core->kind == TYPE_RECORD || core->kind == TYPE_MAP || core->kind == TYPE_DATA || core->kind == TYPE_BAD) {
		n->type = core->kind == TYPE_RECORD ? type_record_body(c, n, core, true) : type_body(c, n, want);
		return n->type;
	}
	for (size_t i = 0; i < n->u.body.items.n; i++)
		if (n->u.body.items.at[i]->kind == NODE_BAD)
			return mark_bad(n);
	bool range = core->kind == TYPE_ELASTIC;
	struct str type = range ? STR("a number or a range") : type_phrase(c->arena, core);
	struct diag *d = diag_report(c->diags, TJ0302, n->u.body.open,
		"'{ }' extends a map or a record, and this is %.*s", STR_ARG(type));
	if (!help_capabilities(c, d, n))
		diag_help(c->diags, d, range ? "write '= 1:8' with the two ends" : type_is_text(core) ?
			"it is one text: write '= \"...\"'" : core->kind == TYPE_LIST && !core->or_one ?
			"it is a list: write '= [...]'" : "write '='");
	return mark_bad(n);
}

static void record_set(struct items *to, struct node *item)
{
	struct record_items *r = (struct record_items *)to;
	struct check *c = to->check;
	struct key *key = &item->u.item.key;
	bool pod;
	if (!key->text.p) {
		check_key(to, key, &pod);
		diag_report(c->diags, TJ0202, key->span, "the name of a record's field cannot be computed");
		r->failed = r->unknown = true;
		check_free(c, item->u.item.value);
		return;
	}
	const struct record_field *f = declared_field(r->record, key->text);
	if (!f) {
		struct str meant = report_no_field(c, r->record, key->text, key->span, item->u.item.value);
		f = meant.n ? declared_field(r->record, names_intern(c->names, meant)) : NULL;
		if (f)
			check_expr(c, item->u.item.value, f->type, NO_SITE);
		else
			type_loose(c, item->u.item.value);
		r->failed = r->unknown = true;
		return;
	}
	struct site site = key_site(c, key, f->span);
	const struct type *t = item->kind == NODE_EXTEND ? check_extend_value(c, item->u.item.value, f->type)
	                                                 : check_expr(c, item->u.item.value, f->type, &site);
	r->failed = r->failed || t->kind == TYPE_BAD;
}

/* Checks `a { }` in a literal, which has nothing to extend: it means `a = { }` if the type of `a` allows a body. */
const struct type *check_extend_value(struct check *c, struct node *value, const struct type *want)
{
	const struct type *core = type_strip_pod(type_strip_optional(want));
	if (core->kind == TYPE_RECORD || core->kind == TYPE_MAP || core->kind == TYPE_DATA || core->kind == TYPE_BAD)
		return check_expr(c, value, want, NO_SITE);
	if (core->kind == TYPE_ENV_VALUE) {
		type_expr(c, value, NULL);
		report_mismatch(c, value, want, NO_SITE);
		return mark_bad(value);
	}
	return type_extension(c, value, want);
}

static void record_spread(struct items *to, struct node *item)
{
	struct record_items *r = (struct record_items *)to;
	struct check *c = to->check;
	const struct type *t = spread_type(c, item);
	if (t->kind == TYPE_BAD || (t->kind == TYPE_RECORD && t->record == r->record)) {
		r->failed = r->failed || t->kind == TYPE_BAD;
		return;
	}
	size_t n = t->kind == TYPE_ANON ? t->n : t->kind == TYPE_RECORD ? t->record->nfields : 0;
	for (size_t i = 0; i < n; i++) {
		struct str name = t->kind == TYPE_ANON ? t->members[i].name : t->record->fields[i].name;
		const struct type *has = t->kind == TYPE_ANON ? t->members[i].type : t->record->fields[i].type;
		const struct record_field *f = declared_field(r->record, name);
		if (!f) {
			report_no_field(c, r->record, name, item->u.one->span, NULL);
			r->failed = r->unknown = true;
			return;
		} else if (type_fit(f->type, has) != FIT_OK) {
			struct str needs = type_phrase(c->arena, f->type), is = type_phrase(c->arena, has);
			diag_report(c->diags, TJ0302, item->u.one->span, "'%.*s' expects %.*s, found %.*s",
				STR_ARG(name), STR_ARG(needs), STR_ARG(is));
			r->failed = true;
		}
	}
}

static void report_missing(struct check *c, struct node *n, const struct decl *record, const struct record_field *f,
	bool maybe)
{
	struct diag *d = diag_report(c->diags, TJ0323, n->span,
		maybe ? "%.*s needs '%.*s', which may be missing here" : "%.*s needs '%.*s'",
		STR_ARG(record->name), STR_ARG(f->name));
	diag_note(c->diags, d, f->span, "declared here, without a default");
	struct str type = type_phrase(c->arena, f->type);
	diag_help(c->diags, d, "'%.*s' is %.*s", STR_ARG(f->name), STR_ARG(type));
}

const struct type *type_record_body(struct check *c, struct node *n, const struct type *record, bool partial)
{
	struct record_items r = { .base = { .check = c, .set = record_set, .spread = record_spread,
		.what = "a record" }, .record = record->record };
	bool broken = body_is_broken(n);        /* before duplicate keys are removed */

	if (str_is(r.record->name, "probe") && probe_report(c, n))
		return &type_bad;
	visit_body(&r.base, n, SCOPE_LOCAL);
	for (size_t i = 0; !partial && !r.unknown && !broken && i < r.record->nfields; i++) {
		const struct record_field *f = &r.record->fields[i];
		bool maybe = false;
		if (f->value || f->type->kind == TYPE_OPTIONAL || f->type->kind == TYPE_BAD ||
		    body_sets(n, f->name, &maybe))
			continue;
		report_missing(c, n, r.record, f, maybe);
		r.failed = true;
	}
	return r.failed ? &type_bad : record;
}

/* ---- maps and data ---- */

struct map_items {
	struct items base;
	const struct type *elem;        /* the expected type: DATA, perhaps pod[DATA] */
	bool pod, failed;
};

/*
 * May the value of a variable be `if C then V else none`? It may in a framework, because the framework decides which
 * replicas have the variable.
 */
static bool leaves_out(struct check *c, const struct type *elem, const struct node *value)
{
	if (elem->kind != TYPE_ENV_VALUE || !c->at.env || value->kind != NODE_IF || !scope_around(c, SCOPE_FRAMEWORK))
		return false;
	for (; value->kind == NODE_IF; value = value->u.if_expr.otherwise)
		if (value->u.if_expr.then->kind == NODE_NONE)
			return true;
	return value->kind == NODE_NONE;
}

static void map_set(struct items *to, struct node *item)
{
	struct map_items *m = (struct map_items *)to;
	struct check *c = to->check;
	struct key *key = &item->u.item.key;
	struct site site = key_site(c, key, (struct span){ 0 });
	bool pod_key = false;
	bool ok = check_key(to, key, &pod_key), may_lack = leaves_out(c, m->elem, item->u.item.value);
	const struct type *want = may_lack ? type_optional(c->arena, m->elem) : m->elem;
	const struct type *t = item->kind == NODE_EXTEND ? check_extend_value(c, item->u.item.value, want)
	                                                 : check_expr(c, item->u.item.value, want, &site);
	m->pod = m->pod || pod_key || has_pod(t);
	(void)ok;
}

static void map_spread(struct items *to, struct node *item)
{
	struct map_items *m = (struct map_items *)to;
	struct check *c = to->check;
	const struct type *t = spread_type(c, item);
	if (t->kind == TYPE_BAD)
		return;
	const struct type *map = type_map(c->arena, m->elem);
	enum fit f = t->kind == TYPE_RECORD ? type_fit(m->elem, &type_data) : type_fit(map, t);
	m->pod = m->pod || has_pod(t);
	if (f == FIT_POD) {
		report_pod(c, item->u.one, NULL, &(struct site){ .what = STR("an insertion") });
		return;
	}
	if (f != FIT_OK)
		report_mismatch(c, item->u.one, map, &(struct site){ .what = STR("'...'") });
}

static const struct type *type_map_body(struct check *c, struct node *n, const struct type *map)
{
	struct map_items m = { .base = { .check = c, .set = map_set, .spread = map_spread, .what = "a map" },
		.elem = map->elem };
	visit_body(&m.base, n, SCOPE_LOCAL);
	return map->refine ? type_map(c->arena, map->elem) : map;
}

static const struct type *type_data_body(struct check *c, struct node *n, const struct type *want)
{
	struct map_items m = { .base = { .check = c, .set = map_set, .spread = map_spread,
		.pod_keys = want->kind == TYPE_POD, .what = "a record" }, .elem = want };
	visit_body(&m.base, n, SCOPE_LOCAL);
	return type_lifted(c, &type_data, m.pod);
}

/* ---- bodies without an expected type: an anonymous record, or a map when keys are computed ---- */

struct anon_items {
	struct items base;
	struct type_member *members;
	size_t n;
	struct map index;               /* name -> its position + 1 */
	bool computed, failed;
};

static void anon_add(struct anon_items *a, struct str name, const struct type *t)
{
	struct arena *arena = a->base.check->arena;
	size_t known = name.p ? (size_t)(uintptr_t)map_get(&a->index, name) : 0;
	if (known) {
		a->members[known - 1].type = t;
		return;
	}
	ARENA_PUSH(arena, a->members, a->n, ((struct type_member){ name, t }));
	if (name.p)
		map_put(&a->index, arena, name, (void *)(uintptr_t)a->n);
}

static void anon_set(struct items *to, struct node *item)
{
	struct anon_items *a = (struct anon_items *)to;
	bool pod = false;
	struct str name = item->u.item.key.text;
	const struct type *t = type_expr(to->check, item->u.item.value, NULL);
	if (t->kind == TYPE_UNIT)
		t = name.p ? report_member_unit(to->check, name, item->u.item.value)
			: report_unit(to->check, item->u.item.value);
	a->failed = !check_key(to, &item->u.item.key, &pod) || t->kind == TYPE_BAD || a->failed;
	if (to->conditional || !name.p)
		a->computed = true;
	anon_add(a, name, t);
}

static void anon_spread(struct items *to, struct node *item)
{
	struct anon_items *a = (struct anon_items *)to;
	const struct type *t = spread_type(to->check, item);
	a->failed = a->failed || t->kind == TYPE_BAD;
	a->computed = a->computed || to->conditional || t->kind == TYPE_MAP || t->kind == TYPE_DATA;
	for (size_t i = 0; t->kind == TYPE_ANON && i < t->n; i++)
		anon_add(a, t->members[i].name, t->members[i].type);
	for (size_t i = 0; t->kind == TYPE_RECORD && i < t->record->nfields; i++)
		anon_add(a, t->record->fields[i].name, t->record->fields[i].type);
	if (t->kind == TYPE_MAP || t->kind == TYPE_DATA)
		anon_add(a, (struct str){ 0 }, t->kind == TYPE_MAP ? t->elem : t);
}

static const struct type *map_of_members(struct check *c, struct node *n, const struct anon_items *a)
{
	const struct type *elem = NULL;
	for (size_t i = 0; i < a->n; i++) {
		const struct type *both = elem ? type_unify(c, elem, a->members[i].type) : a->members[i].type;
		if (!both) {
			struct str x = type_phrase(c->arena, elem), y = type_phrase(c->arena, a->members[i].type);
			struct diag *d = diag_report(c->diags, TJ0302, n->span,
				"the values of a map have one type, found %.*s and %.*s", STR_ARG(x), STR_ARG(y));
			diag_help(c->diags, d, "its keys are computed, so it is a map and not a record");
			return &type_bad;
		}
		elem = both;
	}
	return elem ? type_map(c->arena, elem) : &type_empty;
}

/* Does the body contain an item that the parser could not read? Its meaning is unknown. */
bool body_is_broken(const struct node *body)
{
	for (size_t i = 0; i < body->u.body.items.n; i++)
		if (body->u.body.items.at[i]->kind == NODE_BAD)
			return true;
	return false;
}

/*
 * Is the type small enough? A chain of records that each contain the one before twice grows exponentially when it is
 * written out.
 */
static bool members_fit(struct check *c, const struct node *n, const struct anon_items *a, size_t *ret_weight)
{
	enum { MOST = 100000 };         /* as many as elements of a list */
	*ret_weight = 0;
	for (size_t i = 0; i < a->n; i++)
		*ret_weight += type_weight(a->members[i].type);
	if (*ret_weight <= MOST)
		return true;
	struct diag *d = diag_report(c->diags, TJ0407, n->span,
		"this record has more than %d fields, counting those of the records in it", MOST);
	diag_help(c->diags, d, "use smaller records, or a map for values of one type");
	return false;
}

static const struct type *type_anon_body(struct check *c, struct node *n)
{
	struct anon_items a = { .base = { .check = c, .set = anon_set, .spread = anon_spread, .what = "a record" } };
	visit_body(&a.base, n, SCOPE_LOCAL);
	if (a.failed || a.base.failed || body_is_broken(n))
		return &type_bad;
	if (!a.n)
		return &type_empty;
	if (a.computed)
		return map_of_members(c, n, &a);
	size_t weight;
	if (!members_fit(c, n, &a, &weight))
		return &type_bad;
	struct type *t = ARENA_NEW(c->arena, struct type);
	*t = (struct type){ .kind = TYPE_ANON, .members = a.members, .n = a.n, .weight = weight };
	return t;
}

const struct type *type_body(struct check *c, struct node *n, const struct type *want)
{
	const struct type *core = want ? type_strip_pod(type_strip_optional(want)) : NULL;
	if (core && core->kind == TYPE_RECORD)
		return type_record_body(c, n, core, false);
	if (core && core->kind == TYPE_MAP)
		return type_map_body(c, n, core);
	if (core && core->kind == TYPE_BAD) {
		type_map_body(c, n, type_map(c->arena, core));
		return core;
	}
	if (core && core->kind == TYPE_DATA)
		return type_data_body(c, n, want);
	return type_anon_body(c, n);
}
