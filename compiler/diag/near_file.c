/* near_file.c - reports a file that cannot be read, and suggests the file that a misspelled path was meant for. */
#include "diag/near_file.h"

#include "base/path.h"
#include "diag/suggest.h"

struct near_search {
	struct suggest names;
	const char *endings;
};

static void add_near(void *to, struct str name)
{
	struct near_search *search = to;

	for (const char *at = search->endings; *at; at += strspn(at, " ")) {
		size_t n = strcspn(at, " ");
		if (str_ends(name, (struct str){ at, n })) {
			suggest_add(&search->names, name);
			return;
		}
		at += n;
	}
}

struct str near_file(const struct reader *r, struct arena *a, struct str path, const char *endings)
{
	struct near_search search = { .endings = endings };

	suggest_init(&search.names, a, path_base(path));
	if (r->list)
		r->list(r->context, a, path_directory(path), add_near, &search);
	return suggest_sentence(&search.names);
}

struct diag *report_no_reading(struct diags *ds, const struct reader *r, struct str path, struct str why,
	const char *endings)
{
	bool directory = str_is(why, "is a directory");
	struct diag *d = diag_report(ds, TJ0001, (struct span){ 0, 0 },
		directory ? "'%.*s' %.*s" : "cannot read '%.*s': %.*s", STR_ARG(path), STR_ARG(why));
	struct str help = str_is(why, "no such file") ? near_file(r, ds->arena, path, endings) : STR("");

	if (help.n)
		diag_help(ds, d, "%.*s", STR_ARG(help));
	return d;
}
