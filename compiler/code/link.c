/*
 * link.c - follows a link part by part, without leaving the directory.
 */
#include "code/link.h"

#include <unistd.h>

enum { MOST_LINKS = 40, LONGEST_WAY = 4096 };

/* A way that is followed: the place that was reached, relative to the root, and what is still to go. */
struct link_way {
	char at[LONGEST_WAY], rest[2 * LONGEST_WAY];
	size_t n, nrest;
	int links;
};

/* Puts TARGET before what is still to go; false if it is too long or absolute. */
static bool way_by(struct link_way *w, struct str target)
{
	if (!target.n || *target.p == '/' || target.n + 1 + w->nrest > sizeof w->rest)
		return false;
	memmove(w->rest + target.n + 1, w->rest, w->nrest);
	memcpy(w->rest, target.p, target.n);
	w->rest[target.n] = '/';
	w->nrest += target.n + 1;
	return true;
}

/* Goes to the directory above; false at the root. */
static bool way_up(struct link_way *w)
{
	const char *slash = memrchr(w->at, '/', w->n);

	if (!w->n)
		return false;
	w->n = slash ? (size_t)(slash - w->at) : 0;
	return true;
}

/* Goes into the next part of the way; false if that leads out. */
static bool way_into(struct link_way *w, int root, struct str part)
{
	char target[LONGEST_WAY];
	size_t before = w->n;

	if (w->n + part.n + 2 > sizeof w->at)
		return false;
	if (w->n)
		w->at[w->n++] = '/';
	memcpy(w->at + w->n, part.p, part.n);
	w->n += part.n;
	w->at[w->n] = '\0';
	ssize_t n = readlinkat(root, w->at, target, sizeof target);
	if (n < 0)
		return true;
	w->n = before;
	return w->links++ >= MOST_LINKS || way_by(w, (struct str){ target, (size_t)n });
}

bool link_leads_out(int root, struct str directory, struct str target)
{
	struct link_way w = { .n = directory.n };

	if (directory.n >= sizeof w.at)
		return true;
	memcpy(w.at, directory.p, directory.n);
	if (!way_by(&w, target))
		return true;
	while (w.nrest && w.links <= MOST_LINKS) {
		const char *slash = memchr(w.rest, '/', w.nrest);
		struct str part = { w.rest, (size_t)(slash - w.rest) };
		bool ok = !part.n || str_is(part, ".");
		char copy[LONGEST_WAY];
		if (part.n >= sizeof copy)
			return true;
		memcpy(copy, part.p, part.n);
		w.nrest -= part.n + 1;
		memmove(w.rest, slash + 1, w.nrest);
		part.p = copy;
		if (!ok && !(str_is(part, "..") ? way_up(&w) : way_into(&w, root, part)))
			return true;
	}
	return false;
}
