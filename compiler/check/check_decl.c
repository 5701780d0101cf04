/*
 * check_decl.c - the bodies of declarations: functions, types, frameworks,
 * accelerators, profiles, tests, policies and the project.
 */
#include "check/context.h"
#include "diag/suggest.h"

static struct site name_site(const struct decl *d)
{
	struct site site = { .name = d->name };
	if (d->node && d->node->kind != NODE_BAD && d->node->u.binding.type)
		site.declared = d->node->u.binding.type->span;
	return site;
}

/* ---- parameters, functions, types ---- */

static void check_default(struct check *c, struct decl *d)
{
	struct node *value = d->node ? d->node->u.binding.value : NULL;
	struct site site = name_site(d);
	if (value)
		check_expr(c, value, d->type, &site);
}

/* Begins a scope with the formals and checks their defaults in it. */
static struct scope *enter_formals(struct check *c, struct decl *d, enum scope_kind kind, struct node *body)
{
	struct scope *s = scope_enter(c, kind, body);
	for (size_t i = 0; i < d->nformals; i++) {
		d->formals[i]->silent = d->formals[i]->silent || d->formals[i]->name.p[0] == '_';
		scope_declare(c, d->formals[i]);
	}
	for (size_t i = 0; i < d->nformals; i++)
		check_default(c, d->formals[i]);
	return s;
}

static void check_function(struct check *c, struct decl *d)
{
	struct site site = { .result_of = d->name };
	const struct type *result = decl_type(c, d);
	site.declared = d->node->u.fn.result ? d->node->u.fn.result->span : (struct span){ 0 };
	enter_formals(c, d, SCOPE_FN, NULL);
	c->at.fn = c->at.owner = d;
	check_expr(c, d->node->u.fn.value, result, &site);
	ARENA_PUSH(c->arena, c->functions, c->nfunctions, d);
}

/* Reports items of a record type other than fields with types. */
static void only_fields(struct check *c, const struct node *body)
{
	for (size_t i = 0; i < body->u.body.items.n; i++) {
		const struct node *item = body->u.body.items.at[i];
		bool field = item->kind == NODE_FIELD;
		if (item->kind == NODE_BAD)
			c->at.module->broken = true;
		if (item->kind == NODE_BAD || (field && item->u.field.key.text.p))
			continue;
		struct diag *g = diag_report(c->diags, TJ0203, field ? item->u.field.key.span : item->span,
			"a record type has typed fields and nothing else");
		diag_help(c->diags, g, field ? "write out the field's name"
			: "write 'NAME: TYPE', or 'NAME: TYPE = DEFAULT'");
	}
}

/*
 * The first field of D whose value must contain a value of type WANTED, directly or through other types; *LEFT limits
 * the number of steps; NULL if no field must.
 */
static const struct record_field *needs_itself(const struct decl *d, const struct decl *wanted, unsigned *left)
{
	for (size_t i = 0; i < d->nfields && *left; i++) {
		const struct type *t = d->fields[i].type;
		if (d->fields[i].value || !t || t->kind != TYPE_RECORD)
			continue;
		--*left;
		if (t->record == wanted || needs_itself(t->record, wanted, left))
			return &d->fields[i];
	}
	return NULL;
}

static void check_record(struct check *c, struct decl *d)
{
	decl_type(c, d);
	unsigned steps = 256;           /* far more than any chain of types written by hand */
	const struct record_field *again = needs_itself(d, d, &steps);
	if (again) {
		struct diag *g = diag_report(c->diags, TJ0405, again->span,
			"'%.*s' contains itself endlessly: its field '%.*s' requires another '%.*s'",
			STR_ARG(d->name), STR_ARG(again->name), STR_ARG(d->name));
		diag_help(c->diags, g,
			"make '%.*s' optional, with '?' and '= none', or a list",
			STR_ARG(again->name));
	}
	if (d->node->u.type_decl.body)
		only_fields(c, d->node->u.type_decl.body);
	for (size_t i = 0; i < d->nfields; i++) {
		struct site site = { .name = d->fields[i].name, .declared = d->fields[i].span };
		if (d->fields[i].value)
			check_expr(c, d->fields[i].value, d->fields[i].type, &site);
	}
}

/* ---- frameworks ---- */

