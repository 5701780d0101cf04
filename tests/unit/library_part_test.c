/*
 * library_part_test.c - parts of every library module against its whole parse:
 * the same declarations, each of which parses alone with what it names.
 */
#include "check/library_part.h"
#include "check/module.h"
#include "syntax/parse.h"
#include "unit.h"

struct parsed {
	struct arena arena;
	struct names names;
	struct sources sources;
	struct diags diags;
	struct nodes decls;
};

static void parse(struct parsed *r, struct str name, struct str text)
{
	*r = (struct parsed){ 0 };
	r->names.arena = r->sources.arena = r->diags.arena = &r->arena;
	r->diags.sources = &r->sources;
	struct source *source = source_add(&r->sources, name, text);
	source->library = true;
	r->decls = parse_source(&r->arena, &r->names, &r->diags, source)->u.file.decls;
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

static bool declares(const struct nodes *decls, struct str name)
{
	for (size_t i = 0; i < decls->n; i++)
		if (str_eq(decl_name(decls->at[i]), name))
			return true;
	return false;
}

/* The declaration alone, with what it needs: sound, there, and in its place. */
static bool parses_alone(struct str module, struct str text, struct str name)
{
	struct arena a = { 0 };
	struct library_part p;
	struct parsed r;

	library_part_init(&p, &a, text);
	library_part_want(&p, str_cat(&a, STR("m."), name, STR("")));
	struct str part = library_part_take(&p, &a);
	parse(&r, module, part);
	for (size_t i = 0; i < r.diags.n; i++)
		printf("%.*s: %.*s\n", STR_ARG(name), STR_ARG(r.diags.at[i]->message));
	bool good = part.n == text.n && !r.diags.n && declares(&r.decls, name) && !library_part_take(&p, &a).p;
	arena_release(&r.arena);
	arena_release(&a);
	return good;
}

static void module_test(struct str module)
{
	struct str text = stdlib_text(module);
	struct arena a = { 0 };
	struct library_part p;
	struct parsed whole;

	parse(&whole, module, text);
	library_part_init(&p, &a, text);
	CHECK(p.n == whole.decls.n);
	bool same = p.n == whole.decls.n;
	for (size_t i = 0; same && i < p.n; i++)
		same = str_eq(p.at[i].name, decl_name(whole.decls.at[i])) &&
			(!p.at[i].name.n || parses_alone(module, text, p.at[i].name));
	if (!same)
		printf("in std.%.*s\n", STR_ARG(module));
	CHECK(same);
	arena_release(&whole.arena);
	arena_release(&a);
}

static void little_is_read(void)
{
	struct arena a = { 0 };
	struct library_part p;
	size_t wanted = 0;

	library_part_init(&p, &a, STR("## One.\nlet one = 1\nlet two = one\nfn three() -> int = 3\n"));
	library_part_want(&p, STR("x = m.two # m.three\n"));
	for (size_t i = 0; i < p.n; i++)
		wanted += p.at[i].wanted;
	CHECK(p.n == 3 && wanted == 2);
	CHECK_TEXT(library_part_take(&p, &a), "## One.\nlet one = 1\nlet two = one\n                      ");
	library_part_want(&p, STR("m.three()"));
	CHECK_TEXT(library_part_take(&p, &a), "                                  fn three() -> int = 3\n");
	CHECK(!library_part_take(&p, &a).p);
	arena_release(&a);
}

int main(void)
{
	size_t n;
	const char *const *names = stdlib_names(&n);

	for (size_t i = 0; i < n; i++)
		module_test(str_of(names[i]));
	little_is_read();
	return unit_end();
}
