/*
 * foreign.c - words that people bring from elsewhere, looked up.
 */
#include "syntax/foreign.h"

static const struct foreign fields[] = {
#define FOREIGN(word, help) { word, help, NULL },
#define RENAMED(word, field, form) { word, "write '" field "': " form, field },
#include "foreign.def"
};
static const struct foreign names[] = {
#define FOREIGN_NAME(word, help) { word, help, NULL },
#include "foreign.def"
};

/* restart_policy is restartPolicy: case and '_' do not count. */
static bool same_word(struct str a, const char *b)
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

static const struct foreign *row_of(const struct foreign *rows, size_t n, struct str word)
{
	for (size_t i = 0; i < n; i++)
		if (same_word(word, rows[i].word))
			return &rows[i];
	return NULL;
}

const struct foreign *foreign_field(struct str word)
{
	return row_of(fields, sizeof fields / sizeof *fields, word);
}

const struct foreign *foreign_name(struct str word)
{
	return row_of(names, sizeof names / sizeof *names, word);
}
