/*
 * check_type.c - turns types as written into struct type, and evaluates the constants that narrow them.
 */
#include "check/context.h"
#include "diag/suggest.h"
#include "syntax/bar.h"

/* ---- constants ---- */

static bool fold_quantity(struct str word, struct constant *ret)
{
	bool duration = quantity_unit(word) == UNIT_DURATION;
	ret->kind = duration ? TYPE_DURATION : TYPE_CPU;
	return (duration ? duration_parse(word, &ret->quantity) : quantity_parse(word, &ret->quantity)) == QUANTITY_OK;
}

static bool fold_unary(struct check *c, const struct node *n, struct constant *ret)
{
	if (n->u.op.op != OP_NEGATE)
		return false;
	if (n->u.op.left->kind == NODE_INT) {
		ret->kind = TYPE_INT;
		ret->integer = (int64_t)(0 - n->u.op.left->u.integer.value);
		return n->u.op.left->u.integer.value <= (uint64_t)INT64_MAX + 1;
	}
	if (!fold_constant(c, n->u.op.left, ret))
		return false;
	if (ret->kind == TYPE_FLOAT) {
		ret->floating = -ret->floating;
		return true;
	}
	return ret->kind == TYPE_INT && !__builtin_sub_overflow(0, ret->integer, &ret->integer);
}

static bool fold_ints(enum op op, int64_t a, int64_t b, int64_t *ret)
{
	switch (op) {
	case OP_ADD: return !__builtin_add_overflow(a, b, ret);
	case OP_SUB: return !__builtin_sub_overflow(a, b, ret);
	case OP_MUL: return !__builtin_mul_overflow(a, b, ret);
	case OP_DIV: case OP_FLOOR_DIV:
		if (b == 0 || (b == -1 && a == INT64_MIN) || (op == OP_DIV && a % b))
			return false;
		*ret = a / b - (a % b != 0 && (a < 0) != (b < 0));
		return true;
	case OP_MOD:
		if (b == 0 || b == -1)
			return false;
		*ret = a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
		return true;
	default: return false;
	}
}

static bool fold_binary(struct check *c, const struct node *n, struct constant *ret)
{
	struct constant a, b;
	if (!fold_constant(c, n->u.op.left, &a) || !fold_constant(c, n->u.op.right, &b))
		return false;
	*ret = a;
	if (a.kind == TYPE_INT && b.kind == TYPE_INT)
		return fold_ints(n->u.op.op, a.integer, b.integer, &ret->integer);
	if ((a.kind == TYPE_CPU || a.kind == TYPE_DURATION) && b.kind == TYPE_INT && n->u.op.op == OP_MUL)
		return quantity_mul(a.quantity, b.integer, &ret->quantity);
	return false;
}

enum { MOST_FOLDED = 100 };             /* maximum length of a chain of lets from a name to its constant */

bool fold_constant(struct check *c, const struct node *n, struct constant *ret)
{
	*ret = (struct constant){ .kind = TYPE_BAD };
	switch (n->kind) {
	case NODE_INT:
		ret->kind = TYPE_INT;
		ret->integer = (int64_t)n->u.integer.value;
		return n->u.integer.value <= INT64_MAX;
	case NODE_FLOAT:
		ret->kind = TYPE_FLOAT;
		ret->floating = n->u.floating.value;
		return true;
	case NODE_BOOL:
		ret->kind = TYPE_BOOL;
		ret->integer = n->u.boolean;
		return true;
	case NODE_QUANTITY: return fold_quantity(n->u.quantity.word, ret);
	case NODE_STRING:
		ret->kind = TYPE_STRING;
		return node_static_text(n, &ret->text);
	case NODE_UNARY: return fold_unary(c, n, ret);
	case NODE_BINARY: return n->u.op.op <= OP_MOD && fold_binary(c, n, ret);
	case NODE_NAME: {               /* a let of the file may be a constant, too */
		struct decl *d = scope_peek(c, n->u.name.text);
		if (!d || d->kind != DECL_LET || !d->node || d->busy || c->folding >= MOST_FOLDED)
			return false;
		d->busy = true;
		c->folding++;
		bool ok = d->node->u.binding.value && fold_constant(c, d->node->u.binding.value, ret);
		c->folding--;
		d->busy = false;
		d->used = true;
		return ok;
	}
	default: return false;
	}
}

