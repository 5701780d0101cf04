/*
 * page.c - splits the pages of diagnostics into parts, and assembles a whole page as Markdown for an editor.
 */
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

static struct str trimmed_page(const char *from, const char *to)
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
	ret->text = trimmed_page(start, rest->p);
	return true;
}

struct str diag_page_text(enum diag_code code)
{
	struct str rest = diag_page(code);
	struct page_part part;

	return page_next(&rest, &part) && part.kind == PAGE_TEXT ? part.text : (struct str){ 0 };
}

bool page_names_file(struct str words) { return str_ends(words, STR(".tj")) || str_ends(words, STR(".yaml")); }

struct str page_first_file(const struct page_part *part)
{
	bool import = part->run.p && str_starts(part->run, STR("import"));
	return import ? STR("job.yaml") : STR("job.tj");
}

void page_command(struct buf *b, const struct page_part *part)
{
	bool command = part->run.p[0] != '-', file = page_names_file(part->run);

	buf_printf(b, "trainc %s%.*s%s%s", command ? "" : "check ", STR_ARG(part->run), file ? "" : " ",
		file ? "" : page_first_file(part).p);
}

static void put_fence(struct buf *b, const struct page_part *part)
{
	buf_z(b, part->kind == PAGE_WRONG ? "**Wrong:**" : "**Right:**");
	if (part->run.p) {
		buf_z(b, " `");
		page_command(b, part);
		buf_char(b, '`');
	}
	buf_printf(b, "\n\n```%s\n%.*s```\n", str_ends(page_first_file(part), STR(".tj")) ? "tj" : "yaml",
		STR_ARG(part->text));
}

struct str page_markdown(struct arena *a, enum diag_code code)
{
	bool error = diag_severity(code) == SEVERITY_ERROR;
	struct str rest = diag_page(code);
	struct page_part part;
	struct buf b = { 0 };

	buf_printf(&b, "# %s %s\n\n**%s:** %s\n", diag_code_name(code), diag_slug(code), error ? "Error" : "Warning",
		diag_meaning(code));
	while (page_next(&rest, &part)) {
		buf_char(&b, '\n');
		if (part.kind == PAGE_TEXT)
			buf_printf(&b, "%.*s\n", STR_ARG(part.text));
		else
			put_fence(&b, &part);
	}
	if (!error)
		buf_printf(&b, "\nWhere it is meant so: `# allow %s: reason`\n", diag_code_name(code));
	struct str text = buf_take(&b, a);
	buf_release(&b);
	return text;
}
