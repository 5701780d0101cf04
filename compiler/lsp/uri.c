/* uri.c - percent encoding, drives, and the paths of file: URIs. */
#include "lsp/uri.h"

#include <ctype.h>

#include "base/path.h"

static int hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static struct str decoded(struct arena *a, struct str text)
{
	char *p = arena_alloc(a, text.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++) {
		bool escape = text.p[i] == '%' && i + 2 < text.n && hex(text.p[i + 1]) >= 0 && hex(text.p[i + 2]) >= 0;
		p[n++] = escape ? (char)(hex(text.p[i + 1]) * 16 + hex(text.p[i + 2])) : text.p[i];
		i += escape ? 2 : 0;
	}
	return (struct str){ p, n };
}

bool uri_path(struct arena *a, struct str uri, struct str *ret)
{
	struct str scheme = STR("file://");

	if (!str_starts(uri, scheme))
		return false;
	struct str rest = { uri.p + scheme.n, uri.n - scheme.n };
	const char *slash = memchr(rest.p, '/', rest.n);
	if (!slash)
		return false;
	struct str path = decoded(a, (struct str){ slash, rest.n - (size_t)(slash - rest.p) });
	if (path.n > 2 && path.p[2] == ':' && isalpha((unsigned char)path.p[1]))        /* /c:/x */
		path = (struct str){ path.p + 1, path.n - 1 };
	if (memchr(path.p, 0, path.n))
		return false;
	*ret = path_join(a, STR("."), path);
	return true;
}

struct str uri_of(struct arena *a, struct str path)
{
	struct buf b = { 0 };

	buf_z(&b, path.n && path.p[0] == '/' ? "file://" : "file:///");
	for (size_t i = 0; i < path.n; i++) {
		unsigned char c = (unsigned char)path.p[i];
		if (isalnum(c) || strchr("/-._~", c))
			buf_char(&b, (char)c);
		else
			buf_printf(&b, "%%%02X", c);
	}
	struct str uri = buf_take(&b, a);
	buf_release(&b);
	return uri;
}

struct str uri_normal(struct arena *a, struct str uri)
{
	struct str path;

	return uri_path(a, uri, &path) ? uri_of(a, path) : uri;
}