/* ---- refinements ---- */

enum { WORDS_MOST = 1000 };             /* maximum number of members of an enum, since a value is compared with each */

struct refining {
	struct check *check;
	struct type *type;              /* a copy of the type, which is being narrowed */
	struct refinement *refine;
	struct str *words;              /* members of the enum so far */
	struct map listed;              /* members by their text */
	bool failed;
};

static void report_bound(struct refining *r, const struct node *n, const char *needs)
{
	struct check *c = r->check;
	struct str words = node_words(c, n), type = type_spell(c->arena, r->type);
	r->failed = true;
	struct diag *d = diag_report(c->diags, TJ0302, n->span, "a bound of %.*s needs %s, found '%.*s'", STR_ARG(type),
		needs, STR_ARG(words));
	diag_help(c->diags, d, "bounds are constants: literals, and lets that are constants");
}

static bool quantity_bound(struct refining *r, const struct node *n, const struct constant *k, struct quantity *ret)
{
	enum type_kind kind = r->type->kind;
	bool number = kind == TYPE_CPU && (k->kind == TYPE_INT || k->kind == TYPE_FLOAT) &&
		(n->kind == NODE_INT || n->kind == NODE_FLOAT);
	if (number) {
		struct str word = n->kind == NODE_FLOAT ? n->u.floating.word
			: source_text(r->check->program->sources, n->span);
		return quantity_parse(word, ret) == QUANTITY_OK;
	}
	if (k->kind == TYPE_INT && k->integer == 0) {
		*ret = (struct quantity){ 0 };
		return true;
	}
	if (k->kind != (kind == TYPE_DURATION ? TYPE_DURATION : TYPE_CPU))
		return false;
	*ret = k->quantity;
	return true;
}

static const char *bound_needs(enum type_kind kind)
{
	switch (kind) {
	case TYPE_FLOAT: return "a number";
	case TYPE_CPU: return "a number of CPUs";
	case TYPE_MEMORY: return "an amount such as 1Gi";
	case TYPE_DURATION: return "a duration such as 10s";
	default: return "an int";
	}
}

static void set_bound(struct refining *r, const struct node *n, bool high)
{
	struct constant k;
	struct refinement *f = r->refine;
	bool ok = fold_constant(r->check, n, &k);
	switch (r->type->kind) {
	case TYPE_FLOAT:
		ok = ok && (k.kind == TYPE_FLOAT || k.kind == TYPE_INT);
		*(high ? &f->fhi : &f->flo) = k.kind == TYPE_INT ? (double)k.integer : k.floating;
		break;
	case TYPE_CPU: case TYPE_MEMORY: case TYPE_DURATION:
		ok = ok && quantity_bound(r, n, &k, high ? &f->qhi : &f->qlo);
		break;
	default:
		ok = ok && k.kind == TYPE_INT;
		*(high ? &f->hi : &f->lo) = k.integer;
	}
	if (!ok)
		report_bound(r, n, bound_needs(r->type->kind));
	*(high ? &f->has_hi : &f->has_lo) = true;
}

static bool takes_bounds(enum type_kind kind)
{
	switch (kind) {
	case TYPE_INT: case TYPE_FLOAT: case TYPE_CPU: case TYPE_MEMORY: case TYPE_DURATION: case TYPE_STRING:
	case TYPE_LIST:
	case TYPE_ELASTIC: case TYPE_MAP: case TYPE_IMAGE: case TYPE_NAME: case TYPE_PATH:
		return true;
	default: return false;
	}
}

