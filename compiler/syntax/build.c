/*
 * build.c - constructs the nodes of the tree. Two things happen here besides filling in members. The height of every
 * node is recorded, so that no later phase can run out of stack on a program that was written (or generated, or fuzzed)
 * to be deep. And a node that contains a repair of the brackets becomes NODE_BAD: it parsed, but not as it was meant.
 */
#include "syntax/fields.h"
#include "syntax/help/foreign.h"
#include "syntax/parse_state.h"
#include "trainc.tab.h"

enum { HEIGHT_MAX = 1000, NEST_MAX = 256 };

struct str build_word(struct parse *p, struct span at)
{
	return names_intern(p->names, tokens_text(&p->tokens, at.start, at.end));
}

struct nodes list_one(struct parse *p, struct node *n)
{
	return seq_add(p, (struct nodes){ 0 }, n);
}

struct nodes seq_add(struct parse *p, struct nodes list, struct node *n)
{
	nodes_add(p->arena, &list, n);
	return list;
}

struct path *mk_path(struct parse *p, struct str name, struct span at)
{
	return path_add(p, ARENA_NEW(p->arena, struct path), name, at);
}

struct path *path_add(struct parse *p, struct path *path, struct str name, struct span at)
{
	size_t n = path->n;
	ARENA_PUSH(p->arena, path->names, n, name);
	ARENA_PUSH(p->arena, path->spans, path->n, at);
	return path;
}

struct clauses *clauses_add(struct parse *p, struct clauses *to, struct binders *b, struct node *list)
{
	struct clause c = { .binders = { b->at[0], b->at[1] }, .nbinders = b->n, .list = list };
	if (!to)
		to = ARENA_NEW(p->arena, struct clauses);
	ARENA_PUSH(p->arena, to->at, to->n, c);
	return to;
}

struct binders *mk_binders(struct parse *p, struct str name, struct span at)
{
	return binders_add(ARENA_NEW(p->arena, struct binders), name, at);
}

struct binders *binders_add(struct binders *b, struct str name, struct span at)
{
	b->at[b->n++] = (struct binder){ .name = name, .span = at };
	return b;
}

struct parts *parts_add(struct parse *p, struct parts *parts, struct span at, struct node *expr)
{
	struct string_part part = { .expr = expr, .span = at };
	if (!parts)
		parts = ARENA_NEW(p->arena, struct parts);
	ARENA_PUSH(p->arena, parts->at, parts->n, part);
	return parts;
}

/* --- nodes --- */

static struct node *bad(struct parse *p, struct span at, struct str name, struct span name_at)
{
	struct node *n = node_new(p->arena, NODE_BAD, at);
	n->u.bad.name = name;
	n->u.bad.name_span = name_at;
	return n;
}

static void turn_bad(struct node *n, struct str name, struct span name_at)
{
	n->kind = NODE_BAD;
	n->u.bad.name = name;
	n->u.bad.name_span = name_at;
}

/* Increases the height of a node to include a child. */
void node_grow(struct node *n, const struct node *child)
{
	if (!child)
		return;
	if (child->height + 1u > n->height)
		n->height = (unsigned short)(child->height + 1);
	if (child->nest > n->nest)
		n->nest = child->nest;
}

void node_grow_all(struct node *n, struct nodes children)
{
	for (size_t i = 0; i < children.n; i++)
		node_grow(n, children.at[i]);
}

/* Replaces a node that is nested too deeply with a leaf. */
struct node *node_limit(struct parse *p, struct node *n)
{
	if (n->height <= HEIGHT_MAX && n->nest <= NEST_MAX)
		return n;
	if (n->span.start <= p->deep)                   /* one error for all nested expressions that start here */
		return mk_bad(p, n->span);
	p->deep = n->span.start;
	struct diag *d = diag_report(p->diags, TJ0114, n->span, "this expression is nested more than %d deep",
	                             n->nest > NEST_MAX ? NEST_MAX : HEIGHT_MAX);
	diag_help(p->diags, d, "split it with 'let'");
	return mk_bad(p, n->span);
}