static struct node *typed_replicas(struct node *body)
{
	for (size_t i = 0; i < body->u.body.items.n; i++) {
		struct node *item = body->u.body.items.at[i];
		if (item->kind == NODE_FIELD && str_is(item->u.field.key.text, "replicas"))
			return item;
		struct node *inner = NULL;
		for (; item && item->kind == NODE_IF_ITEM && !inner; item = item->u.if_item.otherwise)
			inner = typed_replicas(item->u.if_item.then);
		if (inner)
			return inner;
	}
	return NULL;
}

/* Reports a role that the wrapped framework does not have (TJ0501). */
static void report_framework_role(struct check *c, const struct decl *framework, const struct node *block)
{
	struct suggest s;
	struct str words = node_words(c, framework->node->u.blueprint_decl.base), name = block->u.block.name;
	if (framework->base->lost)
		return;
	struct diag *d = diag_report(c->diags, TJ0501, block->u.block.name_span, "'%.*s' has no role '%.*s'",
		STR_ARG(words), STR_ARG(name));
	suggest_init(&s, c->arena, name);
	for (size_t i = 0; i < framework->base->nroles; i++)
		suggest_add(&s, framework->base->roles[i]->name);
	help_suggest(c, d, &s, "it has", block->u.block.name_span);
	diag_help(c->diags, d, "to add roles to those of '%.*s', set 'other_roles = true' in this framework",
		STR_ARG(words));
	diag_note(c->diags, d, framework->base->span, "declared here");
}

/* Adds a role to the list. A role of the base that the wrapper mentions is replaced by that of the wrapper. */
static void put_wrapped_role(struct check *c, struct decl *framework, struct decl *d)
{
	for (size_t i = 0; i < framework->nroles; i++) {
		if (!name_eq(framework->roles[i]->name, d->name))
			continue;
		if (framework->roles[i] == d->origin)
			framework->roles[i] = d;
		return;                         /* a second role of that name is reported when the body is checked
						 * (TJ0204) */
	}
	ARENA_PUSH(c->arena, framework->roles, framework->nroles, d);
}

static void add_wrapped_role(struct check *c, struct decl *framework, struct node *block)
{
	struct decl *d = decl_new(c, DECL_ROLE, block->u.block.name, block->u.block.name_span, block);
	struct node *typed = typed_replicas(block->u.block.body);
	d->origin = framework_role(framework->base, d->name);
	d->type = &type_role;
	d->doc = block->u.block.doc;
	d->replicas = d->origin ? d->origin->replicas : NULL;
	if (typed) {
		typed->u.field.declared = resolve_type(c, typed->u.field.type);
		d->replicas = typed->u.field.declared;
	}
	block->u.block.decl = d;
	if (framework->base && !d->origin && !framework->other_roles)
		report_framework_role(c, framework, block);
	put_wrapped_role(c, framework, d);
}

static void add_roles(struct check *c, struct decl *framework, struct node *body)
{
	for (size_t i = 0; body && body->kind == NODE_BODY && i < body->u.body.items.n; i++) {
		struct node *item = check_block_shape(c, body->u.body.items.at[i], BLOCK_FRAMEWORK, NULL, body);
		body->u.body.items.at[i] = item;
		framework->lost = framework->lost || item->kind == NODE_BAD;
		if (item->kind == NODE_BLOCK)
			check_block_word(c, item, BLOCK_FRAMEWORK);
		if (item->kind == NODE_BLOCK && str_is(item->u.block.word, "role"))
			add_wrapped_role(c, framework, item);
		for (; item && item->kind == NODE_IF_ITEM; item = item->u.if_item.otherwise)
			add_roles(c, framework, item->u.if_item.then);
		if (item && item->kind == NODE_BODY)
			add_roles(c, framework, item);
	}
}

/* Does the text contain `other_roles = true`? Nothing is evaluated yet. */
bool takes_other_roles(const struct node *body)
{
	const struct node *value = body_member(body, schema_field(FIELD_OTHER_ROLES)->name);

	return value && value->kind == NODE_BOOL && value->u.boolean;
}

