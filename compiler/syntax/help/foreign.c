/*
 * foreign.c - looks up words of other tools.
 */
#include "syntax/help/foreign.h"

static const struct foreign fields[] = {
#define FOREIGN(word, help) { word, help, NULL },
#define RENAMED(word, field, form) { word, "write '" field "': " form, field },
#include "foreign.def"
};
static const struct foreign names[] = {
#define FOREIGN_NAME(word, help) { word, help, NULL },
#include "foreign.def"
};

static const struct {
	const char *field, *word, *help;
} values[] = {
#define FOREIGN_VALUE(field, word, help) { field, word, help },
#include "foreign.def"
};

static const struct { const char *word, *name; } dimensions[] = {
#define DIMENSION(word, name) { word, name },
#include "foreign.def"
};

/* Are the words the same? Case and '_' do not count: restart_policy is restartPolicy. */
static bool same_foreign_word(struct str a, const char *b)
{
	size_t i = 0;

	for (; i < a.n; i++) {
		if (a.p[i] == '_')
			continue;
		while (*b == '_')
			b++;
		if (!*b || (a.p[i] | 32) != (*b | 32))
			return false;
		b++;
	}
	return !*b;
}

/* Does the row match the word? One row covers all words with the same ending. */
static bool matches_row(struct str word, const char *row)
{
	size_t n = strlen(row);

	if (*row != '*')
		return same_foreign_word(word, row);
	return word.n >= n && same_foreign_word((struct str){ word.p + word.n - (n - 1), n - 1 }, row + 1);
}

static const struct foreign *row_of(const struct foreign *rows, size_t n, struct str word)
{
	for (size_t i = 0; i < n; i++)
		if (matches_row(word, rows[i].word))
			return &rows[i];
	return NULL;
}

const struct foreign *foreign_field(struct str word)
{
	return row_of(fields, sizeof fields / sizeof *fields, word);
}

const struct foreign *foreign_block(struct str word, struct str inner)
{
	bool amounts = str_is(word, "resources") && (str_is(inner, "requests") || str_is(inner, "limits"));

	return amounts ? foreign_field(STR("requests")) : NULL;
}

const struct foreign *foreign_name(struct str word)
{
	return row_of(names, sizeof names / sizeof *names, word);
}

const char *foreign_value(struct str field, struct str text)
{
	for (size_t i = 0; i < sizeof values / sizeof *values; i++)
		if (str_is(field, values[i].field) && same_foreign_word(text, values[i].word))
			return values[i].help;
	return NULL;
}

const char *foreign_dimension(struct str word)
{
	static const char *const ends[] = { "_size", "_degree" };

	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
		if (str_ends(word, str_of(ends[i])))
			word.n -= strlen(ends[i]);
	for (size_t i = 0; i < sizeof dimensions / sizeof *dimensions; i++)
		if (same_foreign_word(word, dimensions[i].word))
			return dimensions[i].name;
	return NULL;
}

const char *foreign_fact(struct str path)
{
	static const char *const facts[][2] = {
		{ "metadata.name", "pod.name" }, { "metadata.uid", "pod.uid" },
		{ "metadata.namespace", "cluster.namespace" }, { "status.podIP", "pod.ip" },
		{ "spec.nodeName", "pod.node" },
		{ "metadata.annotations['batch.kubernetes.io/job-completion-index']", "pod.index" },
		{ "metadata.labels['batch.kubernetes.io/job-completion-index']", "pod.index" },
	};
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
		if (str_is(path, facts[i][0]))
			return facts[i][1];
	return NULL;
}
