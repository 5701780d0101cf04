/*
 * regex.c - compiles a pattern to a tree, and the tree to a program of states; matching follows all states that the
 * text read so far can lead to.
 */
#include "base/regex.h"

#include <stdlib.h>

enum { MOST_STATES = 20000, MOST_REPEATED = 5000, NO_LIMIT = -1, LAST_CHARACTER = 0x10FFFF };

/* ---- the tree of a pattern ---- */

enum kind { EMPTY, SET, BEGIN, END, CAT, ALT, REPEAT };

struct range {
	uint32_t first, last;
};

struct regex_set {
	struct range *at;
	size_t n;
	bool negated;
};

struct tree {
	enum kind kind;
	struct regex_set set;
	struct tree *left, *right;
	int least, most;                /* for REPEAT: the number of repetitions; `most` may be NO_LIMIT */
};

struct reading {
	struct arena *arena;
	struct str p;
	size_t i;
	const char *why;                /* the first error in the pattern */
};

static struct tree *tree_new(struct reading *r, enum kind kind, struct tree *left, struct tree *right)
{
	struct tree *t = ARENA_NEW(r->arena, struct tree);

	t->kind = kind;
	t->left = left;
	t->right = right;
	return t;
}

static struct tree *pattern_error(struct reading *r, const char *why)
{
	if (!r->why)
		r->why = why;
	r->i = r->p.n;
	return tree_new(r, EMPTY, NULL, NULL);
}

static bool at_char(const struct reading *r, char c) { return r->i < r->p.n && r->p.p[r->i] == c; }

static bool take_char(struct reading *r, char c)
{
	bool is = at_char(r, c);

	r->i += is;
	return is;
}

/* Reads the code point at *AT and moves *AT past it; a byte that starts no code point counts as one. */
static uint32_t next_character(struct str s, size_t *at)
{
	const unsigned char *p = (const unsigned char *)s.p + *at;
	size_t n = str_utf8(s.p + *at, s.n - *at);

	*at += n ? n : 1;
	switch (n) {
	case 2: return (uint32_t)(p[0] & 0x1F) << 6 | (p[1] & 0x3F);
	case 3: return (uint32_t)(p[0] & 0x0F) << 12 | (uint32_t)(p[1] & 0x3F) << 6 | (p[2] & 0x3F);
	case 4:
		return (uint32_t)(p[0] & 0x07) << 18 | (uint32_t)(p[1] & 0x3F) << 12 | (uint32_t)(p[2] & 0x3F) << 6 |
			(p[3] & 0x3F);
	default: return p[0];
	}
}

/* ---- sets ---- */

static void set_add(struct reading *r, struct regex_set *s, uint32_t first, uint32_t last)
{
	struct range range = { first, last };

	ARENA_PUSH(r->arena, s->at, s->n, range);
}

static const struct {
	const char *name, *pairs;       /* `pairs`: the first and last character of each range */
} classes[] = {
	{ "alnum", "09AZaz" }, { "alpha", "AZaz" }, { "blank", "  \t\t" }, { "cntrl", "\001\037\177\177" },
	{ "digit", "09" }, { "graph", "!~" }, { "lower", "az" }, { "print", " ~" }, { "punct", "!/:@[`{~" },
	{ "space", "  \t\r" }, { "upper", "AZ" }, { "xdigit", "09AFaf" }, { "word", "09AZaz__" },
};

static bool add_class(struct reading *r, struct regex_set *s, struct str name)
{
	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
		if (!str_is(name, classes[i].name))
			continue;
		for (const char *p = classes[i].pairs; *p; p += 2)
			set_add(r, s, (unsigned char)p[0], (unsigned char)p[1]);
		return true;
	}
	return false;
}

/* The name of the class of characters that a backslash and LETTER stand for; p == NULL if they stand for no class. */
static struct str letter_class(char letter)
{
	switch (letter) {
	case 'd': case 'D': return STR("digit");
	case 'w': case 'W': return STR("word");
	case 's': case 'S': return STR("space");
	default: return (struct str){ 0 };
	}
}

