/*
 * arena.h - memory that is freed together. An arena hands out zeroed memory that is never freed piece by piece;
 * releasing the arena frees everything. There is an arena for each lifetime: that of the run (sources, names), of a
 * compilation (tree to plan), and of an object (one manifest). A pointer never outlives the arena that it points into,
 * so memory in one arena never points into an arena with a shorter life. Functions never fail for the caller:
 * base/memory.h says what happens when memory runs out. With -DARENA_DEBUG every allocation is its own malloc, so that
 * a sanitizer sees errors that an arena would hide.
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
	 * Size of the first block; 0: 4 KiB. It is smaller for arenas that are many and hold a few hundred bytes each,
	 * and larger where a minimum is known.
	 */
	uint32_t first;
	bool frugal;                    /* do not use large pages, the last of which is half empty on average: memory
					 * matters more than time */
	uint32_t compared;              /* number of comparisons with misspelt names so far, which diag/suggest.c limits
					 */
};

enum { ARENA_ALIGN = 16 };              /* alignment of the memory that is handed out: enough for any object */

/* Allocates from a new block, because the current one has no room. */
void *arena_more(struct arena *a, size_t size) __attribute__((malloc, alloc_size(2)));

/*
 * Allocates zeroed memory, aligned for any object. SIZE may be 0. Inlined, because it is called hundreds of times for
 * each job.
 */
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

/* Copies N bytes and adds a NUL. */
char *arena_copy(struct arena *a, const char *bytes, size_t n);

/*
 * Makes room for one more element in an array that lives in the arena. The array grows by doubling; returns the array,
 * which may have moved. N is the number in use; the capacity is the next power of two (at least 4), so it is not
 * stored.
 */
void *arena_grow(struct arena *a, void *array, size_t n, size_t element_size);

/*
 * Frees everything except one block, which is reused, for an arena that is filled again for each object. All memory
 * that it returned before becomes invalid.
 */
void arena_reset(struct arena *a);

/* Frees everything; the arena is empty and can be used again. */
void arena_release(struct arena *a);

#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, n) ((type *)arena_alloc((a), sizeof(type) * (n)))
/* Appends VALUE to (array, count); both are lvalues of the caller. */
#define ARENA_PUSH(a, array, count, value)                                              \
	((array) = arena_grow((a), (array), (count), sizeof(*(array))), (array)[(count)++] = (value))

#endif
