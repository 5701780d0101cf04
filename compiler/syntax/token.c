/* token.c - the text of tokens, as in the source and in messages, and their indentation. */
#include "syntax/token.h"

struct str tokens_text(const struct tokens *ts, uint32_t start, uint32_t end)
{
	return (struct str){ ts->source->text.p + (start - ts->source->base), end - start };
}

struct str tokens_shown(const struct tokens *ts, uint32_t start, uint32_t end)
{
	enum { SHOWN = 32 };
	struct str text = tokens_text(ts, start, end);
	const char *line = memchr(text.p, '\n', text.n);
	size_t n = line ? (size_t)(line - text.p) : text.n;

	if (n <= SHOWN + 3 && !line)
		return text;
	if (n > SHOWN)
		n = SHOWN;
	while (n > 0 && n < text.n && ((unsigned char)text.p[n] & 0xC0) == 0x80)
		n--;
	return str_printf(ts->arena, "%.*s...", (int)n, text.p);
}

unsigned tokens_indent(const struct tokens *ts, uint32_t offset)
{
	const char *text = ts->source->text.p;
	size_t line = offset - ts->source->base, i;

	while (line > 0 && text[line - 1] != '\n')
		line--;
	for (i = line; text[i] == ' ' || text[i] == '\t'; i++)
		;
	return (unsigned)(i - line);
}
