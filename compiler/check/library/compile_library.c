/*
 * compile_library.c - a program that runs during the build: parses each module of the library once and writes the C
 * source of library_tree_find() to standard output. syntax/tree.h describes the form of the bytes. A declaration needs
 * each other declaration of its module whose name it contains.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/map.h"
#include "base/path.h"
#include "check/library_part.h"
#include "syntax/parse.h"

/* The list of words that were written, each once. */
struct list {
	struct map numbers;             /* word -> its index in the list */
	struct str *at;
	size_t n;
};

struct writer {
	struct arena *arena;
	struct names *interned;
	struct buf out;
	uint32_t base, last;
	struct list names, texts;
	const struct node *decl;        /* the declaration that is being written */
};

static void give_out(const struct node *n, const char *what)
{
	fprintf(stderr, "check/library/compile: %s: %s\n", n ? node_kind_name(n->kind) : "module", what);
	exit(1);
}

static unsigned list_number(struct arena *a, struct list *l, struct str word)
{
	unsigned *known = map_get(&l->numbers, word);

	if (known)
		return *known;
	known = ARENA_NEW(a, unsigned);
	*known = (unsigned)l->n;
	map_put(&l->numbers, a, word, known);
	ARENA_PUSH(a, l->at, l->n, word);
	return *known;
}

static void encode_number(struct writer *w, uint64_t n)
{
	for (; n > 127; n >>= 7)
		buf_char(&w->out, (char)(n | 128));
	buf_char(&w->out, (char)n);
}

static void encode_word(struct writer *w, struct str word)
{
	if (!word.p) {
		encode_number(w, 0);
		return;
	}
	bool name = word.n && names_intern(w->interned, word).p == word.p;
	unsigned i = list_number(w->arena, name ? &w->names : &w->texts, word);
	encode_number(w, 1 + ((uint64_t)i << 1 | !name));
}

static void encode_span(struct writer *w, struct span s)
{
	if (!span_known(s)) {
		encode_number(w, 0);
		return;
	}
	uint32_t start = s.start - w->base;
	bool back = start < w->last;
	uint32_t far = back ? w->last - start : start - w->last;
	encode_number(w, 1 + ((uint64_t)far << 1 | back));
	encode_number(w, s.end - s.start);
	w->last = start;
}

static void encode_node(struct writer *w, const struct node *n);

/* Writes a node that a reader may skip. */
static void encode_later(struct writer *w, const struct node *n)
{
	struct buf before = w->out;
	uint32_t last = w->last;

	w->out = (struct buf){ 0 };
	w->last = 0;
	encode_node(w, n);
	struct buf inner = w->out;
	w->out = before;
	w->last = last;
	encode_number(w, inner.n);
	buf_str(&w->out, buf_text(&inner));
	buf_release(&inner);
}

static void encode_nodes(struct writer *w, const struct nodes *list)
{
	encode_number(w, list->n);
	for (size_t i = 0; i < list->n; i++)
		encode_node(w, list->at[i]);
}

static void encode_key(struct writer *w, const struct key *key)
{
	encode_number(w, key->kind);
	encode_span(w, key->span);
	encode_word(w, key->text);
	encode_node(w, key->expr);
}

static void encode_binders(struct writer *w, const struct binder *binders)
{
	unsigned n = *(const unsigned *)(const void *)(binders + 2);

	encode_number(w, n);
	for (unsigned i = 0; i < n; i++) {
		encode_word(w, binders[i].name);
		encode_span(w, binders[i].span);
	}
}

static void encode_parts(struct writer *w, const struct node *n)
{
	encode_number(w, n->u.string.n);
	for (size_t i = 0; i < n->u.string.n; i++) {
		encode_word(w, n->u.string.parts[i].text);
		encode_node(w, n->u.string.parts[i].expr);
		encode_span(w, n->u.string.parts[i].span);
	}
}

static void encode_path(struct writer *w, const struct str *path, const struct span *spans, size_t depth)
{
	encode_number(w, depth);
	for (size_t i = 0; i < depth; i++)
		encode_word(w, path[i]);
	for (size_t i = 0; spans && i < depth; i++)
		encode_span(w, spans[i]);
}

static void encode_topology(struct writer *w, const struct node *n)
{
	encode_number(w, n->u.topology.n);
	for (unsigned i = 0; i < n->u.topology.n; i++)
		encode_number(w, (uint64_t)n->u.topology.size[i]);
}

static void encode_real(struct writer *w, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	encode_number(w, bits);
}

