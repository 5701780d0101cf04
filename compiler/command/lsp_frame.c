/* lsp_frame.c - reads the headers of messages. Header names are the same in capital letters. */
#include "command/lsp_frame.h"

#include <limits.h>
#include <strings.h>

/* Returns the end of the header at P, which is after its empty line; NULL when the empty line has not arrived. */
static const char *header_end(const char *p, const char *end)
{
	for (const char *line = p; line < end;) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		if (!newline)
			return NULL;
		if (newline == line || (newline == line + 1 && *line == '\r'))
			return newline + 1;
		line = newline + 1;
	}
	return NULL;
}

/* Returns the number in the rest of a header line, from P to its line end; -1 if it contains none that fits. */
static long line_number(const char *p, const char *newline)
{
	long n = 0;

	while (p < newline && (*p == ' ' || *p == '\t'))
		p++;
	const char *digits = p;
	for (; *p >= '0' && *p <= '9' && n <= INT_MAX; p++)
		n = 10 * n + (*p - '0');
	return p > digits && n <= INT_MAX && (p == newline || (*p == '\r' && p + 1 == newline)) ? n : -1;
}

/* Returns the length that a header states; -1 when it has no valid one. */
static long content_length(const char *p, const char *end)
{
	static const char name[] = "content-length:";
	const size_t n = sizeof name - 1;

	for (const char *line = p; line < end;) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		if ((size_t)(newline - line) >= n && strncasecmp(line, name, n) == 0)
			return line_number(line + n, newline);
		line = newline + 1;
	}
	return -1;
}

enum lsp_frame lsp_frame_next(struct str in, struct str *ret_body, size_t *ret_used)
{
	const char *end = in.p + in.n, *body = in.n ? header_end(in.p, end) : NULL;

	if (!body)
		return LSP_FRAME_CUT;
	long length = content_length(in.p, body);
	if (length > end - body)
		return LSP_FRAME_CUT;
	*ret_body = (struct str){ body, length < 0 ? 0 : (size_t)length };
	*ret_used = (size_t)(body - in.p) + ret_body->n;
	return length < 0 ? LSP_FRAME_MALFORMED : LSP_FRAME_MESSAGE;
}