struct node *mk_bad(struct parse *p, struct span at)
{
	struct node *n = bad(p, at, p->bad_name, p->bad_name_at);
	p->bad_name = (struct str){ 0 };
	p->bad_name_at = (struct span){ 0 };
	return n;
}

/* --- declarations --- */

/* The name that a declaration would have declared, for a declaration that must become NODE_BAD. */
static struct str declared_name(const struct node *n, struct span *ret_at)
{
	switch (n->kind) {
	case NODE_IMPORT: *ret_at = n->u.import.alias_span; return n->u.import.alias;
	case NODE_PARAM: case NODE_LET: *ret_at = n->u.binding.name_span; return n->u.binding.name;
	case NODE_FN: *ret_at = n->u.fn.name_span; return n->u.fn.name;
	case NODE_TYPE: *ret_at = n->u.type_decl.name_span; return n->u.type_decl.name;
	case NODE_FRAMEWORK: case NODE_ACCELERATOR:
		*ret_at = n->u.blueprint_decl.name_span;
		return n->u.blueprint_decl.name;
	case NODE_PROFILE: *ret_at = n->u.titled.name_span; return n->u.titled.name;
	default: return (struct str){ 0 };
	}
}

/* May the declaration contain fields with types? */
static bool has_fields(const struct node *decl)
{
	return decl->kind == NODE_TYPE || decl->kind == NODE_FRAMEWORK || decl->kind == NODE_ACCELERATOR;
}

/* Does the file declare the name, with `let`, `param`, `for` or as an argument? */
static bool declares(const struct parse *p, struct str name)
{
	const struct token *t = p->tokens.at;

	for (size_t i = 1; i < p->tokens.n; i++) {
		int before = t[i - 1].kind;
		bool declared = before == TOKEN_LET || before == TOKEN_PARAM || before == TOKEN_FOR ||
			((before == TOKEN_LPAREN || before == TOKEN_COMMA) && t[i + 1].kind == TOKEN_COLON);
		if (declared && t[i].kind == TOKEN_IDENT && str_eq(tokens_text(&p->tokens, t[i].start, t[i].end), name))
			return true;
	}
	return false;
}

/* Is WORD in `KEY: WORD` most likely a text without quotes, as in `image: busybox`? */
static bool is_text(const struct parse *p, struct str key, struct str word)
{
	static const char *const texts[] = { "string", "pod[string]", "image", "name", "path", "enum" };
	const char *type = field_type(key);

	if (declares(p, word))
		return false;
	for (size_t i = 0; type && i < sizeof texts / sizeof *texts; i++)
		if (strncmp(type, texts[i], strlen(texts[i])) == 0)
			return true;
	return str_is(key, "name");
}

