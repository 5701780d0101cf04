/*
 * scalar.c - chooses a YAML style for a text, so that every reader reads back the same text. Readers disagree about
 * plain scalars (YAML 1.1 has yes/no, base 60, 0o7, 1e3, =, dates; 1.2 has others). So a text is written plain only
 * if no reader could read it as anything else: it begins with a letter, or with a sign that cannot begin a number.
 * All others are quoted. A hole counts as a digit, and the rules never depend on which digit; so the style is the
 * same for every index.
 */
#include "objects/objects_render.h"

enum {
	HAS_CONTROL = 1, HAS_TAB = 2, HAS_NEWLINE = 4, HAS_HIGH = 8, HAS_COLON = 16, HAS_HASH = 32, HAS_DOUBLE = 64,
		HAS_SINGLE = 128
};

static unsigned byte_class(unsigned char c)
{
	if (c >= 0x80)
		return HAS_HIGH;
	switch (c) {
	case '\t': return HAS_TAB;
	case '\n': return HAS_NEWLINE;
	case ':': return HAS_COLON;
	case '#': return HAS_HASH;
	case '"': case '\\': return HAS_DOUBLE;
	case '\'': return HAS_SINGLE;
	default: return c < 0x20 || c == 0x7F ? HAS_CONTROL : 0;
	}
}

static unsigned scan_scalar(const struct str *s, size_t n)
{
	unsigned has = 0;

	for (size_t i = 0; i < n; i++) {
		if (!s[i].p)
			continue;
		for (size_t k = 0; k < s[i].n; k++) {
			unsigned char c = (unsigned char)s[i].p[k];
			/*
			 * letters, digits and most signs have no class, so nearly every character needs only this
			 * comparison
			 */
			if (c <= ':' || c >= 0x7F || c == '\\')
				has |= byte_class(c);
		}
	}
	return has;
}

/* Walks over the bytes of all segments; a hole counts as one '0'. */
struct walk {
	const struct str *s;
	size_t n, segment, at;
};

static int next_byte(struct walk *w)
{
	for (; w->segment < w->n; w->segment++, w->at = 0) {
		const struct str *s = &w->s[w->segment];
		if (!s->p && w->at == 0)
			return w->at++, '0';
		if (s->p && w->at < s->n)
			return (unsigned char)s->p[w->at++];
	}
	return -1;
}

static bool letter(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool digit(int c) { return c >= '0' && c <= '9'; }

/*
 * Can the byte occur in a number, a time or a date of some reader? DATE: the text contains a `-`, without which it is
 * no date and cannot contain the letters for time and zone.
 */
static bool numeric(int c, bool date)
{
	return digit(c) || (c && strchr("abcdefABCDEFxXoO_,:.+-", c)) || (c && date && strchr("tTzZ ", c));
}

static bool dash_inside(struct walk w)
{
	next_byte(&w);
	for (int c; (c = next_byte(&w)) >= 0;)
		if (c == '-')
			return true;
	return false;
}

/* Does the text start like a number, and contain nothing that no number contains? */
static bool like_number(struct walk w)
{
	bool date = dash_inside(w);
	int c = next_byte(&w);

	if (c == '-' || c == '+')
		c = next_byte(&w);
	if (c == '.') {                         /* this includes .inf and .NaN */
		c = next_byte(&w);
		if (c < 0 || letter(c))
			return true;
	} else if (!digit(c))
		return false;
	while (c >= 0 && numeric(c, date))
		c = next_byte(&w);
	return c < 0;
}

static bool reserved_word(const struct str *s, size_t n)
{
	static const char *const words[] = { "y", "n", "yes", "no", "on", "off", "true", "false", "null" };

	if (n != 1 || !s->p || !s->n || s->n > 5 || !strchr("yntfo", s->p[0] | 0x20))
		return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t k = 0;
		while (k < s->n && words[i][k] && (s->p[k] | 0x20) == words[i][k])
			k++;
		if (k == s->n && !words[i][k])
			return true;
	}
	return false;
}

