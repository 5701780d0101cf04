/*
 * memory.h - what happens when memory runs out, and who owns memory then. A command then writes a sentence to standard
 * error and ends at once with status 70; no exit handler runs and no buffer is written. A library must not end the
 * process of its caller, so the library's work runs inside memory_try(), which returns false when memory runs out. All
 * memory that was allocated inside that call, even for unfinished structures, can then be freed with
 * memory_give_back(). A thread works with one `struct memory` at a time, and nothing else is kept between calls.
 */
#ifndef TRAINC_BASE_MEMORY_H
#define TRAINC_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* The links in front of each piece of memory.  A piece without an account is linked to itself. */
struct memory_link {
	struct memory_link *before, *after;
	size_t mapped;                  /* size in bytes of a piece from mmap(); 0: the piece came from malloc() */
	size_t size;                    /* size in bytes of the piece */
};

/*
 * An account: everything that must be freed when memory runs out in a call of the library. An account whose bytes are
 * all zero is empty.
 */
struct memory {
	struct memory_link pieces;      /* the head of a ring of all pieces */
	size_t used;                    /* total size of the pieces, while memory_try() runs */
	size_t limit;                   /* if `used` exceeds this, memory counts as run out; 0: no limit */
	bool over;                      /* `used` did, so that the system had memory left */
	struct memory_end *ends;
};

/* A resource of another library, with memory of its own: END is called with WHAT when memory runs out. */
struct memory_end {
	void (*end)(void *what);
	void *what;
	struct memory_end *outer;
};

/*
 * Calls ACT with the argument WITH, and records its allocations in the account M. False when memory ran out meanwhile:
 * then the structures that ACT was changing are unusable, and only memory_give_back() may be called. Calls may be
 * nested.
 */
bool memory_try(struct memory *m, void (*act)(void *with), void *with);

/* Frees every piece in the account M that has not been freed yet. */
void memory_give_back(struct memory *m);
/* Closes the account M: its pieces stay allocated, and their owners must free them. */
void memory_forget(struct memory *m);
/* Moves the pieces of the account OTHER to M. */
void memory_join(struct memory *m, struct memory *other);

/*
 * If memory runs out between these two calls, E's function is called. Pairs of calls must be properly nested; outside
 * memory_try() they have no effect.
 */
void memory_end_add(struct memory_end *e);
void memory_end_drop(struct memory_end *e);

/* Adds a new piece to the account of the running memory_try(). It must be removed before it is freed. */
void memory_link(struct memory_link *piece);
void memory_unlink(struct memory_link *piece);

/*
 * realloc() and free() for the compiler's own memory, which belongs to an account. Only memory_drop() may free it; NULL
 * is allowed. When memory runs out, memory_hold() calls memory_out().
 */
void *memory_hold(void *p, size_t size);
void memory_drop(void *p);

/*
 * realloc() for memory that belongs to the process and is freed with free(). When memory runs out, it calls
 * memory_out().
 */
void *memory_resize(void *p, size_t size);

/*
 * Ends the innermost memory_try(), or the process if no memory_try() is active. Call it when a function of another
 * library reports that memory ran out.
 */
_Noreturn void memory_out(void);

#endif
