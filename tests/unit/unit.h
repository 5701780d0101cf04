/*
 * unit.h - shared by the unit tests: a counter, and checks that print the values they compared.
 */
#ifndef TRAINC_UNIT_H
#define TRAINC_UNIT_H

#include <stdio.h>

#include "base/str.h"

static unsigned unit_passed, unit_failed;

static inline void check_at(int line, bool ok, const char *what)
{
	unit_passed += ok;
	unit_failed += !ok;
	printf("%s line %d: %s\n", ok ? "ok" : "FAIL", line, what);
}

static inline void check_text_at(int line, struct str got, const char *want)
{
	bool ok = str_is(got, want);

	unit_passed += ok;
	unit_failed += !ok;
	if (ok)
		printf("ok line %d\n", line);
	else
		printf("FAIL line %d\n--- want\n%s\n--- got\n%.*s\n---\n", line, want, STR_ARG(got));
}

#define CHECK(condition) check_at(__LINE__, condition, #condition)
#define CHECK_TEXT(got, want) check_text_at(__LINE__, got, want)

static inline int unit_end(void)
{
	printf("%u passed, %u failed\n", unit_passed, unit_failed);
	return unit_failed != 0;
}

#endif