static void report_old_field(struct parse *p, struct node *n)
{
	struct span colon = { n->u.field.key.span.end, n->u.field.type->span.start };
	struct str key = source_text(p->diags->sources, n->u.field.key.span);
	bool body = n->u.field.type->kind == NODE_TYPE_REF && n->u.field.type->u.type_ref.body;
	struct str type = body ? STR("{ ... }") : source_text(p->diags->sources, n->u.field.type->span);
	struct diag *d = diag_report(p->diags, TJ0111, n->u.field.type->span,
		"'%.*s: %.*s' declares a type, which is not allowed here",
	                             STR_ARG(key), STR_ARG(type));
	if (memchr(type.p, '\n', type.n) || n->u.field.value)
		return;
	if (body) {
		struct nodes items = n->u.field.type->u.type_ref.body->u.body.items;
		bool set = items.n && (items.at[0]->kind == NODE_SET || items.at[0]->kind == NODE_EXTEND);
		struct str inner = set ? items.at[0]->u.item.key.text : STR("");
		const struct foreign *other = field_type(key) ? foreign_block(key, inner) : foreign_field(key);
		if (other) {
			diag_help(p->diags, d, "%s", other->help);
			return;
		}
		diag_help(p->diags, d, "write '%.*s { ... }', without ':'", STR_ARG(key));
		diag_fix(p->diags, d, colon, STR(" "), "remove ':'");
		return;
	}
	diag_label(p->diags, d, "a field is set with '='");
	if ((is_variable(key) || str_is(key, "apiVersion") || str_is(key, "kind") || is_text(p, key, type)) &&
		!n->u.field.type->u.type_ref.args.n) {
		struct str text = str_printf(p->arena, " = \"%.*s\"", STR_ARG(type));
		diag_help(p->diags, d, "write '%.*s%.*s'", STR_ARG(key), STR_ARG(text));
		diag_fix(p->diags, d, span_join(colon, n->u.field.type->span), text, "write '=' and quotes");
		return;
	}
	diag_help(p->diags, d, "write '%.*s = %.*s'", STR_ARG(key), STR_ARG(type));
	diag_fix(p->diags, d, colon, STR(" = "), "write '='");
}

/* Empties the list of pending field declarations, and reports each as TJ0111 unless DECL may contain fields. */
static void claim_fields(struct parse *p, const struct node *decl)
{
	for (size_t i = 0; i < p->fields.n; i++) {
		struct node *n = p->fields.at[i];
		if (n->kind == NODE_BAD || has_fields(decl))
			continue;
		report_old_field(p, n);
		turn_bad(n, n->u.field.key.text, n->u.field.key.span);
	}
	p->fields.n = 0;
}

void add_decl(struct parse *p, struct node *n)
{
	if (n->kind != NODE_BAD && p->torn_decl >= n->span.start) {
		struct span at = { 0 };
		struct str name = declared_name(n, &at);
		turn_bad(n, name, at);
		p->fields.n = 0;
	}
	if (n->kind != NODE_BAD)
		claim_fields(p, n);
	p->fields.n = 0;
	nodes_add(p->arena, &p->file->u.file.decls, n);
}

void parse_result(struct parse *p, struct node *n)
{
	p->result = n;
}

struct node *mk_import(struct parse *p, struct span at, struct path *path, struct span path_at, struct str alias,
	struct span alias_at)
{
	struct node *n = node_new(p->arena, NODE_IMPORT, at);
	n->u.import.path = path->names;
	n->u.import.depth = path->n;
	n->u.import.path_span = path_at;
	n->u.import.alias = alias.p ? alias : path->names[path->n - 1];
	n->u.import.alias_span = alias.p ? alias_at : path->spans[path->n - 1];
	return n;
}

struct node *import_with(struct node *import, struct node *body)
{
	if (import->kind == NODE_IMPORT)
		import->u.import.body = body;
	return import;
}

struct node *mk_import_file(struct parse *p, struct span at, struct node *file, struct str alias, struct span alias_at)
{
	struct node *n = node_new(p->arena, NODE_IMPORT, at);
	if (file->kind == NODE_BAD)
		return bad(p, at, alias, alias_at);
	if (!node_static_text(file, &n->u.import.file)) {
		struct diag *d = diag_report(p->diags, TJ0102, file->span, "an imported file's name is plain text");
		diag_help(p->diags, d, "write the name without '${...}'");
		return bad(p, at, alias, alias_at);
	}
	n->u.import.path_span = file->span;
	n->u.import.alias = alias;
	n->u.import.alias_span = alias_at;
	return n;
}

