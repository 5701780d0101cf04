/*
 * memory.h - what happens when memory runs out, and who owns memory then. In a command, the process writes a sentence
 * to standard error and ends with status 70, at once; no handler runs and no buffer is written. A library must not end
 * its caller. What it does on behalf of a program runs inside memory_try(), which returns false then. All memory that
 * was allocated inside, finished structures or not, can be freed with memory_give_back(). A thread works with one
 * `struct memory` at a time, and nothing else is kept between calls.
 */
#ifndef TRAINC_BASE_MEMORY_H
#define TRAINC_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* The links in front of each piece of memory.  A piece without an account is linked to itself. */
struct memory_link {
	struct memory_link *before, *after;
	size_t mapped;                  /* size in bytes of a piece from mmap(); 0: the piece came from malloc() */
};

/* Everything that must be freed when memory runs out in a call of the library. All zero: nothing yet. */
struct memory {
	struct memory_link pieces;      /* all pieces of memory: a ring with this as its head */
	struct memory_end *ends;
};

/* A resource of another library, which frees its memory by itself: END is called with WHAT when memory runs out. */
struct memory_end {
	void (*end)(void *what);
	void *what;
	struct memory_end *outer;
};

/*
 * Calls ACT with WITH on the account of M. False when memory ran out in between: what ACT was changing cannot be used
 * any more, and only memory_give_back() may be called. Calls may be nested.
 */
bool memory_try(struct memory *m, void (*act)(void *with), void *with);

/* Frees every piece on the account of M that has not been freed. */
void memory_give_back(struct memory *m);
/* Closes the account of M: its pieces stay allocated, and their owners free them. */
void memory_forget(struct memory *m);
/* Moves the pieces of OTHER to M. */
void memory_join(struct memory *m, struct memory *other);

/*
 * Between these two calls, E is ended when memory runs out. Calls must be nested like brackets; outside of memory_try()
 * they have no effect.
 */
void memory_end_add(struct memory_end *e);
void memory_end_drop(struct memory_end *e);

/* Adds a new piece to the account of the running memory_try(). It must be removed before it is freed. */
void memory_link(struct memory_link *piece);
void memory_unlink(struct memory_link *piece);

/*
 * realloc() and free() for the compiler's own pieces, which belong to an account; only
 * memory_drop() frees them, and NULL is allowed.  When memory runs out they do what memory_out()
 * does.
 */
void *memory_hold(void *p, size_t size);
void memory_drop(void *p);

/*
 * realloc() for memory that belongs to the process and is freed with free().  When memory runs out it does what
 * memory_out() does.
 */
void *memory_resize(void *p, size_t size);

/* Ends memory_try(), or without one the process.  For functions of libraries that report a lack of memory. */
_Noreturn void memory_out(void);

#endif
