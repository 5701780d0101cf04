/*
 * restricted.c - determines the places where a command may write. A file is written beside the old one and renamed, so
 * the place is its directory. What is named but does not exist is made in the directory that contains it.
 */
#include "command/restricted.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/file_place.h"
#include "base/path.h"
#include "base/restriction.h"
#include "check/project.h"
#include "command/workspace.h"

struct restricted_places {
	struct arena *arena;
	struct restriction_place *at;
	size_t n;
	struct map known;
};

static void add_place(struct restricted_places *p, struct str path, bool makes_directories)
{
	struct restriction_place place = { path, makes_directories };

	if (map_get(&p->known, path))
		return;
	map_put(&p->known, p->arena, str_copy(p->arena, path), p);
	ARENA_PUSH(p->arena, p->at, p->n, place);
}

/* Adds the place of a file; for one of the system, such as /dev/stdout, also what it leads to. */
static void add_file_place(struct restricted_places *p, struct str path)
{
	char *real = file_place_is_system(path) ? realpath(str_copy(p->arena, path).p, NULL) : NULL;

	if (file_place_is_system(path))
		add_place(p, path, false);
	else
		add_place(p, path_directory(path), false);
	if (real)
		add_place(p, str_copy(p->arena, path_directory(str_of(real))), false);
	free(real);
}

/* Adds a directory that the command fills, or in which it is made. */
static void add_directory(struct restricted_places *p, struct str path)
{
	struct stat st;

	while (path.n > 1 && path.p[path.n - 1] == '/')
		path.n--;
	if (stat(str_copy(p->arena, path).p, &st) == 0)
		add_place(p, path, false);
	else
		add_place(p, path_directory(path), true);
}

/* Adds the projects of the programs, since fixes may concern modules that they import. */
static void add_projects(struct restricted_places *p, const struct session *s)
{
	struct str directory;

	for (size_t i = 0; i < s->options->noperands; i++) {
		add_file_place(p, s->options->operands[i]);
		if (project_directory(p->arena, s->reader, path_directory(s->options->operands[i]), &directory))
			add_place(p, directory, false);
	}
}

/* Is the value of -o a file, and not a form? */
static bool is_output_file(struct str value) { return value.n && !str_is(value, "yaml") && !str_is(value, "json"); }

static void add_outputs(struct restricted_places *p, const struct session *s)
{
	struct str output = option_value(s->options, OPTION_OUTPUT), depfile = option_value(s->options, OPTION_DEPFILE),
		directory = option_value(s->options, OPTION_OUTPUT_DIR);

	if (is_output_file(output))
		add_file_place(p, output);
	if (depfile.n)
		add_file_place(p, depfile);
	if (directory.n)
		add_directory(p, directory);
}

/* Collects the places where the command writes; false if it is not a command that is restricted. */
static bool find_places(struct restricted_places *p, const struct session *s)
{
	const struct options *o = s->options;
	struct str cache;

	switch (o->command) {
	case COMMAND_CHECK:
		if (option_given(o, OPTION_FIX))
			add_projects(p, s);
		return true;
	case COMMAND_FMT:
		for (size_t i = 0; i < o->noperands; i++)
			if (!option_given(o, OPTION_CHECK_ONLY) && !option_given(o, OPTION_DIFF) &&
			    !str_is(o->operands[i], "-"))
				add_file_place(p, o->operands[i]);
		return true;
	case COMMAND_COMPILE: case COMMAND_IMPORT:
		add_outputs(p, s);
		return true;
	case COMMAND_LSP:
		if (workspace_cache(p->arena, &cache))
			add_place(p, cache, true);
		return true;
	default:
		return false;
	}
}

void restricted_begin(struct session *s)
{
	struct restricted_places p = { .arena = s->arena };

#ifdef TRAINC_UNRESTRICTED      /* sanitizers and measurements of coverage do more at the end of a process */
	return;
#endif
	if (s->half || !find_places(&p, s))
		return;
	if (p.n)
		restriction_write_at(s->arena, p.at, p.n);
	else
		restriction_read_only();
}