struct node *mk_binding(struct parse *p, struct span at, enum node_kind kind, struct str name, struct span name_at,
                        struct node *type, struct node *value)
{
	bool torn = parse_is_torn(p, at.start);
	if (torn && kind != NODE_FORMAL)
		return bad(p, at, name, name_at);
	struct node *n = node_new(p->arena, kind, at);
	n->u.binding.name = name;
	n->u.binding.name_span = name_at;
	n->u.binding.type = torn ? NULL : type;         /* a broken argument is kept, because arguments are counted */
	n->u.binding.value = torn ? NULL : value;
	n->u.binding.doc = doc_of(p, at.start);
	node_grow(n, type);
	node_grow(n, value);
	return n;
}

struct node *mk_fn(struct parse *p, struct span at, struct str name, struct span name_at, struct nodes formals,
                   struct node *result, struct node *value)
{
	if (parse_is_torn(p, at.start))
		return bad(p, at, name, name_at);
	struct node *n = node_new(p->arena, NODE_FN, at);
	n->u.fn.name = name;
	n->u.fn.name_span = name_at;
	n->u.fn.formals = formals;
	n->u.fn.result = result;
	n->u.fn.value = value;
	n->u.fn.doc = doc_of(p, at.start);
	return n;
}

struct node *mk_type(struct parse *p, struct span at, struct str name, struct span name_at, struct node *alias,
	struct node *body)
{
	struct node *n = node_new(p->arena, NODE_TYPE, at);
	n->u.type_decl.name = name;
	n->u.type_decl.name_span = name_at;
	n->u.type_decl.alias = alias;
	n->u.type_decl.body = body;
	n->u.type_decl.doc = doc_of(p, at.start);
	return n;
}

struct node *mk_blueprint(struct parse *p, struct span at, enum node_kind kind, struct str name, struct span name_at,
                          struct nodes formals, struct node *body)
{
	struct node *n = node_new(p->arena, kind, at);
	n->u.blueprint_decl.name = name;
	n->u.blueprint_decl.name_span = name_at;
	n->u.blueprint_decl.formals = formals;
	n->u.blueprint_decl.body = body;
	n->u.blueprint_decl.doc = doc_of(p, at.start);
	return n;
}

struct node *mk_profile(struct parse *p, struct span at, struct str name, struct span name_at, struct node *body)
{
	struct node *n = mk_titled(p, at, NODE_PROFILE, NULL, body);
	n->u.titled.name = name;
	n->u.titled.name_span = name_at;
	return n;
}

struct node *mk_profile_of(struct node *profile, struct str base, struct span base_at)
{
	profile->u.titled.base = base;
	profile->u.titled.base_span = base_at;
	return profile;
}

struct node *mk_titled(struct parse *p, struct span at, enum node_kind kind, struct node *title, struct node *body)
{
	struct node *n = node_new(p->arena, kind, at);
	n->u.titled.title = title;
	n->u.titled.body = body;
	n->u.titled.doc = doc_of(p, at.start);
	return n;
}

/* Turns a dotted name into an expression. */
static struct node *path_expression(struct parse *p, struct path *path)
{
	struct node *n = mk_name(p, path->spans[0], path->names[0]);
	for (size_t i = 1; i < path->n; i++)
		n = mk_member(p, span_join(path->spans[0], path->spans[i]), n, path->names[i], path->spans[i]);
	return n;
}

struct node *mk_wrapper(struct parse *p, struct node *framework, struct path *base, struct nodes args,
	struct span args_at)
{
	framework->u.blueprint_decl.base = path_expression(p, base);
	framework->u.blueprint_decl.args = args;
	framework->u.blueprint_decl.has_args = span_known(args_at);
	framework->u.blueprint_decl.args_span = args_at;
	return framework;
}

struct node *mk_job(struct parse *p, struct span at, struct node *title, struct path *blueprint, struct nodes args,
                    struct span args_at, struct node *body)
{
	struct node *n = node_new(p->arena, NODE_JOB, at);
	n->u.job.title = title;
	n->u.job.blueprint = blueprint ? path_expression(p, blueprint) : NULL;
	n->u.job.args = args;
	n->u.job.has_args = span_known(args_at);
	n->u.job.args_span = args_at;
	n->u.job.body = body;
	n->u.job.doc = doc_of(p, at.start);
	return n;
}