static void add_word(struct refining *r, const struct node *n)
{
	struct check *c = r->check;
	struct str text;
	if (n->kind != NODE_STRING || !node_static_text(n, &text)) {
		struct str is = node_words(c, n);
		diag_report(c->diags, TJ0302, n->span, "an enum lists texts, found '%.*s'", STR_ARG(is));
		r->failed = true;
		return;
	}
	if (map_get(&r->listed, text)) {
		diag_report(c->diags, TJ0206, n->span, "\"%.*s\" is listed twice", STR_ARG(text));
		return;
	}
	if (r->type->n == WORDS_MOST) {
		if (!r->failed) {
			struct diag *d = diag_report(c->diags, TJ0407, n->span, "an enum has at most %d texts",
				WORDS_MOST);
			diag_help(c->diags, d, "use 'string', with a pattern if the texts follow one");
		}
		r->failed = true;
		return;
	}
	map_put_const(&r->listed, c->arena, text, r);
	ARENA_PUSH(c->arena, r->words, r->type->n, names_intern(c->names, text));
	r->type->words = r->words;
}

static void add_refined_value(struct refining *r, const struct node *n)
{
	struct check *c = r->check;
	if (r->type->kind == TYPE_ENUM) {
		add_word(r, n);
		return;
	}
	if (n->kind == NODE_RANGE && takes_bounds(r->type->kind)) {
		set_bound(r, n->u.op.left, false);
		set_bound(r, n->u.op.right, true);
		return;
	}
	r->failed = true;
	if (n->kind == NODE_BAD)                /* already reported as TJ0304 */
		return;
	struct str words = node_words(c, n), type = type_spell(c->arena, r->type);
	struct diag *d = diag_report(c->diags, TJ0302, n->span, "'%.*s' does not narrow %.*s", STR_ARG(words),
		STR_ARG(type));
	if (takes_bounds(r->type->kind))
		diag_help(c->diags, d, "bounds are written 1..64, 1.. or ..64");
}

static void add_named(struct refining *r, const struct node *n)
{
	struct check *c = r->check;
	struct str text;
	bool texts = type_is_text(r->type) && r->type->kind != TYPE_ENUM;
	if (str_is(n->u.refine.name, "pattern") && texts && n->u.refine.lo && node_static_text(n->u.refine.lo, &text)) {
		r->refine->pattern = text;
		return;
	}
	r->failed = true;
	if (n->u.refine.lo && n->u.refine.lo->kind == NODE_BAD)
		return;
	if (str_is(n->u.refine.name, "pattern") && texts) {
		diag_report(c->diags, TJ0302, n->span, "a pattern is a text without interpolation");
		return;
	}
	struct str type = type_spell(c->arena, r->type);
	struct diag *d = diag_report(c->diags, TJ0302, n->u.refine.name_span, "'%.*s' does not narrow %.*s",
		STR_ARG(n->u.refine.name), STR_ARG(type));
	struct str bound = n->u.refine.lo ? node_words(c, n->u.refine.lo) : STR("");
	if (texts)
		diag_help(c->diags, d, "texts are narrowed by their length and by 'pattern'");
	else if (bound.n && takes_bounds(r->type->kind) &&
		(str_is(n->u.refine.name, "min") || str_is(n->u.refine.name, "max")))
		diag_help(c->diags, d, str_is(n->u.refine.name, "min") ? "write '%.*s(%.*s..)'"
			: "write '%.*s(..%.*s)'", STR_ARG(type), STR_ARG(bound));
}

static void add_bounds(struct refining *r, const struct node *n)
{
	if (!takes_bounds(r->type->kind)) {
		struct str type = type_spell(r->check->arena, r->type);
		diag_report(r->check->diags, TJ0302, n->span, "%.*s has no bounds", STR_ARG(type));
		r->failed = true;
		return;
	}
	if (n->u.refine.lo)
		set_bound(r, n->u.refine.lo, false);
	if (n->u.refine.hi)
		set_bound(r, n->u.refine.hi, true);
}

static bool reversed(const struct refining *r)
{
	const struct refinement *f = r->refine;
	if (!f->has_lo || !f->has_hi)
		return false;
	if (r->type->kind == TYPE_FLOAT)
		return f->flo > f->fhi;
	return type_is_quantity(r->type) ? f->qlo.nano > f->qhi.nano : f->lo > f->hi;
}