static void encode_member(struct writer *w, const struct node *n, const struct tree_member *m)
{
	const void *from = (const char *)n + m->offset;

	switch ((enum tree_form)m->form) {
	case TREE_WORD: encode_word(w, *(const struct str *)from); break;
	case TREE_SPAN: encode_span(w, *(const struct span *)from); break;
	case TREE_NODE: encode_node(w, *(struct node *const *)from); break;
	case TREE_LATER: encode_later(w, *(struct node *const *)from); break;
	case TREE_NODES: encode_nodes(w, from); break;
	case TREE_FLAG: encode_number(w, *(const bool *)from); break;
	case TREE_CHOICE: encode_number(w, *(const unsigned *)from); break;
	case TREE_NUMBER: encode_number(w, *(const uint64_t *)from); break;
	case TREE_REAL: encode_real(w, *(const double *)from); break;
	case TREE_KEY: encode_key(w, from); break;
	case TREE_BINDERS: encode_binders(w, from); break;
	case TREE_PARTS: encode_parts(w, n); break;
	case TREE_IMPORT_PATH: encode_path(w, n->u.import.path, NULL, n->u.import.depth); break;
	case TREE_TYPE_PATH: encode_path(w, n->u.type_ref.path, n->u.type_ref.path_spans, n->u.type_ref.depth); break;
	case TREE_TOPOLOGY: encode_topology(w, n); break;
	case TREE_END: break;
	}
}

static void encode_node(struct writer *w, const struct node *n)
{
	if (!n) {
		buf_char(&w->out, NODE_BAD);
		return;
	}
	const struct tree_member *m = tree_members(n->kind);
	if (!m)
		give_out(n, "has no place in a module of the library");
	buf_char(&w->out, (char)n->kind);
	encode_span(w, n->span);
	for (; m->form != TREE_END; m++)
		encode_member(w, n, m);
}

/* ---- a module ---- */

struct module_decl {
	struct str name;                /* name of the declaration; p == NULL: nothing is declared */
	uint32_t at;
	uint16_t *needs;                /* the declarations that it needs; the first `nnow` are not only in the value of
					 * a function */
	size_t nneeds, nnow;
};

static struct str declared_name(const struct node *n)
{
	switch (n->kind) {
	case NODE_LET: case NODE_PARAM: return n->u.binding.name;
	case NODE_FN: return n->u.fn.name;
	case NODE_TYPE: return n->u.type_decl.name;
	case NODE_FRAMEWORK: case NODE_ACCELERATOR: return n->u.blueprint_decl.name;
	default: return (struct str){ 0 };
	}
}

struct need_search {
	struct arena *arena;
	const struct nodes *decls;
	struct module_decl *of;
	size_t self;
};

/* Notes that the declaration uses WORD, if another declaration has that name. */
static void need(struct need_search *s, struct str word)
{
	for (size_t i = 0; word.p && i < s->decls->n; i++) {
		if (i == s->self || declared_name(s->decls->at[i]).p != word.p)
			continue;
		for (size_t k = 0; k < s->of->nneeds; k++)
			if (s->of->needs[k] == i)
				return;
		ARENA_PUSH(s->arena, s->of->needs, s->of->nneeds, (uint16_t)i);
	}
}

static void need_words(struct need_search *s, const struct node *n);

static void need_member(struct need_search *s, const struct node *n, const struct tree_member *m)
{
	const void *from = (const char *)n + m->offset;

	switch ((enum tree_form)m->form) {
	case TREE_WORD:
		need(s, *(const struct str *)from);
		break;
	case TREE_NODE:
		need_words(s, *(struct node *const *)from);
		break;
	case TREE_LATER:
		break;                  /* print_module() adds what the value of a function needs */
	case TREE_NODES:
		for (size_t i = 0; i < ((const struct nodes *)from)->n; i++)
			need_words(s, ((const struct nodes *)from)->at[i]);
		break;
	case TREE_KEY:
		need_words(s, ((const struct key *)from)->expr);
		break;
	case TREE_PARTS:
		for (size_t i = 0; i < n->u.string.n; i++)
			need_words(s, n->u.string.parts[i].expr);
		break;
	case TREE_TYPE_PATH:
		for (size_t i = 0; i < n->u.type_ref.depth; i++)
			need(s, n->u.type_ref.path[i]);
		break;
	default:
		break;
	}
}

static void need_words(struct need_search *s, const struct node *n)
{
	if (n)
		for (const struct tree_member *m = tree_members(n->kind); m->form != TREE_END; m++)
			need_member(s, n, m);
}

/* ---- C ---- */

static void print_bytes(const char *name, const char *module, struct str bytes)
{
	printf("static const unsigned char %s_%s[] = {", name, module);
	for (size_t i = 0; i < bytes.n; i++)
		printf("%s%d,", i % 32 ? "" : "\n\t", (unsigned char)bytes.p[i]);
	puts("\n};");
}

/* Prints a C string; '?' is escaped because C11 has trigraphs. */
static void print_text(struct str s)
{
	putchar('"');
	for (size_t i = 0; i < s.n; i++)
		printf("\\%03o", (unsigned char)s.p[i]);
	putchar('"');
}

static void print_words(const char *name, const char *module, const struct list *l)
{
	uint32_t at = 0;

	printf("static const char %s_bytes_%s[] =\n", name, module);
	for (size_t i = 0; i < l->n; i++) {
		putchar('\t');
		print_text(l->at[i]);
		puts("\"\\0\"");
	}
	printf("\t\"\";\nstatic const uint32_t %s_starts_%s[] = { ", name, module);
	for (size_t i = 0; i < l->n; at += (uint32_t)l->at[i++].n + 1)
		printf("%u, ", at);
	printf("%u };\n", at);
}

