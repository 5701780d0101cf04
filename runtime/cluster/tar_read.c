/* tar_read.c - see tar_read.h. */
#include "runtime/cluster/tar_read.h"

#include "base/words.h"

enum { TAR_PART = 255 };                /* bytes of one part of a path */
#define TAR_SIZE_MOST (UINT64_C(1) << 60)

static bool tar_refuse(struct tar_reader *r, struct str name, const char *what)
{
	r->why.n = 0;
	if (name.n) {
		buf_char(&r->why, '\'');
		put_escaped(&r->why, name.n > TAR_PART ? (struct str){ name.p, TAR_PART } : name);
		buf_z(&r->why, "' ");
	}
	buf_z(&r->why, what);
	return false;
}

/* ---- fields of a header ---- */

/* Reads a number in octal digits, or in the form of GNU for large ones; false if it is neither, or too large. */
static bool read_number(const char *field, size_t n, uint64_t *ret)
{
	bool binary = (unsigned char)field[0] == 0x80;
	size_t i = binary ? 1 : 0;

	*ret = 0;
	while (!binary && i < n && field[i] == ' ')
		i++;
	for (; i < n && *ret < TAR_SIZE_MOST; i++) {
		unsigned char c = (unsigned char)field[i];
		if (!binary && (c == ' ' || c == '\0'))
			return true;
		if (!binary && (c < '0' || c > '7'))
			return false;
		*ret = binary ? *ret << 8 | c : *ret << 3 | (uint64_t)(c - '0');
	}
	return *ret < TAR_SIZE_MOST;
}

static bool has_right_sum(const char *h)
{
	uint64_t want, sum = 0;

	for (size_t i = 0; i < TAR_HEADER; i++)
		sum += i >= 148 && i < 156 ? ' ' : (unsigned char)h[i];
	return read_number(h + 148, 8, &want) && want == sum;
}

/* Does the header have the field for the beginning of a path? GNU's own format keeps times there. */
static bool has_prefix(const char *h) { return memcmp(h + 257, "ustar\0", 6) == 0 && h[345]; }

/* ---- paths ---- */

/* Takes the root away from a path; false if the path leaves the root, or is not below it. */
static bool tar_below(const struct tar_reader *r, struct str *path)
{
	struct str rest = *path;
	size_t n = 0;

	if (!rest.n || *rest.p == '/' || memchr(rest.p, '\0', rest.n))
		return false;
	while (str_starts(rest, STR("./")))
		rest = (struct str){ rest.p + 2, rest.n - 2 };
	while (rest.n && rest.p[rest.n - 1] == '/')
		rest.n--;
	bool whole = str_is(r->root, ".");
	if (whole && str_is(rest, "."))
		rest.n = 0;
	if (!whole) {
		if (!str_starts(rest, r->root) || (rest.n > r->root.n && rest.p[r->root.n] != '/'))
			return false;
		n = rest.n > r->root.n ? r->root.n + 1 : r->root.n;
	}
	*path = (struct str){ rest.p + n, rest.n - n };
	for (size_t i = 0; i < path->n;) {
		const char *slash = memchr(path->p + i, '/', path->n - i);
		struct str part = { path->p + i, slash ? (size_t)(slash - path->p) - i : path->n - i };
		if (!part.n || part.n > TAR_PART || str_is(part, ".") || str_is(part, ".."))
			return false;
		i += part.n + 1;
	}
	return true;
}

/* ---- records ---- */

