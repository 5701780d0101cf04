/*
 * memory.h - what happens when memory runs out, and to whom memory belongs then.
 *
 * A command ends: without memory the process writes a sentence to standard error and ends with status 70, at once; no
 * handler runs and no buffer is written.  A library must not end its caller: what it does on behalf of a program runs
 * inside memory_try(), which comes back with false instead, and all memory that was asked for inside, finished
 * structures or not, can be given back with memory_give_back().
 *
 * A thread does the work of one `struct memory` at a time, and nothing else is kept between calls.
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

/* What a library's caller must be able to get rid of when memory runs out.  All zero: nothing yet. */
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
 * Does ACT with WITH on the account of M.  False when memory ran out in the middle: then what ACT was changing is
 * unusable, and only memory_give_back() is left.  Calls may be nested.
 */
bool memory_try(struct memory *m, void (*act)(void *with), void *with);

/* Frees every piece on the account of M that was not freed before. */
void memory_give_back(struct memory *m);
/* Closes the account of M: its pieces stay and are freed by those who hold them. */
void memory_forget(struct memory *m);
/* The pieces of OTHER become M's. */
void memory_join(struct memory *m, struct memory *other);

/*
 * Between these two calls, E is ended when memory runs out.  Calls are nested like brackets;
 * outside of memory_try() they do nothing.
 */
void memory_end_add(struct memory_end *e);
void memory_end_drop(struct memory_end *e);

/* Puts a new piece on the account of the memory_try() that is running; takes it off again before it is freed. */
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
