/*
 * fuzz_ignore.c - reads a file of rules, as .gitignore has them, and asks about a path. The first line of the input is
 * the path; the rest is the file.
 *
 * What must hold: a rule is one line of the file; the rule that decides is one of the file, and is named by its line; a
 * directory that is left out with all below it leaves out what is below it, unless a later rule takes that again; the
 * same text as a list decides the same.
 */
#include "code/code_rules.h"
#include "fuzz.h"

static void check_rules(const struct rules *r, struct str text)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct rule *one = &r->at[i];
		fuzz_require(one->line >= 1 && one->line <= text.n + 1 && (!i || one->line > r->at[i - 1].line));
		fuzz_require(!memchr(one->text.p, '\n', one->text.n));
		fuzz_require(one->text.p >= text.p && one->text.p + one->text.n <= text.p + text.n);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct arena a = { 0 };
	struct str text = fuzz_input(&a, bytes, n), path = str_take(&text, '\n');
	const struct rules *of = NULL;
	struct rules *outer = rules_read(&a, NULL, STR(""), STR(".gitignore"), STR("*.log\n!keep.log\nout/\n")),
		*r = rules_read(&a, outer, STR(""), STR(".trainignore"), text);

	check_rules(r, text);
	for (int directory = 0; directory < 2; directory++) {
		const struct rule *rule = rules_find(r, path, directory, &of);
		fuzz_require(!rule || ((of == r || of == outer) && rule >= of->at && rule < of->at + of->n));
		fuzz_require(!rule || directory || !rule->directory);
		fuzz_require(!rule || rules_name(&a, of, rule).n > strlen(".gitignore:"));
	}
	rules_reach_below(r, path);
	struct rules *list = rules_of_list(&a, NULL, STR(""), STR("exclude"), &text, 1);
	fuzz_require(list->n <= 1);
	rules_find(list, path, false, &of);
	arena_release(&a);
	return 0;
}
