/*
 * libc.c - prints what functions of the C library answer, for many small inputs. run.sh compares the output of two
 * builds: by the compiler of this machine, and by that of the release, whose library has functions of its own. memccpy() is not
 * among them: Zig's leaves out the byte that it looks for, and run.sh refuses a program that calls it.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static uint32_t seed = 1;
static unsigned below(unsigned n) { return (seed = seed * 1664525u + 1013904223u) >> 8, (seed >> 10) % n; }
static void text(char *s, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		s[i] = "abAB,. \t1\xc3"[below(10)];
	s[n] = 0;
}
static void show(const char *what, const char *base, const char *at) { printf("%s %td\n", what, at ? at - base : -1); }
static int sign(int n) { return (n > 0) - (n < 0); }
static int by_byte(const void *a, const void *b) { return *(const unsigned char *)a - *(const unsigned char *)b; }
static void put(const char *what, const char *s, size_t n)
{
	printf("%s ", what);
	for (size_t i = 0; i < n; i++)
		printf("%02x", (unsigned char)s[i]);
	printf("\n");
}

static void strings(void)
{
	char a[40], b[40], to[100], *end, *rest;
	unsigned n = below(30), m = below(6), k = below(36);
	char c = "abAB,. \t1x"[below(10)];

	text(a, n);
	text(b, m);
	show("chr", a, strchr(a, c)), show("rchr", a, strrchr(a, c)), show("str", a, strstr(a, b));
	show("end", a, strchr(a, 0)), show("chrnul", a, strchrnul(a, c)), show("casestr", a, strcasestr(a, b));
	show("memchr", a, memchr(a, c, n)), show("memrchr", a, memrchr(a, c, n)), show("mem", a, memmem(a, n, b, m));
	show("pbrk", a, strpbrk(a, b));
	printf("%zu %zu %zu %zu\n", strspn(a, b), strcspn(a, b), strnlen(a, k), strlen(a));
	printf("%d %d %d %d %d\n", sign(strcmp(a, b)), sign(strncmp(a, b, k)),
		sign(strcasecmp(a, b)), sign(strncasecmp(a, b, k)),
		sign(memcmp(a, b, m)));
	memset(to, 'X', sizeof to), show("stpcpy", to, stpcpy(to, a)), put("", to, 50);
	memset(to, 'X', sizeof to), strncpy(to, a, k), put("strncpy", to, 50);
	memset(to, 'X', sizeof to), show("stpncpy", to, stpncpy(to, a, k)), put("", to, 50);
	memset(to, 'X', sizeof to), show("mempcpy", to, mempcpy(to, a, n)), put("", to, 50);
	memset(to, 'X', sizeof to), strcpy(to, a), strcat(to, b), strncat(to, a, m), put("strcat", to, 90);
	memset(to, 'X', sizeof to), memcpy(to, a, n), memmove(to + m, to, n), put("memmove", to, 50);
	strcpy(to, a);
	for (char *p = strtok_r(to, ",. ", &rest); p; p = strtok_r(NULL, ",. ", &rest))
		printf("<%s>", p);
	strcpy(to, a), end = to;
	for (char *p; (p = strsep(&end, ",. "));)
		printf("[%s]", p);
	end = strndup(a, k), printf("%s\n", end), free(end);
	qsort(a, n, 1, by_byte), put("sort", a, n);
	show("search", a, bsearch(&c, a, n, 1, by_byte));
}

static void numbers(void)
{
	static const char *const texts[] = { "0", "-1", "+7", " 12x", "0x1f", "0x", "017", "08",
		"99999999999999999999", "-99999999999999999999", "",
		"-", "1e3", "1.5e-3z", ".5", "5.", "inf", "nan", "1e400", "0x1p4", "4.9e-324",
		"123456789012345678", "1e", "0b11" };

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		char *end;
		/* the end of a number that is too large differs: Zig's is the digit that does not fit */
		errno = 0;
		long long l = strtoll(texts[i], &end, 10);
		printf("%s: %lld %d %td", texts[i], l, errno == ERANGE, errno ? 0 : end - texts[i]);
		errno = 0;
		l = strtoll(texts[i], &end, 16);
		printf(" %lld %d %td", l, errno == ERANGE, errno ? 0 : end - texts[i]);
		unsigned long long u = strtoull(texts[i], &end, 0);
		if (strncmp(texts[i], "0b", 2) != 0)            /* binary since C23 */
			printf(" %llu %td", u, end - texts[i]);
		double d = strtod(texts[i], &end);
		printf(" %.17g %td", d, end - texts[i]);
		printf(" %d %g\n", strlen(texts[i]) < 9 ? atoi(texts[i]) : 0, atof(texts[i]));
	}
	printf("%5d|%-5d|%05d|%+d|%x|%#o|%8.3f|%.0e|%g|%s|%.3s|%*d|%zu|%c|%%|%lld\n",
		42, 42, 42, 42, 255u, 8u, 3.14159, 12345.0, 1e-5, "text", "text", 4, 7, (size_t)9, 'c', -1LL);
	for (int c = 0; c < 256; c++)
		printf("%d%d%d%d%d%d%d%c", !!isalpha(c), !!isdigit(c), !!isspace(c), !!isupper(c),
			!!ispunct(c), !!isxdigit(c), !!iscntrl(c),
			c % 16 == 15 ? '\n' : ' ');
	for (int c = 0; c < 256; c++)
		printf("%d %d%c", toupper(c), tolower(c), c % 16 == 15 ? '\n' : ' ');
}

int main(void)
{
	for (int i = 0; i < 3000; i++)
		strings();
	numbers();
	return 0;
}
