/*
 * str.h - text as pointer and length, and interned names. A `struct str` borrows its bytes; it is not NUL-terminated
 * unless that is documented. Names that the compiler compares often (identifiers, keys, fields) are interned: two
 * interned strings are the same text exactly when their pointers are equal. Interned text is NUL-terminated and lives
 * as long as the table.
 */
#ifndef TRAINC_BASE_STR_H
#define TRAINC_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"

struct str {
	const char *p;
	size_t n;
};

/* The arguments of printf() for "%.*s". */
#define STR_ARG(s) (int)(s).n, (s).p
#define STR(literal) ((struct str){ "" literal, sizeof(literal) - 1 })

static inline struct str str_of(const char *z) { return (struct str){ z, z ? strlen(z) : 0 }; }
static inline bool str_eq(struct str a, struct str b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}
/*
 * Is A equal to Z? The first characters are compared first, because that usually settles it without computing Z's
 * length.
 */
static inline bool str_is(struct str a, const char *z)
{
	return a.n ? *a.p == *z && str_eq(a, str_of(z)) : !*z;
}
static inline bool str_starts(struct str s, struct str prefix)
{
	return s.n >= prefix.n && (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}
static inline bool str_ends(struct str s, struct str end)
{
	return s.n >= end.n && (end.n == 0 || memcmp(s.p + s.n - end.n, end.p, end.n) == 0);
}
/* Does the text equal `pattern`, or begin with the part of `pattern` before its final '*'? */
bool str_covered(struct str s, struct str pattern);
/* Is S a letter or '_', followed by letters, digits and '_'? A key of this form needs no quotes. */
bool str_is_word(struct str s);

/* Does S consist of N hexadecimal digits, with lower-case letters? */
bool str_is_hex(struct str s, size_t n);
/* Reads a number of 1 to MOST decimal digits, without a sign; false if S is anything else. MOST is at most 18. */
bool str_number(struct str s, size_t most, int64_t *ret);
/* Removes the text before the first BY from *REST, and BY itself, and returns the text; without a BY, all of *REST. */
struct str str_take(struct str *rest, char by);
/* Compares in byte order; a prefix comes first. */
int str_cmp(struct str a, struct str b);
/* Copies S into the arena and adds a NUL. */
struct str str_copy(struct arena *a, struct str s);
/* Joins A, B and C, NUL-terminated. For names that are made so often that printf would cost too much. */
struct str str_cat(struct arena *arena, struct str a, struct str b, struct str c);
/* Like str_cat(), but the characters may be changed. */
char *str_cat_chars(struct arena *arena, struct str a, struct str b, struct str c);
/* A copy of S in which TO replaces each of CHARACTERS; NUL-terminated. */
struct str str_replace(struct arena *a, struct str s, const char *characters, char to);
/*
 * A copy of WORDS, which end with NULL, as an array of strings that are not const, which exec() and posix_spawn()
 * require.
 */
char **str_argv(struct arena *a, const char *const *words);
/* A copy of S with ASCII letters in lower case. */
struct str str_lower(struct arena *a, struct str s);
/* A number in decimal digits: written to the end of ROOM, or NUL-terminated in the arena. */
enum { STR_DIGITS = 20 };
struct str str_digits(char room[STR_DIGITS], int64_t n);
struct str str_int(struct arena *a, int64_t n);
/*
 * The shortest decimal text that reads back as the same number, without an exponent where 15
 * digits are enough: NUL-terminated.
 */
enum { STR_DOUBLE = 32 };
struct str str_double(struct arena *a, double number);
void str_double_put(char room[STR_DOUBLE], double number);
/* printf() into the arena; NUL-terminated. */
struct str str_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The number of characters (code points) in UTF-8 text; each malformed byte counts as one. */
size_t str_chars(struct str s);
/* The length of the well-formed UTF-8 sequence at the start of N > 0 bytes; 0 if no such sequence is there. */
size_t str_utf8(const char *bytes, size_t n);
/* The offset of the first byte that is NUL or not UTF-8; the length of S if all bytes are valid. */
size_t str_malformed(struct str s);
/* A hash for tables in memory. Its seed differs in each process, so the value must not be stored or decide an order. */
uint32_t str_hash(struct str s);
/*
 * A hash (FNV-1a) that is the same in every process. For tables that are listed in the order of their slots, and only
 * for words that no user can choose.
 */
uint32_t str_hash_stable(struct str s);

struct names {
	struct arena *arena;
	struct name_slot *slots;        /* hash table with open addressing; its size is a power of two */
	size_t used, size;
};

/* Returns the interned copy of S; equal texts give the same pointer. */
struct str names_intern(struct names *t, struct str s);
static inline bool name_eq(struct str a, struct str b) { return a.p == b.p; }

#endif