/* Reports values in a list where a range or an enum was meant: int(1, 8), string("a", "b"). True if it did. */
static bool report_listed(struct check *c, const struct type *t, const struct node *ref)
{
	struct nodes refines = ref->u.type_ref.refines;
	size_t texts = 0;

	if (!takes_bounds(t->kind) || refines.n < 2)
		return false;
	for (size_t i = 0; i < refines.n; i++) {
		const struct node *n = refines.at[i];
		if (n->kind != NODE_REFINE || n->u.refine.kind != REFINE_VALUE ||
		    n->u.refine.lo->kind == NODE_RANGE || n->u.refine.lo->kind == NODE_BAD)
			return false;
		texts += n->u.refine.lo->kind == NODE_STRING;
	}
	struct span at = span_join(refines.at[0]->span, refines.at[refines.n - 1]->span);
	struct str type = type_spell(c->arena, t), written = source_text(c->program->sources, at);
	struct diag *d = diag_report(c->diags, TJ0302, at, "'%.*s' does not narrow %.*s", STR_ARG(written),
		STR_ARG(type));
	if (texts == refines.n && t->kind == TYPE_STRING) {
		diag_help(c->diags, d, "write 'enum(%.*s)'", STR_ARG(written));
	} else if (!texts && refines.n == 2) {
		struct str low = node_words(c, refines.at[0]->u.refine.lo);
		struct str high = node_words(c, refines.at[1]->u.refine.lo);
		struct str right = str_cat(c->arena, low, STR(".."), high);
		diag_help(c->diags, d, "write '%.*s(%.*s)'", STR_ARG(type), STR_ARG(right));
		diag_fix(c->diags, d, at, right, "write '%.*s'", STR_ARG(right));
	} else {
		diag_help(c->diags, d, "bounds are written 1..64, 1.. or ..64");
	}
	return true;
}

static const struct type *resolve_refinements(struct check *c, const struct type *t, struct node *ref)
{
	struct nodes refines = ref->u.type_ref.refines;
	struct refining r = { .check = c, .type = ARENA_NEW(c->arena, struct type),
		.refine = ARENA_NEW(c->arena, struct refinement) };
	*r.type = *t;
	r.refine->from = ref->span;
	if (t->kind == TYPE_ENUM && !refines.n) {
		struct diag *d = diag_report(c->diags, TJ0302, ref->span, "an enum lists its texts");
		diag_help(c->diags, d, "write 'enum(\"a\", \"b\")'");
		return &type_bad;
	}
	if (report_listed(c, t, ref))
		return &type_bad;
	for (size_t i = 0, n = 0; t->kind == TYPE_ENUM && i < t->n; i++) {
		ARENA_PUSH(c->arena, r.words, n, t->words[i]);
		map_put_const(&r.listed, c->arena, t->words[i], t);
	}
	for (size_t i = 0; i < refines.n; i++) {
		const struct node *n = refines.at[i];
		if (n->kind != NODE_REFINE)
			return &type_bad;
		if (n->u.refine.kind == REFINE_VALUE)
			add_refined_value(&r, n->u.refine.lo);
		else if (n->u.refine.kind == REFINE_BOUNDS)
			add_bounds(&r, n);
		else
			add_named(&r, n);
	}
	if (!r.failed && reversed(&r)) {
		diag_report(c->diags, TJ0302, ref->span,
			"no value is in this range: its lower bound is above the upper one");
		return &type_bad;
	}
	if (t->kind != TYPE_ENUM && refines.n)
		r.type->refine = r.refine;
	return r.failed ? &type_bad : refines.n ? r.type : t;
}

/* ---- names of types ---- */