/* Finds the framework that this one wraps; its roles come first. */
static void find_base(struct check *c, struct decl *d)
{
	struct node *n = d->node;
	struct decl *base = n->u.blueprint_decl.base ? find_framework(c, n->u.blueprint_decl.base) : NULL;
	d->lost = d->lost || (n->u.blueprint_decl.base && !base);
	if (base && base->wraps + 1 >= MOST_FRAMEWORKS) {
		struct diag *g = diag_report(c->diags, TJ0407, n->u.blueprint_decl.base->span,
			"more than %d frameworks wrap each other", MOST_FRAMEWORKS);
		diag_help(c->diags, g, "merge some of them into one framework");
		return;
	}
	d->base = base;
	d->wraps = base ? base->wraps + 1 : 0;
	for (size_t i = 0; base && i < base->nroles; i++)
		ARENA_PUSH(c->arena, d->roles, d->nroles, base->roles[i]);
}

void framework_roles(struct check *c, struct decl *d)
{
	find_base(c, d);
	d->other_roles = takes_other_roles(d->node->u.blueprint_decl.body) || (d->base && d->base->other_roles);
	add_roles(c, d, d->node->u.blueprint_decl.body);
}

/*
 * Declares a role. Roles of the base that the wrapper does not mention are declared as well; for these, hidden names
 * are not reported, because they already were for the base.
 */
static void declare_role(struct check *c, const struct decl *framework, struct decl *role)
{
	if (role == framework_role(framework->base, role->name)) {
		if (!map_get(&c->at.scope->names, role->name))
			map_put(&c->at.scope->names, c->arena, role->name, role);
		return;
	}
	role->silent = true;
	scope_declare(c, role);
}

static void enter_formals_and_roles(struct check *c, struct decl *d, struct node *body)
{
	struct scope *s = enter_formals(c, d, d->kind == DECL_FRAMEWORK ? SCOPE_FRAMEWORK : SCOPE_ACCELERATOR, body);
	s->block = d->kind == DECL_FRAMEWORK ? BLOCK_FRAMEWORK : BLOCK_ACCELERATOR;
	for (size_t i = 0; i < d->nroles; i++)
		declare_role(c, d, d->roles[i]);
	scope_lets(c, body);
}

/* Checks the arguments that a wrapper passes to the framework inside it; they may use the wrapper's formals. */
static void check_base_arguments(struct check *c, struct decl *d)
{
	struct node *n = d->node;
	bool lift;
	if (!d->base) {
		for (size_t i = 0; i < n->u.blueprint_decl.args.n; i++)
			if (n->u.blueprint_decl.args.at[i]->kind == NODE_ARG)
				type_loose(c, n->u.blueprint_decl.args.at[i]->u.arg.value);
		return;
	}
	struct span name = n->u.blueprint_decl.base->span;
	n->u.blueprint_decl.bound = ARENA_ARRAY(c->arena, struct node *, d->base->nformals);
	bind_arguments(c, d->base, n->u.blueprint_decl.args,
		n->u.blueprint_decl.has_args ? n->u.blueprint_decl.args_span : name, name,
		n->u.blueprint_decl.bound, &lift);
}

static void check_framework(struct check *c, struct decl *d)
{
	struct node *body = d->node->u.blueprint_decl.body;
	decl_type(c, d);
	enter_formals_and_roles(c, d, body);
	check_base_arguments(c, d);
	check_open_block(c, body, BLOCK_FRAMEWORK);
}

/* ---- accelerators ---- */

/* Does the body have a key that is not a field?  It may be a misspelling of a field that is missing. */
static bool has_unknown(const struct node *body)
{
	for (size_t i = 0; i < body->u.body.items.n; i++) {
		const struct node *item = body->u.body.items.at[i];
		if ((item->kind == NODE_SET || item->kind == NODE_EXTEND) && !item->u.item.field)
			return true;
	}
	return false;
}

static void test_required(struct check *c, struct decl *d, enum field_id id)
{
	struct str name = str_of(schema_field(id)->name);
	bool maybe = has_unknown(d->node->u.blueprint_decl.body);
	if (maybe || body_sets(d->node->u.blueprint_decl.body, name, &maybe) || maybe)
		return;
	struct diag *g = diag_report(c->diags, TJ0323, d->span, "accelerator '%.*s' needs '%.*s'", STR_ARG(d->name),
		STR_ARG(name));
	struct str doc = str_of(schema_field(id)->doc);
	diag_help(c->diags, g, "'%.*s' is the %c%.*s", STR_ARG(name), doc.p[0] | 32, (int)doc.n - 2, doc.p + 1);
}

