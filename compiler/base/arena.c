/*
 * arena.c - bump allocation in blocks that double up to a limit.
 *
 * Small programs must need little memory (a job of ten lines compiles in a few MiB), so the first block is 4 KiB, or as
 * large as the arena's owner says. Big programs must not call malloc() often, so blocks double to 512 KiB, and after
 * that each is 2 MiB.
 */
#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct arena_block {
	struct memory_link link;
	struct arena_block *next;
	size_t size;
};

enum {
	FIRST_BLOCK = 4 * 1024, MAPPED_BLOCK = 64 * 1024, LARGE_PAGE = 2 * 1024 * 1024,
	LARGEST_BLOCK = LARGE_PAGE - sizeof(struct arena_block) - ARENA_ALIGN
};

/*
 * Is a block of this size mapped directly from the system? Such pages are already zero, and clearing them would touch
 * pages that may never be used.
 */
static bool is_mapped(size_t payload)
{
#ifdef ARENA_DEBUG
	return payload == SIZE_MAX;
#elif defined __wasi__
	return payload == SIZE_MAX;     /* WebAssembly has no mapped pages */
#else
	return payload >= MAPPED_BLOCK && payload <= LARGEST_BLOCK;
#endif
}

static void *new_pages(size_t size, int flags)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

/*
 * Makes a block in one large page of the processor, if the system offers that. A program that has filled the earlier
 * blocks will use most of it, and the 512 small pages would cost five times as much. More memory is mapped at first, so
 * that the block can begin on the boundary of a large page; the rest is unmapped.
 */
static void *map_large(void)
{
	char *p = new_pages(2 * (size_t)LARGE_PAGE, 0);
	if (!p)
		return NULL;
	size_t before = (LARGE_PAGE - (uintptr_t)p % LARGE_PAGE) % LARGE_PAGE;
	if (before)
		munmap(p, before);
	munmap(p + before + LARGE_PAGE, LARGE_PAGE - before);
#ifdef MADV_HUGEPAGE
	madvise(p + before, LARGE_PAGE, MADV_HUGEPAGE);
#endif
	return p + before;
}

/*
 * Maps a block. If it is the FIRST one, its size is what the arena's owner expects to use, so its pages are mapped at
 * once. They would cost four times as much if each was mapped when it is first touched.
 */
static struct arena_block *block_map(const struct arena *a, size_t size, bool first)
{
	int flags = 0;

#ifdef MAP_POPULATE
	flags = first ? MAP_POPULATE : 0;
#endif
	return size == LARGE_PAGE && !a->frugal ? map_large() : new_pages(size, flags);
}

static struct arena_block *block_new(struct arena *a, size_t payload)
{
	struct arena_block *b = NULL;
	if (payload <= SIZE_MAX - sizeof(*b) - ARENA_ALIGN)
		b = is_mapped(payload) ? block_map(a, sizeof(*b) + ARENA_ALIGN + payload, payload == a->first)
			: calloc(1, sizeof(*b) + ARENA_ALIGN + payload);
	if (!b)
		memory_out();
	b->link.mapped = is_mapped(payload) ? sizeof(*b) + ARENA_ALIGN + payload : 0;
	b->link.size = sizeof(*b) + ARENA_ALIGN + payload;
	memory_link(&b->link);
	b->size = payload;
	b->next = a->blocks;
	a->blocks = b;
	a->total += payload;
	return b;
}

static char *block_data(struct arena_block *b)
{
	uintptr_t p = (uintptr_t)(b + 1);
	return (char *)((p + ARENA_ALIGN - 1) & ~(uintptr_t)(ARENA_ALIGN - 1));
}

void *arena_more(struct arena *a, size_t size)
{
#ifdef ARENA_DEBUG
	return block_data(block_new(a, size ? size : 1));
#else
	size_t need = (size + ARENA_ALIGN - 1) & ~(size_t)(ARENA_ALIGN - 1);
	size_t next = a->blocks ? a->blocks->size * 2 : a->first ? a->first : FIRST_BLOCK;
	if (need < size)
		need = SIZE_MAX;
	if (next > LARGE_PAGE / 4)
		next = LARGEST_BLOCK;
	if (need > next / 4)            /* a large allocation gets a block of its own, and the current block stays in
					 * use */
		return block_data(block_new(a, need));
	struct arena_block *b = block_new(a, next);
	a->at = block_data(b) + need;
	a->end = block_data(b) + next;
	return block_data(b);
#endif
}

char *arena_copy(struct arena *a, const char *bytes, size_t n)
{
	char *p = arena_alloc(a, n + 1);
	if (n)
		memcpy(p, bytes, n);
	return p;
}

void *arena_grow(struct arena *a, void *array, size_t n, size_t element_size)
{
	if (n == 0)
		return arena_alloc(a, 4 * element_size);
	if (n < 4 || (n & (n - 1)))
		return array;
	void *bigger = arena_alloc(a, 2 * n * element_size);
	memcpy(bigger, array, n * element_size);
	return bigger;
}

static void block_free(struct arena_block *b)
{
	memory_unlink(&b->link);
	if (b->link.mapped)
		munmap(b, b->link.mapped);
	else
		free(b);
}

void arena_reset(struct arena *a)
{
#ifdef ARENA_DEBUG
	arena_release(a);
#else
	struct arena_block *keep = NULL;
	for (struct arena_block *b = a->blocks, *next; b; b = next) {
		next = b->next;
		if (a->end && a->end == block_data(b) + b->size)
			keep = b;               /* keep the block that is being filled */
		else
			block_free(b);
	}
	char *used = a->at;
	*a = (struct arena){ .blocks = keep, .first = a->first, .frugal = a->frugal };
	if (!keep)
		return;
	keep->next = NULL;
	a->at = block_data(keep);
	memset(a->at, 0, (size_t)(used - a->at));       /* because arena_alloc() returns zeroed memory */
	a->end = a->at + keep->size;
	a->total = keep->size;
#endif
}

void arena_release(struct arena *a)
{
	struct arena_block *b = a->blocks;
	while (b) {
		struct arena_block *next = b->next;
		block_free(b);
		b = next;
	}
	*a = (struct arena){ .first = a->first, .frugal = a->frugal };
}
