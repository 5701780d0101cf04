/* str.c - text as pointer and length, and the table of interned names. */
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __linux__
#include <sys/auxv.h>
#endif

int str_cmp(struct str a, struct str b)
{
	size_t n = a.n < b.n ? a.n : b.n;
	int d = n ? memcmp(a.p, b.p, n) : 0;
	return d ? d : (a.n > b.n) - (a.n < b.n);
}

bool str_is_hex(struct str s, size_t n)
{
	size_t i = 0;

	while (i < s.n && ((s.p[i] >= '0' && s.p[i] <= '9') || (s.p[i] >= 'a' && s.p[i] <= 'f')))
		i++;
	return i == s.n && s.n == n;
}

bool str_number(struct str s, size_t most, int64_t *ret)
{
	int64_t n = 0;

	if (!s.n || s.n > most)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
		n = 10 * n + (s.p[i] - '0');
	}
	*ret = n;
	return true;
}

struct str str_take(struct str *rest, char by)
{
	const char *end = rest->n ? memchr(rest->p, by, rest->n) : NULL;
	struct str part = { rest->p, end ? (size_t)(end - rest->p) : rest->n };

	*rest = end ? (struct str){ end + 1, rest->n - part.n - 1 } : STR("");
	return part;
}

struct str str_copy(struct arena *a, struct str s)
{
	return (struct str){ arena_copy(a, s.p, s.n), s.n };
}

char *str_cat_chars(struct arena *arena, struct str a, struct str b, struct str c)
{
	char *p = arena_alloc(arena, a.n + b.n + c.n + 1);
	struct str parts[3] = { a, b, c };
	size_t n = 0;
	for (int i = 0; i < 3; i++) {
		if (parts[i].n)
			memcpy(p + n, parts[i].p, parts[i].n);
		n += parts[i].n;
	}
	return p;
}

struct str str_cat(struct arena *arena, struct str a, struct str b, struct str c)
{
	return (struct str){ str_cat_chars(arena, a, b, c), a.n + b.n + c.n };
}

struct str str_replace(struct arena *a, struct str s, const char *characters, char to)
{
	char *p = arena_copy(a, s.p, s.n);

	for (size_t i = 0; i < s.n; i++)
		if (p[i] && strchr(characters, p[i]))
			p[i] = to;
	return (struct str){ p, s.n };
}

char **str_argv(struct arena *a, const char *const *words)
{
	char **argv = NULL;
	size_t n = 0;

	for (; *words; words++)
		ARENA_PUSH(a, argv, n, arena_copy(a, *words, strlen(*words)));
	ARENA_PUSH(a, argv, n, NULL);
	return argv;
}

struct str str_digits(char room[STR_DIGITS], int64_t n)
{
	char *end = room + STR_DIGITS, *p = end;
	uint64_t left = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;

	do
		*--p = (char)('0' + left % 10);
	while (left /= 10);
	if (n < 0)
		*--p = '-';
	return (struct str){ p, (size_t)(end - p) };
}

bool str_covered(struct str s, struct str pattern)
{
	return str_ends(pattern, STR("*")) ? str_starts(s, (struct str){ pattern.p, pattern.n - 1 })
		: str_eq(s, pattern);
}

bool str_is_word(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i], letter = c | 32;
		if (c != '_' && (letter < 'a' || letter > 'z') && (i == 0 || c < '0' || c > '9'))
			return false;
	}
	return s.n > 0;
}

struct str str_lower(struct arena *a, struct str s)
{
	char *p = arena_copy(a, s.p, s.n);

	for (size_t i = 0; i < s.n; i++)
		if (p[i] >= 'A' && p[i] <= 'Z')
			p[i] += 'a' - 'A';
	return (struct str){ p, s.n };
}

void str_double_put(char room[STR_DOUBLE], double number)
{
	int digits = 15;

	do
		snprintf(room, STR_DOUBLE, "%.*g", digits, number);
	while (digits++ < 17 && strtod(room, NULL) != number);
}

struct str str_double(struct arena *a, double number)
{
	char text[STR_DOUBLE];

	str_double_put(text, number);
	return str_copy(a, str_of(text));
}

struct str str_int(struct arena *a, int64_t n)
{
	char room[STR_DIGITS];
	return str_copy(a, str_digits(room, n));
}

/*
 * Most texts are short, so they are first printed to a buffer on the stack, and only a longer one is printed a second
 * time.
 */
struct str str_printf(struct arena *a, const char *fmt, ...)
{
	char small[256];
	va_list args, again;
	va_start(args, fmt);
	va_copy(again, args);
	int n = vsnprintf(small, sizeof small, fmt, args);
	va_end(args);
	struct str s = STR("");
	if (n >= 0 && (size_t)n < sizeof small) {
		s = (struct str){ arena_copy(a, small, (size_t)n), (size_t)n };
	} else if (n >= 0) {
		char *p = arena_alloc(a, (size_t)n + 1);
		vsnprintf(p, (size_t)n + 1, fmt, again);
		s = (struct str){ p, (size_t)n };
	}
	va_end(again);
	return s;
}

