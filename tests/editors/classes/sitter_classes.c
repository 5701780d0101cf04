/*
 * sitter_classes.c - writes the classes that the tree-sitter grammar and its query give to FILE.sitter, for each file
 * of a list.
 *
 *     sitter_classes LIST HIGHLIGHTS.scm
 *
 * Ends with 1 when the query is refused, and reports files whose tree contains an error.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tree_sitter/api.h>

const TSLanguage *tree_sitter_tj(void);

static char *file_text(const char *path, uint32_t *ret_n)
{
	FILE *f = fopen(path, "rb");
	char *text;
	long n;

	if (!f)
		exit(2);
	fseek(f, 0, SEEK_END);
	n = ftell(f);
	rewind(f);
	text = malloc((size_t)n + 1);
	*ret_n = (uint32_t)fread(text, 1, (size_t)n, f);
	text[*ret_n] = '\0';
	fclose(f);
	return text;
}

static char letter(const char *capture)
{
	static const struct { const char *prefix; char letter; } letters[] = {
		{ "comment", 'c' }, { "string", 's' }, { "constant.character", 's' }, { "number", 'n' }, { "constant.numeric", 'n' },
		{ "keyword", 'k' }, { "constant", 'k' }, { "operator", 'o' }
	};
	for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
		if (!strncmp(capture, letters[i].prefix, strlen(letters[i].prefix)))
			return letters[i].letter;
	return '-';
}

static int classify(TSParser *parser, TSQuery *query, const char *source, const char *target)
{
	uint32_t n, index;
	char *text = file_text(source, &n), *classes = malloc(n + 1), name[4096];
	TSTree *tree = ts_parser_parse_string(parser, NULL, text, n);
	TSNode root = ts_tree_root_node(tree);
	TSQueryCursor *cursor = ts_query_cursor_new();
	TSQueryMatch match;
	int bad = ts_node_has_error(root);
	FILE *out;

	if (bad)
		printf("error %s\n", source);
	memset(classes, '-', n);
	ts_query_cursor_exec(cursor, query, root);
	while (ts_query_cursor_next_capture(cursor, &match, &index)) {
		TSQueryCapture c = match.captures[index];
		uint32_t length;
		const char *capture = ts_query_capture_name_for_id(query, c.index, &length);
		if (strcmp(capture, "variable.builtin") && strcmp(capture, "variable.special"))
			memset(classes + ts_node_start_byte(c.node), letter(capture), ts_node_end_byte(c.node) - ts_node_start_byte(c.node));
	}
	snprintf(name, sizeof name, "%s.sitter", target);
	out = fopen(name, "w");
	for (uint32_t i = 0; i < n; i++)
		/* writes one letter for each character, at its first byte */
		if (((unsigned char)text[i] & 0xC0) != 0x80)
			fputc(text[i] == '\n' ? '\n' : classes[i], out);
	fclose(out);
	ts_query_cursor_delete(cursor);
	ts_tree_delete(tree);
	free(text);
	free(classes);
	return bad;
}

int main(int argc, char **argv)
{
	TSParser *parser = ts_parser_new();
	uint32_t n, at = 0;
	TSQueryError error;
	char *query_text = argc == 3 ? file_text(argv[2], &n) : NULL, line[8192];
	FILE *list = fopen(argv[1], "r");
	int bad = 0;

	if (!query_text || !list || !ts_parser_set_language(parser, tree_sitter_tj()))
		return 2;
	TSQuery *query = ts_query_new(tree_sitter_tj(), query_text, n, &at, &error);
	if (!query) {
		printf("query: error %d at %u\n", error, at);
		return 1;
	}
	while (fgets(line, sizeof line, list)) {
		char *tab = strchr(line, '\t');
		line[strcspn(line, "\n")] = '\0';
		*tab = '\0';
		bad |= classify(parser, query, line, tab + 1);
	}
	fclose(list);
	free(query_text);
	ts_query_delete(query);
	ts_parser_delete(parser);
	return bad;
}