static void print_decls(struct writer *w, const char *module, const struct module_decl *decls, size_t n)
{
	unsigned needs = 0;

	printf("static const struct library_decl decls_%s[] = {\n", module);
	for (size_t i = 0; i < n; needs += (unsigned)decls[i++].nneeds) {
		unsigned name = decls[i].name.p ? list_number(w->arena, &w->names, decls[i].name) : LIBRARY_NAMELESS;
		printf("\t{ %u, %u, %u, %zu, %zu },\n", decls[i].at, name, needs, decls[i].nneeds, decls[i].nnow);
	}
	printf("};\nstatic const uint16_t needs_%s[] = { ", module);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < decls[i].nneeds; k++)
			printf("%u, ", decls[i].needs[k]);
	puts("0 };");
}

static const struct module_decl *sorted;        /* the declarations whose indices qsort() sorts by name */

static int by_decl_name(const void *a, const void *b)
{
	return str_cmp(sorted[*(const uint16_t *)a].name, sorted[*(const uint16_t *)b].name);
}

static unsigned print_order(struct arena *a, const char *module, const struct module_decl *decls, size_t n)
{
	uint16_t *order = ARENA_ARRAY(a, uint16_t, n + 1);
	unsigned named = 0;

	for (size_t i = 0; i < n; i++)
		if (decls[i].name.p)
			order[named++] = (uint16_t)i;
	sorted = decls;
	qsort(order, named, sizeof *order, by_decl_name);
	printf("static const uint16_t by_name_%s[] = { ", module);
	for (unsigned i = 0; i < named; i++)
		printf("%u, ", order[i]);
	puts("0 };");
	return named;
}

/* Prints the tables of one module; its row of `trees` is appended to ROWS. */
static void print_module(struct arena *a, const char *module, struct str text, struct buf *rows)
{
	struct names names = { .arena = a };
	struct sources sources = { .arena = a };
	struct diags diags = { .arena = a, .sources = &sources };
	struct source *source = source_add(&sources, str_of(module), text);
	struct writer w = { .arena = a, .interned = &names, .base = source->base };

	source->library = true;
	const struct node *file = parse_source(a, &names, &diags, source);
	const struct nodes *decls = &file->u.file.decls;
	struct module_decl *written = ARENA_ARRAY(a, struct module_decl, decls->n + 1);
	if (diags.n)
		give_out(NULL, module);
	for (size_t i = 0; i < decls->n; i++) {
		struct need_search s = { a, decls, &written[i], i };
		written[i].name = declared_name(decls->at[i]);
		written[i].at = (uint32_t)w.out.n;
		w.last = 0;
		encode_node(&w, decls->at[i]);
		need_words(&s, decls->at[i]);
		written[i].nnow = written[i].nneeds;
		if (decls->at[i]->kind == NODE_FN)
			need_words(&s, decls->at[i]->u.fn.value);
	}
	print_bytes("bytes", module, buf_text(&w.out));
	print_words("names", module, &w.names);
	print_words("texts", module, &w.texts);
	print_decls(&w, module, written, decls->n);
	unsigned named = print_order(a, module, written, decls->n);
	printf("static const char doc_%s[] = ", module);
	print_text(file->u.file.doc);
	puts(";");
	buf_printf(rows, "\t{ \"%s\", { bytes_%s, { names_bytes_%s, names_starts_%s, %zu },\n", module, module, module,
		module, w.names.n);
	buf_printf(rows, "\t\t{ texts_bytes_%s, texts_starts_%s, %zu } },\n", module, module, w.texts.n);
	buf_printf(rows, "\t\tdecls_%s, %zu, by_name_%s, %u, needs_%s, %s%s },\n", module, decls->n, module, named,
		module, file->u.file.doc.p ? "doc_" : "NULL", file->u.file.doc.p ? module : "");
	buf_release(&w.out);
}

/* Arguments are the files of the modules, in byte order. */
int main(int argc, char **argv)
{
	struct arena a = { 0 };
	struct buf rows = { 0 };
	struct str text, why;

	puts("/* Generated by compiler/check/library/compile_library.c. */\n#include \"check/library_part.h\"");
	for (int i = 1; i < argc; i++) {
		struct str name = path_base(str_of(argv[i]));
		if (!file_read(&a, str_of(argv[i]), &text, &why)) {
			fprintf(stderr, "%s: %.*s\n", argv[i], STR_ARG(why));
			return 1;
		}
		name.n -= 3;
		print_module(&a, str_copy(&a, name).p, text, &rows);
	}
	printf("static const struct library_tree trees[] = {\n%.*s};\n", STR_ARG(buf_text(&rows)));
	puts("\nconst struct library_tree *library_tree_find(struct str module)\n{\n"
		"\tfor (size_t i = 0; i < sizeof trees / sizeof *trees; i++)\n"
		"\t\tif (str_is(module, trees[i].module))\n\t\t\treturn &trees[i];\n\treturn NULL;\n}");
	buf_release(&rows);
	arena_release(&a);
	return fflush(stdout) || ferror(stdout);
}
