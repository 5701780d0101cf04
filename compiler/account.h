/*
 * account.h - the memory of programs that callers of the library opened.
 *
 * When memory runs out in the middle of a call, what the program was being made of is in no known state: nothing can
 * be done with it but to free its pieces one by one.  So each program has an account of them.  Programs that were
 * once used in one call share an account from then on, since either may hold pieces of the other's.
 */
#ifndef TRAINC_ACCOUNT_H
#define TRAINC_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>

struct account;

/* The account of a program that is about to be opened; NULL without memory. */
struct account *account_new(void);

/* The accounts of two programs become one. */
void account_join(struct account *a, struct account *b);

/* Does ACT with WITH; false when memory runs out, or did so earlier.  Without an account (NULL) the process ends instead. */
bool account_run(struct account *a, void (*act)(void *with), void *with);

/* Has memory run out? */
bool account_is_spent(const struct account *a);

/* One program fewer: behind the last, everything is freed that is left of programs whose memory ran out. */
void account_close(struct account *a);

#endif