static void check_accelerator(struct check *c, struct decl *d)
{
	struct node *body = d->node->u.blueprint_decl.body;
	decl_type(c, d);
	enter_formals_and_roles(c, d, body);
	check_open_block(c, body, BLOCK_ACCELERATOR);
	test_required(c, d, FIELD_RESOURCE);
	test_required(c, d, FIELD_PER_POD);
}

/* ---- expressions that are evaluated before parameters have values ---- */

static void begin_early(struct check *c, struct decl *d)
{
	c->at.owner = d;
	ARENA_PUSH(c->arena, c->early, c->nearly, d);
}

/*
 * A parameter that the declaration reads, directly or through lets and functions; *RET_AT is the first mention on the
 * path to it.
 */
static struct decl *param_read(struct decl *d, unsigned depth, struct span *ret_at)
{
	enum { DEPTH = 1000 };
	struct decl *param = NULL;
	if (d->early || d->busy || depth > DEPTH)
		return NULL;
	d->busy = true;
	for (size_t i = 0; i < d->nmentions && !param; i++) {
		struct decl *m = d->mentions[i].decl;
		struct span inner;
		*ret_at = d->mentions[i].at;
		param = m->kind == DECL_PARAM ? m : param_read(m, depth + 1, &inner);
	}
	d->busy = false;
	d->early = !param;                      /* known to read no parameter, so it is not visited again */
	return param;
}

void check_early(struct check *c)
{
	for (size_t i = 0; i < c->nearly; i++) {
		struct span at;
		struct decl *d = c->early[i], *param = param_read(d, 0, &at);
		if (!param)
			continue;
		struct diag *g = diag_report(c->diags, TJ0201, at, "the parameter '%.*s' has no value yet here",
			STR_ARG(param->name));
		diag_note(c->diags, g, param->span, "declared here");
		diag_help(c->diags, g, "defaults and profiles may mention lets and functions that read no parameter; "
			"compute '%.*s' in a 'let'",
			STR_ARG(d->name));
		if (d->node && d->node->kind == NODE_PARAM)
			mark_bad(d->node->u.binding.value);
	}
}

/* ---- any declaration ---- */

void check_decl(struct check *c, struct decl *d)
{
	c->at = (struct where){ .module = d->module };
	switch (d->kind) {
	case DECL_PARAM:
		decl_type(c, d);
		begin_early(c, d);
		check_default(c, d);
		break;
	case DECL_LET: decl_type(c, d); break;
	case DECL_FN: check_function(c, d); break;
	case DECL_TYPE: check_record(c, d); break;
	case DECL_FRAMEWORK: check_framework(c, d); break;
	case DECL_ACCELERATOR: check_accelerator(c, d); break;
	default: break;
	}
}

/* ---- profiles ---- */

struct setting_items {
	struct items base;
	struct str profile;             /* the name of the profile; empty in a test */
};

static bool same_constant(struct check *c, const struct node *a, const struct node *b)
{
	struct constant x, y;
	if (!a || !b || !fold_constant(c, a, &x) || !fold_constant(c, b, &y) || x.kind != y.kind)
		return false;
	switch (x.kind) {
	case TYPE_INT: case TYPE_BOOL: return x.integer == y.integer;
	case TYPE_FLOAT: return x.floating <= y.floating && x.floating >= y.floating;
	case TYPE_STRING: return str_eq(x.text, y.text);
	default: return x.quantity.nano == y.quantity.nano;
	}
}

static void report_no_param(struct check *c, struct str name, struct span at)
{
	struct suggest s;
	const struct map *values = &c->program->root->values;
	suggest_init(&s, c->arena, name);
	for (size_t i = 0; i < values->n; i++)
		if (((const struct decl *)values->entries[i].value)->kind == DECL_PARAM)
			suggest_add(&s, values->entries[i].key);
	struct decl *let = map_get(values, name);
	/* recorded under a key that no name in an expression has, since an unknown parameter is a different mistake */
	if (!may_report_unknown(c, c->program->root,
	    names_intern(c->program->names, str_cat(c->arena, STR("param "), name, STR(""))), &s))
		return;
	if (let && let->kind == DECL_LET) {
		struct diag *d = diag_report(c->diags, TJ0402, at, "'%.*s' is a let, not a parameter", STR_ARG(name));
		struct str type = type_spell(c->arena, decl_type(c, let)),
			value = node_words(c, let->node->u.binding.value);
		diag_note(c->diags, d, let->span, "declared here");
		if (let->node->u.binding.type || let->type->kind == TYPE_INT || let->type->kind == TYPE_STRING ||
		    let->type->kind == TYPE_BOOL)
			diag_help(c->diags, d, "declare it 'param %.*s: %.*s = %.*s'", STR_ARG(name), STR_ARG(type),
				STR_ARG(value));
		else
			diag_help(c->diags, d, "declare it as a 'param'");
		return;
	}
	struct diag *d = diag_report(c->diags, TJ0402, at, "unknown parameter '%.*s'", STR_ARG(name));
	help_suggest(c, d, &s, "the parameters are", at);
}

