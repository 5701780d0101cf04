/*
 * operands.c - expands operands. A directory stands for the programs in it: its .tj files in byte order, without
 * project.tj. A pattern that the shell did not expand, because it was quoted, stands for the files that match it.
 */
#include "command/operands.h"

#include <fnmatch.h>
#include <sys/stat.h>

#include "base/path.h"

struct expanding {
	struct arena *arena;
	struct str directory, pattern;
	struct str **at;
	size_t *n;
};

static void take_operand(void *to, struct str name)
{
	struct expanding *x = to;
	bool fits = x->pattern.n ? fnmatch(str_copy(x->arena, x->pattern).p, str_copy(x->arena, name).p,
		FNM_PERIOD) == 0
	                         : str_ends(name, STR(".tj")) && name.p[0] != '.' && !str_is(name, "project.tj");

	if (fits)
		ARENA_PUSH(x->arena, *x->at, *x->n, path_join(x->arena, x->directory, name));
}

static bool is_operand_directory(struct arena *a, struct str path)
{
	struct stat st;

	return stat(str_copy(a, path).p, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool is_pattern(struct arena *a, struct str path)
{
	struct stat st;
	struct str base = path_base(path);

	return (memchr(base.p, '*', base.n) || memchr(base.p, '?', base.n) || memchr(base.p, '[', base.n)) &&
		stat(str_copy(a, path).p, &st) != 0;
}

static bool takes_programs(const struct options *o)
{
	switch (o->command) {
	case COMMAND_COMPILE: case COMMAND_CHECK: case COMMAND_FMT: case COMMAND_TEST: case COMMAND_DIFF:
	case COMMAND_APPLY: return true;
	default: return false;
	}
}

bool operands_expand(struct arena *a, const struct reader *reader, struct options *o, struct str *why)
{
	struct str *all = NULL;
	size_t n = 0;

	if (!takes_programs(o))
		return true;
	for (size_t i = 0; i < o->noperands; i++) {
		struct str path = o->operands[i];
		bool directory = !memchr(path.p, 0, path.n) && is_operand_directory(a, path);
		struct expanding x = { a, directory ? path : path_directory(path),
			directory ? STR("") : path_base(path), &all, &n };
		size_t before = n;
		if (!directory && (memchr(path.p, 0, path.n) || !is_pattern(a, path))) {
			ARENA_PUSH(a, all, n, path);
			continue;
		}
		reader->list(reader->context, a, x.directory, take_operand, &x);
		if (n == before && directory) {
			*why = str_printf(a, "'%.*s' is a directory without programs: their names end with .tj",
				STR_ARG(path));
			return false;
		}
		if (n == before)
			ARENA_PUSH(a, all, n, path);
	}
	o->operands = all;
	o->noperands = n;
	return true;
}
