/*
 * archive.c - writes a tar archive. Everything that is not the content of the tree is constant, so the same files give
 * the same bytes everywhere.
 *
 * The archive is made piece by piece. Each piece goes to the hash, to zlib and to the caller.
 */
#include "code/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#define ZLIB_CONST              /* zlib does not write to its input */
#include <zlib.h>

#include "base/file.h"
#include "base/sha256.h"
#include "code/secret.h"
#include "code/tar_header.h"

enum { BLOCK = TAR_BLOCK, PIECE = 64 * 1024 };

/* The archive that is being made. */
struct archiving {
	struct archive *to;
	struct sha256 hash;
	z_stream zip;
	bool refused;
	uint64_t bytes;
};

/* ---- where the bytes go ---- */

static void pack_bytes(struct archiving *m, const char *bytes, size_t n, int flush)
{
	char out[PIECE];
	int status = Z_OK;

	m->zip.next_in = (const Bytef *)bytes;
	m->zip.avail_in = (uInt)n;
	do {
		m->zip.next_out = (Bytef *)out;
		m->zip.avail_out = sizeof out;
		status = deflate(&m->zip, flush);
		buf_put(&m->to->packed, out, sizeof out - m->zip.avail_out);
	} while (m->zip.avail_out == 0 && status == Z_OK);
	m->to->too_large = m->to->packed.n > m->to->most;
}

/* Is there no use in going on, as the archive is refused or too large? */
static bool is_ended(const struct archiving *m) { return m->refused || m->to->too_large; }

static void put_bytes(struct archiving *m, const char *bytes, size_t n)
{
	if (is_ended(m) || !n)
		return;
	sha256_add(&m->hash, bytes, n);
	m->bytes += n;
	if (m->to->pack)
		pack_bytes(m, bytes, n, Z_NO_FLUSH);
	m->refused = m->to->write && !m->to->write(m->to->context, bytes, n);
}

static void put_padding(struct archiving *m)
{
	static const char zeros[BLOCK];

	put_bytes(m, zeros, (size_t)(-m->bytes % BLOCK));
}

static void put_header(struct archiving *m, const struct tar_header *h)
{
	struct buf b = { 0 };

	tar_header_put(&b, h);
	put_bytes(m, b.p, b.n);
	buf_release(&b);
}

/* ---- contents ---- */

static bool is_allowed_path(const struct archive *a, struct str path)
{
	for (size_t i = 0; i < a->nallow; i++)
		if (str_eq(a->allow[i], path))
			return true;
	return false;
}

/* Is the open file still the one whose size was read? */
static bool is_same(int fd, const struct tree_entry *e)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_dev == e->device && st.st_ino == e->inode &&
		(uint64_t)st.st_size == e->size && st.st_mtim.tv_sec == e->changed.tv_sec &&
		st.st_mtim.tv_nsec == e->changed.tv_nsec;
}

/* Reads up to N bytes; less only at the end of the file. False if reading fails. */
static bool read_piece(int fd, char *to, size_t n, size_t *ret)
{
	for (*ret = 0; *ret < n; ) {
		ssize_t got = read(fd, to + *ret, n - *ret);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return false;
		if (!got)
			break;
		*ret += (size_t)got;
	}
	return true;
}

static void look_for_secret(struct archiving *m, const struct tree_entry *e, struct str start)
{
	const char *reason = secret_reason(e->path, start);

	if (reason && !is_allowed_path(m->to, e->path))
		tree_report(m->to->tree, FAULT_SECRET, e->path, str_of(reason));
}

/* Puts exactly as many bytes as the size says. Returns what is wrong, if that is not possible. */
static enum tree_fault put_content(struct archiving *m, int fd, const struct tree_entry *e)
{
	char piece[PIECE];
	uint64_t done = 0;
	size_t n = 0;

	do {
		uint64_t left = e->size - done;
		size_t want = left < sizeof piece ? (size_t)left : sizeof piece;
		if (!read_piece(fd, piece, want, &n))
			return FAULT_UNREADABLE;
		if (n < want)
			return FAULT_CHANGED;
		if (!done)
			look_for_secret(m, e, (struct str){ piece, n });
		put_bytes(m, piece, n);
		done += n;
	} while (done < e->size && !is_ended(m));
	return is_same(fd, e) || is_ended(m) ? FAULT_NONE : FAULT_CHANGED;
}

static bool archive_file(struct archiving *m, const struct tree_entry *e)
{
	struct code_tree *t = m->to->tree;
	int fd = tree_open(t, e->path);
	enum tree_fault fault = fd < 0 ? errno == ENOENT ? FAULT_CHANGED : FAULT_UNREADABLE :
		is_same(fd, e) ? FAULT_NONE : FAULT_CHANGED;

	if (fault == FAULT_NONE) {
		put_header(m, &(struct tar_header){ e->path, STR(""), '0', e->executable ? 0755 : 0644, e->size });
		fault = put_content(m, fd, e);
		put_padding(m);
	}
	if (fault != FAULT_NONE)
		tree_report(t, fault, e->path, fault == FAULT_UNREADABLE ? file_reason(t->arena, errno) : STR(""));
	if (fd >= 0)
		close(fd);
	return fault == FAULT_NONE;
}

static void archive_link(struct archiving *m, const struct tree_entry *e)
{
	put_header(m, &(struct tar_header){ e->path, e->target, '2', 0777, 0 });
}

bool archive_make(struct archive *a)
{
	static const char end[2 * BLOCK];
	struct archiving m = { .to = a };
	size_t before = a->tree->nproblems;
	bool ok = true;

	sha256_init(&m.hash);
	if (a->pack && deflateInit2(&m.zip, 6, Z_DEFLATED, 16 + 15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		memory_out();
	for (size_t i = 0; i < a->tree->n && ok && !is_ended(&m); i++) {
		const struct tree_entry *e = &a->tree->entries[i];
		if (e->kind == TREE_LINK)
			archive_link(&m, e);
		else
			ok = archive_file(&m, e);
	}
	put_bytes(&m, end, sizeof end);
	if (a->pack && !a->too_large)
		pack_bytes(&m, NULL, 0, Z_FINISH);
	if (a->pack)
		deflateEnd(&m.zip);
	sha256_end(&m.hash, a->id);
	return ok && !m.refused && a->tree->nproblems == before;
}
