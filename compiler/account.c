/*
 * account.c - joins accounts: the account that others have joined holds the pieces of all of them.
 */
#include "account.h"

#include <stdlib.h>

#include "base/memory.h"

struct account {
	struct memory memory;
	struct account *joined;         /* the account that this account has joined; NULL: it has joined no other
					 * account */
	struct account *parts;          /* accounts that joined this one, linked by `next` */
	struct account *next;
	size_t programs;                /* number of open programs */
	bool spent;
};

static struct account *whole(struct account *a)
{
	while (a->joined)
		a = a->joined;
	return a;
}

struct account *account_new(void)
{
	struct account *a = calloc(1, sizeof *a);

	if (a)
		a->programs = 1;
	return a;
}

void account_join(struct account *a, struct account *b)
{
	if (!a || !b || (a = whole(a)) == (b = whole(b)))
		return;
	memory_join(&a->memory, &b->memory);
	a->programs += b->programs;
	a->spent = a->spent || b->spent;
	b->joined = a;
	b->next = a->parts;
	a->parts = b;
}

bool account_run(struct account *a, void (*act)(void *with), void *with)
{
	if (!a) {
		act(with);
		return true;
	}
	a = whole(a);
	a->spent = a->spent || !memory_try(&a->memory, act, with);
	return !a->spent;
}

bool account_is_spent(const struct account *a)
{
	for (; a && a->joined; a = a->joined)
		;
	return a && a->spent;
}

static void free_parts(struct account *a)
{
	for (struct account *part = a->parts, *next; part; part = next) {
		next = part->next;
		free_parts(part);
		free(part);
	}
}

void account_close(struct account *a)
{
	if (!a || --(a = whole(a))->programs > 0)
		return;
	if (a->spent)
		memory_give_back(&a->memory);
	else
		memory_forget(&a->memory);
	free_parts(a);
	free(a);
}
