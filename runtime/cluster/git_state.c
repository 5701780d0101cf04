/*
 * git_state.c - see git_state.h. The commit is that of HEAD. Files are compared with git's index: the names and the
 * hashes of all files that git knows. The index also has the hash of the whole tree, unless something was added to it
 * since the last commit.
 */
#include "runtime/cluster/git_state.h"

#include <limits.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#define ZLIB_CONST
#include <zlib.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/map.h"
#include "base/path.h"
#include "code/code_unpack.h"

/* GIT_INDEX: bytes of the largest index that is read. GIT_UP: directories above the project that are searched. */
enum { GIT_INDEX = 256 << 20, GIT_UP = 64, GIT_ENTRY = 40, GIT_SHA1 = 20, GIT_SHA256 = 32, GIT_COMMIT = 4096,
	GIT_PATH = 4096 };
enum { GIT_MODE_FILE = 0100644, GIT_MODE_PROGRAM = 0100755, GIT_MODE_LINK = 0120000 };

struct git_reading {
	struct arena *arena;
	struct str own, common;         /* the directory of the work tree's state, and that of the repository */
	struct str prefix;              /* the path of the code in the work tree, with a '/' at its end unless empty */
	struct str place;               /* that directory on this machine */
	size_t hash;                    /* bytes of a hash */
	struct map index;               /* path -> struct git_entry, below the prefix */
	struct str tree;                /* hash of the whole tree in the index; empty: it has changed since */
	bool staged;                    /* there is something to commit */
	bool damaged, dirty;
	/* the entry of the archive that is being read */
	EVP_MD_CTX *digest;
	struct git_entry *entry;
};

struct git_entry {
	unsigned mode;
	unsigned char hash[GIT_SHA256];
	bool seen;
};

/* ---- HEAD ---- */

static struct str git_line(struct str text)
{
	const char *end = text.n ? memchr(text.p, '\n', text.n) : NULL;

	text.n = end ? (size_t)(end - text.p) : text.n;
	while (text.n && (text.p[text.n - 1] == '\r' || text.p[text.n - 1] == ' '))
		text.n--;
	return text;
}

static bool read_git_file(struct git_reading *g, struct str dir, struct str name, struct str *ret)
{
	struct str why, path = str_copy(g->arena, path_join(g->arena, dir, name));
	struct stat st;

	return stat(path.p, &st) == 0 && S_ISREG(st.st_mode) && file_read_most(g->arena, path, GIT_INDEX, ret, &why);
}

/* Finds the directories of git above PATH, and the place of PATH in the work tree. */
static bool find_git(struct git_reading *g, struct str path)
{
	struct str up = path, text, inside = STR("");

	for (unsigned i = 0; i < GIT_UP; i++) {
		struct str git = str_copy(g->arena, path_join(g->arena, up, STR(".git")));
		struct stat st;
		if (stat(git.p, &st) == 0) {
			g->own = git;
			if (S_ISREG(st.st_mode) && read_git_file(g, up, STR(".git"), &text) &&
				str_starts(text, STR("gitdir: ")))
				g->own = path_join(g->arena, up, git_line((struct str){ text.p + 8, text.n - 8 }));
			g->common = read_git_file(g, g->own, STR("commondir"), &text) ?
				path_join(g->arena, g->own, git_line(text)) : g->own;
			g->prefix = inside;
			return true;
		}
		if (up.n <= 1)
			return false;
		inside = str_cat(g->arena, path_base(up), STR("/"), inside);
		up = path_directory(up);
	}
	return false;
}

static bool is_object_id(struct str id)
{
	return str_is_hex(id, 2 * GIT_SHA1) || str_is_hex(id, 2 * GIT_SHA256);
}

/* Finds the reference NAME among those that git has packed into one file. */
static struct str packed_reference(struct git_reading *g, struct str name)
{
	struct str text;

	if (!read_git_file(g, g->common, STR("packed-refs"), &text))
		return STR("");
	while (text.n) {
		struct str line = git_line(text);
		const char *space = memchr(line.p, ' ', line.n);
		if (space && str_eq((struct str){ space + 1, line.n - (size_t)(space + 1 - line.p) }, name))
			return (struct str){ line.p, (size_t)(space - line.p) };
		const char *end = memchr(text.p, '\n', text.n);
		size_t used = end ? (size_t)(end + 1 - text.p) : text.n;
		text = (struct str){ text.p + used, text.n - used };
	}
	return STR("");
}

static struct str head_commit(struct git_reading *g)
{
	struct str text, name, ref = STR("ref: ");

