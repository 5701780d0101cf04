/*
 * library_device.c - finds an accelerator in the text of the library. A module that a program does not import is not
 * parsed: a declaration is a line that begins with `accelerator`.
 */
#include "check/library_device.h"

#include <string.h>

#include "base/buf.h"
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

/* Is the value at P, which begins with a quote, that resource? A value that an argument completes may be. */
static bool is_resource(const char *p, struct str quoted)
{
	size_t end = strcspn(p, "\n"), fixed = strcspn(p, "$");

	return fixed < end ? strncmp(p, quoted.p, fixed) == 0 : strncmp(p, quoted.p, quoted.n) == 0;
}

/* The accelerator in TEXT that requests RESOURCE, which is quoted (see library_device_of() in library_device.h). */
static struct str device_asking(struct str text, struct str quoted)
{
	static const char word[] = "\naccelerator ", field[] = "\n  resource = ";
	struct str first = { 0 };

	for (const char *p = text.p, *next; (p = strstr(p, word)); p = next) {
		p += sizeof word - 1;
		struct str found = { p, strcspn(p, "(") };
		const char *at = strstr(p, field), *end = strstr(p, "\n}");
		next = p + found.n;
		if (!at || (end && end < at) || !is_resource(at + sizeof field - 1, quoted))
			continue;
		if (str_is(found, "gpu"))
			return found;
		first = first.n ? first : found;
	}
	return first;
}

struct str library_device_of(struct str resource, struct str *ret_module, bool *ret_counted)
{
	size_t n;
	const char *const *modules = stdlib_names(&n);
	struct buf quoted = { 0 };
	struct str found = { 0 };

	buf_printf(&quoted, "\"%.*s\"\n", STR_ARG(resource));
	for (size_t i = 0; i < n && !found.n; i++) {
		found = device_asking(stdlib_text(str_of(modules[i])), buf_text(&quoted));
		*ret_module = str_of(modules[i]);
	}
	buf_release(&quoted);
	*ret_counted = found.n && strncmp(found.p + found.n, "(count: int", 11) == 0;
	return found;
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

struct str library_counted(struct str module)
{
	static const char form[] = "(count: int(1..8)) {\n  resource = \"";
	struct str text = stdlib_text(module);
	const char *at = text.n ? strstr(text.p, form) : NULL;

	return at ? (struct str){ at + sizeof form - 1, strcspn(at + sizeof form - 1, "\"") } : STR("");
}

struct str library_parts(struct str module)
{
	static const char form[] = "(part: string";
	struct str text = stdlib_text(module);
	const char *end = text.n ? strstr(text.p, form) : NULL, *at = end;

	while (at && at > text.p && at[-1] != ' ')
		at--;
	return at ? (struct str){ at, (size_t)(end - at) } : STR("");
}
