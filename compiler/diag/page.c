#include "diag/page.h"

bool page_line(struct str *rest, struct str *ret)
{
	if (!rest->n)
		return false;
	const char *newline = memchr(rest->p, '\n', rest->n);
	size_t n = newline ? (size_t)(newline - rest->p) : rest->n;
	*ret = (struct str){ rest->p, n };
	n += newline != NULL;
	rest->p += n;
	rest->n -= n;
	return true;
}

static struct str trimmed(const char *from, const char *to)
{
	while (from < to && *from == '\n')
		from++;
	while (from < to && to[-1] == '\n')
		to--;
	return (struct str){ from, (size_t)(to - from) };
}

/* Removes the lines `# run:` and `# also:` from the beginning of a program. */
static void take_head(struct page_part *part)
{
	struct str rest = part->text, line;

	while (page_line(&rest, &line)) {
		if (str_starts(line, STR("# run: ")))
			part->run = (struct str){ line.p + 7, line.n - 7 };
		else if (!str_starts(line, STR("# also: ")))
			break;
		part->text = rest;
	}
}

bool page_next(struct str *rest, struct page_part *ret)
{
	const char *start;
	struct str line;

	do {
		start = rest->p;
		if (!page_line(rest, &line))
			return false;
	} while (!line.n);
	*ret = (struct page_part){ PAGE_TEXT, { 0 }, { 0 } };
	if (str_starts(line, STR("```"))) {
		ret->kind = str_ends(line, STR(" wrong")) ? PAGE_WRONG : PAGE_RIGHT;
		start = rest->p;
		while (page_line(rest, &line) && !str_is(line, "```"))
			;
		ret->text = (struct str){ start, (size_t)(line.p - start) };
		take_head(ret);
		return true;
	}
	struct str ahead = *rest;
	while (page_line(&ahead, &line) && !str_starts(line, STR("```")))
		*rest = ahead;
	ret->text = trimmed(start, rest->p);
	return true;
}

struct str diag_page_text(enum diag_code code)
{
	struct str rest = diag_page(code);
	struct page_part part;

	return page_next(&rest, &part) && part.kind == PAGE_TEXT ? part.text : (struct str){ 0 };
}