static const struct { const char *word; const struct type *type; } plain[] = {
	{ "bool", &type_bool }, { "int", &type_int }, { "float", &type_float }, { "string", &type_string },
	{ "cpu", &type_cpu }, { "memory", &type_memory }, { "duration", &type_duration },
	{ "topology", &type_topology }, { "range", &type_range }, { "elastic", &type_elastic },
	{ "image", &type_image }, { "name", &type_name }, { "path", &type_path }, { "port", &type_port },
	{ "accelerator", &type_accelerator }, { "volume", &type_volume }, { "condition", &type_condition },
	{ "role", &type_role }, { "data", &type_data }
};
static const struct type type_enum = { .kind = TYPE_ENUM };
static const char *const wrappers[] = { "list", "map", "pod", "secret" };

enum { PLAIN = sizeof plain / sizeof *plain, WRAPPERS = sizeof wrappers / sizeof *wrappers };

static void report_no_type(struct check *c, struct node *ref, struct str name, const struct map *types,
	const char *where)
{
	struct suggest s;
	struct span at = ref->u.type_ref.path_spans[ref->u.type_ref.depth - 1];
	suggest_init(&s, c->arena, name);
	for (size_t i = 0; ref->u.type_ref.depth == 1 && i < PLAIN; i++)
		suggest_add(&s, str_of(plain[i].word));
	for (size_t i = 0; ref->u.type_ref.depth == 1 && i < WRAPPERS; i++)
		suggest_add(&s, str_of(wrappers[i]));
	if (ref->u.type_ref.depth == 1)
		suggest_add(&s, STR("enum"));
	for (size_t i = 0; types && i < types->n; i++)
		suggest_add(&s, types->entries[i].key);
	if (!*where && !may_report_unknown(c, c->at.module, name, &s))
		return;
	struct diag *d = diag_report(c->diags, TJ0201, at, "%sno type named '%.*s'", where, STR_ARG(name));
	static const struct { const char *other, *ours; } habits[] = {
		{ "str", "string" }, { "text", "string" }, { "boolean", "bool" },
		{ "double", "float" }, { "array", "list" }, { "dict", "map" }, { "object", "map" }, { "any", "string" },
		{ "Integer", "int" }, { "integer", "int" }, { "int32", "int" }, { "int64", "int" }, { "long", "int" },
		{ "uint", "int" }, { "Boolean", "bool" }, { "Str", "string" }, { "Text", "string" },
		{ "char", "string" }, { "url", "string" }, { "uri", "string" }, { "float32", "float" },
		{ "real", "float" }, { "timedelta", "duration" }, { "tuple", "list" }, { "Array", "list" },
	};
	for (size_t i = 0; i < sizeof habits / sizeof *habits; i++)
		if (str_is(name, habits[i].other)) {
			diag_help(c->diags, d, "did you mean '%s'?", habits[i].ours);
			diag_fix(c->diags, d, at, str_of(habits[i].ours), "change it to '%s'", habits[i].ours);
			return;
		}
	if (word_of_optional(name)) {
		struct nodes args = ref->u.type_ref.args;
		struct str type = args.n == 1 ? source_text(c->program->sources, args.at[0]->span) : STR("string");
		diag_help(c->diags, d, "write '%.*s?'%s", STR_ARG(type),
			args.n == 1 ? "" : " for a string that may be none");
		return;
	}
	if (str_is(name, "number") || str_is(name, "Number") || str_is(name, "num")) {
		diag_help(c->diags, d, "write 'int' or 'float'");
		return;
	}
	help_suggest(c, d, &s, NULL, at);
}

static const struct type *wrapped(struct check *c, struct node *ref, size_t which)
{
	struct nodes args = ref->u.type_ref.args;
	if (args.n != 1) {
		struct diag *d = diag_report(c->diags, TJ0302, ref->span, "'%s' needs the type of its elements",
			wrappers[which]);
		diag_help(c->diags, d, "write '%s[string]'", wrappers[which]);
		return &type_bad;
	}
	const struct type *elem = resolve_type(c, args.at[0]);
	if (elem->kind == TYPE_BAD)
		return elem;
	switch (which) {
	case 0: return type_list(c->arena, elem);
	case 1: return type_map(c->arena, elem);
	case 2: return type_pod(c->arena, elem);
	default: return type_secret(c->arena, elem);
	}
}

