/* run_name.c - reads --name, and replaces what is in braces. */
#include "command/run_name.h"

#include <string.h>

#include "kube/limits.h"

#define FREE_NUMBER "{n}"
#define HASH "{hash}"

/* The position of PART in the name; the length of the name if it is not there. */
static size_t brace_at(struct str name, struct str part)
{
	size_t at = 0;

	while (at + part.n <= name.n && memcmp(name.p + at, part.p, part.n) != 0)
		at++;
	return at + part.n <= name.n ? at : name.n;
}

/* The name with TEXT in place of PART; without TEXT, a dash before it goes, too: bert-{n} becomes bert. */
static struct str replaced(struct arena *a, struct str name, struct str part, struct str text)
{
	size_t at = brace_at(name, part), end = at + part.n;

	if (at == name.n)
		return name;
	struct str head = { name.p, at }, tail = { name.p + end, name.n - end };
	if (!text.n && head.n && head.p[head.n - 1] == '-')
		head.n--;
	return str_cat(a, head, text, tail);
}

static bool is_name(struct str name)
{
	return kube_dns_label(name) && name.n <= LIMIT_LABEL && name.p[0] >= 'a';
}

bool run_name_accepted(struct arena *a, enum command command, struct str name, struct str *why)
{
	struct str plain = replaced(a, replaced(a, name, STR(HASH), STR("0")), STR(FREE_NUMBER), STR("0"));

	if (memchr(plain.p, '{', plain.n) || memchr(plain.p, '}', plain.n))
		*why = STR("braces hold one n or one hash, as in bert-{n} and bert-{hash}");
	else if (!is_name(plain))
		*why = STR("a name has lower-case letters, digits and '-', begins with a letter and has at most 63 "
			"characters");
	else if (command != COMMAND_RUN && command != COMMAND_APPLY && run_name_has_number(name))
		*why = STR("{n} is a number that is free where the run starts, so only 'run' and 'apply' know it; "
			"{hash} is the same everywhere");
	else
		return true;
	return false;
}

bool run_name_has_hash(struct str name) { return brace_at(name, STR(HASH)) < name.n; }
bool run_name_has_number(struct str name) { return brace_at(name, STR(FREE_NUMBER)) < name.n; }

struct str run_name_hashed(struct arena *a, struct str name, struct str digits)
{
	return replaced(a, name, STR(HASH), digits);
}

struct str run_name_numbered(struct arena *a, struct str name, int64_t n)
{
	return replaced(a, name, STR(FREE_NUMBER), str_int(a, n));
}

struct str run_name_plain(struct arena *a, struct str name)
{
	return replaced(a, replaced(a, name, STR(HASH), STR("")), STR(FREE_NUMBER), STR(""));
}
