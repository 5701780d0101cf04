/*
 * library_part.c - which declarations of a library module a program can reach.
 *
 * Reach is decided by words: a word behind a point that is the name of a declaration wants that
 * declaration, whatever the word means there, and so do the words of a wanted declaration.  Should
 * one be missed (a '#' in a string hides the rest of its line), the program gets a diagnostic and
 * is compiled again with the whole module.
 */
#include "check/library_part.h"

static bool word_char(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool letter(char c) { return c >= 'a' && c <= 'z'; }

static size_t line_end(struct str text, size_t at)
{
	const char *newline = at < text.n ? memchr(text.p + at, '\n', text.n - at) : NULL;

	return newline ? (size_t)(newline - text.p) + 1 : text.n;
}

/* The word that begins at AT; empty when none does. */
static struct str word_at(struct str text, size_t at)
{
	size_t end = at;

	while (end < text.n && word_char((unsigned char)text.p[end]))
		end++;
	return (struct str){ text.p + at, end - at };
}

static struct str declared_name(struct str text, size_t at)
{
	struct str word = word_at(text, at);
	bool named = str_is(word, "fn") || str_is(word, "let") || str_is(word, "type") || str_is(word, "framework") ||
		str_is(word, "accelerator") || str_is(word, "param");

	return named && at + word.n < text.n ? word_at(text, at + word.n + 1) : STR("");
}

void library_part_init(struct library_part *p, struct arena *a, struct str text)
{
	size_t comments = text.n;               /* start of the comment lines directly above; text.n if there are
						 * none */

	*p = (struct library_part){ .text = text };
	for (size_t at = 0, next; at < text.n; at = next) {
		next = line_end(text, at);
		if (letter(text.p[at])) {
			size_t start = comments < text.n ? comments : at;
			struct library_decl d = { .name = declared_name(text, at), .start = start, .end = text.n };
			if (p->n)
				p->at[p->n - 1].end = start;
			ARENA_PUSH(a, p->at, p->n, d);
		}
		if (text.p[at] != '#')
			comments = text.n;
		else if (comments == text.n)
			comments = at;
	}
	for (size_t i = 0; i < p->n; i++) {
		p->at[i].wanted = !p->at[i].name.n;
		if (p->at[i].name.n)
			map_put(&p->by_name, a, p->at[i].name, &p->at[i]);
	}
}

/* Marks the declarations that WORDS name; in a program only words behind a point count: it writes `module.name`. */
static void want(struct library_part *p, struct str words, bool members)
{
	for (size_t i = 0; i < words.n;) {
		if (words.p[i] == '#') {
			i = line_end(words, i);
			continue;
		}
		struct str word = word_at(words, i);
		bool counts = word.n && (!members || (i && words.p[i - 1] == '.'));
		struct library_decl *d = counts ? map_get(&p->by_name, word) : NULL;
		i += word.n ? word.n : 1;
		if (!d || d->wanted)
			continue;
		d->wanted = true;               /* its own words come later: declarations may name each other */
		want(p, (struct str){ p->text.p + d->start, d->end - d->start }, false);
	}
}

void library_part_want(struct library_part *p, struct str program) { want(p, program, true); }

void library_part_want_all(struct library_part *p)
{
	for (size_t i = 0; i < p->n; i++)
		p->at[i].wanted = true;
}

struct str library_part_take(struct library_part *p, struct arena *a)
{
	bool any = !p->taken;

	for (size_t i = 0; i < p->n; i++)
		any = any || (p->at[i].wanted && !p->at[i].parsed);
	if (!any)
		return (struct str){ 0 };
	p->taken = true;
	char *text = arena_copy(a, p->text.p, p->text.n);
	for (size_t i = 0; i < p->n; i++) {
		struct library_decl *d = &p->at[i];
		if (!d->wanted || d->parsed)
			memset(text + d->start, ' ', d->end - d->start);
		d->parsed = d->parsed || d->wanted;
	}
	return (struct str){ text, p->text.n };
}
