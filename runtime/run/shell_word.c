/* shell_word.c - quotes the words of a command line where a shell needs it. */
#include "runtime/run/shell_word.h"

#include "base/words.h"

static bool needs_no_quotes(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		(c && strchr("%+,-./:=@_", c));
}

void put_shell_word(struct buf *b, struct str word)
{
	bool plain = word.n > 0;

	for (size_t i = 0; i < word.n; i++)
		plain = plain && needs_no_quotes(word.p[i]);
	buf_z(b, plain ? "" : "'");
	while (word.n) {
		const char *quote = memchr(word.p, '\'', word.n);
		size_t n = quote ? (size_t)(quote - word.p) : word.n;
		put_escaped(b, (struct str){ word.p, n });
		buf_z(b, quote ? "'\\''" : "");
		n += quote != NULL;
		word = (struct str){ word.p + n, word.n - n };
	}
	buf_z(b, plain ? "" : "'");
}