struct node *mk_fleet(struct parse *p, struct span at, struct clauses *clauses, struct node *filter, struct node *job)
{
	const struct clause *first = &clauses->at[0];
	job->span = at;
	job->u.job.binders[0] = first->binders[0];
	job->u.job.binders[1] = first->binders[1];
	job->u.job.nbinders = first->nbinders;
	job->u.job.list = first->list;
	job->u.job.more = clauses->at + 1;
	job->u.job.nmore = clauses->n - 1;
	job->u.job.filter = filter;
	job->u.job.doc = doc_of(p, at.start);
	return job;
}

struct node *mk_check(struct parse *p, struct span at, bool warn, struct node *condition, struct node *message,
                      struct str code, struct span code_at)
{
	if (parse_is_torn(p, at.start))
		return mk_bad(p, at);
	struct node *n = node_new(p->arena, NODE_CHECK, at);
	n->u.check.warn = warn;
	n->u.check.condition = condition;
	n->u.check.message = message;
	n->u.check.code = code;
	n->u.check.code_span = code.p ? code_at : (struct span){ 0 };
	if (code.p && !p->source->library) {
		struct diag *d = diag_report(p->diags, TJ0102, code_at,
			"only the standard library gives a check a code");
		diag_help(p->diags, d, "remove 'as %.*s'", STR_ARG(code));
		n->u.check.code = (struct str){ 0 };
	}
	node_grow(n, condition);
	node_grow(n, message);
	return n;
}

/* --- items --- */

struct key *mk_key(struct parse *p, struct str name, struct span at)
{
	struct key *k = ARENA_NEW(p->arena, struct key);
	*k = (struct key){ .kind = KEY_NAME, .span = at, .text = name };
	return k;
}

struct key *mk_key_string(struct parse *p, struct node *string, struct span at)
{
	struct key *k = ARENA_NEW(p->arena, struct key);
	struct str text;
	*k = (struct key){ .kind = KEY_STRING, .span = at };
	if (node_static_text(string, &text))
		k->text = names_intern(p->names, text);
	else
		k->expr = string;
	return k;
}

struct key *mk_key_expr(struct parse *p, struct node *expr, struct span at)
{
	struct key *k = ARENA_NEW(p->arena, struct key);
	*k = (struct key){ .kind = KEY_EXPR, .span = at, .expr = expr };
	return k;
}

/* Is the key of an item, or the part of the item so far, broken? */
static bool key_is_bad(const struct parse *p, struct span at, const struct key *k)
{
	return parse_is_torn(p, at.start) || (k->expr && k->expr->kind == NODE_BAD);
}

struct node *mk_body(struct parse *p, struct span at, struct nodes items, struct span open, struct span close)
{
	struct node *n = node_new(p->arena, NODE_BODY, at);
	n->u.body.items = items;
	n->u.body.one_line = p->one_line;
	n->u.body.open = open;
	n->u.body.close = close;
	node_grow_all(n, items);
	return node_limit(p, n);
}

struct node *mk_adding(struct parse *p, struct span at, struct key *key, struct node *value)
{
	struct node *n = mk_item(p, at, NODE_EXTEND, key, value);
	if (n->kind == NODE_EXTEND)
		n->u.item.adds = true;
	return n;
}

struct node *mk_item(struct parse *p, struct span at, enum node_kind kind, struct key *key, struct node *value)
{
	if (kind == NODE_SET ? key_is_bad(p, at, key) : key->expr && key->expr->kind == NODE_BAD)
		return bad(p, at, key->text, key->span);
	struct node *n = node_new(p->arena, kind, at);
	n->u.item.key = *key;
	n->u.item.value = value;
	n->u.item.doc = doc_of(p, at.start);
	node_grow(n, key->expr);
	node_grow(n, value);
	p->last_set = n;
	return n;
}