/* Reads a record of pax: lines of the form "LENGTH KEY=VALUE\n". */
static bool read_pax_record(struct tar_reader *r, struct str text)
{
	for (size_t i = 0; i < text.n;) {
		size_t length = 0, digits = 0;
		while (i + digits < text.n && text.p[i + digits] >= '0' && text.p[i + digits] <= '9' && digits < 6)
			length = length * 10 + (size_t)(text.p[i + digits++] - '0');
		if (!digits || length < digits + 3 || length > text.n - i || text.p[i + digits] != ' ')
			return tar_refuse(r, STR(""), "a record of the archive is damaged");
		struct str line = { text.p + i + digits + 1, length - digits - 2 };
		if (str_starts(line, STR("path="))) {
			r->path.n = 0;
			buf_put(&r->path, line.p + 5, line.n - 5);
		} else if (str_starts(line, STR("linkpath="))) {
			r->target.n = 0;
			buf_put(&r->target, line.p + 9, line.n - 9);
		} else if (str_starts(line, STR("size="))) {
			r->sized = line.n > 5 && line.n < 24;
			r->size = 0;
			for (size_t k = 5; k < line.n && r->sized; k++) {
				r->sized = line.p[k] >= '0' && line.p[k] <= '9' && r->size < TAR_SIZE_MOST;
				r->size = r->size * 10 + (uint64_t)(line.p[k] - '0');
			}
			if (!r->sized || r->size >= TAR_SIZE_MOST)
				return tar_refuse(r, STR(""), "a size in the archive is not possible");
		} else if (str_starts(line, STR("GNU.sparse."))) {
			return tar_refuse(r, buf_text(&r->path), "is a sparse file, in a form that is not read");
		}
		i += length;
	}
	return true;
}

static bool end_record(struct tar_reader *r)
{
	struct str text = buf_text(&r->record);
	struct buf *name = r->kind == 'L' ? &r->path : &r->target;
	bool ok = true;

	if (r->kind == 'x') {
		ok = read_pax_record(r, text);
	} else if (r->kind != 'g') {
		name->n = 0;
		buf_put(name, text.p, text.n ? strnlen(text.p, text.n) : 0);
	}
	r->record.n = 0;
	return ok;
}

/* ---- entries ---- */

/* Completes the path and the target from the header, unless a record had them. */
static void name_entry(struct tar_reader *r, const char *h)
{
	if (!r->path.n && has_prefix(h)) {
		buf_put(&r->path, h + 345, strnlen(h + 345, 155));
		buf_char(&r->path, '/');
		buf_put(&r->path, h, strnlen(h, 100));
	} else if (!r->path.n) {
		buf_put(&r->path, h, strnlen(h, 100));
	}
	if (!r->target.n)
		buf_put(&r->target, h + 157, strnlen(h + 157, 100));
}

static bool take_kind(struct tar_reader *r, char type, struct tar_entry *e)
{
	switch (type) {
	case '0': case '\0': case '7': e->kind = TAR_FILE; return true;
	case '5': e->kind = TAR_DIRECTORY; return true;
	case '2': e->kind = TAR_LINK; return true;
	case '1': e->kind = TAR_HARD_LINK; return true;
	case '3': case '4': return tar_refuse(r, buf_text(&r->path), "is a device, and is not copied");
	case '6': return tar_refuse(r, buf_text(&r->path), "is a pipe, and is not copied");
	default: return tar_refuse(r, buf_text(&r->path), "is of a kind that is not copied");
	}
}

static bool begin_entry(struct tar_reader *r, const char *h)
{
	struct tar_entry e = { 0 };
	uint64_t mode, size;

	name_entry(r, h);
	struct str whole = buf_text(&r->path);
	e.path = whole;
	e.target = buf_text(&r->target);
	if (!take_kind(r, h[156], &e))
		return false;
	if (whole.n > TAR_NAME || e.target.n > TAR_NAME)
		return tar_refuse(r, whole, "has a name that is too long");
	/* the kernel reads names to the first NUL, so the rest would not be what was checked */
	if ((whole.n && memchr(whole.p, '\0', whole.n)) || (e.target.n && memchr(e.target.p, '\0', e.target.n)))
		return tar_refuse(r, whole, "has a NUL in its name or in what it links to");
	if (!read_number(h + 100, 8, &mode) || !read_number(h + 124, 12, &size))
		return tar_refuse(r, whole, "has a size that is not possible");
	if (++r->entries > TAR_ENTRIES)
		return tar_refuse(r, STR(""), "the archive has more than a million entries");
	if (e.kind == TAR_FILE && e.path.n && e.path.p[e.path.n - 1] == '/')
		e.kind = TAR_DIRECTORY;         /* as tar wrote it before there was a type for it */
	if (!tar_below(r, &e.path))
		return tar_refuse(r, whole, "leads out of what was asked for");
	if (e.kind == TAR_HARD_LINK && !tar_below(r, &e.target))
		return tar_refuse(r, whole, "is a link that leads out of what was asked for");
	e.size = e.kind == TAR_FILE ? r->sized ? r->size : size : 0;
	e.mode = (unsigned)mode & 0777;
	r->file = e.kind == TAR_FILE;
	r->left = e.size;
	bool ok = r->entry(r->to, &e);
	r->path.n = r->target.n = 0;
	r->sized = false;
	return ok;
}