/* Reads `[:name:]`, `[.c.]` or `[=c=]`; false if the text begins otherwise. */
static bool bracket_name(struct reading *r, struct regex_set *s, uint32_t *ret, bool *ret_character)
{
	char mark = r->i + 1 < r->p.n ? r->p.p[r->i + 1] : 0;

	if (!at_char(r, '[') || (mark != ':' && mark != '.' && mark != '='))
		return false;
	size_t start = r->i + 2, end = start;
	while (end + 1 < r->p.n && !(r->p.p[end] == mark && r->p.p[end + 1] == ']'))
		end++;
	if (end + 1 >= r->p.n) {
		pattern_error(r, "a bracket is not closed");
		return true;
	}
	struct str name = { r->p.p + start, end - start };
	r->i = end + 2;
	*ret_character = mark != ':';
	size_t at = 0;
	if (mark == ':' && !add_class(r, s, name))
		pattern_error(r, "it names a class that POSIX does not have");
	else if (mark != ':' && (!name.n || (*ret = next_character(name, &at), at != name.n)))
		pattern_error(r, "between [. and .] is one character");
	return true;
}

/* Reads one character of a bracket expression; false for a class, whose characters were added to S. */
static bool bracket_character(struct reading *r, struct regex_set *s, uint32_t *ret)
{
	bool character = false;

	if (bracket_name(r, s, ret, &character))
		return character && !r->why;
	if (at_char(r, '\\') && r->i + 1 < r->p.n) {
		char letter = r->p.p[r->i + 1];
		struct str class = letter >= 'a' ? letter_class(letter) : (struct str){ 0 };
		if (class.p) {
			r->i += 2;
			add_class(r, s, class);
			return false;
		}
	}
	*ret = next_character(r->p, &r->i);
	return true;
}

static struct tree *bracket(struct reading *r)
{
	struct tree *t = tree_new(r, SET, NULL, NULL);

	t->set.negated = take_char(r, '^');
	for (bool first = true; !r->why; first = false) {
		uint32_t from, to;
		if (r->i >= r->p.n)
			return pattern_error(r, "a bracket is not closed");
		if (!first && take_char(r, ']'))
			return t;
		if (!bracket_character(r, &t->set, &from))
			continue;
		to = from;
		if (at_char(r, '-') && r->i + 1 < r->p.n && r->p.p[r->i + 1] != ']') {
			r->i++;
			if (!bracket_character(r, &t->set, &to) || to < from)
				return pattern_error(r, "a range ends before it begins");
		}
		set_add(r, &t->set, from, to);
	}
	return t;
}

/* ---- reading ---- */

static struct tree *alternatives(struct reading *r, unsigned depth);

static struct tree *single(struct reading *r, uint32_t first, uint32_t last)
{
	struct tree *t = tree_new(r, SET, NULL, NULL);

	set_add(r, &t->set, first, last);
	return t;
}

static struct tree *parse_escape(struct reading *r)
{
	if (r->i >= r->p.n)
		return pattern_error(r, "nothing follows the last backslash");
	char c = r->p.p[r->i];
	struct str class = letter_class(c);
	if (class.p) {
		struct tree *t = tree_new(r, SET, NULL, NULL);
		t->set.negated = c < 'a';
		add_class(r, &t->set, class);
		r->i++;
		return t;
	}
	if (c >= '1' && c <= '9')
		return pattern_error(r, "references such as \\1 are not part of POSIX extended expressions");
	if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
		return pattern_error(r, "after a backslash only the letters d, w and s have a meaning");
	uint32_t character = next_character(r->p, &r->i);
	return single(r, character, character);
}

static struct tree *atom(struct reading *r, unsigned depth)
{
	if (take_char(r, '(')) {
		struct tree *inner = alternatives(r, depth + 1);
		return take_char(r, ')') || r->why ? inner : pattern_error(r, "a parenthesis is not closed");
	}
	if (take_char(r, '['))
		return bracket(r);
	if (take_char(r, '.'))
		return single(r, 0, LAST_CHARACTER);
	if (take_char(r, '^'))
		return tree_new(r, BEGIN, NULL, NULL);
	if (take_char(r, '$'))
		return tree_new(r, END, NULL, NULL);
	if (take_char(r, '\\'))
		return parse_escape(r);
	if (at_char(r, '*') || at_char(r, '+') || at_char(r, '?') || at_char(r, '{'))
		return pattern_error(r, "nothing precedes a repetition");
	uint32_t c = next_character(r->p, &r->i);
	return single(r, c, c);
}

