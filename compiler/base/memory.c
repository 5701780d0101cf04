/*
 * memory.c - keeps accounts of memory, and handles running out of memory. The pieces of an account form a ring, which
 * costs two pointers for each piece and lets them be freed in any order. When memory runs out, execution jumps to the
 * innermost memory_try(). WebAssembly has no such jump; there, the web page is loaded again.
 */
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef __wasm__
#include <setjmp.h>
#endif

enum { STATUS_NO_MEMORY = 70 };         /* EX_SOFTWARE, as for every internal error of trainc */

/* A call of memory_try() that is running in this thread. */
struct trying {
	struct memory *account;
	struct memory_end *ends;        /* the value of account->ends when this call started */
	struct trying *outer;
#ifndef __wasm__
	jmp_buf way_out;
#endif
};

static _Thread_local struct trying *trying;

bool memory_try(struct memory *m, void (*act)(void *with), void *with)
{
	struct trying t = { .account = m, .ends = m->ends, .outer = trying };

	if (!m->pieces.after)
		m->pieces.before = m->pieces.after = &m->pieces;
#ifndef __wasm__
	if (setjmp(t.way_out)) {
		trying = trying->outer;
		return false;
	}
#endif
	trying = &t;
	act(with);
	trying = t.outer;
	return true;
}

/* Ends the process without stdio, which allocates, and without handlers, which might allocate. */
static _Noreturn void end_process(void)
{
	static const char text[] = "trainc: out of memory\n";

	if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
		_exit(STATUS_NO_MEMORY);        /* even if the line cannot be written, the exit status shows the cause
						 */
	_exit(STATUS_NO_MEMORY);
}

void memory_out(void)
{
#ifndef __wasm__
	if (trying) {
		for (struct memory *m = trying->account; m->ends != trying->ends; m->ends = m->ends->outer)
			m->ends->end(m->ends->what);
		longjmp(trying->way_out, 1);
	}
#endif
	end_process();
}

void memory_end_add(struct memory_end *e)
{
	if (!trying)
		return;
	e->outer = trying->account->ends;
	trying->account->ends = e;
}

void memory_end_drop(struct memory_end *e)
{
	if (trying)
		trying->account->ends = e->outer;
}

/* ---- accounts ---- */

static void insert(struct memory_link *head, struct memory_link *piece)
{
	piece->before = head;
	piece->after = head->after;
	head->after->before = piece;
	head->after = piece;
}

void memory_link(struct memory_link *piece)
{
	piece->before = piece->after = piece;
	if (!trying)
		return;
	insert(&trying->account->pieces, piece);
	trying->account->used += piece->size;
	if (trying->account->limit && trying->account->used > trying->account->limit) {
		trying->account->over = true;
		memory_out();
	}
}

void memory_unlink(struct memory_link *piece)
{
	if (trying && piece->after != piece)
		trying->account->used -= trying->account->used > piece->size ? piece->size : trying->account->used;
	piece->before->after = piece->after;
	piece->after->before = piece->before;
	piece->before = piece->after = piece;
}

void memory_give_back(struct memory *m)
{
	while (m->pieces.after && m->pieces.after != &m->pieces) {
		struct memory_link *piece = m->pieces.after;

		memory_unlink(piece);
		if (piece->mapped)
			munmap(piece, piece->mapped);
		else
			free(piece);
	}
}

void memory_forget(struct memory *m)
{
	if (m->pieces.after)
		memory_unlink(&m->pieces);
}

void memory_join(struct memory *m, struct memory *other)
{
	struct memory_link *first = other->pieces.after, *last = other->pieces.before;

	if (!first || first == &other->pieces)
		return;
	if (!m->pieces.after)
		m->pieces.before = m->pieces.after = &m->pieces;
	memory_unlink(&other->pieces);
	first->before = &m->pieces;
	last->after = m->pieces.after;
	m->pieces.after->before = last;
	m->pieces.after = first;
}

/* ---- allocating pieces of any length ---- */

/* The header of each block that memory_hold() returns; the block is aligned for any object. */
union held {
	struct memory_link link;
	max_align_t aligned;
};

void *memory_hold(void *p, size_t size)
{
	union held *old = p ? (union held *)p - 1 : NULL, *held = NULL;

	if (old)
		memory_unlink(&old->link);
	if (size <= SIZE_MAX - sizeof *held)
		held = realloc(old, sizeof *held + size);
	if (!held && old)
		memory_link(&old->link);        /* realloc() failed, so the old piece still exists */
	if (!held)
		memory_out();
	held->link.mapped = 0;
	held->link.size = sizeof *held + size;
	memory_link(&held->link);
	return held + 1;
}

void memory_drop(void *p)
{
	if (!p)
		return;
	union held *held = (union held *)p - 1;
	memory_unlink(&held->link);
	free(held);
}

void *memory_resize(void *p, size_t size)
{
	void *resized = realloc(p, size);

	if (!resized)
		memory_out();
	return resized;
}
