/*
 * account.h - keeps account of the memory of programs that callers of the library opened. When memory runs out in the
 * middle of a call, the data structures of the program may be incomplete: nothing can be done with them except to
 * free their pieces one by one. So each program has an account of its pieces. Programs that were once used in one
 * call share an account from then on, since either may hold pieces of the other.
 */
#ifndef TRAINC_ACCOUNT_H
#define TRAINC_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>

struct account;

/* Returns an account for a program that is about to be opened; NULL when memory runs out. */
struct account *account_new(void);

/* Joins the accounts of two programs into one. */
void account_join(struct account *a, struct account *b);

/*
 * Calls ACT with WITH. Returns false if memory runs out during the call, or had run out before. If A is NULL, the
 * process ends instead.
 */
bool account_run(struct account *a, void (*act)(void *with), void *with);

/* Did memory run out for a program of the account? */
bool account_is_spent(const struct account *a);

/*
 * Closes one program of the account.  With the last one, frees everything that is left of programs whose memory ran
 * out.
 */
void account_close(struct account *a);

#endif
