/*
 * markdown.c - adds a backslash to characters that mean something in Markdown but not in a comment: the star of
 * PREFIX_*, the angle bracket of <name>, a leading #. Code spans and indented lines are code in both.
 */
#include "explain/markdown.h"

/* Writes a line. CODE: a code span is open, which may continue on the next line. */
static void put_markdown_line(struct buf *out, struct str line, bool cell, bool *code)
{
	for (size_t i = 0; i < line.n; i++) {
		char c = line.p[i];

		*code ^= c == '`';
		if ((!*code && strchr("*<", c)) || (c == '#' && i == 0) || (c == '|' && cell))
			buf_char(out, '\\');
		buf_char(out, c);
	}
}

void markdown_prose(struct buf *out, struct str doc)
{
	bool code = false;

	while (doc.n) {
		struct str line = str_take(&doc, '\n');
		if (str_starts(line, STR("    ")))
			buf_str(out, line);
		else
			put_markdown_line(out, line, false, &code);
		buf_char(out, '\n');
	}
}

void markdown_line(struct buf *out, struct str doc)
{
	const char *between = "";
	bool code = false;

	while (doc.n) {
		struct str line = str_take(&doc, '\n');
		if (!line.n) {
			between = "<br>";
			continue;
		}
		buf_z(out, between);
		put_markdown_line(out, line, true, &code);
		between = " ";
	}
}

static size_t longest_ticks(struct str text)
{
	size_t longest = 0, run = 0;

	for (size_t i = 0; i < text.n; i++) {
		run = text.p[i] == '`' ? run + 1 : 0;
		longest = run > longest ? run : longest;
	}
	return longest;
}

void markdown_code(struct buf *out, struct str text, bool cell)
{
	size_t ticks = longest_ticks(text);

	if (!text.n)
		return;
	for (size_t i = 0; i <= ticks; i++)
		buf_char(out, '`');
	buf_z(out, ticks ? " " : "");
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '|' && cell)
			buf_char(out, '\\');
		buf_char(out, text.p[i] == '\n' ? ' ' : text.p[i]);
	}
	buf_z(out, ticks ? " " : "");
	for (size_t i = 0; i <= ticks; i++)
		buf_char(out, '`');
}

void markdown_head(struct buf *out, const char *head)
{
	buf_printf(out, "%s\n|", head);
	for (const char *c = head + 1; *c; c++)
		if (*c == '|')
			buf_z(out, " --- |");
	buf_char(out, '\n');
}
