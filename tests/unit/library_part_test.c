/*
 * library_part_test.c - compares the trees of library modules that the build stores with parsed texts. Every
 * declaration is equal node for node and byte for byte, whether it is loaded alone or with others, and a program gets
 * the declarations that it names.
 */
#include "base/buf.h"
#include "check/library_part.h"
#include "check/module.h"
#include "syntax/dump.h"
#include "syntax/parse.h"
#include "syntax/walk.h"
#include "unit.h"

/* A module whose declarations are loaded, or whose text was parsed. */
struct read {
	struct arena arena;
	struct names names;
	struct sources sources;
	struct diags diags;
	struct library_part part;
	struct nodes decls;
};

static const struct source *add(struct read *r, struct str name, struct str text)
{
	*r = (struct read){ 0 };
	r->names.arena = r->sources.arena = r->diags.arena = &r->arena;
	r->diags.sources = &r->sources;
	struct source *source = source_add(&r->sources, name, text);
	source->library = true;
	return source;
}

static void parse(struct read *r, struct str name, struct str text)
{
	r->decls = parse_source(&r->arena, &r->names, &r->diags, add(r, name, text))->u.file.decls;
}

static void begin(struct read *r, const char *module)
{
	struct str name = str_of(module);
	uint32_t base = add(r, name, stdlib_text(name))->base;

	library_part_init(&r->part, &r->arena, &r->names, library_tree_find(name), base);
}

static struct str decl_name(const struct node *n)
{
	switch (n->kind) {
	case NODE_LET: case NODE_PARAM: return n->u.binding.name;
	case NODE_FN: return n->u.fn.name;
	case NODE_TYPE: return n->u.type_decl.name;
	case NODE_FRAMEWORK: case NODE_ACCELERATOR: return n->u.blueprint_decl.name;
	default: return STR("");
	}
}

/* ---- comparing two trees ---- */

struct children {
	struct node *at[1024];
	size_t n;
};

static void take(void *to, struct node *child)
{
	struct children *c = to;

	if (c->n < sizeof c->at / sizeof *c->at)
		c->at[c->n++] = child;
}

/*
 * Compares two nodes word by word: pointers by whether they are NULL (except the pointer to the parts of an empty
 * string), everything else by value. A member that is missing in the table of tree.c is 0 in the loaded tree; only
 * `height` and `nest`, which the parser alone reads, may be missing.
 */
static bool same_words(const struct node *a, const struct node *b)
{
	struct node heads[2] = { { .kind = NODE_BAD } };
	const char *x = (const char *)a, *y = (const char *)b;
	enum { HEAD = offsetof(struct node, type) };

	memcpy(&heads[0], a, HEAD);
	memcpy(&heads[1], b, HEAD);
	heads[0].height = heads[0].nest = heads[1].height = heads[1].nest = 0;
	if (memcmp(heads, heads + 1, HEAD) != 0)
		return false;
	for (size_t i = HEAD; i < node_size(a->kind); i += sizeof(uint64_t)) {
		uint64_t m = 0, n = 0;
		size_t bytes = node_size(a->kind) - i < sizeof m ? node_size(a->kind) - i : sizeof m;
		memcpy(&m, x + i, bytes);
		memcpy(&n, y + i, bytes);
		bool pointers = m > UINT32_MAX && n > UINT32_MAX;
		bool number = i == offsetof(struct node, u) && (a->kind == NODE_FLOAT || a->kind == NODE_INT);
		bool no_parts = i == offsetof(struct node, u) && a->kind == NODE_STRING && !a->u.string.n;
		if (m != n && (!pointers || number) && !no_parts)
			return false;
	}
	return true;
}

static bool same(const struct node *a, const struct node *b)
{
	struct children x = { .n = 0 }, y = { .n = 0 };

	if (a->kind != b->kind || !same_words(a, b))
		return false;
	node_children(a, take, &x);
	node_children(b, take, &y);
	if (x.n != y.n || x.n == sizeof x.at / sizeof *x.at)
		return false;
	for (size_t i = 0; i < x.n; i++)
		if (!same(x.at[i], y.at[i]))
			return false;
	return true;
}

static bool same_text(const struct node *a, const struct node *b)
{
	struct buf x = { 0 }, y = { 0 };

	ast_dump(a, &x);
	ast_dump(b, &y);
	bool equal = str_eq(buf_text(&x), buf_text(&y));
	buf_release(&x);
	buf_release(&y);
	return equal;
}

/* ---- modules ---- */