void forget_item(struct parse *p, uint32_t start)
{
	struct node *n = p->last_set;

	if (n && n->kind != NODE_BAD && n->span.start == start)
		turn_bad(n, n->u.item.key.text, n->u.item.key.span);
}

struct node *mk_field(struct parse *p, struct span at, struct key *key, struct node *type, struct node *value)
{
	if (key_is_bad(p, at, key))
		return bad(p, at, key->text, key->span);
	struct node *n = node_new(p->arena, NODE_FIELD, at);
	n->u.field.key = *key;
	n->u.field.type = type;
	n->u.field.value = value;
	n->u.field.doc = doc_of(p, at.start);
	node_grow(n, type);
	node_grow(n, value);
	nodes_add(p->arena, &p->fields, n);
	return n;
}

struct node *mk_block(struct parse *p, struct span at, struct str kind, struct span kind_at, struct str name,
                      struct span name_at, struct node *body)
{
	struct node *n = node_new(p->arena, NODE_BLOCK, at);
	n->u.block.word = kind;
	n->u.block.word_span = kind_at;
	n->u.block.name = name;
	n->u.block.name_span = name_at;
	n->u.block.body = body;
	n->u.block.doc = doc_of(p, at.start);
	node_grow(n, body);
	return n;
}

struct node *block_of(struct parse *p, struct node *block, struct path *framework, struct nodes args,
	struct span args_at)
{
	block->u.block.framework = path_expression(p, framework);
	block->u.block.args = args;
	block->u.block.args_span = args_at;
	return block;
}

struct node *mk_spread(struct parse *p, struct span at, struct node *one)
{
	if (parse_is_torn(p, at.start))
		return mk_bad(p, at);
	struct node *n = node_new(p->arena, NODE_SPREAD, at);
	n->u.one = one;
	node_grow(n, one);
	return n;
}

static struct node *for_item(struct parse *p, struct span at, const struct clause *c, struct node *body)
{
	struct node *n = node_new(p->arena, NODE_FOR_ITEM, at);
	n->u.for_item.binders[0] = c->binders[0];
	n->u.for_item.binders[1] = c->binders[1];
	n->u.for_item.nbinders = c->nbinders;
	n->u.for_item.list = c->list;
	n->u.for_item.body = body;
	node_grow(n, c->list);
	node_grow(n, body);
	return n;
}

/* Makes a body that contains only ITEM. */
static struct node *body_of(struct parse *p, const struct node *around, struct node *item)
{
	struct nodes items = { 0 };
	nodes_add(p->arena, &items, item);
	return mk_body(p, around->span, items, around->u.body.open, around->u.body.close);
}

struct node *mk_for_items(struct parse *p, struct span at, struct clauses *clauses, struct node *filter,
	struct node *body)
{
	struct node *inner = filter ? body_of(p, body, chain_first(p, mk_if_item(p, at, filter, body), at)) : body;
	for (size_t i = clauses->n; i-- > 1;)
		inner = body_of(p, body, for_item(p, at, &clauses->at[i], inner));
	return for_item(p, at, &clauses->at[0], inner);
}

/* --- else-if chains --- */

static struct node **otherwise_of(struct node *n)
{
	return n->kind == NODE_IF ? &n->u.if_expr.otherwise : &n->u.if_item.otherwise;
}

struct node *mk_if_item(struct parse *p, struct span at, struct node *condition, struct node *then)
{
	struct node *n = node_new(p->arena, NODE_IF_ITEM, at);
	n->u.if_item.condition = condition;
	n->u.if_item.then = then;
	n->u.if_item.otherwise = n;
	node_grow(n, condition);
	node_grow(n, then);
	return n;
}

struct node *mk_if(struct parse *p, struct span at, struct node *condition, struct node *then)
{
	struct node *n = node_new(p->arena, NODE_IF, at);
	n->u.if_expr.condition = condition;
	n->u.if_expr.then = then;
	n->u.if_expr.otherwise = n;
	node_grow(n, condition);
	node_grow(n, then);
	n->nest++;
	return n;
}

