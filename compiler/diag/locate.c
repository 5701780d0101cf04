#include "diag/locate.h"

struct place locate(struct locator *l, uint32_t offset)
{
	const struct source *s = source_at(l->sources, offset);

	if (!s)
		return (struct place){ 0 };
	struct place at = { s, 0, 1, 1 };
	if (l->last.source == s && l->last.offset <= offset - s->base)
		at = l->last;
	for (; at.offset < offset - s->base; at.offset++) {
		unsigned char c = (unsigned char)s->text.p[at.offset];

		if (c == '\n') {
			at.line++;
			at.column = 1;
		} else if ((c & 0xC0) != 0x80) {
			at.column++;
		}
	}
	l->last = at;
	return at;
}