	if (!read_git_file(g, g->own, STR("HEAD"), &text))
		return STR("");
	name = git_line(text);
	if (!str_starts(name, ref))
		return name;
	name = (struct str){ name.p + ref.n, name.n - ref.n };
	if (!str_starts(name, STR("refs/")) || memmem(name.p, name.n, "..", 2))
		return STR("");
	return read_git_file(g, g->common, name, &text) ? git_line(text) : packed_reference(g, name);
}

/* ---- the index ---- */

static uint32_t big_endian(const char *p, size_t n)
{
	uint32_t number = 0;

	for (size_t i = 0; i < n; i++)
		number = number << 8 | (unsigned char)p[i];
	return number;
}

static void note_entry(struct git_reading *g, struct str path, unsigned mode, const char *hash)
{
	struct git_entry *e;

	if (!str_starts(path, g->prefix))
		return;
	e = ARENA_NEW(g->arena, struct git_entry);
	e->mode = mode;
	memcpy(e->hash, hash, g->hash);
	map_put(&g->index, g->arena, str_copy(g->arena, (struct str){ path.p + g->prefix.n, path.n - g->prefix.n }), e);
}

/* Reads the path of an entry at *AT; version 4 only stores what differs from the path before, which is in NAME. */
static bool read_index_path(struct str text, unsigned version, size_t start, size_t *at, struct buf *name)
{
	size_t strip = 0;

	if (version == 4) {
		for (bool more = true, first = true; more; first = false, ++*at) {
			if (*at >= text.n || strip > name->n)
				return false;
			strip = first ? 0 : (strip + 1) << 7;
			strip += (unsigned char)text.p[*at] & 127;
			more = text.p[*at] & 128;
		}
		if (strip > name->n)
			return false;
		name->n -= strip;
	} else {
		name->n = 0;
	}
	const char *end = *at < text.n ? memchr(text.p + *at, '\0', text.n - *at) : NULL;
	if (!end || name->n + (size_t)(end - text.p) - *at > GIT_PATH)
		return false;
	buf_put(name, text.p + *at, (size_t)(end - text.p) - *at);
	size_t length = (size_t)(end - text.p) - start;
	*at = version == 4 ? (size_t)(end + 1 - text.p) : start + (length / 8 + 1) * 8;
	return true;
}

/* Reads the entry at *AT. */
static bool read_index_entry(struct git_reading *g, struct str text, unsigned version, size_t *at, struct buf *name)
{
	size_t start = *at, flags_at = start + GIT_ENTRY + g->hash;

	if (text.n < flags_at + 4)
		return false;
	unsigned mode = big_endian(text.p + start + 24, 4), flags = big_endian(text.p + flags_at, 2);
	*at = flags_at + (version > 2 && (flags & 0x4000) ? 4 : 2);
	if (!read_index_path(text, version, start, at, name))
		return false;
	g->staged = g->staged || (flags & 0x3000);      /* a conflict */
	if (mode == 040000)                     /* a directory whose files the index leaves out */
		return false;
	note_entry(g, buf_text(name), mode, text.p + start + GIT_ENTRY);
	return true;
}

/* Reads what follows the entries: the hash of the tree, if nothing was added since. */
static bool read_extensions(struct git_reading *g, struct str text, size_t at)
{
	g->tree = STR("");
	while (at + 8 + g->hash <= text.n) {
		size_t size = big_endian(text.p + at + 4, 4);
		struct str name = { text.p + at, 4 }, body = { text.p + at + 8, size };
		if (size > text.n - at - 8)
			return false;
		if (str_eq(name, STR("link")))  /* the entries are in another file */
			return false;
		const char *line = str_eq(name, STR("TREE")) ? memchr(body.p, '\n', body.n) : NULL;
		if (line && body.n > 2 && !body.p[0] && body.p[1] != '-' &&
			body.n - (size_t)(line + 1 - body.p) >= g->hash)
			g->tree = (struct str){ line + 1, g->hash };
		at += 8 + size;
	}
	return true;
}

static bool read_index(struct git_reading *g)
{
	struct str text;
	struct buf name = { 0 };
	size_t at = 12;

	if (!read_git_file(g, g->own, STR("index"), &text) || text.n < at || memcmp(text.p, "DIRC", 4) != 0)
		return false;
	uint32_t version = big_endian(text.p + 4, 4), n = big_endian(text.p + 8, 4);
	bool ok = version >= 2 && version <= 4;
	for (uint32_t i = 0; i < n && ok; i++)
		ok = read_index_entry(g, text, version, &at, &name);
	buf_release(&name);
	return ok && at <= text.n && read_extensions(g, text, at);
}

/* ---- what is committed ---- */

