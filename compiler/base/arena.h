/*
 * arena.h - memory that dies together.
 *
 * An arena hands out zeroed memory that is never freed one by one; releasing the arena frees
 * everything.  Arenas are named after lifetimes: the run's (sources, names), a compilation's (tree
 * to plan), an object's (one manifest). A pointer never outlives its arena and never points into a
 * shorter-lived one.
 *
 * Fails: never to the caller.  base/memory.h says what happens without memory.
 *
 * With -DARENA_DEBUG every allocation is its own malloc, so that a sanitizer sees what an arena
 * would hide.
 */
#ifndef TRAINC_BASE_ARENA_H
#define TRAINC_BASE_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

struct arena_block;

struct arena {
	struct arena_block *blocks;     /* the blocks of memory, newest first */
	char *at, *end;                 /* the free part of the newest block */
	size_t total;                   /* number of bytes taken from malloc() so far */
	/*
	 * Size of the first block; 0: 4 KiB.  Smaller where there are many arenas of a few hundred bytes; larger where
	 * the least that will be used is known.
	 */
	uint32_t first;
	uint32_t compared;              /* number of names compared with misspelt names: diag/suggest.c limits it */
};

enum { ARENA_ALIGN = 16 };              /* alignment of the memory that is handed out: enough for any object */

/* Memory from a new block, when the current one has no room for it. */
void *arena_more(struct arena *a, size_t size) __attribute__((malloc, alloc_size(2)));

/* Zeroed memory, aligned for any object.  `size` may be 0.  Inlined: there are hundreds for each job. */
static inline __attribute__((malloc, alloc_size(2))) void *arena_alloc(struct arena *a, size_t size)
{
#ifndef ARENA_DEBUG
	size_t need = (size + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
	if (a->at && need >= size && need <= (size_t)(a->end - a->at)) {
		void *p = a->at;
		a->at += need;
		return p;
	}
#endif
	return arena_more(a, size);
}

/* A copy of `n` bytes with a NUL after them. */
char *arena_copy(struct arena *a, const char *bytes, size_t n);

/*
 * Make room for one more element in an array that lives in the arena: grows by
 * doubling, returns the (possibly moved) array.  `n` is the number in use; the
 * capacity is the next power of two (at least 4), so it is not stored.
 */
void *arena_grow(struct arena *a, void *array, size_t n, size_t element_size);

/*
 * Frees everything but one block, which it keeps for reuse: for an arena that is filled again for each object.
 * Memory handed out before is gone.
 */
void arena_reset(struct arena *a);

/* Free everything; the arena is empty and usable again. */
void arena_release(struct arena *a);

#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, n) ((type *)arena_alloc((a), sizeof(type) * (n)))
/* Append `value` to (array, count); both are lvalues of the caller. */
#define ARENA_PUSH(a, array, count, value)                                              \
	((array) = arena_grow((a), (array), (count), sizeof(*(array))), (array)[(count)++] = (value))

#endif
