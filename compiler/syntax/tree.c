/*
 * tree.c - decodes nodes from bytes. The table lists the members of each kind, both for this file and for the
 * build-time program that writes the bytes.
 */
#include "syntax/tree.h"

#define AT(form, member) { TREE_##form, offsetof(struct node, u.member) }
#define END { TREE_END, 0 }
#define MEMBERS(...) (const struct tree_member[]){ __VA_ARGS__, END }

#define BINDING MEMBERS(AT(WORD, binding.name), AT(SPAN, binding.name_span), AT(NODE, binding.type), \
	AT(NODE, binding.value), AT(WORD, binding.doc))
#define BLUEPRINT MEMBERS(AT(WORD, blueprint_decl.name), AT(SPAN, blueprint_decl.name_span), \
	AT(NODES, blueprint_decl.formals), AT(NODE, blueprint_decl.base), AT(NODES, blueprint_decl.args), \
	AT(FLAG, blueprint_decl.has_args), AT(SPAN, blueprint_decl.args_span), AT(NODE, blueprint_decl.body), \
	AT(WORD, blueprint_decl.doc))
#define ITEM MEMBERS(AT(KEY, item.key), AT(NODE, item.value), AT(FLAG, item.adds), AT(WORD, item.doc))
#define OPERATION MEMBERS(AT(CHOICE, op.op), AT(SPAN, op.op_span), AT(NODE, op.left), AT(NODE, op.right))

static const struct tree_member *const members[NODE_KINDS] = {
	[NODE_IMPORT] = MEMBERS(AT(IMPORT_PATH, import), AT(SPAN, import.path_span), AT(WORD, import.file),
		AT(WORD, import.alias), AT(SPAN, import.alias_span), AT(NODE, import.body)),
	[NODE_PARAM] = BINDING, [NODE_LET] = BINDING, [NODE_FORMAL] = BINDING,
	[NODE_FN] = MEMBERS(AT(WORD, fn.name), AT(SPAN, fn.name_span), AT(NODES, fn.formals), AT(NODE, fn.result),
		AT(LATER, fn.value), AT(WORD, fn.doc)),
	[NODE_TYPE] = MEMBERS(AT(WORD, type_decl.name), AT(SPAN, type_decl.name_span), AT(NODE, type_decl.alias),
		AT(NODE, type_decl.body), AT(WORD, type_decl.doc)),
	[NODE_FRAMEWORK] = BLUEPRINT, [NODE_ACCELERATOR] = BLUEPRINT,
	[NODE_CHECK] = MEMBERS(AT(FLAG, check.warn), AT(NODE, check.condition), AT(NODE, check.message),
		AT(WORD, check.code), AT(SPAN, check.code_span)),
	[NODE_SET] = ITEM, [NODE_EXTEND] = ITEM,
	[NODE_FIELD] = MEMBERS(AT(KEY, field.key), AT(NODE, field.type), AT(NODE, field.value), AT(WORD, field.doc)),
	[NODE_BLOCK] = MEMBERS(AT(WORD, block.word), AT(SPAN, block.word_span), AT(WORD, block.name),
		AT(SPAN, block.name_span), AT(NODE, block.body), AT(WORD, block.doc)),
	[NODE_SPREAD] = MEMBERS(AT(NODE, one)),
	[NODE_IF_ITEM] = MEMBERS(AT(NODE, if_item.condition), AT(NODE, if_item.then), AT(NODE, if_item.otherwise)),
	[NODE_FOR_ITEM] = MEMBERS(AT(BINDERS, for_item.binders), AT(NODE, for_item.list), AT(NODE, for_item.body)),
	[NODE_TYPE_REF] = MEMBERS(AT(TYPE_PATH, type_ref), AT(NODE, type_ref.body), AT(NODES, type_ref.args),
		AT(NODES, type_ref.refines), AT(FLAG, type_ref.optional)),
	[NODE_REFINE] = MEMBERS(AT(CHOICE, refine.kind), AT(NODE, refine.lo), AT(NODE, refine.hi),
		AT(WORD, refine.name), AT(SPAN, refine.name_span)),
	[NODE_NAME] = MEMBERS(AT(WORD, name.text)),
	[NODE_INT] = MEMBERS(AT(NUMBER, integer.value)),
	[NODE_FLOAT] = MEMBERS(AT(REAL, floating.value), AT(WORD, floating.word)),
	[NODE_QUANTITY] = MEMBERS(AT(WORD, quantity.word)),
	[NODE_TOPOLOGY] = MEMBERS(AT(TOPOLOGY, topology)),
	[NODE_BOOL] = MEMBERS(AT(FLAG, boolean)),
	[NODE_NONE] = MEMBERS(END),
	[NODE_STRING] = MEMBERS(AT(PARTS, string.parts), AT(FLAG, string.raw), AT(FLAG, string.block)),
	[NODE_LIST] = MEMBERS(AT(NODES, list)),
	[NODE_LIST_FOR] = MEMBERS(AT(BINDERS, list_for.binders), AT(NODE, list_for.value), AT(NODE, list_for.list),
		AT(NODE, list_for.filter), AT(FLAG, list_for.flat)),
	[NODE_BODY] = MEMBERS(AT(NODES, body.items), AT(FLAG, body.one_line), AT(SPAN, body.open),
		AT(SPAN, body.close)),
	[NODE_MEMBER] = MEMBERS(AT(NODE, member.base), AT(WORD, member.name), AT(SPAN, member.name_span)),
	[NODE_CALL] = MEMBERS(AT(NODE, call.callee), AT(NODES, call.args), AT(SPAN, call.args_span)),
	[NODE_ARG] = MEMBERS(AT(WORD, arg.name), AT(SPAN, arg.name_span), AT(NODE, arg.value)),
	[NODE_INDEX] = MEMBERS(AT(NODE, pair.base), AT(NODE, pair.index)),
	[NODE_UNARY] = OPERATION, [NODE_BINARY] = OPERATION, [NODE_RANGE] = OPERATION, [NODE_ELASTIC] = OPERATION,
	[NODE_COALESCE] = OPERATION, [NODE_LET_IN] = OPERATION,
	[NODE_IF] = MEMBERS(AT(NODE, if_expr.condition), AT(NODE, if_expr.then), AT(NODE, if_expr.otherwise)),
};

