/*
 * data_parts.h - what the files of the data reader share: data_read.c (documents),
 * data_json.c, data_yaml.c, data_scalar.c.
 */
#ifndef TRAINC_DATA_DATA_PARTS_H
#define TRAINC_DATA_DATA_PARTS_H

#include "base/buf.h"
#include "data/data_read.h"

/* Elements that were read and wait for the end of their list or map, when its size is known. */
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
	bool infinite;                  /* a number that is too large for a double is read as infinite */
	size_t spent, most;             /* units of the budget that were spent, and the limit: see data_spend() */
};

/* Fails: always false.  `start` and `end` are bytes of the text. */
bool data_fail(struct data_text *t, size_t start, size_t end, const char *fmt,
	...) __attribute__((format(printf, 4, 5)));

/*
 * Counts a part of the text that begins at byte AT against the budget, a value or a key of JSON
 * as one UNIT, an event of libyaml as three, which is about what they cost.  False with an error when the
 * budget is spent.
 */
bool data_spend(struct data_text *t, size_t at, unsigned units);
/* The budget of a text of N bytes.  A text of ordinary density does not meet it at any size. */
size_t data_budget(size_t n);

struct span data_span(const struct data_text *t, size_t start, size_t end);
struct data *data_new(struct data_text *t, enum data_kind kind, struct span from);
/* Makes a list, or a map, of the elements on the stack from `base` on; false when a map has a key twice. */
void data_close_list(struct data_text *t, size_t base, struct data *list);
bool data_close_map(struct data_text *t, size_t base, struct data *map);

/* ---- data_scalar.c ---- */

/*
 * The value that a plain scalar of YAML stands for: sets `kind` and the value.  False for a number that is not
 * finite.
 */
bool data_plain(struct arena *a, struct str text, struct data *ret);
/* Digits of a base with or without a sign; false when the value is too large. */
bool data_digits(struct str text, int base, int64_t *ret);
/* A decimal fraction, of a text that has its form; false when it is not finite. */
bool data_fraction(struct arena *a, struct str text, double *ret);

/* ---- data_json.c ---- */

/* Reads the value at byte `*at`, after any blanks, and moves `*at` behind it.  NULL after setting the error. */
struct data *json_read(struct data_text *t, size_t *at);
/* The index behind blanks, and behind a byte order mark at the very start. */
size_t json_skip(const struct data_text *t, size_t at);

/* ---- data_yaml.c ---- */

struct yaml_reading;
/* From byte `at` of the text to its end. */
struct yaml_reading *yaml_reading_new(struct data_text *t, size_t at);
enum data_step yaml_next(struct yaml_reading *y, struct data **ret);
void yaml_reading_release(struct yaml_reading *y);

#endif