size_t str_chars(struct str s)
{
	size_t count = 0;
	for (size_t i = 0; i < s.n; i++)
		count += ((unsigned char)s.p[i] & 0xC0) != 0x80;
	return count;
}

size_t str_utf8(const char *bytes, size_t n)
{
	const unsigned char *p = (const unsigned char *)bytes;

	if (p[0] < 0x80)
		return 1;
	size_t len = p[0] >= 0xF0 ? 4 : p[0] >= 0xE0 ? 3 : 2;
	if (p[0] < 0xC2 || p[0] > 0xF4 || len > n)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((p[i] & 0xC0) != 0x80)
			return 0;
	if ((p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xED && p[1] > 0x9F) ||
	    (p[0] == 0xF0 && p[1] < 0x90) || (p[0] == 0xF4 && p[1] > 0x8F))
		return 0;
	return len;
}

size_t str_malformed(struct str s)
{
	size_t i = 0, n;

	while (i < s.n && s.p[i] && (n = str_utf8(s.p + i, s.n - i)))
		i += n;
	return i;
}

/*
 * The hash starts from a number that differs in each process. Otherwise, somebody could write a file with names that
 * collide. No output depends on that number, because tables are listed in insertion order.
 */
static uint64_t hash_seed[2] = { 0x9e3779b97f4a7c15u, 0xc2b2ae3d27d4eb4fu };

__extension__ typedef unsigned __int128 wide;

static uint64_t hash_fold(uint64_t a, uint64_t b)
{
	wide product = (wide)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

#if defined __linux__ && !defined FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
/*
 * Sets the seed from the 16 random bytes that the kernel gives each process, which needs no system call. This runs
 * before there are threads. Fuzzers need repeatable runs, so they use a fixed seed.
 */
__attribute__((constructor)) static void hash_seed_init(void)
{
	const void *given = (const void *)(uintptr_t)getauxval(AT_RANDOM);
	uint64_t chance[2];

	if (!given)
		return;
	memcpy(chance, given, sizeof chance);
	hash_seed[0] ^= hash_fold(chance[0] ^ hash_seed[1], chance[1] | 1);
	hash_seed[1] = (hash_seed[1] ^ hash_fold(chance[1] ^ hash_seed[0], chance[0] | 1)) | 1;
}
#endif

static uint64_t load8(const char *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof word);
	return word;
}

/* The N bytes at P as one number, for N from 1 to 7. Reads of fixed sizes, which may overlap, avoid calls and loops. */
static uint64_t load_short(const char *p, size_t n)
{
	uint32_t low, high;

	if (n < sizeof low)
		return (uint64_t)(unsigned char)p[0] << 16 | (uint64_t)(unsigned char)p[n / 2] << 8 |
			(unsigned char)p[n - 1];
	memcpy(&low, p, sizeof low);
	memcpy(&high, p + n - sizeof high, sizeof high);
	return (uint64_t)high << 32 | low;
}

uint32_t str_hash(struct str s)
{
	uint64_t h = hash_seed[0] ^ s.n;

	if (s.n < sizeof h) {
		h = s.n ? hash_fold(h ^ load_short(s.p, s.n), hash_seed[1]) : h;
	} else {
		for (size_t i = 0; i + sizeof h < s.n; i += sizeof h)
			h = hash_fold(h ^ load8(s.p + i), hash_seed[1]);
		/* the last 8 bytes, some of which were already read */
		h = hash_fold(h ^ load8(s.p + s.n - sizeof h), hash_seed[1]);
	}
	h = hash_fold(h, hash_seed[1]);
	return (uint32_t)(h ^ h >> 32);
}

uint32_t str_hash_stable(struct str s)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 16777619u;
	return h;
}

/* A slot has 16 bytes: a small program's table is a page of memory. */
struct name_slot {
	const char *text;               /* NULL: the slot is empty */
	uint32_t length, hash;
};

static void names_grow(struct names *t)
{
	size_t size = t->size ? t->size * 2 : 256;
	struct name_slot *slots = ARENA_ARRAY(t->arena, struct name_slot, size);
	for (size_t i = 0; i < t->size; i++) {
		if (!t->slots[i].text)
			continue;
		size_t at = t->slots[i].hash & (size - 1);
		while (slots[at].text)
			at = (at + 1) & (size - 1);
		slots[at] = t->slots[i];
	}
	t->slots = slots;
	t->size = size;
}

struct str names_intern(struct names *t, struct str s)
{
	if (t->used * 4 >= t->size * 3)
		names_grow(t);
	uint32_t hash = str_hash(s);
	size_t at = hash & (t->size - 1);
	for (struct name_slot *slot; (slot = &t->slots[at])->text; at = (at + 1) & (t->size - 1))
		if (slot->hash == hash && str_eq((struct str){ slot->text, slot->length }, s))
			return (struct str){ slot->text, s.n };
	struct str text = str_copy(t->arena, s);
	t->slots[at] = (struct name_slot){ text.p, (uint32_t)text.n, hash };
	t->used++;
	return text;
}