static int parse_count(struct reading *r)
{
	int n = 0;
	bool any = false;

	for (; r->i < r->p.n && r->p.p[r->i] >= '0' && r->p.p[r->i] <= '9'; r->i++, any = true)
		n = n > MOST_REPEATED ? n : n * 10 + (r->p.p[r->i] - '0');
	return any ? n : NO_LIMIT;
}

/* Reads `{2}`, `{2,}`, `{,3}` or `{2,3}` after its opening brace. */
static void interval(struct reading *r, int *least, int *most)
{
	*least = parse_count(r);
	*most = take_char(r, ',') ? parse_count(r) : *least;
	bool none = *least == NO_LIMIT && *most == NO_LIMIT;
	*least = *least == NO_LIMIT ? 0 : *least;
	if (none || !take_char(r, '}') || (*most != NO_LIMIT && *most < *least))
		pattern_error(r, "the number in braces is not a repetition");
	else if (*least > MOST_REPEATED || *most > MOST_REPEATED)
		pattern_error(r, "its repetitions multiply to more than 5000");
}

static struct tree *repeated(struct reading *r, unsigned depth)
{
	struct tree *t = atom(r, depth);

	while (!r->why) {
		int least = 0, most = NO_LIMIT;
		if (take_char(r, '{'))
			interval(r, &least, &most);
		else if (take_char(r, '?'))
			most = 1;
		else if (take_char(r, '+'))
			least = 1;
		else if (!take_char(r, '*'))
			break;
		t = tree_new(r, REPEAT, t, NULL);
		t->least = least;
		t->most = most;
	}
	return t;
}

static struct tree *sequence(struct reading *r, unsigned depth)
{
	struct tree *t = tree_new(r, EMPTY, NULL, NULL);

	while (r->i < r->p.n && !at_char(r, '|') && !at_char(r, ')'))
		t = tree_new(r, CAT, t, repeated(r, depth));
	return t;
}

static struct tree *alternatives(struct reading *r, unsigned depth)
{
	enum { DEEPEST = 200 };
	if (depth > DEEPEST)
		return pattern_error(r, "its parentheses are nested too deep");
	struct tree *t = sequence(r, depth);
	while (take_char(r, '|'))
		t = tree_new(r, ALT, t, sequence(r, depth));
	return t;
}

/* ---- compiling the tree to a program ---- */

struct state {
	enum { TAKE, FORK, AT_BEGIN, AT_END, MATCH } kind;
	const struct regex_set *set;          /* for TAKE: the characters that lead to the next state */
	size_t other;                   /* for FORK: the state to continue with, in addition to the next one */
};

struct regex {
	struct state *at;
	size_t n, size;
	bool full;
};

static size_t add_state(struct regex *re, struct state s)
{
	if (re->n == MOST_STATES) {
		re->full = true;
		return 0;
	}
	if (re->n == re->size) {
		re->size = re->size ? 2 * re->size : 64;
		re->at = memory_hold(re->at, re->size * sizeof *re->at);
	}
	re->at[re->n] = s;
	return re->n++;
}

static void write_tree(struct regex *re, const struct tree *t);

static void write_optional(struct regex *re, const struct tree *t, bool again)
{
	size_t fork = add_state(re, (struct state){ .kind = FORK });

	write_tree(re, t);
	if (again)                      /* continue, or repeat from the first fork */
		add_state(re, (struct state){ .kind = FORK, .other = fork });
	if (!re->full)
		re->at[fork].other = re->n;
}

static void write_repeat(struct regex *re, const struct tree *t)
{
	for (int i = 0; i < t->least && !re->full; i++)
		write_tree(re, t->left);
	if (t->most == NO_LIMIT)
		write_optional(re, t->left, true);
	for (int i = t->least; i < t->most && !re->full; i++)
		write_optional(re, t->left, false);
}

/* Writes a fork, the left side, a jump over the right side, and the right side. */
static void write_alternatives(struct regex *re, const struct tree *t)
{
	static const struct regex_set nothing = { 0 };
	size_t fork = add_state(re, (struct state){ .kind = FORK });

	write_tree(re, t->left);
	size_t over = add_state(re, (struct state){ .kind = FORK });
	add_state(re, (struct state){ .kind = TAKE, .set = &nothing });       /* stops the path that does not jump */
	if (re->full)
		return;
	re->at[fork].other = re->n;
	write_tree(re, t->right);
	if (!re->full)
		re->at[over].other = re->n;
}

