/*
 * yaml_words.c - explains errors of libyaml in terms of the text that the user wrote. Its own messages name productions
 * of the YAML grammar ("while parsing a flow node"), and nearly all mistakes are indentation, a missing quote or a
 * bracket.
 */
#include "data/data_parts.h"

struct yaml_words {
	const char *problem;            /* part of libyaml's message */
	const char *what, *help;
};

static const struct yaml_words words[] = {
	{ "did not find expected key", "a key is expected here", "the keys of one map begin in the same column" },
	{ "expected '-' indicator", "a '-' is expected here", "the items of one list begin in the same column" },
	{ "cannot start any token", "a value cannot begin with this character", "put the text in quotes" },
	{ "could not find expected ':'", "a key without ':'", "write KEY: VALUE; a long text is quoted, or begins with '|'" },
	{ "did not find expected node content", "a value is missing in [ ] or { }", "write the value, or close the bracket" },
	{ "expected ',' or ']'", "a list in [ ] lacks a ',' or its ']'", NULL },
	{ "expected ',' or '}'", "a map in { } lacks a ',' or its '}'", NULL },
	{ "unexpected end of stream", "a text in quotes has no closing quote", NULL },
	{ "unknown escape character", "this escape does not exist in double quotes", "write '\\\\' for a backslash, or single quotes" },
	{ "UTF-8", "this is not UTF-8 text", "is it the right file? save it as UTF-8" },
	{ "control characters are not allowed", "control characters are not allowed in a text", "is it the right file? remove the character" },
	{ "block sequence entries are not allowed", "a list cannot begin here", "begin it on the line after its key" },
};

/*
 * Reports a ':' that follows a complete value: either the line is indented too far, or a text without quotes contains
 * ': '.
 */
static bool fail_colon(struct data_text *t, size_t at)
{
	struct str text = t->source->text;
	size_t line = at;

	while (line > 0 && text.p[line - 1] != '\n')
		line--;
	bool second = memmem(text.p + line, at - line, ": ", 2) != NULL;
	data_fail(t, at, at + 1, "%s", second ? "a value cannot contain ': '" :
		"this key follows a line that already has a value");
	t->error->help = second ? STR("put the text in quotes") :
		STR("keys of one map begin in the same column: indent this line like the other keys of its map");
	return false;
}

/*
 * Is the text UTF-16, as redirections in PowerShell write it? It begins with a byte order mark, or one of its first two
 * bytes is 0.
 */
static bool is_wide(struct str text)
{
	return text.n > 1 && (memcmp(text.p, "\xff\xfe", 2) == 0 || memcmp(text.p, "\xfe\xff", 2) == 0 ||
		(!text.p[0]) != (!text.p[1]));
}

bool yaml_fail_words(struct data_text *t, size_t at, size_t end, const char *problem)
{
	if (is_wide(t->source->text)) {
		data_fail(t, at, end, "this text is UTF-16, and UTF-8 is expected");
		t->error->help = STR("save it as UTF-8: 'iconv -f UTF-16 -t UTF-8 OLD >NEW'");
		return false;
	}
	if (strstr(problem, "mapping values are not allowed"))
		return fail_colon(t, at);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strstr(problem, words[i].problem)) {
			data_fail(t, at, end, "%s", words[i].what);
			if (words[i].help)
				t->error->help = str_of(words[i].help);
			return false;
		}
	return data_fail(t, at, end, "%s", problem);
}
