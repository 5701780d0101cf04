/* glyph.c - decodes characters, and the tables of those that are wide or hidden. */
#include "base/glyph.h"

struct range {
	uint32_t first, last;
};

static const struct range zero_width[] = {
	{ 0x0300, 0x036F }, { 0x0483, 0x0489 }, { 0x0591, 0x05BD }, { 0x0610, 0x061A }, { 0x064B, 0x065F },
	{ 0x0E34, 0x0E3A }, { 0x0E47, 0x0E4E }, { 0x1AB0, 0x1AFF }, { 0x1DC0, 0x1DFF }, { 0x200B, 0x200D },
	{ 0x20D0, 0x20FF }, { 0xFE00, 0xFE0F }, { 0xFE20, 0xFE2F }, { 0xFEFF, 0xFEFF }, { 0xE0100, 0xE01EF },
};

static const struct range wide[] = {
	{ 0x1100, 0x115F }, { 0x231A, 0x231B }, { 0x23E9, 0x23EC }, { 0x2614, 0x2615 }, { 0x26A1, 0x26A1 },
	{ 0x2705, 0x2705 }, { 0x274C, 0x274C }, { 0x2E80, 0x303E }, { 0x3041, 0x33FF }, { 0x3400, 0x4DBF },
	{ 0x4E00, 0xA4CF }, { 0xA960, 0xA97F }, { 0xAC00, 0xD7A3 }, { 0xF900, 0xFAFF }, { 0xFE30, 0xFE6F },
	{ 0xFF01, 0xFF60 }, { 0xFFE0, 0xFFE6 }, { 0x1F300, 0x1F64F }, { 0x1F680, 0x1F6FF }, { 0x1F900, 0x1FAFF },
	{ 0x20000, 0x3FFFD },
};

/*
 * Characters that would move the cursor or reorder the line. They are replaced when printed, so that the terminal shows
 * the text as it is in the file.
 */
static const struct range hidden[] = {
	{ 0x00, 0x1F }, { 0x7F, 0x9F }, { 0x061C, 0x061C }, { 0x200E, 0x200F }, { 0x2028, 0x202E }, { 0x2060, 0x206F },
};

static bool in(const struct range *at, size_t n, uint32_t c)
{
	for (size_t i = 0; i < n && at[i].first <= c; i++)
		if (c <= at[i].last)
			return true;
	return false;
}
#define IN_RANGES(table, c) in(table, sizeof(table) / sizeof(*(table)), c)

/* Decodes one character of well-formed UTF-8; 0 bytes when it is malformed. */
static size_t glyph_decode_one(const unsigned char *p, size_t n, uint32_t *ret)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = p[0] < 0x80 ? 1 : p[0] >= 0xF0 ? 4 : p[0] >= 0xE0 ? 3 : 2;
	uint32_t c = len == 1 ? p[0] : p[0] & (0x7F >> len);

	if (len > n || (len > 1 && p[0] < 0xC2) || p[0] > 0xF4)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xC0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3F);
	}
	if (c < least[len] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
		return 0;
	*ret = c;
	return len;
}

bool glyph_hidden(const char *p, size_t n)
{
	uint32_t c = 0;

	if (n == 1)
		return (unsigned char)*p < 0x20 || *p == 0x7F;
	/* the hidden characters of several bytes begin with one of these */
	if (*p != '\xC2' && *p != '\xD8' && *p != '\xE2')
		return false;
	return glyph_decode_one((const unsigned char *)p, n, &c) && IN_RANGES(hidden, c);
}

struct glyph glyph_at(struct str s, size_t i, unsigned column)
{
	const struct str unprintable = STR("\xEF\xBF\xBD"), spaces = STR("        ");
	uint32_t c = 0;
	size_t n = glyph_decode_one((const unsigned char *)s.p + i, s.n - i, &c);

	if (n == 1 && c == '\t') {
		unsigned width = 8 - column % 8;
		return (struct glyph){ { spaces.p, width }, 1, width };
	}
	if (n == 1 && c >= 0x20 && c < 0x7F)
		return (struct glyph){ { s.p + i, 1 }, 1, 1 };
	if (!n || IN_RANGES(hidden, c))
		return (struct glyph){ unprintable, n ? n : 1, 1 };
	return (struct glyph){ { s.p + i, n }, n, IN_RANGES(zero_width, c) ? 0 : IN_RANGES(wide, c) ? 2 : 1 };
}

unsigned text_columns(struct str s)
{
	unsigned columns = 0;

	for (size_t i = 0; i < s.n;) {
		struct glyph g = glyph_at(s, i, columns);
		columns += g.width;
		i += g.bytes;
	}
	return columns;
}