/* Loads the declaration DECL of a module alone, with what it needs. It must exist once, and equal the parsed one. */
static bool reads_alone(const char *module, const struct node *decl)
{
	struct read r;
	unsigned found = 0;

	begin(&r, module);
	library_part_want(&r.part, str_cat(&r.arena, STR("m."), decl_name(decl), STR("")));
	library_part_read(&r.part, &r.decls);
	for (size_t i = 0; i < r.decls.n; i++)
		if (str_eq(decl_name(r.decls.at[i]), decl_name(decl)))
			found += same(r.decls.at[i], decl) && same_text(r.decls.at[i], decl);
	size_t before = r.decls.n;
	library_part_read(&r.part, &r.decls);
	arena_release(&r.arena);
	if (found != 1)
		printf("std.%s: '%.*s' alone\n", module, STR_ARG(decl_name(decl)));
	return found == 1 && r.decls.n == before;
}

static void module_test(const char *module)
{
	struct read whole, kept;

	parse(&whole, str_of(module), stdlib_text(str_of(module)));
	begin(&kept, module);
	library_part_want_all(&kept.part);
	library_part_read(&kept.part, &kept.decls);
	bool good = whole.decls.n == kept.decls.n && !whole.diags.n;
	for (size_t i = 0; good && i < whole.decls.n; i++) {
		const struct node *decl = whole.decls.at[i];
		good = same(decl, kept.decls.at[i]) && same_text(decl, kept.decls.at[i]) &&
			(!decl_name(decl).n || reads_alone(module, decl));
		if (!good)
			printf("std.%s: declaration %zu, '%.*s'\n", module, i, STR_ARG(decl_name(decl)));
	}
	CHECK(good);
	arena_release(&whole.arena);
	arena_release(&kept.arena);
}

/* The names in loaded trees are interned like the parser's names: other phases compare names by their addresses. */
static void names_are_interned(void)
{
	struct read r;

	begin(&r, "single");
	library_part_want_all(&r.part);
	library_part_read(&r.part, &r.decls);
	CHECK(r.decls.n > 0);
	for (size_t i = 0; i < r.decls.n; i++)
		CHECK(name_eq(names_intern(&r.names, decl_name(r.decls.at[i])), decl_name(r.decls.at[i])));
	arena_release(&r.arena);
}

static bool has(const struct read *r, const char *name)
{
	for (size_t i = 0; i < r->decls.n; i++)
		if (str_is(decl_name(r->decls.at[i]), name))
			return true;
	return false;
}

/*
 * Only words after a dot, outside of comments, count as names of library declarations. A declaration may be loaded
 * later.
 */
static void little_is_read(void)
{
	struct read r;

	begin(&r, "nvidia");
	library_part_want(&r.part, STR("accelerator = nvidia.a100_40g(8) # nvidia.h100\nh200 = 1"));
	library_part_read(&r.part, &r.decls);
	CHECK(has(&r, "a100_40g") && !has(&r, "h100") && !has(&r, "h200"));
	library_part_want(&r.part, STR("nvidia.h100(8)"));
	library_part_read(&r.part, &r.decls);
	CHECK(has(&r, "h100") && !has(&r, "h200"));
	arena_release(&r.arena);
}

/* With reader.later, the value of a function is read alone, equals the parsed one, and brings what it names. */
static void values_are_read_later(void)
{
	struct read r, whole;

	parse(&whole, STR("launch"), stdlib_text(STR("launch")));
	begin(&r, "launch");
	r.part.reader.later = true;
	library_part_want(&r.part, STR("warn launch.plain(words)"));
	library_part_read(&r.part, &r.decls);
	CHECK(has(&r, "plain") && !has(&r, "_own") && !has(&r, "_launchers"));
	for (size_t i = 0; i < r.decls.n; i++) {
		struct node *fn = r.decls.at[i];
		if (fn->kind != NODE_FN)
			continue;
		CHECK(!fn->u.fn.value && fn->u.fn.later);
		library_part_value(&r.part, fn);
		library_part_read(&r.part, &r.decls);
		CHECK(fn->u.fn.value && !fn->u.fn.later);
	}
	CHECK(has(&r, "_own") && has(&r, "_launchers") && !has(&r, "mistake"));
	for (size_t i = 0; i < r.decls.n; i++) {
		struct str name = decl_name(r.decls.at[i]);
		for (size_t k = 0; k < whole.decls.n; k++)
			if (name.n && str_eq(name, decl_name(whole.decls.at[k])))
				CHECK(same(r.decls.at[i], whole.decls.at[k]));
	}
	arena_release(&r.arena);
	arena_release(&whole.arena);
}

int main(void)
{
	size_t n;
	const char *const *names = stdlib_names(&n);

	for (size_t i = 0; i < n; i++)
		module_test(names[i]);
	names_are_interned();
	little_is_read();
	values_are_read_later();
	CHECK(!library_tree_find(STR("nothing")));
	return unit_end();
}
