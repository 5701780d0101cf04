/*
 * check_shape.c - corrects blocks without their keyword, without their name, or with the two in the wrong order.
 * `worker { }` and `role { }` parse as extensions of fields. If it is certain what was meant, they are corrected before
 * roles are looked up, so that the roles are not also reported as missing.
 */
#include "check/context.h"
#include "diag/suggest.h"

static bool has_role(const struct decl *framework, struct str name)
{
	for (size_t i = 0; framework && i < framework->nroles; i++)
		if (name_eq(framework->roles[i]->name, name))
			return true;
	return false;
}

static bool is_written(const struct node *body, struct str role)
{
	for (size_t i = 0; i < body->u.body.items.n; i++) {
		const struct node *item = body->u.body.items.at[i];
		if (item->kind == NODE_BLOCK && str_eq(item->u.block.name, role))
			return true;
	}
	return false;
}

/* The first role of the framework that the body does not mention yet, and the number of such roles. */
static struct str missing_role(const struct decl *framework, const struct node *body, size_t *ret_n)
{
	struct str name = { 0 };
	*ret_n = 0;
	for (size_t i = 0; framework && i < framework->nroles; i++) {
		if (is_written(body, framework->roles[i]->name))
			continue;
		if (!(*ret_n)++)
			name = framework->roles[i]->name;
	}
	return name;
}

/* Does a body set any field of a role? */
static bool looks_like_role(const struct node *body)
{
	for (size_t i = 0; i < body->u.body.items.n; i++) {
		const struct node *item = body->u.body.items.at[i];
		bool keyed = item->kind == NODE_SET || item->kind == NODE_EXTEND;
		if (keyed && item->u.item.key.text.p && schema_find(BLOCK_ROLE, item->u.item.key.text))
			return true;
		if (item->kind == NODE_FIELD && item->u.field.key.text.p &&
		    schema_find(BLOCK_ROLE, item->u.field.key.text))
			return true;
	}
	return false;
}

/* A keyword or a name, with its span. */
struct placed {
	struct str text;
	struct span at;
};

static struct node *block_of(struct check *c, const struct node *item, struct placed word, struct placed name)
{
	struct node *n = node_new(c->arena, NODE_BLOCK, item->span);
	bool block = item->kind == NODE_BLOCK;
	n->u.block.word = word.text;
	n->u.block.word_span = word.at;
	n->u.block.name = name.text;
	n->u.block.name_span = name.at;
	n->u.block.body = block ? item->u.block.body : item->u.item.value;
	n->u.block.doc = block ? item->u.block.doc : item->u.item.doc;
	return n;
}

static const char *example_of(struct str word)
{
	static const char *const examples[][2] = {
		{ "role", "worker" }, { "aux", "monitor" }, { "sidecar", "logs" }, { "init", "fetch" },
		{ "raw", "pod" }, { "object", "quota" },
	};
	for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
		if (str_is(word, examples[i][0]))
			return examples[i][1];
	return "name";
}

struct node *check_unnamed_block(struct check *c, const struct node *item, struct str likely, bool certain)
{
	const struct key key = item->u.item.key;
	struct str name = likely.n ? likely : str_of(example_of(key.text));
	struct span gap = { key.span.end, key.span.end };
	struct diag *d = diag_report(c->diags, TJ0102, item->u.item.value->u.body.open,
		"expected a name after '%.*s', found '{'", STR_ARG(key.text));
	diag_help(c->diags, d, "write '%.*s %.*s { ... }'", STR_ARG(key.text), STR_ARG(name));
	if (!certain)
		return node_new(c->arena, NODE_BAD, item->span);
	diag_fix(c->diags, d, gap, str_cat(c->arena, STR(" "), name, STR("")), "insert '%.*s'", STR_ARG(name));
	return block_of(c, item, (struct placed){ key.text, key.span }, (struct placed){ name, gap });
}

/*
 * Is `worker { }` a role? It is if a role of that name exists, or if the body looks like that of a role and the name is
 * not that of a field.
 */
static bool is_role_without_word(struct check *c, const struct node *item, enum block block,
	const struct decl *framework)
{
	struct str name = item->u.item.key.text;
	struct suggest s;
	if (has_role(framework, name))
		return true;
	if (foreign_field(name) || schema_find_anywhere(name) || !looks_like_role(item->u.item.value))
		return false;
	suggest_init(&s, c->arena, name);
	for (const struct field *f = schema_next(block, NULL); f; f = schema_next(block, f))
		if (str_ends(str_of(f->type), STR("]")) || edit_distance(name, str_of(f->name)) == 1)
			suggest_add(&s, str_of(f->name));
	return !suggest_sentence(&s).n;
}

