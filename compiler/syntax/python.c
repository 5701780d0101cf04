/* python.c - takes an f-string apart, and writes it with `${}`. */
#include "syntax/python.h"

#include <string.h>

#include "base/buf.h"

/*
 * The number of bytes before the '}' that closes the inserted expression; 0 if the expression has characters that may
 * mean something else in this language.
 */
static size_t inserted(struct str text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.+-* ()";
	size_t n = strspn(text.p, plain);

	return n < text.n && text.p[n] == '}' ? n : 0;
}

struct str text_of_format(struct arena *a, struct str inside)
{
	struct buf out = { 0 };
	bool fine = !memchr(inside.p, '$', inside.n);

	for (size_t i = 0; i < inside.n && fine; i++) {
		char c = inside.p[i];
		bool twice = i + 1 < inside.n && inside.p[i + 1] == c;
		if (c == '{' && !twice) {
			size_t n = inserted((struct str){ inside.p + i + 1, inside.n - i - 1 });
			fine = n > 0;
			buf_printf(&out, "${%.*s}", (int)n, inside.p + i + 1);
			i += n + 1;
			continue;
		}
		fine = c != '}' || twice;
		i += (c == '{' || c == '}') && twice;
		buf_char(&out, c);
	}
	struct str text = fine ? str_copy(a, buf_text(&out)) : (struct str){ 0 };
	buf_release(&out);
	return text;
}
