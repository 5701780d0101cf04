/* tar_header.c - see tar_header.h. */
#include "code/tar_header.h"

#include <string.h>

enum { NAME_ROOM = 100, PREFIX_ROOM = 155, SIZE_BITS = 33 };

static void octal(char *field, size_t size, uint64_t number)
{
	for (size_t i = size - 1; i-- > 0; number /= 8)
		field[i] = (char)('0' + number % 8);
	field[size - 1] = '\0';
}

/* Puts a path into a header; false if it has no room there. A slash divides its two fields. */
static bool put_path(char *header, struct str path)
{
	size_t cut = 0;

	if (path.n <= NAME_ROOM) {
		memcpy(header, path.p, path.n);
		return true;
	}
	for (size_t i = path.n - NAME_ROOM - 1; i < path.n - 1 && i <= PREFIX_ROOM && !cut; i++)
		cut = path.p[i] == '/' ? i : 0;
	if (!cut)
		return false;
	memcpy(header, path.p + cut + 1, path.n - cut - 1);
	memcpy(header + 345, path.p, cut);
	return true;
}

static void put_block(struct buf *to, const struct tar_header *e)
{
	char h[TAR_BLOCK] = { 0 };
	unsigned sum = 0;

	if (!put_path(h, e->path))              /* a record before it has the whole path */
		memcpy(h, e->path.p, NAME_ROOM);
	octal(h + 100, 8, e->mode);
	octal(h + 108, 8, 0);
	octal(h + 116, 8, 0);
	octal(h + 124, 12, e->size >> SIZE_BITS ? 0 : e->size);
	octal(h + 136, 12, 0);
	memset(h + 148, ' ', 8);
	h[156] = e->type;
	if (e->target.n)
		memcpy(h + 157, e->target.p, e->target.n < NAME_ROOM ? e->target.n : NAME_ROOM);
	memcpy(h + 257, "ustar\00000", 8);
	for (size_t i = 0; i < TAR_BLOCK; i++)
		sum += (unsigned char)h[i];
	octal(h + 148, 7, sum);
	buf_put(to, h, TAR_BLOCK);
}

/* Adds "LENGTH KEY=VALUE\n"; the length counts its own digits. */
static void pax_line(struct buf *to, const char *key, struct str value)
{
	size_t rest = strlen(key) + value.n + 3, n = rest + 1;

	for (size_t digits = 1, most = 10; rest + digits >= most; most *= 10)
		n = rest + ++digits;
	buf_printf(to, "%zu %s=%.*s\n", n, key, STR_ARG(value));
}

/* Puts a record of pax before an entry that needs one. */
static void put_pax(struct buf *to, const struct tar_header *e)
{
	static const char zeros[TAR_BLOCK];
	char unused[TAR_BLOCK] = { 0 };
	struct buf lines = { 0 }, size = { 0 };

	if (!put_path(unused, e->path))
		pax_line(&lines, "path", e->path);
	if (e->target.n > NAME_ROOM)
		pax_line(&lines, "linkpath", e->target);
	buf_printf(&size, "%llu", (unsigned long long)e->size);
	if (e->size >> SIZE_BITS)
		pax_line(&lines, "size", buf_text(&size));
	if (lines.n) {
		put_block(to, &(struct tar_header){ STR("pax"), STR(""), 'x', 0644, lines.n });
		buf_str(to, buf_text(&lines));
		buf_put(to, zeros, (size_t)(-lines.n % TAR_BLOCK));
	}
	buf_release(&lines);
	buf_release(&size);
}

void tar_header_put(struct buf *to, const struct tar_header *h)
{
	put_pax(to, h);
	put_block(to, h);
}
