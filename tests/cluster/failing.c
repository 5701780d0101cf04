/*
 * failing.c - is loaded into a program with LD_PRELOAD, and makes allocation number FAIL_AT and all later ones fail.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);

static int fails(void)
{
	static long left = -1;
	static int known;

	if (!known) {
		const char *at = getenv("FAIL_AT");
		left = at ? atol(at) : 0;
		known = 1;
	}
	return left && --left <= 0 && (left = 1);
}

void *malloc(size_t n) { return fails() ? NULL : __libc_malloc(n); }
void *calloc(size_t n, size_t size) { return fails() ? NULL : __libc_calloc(n, size); }
void *realloc(void *p, size_t n) { return fails() ? NULL : __libc_realloc(p, n); }
