/*
 * data_parts.h - declarations that the files of the data reader share: data_read.c (documents), data_json.c,
 * data_yaml.c, data_scalar.c.
 */
#ifndef TRAINC_DATA_DATA_PARTS_H
#define TRAINC_DATA_DATA_PARTS_H

#include "base/buf.h"
#include "data/data_read.h"

/* Elements of lists and maps that are not complete, kept here until their number is known. */
struct data_stack {
	struct data_member *at;         /* the members of a map; for a list its elements, which have no keys */
	size_t n, size;
};
void data_push(struct data_stack *s, struct data_member m);
void data_stack_release(struct data_stack *s);

/* A text that is being read, by either reader. */
struct data_text {
	struct arena *arena;
	const struct source *source;
	struct data_stack stack;
	struct data_error *error;       /* the error, filled in by the function that fails */
	bool infinite;                  /* read a number that is too large for a double as infinite */
	size_t spent, most;             /* units of the budget that were spent, and the limit: see data_spend() */
};

/* Sets the error; returns false. START and END are byte offsets in the text. */
bool data_fail(struct data_text *t, size_t start, size_t end, const char *fmt,
	...) __attribute__((format(printf, 4, 5)));

/* Sets the error for a PROBLEM that libyaml reports, in terms of the text that the user wrote; returns false. */
bool yaml_fail_words(struct data_text *t, size_t at, size_t end, const char *problem);

/*
 * Charges a part of the text that begins at byte AT to the budget. A value or a key of JSON counts as one unit, an
 * event of libyaml as three, which is about the time that they take. False with an error when the budget is used up.
 */
bool data_spend(struct data_text *t, size_t at, unsigned units);
/* The budget, in units, of a text of N bytes. Ordinary texts of any size stay below it. */
size_t data_budget(size_t n);

struct span data_span(const struct data_text *t, size_t start, size_t end);
struct data *data_new(struct data_text *t, enum data_kind kind, struct span from);
/* Complete a list or a map with the elements on the stack from BASE on; false when a map has the same key twice. */
void data_close_list(struct data_text *t, size_t base, struct data *list);
bool data_close_map(struct data_text *t, size_t base, struct data *map);

/* ---- data_scalar.c ---- */

/*
 * Reads a plain scalar of YAML: sets `kind` and the value. False for a number that is not finite.
 */
bool data_plain(struct arena *a, struct str text, struct data *ret);
/* Reads an integer in BASE, with an optional sign; false when the value is too large. */
bool data_digits(struct str text, int base, int64_t *ret);
/* Reads a decimal fraction from a text that has the syntax of one; false when it is not finite. */
bool data_fraction(struct arena *a, struct str text, double *ret);

/* ---- data_json.c ---- */

/* Reads the value at byte `*at`, after any blanks, and moves `*at` past it.  NULL after setting the error. */
struct data *json_read(struct data_text *t, size_t *at);
/* The index of the next byte from AT on that is not a blank; also skips a byte order mark at the very beginning. */
size_t json_skip(const struct data_text *t, size_t at);

/* ---- data_yaml.c ---- */

struct yaml_reading;
/* Makes a reader of the YAML from byte AT of the text to its end. */
struct yaml_reading *yaml_reading_new(struct data_text *t, size_t at);
enum data_step yaml_next(struct yaml_reading *y, struct data **ret);
void yaml_reading_release(struct yaml_reading *y);

#endif