/* Tests literals of a profile against the type here, since another profile may be the one that is compiled. */
void check_bounds(struct check *c, struct node *value, const struct type *t, const struct decl *param)
{
	struct constant k;
	const struct type *core = type_strip_optional(t);
	const struct refinement *r = core->refine;
	if (!r || core->kind != TYPE_INT || !fold_constant(c, value, &k) || k.kind != TYPE_INT ||
	    value->type->kind == TYPE_BAD)
		return;
	if (!(r->has_lo && k.integer < r->lo) && !(r->has_hi && k.integer > r->hi))
		return;
	struct str lo = r->has_lo ? str_printf(c->arena, "%lld", (long long)r->lo) : STR("");
	struct str hi = r->has_hi ? str_printf(c->arena, "%lld", (long long)r->hi) : STR("");
	struct diag *d = diag_report(c->diags, TJ0311, value->span, "%.*s = %lld is outside %.*s..%.*s",
		STR_ARG(param->name), (long long)k.integer, STR_ARG(lo), STR_ARG(hi));
	diag_note(c->diags, d, param->node->u.binding.type->span, "declared here");
	mark_bad(value);
}

/* Does another profile set the parameter? Then a profile that repeats the default is useful for comparison. */
static bool set_elsewhere(struct check *c, struct str profile, struct str param)
{
	struct nodes decls = c->program->root->file->u.file.decls;
	for (size_t i = 0; i < decls.n; i++)
		if (decls.at[i]->kind == NODE_PROFILE && !name_eq(decls.at[i]->u.titled.name, profile) &&
		    body_member(decls.at[i]->u.titled.body, param.p))
			return true;
	return false;
}

static void set_param(struct items *to, struct node *item)
{
	struct setting_items *s = (struct setting_items *)to;
	struct check *c = to->check;
	struct str name = item->u.item.key.text;
	struct decl *d = name.p ? map_get(&c->program->root->values, name) : NULL;
	struct node *value = item->u.item.value;
	if (!d || (d->kind != DECL_PARAM && d->kind != DECL_BAD)) {
		report_no_param(c, name.p ? name : STR("(...)"), item->u.item.key.span);
		type_loose(c, value);
		return;
	}
	if (!s->profile.n && item->kind == NODE_EXTEND) {
		struct diag *g = diag_report(c->diags, TJ0203, item->span, "'%.*s { }' has no place in 'set'",
			STR_ARG(name));
		diag_help(c->diags, g, "a test sets the whole value: write '%.*s = { ... }'", STR_ARG(name));
	}
	const struct type *t = d->kind == DECL_PARAM ? decl_type(c, d) : &type_bad;
	struct site site = name_site(d);
	struct decl *setting = decl_new(c, DECL_BAD, name, item->u.item.key.span, NULL);
	struct where saved = c->at;
	begin_early(c, setting);
	if ((item->kind == NODE_EXTEND ? type_extension(c, value, t)
	    : check_expr(c, value, t, &site))->kind == TYPE_BAD)
		c->nearly--;                    /* report only the first mistake */
	c->at = saved;
	if (!c->refusal_wanted && (s->profile.n || !c->program->testing))
		check_bounds(c, value, t, d);
	if (s->profile.n && d->kind == DECL_PARAM && same_constant(c, value, d->node->u.binding.value) &&
	    !set_elsewhere(c, s->profile, name)) {
		struct diag *g = diag_report(c->diags, TJ1005, item->span, "profile '%.*s' sets '%.*s' to its default",
			STR_ARG(s->profile), STR_ARG(name));
		diag_note(c->diags, g, d->node->u.binding.value->span, "the default");
		diag_help(c->diags, g, "remove the line");
	}
}