/*
 * Do the rules for the inside of a plain text allow the text? They forbid ": ", " #", a space or a colon at the end,
 * or "---" or "..." at the start.
 */
static bool plain_inside(struct walk w)
{
	int before = 0, c, at = 0, marks = 0;

	for (; (c = next_byte(&w)) >= 0; before = c, at++) {
		if ((c == ' ' && before == ':') || (c == '#' && before == ' '))
			return false;
		if (at < 3)
			marks += c == '-' || c == '.';
		if (at == 2 && marks == 3)
			return false;
	}
	return before != ' ' && before != ':';
}

static bool is_plain_scalar(const struct str *s, size_t n, unsigned has)
{
	struct walk w = { s, n, 0, 0 }, start = w;
	int first = next_byte(&w), second = next_byte(&w);

	if (has & (HAS_CONTROL | HAS_TAB | HAS_NEWLINE | HAS_HIGH))
		return false;
	if (!letter(first) && !digit(first) && (first <= 0 || !strchr("_/-.+($", first)))
		return false;
	if (first == '-' && (second < 0 || second == ' '))
		return false;
	return !like_number(start) && !reserved_word(s, n) && plain_inside(start);
}

static uint32_t decode_scalar(const unsigned char *p, size_t left, size_t *ret_size)
{
	size_t size = p[0] >= 0xF0 ? 4 : p[0] >= 0xE0 ? 3 : 2;
	uint32_t c = p[0] & (0xFFu >> (size + 1));

	*ret_size = 1;
	if (p[0] < 0xC2 || p[0] > 0xF4 || size > left)
		return 0xFFFD;
	for (size_t i = 1; i < size; i++) {
		if ((p[i] & 0xC0) != 0x80)
			return 0xFFFD;
		c = c << 6 | (p[i] & 0x3F);
	}
	if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF) || (size == 3 && c < 0x800) || (size == 4 && c < 0x10000))
		return 0xFFFD;
	*ret_size = size;
	return c;
}

bool yaml_special(struct str s, size_t at, size_t *ret_size, uint32_t *ret)
{
	uint32_t c = *ret = decode_scalar((const unsigned char *)s.p + at, s.n - at, ret_size);

	if (c == 0xFFFD)
		return *ret_size == 1;  /* a malformed byte will be written as U+FFFD */
	return c < 0xA0 || c == 0x2028 || c == 0x2029 || c == 0xFEFF || (c & 0xFFFE) == 0xFFFE;
}

static bool any_special(const struct str *s, size_t n)
{
	uint32_t c;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0, size = 1; s[i].p && k < s[i].n; k += size) {
			size = 1;
			if ((unsigned char)s[i].p[k] >= 0x80 && yaml_special(s[i], k, &size, &c))
				return true;
		}
	return false;
}

/*
 * Is the text read back exactly if it is written as a literal block? The first line must not be empty or indented
 * (readers measure the indentation by it), no line may begin with a tab or consist of spaces, and at most one newline
 * may end the text.
 */
static bool literal_lines(const struct str *s, size_t n)
{
	struct walk w = { s, n, 0, 0 };
	bool start = true, first = true, blank = true;
	int c, newlines = 0;

	while ((c = next_byte(&w)) >= 0) {
		if (c == '\n') {
			if ((!start && blank) || (first && start))
				return false;
			newlines++;
			start = blank = true;
			first = false;
			continue;
		}
		if (start && (c == '\t' || (first && c == ' ')))
			return false;
		newlines = 0;
		start = false;
		blank = blank && (c == ' ' || c == '\t');
	}
	return newlines <= 1 && (start || !blank);
}

/*
 * The classes of characters for a quick test: nearly every text is a word, a path or an image. Such a text begins
 * with a letter or a slash, and has letters, digits and signs that have no meaning inside a scalar (except a colon at
 * the end).
 */
