/*
 * library_device.c - finds an accelerator in the text of the library. A module that a program does not import is not
 * parsed: a declaration is a line that begins with `accelerator`.
 */
#include "check/library_device.h"

#include <string.h>

#include "check/module.h"

/* The accelerator NAME in TEXT, or else the first of that family (see library_device.h). */
static struct str device_in(struct str text, struct str name)
{
	static const char word[] = "\naccelerator ";
	struct str family = { 0 };

	for (const char *p = text.p; (p = strstr(p, word)); ) {
		p += sizeof word - 1;
		struct str found = { p, strcspn(p, "(") };
		if (str_eq(found, name))
			return found;
		if (!family.n && found.n > name.n && str_starts(found, name) && found.p[name.n] == '_')
			family = found;
	}
	return family;
}

struct str library_device(struct str name, struct str *ret_module)
{
	size_t n;
	const char *const *modules = stdlib_names(&n);
	struct str found = { 0 };

	for (size_t i = 0; i < n && name.n; i++) {
		struct str here = device_in(stdlib_text(str_of(modules[i])), name);
		if (!here.n || (found.n && !str_eq(here, name)))
			continue;
		found = here;
		*ret_module = str_of(modules[i]);
	}
	return found;
}