const struct tree_member *tree_members(enum node_kind kind) { return members[kind]; }

struct str tree_word(const struct tree_words *words, unsigned i)
{
	return (struct str){ words->bytes + words->starts[i], words->starts[i + 1] - words->starts[i] - 1 };
}

void tree_reader_init(struct tree_reader *r, struct arena *a, struct names *interned, const struct tree_bytes *tree,
	uint32_t base)
{
	*r = (struct tree_reader){ .arena = a, .interned = interned, .tree = tree, .base = base };
	r->known = ARENA_ARRAY(a, struct str, tree->names.n);
}

static uint64_t decode_large(struct tree_reader *r)
{
	uint64_t n = 0;

	for (unsigned shift = 0;; shift += 7) {
		unsigned char c = *r->at++;
		n |= (uint64_t)(c & 127) << shift;
		if (c < 128)
			return n;
	}
}

/* Most numbers take one byte. */
static inline uint64_t decode_number(struct tree_reader *r)
{
	return *r->at < 128 ? *r->at++ : decode_large(r);
}

/* Reads a word. 0 means no word; the lowest bit of other numbers distinguishes texts from names. */
static struct str decode_word(struct tree_reader *r)
{
	unsigned n = (unsigned)decode_number(r);

	if (!n)
		return (struct str){ 0 };
	n--;
	if (n & 1)
		return tree_word(&r->tree->texts, n >> 1);
	struct str *name = &r->known[n >> 1];
	if (!name->p)
		*name = names_intern(r->interned, tree_word(&r->tree->names, n >> 1));
	return *name;
}

/* Reads a span. 0 means no span; the lowest bit of other numbers is the sign of the distance. */
static struct span decode_span(struct tree_reader *r)
{
	uint32_t n = (uint32_t)decode_number(r);

	if (!n)
		return (struct span){ 0 };
	n--;
	r->last += n & 1 ? 0 - (n >> 1) : n >> 1;
	uint32_t start = r->base + r->last;
	return (struct span){ start, start + (uint32_t)decode_number(r) };
}

static void *new_array(struct tree_reader *r, size_t n, size_t element)
{
	return n ? arena_alloc(r->arena, n * element) : NULL;
}

static struct node *decode_node(struct tree_reader *r);

static void decode_nodes(struct tree_reader *r, struct nodes *list)
{
	size_t room = 4;        /* rounded up as by ARENA_PUSH, so that more nodes can be pushed later */

	list->n = decode_number(r);
	while (room < list->n)
		room *= 2;
	list->at = new_array(r, list->n ? room : 0, sizeof *list->at);
	for (size_t i = 0; i < list->n; i++)
		list->at[i] = decode_node(r);
}

