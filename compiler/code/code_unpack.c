/*
 * code_unpack.c - reads the archive twice: first for its id, then to write its files. It knows only what archive.c
 * writes, and refuses anything else, so that a file outside of the directory cannot be named.
 */
#include "code/code_unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#define ZLIB_CONST              /* zlib does not write to its input */
#include <zlib.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/sha256.h"

enum { BLOCK = 512, LONGEST = 4096, LONGEST_RECORD = 64 * 1024 };

struct unpacking {
	struct arena *arena;
	z_stream zip;
	int to;
	const struct unpack_visitor *visitor;   /* takes the entries instead of the directory `to`; may be NULL */
	struct str why;                 /* empty: nothing has failed */
	struct buf path, target;        /* from a record of pax, for the next entry */
};

static bool fail_unpacking(struct unpacking *u, struct str path, const char *what)
{
	u->why = str_printf(u->arena, "'%.*s': %s", STR_ARG(path), what);
	return false;
}

static bool begin_unpacking(struct unpacking *u, struct str packed)
{
	u->zip = (z_stream){ .next_in = (const Bytef *)packed.p, .avail_in = (uInt)packed.n };
	if (inflateInit2(&u->zip, 16 + 15) != Z_OK)
		memory_out();
	return packed.n < UINT32_MAX;
}

/* Reads up to N bytes of the archive; returns their number, which is less only at its end or if it is damaged. */
static size_t take_bytes(struct unpacking *u, void *to, size_t n)
{
	u->zip.next_out = to;
	u->zip.avail_out = (uInt)n;
	while (u->zip.avail_out)
		if (inflate(&u->zip, Z_NO_FLUSH) != Z_OK)
			break;
	return n - u->zip.avail_out;
}

/* ---- the id ---- */

static bool is_right(struct unpacking *u, struct str packed, struct str id)
{
	char piece[64 * 1024], found[65];
	struct sha256 hash;
	size_t n;

	sha256_init(&hash);
	bool ok = begin_unpacking(u, packed);
	while (ok && (n = take_bytes(u, piece, sizeof piece)) > 0)
		sha256_add(&hash, piece, n);
	inflateEnd(&u->zip);
	sha256_end(&hash, found);
	if (ok && str_is(id, found))
		return true;
	u->why = str_printf(u->arena, "the archive is not %.*s", STR_ARG(id));
	return false;
}

/* ---- entries ---- */

static uint64_t octal_of(const char *field, size_t n)
{
	uint64_t number = 0;

	for (size_t i = 0; i < n && field[i] >= '0' && field[i] <= '7'; i++)
		number = number * 8 + (uint64_t)(field[i] - '0');
	return number;
}

static void put_header_field(struct buf *to, const char *field, size_t most)
{
	buf_put(to, field, strnlen(field, most));
}

/* Is it a path that stays below the directory? */
static bool is_entry_below(struct str path)
{
	if (!path.n || *path.p == '/' || path.n >= LONGEST || memchr(path.p, '\0', path.n))
		return false;
	for (size_t i = 0; i < path.n;) {
		const char *slash = memchr(path.p + i, '/', path.n - i);
		struct str part = { path.p + i, slash ? (size_t)(slash - path.p) - i : path.n - i };
		if (!part.n || str_is(part, ".") || str_is(part, ".."))
			return false;
		i += part.n + 1;
	}
	return true;
}