static void write_tree(struct regex *re, const struct tree *t)
{
	if (re->full)
		return;
	switch (t->kind) {
	case EMPTY: break;
	case SET: add_state(re, (struct state){ .kind = TAKE, .set = &t->set }); break;
	case BEGIN: add_state(re, (struct state){ .kind = AT_BEGIN }); break;
	case END: add_state(re, (struct state){ .kind = AT_END }); break;
	case CAT:
		write_tree(re, t->left);
		write_tree(re, t->right);
		break;
	case ALT: write_alternatives(re, t); break;
	case REPEAT: write_repeat(re, t); break;
	}
}

static const struct regex *keep_regex(struct arena *a, struct regex *re)
{
	struct state *at = ARENA_ARRAY(a, struct state, re->n);

	memcpy(at, re->at, re->n * sizeof *at);
	memory_drop(re->at);
	re->at = at;
	return re;
}

const struct regex *regex_new(struct arena *a, struct str pattern, const char **ret_why)
{
	struct reading r = { .arena = a, .p = pattern };
	struct regex *re = ARENA_NEW(a, struct regex);
	struct tree *t = alternatives(&r, 0);

	if (!r.why && r.i < pattern.n)
		r.why = "a closing parenthesis has no opening one";
	if (!r.why) {
		write_tree(re, t);
		add_state(re, (struct state){ .kind = MATCH });
		if (re->full)
			r.why = "its repetitions multiply to more than 20000 characters";
	}
	*ret_why = r.why;
	if (!r.why)
		return keep_regex(a, re);
	memory_drop(re->at);
	return NULL;
}

/* ---- matching ---- */

/* The states that a match is in: `at` lists them, and `seen` marks each with the number of the character. */
struct states {
	uint32_t *at, n;
	uint64_t *seen;
};

struct match {
	const struct regex *re;
	struct states now, next;
	uint32_t *stack;
	bool matched;
	uint64_t *work;
};

/* Enters a state and all states that follow it without a character; MARK is different for each character. */
static void enter(struct match *m, struct states *to, uint32_t state, bool begin, bool end, uint64_t mark)
{
	size_t depth = 0;

	m->stack[depth++] = state;
	while (depth) {
		uint32_t i = m->stack[--depth];
		if (to->seen[i] == mark)
			continue;
		to->seen[i] = mark;
		*m->work -= *m->work > 0;
		const struct state *s = &m->re->at[i];
		if (s->kind == MATCH)
			m->matched = true;
		else if (s->kind == TAKE)
			to->at[to->n++] = i;
		else if (s->kind == FORK || (s->kind == AT_BEGIN && begin) || (s->kind == AT_END && end))
			m->stack[depth++] = i + 1;
		if (s->kind == FORK)
			m->stack[depth++] = (uint32_t)s->other;
	}
}

static bool set_holds(const struct regex_set *s, uint32_t c)
{
	for (size_t i = 0; i < s->n; i++)
		if (c >= s->at[i].first && c <= s->at[i].last)
			return !s->negated;
	return s->negated;
}

static int64_t run_match(struct match *m, struct str text)
{
	int64_t longest = -1;

	enter(m, &m->now, 0, true, text.n == 0, 1);
	if (m->matched)
		longest = 0;
	for (size_t i = 0; i < text.n && m->now.n && *m->work;) {
		uint32_t c = next_character(text, &i);
		m->matched = false;
		m->next.n = 0;
		for (uint32_t k = 0; k < m->now.n; k++) {
			*m->work -= *m->work > 0;
			if (set_holds(m->re->at[m->now.at[k]].set, c))
				enter(m, &m->next, m->now.at[k] + 1, false, i == text.n, i + 1);
		}
		if (m->matched)
			longest = (int64_t)i;
		struct states was = m->now;
		m->now = m->next;
		m->next = was;
	}
	return *m->work ? longest : -1;
}

int64_t regex_longest(const struct regex *re, struct str text, uint64_t *work)
{
	struct arena a = { 0 };
	struct match m = { .re = re, .work = work, .stack = ARENA_ARRAY(&a, uint32_t, 2 * re->n + 1) };

	for (struct states *s = &m.now; s; s = s == &m.now ? &m.next : NULL) {
		s->at = ARENA_ARRAY(&a, uint32_t, re->n);
		s->seen = ARENA_ARRAY(&a, uint64_t, re->n);
	}
	int64_t longest = run_match(&m, text);
	arena_release(&a);
	return longest;
}
