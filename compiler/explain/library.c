/* library.c - parses the modules of the standard library, for their documentation. */
#include "explain/library.h"

#include "syntax/parse.h"

struct library_module *library_parse_text(struct arena *a, struct str name, struct str dotted, struct str text)
{
	struct library_module *m = ARENA_NEW(a, struct library_module);

	m->name = name;
	m->dotted = dotted;
	m->sources.arena = m->names.arena = m->diags.arena = a;
	m->diags.sources = &m->sources;
	m->file = parse_source(a, &m->names, &m->diags, source_add(&m->sources, name, text));
	return m;
}

struct library_module *library_parse(struct arena *a, struct str name)
{
	return library_parse_text(a, name, str_cat(a, STR("std."), name, STR("")), stdlib_text(name));
}

bool library_item(const struct node *n, struct library_item *ret)
{
	switch (n->kind) {
	case NODE_FRAMEWORK:
	case NODE_ACCELERATOR:
		*ret = (struct library_item){ n->kind == NODE_FRAMEWORK ? "framework" : "accelerator",
			n->u.blueprint_decl.name, n->u.blueprint_decl.doc, &n->u.blueprint_decl.formals, n };
		break;
	case NODE_FN:
		*ret = (struct library_item){ "fn", n->u.fn.name, n->u.fn.doc, &n->u.fn.formals, NULL };
		break;
	case NODE_TYPE:
		*ret = (struct library_item){ "type", n->u.type_decl.name, n->u.type_decl.doc, NULL, NULL };
		break;
	case NODE_LET:
		*ret = (struct library_item){ "let", n->u.binding.name, n->u.binding.doc, NULL, NULL };
		break;
	default:
		return false;
	}
	return ret->name.n && ret->name.p[0] != '_';
}

struct str library_example(struct arena *a, struct str doc)
{
	enum { INDENT = 4 };
	char *text = arena_alloc(a, doc.n + 1);
	size_t n = 0, kept = 0;
	bool inside = false;

	while (doc.n) {
		const char *newline = memchr(doc.p, '\n', doc.n);
		struct str line = { doc.p, newline ? (size_t)(newline - doc.p) : doc.n };
		doc = (struct str){ doc.p + line.n + (newline != NULL), doc.n - line.n - (newline != NULL) };
		if (!inside) {
			inside = str_is(line, "Example:");
		} else if (str_starts(line, STR("    "))) {
			memcpy(text + n, line.p + INDENT, line.n - INDENT);
			n += line.n - INDENT;
			text[n++] = '\n';
			kept = n;
		} else if (line.n) {
			break;
		} else if (n) {
			text[n++] = '\n';       /* a blank line, which only counts if another line follows */
		}
	}
	return (struct str){ text, kept };
}

void library_frameworks(struct arena *a, void (*each)(void *to, const struct library_module *m,
	const struct library_item *item), void *to)
{
	size_t n;
	const char *const *names = stdlib_names(&n);

	for (size_t i = 0; i < n; i++) {
		const struct library_module *m = library_parse(a, str_of(names[i]));
		for (size_t k = 0; k < m->file->u.file.decls.n; k++) {
			struct library_item item;
			if (m->file->u.file.decls.at[k]->kind == NODE_FRAMEWORK &&
			    library_item(m->file->u.file.decls.at[k], &item))
				each(to, m, &item);
		}
	}
}
