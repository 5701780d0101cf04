/*
 * library_part.c - finds the declarations of a library module that a program can use. The program's text is searched,
 * not parsed: any word after a '.' that is the name of a declaration selects that declaration. If a declaration is
 * missed (a '#' in a string hides the rest of its line), the program gets a diagnostic and is compiled again with the
 * whole module.
 */
#include "check/library_part.h"

static bool word_char(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static size_t part_line_end(struct str text, size_t at)
{
	const char *newline = at < text.n ? memchr(text.p + at, '\n', text.n - at) : NULL;

	return newline ? (size_t)(newline - text.p) + 1 : text.n;
}

/* The word that begins at AT; empty if no word begins there. */
static struct str word_at(struct str text, size_t at)
{
	size_t end = at;

	while (end < text.n && word_char((unsigned char)text.p[end]))
		end++;
	return (struct str){ text.p + at, end - at };
}

void library_part_init(struct library_part *p, struct arena *a, struct names *names, const struct library_tree *tree,
	uint32_t base)
{
	*p = (struct library_part){ .tree = tree, .wanted = ARENA_ARRAY(a, bool, tree->ndecls),
		.read = ARENA_ARRAY(a, bool, tree->ndecls) };
	tree_reader_init(&p->reader, a, names, &tree->tree, base);
	for (unsigned i = 0; i < tree->ndecls; i++)
		p->wanted[i] = tree->decls[i].name == LIBRARY_NAMELESS;
}

/* The index of the declaration with that name, or -1. */
static int decl_named(const struct library_tree *tree, struct str name)
{
	unsigned lo = 0, hi = tree->nnamed;

	while (lo < hi) {
		unsigned mid = lo + (hi - lo) / 2, decl = tree->by_name[mid];
		int order = str_cmp(name, tree_word(&tree->tree.names, tree->decls[decl].name));
		if (order == 0)
			return (int)decl;
		if (order < 0)
			hi = mid;
		else
			lo = mid + 1;
	}
	return -1;
}

/*
 * Selects a declaration and those that it needs. Declarations may need each other, so each is marked before what it
 * needs.
 */
static void want(struct library_part *p, unsigned decl)
{
	const struct library_decl *d = &p->tree->decls[decl];

	if (p->wanted[decl])
		return;
	p->wanted[decl] = true;
	for (unsigned i = 0; i < (p->reader.later ? d->nnow : d->nneeds); i++)
		want(p, p->tree->needs[d->first_need + i]);
}

void library_part_want(struct library_part *p, struct str program)
{
	for (size_t i = 0; i < program.n; i++) {
		if (program.p[i] == '#')
			i = part_line_end(program, i) - 1;
		if (program.p[i] != '.')
			continue;
		struct str word = word_at(program, i + 1);
		int decl = word.n ? decl_named(p->tree, word) : -1;
		if (decl >= 0)
			want(p, (unsigned)decl);
		i += word.n;
	}
}

void library_part_want_all(struct library_part *p)
{
	for (unsigned i = 0; i < p->tree->ndecls; i++)
		p->wanted[i] = true;
}

void library_part_read(struct library_part *p, struct nodes *list)
{
	for (unsigned i = 0; i < p->tree->ndecls; i++) {
		if (!p->wanted[i] || p->read[i])
			continue;
		p->read[i] = true;
		nodes_add(p->reader.arena, list, tree_read(&p->reader, p->tree->decls[i].at));
	}
}

void library_part_value(struct library_part *p, struct node *fn)
{
	const struct library_decl *d = &p->tree->decls[decl_named(p->tree, fn->u.fn.name)];

	fn->u.fn.value = tree_read(&p->reader, fn->u.fn.later);
	fn->u.fn.later = 0;
	for (unsigned i = d->nnow; i < d->nneeds; i++)
		want(p, p->tree->needs[d->first_need + i]);
}