static void check_settings(struct check *c, struct node *body, struct str profile)
{
	struct setting_items s = { .base = { .check = c, .set = set_param, .fixed = !profile.n,
		.what = profile.n ? "a profile" : "'set'" }, .profile = profile };
	visit_body(&s.base, body, SCOPE_LOCAL);
}

static void report_base(struct check *c, const struct node *n)
{
	struct suggest s;

	suggest_init(&s, c->arena, n->u.titled.base);
	for (size_t i = 0; i < c->profiles.n; i++)
		suggest_add(&s, c->profiles.entries[i].key);
	struct diag *d = diag_report(c->diags, TJ0404, n->u.titled.base_span, "unknown profile '%.*s'",
		STR_ARG(n->u.titled.base));
	struct str help = suggest_or_list(&s, "the profiles are");
	if (help.n)
		diag_help(c->diags, d, "%.*s", STR_ARG(help));
}

/* The profile that PROFILE extends; NULL if it extends no profile. */
static const struct node *profile_base(const struct check *c, const struct node *profile)
{
	return profile && profile->u.titled.base.n ? map_get(&c->profiles, profile->u.titled.base) : NULL;
}

/* Checks that the extended profile exists, does not lead back to this profile, and that the chain is not too long. */
static void check_base_profile(struct check *c, struct node *n)
{
	const struct node *base = profile_base(c, n), *slow = base;
	size_t behind = 1;

	if (!base && !c->at.module->broken)
		report_base(c, n);
	for (; base && base != n && behind <= PROFILES_DEEPEST; behind++) {
		base = profile_base(c, base);
		slow = behind % 2 ? slow : profile_base(c, slow);
		if (base == slow)               /* the chain runs into a cycle, which is reported for the profiles in it
						 */
			return;
	}
	if (base == n) {
		struct diag *d = diag_report(c->diags, TJ0405, n->u.titled.base_span, "profile '%.*s' extends itself",
			STR_ARG(n->u.titled.name));
		diag_help(c->diags, d, "remove the base of one of these profiles");
	} else if (base) {
		struct diag *d = diag_report(c->diags, TJ0407, n->u.titled.base_span,
			"profile '%.*s' extends more than %d others in a row",
			STR_ARG(n->u.titled.name), PROFILES_DEEPEST);
		diag_help(c->diags, d, "merge some of them into one profile");
	}
}

void check_profile(struct check *c, struct node *n)
{
	if (n->u.titled.base.n)
		check_base_profile(c, n);
	check_settings(c, n->u.titled.body, n->u.titled.name);
	test_extensions(c, n->u.titled.body);
}

/* ---- tests ---- */

static void test_profile(struct check *c, struct node *value)
{
	struct str name;
	struct suggest s;
	struct site site = { .what = STR("'profile'") };
	check_expr(c, value, &type_string, &site);
	if (value->kind != NODE_STRING || !node_static_text(value, &name) || map_get(&c->profiles, name))
		return;
	suggest_init(&s, c->arena, name);
	for (size_t i = 0; i < c->profiles.n; i++)
		suggest_add(&s, c->profiles.entries[i].key);
	if (!may_report_unknown(c, c->at.module, name, &s) || c->at.module->broken)
		return;
	struct diag *d = diag_report(c->diags, TJ0404, value->span, "unknown profile '%.*s'", STR_ARG(name));
	struct str help = suggest_or_list(&s, "the profiles are");
	if (help.n)
		diag_help(c->diags, d, "%.*s", STR_ARG(help));
}

static void test_refuses(struct check *c, struct node *value)
{
	struct str word;
	enum diag_code code;
	check_expr(c, value, &type_string, &(struct site){ .what = STR("'refuses'") });
	if (value->kind == NODE_STRING && node_static_text(value, &word) && diag_code_find(word, &code))
		return;
	if (value->kind != NODE_STRING && value->type && value->type->kind == TYPE_BAD)
		return;                         /* reported already */
	struct diag *d = diag_report(c->diags, TJ0403, value->span,
		"'refuses' needs the code of an error, such as \"TJ0901\"");
	diag_help(c->diags, d, "'trainc check' shows the code at the end of each error");
}