struct node *chain_add(struct parse *p, struct node *chain, struct node *link)
{
	(void)p;
	*otherwise_of(link) = *otherwise_of(chain);
	*otherwise_of(chain) = link;
	return link;
}

struct node *chain_end(struct parse *p, struct node *chain, struct node *otherwise, struct span at)
{
	struct node *first = *otherwise_of(chain);
	unsigned links = 0, nest = first->nest;

	*otherwise_of(chain) = otherwise;
	if (otherwise)
		node_grow(chain, otherwise);
	first->span = at;
	for (struct node *n = first; n != chain; n = *otherwise_of(n)) {
		struct node *next = *otherwise_of(n);
		next->span.end = at.end;
		first->height = next->height > first->height ? next->height : first->height;
		/* an `else if` counts as an `if` nested in the one before it */
		links++;
		nest = next->nest + links > nest ? next->nest + links : nest;
	}
	first->nest = nest > NEST_MAX ? NEST_MAX + 1 : nest;
	return node_limit(p, first);
}

struct node *chain_first(struct parse *p, struct node *chain, struct span at)
{
	return chain_end(p, chain, NULL, at);
}

struct node *arms_end(struct parse *p, struct node *chain, struct node *otherwise, struct span at)
{
	return chain_end(p, chain, otherwise, at);
}

/* --- types --- */

struct node *mk_type_ref(struct parse *p, struct span at, struct path *path, struct nodes args, struct nodes refines)
{
	struct node *n = node_new(p->arena, NODE_TYPE_REF, at);
	if (!args.n && !refines.n)
		n->span.end = path->spans[path->n - 1].end;
	n->u.type_ref.path = path->names;
	n->u.type_ref.path_spans = path->spans;
	n->u.type_ref.depth = path->n;
	n->u.type_ref.args = args;
	n->u.type_ref.refines = refines;
	node_grow_all(n, args);
	node_grow_all(n, refines);
	return n;
}

struct node *mk_type_fields(struct parse *p, struct span at, struct node *body)
{
	struct nodes items = body->kind == NODE_BODY ? body->u.body.items : (struct nodes){ 0 };
	struct node *n = node_new(p->arena, NODE_TYPE_REF, at);
	size_t first = p->fields.n, kept, item = 0;
	while (first && p->fields.at[first - 1]->span.start >= body->span.start)
		first--;
	kept = first;
	for (size_t i = first; i < p->fields.n; i++) {          /* keep only the fields that are not the record's own */
		while (item < items.n && items.at[item]->span.start < p->fields.at[i]->span.start)
			item++;
		if (item == items.n || items.at[item] != p->fields.at[i])
			p->fields.at[kept++] = p->fields.at[i];
	}
	p->fields.n = kept;
	n->u.type_ref.body = body->kind == NODE_BODY ? body : NULL;     /* NULL if the body is nested too deeply, which
									 * was reported */
	node_grow(n, body);
	return n;
}

struct node *type_ref_optional(struct node *type, struct span at)
{
	type->u.type_ref.optional = true;
	type->span = at;
	return type;
}

struct node *mk_refine(struct parse *p, struct span at, enum refine_kind kind, struct node *lo, struct node *hi)
{
	struct node *n = node_new(p->arena, NODE_REFINE, at);
	n->u.refine.kind = kind;
	n->u.refine.lo = lo;
	n->u.refine.hi = hi;
	node_grow(n, lo);
	node_grow(n, hi);
	return n;
}

struct node *mk_refine_named(struct parse *p, struct span at, struct str name, struct span name_at, struct node *value)
{
	struct node *n = mk_refine(p, at, REFINE_NAMED, value, NULL);
	n->u.refine.name = name;
	n->u.refine.name_span = name_at;
	return n;
}
