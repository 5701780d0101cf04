/*
 * import_cut_test.c - manifests that are cut at every byte: the import always returns a program or a diagnostic.
 */
#include "base/file.h"
#include "import/import.h"
#include "unit.h"

/*
 * Imports the part of a manifest that is left. With WHOLE it also checks the program, which takes longer. Returns
 * false if the import returned neither a program nor a diagnostic.
 */
static bool cut(struct str text, bool whole)
{
	struct arena arena = { 0 };
	struct sources sources = { .arena = &arena };
	struct diags diags = { .arena = &arena, .sources = &sources };
	struct import *im = import_new(&arena, &sources, &diags, (struct import_options){ 0 });
	struct source *source = source_add(&sources, STR("job.yaml"), text);
	struct buf out = { 0 };
	bool ok;

	import_read(im, source);
	import_finish(im);
	ok = import_count(im) || !diags_ok(&diags) || diags.n;
	if (whole && diags_ok(&diags) && import_count(im))
		ok = import_program(im, IMPORT_ALL, &out) || !diags_ok(&diags);
	buf_release(&out);
	arena_release(&arena);
	return ok;
}

int main(void)
{
	static const char *const names[] = { "jobset", "volcano_rest", "trainjob_steps", "objects", "pytorch",
		"strings", "legacy" };
	struct arena arena = { 0 };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct str path = str_printf(&arena, "tests/import/cases/%s.yaml", names[i]), text, why;
		bool ok = file_read(&arena, path, &text, &why);
		for (size_t n = 0; ok && n < text.n; n++)
			ok = cut((struct str){ text.p, n }, n % 16 == 0);
		check_at(__LINE__, ok, names[i]);
	}
	arena_release(&arena);
	return unit_end();
}
