/*
 * code_rules.c - reads rules as git reads a .gitignore, and finds the one that decides.
 */
#include "code/code_rules.h"

/* Removes spaces from the end of a line, except one after a backslash. */
static struct str without_spaces(struct str line)
{
	size_t end = 0;

	for (size_t i = 0; i < line.n; i++) {
		if (line.p[i] == ' ')
			continue;
		if (line.p[i] == '\\' && i + 1 == line.n)
			return line;
		i += line.p[i] == '\\';
		end = i + 1;
	}
	return (struct str){ line.p, end };
}

static void add_rule(struct arena *a, struct rules *to, struct str line, unsigned number)
{
	struct rule r = { .line = number };

	line = r.text = without_spaces(line);
	r.negated = line.n && *line.p == '!';
	if (r.negated)
		line = (struct str){ line.p + 1, line.n - 1 };
	r.directory = line.n && line.p[line.n - 1] == '/';
	line.n -= r.directory;
	r.glob = glob_read(a, line);
	ARENA_PUSH(a, to->at, to->n, r);
}

static struct rules *rules_new(struct arena *a, const struct rules *outer, struct str base, struct str name)
{
	struct rules *r = ARENA_NEW(a, struct rules);

	*r = (struct rules){ .outer = outer, .base = base, .name = name };
	return r;
}

struct rules *rules_read(struct arena *a, const struct rules *outer, struct str base, struct str name, struct str text)
{
	struct rules *r = rules_new(a, outer, base, name);
	size_t i = str_starts(text, STR("\xef\xbb\xbf")) ? 3 : 0;

	r->lines = true;
	for (unsigned number = 1; i < text.n; number++) {
		const char *end = memchr(text.p + i, '\n', text.n - i);
		struct str line = { text.p + i, end ? (size_t)(end - text.p) - i : text.n - i };
		i += line.n + 1;
		if (!line.n || *line.p == '#')
			continue;
		if (line.p[line.n - 1] == '\r')      /* git adds a line end to the last line */
			line.n--;
		const char *nul = line.n ? memchr(line.p, '\0', line.n) : NULL;
		if (nul)                        /* git sees no more of such a line */
			line.n = (size_t)(nul - line.p);
		add_rule(a, r, line, number);
	}
	return r;
}

struct rules *rules_of_list(struct arena *a, const struct rules *outer, struct str base, struct str name,
	const struct str *list, size_t n)
{
	struct rules *r = rules_new(a, outer, base, name);

	for (size_t i = 0; i < n; i++)
		if (list[i].n && *list[i].p != '#')
			add_rule(a, r, list[i], (unsigned)i + 1);
	return r;
}

/* Sets *RET to PATH relative to the directory of the rules; false if it is not below it. */
static bool relative(const struct rules *rules, struct str path, struct str *ret)
{
	size_t n = rules->base.n;

	if (n && (path.n <= n + 1 || path.p[n] != '/' || !str_starts(path, rules->base)))
		return false;
	*ret = n ? (struct str){ path.p + n + 1, path.n - n - 1 } : path;
	return true;
}

const struct rule *rules_find(const struct rules *rules, struct str path, bool directory, const struct rules **ret_of)
{
	struct str below;

	for (; rules; rules = rules->outer) {
		if (!relative(rules, path, &below))
			continue;
		for (size_t i = rules->n; i-- > 0;) {
			const struct rule *r = &rules->at[i];
			if ((r->directory && !directory) || !glob_matches(&r->glob, below))
				continue;
			*ret_of = rules;
			return r;
		}
	}
	return NULL;
}

bool rules_reach_below(const struct rules *rules, struct str path)
{
	struct str below;

	for (size_t i = 0; relative(rules, path, &below) && i < rules->n; i++)
		if (!rules->at[i].negated && glob_reaches_below(&rules->at[i].glob, below))
			return true;
	return false;
}

struct str rules_name(struct arena *a, const struct rules *of, const struct rule *rule)
{
	return of->lines ? str_printf(a, "%.*s:%u", STR_ARG(of->name), rule->line) : of->name;
}
