/*
 * fuzz.h - shared by fuzz targets: requirements, inputs that consist of several parts, and trees as text.
 *
 * A line "== NAME" starts the part NAME of an input; the text before the first such line is the part "".
 */
#ifndef TRAINC_TESTS_FUZZ_H
#define TRAINC_TESTS_FUZZ_H

#include <stdlib.h>

#include "base/buf.h"
#include "data/data_read.h"
#include "data/data_write.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { FUZZ_PARTS = 16 };

struct fuzz_part {
	struct str name, text;
};

struct fuzz_parts {
	struct fuzz_part at[FUZZ_PARTS];
	size_t n;
};

static inline void fuzz_require(bool holds)
{
	if (!holds)
		abort();
}

static inline struct str fuzz_input(struct arena *a, const uint8_t *bytes, size_t n)
{
	return str_copy(a, (struct str){ (const char *)bytes, n });
}

/* Takes the first line from TEXT, without its line end. */
static inline struct str fuzz_line(struct str *text)
{
	const char *newline = text->n ? memchr(text->p, '\n', text->n) : NULL;
	struct str line = { text->p, newline ? (size_t)(newline - text->p) : text->n };

	*text = (struct str){ text->p + line.n + (newline != NULL), text->n - line.n - (newline != NULL) };
	return line;
}

/* Takes the first word from LINE; empty if there is none. */
static inline struct str fuzz_word(struct str *line)
{
	size_t start = 0, n = 0;

	while (start < line->n && line->p[start] == ' ')
		start++;
	while (start + n < line->n && line->p[start + n] != ' ')
		n++;
	struct str word = { line->p + start, n };
	*line = (struct str){ line->p + start + n, line->n - start - n };
	return word;
}

/* Takes a number from LINE: at most 18 digits and a sign; 0 for anything else. */
static inline int64_t fuzz_number(struct str *line)
{
	struct str word = fuzz_word(line);
	bool minus = word.n && word.p[0] == '-';
	int64_t n = 0;

	for (size_t i = minus; i < word.n && i < 18; i++) {
		if (word.p[i] < '0' || word.p[i] > '9')
			return 0;
		n = 10 * n + (word.p[i] - '0');
	}
	return minus ? -n : n;
}

/* Divides an input into its parts, which borrow from TEXT. */
static inline void fuzz_divide(struct str text, struct fuzz_parts *ret)
{
	*ret = (struct fuzz_parts){ .at = { { .name = STR(""), .text = { text.p, 0 } } }, .n = 1 };
	while (text.n) {
		struct str line = fuzz_line(&text);
		struct fuzz_part *last = &ret->at[ret->n - 1];
		if (str_starts(line, STR("== ")) && ret->n < FUZZ_PARTS)
			ret->at[ret->n++] = (struct fuzz_part){ { line.p + 3, line.n - 3 }, { text.p, 0 } };
		else
			last->text.n = (size_t)(text.p - last->text.p);
	}
}

/* The text of a part; empty if the input has no part of that name. */
static inline struct str fuzz_part(const struct fuzz_parts *parts, const char *name)
{
	for (size_t i = 0; i < parts->n; i++)
		if (str_is(parts->at[i].name, name))
			return parts->at[i].text;
	return STR("");
}

/* Reads TEXT as one JSON document; NULL if it is not JSON. */
static inline struct data *fuzz_json(struct arena *a, struct str text)
{
	struct source *source = arena_alloc(a, sizeof *source);
	struct data_error error;
	struct data *d;

	*source = (struct source){ .text = str_copy(a, text), .base = 1 };
	return data_read_json(a, source, &d, &error) ? d : NULL;
}

/* Reads the first document of TEXT, JSON or YAML; NULL if there is none. */
static inline struct data *fuzz_document(struct arena *a, struct str text)
{
	struct source *source = arena_alloc(a, sizeof *source);
	struct data_error error;
	struct data *d = NULL;

	*source = (struct source){ .text = str_copy(a, text), .base = 1 };
	struct data_reader *r = data_reader_new(a, source);
	if (data_next(r, &d, &error) != DATA_DOCUMENT)
		d = NULL;
	data_reader_release(r);
	return d;
}

/* The tree D as JSON. */
static inline struct str fuzz_tree_text(struct arena *a, const struct data *d)
{
	struct buf b = { 0 };

	data_write(&b, d);
	struct str text = buf_take(&b, a);
	buf_release(&b);
	return text;
}

/* The bytes of B in the arena; B is released. */
static inline struct str fuzz_taken(struct arena *a, struct buf *b)
{
	struct str text = buf_take(b, a);

	buf_release(b);
	return text;
}

/* A reader of the parts as files, for `struct reader`; a path may begin with "/". */
static inline bool fuzz_read_file(void *context, struct arena *a, struct str path, struct str *ret, struct str *why)
{
	const struct fuzz_parts *parts = context;

	if (path.n && path.p[0] == '/')
		path = (struct str){ path.p + 1, path.n - 1 };
	for (size_t i = 1; i < parts->n; i++)
		if (str_eq(parts->at[i].name, path)) {
			*ret = str_copy(a, parts->at[i].text);
			return true;
		}
	*why = STR("no such file");
	return false;
}

static inline bool fuzz_file_exists(void *context, struct str path)
{
	const struct fuzz_parts *parts = context;

	if (path.n && path.p[0] == '/')
		path = (struct str){ path.p + 1, path.n - 1 };
	for (size_t i = 1; i < parts->n; i++)
		if (str_eq(parts->at[i].name, path))
			return true;
	return false;
}

/* Has S no control characters, so that it is safe for a terminal and fits on one line? */
static inline bool fuzz_is_line(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < ' ' || s.p[i] == 127)
			return false;
	return true;
}

#endif
