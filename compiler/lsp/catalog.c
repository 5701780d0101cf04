/*
 * catalog.c - lists the modules of the standard library that a file does not import yet.
 */
#include "explain/library.h"
#include "lsp/complete.h"

const struct library_module *catalog_module(struct lsp *l, struct str name)
{
	struct library_module *m = map_get(&l->catalog, name);

	if (!m) {
		struct str kept = str_copy(&l->life, name);
		m = library_parse(&l->life, kept);
		map_put(&l->catalog, &l->life, kept, m);
	}
	return m;
}

bool catalog_imported(const struct module *m, struct str name, struct str *ret_bound)
{
	for (size_t i = 0; m && i < m->file->u.file.decls.n; i++) {
		const struct node *n = m->file->u.file.decls.at[i];
		if (n->kind != NODE_IMPORT || n->u.import.depth != 2 || !str_is(n->u.import.path[0], "std") ||
		    !str_eq(n->u.import.path[1], name))
			continue;
		*ret_bound = n->u.import.alias;
		return true;
	}
	return false;
}

/*
 * Returns the offset at which to insert a new import: after the last import at the head. It is searched in the text,
 * because the tree may be of an older text.
 */
size_t catalog_import_place(struct str text)
{
	size_t place = 0;

	for (size_t line = 0; line < text.n;) {
		const char *newline = memchr(text.p + line, '\n', text.n - line);
		size_t end = newline ? (size_t)(newline - text.p) + 1 : text.n;
		struct str s = { text.p + line, end - line };
		if (str_starts(s, STR("import ")))
			place = end;
		else if (s.n && s.p[0] != '#' && s.p[0] != '\n' && s.p[0] != '\r')
			break;
		line = end;
	}
	return place;
}

struct str catalog_import_text(struct arena *a, struct str text, size_t place, struct str module)
{
	return str_printf(a, "import std.%.*s\n%s", STR_ARG(module),
		place == 0 && text.n && text.p[0] != '\n' ? "\n" : "");
}