#define LETTERS(value) ['a'] = value, ['b'] = value, ['c'] = value, ['d'] = value, ['e'] = value, ['f'] = value, \
	['g'] = value, ['h'] = value, ['i'] = value, ['j'] = value, ['k'] = value, ['l'] = value, ['m'] = value, \
	['n'] = value, ['o'] = value, ['p'] = value, ['q'] = value, ['r'] = value, ['s'] = value, ['t'] = value, \
	['u'] = value, ['v'] = value, ['w'] = value, ['x'] = value, ['y'] = value, ['z'] = value, ['A'] = value, \
	['B'] = value, ['C'] = value, ['D'] = value, ['E'] = value, ['F'] = value, ['G'] = value, ['H'] = value, \
	['I'] = value, ['J'] = value, ['K'] = value, ['L'] = value, ['M'] = value, ['N'] = value, ['O'] = value, \
	['P'] = value, ['Q'] = value, ['R'] = value, ['S'] = value, ['T'] = value, ['U'] = value, \
	['V'] = value, ['W'] = value, ['X'] = value, ['Y'] = value, ['Z'] = value

enum { INSIDE = 1, FIRST = 2 };
static const unsigned char simple_bytes[256] = {
	LETTERS(INSIDE | FIRST), ['/'] = INSIDE | FIRST, ['_'] = INSIDE, [':'] = INSIDE, ['='] = INSIDE, ['.'] = INSIDE,
		['-'] = INSIDE,
	['@'] = INSIDE, ['%'] = INSIDE, ['+'] = INSIDE, ['0'] = INSIDE, ['1'] = INSIDE, ['2'] = INSIDE, ['3'] = INSIDE,
	['4'] = INSIDE, ['5'] = INSIDE, ['6'] = INSIDE, ['7'] = INSIDE, ['8'] = INSIDE, ['9'] = INSIDE, ['['] = INSIDE,
	[']'] = INSIDE, ['('] = INSIDE, [')'] = INSIDE, ['\''] = INSIDE, [','] = INSIDE, ['$'] = INSIDE | FIRST,
};

/*
 * Returns the index after the start of a simple text, which is a letter, possibly after the dashes of an option; 0 if
 * the text is not simple.
 */
static size_t simple_start(struct str s)
{
	size_t dashes = 0;

	while (dashes < 2 && dashes < s.n && s.p[dashes] == '-')
		dashes++;
	if (dashes == s.n)
		return 0;
	if (!dashes && digit((unsigned char)s.p[0]) && s.p[s.n - 1] == 'i')
		return 1;               /* such as 256Gi: no number ends with an 'i' */
	return simple_bytes[(unsigned char)s.p[dashes]] & FIRST ? dashes + 1 : 0;
}

bool yaml_simple(struct str s)
{
	const unsigned char *p = (const unsigned char *)s.p;
	unsigned all = INSIDE;
	size_t i = simple_start(s);

	if (!i || p[s.n - 1] == ':')
		return false;
	/* nearly every text is simple, so all its bytes are examined without a branch */
	for (; i + 4 <= s.n; i += 4)
		all &= simple_bytes[p[i]] & simple_bytes[p[i + 1]] & simple_bytes[p[i + 2]] & simple_bytes[p[i + 3]];
	for (; i < s.n; i++)
		all &= simple_bytes[p[i]];
	return all && (s.n > 5 || !reserved_word(&s, 1));
}

static bool digits_only(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!digit((unsigned char)s.p[i]))
			return false;
	return s.n > 0;
}

enum yaml_style yaml_style_of(const struct str *s, size_t n, bool key)
{
	if (n == 1 && s->p && yaml_simple(*s))
		return YAML_PLAIN;
	if (n == 1 && s->p && digits_only(*s))
		return YAML_DOUBLE;
	unsigned has = scan_scalar(s, n);

	if (is_plain_scalar(s, n, has))
		return YAML_PLAIN;
	if ((has & HAS_CONTROL) || ((has & HAS_HIGH) && any_special(s, n)))
		return YAML_DOUBLE;
	if (!key && (has & HAS_NEWLINE) && literal_lines(s, n))
		return YAML_LITERAL;
	if ((has & HAS_DOUBLE) && !(has & (HAS_SINGLE | HAS_NEWLINE | HAS_TAB)))
		return YAML_SINGLE;
	return YAML_DOUBLE;
}
