/*
 * addon.h - the versions of add-ons that a project may name, and how they differ (addons.def). A version is major *
 * 1000 + minor; 0 means that the version is unknown, and nothing is reported about it.
 */
#ifndef TRAINC_KUBE_ADDON_H
#define TRAINC_KUBE_ADDON_H

#include "base/arena.h"
#include "base/str.h"

#define ADDON_VERSION(major, minor) ((major) * 1000u + (minor))

enum addon {
#define ADDON(id, name, title, group, image, oldest, newest) ADDON_##id,
#define ADDON_FIELD(addon, kind, path, since, gone, instead)
#define ADDON_PAIR(queue, from, to, runner, until, kind, why, advice)
#include "kube/addons.def"
#undef ADDON
#undef ADDON_FIELD
#undef ADDON_PAIR
	ADDONS
};

struct addon_row {
	const char *name, *title, *group, *image;
	unsigned oldest, newest;
};

struct addon_field {
	enum addon addon;
	const char *kind, *path;
	unsigned since, gone;
	const char *instead;            /* what to write for other versions; NULL: nothing */
};

struct addon_pair {
	enum addon queue;
	unsigned from, to;
	enum addon runner;
	unsigned until;
	const char *kind, *why, *advice;
};

const struct addon_row *addon_row(enum addon id);
/* Finds the add-on of that name, or of that API group; false if no add-on matches. */
bool addon_find(struct str name, enum addon *ret);
bool addon_of_group(struct str group, enum addon *ret);
/* Return the rows of the tables, one by one; NULL after the last. */
const struct addon_field *addon_field_at(size_t i);
const struct addon_pair *addon_pair_at(size_t i);

/*
 * Reads a version such as "0.18" as a number; returns false if it has another form. The version need not be in the
 * table.
 */
bool addon_parse(struct str text, unsigned *ret);
/* Formats a version, such as "0.18". */
struct str addon_text(struct arena *a, unsigned version);
bool addon_known(enum addon id, unsigned version);
/* Does a version have the field? An unknown version is assumed to have it. */
bool addon_has(const struct addon_field *f, unsigned version);
/* Is it certain that these two versions never start an object of the pair's kind? */
bool addon_stuck(const struct addon_pair *p, unsigned queue, unsigned runner);

#endif