static void decode_later(struct tree_reader *r, struct node *n)
{
	size_t length = decode_number(r);
	uint32_t last = r->last;

	if (r->later) {
		n->u.fn.later = (uint32_t)(r->at - r->tree->bytes);
		r->at += length;
		return;
	}
	r->last = 0;
	n->u.fn.value = decode_node(r);
	r->last = last;
}

static void decode_key(struct tree_reader *r, struct key *key)
{
	key->kind = (enum key_kind)decode_number(r);
	key->span = decode_span(r);
	key->text = decode_word(r);
	key->expr = decode_node(r);
}

static void decode_binders(struct tree_reader *r, struct binder *binders)
{
	unsigned *n = (unsigned *)(void *)(binders + 2);

	*n = (unsigned)decode_number(r);
	for (unsigned i = 0; i < *n; i++) {
		binders[i].name = decode_word(r);
		binders[i].span = decode_span(r);
	}
}

static void decode_parts(struct tree_reader *r, struct node *n)
{
	size_t count = decode_number(r);
	struct string_part *parts = new_array(r, count, sizeof *parts);

	for (size_t i = 0; i < count; i++) {
		parts[i].text = decode_word(r);
		parts[i].expr = decode_node(r);
		parts[i].span = decode_span(r);
	}
	n->u.string.parts = parts;
	n->u.string.n = count;
}

static struct str *decode_path(struct tree_reader *r, size_t depth)
{
	struct str *path = new_array(r, depth, sizeof *path);

	for (size_t i = 0; i < depth; i++)
		path[i] = decode_word(r);
	return path;
}

static void decode_type_path(struct tree_reader *r, struct node *n)
{
	n->u.type_ref.depth = decode_number(r);
	n->u.type_ref.path = decode_path(r, n->u.type_ref.depth);
	n->u.type_ref.path_spans = new_array(r, n->u.type_ref.depth, sizeof *n->u.type_ref.path_spans);
	for (size_t i = 0; i < n->u.type_ref.depth; i++)
		n->u.type_ref.path_spans[i] = decode_span(r);
}

static void decode_topology(struct tree_reader *r, struct node *n)
{
	n->u.topology.n = (unsigned)decode_number(r);
	for (unsigned i = 0; i < n->u.topology.n; i++)
		n->u.topology.size[i] = (int64_t)decode_number(r);
}

static double decode_real(struct tree_reader *r)
{
	uint64_t bits = decode_number(r);
	double value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

static void decode_member(struct tree_reader *r, struct node *n, const struct tree_member *m)
{
	void *to = (char *)n + m->offset;

	switch ((enum tree_form)m->form) {
	case TREE_WORD: *(struct str *)to = decode_word(r); break;
	case TREE_SPAN: *(struct span *)to = decode_span(r); break;
	case TREE_NODE: *(struct node **)to = decode_node(r); break;
	case TREE_LATER: decode_later(r, n); break;
	case TREE_NODES: decode_nodes(r, to); break;
	case TREE_FLAG: *(bool *)to = decode_number(r); break;
	case TREE_CHOICE: *(unsigned *)to = (unsigned)decode_number(r); break;
	case TREE_NUMBER: *(uint64_t *)to = decode_number(r); break;
	case TREE_REAL: *(double *)to = decode_real(r); break;
	case TREE_KEY: decode_key(r, to); break;
	case TREE_BINDERS: decode_binders(r, to); break;
	case TREE_PARTS: decode_parts(r, n); break;
	case TREE_IMPORT_PATH:
		n->u.import.depth = decode_number(r);
		n->u.import.path = decode_path(r, n->u.import.depth);
		break;
	case TREE_TYPE_PATH: decode_type_path(r, n); break;
	case TREE_TOPOLOGY: decode_topology(r, n); break;
	case TREE_END: break;
	}
}

static struct node *decode_node(struct tree_reader *r)
{
	enum node_kind kind = *r->at++;

	if (kind == NODE_BAD)                   /* 0 means no node */
		return NULL;
	struct node *n = node_new(r->arena, kind, decode_span(r));
	for (const struct tree_member *m = members[kind]; m->form != TREE_END; m++)
		decode_member(r, n, m);
	return n;
}

struct node *tree_read(struct tree_reader *r, uint32_t at)
{
	r->at = r->tree->bytes + at;
	r->last = 0;
	return decode_node(r);
}
