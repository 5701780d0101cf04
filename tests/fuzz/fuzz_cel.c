/*
 * fuzz_cel.c - translates the policies of a project to CEL. The part "p.tj" is the file of the policies; other parts
 * are files that it may import.
 *
 * What must hold: every check of a policy is translated or has a reason; an expression is one line of balanced
 * brackets and closed strings, so that no text of a policy leaves its string; a message has no control characters but
 * line ends.
 */
#include "cel/cel.h"
#include "compile.h"
#include "fuzz.h"

/* Checks an expression of CEL: its strings are in double quotes, with backslashes before quotes and backslashes. */
static void check_expression(struct str s)
{
	char open[256];
	size_t depth = 0;

	fuzz_require(fuzz_is_line(s) && str_malformed(s) == s.n);
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];
		if (c == '"' || c == '\'') {
			bool raw = i && s.p[i - 1] == 'r' && (i < 2 || strchr(" (,[!", s.p[i - 2]));
			for (i++; i < s.n && s.p[i] != c; i++)
				i += s.p[i] == '\\' && !raw;
			fuzz_require(i < s.n);
		} else if (strchr("([{", c) && depth < sizeof open) {
			open[depth++] = c;
		} else if (c == ')' || c == ']' || c == '}') {
			fuzz_require(depth && open[depth - 1] == (c == ')' ? '(' : c == ']' ? '[' : '{'));
			depth--;
		}
	}
	fuzz_require(!depth);
}

static void check_policies(struct trainc *t, enum cel_objects objects)
{
	struct cel_policies all = { 0 };

	cel_policies(&t->arena, &t->program, objects, &all);
	for (size_t i = 0; i < all.nchecks; i++) {
		const struct cel_check *c = &all.checks[i];
		fuzz_require(c->expression.n && c->message.n && fuzz_is_line(c->message));
		check_expression(c->expression);
		check_expression(c->message_expression);
	}
	for (size_t i = 0; i < all.nrefusals; i++)
		fuzz_require(all.refusals[i].why.n && span_known(all.refusals[i].at));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct arena a = { 0 };
	struct fuzz_parts parts;

	fuzz_divide(fuzz_input(&a, bytes, n), &parts);
	if (parts.n < FUZZ_PARTS)
		parts.at[parts.n++] = (struct fuzz_part){ STR("project.tj"),
			STR("project { policies = [\"p.tj\"] }\n") };
	struct reader reader = { .context = &parts, .read = fuzz_read_file, .exists = fuzz_file_exists };
	struct trainc *t = trainc_open_reader(&reader);
	t->program.added = (struct added){ .name = STR("policies"), .text = STR("") };
	compile_front(t, (struct str){ 0 });
	if (diags_ok(&t->diags)) {
		check_policies(t, CEL_OPERATOR_JOBS);
		check_policies(t, CEL_RUN_OBJECTS);
	}
	trainc_close(t);
	arena_release(&a);
	return 0;
}