static const struct type *type_of_types(struct check *c, struct decl *d)
{
	d->used = true;
	return d->kind == DECL_BAD ? &type_bad : decl_type(c, d);
}

static const struct type *imported_type(struct check *c, struct node *ref)
{
	struct str *path = ref->u.type_ref.path;
	struct span *spans = ref->u.type_ref.path_spans;
	struct decl *import = scope_find(c, path[0], spans[0]);
	if (!import || import->kind == DECL_BAD || (import->kind == DECL_IMPORT && !import->node->u.import.module))
		return &type_bad;
	if (import->kind != DECL_IMPORT || ref->u.type_ref.depth != 2) {
		diag_report(c->diags, TJ0201, ref->span, "'%.*s' is not an imported module", STR_ARG(path[0]));
		return &type_bad;
	}
	struct module *m = import->node->u.import.module;
	struct decl *d = map_get(&m->types, path[1]);
	if (d && path[1].p[0] == '_') {
		struct diag *g = diag_report(c->diags, TJ0212, spans[1], "'%.*s' is private to '%.*s'",
			STR_ARG(path[1]), STR_ARG(m->path));
		diag_note(c->diags, g, d->span, "declared here");
		return &type_bad;
	}
	if (d)
		return type_of_types(c, d);
	report_no_type(c, ref, path[1], &m->types,
		str_printf(c->arena, "'%.*s' has ", STR_ARG(m->dotted.n ? m->dotted : m->path)).p);
	return &type_bad;
}

/* Makes a record type that is written where it is used: { name: string, rate: float }. */
static const struct type *unnamed_type(struct check *c, struct node *ref)
{
	struct decl *d = ref->u.type_ref.record;
	if (!d) {
		struct node *n = node_new(c->arena, NODE_TYPE, ref->span);
		n->u.type_decl.body = ref->u.type_ref.body;
		d = decl_new(c, DECL_TYPE, node_words(c, ref), ref->u.type_ref.body->span, n);
		n->u.type_decl.decl = ref->u.type_ref.record = d;
		d->used = d->silent = d->unnamed = true;
		ARENA_PUSH(c->arena, c->unnamed, c->nunnamed, d);
	}
	return decl_type(c, d);
}

static const struct type *named_type(struct check *c, struct node *ref, bool *ret_takes_args)
{
	if (ref->u.type_ref.body)
		return unnamed_type(c, ref);
	struct str name = ref->u.type_ref.path[0];
	if (ref->u.type_ref.depth > 1)
		return imported_type(c, ref);
	for (size_t i = 0; i < WRAPPERS; i++)
		if (str_is(name, wrappers[i])) {
			*ret_takes_args = true;
			return wrapped(c, ref, i);
		}
	for (size_t i = 0; i < PLAIN; i++)
		if (str_is(name, plain[i].word))
			return plain[i].type;
	if (str_is(name, "enum"))
		return &type_enum;
	struct decl *d = map_get(&c->at.module->types, name);
	if (d)
		return type_of_types(c, d);
	const struct type *bundle = schema_bundle(&c->types, name);
	if (bundle)
		return bundle;
	report_no_type(c, ref, name, &c->at.module->types, "");
	return &type_bad;
}

const struct type *resolve_type(struct check *c, struct node *ref)
{
	bool takes_args = false;
	if (!ref || ref->kind != NODE_TYPE_REF || (!ref->u.type_ref.depth && !ref->u.type_ref.body))
		return &type_bad;
	const struct type *t = named_type(c, ref, &takes_args);
	if (t->kind == TYPE_BAD)
		return t;
	if (ref->u.type_ref.args.n && !takes_args) {
		struct str type = type_spell(c->arena, t);
		diag_report(c->diags, TJ0302, ref->u.type_ref.args.at[0]->span, "'%.*s' takes no type in brackets",
			STR_ARG(type));
		return &type_bad;
	}
	if (ref->u.type_ref.refines.n || t == &type_enum)
		t = resolve_refinements(c, t, ref);
	return ref->u.type_ref.optional ? type_optional(c->arena, t) : t;
}
