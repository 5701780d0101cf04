/* path.c - joins and compares file names without a disk. */
#include "base/path.h"

struct str path_directory(struct str path)
{
	size_t n = path.n;
	while (n > 0 && path.p[n - 1] != '/')
		n--;
	if (n == 0)
		return STR(".");
	return n == 1 ? STR("/") : (struct str){ path.p, n - 1 };
}

struct str path_base(struct str path)
{
	size_t n = path.n;
	while (n > 0 && path.p[n - 1] != '/')
		n--;
	return (struct str){ path.p + n, path.n - n };
}

static bool is_up(struct str part)
{
	return str_is(part, "..");
}

static struct str next_part(struct str path, size_t *at)
{
	while (*at < path.n && path.p[*at] == '/')
		++*at;
	size_t start = *at;
	while (*at < path.n && path.p[*at] != '/')
		++*at;
	return (struct str){ path.p + start, *at - start };
}

/* Can a ".." remove the last component of the path so far? It cannot if that component is ".." itself. */
static bool can_go_up(const char *p, size_t n, bool absolute)
{
	size_t start = n;
	while (start > 0 && p[start - 1] != '/')
		start--;
	return n > (absolute ? 1u : 0u) && !is_up((struct str){ p + start, n - start });
}

static size_t go_up(const char *p, size_t n, bool absolute)
{
	while (n > 0 && p[n - 1] != '/')
		n--;
	return n > (absolute ? 1u : 0u) ? n - 1 : n;
}

static size_t add_parts(char *out, size_t n, struct str path, bool absolute)
{
	for (size_t i = 0; i < path.n;) {
		struct str part = next_part(path, &i);
		if (!part.n || str_is(part, "."))
			continue;
		if (is_up(part) && can_go_up(out, n, absolute)) {
			n = go_up(out, n, absolute);
			continue;
		}
		if (is_up(part) && absolute)
			continue;               /* ".." at the top stays at the top */
		if (n && out[n - 1] != '/')
			out[n++] = '/';
		memcpy(out + n, part.p, part.n);
		n += part.n;
	}
	return n;
}

struct str path_join(struct arena *a, struct str directory, struct str path)
{
	bool rooted = path.n && path.p[0] == '/';
	bool absolute = rooted || (directory.n && directory.p[0] == '/');
	char *out = arena_alloc(a, directory.n + path.n + 3);
	size_t n = 0;
	if (absolute)
		out[n++] = '/';
	if (!rooted)
		n = add_parts(out, n, directory, absolute);
	n = add_parts(out, n, path, absolute);
	if (!n)
		out[n++] = '.';
	return (struct str){ out, n };
}

static size_t leading_ups(struct str path)
{
	size_t n = 0;
	while (path.n >= 2 + 3 * n && memcmp(path.p + 3 * n, "..", 2) == 0 &&
	    (path.n == 2 + 3 * n || path.p[2 + 3 * n] == '/'))
		n++;
	return n;
}

bool path_inside(struct str directory, struct str path)
{
	size_t ups = leading_ups(directory), path_ups = leading_ups(path);
	bool only_ups = str_is(directory, ".") || (ups && directory.n == 3 * ups - 1);
	if ((directory.n && directory.p[0] == '/') != (path.n && path.p[0] == '/'))
		return false;
	if (only_ups)
		return path_ups <= ups;
	if (str_is(directory, "/"))
		return true;
	return str_starts(path, directory) && (path.n == directory.n || path.p[directory.n] == '/');
}
