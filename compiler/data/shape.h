/*
 * shape.h - structs that are described by rows. A list of macros (plan/plan.def, for example) has one row for each
 * member. The struct is made from the list, and so is a table of rows, over which the walkers below go: they write a
 * struct as JSON, read it back, write its identity, and copy it. So a member without a row cannot exist, and a new
 * member is everywhere unless its row says where it is.
 *
 * The lists use these macros. OWNER is the struct; the last arguments are designators: AS, OF, IN, WITH, WHEN, ASK.
 *
 *   SHAPE(owner) … SHAPE_END(owner)             the struct, and its table shape_OWNER
 *   MEMBER(owner, type, name, …)                a member, whose key is its name
 *   NAMED(owner, type, name, key, …)            a member with another key
 *   LIST(owner, type, name, count, key, …)      two members: a pointer and the number of elements
 *   ROW(owner, member, key, …)                  no member: where a member has another position or key in some use, or
 *                                               a value is computed
 *   PLACE(owner, name)                          a source position, which is in no use
 *
 * A member with AS but without IN is everywhere.
 */
#ifndef TRAINC_DATA_SHAPE_H
#define TRAINC_DATA_SHAPE_H

#include <stddef.h>

#include "base/json_write.h"
#include "data/data.h"

/* Where a member is used. No use at all stands for everywhere, so that nobody can forget one. */
enum shape_use {
	IN_RECORD = 1,                  /* in JSON that is stored and read back */
	IN_IDENTITY = 2,                /* in the text whose digest identifies a run */
	IN_DUMP = 4,                    /* in a dump for people */
	IN_JSON = 8,                    /* in the JSON of -o json */
	EVERYWHERE = 15,
	NOWHERE = 16,
	ALWAYS = 32,                    /* in JSON although it is zero; otherwise zero is left out */
	/* earlier versions did not write it, so a strict reader accepts that. Always so for what is everywhere */
	LATER = 64,
	LAST = 128,                     /* read when everything else has been read, since it refers to that */
	/*
	 * left out of the identity when it is zero, because the identity did not have it at first, and the digests of
	 * old runs must stay. Always so for members that are everywhere
	 */
	IF_SET = 256
};

struct shape_row;

/* What the functions of a type need: where to write, and facts about the object around. */
struct shape_out {
	struct json_writer json;
	struct buf *out;
	const void *context;
	enum shape_use use;
};
struct shape_reader {
	struct arena *arena;
	const void *context;
	enum shape_use use;
	bool strict;                    /* each member that is not LATER must be there and have the right form */
	bool missing;                   /* only members that are still zero are read */
	struct str why;                 /* the first error; empty: no error so far */
};

/*
 * A type of members. OBJECT is the struct that has the member. A function may be NULL if no row with the type has that
 * use: tests/unit/shape_test.c compares.
 */
struct shape_type {
	bool (*zero)(const struct shape_row *r, const void *object);
	void (*json)(struct shape_out *o, const struct shape_row *r, const void *object);       /* the value only */
	/* returns false if D has another form, and then leaves the member unchanged; may set `why` of the reader */
	bool (*read)(struct shape_reader *in, const struct shape_row *r, const struct data *d, void *object);
	void (*identity)(struct shape_out *o, const struct shape_row *r, const void *object);
	void (*copy)(struct arena *a, const struct shape_row *r, void *object);
};

struct shape_row {
	const char *key;
	const struct shape_type *type;
	size_t offset;
	/* LIST: the number of elements; other types may use it for a second member */
	size_t second;
	bool member;                    /* the row is that of a member, not a second row: what it points to is copied */
	const void *of;                 /* struct shape, struct shape_words or another thing that the type needs */
	bool (*when)(const void *object);       /* the member has a meaning only then; NULL: always */
	bool (*ask)(const void *object);        /* computes the value of a row with the type shape_asked */
	unsigned uses;                  /* enum shape_use */
};
#define AS(name) .type = &shape_##name
#define OF(name) .of = &name
#define IN(flags) .uses = (flags)
#define WHEN(function) .when = function
#define ASK(function) .ask = function
#define WITH(owner, member) .second = offsetof(struct owner, member)

struct shape {
	const char *name;
	const struct shape_row *rows;
	size_t n, size;                 /* number of rows; size of the struct */
};

struct shape_words {
	const char *const *at;
	size_t n;
};
#define SHAPE_WORDS(array) { array, sizeof(array) / sizeof *(array) }

/* The member of a row. */
static inline const void *shape_at(const struct shape_row *r, const void *object)
{
	return (const char *)object + r->offset;
}
static inline void *shape_member(const struct shape_row *r, void *object) { return (char *)object + r->offset; }

static inline const void *shape_second(const struct shape_row *r, const void *object)
{
	return (const char *)object + r->second;
}
/* The number of elements of a LIST, and its pointer or any other pointer. */
static inline size_t shape_count(const struct shape_row *r, const void *object)
{
	return *(const size_t *)shape_second(r, object);
}
static inline void *shape_pointer_at(const struct shape_row *r, const void *object)
{
	return *(void *const *)shape_at(r, object);
}
void shape_set_list(const struct shape_row *r, void *object, void *at, size_t n);

/* ---- the walkers ---- */

/* Is the row used in USE? */
static inline bool shape_row_in(const struct shape_row *r, enum shape_use use)
{
	return r->uses & (EVERYWHERE | NOWHERE) ? r->uses & use : true;
}
/* Is the row in USE, and does OBJECT have something to write? */
bool shape_is_written(const struct shape_row *r, enum shape_use use, const void *object);
/* Writes the members of OBJECT that are in the use of O, without the braces around them. */
void shape_write(struct shape_out *o, const struct shape *s, const void *object);
/* Appends the identity of OBJECT: for each member NAME=VALUE, and texts with their length first. */
void shape_identity(struct shape_out *o, const struct shape *s, const void *object);
/*
 * Reads the members of OBJECT from the map D. The first call, for which LAST is 0, reads the others; then a call with
 * LAST reads those that refer to them. Returns false if the reader has an error.
 */
bool shape_read(struct shape_reader *in, const struct shape *s, const struct data *d, unsigned last, void *object);
/* Copies what the members of OBJECT point to into A; OBJECT itself is already a copy. */
void shape_copy(struct arena *a, const struct shape *s, void *object);

/* Sets the reader's error; returns false. */
bool shape_bad(struct shape_reader *in, const char *key, const char *what);

/* ---- parts of identities ---- */

void shape_put_int(struct shape_out *o, const char *key, int64_t n);
void shape_put_text(struct shape_out *o, const char *key, struct str s);

/* ---- types ---- */

extern const struct shape_type
	shape_text,                     /* struct str */
	shape_bool, shape_int, shape_int64, shape_uint64,
	shape_word,                     /* an enum; OF the words that JSON has. Its identity is the number */
	shape_word_text,                /* an enum whose identity is the word, too */
	shape_time,                     /* int64_t: RFC 3339 with 9 digits of the fraction */
	shape_moment,                   /* int64_t: RFC 3339 in whole seconds */
	shape_texts,                    /* struct str * and its count; OF the key of an element in identities */
	shape_part,                     /* a struct inside; its members are written as if they were the owner's */
	shape_pointer,                  /* the same for a pointer, which may be NULL */
	shape_optional,                 /* a pointer whose identity begins with 0 or 1 */
	shape_list,                     /* a pointer to structs and their number */
	shape_data,                     /* const struct data *, or NULL */
	shape_asked;                    /* no member: the answer of ASK */

#endif
