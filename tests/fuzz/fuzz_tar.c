/*
 * fuzz_tar.c - an archive of tar that a container sends: the first byte of the input says into how many bytes each part
 * is cut, the rest is the archive. Its sums are made right, so that an input can get past them.
 *
 * What must hold: entries and errors are the same wherever the bytes are cut; every path stays below the root; no more
 * bytes of files are passed on than arrived, and as many as the entries say; a refusal has an explanation.
 */
#include <stdio.h>

#include "fuzz.h"
#include "runtime/cluster/tar_read.h"

struct taken {
	struct tar_reader reader;
	struct buf got;                 /* all callbacks as text */
	uint64_t due;                   /* bytes of the file that have not arrived */
	size_t passed;
};

static void require_below(struct str path)
{
	fuzz_require(path.n <= TAR_NAME && (!path.n || (*path.p != '/' && path.p[path.n - 1] != '/')));
	for (size_t i = 0; i < path.n;) {
		const char *slash = memchr(path.p + i, '/', path.n - i);
		struct str part = { path.p + i, slash ? (size_t)(slash - path.p) - i : path.n - i };
		fuzz_require(part.n && part.n < 256 && !str_is(part, ".") && !str_is(part, ".."));
		i += part.n + 1;
	}
}

static bool take_entry(void *to, const struct tar_entry *e)
{
	struct taken *t = to;

	require_below(e->path);
	if (e->kind == TAR_HARD_LINK)
		require_below(e->target);
	fuzz_require(!t->due && e->mode <= 0777 && (!e->size || e->kind == TAR_FILE));
	t->due = e->size;
	buf_printf(&t->got, "entry %u %o %llu ", (unsigned)e->kind, e->mode, (unsigned long long)e->size);
	buf_str(&t->got, e->path);
	buf_char(&t->got, '>');
	buf_str(&t->got, e->target);
	buf_char(&t->got, '\n');
	return true;
}

static bool take_bytes(void *to, struct str bytes)
{
	struct taken *t = to;

	fuzz_require(bytes.n && bytes.n <= t->due);
	t->due -= bytes.n;
	t->passed += bytes.n;
	buf_str(&t->got, bytes);
	return true;
}

static bool take_end(void *to)
{
	struct taken *t = to;

	fuzz_require(!t->due);
	buf_z(&t->got, "\nend\n");
	return true;
}

static void take_all(struct taken *t, struct str input, size_t size)
{
	bool ok = true;

	*t = (struct taken){ .reader = { .root = STR("x"), .entry = take_entry, .bytes = take_bytes,
		.file_end = take_end, .to = t } };
	for (size_t i = 0; i < input.n && ok; i += size)
		ok = tar_read(&t->reader, (struct str){ input.p + i, input.n - i < size ? input.n - i : size });
	fuzz_require(ok != (t->reader.why.n > 0));
	fuzz_require(t->passed <= input.n);
	buf_str(&t->got, buf_text(&t->reader.why));
	buf_char(&t->got, t->reader.over ? '!' : '.');
}

/* Makes the sums of all blocks right that could be headers. */
static void make_sums(char *text, size_t n)
{
	for (size_t at = 0; at + TAR_HEADER <= n; at += TAR_HEADER) {
		unsigned sum = 0;
		char digits[16];
		if (memcmp(text + at + 257, "ustar", 5) != 0)
			continue;
		memset(text + at + 148, ' ', 8);
		for (size_t i = 0; i < TAR_HEADER; i++)
			sum += (unsigned char)text[at + i];
		int length = snprintf(digits, sizeof digits, "%06o", sum);
		memcpy(text + at + 148, digits, (size_t)length);
		text[at + 154] = '\0';
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct taken whole, pieces;
	struct buf copy = { 0 };

	if (!n)
		return 0;
	buf_put(&copy, (const char *)bytes + 1, n - 1);
	make_sums(copy.p, copy.n);
	take_all(&whole, buf_text(&copy), n);
	take_all(&pieces, buf_text(&copy), (size_t)bytes[0] + 1);
	fuzz_require(str_eq(buf_text(&whole.got), buf_text(&pieces.got)));
	tar_reader_release(&whole.reader);
	tar_reader_release(&pieces.reader);
	buf_release(&whole.got);
	buf_release(&pieces.got);
	buf_release(&copy);
	return 0;
}