static struct node *add_shape_word(struct check *c, const struct node *item, enum block block, struct str word)
{
	const struct key key = item->u.item.key;
	struct span before = { key.span.start, key.span.start };
	bool set = item->kind == NODE_SET;
	struct diag *d = diag_report(c->diags, TJ0202, key.span, "%s has no field '%.*s'", block_word(block),
		STR_ARG(key.text));
	diag_help(c->diags, d, set ? "a role is a block: write '%.*s %.*s { ... }', without '='"
		: "write '%.*s %.*s { ... }'", STR_ARG(word), STR_ARG(key.text));
	if (set)
		diag_fix(c->diags, d, (struct span){ key.span.start, item->u.item.value->span.start },
			str_printf(c->arena, "%.*s %.*s ", STR_ARG(word), STR_ARG(key.text)), "make it a block");
	else
		diag_fix(c->diags, d, before, str_cat(c->arena, word, STR(" "), STR("")), "insert '%.*s'",
			STR_ARG(word));
	return block_of(c, item, (struct placed){ names_intern(c->names, word), before },
		(struct placed){ key.text, key.span });
}

/* Corrects `worker role { }`. */
static struct node *exchange(struct check *c, struct node *item)
{
	struct placed word = { item->u.block.name, item->u.block.name_span },
		name = { item->u.block.word, item->u.block.word_span };
	if (schema_block(name.text) || !schema_block(word.text))
		return item;
	struct span both = span_join(name.at, word.at);
	struct diag *d = diag_report(c->diags, TJ0202, both, "unknown block '%.*s'", STR_ARG(name.text));
	diag_help(c->diags, d, "the name follows the keyword: '%.*s %.*s { ... }'", STR_ARG(word.text),
		STR_ARG(name.text));
	diag_fix(c->diags, d, both, str_cat(c->arena, word.text, STR(" "), name.text), "exchange the two");
	return block_of(c, item, word, name);
}

/* Reports `roles { worker { } }`; true if it did. */
static bool report_roles(struct check *c, const struct node *item, enum block block)
{
	const struct nodes *inside = &item->u.item.value->u.body.items;
	const struct node *first = inside->n ? inside->at[0] : NULL;
	bool named = first && (first->kind == NODE_EXTEND || first->kind == NODE_SET) &&
	             first->u.item.key.kind == KEY_NAME && first->u.item.value->kind == NODE_BODY;

	if (!str_is(item->u.item.key.text, "roles") || (first && !named && first->kind != NODE_BLOCK))
		return false;
	struct diag *d = diag_report(c->diags, TJ0202, item->u.item.key.span, "%s has no field 'roles'",
		block_word(block));
	struct str name = named ? first->u.item.key.text : first ? first->u.block.name : STR("worker");
	diag_help(c->diags, d, "write each role as a separate block: 'role %.*s { ... }'", STR_ARG(name));
	return true;
}

struct node *check_block_shape(struct check *c, struct node *item, enum block block, const struct decl *framework,
	const struct node *body)
{
	if (item->kind == NODE_BLOCK)
		return exchange(c, item);
	bool keyed = item->kind == NODE_EXTEND || item->kind == NODE_SET;
	if (!keyed || item->u.item.key.kind != KEY_NAME || item->u.item.value->kind != NODE_BODY ||
	    schema_find(block, item->u.item.key.text))
		return item;
	if (report_roles(c, item, block))
		return node_new(c->arena, NODE_BAD, item->span);
	struct str word = item->u.item.key.text;
	size_t missing = 0;
	struct str likely = str_is(word, "role") ? missing_role(framework, body, &missing) : (struct str){ 0 };
	const struct nodes *inside = &item->u.item.value->u.body.items;
	if (item->kind == NODE_EXTEND && schema_block(word) && inside->n && inside->at[0]->kind == NODE_BAD)
		return node_new(c->arena, NODE_BAD, item->span);        /* `role { worker`: reported already */
	if (item->kind == NODE_EXTEND && schema_block(word))
		return check_unnamed_block(c, item, likely, missing == 1);
	if (!is_role_without_word(c, item, block, framework))
		return item;
	return add_shape_word(c, item, block, framework && !has_role(framework, word) ? STR("aux") : STR("role"));
}