/* Opens the directory of PATH, and makes those that are missing. Never goes through a link. Returns -1 on failure. */
static int open_parent(struct unpacking *u, struct str path)
{
	int at = fcntl(u->to, F_DUPFD_CLOEXEC, 0);

	for (size_t i = 0; at >= 0 && i < path.n;) {
		const char *slash = memchr(path.p + i, '/', path.n - i);
		if (!slash)
			break;
		struct str part = str_copy(u->arena, (struct str){ path.p + i, (size_t)(slash - path.p) - i });
		mkdirat(at, part.p, 0755);
		int next = openat(at, part.p, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(at);
		at = next;
		i += part.n + 1;
	}
	return at;
}

static struct str entry_name(struct unpacking *u, struct str path)
{
	const char *slash = memrchr(path.p, '/', path.n);

	return str_copy(u->arena, slash ? (struct str){ slash + 1, path.n - (size_t)(slash + 1 - path.p) } : path);
}

/*
 * Removes the entry of an earlier attempt, such as one that the node ended. A directory stays, and the entry then
 * cannot be written.
 */
static const char *free_name(struct unpacking *u, int parent, struct str path)
{
	struct str name = entry_name(u, path);

	unlinkat(parent, name.p, 0);
	return name.p;
}

/* Copies the content of a file, or passes it on if FD is -1. */
static bool copy_content(struct unpacking *u, int fd, struct str path, uint64_t size)
{
	char piece[64 * 1024];

	for (uint64_t left = (size + BLOCK - 1) / BLOCK * BLOCK; left;) {
		size_t want = left < sizeof piece ? (size_t)left : sizeof piece;
		size_t use = size < want ? (size_t)size : want;
		if (take_bytes(u, piece, want) != want)
			return fail_unpacking(u, path, "the archive is damaged");
		if (fd >= 0 && !file_write_all(fd, piece, use))
			return fail_unpacking(u, path, file_reason(u->arena, errno).p);
		left -= want;
		size -= use;
		if (fd < 0 && use)
			u->visitor->bytes(u->visitor->to, (struct str){ piece, use }, !size);
	}
	return true;
}

static bool write_entry(struct unpacking *u, struct str path, mode_t mode, uint64_t size)
{
	int parent = open_parent(u, path);
	int fd = parent < 0 ? -1 : openat(parent, free_name(u, parent, path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		mode);
	bool ok = fd >= 0 && fchmod(fd, mode) == 0 && copy_content(u, fd, path, size);

	if (!ok && !u->why.n)
		fail_unpacking(u, path, file_reason(u->arena, errno).p);
	if (parent >= 0)
		close(parent);
	if (fd >= 0)
		close(fd);
	return ok;
}

static bool write_link(struct unpacking *u, struct str path, struct str target)
{
	int parent = open_parent(u, path);
	bool ok = parent >= 0 && symlinkat(str_copy(u->arena, target).p, parent, free_name(u, parent, path)) == 0;

	if (!ok)
		fail_unpacking(u, path, file_reason(u->arena, errno).p);
	if (parent >= 0)
		close(parent);
	return ok;
}

/* Reads a record of pax: lines of the form "LENGTH KEY=VALUE\n". */
static bool read_pax(struct unpacking *u, uint64_t size)
{
	char text[LONGEST_RECORD];
	size_t n = (size_t)((size + BLOCK - 1) / BLOCK * BLOCK);

	if (size > LONGEST_RECORD - BLOCK || take_bytes(u, text, n) != n)
		return fail_unpacking(u, STR("pax"), "the archive is damaged");
	for (size_t i = 0; i < size;) {
		size_t length = 0, digits = 0;
		for (; i + digits < size && text[i + digits] >= '0' && text[i + digits] <= '9' && digits < 6; digits++)
			length = length * 10 + (size_t)(text[i + digits] - '0');
		if (length < digits + 3 || length > size - i)
			return fail_unpacking(u, STR("pax"), "the archive is damaged");
		struct str line = { text + i + digits + 1, length - digits - 2 };
		if (str_starts(line, STR("path=")))
			buf_put(&u->path, line.p + 5, line.n - 5);
		else if (str_starts(line, STR("linkpath=")))
			buf_put(&u->target, line.p + 9, line.n - 9);
		i += length;
	}
	return true;
}

/* Unpacks the entry with the header H. */
static bool unpack_entry(struct unpacking *u, const char *h)
{
	uint64_t size = octal_of(h + 124, 12);
	char type = h[156];

	if (type == 'x')
		return read_pax(u, size);
	if (!u->path.n && h[345]) {
		put_header_field(&u->path, h + 345, 155);
		buf_char(&u->path, '/');
		put_header_field(&u->path, h, 100);
	} else if (!u->path.n) {
		put_header_field(&u->path, h, 100);
	}
	if (!u->target.n)
		put_header_field(&u->target, h + 157, 100);
	struct str path = str_copy(u->arena, buf_text(&u->path)), target = str_copy(u->arena, buf_text(&u->target));
	u->path.n = u->target.n = 0;
	if (!is_entry_below(path) || (type != '0' && type != '2'))
		return fail_unpacking(u, path, "such an entry is not allowed");
	if (u->visitor) {
		bool link = type == '2';
		struct unpack_entry e = { path, target, link, octal_of(h + 100, 8) & 0755, link ? 0 : size };
		u->visitor->entry(u->visitor->to, &e);
		return copy_content(u, -1, path, e.size);
	}
	return type == '2' ? write_link(u, path, target) : write_entry(u, path, octal_of(h + 100, 8) & 0755, size);
}

/* Unpacks all entries, and releases what unpacking needs. */
static bool unpack_entries(struct unpacking *u, struct str packed)
{
	char header[BLOCK];
	bool ok = begin_unpacking(u, packed);

	while (ok && take_bytes(u, header, BLOCK) == BLOCK && header[0])
		ok = unpack_entry(u, header);
	inflateEnd(&u->zip);
	buf_release(&u->path);
	buf_release(&u->target);
	return ok;
}

bool unpack_code(struct arena *a, struct str packed, struct str id, int to, struct str *why)
{
	struct unpacking u = { .arena = a, .to = to };
	bool ok = is_right(&u, packed, id) && unpack_entries(&u, packed);

	*why = u.why;
	return ok;
}

bool unpack_visit(struct arena *a, struct str packed, const struct unpack_visitor *v)
{
	struct unpacking u = { .arena = a, .to = -1, .visitor = v };

	return unpack_entries(&u, packed);
}

bool unpack_parts(struct arena *a, struct str directory, struct str *ret, struct str *why)
{
	struct buf all = { 0 };
	struct str part, path = STR("");

	for (unsigned i = 0;; i++) {
		path = str_printf(a, "%.*s/part-%03u", STR_ARG(directory), i);
		if (access(path.p, F_OK) != 0 || !file_read(a, path, &part, why))
			break;
		buf_str(&all, part);
	}
	bool ok = all.n > 0 && access(path.p, F_OK) != 0;
	if (!all.n)
		*why = str_printf(a, "'%.*s' has no part of an archive", STR_ARG(directory));
	*ret = buf_take(&all, a);
	buf_release(&all);
	return ok;
}