static bool is_record(char type) { return type == 'x' || type == 'g' || type == 'L' || type == 'K'; }

static bool is_zero_block(const char *h)
{
	for (size_t i = 0; i < TAR_HEADER; i++)
		if (h[i])
			return false;
	return true;
}

/* Takes a whole header. */
static bool take_header(struct tar_reader *r)
{
	const char *h = r->block;
	bool zero = is_zero_block(h);
	uint64_t size;

	r->nblock = 0;
	if (zero) {
		r->over = r->zeros;
		r->zeros = true;
		return true;
	}
	if (r->zeros || !has_right_sum(h))
		return tar_refuse(r, STR(""), "what arrived is not an archive of tar");
	r->kind = h[156];
	r->file = false;
	if (is_record(r->kind)) {
		if (!read_number(h + 124, 12, &size) || size > TAR_RECORD)
			return tar_refuse(r, STR(""), "a record of the archive is too large");
		r->left = size;
	} else if (!begin_entry(r, h)) {
		return false;
	}
	r->padding = (uint64_t)(-r->left % TAR_HEADER);
	return r->left || (r->file ? r->file_end(r->to) : !is_record(r->kind) || end_record(r));
}

/* Takes content: of a file, or of a record. */
static bool take_content(struct tar_reader *r, struct str *bytes)
{
	size_t n = r->left < bytes->n ? (size_t)r->left : bytes->n;
	struct str piece = { bytes->p, n };

	*bytes = (struct str){ bytes->p + n, bytes->n - n };
	r->left -= n;
	if (r->file)
		return r->bytes(r->to, piece) && (r->left || r->file_end(r->to));
	buf_put(&r->record, piece.p, piece.n);
	return r->left || end_record(r);
}

/* Takes what follows the end: tar fills its last record with zeros. */
static bool take_rest(struct tar_reader *r, struct str bytes)
{
	size_t n = 0;

	while (n < bytes.n && !bytes.p[n])
		n++;
	r->rest += n;
	if (n == bytes.n && r->rest <= TAR_REST)
		return true;
	return tar_refuse(r, STR(""), "the archive goes on after its end");
}

bool tar_read(struct tar_reader *r, struct str bytes)
{
	while (bytes.n && !r->over) {
		if (r->left) {
			if (!take_content(r, &bytes))
				return false;
			continue;
		}
		size_t skip = r->padding < bytes.n ? (size_t)r->padding : bytes.n;
		r->padding -= skip;
		bytes = (struct str){ bytes.p + skip, bytes.n - skip };
		size_t n = TAR_HEADER - r->nblock < bytes.n ? TAR_HEADER - r->nblock : bytes.n;
		if (!n)
			continue;
		memcpy(r->block + r->nblock, bytes.p, n);
		r->nblock += n;
		bytes = (struct str){ bytes.p + n, bytes.n - n };
		if (r->nblock == TAR_HEADER && !take_header(r))
			return false;
	}
	return take_rest(r, bytes);
}

void tar_reader_release(struct tar_reader *r)
{
	buf_release(&r->why);
	buf_release(&r->record);
	buf_release(&r->path);
	buf_release(&r->target);
}
