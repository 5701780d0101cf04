/* linked.c - prints the libraries in the programs, from the table that libraries.sh makes. */
#include "command/linked.h"

#include "commit.h"

struct linked_library {
	const char *name, *version, *package, *package_version, *license, *inside, *shared;
};

static const struct linked_library libraries[] = {
#define LIBRARY(name, version, package, package_version, license, inside, shared) \
	{ name, version, package, package_version, license, inside, shared },
#include "libraries.def"
#undef LIBRARY
};
enum { LINKED_LIBRARIES = sizeof libraries / sizeof *libraries };

const char *const linked_commit = TRAINC_COMMIT;

void linked_text(struct buf *out)
{
	for (size_t i = 0; i < LINKED_LIBRARIES; i++) {
		const struct linked_library *l = &libraries[i];
		buf_printf(out, "%s %s", l->name, l->version);
		if (*l->package)
			buf_printf(out, " (%s %s)", l->package, l->package_version);
		buf_printf(out, "%s%s%s%s\n", *l->inside ? ", in " : "", l->inside,
			*l->shared ? ", shared by " : "", l->shared);
	}
}

/* Appends a list of words that blanks separate. */
static void put_words(struct buf *out, const char *words)
{
	buf_char(out, '[');
	for (const char *at = words; *at;) {
		size_t n = strcspn(at, " ");
		buf_printf(out, "%s\"%.*s\"", at == words ? "" : ",", (int)n, at);
		at += n + (at[n] == ' ');
	}
	buf_char(out, ']');
}

void linked_json(struct buf *out)
{
	buf_char(out, '[');
	for (size_t i = 0; i < LINKED_LIBRARIES; i++) {
		const struct linked_library *l = &libraries[i];
		buf_printf(out, "%s{\"name\":\"%s\",\"version\":\"%s\",\"license\":\"%s\",", i ? "," : "", l->name,
			l->version, l->license);
		if (*l->package)
			buf_printf(out, "\"package\":\"%s\",\"packageVersion\":\"%s\",", l->package,
				l->package_version);
		buf_z(out, "\"in\":");
		put_words(out, l->inside);
		buf_z(out, ",\"sharedBy\":");
		put_words(out, l->shared);
		buf_char(out, '}');
	}
	buf_char(out, ']');
}