/* Reports a setting of a test that is not constant: settings are read before anything is evaluated. */
static void report_unread(struct check *c, const struct node *item, const char *help)
{
	struct diag *d = diag_report(c->diags, TJ0203, item->span, "this '%.*s' has no place here",
		STR_ARG(item->u.item.key.text));
	diag_help(c->diags, d, "%s", help);
}

static void test_set(struct items *to, struct node *item)
{
	struct check *c = to->check;
	struct str name = item->u.item.key.text;
	struct node *value = item->u.item.value;
	const struct field *f = name.p ? schema_find(BLOCK_TEST, name) : NULL;
	item->u.item.field = f;
	if (f && to->conditional)
		report_unread(c, item, "it is read before anything is evaluated: write it outside of 'if' and 'for'");
	if (!f) {
		struct suggest s;
		struct diag *d = diag_report(c->diags, TJ0202, item->u.item.key.span, "a test has no field '%.*s'",
			STR_ARG(name.p ? name : STR("(...)")));
		suggest_init(&s, c->arena, name.p ? name : STR(""));
		suggest_add(&s, STR("profile"));
		suggest_add(&s, STR("set"));
		suggest_add(&s, STR("refuses"));
		help_suggest(c, d, &s, "its fields are", item->u.item.key.span);
		type_loose(c, value);
	} else if (f->id == FIELD_TEST_REFUSES) {
		test_refuses(c, value);
	} else if (f->id == FIELD_TEST_PROFILE) {
		struct str text;
		test_profile(c, value);
		if (value->kind != NODE_STRING || !node_static_text(value, &text))
			report_unread(c, item,
				"it is read before anything is evaluated: write the name of the profile itself");
	} else if (value->kind == NODE_BODY) {
		check_settings(c, value, STR(""));
		value->type = &type_data;
	} else {
		check_expr(c, value, &type_data, &(struct site){ .what = STR("'set'") });
		report_unread(c, item, "it is read before anything is evaluated: write set { NAME = VALUE }");
	}
}

/* Do the items of a body contain a check at any depth? An item that did not parse counts, since it may be one. */
static bool holds_check(const struct node *body)
{
	for (size_t i = 0; body && body->kind == NODE_BODY && i < body->u.body.items.n; i++) {
		const struct node *n = body->u.body.items.at[i];
		if (n->kind == NODE_CHECK || n->kind == NODE_BAD || n->kind == NODE_IF_ITEM || n->kind == NODE_FOR_ITEM)
			return true;
	}
	return false;
}

void check_test(struct check *c, struct node *n)
{
	struct items items = { .check = c, .set = test_set, .checks = true, .what = "a test" };
	check_expr(c, n->u.titled.title, &type_string, &(struct site){ .what = STR("the title of a test") });
	c->refusal_wanted = test_wants_refusal(n, source_text(c->program->sources, n->span));
	if (!c->refusal_wanted && !holds_check(n->u.titled.body)) {
		struct diag *d = diag_report(c->diags, TJ0203, n->u.titled.title->span, "this test checks nothing");
		diag_help(c->diags, d, "write 'check CONDITION else \"message\"' in it, or refuses = \"CODE\"");
	}
	visit_body(&items, n->u.titled.body, SCOPE_TEST);
	c->refusal_wanted = false;
}

/* ---- policies and the project ---- */

static void policy_set(struct items *to, struct node *item)
{
	struct check *c = to->check;
	diag_report(c->diags, TJ0203, item->span, "a policy only contains checks; it cannot set anything");
	type_loose(c, item->u.item.value);
}

void check_policy(struct check *c, struct node *n)
{
	struct items items = { .check = c, .set = policy_set, .checks = true, .what = "a policy" };
	check_expr(c, n->u.titled.title, &type_string, &(struct site){ .what = STR("the title of a policy") });
	if (n->u.titled.body->kind == NODE_BODY && !n->u.titled.body->u.body.items.n) {
		struct diag *d = diag_report(c->diags, TJ0203, n->u.titled.title->span, "this policy checks nothing");
		diag_help(c->diags, d, "write 'check CONDITION else \"message\"' in it, or 'warn'");
	}
	visit_body(&items, n->u.titled.body, SCOPE_POLICY);
}

void check_project(struct check *c, struct node *n)
{
	check_block(c, n->u.titled.body, BLOCK_PROJECT, NULL);
}
