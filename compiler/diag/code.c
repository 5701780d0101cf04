/*
 * code.c - the table of codes: names, slugs, meanings, severities.
 */
#include "diag/diag.h"

#include <strings.h>

static const struct {
	const char *name, *slug, *meaning;
	enum severity severity;
} codes[] = {
#define DIAG(code, severity, slug, meaning) { #code, slug, meaning, SEVERITY_##severity },
#include "diag/codes.def"
#undef DIAG
};

const char *diag_code_name(enum diag_code code) { return codes[code].name; }
const char *diag_slug(enum diag_code code) { return codes[code].slug; }
const char *diag_meaning(enum diag_code code) { return codes[code].meaning; }
enum severity diag_severity(enum diag_code code) { return codes[code].severity; }

static bool is_slug(struct str text, const char *word)
{
	return strlen(word) == text.n && strncasecmp(text.p, word, text.n) == 0;
}

bool diag_code_find(struct str text, enum diag_code *ret)
{
	for (size_t i = 0; i < DIAG_CODES; i++) {
		if (is_slug(text, codes[i].name) || is_slug(text, codes[i].slug)) {
			*ret = (enum diag_code)i;
			return true;
		}
	}
	return false;
}