/* Is the tree of the index that of the commit? If the commit is in a pack, it is believed to be. */
static bool is_committed(struct git_reading *g, struct str commit)
{
	char text[GIT_COMMIT], hex[2 * GIT_SHA256 + 1];
	struct str packed, path = str_printf(g->arena, "objects/%.2s/%.*s", commit.p, (int)commit.n - 2, commit.p + 2);
	z_stream z = { 0 };

	if (!g->tree.n)
		return false;
	if (!read_git_file(g, g->common, path, &packed))
		return true;
	if (inflateInit(&z) != Z_OK)
		memory_out();
	z.next_in = (const Bytef *)packed.p;
	z.avail_in = (uInt)packed.n;
	z.next_out = (Bytef *)text;
	z.avail_out = sizeof text;
	inflate(&z, Z_SYNC_FLUSH);
	struct str said = { text, sizeof text - z.avail_out };
	inflateEnd(&z);
	for (size_t i = 0; i < g->hash; i++)
		snprintf(hex + 2 * i, 3, "%02x", (unsigned char)g->tree.p[i]);
	const char *body = said.n ? memchr(said.p, '\0', said.n) : NULL;
	size_t left = body ? said.n - (size_t)(body + 1 - said.p) : 0;
	return str_starts(said, STR("commit ")) && left > 5 + 2 * g->hash && memcmp(body + 1, "tree ", 5) == 0 &&
		memcmp(body + 6, hex, 2 * g->hash) == 0;
}

/* ---- the archive ---- */

static void begin_blob(struct git_reading *g, uint64_t size)
{
	struct str head = str_printf(g->arena, "blob %llu", (unsigned long long)size);

	g->damaged = g->damaged ||
		!EVP_DigestInit_ex(g->digest, g->hash == GIT_SHA1 ? EVP_sha1() : EVP_sha256(), NULL) ||
		!EVP_DigestUpdate(g->digest, head.p, head.n) || !EVP_DigestUpdate(g->digest, "", 1);
}

static void end_blob(struct git_reading *g)
{
	unsigned char hash[EVP_MAX_MD_SIZE];

	g->damaged = g->damaged || !EVP_DigestFinal_ex(g->digest, hash, NULL);
	if (g->entry && !g->damaged)
		g->dirty = g->dirty || memcmp(hash, g->entry->hash, g->hash) != 0;
}

static void archive_entry(void *to, const struct unpack_entry *e)
{
	struct git_reading *g = to;
	unsigned mode = e->link ? GIT_MODE_LINK : e->mode & 0100 ? GIT_MODE_PROGRAM : GIT_MODE_FILE;

	g->entry = map_get(&g->index, e->path);
	g->dirty = g->dirty || !g->entry || g->entry->mode != mode;
	if (g->entry)
		g->entry->seen = true;
	begin_blob(g, e->link ? e->target.n : e->size);
	if (e->link)
		g->damaged = g->damaged || !EVP_DigestUpdate(g->digest, e->target.p, e->target.n);
	if (e->link || !e->size)
		end_blob(g);
}

static void archive_bytes(void *to, struct str bytes, bool last)
{
	struct git_reading *g = to;

	g->damaged = g->damaged || !EVP_DigestUpdate(g->digest, bytes.p, bytes.n);
	if (last)
		end_blob(g);
}

/* Are files gone that git has? Those that rules leave out of the code are not in the archive, but exist. */
static bool any_gone(struct git_reading *g)
{
	for (size_t i = 0; i < g->index.n; i++) {
		const struct git_entry *e = g->index.entries[i].value;
		struct stat st;
		if (!e->seen && (e->mode & 0170000) != 0160000 &&
			lstat(str_copy(g->arena, path_join(g->arena, g->place, g->index.entries[i].key)).p, &st) != 0)
			return true;
	}
	return false;
}

static bool compare_archive(struct git_reading *g, struct str packed)
{
	struct unpack_visitor v = { archive_entry, archive_bytes, g };

	g->digest = EVP_MD_CTX_new();
	bool ok = g->digest && unpack_visit(g->arena, packed, &v) && !g->damaged;
	EVP_MD_CTX_free(g->digest);
	return ok;
}

bool git_state_read(struct arena *a, struct str project, struct str dir, struct str packed, struct git_state *ret)
{
	struct git_reading g = { .arena = a };
	char real[PATH_MAX];

	if (!realpath(str_copy(a, path_join(a, project, dir)).p, real))
		return false;
	g.place = str_copy(a, str_of(real));
	if (!find_git(&g, g.place))
		return false;
	*ret = (struct git_state){ .commit = head_commit(&g) };
	if (!is_object_id(ret->commit))
		return false;
	g.hash = ret->commit.n / 2;
	ret->known = read_index(&g) && compare_archive(&g, packed);
	ret->dirty = ret->known && (g.dirty || g.staged || !is_committed(&g, ret->commit) || any_gone(&g));
	return true;
}
