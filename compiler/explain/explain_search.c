/*
 * explain_search.c - searches all texts for the words of an unknown topic: diagnostics and their pages, fields,
 * functions. Each result is the name of a page and its first sentence.
 */
#include "check/check_schema.h"
#include "diag/page.h"
#include "explain/explain.h"

enum { MOST_FOUND = 20, SHORTEST = 3 };

struct finding {
	struct explain *e;
	unsigned n;
};

static char search_lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Does a word of TEXT begin with PART, in any case? */
static bool mentions(struct str text, struct str part)
{
	for (size_t i = 0; i + part.n <= text.n; i++) {
		size_t k = 0;
		if (i && is_letter(text.p[i - 1]))
			continue;
		while (k < part.n && search_lower(text.p[i + k]) == search_lower(part.p[k]))
			k++;
		if (k == part.n)
			return true;
	}
	return false;
}

/* Does TEXT mention each of the WORDS, which blanks separate? */
static bool mentions_all(struct str text, struct str words)
{
	while (words.n) {
		const char *blank = memchr(words.p, ' ', words.n);
		struct str word = { words.p, blank ? (size_t)(blank - words.p) : words.n };
		if (!mentions(text, word))
			return false;
		words.p += word.n + (blank != NULL);
		words.n -= word.n + (blank != NULL);
	}
	return true;
}

static void found(struct finding *f, const char *name, const char *what)
{
	if (!f->n)
		buf_printf(f->e->out, "no page is called '%.*s'; it is mentioned in\n\n", STR_ARG(f->e->topic));
	if (f->n++ < MOST_FOUND)
		buf_printf(f->e->out, "  %-16s %s\n", name, what);
}

bool explain_search(struct explain *e)
{
	struct finding f = { .e = e };

	if (e->topic.n < SHORTEST)
		return false;
	for (unsigned i = 0; i < FIELDS; i++) {
		const struct field *field = schema_field((enum field_id)i);
		if (mentions_all(str_of(field->doc), e->topic) &&
		    (!i || strcmp(field->name, schema_field((enum field_id)(i - 1))->name) != 0))
			found(&f, field->name, field->doc);
	}
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		const struct function_row *row = schema_function((enum function)i);
		if (mentions_all(str_of(row->doc), e->topic))
			found(&f, row->name, row->doc);
	}
	for (int i = 0; i < DIAG_CODES; i++)
		if (mentions_all(diag_page_text((enum diag_code)i), e->topic) ||
		    mentions_all(str_of(diag_meaning((enum diag_code)i)), e->topic))
			found(&f, diag_code_name((enum diag_code)i), diag_meaning((enum diag_code)i));
	if (f.n > MOST_FOUND)
		buf_printf(e->out, "\nand %u more\n", f.n - MOST_FOUND);
	return f.n > 0;
}
