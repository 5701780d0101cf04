/*
 * image.c - checks and splits image references by the grammar of the kubelet, which is that of the registry software
 * 'distribution'.
 */
#include "kube/image.h"

static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_digest_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_path_char(char c) { return is_lower(c) || is_upper(c) || is_digest_digit(c) || c == '_'; }

static const char *bad_digest(struct str s)
{
	const char *colon = s.n ? memchr(s.p, ':', s.n) : NULL;

	if (!colon)
		return "its digest has no algorithm; a digest is written sha256:...";
	struct str algorithm = { s.p, (size_t)(colon - s.p) }, hex = { colon + 1, s.n - (size_t)(colon + 1 - s.p) };
	for (size_t i = 0; i < hex.n; i++)
		if (!is_digest_digit(hex.p[i]) && !(hex.p[i] >= 'a' && hex.p[i] <= 'f'))
			return "its digest contains something other than the digits 0-9 and a-f";
	if (str_is(algorithm, "sha256") && hex.n != 64)
		return "its digest does not have 64 hexadecimal digits";
	return algorithm.n == 0 || hex.n < 32 ? "its digest is too short" : NULL;
}

static const char *bad_tag(struct str s)
{
	if (!s.n)
		return "its tag is empty";
	if (s.n > 128)
		return "its tag is longer than 128 characters";
	if (!is_path_char(s.p[0]))
		return "its tag does not begin with a letter, a digit or '_'";
	for (size_t i = 1; i < s.n; i++)
		if (!is_path_char(s.p[i]) && s.p[i] != '.' && s.p[i] != '-')
			return "its tag contains something other than letters, digits, '_', '.' and '-'";
	return NULL;
}

/*
 * Returns why a part of the path, between slashes, is invalid; NULL if it is valid. A part consists of words joined
 * by '.', '_', '__' or any number of '-'.
 */
static const char *bad_part(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (is_upper(s.p[i]))
			return "it has upper-case letters in its path";
		if (!is_path_char(s.p[i]) && s.p[i] != '.' && s.p[i] != '-')
			return "its path contains something other than letters, digits, '.', '_' and '-'";
	}
	if (!s.n)
		return "a part of its path is empty";
	bool ends = (is_lower(s.p[0]) || is_digest_digit(s.p[0])) &&
		(is_lower(s.p[s.n - 1]) || is_digest_digit(s.p[s.n - 1]));
	return ends ? NULL : "a part of its path does not begin and end with a letter or digit";
}

static const char *bad_registry(struct str s)
{
	const char *colon = memchr(s.p, ':', s.n);
	size_t host = colon ? (size_t)(colon - s.p) : s.n;

	for (size_t i = 0; i < host; i++)
		if (!(is_path_char(s.p[i]) && s.p[i] != '_') && s.p[i] != '.' && s.p[i] != '-')
			return "its registry is not a host name";
	for (size_t i = host + 1; i < s.n; i++)
		if (!is_digest_digit(s.p[i]))
			return "the port of its registry is not a number";
	return host == 0 || host + 1 == s.n ? "its registry is not complete" : NULL;
}

static bool is_registry(struct str first)
{
	return memchr(first.p, '.', first.n) || memchr(first.p, ':', first.n) || str_is(first, "localhost");
}

static const char *bad_path(struct str s)
{
	bool first = true;
	const char *why = s.n > 255 ? "it is longer than 255 characters" : NULL;

	for (;;) {
		const char *slash = s.n ? memchr(s.p, '/', s.n) : NULL;
		struct str part = { s.p, slash ? (size_t)(slash - s.p) : s.n };
		if (why)
			return why;
		why = first && slash && part.n && is_registry(part) ? bad_registry(part) : bad_part(part);
		if (!slash)
			return why;
		s = (struct str){ slash + 1, s.n - part.n - 1 };
		first = false;
	}
}

const char *kube_image_fault(struct str s)
{
	const char *why = NULL;

	if (!s.n)
		return "it is empty";
	if (memmem(s.p, s.n, "://", 3))
		return "it is an address";
	if (memmem(s.p, s.n, "{{", 2))
		return "it is a template";
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] <= ' ')
			return "it contains a space";
	const char *at = memchr(s.p, '@', s.n);
	if (at) {
		why = bad_digest((struct str){ at + 1, s.n - (size_t)(at + 1 - s.p) });
		s.n = (size_t)(at - s.p);
	}
	size_t end = s.n;
	for (size_t i = s.n; !why && i-- > 0 && s.p[i] != '/';)
		if (s.p[i] == ':') {
			why = bad_tag((struct str){ s.p + i + 1, s.n - i - 1 });
			end = i;
			break;
		}
	return why ? why : bad_path((struct str){ s.p, end });
}
