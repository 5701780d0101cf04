/*
 * launch_part.c - the containers of a role in the order in which they start, and the beginning of messages about them.
 */
#include "runtime/local/launch_internal.h"

#include <stdarg.h>
#include <stdio.h>

const struct str launch_standard_path = { "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 60 };

/* Here no container unpacks the code of a role: launch_prepare() does. It would be the first init container. */
static size_t left_out_inits(const struct plan_role *r) { return r->code && r->ninits; }

size_t launch_inits(const struct plan_role *r) { return r->ninits - left_out_inits(r); }

size_t launch_containers(const struct plan_role *r) { return launch_inits(r) + r->nsidecars + 1; }

const struct plan_container *launch_container(const struct plan_role *r, size_t k)
{
	size_t inits = launch_inits(r);

	if (k < inits)
		return &r->inits[k + left_out_inits(r)];
	return k < inits + r->nsidecars ? &r->sidecars[k - inits] : &r->main;
}

enum container_part launch_part(const struct plan_role *r, size_t k)
{
	size_t inits = launch_inits(r);

	if (k < inits)
		return CONTAINER_INIT;
	return k < inits + r->nsidecars ? CONTAINER_SIDECAR : CONTAINER_MAIN;
}

struct str launch_who(struct arena *a, const struct plan_role *r, const struct plan_container *c)
{
	if (c == &r->main)
		return str_printf(a, "role '%.*s'", STR_ARG(r->name));
	return str_printf(a, "role '%.*s', container '%.*s'", STR_ARG(r->name), STR_ARG(c->name));
}

void launch_complain(struct buf *why, const char *fmt, ...)
{
	char text[2048];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	buf_printf(why, "%s\n", text);
}

void launch_note(struct launch *l, const char *fmt, ...)
{
	char text[1024];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	if (!l->notes.n || !memmem(l->notes.p, l->notes.n, text, strlen(text)))
		buf_printf(&l->notes, "%s\n", text);
}

/*
 * With an image's root there is no file for last words: a container with its own root does not see the directory of the
 * run.
 */
struct str launch_last_words(const struct launch *l, struct arena *a, unsigned role, int64_t i)
{
	const struct plan_role *r = &l->job->roles[role];

	for (size_t k = 0; k < r->main.nenv && !l->options->image_root.n; k++)
		if (str_is(r->main.env[k].name, LAST_WORDS_FILE))
			return str_printf(a, "%.*s/%.*s-%lld.words", STR_ARG(l->scratch), STR_ARG(r->name),
				(long long)i);
	return (struct str){ 0 };
}
